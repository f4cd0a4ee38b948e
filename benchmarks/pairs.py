#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs sums of other functions than products, and epilogues (kernels/pairs.c), beside clang alone.

  pairs.py --plugin build/lib/libTilesmith.so [--flags=-march=native] [--sizes 8,16,32,64,128,500]

For each nest: how many times as fast as clang's code it is, for each size, and its steps per nanosecond at the last
one, also as a share of the product's of the same type. Each is the best of some short rounds of CPU time, in turn, in
one process. Results must be equal, bit for bit.

  pairs.py --mix     what the vector units do at most: the instructions of a step, in registers, in many chains"""

import argparse
import pathlib
import subprocess
import tempfile

from both import compile_both

KERNELS = pathlib.Path(__file__).parent / "kernels"

PROGRAM = r"""
#include "pairs.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef void Nest(long, const void *, const void *, const void *, void *);
#define DECLARE(name, ...) Nest clang_##name, ours_##name;
PAIRS(DECLARE)
static double seconds(Nest *f, long n, void **at, void *to, long times) {
  struct timespec from, until;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  for (long t = 0; t < times; t++)
    f(n, at[0], at[1], at[2], to);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &until);
  return ((until.tv_sec - from.tv_sec) + 1e-9 * (until.tv_nsec - from.tv_nsec)) / times;
}
static double product = 0;
static void measure(const char *name, Nest *clang, Nest *ours, int isProduct, int size, int isReal) {
  printf("| %s |", name);
  double speed = 0;
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++) {
    long n = Sizes[s], bytes = n * n * size, times = 1 + 1e6 / ((double)n * n * n);
    void *at[3], *to[2];
    for (int i = 0; i < 3; i++) {
      at[i] = malloc(n * n * sizeof(int64_t)); // The sum may be narrower than what is filled in.
      for (long j = 0; j < n * n; j++) {
        int v = rand() % 2001 - 1000;
        if (isReal && size == 8) ((double *)at[i])[j] = v / 997.0;
        else if (isReal) ((float *)at[i])[j] = v / 997.0f;
        else if (size == 8) ((int64_t *)at[i])[j] = v + 1000;
        else ((int32_t *)at[i])[j] = v;
      }
    }
    to[0] = calloc(bytes, 1), to[1] = calloc(bytes, 1);
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < (n < 200 ? 9 : 3); round++) {
      double t[2] = {seconds(clang, n, at, to[0], times), seconds(ours, n, at, to[1], times)};
      for (int i = 0; i < 2; i++)
        best[i] = fmin(best[i], t[i]);
    }
    if (memcmp(to[0], to[1], bytes))
      puts(" differs"), exit(1);
    printf(" %.2f |", best[0] / best[1]);
    speed = 1e-9 * n * n * n / best[1];
    for (int i = 0; i < 3; i++) free(at[i]);
    free(to[0]), free(to[1]);
  }
  if (isProduct) product = speed;
  printf(" %.1f |", speed);
  if (isReal) printf(" %.2f |", speed / product);
  puts(isReal ? "" : " |");
  fflush(stdout);
}
#define IS_REAL(T) _Generic((T)0, double: 1, float: 1, default: 0)
#define MEASURE(name, C, S, ...) \
  measure(#name, clang_##name, ours_##name, !strncmp(#name, "product", 7), sizeof(S), IS_REAL(S));
int main(void) {
  PAIRS(MEASURE)
}
"""


# A step of twelve chains s[j], of a vector of A and one of B; each value is kept from being seen through.
MIX = r"""
#include <stdio.h>
#include <time.h>
#ifdef __AVX512F__
enum { Bytes = 64 };
#else
enum { Bytes = 32 };
#endif
typedef T V __attribute__((ext_vector_type(Bytes / sizeof(T))));
#define NEW(v) __asm__ volatile("" : "+v"(v))
int main(void) {
  V s[12] = {0}, p = (V){0} + (T)1e-3, q = p;
  double best = 1e9;
  for (int r = 0; r < 40; r++) {
    struct timespec from, until;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < 300000; i++) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 12; j++) {
        NEW(p);
        STEP;
        NEW(s[j]);
      }
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &until);
    double took = until.tv_sec - from.tv_sec + 1e-9 * (until.tv_nsec - from.tv_nsec);
    best = took < best ? took : best;
  }
  T sum = 0;
  for (int j = 0; j < 12; j++)
    sum += s[j][0];
  printf("%.1f %g\n", 12 * 300000 * (1.0 * Bytes / sizeof(T)) / best * 1e-9, (double)sum);
}
"""
MIXES = {
    "product": "s[j] = __builtin_elementwise_fma(p, q, s[j])",
    "squared distance": "V d = p - q; s[j] = __builtin_elementwise_fma(d, d, s[j])",
    "absolute distance": "V d = p - q; s[j] = s[j] + (d < 0 ? -d : d)",
    "greatest distance": "V d = p - q; d = d < 0 ? -d : d; s[j] = d > s[j] ? d : s[j]",
    "min-plus": "V d = p + q; s[j] = d < s[j] ? d : s[j]",
    "max-times": "V d = p * q; s[j] = d > s[j] ? d : s[j]",
}


def show_mix(work):
    """Steps per nanosecond, of the widest registers of an x86."""
    for name, step in MIXES.items():
        rates = []
        for type_ in ("double", "float"):
            (work / "mix.c").write_text(MIX.replace("STEP", step))
            subprocess.run(["clang-22", "-O2", "-march=native", f"-DT={type_}", work / "mix.c", "-o", work / "mix"],
                           check=True)
            out = subprocess.run([work / "mix"], check=True, capture_output=True, text=True).stdout
            rates.append(f"{type_} {out.split()[0]}")
        print(f"{name}: {', '.join(rates)} steps/ns")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--sizes", default="8,16,32,64,128,500")
    parser.add_argument("--mix", action="store_true")
    args = parser.parse_args()
    if args.mix:
        with tempfile.TemporaryDirectory() as folder:
            return show_mix(pathlib.Path(folder))
    compile_ = ["clang-22", "-O3", "-fno-math-errno", "-I", KERNELS, *args.flags.split()]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "main.c").write_text(f"static const long Sizes[] = {{{args.sizes}}};\n{PROGRAM}")
        objects = compile_both(compile_, [f"-fpass-plugin={args.plugin.resolve()}"], KERNELS / "pairs.c", work)
        subprocess.run([*compile_, "-w", work / "main.c", *objects, "-lm", "-o", work / "bench"], check=True)
        sizes = args.sizes.split(",")
        print("| nest | " + " | ".join(sizes) + " | steps/ns | of the product |")
        print("|---|" + "---:|" * (len(sizes) + 2), flush=True)
        subprocess.run([work / "bench"], check=True)


if __name__ == "__main__":
    main()
