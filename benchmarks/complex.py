#!/usr/bin/env python3
#===- complex.py - products of complex numbers ------------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Products of complex matrices, with clang's default options: GFLOP/s (8 n^3 operations) of
clang, of the plugin, and of OpenBLAS with the kernels that OPENBLAS_CORETYPE names.

  benchmarks/complex.py --plugin build/lib/libTilesmith.so --sizes 8,16,64,256
"""

import argparse
import os
import statistics
import subprocess
import tempfile

PRODUCT = """
void product(int n, const T _Complex *a, const T _Complex *b, T _Complex *restrict c) {
  for (int i = 0; i < n; i++)
    for (int %(outer)s = 0; %(outer)s < n; %(outer)s++)
      for (int %(inner)s = 0; %(inner)s < n; %(inner)s++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
"""
LIBRARY = """
void GEMM(const char *, const char *, int *, int *, int *, T _Complex *, const T _Complex *, int *,
          const T _Complex *, int *, T _Complex *, T _Complex *, int *);
void product(int n, const T _Complex *a, const T _Complex *b, T _Complex *restrict c) {
  T _Complex one = 1;
  GEMM("N", "N", &n, &n, &n, &one, b, &n, a, &n, &one, c, &n);
}
"""
DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void product(int, const T _Complex *, const T _Complex *, T _Complex *);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), count = 2 * n * n;
  T *a = malloc(count * sizeof(T)), *b = malloc(count * sizeof(T)), *c = calloc(count, sizeof(T));
  for (int i = 0; i < count; i++)
    a[i] = i * 37 % 101 * 0.01 - 0.5, b[i] = i * 53 % 97 * 0.01 - 0.4;
  long runs = 1 + 1e8 / (8.0 * n * n * n);
  runs = runs < 100000 ? runs : 100000;
  double best = 1e9;
  for (int r = 0; r < 4; r++) {
    double start = now();
    for (long i = 0; i < runs; i++)
      product(n, (void *)a, (void *)b, (void *)c);
    double took = (now() - start) / runs;
    best = took < best ? took : best;
  }
  printf("%f", 8e-9 * n * n * n / best);
}
"""


def build(clang, flags, product, path):
    source = f"{path}.c"
    for name, text in (("product", product), ("driver", DRIVER)):
        with open(source, "w") as f:
            f.write(text)
        subprocess.run([clang, *(flags if name == "product" else flags[:2] + flags[-1:]), "-c", source,
                        "-o", f"{path}.{name}.o"], check=True)
    libraries = ["-lopenblas"] if "GEMM(" in product else []
    subprocess.run([clang, f"{path}.product.o", f"{path}.driver.o", "-o", path, *libraries], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--sizes", default="8,16,32,64,128,256,500")
    parser.add_argument("--runs", type=int, default=3, help="of each, in turn; the median counts")
    args = parser.parse_args()
    sizes = args.sizes.split(",")
    with tempfile.TemporaryDirectory() as work:
        programs = []
        for t, routine in (("float", "cgemm_"), ("double", "zgemm_")):
            base = ["-O3", "-march=native", f"-DT={t}"]
            for outer, inner in (("j", "k"), ("k", "j")):
                product = PRODUCT % {"outer": outer, "inner": inner}
                for who, more in (("clang", []), ("Tilesmith", [f"-fpass-plugin={args.plugin}"])):
                    name = f"{t} i{outer}{inner} {who}"
                    programs.append((name, f"{work}/{len(programs)}"))
                    build(args.clang, base[:2] + more + base[2:], product, programs[-1][1])
            programs.append((f"{t} OpenBLAS", f"{work}/{len(programs)}"))
            build(args.clang, base[:2] + [f"-DGEMM={routine}"] + base[2:], LIBRARY, programs[-1][1])
        results = {}
        env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        for size in sizes:
            for _ in range(args.runs):
                for name, path in programs:
                    out = subprocess.run([path, size], check=True, capture_output=True, text=True, env=env).stdout
                    results.setdefault((name, size), []).append(float(out))
    print("| GFLOP/s | " + " | ".join(sizes) + " |")
    print("|---|" + "---:|" * len(sizes))
    for name, _ in programs:
        print(f"| {name} | " + " | ".join(f"{statistics.median(results[name, s]):.1f}" for s in sizes) + " |")


if __name__ == "__main__":
    main()
