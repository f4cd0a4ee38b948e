// Layers with channels first whose windows are one element, as is known at run time: all
// places are one line of the image, and whole panels of them are copied at a time. Not so
// if windows are apart, leave the image, or have more elements: sides of 1 to 65, a column,
// a row, panels that end in the middle of a row; images end where nothing may be read.
//
// RUN: %clang -O2 -march=native -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t && FileCheck %s --check-prefix=RUNS < %t.counts
// RUN: %clang -O2 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm '-tilesmith-plan=kc=8 mc=48 nc=16' %s -o %t && %t
// RUN: %clang -O2 -march=native -DT=double -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 %s -o %t && %t
// RUN: %clang -O2 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%tilesmith %s -o - | FileCheck %s
// REQUIRES: system-linux, x86-registered-target, native-avx512

// CHECK: define internal {{.*}} @tilesmith.pack.a(
// CHECK: call void @llvm.prefetch{{.*}} i32 2,
// CHECK-NEXT: getelementptr
// CHECK-NEXT: call void @llvm.prefetch{{.*}} i32 2,
// CHECK: define internal {{.*}} @tilesmith.gemm(
// CHECK: select i1 %one.line
// RUNS: {{[0-9][0-9]+}} {{.*}}layer: GEMM f32

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef T
#define T float
#endif
#define FOR(i, n) for (int i = 0; i < (n); i++)

__attribute__((noinline)) void layer(T *restrict out, const T *restrict in, const T *restrict w, int C, int K,
                                     int H, int W, int R, int step, int height, int width, int pad) {
  FOR(k, K) FOR(y, H) FOR(x, W) {
    T sum = 0;
    FOR(c, C) FOR(r, R) FOR(s, R) {
      int row = y * step + r - pad, column = x * step + s - pad;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += in[((long)c * height + row) * width + column] * w[(((long)k * C + c) * R + r) * R + s];
    }
    out[((long)k * H + y) * W + x] = sum;
  }
}

enum { Bytes = 1 << 22 };
static T w[1 << 16], out[1 << 20];

/// With an image that ends where nothing may be read.
static void run(char *end, int C, int K, int H, int W, int R, int step, int height, int width, int pad) {
  T *in = (T *)end - (long)C * height * width;
  for (long i = 0; i < (long)C * height * width; i++)
    in[i] = (i * 7 % 23) - (T)11.3;
  layer(out, in, w, C, K, H, W, R, step, height, width, pad);
}

int main(void) {
  char *memory = mmap(NULL, Bytes + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + Bytes, 65536, PROT_NONE))
    return 2;
  char *end = memory + Bytes;
  FOR(i, 1 << 16) w[i] = (i * 5 % 19) - (T)9.7;
  const int sides[][2] = {{1, 50}, {50, 1}, {7, 7}, {8, 6}, {13, 29}, {14, 14}, {17, 48}, {5, 65}, {33, 31}};
  FOR(i, sizeof sides / sizeof *sides) {
    int H = sides[i][0], W = sides[i][1];
    run(end, 24, 10, H, W, 1, 1, H, W, 0);         // one line
    run(end, 20, 17, H, W, 1, 2, 2 * H, 2 * W, 0); // apart
    run(end, 20, 9, H, W, 1, 1, H, W, 1);          // some before the image
    run(end, 20, 9, H, W, 1, 1, H + 2, W + 3, 0);  // rows of a larger image
    run(end, 20, 9, H + 1, W, 1, 1, H, W, 0);      // a row behind it
    run(end, 20, 9, H, W, 3, 1, H, W, 1);
  }
  return 0;
}
