#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a matrix times a vector as plain C loops, beside OpenBLAS and BLIS, on one thread.

  vectors.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--only 'rows f64']

Sizes are known at run time. Each figure is the best of up to 60 short rounds, in turn, in one process.
Ours and clang's results must be equal, bit for bit. Needs libopenblas-dev, libblis-dev,
libbenchmark-dev and clang-22."""

import argparse
import os
import pathlib
import subprocess
import tempfile

from both import compile_both

HERE = pathlib.Path(__file__).parent
SIZES = [8, 16, 24, 32, 64, 100, 128, 200, 256, 300, 400, 500, 512, 1000, 1024, 3000, 4096, 16384]
PRODUCTS = [(form, type_, n, n, 1) for form in ("rows", "transposed", "columns", "sweep", "table")
            for type_ in ("f64", "f32") for n in SIZES if (form, n) != ("columns", 16384)]
HALVES = ("lower", "upper", "symmetric")
PRODUCTS += [(form, type_, n, n, 1) for form in HALVES for type_ in ("f64", "f32") for n in SIZES]
PRODUCTS += [(form, type_, m, m, few) for form in ("thin", "thincolumns", "thinmixed") for type_ in ("f64", "f32")
             for few in (2, 3, 4, 6, 8, 12) for m in (64, 256, 1000, 4096)]


def build(args, work):
    flags, program = args.flags.split(), work / "bench"
    plugin = [f"-fpass-plugin={args.plugin}"] + [w for o in args.option for w in ("-mllvm", f"-tilesmith-{o}")]
    objects = compile_both(["clang-22", "-O3", *flags], plugin, HERE / "kernels/vectors.c", work, ours="tilesmith")
    subprocess.run(["clang++-22", "-std=c++17", "-O2", *flags, HERE / "vectors_bench.cpp", *objects,
                    "-lbenchmark", "-ldl", "-o", program], check=True)  # fmt: skip
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--option", action="append", default=[], help="of the plugin, as vector-bits=256")
    parser.add_argument("--sizes", help="others: '4x40,8x20'")
    parser.add_argument("--only", default="", help="those with this in '<loops> <type> <m> <n> <columns>'")
    args = parser.parse_args()
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    products = PRODUCTS
    if args.sizes:
        products = [(form, type_, *size.split("x"), 1) for form in ("rows", "transposed", "columns", "sweep", "table", *HALVES)
                    for type_ in ("f64", "f32") for size in args.sizes.split(",")]
    products = [text for text in (" ".join(map(str, p)) for p in products) if args.only in text]
    print("| loops | type | size | GB/s | of clang | of OpenBLAS | of BLIS | of reading |\n|---|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        program = build(args, pathlib.Path(work))
        with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as running:
            running.stdin.write("\n".join(products))
            running.stdin.close()
            for line in running.stdout:
                show(line.split())
    return running.returncode


def show(fields):
    form, type_, m, n, few, *times = fields
    ours, *others = map(float, times)
    size = f"{m}x{n}" + (f"x{few}" if few != "1" else "")
    rate = int(m) * int(n) * (8 if type_ == "f64" else 4) / ours / (2 if form in HALVES else 1)
    print(f"| {form} | {type_} | {size} | {rate:.0f} | " + " | ".join(f"{t / ours:.2f}" for t in others) + " |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
