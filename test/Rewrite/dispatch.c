//===- dispatch.c - one of several kernels is called, by the CPU ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86-registered-target
// DEFINE: %{compile} = %clang --target=x86_64-linux-gnu -O2 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// RUN: %{compile} -mllvm -tilesmith-dispatch=cpu | FileCheck %s --dump-input=never
// RUN: %{compile} -mllvm -tilesmith-dispatch=cpu -mno-avx512f | FileCheck %s --dump-input=never --check-prefix=FORBIDDEN
// RUN: %{compile} -mllvm -tilesmith-dispatch=cpu -march=x86-64-v4 | FileCheck %s --dump-input=never --check-prefix=BEST
// RUN: %{compile} | FileCheck %s --dump-input=never --check-prefix=NONE
// RUN: %{compile} -mllvm -tilesmith-dispatch=cpu --target=riscv64-linux-gnu -march=rv64gcv -mrvv-vector-bits=128 -nostdinc | FileCheck %s --dump-input=never --check-prefix=NONE

// CHECK: @tilesmith.cpu = internal {{.*}}global i32 0
// CHECK-NOT: global

// CHECK: define internal {{.*}}@tilesmith.gemm.x86-64-v4({{.*}} #[[V4:[0-9]+]]
// CHECK: define internal {{.*}}@tilesmith.gemm.x86-64-v3({{.*}} #[[V3:[0-9]+]]

// CHECK: define internal {{.*}}@tilesmith.cpu.detect(
// CHECK: call {{.*}} asm sideeffect "cpuid"
// CHECK: br i1
// CHECK: br i1
// CHECK: call {{.*}} asm sideeffect "xgetbv"
// CHECK: store atomic i32 {{.*}} @tilesmith.cpu monotonic

// The best first; below the break-even of what is left, the source's loops.
// CHECK: define internal {{.*}}i1 @tilesmith.dispatch(
// CHECK: load atomic i32, ptr @tilesmith.cpu monotonic
// CHECK: call {{.*}}@tilesmith.cpu.detect()
// CHECK: tail call {{.*}}i1 @tilesmith.gemm.x86-64-v4(
// CHECK: icmp ugt i64 %{{.*}}, 2196
// CHECK: tail call {{.*}}i1 @tilesmith.gemm.x86-64-v3(
// CHECK: tail call {{.*}}i1 @tilesmith.gemm(

// Both functions share everything.
// CHECK: define {{.*}}@gemm.tilesmith(
// CHECK: call {{.*}}i1 @tilesmith.dispatch(
// CHECK: define {{.*}}@again.tilesmith(
// CHECK: call {{.*}}i1 @tilesmith.dispatch(

// CHECK-DAG: attributes #[[V3]] = {{.*}}"target-features"="{{.*}}+avx2
// CHECK-DAG: attributes #[[V4]] = {{.*}}"target-features"="{{.*}}+avx512f

// FORBIDDEN-NOT: @tilesmith.gemm.x86-64-v4(
// FORBIDDEN: @tilesmith.gemm.x86-64-v3(
// FORBIDDEN-NOT: @tilesmith.gemm.x86-64-v4(

// BEST-NOT: @tilesmith.cpu
// NONE-NOT: @tilesmith.cpu

void gemm(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void again(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
