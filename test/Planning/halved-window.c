// Half a window is an integer that is divided, but only to find an element: no step
// divides, so rows of 20 are enough for a kernel.
//
// RUN: %clang -O2 -march=native -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t && FileCheck %s < %t.counts
// REQUIRES: native-avx512

#define FOR(i, n) for (int i = 0; i < (n); i++)

// CHECK: 1 {{.*}}depthwise: filter f32
__attribute__((noinline)) void depthwise(int C, int H, int W, int R, int S, float *restrict out,
                                         const float *restrict in, const float *restrict w) {
  FOR(c, C) FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) {
      int row = y + r - R / 2, column = x + s - S / 2;
      if (row >= 0 && row < H && column >= 0 && column < W)
        sum += in[((long)c * H + row) * W + column] * w[(c * R + r) * S + s];
    }
    out[((long)c * H + y) * W + x] = sum;
  }
}

int main(void) {
  enum { C = 8, Side = 20 };
  static float out[C * Side * Side], in[C * Side * Side], w[C * 9];
  FOR(i, C * Side * Side) in[i] = (float)(i % 7) - 3;
  FOR(i, C * 9) w[i] = (float)(i % 5) - 2;
  depthwise(C, Side, Side, 3, 3, out, in, w);
}
