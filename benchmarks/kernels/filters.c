/*===- filters.c - filters without a sum over channels ----------------------===*\
|*
|* Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===-----------------------------------------------------------------------===*/

/* The image has a border of its own: H x W windows are step apart. C is one for
   an image of one channel, H is one for a line. */

#ifndef PREFIX
#define PREFIX plain
#endif
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#ifndef T
#define T float
#endif
#ifdef CONSTANTS
#define LOCALS enum { CONSTANTS };
#define PARAMETERS                                                             \
  T *restrict out, const T *restrict in, const T *restrict w, int C_, int H_,  \
      int W_, int R_, int S_, int step_
#else
#define LOCALS
#define PARAMETERS                                                             \
  T *restrict out, const T *restrict in, const T *restrict w, int C, int H,    \
      int W, int R, int S, int step
#endif
#ifdef STEP
#define step STEP
#endif
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define FILTER(name, ...)                                                      \
  void JOIN(PREFIX, name)(PARAMETERS) { LOCALS __VA_ARGS__ }

FILTER(line, FOR(x, W) {
  T sum = 0;
  FOR(s, S) sum += in[x + s] * w[s];
  out[x] = sum;
})
FILTER(line_sweep, FOR(x, W) out[x] = 0; FOR(s, S) FOR(x, W) out[x] += in[x + s] * w[s];)
FILTER(image, FOR(y, H) FOR(x, W) {
  T sum = 0;
  FOR(r, R) FOR(s, S) sum += in[(long)(y + r) * (W + S - 1) + x + s] * w[r * S + s];
  out[(long)y * W + x] = sum;
})
FILTER(image_sweep, FOR(y, H) {
  FOR(x, W) out[(long)y * W + x] = 0;
  FOR(r, R) FOR(s, S) FOR(x, W) out[(long)y * W + x] += in[(long)(y + r) * (W + S - 1) + x + s] * w[r * S + s];
})
#define IMAGE_W ((W - 1) * step + S)
#define IMAGE_H ((H - 1) * step + R)
FILTER(nchw, FOR(c, C) FOR(y, H) FOR(x, W) {
  T sum = 0;
  FOR(r, R) FOR(s, S) sum += in[((long)c * IMAGE_H + y * step + r) * IMAGE_W + x * step + s] * w[(c * R + r) * S + s];
  out[((long)c * H + y) * W + x] = sum;
})
FILTER(nhwc, FOR(y, H) FOR(x, W) FOR(c, C) {
  T sum = 0;
  FOR(r, R) FOR(s, S) sum += in[((long)(y * step + r) * IMAGE_W + x * step + s) * C + c] * w[(r * S + s) * C + c];
  out[((long)y * W + x) * C + c] = sum;
})
FILTER(nhwc_sweep, FOR(y, H) FOR(x, W) {
  FOR(c, C) out[((long)y * W + x) * C + c] = 0;
  FOR(r, R) FOR(s, S) FOR(c, C) out[((long)y * W + x) * C + c] += in[((long)(y * step + r) * IMAGE_W + x * step + s) * C + c] * w[(r * S + s) * C + c];
})
/* Windows begin R / 2 elements before the image. */
#define PADDED_W ((W - 1) * step + S - S / 2 * 2)
#define PADDED_H ((H - 1) * step + R - R / 2 * 2)
#define INSIDE (row >= 0 && row < PADDED_H && column >= 0 && column < PADDED_W)
FILTER(
    nchw_padded, FOR(c, C) FOR(y, H) FOR(x, W) {
      T sum = 0;
      FOR(r, R) FOR(s, S) {
        int row = y * step + r - R / 2, column = x * step + s - S / 2;
        if (INSIDE)
          sum += in[((long)c * PADDED_H + row) * PADDED_W + column] *
                 w[(c * R + r) * S + s];
      }
      out[((long)c * H + y) * W + x] = sum;
    })
FILTER(
    nhwc_padded, FOR(y, H) FOR(x, W) FOR(c, C) {
      T sum = 0;
      FOR(r, R) FOR(s, S) {
        int row = y * step + r - R / 2, column = x * step + s - S / 2;
        if (INSIDE)
          sum += in[((long)row * PADDED_W + column) * C + c] *
                 w[(r * S + s) * C + c];
      }
      out[((long)y * W + x) * C + c] = sum;
    })
