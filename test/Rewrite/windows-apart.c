// Depthwise layers of known taps with padding, whose windows are as far apart as the call
// says. Neighbours that are apart in the image must be more than those that are not
// (Plan::MinApart); and rows must fill their registers, the more so if there are few
// (Plan::Filling). Others are left to the loops. An argument for each: columns, rows,
// distance.
//
// DEFINE: %{avx512} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t
// DEFINE: %{avx2} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.avx2
// DEFINE: %{kernel} = FileCheck %s --check-prefix=KERNEL --input-file=%t.counts
// DEFINE: %{loops} = FileCheck %s --check-prefix=LOOPS --input-file=%t.counts
// RUN: %clang -O3 -march=native -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: %{avx512} 9 16 2 && %{kernel}
// RUN: %{avx512} 8 40 2 && %{loops}
// RUN: %{avx512} 8 40 1 && %{kernel}
// RUN: %{avx512} 17 4 2 && %{loops}
// RUN: %{avx512} 17 4 1 && %{kernel}
// RUN: %{avx512} 16 4 2 && %{kernel}
// RUN: %clang -O3 -march=haswell -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t.avx2
// RUN: %{avx2} 14 16 2 && %{kernel}
// RUN: %{avx2} 13 16 2 && %{loops}
// RUN: %{avx2} 13 16 1 && %{kernel}
// RUN: %{avx2} 9 4 1 && %{loops}
// RUN: %{avx2} 8 4 1 && %{kernel}
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=znver4 -DKNOWN=17 -fpass-plugin=%tilesmith -Rpass-missed=tilesmith %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=znver4 -DKNOWN=16 -fpass-plugin=%tilesmith -Rpass=tilesmith %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// REQUIRES: x86-registered-target, native-avx512

// KERNEL: {{^}}1 {{.*}}layer:
// LOOPS: {{^}}0 {{.*}}layer:
// SMALL: windows-apart.c:{{.*}}too small
// LARGE: windows-apart.c:{{.*}}replaced

#include <stdlib.h>
#include <string.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)
enum { C = 3, R = 3 };

__attribute__((noinline)) void layer(float *restrict out, const float *restrict in,
                                     const float *restrict w, int H_, int W_, int step_) {
#ifdef KNOWN
  enum { W = KNOWN, H = 4, step = 2 };
#else
  const int H = H_, W = W_, step = step_;
#endif
  const int Rows = (H - 1) * step + 1, Columns = (W - 1) * step + 1;
  FOR(c, C) FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, R) {
      int row = y * step + r - R / 2, column = x * step + s - R / 2;
      if (row >= 0 && row < Rows && column >= 0 && column < Columns)
        sum += in[((long)c * Rows + row) * Columns + column] * w[(c * R + r) * R + s];
    }
    out[((long)c * H + y) * W + x] = sum;
  }
}

static float in[C * 100 * 100], w[C * R * R], out[C * 100 * 100];

int main(int argc, char **argv) {
  int W = atoi(argv[1]), H = atoi(argv[2]), step = atoi(argv[3]);
  FOR(i, C * 100 * 100) in[i] = i % 37 - 15.3f;
  FOR(i, C * R * R) w[i] = i % 11 - 4.1f;
  layer(out, in, w, H, W, step);
  FOR(i, C * H * W) if (out[i] != out[i]) return 1;
  return 0;
}
