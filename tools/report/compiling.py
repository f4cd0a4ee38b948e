# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long kernels took to compile, by the files that -ftime-trace wrote beside the object files."""

import json
import re
import typing

PASS = re.compile(r"^tilesmith::.*Pass$")
KERNEL = re.compile(r"^tilesmith\.|\.tilesmith")
# The passes over one function, before and in code generation.
STEPS = ("PassManager<Function>", "OptFunction")


class Times(typing.NamedTuple):
    kernels: float  # ms: Tilesmith's passes, and all others on kernels
    all: float  # ms
    files: int


def in_traces(folder):
    """None if there are no such files. Steps that are shorter than a trace's granularity are not in it."""
    kernels, everything, files = 0, 0, 0
    for path in sorted(folder.rglob("*.json")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if '"traceEvents"' not in text or "ExecuteCompiler" not in text:
            continue
        files += 1
        for event in json.loads(text)["traceEvents"]:
            name, length = event["name"], event.get("dur", 0) / 1000
            if name == "Total ExecuteCompiler":
                everything += length
            elif PASS.match(name) or (name in STEPS and KERNEL.search(event["args"]["detail"])):
                kernels += length
    return Times(kernels, everything, files) if files else None
