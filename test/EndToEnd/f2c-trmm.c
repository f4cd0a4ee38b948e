//===- f2c-trmm.c - TRMM, by f2c ------------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As f2c writes it: no pointer is restrict, all begin one row and column in front of their arrays, the number of rows is
// loaded in each column, and whether the diagonal is one is asked there. Columns are scaled in front of the steps, or
// behind them and only where the scale is not one: then the number of rows may not be loaded at all. The loop over
// columns may be left where there is only one, with rows or without. From the left, the last row is left without steps,
// or stored twice in front of them, the second time with an element that it might overlap.
// Also where B overlaps A, or holds alpha.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{compile} = %clang %{flags} -w %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s && %{compare}
// RUN: %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s && %{compare}
//
// CHECK-COUNT-7: replaced 3-loop nest by TRMM f64

#include <math.h>
#include <stdio.h>

typedef int integer;
typedef double doublereal;

#define TRMM(NAME, BODY)                                                                                               \
  __attribute__((noinline)) static int NAME(integer nounit, integer *m, integer *n, doublereal *alpha, doublereal *a,  \
                                            integer *lda, doublereal *b, integer *ldb) {                               \
    integer a_dim1 = *lda, b_dim1 = *ldb, a_offset = 1 + a_dim1, b_offset = 1 + b_dim1, i__1, i__2, i__3;              \
    integer i__, j, k;                                                                                                 \
    doublereal temp;                                                                                                   \
    a -= a_offset;                                                                                                     \
    b -= b_offset;                                                                                                     \
    BODY                                                                                                               \
    return 0;                                                                                                          \
  }
#define ADD(TO, FROM)                                                                                                  \
  {                                                                                                                    \
    i__3 = *m;                                                                                                         \
    for (i__ = 1; i__ <= i__3; ++i__)                                                                                  \
      b[i__ + (TO)*b_dim1] += temp * b[i__ + (FROM)*b_dim1];                                                           \
  }
#define SCALE(OF)                                                                                                      \
  {                                                                                                                    \
    i__2 = *m;                                                                                                         \
    for (i__ = 1; i__ <= i__2; ++i__)                                                                                  \
      b[i__ + (OF)*b_dim1] = temp * b[i__ + (OF)*b_dim1];                                                              \
  }
#define DIAGONAL(OF)                                                                                                   \
  {                                                                                                                    \
    temp = *alpha;                                                                                                     \
    if (nounit)                                                                                                        \
      temp *= a[(OF) + (OF)*a_dim1];                                                                                   \
  }

TRMM(run, {
  for (j = *n; j >= 1; --j) {
    DIAGONAL(j)
    SCALE(j)
    i__1 = j - 1;
    for (k = 1; k <= i__1; ++k) {
      temp = *alpha * a[k + j * a_dim1];
      ADD(j, k)
    }
  }
})
// What clang knows of the number of rows is not what it knows of that of columns.
TRMM(left, {
  if (*n < 1)
    return 0;
  for (j = *n; j >= 1; --j) {
    DIAGONAL(j)
    if (*m > 0)
      SCALE(j)
    if (j == 1)
      break;
    i__1 = j - 1;
    for (k = 1; k <= i__1; ++k) {
      temp = *alpha * a[k + j * a_dim1];
      ADD(j, k)
    }
  }
})
TRMM(rln, {
  i__1 = *n;
  for (j = 1; j <= i__1; ++j) {
    DIAGONAL(j)
    SCALE(j)
    i__2 = *n;
    for (k = j + 1; k <= i__2; ++k) {
      temp = *alpha * a[k + j * a_dim1];
      ADD(j, k)
    }
  }
})
TRMM(rut, {
  i__1 = *n;
  for (k = 1; k <= i__1; ++k) {
    i__2 = k - 1;
    for (j = 1; j <= i__2; ++j) {
      temp = *alpha * a[j + k * a_dim1];
      ADD(j, k)
    }
    DIAGONAL(k)
    if (temp != 1.)
      SCALE(k)
  }
})
TRMM(rlt, {
  for (k = *n; k >= 1; --k) {
    i__1 = *n;
    for (j = k + 1; j <= i__1; ++j) {
      temp = *alpha * a[j + k * a_dim1];
      ADD(j, k)
    }
    DIAGONAL(k)
    if (temp != 1.)
      SCALE(k)
  }
})
// From the left: the last row has no steps, and alpha is loaded for each element.
TRMM(lut, {
  i__1 = *n;
  for (j = 1; j <= i__1; ++j)
    for (i__ = *m; i__ >= 1; --i__) {
      temp = b[i__ + j * b_dim1];
      if (nounit)
        temp *= a[i__ + i__ * a_dim1];
      i__2 = i__ - 1;
      for (k = 1; k <= i__2; ++k)
        temp += a[k + i__ * a_dim1] * b[k + j * b_dim1];
      b[i__ + j * b_dim1] = *alpha * temp;
    }
})

TRMM(lln, {
  i__1 = *n;
  for (j = 1; j <= i__1; ++j)
    for (k = *m; k >= 1; --k) {
      temp = *alpha * b[k + j * b_dim1];
      b[k + j * b_dim1] = temp;
      if (nounit)
        b[k + j * b_dim1] *= a[k + k * a_dim1];
      i__2 = *m;
      for (i__ = k + 1; i__ <= i__2; ++i__)
        b[i__ + j * b_dim1] += temp * a[i__ + k * a_dim1];
    }
})

enum { M = 33, N = 29, LD = 35 };
static double all[2 * LD * LD];

static void run_all(integer m, integer n, integer nounit, double with, long shift, int inB) {
  static int (*const Trmm[])(integer, integer *, integer *, doublereal *, doublereal *, integer *, doublereal *,
                             integer *) = {run, left, rln, rut, rlt, lut, lln};
  for (int f = 0; f < 7; f++) {
    double *a = all, *b = all + LD * LD - shift, alpha = with;
    integer ld = LD;
    for (int i = 0; i < 2 * LD * LD; i++)
      all[i] = i % 61 ? (i * 7 % 11 - i % 97 * .03) / 8 : i % 2 ? -0.0 : NAN;
    for (int i = 0; i < LD; i += 3)
      all[i + i * LD] = 1;
    if (inB)
      b[LD + 3] = with;
    Trmm[f](nounit, &m, &n, inB ? b + LD + 3 : &alpha, a, &ld, b, &ld);
    for (int i = 0; i < 2 * LD * LD; i++)
      printf("%a\n", isnan(all[i]) ? NAN : all[i]);
  }
}

int main(void) {
  for (integer m = 0; m <= M; m += m < 2 ? 1 : 31)
    for (integer n = 0; n <= N; n += n < 3 ? 1 : 13)
      for (integer nounit = 0; nounit < 2; nounit++) {
        run_all(m, n, nounit, -.3, 0, 0);
        run_all(m, n, nounit, 1, 0, 0);
      }
  run_all(M, N, 1, NAN, 0, 0);
  run_all(M, N, 0, .5, LD, 0);
  run_all(M, N, 1, .5, LD * LD, 0);
  run_all(M, N, 1, .5, 0, 1);
  run_all(M, N, 0, 1, 0, 1);
}
