//===- reduce.c - sums, products and extrema are left alone ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

double sum(const double *a, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i];
  return s;
}

double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

float norm(const float *a, unsigned n, unsigned m, unsigned ld) {
  float s = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++)
      s += a[i * ld + j] * a[i * ld + j];
  return s;
}

int largest(const int *a, long n, long *where) {
  int best = a[0];
  for (long i = 1; i < n; i++)
    if (a[i] > best)
      best = a[i], *where = i;
  return best;
}

double volume(long n, const double *x, const double *y, const double *z) {
  double s = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        s += x[i] * y[j] * z[k];
  return s;
}

void prefix(long *a, long n) {
  for (long i = 1; i < n; i++)
    a[i] += a[i - 1];
}

void histogram(const unsigned char *a, long n, long count[256]) {
  for (long i = 0; i < n; i++)
    count[a[i]]++;
}
