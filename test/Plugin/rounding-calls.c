//===- rounding-calls.c - functions that LLVM knows nothing of ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// lrintf and the like write errno at most, though no attribute says so. With
// -fno-builtin, or with a body or a type of its own, a function of that name may
// be another one.
//
// RUN: %clang -O2 %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify %s -lm -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O2 -fno-math-errno %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify %s -lm -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O2 -march=x86-64-v3 -fno-math-errno %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -march=x86-64-v3 -fno-math-errno -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -lm -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O2 -fno-builtin -fpass-plugin=%tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: %clang -O2 -fno-builtin-lrintf -fpass-plugin=%tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// OTHER: a function is called inside the loops ('lrintf')

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 37 };

#define QUANTISE(ROUND, TYPE)                                                                                          \
  __attribute__((noinline)) void of_##ROUND(int n, const int8_t *a, const int8_t *b, const TYPE *scale, int zero,      \
                                            int8_t *c) {                                                               \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < n; j++) {                                                                                    \
        int s = 0;                                                                                                     \
        for (int k = 0; k < n; k++)                                                                                    \
          s += a[i * N + k] * b[j * N + k];                                                                            \
        long v = (long)ROUND((TYPE)s * scale[j]) + zero;                                                               \
        c[i * N + j] = v < -128 ? -128 : v > 127 ? 127 : v;                                                            \
      }                                                                                                                \
  }

QUANTISE(lrintf, float)     // expected-remark {{with an epilogue}}
QUANTISE(lrint, double)     // expected-remark {{with an epilogue}}
QUANTISE(llrintf, float)    // expected-remark {{with an epilogue}}
QUANTISE(lroundf, float)    // expected-remark {{with an epilogue}}
QUANTISE(llround, double)   // expected-remark {{with an epilogue}}
QUANTISE(nearbyintf, float) // expected-remark {{with an epilogue}}
QUANTISE(roundf, float)     // expected-remark {{with an epilogue}}

__attribute__((noinline)) void of_floats(int n, const float *a, const float *b, float *c) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * N + k] * b[j * N + k];
      c[i * N + j] = erfcf(s) * lrintf(s);
    }
}

static int8_t a[N * N], b[N * N], c[N * N];
static float scale[N], fa[N * N], fb[N * N], fc[N * N];
static double scales[N];

int main(void) {
  for (int i = 0; i < N * N; i++) {
    a[i] = i * 37 % 256, b[i] = i * 53 % 256;
    fa[i] = (i * 37 % 101 - 50) * 0.1f, fb[i] = (i * 53 % 97 - 48) * 0.2f;
    scales[i % N] = scale[i % N] = (i % N + 1) / 4096.0f;
  }
  scale[3] = -0.0f, scales[5] = scale[5] = 1e30f, fa[N + 2] = -0.0f, fb[3 * N] = 1e-40f;
  for (int n = 1; n <= N; n += 12) {
#define RUN(ROUND, SCALE) of_##ROUND(n, a, b, SCALE, n - 3, c), fwrite(c, sizeof c, 1, stdout)
    RUN(lrintf, scale), RUN(lrint, scales), RUN(llrintf, scale), RUN(lroundf, scale), RUN(llround, scales);
    RUN(nearbyintf, scale), RUN(roundf, scale);
    of_floats(n, fa, fb, fc), fwrite(fc, sizeof fc, 1, stdout);
  }
  return 0;
}
