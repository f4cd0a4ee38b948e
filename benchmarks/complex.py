#!/usr/bin/env python3
#===- complex.py - products of complex numbers ------------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Products of complex matrices, with clang's default options: GFLOP/s (8 n^3 operations) of
clang, of the plugin, of OpenBLAS and of BLIS, with the kernels that OPENBLAS_CORETYPE and
BLIS_ARCH_TYPE (a number in BLIS 0.9) name. All run in turn; the best of all runs counts. The last column is the
median, over sizes from 64 on, of Tilesmith divided by the better library.

  benchmarks/complex.py --plugin build/lib/libTilesmith.so --sizes 8,16,64,256
  benchmarks/complex.py --mix     # what the vector units do at most, in registers
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile

PAIRS = """
      T ar = a[2 * (%(a)s)], ai = a[2 * (%(a)s) + 1], br = b[2 * (%(b)s)], bi = b[2 * (%(b)s) + 1];
      T *re = &c[2 * (%(c)s)], *im = re + 1;
      """
ROWS = {"a": "i * n + k", "b": "k * n + j", "c": "i * n + j"}
COLUMNS = {"a": "i + k * n", "b": "k + j * n", "c": "i + j * n"}
IN_EXPRESSION = "*re += ar * br - ai * bi; *im += ar * bi + ai * br;"
OTHER_ORDER = "*re += ar * br - ai * bi; *im += ai * br + ar * bi;"
IN_TURN = "*re += ar * br; *im += ar * bi; *re -= ai * bi; *im += ai * br;"

# Name, element type, loops from the outermost one, body.
FORMS = [
    ("_Complex", "Z", "ijk", "c[i * n + j] += a[i * n + k] * b[k * n + j];"),
    ("_Complex, i k j", "Z", "ikj", "c[i * n + j] += a[i * n + k] * b[k * n + j];"),
    ("_Complex, columns", "Z", "jki", "c[i + j * n] += a[i + k * n] * b[k + j * n];"),
    ("_Complex, a * conj(b)'", "Z", "ijk", "c[i * n + j] += a[i * n + k] * ~b[j * n + k];"),
    ("_Complex, alpha, beta", "Z", "ij", """Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = alpha * s + beta * c[i * n + j];"""),
    ("_Complex, alpha * b, columns", "Z", "jk", """Z t = alpha * b[k + j * n];
      for (int i = 0; i < n; i++)
        c[i + j * n] += t * a[i + k * n];"""),
    ("pairs, one expression", "T", "ijk", PAIRS % ROWS + IN_EXPRESSION),
    ("pairs, other order", "T", "ijk", PAIRS % ROWS + OTHER_ORDER),
    ("pairs, columns", "T", "ijk", PAIRS % COLUMNS + IN_EXPRESSION),
    ("pairs, one after the other", "T", "ijk", PAIRS % ROWS + IN_TURN),
    ("_Complex, lower half", "Z", "iJk", "c[i * n + j] += a[i * n + k] * ~a[j * n + k];"),
    ("_Complex, lower half, alpha, beta", "Z", "iJ", """Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * ~a[j * n + k];
      c[i * n + j] = alpha * s + beta * c[i * n + j];"""),
    ("_Complex, half of a factor", "Z", "ijK", "c[i * n + j] += a[i * n + k] * b[k * n + j];"),
    ("_Complex, half of a factor, columns", "Z", "ijK", "c[i + j * n] += ~a[i + k * n] * b[k + j * n];"),
]
PRODUCT = """
typedef T _Complex Z;
void product(int n, Z alpha, Z beta, const %(type)s *restrict a, const %(type)s *restrict b, %(type)s *restrict c) {
  %(loops)s{
      %(body)s
  }
}
"""
LIBRARY = """
typedef T _Complex Z;
void GEMM(const char *, const char *, int *, int *, int *, Z *, const Z *, int *, const Z *, int *, Z *, Z *, int *);
void product(int n, Z alpha, Z beta, const Z *a, const Z *b, Z *c) {
  Z one = 1;
  GEMM("N", "N", &n, &n, &n, &one, b, &n, a, &n, &one, c, &n);
}
"""
DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef T _Complex Z;
void product(int, Z, Z, const void *, const void *, void *);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char **argv) {
  Z alpha = 0.5, beta = 0.25;
  for (int s = 1; s < argc; s++) {
    int n = atoi(argv[s]), count = 2 * n * n;
    size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
    T *a = aligned_alloc(64, bytes), *b = aligned_alloc(64, bytes), *c = aligned_alloc(64, bytes);
    for (int i = 0; i < count; i++)
      a[i] = i * 37 % 101 * 0.01 - 0.5, b[i] = i * 53 % 97 * 0.01 - 0.4, c[i] = 0;
    long runs = 1 + 4e7 / (8.0 * n * n * n);
    runs = runs < 50000 ? runs : 50000;
    double best = 1e9;
    for (int r = 0; r < 3; r++) {
      double start = now();
      for (long i = 0; i < runs; i++)
        product(n, alpha, beta, a, b, c);
      double took = (now() - start) / runs;
      best = took < best ? took : best;
    }
    printf("%f ", 8e-9 * n * n * n / best);
    free(a), free(b), free(c);
  }
}
"""
# Twelve chains, in registers, of what a vector of one part takes in a step: two products.
MIX = """
#include <stdio.h>
#include <time.h>
typedef T V __attribute__((vector_size(BITS / 8)));
int main(void) {
  V s[12] = {0}, x = (V){0} + (T)1e-3, y = x;
  double best = 1e9;
  for (int r = 0; r < 20; r++) {
    struct timespec t0, t1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    for (int i = 0; i < 1000000; i++) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 12; j++) {
        STEP;
        __asm__ volatile("" : "+v"(s[j]));
      }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    double took = t1.tv_sec - t0.tv_sec + 1e-9 * (t1.tv_nsec - t0.tv_nsec);
    best = took < best ? took : best;
  }
  T sum = 0;
  for (int j = 0; j < 12; j++)
    sum += s[j][0];
  printf("%.1f %g", 12e6 * 4 * (BITS / 8 / sizeof(T)) / best * 1e-9, (double)sum);
}
"""
NEW = '__asm__ volatile("" : "+v"(%s));'
MIXES = [
    ("2 fused", f"{NEW % 'x'} s[j] = __builtin_elementwise_fma(x, y, s[j]); {NEW % 's[j]'} {NEW % 'x'}"
     "s[j] = __builtin_elementwise_fma(x, y, s[j])"),
    ("1 rounded, 1 fused, 1 addition", f"{NEW % 'x'} V t = x * y; {NEW % 't'} {NEW % 'x'}"
     f"t = __builtin_elementwise_fma(x, y, t); {NEW % 't'} s[j] = s[j] + t"),
    ("2 rounded, 2 additions", f"{NEW % 'x'} V t = x * y; {NEW % 't'} {NEW % 'x'} V u = x * y; {NEW % 'u'}"
     f"t = t + u; {NEW % 't'} s[j] = s[j] + t"),
]


def loops(order):
    return "\n  ".join(f"for (int {v.lower()} = 0; {v.lower()} {'<= i' if v.isupper() else '< n'}; {v.lower()}++)"
                       for v in order)


def compile_to(clang, flags, source, path):
    with open(f"{path}.c", "w", encoding="utf-8") as f:
        f.write(source)
    subprocess.run([clang, *flags, f"{path}.c", "-o", path], check=True)


def build(clang, flags, product, path, libraries=()):
    compile_to(clang, [*flags, "-w", "-c"], product, f"{path}.o")
    compile_to(clang, ["-O2", *[f for f in flags if f.startswith("-DT=")], "-w", "-c"], DRIVER, f"{path}.driver")
    subprocess.run([clang, f"{path}.o", f"{path}.driver", "-o", path, "-lm", *libraries], check=True)


def show_mix(clang, bits, work):
    for t in ("float", "double"):
        for name, step in MIXES:
            path = f"{work}/mix"
            compile_to(clang, ["-O2", "-march=native", "-ffp-contract=off", f"-DBITS={bits}", f"-DT={t}"],
                       MIX.replace("STEP", step), path)
            rate = subprocess.run([path], check=True, capture_output=True, text=True).stdout.split()[0]
            print(f"{t}: {name} for each part and vector: {rate} GFLOP/s")


def table(names, sizes, results, kind):
    print(f"\n| {kind} | " + " | ".join(sizes) + " | |")
    print("|---|" + "---:|" * (len(sizes) + 1))
    best = {s: max(max(results[lib, s]) for lib in ("OpenBLAS", "BLIS")) for s in sizes}
    for name in names:
        ratios = [max(results[name, s]) / best[s] for s in sizes if int(s) >= 64]
        last = f"{statistics.median(ratios):.2f}" if ratios and "Tilesmith" in name else ""
        print(f"| {name} | " + " | ".join(f"{max(results[name, s]):.1f}" for s in sizes) + f" | {last} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--plugin")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--blis", default="-l:libblis.so.4", help="how BLIS is linked")
    parser.add_argument("--sizes", default="8,16,32,64,128,256,500")
    parser.add_argument("--runs", type=int, default=5, help="of each, in turn")
    parser.add_argument("--forms", default="", help="a regular expression")
    parser.add_argument("--mix", action="store_true")
    parser.add_argument("--bits", type=int, default=512, help="of the vectors of --mix")
    args = parser.parse_args()
    sizes = args.sizes.split(",")
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as work:
        if args.mix:
            return show_mix(args.clang, args.bits, work)
        for t, routine in (("float", "cgemm_"), ("double", "zgemm_")):
            programs = []
            base = ["-O3", "-march=native", f"-DT={t}"]
            for form, element, order, body in [f for f in FORMS if re.search(args.forms, f[0])]:
                product = PRODUCT % {"type": element, "loops": loops(order), "body": body}
                for who, more in (("clang", []), ("Tilesmith", [f"-fpass-plugin={args.plugin}"])):
                    programs.append((f"{form}: {who}", f"{work}/{t}{len(programs)}"))
                    build(args.clang, base + more, product, programs[-1][1])
            for library, link in (("OpenBLAS", "-lopenblas"), ("BLIS", args.blis)):
                programs.append((library, f"{work}/{t}{len(programs)}"))
                build(args.clang, base + [f"-DGEMM={routine}"], LIBRARY, programs[-1][1], [link])
            results = {}
            for _ in range(args.runs):
                for name, path in programs:
                    out = subprocess.run([path, *sizes], check=True, capture_output=True, text=True, env=env).stdout
                    for size, rate in zip(sizes, out.split()):
                        half = 0.5 if "half" in name else 1
                        results.setdefault((name, size), []).append(half * float(rate))
            table([name for name, _ in programs], sizes, results, t)


if __name__ == "__main__":
    main()
