#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs products that are scattered, or gathered with a remainder, as in gradients of convolutions, beside clang alone.

  scatter.py --plugin build/lib/libTilesmith.so [--flags=-march=native]

Sizes are known at run time, where no number stands in the nest. GFLOP/s, each of the best of some short rounds of CPU
time, in turn, in one process. Results must be equal, bit for bit."""

import argparse
import pathlib
import re
import subprocess
import tempfile

from both import compile_both

FIRST = "dx[(c * (Y + R - 1) + y + r) * (X + S - 1) + x + s] += "
LAST = "dx[((y + r) * (X + S - 1) + x + s) * C + c] += "
APART_FIRST = "dx[(c * (2 * Y + R - 2) + 2 * y + r) * (2 * X + S - 2) + 2 * x + s] += "
APART_LAST = "dx[((2 * y + r) * (2 * X + S - 2) + 2 * x + s) * C + c] += "
WEIGHT = "w[((k * C + c) * R + r) * S + s]"
GATHERED = """for (long y = 0; y < 2 * Y + R - 2; y++)
  for (long x = 0; x < 2 * X + S - 2; x++) {
    float sum = 0;
    ORDER {
      long p = y - r, q = x - s;
      if (p % 2 == 0 && q % 2 == 0 && p >= 0 && q >= 0 && p / 2 < Y && q / 2 < X)
        sum += FACTORS;
    }
    ELEMENT = sum;
  }"""
GATHERED_FIRST = (
    GATHERED.replace("ORDER", "for (long k = 0; k < K; k++) for (long r = 0; r < R; r++) for (long s = 0; s < S; s++)")
    .replace("FACTORS", "dy[(k * Y + p / 2) * X + q / 2] * " + WEIGHT)
    .replace("ELEMENT", APART_FIRST.removesuffix(" += ").replace("2 * y + r", "y").replace("2 * x + s", "x"))
)
GATHERED_LAST = (
    GATHERED.replace("float", "for (long c = 0; c < C; c++) { float")
    .replace("ORDER", "for (long r = 0; r < R; r++) for (long s = 0; s < S; s++) for (long k = 0; k < K; k++)")
    .replace("FACTORS", "dy[(p / 2 * X + q / 2) * K + k] * w[((k * R + r) * S + s) * C + c]")
    .replace("ELEMENT = sum;", "dx[(y * (2 * X + S - 2) + x) * C + c] = sum; }")
)
NESTS = {
    "places outside": ("kcyxrs", FIRST + WEIGHT + " * dy[(k * Y + y) * X + x];"),
    "taps outside": ("kcrsyx", FIRST + WEIGHT + " * dy[(k * Y + y) * X + x];"),
    "channels last": ("yxkrsc", LAST + "w[((k * R + r) * S + s) * C + c] * dy[(y * X + x) * K + k];"),
    "two apart, places outside": ("kcyxrs", APART_FIRST + WEIGHT + " * dy[(k * Y + y) * X + x];"),
    "two apart, channels last": ("yxkrsc", APART_LAST + "w[((k * R + r) * S + s) * C + c] * dy[(y * X + x) * K + k];"),
    "two apart, gathered": ("c", GATHERED_FIRST),
    "two apart, gathered, channels last": ("", GATHERED_LAST),
    "depthwise": ("cyxrs", FIRST + "w[(c * R + r) * S + s] * dy[(c * Y + y) * X + x];"),
    "polynomials": ("xs", "dx[x + s] += dy[x] * w[s];"),
}
# The nest; K, C, Y, X, R, S; what is constant.
CASES = [
    *((nest, (k, c, side, side, 3, 3), constant)
      for nest in ("places outside", "taps outside", "channels last")
      for k, c, side in ((64, 32, 28), (256, 128, 14), (64, 64, 7), (4, 4, 4))
      for constant in (("", "RS") if nest == "places outside" else ("",))),
    *((nest, (k, c, side, side, r, r), constant)
      for nest in ("two apart, places outside", "two apart, channels last")
      for k, c, side, r in ((64, 32, 28, 3), (64, 32, 28, 4), (256, 128, 14, 3), (64, 64, 7, 3))
      for constant in (("", "RS") if nest == "two apart, places outside" and side == 28 else ("",))),
    *((nest, (k, c, side, side, r, r), constant)
      for nest in ("two apart, gathered", "two apart, gathered, channels last")
      for k, c, side, r in ((64, 32, 28, 3), (64, 32, 28, 4), (256, 128, 14, 3), (64, 64, 7, 3), (16, 16, 5, 3), (4, 4, 4, 3))
      for constant in (("", "RS") if nest == "two apart, gathered" and side == 28 else ("",))),
    *(("depthwise", (1, c, side, side, r, r), "") for c, side, r in ((32, 112, 3), (128, 28, 3), (32, 28, 5), (8, 4, 3))),
    *(("polynomials", (1, 1, 1, x, 1, s), "") for x, s in ((100000, 32), (1000, 100), (1000, 1000), (20, 8))),
]  # fmt: skip

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef void Nest(long, long, long, long, long, long, float *, const float *, const float *);
Nest clang_scatter, ours_scatter;
static double seconds(Nest *f, long times, float *dx, const float *dy, const float *w) {
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (long t = 0; t < times; t++)
    f(SIZES, dx, dy, w);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return ((end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec)) / times;
}
static float *numbers(long n) {
  float *p = malloc(n * sizeof(float));
  for (long i = 0; i < n; i++)
    p[i] = rand() % 100 * .01f;
  return p;
}
int main(void) {
  const long d[] = {SIZES}, K = d[0], C = d[1], Y = d[2], X = d[3], R = d[4], S = d[5];
  long n = C * (2 * Y + R) * (2 * X + S);
  float *dy = numbers((K > C ? K : C) * Y * X), *w = numbers(K * C * R * S);
  float *dx = calloc(n, sizeof(float)), *other = calloc(n, sizeof(float));
  double work = 2. * K * C * Y * X * R * S, clang = 1e9, ours = 1e9;
  for (int round = 0; round < 9; round++) {
    double a = seconds(clang_scatter, 1 + 2e6 / work, dx, dy, w), b = seconds(ours_scatter, 1 + 2e6 / work, other, dy, w);
    clang = a < clang ? a : clang, ours = b < ours ? b : ours;
    if (memcmp(dx, other, n * sizeof(float)))
      puts(" differs"), exit(1);
  }
  printf(" %.1f | %.1f | %.2f |\n", 1e-9 * work / clang, 1e-9 * work / ours, clang / ours);
}
"""


def source(nest, sizes, constant):
    loops, step = NESTS[nest]
    value = dict(zip("KCYXRS", sizes))
    head = "".join(f"for (long {v} = 0; {v} < {v.upper()}; {v}++) " for v in loops)
    for v in constant:
        head, step = (re.sub(rf"\b{v}\b", str(value[v]), text) for text in (head, step))
    return f"""#define NAME_(PREFIX) PREFIX##_scatter
#define NAME(PREFIX) NAME_(PREFIX)
void NAME(PREFIX)(long K, long C, long Y, long X, long R, long S, float *restrict dx, const float *restrict dy,
                  const float *restrict w) {{
  {head}{step}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    args = parser.parse_args()
    print("| scatter | channels, places, taps | clang | with Tilesmith | times |\n|---|---|---:|---:|---:|", flush=True)
    for nest, sizes, constant in CASES:
        if args.only not in nest:
            continue
        compile_ = ["clang-22", "-O3", *args.flags.split()]
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            (work / "main.c").write_text(PROGRAM)
            (work / "nest.c").write_text(source(nest, sizes, constant))
            plugin = [f"-fpass-plugin={args.plugin.resolve()}"]
            objects = compile_both(compile_, plugin, work / "nest.c", work)
            subprocess.run([*compile_, f"-DSIZES={','.join(map(str, sizes))}", work / "main.c", *objects,
                            "-o", work / "bench"], check=True)  # fmt: skip
            k, c, y, x, r, s = sizes
            taps = f"{r} x {s}" + (", constant" if constant else "")
            print(f"| {nest} | {k}-{c}, {y} x {x}, {taps} |", end="", flush=True)
            subprocess.run([work / "bench"], check=True)


if __name__ == "__main__":
    main()
