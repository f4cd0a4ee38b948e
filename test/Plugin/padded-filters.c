//===- padded-filters.c - windows that leave an image of their own channel -===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Filters that leave out what is beyond the border of an image: all bytes are
// those that clang gives, with operands at the very ends of what may be read, and
// with images and taps that are infinite, NaN, or zero of either sign.
//
// REQUIRES: system-linux, native-avx2
// DEFINE: %{flags} =
// DEFINE: %{check} = CHECK
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s --check-prefix=%{check} && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// A product that only one side of a test makes is not fused, and might be.
// REDEFINE: %{check} = FAST
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DT=double
// RUN: %{compare}
// REDEFINE: %{check} = CHECK
// REDEFINE: %{flags} = -O3 -march=native -mno-avx512f
// RUN: %{compare}
// Without masks, those whose lanes are all on the same side of a border.
// REDEFINE: %{check} = NOMASK
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -DT=double
// RUN: %{compare}
// Subscripts that would be negative beyond the border.
// REDEFINE: %{check} = INT
// REDEFINE: %{flags} = -O3 -march=native -DINDEX=int
// RUN: %{compare}
// REDEFINE: %{check} = CHECK
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// Rows of known sizes: short ones are joined.
// REDEFINE: %{check} = KNOWN
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { C = 5, H = 7, W = 7, height = 7, width = 7, R = 3, S = 3, step = 1, pad = 1 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=double -DSIZES="enum { C = 9, H = 13, W = 5, height = 13, width = 5, R = 3, S = 3, step = 1, pad = 1 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -mno-avx512f -DSIZES="enum { C = 3, H = 30, W = 14, height = 30, width = 14, R = 5, S = 5, step = 1, pad = 2 };"
// RUN: %{compare}
// With fewer bits for clang's own vectors, one is too small.
// REDEFINE: %{check} = SOME
// REDEFINE: %{flags} = -O3 -march=native -DT=int -DSIZES="enum { C = 2, H = 14, W = 27, height = 14, width = 27, R = 3, S = 5, step = 1, pad = 2 };"
// RUN: %{compare}
// NOMASK-COUNT-2: a filter,
// INT-COUNT-7: a filter,
// KNOWN-COUNT-5: a filter,
// SOME-COUNT-4: a filter,
// FAST-COUNT-10: a filter,
// CHECK-COUNT-11: a filter,

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef T
#define T float
#endif
#ifndef SUM
#define SUM T
#endif
#ifndef INDEX
#define INDEX long
#endif

// Windows are step apart; the first one begins pad elements before the image.
#define PARAMETERS                                                             \
  SUM *restrict out, const T *restrict in, const T *restrict w, int C, int H,  \
      int W, int R, int S, int step, int pad, int height, int width
#ifdef SIZES
#define ARE_KNOWN 1
#else
#define ARE_KNOWN 0
#define SIZES
#endif
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) {                     \
    {                                                                          \
      SIZES __VA_ARGS__                                                        \
    }                                                                          \
  }

#define FIRST(c, y, x) ((SUM)in[((INDEX)(c) * height + (y)) * width + (x)])
#define LAST(c, y, x) ((SUM)in[((INDEX)(y) * width + (x)) * C + (c)])
#define OUT_FIRST out[((INDEX)c * H + y) * W + x]
#define OUT_LAST out[((INDEX)y * W + x) * C + c]
#define TAP_FIRST w[(c * R + r) * S + s]
#define TAP_LAST w[(r * S + s) * C + c]
#define INSIDE (row >= 0 && row < height && column >= 0 && column < width)

NEST(line, FOR(x, W) {
  SUM sum = 0;
  FOR(s, S) {
    int column = x * step + s - pad;
    if (column >= 0 && column < width)
      sum += (SUM)in[column] * w[s];
  }
  out[x] = sum;
})
NEST(line_by_taps, FOR(s, S) FOR(x, W) {
  int column = x + s - pad;
  if (column >= 0 && column < width)
    out[x] -= (SUM)in[column] * w[s];
})
NEST(image, FOR(y, H) FOR(x, W) {
  SUM sum = 1;
  FOR(r, R) FOR(s, S) {
    int row = y + r - pad, column = x + s - pad;
    if (row >= 0 && row < height && column >= 0 && column < width)
      sum += (SUM)in[(INDEX)row * width + column] * w[r * S + s];
  }
  out[y * W + x] = sum;
})
NEST(channels_first, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) {
    int row = y * step + r - pad, column = x * step + s - pad;
    if (INSIDE)
      sum += FIRST(c, row, column) * TAP_FIRST;
  }
  OUT_FIRST = sum;
})
NEST(first_in_memory, FOR(c, C) FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, S) {
  int row = y * 2 + r - pad, column = x * 2 + s - pad;
  if (INSIDE)
    OUT_FIRST += FIRST(c, row, column) * TAP_FIRST;
})
NEST(first_skipped, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = OUT_FIRST;
  FOR(r, R) {
    unsigned row = y + r - pad;
    if (row < height)
      FOR(s, S) {
        unsigned column = x + s - pad;
        if (column < width)
          sum -= FIRST(c, row, column) * TAP_FIRST;
      }
  }
  OUT_FIRST = sum > 0 ? sum : 0;
})
NEST(first_flipped, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) {
    int row = y - r + pad, column = x - s + pad;
    if (INSIDE)
      sum += FIRST(c, row, column) * TAP_FIRST;
  }
  OUT_FIRST = 3 * sum;
})
NEST(channels_last, FOR(y, H) FOR(x, W) FOR(c, C) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) {
    int row = y * step + r - pad, column = x * step + s - pad;
    if (INSIDE)
      sum += LAST(c, row, column) * TAP_LAST;
  }
  OUT_LAST = sum;
})
NEST(last_by_taps, FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, S) {
  int row = y * step + r - pad, column = x * step + s - pad;
  if (INSIDE)
    FOR(c, C) OUT_LAST += LAST(c, row, column) * TAP_LAST;
})

// The step is made with zero.
NEST(first_with_zeros, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) {
    int row = y * step + r - pad, column = x * step + s - pad;
    sum += (INSIDE ? FIRST(c, row, column) : 0) * TAP_FIRST;
  }
  OUT_FIRST = sum;
})
NEST(first_without_product, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = OUT_FIRST;
  FOR(r, R) FOR(s, S) {
    int row = y * step + r - pad, column = x * step + s - pad;
    sum += INSIDE ? FIRST(c, row, column) * TAP_FIRST : 0;
  }
  OUT_FIRST = sum;
})
NEST(last_with_zeros, FOR(y, H) FOR(x, W) FOR(c, C) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) {
    int row = y * step + r - pad, column = x * step + s - pad;
    sum += (INSIDE ? LAST(c, row, column) : 0) * TAP_LAST;
  }
  OUT_LAST = sum;
})

// An operand that ends or begins at a page that must not be touched.
static void *place(size_t Bytes, int AtEnd) {
  size_t Page = 4096, Whole = (Bytes + Page - 1) / Page * Page;
  char *All = mmap(0, Whole + 2 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(All + Page, Whole, PROT_READ | PROT_WRITE);
  return All + Page + (AtEnd ? Whole - Bytes : 0);
}

int main(void) {
  void (*const Nests[])(PARAMETERS) = {
      line,          line_by_taps,  image,         channels_first, first_in_memory,
      first_skipped, first_flipped, channels_last, last_by_taps,
      first_with_zeros, first_without_product, last_with_zeros};
  // C, height, width, R, S, step, pad
#if ARE_KNOWN
  SIZES
  int Sizes[][7] = {{C, height, width, R, S, step, pad}};
#else
  int Sizes[][7] = {{1, 9, 64, 3, 3, 1, 1},  {3, 4, 7, 3, 3, 1, 1},   {5, 14, 14, 3, 3, 2, 1},
                    {16, 5, 15, 5, 5, 1, 2}, {17, 16, 16, 3, 3, 2, 0}, {8, 6, 17, 1, 7, 1, 3},
                    {33, 7, 31, 3, 3, 1, 1}, {32, 15, 33, 3, 3, 3, 1}, {2, 7, 130, 4, 5, 1, 2},
                    {70, 4, 4, 3, 3, 1, 1},  {1, 13, 257, 2, 9, 1, 8}, {4, 1, 1, 3, 3, 1, 1},
                    {40, 3, 2, 5, 5, 1, 2},  {9, 28, 63, 5, 3, 2, 2},  {18, 6, 20, 3, 3, 1, 4},
                    {150, 5, 6, 3, 3, 1, 1}, {259, 7, 7, 5, 5, 2, 2},  {65, 3, 5, 3, 4, 1, 2}};
#endif
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int special = 0; special < 3; special++)
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        int C = Sizes[i][0], height = Sizes[i][1], width = Sizes[i][2], R = Sizes[i][3],
            S = Sizes[i][4], step = Sizes[i][5], pad = Sizes[i][6];
        if (f < 3 && !ARE_KNOWN)
          C = 1;
        if (f < 2 && !ARE_KNOWN)
          height = R = 1;
        if (f == 4 && !ARE_KNOWN)
          step = 2;
        if (f == 1 || f == 2 || f == 5 || f == 6)
          step = 1;
        int H = (height + 2 * pad - R) / step + 1, W = (width + 2 * pad - S) / step + 1;
        if (H < 1 || W < 1)
          continue;
        long NumIn = (long)C * height * width, NumOut = (long)C * H * W, NumTaps = (long)C * R * S;
        T *in = place(NumIn * sizeof(T), (f + special) & 1), *w = place(NumTaps * sizeof(T), f & 1);
        SUM *out = place(NumOut * sizeof(SUM), ~f & 1);
        for (long j = 0; j < NumIn; j++)
          in[j] = special == 2 ? (T)-0.0 : j * 7 % 23 * (T)0.37 - 3;
        for (long j = 0; j < NumTaps; j++)
          w[j] = special == 2 ? (T)0.0 : j * 5 % 19 * (T)0.21 - 2;
        for (long j = 0; j < NumOut; j++)
          out[j] = special == 2 ? (SUM)-0.0 : j % 11;
        if (special == 1 && (T)0.5) {
          in[NumIn / 5] = (T)INFINITY;
          in[NumIn / 3] = (T)NAN;
          in[NumIn / 7] = (T)-0.0;
          w[NumTaps / 2] = (T)INFINITY;
          w[NumTaps / 3] = (T)NAN;
        }
        Nests[f](out, in, w, C, H, W, R, S, step, pad, height, width);
        for (long j = 0; j < NumOut; j++) // NaNs have no certain sign
          if (out[j] != out[j])
            out[j] = 77;
        fwrite(out, sizeof(SUM), NumOut, stdout);
      }
}
