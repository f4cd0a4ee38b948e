//===- mixed-borders.c - windows cut by a bound and by a test -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Windows of constant size that a bound cuts in one direction, and a test in the
// other: LLVM does not unroll them before they are looked at. All bytes are those
// that clang gives.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -ffp-contract=off -DT=double
// RUN: %{compare}
// CHECK-COUNT-3: gathered

#include <stdio.h>
#include <stdlib.h>

#ifndef T
#define T float
#endif
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define CLIPPED(i, at, n) for (int i = MAX(0, 1 - at); i < MIN(3, (n) + 1 - at); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(                                  \
      T *restrict out, const T *restrict in, const T *restrict w, int C,       \
      int K, int H, int W) {                                                   \
    FOR(k, K) FOR(y, H) FOR(x, W) {                                            \
      T sum = 0;                                                               \
      __VA_ARGS__                                                              \
      out[(k * H + y) * W + x] = sum;                                          \
    }                                                                          \
  }
#define STEP                                                                   \
  sum += in[(c * H + y + r - 1) * W + x + s - 1] * w[((k * C + c) * 3 + r) * 3 + s];

NEST(rows_clipped, FOR(c, C) CLIPPED(r, y, H) FOR(s, 3) if (x + s >= 1 && x + s <= W) STEP)
NEST(rows_clipped_flipped, FOR(c, C) CLIPPED(r, y, H) for (int s = 2; s >= 0; s--) if (x + s >= 1 && x + s <= W) STEP)
// At -O3, LLVM asks in front of the loop over channels whether a window has columns.
NEST(columns_clipped, FOR(c, C) FOR(r, 3) {
  if (y + r < 1 || y + r > H)
    continue;
  CLIPPED(s, x, W) STEP
})

int main(void) {
  void (*const Nests[])(T *restrict, const T *restrict, const T *restrict, int, int, int, int) = {
      rows_clipped, rows_clipped_flipped, columns_clipped};
  int Sizes[][4] = {{1, 1, 1, 1}, {3, 8, 9, 9}, {16, 17, 14, 14}, {2, 70, 1, 30}, {20, 33, 7, 1}, {5, 9, 2, 65}};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int special = 0; special < 2; special++)
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        int C = Sizes[i][0], K = Sizes[i][1], H = Sizes[i][2], W = Sizes[i][3];
        T *in = malloc(C * H * W * sizeof(T)), *w = malloc(K * C * 9 * sizeof(T)), *out = malloc(K * H * W * sizeof(T));
        FOR(j, C * H * W) in[j] = j * 7 % 23 * (T)0.37 - 3;
        FOR(j, K * C * 9) w[j] = j * 5 % 19 * (T)0.21 - 2;
        if (special) {
          in[C * H * W / 3] = -(T)0.0;
          w[K * C / 2] = (T)1 / (in[C * H * W / 3] * in[C * H * W / 3]); // infinite
        }
        Nests[f](out, in, w, C, K, H, W);
        FOR(j, K * H * W) if (!(out[j] == out[j])) out[j] = 77; // NaNs have no certain sign
        fwrite(out, sizeof(T), K * H * W, stdout);
        free(in);
        free(w);
        free(out);
      }
}
