#!/usr/bin/env python3
#===- compare.py - one plugin against another --------------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares a plugin with an older one: for each nest of kernels/compare.c and each shape, the speed
of the new one as a multiple of the old one's, run in turn; then the time to compile and the size of
the code of the kernels of the other benchmarks. Prints Markdown tables; cells below --least are bold.

  compare.py OLD.so NEW.so [--clang clang-22] [--flags="-O3 -march=native -mno-avx512f"]"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
SHAPES = [*(f"{n}x{n}x{n}" for n in (2, 4, 7, 8, 12, 16, 21, 24, 32, 48, 61, 64, 100, 128, 200, 256, 500)),
          "1000x1000x16", "16x1000x500", "1000x16x500"]
COMPILED = {"gemm.c": ["-DPREFIX=x"], "kin.c": ["-DPREFIX=x"], "narrow.c": ["-DPREFIX=x", "-ffast-math"],
            "compare.c": [], "hand_tuned.c": []}


def speed(args, work):
    for side in ("old", "new"):
        subprocess.run([*args.clang, f"-fpass-plugin={getattr(args, side)}", "-shared", "-fPIC",
                        KERNELS / "compare.c", "-o", work / f"{side}.so"], check=True)
    subprocess.run([*args.clang, KERNELS / "compare_main.c", "-ldl", "-o", work / "main"], check=True)
    run = subprocess.run([work / "main", work / "old.so", work / "new.so", str(args.seconds), *args.shapes],
                         stdout=subprocess.PIPE, text=True)
    cells = {}
    for line in run.stdout.splitlines():
        nest, type_, shape, gflops, ratio, *differs = line.split()
        cells.setdefault(f"{nest} {type_}", []).append((float(gflops), float(ratio), differs))
    print(f"| {args.flags} |", *(f"{shape} |" for shape in args.shapes))
    print("|---|" + "---:|" * len(args.shapes))
    for name, row in cells.items():
        print(f"| {name} |", *(f"{'DIFFERS ' if differs else ''}{mark(ratio, args.least)} |" for _, ratio, differs in row))
    ratios = [ratio for row in cells.values() for _, ratio, _ in row]
    print(f"\nGeometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.3f}, "
          f"least {min(ratios):.2f}, most {max(ratios):.2f}.\n")
    return run.returncode


def mark(ratio, least):
    return f"**{ratio:.2f}**" if ratio < least else f"{ratio:.2f}"


def cost(args, work):
    print("| source | compile time, old | new | | bytes of code, old | new | |\n|---|---:|---:|---:|---:|---:|---:|")
    for source, flags in COMPILED.items():
        seconds, size = {"old": [], "new": []}, {}
        for _ in range(args.compiles):
            for side in seconds:
                out = work / f"{side}.o"
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                subprocess.run([*args.clang, f"-fpass-plugin={getattr(args, side)}", *flags, "-c",
                                KERNELS / source, "-o", out], check=True)
                seconds[side].append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
                size[side] = text_size(out)
        old, new = min(seconds["old"]), min(seconds["new"])
        print(f"| {source} | {old:.2f} s | {new:.2f} s | {new / old:.2f} | {size['old']} | {size['new']} | "
              f"{size['new'] / size['old']:.2f} |")


def text_size(path):
    lines = subprocess.run(["size", path], check=True, capture_output=True, text=True).stdout.splitlines()
    return int(lines[1].split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--flags", default="-O3 -march=native")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="MxNxK")
    parser.add_argument("--seconds", type=float, default=0.002, help="of each run (0.002)")
    parser.add_argument("--compiles", type=int, default=7)
    parser.add_argument("--least", type=float, default=0.98, help="cells below it are bold")
    args = parser.parse_args()
    args.clang = [args.clang, *args.flags.split()]
    with tempfile.TemporaryDirectory() as work:
        code = speed(args, pathlib.Path(work))
        cost(args, pathlib.Path(work))
    sys.exit(code)


if __name__ == "__main__":
    main()
