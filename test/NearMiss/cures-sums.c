//===- cures-sums.c - vectors, and sums that are made in another way -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See cures.c.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s -fno-math-errno

#include <math.h>

extern double (*unseen)(double);

//===--- A matrix times a vector. -----------------------------------------===//

// EXPECT Diagonal: Jacobi's iteration
void jacobi(int n, const double *restrict a, const double *restrict b, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < n; j++)
      if (j != i) // <-
        s -= a[i * n + j] * x[j];
    y[i] = s / a[i * n + i];
  }
}

void jacobi_cured(int n, const double *restrict a, const double *restrict b, const double *restrict x,
                  double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s;
  }
  for (int i = 0; i < n; i++) {
    double s = y[i];
    for (int j = i + 1; j < n; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s;
  }
  for (int i = 0; i < n; i++)
    y[i] /= a[i * n + i];
}

// EXPECT Diagonal: the same with 'continue'
void jacobi_continue(long n, const float *a, const float *b, const float *x, float *y) {
  for (long i = 0; i < n; i++) {
    float s = 0;
    for (long j = 0; j < n; j++) {
      if (i == j) // <-
        continue;
      s += a[i * n + j] * x[j];
    }
    y[i] = (b[i] - s) / a[i * n + i];
  }
}

void jacobi_continue_cured(long n, const float *a, const float *b, const float *x, float *y) {
  for (long i = 0; i < n; i++) {
    float s = 0;
    for (long j = 0; j < i; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
  for (long i = 0; i < n; i++) {
    float s = y[i];
    for (long j = i + 1; j < n; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
  for (long i = 0; i < n; i++)
    y[i] = (b[i] - y[i]) / a[i * n + i];
}

// EXPECT LoneSum: a scalar product, in whichever loop it is called
double scalar_product(int n, const double *x, const double *y) {
  double s = 0;
  for (int k = 0; k < n; k++)
    s += x[k] * y[k]; // <-
  return s;
}

void scalar_product_cured(int m, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// EXPECT SumInParts: in two loops
void jacobi_parts(int n, const double *restrict a, const double *restrict b, const double *restrict x,
                  double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    for (int j = i + 1; j < n; j++)
      s -= a[i * n + j] * x[j]; // <-
    y[i] = s / a[i * n + i];
  }
}

void jacobi_parts_cured(int n, const double *restrict a, const double *restrict b, const double *restrict x,
                        double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s;
  }
  for (int i = 0; i < n; i++) {
    double s = y[i];
    for (int j = i + 1; j < n; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s;
  }
  for (int i = 0; i < n; i++)
    y[i] /= a[i * n + i];
}

// EXPECT Substitution: a triangular solve with one right-hand side, which may overlap the matrix
void forward(int n, const double *l, double *x) {
  for (int i = 0; i < n; i++) { // <-
    double s = x[i];
    for (int j = 0; j < i; j++) // <-
      s -= l[i * n + j] * x[j];
    x[i] = s / l[i * n + i];
  }
}

void forward_cured(int n, const double *restrict l, double *restrict x) {
  for (int i = 0; i < n; i++) {
    double s = x[i];
    for (int j = 0; j < i; j++)
      s -= l[i * n + j] * x[j];
    x[i] = s / l[i * n + i];
  }
}

// EXPECT Factorisation: Gauss and Seidel's iteration
void gauss_seidel(int n, const double *restrict a, const double *restrict b, double *restrict x) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < n; j++)
      if (j != i)
        s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}

// EXPECT VectorChanges: a step of stochastic descent for each row
void descent(int n, int m, double rate, const double *restrict a, const double *restrict b, double *restrict w) {
  for (int i = 0; i < m; i++) {
    double s = -b[i];
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * w[j];
    for (int j = 0; j < n; j++)
      w[j] -= rate * s * a[i * n + j]; // <-
  }
}

void descent_cured(int n, int m, double rate, const double *restrict a, const double *restrict b, double *restrict w,
                   double *restrict s) {
  for (int i = 0; i < m; i++) {
    double sum = -b[i];
    for (int j = 0; j < n; j++)
      sum += a[i * n + j] * w[j];
    s[i] = sum;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      w[j] -= rate * s[i] * a[i * n + j];
}

// EXPECT Branch: not all steps are made
void positive(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      if (x[j] > 0) // <-
        s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

void positive_cured(int n, const double *restrict a, const double *restrict x, double *restrict y,
                    double *restrict chosen) {
  for (int j = 0; j < n; j++)
    chosen[j] = x[j] > 0 ? x[j] : 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * chosen[j];
    y[i] = s;
  }
}

// EXPECT EarlyExit: a loop that may end before its end
void stops(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) {
      if (x[j] < 0) // <-
        break;
      s += a[i * n + j] * x[j];
    }
    y[i] = s;
  }
}

void stops_cured(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  int end = 0;
  while (end < n && x[end] >= 0)
    end++;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < end; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

//===--- Sums. ------------------------------------------------------------===//

// EXPECT Compensated: Kahan's sum
void kahan(int n, const float *a, const float *b, float *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0, lost = 0;
      for (int k = 0; k < n; k++) {
        float y = a[i * n + k] * b[k * n + j] - lost;
        float t = s + y;
        lost = (t - s) - y; // <-
        s = t;
      }
      c[i * n + j] = s;
    }
}

void kahan_cured(int n, const float *a, const float *b, float *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += (double)a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Compensated: Neumaier's
void neumaier(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0, lost = 0;
      for (int k = 0; k < n; k++) {
        double x = a[i * n + k] * b[k * n + j];
        double t = s + x;
        lost += fabs(s) >= fabs(x) ? (s - t) + x : (x - t) + s; // <-
        s = t;
      }
      c[i * n + j] = s + lost;
    }
}

void neumaier_cured(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT NotProduct: the third factor does not change with k
void third_factor(int n, const double *a, const double *b, const double *restrict d, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j] * d[i * n + j]; // <-
      c[i * n + j] = s;
    }
}

void third_factor_cured(int n, const double *a, const double *b, const double *restrict d, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s * d[i * n + j];
    }
}

//===--- Rows of different lengths. ---------------------------------------===//

// EXPECT Sparse: a sparse matrix times a full one
void sparse(int n, int m, const int *restrict start, const int *restrict column, const double *restrict value,
            const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int p = start[i]; p < start[i + 1]; p++)
      for (int j = 0; j < m; j++)
        c[i * m + j] += value[p] * b[column[p] * m + j]; // <-
}

void sparse_cured(int n, int m, const int *restrict start, const int *restrict column, const double *restrict value,
                  const double *restrict b, double *restrict c, double *restrict full) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++)
      full[i * n + k] = 0;
    for (int p = start[i]; p < start[i + 1]; p++)
      full[i * n + column[p]] = value[p];
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < m; j++)
        c[i * m + j] += full[i * n + k] * b[k * m + j];
}

// EXPECT BoundVaries: each row has a length of its own
void ragged(int n, int m, const int *restrict length, const double *restrict a, const double *restrict b,
            double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < length[i]; k++) // <-
        s += a[i * n + k] * b[k * m + j];
      c[i * m + j] = s;
    }
}

void ragged_cured(int n, int m, const int *restrict length, double *restrict a, const double *restrict b,
                  double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int k = length[i]; k < n; k++)
      a[i * n + k] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * m + j];
      c[i * m + j] = s;
    }
}

// EXPECT StackArray: an array of variable length for each row
void variable_array(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++) {
    double scaled[n]; // <-
    for (int k = 0; k < n; k++)
      scaled[k] = a[i * n + k] * 2;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += scaled[k] * b[k * n + j];
  }
}

void variable_array_cured(int n, const double *a, const double *b, double *c) {
  double scaled[n];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++)
      scaled[k] = a[i * n + k] * 2;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += scaled[k] * b[k * n + j];
  }
}

// EXPECT InnerSum: the sum of the squares of sums, which start from the number of the row
double residual(int n, const double *restrict a, const double *restrict b, const double *restrict x) {
  double r = 0;
  for (int i = 0; i < n; i++) {
    double s = b[i] - i;
    for (int j = 0; j < n; j++)
      s -= a[i * n + j] * x[j];
    r += s * s; // <-
  }
  return r;
}

double residual_cured(int n, const double *restrict a, const double *restrict b, const double *restrict x,
                      double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i] - i;
    for (int j = 0; j < n; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s;
  }
  double r = 0;
  for (int i = 0; i < n; i++)
    r += y[i] * y[i];
  return r;
}

// EXPECT ScaledGroups: weights with a zero point for each group, subtracted in each step
void quantised(int n, int m, const unsigned char *restrict w, const int *restrict zeros, const float *restrict scales,
               const signed char *restrict q, float *restrict y) {
  for (int i = 0; i < m; i++) {
    float s = 0;
    for (int g = 0; g < n; g++) {
      int group = 0;
      for (int k = 0; k < 64; k++)
        group += (w[(i * n + g) * 64 + k] - zeros[i * n + g]) * q[g * 64 + k];
      s += (float)group * scales[i * n + g]; // <-
    }
    y[i] = s;
  }
}

void quantised_cured(int n, int m, const unsigned char *restrict w, const int *restrict zeros,
                     const float *restrict scales, const signed char *restrict q, const int *restrict sumsOfQ,
                     float *restrict y) {
  for (int i = 0; i < m; i++) {
    float s = 0;
    for (int g = 0; g < n; g++) {
      int group = 0;
      for (int k = 0; k < 64; k++)
        group += w[(i * n + g) * 64 + k] * q[g * 64 + k];
      s += (float)(group - zeros[i * n + g] * sumsOfQ[g]) * scales[i * n + g];
    }
    y[i] = s;
  }
}

// EXPECT Call: a function of each sum that is not seen
void call(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * x[j];
    y[i] = unseen(s); // <-
  }
}

void call_cured(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
  for (int i = 0; i < n; i++)
    y[i] = unseen(y[i]);
}
