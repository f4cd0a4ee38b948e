// A triangular factor in place: each row becomes a sum of rows that have not
// been stored yet, itself perhaps among them.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// DEFINE: %{ours} = %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.ours
// RUN: %{ours} 2>&1 | FileCheck %s
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %{ours} -mllvm -tilesmith-mc=8 -mllvm -tilesmith-nc=12 -mllvm -tilesmith-kc=5
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// CHECK-COUNT-8: replaced 3-loop nest by TRMM f64
// CHECK: replaced 3-loop nest by GEMM f64
// CHECK-COUNT-4: replaced 3-loop nest by TRMM f64
// CHECK-NOT: replaced 3-loop nest
#include <stdio.h>
#include <stdlib.h>

typedef void Product(long m, long n, double alpha, const double *a, double *c, long ldc);
#define PRODUCT(Name)                                                                                     \
  __attribute__((noinline)) static void Name(long m, long n, double alpha, const double *a, double *c, long ldc)

PRODUCT(with_diagonal) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = i; k < m; k++)
        s += a[i * m + k] * c[k * ldc + j];
      c[i * ldc + j] = s;
    }
}

PRODUCT(by_columns) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      double s = 0;
      for (long k = i; k < m; k++)
        s += a[k * m + i] * c[k + j * ldc];
      c[i + j * ldc] = alpha * s;
    }
}

PRODUCT(from_element) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = c[i * ldc + j];
      for (long k = i; k < m; k++)
        s += a[i * m + k] * c[k * ldc + j];
      c[i * ldc + j] = s;
    }
}

PRODUCT(scaled_element) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = alpha * c[i * ldc + j];
      for (long k = i; k < m; k++)
        s += a[i * m + k] * c[k * ldc + j];
      c[i * ldc + j] = s - c[i * ldc + j];
    }
}

PRODUCT(from_right) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = j; k < n; k++)
        s += c[i * ldc + k] * a[k * n + j];
      c[i * ldc + j] = s;
    }
}

// The last row, which is only read, is the first of the next column if ldc is m - 1.
PRODUCT(strict) {
  for (long i = 0; i < m - 1; i++)
    for (long j = 0; j < n; j++)
      for (long k = i + 1; k < m; k++)
        c[i + j * ldc] += a[i * m + k] * c[k + j * ldc];
}

PRODUCT(strict_from_zero) {
  for (long i = 0; i < m - 1; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = i + 1; k < m; k++)
        s += a[i * m + k] * c[k + j * ldc];
      c[i + j * ldc] = s;
    }
}

PRODUCT(diagonal_first) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      c[i * ldc + j] *= a[i * m + i];
    for (long k = i + 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

PRODUCT(first_step_first) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      c[(m + i) * ldc + j] = a[i * m] * c[j];
    for (long k = 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[(m + i) * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

// All rows are scaled before any is read, so these are not replaced as such.
PRODUCT(scaled_ahead) {
  for (long j = 0; j < n; j++) {
    for (long i = 0; i < m - 1; i++)
      c[i * ldc + j] = alpha * c[i * ldc + j];
    for (long i = 0; i < m - 1; i++)
      for (long k = i + 1; k < m; k++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

PRODUCT(diagonal_ahead) {
  for (long j = 0; j < n; j++) {
    for (long i = 0; i < m; i++)
      c[i * ldc + j] *= a[i * m + i];
    for (long i = 0; i < m; i++)
      for (long k = i + 1; k < m; k++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

PRODUCT(scaled_in_turn) {
  for (long i = 0; i < m - 1; i++) {
    for (long j = 0; j < n; j++)
      c[i * ldc + j] = alpha * c[i * ldc + j];
    for (long k = i + 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

// The first store is not of one more step.
PRODUCT(other_element_first) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      c[i * ldc + j] *= a[i * m];
    for (long k = i + 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

PRODUCT(diagonal_then_subtracted) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      c[i * ldc + j] *= a[i * m + i];
    for (long k = i + 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] -= a[i * m + k] * c[k * ldc + j];
  }
}

PRODUCT(diagonal_of_some) {
  for (long i = 0; i < m; i++) {
    if (i + 1 < m)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] *= a[i * m + i];
    for (long k = i + 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

enum { Room = 140 * 70 };
static double a[Room], c[Room];

int main(void) {
  Product *products[] = {with_diagonal,    by_columns,       from_element,   scaled_element,
                         from_right,       strict,           strict_from_zero, diagonal_first,
                         first_step_first, scaled_ahead,     diagonal_ahead, scaled_in_turn,
                         other_element_first, diagonal_then_subtracted, diagonal_of_some};
  long sizes[][2] = {{1, 1}, {2, 3}, {7, 5}, {5, 7}, {24, 24}, {33, 41}, {64, 50}};
  for (int p = 0; p < 15; p++)
    for (int s = 0; s < 7; s++)
      for (int pad = -1; pad < 3; pad++) {
        long m = sizes[s][0], n = sizes[s][1], ldc = (m > n ? m : n) + pad;
        if (ldc < 1)
          continue;
        srand48(s);
        for (int i = 0; i < Room; i++) {
          a[i] = drand48() - 0.5;
          c[i] = drand48();
        }
        products[p](m, n, 0.7, a, c, ldc);
        double sum = 0;
        for (int i = 0; i < Room; i++)
          sum += (i % 17 + 1) * c[i];
        printf("%d %ld %ld %ld: %a\n", p, m, n, ldc, sum);
      }
}
