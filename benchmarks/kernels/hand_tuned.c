//===- hand_tuned.c - products as loops tuned by hand write them ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// hand_tuned KERNEL N: seconds for one product of N x N matrices, the best of
// many. Row-major but for trmm.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNEL __attribute__((noinline)) static void

// Sixteen sums for a block of 4x4 elements, over packed panels.
KERNEL sixteen_sums(long n, const double *a, const double *b, double *c) {
  for (long j = 0; j + 3 < n; j += 4) {
    const double *p = a;
    for (long i = 0; i + 3 < n; i += 4) {
      const double *q = b + j * n;
      double s00 = 0, s10 = 0, s20 = 0, s30 = 0, s01 = 0, s11 = 0, s21 = 0, s31 = 0;
      double s02 = 0, s12 = 0, s22 = 0, s32 = 0, s03 = 0, s13 = 0, s23 = 0, s33 = 0;
      for (long l = 0; l < n; l++, p += 4, q += 4) {
        s00 += p[0] * q[0], s10 += p[1] * q[0], s20 += p[2] * q[0], s30 += p[3] * q[0];
        s01 += p[0] * q[1], s11 += p[1] * q[1], s21 += p[2] * q[1], s31 += p[3] * q[1];
        s02 += p[0] * q[2], s12 += p[1] * q[2], s22 += p[2] * q[2], s32 += p[3] * q[2];
        s03 += p[0] * q[3], s13 += p[1] * q[3], s23 += p[2] * q[3], s33 += p[3] * q[3];
      }
      double *d = c + j * n + i;
      d[0] += s00, d[1] += s10, d[2] += s20, d[3] += s30, d += n;
      d[0] += s01, d[1] += s11, d[2] += s21, d[3] += s31, d += n;
      d[0] += s02, d[1] += s12, d[2] += s22, d[3] += s32, d += n;
      d[0] += s03, d[1] += s13, d[2] += s23, d[3] += s33;
    }
  }
}

// A block of 4x4 sums in an array, and four pointers to rows of C.
KERNEL block_of_sums(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i + 3 < n; i += 4)
    for (long j = 0; j + 3 < n; j += 4) {
      double r[4][4] = {{0}};
      for (long l = 0; l < n; l++)
        for (int p = 0; p < 4; p++)
          for (int q = 0; q < 4; q++)
            r[p][q] += a[(i + p) * n + l] * b[l * n + j + q];
      double *c0 = c + i * n + j, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
      for (int q = 0; q < 4; q++)
        c0[q] += r[0][q], c1[q] += r[1][q], c2[q] += r[2][q], c3[q] += r[3][q];
    }
}

// Dot products of two and of four sums, and what is left over.
KERNEL two_sums(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      const double *x = a + i * n, *y = b + j * n;
      double s = 0, t = 0;
      long l = 0;
      for (; l + 1 < n; l += 2)
        s += x[l] * y[l], t += x[l + 1] * y[l + 1];
      for (; l < n; l++)
        s += x[l] * y[l];
      c[i * n + j] = s + t;
    }
}
KERNEL four_sums(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      const double *x = a + i * n, *y = b + j * n;
      double s = 0, t = 0, u = 0, v = 0;
      long l = 0;
      for (; l + 3 < n; l += 4)
        s += x[l] * y[l], t += x[l + 1] * y[l + 1], u += x[l + 2] * y[l + 2], v += x[l + 3] * y[l + 3];
      s = (s + t) + (u + v);
      for (; l < n; l++)
        s += x[l] * y[l];
      c[i * n + j] = s;
    }
}

// A lower TRMM in place, from the last row on, column-major.
KERNEL trmm_down(long n, const double *a, const double *b, double *c) {
  (void)b;
  for (long j = 0; j < n; j++)
    for (long i = n - 1; i >= 0; --i) {
      double s = 0;
      for (long k = 0; k <= i; ++k)
        s += a[i + k * n] * c[k + j * n];
      c[i + j * n] = 0.5 * s;
    }
}

// Vectors by the compiler's extension, and a loop for what is left over.
typedef double pair __attribute__((vector_size(16), aligned(8)));
KERNEL vectors(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      double x = a[i * n + k];
      long j = 0;
      for (; j + 1 < n; j += 2)
        *(pair *)&c[i * n + j] += x * *(const pair *)&b[k * n + j];
      for (; j < n; j++)
        c[i * n + j] += x * b[k * n + j];
    }
}

static const struct {
  const char *name;
  void (*run)(long, const double *, const double *, double *);
} kernels[] = {{"sixteen_sums", sixteen_sums}, {"block_of_sums", block_of_sums}, {"two_sums", two_sums},
               {"four_sums", four_sums},       {"trmm_down", trmm_down},         {"vectors", vectors}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  long n = argc > 2 ? atol(argv[2]) : 0;
  size_t bytes = sizeof(double) * n * n;
  double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes), best = 1e9;
  for (long i = 0; i < n * n; i++)
    a[i] = 1.0 / (i % 7 + 1), b[i] = 1.0 / (i % 5 + 1);
  for (unsigned k = 0; argc > 2 && k < sizeof kernels / sizeof *kernels; k++)
    if (!strcmp(kernels[k].name, argv[1]))
      for (double end = now() + 0.1; now() < end || best == 1e9;) {
        memset(c, 0, bytes);
        long repeat = 1 + 1000000 / (n * n * n + 1);
        double begin = now();
        for (long r = 0; r < repeat; r++)
          kernels[k].run(n, a, b, c);
        double seconds = (now() - begin) / repeat;
        best = seconds < best ? seconds : best;
      }
  printf("%g\n", best);
}
