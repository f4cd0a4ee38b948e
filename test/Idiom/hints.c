//===- hints.c - hints that let clang change the order of a sum -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// On a loop over k that sums floating-point numbers, these hints let clang's
// vectoriser keep several sums, and add them at the end. They permit any order,
// so they permit the one of the loop: the kernel gives the bits of the loops
// without the hints.
//
// RUN: %clang -O2 -ffp-contract=off %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fopenmp-simd -DHINTS -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -ffp-contract=fast -march=native %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -ffp-contract=fast -march=native -fopenmp-simd -DHINTS -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
#include <stdio.h>

#ifdef HINTS
#define HINT(x) _Pragma(#x)
#else
#define HINT(x)
// expected-no-diagnostics
#endif
enum { LD = 40 };

#define PRODUCT(NAME, SUM)                                                                         \
  __attribute__((noinline)) void NAME(long n, double c[restrict][LD], const double a[restrict][LD], \
                                      const double b[restrict][LD]) {                              \
    for (long i = 0; i < n; i++)                                                                   \
      for (long j = 0; j < n; j++) {                                                               \
        double s = 0;                                                                              \
        SUM for (long k = 0; k < n; k++) s += a[i][k] * b[j][k];                                   \
        c[i][j] = s;                                                                               \
      }                                                                                            \
  }

PRODUCT(vectorised, HINT(clang loop vectorize(enable)))       // expected-remark {{GEMM f64}}
PRODUCT(vectors_of_four, HINT(clang loop vectorize_width(4))) // expected-remark {{GEMM f64}}
PRODUCT(interleaved, HINT(clang loop interleave(enable)))     // expected-remark {{GEMM f64}}
PRODUCT(assumed_safe, HINT(clang loop vectorize(assume_safety))) // expected-remark {{GEMM f64}}
PRODUCT(reduction, HINT(omp simd reduction(+ : s)))           // expected-remark {{GEMM f64}}
PRODUCT(four_lanes, HINT(omp simd simdlen(4) reduction(+ : s))) // expected-remark {{GEMM f64}}

__attribute__((noinline)) void in_memory(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++) // expected-remark {{GEMM f64}}
    for (long j = 0; j < n; j++)
      HINT(omp simd)
      for (long k = 0; k < n; k++)
        c[i * LD + j] += a[i * LD + k] * b[k * LD + j];
}

// As generators of coupled-cluster codes write them.
__attribute__((noinline)) void contraction(long n, double c[restrict][4][4][4][4], const double a[restrict][4][4],
                                           const double b[restrict][4][4][4]) {
  for (long p = 0; p < n; p++) // expected-remark {{GEMM f64}}
    for (long q = 0; q < n; q++)
      for (long r = 0; r < n; r++) // expected-remark 0-1 {{filter f64}}
        for (long s = 0; s < n; s++)
          for (long t = 0; t < n; t++) {
            double sum = 0;
            HINT(omp simd reduction(+ : sum))
            for (long k = 0; k < n; k++)
              sum += a[p][q][k] * b[r][s][t][k];
            c[p][q][r][s][t] -= sum;
          }
}

// This one forbids.
__attribute__((noinline)) void one_by_one(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      HINT(clang loop vectorize(disable))
      for (long k = 0; k < n; k++) // expected-remark {{a hint on the loop forbids}}
        c[i * LD + j] += a[i * LD + k] * b[k * LD + j];
}

static double a[LD * LD], b[LD * LD], c[LD * LD], d[4 * 4 * 4 * 4 * 4];

int main(void) {
  for (long n = 0; n <= LD; n += 13) {
    for (int x = 0; x < LD * LD; x++)
      a[x] = (x * 37 % 101 - 50) * 0.1, b[x] = (x * 53 % 97 - 48) * 0.3, c[x] = x;
    void (*All[])(long, double[restrict][LD], const double[restrict][LD], const double[restrict][LD]) = {
        vectorised, vectors_of_four, interleaved, assumed_safe, reduction, four_lanes};
    for (unsigned x = 0; x < sizeof All / sizeof *All; x++) {
      All[x](n, (void *)c, (void *)a, (void *)b);
      fwrite(c, sizeof c, 1, stdout);
    }
    in_memory(n, c, a, b);
    fwrite(c, sizeof c, 1, stdout);
    contraction(n % 5, (void *)d, (void *)a, (void *)b);
    fwrite(d, sizeof d, 1, stdout);
  }
}
