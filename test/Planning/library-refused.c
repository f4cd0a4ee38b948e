//===- library-refused.c - what a library cannot or must not compute ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -ffast-math -fpass-plugin=%tilesmith -mllvm -tilesmith-strategy=blas -Rpass-missed=tilesmith -c %s -o %t.o -Xclang -verify

// These are computed by packed kernels, as without the option:
// RUN: %clang -O2 -ffast-math -fpass-plugin=%tilesmith -c %s -o %t.packed.o
// RUN: cmp %t.o %t.packed.o

#define FOR(i, n) for (long i = 0; i < n; i++)

void integers(long n, const int *a, const int *b, int *c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: the library has no function for this element type}}
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void widened(long n, const float *a, const float *b, double *c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: the library has no function for this element type}}
        c[i * n + j] += (double)a[i * n + k] * b[k * n + j];
}

void offset(long n, double from, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, n) {
      double sum = from;
      FOR(k, n)
        sum += a[i * n + k] * b[k * n + j];
      // expected-remark@+1 {{library not used: the arithmetic is not alpha*A*B + beta*C}}
      c[i * n + j] = sum;
    }
}

void quotient(long n, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, n) {
      double sum = 0;
      FOR(k, n)
        sum += a[i * n + k] * b[k * n + j];
      // expected-remark@+1 {{library not used: the arithmetic is not alpha*A*B + beta*C}}
      c[i * n + j] = sum / c[i * n + j];
    }
}

void everySecond(long n, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i * n + j] += a[2 * (i * n + k)] * b[k * n + j];
}

void backwards(long n, const double *a, const double *b, double *c) {
  for (long i = n - 1; i >= 0; i--)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

struct __attribute__((packed)) Row {
  char tag;
  double v[100];
};
void misaligned(long n, const struct Row *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i * n + j] += a[i].v[k] * b[k * n + j];
}

void withoutDiagonal(long n, long p, const double *a, double *c) {
  for (long i = 1; i < n; i++)
    FOR(j, i)
      FOR(k, p)
        // expected-remark@+1 {{library not used: the loops compute a part of C}}
        c[i * n + j] += a[i * p + k] * a[j * p + k];
}

void triangleOfProduct(long n, long p, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, i + 1)
      FOR(k, p)
        // expected-remark@+1 {{library not used: the loops compute a part of C}}
        c[i * n + j] += a[i * p + k] * b[j * p + k];
}

// In place only.
void triangularFactor(long m, long n, const double *a, const double *b, double *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, i + 1)
        // expected-remark@+1 {{library not used: the loops compute a part of C}}
        c[i * n + j] += a[i * m + k] * b[k * n + j];
}

// One minus a strict triangle.
void subtracted(long m, long n, const double *a, double *b) {
  FOR(i, m)
    FOR(j, n)
      for (long k = i + 1; k < m; k++)
        // expected-remark@+1 {{library not used: the arithmetic is not alpha*A*B + beta*C}}
        b[i * n + j] -= a[k * m + i] * b[k * n + j];
}

// Two rows ahead: the first diagonal beside the main one is zero.
void twoAhead(long m, long n, const double *a, double *b) {
  FOR(i, m - 2)
    FOR(j, n)
      for (long k = i + 2; k < m; k++)
        // expected-remark@+1 {{library not used: the loops compute a part of C}}
        b[i * n + j] += a[k * m + i] * b[k * n + j];
}

void bothSymmetric(long n, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i * n + j] += (k < i ? a[i * n + k] : a[k * n + i]) * (k < j ? b[j * n + k] : b[k * n + j]);
}

void symmetricAndTransposed(long m, long n, const double *a, const double *b, double *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, m)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i * n + j] += (k < i ? a[i * m + k] : a[k * m + i]) * b[j * m + k];
}

void twoOrders(long n, long p, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, i + 1)
      FOR(k, p)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i * n + j] += a[i * p + k] * b[k * n + j] + b[k * n + i] * a[j * p + k];
}

void twoFactors(long n, long p, double f, double g, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, i + 1)
      FOR(k, p)
        // expected-remark@+1 {{library not used: the arithmetic is not alpha*A*B + beta*C}}
        c[i * n + j] += f * a[i * p + k] * b[j * p + k] + g * b[i * p + k] * a[j * p + k];
}

// The library itself is not to call itself.
void cblas_dgemm(int layout, int transA, int transB, int m, int n, int p,
                 double alpha, const double *a, int lda, const double *b,
                 int ldb, double beta, double *c, int ldc) {
  FOR(i, m)
    FOR(j, n) {
      double sum = 0;
      FOR(k, p)
        sum += a[i * lda + k] * b[k * ldb + j];
      // expected-remark@+1 {{library not used: this file defines the library's function itself}}
      c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];
    }
}

// Something else has the name.
void cblas_ssyrk(void);
void otherFunction(long n, long p, const float *a, float *c) {
  cblas_ssyrk();
  FOR(i, n)
    FOR(j, i + 1)
      FOR(k, p)
        // expected-remark@+1 {{library not used: this file defines the library's function itself}}
        c[i * n + j] += a[i * p + k] * a[j * p + k];
}

void rows(long n, double **a, double **b, double **c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, n)
        // expected-remark@+1 {{library not used: a matrix is not stored as the library needs it}}
        c[i][j] += a[i][k] * b[k][j];
}
