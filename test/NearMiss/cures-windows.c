//===- cures-windows.c - convolutions, and their cures ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See cures.c.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

// EXPECT MixedBorders: at run time, bounds in front of the loop over columns
void bounds_in_front(int h, int w, int in, int out, int kh, int kw, int pad, const float *restrict x,
                     const float *restrict k, float *restrict y) {
  for (int o = 0; o < out; o++)
    for (int i = 0; i < h; i++) {
      int first = i < pad ? pad - i : 0, end = i + kh - pad > h ? h - i + pad : kh;
      for (int j = 0; j < w; j++) {
        float s = 0;
        for (int c = 0; c < in; c++)
          for (int r = first; r < end; r++)
            for (int q = 0; q < kw; q++) {
              int at = j + q - pad;
              if (at >= 0 && at < w)
                s += x[(c * h + i + r - pad) * w + at] * k[((o * in + c) * kh + r) * kw + q];
            }
        y[(o * h + i) * w + j] = s;
      }
    }
}
