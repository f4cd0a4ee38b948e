//===- convolutions.c - loops that are almost those of a convolution ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define PARAMETERS                                                             \
  int C, int K, int W, int S, int pad, float *restrict out,                    \
      const float *restrict in, const float *restrict w
#define OUT out[(long)k * W + x]
#define WEIGHT w[((long)k * C + c) * S + s]

// EXPECT NotAffine: the line is repeated beyond its border
void circular(PARAMETERS) {
  FOR(k, K) FOR(x, W) FOR(c, C) FOR(s, S) OUT += in[(long)c * W + (x + s) % W] * WEIGHT;
}

// EXPECT IndexRoles: each place has weights of its own
void weights_of_places(PARAMETERS) {
  FOR(k, K) FOR(x, W) FOR(c, C) FOR(s, S)
    OUT += in[(long)c * (W + S) + x + s] * w[(((long)k * W + x) * C + c) * S + s];
}

// EXPECT NotAffine: memory says where the elements of a window are
void deformed(PARAMETERS, const int *restrict offset) {
  FOR(k, K) FOR(x, W) FOR(c, C) FOR(s, S) OUT += in[(long)c * W + x + offset[s]] * WEIGHT;
}

// EXPECT BoundVaries|IndexRoles: the last tap that was inside is wanted, too
void last_tap(PARAMETERS, int *restrict last) {
  FOR(k, K) FOR(x, W) {
    float sum = 0;
    int s = 0;
    FOR(c, C) for (s = MAX(0, pad - x); s < MIN(S, W + pad - x); s++)
      sum += in[(long)c * W + x + s - pad] * WEIGHT;
    OUT = sum;
    last[(long)k * W + x] = s;
  }
}

// EXPECT BoundVaries: one step is made where there is none inside
void at_least_one(PARAMETERS) {
  FOR(k, K) FOR(x, W) {
    float sum = 0;
    FOR(c, C) {
      int s = MAX(0, pad - x), end = MIN(S, W + pad - x);
      do
        sum += in[(long)c * W + x + s - pad] * WEIGHT;
      while (++s < end);
    }
    OUT = sum;
  }
}

// EXPECT Branch: beyond one border, steps are left out, and beyond the other one, zero is added
void zero_added(PARAMETERS) {
  FOR(k, K) FOR(x, W) {
    float sum = 0;
    FOR(c, C) FOR(s, S) {
      int column = x + s - pad;
      if (column >= 0)
        sum += column < W ? in[(long)c * W + column] * WEIGHT : 0;
    }
    OUT = sum;
  }
}

// EXPECT BoundVaries: the windows' places, not the bounds of the line, clip them
void other_bounds(PARAMETERS, const int *restrict first) {
  FOR(k, K) FOR(x, W) {
    float sum = 0;
    FOR(c, C) for (int s = MAX(0, first[x]); s < S; s++)
      sum += in[(long)c * (W + S) + x + s] * WEIGHT;
    OUT = sum;
  }
}
