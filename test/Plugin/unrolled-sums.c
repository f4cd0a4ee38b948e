//===- unrolled-sums.c - loops over k that are unrolled -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sum of constant length is one expression, or the function that computes it
// is unrolled before it is inlined.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=native -ffp-contract=off %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -ffp-contract=off -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=native %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=native -ffp-contract=fast %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
//
// Short sums are replaced where that is faster: with wide vectors.
// RUN: %clang -O2 -DLENGTH --target=x86_64-linux-gnu -march=x86-64 -c %s -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW-NOT: replaced 3
// NARROW: remark: matrix product not replaced: the product is too small
// NARROW-NOT: replaced 3
// RUN: %clang -O2 -DLENGTH --target=x86_64-linux-gnu -march=x86-64-v4 -c %s -o /dev/null \
// RUN:   -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: remark: replaced 3-loop nest by GEMM f64
//
// But clang's vectors of such sums are as fast if they are as wide.
// RUN: %clang -O2 -DLENGTH --target=x86_64-linux-gnu -march=x86-64-v4 -mprefer-vector-width=512 -c %s -o /dev/null \
// RUN:   -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=NARROW
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

#ifdef LENGTH
void length(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      s += a[i * 8] * b[j];
      s += a[i * 8 + 1] * b[j + n];
      s += a[i * 8 + 2] * b[j + 2 * n];
      s += a[i * 8 + 3] * b[j + 3 * n];
      s += a[i * 8 + 4] * b[j + 4 * n];
      s += a[i * 8 + 5] * b[j + 5 * n];
      s += a[i * 8 + 6] * b[j + 6 * n];
      s += a[i * 8 + 7] * b[j + 7 * n];
      c[i * n + j] = s;
    }
}
#else

// A function for each caller, so that it is inlined.
#define DOT(NAME)                                                                                       \
  static double NAME(const double *a, const double *b, long ld) {                                       \
    double s = 0;                                                                                       \
    for (int k = 0; k < 24; k++)                                                                        \
      s += a[k] * b[k * ld];                                                                            \
    return s;                                                                                           \
  }
DOT(dot)
DOT(dot_by_columns)
DOT(dot_of_batch)

NOINLINE void helper(int n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++) // expected-remark {{MxNx24}}
    for (long j = 0; j < n; j++)
      c[i * n + j] = dot(a + i * 24, b + j, n);
}

NOINLINE void helper_by_columns(int n, double *c, const double *a, const double *b) {
  for (long j = 0; j < n; j++) // expected-remark {{GEMM f64}}
    for (long i = 0; i < n; i++)
      c[i * n + j] -= 0.5 * dot_by_columns(a + i * 24, b + j, n);
}

// Each partial sum is stored, as it might be one of the factors.
static void sum_in_place(double *c, const double *a, const double *b, long ld) {
  *c = 0;
  for (int k = 0; k < 12; k++)
    *c += a[k] * b[k * ld];
}

NOINLINE void helper_in_place(int n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++) // expected-remark {{MxNx12}}
    for (long j = 0; j < n; j++)
      sum_in_place(&c[i * n + j], a + i * 24, b + j, n);
}

// Two loops over rows.
NOINLINE void helper_of_batch(int n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long p = 0; p < 3; p++) // expected-remark {{4-loop nest by GEMM f64}}
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        c[(p * n + i) * n + j] = dot_of_batch(a + (p * n + i) * 24, b + j, n);
}

#define A(K) a[i + (K) * n]
#define B(K) b[j * 8 + (K)]

// The first two products are added before the others.
NOINLINE void expression(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long j = 0; j < n; j++) // expected-remark {{GEMM f64}}
    for (long i = 0; i < n; i++)
      c[i + j * n] = A(0) * B(0) + A(1) * B(1) + A(2) * B(2) + A(3) * B(3) + A(4) * B(4) + A(5) * B(5) +
                     A(6) * B(6) + A(7) * B(7);
}

// The strides are only equal if nothing wraps.
NOINLINE void narrow_subscripts(int n, double *c, const double *a, const double *b) {
  for (int j = 0; j < n; j++) // expected-remark {{GEMM f64}}
    for (int i = 0; i < n; i++)
      c[i + j * n] = A(0) * B(0) + A(1) * B(1) + A(2) * B(2) + A(3) * B(3) + A(4) * B(4) + A(5) * B(5) +
                     A(6) * B(6) + A(7) * B(7);
}

NOINLINE void statements(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++) // expected-remark {{MxNx8}}
    for (long j = 0; j < n; j++) {
      double s = c[i + j * n];
      s += A(0) * B(0);
      s += A(1) * B(1);
      s += A(2) * B(2);
      s += A(3) * B(3);
      s += A(4) * B(4);
      s += A(5) * B(5);
      s += A(6) * B(6);
      s += A(7) * B(7);
      c[i + j * n] = s;
    }
}

NOINLINE void subtracted(long n, float alpha, float *c, const float *a, const float *b) {
  for (long i = 0; i < n; i++) // expected-remark {{GEMM f32}}
    for (long j = 0; j < n; j++)
      c[i + j * n] = c[i + j * n] - alpha * A(7) * B(7) - alpha * A(6) * B(6) - alpha * A(5) * B(5) -
                     alpha * A(4) * B(4) - alpha * A(3) * B(3) - alpha * A(2) * B(2);
}

NOINLINE void widened(long n, int *c, const signed char *a, const signed char *b) {
  for (long i = 0; i < n; i++) // expected-remark {{GEMM i32}}
    for (long j = 0; j < n; j++)
      c[i + j * n] = A(3) * B(3) + A(0) * B(0) + A(1) * B(1) + A(6) * B(6) + A(4) * B(4) + A(5) * B(5) +
                     A(2) * B(2) + A(7) * B(7);
}

NOINLINE void one_matrix(long n, double *restrict c, const double *restrict b) {
  for (long i = 0; i < n; i++) // expected-remark {{SYRK f64}}
    for (long j = 0; j <= i; j++) {
      const double *a = b + i * 8;
      double s = 0;
      s += a[0] * B(0);
      s += a[1] * B(1);
      s += a[2] * B(2);
      s += a[3] * B(3);
      s += a[4] * B(4);
      s += a[5] * B(5);
      s += a[6] * B(6);
      s += a[7] * B(7);
      c[i * n + j] = s;
    }
}

// The stores of e may change what is added next.
NOINLINE void stored_in_between(long n, double *c, const double *a, const double *b, double *e) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < n; i++) { // expected-remark {{the loop over k is unrolled}}
      double s = 0;
      s += A(0) * B(0);
      s += A(1) * B(1);
      s += A(2) * B(2);
      e[j] = 1;
      s += A(3) * B(3);
      s += A(4) * B(4);
      s += A(5) * B(5);
      s += A(6) * B(6);
      c[i + j * n] = s;
    }
}

// No product of matrices: no remark.
NOINLINE void filter(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      c[i * n + j] = a[i * n + j] * b[0] + a[i * n + j + 1] * b[1] + a[i * n + j + 2] * b[2] +
                     a[i * n + j + 3] * b[3] + a[i * n + j + 4] * b[4] + a[i * n + j + 5] * b[5];
}

// The steps are not equally far apart: no remark.
NOINLINE void irregular(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      c[i + j * n] = A(0) * B(0) + A(1) * B(1) + A(2) * B(3) + A(3) * B(2) + A(5) * B(4) + A(4) * B(5);
}

static double x[9000], y[9000], z[9000];
static float xf[9000], yf[9000], zf[9000];
static signed char xc[9000], yc[9000];
static int zi[9000];

static void fill(void) {
  for (int i = 0; i < 9000; i++) {
    xf[i] = x[i] = (i * 37 % 101 - 50) * 0.1;
    yf[i] = y[i] = (i * 53 % 97 - 48) * 0.3;
    zf[i] = z[i] = i % 7 * 0.7;
    xc[i] = i * 37 % 255 - 128, yc[i] = i * 53 % 255 - 127;
  }
  x[77] = -0.0, y[70] = 0;
}

#define SHOW(CALL)                                                                                      \
  fill();                                                                                               \
  CALL;                                                                                                 \
  fwrite(x, sizeof x, 1, stdout);                                                                       \
  fwrite(z, sizeof z, 1, stdout);                                                                       \
  fwrite(zf, sizeof zf, 1, stdout);                                                                     \
  fwrite(zi, sizeof zi, 1, stdout)

int main(void) {
  for (int n = 0; n < 40; n += n < 3 ? 1 : 12) {
    SHOW(helper(n, z, x, y));
    SHOW(helper_by_columns(n, z, x, y));
    SHOW(helper_by_columns(n, x + 30, x, y));
    SHOW(helper_of_batch(n, z, x, y));
    SHOW(helper_in_place(n, z, x, y));
    SHOW(helper_in_place(n, x + 5, x, y));
    SHOW(expression(n, z, x, y));
    SHOW(narrow_subscripts(n, z, x, y));
    SHOW(narrow_subscripts(n, x + 3 * n, x, y));
    SHOW(statements(n, z, x, y));
    SHOW(subtracted(n, 0.3f, zf, xf, yf));
    SHOW(subtracted(n, 0.3f, zf + 7, zf, yf));
    SHOW(widened(n, zi, xc, yc));
    SHOW(one_matrix(n, z, y));
    SHOW(filter(n, z, x, y));
    SHOW(irregular(n, z, x, y));
    SHOW(stored_in_between(n, z, x, y, x + 400));
  }
}
#endif
