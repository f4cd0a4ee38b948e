//===- f2c-gemmtr.c - GEMMTR with a transposed factor, by f2c -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As f2c writes it: no pointer is restrict, all begin one row and column in front of their arrays, scalars are
// pointers, and which rows a column has is asked in each column. Also where C overlaps a factor, or holds beta.
//
// RUN: %clang -O3 -march=native -w %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -lm -o %t.tilesmith -Xclang -verify
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -lm -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result

#include <math.h>
#include <stdio.h>

typedef int integer;
typedef double doublereal;

#define GEMMTR(NAME, B)                                                                                                \
  __attribute__((noinline)) static int NAME(integer upper, integer *n, integer *k, doublereal *alpha, doublereal *a,   \
                                            integer *lda, doublereal *b, integer *ldb, doublereal *beta,               \
                                            doublereal *c__, integer *ldc) {                                           \
    integer a_dim1, a_offset, b_dim1, b_offset, c_dim1, c_offset, i__1, i__2, i__3;                                    \
    integer i__, j, l, istart, istop;                                                                                  \
    doublereal temp;                                                                                                   \
    a_dim1 = *lda;                                                                                                     \
    a_offset = 1 + a_dim1;                                                                                             \
    a -= a_offset;                                                                                                     \
    b_dim1 = *ldb;                                                                                                     \
    b_offset = 1 + b_dim1;                                                                                             \
    b -= b_offset;                                                                                                     \
    c_dim1 = *ldc;                                                                                                     \
    c_offset = 1 + c_dim1;                                                                                             \
    c__ -= c_offset;                                                                                                   \
    i__1 = *n;                                                                                                         \
    for (j = 1; j <= i__1; ++j) {                                                                                      \
      if (upper) {                                                                                                     \
        istart = 1;                                                                                                    \
        istop = j;                                                                                                     \
      } else {                                                                                                         \
        istart = j;                                                                                                    \
        istop = *n;                                                                                                    \
      }                                                                                                                \
      i__2 = istop;                                                                                                    \
      for (i__ = istart; i__ <= i__2; ++i__) {                                                                         \
        temp = 0.;                                                                                                     \
        i__3 = *k;                                                                                                     \
        for (l = 1; l <= i__3; ++l)                                                                                    \
          temp += a[l + i__ * a_dim1] * (B);                                                                           \
        if (*beta == 0.)                                                                                               \
          c__[i__ + j * c_dim1] = *alpha * temp;                                                                       \
        else                                                                                                           \
          c__[i__ + j * c_dim1] = *alpha * temp + *beta * c__[i__ + j * c_dim1];                                       \
      }                                                                                                                \
    }                                                                                                                  \
    return 0;                                                                                                          \
  }
GEMMTR(tn, b[l + j * b_dim1]) // expected-remark {{replaced 3-loop nest by triangular GEMM f64}}
GEMMTR(tt, b[j + l * b_dim1]) // expected-remark {{replaced 3-loop nest by triangular GEMM f64}}

enum { N = 33, K = 29, LD = 35 };
static double all[3 * LD * LD];

static void run(integer n, integer k, integer upper, double with, long shift, int inC) {
  double *a = all, *b = all + LD * LD, *c = all + 2 * LD * LD - shift, alpha = .7, beta = with;
  integer ld = LD;
  for (int i = 0; i < 3 * LD * LD; i++)
    all[i] = i % 61 ? i * 7 % 11 - i * .03 : i % 2 ? -0.0 : NAN;
  if (inC)
    c[LD + 3] = with;
  tn(upper, &n, &k, &alpha, a, &ld, b, &ld, inC ? c + LD + 3 : &beta, c, &ld);
  tt(upper, &n, &k, &alpha, a, &ld, b, &ld, inC ? c + LD + 3 : &beta, c, &ld);
  for (int i = 0; i < 3 * LD * LD; i++)
    printf("%a\n", isnan(all[i]) ? NAN : all[i]);
}

int main(void) {
  static const double Betas[] = {0, -.3, 1, NAN};
  for (integer n = 0; n <= N; n += n < 3 ? 1 : 15)
    for (integer k = 0; k <= K; k += k < 2 ? 1 : 27)
      for (integer upper = 0; upper < 2; upper++)
        for (int with = 0; with < 4; with++)
          run(n, k, upper, Betas[with], 0, 0);
  run(N, K, 0, .5, LD, 0);
  run(N, K, 1, .5, LD * LD, 0);
  run(N, K, 1, .5, 0, 1);
  run(N, K, 0, 0, 0, 1);
}
