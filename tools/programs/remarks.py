# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over Tilesmith's remarks in the files that -fsave-optimization-record writes."""

import collections
import re

from report import record


def read_remarks(tree):
    """Sums over all files that were compiled in the folder. The linker looks at the same loops again."""
    files = loops = candidates = 0
    replaced, missed, reasons = [], [], collections.Counter()
    for path in record.files_in(tree):
        linked = "opt.ld.yaml" in path.name
        files += not linked
        for remark in record.read(path, ("tilesmith", "count-loops")):
            at = f"{remark.place.file}:{remark.place.line} " if remark.place else " "
            if remark.pass_name == "count-loops" and not linked:
                numbers = re.findall(r"\d+", remark.text)
                loops += int(numbers[0])
                candidates += int(numbers[1])
            elif remark.kind == "Passed":
                replaced.append(f"{at}{remark.function}: {remark.text}" + " (in the linker)" * linked)
            elif remark.kind == "Missed":
                missed.append(f"{at}{remark.function}: {remark.name}: {remark.text}")
                reasons[remark.name] += 1
    return {"compiled": files, "loops": loops, "candidates": candidates, "replaced": replaced, "missed": missed,
            "reasons": dict(reasons.most_common())}
