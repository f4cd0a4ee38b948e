//===- packing-rules.c - when the macro kernel packs a factor --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four slivers of eight columns, or less, read A in place, however far its
// steps are spread. Columns of B that are short runs, spread over four times as
// much memory as the rule's span, are packed if more than one tile of 24 rows
// reads them, or two where each run ends where the next one begins; not if the plan says that B is never packed, nor where a product
// of a single block needs nothing else packed.
//
// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -fno-discard-value-names \
// RUN:   -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.ll | FileCheck %s
// RUN: %opt -passes='tilesmith-rewrite<verify;plan=pack-b=never>' -S %t.ll \
// RUN:   | FileCheck %s --check-prefix=NEVER

// CHECK-LABEL: define internal i1 @tilesmith.gemm(
// CHECK:         icmp ule i64 %N, 32
// CHECK-NOT:     3145728
// CHECK:       blocked:
// CHECK:         icmp ule i64 %N, 32
// CHECK:         [[BYTES:%.*]] = mul i64 %K, %sBk0
// CHECK-NEXT:    [[SPREAD:%.*]] = mul i64 %N, %sBn0
// CHECK-NEXT:    [[ISSHORT:%.*]] = icmp ult i64 [[BYTES]], 1024
// CHECK-NEXT:    [[ISFAR:%.*]] = icmp ugt i64 [[SPREAD]], 3145728
// CHECK-NEXT:    [[ISDENSE:%.*]] = icmp eq i64 [[BYTES]], %sBn0
// CHECK-NEXT:    [[ISLOW:%.*]] = icmp ult i64 %M, 48
// CHECK-NEXT:    [[ISKNOWN:%.*]] = and i1 [[ISDENSE]], [[ISLOW]]
// CHECK-NEXT:    [[ISNEW:%.*]] = xor i1 [[ISKNOWN]], true
// CHECK-NEXT:    [[SCATTERED:%.*]] = and i1 [[ISSHORT]], [[ISFAR]]
// CHECK-NEXT:    and i1 [[SCATTERED]], [[ISNEW]]
// CHECK:         icmp ule i64 %M, 24

// NEVER-LABEL: define internal i1 @tilesmith.gemm(
// NEVER:         icmp ule i64 %N, 32
// NEVER-NOT:     mul i64 %N, %sBn0
// NEVER:         ret i1 true
void product(long m, long n, long p, const double *a, const double *b,
             double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[j * m + i] += a[k * m + i] * b[j * p + k];
}
