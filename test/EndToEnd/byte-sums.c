//===- byte-sums.c - matrix times vector, summed in bytes -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register of 256 bits has more bytes than the 24 rows that are made at a time of
// other types: nothing was added to whole registers.

// REQUIRES: native-avx2
// DEFINE: %{flags} = -march=x86-64-v3
// DEFINE: %{plain} = %clang -O3 %{flags} %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang -O3 %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.ours 2>&1 | FileCheck %s && %t.ours > %t.result
// RUN: %{plain} && %{ours} && cmp %t.expected %t.result
// REDEFINE: %{flags} = -march=native
// RUN: %{plain} && %{ours} && cmp %t.expected %t.result
// REDEFINE: %{flags} = -march=x86-64
// RUN: %{plain} && %{ours} && cmp %t.expected %t.result
// CHECK: replaced 2-loop nest by pairwise reduction i8

#include <stdint.h>
#include <stdio.h>

enum { Most = 100, Steps = 12 };

__attribute__((noinline)) void anyOf(long rows, long steps, long ld, int beta, _Bool *c, const uint8_t *a, const uint8_t *x) {
  for (long i = 0; i < rows; i++)
    for (long k = 0; k < steps; k += 3)
      c[i] += ((_Bool)a[i * ld + k] - beta) * x[-k];
}

__attribute__((noinline)) void remainders(long rows, long steps, long ld, uint16_t *c, const uint16_t *a, const uint16_t *x) {
  for (long i = 0; i < rows; i++) {
    uint16_t s = c[i];
    for (long k = 0; k < steps; k++)
      s = (s ^ a[i * ld + k] * x[k]) / 3;
    c[i] = s;
  }
}

static unsigned next = 1;
static unsigned any(void) { return (next = next * 1664525 + 1013904223) >> 16; }

int main(void) {
  static _Bool c[Most];
  static uint8_t a[Most * Steps], x[Steps + 1];
  static uint16_t c16[Most], a16[Most * Steps], x16[Steps];
  for (long rows = 1; rows <= Most; rows++)
    for (long steps = 0; steps <= Steps; steps += 1 + steps / 4) {
      for (long i = 0; i < Most; i++)
        c[i] = any() & 1, c16[i] = any();
      for (long i = 0; i < Most * Steps; i++)
        a[i] = any() % 3, a16[i] = any();
      for (long i = 0; i <= Steps; i++)
        x[i] = any() % 3 ? any() : 0;
      for (long i = 0; i < Steps; i++)
        x16[i] = any();
      anyOf(rows, steps, Steps, any() & 1, c, a, x + Steps);
      remainders(rows, steps, Steps, c16, a16, x16);
      unsigned long hash = 0;
      for (long i = 0; i < Most; i++)
        hash = (hash * 31 + c[i]) * 31 + c16[i];
      printf("%ld %ld %lx\n", rows, steps, hash);
    }
}
