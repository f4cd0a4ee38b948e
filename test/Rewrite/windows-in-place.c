// Windows of an image with channels last are read where they are: whole slivers of a
// row, inside of the image in a block's steps. Others are packed. Rows of 1 to 30
// windows, distances of one to three, dilation, few and many kernels, no channels but
// one, infinite weights; no window is read beyond the image.
//
// RUN: %clang -O2 -march=native -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t && FileCheck %s --check-prefix=RUNS < %t.counts
// RUN: %clang -O2 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm '-tilesmith-plan=pack-b=always' %s -o %t && %t
// RUN: %clang -O2 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm '-tilesmith-plan=kc=8 mc=48 nc=16' %s -o %t && %t
// RUN: %clang -O2 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%tilesmith %s -o - | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%tilesmith -mllvm '-tilesmith-plan=pack-b=always' %s -o - | FileCheck %s --check-prefix=PACKED
// REQUIRES: x86-registered-target, native-avx512

// Where the columns of a run are, and which are inside, is looked up once for all tiles of a sliver.
// CHECK: define internal {{.*}}void @tilesmith.micro.32x8{{.*}}ptr {{.*}}%steps
// CHECK: define internal {{.*}}void @tilesmith.micro.32x8{{.*}}ptr %runs, i64 %num.runs, ptr %later.a
// CHECK: define internal {{.*}} @tilesmith.gemm(
// CHECK: %rows = select i1
// CHECK: %dense = icmp eq i64
// CHECK: [[INSIDE:%.*]] = and <8 x i1>
// CHECK-NEXT: select <8 x i1> [[INSIDE]], <8 x ptr>
// CHECK: store <8 x ptr>
// PACKED-NOT: @tilesmith.micro.{{.*}}%steps

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)

typedef struct { int C, K, H, W, R, S, step, dilation, pad, height, width; } Layer;

// RUNS: {{[0-9][0-9][0-9]+}} {{.*}}layer: GEMM f32
__attribute__((noinline)) void layer(Layer L, float *restrict out, const float *restrict in,
                                     const float *restrict w) {
  int C = L.C, K = L.K;
  FOR(y, L.H) FOR(x, L.W) FOR(k, K) {
    float sum = 0;
    FOR(r, L.R) FOR(s, L.S) {
      int row = y * L.step + r * L.dilation - L.pad, column = x * L.step + s * L.dilation - L.pad;
      if (row >= 0 && row < L.height && column >= 0 && column < L.width)
        FOR(c, C)
          sum += in[((long)row * L.width + column) * C + c] * w[(((long)r * L.S + s) * C + c) * K + k];
    }
    out[((long)y * L.W + x) * K + k] = sum;
  }
}

// Floats that end where no page is.
static float *atEnd(size_t n) {
  size_t page = 4096, bytes = (n * sizeof(float) + page - 1) / page * page;
  char *all = mmap(0, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + bytes, page, PROT_NONE);
  return (float *)(all + bytes) - n;
}

int main(void) {
  static const int channels[] = {1, 3, 8, 20}, kernels[] = {1, 16, 50, 100};
  FOR(W, 31) FOR(c, 4) FOR(k, 4) FOR(variant, 4) {
    Layer L = {channels[c], kernels[k], 5, W, 3, 3, 1, 1, 1, 0, 0};
    if (variant == 1)
      L.step = 2;
    if (variant == 2)
      L.dilation = L.pad = 2;
    if (variant == 3)
      L.R = 1, L.S = 5, L.pad = 0, L.step = 3;
    L.height = (L.H - 1) * L.step + (L.R - 1) * L.dilation + 1 - 2 * L.pad;
    L.width = (L.W - 1) * L.step + (L.S - 1) * L.dilation + 1 - 2 * L.pad;
    if (L.width < 1)
      continue;
    size_t image = (size_t)L.C * L.height * L.width, weights = (size_t)L.C * L.K * L.R * L.S;
    float *in = atEnd(image), *w = atEnd(weights), *out = atEnd((size_t)L.K * L.H * L.W);
    FOR(i, (int)image) in[i] = (float)(i * 7 % 23) - 11;
    FOR(i, (int)weights) w[i] = (float)(i * 5 % 19) / 8 - 1;
    if (W % 3 == 0)
      w[weights / 2] = INFINITY, w[0] = NAN;
    layer(L, out, in, w);
  }
}
