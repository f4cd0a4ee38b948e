#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a matrix times a vector as plain C loops, beside OpenBLAS, BLIS and Eigen, on one thread.

  vectors.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--only 'rows f64']

  vectors.py --plugin build/lib/libTilesmith.so --forms [--sizes 64,100,256,500]

Sizes are known at run time. --forms prints one row for each form: at each size GB/s,
and times as fast as OpenBLAS, BLIS and Eigen. Each figure is the best of up to 60 short rounds, in turn, in one process.
Ours and clang's results must be equal, bit for bit. Needs libopenblas-dev, libblis-dev,
libeigen3-dev, libbenchmark-dev and clang-22. OPENBLAS_CORETYPE and BLIS_ARCH_TYPE choose the libraries' kernels."""

import argparse
import itertools
import os
import pathlib
import subprocess
import tempfile

from both import compile_both

HERE = pathlib.Path(__file__).parent
SIZES = [8, 16, 24, 32, 64, 100, 128, 200, 256, 300, 400, 500, 512, 1000, 1024, 3000, 4096, 16384]
PRODUCTS = [(form, type_, n, n, 1) for form in ("rows", "transposed", "columns", "sweep", "table")
            for type_ in ("f64", "f32") for n in SIZES if (form, n) != ("columns", 16384)]
# What is multiplied once for each element, and the longer lines, or the stride, of those as in BLAS.
FORMS = [(prefix + form, more) for prefix, more in (("", 1), ("scaled_", 20), ("strided_", 3))
         for form in ("rows", "transposed", "columns", "sweep")] + [("symmetric", 1)]
THIN = [(form, few) for form in ("thin", "thincolumns", "thinmixed") for few in (2, 3, 4, 8)]
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
    parser.add_argument("--only", default="", help="those with this in '<loops> <type> <m> <n> <columns>'")
    args = parser.parse_args()
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_L2_SIZE"}
    sizes = args.sizes.split(",") if args.sizes else SIZES
    products = PRODUCTS
    if args.forms:
        sizes = sizes if args.sizes else [64, 100, 256, 500]
        products = [(form, type_, n, n, more) for form, more in FORMS + THIN for type_ in ("f64", "f32") for n in sizes]
    elif args.sizes:
        products = [(form, type_, *size.split("x"), 1) for form in ("rows", "transposed", "columns", "sweep", "table", *HALVES)
                    for type_ in ("f64", "f32") for size in sizes]
    products = [text for text in (" ".join(map(str, p)) for p in products) if args.only in text]
    if args.forms:
        print("| loops | type | " + " | ".join(map(str, sizes)) + " |\n|---|---" + "|---:" * len(sizes) + "|")
    else:
        print("| loops | type | size | GB/s | of clang | of OpenBLAS | of BLIS | of Eigen | of reading |\n|---|---|---" + "|---:" * 6 + "|")
    with tempfile.TemporaryDirectory() as work:
        program = build(args, pathlib.Path(work))
        with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as running:
            running.stdin.write("\n".join(products))
            running.stdin.close()
            lines = (line.split() for line in running.stdout)
            if args.forms:
                for _, same in itertools.groupby(lines, key=lambda fields: (fields[0], fields[1], fields[4])):
                    show_form(list(same))
            else:
                for fields in lines:
                    show(fields)
    return running.returncode


def rate_of(fields):
    form, type_, m, n, _, ours, *_ = fields
    return int(m) * int(n) * (8 if type_ == "f64" else 4) / float(ours) / (2 if form in HALVES else 1)


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
