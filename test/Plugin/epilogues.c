//===- epilogues.c - what becomes of sums ---------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products, convolutions and matrices times a vector whose sums go through biases,
// activations, masks and functions before they are stored: all bytes, and errno,
// are those that clang gives, for operands at the very ends of what may be read,
// and for operands that overlap C.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -fno-math-errno
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { M = 19, N = 35, K = 12 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { M = 70, N = 16, K = 90 };" -DT=double
// RUN: %{compare}
// CHECK-COUNT-30: with an epilogue

#include "Inputs/nests.h"

#define SUM                                                                    \
  T s = 0;                                                                     \
  FOR(k, K) s += a[i * K + k] * b[k * N + j]
#define GEMM(name, ...)                                                        \
  NEST(name, FOR(i, M) FOR(j, N) {                                             \
    SUM;                                                                       \
    __VA_ARGS__;                                                               \
  })
#define C c[i * N + j]

GEMM(relu, C = s > 0 ? s : 0)
GEMM(relu_if, if (s < 0) s = 0; C = s)
GEMM(relu_stores, if (s < 0) C = 0; else C = s)
GEMM(leaky, C = s > 0 ? s : s / 8)
GEMM(clamp, C = s < -2 ? -2 : s > 6 ? 6 : s)
GEMM(magnitude, C = fabs((double)s))
GEMM(of_column, C = s + x[j])
GEMM(of_row, C = s + x[i])
GEMM(of_both, s += x[j]; C = (s > 0 ? s : 0) * y[i])
GEMM(backwards, C = s + x[N - 1 - j])
GEMM(every_third, C = s - x[3 * j])
GEMM(residual, C = s + x[i * N + j])
GEMM(residual_turned, C = s + x[j * M + i])
GEMM(masked, C = ((const unsigned char *)x)[i * N + j] & 1 ? s : 0)
GEMM(scaled, C = x[i] * (s * y[j]) + x[j])
GEMM(root, C = sqrt((double)s))
GEMM(hyperbolic, C = tanh((double)s / 8))
GEMM(sigmoid, C = 1 / (1 + exp(-(double)s)))
GEMM(silu, C = s / (1 + expf(-(float)s)))
GEMM(divided, C = x[j] == 0 ? s : s / x[j])
// More rows and columns than C is of.
NEST(strided, FOR(i, M / 2) FOR(j, N / 3) {
  SUM;
  c[2 * i * N + 3 * j] = s > x[j] ? s : x[j];
})
NEST(lower, FOR(i, M) FOR(j, i + 1) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * a[j * K + k];
  c[i * M + j] = (s > 0 ? s : 0) + x[i * M + j] * y[j];
})
NEST(batched, FOR(z, 3) FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, K) s += a[(z * M + i) * K + k] * b[k * N + j];
  s += x[z * N + j];
  c[(z * M + i) * N + j] = s > 0 ? s : 0;
})
// From a bias, and with another one.
NEST(from_bias, FOR(i, M) FOR(j, N) {
  T s = x[j];
  FOR(k, K) s += a[i * K + k] * b[k * N + j];
  C = s > y[i] ? s : y[i];
})
NEST(vector, FOR(i, M) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * b[k];
  s += x[i];
  c[i] = s > 0 ? s : 0;
})
// C's elements are narrower than the sums, or of another type.
#define TO(name, Type, ...)                                                    \
  NEST(name, Type *w = (Type *)c; FOR(i, M) FOR(j, N) {                        \
    SUM;                                                                       \
    w[i * N + j] = __VA_ARGS__;                                                \
  })
TO(to_bytes, signed char, s + x[j] > 100 ? 100 : s + x[j] > -100 ? (signed char)(s + x[j]) : -100)
TO(to_shorts, short, (short)(s > 9000 ? 9000 : s > -9000 ? s : -9000))
TO(to_float, float, s > -9000 ? (float)s : 0)
TO(to_double, double, (double)s * 0.1 + x[i * N + j])
TO(to_wider, long long, s > 9000 ? 1LL << 40 : s > -9000 ? (long long)s : -(1LL << 40))
// The same, from C on, and in half of it.
NEST(from_shorts, short *w = (short *)c; FOR(i, M) FOR(j, N) {
  T s = w[i * N + j] & 1023;
  FOR(k, K) s += a[i * K + k] * b[k * N + j];
  w[i * N + j] = s > 9000 ? 9000 : s > -9000 ? (short)s : -9000;
})
NEST(lower_bytes, signed char *w = (signed char *)c; FOR(i, M) FOR(j, i + 1) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * a[j * K + k];
  w[i * M + j] = s > 100 ? 100 : s > -100 ? (signed char)s : -100;
})
NEST(every_other_short, short *w = (short *)c; FOR(i, M) FOR(j, N) {
  SUM;
  w[2 * (i * N + j)] = s > 9000 ? 9000 : s > -9000 ? (short)s : -9000;
})
NEST(batched_bytes, signed char *w = (signed char *)c; FOR(z, 3) FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, K) s += a[(z * M + i) * K + k] * b[k * N + j];
  w[(z * M + i) * N + j] = s > 100 ? 100 : s > -100 ? (signed char)s : -100;
})
// What C was before is needed after the sum.
GEMM(blended, C = s > 0 ? s : C)
GEMM(accumulated, C = (C + s) * x[j])
// Images of 3 x (M + 2) x (N + 2), windows of 3 x 3, K % 8 + 1 filters.
#define FILTERS (K % 8 + 1)
#define OUT c[(o * M + i) * N + j]
NEST(convolution, FOR(o, FILTERS) FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, 3) FOR(p, 3) FOR(q, 3)
    s += a[(k * (M + 2) + i + p) * (N + 2) + j + q] * b[((o * 3 + k) * 3 + p) * 3 + q];
  s += x[o];
  OUT = s > 0 ? s : 0;
})
NEST(padded, FOR(o, FILTERS) FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, 3) FOR(p, 3) FOR(q, 3) {
    int row = i + p - 1, column = j + q - 1;
    if (row >= 0 && row < M && column >= 0 && column < N)
      s += a[(k * M + row) * N + column] * b[((o * 3 + k) * 3 + p) * 3 + q];
  }
  s += x[o];
  OUT = (s > 0 ? s : 0) * y[j];
})

#define ALL(R)                                                                 \
  R(relu) R(relu_if) R(relu_stores) R(leaky) R(clamp) R(magnitude)             \
  R(of_column) R(of_row) R(of_both) R(backwards) R(every_third) R(residual)    \
  R(residual_turned) R(masked) R(scaled) R(root) R(hyperbolic) R(sigmoid)      \
  R(silu) R(divided) R(strided) R(lower) R(batched) R(from_bias) R(vector)     \
  R(convolution) R(padded) R(to_bytes) R(to_shorts) R(to_float) R(to_double)   \
  R(to_wider) R(from_shorts) R(lower_bytes) R(every_other_short)               \
  R(batched_bytes) R(blended) R(accumulated)

#include "Inputs/nests-main.h"
