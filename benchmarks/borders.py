#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs padded convolutions of values that make sums at borders be made again, beside clang alone.

  borders.py --plugin build/lib/libTilesmith.so [--flags=-march=native]

The loops are those of convolution.py. Values are arbitrary; or the image is zero, of one sign or the other; or one
weight of each kernel is infinite, or each weight; or one element of the image is NaN, or each. Times are the best of
some short rounds of CPU time, in turn, in one process. Results must be equal, but for the sign of NaN."""

import argparse
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
# C, K, side of the output, side of the window, distance of windows
LAYERS = [(3, 32, 64, 3, 1), (64, 64, 14, 3, 1), (128, 128, 7, 3, 1), (64, 64, 14, 3, 2), (16, 16, 8, 5, 1), (4, 4, 4, 3, 1),
          (1, 16, 28, 5, 1)]  # fmt: skip
VALUES = ["arbitrary", "image 0", "image -0", "a weight inf", "weights inf", "an element nan", "image nan"]

PROGRAM = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef void Nest(float *, const float *, const float *, int, int, int, int, int, int, int);
Nest clang_nchw, clang_nhwc, ours_nchw, ours_nhwc;
enum { Arbitrary, Zero, NegativeZero, OneInf, AllInf, OneNaN, AllNaN, Kinds };
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void) {
  int C, K, H, R, step;
  while (scanf("%d%d%d%d%d", &C, &K, &H, &R, &step) == 5)
    for (int last = 0; last < 2; last++)
      for (int kind = 0; kind < Kinds; kind++) {
        int side = H * step;
        long nIn = (long)C * side * side, nW = (long)C * K * R * R, nOut = (long)K * H * H;
        float *in = malloc(nIn * 4), *w = malloc(nW * 4), *out[2] = {calloc(nOut, 4), calloc(nOut, 4)};
        for (long i = 0; i < nIn; i++)
          in[i] = kind == Zero ? 0 : kind == NegativeZero ? -0.0f : kind == AllNaN ? NAN : (rand() % 101 - 50) * .07f;
        for (long i = 0; i < nW; i++)
          w[i] = kind == AllInf ? INFINITY : (rand() % 101 - 50) * .03f;
        if (kind == OneNaN)
          in[rand() % nIn] = NAN;
        if (kind == OneInf)
          for (long k = 0; k < K; k++)
            w[last ? k : k * C * R * R] = INFINITY;
        Nest *f[2] = {last ? clang_nhwc : clang_nchw, last ? ours_nhwc : ours_nchw};
        double best[2] = {1e9, 1e9};
        int times = 1 + (int)(2e7 / ((double)nW * H * H));
        for (int round = 0; round < 7; round++)
          for (int v = 0; v < 2; v++) {
            double begin = now();
            for (int t = 0; t < times; t++)
              f[v](out[v], in, w, C, K, H, R, step, side, (R - 1) / 2);
            double taken = (now() - begin) / times;
            best[v] = taken < best[v] ? taken : best[v];
          }
        for (long i = 0; i < nOut; i++)
          if (memcmp(out[0] + i, out[1] + i, 4) && !(isnan(out[0][i]) && isnan(out[1][i])))
            return fprintf(stderr, "other results\n"), 1;
        printf("%.2f ", best[0] / best[1]);
        free(in), free(w), free(out[0]), free(out[1]);
        if (kind == Kinds - 1)
          puts(""), fflush(stdout);
      }
}
"""


def build(args, work):
    main, objects = work / "main.c", []
    main.write_text(PROGRAM)
    for prefix, plugin in ("clang", []), ("ours", [f"-fpass-plugin={args.plugin}"]):
        objects.append(work / f"{prefix}.o")
        subprocess.run(["clang-22", "-O3", *args.flags.split(), *plugin, f"-DPREFIX={prefix}", "-c",
                        HERE / "kernels/convolution.c", "-o", objects[-1]], check=True)  # fmt: skip
    subprocess.run(["clang-22", "-O1", main, *objects, "-lm", "-o", work / "borders"], check=True)
    return work / "borders"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        program = build(args, pathlib.Path(work))
        text = "".join(" ".join(map(str, layer)) + "\n" for layer in LAYERS)
        lines = subprocess.run([program], input=text, text=True, check=True, stdout=subprocess.PIPE).stdout.splitlines()
    print("| times as fast as clang | order |", " | ".join(VALUES), "|\n|---|---|" + "---:|" * len(VALUES))
    for i, line in enumerate(lines):
        c, k, h, r, step = LAYERS[i // 2]
        name = f"{c}-{k},{h}x{h},{r}x{r}" + (f"/{step}" if step > 1 else "")
        print(f"| {name} | {('nchw', 'nhwc')[i % 2]} |", " | ".join(line.split()), "|")


if __name__ == "__main__":
    main()
