# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the compiler crashes or the verifier complains: the IR of a saved program, made small by llvm-reduce."""

import os
import re
import shlex

from .runner import Broken


def symptom(text):
    """A piece of what the compiler says, which stays the same while the file is reduced."""
    for pattern in (r"LLVM ERROR: (.*)", r"(Assertion .*failed)", r"error: (.*)", r"(tilesmith::[\w:]+)", "(Stack dump)"):
        found = re.search(pattern, text)
        if found:
            return found[1][:100]
    return ""


def reduce(tools, setting, stem, failure, seconds):
    """Writes <stem>.ll from <stem>.c, and <stem>-ir.sh, which runs it. Returns the file, or None if the IR
    alone does not fail in that way."""
    said = symptom(failure.text)
    steps = tools.commands(setting, stem)
    base, tile = (next(c for w, c in steps if w == what) for what in ("base", "compiler"))
    if not said:
        return None
    try:
        tools.run([*tile[:-1], f"{stem}-all.ll", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"], "ir")
    except Broken:
        return None
    from_ir = lambda command: shlex.join(
        w for w in command[:-2] if not w.startswith(("-D", "-x", "c++", stem)) and w != "-c") + ' -c -x ir "$1" -o /dev/null'
    script = f"{stem}-ir.sh"
    with open(script, "w") as file:
        print("#!/bin/sh", "# Succeeds if the compiler fails in this way, but not without the plugin.",
              f"{from_ir([tile[0], *setting.target_flags, *setting.flags, '-w', '-fno-crash-diagnostics', *base[-2:]])} "
              "2>/dev/null || exit 1", f"{from_ir(tile)} 2>&1 | grep -qF -e {shlex.quote(said)}", sep="\n", file=file)
    os.chmod(script, 0o755)
    try:
        if tools.run([script, f"{stem}-all.ll"], "ir", check=False)[0]:
            return None
        tools.run([tools.llvm_reduce, f"--test={script}", "-o", f"{stem}.ll", f"{stem}-all.ll"], "ir", limit=seconds,
                  check=False)
    except Broken:
        pass  # out of time: what there is so far
    if not os.path.exists(f"{stem}.ll"):
        os.replace(f"{stem}-all.ll", f"{stem}.ll")
    return f"{stem}.ll"
