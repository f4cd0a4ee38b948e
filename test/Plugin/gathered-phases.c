//===- gathered-phases.c - transposed convolutions that test remainders ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Gradients of the data of convolutions with a distance between windows, written as
// a gather that leaves out what has a remainder: all bytes are those that clang
// gives, also where C overlaps a factor, with arrays at the very ends of what may be
// read, and with elements that are zero of either sign, too small to multiply,
// infinite, or NaN.
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
// REDEFINE: %{flags} = -O2 -march=native -DINDEX=long
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// REDEFINE: %{count} = FAST
// RUN: %{compare}
// CHECK-COUNT-12: : gathered,
// FAST-COUNT-12: : gathered,


#ifndef T
#define T float
#endif
#include "Inputs/images.h"
#ifndef INDEX
#define INDEX int
#endif

// dx: C images of H x V, dy: K images of Y x X, w: K * C windows of R x S.
#define PARAMETERS                                                             \
  T *dx, const T *dy, const T *w, INDEX K, INDEX C, INDEX H, INDEX V, INDEX Y, \
      INDEX X, INDEX R, INDEX S, INDEX P, INDEX D
#define FOR(i, n) for (INDEX i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) { __VA_ARGS__ }
#define DX(c, row, column) dx[((c) * H + (row)) * V + (column)]
#define DY(k, y, x) dy[((k) * Y + (y)) * X + (x)]
#define WEIGHT(k, c, r, s) w[(((k) * C + (c)) * R + (r)) * S + (s)]
#define INSIDE (p >= 0 && p < Y && q >= 0 && q < X)
#define CALL dx, dy, w, K, C, H, V, Y, X, R, S, P, D

NEST(tested, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) FOR(s, S) {
    INDEX p = y + P - r, q = x + P - s;
    if (p % 2 == 0 && q % 2 == 0) {
      p /= 2;
      q /= 2;
      if (INSIDE)
        sum += DY(k, p, q) * WEIGHT(k, c, r, s);
    }
  }
  DX(c, y, x) = sum;
})
NEST(skipped, FOR(c, C) FOR(y, H) FOR(x, V) {
  DX(c, y, x) = c;
  FOR(k, K) FOR(r, R) {
    if ((y + P - r) % 2)
      continue;
    INDEX p = (y + P - r) / 2;
    FOR(s, S) {
      if ((x + P - s) % 2)
        continue;
      INDEX q = (x + P - s) / 2;
      if (INSIDE)
        DX(c, y, x) += DY(k, p, q) * WEIGHT(k, c, r, s);
    }
  }
})
// The border first.
NEST(border_first, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = DX(c, y, x);
  FOR(k, K) FOR(r, R) FOR(s, S) {
    if (y + P < r || x + P < s)
      continue;
    INDEX p = y + P - r, q = x + P - s;
    if (p % 2 == 0 && q % 2 == 0 && p / 2 < Y && q / 2 < X)
      sum -= DY(k, p / 2, q / 2) * WEIGHT(k, c, r, s);
  }
  DX(c, y, x) = sum;
})
NEST(channels_last, FOR(y, H) FOR(x, V) FOR(c, C) {
  T sum = 0;
  FOR(r, R) FOR(s, S) FOR(k, K) {
    INDEX p = y + P - r, q = x + P - s;
    if (p % 2 || q % 2)
      continue;
    p /= 2, q /= 2;
    if (INSIDE)
      sum += dy[(p * X + q) * K + k] * w[((r * S + s) * K + k) * C + c];
  }
  dx[(y * V + x) * C + c] = sum;
})
NEST(channels_last_in_memory, FOR(y, H) FOR(x, V) FOR(r, R) FOR(s, S) {
  INDEX p = y + P - r, q = x + P - s;
  if (p % 2 == 0 && q % 2 == 0) {
    p /= 2, q /= 2;
    if (INSIDE)
      FOR(k, K) FOR(c, C)
        dx[(y * V + x) * C + c] += dy[(p * X + q) * K + k] * w[((r * S + s) * K + k) * C + c];
  }
})
NEST(taps_outermost, FOR(r, R) FOR(s, S) FOR(k, K) FOR(c, C) FOR(y, H) FOR(x, V) {
  INDEX p = y + P - r, q = x + P - s;
  if (p % 2 == 0 && q % 2 == 0 && p >= 0 && q >= 0 && p / 2 < Y && q / 2 < X)
    DX(c, y, x) += DY(k, p / 2, q / 2) * WEIGHT(k, c, r, s);
})
NEST(three_apart, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) FOR(s, S) {
    INDEX p = y + P - r, q = x + P - s;
    if (p % 3 == 0 && q % 3 == 0) {
      p /= 3;
      q /= 3;
      if (INSIDE)
        sum += DY(k, p, q) * WEIGHT(k, c, r, s);
    }
  }
  DX(c, y, x) = sum;
})
NEST(at_run_time, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) FOR(s, S) {
    INDEX p = y + P - r, q = x + P - s;
    if (p < 0 || q < 0 || p % D || q % D)
      continue;
    p /= D;
    q /= D;
    if (p < Y && q < X)
      sum += DY(k, p, q) * WEIGHT(k, c, r, s);
  }
  DX(c, y, x) = sum;
})
// The window turned over.
NEST(turned, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) FOR(s, S) {
    INDEX p = y + r - P, q = x + s - P;
    if (p % 2 == 0 && q % 2 == 0) {
      p /= 2;
      q /= 2;
      if (INSIDE)
        sum += DY(k, p, q) * WEIGHT(k, c, r, s);
    }
  }
  DX(c, y, x) = sum;
})
NEST(one_dimension, FOR(c, C) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(s, S) {
    INDEX q = x + P - s;
    if (q % 2 == 0 && q / 2 >= 0 && q / 2 < X)
      sum += dy[k * X + q / 2] * w[(k * C + c) * S + s];
  }
  dx[c * V + x] = sum;
})
NEST(constant, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, 3) FOR(s, 3) {
    INDEX p = y + 1 - r, q = x + 1 - s;
    if (p % 2 == 0 && q % 2 == 0) {
      p /= 2;
      q /= 2;
      if (INSIDE)
        sum += DY(k, p, q) * w[((k * C + c) * 3 + r) * 3 + s];
    }
  }
  DX(c, y, x) = sum;
})
// LLVM would unroll loops over taps with a loop over channels inside.
NEST(constant_last, FOR(y, H) FOR(x, V) FOR(c, C) {
  T sum = 0;
  FOR(r, 3) FOR(s, 3) FOR(k, K) {
    INDEX p = y + 1 - r, q = x + 1 - s;
    if (p % 2 == 0 && q % 2 == 0) {
      p /= 2;
      q /= 2;
      if (INSIDE)
        sum += dy[(p * X + q) * K + k] * w[((r * 3 + s) * K + k) * C + c];
    }
  }
  dx[(y * V + x) * C + c] = sum;
})
NEST(unsigned_numbers, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) FOR(s, S) {
    unsigned p = y + P - r, q = x + P - s;
    if (p % 2 == 0 && q % 2 == 0 && p / 2 < (unsigned)Y && q / 2 < (unsigned)X)
      sum += DY(k, (INDEX)(p / 2), (INDEX)(q / 2)) * WEIGHT(k, c, r, s);
  }
  DX(c, y, x) = sum;
})
// In front of the border, they are huge.
NEST(wrapping_numbers, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) {
    unsigned p = y + r - P;
    if (p % D == 0 && p / D < Y)
      FOR(s, S) {
        unsigned q = x + s - P;
        if (q % D == 0 && q / D < X)
          sum += DY(k, p / D, q / D) * WEIGHT(k, c, r, s);
      }
  }
  DX(c, y, x) = sum;
})
// What has a remainder is something else than nothing: these run as they are.
NEST(other_steps, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) FOR(s, S) {
    INDEX p = y + P - r, q = x + P - s;
    if (p % 2 == 0 && q % 2 == 0) {
      p /= 2;
      q /= 2;
      if (INSIDE)
        sum += DY(k, p, q) * WEIGHT(k, c, r, s);
    } else {
      sum += WEIGHT(k, c, r, s);
    }
  }
  DX(c, y, x) = sum;
})
NEST(scaled_with_each_step, FOR(c, C) FOR(y, H) FOR(x, V) {
  T sum = 0;
  FOR(k, K) FOR(r, R) {
    T scale = 1;
    FOR(s, S) {
      INDEX p = y + P - r, q = x + P - s;
      if (p % 2 == 0 && q % 2 == 0 && p >= 0 && q >= 0 && p / 2 < Y && q / 2 < X)
        sum += DY(k, p / 2, q / 2) * scale;
      scale *= 2;
    }
  }
  DX(c, y, x) = sum;
})

int main(void) {
  // K, C, H, V, Y, X, R, S, P, D; also where too small to be phased.
  int Sizes[][10] = {{8, 8, 24, 24, 12, 12, 3, 3, 1, 2},  {16, 16, 21, 22, 10, 11, 3, 3, 1, 2},
                     {5, 17, 25, 47, 12, 23, 5, 5, 2, 3}, {9, 9, 20, 80, 10, 40, 3, 4, 0, 2},
                     {24, 20, 28, 28, 14, 14, 3, 3, 1, 2}, {5, 5, 67, 33, 33, 16, 4, 4, 1, 4},
                     {8, 8, 24, 24, 12, 12, 2, 2, 0, 2},  {9, 8, 23, 20, 11, 10, 1, 3, 0, 1},
                     {1, 1, 1, 1, 1, 1, 1, 1, 0, 2},      {3, 4, 2, 2, 1, 1, 2, 2, 0, 2},
                     {3, 4, 30, 30, 2, 40, 7, 6, 9, 5}};
  void (*const Nests[])(PARAMETERS) = {
      tested, skipped, border_first, channels_last, channels_last_in_memory, taps_outermost,
      three_apart, at_run_time, turned, one_dimension, constant, constant_last, unsigned_numbers,
      wrapping_numbers, other_steps, scaled_with_each_step};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int Kind = 0; Kind <= NumKinds; Kind++)
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        int K = Sizes[i][0], C = Sizes[i][1], H = Sizes[i][2], V = Sizes[i][3], Y = Sizes[i][4],
            X = Sizes[i][5], R = Sizes[i][6], S = Sizes[i][7], P = Sizes[i][8], D = Sizes[i][9];
        long NumDX = (long)C * H * V, NumDY = (long)K * Y * X,
             NumW = (long)K * C * (Nests[f] == constant || Nests[f] == constant_last ? 9 : R * S);
        struct Images Of = images(Kind, NumDX, NumDY, NumW);
        T *dx = Of.dx, *dy = Of.dy, *w = Of.w;
        Nests[f](CALL);
        writeElements(dx, NumDX);
      }
}
