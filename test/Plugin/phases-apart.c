//===- phases-apart.c - scatters whose rows or images of C meet -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where rows or images of C overlap, an element belongs to several phases, whose
// order is not that of the source: its own loops run.
//
// RUN: %clang -O3 -march=native %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native %s -o %t.ours -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// CHECK: gathered

#include <stdio.h>
#include <string.h>

enum { Size = 16, Channels = 16, Taps = 4, Bytes = 1 << 16 };

__attribute__((noinline)) void scatter(long channels, long size, long row, long image,
                                       const float *restrict in, const float *restrict w,
                                       float *restrict out) {
  for (long g = 0; g < channels; g++)
    for (long f = 0; f < channels; f++)
      for (long y = 0; y < size; y++)
        for (long x = 0; x < size; x++)
          for (long r = 0; r < Taps; r++)
            for (long s = 0; s < Taps; s++)
              out[f * image + (2 * y + r) * row + 2 * x + s] +=
                  in[(g * size + y) * size + x] * w[((g * channels + f) * Taps + r) * Taps + s];
}

static float in[Channels * Size * Size], w[Channels * Channels * Taps * Taps], out[Bytes];

int main(void) {
  const long rows[] = {0, 1, 16, 17, 31, 33, 34, 35, 40}, images[] = {0, 16, 34, 1121, 1155, 1156, 1200, 1400};
  for (int i = 0; i < sizeof(in) / sizeof(*in); i++)
    in[i] = (i * 7919 % 2001 - 1000) / 777.f;
  for (int i = 0; i < sizeof(w) / sizeof(*w); i++)
    w[i] = (i * 6101 % 2003 - 1000) / 779.f;
  for (int i = 0; i < sizeof(rows) / sizeof(*rows); i++)
    for (int j = 0; j < sizeof(images) / sizeof(*images); j++) {
      for (int k = 0; k < Bytes; k++)
        out[k] = k % 7;
      scatter(Channels, Size, rows[i], images[j], in, w, out);
      fwrite(out, sizeof(*out), Bytes, stdout);
    }
}
