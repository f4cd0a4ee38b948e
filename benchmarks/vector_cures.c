//===- vector_cures.c - matrix times vector, rewritten by hand ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that are left alone, beside those that docs/idioms/vectors.md tells to
// write instead: GFLOP/s of both in CPU time, by turns, and whether the bits are
// the same.
//
//   clang -O3 -march=native -fpass-plugin=libTilesmith.so vector_cures.c -o vector_cures
//   ./vector_cures
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS 32

static void triangle(long n, const double *restrict a, const double *restrict b,
                     const double *restrict x, double *restrict y,
                     double *restrict t) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k <= i; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

static void inBlocks(long n, const double *restrict a, const double *restrict b,
                     const double *restrict x, double *restrict y,
                     double *restrict t) {
  for (long first = 0; first < n; first += ROWS) {
    long end = first + ROWS < n ? first + ROWS : n;
    for (long i = first; i < end; i++) {
      double s = 0;
      for (long k = 0; k < first; k++)
        s += a[i * n + k] * x[k];
      y[i] = s;
    }
    for (long i = first; i < end; i++)
      for (long k = first; k <= i; k++)
        y[i] += a[i * n + k] * x[k];
  }
}

static void twoSums(long n, const double *restrict a, const double *restrict b,
                    const double *restrict x, double *restrict y,
                    double *restrict t) {
  for (long i = 0; i < n; i++) {
    double s = 0, u = 0;
    for (long k = 0; k < n; k++) {
      s += a[i * n + k] * x[k];
      u += b[i * n + k] * x[k];
    }
    y[i] = 1.5 * s + 1.2 * u;
  }
}

static void inTurn(long n, const double *restrict a, const double *restrict b,
                   const double *restrict x, double *restrict y,
                   double *restrict t) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    t[i] = s;
  }
  for (long i = 0; i < n; i++) {
    double u = 0;
    for (long k = 0; k < n; k++)
      u += b[i * n + k] * x[k];
    y[i] = 1.5 * t[i] + 1.2 * u;
  }
}

typedef void Function(long, const double *, const double *, const double *,
                      double *, double *);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double *vector(long n) {
  double *v = malloc(n * sizeof *v);
  for (long i = 0; i < n; i++)
    v[i] = rand() / (double)RAND_MAX - 0.5;
  return v;
}

static void compare(const char *name, Function *volatile plain,
                    Function *volatile cure, double flopsOfElement) {
  const long sizes[] = {8, 16, 32, 64, 100, 256, 512, 1000, 2000};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    long n = sizes[s], runs = 20000000 / (n * n) + 1;
    double *a = vector(n * n), *b = vector(n * n), *x = vector(n);
    double *y = vector(n), *z = vector(n), *t = vector(n);
    double best[] = {1e9, 1e9};
    for (int turn = 0; turn < 10; turn++) {
      double start = now();
      for (long r = 0; r < runs; r++)
        (turn % 2 ? cure : plain)(n, a, b, x, turn % 2 ? z : y, t);
      double took = now() - start;
      if (took < best[turn % 2])
        best[turn % 2] = took;
    }
    double work = flopsOfElement * runs * n * n * 1e-9;
    printf("%-10s %5ld  %6.1f %6.1f  %s\n", name, n, work / best[0],
           work / best[1], memcmp(y, z, n * sizeof *y) ? "DIFFERENT" : "same");
    free(a), free(b), free(x), free(y), free(z), free(t);
  }
}

int main(void) {
  compare("triangle", triangle, inBlocks, 1);
  compare("two sums", twoSums, inTurn, 4);
}
