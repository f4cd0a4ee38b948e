//===- late-rows.c - rows that are prefetched as a whole ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where 24 rows are under way, those of up to four pages are prefetched as well, if the
// second-level cache (1 MiB) has no room for half of the matrix; shorter ones above a fourth of it.
// Sixteen rows come by themselves.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O1 -S -emit-llvm %s -o %t.f32.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.f32.ll | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O1 -S -emit-llvm -DT=double %s -o %t.f64.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.f64.ll | FileCheck %s --check-prefix=FEW
#ifndef T
#define T float
#endif

// CHECK-LABEL:   define internal i1 @tilesmith.gemv(
// CHECK:           [[LONG:%.*]] = mul i64 %M, 16384
// CHECK-NEXT:      icmp ult i64 [[BYTES:%.*]], [[LONG]]
// CHECK-NEXT:      icmp ugt i64 [[BYTES]], 2097152
// CHECK:         panel.body:
// FEW-LABEL:     define internal i1 @tilesmith.gemv(
// FEW-NOT:         16384
void rows(long m, long n, const T *restrict a, const T *restrict x,
          T *restrict y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[i * n + k] * x[k];
}
