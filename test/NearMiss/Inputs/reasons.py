# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reasons.py [--list] <compiler> <plugin> <source> [flag...]

Compiles <source> with the plugin at -O2 and at -O3, and fails unless every
function gets the remark that stands in front of it:

    // EXPECT IndexRoles: why it is no product
    void function(...) {

The word is the name of a Reason, or several with commas between them if the
function holds several nests, or 'none' if it gets no remark. 'BoundVaries|Branch'
means that the first would be the best answer, and the second is accepted;
'any', that any reason is. A function that stands behind no such line must get no
remark. --list prints what was found, one line per function."""

import re
import subprocess
import sys
import tempfile

EXPECT = re.compile(r"(?://|!) EXPECT ([\w|, ]+): (.*)")
# The function's name stands in front of the first parenthesis that opens a
# parameter list.
NAME = re.compile(r"(\w+)\((?!\()")


def expectations(path):
    """{function: (accepted sets of reasons, why)} in the order of the file."""
    result = {}
    pending = None
    with open(path) as file:
        for line in file:
            if match := EXPECT.search(line):
                accepted = [set(re.findall(r"\w+", r)) - {"none"} for r in match[1].split("|")]
                pending = (accepted, match[2])
            elif pending and not line.lstrip().startswith(("//", "#", "__attribute__")):
                if match := NAME.search(line):
                    if match[1] in result:
                        sys.exit(f"{path}: two functions {match[1]}")
                    result[match[1]], pending = pending, None
    return result


def remarks(path):
    """[(function, reason or 'Replaced')] of an optimisation record."""
    with open(path) as file:
        records = file.read().split("\n--- ")
    for record in records:
        field = dict(re.findall(r"^(\w+): +(.*)$", record, re.MULTILINE))
        if field.get("Pass") == "tilesmith":
            yield field["Function"].strip("'\""), field["Name"]


def owner(symbol, names):
    """The source's name of a function: without what C++ and outlining add."""
    # The name of a task's function ('.omp_task_entry.') does not say whose task it is.
    plain = symbol.split(".")[0] or "tasks"
    if plain in names or not plain.startswith("_Z"):
        return plain
    inside = [n for n in names if f"{len(n)}{n}" in plain]
    return max(inside, key=len, default=plain)


def spell(reasons):
    return ", ".join(sorted(reasons)) or "none"


def is_accepted(have, accepted):
    return have in accepted or {"any"} in accepted and have and "Replaced" not in have


def main():
    args = sys.argv[1:]
    show = args[0] == "--list"
    compiler, plugin, source, *flags = args[show:]
    expected = expectations(source)
    if not expected:
        sys.exit(f"{source}: expects nothing")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for level in ("O2", "O3"):
            record = f"{folder}/record.yaml"
            subprocess.run([compiler, f"-{level}", "-c", source, "-o", f"{folder}/x.o",
                            f"-fpass-plugin={plugin}", "-mllvm", "-tilesmith-remarks=all", "-fsave-optimization-record",
                            f"-foptimization-record-file={record}",
                            "-foptimization-record-passes=tilesmith"] + flags, check=True)
            found = {}
            for symbol, reason in remarks(record):
                found.setdefault(owner(symbol, expected), set()).add(reason)
            for name in list(expected) + sorted(found.keys() - expected.keys()):
                accepted, why = expected.get(name, ([set()], ""))
                have = found.get(name, set())
                if show:
                    print(f"-{level} {' '.join(flags)}\t{name}\t{spell(have)}\t{why}")
                elif not is_accepted(have, accepted):
                    failed = True
                    print(f"{source}: {name} at -{level} {' '.join(flags)}: expected "
                          f"{'|'.join(map(spell, accepted))}, got {spell(have)}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
