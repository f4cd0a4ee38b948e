#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a matrix times a vector as plain C loops, beside OpenBLAS, BLIS and Eigen, on one thread.

  vectors.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--only 'rows f64']

  vectors.py --plugin build/lib/libTilesmith.so --forms [--sizes 64,100,256,500]
  vectors.py --plugin build/lib/libTilesmith.so --plot docs/benchmarks-vectors.svg

Sizes are known at run time. --forms prints one row for each form: at each size GB/s,
and times as fast as OpenBLAS, BLIS and Eigen. --plot draws matrices by rows and transposed instead. Each figure is the best of up to 60 short rounds, in turn, in one process.
Ours and clang's results must be equal, bit for bit. Needs libopenblas-dev, libblis-dev,
libeigen3-dev, libbenchmark-dev and clang-22. OPENBLAS_CORETYPE and BLIS_ARCH_TYPE choose the libraries' kernels."""

import argparse
import itertools
import os
import pathlib
import subprocess
import tempfile

import small
from both import compile_both

HERE = pathlib.Path(__file__).parent
SIZES = [8, 16, 24, 32, 64, 100, 128, 200, 256, 300, 400, 500, 512, 1000, 1024, 3000, 4096, 16384]
PRODUCTS = [(form, type_, n, n, 1) for form in ("rows", "transposed", "columns", "sweep", "table")
            for type_ in ("f64", "f32") for n in SIZES if (form, n) != ("columns", 16384)]
# What is multiplied once for each element, and the longer lines, or the stride, of those as in BLAS.
FORMS = [(prefix + form, more) for prefix, more in (("", 1), ("scaled_", 20), ("strided_", 3))
         for form in ("rows", "transposed", "columns", "sweep")] + [("symmetric", 1)]
THIN = [(form, few) for form in ("thin", "thincolumns", "thinmixed") for few in (2, 3, 4, 8)]
PLOTTED = [(form, type_, n, n, 1) for form in ("rows", "transposed") for type_ in ("f64", "f32") for n in SIZES if n < 16384]
# In the order of the program's times, Tilesmith's being the first; a colour each.
RUNS = {"Tilesmith": "#d62728", "clang -O3": "#7f7f7f", "OpenBLAS": "#1f77b4", "BLIS": "#2ca02c", "Eigen": "#9467bd", "reading A": "black"}
HALVES = ("lower", "upper", "symmetric")
PRODUCTS += [(form, type_, n, n, 1) for form in HALVES for type_ in ("f64", "f32") for n in SIZES]
PRODUCTS += [(form, type_, m, m, few) for form in ("thin", "thincolumns", "thinmixed") for type_ in ("f64", "f32")
             for few in (2, 3, 4, 6, 8, 12) for m in (64, 256, 1000, 4096)]


def build(args, work):
    flags, program = args.flags.split(), work / "bench"
    plugin = [f"-fpass-plugin={args.plugin}"] + [w for o in args.option for w in ("-mllvm", f"-tilesmith-{o}")]
    objects = compile_both(["clang-22", "-O3", *flags], plugin, HERE / "kernels/vectors.c", work, ours="tilesmith")
    subprocess.run(["clang++-22", "-std=c++17", "-O3", "-DNDEBUG", "-isystem", "/usr/include/eigen3", *flags,
                    HERE / "vectors_bench.cpp", *objects,
                    "-lbenchmark", "-ldl", "-o", program], check=True)  # fmt: skip
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--option", action="append", default=[], help="of the plugin, as vector-bits=256")
    parser.add_argument("--sizes", help="others: '4x40,8x20'")
    parser.add_argument("--forms", action="store_true", help="all forms, those of BLAS too, at the sizes '64,100,256,500' or others")
    parser.add_argument("--plot", type=pathlib.Path, help="an SVG file")
    parser.add_argument("--only", default="", help="those with this in '<loops> <type> <m> <n> <columns>'")
    args = parser.parse_args()
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_L2_SIZE"}
    sizes = args.sizes.split(",") if args.sizes else SIZES
    products = PLOTTED if args.plot else PRODUCTS
    if args.forms:
        sizes = sizes if args.sizes else [64, 100, 256, 500]
        products = [(form, type_, n, n, more) for form, more in FORMS + THIN for type_ in ("f64", "f32") for n in sizes]
    elif args.sizes:
        products = [(form, type_, *size.split("x"), 1) for form in ("rows", "transposed", "columns", "sweep", "table", *HALVES)
                    for type_ in ("f64", "f32") for size in sizes]
    products = [text for text in (" ".join(map(str, p)) for p in products) if args.only in text]
    if args.forms:
        print("| loops | type | " + " | ".join(map(str, sizes)) + " |\n|---|---" + "|---:" * len(sizes) + "|")
    elif not args.plot:
        print("| loops | type | size | GB/s | of clang | of OpenBLAS | of BLIS | of Eigen | of reading |\n|---|---|---" + "|---:" * 6 + "|")
    with tempfile.TemporaryDirectory() as work:
        program = build(args, pathlib.Path(work))
        with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as running:
            running.stdin.write("\n".join(products))
            running.stdin.close()
            lines = (line.split() for line in running.stdout)
            if args.plot:
                plot(list(lines), args.plot)
            elif args.forms:
                for _, same in itertools.groupby(lines, key=lambda fields: (fields[0], fields[1], fields[4])):
                    show_form(list(same))
            else:
                for fields in lines:
                    show(fields)
    return running.returncode


def rate_of(fields):
    form, type_, m, n, _, ours, *_ = fields
    return int(m) * int(n) * (8 if type_ == "f64" else 4) / float(ours) / (2 if form in HALVES else 1)


def plot(results, file):
    """GB/s over n: a panel for each kind of loops and type."""
    plt = small.pyplot()
    if not plt:
        return
    figure, axes = plt.subplots(2, 2, figsize=(11, 7))
    groups = itertools.groupby(results, key=lambda fields: fields[:2])
    for axis, ((form, type_), of) in zip(axes.flat, groups):
        points = [(int(fields[2]), [int(fields[2]) ** 2 * int(type_[1:]) / 8 / float(t) for t in fields[5:]]) for fields in of]
        for run, (name, colour) in enumerate(RUNS.items()):
            axis.plot([n for n, _ in points], [rates[run] for _, rates in points], label=name, color=colour, marker=".",
                      linewidth=2 if run == 0 else 1, linestyle="--" if name == "reading A" else "-")  # fmt: skip
        axis.set_xscale("log", base=2)
        ticks = [8, 32, 128, 512, 2048]
        axis.set_xticks(ticks, labels=map(str, ticks))
        axis.set_title(f"{form}, {type_}")
        axis.set_xlabel("n")
        axis.set_ylabel("GB/s")
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncol=6, frameon=False)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(file, metadata={"Date": None})


def name_of(fields):
    form, few = fields[0], fields[4]
    return form + (f", {few} columns" if form.startswith("thin") else "")


def show_form(sizes):
    """A row: of each size, GB/s, and times as fast as OpenBLAS, BLIS and Eigen."""
    cells = []
    for fields in sizes:
        ours, _, *libraries, _ = map(float, fields[5:])
        cells.append(f"{rate_of(fields):.0f}: " + ", ".join(f"{t / ours:.2f}" for t in libraries))
    print(f"| {name_of(sizes[0])} | {sizes[0][1]} | " + " | ".join(cells) + " |", flush=True)


def show(fields):
    form, type_, m, n, few, *times = fields
    ours, *others = map(float, times)
    size = f"{m}x{n}" + (f"x{few}" if few != "1" else "")
    print(f"| {form} | {type_} | {size} | {rate_of(fields):.0f} | " + " | ".join(f"{t / ours:.2f}" for t in others) + " |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
