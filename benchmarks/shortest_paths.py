#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs shortest paths within one matrix (Floyd and Warshall), beside clang alone.

  shortest_paths.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--sizes 8,24,64,128,500,1000,2800] [--exist=100]

For each spelling and type: how many times as fast as clang's code it is, for each size, and its steps per nanosecond at
the last one. Each is the best of some short rounds of CPU time, in turn, in one process. Results must be equal, bit for
bit."""

import argparse
import pathlib
import subprocess
import tempfile

from both import compile_both

SPELLINGS = {
    "if": "if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];",
    "choice": "d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];",
    "last": "if (d[i][k] + d[k][j] < d[i][j]) { d[i][j] = d[i][k] + d[k][j]; p[i][j] = p[k][j]; }",
    "next": "if (d[i][k] + d[k][j] < d[i][j]) { d[i][j] = d[i][k] + d[k][j]; p[i][j] = p[i][k]; }",
    "between": "if (d[i][k] + d[k][j] < d[i][j]) { d[i][j] = d[i][k] + d[k][j]; p[i][j] = k; }",
    "exist": "if (d[i][k] != 1000 && d[k][j] != 1000 && d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];",
}
LINE = """if (d[i][k] != 1000) {
      T first = d[i][k];
      EACH(j) if (first + d[k][j] < d[i][j]) d[i][j] = first + d[k][j];
    }"""
TYPES = ["int", "float", "double"]

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double seconds(void (*f)(long, T *, int *), long n, T *d, int *p, const T *from, long times) {
  memcpy(d, from, n * n * sizeof(T));
  for (long i = 0; i < n * n; i++)
    p[i] = i % n;
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (long t = 0; t < times; t++)
    f(n, d, p);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return ((end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec)) / times;
}
void clang_paths(long n, T *d, int *p), ours_paths(long n, T *d, int *p);
int main(void) {
  static const long Sizes[] = {SIZES};
  double speed = 0;
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++) {
    long n = Sizes[s], times = 1 + 1e6 / ((double)n * n * n), rounds = n < 200 ? 9 : n < 1500 ? 3 : 1;
    T *from = malloc(n * n * sizeof(T)), *x = malloc(n * n * sizeof(T)), *y = malloc(n * n * sizeof(T));
    int *p = malloc(n * n * sizeof(int)), *q = malloc(n * n * sizeof(int));
    for (long i = 0; i < n * n; i++)
      from[i] = rand() % 10000 < 100 * EXIST ? rand() % 1000 + 1 : 1000;
    double clang = 1e9, ours = 1e9;
    for (long round = 0; round < rounds; round++) {
      double a = seconds(clang_paths, n, x, p, from, times), b = seconds(ours_paths, n, y, q, from, times);
      clang = a < clang ? a : clang, ours = b < ours ? b : ours;
    }
    if (memcmp(x, y, n * n * sizeof(T)) || memcmp(p, q, n * n * sizeof(int)))
      puts(" differs"), exit(1);
    printf(" %.2f |", clang / ours);
    fflush(stdout);
    speed = 1e-9 * n * n * n / ours;
    free(from), free(x), free(y), free(p), free(q);
  }
  printf(" %.1f |\n", speed);
}
"""

NEST = """
#define NAME_(PREFIX) PREFIX##_paths
#define NAME(PREFIX) NAME_(PREFIX)
#define EACH(i) for (long i = 0; i < n; i++)
void NAME(PREFIX)(long n, T *D, int *P) {{
  T (*d)[n] = (T(*)[n])D;
  int (*p)[n] = (int(*)[n])P;
  EACH(k) EACH(i)
    {row}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--sizes", default="8,24,64,128,500,1000,2800")
    parser.add_argument("--nests", default="", help="the names of some, with commas between")
    parser.add_argument("--exist", default=100.0, type=float, help="percent of the paths that exist at first")
    args = parser.parse_args()
    sizes = args.sizes.split(",")
    print("| nest | " + " | ".join(sizes) + " | steps/ns |")
    print("|---|" + "---:|" * (len(sizes) + 1), flush=True)
    for type_ in TYPES:
        rows = {name: f"EACH(j) {step}" for name, step in SPELLINGS.items()} | {"line": LINE}
        for name, row in rows.items():
            if args.nests and name not in args.nests.split(","):
                continue
            compile_ = ["clang-22", "-O3", f"-DT={type_}", *args.flags.split()]
            with tempfile.TemporaryDirectory() as folder:
                work = pathlib.Path(folder)
                (work / "main.c").write_text(PROGRAM)
                (work / "nest.c").write_text(NEST.format(row=row))
                plugin = [f"-fpass-plugin={args.plugin.resolve()}"]
                objects = compile_both(compile_, plugin, work / "nest.c", work)
                subprocess.run([*compile_, f"-DSIZES={args.sizes}", f"-DEXIST={args.exist}", work / "main.c", *objects,
                                "-o", work / "bench"], check=True)  # fmt: skip
                print(f"| {type_}, `{name}` |", end="", flush=True)
                subprocess.run([work / "bench"], check=True)


if __name__ == "__main__":
    main()
