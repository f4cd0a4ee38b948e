//===- formula.c - remarks name the operands ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{compile} = %clang -O2 -mavx2 -mfma -c %s -fpass-plugin=%tilesmith
// RUN: %{compile} -g -o %t.told.o -Rpass=tilesmith 2>&1 | FileCheck %s --implicit-check-not=replaced

// Without names, remarks are as they were; and nobody's code depends on remarks.
// RUN: %{compile} -gline-tables-only -o %t.o -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: %{compile} -g -o %t.silent.o && cmp %t.told.o %t.silent.o
// NAMELESS-NOT: nest '
// NAMELESS: replaced 3-loop nest by GEMM f64
// NAMELESS-NOT: nest '

// A part of the message for users, and an argument for tools.
// RUN: %{compile} -g -o %t.o -fsave-optimization-record -foptimization-record-file=%t.yaml
// RUN: FileCheck %s --check-prefix=RECORD --input-file=%t.yaml
// RECORD: - String: '-loop nest '
// RECORD-NEXT: - String: {{.*}}
// RECORD-NEXT: - Formula: 'C[i*n + j] += A[i*n + k] * B[k*n + j]'

#include <stddef.h>

// CHECK: replaced {{.*}}3-loop nest 'C[i*n + j] += A[i*n + k] * B[k*n + j]' by GEMM f64 (A row-major
void gemm(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
float P[40][50], Q[50][60], R[40][60];
// CHECK: replaced {{.*}}'R[i][j] = sum(P[i][k] * Q[k][j])' by GEMM
void globals(void) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 60; j++) {
      float s = 0;
      for (int k = 0; k < 50; k++)
        s += P[i][k] * Q[k][j];
      R[i][j] = s;
    }
}

// CHECK: replaced {{.*}}'c[i][j] = alpha * sum(a[i][k] * b[k][j]) + beta * c[i][j]' by
void vla(int n, int m, int l, double a[n][l], double b[l][m], double c[n][m], double alpha, double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = alpha * s + beta * c[i][j];
    }
}
struct matrix { size_t rows, cols, stride; double *data; };
// CHECK: replaced {{.*}}'c->data[i*c->stride + j] -= sum(a->data[i*a->stride + k] * b->data[k*b->stride + j])' by
void structs(const struct matrix *a, const struct matrix *b, struct matrix *c) {
  for (size_t i = 0; i < c->rows; i++)
    for (size_t j = 0; j < c->cols; j++) {
      double s = 0;
      for (size_t k = 0; k < a->cols; k++)
        s += a->data[i * a->stride + k] * b->data[k * b->stride + j];
      c->data[i * c->stride + j] -= s;
    }
}

// CHECK: replaced {{.*}}'c[i][j] -= a[i][k] * b[k][j]' by
void rows(int n, double **a, double **b, double **c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] -= a[i][k] * b[k][j];
}

// CHECK: replaced {{.*}}'d[i*n + j] = min(x[i*n + k] + y[k*n + j], d[i*n + j])' by
void minplus(int n, const float *restrict x, const float *restrict y, float *restrict d) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        float t = x[i * n + k] + y[k * n + j];
        d[i * n + j] = t < d[i * n + j] ? t : d[i * n + j];
      }
}

// CHECK: replaced {{.*}}= max(bias[o] + sum(in[c*h*w + y*w + r*w + x + t] * f[9*o*ci + 9*c + 3*r + t]), 0)' by
void conv(int h, int w, int ci, int co, const float *in, const float *f, const float *bias, float *out) {
  for (int o = 0; o < co; o++)
    for (int y = 0; y < h - 2; y++)
      for (int x = 0; x < w - 2; x++) {
        float s = bias[o];
        for (int c = 0; c < ci; c++)
          for (int r = 0; r < 3; r++)
            for (int t = 0; t < 3; t++)
              s += in[(c * h + y + r) * w + x + t] * f[((o * ci + c) * 3 + r) * 3 + t];
        out[(o * (h - 2) + y) * (w - 2) + x] = s > 0 ? s : 0;
      }
}

// CHECK: replaced {{.*}}'c[i - 1][j - 1] += alpha * a[i - 1][k] * a[j - 1][k]' by SYRK
void syrk(int n, double alpha, const double (*a)[100], double (*c)[100]) {
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= i; j++)
      for (int k = 0; k < 100; k += 2)
        c[i - 1][j - 1] += alpha * a[i - 1][k] * a[j - 1][k];
}

// CHECK: replaced {{.*}}'c[i*n + j] += a[i*m + k] * b[j*m + k] + b[i*m + k] * a[j*m + k]' by
void syr2k(int n, int m, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++)
        c[i * n + j] += a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k];
}

// CHECK: replaced {{.*}}'y[i] = sum(a[i*n + j] * x[j])' by
void gemv(int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

// CHECK: replaced {{.*}}'out[i*n + j] = sum((p[i*d + k] - q[j*d + k]) * (p[i*d + k] - q[j*d + k]))' by
void dist(int n, int d, const float *p, const float *q, float *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < d; k++) {
        float t = p[i * d + k] - q[j * d + k];
        s += t * t;
      }
      out[i * n + j] = s;
    }
}

// CHECK: replaced {{.*}}'c[i*n + j] += (a[i*n + k] - 3) * b[j*n + k]' by
void ints(int n, const signed char *a, const unsigned char *b, int *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += (a[i * n + k] - 3) * b[j * n + k];
}

// A pointer that moves says nothing of where it is.
// CHECK: replaced 3-loop nest by
void moving(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++, c++)
      for (int k = 0; k < n; k++)
        *c += a[i * n + k] * b[k * n + j];
}

// The elements are not those of the declared type.
// CHECK: replaced 3-loop nest by
void bytes(int n, const char *a, const char *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += ((const double *)a)[i * n + k] * ((const double *)b)[k * n + j];
}

// Rows that are written out start from one value.
// CHECK: replaced {{.*}}'out[first*p + o] = bias[o] + sum(in[first*m + c] * w[o*m + c])' by
void eight_rows(float *restrict out, const float *in, const float *w, const float *bias, int n, int m, int p) {
  for (int first = 0; first < n; first += 8)
    for (int o = 0; o < p; o++) {
      float sum[8];
      for (int r = 0; r < 8; r++)
        sum[r] = bias[o];
      for (int c = 0; c < m; c++) {
        float x = w[o * m + c];
        for (int r = 0; r < 8; r++)
          sum[r] += in[(first + r) * m + c] * x;
      }
      for (int r = 0; r < 8; r++)
        out[(first + r) * p + o] = sum[r];
    }
}
