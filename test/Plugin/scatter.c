//===- scatter.c - loops over places and taps that move C together --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Gradients of the data of convolutions, written as a scatter, in orders that add to
// an element in different orders: all bytes are those that clang gives, with arrays at
// the very ends of what may be read, and with elements that are zero of either sign,
// too small to multiply, infinite, or NaN.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DINDEX=int
// RUN: %{compare}
// CHECK-COUNT-9: gathered
// CHECK-COUNT-5: a filter


#ifndef T
#define T float
#endif
#include "Inputs/images.h"
#ifndef INDEX
#define INDEX long
#endif

// dx: C images of H x V, dy: K images of Y x X, w: K * C windows of R x S.
#define PARAMETERS                                                             \
  T *restrict dx, const T *restrict dy, const T *restrict w, INDEX K, INDEX C, \
      INDEX Y, INDEX X, INDEX R, INDEX S, INDEX P
#define FOR(i, n) for (INDEX i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) { __VA_ARGS__ }
#define H (Y + R - 1 - 2 * P)
#define V (X + S - 1 - 2 * P)
#define DX(c, row, column) dx[((c) * H + (row)) * V + (column)]
#define DY(k, y, x) dy[((k) * Y + (y)) * X + (x)]
#define WEIGHT(k, c, r, s) w[(((k) * C + (c)) * R + (r)) * S + (s)]
#define STEP DX(c, y + r, x + s) += DY(k, y, x) * WEIGHT(k, c, r, s);
#define IF_INSIDE                                                              \
  if (y + r >= P && y + r < H + P && x + s >= P && x + s < V + P)

NEST(places_outside, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S) STEP)
NEST(taps_outside, FOR(k, K) FOR(c, C) FOR(r, R) FOR(s, S) FOR(y, Y) FOR(x, X) STEP)
// The sums' order is over y, x and k, or over r, x, k, though loops over r, or y,
// stand elsewhere.
NEST(channels_between, FOR(y, Y) FOR(x, X) FOR(k, K) FOR(c, C) FOR(r, R) FOR(s, S) STEP)
NEST(mixed, FOR(r, R) FOR(x, X) FOR(k, K) FOR(y, Y) FOR(c, C) FOR(s, S) STEP)
NEST(sums_innermost, FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S) FOR(k, K) STEP)
NEST(subtracted, FOR(c, C) FOR(k, K) FOR(y, Y) FOR(r, R) FOR(x, X) FOR(s, S)
                     DX(c, y + r, x + s) -= WEIGHT(k, c, r, s) * DY(k, y, x);)
NEST(channels_last, FOR(y, Y) FOR(x, X) FOR(k, K) FOR(r, R) FOR(s, S) FOR(c, C)
                        dx[((y + r) * V + x + s) * C + c] +=
                        dy[(y * X + x) * K + k] * w[((r * S + s) * K + k) * C + c];)
// Elements beyond the border of C are left out.
NEST(padded, FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S)
                 IF_INSIDE DX(c, y + r - P, x + s - P) += DY(k, y, x) * WEIGHT(k, c, r, s);)
NEST(padded_taps_outside, FOR(r, R) FOR(s, S) FOR(k, K) FOR(c, C) FOR(y, Y) FOR(x, X)
                              IF_INSIDE DX(c, y + r - P, x + s - P) += DY(k, y, x) * WEIGHT(k, c, r, s);)
// Without a sum over channels.
NEST(image, FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S) DX(0, y + r, x + s) += DY(0, y, x) * w[r * S + s];)
NEST(of_channels, FOR(k, K) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S)
                      DX(0, y + r, x + s) += DY(k, y, x) * WEIGHT(k, 0, r, s);)
NEST(depthwise, FOR(c, C) FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S)
                    DX(c, y + r, x + s) += DY(c, y, x) * w[(c * R + r) * S + s];)
NEST(padded_image, FOR(y, Y) FOR(x, X) FOR(r, R) FOR(s, S)
                       IF_INSIDE DX(0, y + r - P, x + s - P) -= DY(0, y, x) * w[r * S + s];)
// Two polynomials.
NEST(polynomials, FOR(x, X) FOR(s, S) dx[x + s] += dy[x] * w[s];)

int main(void) {
  // K, C, Y, X, R, S, P; also with more taps than places.
  int Sizes[][7] = {{3, 8, 12, 12, 3, 3, 1},  {16, 16, 7, 7, 3, 3, 1}, {5, 17, 9, 23, 5, 5, 2},
                    {33, 9, 5, 50, 2, 3, 0},  {40, 40, 14, 14, 3, 3, 1}, {20, 5, 33, 31, 1, 4, 0},
                    {3, 70, 6, 17, 3, 2, 0},  {9, 9, 40, 6, 4, 3, 1},  {2, 3, 3, 2, 5, 4, 1},
                    {1, 1, 1, 1, 1, 1, 0}};
  void (*const Nests[])(PARAMETERS) = {
      places_outside, taps_outside, channels_between, mixed,       sums_innermost,
      subtracted,     channels_last, padded,          padded_taps_outside,
      image,          of_channels,  depthwise,        padded_image, polynomials};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int Kind = 0; Kind < NumKinds; Kind++)
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        int K = Sizes[i][0], C = Sizes[i][1], Y = Sizes[i][2], X = Sizes[i][3],
            R = Sizes[i][4], S = Sizes[i][5];
        int IsPadded = Nests[f] == padded || Nests[f] == padded_taps_outside || Nests[f] == padded_image;
        int P = IsPadded ? Sizes[i][6] : 0, More = K > C ? K : C;
        long NumDX = (long)C * H * V, NumDY = (long)More * Y * X, NumW = (long)K * C * R * S;
        struct Images Of = images(Kind, NumDX, NumDY, NumW);
        Nests[f](Of.dx, Of.dy, Of.w, K, C, Y, X, R, S, P);
        writeElements(Of.dx, NumDX);
      }
}
