//===- factor-maps.c - factors that are made of elements ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A factor may be any function of one element that numbers in vectors have, too:
// dequantised, bounded from below, a bit field. It is made while packing.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=fast %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-mc=32 \
// RUN:   -mllvm -tilesmith-kc=8 -mllvm -tilesmith-nc=16 %s -o %t.ours
// RUN: %clang -O2 -march=x86-64-v3 %s -o %t.stock && %t.stock > %t.expected
// RUN: %t.ours > %t.got && cmp %t.expected %t.got

#include <stdint.h>
#include <stdio.h>

enum { N = 45 };

#define PRODUCT(name, X, Y, S, x, y)                                                                                   \
  __attribute__((noinline)) void name(int n, const X *a, const Y *b, int z, S scale, S *restrict c) {                  \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < n; j++) {                                                                                    \
        S s = 0;                                                                                                       \
        for (int k = 0; k < n; k++)                                                                                    \
          s += (x) * (y);                                                                                              \
        c[i * N + j] = s;                                                                                              \
      }                                                                                                                \
  }
#define A a[i * N + k]
#define B b[k * N + j]
#define BT b[j * N + k]

PRODUCT(cast, float, int8_t, float, A, (float)B)                              // expected-remark {{by GEMM f32}}
PRODUCT(zero_point, float, uint8_t, float, A, (float)(BT - z))                // expected-remark {{by GEMM f32}}
PRODUCT(dequantised, float, int8_t, float, A, (float)(BT - z) * scale)        // expected-remark {{by GEMM f32}}
PRODUCT(both, int16_t, int32_t, double, (double)A *scale, (double)B)          // expected-remark {{by GEMM f64}}
PRODUCT(unsigned_to_double, uint32_t, double, double, (double)A, BT)          // expected-remark {{by GEMM f64}}
PRODUCT(relu, float, float, float, A > 0 ? A : 0, B)                          // expected-remark {{by GEMM f32}}
PRODUCT(clamp, double, double, double, A < -1 ? -1 : A > scale ? scale : A, BT) // expected-remark {{by GEMM f64}}
PRODUCT(magnitude, float, float, float, __builtin_fabsf(A), B > scale ? scale : B) // expected-remark {{by GEMM f32}}
PRODUCT(nibble, float, uint8_t, float, A, (float)((B & 15) - 8))              // expected-remark {{by GEMM f32}}
PRODUCT(shifted, int32_t, uint32_t, int32_t, A >> 3, (int)(B >> 7))           // expected-remark {{by GEMM i32}}
PRODUCT(selected, int32_t, int32_t, int32_t, A == z ? 1 : A, B < 0 ? -B : B)  // expected-remark {{by GEMM i32}}

static int8_t i8[N * N];
static uint8_t u8[N * N];
static int16_t i16[N * N];
static int32_t i32[N * N];
static uint32_t u32[N * N];
static float f32[N * N], f[N * N];
static double f64[N * N], g[N * N], d[N * N];
static float cf[N * N];
static double cd[N * N];
static int ci[N * N];

int main(void) {
  unsigned long x = 1;
  for (int i = 0; i < N * N; i++) {
    x = x * 6364136223846793005 + 1442695040888963407;
    i8[i] = u8[i] = x >> 56, i16[i] = x >> 48, u32[i] = i32[i] = x >> 32;
    f32[i] = i16[i] / 997.0f, f64[i] = i32[i] / 1e7, f[i] = i8[i] / 7.0f, g[i] = i16[i] / 7.0;
  }
  f32[0] = f64[0] = -0.0f, f32[46] = f64[46] = 1 / 0.0f, f32[92] = f64[92] = 0.0f / 0.0f;
  f[3] = g[3] = -0.0f, f[48] = g[48] = -1 / 0.0f;
  for (int n = 1; n <= N; n += 11) {
#define WRITE(c)                                                                                                       \
  for (int i = 0; i < N * N; i++)                                                                                      \
    c[i] = c[i] != c[i] ? 7 : c[i];                                                                                    \
  fwrite(c, sizeof c, 1, stdout)
#define RUN(name, a, b, scale, c)                                                                                      \
  name(n, a, b, 5, scale, c);                                                                                          \
  WRITE(c)
    RUN(cast, f32, i8, 0, cf);
    RUN(zero_point, f32, u8, 0, cf);
    RUN(dequantised, f32, i8, 0.013f, cf);
    RUN(both, i16, i32, 0.3, cd);
    RUN(unsigned_to_double, u32, f64, 0, cd);
    RUN(relu, f32, f, 0, cf);
    RUN(clamp, f64, g, 3, cd);
    RUN(magnitude, f32, f, 3, cf);
    RUN(nibble, f32, u8, 0, cf);
    RUN(shifted, i32, u32, 0, ci);
    RUN(selected, i32, i32, 0, ci);
  }
  return 0;
}
