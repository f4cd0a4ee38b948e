# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cures.py [--list] <compiler> <plugin> <source> [flag...]
cures.py [--list] --rust <rustc> <opt> <source>

A table of near misses with their cures. Each is a function behind a line

    // EXPECT Reason: what it does

and a function of the same name with '_cured' behind it, which is what one gets by
doing what the remark says. Compiles <source> at -O2 and at -O3, with remarks as they
are by default, and fails unless

* the near miss gets one remark, of that reason ('A|B': the first would be better),
  at a line that ends in '// <-', if it has such lines, or else at one of its own;
* the cured one gets no remark but of products that are replaced, and at least one of
  these; or, of a matrix that is factorised, in its blocks; or of a sum behind them.

A near miss without a cured function is one that nothing cures. With --rust, <opt>
is a command of opt with the plugin, and the source's bitcode is given to it.
--list prints what was found, a line for each function."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict

import reasons

MARK = re.compile(r"(//|!) <-\s*$")
# What begins a function, of which group 1 is the name.
HEADS = [r"^\s*subroutine (\w+)", r"fn (\w+)[(<]",
         r"^(?!\s|#|//|typedef|struct|class|template|using|namespace)[\w:<>, ]+[ *&](\w+)\("]


class Place:
    """A function of the source."""

    def __init__(self, first):
        self.first, self.last, self.marked = first, first, set()

    def holds(self, line):
        return line in self.marked if self.marked else self.first <= line <= self.last


def places(path):
    """{function: Place}"""
    result, now = {}, None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            name = next((m[1] for h in HEADS if (m := re.search(h, line))), None)
            if name:
                now = result.setdefault(name, Place(number))
            if now:
                now.last = number
                if MARK.search(line):
                    now.marked.add(number)
    return result


def records(args, source, level, folder):
    """[(name, line)] of all remarks; a line of another file counts as 0."""
    path = f"{folder}/record.yaml"
    if os.path.exists(path):
        os.remove(path)
    if args[0] == "--rust":
        bitcode = f"{folder}/x.bc"
        subprocess.run([args[1], "-O", "-C", "no-prepopulate-passes", "-C", "codegen-units=1", "-C", "debuginfo=1",
                        "--emit=llvm-bc", "--crate-type=lib", source, "-o", bitcode], check=True)
        subprocess.run(shlex.split(args[2]) + [f"-passes=default<{level}>", bitcode, "-o", os.devnull,
                                               f"-pass-remarks-output={path}", "-pass-remarks-filter=tilesmith"],
                       check=True)
    else:
        compiler, plugin, flags = args[0], args[1], args[3:]
        subprocess.run(shlex.split(compiler) + [
            f"-{level}", "-c", source, "-o", f"{folder}/x.o", f"-fpass-plugin={plugin}", "-fsave-optimization-record",
            f"-foptimization-record-file={path}", "-foptimization-record-passes=tilesmith"] + flags, check=True)
    with open(path) as file:
        for record in file.read().split("\n--- "):
            field = dict(re.findall(r"^(\w+): +(.*)$", record, re.MULTILINE))
            if field.get("Pass") == "tilesmith":
                at = re.search(r"File: '?(.*?)'?,\s+Line: (\d+)", field.get("DebugLoc", ""))
                is_here = at and os.path.basename(at[1]) == os.path.basename(source)
                yield field["Name"], int(at[2]) if is_here else 0


def problem_of(name, expected, found, where):
    """What is wrong with the remarks [(reason, line)] of a function; '' if nothing."""
    names = [reason for reason, _ in found]
    if name not in expected:
        # In blocks, what each block does to itself goes on as it was. A cure may end with one sum.
        of = expected[name.removesuffix("_cured")][0][0]
        may = {"Replaced", "LoneSum"} | of & {"Factorisation"}
        return "" if "Replaced" in names and set(names) <= may else f"expected Replaced, got {names}"
    accepted = expected[name][0]
    if len(names) != 1 or set(names) not in accepted:
        return f"expected one of {'|'.join(map(reasons.spell, accepted))}, got {names}"
    if not where.holds(found[0][1]):
        return f"{names[0]} at line {found[0][1]}, not at {sorted(where.marked) or 'one of its lines'}"
    return ""


def main():
    args = sys.argv[1:]
    show = args[0] == "--list"
    args = args[show:]
    source = args[3 if args[0] == "--rust" else 2]
    expected, where = reasons.expectations(source), places(source)
    names = [n for n in where if n in expected or n.endswith("_cured")]
    if missing := expected.keys() - where.keys():
        sys.exit(f"{source}: {missing} not found")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for level in ("O2", "O3"):
            found = defaultdict(list)
            for name, line in records(args, source, level, folder):
                owner = next((f for f, p in where.items() if p.first <= line <= p.last), "")
                found[owner].append((name, line))
            for name in names:
                problem = problem_of(name, expected, found[name], where[name])
                if show:
                    print(f"-{level}\t{name}\t{' '.join(f'{n}:{l}' for n, l in found[name])}\t{problem}")
                elif problem:
                    failed = True
                    print(f"{source}:{where[name].first}: {name} at -{level}: {problem}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
