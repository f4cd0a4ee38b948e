// Images with borders: the kernel runs unless a weight is never met, an element has
// no step, or C overlaps what is read. What is only beyond the
// border is not read.
//
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -lm -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t && FileCheck %s < %t.counts
// RUN: %clang -O2 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -ffast-math -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=FAST
// RUN: %clang -O2 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=EXACT
// EXACT: fcmp ueq float
// FAST-NOT: fcmp
// REQUIRES: x86-registered-target

#include <math.h>
#include <stdlib.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define INSIDE (row >= 0 && row < H && column >= 0 && column < H)
#define ARGUMENTS float *out, const float *in, const float *w, int C, int K, int H, int R, int P

// Images of 14 x 14 and 3 x 3, beside C in memory on either side, and with an infinite
// weight. Not where C meets the image, or a weight never does, nor of 2 x 2.
// CHECK: 5 {{.*}}borders.c:[[#@LINE + 2]]:3: sums: GEMM f32
__attribute__((noinline)) void sums(ARGUMENTS) {
  FOR(k, K) FOR(y, H) FOR(x, H) {
    float sum = 0;
    FOR(c, C) FOR(r, R) FOR(s, R) {
      int row = y + r - P, column = x + s - P;
      if (INSIDE)
        sum += in[(c * (long)H + row) * H + column] * w[((k * (long)C + c) * R + r) * R + s];
    }
    out[(k * (long)H + y) * H + x] = sum;
  }
}

// Not if the border is so wide that some windows are all beyond it.
// CHECK: 2 {{.*}}borders.c:[[#@LINE + 2]]:3: stored: GEMM f32
__attribute__((noinline)) void stored(ARGUMENTS) {
  FOR(k, K) FOR(y, H) FOR(x, H) FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      out[(k * (long)H + y) * H + x] +=
          in[(c * (long)H + row) * H + column] * w[((k * (long)C + c) * R + r) * R + s];
  }
}

#define CLIPPED(i, first, end, n)                                              \
  for (int i = (first) > 0 ? (first) : 0; i < ((end) < (n) ? (end) : (n)); i++)
// Clipped loops make no steps outside, so they run if some are empty.
// CHECK: 1 {{.*}}borders.c:[[#@LINE + 2]]:3: clipped: GEMM f32
__attribute__((noinline)) void clipped(ARGUMENTS) {
  FOR(k, K) FOR(y, H) FOR(x, H) {
    float sum = 0;
    FOR(c, C) CLIPPED(r, P - y, H + P - y, R) CLIPPED(s, P - x, H + P - x, R)
      sum += in[(c * (long)H + y + r - P) * H + x + s - P] * w[((k * (long)C + c) * R + r) * R + s];
    out[(k * (long)H + y) * H + x] = sum;
  }
}

int main(void) {
  enum { C = 16, K = 16, Side = 14, Image = C * Side * Side, Out = K * Side * Side };
  float *all = calloc(Out + Image + Out, sizeof(float)), *w = calloc(K * C * 25, sizeof(float));
  float *in = all + Out;
  sums(all, in, w, C, K, Side, 3, 1);
  sums(in + Image, in, w, C, K, Side, 3, 1);
  sums(in + Image, in, w, C, K, 3, 3, 1);
  sums(all, in, w, C, K, Side, 5, 2);
  sums(all + 1, in, w, C, K, Side, 3, 1);
  sums(in + Image - 1, in, w, C, K, Side, 3, 1);
  sums(all, in, w, C, K, 2, 3, 1);
  sums(all, in, w, C, K, 2, 5, 2);
  stored(all, in, w, C, K, Side, 3, 1);
  stored(all, in, w, C, K, Side, 3, 30);
  clipped(all, in, w, C, K, Side, 3, 1);
  clipped(all, in, w, C, K, Side, 3, 3);
  w[77] = -INFINITY;
  sums(all, in, w, C, K, Side, 3, 1);
  stored(all, in, w, C, K, Side, 3, 1);
}
