//===- f2c-symm.c - SYMM from the left, by f2c ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop over k makes two products, and beta is asked for behind it, in each row. What is left over of the first one has
// a copy for each answer, in which the sums of the other go on to be stored. No pointer is restrict: also where C overlaps
// A or B, or holds alpha or beta.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{compile} = %clang %{flags} -w %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s && %{compare}
// RUN: %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -O3 -march=haswell -ffp-contract=off
// RUN: %if native-avx2 %{ %{compile} -o %t.plain && %t.plain > %t.expected %}
// RUN: %if native-avx2 %{ %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare} %}
//
// CHECK-COUNT-2: replaced 3-loop nest by TRMM f64 {{.*}}, with an epilogue

#include <math.h>
#include <stdio.h>

typedef int integer;
typedef double doublereal;

#define SYMM(NAME, ROWS, BEFORE, STEPS)                                                                                \
  __attribute__((noinline)) static int NAME(integer *m, integer *n, doublereal *alpha, doublereal *a, integer *lda,    \
                                            doublereal *b, integer *ldb, doublereal *beta, doublereal *c__,            \
                                            integer *ldc) {                                                            \
    integer a_dim1 = *lda, b_dim1 = *ldb, c_dim1 = *ldc, i__1, i__2, i__3, i__, j, k;                                  \
    doublereal temp1, temp2;                                                                                           \
    a -= 1 + a_dim1;                                                                                                   \
    b -= 1 + b_dim1;                                                                                                   \
    c__ -= 1 + c_dim1;                                                                                                 \
    i__1 = *n;                                                                                                         \
    for (j = 1; j <= i__1; ++j) {                                                                                      \
      i__2 = *m;                                                                                                       \
      for (ROWS) {                                                                                                     \
        temp1 = *alpha * b[i__ + j * b_dim1];                                                                          \
        temp2 = 0.;                                                                                                    \
        BEFORE;                                                                                                        \
        for (STEPS) {                                                                                                  \
          c__[k + j * c_dim1] += temp1 * a[k + i__ * a_dim1];                                                          \
          temp2 += b[k + j * b_dim1] * a[k + i__ * a_dim1];                                                            \
        }                                                                                                              \
        if (*beta == 0.)                                                                                               \
          c__[i__ + j * c_dim1] = temp1 * a[i__ + i__ * a_dim1] + *alpha * temp2;                                      \
        else                                                                                                           \
          c__[i__ + j * c_dim1] = *beta * c__[i__ + j * c_dim1] + temp1 * a[i__ + i__ * a_dim1] + *alpha * temp2;      \
      }                                                                                                                \
    }                                                                                                                  \
    return 0;                                                                                                          \
  }

SYMM(upper, i__ = 1; i__ <= i__2; ++i__, i__3 = i__ - 1, k = 1; k <= i__3; ++k)
SYMM(lower, i__ = *m; i__ >= 1; --i__, i__3 = *m, k = i__ + 1; k <= i__3; ++k)

enum { M = 61, N = 29, LD = 67, Size = LD * LD };
static double all[3 * Size];

/// B and C, so many elements before the ends of the matrices in front of them.
static void run(integer m, integer n, double alpha, double beta, long shiftB, long shiftC, int inC) {
  for (int f = 0; f < 2; f++) {
    double *a = all, *b = all + Size - shiftB, *c = all + 2 * Size - shiftC;
    integer ld = LD;
    for (int i = 0; i < 3 * Size; i++)
      all[i] = i % 61 ? (i * 7 % 11 - i % 97 * .03) / 8 : i % 2 ? -0.0 : NAN;
    if (inC)
      c[LD + 3] = inC == 1 ? alpha : beta;
    (f ? lower : upper)(&m, &n, inC == 1 ? c + LD + 3 : &alpha, a, &ld, b, &ld, inC == 2 ? c + LD + 3 : &beta, c, &ld);
    for (int i = 0; i < 3 * Size; i++)
      printf("%a\n", isnan(all[i]) ? NAN : all[i]);
  }
}

int main(void) {
  for (integer m = 0; m <= M; m += m < 2 ? 1 : 59)
    for (integer n = 0; n <= N; n += n < 2 ? 1 : 27)
      for (int beta = 0; beta < 3; beta++)
        run(m, n, -.3, beta * .5, 0, 0, 0);
  run(M, N, NAN, .5, 0, 0, 0);
  run(M, N, .5, .5, 0, LD, 0);
  run(M, N, .5, 0, 0, Size, 0);
  run(M, N, .5, .25, LD, 0, 0);
  run(M, N, .5, .5, Size, Size, 0);
  run(M, N, .5, .5, 0, 2 * Size, 0);
  for (int inC = 1; inC < 3; inC++) {
    run(M, N, .5, .5, 0, 0, inC);
    run(M, N, .5, 0, 0, 0, inC);
  }
}
