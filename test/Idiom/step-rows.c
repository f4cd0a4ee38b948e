//===- step-rows.c - rows that start in the step of their number ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With the loop over k outside, step k may store to row k what its sums start
// from; but not to another row, nor if the row is still read as a factor.
//
// RUN: %clang -O1 -S -emit-llvm %s -o - | %opt -passes='print<tilesmith-idioms>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: function 'upper'
// CHECK:       domain: n <= k + -1, stored where empty
// CHECK:       X: base %{{.*}}, stride N (8 + 
// CHECK:       start: fmul(fmul(%{{.*}}, c), x), with further operands
// CHECK:       finish: sum
// CHECK-NOT:   before:
void upper(long m, long n, double x, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < m; k++) {
      double t = x * b[k + j * m];
      for (long i = 0; i < k; i++)
        b[i + j * m] += t * a[i + k * m];
      b[k + j * m] = t * a[k + k * m];
    }
}

// CHECK-LABEL: function 'lower'
// CHECK:       domain: n <= k + -1, stored where empty
// CHECK:       start: fmul(%{{.*}}, c)
// CHECK-NOT:   before:
void lower(long m, long n, double x, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long k = m - 1; k >= 0; k--) {
      double t = x * b[k + j * m];
      b[k + j * m] = t;
      for (long i = k + 1; i < m; i++)
        b[i + j * m] += t * a[i + k * m];
    }
}

// A loop of its own may store it in front of the steps, of further operands.
// CHECK-LABEL: function 'rows_first'
// CHECK:       domain: k >= m + 0, stored where empty
// CHECK:       start: fmul(fmul(%{{.*}}, x), c), with further operands
// CHECK-NOT:   before:
// CHECK-LABEL: function 'rows_last'
// CHECK-NOT:   with further operands
void rows_first(long m, long n, double x, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = 0; j < m; j++) {
    double t = x * d[j];
    for (long i = 0; i < n; i++)
      b[i + j * n] *= t;
    for (long k = j + 1; k < m; k++)
      for (long i = 0; i < n; i++)
        b[i + j * n] += a[j + k * m] * b[i + k * n];
  }
}
void rows_last(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = 0; j < m; j++) {
    for (long k = j + 1; k < m; k++)
      for (long i = 0; i < n; i++)
        b[i + j * n] += a[j + k * m] * b[i + k * n];
    for (long i = 0; i < n; i++)
      b[i + j * n] *= d[j];
  }
}

// Behind the steps, too, if each scales the row of its own number, which has
// been read by then; where the scale is one, there is nothing to do.
// CHECK-LABEL: function 'scaled_last'
// CHECK:       domain: m <= k + -1, stored where empty
// CHECK:       C: base %{{.*}}, stride M (8 * %{{.*}}), stride N 8
// CHECK:       start: fmul(x, c), with further operands
// CHECK-NOT:   before:
// CHECK-LABEL: function 'scaled_if_ordered'
// CHECK:       B: of C before the nest
// CHECK-NOT:   packed first
// CHECK:       before: store
// CHECK-LABEL: function 'scaled_unless_two'
// CHECK:       before: store
// CHECK-LABEL: function 'scaled_fewer'
// CHECK-NOT:   with further operands
#define STEPS                                                                                                          \
  for (long j = 0; j < k; j++)                                                                                         \
    for (long i = 0; i < n; i++)                                                                                       \
      b[i + j * n] += a[j + k * m] * b[i + k * n];
void scaled_last(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long k = 0; k < m; k++) {
    STEPS
    double t = d[k];
    if (t != 1)
      for (long i = 0; i < n; i++)
        b[i + k * n] *= t;
  }
}
void scaled_if_ordered(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long k = 0; k < m; k++) {
    STEPS
    double t = d[k];
    if (t < 1 || t > 1)
      for (long i = 0; i < n; i++)
        b[i + k * n] *= t;
  }
}
void scaled_unless_two(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long k = 0; k < m; k++) {
    STEPS
    double t = d[k];
    if (t != 2)
      for (long i = 0; i < n; i++)
        b[i + k * n] *= t;
  }
}
void scaled_fewer(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long k = 0; k < m; k++) {
    STEPS
    double t = d[k];
    for (long i = 0; i < 4; i++)
      b[i + k * n] *= t;
  }
}

// Rows are made from the last one on, of those before: a kernel packs the factor
// before it stores anything, if that is all, and rows start in their turn.
// CHECK-LABEL: function 'last_row_first'
// CHECK:       B: of C before the nest, from row 0, {{.*}}, packed first, stride N (8 * %{{.*}}), stride K 8
// CHECK-LABEL: function 'last_column_first'
// CHECK:       B: of C before the nest, from row 0, {{.*}}, packed first, stride N 8, stride K (8 * %{{.*}})
// CHECK:       start: fmul(x, c), with further operands
// CHECK-NOT:   before:
// CHECK-LABEL: function 'started_before'
// CHECK:       not replaced: Factorisation
void last_row_first(long m, long n, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long i = m - 1; i >= 0; i--)
      for (long k = 0; k < i; k++)
        b[i + j * m] += a[k + i * m] * b[k + j * m];
}
void last_column_first(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = m - 1; j >= 0; j--) {
    double t = d[j];
    for (long i = 0; i < n; i++)
      b[i + j * n] *= t;
    for (long k = 0; k < j; k++)
      for (long i = 0; i < n; i++)
        b[i + j * n] += a[k + j * m] * b[i + k * n];
  }
}
void started_before(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++) {
    for (long i = 0; i < m; i++)
      b[i + j * m] *= d[i];
    for (long i = m - 1; i >= 0; i--)
      for (long k = 0; k < i; k++)
        b[i + j * m] += a[k + i * m] * b[k + j * m];
  }
}

// The row may be added to in the step itself, if that comes behind the store.
// CHECK-LABEL: function 'with_diagonal'
// CHECK:       domain: n <= k + 0{{$}}
// CHECK:       start: fmul(x, x), with further operands
// CHECK-LABEL: function 'behind_diagonal'
// CHECK:       not replaced: OtherStore
void with_diagonal(long m, long n, const double *restrict d, const double *restrict a, const double *restrict b,
                   double *restrict c) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < m; k++) {
      c[k + j * m] = d[k] * b[k + j * m];
      for (long i = 0; i <= k; i++)
        c[i + j * m] += b[k + j * m] * a[i + k * m];
    }
}
void behind_diagonal(long m, long n, const double *restrict d, const double *restrict a, const double *restrict b,
                     double *restrict c) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < m; k++) {
      for (long i = 0; i <= k; i++)
        c[i + j * m] += b[k + j * m] * a[i + k * m];
      c[k + j * m] = d[k] * b[k + j * m];
    }
}

// The row in front has been added to already.
// CHECK-LABEL: function 'row_in_front'
// CHECK:       not replaced: OtherStore
void row_in_front(long m, long n, const double *restrict d, const double *restrict a, const double *restrict b,
                  double *restrict c) {
  for (long j = 0; j < n; j++)
    for (long k = 1; k < m; k++) {
      for (long i = 0; i < k; i++)
        c[i + j * m] += b[k + j * m] * a[i + k * m];
      c[k - 1 + j * m] = d[k] * b[k + j * m];
    }
}

// The factor is the row with its new value.
// CHECK-LABEL: function 'factor_is_new'
// CHECK:       not replaced: OtherStore
void factor_is_new(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < m; k++) {
      b[k + j * m] *= d[k];
      for (long i = 0; i < k; i++)
        b[i + j * m] += b[k + j * m] * a[i + k * m];
    }
}

// Some steps store nothing.
// CHECK-LABEL: function 'some_steps'
// CHECK:       start: c
// CHECK:       before: store
void some_steps(long m, long n, const double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < m; k++) {
      double t = b[k + j * m];
      for (long i = 0; i < k; i++)
        b[i + j * m] += t * a[i + k * m];
      if (k > 3)
        b[k + j * m] = t * d[k];
    }
}
