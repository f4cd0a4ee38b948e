//===- cures-kin.c - sums that are products in another form ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See cures.c.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s -fno-math-errno

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

//===--- Convolutions. ----------------------------------------------------===//

// EXPECT Convolution: a product of polynomials
void polynomials(int n, int m, const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i + j] += a[i] * b[j]; // <-
}

void polynomials_cured(int n, int m, const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < n + m - 1; i++) {
    double s = c[i];
    int first = i - m + 1 > 0 ? i - m + 1 : 0, last = i < n - 1 ? i : n - 1;
    for (int j = first; j <= last; j++)
      s += a[j] * b[i - j];
    c[i] = s;
  }
}

// EXPECT Convolution: of integers
void integers(int n, int m, const unsigned *a, const unsigned *b, unsigned *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i + j] += a[i] * b[j]; // <-
}

void integers_cured(int n, int m, const unsigned *a, const unsigned *b, unsigned *restrict c) {
  for (int i = 0; i < n + m - 1; i++) {
    unsigned s = 0;
    int first = i - m + 1 > 0 ? i - m + 1 : 0, last = i < n - 1 ? i : n - 1;
    for (int j = first; j <= last; j++)
      s += a[j] * b[i - j];
    c[i] = s;
  }
}

// EXPECT Convolution: a circular one
void circular(int n, const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[(i + j) % n] += a[i] * b[j]; // <-
}

void circular_cured(int n, const double *a, const double *b, double *restrict t, double *restrict c) {
  for (int i = 0; i < 2 * n - 1; i++) {
    double s = 0;
    int first = i - n + 1 > 0 ? i - n + 1 : 0, last = i < n - 1 ? i : n - 1;
    for (int j = first; j <= last; j++)
      s += a[j] * b[i - j];
    t[i] = s;
  }
  t[2 * n - 1] = 0;
  for (int i = 0; i < n; i++)
    c[i] = t[i] + t[i + n];
}

// EXPECT Convolution: by elements of the result, with tests
void tested(int n, int m, const float *a, const float *b, float *restrict c) {
  for (int i = 0; i < n + m - 1; i++) {
    float s = 0;
    for (int j = 0; j <= i; j++)
      if (j < n && i - j < m) // <-
        s += a[j] * b[i - j]; // <-
    c[i] = s;
  }
}

void tested_cured(int n, int m, const float *a, const float *b, float *restrict c) {
  for (int i = 0; i < n + m - 1; i++) {
    float s = 0;
    int first = i - m + 1 > 0 ? i - m + 1 : 0, last = i < n - 1 ? i : n - 1;
    for (int j = first; j <= last; j++)
      s += a[j] * b[i - j];
    c[i] = s;
  }
}

// EXPECT Convolution: of big numbers, modulo a prime
void modulo(int n, int m, const long *a, const long *b, long *restrict c, long p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i + j] = (c[i + j] + a[i] * b[j]) % p; // <-
}

void modulo_cured(int n, int m, const long *a, const long *b, long *restrict c, long p) {
  for (int i = 0; i < n + m - 1; i++) {
    long s = 0;
    int first = i - m + 1 > 0 ? i - m + 1 : 0, last = i < n - 1 ? i : n - 1;
    for (int j = first; j <= last; j++)
      s = (s + a[j] * b[i - j]) % p;
    c[i] = s;
  }
}

//===--- Bands. -----------------------------------------------------------===//

// EXPECT Band: a test of the distance from the diagonal
void band(int n, int w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      if (abs(i - j) <= w) // <-
        s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

void band_cured(int n, int w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    int first = i - w > 0 ? i - w : 0, end = i + w + 1 < n ? i + w + 1 : n;
    for (int j = first; j < end; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

//===--- More than two factors. -------------------------------------------===//

// EXPECT ThreeFactors: a tensor times two vectors
void tensor(int n, const double *a, const double *x, const double *y, double *restrict o) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        s += a[(i * n + j) * n + k] * x[j] * y[k]; // <-
    o[i] = s;
  }
}

void tensor_cured(int n, const double *a, const double *x, const double *y, double *restrict t, double *restrict o) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[(i * n + j) * n + k] * y[k];
      t[i * n + j] = s;
    }
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += t[i * n + j] * x[j];
    o[i] = s;
  }
}

// EXPECT TwoOrders: a Fock matrix
void fock(int n, const double (*restrict v)[n][n][n], const double (*restrict d)[n], double (*restrict f)[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          f[i][j] += d[k][l] * (2 * v[i][j][k][l] - v[i][k][j][l]); // <-
}

void fock_cured(int n, const double (*restrict v)[n][n][n], const double (*restrict d)[n], double (*restrict f)[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          f[i][j] += 2 * d[k][l] * v[i][j][k][l];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int l = 0; l < n; l++)
          f[i][j] -= d[k][l] * v[i][k][j][l];
}

//===--- Choices. ---------------------------------------------------------===//

// EXPECT BestStep: Viterbi's algorithm
void viterbi(int n, int steps, const float *restrict p, const float *restrict e, float *restrict v,
             int *restrict from) {
  for (int t = 1; t < steps; t++)
    for (int j = 0; j < n; j++) {
      float best = -INFINITY;
      int step = 0;
      for (int i = 0; i < n; i++) { // <-
        float s = v[(t - 1) * n + i] + p[i * n + j];
        if (s > best) { // <-
          best = s; // <-
          step = i; // <-
        }
      }
      v[t * n + j] = best + e[t * n + j];
      from[t * n + j] = step;
    }
}

void viterbi_cured(int n, int steps, int sequences, const float *restrict p, const float *restrict e,
                   float *restrict v) {
  for (int t = 1; t < steps; t++)
    for (int b = 0; b < sequences; b++)
      for (int j = 0; j < n; j++) {
        float best = -INFINITY;
        for (int i = 0; i < n; i++) {
          float s = v[((t - 1) * sequences + b) * n + i] + p[i * n + j];
          best = s > best ? s : best;
        }
        v[(t * sequences + b) * n + j] = best + e[(t * sequences + b) * n + j];
      }
}

// EXPECT BestStep: of products
void likeliest(int n, int m, const double *restrict p, const double *restrict q, double *restrict v,
               int *restrict from) {
  for (int t = 0; t < m; t++)
    for (int j = 0; j < n; j++) {
      double best = 0;
      int step = 0;
      for (int i = 0; i < n; i++) { // <-
        double s = p[t * n + i] * q[i * n + j];
        if (s > best) { // <-
          best = s; // <-
          step = i; // <-
        }
      }
      v[t * n + j] = best;
      from[t * n + j] = step;
    }
}

void likeliest_cured(int n, int m, const double *restrict p, const double *restrict q, double *restrict v) {
  for (int t = 0; t < m; t++)
    for (int j = 0; j < n; j++) {
      double best = 0;
      for (int i = 0; i < n; i++) {
        double s = p[t * n + i] * q[i * n + j];
        best = s > best ? s : best;
      }
      v[t * n + j] = best;
    }
}

// EXPECT Mask: of products
void masked_products(int n, int t, int d, const int *mask, const float *p, const float *v, float *restrict o) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < t; k++)
        s += mask[i * t + k] ? p[i * t + k] * v[k * d + j] : 0; // <-
      o[i * d + j] = s;
    }
}

void masked_products_cured(int n, int t, int d, const int *mask, const float *p, const float *v, float *restrict q,
                           float *restrict o) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < t; k++)
      q[i * t + k] = mask[i * t + k] ? p[i * t + k] : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < t; k++)
        s += q[i * t + k] * v[k * d + j];
      o[i * d + j] = s;
    }
}

// EXPECT Mask: by an 'if'
void masked_steps(int n, int t, int d, const uint8_t *restrict mask, const float *restrict p, const float *restrict v,
                  float *restrict o) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < t; k++)
        if (mask[i * t + k]) // <-
          s += p[i * t + k] * v[k * d + j];
      o[i * d + j] = s;
    }
}

void masked_steps_cured(int n, int t, int d, const uint8_t *restrict mask, const float *restrict p,
                        const float *restrict v, float *restrict q, float *restrict o) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < t; k++)
      q[i * t + k] = mask[i * t + k] ? p[i * t + k] : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < t; k++)
        s += q[i * t + k] * v[k * d + j];
      o[i * d + j] = s;
    }
}

// EXPECT Mask: of sums, where others stay as they are
void masked_sums(int n, int t, int d, const int *mask, const float *p, const float *v, float *restrict o) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < t; k++)
        s += p[i * t + k] * v[k * d + j];
      if (mask[i * d + j]) // <-
        o[i * d + j] = s;
    }
}

void masked_sums_cured(int n, int t, int d, const int *mask, const float *p, const float *v, float *restrict q,
                       float *restrict o) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < t; k++)
        s += p[i * t + k] * v[k * d + j];
      q[i * d + j] = s;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++)
      if (mask[i * d + j])
        o[i * d + j] = q[i * d + j];
}

//===--- Several sums. ----------------------------------------------------===//

// EXPECT OtherStore: both parts of a Fourier transform in one array
void fourier(int n, const double *x, const double *re, const double *im, double *restrict o) {
  for (int k = 0; k < n; k++) {
    double r = 0, i = 0;
    for (int t = 0; t < n; t++) {
      r += x[t] * re[k * n + t];
      i -= x[t] * im[k * n + t];
    }
    o[k] = r;     // <-
    o[k + n] = i; // <-
  }
}

void fourier_cured(int n, const double *x, const double *re, const double *im, double *restrict o) {
  for (int k = 0; k < n; k++) {
    double r = 0;
    for (int t = 0; t < n; t++)
      r += x[t] * re[k * n + t];
    o[k] = r;
  }
  for (int k = 0; k < n; k++) {
    double i = 0;
    for (int t = 0; t < n; t++)
      i -= x[t] * im[k * n + t];
    o[k + n] = i;
  }
}

// EXPECT LoneSum: which is subtracted
double residual(int n, const double *x, const double *y, double s) {
  for (int k = 0; k < n; k++)
    s -= x[k] * y[k]; // <-
  return s;
}

void residual_cured(int m, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    double s = y[i];
    for (int k = 0; k < n; k++)
      s -= a[i * n + k] * x[k];
    y[i] = s;
  }
}

// EXPECT VectorizedSum: a layer of 8-bit weights, whose sums are scaled and rounded
void quantised(int n, int m, const int8_t *w, const int8_t *x, const int32_t *b, int zero, float scale,
               int8_t *restrict y) {
  for (int i = 0; i < n; i++) {
    int32_t s = b[i];
    for (int k = 0; k < m; k++)
      s += (int)w[i * m + k] * ((int)x[k] - zero);
    float f = roundf(s * scale);
    y[i] = (int8_t)(f > 127 ? 127 : f < -128 ? -128 : f);
  }
}

// EXPECT VectorizedSum: the same in fixed point
void fixed_point(int n, int m, const int8_t *w, const int8_t *x, const int32_t *b, int by, int shift,
                 int8_t *restrict y) {
  for (int i = 0; i < n; i++) {
    int32_t s = b[i];
    for (int k = 0; k < m; k++)
      s += (int)w[i * m + k] * x[k];
    s = (int32_t)(((int64_t)s * by) >> shift);
    y[i] = s > 127 ? 127 : s < -128 ? -128 : s;
  }
}
