//===- vectors.c - two loops are a matrix times a vector ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Whichever factor is the matrix, it is A, and nothing moves along n.

// DEFINE: %{source} = %clang -O1 -S -emit-llvm %s
// RUN: %{source} -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK-LABEL: function 'by_rows'
// CHECK:       GEMV f64 (A row-major), MxK at run time
void by_rows(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'vector_first'
// CHECK:       GEMV f32 (A column-major), MxK at run time
void vector_first(long m, long n, const float *a, const float *x, float *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += x[2 * k] * a[k * m + i];
}

// CHECK-LABEL: function 'by_columns'
// CHECK:       GEMV f64 (A row-major), 100x200
double A[100][200];
void by_columns(const double *restrict x, double *restrict y) {
  for (long k = 0; k < 200; k++)
    for (long i = 0; i < 100; i++)
      y[i] += A[i][k] * x[k];
}

// CHECK-LABEL: function 'strided'
// CHECK:       GEMV f64 (A strided)
void strided(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] -= a[(i * n + k) * 2] * x[k];
}

// Rows and steps of several loops each.
// CHECK-LABEL: function 'several_loops'
// CHECK:       GEMV f64 (A row-major)
void several_loops(const double a[restrict 20][30][40][50],
                   const double x[restrict 40][50], double y[restrict 20][30]) {
  for (long i = 0; i < 20; i++)
    for (long j = 0; j < 30; j++) {
      double s = 0;
      for (long k = 0; k < 40; k++)
        for (long l = 0; l < 50; l++)
          s += a[i][j][k][l] * x[k][l];
      y[i][j] = s;
    }
}

// A loop around it, of which each iteration needs the one before.
// CHECK-LABEL: function 'in_time'
// CHECK:       GEMV f32 (A row-major)
void in_time(long t, long n, const float *a, float *h) {
  for (long s = 0; s < t; s++)
    for (long i = 0; i < n; i++)
      for (long k = 0; k < n; k++)
        h[(s + 1) * n + i] += a[(s * n + i) * n + k] * h[s * n + k];
}

// A recurrent layer: the same matrix each time, and the vector is the row that
// was made last.
// CHECK-LABEL: function 'recurrent'
// CHECK:       GEMV f32 (A row-major)
void recurrent(long t, long n, const float *w, float *h) {
  for (long s = 0; s < t; s++)
    for (long i = 0; i < n; i++)
      for (long k = 0; k < n; k++)
        h[(s + 1) * n + i] += w[i * n + k] * h[s * n + k];
}

// CHECK-LABEL: function 'recurrent_backwards'
// CHECK:       GEMV f64 (A row-major)
void recurrent_backwards(int t, int n, const double *w, double *h) {
  for (int s = t; s-- > 0;)
    for (int i = 0; i < n; i++) {
      double x = 0;
      for (int k = 0; k < n; k++)
        x += h[(s + 1) * n + k] * w[i * n + k];
      h[s * n + i] = x;
    }
}

// The rows of another matrix are those of a product.
// CHECK-LABEL: function 'other_rows'
// CHECK:       GEMM f32
void other_rows(long t, long n, const float *w, const float *g, float *h) {
  for (long s = 0; s < t; s++)
    for (long i = 0; i < n; i++)
      for (long k = 0; k < n; k++)
        h[(s + 1) * n + i] += w[i * n + k] * g[s * n + k];
}

// The matrix itself is updated.
// CHECK-LABEL: function 'rows_of_matrix'
// CHECK:       not replaced: Recurrence
void rows_of_matrix(long n, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[(i + 1) * n + j] += c[i * n + k] * c[j * n + k];
}

// Two of them in one nest: the chains of the rows are the product, and the
// columns are the rest, of which clang makes vectors.
// CHECK-LABEL: function 'bicg'
// CHECK:       GEMV f64 (A row-major)
void bicg(long m, long n, const double *restrict a, const double *restrict p,
          const double *restrict r, double *restrict q, double *restrict s) {
  for (long i = 0; i < m; i++) {
    q[i] = 0;
    for (long k = 0; k < n; k++) {
      s[k] += r[i] * a[i * n + k];
      q[i] += a[i * n + k] * p[k];
    }
  }
}

// CHECK-LABEL: function 'triangle'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       domain: k <= m + 0{{$}}
// CHECK:       start: c
void triangle(long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k <= i; k++)
      y[i] += a[i * n + k] * x[k];
}

// The first row makes no step, and is stored; without the sum, it is not.
// CHECK-LABEL: function 'strictly_below'
// CHECK:       domain: k <= m + -1, stored where empty
void strictly_below(long n, const double *restrict a, const double *restrict x,
                    double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < i; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'strictly_below_in_memory'
// CHECK:       domain: k <= m + -1{{$}}
void strictly_below_in_memory(long n, const double *a, const double *x,
                              double *y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < i; k++)
      y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL: function 'above_by_columns'
// CHECK:       GEMV f32 (A row-major), MxK at run time
// CHECK:       domain: m <= k + 0{{$}}
void above_by_columns(long n, const float *restrict a, const float *restrict x,
                      float *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i <= k; i++)
      y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL: function 'above_from_bias'
// CHECK:       domain: k >= m + 0{{$}}
// CHECK:       start: c, set by the loops before
void above_from_bias(long n, const double *restrict a, const double *restrict x,
                     const double *restrict bias, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = bias[i];
    for (long k = i; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'triangle_in_table'
// CHECK:       GEMV f64 (A table of rows), MxK at run time
// CHECK:       domain: k <= m + 0{{$}}
void triangle_in_table(long n, double **a, const double *restrict x,
                       double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k <= i; k++)
      s += a[i][k] * x[k];
    y[i] = s;
  }
}

// The sums are kept apart: y is read and written in the loop over k. Then the rest
// is done, a row each time.
// CHECK-LABEL: function 'symmetric_half'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       domain: k <= m + -1{{$}}
// CHECK:       C: base null, stride M 8{{$}}
// CHECK:       sums are kept apart
// CHECK:       after:  store double
// CHECK:       after:  store double
void symmetric_half(long n, const double *restrict a, const double *restrict x,
                    double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < i; k++) {
      y[k] += x[i] * a[i * n + k];
      s += a[i * n + k] * x[k];
    }
    y[i] += s + a[i * n + i] * x[i];
  }
}

// CHECK-LABEL: function 'two_sums'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       sums are kept apart
void two_sums(long n, const double *restrict a, const double *restrict b,
              const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0, t = 0;
    for (long k = 0; k < n; k++) {
      s += a[i * n + k] * x[k];
      t += b[i * n + k] * x[k];
    }
    y[i] = 1.5 * s + 1.2 * t;
  }
}

// A row is longer by two than the one before: no diagonal.
// CHECK-LABEL: function 'steep'
// CHECK:       not replaced: BoundVaries
void steep(long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k <= 2 * i; k++)
      y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL: function 'rows_in_table'
// CHECK:       GEMV f64 (A table of rows), MxK at run time
void rows_in_table(long m, long n, double **a, const double *restrict x,
                   double *restrict y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i][k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'in_place'
// CHECK:       not replaced: Recurrence
void in_place(long n, const double *a, double *x) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      x[i] += a[i * n + k] * x[k];
}

// Rows read what is in front of their own in the order of the loops, as it was.
// CHECK-LABEL: function 'triangle_in_place'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       domain: k >= m + 0
// CHECK:       C: base [[X:%[a-z0-9]+]], stride M 8
// CHECK:       B: base [[X]], stride K 8
void triangle_in_place(long n, const double *a, double *x) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = i; k < n; k++)
      s += a[i * n + k] * x[k];
    x[i] = s;
  }
}

// From the last row, it takes a copy.
// CHECK-LABEL: function 'in_place_from_below'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       B: of C before the nest, from row 0,
void in_place_from_below(long n, const double *a, double *x) {
  for (long i = n - 1; i >= 0; i--) {
    double s = 0;
    for (long k = 0; k <= i; k++)
      s += a[i * n + k] * x[k];
    x[i] = s;
  }
}

// So it does where rows begin with values of their own.
// CHECK-LABEL: function 'diagonal_first'
// CHECK:       B: of C before the nest, from row 1,
// CHECK:       start: c, set by the loops before
void diagonal_first(long n, const double *a, double *x) {
  for (long i = 0; i < n; i++) {
    double s = x[i] * a[i * n + i];
    for (long k = i + 1; k < n; k++)
      s += a[i * n + k] * x[k];
    x[i] = s;
  }
}

// The same rows in the other order are those that are new.
// CHECK-LABEL: function 'upper_from_below'
// CHECK:       not replaced: Substitution
void upper_from_below(long n, const double *a, double *x) {
  for (long i = n - 1; i >= 0; i--) {
    double s = 0;
    for (long k = i; k < n; k++)
      s += a[i * n + k] * x[k];
    x[i] = s;
  }
}

// CHECK-LABEL: function 'band'
// CHECK:       not replaced: Band
void band(long n, long w, const double *a, const double *x, double *y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = i < w ? 0 : i - w; k < (i + w < n ? i + w + 1 : n); k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'outer_product'
// CHECK:       not replaced: RankUpdate
void outer_product(long m, long n, double *a, const double *x, const double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      a[i * n + k] += x[i] * y[k];
}

// CHECK-LABEL: function 'zeros_skipped'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       B: {{.*}}not zero
void zeros_skipped(long m, long n, const double *restrict a,
                   const double *restrict x, double *restrict y) {
  for (long k = 0; k < n; k++)
    if (x[k] != 0)
      for (long i = 0; i < m; i++)
        y[i] += a[i * n + k] * x[k];
}

// The sums of the rows are used with the rows: the same, transposed.
// CHECK-LABEL: function 'times_sums'
// CHECK:       GEMV f64 (A row-major), MxK at run time
// CHECK:       transposed, of the sums: C: base %{{.*}}, stride K 8
void times_sums(long m, long n, const double *restrict a, const double *restrict x,
                double *restrict y, double *restrict t) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    t[i] = s;
    for (long k = 0; k < n; k++)
      y[k] += a[i * n + k] * s;
  }
}

// Others are part of the rest: of another number of elements, of sums that are changed, and
// where the rest reads what comes out.
// CHECK-LABEL: function 'times_some'
// CHECK:       GEMV f64
// CHECK-NOT:   transposed
void times_some(long m, long n, const double *restrict a, const double *restrict x,
                double *restrict y, double *restrict t) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    t[i] = s;
    for (long k = 1; k < n; k++)
      y[k] += a[i * n + k] * s;
  }
}

// CHECK-LABEL: function 'times_more'
// CHECK:       GEMV f64
// CHECK-NOT:   transposed
void times_more(long m, long n, const double *restrict a, const double *restrict x,
                double *restrict y, double *restrict t) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    t[i] = s;
    for (long k = 0; k < n; k++)
      y[k] += a[i * n + k] * (s + t[i + m]);
  }
}

// CHECK-LABEL: function 'times_sums_and_read'
// CHECK:       GEMV f64
// CHECK-NOT:   transposed
void times_sums_and_read(long m, long n, const double *restrict a, const double *restrict x,
                         double *restrict y, double *restrict t) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    t[i] = s;
    for (long k = 0; k < n; k++)
      y[k] += a[i * n + k] * s;
    t[i + m] = y[0];
  }
}
