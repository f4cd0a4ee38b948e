//===- fallback-loops.c - the fall-back has clang's own loops -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of constant length are protected from LLVM's unrolling until the nest is
// rewritten. Where no kernel runs, they must be what they are without Tilesmith:
// unrolled as often, sums in registers, vectors of the same length.
// REQUIRES: x86
// RUN: %clang -O3 -march=haswell -S %s -o %t.haswell.s
// RUN: %clang -O3 -march=haswell -S -fpass-plugin=%tilesmith %s -o %t.haswell.new.s
// RUN: %python %S/Inputs/same_loops.py %t.haswell.s %t.haswell.new.s
// RUN: %clang -O3 -march=znver4 -S %s -o %t.znver4.s
// RUN: %clang -O3 -march=znver4 -S -fpass-plugin=%tilesmith %s -o %t.znver4.new.s
// RUN: %python %S/Inputs/same_loops.py %t.znver4.s %t.znver4.new.s
// RUN: %clang -O2 -march=haswell -S %s -o %t.O2.s
// RUN: %clang -O2 -march=haswell -S -fpass-plugin=%tilesmith %s -o %t.O2.new.s
// RUN: %python %S/Inputs/same_loops.py %t.O2.s %t.O2.new.s
//
// There are kernels, too:
// RUN: FileCheck %s < %t.haswell.new.s
// CHECK-COUNT-14: call{{.*}}.tilesmith

#define FOR(I, N) for (long I = 0; I < N; I++)
#define STEP(T, N, K) c[i * N + j] += a[i * K + k] * b[k * N + j]
#define COLUMNS(T, N)                                                          \
  void T##_ikj_##N(long m, long l, const T *restrict a, const T *restrict b,   \
                   T *restrict c) {                                            \
    FOR(i, m) FOR(k, l) FOR(j, N) STEP(T, N, l);                               \
  }                                                                            \
  void T##_kij_##N(long m, long l, const T *restrict a, const T *restrict b,   \
                   T *restrict c) {                                            \
    FOR(k, l) FOR(i, m) FOR(j, N) STEP(T, N, l);                               \
  }                                                                            \
  void T##_ijk_##N(long m, long l, const T *restrict a, const T *restrict b,   \
                   T *restrict c) {                                            \
    FOR(i, m) FOR(j, N) FOR(k, l) STEP(T, N, l);                               \
  }

COLUMNS(float, 9)
COLUMNS(float, 16)
COLUMNS(float, 24)
COLUMNS(float, 32)
COLUMNS(double, 6)
COLUMNS(double, 10)
COLUMNS(double, 16)
COLUMNS(double, 32)

// Channels of images: a scatter of three taps by three.
void scatter(long n, const double *restrict a, const double *restrict b,
             double *restrict c) {
  FOR(y, n)
  FOR(x, n)
  FOR(i, n)
  FOR(r, 3)
  FOR(s, 3)
  FOR(o, n)
  c[((2 * y + r) * (2 * n + 2) + 2 * x + s) * n + o] +=
      a[(y * n + x) * n + i] * b[((r * 3 + s) * n + i) * n + o];
}

// And a gather, which tests for a remainder. LLVM unrolls the loop over s, and leaves
// that over r.
void gather(long n, const float *restrict a, const float *restrict b,
            float *restrict c) {
  FOR(y, 2 * n)
  FOR(x, 2 * n)
  FOR(o, n) {
    float sum = 0;
    FOR(r, 3)
    FOR(s, 3)
    FOR(i, n) {
      long p = y + 1 - r, q = x + 1 - s;
      if (p % 2 == 0 && q % 2 == 0 && p >= 0 && q >= 0 && p / 2 < n &&
          q / 2 < n)
        sum += a[(p / 2 * n + q / 2) * n + i] *
               b[((r * 3 + s) * n + i) * n + o];
    }
    c[(y * 2 * n + x) * n + o] = sum;
  }
}

// A test in each step of a known loop: jumps from one to the next are threaded.
void below(int m, int k, const float *a, const float *b, float *c) {
  for (int p = 0; p < k; p++)
    for (int i = m - 1; i >= 0; i--)
      for (int j = 7; j >= 0; j--)
        if (j <= i)
          c[i * 8 + j] += a[i * k + p] * b[j * k + p];
}

// A loop over steps that runs backwards is unrolled: how many there are is known from a
// test in front of it.
void backwards(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = 0; i < m; i++)
    for (int j = n - 1; j >= 0; j--) {
      float sum = 0;
      for (int p = k - 1; p >= 0; p--)
        sum -= a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}
