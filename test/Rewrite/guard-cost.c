//===- guard-cost.c - how little the tests do -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O3 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith | FileCheck %s

// A small nest goes through two multiplications and one test, behind those of
// the source.
// CHECK-LABEL: define {{.*}} @product(
// CHECK-COUNT-3: icmp sgt i32
// CHECK:       br i1
// CHECK-COUNT-2: mul {{.*}}i64
// CHECK-NOT:   {{mul|call|select|br}}
// CHECK:       %[[LARGE:.*]] = icmp ugt i64 %{{.*}}, 124
// CHECK-NEXT:  br i1 %[[LARGE]], label %{{.*}}, label %{{.*}}, !prof
// CHECK:       call {{.*}} @product.tilesmith(

// No stride is negative, so what a matrix takes up begins where it does.
// CHECK-LABEL: define internal {{.*}} @product.tilesmith(
// CHECK-NOT:   @llvm.smin
// CHECK-NOT:   @llvm.smax
// CHECK-NOT:   srem
// CHECK:       br i1
// CHECK:       call {{.*}} @tilesmith.gemm(
void product(const double *a, const double *b, double *c, int m, int n,
             int p) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
