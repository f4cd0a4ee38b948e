//===- zero-versions.c - loops beyond a border, with zeros ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At -O3, LLVM makes loops of their own for steps beyond a border whose image's
// element is zero, if the innermost loop is over kernels, or stores each sum. They are
// replaced as if they were one loop, also if the zero is scaled or negated; not so if
// loops differ in more than that. All bytes are the same, with NaN and infinity in
// either factor.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -DPREFIX=stock -c -o %t.stock.o \
// DEFINE:   && %clang %{flags} %s -DPREFIX=ours -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -c -o %t.ours.o 2>&1 | FileCheck %s \
// DEFINE:   && %clang %{flags} -DDRIVER %s %t.stock.o %t.ours.o -o %t && %t
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=double -ffp-contract=off
// RUN: %{compare}
// CHECK-COUNT-7: replaced {{[356]}}-loop nest
// CHECK-NOT:     replaced

#ifndef T
#define T float
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  (int C, int K, int H, int W, int R, T alpha, T *restrict out,                \
   const T *restrict in, const T *restrict w)
#define INSIDE (row >= 0 && row < H && column >= 0 && column < W)
#define IN in[((long)row * W + column) * C + c]
#define WEIGHT w[(((long)r * R + s) * C + c) * K + k]
#define OUT out[((long)y * W + x) * K + k]
#define AT int row = y + r - 1, column = x + s - 1;
#define INNER(step)                                                            \
  FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, R) FOR(c, C) FOR(k, K) { AT step; }
#define STORED(step)                                                           \
  FOR(y, H) FOR(x, W) FOR(k, K) FOR(c, C) FOR(r, R) FOR(s, R) { AT step; }
#define FUNCTIONS(X)                                                           \
  X(plus) X(minus) X(scaled) X(by_hand) X(rows_only) X(stored) X(stored_minus) \
      X(one) X(next_weight) X(counts) X(shifted)

#ifdef PREFIX
#define DEFINE(name, ...)                                                      \
  void JOIN(PREFIX, name) PARAMETERS { __VA_ARGS__ }

DEFINE(plus, INNER(OUT += (INSIDE ? IN : 0) * WEIGHT))
DEFINE(minus, INNER(OUT -= (INSIDE ? IN : 0) * WEIGHT))
DEFINE(scaled, INNER(OUT += alpha * (INSIDE ? IN : 0) * WEIGHT))
// A test in front of the loops.
DEFINE(by_hand, FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, R) FOR(c, C) {
  AT T value = 0;
  if (INSIDE)
    value = IN;
  FOR(k, K) OUT += value * WEIGHT;
})
DEFINE(rows_only, FOR(y, H) FOR(r, R) FOR(c, C) FOR(x, W) FOR(k, K) {
  int row = y + r - 1, s = 0, column = x;
  OUT += (row >= 0 && row < H ? IN : 0) * WEIGHT;
})
// Each step stores its sum.
DEFINE(stored, STORED(OUT += (INSIDE ? IN : 0) * WEIGHT))
DEFINE(stored_minus, STORED(OUT -= (INSIDE ? IN : 0) * WEIGHT))

// No zeros, or something else that differs.
DEFINE(one, INNER(OUT += (INSIDE ? IN : 1) * WEIGHT))
DEFINE(next_weight, INNER(OUT += INSIDE ? IN * WEIGHT : 0 * (&WEIGHT)[1] + 1))
DEFINE(counts, FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, R) FOR(c, C) {
  AT if (INSIDE) FOR(k, K) OUT += IN * WEIGHT;
  else FOR(k, K - 1) OUT += 0 * WEIGHT + 1;
})
DEFINE(shifted, FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, R) FOR(c, C) {
  AT if (INSIDE) FOR(k, K) OUT += IN * WEIGHT;
  else FOR(k, K) out[((long)y * W + x) * K + K - 1 - k] += 0 * WEIGHT + 1;
})
#endif

#ifdef DRIVER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name) void stock_##name PARAMETERS, ours_##name PARAMETERS;
FUNCTIONS(DECLARE)

enum { MOST = 20 * 20 * 24 };
static T in[MOST], w[5 * 5 * 24 * 40], from[20 * 20 * 40], out[2][20 * 20 * 40];

static void fill(T *x, int n, int special) {
  for (int i = 0; i < n; i++)
    x[i] = (T)(rand() % 64 - 32) / 4;
  if ((T)0.5 && special)
    for (int i = 0; i < n; i += 1 + rand() % (n / 3 + 1))
      x[i] = (T)(special == 1 ? -0.0 : special == 2 ? INFINITY : NAN);
}

/// NaNs are equal, whatever their signs.
static int differ(const T *x, const T *y, int n) {
  for (int i = 0; i < n; i++)
    if (memcmp(x + i, y + i, sizeof *x) && !(isnan((double)x[i]) && isnan((double)y[i])))
      return 1;
  return 0;
}

int main(void) {
  static const int sizes[][5] = {
      {1, 1, 1, 1, 1}, {3, 5, 4, 7, 3},  {8, 16, 1, 9, 3},
      {5, 9, 2, 2, 5}, {7, 33, 6, 5, 4}, {24, 40, 12, 9, 3}};
  static const T scales[] = {(T)1.5, (T)-2, (T)0};
  int failures = 0;
  for (int i = 0; i < 6; i++)
    for (int special = 0; special < 9; special++) {
      const int *s = sizes[i], n = s[2] * s[3] * s[1];
      T alpha = scales[special % 3];
      if ((T)0.5 && special == 5)
        alpha = (T)INFINITY;
      fill(in, s[0] * s[2] * s[3], special % 4);
      fill(w, s[4] * s[4] * s[0] * s[1], special < 4 ? 0 : special % 4);
      fill(from, n, special == 8);
      if (special == 7)
        memset(in, 0, sizeof in);
#define RUN(name)                                                              \
  memcpy(out[0], from, sizeof from);                                           \
  memcpy(out[1], from, sizeof from);                                           \
  stock_##name(s[0], s[1], s[2], s[3], s[4], alpha, out[0], in, w);            \
  ours_##name(s[0], s[1], s[2], s[3], s[4], alpha, out[1], in, w);             \
  if (differ(out[0], out[1], sizeof from / sizeof *from) && ++failures)        \
    printf(#name ": other results, sizes %d, values %d\n", i, special);
      FUNCTIONS(RUN)
    }
  return failures != 0;
}
#endif
