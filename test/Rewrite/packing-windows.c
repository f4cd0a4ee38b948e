// Of bytes, the first sliver of windows packs the weights of its block, tile by tile:
// there are micro kernels that read groups of four rows where they are, and store what
// they use. Runs beyond a border are packed as well. At -O2, code is small, and blocks
// are packed ahead, as they are where windows or weights are not read run by run.
//
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -mavx512vnni -fno-discard-value-names -fpass-plugin=%tilesmith %s -o - | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -mavx512vnni -fno-discard-value-names -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=AHEAD
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=AHEAD
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -mavx512vnni -fno-discard-value-names -fpass-plugin=%tilesmith -DKRSC %s -o - | FileCheck %s --check-prefix=AHEAD
// REQUIRES: x86-registered-target

// CHECK: define internal {{.*}}void @tilesmith.micro.48x7{{[^(]*}}(ptr noalias %A0,{{.*}}ptr noalias readonly %source.a
// CHECK: run.step:
// CHECK: store <16 x i32>
// CHECK: vpdpbusd
// CHECK: run.pack:
// CHECK: store <16 x i32>
// CHECK-NOT: vpdpbusd
// CHECK: run.step
// AHEAD-NOT: %source.a

#define FOR(i, n) for (int i = 0; i < (n); i++)

#ifdef KRSC
#define WEIGHT w[(((long)k * R + r) * R + s) * C + c]
#else
#define WEIGHT w[(((long)r * R + s) * C + c) * K + k]
#endif

void layer(int *restrict out, const unsigned char *restrict in, const signed char *restrict w,
           int C, int K, int H, int R, int pad) {
  FOR(y, H) FOR(x, H) FOR(k, K) {
    int sum = 0;
    FOR(r, R) FOR(s, R) {
      int row = y + r - pad, column = x + s - pad;
      if (row >= 0 && row < H && column >= 0 && column < H)
        FOR(c, C) sum += in[((long)row * H + column) * C + c] * WEIGHT;
    }
    out[((long)y * H + x) * K + k] = sum;
  }
}
