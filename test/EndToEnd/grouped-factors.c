//===- grouped-factors.c - factors with a scale per group -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Weights of 8 and 4 bits with a scale for each group of steps, in all spellings: all bytes
// are those that clang gives.
//
// DEFINE: %{flags} =
// DEFINE: %{check} = FileCheck %s < %t.remarks
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 \
// DEFINE:     -Rpass=tilesmith %s -o %t.ours 2> %t.remarks \
// DEFINE:   && %{check} && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -ffp-contract=off
// RUN: %{compare}
// LLVM unrolls short groups, and fuses some of their products.
// REDEFINE: %{check} = FileCheck %s --check-prefix=ANY < %t.remarks
// ANY: B computed
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>


#define NEST(name, ...)                                                                                                \
  static __attribute__((noinline)) void name(int n, int steps, int group, const float *restrict a,                     \
                                             const float *restrict scale, const int8_t *restrict q,                    \
                                             const int8_t *restrict zero, const uint8_t *restrict halves,              \
                                             float *restrict c) {                                                      \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < n; j++) {                                                                                    \
        float s = 0;                                                                                                   \
        __VA_ARGS__                                                                                                    \
        c[i * n + j] = s;                                                                                              \
      }                                                                                                                \
  }
#define STEPS(value)                                                                                                   \
  for (int k = 0; k < steps; k++)                                                                                      \
    s += a[i * steps + k] * (value);

// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(zero_and_scale, STEPS((float)(q[k * n + j] - zero[k / 32]) * scale[k / 32]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(scales_in_rows, STEPS(q[k * n + j] * scale[k / 32 * n + j]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(scales_in_columns, STEPS(q[j * steps + k] * scale[j * (steps / 32) + k / 32]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(shifted, STEPS(q[k * n + j] * scale[(k >> 5) * n + j]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(flat, STEPS(q[j * steps + k] * scale[(j * steps + k) / 32]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(along_columns, STEPS(q[k * n + j] * scale[(k * n + j) / 16]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(by_variable, STEPS(q[k * n + j] * scale[k / group * n + j]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(small_groups, STEPS(q[j * steps + k] * scale[j * (steps / 3 + 1) + k / 3]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(two_lengths, STEPS((q[j * steps + k] - zero[k / 64]) * scale[k / 16]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(halves_in_columns, STEPS((float)((halves[j * (steps / 2) + k / 2] >> (k % 2 * 4) & 15) - 8) * scale[k / 32]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(flat_halves, STEPS((float)(k & 1 ? halves[(j * steps + k) / 2] >> 4 : halves[(j * steps + k) / 2] & 15) *
                        scale[(j * steps + k) / 32]))
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 4-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(two_loops, for (int b = 0; b < steps / 32; b++) for (int k = 0; k < 32; k++) s +=
                a[i * steps + b * 32 + k] * (q[(b * 32 + k) * n + j] * scale[b * n + j]);)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 4-loop nest by GEMM f32 (A row-major, B computed, C row-major)
NEST(blocks, for (int b = 0; b < steps / 32; b++) for (int k = 0; k < 32; k++) s +=
             a[i * steps + b * 32 + k] * (q[(j * (steps / 32) + b) * 34 + k] * scale[j * (steps / 32) + b]);)

int main(void) {
  static const int Sizes[][2] = {{1, 32}, {3, 64}, {16, 96}, {17, 33}, {32, 64}, {33, 65}, {48, 160}, {64, 31}};
  enum { Elements = 1 << 16 };
  float *a = malloc(Elements * sizeof(float)), *scale = malloc(Elements * sizeof(float)),
        *c = malloc(Elements * sizeof(float));
  int8_t *q = malloc(Elements), *zero = malloc(Elements);
  uint8_t *halves = malloc(Elements);
  unsigned seed = 1;
  for (int i = 0; i < Elements; i++) {
    seed = seed * 1664525 + 1013904223;
    a[i] = (int)(seed >> 8 & 1023) / 64.f - 8;
    scale[i] = (seed >> 12 & 255) / 256.f;
    q[i] = seed >> 16, zero[i] = seed >> 24, halves[i] = seed >> 20;
  }
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++) {
    int n = Sizes[s][0], steps = Sizes[s][1];
#define RUN(name)                                                                                                      \
  {                                                                                                                    \
    unsigned long sum = 0;                                                                                             \
    name(n, steps, 24, a, scale, q, zero, halves, c);                                                                  \
    for (int i = 0; i < n * n; i++)                                                                                    \
      sum = sum * 31 + *(unsigned *)&c[i];                                                                             \
    printf(#name " %d %d %lx\n", n, steps, sum);                                                                       \
  }
    RUN(zero_and_scale) RUN(scales_in_rows) RUN(scales_in_columns) RUN(shifted) RUN(flat) RUN(along_columns)
    RUN(by_variable) RUN(small_groups) RUN(two_lengths) RUN(halves_in_columns) RUN(flat_halves) RUN(two_loops)
    RUN(blocks)
  }
  return 0;
}
