#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs products whose sums over k are one expression, as in Nekbone, beside clang alone.

  written_out.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--steps 8,16] [--type float]

Each figure is the speed with the plugin by that of clang alone: the best of 15 short rounds of each, in turn, in
one process. Rows are adjacent, and the inner loop is over them. Results must be equal, bit for bit."""

import argparse
import pathlib
import subprocess
import tempfile

ROWS = [4, 8, 12, 16, 24, 32, 64, 100, 144, 256, 512]
COLUMNS = [2, 4, 6, 8, 12, 16, 24, 32, 64, 128]

NEST = """
void {prefix}_{k}(long m, long n, const T *restrict a, const T *restrict b, T *restrict c) {{
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++)
      c[i + m * j] = {sum};
}}
"""

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef void Product(long, long, const T *, const T *, T *);
static T a[1 << 16], b[1 << 16], c[1 << 16], d[1 << 16];
static double seconds(Product *f, long m, long n, T *to, int times) {
  struct timespec from, until;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int t = 0; t < times; t++)
    f(m, n, a, b, to);
  clock_gettime(CLOCK_MONOTONIC, &until);
  return ((until.tv_sec - from.tv_sec) + 1e-9 * (until.tv_nsec - from.tv_nsec)) / times;
}
static void measure(Product *clang, Product *ours, long m, long n, int k) {
  int times = 1 + 1e5 / ((double)m * n * k);
  double best[2] = {1, 1};
  for (int round = 0; round < 15; round++) {
    double t[2] = {seconds(clang, m, n, c, times), seconds(ours, m, n, d, times)};
    for (int i = 0; i < 2; i++)
      best[i] = t[i] < best[i] ? t[i] : best[i];
  }
  if (memcmp(c, d, m * n * sizeof(T)))
    printf(" differs"), exit(1);
  printf(" %.2f |", best[0] / best[1]);
}
int main(void) {
  for (int i = 0; i < 1 << 16; i++) {
    a[i] = rand() % 17 * 0.3 - 2;
    b[i] = rand() % 13 * 0.7 - 3;
  }
"""


def nests(prefix, steps):
    def text(k):
        products = (f"a[i + {s} * m] * b[{s} + {k} * j]" for s in range(k))
        return NEST.format(prefix=prefix, k=k, sum=" + ".join(products))

    return "".join(map(text, steps))


def program(steps):
    lines = []
    for k in steps:
        lines.append(f"  extern Product clang_{k}, ours_{k};")
        lines.append(f'  puts("\\n{k} steps, by rows and columns:\\n\\n| |" ' + " ".join(f'"{n}|"' for n in COLUMNS)
                     + ' "\\n|---|' + "---:|" * len(COLUMNS) + '");')  # fmt: skip
        for m in ROWS:
            lines.append(f'  printf("| {m} |");')
            lines += [f"  measure(clang_{k}, ours_{k}, {m}, {n}, {k});" for n in COLUMNS]
            lines.append('  puts("");')
    return PROGRAM + "\n".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--steps", default="6,8,12,16,24")
    parser.add_argument("--type", default="double")
    args = parser.parse_args()
    steps = [int(k) for k in args.steps.split(",")]
    compile_ = ["clang-22", "-O3", "-ffp-contract=off", f"-DT={args.type}", *args.flags.split()]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "main.c").write_text(program(steps))
        for prefix, more in ("clang", []), ("ours", [f"-fpass-plugin={args.plugin.resolve()}"]):
            (work / f"{prefix}.c").write_text(nests(prefix, steps))
            subprocess.run([*compile_, *more, "-c", work / f"{prefix}.c", "-o", work / f"{prefix}.o"], check=True)
        objects = [work / f"{prefix}.o" for prefix in ("clang", "ours")]
        subprocess.run([*compile_, work / "main.c", *objects, "-o", work / "bench"], check=True)
        subprocess.run([work / "bench"], check=True)


if __name__ == "__main__":
    main()
