# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the user guide says on each reason. There is no second list of them."""

import re
import typing


class Advice(typing.NamedTuple):
    example: str  # Markdown
    cure: str


ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.M)


def read_reasons(path):
    """{reason: Advice}, from the tables of the section "Reasons"."""
    if not path.exists():
        return {}
    section = path.read_text(encoding="utf-8").split("\n## Reasons\n", 1)[1].split("\n## ", 1)[0]
    found = {}
    for name, cells in ROW.findall(section):
        example, cure = re.split(r" (?<!\\)\| ", cells)
        found[name] = Advice(example.replace("\\|", "|"), cure.replace("\\|", "|"))
    return found
