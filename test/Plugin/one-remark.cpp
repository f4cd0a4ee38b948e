//===- one-remark.cpp - nests that are replaced in parts ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The library makes four steps at a time, and LLVM makes a version of the nest for
// sums that are shorter. The user is told once.
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
