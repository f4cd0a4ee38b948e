//===- phases.c - scatters whose places are further apart than taps ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Gradients of the data of convolutions with a distance of two or three between
// windows, written as a scatter: all bytes are those that clang gives, also where C
// overlaps a factor, with arrays at the very ends of what may be read, and with
// elements that are zero of either sign, too small to multiply, infinite, or NaN.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{count} = CHECK
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck --check-prefix=%{count} %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DINDEX=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// REDEFINE: %{count} = FAST
// RUN: %{compare}
// CHECK-COUNT-13: gathered
// FAST-COUNT-12: gathered


#ifndef T
#define T float
#endif
#include "Inputs/images.h"
#ifndef INDEX
#define INDEX long
#endif

// dx: C images of H x V, dy: K images of Y x X, w: K * C windows of R x S.
#define PARAMETERS                                                             \
  T *dx, const T *dy, const T *w, INDEX K, INDEX C, \
      INDEX Y, INDEX X, INDEX R, INDEX S, INDEX P, INDEX E
#define FOR(i, n) for (INDEX i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) { __VA_ARGS__ }
#define H (D * (Y - 1) + R - 2 * P + E)
#define V (D * (X - 1) + S - 2 * P + E)
#define DX(c, row, column) dx[((c) * H + (row)) * V + (column)]
#define DY(k, y, x) dy[((k) * Y + (y)) * X + (x)]
#define WEIGHT(k, c, r, s) w[(((k) * C + (c)) * R + (r)) * S + (s)]
#define ROW (D * y + r - P)
#define COLUMN (D * x + s - P)
#define STEP DX(c, D * y + r, D * x + s) += DY(k, y, x) * WEIGHT(k, c, r, s);
#define IF_INSIDE if (ROW >= 0 && ROW < H && COLUMN >= 0 && COLUMN < V)
#define CALL dx, dy, w, K, C, Y, X, R, S, P, E
#define D 2

NEST(places_outside, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S) STEP)
NEST(taps_outside, FOR(k, K) FOR(c, C) FOR(r, R) FOR(s, S) FOR(y, Y) FOR(x, X) STEP)
NEST(taps_outermost, FOR(r, R) FOR(s, S) FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) STEP)
NEST(mixed, FOR(r, R) FOR(x, X) FOR(k, K) FOR(y, Y) FOR(c, C) FOR(s, S) STEP)
NEST(sums_innermost, FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S) FOR(k, K) STEP)
NEST(subtracted, FOR(c, C) FOR(k, K) FOR(y, Y) FOR(r, R) FOR(x, X) FOR(s, S)
                     DX(c, D * y + r, D * x + s) -= WEIGHT(k, c, r, s) * DY(k, y, x);)
NEST(channels_last, FOR(y, Y) FOR(x, X) FOR(k, K) FOR(r, R) FOR(s, S) FOR(c, C)
                        dx[((D * y + r) * V + D * x + s) * C + c] +=
                        dy[(y * X + x) * K + k] * w[((r * S + s) * K + k) * C + c];)
// Elements beyond the border of C are left out.
NEST(padded, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S)
                 IF_INSIDE DX(c, ROW, COLUMN) += DY(k, y, x) * WEIGHT(k, c, r, s);)
NEST(padded_taps_outside, FOR(r, R) FOR(s, S) FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X)
                              IF_INSIDE DX(c, ROW, COLUMN) += DY(k, y, x) * WEIGHT(k, c, r, s);)
NEST(padded_channels_last, FOR(y, Y) FOR(x, X) FOR(k, K) FOR(r, R) FOR(s, S) IF_INSIDE FOR(c, C)
                               dx[(ROW * V + COLUMN) * C + c] +=
                               dy[(y * X + x) * K + k] * w[((r * S + s) * K + k) * C + c];)
// So many taps are a constant.
NEST(constant, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, 3) FOR(s, 3)
                   DX(c, D * y + r, D * x + s) += DY(k, y, x) * w[((k * C + c) * 3 + r) * 3 + s];)
NEST(padded_constant, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, 3) FOR(s, 3)
                   IF_INSIDE DX(c, ROW, COLUMN) += DY(k, y, x) * w[((k * C + c) * 3 + r) * 3 + s];)
#undef D
#define D 3
NEST(three_apart, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S) STEP)

int main(void) {
  // K, C, Y, X, R, S, P, and what dx has more; also where too small to be phased.
  int Sizes[][8] = {{8, 8, 12, 12, 3, 3, 1, 1},  {16, 16, 10, 11, 3, 3, 1, 0}, {5, 17, 12, 23, 5, 5, 2, 0},
                    {33, 9, 10, 40, 3, 4, 0, 0}, {24, 40, 14, 14, 3, 3, 1, 1}, {20, 5, 33, 31, 4, 4, 1, 0},
                    {13, 7, 16, 17, 5, 4, 1, 2}, {3, 3, 12, 12, 3, 3, 1, 0},   {9, 9, 12, 6, 4, 3, 1, 0},
                    {8, 8, 12, 12, 2, 2, 0, 0},  {9, 8, 11, 10, 1, 3, 0, 0},   {1, 1, 1, 1, 1, 1, 0, 0}};
  void (*const Nests[])(PARAMETERS) = {
      places_outside, taps_outside, taps_outermost, mixed, sums_innermost, subtracted, channels_last,
      padded, padded_taps_outside, padded_channels_last, constant, padded_constant, three_apart};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int Kind = 0; Kind <= NumKinds; Kind++)
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        int K = Sizes[i][0], C = Sizes[i][1], Y = Sizes[i][2], X = Sizes[i][3],
            R = Sizes[i][4], S = Sizes[i][5];
        if (Nests[f] == constant || Nests[f] == padded_constant)
          R = S = 3;
        int IsPadded = Nests[f] == padded || Nests[f] == padded_taps_outside ||
                       Nests[f] == padded_channels_last || Nests[f] == padded_constant;
        int P = IsPadded ? Sizes[i][6] : 0, E = IsPadded ? Sizes[i][7] : 0;
        long NumDX = (long)C * H * V, NumDY = (long)K * Y * X, NumW = (long)K * C * R * S;
        struct Images Of = images(Kind, NumDX, NumDY, NumW);
        T *dx = Of.dx, *dy = Of.dy, *w = Of.w;
        Nests[f](CALL);
        writeElements(dx, NumDX);
      }
}
