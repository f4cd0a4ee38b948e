/*===- convolution.c - direct convolutions as plain loops -------------------===*\
|*
|* Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===-----------------------------------------------------------------------===*/

/* The image has side x side elements; windows are step apart, and the first one
   begins pad elements before it. What is beyond its border is left out. out is
   K x H x H, or H x H x K. With -DBYTES, images are of unsigned bytes, weights of
   signed ones, and sums of int. */

#ifndef PREFIX
#define PREFIX plain
#endif
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  Sum *restrict out, const Image *restrict in, const Weight *restrict w,       \
      int C, int K, int H, int R, int step, int side, int pad

#ifdef BYTES
typedef unsigned char Image;
typedef signed char Weight;
typedef int Sum;
#else
typedef float Image, Weight, Sum;
#endif

void JOIN(PREFIX, nchw)(PARAMETERS) {
  FOR(k, K) FOR(y, H) FOR(x, H) {
    Sum sum = 0;
    FOR(c, C) FOR(r, R) FOR(s, R) {
      int row = y * step + r - pad, column = x * step + s - pad;
      if (row >= 0 && row < side && column >= 0 && column < side)
        sum += in[((long)c * side + row) * side + column] *
               w[(((long)k * C + c) * R + r) * R + s];
    }
    out[((long)k * H + y) * H + x] = sum;
  }
}

void JOIN(PREFIX, nhwc)(PARAMETERS) {
  FOR(y, H) FOR(x, H) FOR(k, K) {
    Sum sum = 0;
    FOR(r, R) FOR(s, R) {
      int row = y * step + r - pad, column = x * step + s - pad;
      if (row >= 0 && row < side && column >= 0 && column < side)
        FOR(c, C)
      sum += in[((long)row * side + column) * C + c] *
             w[(((long)r * R + s) * C + c) * K + k];
    }
    out[((long)y * H + x) * K + k] = sum;
  }
}
