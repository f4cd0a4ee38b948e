//===- skipped-steps.c - loops of which LLVM makes two --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A loop that skips steps, inside the one that makes them, is one with it: unless the
// step depends on how many have been skipped, or values are loaded to skip.

// RUN: %clang -O2 --target=x86_64-linux-gnu -march=x86-64-v4 -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -S %s -o /dev/null 2>&1 | FileCheck %s

#define FOR(i, n) for (long i = 0; i < n; i++)

// CHECK: skipped-steps.c:[[#@LINE+3]]:{{.*}} replaced 4-loop nest by GEMM f32
void window(long n, long m, long l, long taps, long pad, const float *restrict a, const float *restrict b,
            float *restrict c) {
  FOR(q, m) FOR(x, n) {
    float sum = 0;
    FOR(k, l) for (long t = taps; t-- > 0;) {
      if (x + t < pad || x + t >= n + pad)
        continue;
      sum += a[k * n + x + t - pad] * b[(q * l + k) * taps + t];
    }
    c[q * n + x] = sum;
  }
}

// CHECK: skipped-steps.c:[[#@LINE+7]]:{{.*}} matrix product not replaced: there is an 'if'
void by_distance(long n, long h, const float *restrict a, const float *restrict b, float *restrict c) {
  FOR(i, n) FOR(j, n) {
    float sum = 0;
    long k = n;
    for (;;) {
      long first = k;
      do
        if (k-- == 0)
          goto end;
      while (k + i < h);
      sum += a[i * n + k] * b[k * n + j] * (float)(first - k);
    }
  end:
    c[i * n + j] = sum;
  }
}

// CHECK-NOT: replaced {{[0-9]}}
void by_values(long n, const float *restrict a, const float *restrict b, float *restrict c) {
  FOR(i, n) FOR(j, n) {
    float sum = 0;
    for (long k = n; k-- > 0;) {
      if (a[i * n + k] < 0.5f)
        continue;
      sum += a[i * n + k] * b[k * n + j];
    }
    c[i * n + j] = sum;
  }
}
