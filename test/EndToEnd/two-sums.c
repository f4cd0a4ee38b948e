//===- two-sums.c - two sums in one loop over k, SYR2K --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sums of a loop over k are stored together, and beta is asked for in each element. In a copy of the nest for each
// answer, the first sum needs a matrix of its own, and the second one does not: what becomes of both is its epilogue.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{compile} = %clang %{flags} -w %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s && %{compare}
// RUN: %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -O3 -march=haswell -ffp-contract=off
// RUN: %if native-avx2 %{ %{compile} -o %t.plain && %t.plain > %t.expected %}
// RUN: %if native-avx2 %{ %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare} %}
//
// Two loops with two sums, once for each answer, and one with three, where LLVM makes the choice of values.
// CHECK-COUNT-5: replaced 3-loop nest {{.*}}with an epilogue
// CHECK-NOT: with an epilogue

#include <math.h>
#include <stdio.h>

typedef float real;

__attribute__((noinline)) static void upper(int n, int k, real alpha, real *restrict a, real *restrict b, real beta,
                                            real *restrict c, int ld) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      real s = 0, t = 0;
      for (int l = 0; l < k; l++) {
        s += a[l + i * ld] * b[l + j * ld];
        t += b[l + i * ld] * a[l + j * ld];
      }
      if (beta == 0)
        c[i + j * ld] = alpha * s + alpha * t;
      else
        c[i + j * ld] = alpha * s + alpha * t + beta * c[i + j * ld];
    }
}

// As f2c writes it: no pointer is restrict, and beta is in memory.
__attribute__((noinline)) static void lower(int *n, int *k, real *alpha, real *a, real *b, real *beta, real *c,
                                            int *ld) {
  int a_dim1 = *ld, i__1 = *n, i__2, i__3, i, j, l;
  real temp1, temp2;
  a -= 1 + a_dim1;
  b -= 1 + a_dim1;
  c -= 1 + a_dim1;
  for (j = 1; j <= i__1; ++j) {
    i__2 = *n;
    for (i = j; i <= i__2; ++i) {
      temp1 = 0;
      temp2 = 0;
      i__3 = *k;
      for (l = 1; l <= i__3; ++l) {
        temp1 += a[l + i * a_dim1] * b[l + j * a_dim1];
        temp2 += b[l + i * a_dim1] * a[l + j * a_dim1];
      }
      if (*beta == 0.f)
        c[i + j * a_dim1] = *alpha * temp1 + *alpha * temp2;
      else
        c[i + j * a_dim1] = *alpha * temp1 + *alpha * temp2 + *beta * c[i + j * a_dim1];
    }
  }
}

__attribute__((noinline)) static void three(int n, int k, real alpha, real *restrict a, real *restrict b, real beta,
                                            real *restrict c, int ld) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      real s = 0, t = 0, u = 1;
      for (int l = 0; l < k; l++) {
        s += a[i * ld + l] * b[l * ld + j];
        t += b[i * ld + l] * a[l * ld + j];
        u += a[i * ld + l] * a[l * ld + j];
      }
      c[i * ld + j] = beta == 0 ? s - t * u : beta * c[i * ld + j] + s * alpha - t * u;
    }
}

enum { Most = 72, Size = Most * Most + 16 };
static real a[Size], b[Size], c[Size];

static void fill(void) {
  for (int i = 0; i < Size; i++) {
    a[i] = sinf(i) + 1.5f;
    b[i] = cosf(i * 3);
    c[i] = sinf(i * 5);
  }
}

static void print(const real *x) { fwrite(x, sizeof *x, Size, stdout); }

int main(void) {
  const int sizes[][2] = {{1, 1}, {2, 0}, {3, 5}, {8, 4}, {15, 16}, {17, 33}, {48, 65}, {49, 7}, {65, 70}};
  real betas[] = {0, 1, 0.5f, NAN}, alpha = 0.75f;
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int q = 0; q < 4; q++) {
      int n = sizes[s][0], k = sizes[s][1], ld = 71;
      fill();
      upper(n, k, alpha, a, b, betas[q], c, ld);
      print(c);
      lower(&n, &k, &alpha, a, b, &betas[q], c, &ld);
      print(c);
      three(n, k, alpha, a, b, betas[q], c, ld);
      print(c);
      // C is A, holds beta, or begins within B.
      lower(&n, &k, &alpha, a, b, &betas[q], a, &ld);
      print(a);
      lower(&n, &k, &alpha, a, b, &c[3], c, &ld);
      print(c);
      fill();
      lower(&n, &k, &alpha, a, b, &betas[q], b + 3, &ld);
      print(b);
    }
}
