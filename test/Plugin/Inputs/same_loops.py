#!/usr/bin/env python3
# ===- same_loops.py - the fall-back has clang's own loops ---------------===##
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===##
"""Compares the innermost loops of two x86 assembly files, function by function.

    same_loops.py CLANG.s TILESMITH.s

Every innermost loop of a function in the first file must be one of the same
function in the second file, as a multiset of vector and floating-point
instructions. (Loops that only the second file has are those of kernels.)
Prints the loops that are missing, and fails if there are any.
"""

import collections
import re
import sys


def functions(path):
    """The lines of each function, by its name; parts of it that are functions of their
    own ("name.tilesmith.1") are its lines, too."""
    result, lines = {}, []
    with open(path) as file:
        for line in file:
            if match := re.match(r"([A-Za-z_][\w$]*)(\.[\w.]+)?:", line):
                lines = result.setdefault(match[1], [])
            lines.append(line.split("#")[0].strip())
    return result


def innermost_loops(lines):
    """The instructions of each loop that holds no other one."""
    labels, instructions = {}, []
    for line in lines:
        if match := re.match(r"(\.LBB\w+):", line):
            labels[match[1]] = len(instructions)
        elif line and line[0] not in "." and not line.endswith(":"):
            instructions.append(line.split())
    loops = {
        (labels[words[1]], last)
        for last, words in enumerate(instructions)
        if words[0].startswith("j") and labels.get(words[1], last + 1) <= last
    }
    for first, last in sorted(loops):
        if not any((a, b) != (first, last) and first <= a and b <= last for a, b in loops):
            yield [words[0] for words in instructions[first : last + 1]]


def work(opcodes):
    """What a loop does: its vector and floating-point instructions, counted.
    In which order a fused multiply-add has its operands does not matter."""
    names = (re.sub("(vfn?m(add|sub))(132|213|231)", r"\1", opcode) for opcode in opcodes)
    vectors = collections.Counter(name for name in names if name[0] == "v")
    return tuple(sorted(vectors.items()))


def main():
    before, after = map(functions, sys.argv[1:3])
    missing = 0
    for name, lines in before.items():
        loops = collections.Counter(map(work, innermost_loops(lines)))
        loops -= collections.Counter(map(work, innermost_loops(after[name])))
        for loop in loops:
            print(f"{name}: no loop of", *(f"{count} {opcode}" for opcode, count in loop))
            missing += 1
    return missing != 0


if __name__ == "__main__":
    sys.exit(main())
