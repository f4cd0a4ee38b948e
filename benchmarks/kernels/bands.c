//===- bands.c - bands times vectors, to be timed ---------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled twice, as `clang` and as `ours`, and once as the program (MAIN), with T
// the type. WIDTH, if set, is known. The program prints, for each n of its
// arguments after the width, nanoseconds for both, and whether results are equal.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void Band(long n, long w, const T *restrict a, const T *restrict x,
                  T *restrict y);

#ifndef MAIN
#ifdef WIDTH
#define w WIDTH
#endif
void NAME(long n, long width, const T *restrict a, const T *restrict x,
          T *restrict y) {
#ifndef w
  long w = width;
#endif
  for (long i = 0; i < n; i++) {
    T s = 0;
    for (long k = i < w ? 0 : i - w; k < (i + w < n ? i + w + 1 : n); k++)
      s += a[i * (2 * w + 1) + w - i + k] * x[k];
    y[i] = s;
  }
}
#else
Band clang, ours;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double timed(Band *f, long calls, long n, long w, T *a, T *x, T *y) {
  double start = seconds();
  for (long i = 0; i < calls; i++)
    f(n, w, a, x, y);
  return (seconds() - start) / calls * 1e9;
}

int main(int argc, char **argv) {
  long w = atol(argv[1]);
  for (int arg = 2; arg < argc; arg++) {
    long n = atol(argv[arg]), count = n * (2 * w + 1);
    T *a = malloc(count * sizeof(T)), *x = malloc(n * sizeof(T));
    T *y = malloc(n * sizeof(T)), *z = malloc(n * sizeof(T));
    for (long i = 0; i < count; i++)
      a[i] = (T)((double)rand() / RAND_MAX - .5);
    for (long i = 0; i < n; i++)
      x[i] = (T)((double)rand() / RAND_MAX);
    double ofClang = 1e30, ofOurs = 1e30;
    long calls = 1 + 100000 / (count + 10);
    for (int round = 0; round < 100; round++) {
      double t = timed(clang, calls, n, w, a, x, y);
      ofClang = t < ofClang ? t : ofClang;
      t = timed(ours, calls, n, w, a, x, z);
      ofOurs = t < ofOurs ? t : ofOurs;
    }
    printf("%ld %g %g %d\n", n, ofClang, ofOurs, !memcmp(y, z, n * sizeof(T)));
  }
}
#endif
