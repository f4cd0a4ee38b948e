//===- zeros-beyond-int.c - windows with zeros beyond borders, of `int` ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `inside ? x : 0` with subscripts of type `int`: at -O3, LLVM makes loops of their own for rows beyond the border, in
// which it cuts to 32 bits what it has widened in the others. They are one nest again, and the guard tests that the
// numbers fit. Taps of constant size stay loops for that. All bits are those of clang alone, with NaN and infinity in either factor, and nothing is read that the
// loops do not read.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang %{flags} -w %s -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s \
// DEFINE:   && %t.ours > %t.result && cmp %t.expected %t.result
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=float -ffp-contract=off
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}
// REQUIRES: native-avx2
// CHECK-COUNT-5: replaced 5-loop nest by filter

#include "../guarded.h"
#include <string.h>

#ifndef T
#define T double
#endif
#define PARAMETERS (int C, int H, int W, int R, const T *restrict x, const T *restrict w, T *restrict y)
#define FUNCTION(NAME) __attribute__((noinline)) static void NAME PARAMETERS
#define FOR(i, n) for (int i = 0; i < (n); i++)

// The taps, of which the middle one is at the place itself.
#define SUM(TAPS, IMAGE, WEIGHT)                                                                                       \
  T s = 0;                                                                                                             \
  FOR(p, TAPS) FOR(q, TAPS) {                                                                                          \
    int a = i + p - (TAPS) / 2, b = j + q - (TAPS) / 2;                                                                \
    int inside = a >= 0 && a < H && b >= 0 && b < W;                                                                   \
    s += (inside ? x[IMAGE] : 0) * w[WEIGHT];                                                                          \
  }

FUNCTION(taps_3) {
  FOR(c, C) FOR(i, H) FOR(j, W) {
    SUM(3, (c * H + a) * W + b, (c * 3 + p) * 3 + q)
    y[(c * H + i) * W + j] = s;
  }
}
FUNCTION(taps_5) {
  FOR(c, C) FOR(i, H) FOR(j, W) {
    SUM(5, (c * H + a) * W + b, (c * 5 + p) * 5 + q)
    y[(c * H + i) * W + j] = s;
  }
}
FUNCTION(taps_run) {
  FOR(c, C) FOR(i, H) FOR(j, W) {
    SUM(R, (c * H + a) * W + b, (c * R + p) * R + q)
    y[(c * H + i) * W + j] = s;
  }
}
FUNCTION(channels_last) {
  FOR(i, H) FOR(j, W) FOR(c, C) {
    SUM(3, (a * W + b) * C + c, (p * 3 + q) * C + c)
    y[(i * W + j) * C + c] = s;
  }
}
FUNCTION(last_run) {
  FOR(i, H) FOR(j, W) FOR(c, C) {
    SUM(R, (a * W + b) * C + c, (p * R + q) * C + c)
    y[(i * W + j) * C + c] = s;
  }
}

static void run(void (*f) PARAMETERS, int C, int H, int W, int R, int special, int atEnd) {
  T *x = guarded(sizeof(T) * C * H * W, atEnd), *w = guarded(sizeof(T) * C * R * R, atEnd),
    *y = guarded(sizeof(T) * C * H * W, atEnd);
  for (int i = 0; i < C * H * W; i++)
    x[i] = anyElement(special & 1 ? INFINITY : -0.0), y[i] = 7;
  for (int i = 0; i < C * R * R; i++)
    w[i] = anyElement(special & 2 ? NAN : -0.0) * (i % 3 ? 1 : -1);
  if (special == 3)
    memset(x, 0, sizeof(T) * C * H * W);
  f(C, H, W, R, x, w, y);
  for (int i = 0; i < C * H * W; i++)
    y[i] = y[i] != y[i] ? 1 : y[i];
  hashBytes(y, sizeof(T) * C * H * W);
  printf("%d %d %d %d %d %lx\n", C, H, W, R, special, Hash);
}

int main(void) {
  static const int Sizes[][3] = {{1, 1, 1}, {1, 2, 9}, {3, 7, 5}, {8, 9, 8}, {5, 16, 17}, {17, 12, 33}, {64, 14, 14}};
  for (int s = 0; s < 7; s++)
    for (int special = 0; special < 4; special++)
      for (int atEnd = 0; atEnd < 2; atEnd++) {
        const int *n = Sizes[s];
        run(taps_3, n[0], n[1], n[2], 3, special, atEnd);
        run(taps_5, n[0], n[1], n[2], 5, special, atEnd);
        run(channels_last, n[0], n[1], n[2], 3, special, atEnd);
        for (int R = 1; R < 6; R++) {
          run(taps_run, n[0], n[1], n[2], R, special, atEnd);
          run(last_run, n[0], n[1], n[2], R, special, atEnd);
        }
      }
}
