// Convolutions with padding whose windows have more taps than there are places: kernels
// make most steps that the nest leaves out, so there must be sums enough for each tap, and
// with channels first, places (Plan::MinSumsPerTap, MaxTapsPerPlace). Without padding, one
// kernel must have ten places (Plan::MinOfOneRow). The kernel tests that at run time;
// known sizes are refused. Arguments: form, side, taps, channels, kernels.
//
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t
// DEFINE: %{kernel} = FileCheck %s --check-prefix=KERNEL --input-file=%t.counts
// DEFINE: %{loops} = FileCheck %s --check-prefix=LOOPS --input-file=%t.counts
// RUN: %clang -O3 -march=native -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: %{run} last 2 3 40 12 && %{kernel}
// RUN: %{run} last 2 3 40 11 && %{loops}
// RUN: %{run} last 3 5 40 14 && %{kernel}
// RUN: %{run} last 3 5 40 13 && %{loops}
// RUN: %{run} last 3 3 64 3 && %{kernel}
// RUN: %{run} first 3 3 64 3 && %{kernel}
// RUN: %{run} first 4 5 64 2 && %{kernel}
// RUN: %{run} first 4 5 64 1 && %{loops}
// RUN: %{run} first 3 5 64 40 && %{loops}
// RUN: %{run} plain 3 3 40 1 && %{loops}
// RUN: %{run} plain 4 3 40 1 && %{kernel}
// RUN: %{run} plain 1 3 40 8 && %{kernel}
// REQUIRES: x86-registered-target, native-avx512

// KERNEL: {{^}}1 {{.*}}
// LOOPS-NOT: {{^}}1 {{.*}}

// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -DKNOWN=11 -fpass-plugin=%tilesmith -Rpass-missed=tilesmith %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -DKNOWN=12 -fpass-plugin=%tilesmith -Rpass=tilesmith %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// SMALL: few-places.c:{{.*}}too small
// LARGE: few-places.c:{{.*}}replaced

#include <stdlib.h>
#include <string.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  float *restrict out, const float *restrict in, const float *restrict w,      \
      int H_, int R_, int C_, int K_
#ifdef KNOWN
enum { H = 2, R = 3, C = 40, K = KNOWN };
#define SIZES
#else
#define SIZES const int H = H_, R = R_, C = C_, K = K_;
#endif

__attribute__((noinline)) void last(PARAMETERS) {
  SIZES
  FOR(y, H) FOR(x, H) FOR(k, K) {
    float sum = 0;
    FOR(r, R) FOR(s, R) {
      int row = y + r - R / 2, column = x + s - R / 2;
      if (row >= 0 && row < H && column >= 0 && column < H)
        FOR(c, C)
          sum += in[((long)row * H + column) * C + c] * w[(((long)r * R + s) * C + c) * K + k];
    }
    out[((long)y * H + x) * K + k] = sum;
  }
}

#ifndef KNOWN
__attribute__((noinline)) void first(PARAMETERS) {
  SIZES
  FOR(k, K) FOR(y, H) FOR(x, H) {
    float sum = 0;
    FOR(c, C) FOR(r, R) FOR(s, R) {
      int row = y + r - R / 2, column = x + s - R / 2;
      if (row >= 0 && row < H && column >= 0 && column < H)
        sum += in[((long)c * H + row) * H + column] * w[(((long)k * C + c) * R + r) * R + s];
    }
    out[((long)k * H + y) * H + x] = sum;
  }
}

__attribute__((noinline)) void plain(PARAMETERS) {
  SIZES
  const int side = H + R - 1;
  FOR(y, H) FOR(x, H) FOR(k, K) {
    float sum = 0;
    FOR(r, R) FOR(s, R) FOR(c, C)
      sum += in[((long)(y + r) * side + x + s) * C + c] * w[(((long)r * R + s) * C + c) * K + k];
    out[((long)y * H + x) * K + k] = sum;
  }
}

static float in[100000], w[200000], out[10000];

int main(int argc, char **argv) {
  int H = atoi(argv[2]), R = atoi(argv[3]), C = atoi(argv[4]), K = atoi(argv[5]);
  FOR(i, 100000) in[i] = i % 37 - 15.3f;
  FOR(i, 200000) w[i] = i % 11 - 4.1f;
  (!strcmp(argv[1], "last") ? last : !strcmp(argv[1], "first") ? first : plain)(out, in, w, H, R, C, K);
  return 0;
}
#endif
