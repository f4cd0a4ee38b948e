/*===- convolution.c - direct convolutions as plain loops -------------------===*\
|*
|* Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===-----------------------------------------------------------------------===*/

/* The image is padded before: it has (H-1)*step+R rows and columns, and windows
   are step apart. out is K x H x H, or H x H x K. */

#ifndef PREFIX
#define PREFIX plain
#endif
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  float *restrict out, const float *restrict in, const float *restrict w,      \
      int C, int K, int H, int R, int step

void JOIN(PREFIX, nchw)(PARAMETERS) {
  int side = (H - 1) * step + R;
  FOR(k, K) FOR(y, H) FOR(x, H) {
    float sum = 0;
    FOR(c, C) FOR(r, R) FOR(s, R)
      sum += in[((long)c * side + y * step + r) * side + x * step + s] *
             w[(((long)k * C + c) * R + r) * R + s];
    out[((long)k * H + y) * H + x] = sum;
  }
}

void JOIN(PREFIX, nhwc)(PARAMETERS) {
  int side = (H - 1) * step + R;
  FOR(y, H) FOR(x, H) FOR(k, K) {
    float sum = 0;
    FOR(r, R) FOR(s, R) FOR(c, C)
      sum += in[((long)(y * step + r) * side + x * step + s) * C + c] *
             w[(((long)r * R + s) * C + c) * K + k];
    out[((long)y * H + x) * K + k] = sum;
  }
}
