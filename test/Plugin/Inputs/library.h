// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is inlined into the functions of remarks.cpp.

inline void skipping(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        if (a[i * n + k] > 100)
          continue;
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
}

inline void product(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void log_access(long);

struct Rows {
  double *data;
  long length;
  double &at(long i, long j) { return data[i * length + j]; }
  double &log_at(long i, long j) {
    log_access(i);
    return at(i, j);
  }
};
