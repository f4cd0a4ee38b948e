//===- guard-cost.c - how little the tests do -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O3 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith | FileCheck %s

// The product of the extents is cut off once.
// CHECK-LABEL: define {{.*}} @product(
// CHECK-COUNT-1: call i64 @llvm.umin.i64(
// CHECK-NOT:   call i64 @llvm.umin.i64(
// CHECK:       call {{.*}} @product.tilesmith(

// No stride is negative, so what a matrix takes up begins where it does.
// CHECK-LABEL: define internal {{.*}} @product.tilesmith(
// CHECK-NOT:   @llvm.smin
// CHECK-NOT:   @llvm.smax
// CHECK:       call {{.*}} @tilesmith.gemm(
void product(const double *a, const double *b, double *c, int m, int n,
             int p) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
