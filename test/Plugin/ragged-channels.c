//===- ragged-channels.c - windows of pixels of three bytes ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolutions of bytes and shorts whose channels are no whole groups for dot products:
// both factors are copied with zeros behind a pixel, or behind a row of a window. Images
// and weights begin, and end, where nothing may be read; all sums are clang's.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DIMAGE="signed char"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DIMAGE=short -DWEIGHT=short
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=haswell
// RUN: %{compare}
// REDEFINE: %{flags} = -O2
// RUN: %{compare}
// CHECK-COUNT-8: replaced {{.*}}: gathered

// RUN: %clang --target=x86_64-linux-gnu -march=sapphirerapids -O2 -S -emit-llvm -DNO_MAIN -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=FILL
// Three channels that are known; sixteen need no copy.
// FILL-DAG: define internal {{.*}}i1 @tilesmith.fill
// FILL-DAG: call void @llvm.memcpy

#include "Inputs/windows-of-bytes.h"

// Images of side x side pixels, B of them; windows of R x R are D apart.
#define PARAMETERS                                                             \
  int *restrict out, const IMAGE *restrict in, const WEIGHT *restrict w, int B, \
      int C, int K, int H, int R, int D, int side
#define IN in[(((long)b * side + row) * side + column) * C + c]
#define OUT out[(((long)b * H + y) * H + x) * K + k]
#define PAD (R / 2)
#define PLACE int row = y * D + r - PAD, column = x * D + s - PAD;
#define INSIDE (row >= 0 && row < side && column >= 0 && column < side)

NEST(padded, FOR(b, B) FOR(y, H) FOR(x, H) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    PLACE
    if (INSIDE)
      FOR(c, C) sum += IN * RSCK;
  }
  OUT = sum;
})
NEST(kernels_outermost, FOR(b, B) FOR(y, H) FOR(x, H) FOR(k, K) {
  int sum = OUT;
  FOR(r, R) FOR(s, R) {
    PLACE
    if (INSIDE)
      FOR(c, C) sum -= IN * KRSC;
  }
  OUT = sum;
})
NEST(zeros, FOR(b, B) FOR(y, H) FOR(x, H) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) FOR(c, C) {
    PLACE
    sum += (INSIDE ? IN : 0) * RSCK;
  }
  OUT = sum;
})
NEST(channels_first, FOR(k, K) FOR(y, H) FOR(x, H) {
  int sum = 0;
  const int b = 0;
  FOR(r, R) FOR(s, R) {
    PLACE
    if (INSIDE)
      FOR(c, C) sum += IN * KRSC;
  }
  out[((long)k * H + y) * H + x] = sum;
})
NEST(line, FOR(b, B) FOR(x, H) FOR(k, K) {
  int sum = 0;
  FOR(s, R) {
    int column = x * D + s - PAD;
    if (column >= 0 && column < side)
      FOR(c, C) sum += in[((long)b * side + column) * C + c] * w[((long)s * C + c) * K + k];
  }
  out[((long)b * H + x) * K + k] = sum;
})
#undef PAD
#define PAD 0
NEST(inside, FOR(b, B) FOR(y, H) FOR(x, H) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) FOR(c, C) {
    PLACE
    sum += IN * RSCK;
  }
  OUT = sum;
})
// Between these pixels, there is something else.
NEST(apart, const int far = C + 1; FOR(y, H) FOR(x, H) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) FOR(c, C) {
    PLACE
    sum += in[((long)row * side + column) * far + c] * RSCK;
  }
  out[((long)y * H + x) * K + k] = sum;
})
#undef C
NEST(pictures, FOR(b, B) FOR(y, H) FOR(x, H) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y * D + r - R / 2, column = x * D + s - R / 2;
    if (INSIDE)
      FOR(c, 3)
        sum += in[(((long)b * side + row) * side + column) * 3 + c] * w[(((long)r * R + s) * 3 + c) * K + k];
  }
  OUT = sum;
})

#ifndef NO_MAIN
typedef void Nest(PARAMETERS);

/// A hash of what \p F makes of an image and weights.
static void run(const char *Name, Nest *F, const int *S, int IsPadded, int AtEnd) {
  int B = S[0], C = S[1], K = S[2], H = S[3], R = S[4], D = S[5];
  // The last window ends with the image, or a few pixels behind it.
  int Side = (H - 1) * D + R - (IsPadded ? R / 2 * 2 : 0);
  long Pixels = (long)B * Side * Side, NumW = (long)R * R * C * K, NumOut = (long)B * H * H * K;
  if (!__builtin_strcmp(Name, "pictures") && C != 3)
    return;
  if (!__builtin_strcmp(Name, "channels_first"))
    Pixels = (long)Side * Side, NumOut = (long)H * H * K;
  if (!__builtin_strcmp(Name, "line"))
    Pixels = (long)B * Side, NumOut = (long)B * H * K, NumW = (long)R * C * K;
  long NumIn = Pixels * C;
  if (!__builtin_strcmp(Name, "apart"))
    NumIn = (long)Side * Side * (C + 1), NumOut = (long)H * H * K;
  IMAGE *In = guarded(NumIn * sizeof(IMAGE), AtEnd);
  WEIGHT *Weights = guarded(NumW * sizeof(WEIGHT), AtEnd);
  int *Out = guarded(NumOut * sizeof(int), AtEnd);
  fillPixels(In, NumIn);
  fillWeights(Weights, NumW);
  for (long i = 0; i < NumOut; i++)
    Out[i] = i * 3;
  F(Out, In, Weights, B, C, K, H, R, D, Side);
  hashBytes(Out, NumOut * sizeof(int));
  printf("%s %d %d %d %d %d %d: %016lx\n", Name, B, C, K, H, R, D, Hash);
}

int main(void) {
  static const struct {
    const char *Name;
    Nest *F;
    int IsPadded;
  } Nests[] = {
      {"padded", padded, 1}, {"kernels_outermost", kernels_outermost, 1}, {"zeros", zeros, 1},
      {"channels_first", channels_first, 1}, {"line", line, 1}, {"inside", inside, 0},
      {"apart", apart, 0}, {"pictures", pictures, 1}};
  static const int Sizes[][6] = {
      {1, 3, 16, 24, 3, 1}, {2, 3, 16, 17, 3, 2}, {1, 5, 9, 20, 5, 1},  {1, 1, 16, 31, 3, 1}, {2, 7, 9, 15, 3, 1},
      {1, 3, 40, 20, 7, 2}, {1, 2, 20, 22, 3, 2}, {3, 6, 32, 12, 2, 1}, {1, 3, 3, 40, 3, 1},  {1, 9, 24, 14, 3, 2},
      {1, 3, 32, 9, 5, 3},  {1, 8, 16, 10, 3, 1}, {1, 3, 16, 20, 2, 3}, {1, 3, 8, 4, 3, 1},   {64, 3, 16, 60, 5, 1}};
  for (unsigned N = 0; N < sizeof(Nests) / sizeof(*Nests); N++)
    for (unsigned S = 0; S < sizeof(Sizes) / sizeof(*Sizes); S++)
      if (Sizes[S][0] < 64 || Nests[N].F == line)
        for (int AtEnd = 0; AtEnd < 2; AtEnd++)
          run(Nests[N].Name, Nests[N].F, Sizes[S], Nests[N].IsPadded, AtEnd);
}
#endif
