#!/usr/bin/env python3
#===- same_result.py - programs with and without the plugin -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compiles a program twice, with and without the plugin, runs both, and checks
that they print the same, and that the remarks are those that the source expects:

  same_result.py --plugin libTilesmith.so rows.c -- clang-22 -O3 -march=native

The program prints the bits of all its results, one element in a line, as
"form element bits". What is expected of a function stands behind its name:

  void ijk(int n, double *a, double *b, double *c) { // REPLACED
  void two(int n, double *a, double *b, double *c) { // REPLACED: 2
  void rows(int n, double **a, double **b, double **c) { // MISSED: NotAffine
  void calls(int n, double *a, double *b, double *c) { // no remark
  void versions(int n, double *a, double *b, double *c) { // REPLACED, MISSED: Branch
  void compilers(int n, double *a, double *b, double *c) { // REPLACED or MISSED: Branch
  void levels(int n, double *a, double *b, double *c) { // REPLACED; at -O2 MISSED: Branch

for the kinds of remarks that are made for this function: at least so many
replaced nests, and the names of missed remarks (see Reason.def). What is replaced
must be computed by a kernel when the program runs (counts.py), or say why it never is:

  void beside(int n, double *a, double *b, double *c) { // REPLACED, never runs: rows overlap

With --unmarked, only the results matter. The marked functions must not be inlined, and must not
know the values of their arguments, so that what is compiled is what runs.

Rust is compiled by rustc to bitcode, and that by LLVM's opt and llc. Options of
the plugin come in the environment variable TILESMITH.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import counts

TIME_LIMIT = 120  # seconds for one command


# --- Compiling and running ---------------------------------------------------

def run(command, env=None):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace",
                            timeout=TIME_LIMIT, env=env)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}:\n"
                 f"{result.stdout[-1000:]}{result.stderr[-4000:]}")
    return result.stdout


def tool(name):
    path = shutil.which(f"{name}-22") or shutil.which(name)
    return path or sys.exit(f"same_result.py: no {name} in the PATH")


def level(args):
    """The optimisation level that the compiler is told, as a digit."""
    return (re.findall(r"-O([0-3])|opt-level=([0-3])", " ".join(args.compiler)) or [("0", "")])[-1]


def counting():
    """The environment of a compiler with the plugin."""
    return dict(os.environ, TILESMITH=os.environ.get("TILESMITH", "") + ";count=1")


def compile_clang(args, exe, plugin):
    """clang, clang++ and flang: in one step."""
    modules = ["-module-dir", args.work] if args.source.endswith(".f90") else []
    extra = [f"-fpass-plugin={args.plugin}", f"-foptimization-record-file={exe}.yaml",
             "-foptimization-record-passes=tilesmith", "-mllvm", "-tilesmith-remarks=all"] if plugin else []
    run(args.compiler + modules + extra + [args.source, args.counts, "-o", exe],
        counting() if plugin else None)


def compile_rust(args, exe, plugin):
    """rustc makes bitcode, as its own passes would get it. A library with no
    code of its own brings Rust's standard library to the linker."""
    bitcode, std = f"{args.work}/program.bc", f"{args.work}/std"
    if not plugin:  # the second compilation starts from the same bitcode
        run(args.compiler + ["-C", "no-prepopulate-passes", "-C", "codegen-units=1",
                             "-C", "panic=abort", "--emit=llvm-bc", args.source, "-o", bitcode])
        with open(f"{std}.rs", "w") as file:
            file.write("")
        run(args.compiler[:1] + ["--crate-type=staticlib", "-C", "panic=abort", f"{std}.rs",
                                 "-o", f"{std}.a"])
    extra = [f"-load-pass-plugin={args.plugin}", f"-pass-remarks-output={exe}.yaml",
             "-pass-remarks-filter=tilesmith", "-tilesmith-remarks=all"] if plugin else []
    optimise = f"-passes=default<O{args.level}>"
    run([tool("opt"), optimise, bitcode, "-o", f"{exe}.bc"] + extra,
        counting() if plugin else None)
    run([tool("llc"), f"-O{args.level}", "-relocation-model=pic", "-filetype=obj", f"{exe}.bc",
         "-o", f"{exe}.o"])
    run([tool("clang"), f"{exe}.o", args.counts, f"{std}.a", "-lpthread", "-ldl", "-lm",
         "-o", exe])


# --- What is expected, and what is found ---------------------------------------

def remarks_of(text):
    """'REPLACED: 2, MISSED: Branch' as (2, {'Branch'}), or None."""
    replaced, missed = 0, set()
    for part in [] if text == "no remark" else text.split(", "):
        kind = re.fullmatch(r"(REPLACED)(?:: (\d+))?|MISSED: ([A-Z][\w|]+)", part)
        if not kind:
            return None
        if kind[1]:
            replaced = int(kind[2] or 1)
        else:
            missed.add(kind[3])
    return replaced, missed


def markers(args):
    """The marked functions: name -> (what stands there, [remarks_of(...)], why it never
    runs or '')."""
    found = {}
    with open(args.source) as file:
        for number, line in enumerate(file, 1):
            mark = re.search(r"(?://|!) *((?:REPLACED|MISSED: |no remark)\b.*?) *$", line)
            if not mark:
                continue
            name = re.search(r"(\w+) *(?:<[^(]*>)? *\(", line[:mark.start()])
            marker, _, idle = mark[1].partition(", never runs: ")
            text, *other = re.split(r"; at (-O\d) ", marker)
            if f"-O{args.level}" in other:
                text = other[other.index(f"-O{args.level}") + 1]
            choices = [remarks_of(choice) for choice in text.split(" or ")]
            if not name or name[1] in found or None in choices:
                sys.exit(f"{args.source}:{number}: this marker is not understood: {mark[1]}")
            found[name[1]] = text, choices, idle
    return found


def remarks(path):
    """(name of the remark, function) of all remarks in an optimization record."""
    if not os.path.exists(path):  # none at all
        return []
    with open(path) as file:
        documents = file.read().split("\n--- ")
    field = lambda name, text: re.search(rf"^{name}: +'?(.*?)'?$", text, re.M)[1]
    return [(field("Name", text), field("Function", text)) for text in documents if text.strip()]


def is_called(symbol, name):
    """Whether a symbol is that of the function `name`: in C; Fortran, where
    procedures may be in a module or in the program; C++ and Rust."""
    if symbol.startswith("_R"):
        return re.search(rf"(?<!\d){len(name)}{name}", symbol) is not None
    if symbol.startswith("_Z"):  # _Z4name... or _ZN5scope4name...
        rest, scopes = symbol[2:].lstrip("N"), []
        while length := re.match(r"\d+", rest):
            begin, size = length.end(), int(length[0])
            scopes.append(rest[begin:begin + size])
            rest = rest[begin + size:]
        return name in scopes
    return symbol in (name, f"{name}_") or symbol.endswith(f"P{name.lower()}")


def is_expected(missed, expected):
    """Whether these are the reasons; 'Branch|EarlyExit' is either, as other versions of a
    language's compiler may write other loops."""
    return (all(any(reason in one.split("|") for one in expected) for reason in missed)
            and all(any(reason in missed for reason in one.split("|")) for one in expected))


def check_remarks(marked, found):
    for name, (text, choices, _) in marked.items():
        mine = [remark for remark, function in found if is_called(function, name)]
        replaced, missed = mine.count("Replaced"), set(mine) - {"Replaced"}
        if not any(is_expected(missed, expected) and replaced >= number and bool(replaced) == bool(number)
                   for number, expected in choices):
            yield f"{name}: '{text}' is expected, but the remarks are: {mine}"


def check_counts(marked, counters):
    by_function = {}
    for counter in counters:
        name = next((n for n in marked if is_called(counter.function, n)), counter.function)
        by_function.setdefault(name, []).append(counter)
    for name, mine in by_function.items():
        idle, excuse = counts.never_run(mine), name in marked and marked[name][2]
        if idle and not excuse:
            yield f"{name}: is replaced, but never computed by its kernel: {idle}"
        elif excuse and not idle:
            yield f"{name}: 'never runs: {excuse}' is expected, but it has run"
        elif versions := counts.idle_versions(mine):
            print(f"note: {name}: a version never ran: {versions}")


def check_results(marked, expected, results):
    expected, results = expected.splitlines(), results.splitlines()
    forms = {line.split()[0].split("/")[0] for line in expected}
    for name in marked:
        if name not in forms:
            yield f"{name}: no results are printed"
    if len(expected) != len(results):
        yield f"{len(expected)} lines of results without, {len(results)} with the plugin"
    different = {}
    for line, other in zip(expected, results):
        if line != other:
            different.setdefault(line.split()[0], []).append(f"{line} -> {other}")
    for form, lines in different.items():
        yield f"{form}: {len(lines)} elements differ, first: {lines[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, help="libTilesmith.so")
    parser.add_argument("--work", default="same-result-work", help="folder for all files made")
    parser.add_argument("--unmarked", action="store_true", help="compare results only")
    parser.add_argument("--show", action="store_true", help="print the remarks of all functions")
    parser.add_argument("source")
    parser.add_argument("compiler", nargs="+", help="after --: the compiler and its flags")
    args = parser.parse_args()
    args.level = "".join(level(args))

    os.makedirs(args.work, exist_ok=True)
    without, exe = os.path.join(args.work, "without"), os.path.join(args.work, "with")
    if os.path.exists(f"{exe}.yaml"):
        os.remove(f"{exe}.yaml")
    build = compile_rust if args.source.endswith(".rs") else compile_clang
    args.counts = os.path.join(args.work, "counts.o")
    run([tool("clang"), "-O2", "-c", counts.SOURCE, "-o", args.counts])
    build(args, without, False)
    build(args, exe, True)

    marked, found = markers(args), remarks(f"{exe}.yaml")
    if args.show:
        for remark, function in found:
            print(f"{function}: {remark}")
    failures = [] if marked else ["there are no marked functions"]
    numbers = f"{exe}.counts"
    failures += check_results(marked, run([without]), run([exe], counts.environment(numbers)))
    if not args.unmarked:
        failures += check_remarks(marked, found)
        failures += check_counts(marked, counts.read(numbers))
    for failure in failures:
        print(f"{args.source}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
