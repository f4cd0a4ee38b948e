//===- batches-in-lanes.c - many products side by side --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums of each kind, whole and ragged registers, several blocks of K, and fewer
// products than a register: all bytes are those that clang gives.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s --implicit-check-not=packed && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -ffp-contract=off -DT=float
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// CHECK-COUNT-6: a batch in lanes

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef T
#define T double
#endif

#define ARGUMENTS                                                              \
  long m, long n, long p, long batch, T *restrict c, const T *restrict a,      \
      const T *restrict b
#define C c[(i * n + j) * batch + l]
#define A a[(i * p + k) * batch + l]
#define B b[(k * n + j) * batch + l]
#define FOR(i, n) for (long i = 0; i < n; i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(ARGUMENTS) { __VA_ARGS__ }

NEST(innermost, FOR(i, m) FOR(j, n) FOR(k, p) FOR(l, batch) C -= A * B;)
NEST(scaled, FOR(k, p) FOR(i, m) FOR(l, batch) FOR(j, n) C += (T)0.7 * A * B;)
NEST(outermost, FOR(l, batch) FOR(i, m) FOR(j, n) {
  T s = 0;
  FOR(k, p) s += A * B;
  C = (T)0.7 * s + (T)0.3 * C;
})
NEST(fused, FOR(l, batch) FOR(i, m) FOR(j, n) {
  T s = C;
  FOR(k, p) s = sizeof(T) == 8 ? fma(A, B, s) : fmaf(A, B, s);
  C = s;
})
// Sums of several indices, which are not one.
NEST(apart, const long width = n % 3 + 2; FOR(i, m) FOR(j, n) FOR(q, p / 5)
     FOR(k, width) FOR(l, batch)
       C += a[(i * p + q * 5 + k) * batch + l] * b[((q * 5 + k) * n + j) * batch + l];)
NEST(apart_from_zero, const long width = n % 3 + 2; FOR(i, m) FOR(j, n) FOR(l, batch) C = 0;
     FOR(i, m) FOR(j, n) FOR(q, p / 5) FOR(k, width) FOR(l, batch)
       C -= a[(i * p + q * 5 + k) * batch + l] * b[((q * 5 + k) * n + j) * batch + l];)
NEST(two, FOR(i, m) FOR(j, n) FOR(k, p) FOR(l, batch) C += A * B + B * A;)

int main(void) {
  static const long Sizes[][4] = {{16, 12, 20, 24}, {7, 9, 130, 19}, {5, 6, 3, 8},
                                  {33, 31, 17, 3},  {40, 37, 9, 70}, {4, 3, 260, 33}};
  void (*const Nests[])(ARGUMENTS) = {innermost, scaled, outermost, fused, apart, apart_from_zero, two};
  for (int s = 0; s < 6; s++) {
    const long *Size = Sizes[s], m = Size[0], n = Size[1], p = Size[2], batch = Size[3];
    T *c = malloc(m * n * batch * sizeof(T)), *a = malloc(m * p * batch * sizeof(T)),
      *b = malloc(p * n * batch * sizeof(T));
    FOR(i, m * n * batch) c[i] = i % 17 * (T)0.3 - 2;
    FOR(i, m * p * batch) a[i] = i % 23 * (T)0.1 - 1;
    FOR(i, p * n * batch) b[i] = i % 29 * (T)0.7 - 9;
    for (int f = 0; f < 7; f++) {
      Nests[f](m, n, p, batch, c, a, b);
      fwrite(c, m * n * batch, sizeof(T), stdout);
      FOR(i, m * n * batch) c[i] *= (T)0.001;
    }
    free(c), free(a), free(b);
  }
}
