#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the 30 programs of PolyBench/C 4.2.1 with and without the plugin.

  polybench.py --check [--only gemm,2mm] [--size MINI,SMALL]
  polybench.py --time [--only gemm,2mm] [--size LARGE] [--runs 5]

--check compiles each program by clang alone, with the plugin, and with the plugin
and min-work=1, at each size, in three FORMS. It fails if a byte of the results
differs (they are printed as hexadecimal floats), if one of the PRODUCTS is not
replaced, if something else is replaced, or if the object code changes although
nothing was replaced.

--time measures the kernels and writes docs/polybench.md. A figure is the best of
all runs: noise on a shared machine only ever slows a program down. The two
programs alternate. What the plugin does not change is not measured.
Without --suite, the suite is cloned into the work folder.
"""

import argparse
import collections
import datetime
import itertools
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
URL = "https://github.com/MatthiasJReisinger/PolyBenchC-4.2.1"
COMMIT = "3e872547cef7e5c9909422ef1e6af03cf4e56072"
FLAGS = "-O3 -march=native"
SIZES = ["MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"]

# Every statement that makes a matrix product, one with a vector, or one of path lengths, by text of
# its line; the other programs have none. FILL stands in the initialisation, outside the kernel.
FILL = "(POLYBENCH_ARRAY(B))[r][s] += A[r][t] * A[s][t]"
PRODUCTS = {
    "gemm": ["C[i][j] += alpha * A[i][k] * B[k][j]"],
    "2mm": ["tmp[i][j] += alpha * A[i][k] * B[k][j]", "D[i][j] += tmp[i][k] * C[k][j]"],
    "3mm": ["E[i][j] += A[i][k] * B[k][j]", "F[i][j] += C[i][k] * D[k][j]",
            "G[i][j] += E[i][k] * F[k][j]"],
    "syrk": ["C[i][j] += alpha * A[i][k] * A[j][k]"],
    "syr2k": ["C[i][j] += A[j][k]*alpha*B[i][k] + B[j][k]*alpha*A[i][k]"],
    "symm": ["C[k][j] += alpha*B[i][j] * A[i][k]", "temp2 += B[k][j] * A[i][k]"],
    "trmm": ["B[i][j] += A[k][i] * B[k][j]"],
    "doitgen": ["sum[p] += A[r][q][s] * C4[s][p]"],
    "covariance": ["cov[i][j] += data[k][i] * data[k][j]"],
    "correlation": ["corr[i][j] += (data[k][i] * data[k][j])"],
    "gemver": ["x[i] = x[i] + beta * A[j][i] * y[j]", "w[i] = w[i] +  alpha * A[i][j] * x[j]"],
    "mvt": ["x1[i] = x1[i] + A[i][j] * y_1[j]", "x2[i] = x2[i] + A[j][i] * y_2[j]"],
    "gesummv": ["tmp[i] = A[i][j] * x[j] + tmp[i]"],
    "atax": ["tmp[i] = tmp[i] + A[i][j] * x[j]"],
    "bicg": ["q[i] = q[i] + A[i][j] * p[j]"],
    "floyd-warshall": ["path[i][j] = path[i][j] < path[i][k] + path[k][j] ?"],
    "cholesky": [FILL], "lu": [FILL], "ludcmp": [FILL],
}

# With arrays as in C99, inlining still makes their sizes constants, unless nothing
# is inlined, and nothing is known to have one caller.
FORMS = {
    "constant": [],
    "C99": ["-DPOLYBENCH_USE_C99_PROTO"],
    "run-time": ["-DPOLYBENCH_USE_C99_PROTO", "-fno-inline", "-Dstatic="],
}
# Included before a source: makes it print floating-point numbers exactly.
EXACT = """#include <stdio.h>
#define fprintf(stream, format, ...) \\
  fprintf(stream, format[0] == '%' && format[1] == '0' ? "%a " : format, ##__VA_ARGS__)
"""

# Loops that stand in no other loop: a range of lines, and the products in them.
Nest = collections.namedtuple("Nest", "lines in_kernel products")
Remark = collections.namedtuple("Remark", "line text missed")
Build = collections.namedtuple("Build", "code file remarks")


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {' '.join(map(str, command))}\n"
                           + done.stderr.decode(errors="replace")[-2000:])
    return done


def end_of_statement(text, start):
    """Where a loop ends that starts in the text of a program."""
    depth = 0
    for i, c in enumerate(text[start:], start):
        depth += (c in "({") - (c in ")}")
        if c in ";}" and not depth:
            return i


class Program:
    """One program of the suite, and where its products stand."""

    def __init__(self, source):
        self.source, self.name, self.nests = source, source.stem, []
        text = source.read_text()
        kernel = range(text.index("#pragma scop"), text.index("#pragma endscop"))
        # Comments and directives become blanks, so that positions stay.
        text = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*",
                      lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.M | re.S)
        end = 0
        for start in (match.start() for match in re.finditer(r"\bfor\b", text)):
            if start >= end:
                end = end_of_statement(text, start)
                lines = range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2)
                self.nests.append(Nest(lines, start in kernel, []))
        for product in PRODUCTS.get(self.name, []):
            wanted = "".join(product.split())
            found = [nest for i, line in enumerate(text.split("\n"), 1)
                     if wanted in "".join(line.split()) for nest in self.nests if i in nest.lines]
            if len(found) != 1:
                sys.exit(f"polybench.py: {source}: there must be one '{product}' in a loop")
            found[0].products.append(product)

    def replaced(self, remarks, nests):
        return sum(min(sum(r.line in nest.lines for r in remarks if not r.missed),
                       len(nest.products)) for nest in nests)

    def problems(self, remarks, may_be_small):
        """Sentences on products that were not replaced, and on other loops that were."""
        for nest in self.nests:
            count = self.replaced(remarks, [nest])
            missed = {f"{r.line}: {r.text}" for r in remarks if r.missed and r.line in nest.lines}
            small = may_be_small and any("too small to gain" in text for text in missed)
            if count < len(nest.products) and not small:
                title = f"missed: {count} of {len(nest.products)} replaced in line {nest.lines[0]}:"
                yield "\n      ".join([title, *nest.products, *(sorted(missed) or ["no remark"])])
        for r in remarks:
            if not r.missed and not any(r.line in n.lines for n in self.nests if n.products):
                yield f"unexpected: {r.line}: {r.text}"


class Tools:
    def __init__(self, args):
        self.args, self.support, header = args, args.work / "support.o", args.work / "exact.h"
        header.write_text(EXACT)
        self.exact = ["-DPOLYBENCH_DUMP_ARRAYS", "-include", header]
        utilities = args.suite / "utilities"
        self.command = [args.clang, "-w", f"-I{utilities}", *args.flags.split()]
        run(*self.command, "-DPOLYBENCH_TIME", "-c", utilities / "polybench.c", "-o", self.support)

    def compile(self, program, defines, options=None):
        """With the plugin, if there is a list of options for it."""
        file = self.args.work / f"{program.name}.{'plain' if options is None else 'tilesmith'}"
        object_file = file.with_name(f"{file.name}.o")
        plugin = [] if options is None else [f"-fpass-plugin={self.args.plugin}", "-mllvm", "-tilesmith-remarks=all", *options]
        said = run(*self.command, *defines, *plugin, "-Rpass=tilesmith", "-Rpass-missed=tilesmith",
                   "-c", program.source, "-o", object_file).stderr.decode()
        run(*self.command, object_file, self.support, "-lm", "-o", file)
        pattern = r"^%s:(\d+):\d+: remark: (.*) \[-Rpass(-missed)?=tilesmith\]$"
        found = re.findall(pattern % re.escape(str(program.source)), said, re.M)
        return Build(object_file.read_bytes(), file,
                     [Remark(int(line), re.sub("^.* not replaced: ", "", text), missed)
                      for line, text, missed in found])


def results(build):
    """All that a program prints, in which each number must be exact."""
    printed = run(build.file).stderr
    if b"END   DUMP_ARRAYS" not in printed or re.search(rb"\d\.\d\d ", printed):
        raise RuntimeError(f"{build.file} does not print exact results")
    return printed.replace(b"-nan", b"nan")  # LLVM does not define this sign


def check(program, tools, sizes):
    """Compiles and runs all variants of a program. True if all is well."""
    problems = collections.defaultdict(list)
    counts = set()
    for size, form in itertools.product(sizes, FORMS):
        defines = [f"-D{size}_DATASET", *tools.exact, *FORMS[form]]
        plain = tools.compile(program, defines)
        expected = results(plain)
        for low in [False, True]:
            found = []
            try:
                ours = tools.compile(program, defines, ["-mllvm", "-tilesmith-min-work=1"] * low)
                counts.add(program.replaced(ours.remarks, program.nests))
                found += program.problems(ours.remarks, may_be_small=not low)
                if ours.code != plain.code and all(r.missed for r in ours.remarks):
                    found.append("the object code differs, but nothing was replaced")
                if ours.code != plain.code and results(ours) != expected:
                    found.append("WRONG RESULTS")
            except RuntimeError as error:
                found.append(f"BROKEN: {error}")
            for problem in dict.fromkeys(found):
                problems[problem].append(f"{size}/{form}" + "/min-work=1" * low)
    print(f"{program.name:16}{'FAILED' if problems else 'ok':8}"
          f"{' or '.join(map(str, sorted(counts)))} of {len(PRODUCTS.get(program.name, []))}",
          flush=True)
    for problem, where in problems.items():
        for size in sizes:  # all variants of a size in one word
            if sum(v.startswith(f"{size}/") for v in where) == 2 * len(FORMS):
                where = [size] + [v for v in where if not v.startswith(f"{size}/")]
        print(f"    {problem}\n      in {', '.join(where)}", flush=True)
    return not problems


def measure(program, tools, size, runs):
    """A row of the table, and median/best - 1 of both; None if the plugin changes nothing."""
    def pair(*defines):
        return [tools.compile(program, [f"-D{size}_DATASET", *defines], options)
                for options in (None, [])]
    plain, ours = pair(*tools.exact)
    if plain.code != ours.code and results(plain) != results(ours):
        raise RuntimeError(f"{program.name}: WRONG RESULTS")
    plain, ours = pair("-DPOLYBENCH_TIME")
    if plain.code == ours.code:
        return None
    seconds = list(zip(*([float(run(b.file).stdout) for b in (plain, ours)] for _ in range(runs))))
    best = [min(column) for column in seconds]
    kernel = [nest for nest in program.nests if nest.in_kernel]
    row = (f"| {program.name} | {best[0]:.4f} | {best[1]:.4f} | {best[0] / best[1]:.1f} | "
           f"{program.replaced(ours.remarks, kernel)} of {sum(len(n.products) for n in kernel)} |")
    print(row, flush=True)
    return row, [statistics.median(column) / min(column) - 1 for column in seconds]


def report(measured, args, size):
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = run(args.clang, "--version").stdout.decode().split("\n")[0]
    table = "\n".join(found[0] for found in measured.values() if found)
    spread = statistics.median([s for found in measured.values() if found for s in found[1]] or [0])
    same = ", ".join(name for name, found in measured.items() if not found)
    if same:
        table += f"\n\nThe object code of these is the same with and without Tilesmith:\n{same}."
    return f"""# PolyBench/C

<!-- Written by benchmarks/polybench.py; do not edit. -->

[PolyBench/C 4.2.1]({URL}), {size}, one thread: seconds
in the kernel, best of {args.runs} runs. "replaced" counts the products in the kernel;
cholesky, lu and ludcmp have one in the initialisation instead, which is not timed. The
results with and without Tilesmith were compared, and are equal in every bit.

{datetime.date.today()}. {cpu[1] if cpu else "Unknown CPU"}. {version}, `{args.flags}`.
Median run {100 * spread:.0f} % above the best. To repeat it:

    benchmarks/polybench.py --time --size {size} --runs {args.runs}

| program | clang -O3, s | with Tilesmith, s | speed-up | replaced |
|:--|--:|--:|--:|--:|
{table}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="compare results and remarks")
    mode.add_argument("--time", action="store_true",
                      help="measure; with --only, --size or --flags the report goes to --work")
    parser.add_argument("--only", metavar="NAME,...", help="only these programs")
    parser.add_argument("--size", metavar="SIZE,...", help=f"of {', '.join(SIZES)}; default: "
                        "the first three to check, LARGE to measure")
    parser.add_argument("--runs", type=int, default=5, help="to measure (default: 5)")
    parser.add_argument("--flags", default=FLAGS, help=f"of the compiler (default: {FLAGS})")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--plugin", type=pathlib.Path, default=ROOT / "build/lib/libTilesmith.so")
    parser.add_argument("--suite", type=pathlib.Path, help="checkout of the suite")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/polybench",
                        help="folder for files (default: build/polybench)")
    args = parser.parse_args()

    sizes = args.size.split(",") if args.size else SIZES[:3] if args.check else ["LARGE"]
    if not set(sizes) <= set(SIZES) or (args.time and len(sizes) > 1):
        parser.error(f"--size: {args.size}")
    if not args.plugin.exists():
        sys.exit(f"polybench.py: {args.plugin} does not exist")
    args.plugin, args.work = args.plugin.resolve(), args.work.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    if not args.suite:
        args.suite = args.work / "suite"
        if not args.suite.exists():
            run("git", "clone", "-q", URL, args.suite)
        run("git", "-C", args.suite, "checkout", "-q", COMMIT)
    sources = (args.suite / "utilities/benchmark_list").read_text().split()
    programs = {p.name: p for p in (Program(args.suite / source) for source in sources)}
    names = args.only.split(",") if args.only else list(programs)
    if not set(names) <= set(programs):
        parser.error(f"--only: of {', '.join(programs)}")
    tools = Tools(args)
    if args.check:
        good = [check(programs[name], tools, sizes) for name in names]
        print(f"{sum(good)} of {len(good)} programs as expected")
        sys.exit(not all(good))
    measured = {name: measure(programs[name], tools, sizes[0], args.runs) for name in names}
    text = report(measured, args, sizes[0])
    partial = args.only or sizes != ["LARGE"] or args.flags != FLAGS
    ((args.work if partial else ROOT / "docs") / "polybench.md").write_text(text)
    print(text)


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError) as error:
        sys.exit(f"polybench.py: {error}")
