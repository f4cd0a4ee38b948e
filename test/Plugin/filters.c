//===- filters.c - windows without a sum over channels --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Lines, images of one channel and depthwise convolutions: all bytes are those
// that clang gives, also with infinite and NaN elements, and of operands that
// begin or end at a page that must not be read.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=float -DSUM=double
// RUN: %{compare}
// CHECK-COUNT-19: a filter,

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

#define PARAMETERS                                                             \
  SUM *restrict out, const T *restrict in, const T *restrict w, int C, int H,  \
      int W, int R, int S, int step
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) { __VA_ARGS__ }

#define IMAGE_W ((W - 1) * step + S)
#define IMAGE_H ((H - 1) * step + R)
#define IN(c, y, x) in[((long)(c) * IMAGE_H + (y)) * IMAGE_W + (x)]
#define LAST(c, y, x) in[((long)(y) * IMAGE_W + (x)) * C + (c)]
#define PRODUCT(a, b) ((SUM)(a) * (b))

// Lines.
NEST(line, FOR(x, W) {
  SUM sum = 0;
  FOR(s, S) sum += PRODUCT(in[x + s], w[s]);
  out[x] = sum;
})
NEST(line_in_memory, FOR(x, W) FOR(s, S) out[x] += PRODUCT(in[x + s], w[s]);)
NEST(line_by_taps, FOR(s, S) FOR(x, W) out[x] -= PRODUCT(in[x + s], w[s]);)
NEST(line_scaled, FOR(x, W) {
  SUM sum = out[x];
  FOR(s, S) sum += PRODUCT(in[x + s], w[S - 1 - s]);
  out[x] = 3 * sum + out[x];
})
NEST(every_second, FOR(x, W / 2) {
  SUM sum = 0;
  FOR(s, S) sum += PRODUCT(in[2 * x + s], w[s]);
  out[x] = sum;
})
NEST(every_third, FOR(x, W / 3) {
  SUM sum = 0;
  FOR(s, S) sum += PRODUCT(in[3 * x + s], w[s]);
  out[x] = sum;
})
NEST(rectified, FOR(x, W) {
  SUM sum = 0;
  FOR(s, S) sum += PRODUCT(in[x + s], w[s]);
  out[x] = sum > 0 ? sum : 0;
})

// Images of one channel.
NEST(image, FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) sum += PRODUCT(in[(y + r) * (W + S - 1) + x + s], w[r * S + s]);
  out[y * W + x] = sum;
})
NEST(image_by_taps, FOR(r, R) FOR(s, S) FOR(y, H) FOR(x, W) out[y * W + x] +=
                    PRODUCT(in[(y + r) * (W + S - 1) + x + s], w[r * S + s]);)
NEST(image_by_rows, FOR(y, H) {
  FOR(x, W) out[y * W + x] = 1;
  FOR(r, R) FOR(s, S) FOR(x, W) out[y * W + x] +=
      PRODUCT(in[(y + r) * (W + S - 1) + x + s], w[r * S + s]);
})
NEST(image_flipped, FOR(y, H) FOR(x, W) {
  SUM sum = 1;
  FOR(r, R) FOR(s, S)
    sum += PRODUCT(in[(y + R - 1 - r) * (W + S - 1) + x + S - 1 - s], w[r * S + s]);
  out[y * W + x] = sum;
})
NEST(image_by_columns, FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(s, S) FOR(r, R) sum += PRODUCT(in[(x + s) * (H + R - 1) + y + r], w[r * S + s]);
  out[x * H + y] = sum;
})

// Depthwise convolutions.
NEST(channels_first, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) sum += PRODUCT(IN(c, y * step + r, x * step + s), w[(c * R + r) * S + s]);
  out[(c * H + y) * W + x] = sum;
})
NEST(first_by_taps, FOR(c, C) FOR(y, H) FOR(r, R) FOR(s, S) FOR(x, W) out[(c * H + y) * W + x] +=
                    PRODUCT(IN(c, y * step + r, x * step + s), w[(c * R + r) * S + s]);)
NEST(first_rectified, FOR(c, C) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) sum += PRODUCT(IN(c, y * step + r, x * step + s), w[(c * R + r) * S + s]);
  out[(c * H + y) * W + x] = sum > 0 ? sum : 0;
})
NEST(channels_last, FOR(y, H) FOR(x, W) FOR(c, C) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) sum += PRODUCT(LAST(c, y * step + r, x * step + s), w[(r * S + s) * C + c]);
  out[(y * W + x) * C + c] = sum;
})
NEST(last_by_taps, FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, S) FOR(c, C) out[(y * W + x) * C + c] +=
                   PRODUCT(LAST(c, y * step + r, x * step + s), w[(r * S + s) * C + c]);)
NEST(last_biased, FOR(y, H) FOR(x, W) FOR(c, C) {
  SUM sum = w[c];
  FOR(r, R) FOR(s, S) sum += PRODUCT(LAST(c, y * step + r, x * step + s), w[(r * S + s) * C + c]);
  out[(y * W + x) * C + c] = sum;
})
// The taps' channels are not adjacent.
NEST(last_with_rows, FOR(y, H) FOR(x, W) FOR(c, C) {
  SUM sum = 0;
  FOR(r, R) FOR(s, S) sum += PRODUCT(LAST(c, y * step + r, x * step + s), w[(c * R + r) * S + s]);
  out[(y * W + x) * C + c] = sum;
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
      line,           line_in_memory, line_by_taps,    line_scaled,   every_second,
      every_third,    rectified,      image,           image_by_taps, image_by_rows,
      image_flipped,  image_by_columns, channels_first, first_by_taps, first_rectified,
      channels_last,  last_by_taps,   last_biased,     last_with_rows};
  int Sizes[][6] = {{1, 1, 64, 1, 16, 1}, {3, 4, 7, 3, 3, 1},  {5, 9, 14, 3, 3, 2},
                    {16, 5, 15, 5, 5, 1}, {17, 3, 16, 3, 2, 2}, {8, 6, 17, 1, 7, 1},
                    {33, 2, 31, 2, 3, 1}, {32, 5, 33, 3, 3, 3}, {2, 7, 130, 4, 5, 1},
                    {70, 4, 4, 3, 3, 2},  {1, 13, 257, 2, 9, 1}, {4, 1, 1, 3, 3, 1},
                    {40, 3, 2, 5, 1, 2},  {1, 1, 1000, 1, 64, 1}, {9, 8, 63, 3, 3, 2}};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int special = 0; special < 2; special++) {
      int C = Sizes[i][0], H = Sizes[i][1], W = Sizes[i][2], R = Sizes[i][3], S = Sizes[i][4],
          step = Sizes[i][5];
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        // The first nests have one row, and then one channel.
        int Channels = f < 12 ? 1 : C, Rows = f < 7 ? 1 : H, Taps = f < 7 ? 1 : R;
        int Step = f < 12 ? 1 : step;
        long NumIn = (long)Channels * ((Rows - 1) * Step + Taps) * ((W - 1) * Step + S),
             NumOut = (long)Channels * Rows * W, NumTaps = (long)Channels * Taps * S;
        T *in = place(NumIn * sizeof(T), f + special & 1), *w = place(NumTaps * sizeof(T), f & 1);
        SUM *out = place(NumOut * sizeof(SUM), ~f & 1);
        for (long j = 0; j < NumIn; j++)
          in[j] = j * 7 % 23 * (T)0.37 - 3;
        for (long j = 0; j < NumTaps; j++)
          w[j] = j * 5 % 19 * (T)0.21 - 2;
        for (long j = 0; j < NumOut; j++)
          out[j] = special ? (SUM)-0.0 : j % 11;
        if (special && (T)0.5) {
          in[NumIn / 5] = (T)INFINITY;
          in[NumIn / 3] = (T)NAN;
          in[NumIn / 7] = (T)-0.0;
          w[NumTaps / 2] = 0;
        }
        Nests[f](out, in, w, Channels, Rows, W, Taps, S, Step);
        for (long j = 0; j < NumOut; j++) // NaNs have no certain sign
          if (out[j] != out[j])
            out[j] = 77;
        fwrite(out, sizeof(SUM), NumOut, stdout);
      }
    }
}
