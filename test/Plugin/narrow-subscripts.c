//===- narrow-subscripts.c - subscripts below zero beyond a border --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Subscripts of 32 bits, which are negative where a step is not made, or is made
// with zero: clang knows there that they are not, and extends them as unsigned
// numbers. The kernels run, and all bytes are clang's.
//
// REQUIRES: system-linux, native-avx2
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// DEFINE:      -mllvm -tilesmith-profile=1 %s -o %t.ours && %t.ours > %t.got 2> %t.paths \
// DEFINE:   && cmp %t.expected %t.got && FileCheck %s < %t.paths
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off
// RUN: %{compare}

#include <math.h>
#include <stdio.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  int C, int K, int H, int W, int Apart, int R, float *restrict out,           \
      const float *restrict in, const float *restrict w
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) { __VA_ARGS__ }
#define INSIDE (row >= 0 && row < H && column >= 0 && column < W)

static inline float get(const float *in, int H, int W, int row, int column) {
  if (row < 0 || row >= H || column < 0 || column >= W)
    return 0;
  return in[row * W + column];
}

// CHECK-DAG: helper: {{.*}}{{[[:space:]]}} kernel: 2 times{{.*}}{{[[:space:]]}} loops: 0 times
NEST(helper, FOR(y, H) FOR(x, W) {
  float sum = 0;
  FOR(r, R) FOR(s, R) sum += get(in, H, W, y + r - R / 2, x + s - R / 2) * w[r * R + s];
  out[y * W + x] = sum;
})
// CHECK-DAG: tested: {{.*}}{{[[:space:]]}} kernel: 2 times{{.*}}{{[[:space:]]}} loops: 0 times
NEST(tested, FOR(y, H) FOR(x, W) {
  float sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + r - R / 2, column = x + s - R / 2;
    if (INSIDE)
      sum += in[row * W + column] * w[r * R + s];
  }
  out[y * W + x] = sum;
})
// The distance of rows is no bound.
// CHECK-DAG: apart: {{.*}}{{[[:space:]]}} kernel: 2 times{{.*}}{{[[:space:]]}} loops: 0 times
NEST(apart, FOR(y, H) FOR(x, W) {
  float sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + r - R / 2, column = x + s - R / 2;
    if (INSIDE)
      sum += in[row * Apart + column] * w[r * R + s];
  }
  out[y * W + x] = sum;
})
// CHECK-DAG: channels: {{.*}}{{[[:space:]]}} kernel: 2 times{{.*}}{{[[:space:]]}} loops: 0 times
NEST(channels, FOR(k, K) FOR(y, H) FOR(x, W) {
  float sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R)
    sum += get(in + c * H * W, H, W, y + r - R / 2, x + s - R / 2) * w[((k * C + c) * R + r) * R + s];
  out[(k * H + y) * W + x] = sum;
})
// CHECK-DAG: depthwise: {{.*}}{{[[:space:]]}} kernel: 2 times{{.*}}{{[[:space:]]}} loops: 0 times
NEST(depthwise, FOR(c, C) FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, R) {
  int row = y + r - R / 2, column = x + s - R / 2;
  if (INSIDE)
    out[(c * H + y) * W + x] += in[(c * H + row) * W + column] * w[(c * R + r) * R + s];
})

enum { NumIn = 20 * 40 * 48, NumTaps = 20 * 20 * 25 };
static float in[NumIn], w[NumTaps], out[NumIn];

int main(void) {
  void (*const Nests[])(PARAMETERS) = {helper, tested, apart, channels, depthwise};
  for (int Special = 0; Special < 2; Special++) {
    for (int i = 0; i < NumIn; i++)
      in[i] = i % 3 ? i % 23 * 0.37f - 3 : -0.0f;
    for (int i = 0; i < NumTaps; i++)
      w[i] = i % 17 * 0.21f - 1;
    if (Special) {
      in[NumIn / 30] = INFINITY;
      in[NumIn / 20] = NAN;
      w[3] = INFINITY;
    }
    for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
      for (int i = 0; i < NumIn; i++)
        out[i] = f % 2 ? -0.0f : 1;
      Nests[f](20, 16, 29, 37, 41, Special ? 5 : 3, out, in, w);
      for (int i = 0; i < NumIn; i++) // NaNs have no certain sign
        if (out[i] != out[i])
          out[i] = 77;
      fwrite(out, sizeof(out), 1, stdout);
    }
  }
}
