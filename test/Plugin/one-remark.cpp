//===- one-remark.cpp - nests that are replaced in parts ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The library makes four steps at a time, and LLVM makes a version of the nest for
// sums that are shorter; a scatter of windows two apart is replaced as it is, and phase
// by phase. The user is told once of each.
//
// RUN: %clangxx -O3 -std=c++17 --target=x86_64-linux-gnu -march=x86-64-v4 -fpass-plugin=%tilesmith -Rpass=tilesmith -S %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=replaced

#include <numeric>

// CHECK: one-remark.cpp:[[#@LINE+2]]:3: remark: replaced 3-loop nest {{.*}}f64
void sums(int m, int n, int l, const double *a, const double *b, double *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] = std::transform_reduce(a + (long)i * l, a + (long)(i + 1) * l, b + (long)j * l, 0.0);
}

// CHECK: one-remark.cpp:[[#@LINE+4]]:3: remark: replaced 6-loop nest {{.*}}f32
void scatter(int K, int C, int Y, int X, int R, int S, float *__restrict dx, const float *__restrict dy,
             const float *__restrict w) {
  long H = 2 * Y + R, W = 2 * X + S;
  for (int k = 0; k < K; k++)
    for (int c = 0; c < C; c++)
      for (int y = 0; y < Y; y++)
        for (int x = 0; x < X; x++)
          for (int r = 0; r < R; r++)
            for (int s = 0; s < S; s++)
              dx[(c * H + 2 * y + r) * W + 2 * x + s] += w[(((long)k * C + c) * R + r) * S + s] * dy[((long)k * Y + y) * X + x];
}
