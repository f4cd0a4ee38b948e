//===- shared-kernel.c - equal contractions share one kernel --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O2 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith | FileCheck %s

// CHECK-LABEL: define {{.*}} @twice(
// CHECK: call {{.*}} @twice.tilesmith(
// CHECK: call {{.*}} @twice.tilesmith.{{[0-9]+}}(
void twice(long n, const double *a, const double *b, double *t, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        t[i * n + j] += a[i * n + k] * b[k * n + j];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += t[i * n + k] * b[k * n + j];
}

// Another element type needs another one.
void single(long n, const float *a, const float *b, float *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CHECK-LABEL: define internal {{.*}} @twice.tilesmith(
// CHECK: call {{.*}} @[[KERNEL:tilesmith.gemm]](
// CHECK-LABEL: define internal {{.*}} @twice.tilesmith.{{[0-9]+}}(
// CHECK: call {{.*}} @[[KERNEL]](
// CHECK-LABEL: define internal {{.*}} @single.tilesmith(
// CHECK-NOT: @tilesmith.gemm(
// CHECK: call {{.*}} @tilesmith.gemm.{{[0-9]+}}(
