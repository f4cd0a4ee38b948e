//===- extreme-bounds.c - a row's first step, near the ends of int --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// 'i > far ? i - far : 0' is zero for rows with very negative numbers, where i - far
// would wrap, and is not made.
//
// RUN: %clang -O3 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -fwrapv -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 %s -o %t
// RUN: %t | FileCheck %s
// CHECK: all 70 steps

#include <limits.h>
#include <stdio.h>

enum { Least = -2147483600, Rows = 8, Columns = 16, Steps = 70 };

__attribute__((noinline)) void multiply(int m, int n, int k, int far, const float *restrict a,
                                        const float *restrict b, float *restrict c) {
  for (int i = Least; i < m + Least; i++)
    for (int p = i > far ? i - far : 0; p < k; p++)
      for (int j = 0; j < n; j++)
        c[(i - Least) * n + j] += a[(i - Least) * k + p] * b[p * n + j];
}

static float a[Rows * Steps], b[Steps * Columns], c[Rows * Columns];

int main(void) {
  for (int i = 0; i < Rows * Steps; i++)
    a[i] = 1;
  for (int i = 0; i < Steps * Columns; i++)
    b[i] = 1;
  multiply(Rows, Columns, Steps, INT_MAX, a, b, c);
  int right = 0;
  for (int i = 0; i < Rows * Columns; i++)
    right += c[i] == Steps;
  puts(right == Rows * Columns ? "all 70 steps" : "steps are lost");
}
