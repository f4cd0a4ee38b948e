//===- requantise.c - sums that are scaled in 64 bits ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
//
// Even and odd lanes are computed apart: nothing is permuted to be widened, and
// the multiplication takes the lower half of what is in its place.
//
// RUN: %clang -O2 --target=x86_64-linux-gnu -march=x86-64-v4 -fpass-plugin=%tilesmith -DONLY -S %s -o - | FileCheck %s
// CHECK-LABEL: tilesmith.epilogue:
// CHECK-NOT: vpmullq
// CHECK-NOT: vpmovsxdq
// CHECK: vpmuldq
// CHECK: vpmuldq
// CHECK: vpmovsdb
//
// RUN: %clang -O2 -march=x86-64-v3 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O2 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got

#include <stdint.h>

enum { N = 53 };

#define PRODUCT(name, C, ...)                                                                                          \
  __attribute__((noinline)) void name(int n, const int8_t *a, const int8_t *b, const int *bias, int scale,             \
                                      unsigned times, int64_t wide, int shift, C *c) {                                 \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < n; j++) {                                                                                    \
        int s = 0;                                                                                                     \
        for (int k = 0; k < n; k++)                                                                                    \
          s += a[i * N + k] * b[j * N + k];                                                                            \
        __VA_ARGS__;                                                                                                   \
      }                                                                                                                \
  }
#define CLAMP(s) c[i * N + j] = s < -128 ? -128 : s > 127 ? 127 : s

PRODUCT(truncating, int8_t, s = (int)((int64_t)(s + bias[j]) * scale >> shift); CLAMP(s)) // expected-remark {{epilogue}}
#ifndef ONLY
#include <stdio.h>

PRODUCT(rounding, int8_t, int64_t p = (int64_t)s *scale + (1ll << (shift - 1)); // expected-remark {{epilogue}}
        s = (int)(p >> shift) + bias[i]; CLAMP(s))
PRODUCT(in_64_bits, int8_t, int64_t p = ((int64_t)s * scale + wide) >> shift; CLAMP(p)) // expected-remark {{epilogue}}
PRODUCT(of_unsigned, uint32_t, // expected-remark {{epilogue}}
        c[i * N + j] = (uint32_t)((uint64_t)(unsigned)s * times >> 31))
PRODUCT(mixed, int16_t, int64_t p = (int64_t)s * wide; // expected-remark {{epilogue}}
        c[i * N + j] = (int16_t)((p ^ (unsigned)bias[j]) >> 7))
PRODUCT(chosen, int, int64_t p = (int64_t)s * scale; // expected-remark {{epilogue}}
        c[i * N + j] = (int)(p > wide ? p >> shift : p - times))
PRODUCT(of_two, int, c[i * N + j] = (int)(((int64_t)s * bias[j] + (int64_t)s * s) >> 9)) // expected-remark {{epilogue}}
PRODUCT(as_double, double, c[i * N + j] = (double)((int64_t)s * scale)) // expected-remark {{epilogue}}

static int8_t a[N * N], b[N * N];
static int bias[N];
static double c[N * N];

int main(void) {
  unsigned long x = 1;
  for (int i = 0; i < N * N; i++) {
    x = x * 6364136223846793005 + 1442695040888963407;
    a[i] = x >> 56, b[i] = x >> 48, bias[i % N] = (int)(x >> 32) >> 12;
  }
  for (int n = 1; n <= N; n += 13)
    for (int scale = -1234567; scale <= 1999999999; scale += 999999999) {
#define RUN(name) name(n, a, b, bias, scale, scale, -77777ll * scale, 21, (void *)c), fwrite(c, sizeof c, 1, stdout)
      RUN(truncating), RUN(rounding), RUN(in_64_bits), RUN(of_unsigned);
      RUN(mixed), RUN(chosen), RUN(of_two), RUN(as_double);
    }
  return 0;
}
#endif
