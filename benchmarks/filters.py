#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs filters without a sum over channels as plain C loops, beside the same loops by clang alone, on one thread:
lines, images of one channel, and the depthwise layers of MobileNet and of networks with 5 x 5 windows.

  filters.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--type double] [--onednn] [--only nhwc]

Sizes are known at run time; images have a border of their own, or the
loops leave out what is beyond it ("padded"). All bytes are compared. With --onednn, depthwise
layers are beside oneDNN's, whose weights are arranged before: with images in the same storage order, and in the
order that it likes best. Needs clang-22, and libdnnl-dev for that; --onednn=DIR says where it is, if it is not
installed."""

import argparse
import math
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
LINES = [(form, 1, 1, n, 1, taps, 1) for form in ("line", "line_sweep") for n in (256, 4096, 1000000)
         for taps in (16, 32, 64, 256)]  # fmt: skip
IMAGES = [(form, 1, side, side, r, r, 1) for form in ("image", "image_sweep") for side in (64, 512, 2000)
          for r in (3, 5)]  # fmt: skip
# C, side of the output, side of the window, distance of windows
LAYERS = [(32, 112, 3, 1), (64, 56, 3, 2), (128, 56, 3, 1), (128, 28, 3, 2), (256, 28, 3, 1), (256, 14, 3, 2),
          (512, 14, 3, 1), (512, 7, 3, 2), (1024, 7, 3, 1), (72, 28, 5, 2), (120, 28, 5, 1), (480, 14, 5, 1),
          (672, 7, 5, 2), (960, 7, 5, 1)]  # fmt: skip
DEPTHWISE = [(form, c, h, h, r, r, step) for form in ("nchw", "nhwc", "nhwc_sweep", "nchw_padded", "nhwc_padded") for c, h, r, step in LAYERS]


def name(case):
    form, c, h, w, r, s, step = case
    shape = f"{w}, {s} taps" if form.startswith("line") else f"{h}x{w}, {r}x{s}" + (f"/{step}" if step > 1 else "")
    return f"{form} " + (f"{c}, " if form.startswith("n") else "") + shape


def build(args, work):
    objects = []
    for prefix, plugin in (("tilesmith", [f"-fpass-plugin={args.plugin}"]), ("plain", [])):
        objects.append(work / f"{prefix}.o")
        subprocess.run(
            ["clang-22", "-O3", *args.flags.split(), *plugin, f"-DT={args.type}", f"-DPREFIX={prefix}", "-c",
             HERE / "kernels/filters.c", "-o", objects[-1]], check=True)  # fmt: skip
    library = []
    if args.onednn is not None:
        library = ["-DONEDNN", "-ldnnl"]
        if args.onednn:
            libraries = f"{args.onednn}/lib/x86_64-linux-gnu"
            library += [f"-I{args.onednn}/include", f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    program = work / "bench"
    subprocess.run(
        ["c++", "-std=c++17", "-O2", f"-DELEMENT={args.type}", HERE / "filters_bench.cpp", *objects, *library, "-o",
         program], check=True)  # fmt: skip
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--type", default="float", choices=["float", "double"])
    parser.add_argument("--onednn", nargs="?", const="", metavar="DIR")
    parser.add_argument("--isa", help="the most that oneDNN may use, as DNNL_MAX_CPU_ISA says it")
    parser.add_argument("--only", default="", help="filters with this in their names")
    args = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS="1", **({"DNNL_MAX_CPU_ISA": args.isa} if args.isa else {}))
    cases = [case for case in LINES + IMAGES + DEPTHWISE if args.only in name(case)]
    with tempfile.TemporaryDirectory() as work:
        program = build(args, pathlib.Path(work))
        text = "".join(" ".join(map(str, case)) + "\n" for case in cases)
        lines = subprocess.run([program], input=text, text=True, env=environment, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()  # fmt: skip
    has_library = args.onednn is not None
    print("| filter | GFLOP/s | clang | of clang |" + (" of oneDNN | of oneDNN in its order |" if has_library else ""))
    print("|---|---:|---:|---:|" + ("---:|---:|" if has_library else ""))
    ratios = {}
    for case, line in zip(cases, lines):
        ours, *others = map(float, line.split())
        row = [ours / other for other in others]
        ratios.setdefault(case[0], []).append(row)
        cells = [f"{row[0]:.1f}"] + [f"{ratio:.2f}" for ratio in row[1:]]
        cells += [""] * (3 * has_library - len(cells))
        print(f"| {name(case)} | {ours:.1f} | {others[0]:.1f} | " + " | ".join(cells) + " |")
    for form, rows in ratios.items():
        means = [math.exp(sum(map(math.log, column)) / len(rows)) for column in zip(*rows)]
        cells = [f"{means[0]:.1f}"] + [f"{mean:.2f}" for mean in means[1:]]
        cells += [""] * (3 * has_library - len(cells))
        print(f"| geometric mean, {form} | | | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
