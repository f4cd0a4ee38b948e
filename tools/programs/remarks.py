# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Tilesmith's remarks from the files that -fsave-optimization-record writes."""

import collections
import re


def remarks(path):
    """(kind, name, place, function, text) of each remark in a file."""
    for entry in re.split(r"^---", path.read_text(errors="replace"), flags=re.M):
        head = re.match(r" !(\w+)\n", entry)
        if not head or not re.search(r"^Pass: +(?:tilesmith|count-loops)$", entry, re.M):
            continue
        field = lambda name: (re.search(rf"^{name}: +'?(.*?)'?$", entry, re.M) or [None, ""])[1]
        where = re.search(r"^DebugLoc: +\{ File: '?(.*?)'?,\s+Line: (\d+),", entry, re.M)
        text = "".join(re.findall(r"^  - \w+: +(?:'(.*)'|\"(.*)\"|(.*))$", entry, re.M) and
                       [a or b or c for a, b, c in
                        re.findall(r"^  - \w+: +(?:'(.*)'|\"(.*)\"|(.*))$", entry, re.M)])
        yield (head[1], field("Name"), f"{where[1]}:{where[2]}" if where else "", field("Function"),
               text.replace("''", "'"))


def read_remarks(tree):
    """Sums over all files that were compiled in the folder. The linker looks at the same loops again."""
    files = loops = candidates = 0
    replaced, missed, reasons = [], [], collections.Counter()
    for path in sorted(tree.rglob("*opt*.yaml*")):
        linked = "opt.ld.yaml" in path.name
        files += not linked
        for kind, name, place, function, text in remarks(path):
            numbers = re.findall(r"\d+", text)
            if kind == "Analysis" and not linked:
                loops += int(numbers[0])
                candidates += int(numbers[1])
            elif kind == "Passed":
                replaced.append(f"{place} {function}: {text}" + " (in the linker)" * linked)
            elif kind == "Missed":
                missed.append(f"{place} {function}: {name}: {text}")
                reasons[name] += 1
    return {"compiled": files, "loops": loops, "candidates": candidates, "replaced": replaced, "missed": missed,
            "reasons": dict(reasons.most_common())}
