//===- packing-prefetch.c - what packing reads ahead ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes from beyond the second-level cache is prefetched as it is packed:
// where elements are adjacent along the panel, the rows of the next steps;
// where they are adjacent along k, those of the next panel. The macro kernel
// says from which size on that is.
//
// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O3 -S -emit-llvm %s -o - \
// RUN:   -fpass-plugin=%tilesmith | FileCheck %s

void product(long n, float *restrict c, const float *restrict a,
             const float *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float sum = 0;
      for (long k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// CHECK-LABEL: define {{.*}} @tilesmith.pack.a(
// CHECK-COUNT-3: @llvm.prefetch
// CHECK-LABEL: define {{.*}} @tilesmith.pack.b(
// CHECK:         @llvm.prefetch

// 512 KiB are 2^17 floats.
// CHECK-LABEL: define {{.*}} @tilesmith.gemm(
// CHECK: [[FARB:%.*]] = icmp ugt i64 {{%.*}}, 131071
// CHECK: call void @tilesmith.pack.b({{.*}}, i1 [[FARB]])
// CHECK: [[FARA:%.*]] = icmp ugt i64 {{%.*}}, 131071
// CHECK: call void @tilesmith.pack.a({{.*}}, i1 [[FARA]])
