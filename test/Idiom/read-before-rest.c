// A triangular factor whose rows the rest of the nest changes, once the product
// has read them.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// DEFINE: %{ours} = %clang -O2 -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t.ours
// DEFINE: %{compare} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.got && cmp %t.expected %t.got && FileCheck %s < %t.counts --implicit-check-not=': wrong_direction' --implicit-check-not=': wrong_by'
// RUN: %{ours} && %{compare}
// RUN: %{ours} -mllvm -tilesmith-mc=8 -mllvm -tilesmith-nc=12 -mllvm -tilesmith-kc=5 && %{compare}
// CHECK: {{^[1-9].*}}: scaled_after: TRMM
// CHECK: {{^[1-9].*}}: scaled_after_from_right: TRMM
// CHECK: {{^[1-9].*}}: from_last_row: TRMM
// CHECK: {{^[1-9].*}}: from_last_row_of_columns: TRMM
// CHECK: {{^[1-9].*}}: from_last_column: TRMM
// CHECK: {{^[1-9].*}}: strictly_from_last_row: TRMM
// CHECK: {{^[1-9].*}}: factor_itself: TRMM
#include <stdio.h>
#include <stdlib.h>

typedef void Product(long m, long n, double alpha, const double *a, double *b, double *c, long ld);
#define PRODUCT(Name)                                                                                                  \
  __attribute__((noinline)) static void Name(long m, long n, double alpha, const double *a, double *b, double *c, long ld)

// As in PolyBench: the last row is scaled, too, though nothing is added to it.
PRODUCT(scaled_after) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      for (long k = i + 1; k < m; k++)
        b[i * ld + j] += a[k * m + i] * b[k * ld + j];
      b[i * ld + j] = alpha * b[i * ld + j];
    }
}

PRODUCT(scaled_after_from_right) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      for (long k = j + 1; k < n; k++)
        b[i * ld + j] += b[i * ld + k] * a[k * n + j];
      b[i * ld + j] = alpha * b[i * ld + j];
    }
}

PRODUCT(from_last_row) {
  for (long i = m - 1; i >= 0; i--)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k <= i; k++)
        s += a[i * m + k] * b[k * ld + j];
      b[i * ld + j] = alpha * s;
    }
}

PRODUCT(from_last_row_of_columns) {
  for (long j = 0; j < n; j++)
    for (long i = m - 1; i >= 0; i--) {
      double s = 0;
      for (long k = 0; k <= i; k++)
        s += a[i + k * m] * b[k + j * ld];
      b[i + j * ld] = alpha * s;
    }
}

PRODUCT(from_last_column) {
  for (long j = n - 1; j >= 0; j--)
    for (long i = 0; i < m; i++) {
      double s = 0;
      for (long k = 0; k <= j; k++)
        s += b[i * ld + k] * a[k * n + j];
      b[i * ld + j] = s;
    }
}

PRODUCT(strictly_from_last_row) {
  for (long i = m - 1; i > 0; i--)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < i; k++)
        s += a[i * m + k] * b[k * ld + j];
      b[i * ld + j] += alpha * s;
    }
}

// Not in place: the rows of the factor are changed one by one.
PRODUCT(factor_itself) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = i; k < m; k++)
        s += a[i * m + k] * b[k * ld + j];
      c[i * ld + j] += s;
      b[i * ld + j] = alpha * s;
    }
}

// Rows are read that have been changed: no product.

PRODUCT(wrong_direction) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k <= i; k++)
        s += a[i * m + k] * b[k * ld + j];
      b[i * ld + j] = alpha * s;
    }
}

PRODUCT(wrong_direction_up) {
  for (long i = m - 1; i >= 0; i--)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = i; k < m; k++)
        s += a[i * m + k] * b[k * ld + j];
      b[i * ld + j] = alpha * s;
    }
}

PRODUCT(wrong_by_one_row) {
  for (long i = m - 2; i >= 0; i--)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k <= i + 1; k++)
        s += a[i * m + k] * b[k * ld + j];
      b[i * ld + j] = alpha * s;
    }
}

PRODUCT(wrong_by_one_row_up) {
  for (long i = 1; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = i - 1; k < m; k++)
        s += a[i * m + k] * b[k * ld + j];
      c[i * ld + j] += s;
      b[i * ld + j] = alpha * s;
    }
}

// The guard lets single rows through.
PRODUCT(wrong_order) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      b[i * ld + j] = alpha * b[i * ld + j];
      double s = 0;
      for (long k = i; k < m; k++)
        s += a[i * m + k] * b[k * ld + j];
      c[i * ld + j] += s;
    }
}

enum { Room = 140 * 70 };
static double a[Room], b[Room], c[Room];

int main(void) {
  Product *products[] = {scaled_after,
                         scaled_after_from_right,
                         from_last_row,
                         from_last_row_of_columns,
                         from_last_column,
                         strictly_from_last_row,
                         factor_itself,
                         wrong_direction,
                         wrong_direction_up,
                         wrong_by_one_row,
                         wrong_by_one_row_up,
                         wrong_order};
  long sizes[][2] = {{1, 1}, {2, 3}, {7, 5}, {5, 7}, {24, 24}, {33, 41}, {64, 50}};
  for (int p = 0; p < sizeof products / sizeof *products; p++)
    for (int s = 0; s < 7; s++)
      // Rows, or columns, may overlap.
      for (int pad = -2; pad < 3; pad++) {
        long m = sizes[s][0], n = sizes[s][1];
        long ld = (p == 3 ? m : n) + pad;
        if (ld < 1)
          continue;
        srand48(s);
        for (int i = 0; i < Room; i++) {
          a[i] = drand48() - 0.5;
          b[i] = drand48();
          c[i] = drand48();
        }
        products[p](m, n, 0.7, a, b, c, ld);
        double sum = 0;
        for (int i = 0; i < Room; i++)
          sum += (i % 17 + 1) * (b[i] + 3 * c[i]);
        printf("%d %ld %ld %ld: %a\n", p, m, n, ld, sum);
      }
}
