//===- unlikely-products.c - what is not looked at closely ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Nests that cannot be products are looked at only for the reason, if somebody
// wants to know it. Remarks change no code.
// RUN: %clang -O3 -march=x86-64-v3 --target=x86_64-linux-gnu -ffp-contract=off -fpass-plugin=%tilesmith -c %s -o %t.quiet.o
// RUN: %clang -O3 -march=x86-64-v3 --target=x86_64-linux-gnu -ffp-contract=off -fpass-plugin=%tilesmith -c %s -o %t.loud.o \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -mllvm -tilesmith-remarks=all -Xclang -verify
// RUN: cmp %t.quiet.o %t.loud.o

// LLVM makes a counter from 0 to 1 a phi of two constants, which is no sum.
void two_halves(long m, const double (*restrict a)[2][8], const double (*restrict x)[8], double *restrict y) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced 3-loop nest by GEMV f64 (A row-major), Mx16}}
    for (long h = 0; h < 2; h++)
      for (long k = 0; k < 8; k++)
        y[i] += a[i][h][k] * x[h][k];
}

// Two loops over k that are one.
void blocks(long m, const double (*restrict a)[3][7], const double (*restrict x)[7], double *restrict y) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced 3-loop nest by GEMV f64 (A row-major), Mx21}}
    for (long h = 0; h < 3; h++)
      for (long k = 0; k < 7; k++)
        y[i] += a[i][h][k] * x[h][k];
}

// The inner loop has few steps, but there are several terms in each.
void unrolled(long m, const double (*restrict a)[20], const double *restrict x, double *restrict y) {
  for (long i = 0; i < m; i++) { // expected-remark {{replaced 2-loop nest by GEMV f64 (A row-major), Mx20}}
    double s = y[i];
    for (long k = 0; k < 20; k += 4) {
      s += a[i][k] * x[k];
      s += a[i][k + 1] * x[k + 1];
      s += a[i][k + 2] * x[k + 2];
      s += a[i][k + 3] * x[k + 3];
    }
    y[i] = s;
  }
}

// A bound that is loaded again in each row.
void reloaded(const long *n, const double *a, const double *x, double *y) {
  for (long i = 0; i < *n; i++) // expected-remark {{replaced 2-loop nest by GEMV f64}}
    for (long k = 0; k < *n; k++)
      y[i] += a[i * 100 + k] * x[k];
}

// A row that is copied to a buffer, which another loop moves.
void buffered(long n, double (*restrict c)[100], double (*restrict a)[100], double (*restrict b)[100]) {
  double column[100];
  for (long j = 0; j < n; j++) {
    for (long k = 0; k < 100; k++)
      column[k] = b[k][j];
    for (long i = 0; i < n; i++) // expected-remark@-3 {{replaced 3-loop nest by GEMM f64}}
      for (long k = 0; k < 100; k++)
        c[i][j] += a[i][k] * column[k];
  }
}

// One element, times a constant.
void stencil(long n, double (*restrict a)[100], double (*restrict b)[100]) {
  for (long t = 0; t < 100; t++)
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < 99; j++)
        // expected-remark@+1 {{sum of products not replaced: no element is updated}}
        b[i][j] = 0.2 * (a[i][j] + a[i - 1][j]) + 0.4 * a[i + 1][j];
}

// Only one loop moves b.
void scaled(int n, float *c, const float *a, const float *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        // expected-remark@+1 {{sum of products not replaced: the subscripts are not those of a matrix product}}
        c[i * n + j] += a[i * n + j + k] * b[i];
}

// The rows of a window are no one index: w is not known. LLVM unrolls the loops
// over the window, and rows that are as far apart as elements would need w = 5.
void blur(long h, long w, const unsigned char *in, unsigned char *out, const int *f) {
  for (long y = 2; y < h - 2; y++)
    for (long x = 2; x < w - 2; x++) {
      int s = 0;
      for (long v = -2; v <= 2; v++)
        for (long u = -2; u <= 2; u++)
          s += in[(y + v) * w + x + u] * f[v * 5 + u + 12];
      out[y * w + x] = s / 256;
    }
}

// Each row is as long as the rows before are many.
void solve(int n, double *restrict l, double *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) // expected-remark {{matrix times vector not replaced: each row needs the results of the rows before it}}
      x[i] -= l[i * n + j] * x[j];
}

// Sums of a matrix times a vector may have another type than what is stored.
void narrowed(long m, long n, const double *restrict a, const double *restrict x, float *restrict y) {
  for (long i = 0; i < m; i++) { // expected-remark {{replaced 2-loop nest by GEMV f64}}
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}
void as_they_are(long m, long n, const float *restrict a, const float *restrict x, double *restrict y) {
  for (long i = 0; i < m; i++) { // expected-remark {{replaced 2-loop nest by GEMV f64}}
    double s = 0;
    for (long k = 0; k < n; k++)
      s += (double)a[i * n + k] * x[k];
    y[i] = s;
  }
}

// clang's own vectors are as fast for sums of integers, if they are along rows.
void rows(long m, long n, const int *a, const int *restrict x, int *restrict y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      // expected-remark@+1 {{clang's own vectors are as fast}}
      y[i] += a[i * n + k] * x[k];
}
void every_second(long m, long n, const int *a, const int *restrict x, int *restrict y) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced 2-loop nest by GEMV i32 (A strided)}}
    for (long k = 0; k < n; k++)
      y[i] += a[i * n + 2 * k] * x[k];
}
void backwards(long m, long n, const int *a, const int *restrict x, int *restrict y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      // expected-remark@+1 {{clang's own vectors are as fast}}
      y[i] += a[i * n - k] * x[k];
}
void window(long m, long n, const int *restrict a, const int *restrict x, int *restrict y) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced 2-loop nest by GEMV i32 (A row-major), MxK at run time: a filter}}
    for (long k = 0; k < n; k++)
      y[i] += a[i + k] * x[k];
}
void batch(long m, long n, const int *restrict a, const int *restrict x, int *restrict y) {
  for (long b = 0; b < 100; b++)
    for (long i = 0; i < m; i++)
      for (long k = 0; k < n; k++)
        // expected-remark@+1 {{clang's own vectors are as fast}}
        y[b * m + i] += a[(b * m + i) * n + k] * x[k];
}

// Two kernels, of which the second one's tests are made of numbers that a remark about
// the first one would name.
void polynomials(int n, int m, const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < n + m - 1; i++) { // expected-remark {{replaced 2-loop nest by GEMV f64 (A column-major)}} expected-remark {{a filter}}
    int first = i - (m - 1) > 0 ? i - (m - 1) : 0, last = i < n - 1 ? i : n - 1;
    double s = 0;
    for (int j = first; j <= last; j++)
      s += a[j] * b[i - j];
    c[i] = s;
  }
}
