#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs layers of networks as plain C loops, beside oneDNN, on one thread.

  convolution.py --plugin build/lib/libTilesmith.so [--layers ttile] [--bytes] [--flags=-march=native]
                 [--isa AVX2] [--only 3x3]

Layers are those of ResNet-50, or those of Yolo9000 and ResNet-18 that TTiLE was measured with (Tollenaere's thesis, fig. 6.1).

Sizes, strides and padding are known at run time, the batch is one, f32; with --bytes, images are of
unsigned bytes, weights of signed ones, and sums of int. The loops leave out the
steps beyond the border of the image. oneDNN's weights are arranged before, once with images in the
same storage order as the loops', once in the order that it likes best. Needs libdnnl-dev and clang-22."""

import argparse
import math
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
# C, K, side of the output, side of the window, distance of windows
LAYERS = {"resnet50": [
    (3, 64, 112, 7, 2), (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1),
    (256, 64, 56, 1, 1), (256, 128, 56, 1, 1), (128, 128, 28, 3, 2), (128, 512, 28, 1, 1),
    (256, 512, 28, 1, 2), (512, 128, 28, 1, 1), (128, 128, 28, 3, 1), (512, 256, 28, 1, 1),
    (256, 256, 14, 3, 2), (256, 1024, 14, 1, 1), (512, 1024, 14, 1, 2), (1024, 256, 14, 1, 1),
    (256, 256, 14, 3, 1), (1024, 512, 14, 1, 1), (512, 512, 7, 3, 2), (512, 2048, 7, 1, 1),
    (1024, 2048, 7, 1, 2), (2048, 512, 7, 1, 1), (512, 512, 7, 3, 1),
], "ttile": [
    (3, 32, 544, 3, 1), (32, 64, 272, 3, 1), (64, 128, 136, 3, 1), (128, 64, 136, 1, 1),
    (128, 256, 68, 3, 1), (256, 128, 68, 1, 1), (256, 512, 34, 3, 1), (512, 256, 34, 1, 1),
    (512, 1024, 17, 3, 1), (1024, 512, 17, 1, 1), (1024, 28269, 17, 1, 1),
    (3, 64, 112, 7, 2), (64, 64, 56, 3, 1), (64, 64, 56, 1, 1), (64, 128, 28, 3, 2),
    (64, 128, 28, 1, 2), (128, 128, 28, 3, 1), (128, 256, 14, 3, 2), (128, 256, 28, 3, 1),
    (256, 256, 14, 3, 1), (512, 512, 7, 3, 2), (256, 512, 7, 1, 2), (512, 512, 7, 3, 1),
]}  # fmt: skip


def name(layer):
    c, k, h, r, step = layer
    return f"{c}-{k},{h}x{h},{r}x{r}" + (f"/{step}" if step > 1 else "")


def build(args, work):
    loops, program = work / "loops.o", work / "bench"
    types = ["-DBYTES"] if args.bytes else []
    subprocess.run(
        ["clang-22", "-O3", *args.flags.split(), f"-fpass-plugin={args.plugin}", "-DPREFIX=tilesmith", *types,
         "-c", HERE / "kernels/convolution.c", "-o", loops], check=True)  # fmt: skip
    subprocess.run(
        ["c++", "-std=c++17", "-O2", *types, HERE / "convolution_bench.cpp", loops, "-ldnnl", "-o", program], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--layers", default="resnet50", choices=LAYERS)
    parser.add_argument("--bytes", action="store_true", help="u8 by s8 into s32")
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--isa", help="the most that oneDNN may use, as DNNL_MAX_CPU_ISA says it")
    parser.add_argument("--only", default="", help="layers with this in their names")
    args = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS="1", **({"DNNL_MAX_CPU_ISA": args.isa} if args.isa else {}))
    layers = [layer for layer in LAYERS[args.layers] if args.only in name(layer)]
    with tempfile.TemporaryDirectory() as work:
        program = build(args, pathlib.Path(work))
        text = "".join(f"{name(layer)} {' '.join(map(str, layer))}\n" for layer in layers)
        lines = subprocess.run([program], input=text, text=True, env=environment, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()  # fmt: skip
    print("| layer | order | GFLOP/s | of oneDNN | of oneDNN in its order |\n|---|---|---:|---:|---:|")
    ratios = {}
    for line in lines:
        layer, order, *figures = line.split()
        ours, same, free = map(float, figures)
        ratios.setdefault(order, []).append((ours / same, ours / free))
        print(f"| {layer} | {order} | {ours:.0f} | {ours / same:.2f} | {ours / free:.2f} |")
    for order, pairs in ratios.items():
        means = [math.exp(sum(map(math.log, column)) / len(pairs)) for column in zip(*pairs)]
        print(f"| geometric mean | {order} | | {means[0]:.2f} | {means[1]:.2f} |")


if __name__ == "__main__":
    main()
