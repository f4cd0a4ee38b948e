//===- sums-prefetch.c - the next tile of C -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With registers of 512 bits, a step prefetches a column of a later tile of C,
// the next sliver's, or if slivers have less than four tiles, one as many tiles
// later: three lines of each of eight columns. If there are fewer steps
// than columns, all is prefetched in front of the loop; and always with shorter
// registers.

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -fno-discard-value-names -O1 -S -emit-llvm %s
// RUN: %{source} -march=znver4 -o %t.512.ll
// RUN: %{source} -march=haswell -o %t.256.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.512.ll | FileCheck %s --check-prefix=LONG
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.256.ll | FileCheck %s --check-prefix=SHORT

// LONG:          define internal {{.*}}void @tilesmith.micro.24x8.1(
// LONG:          icmp ult i64 %K, 8
// LONG:        k:
// LONG:          [[COLUMN:%.*]] = and i64 %step, 7
// LONG-NEXT:     [[NEXT:%.*]] = add i64 [[COLUMN]], %ahead
// LONG-NEXT:     [[BYTES:%.*]] = mul i64 [[NEXT]], %sCn
// LONG-NEXT:     [[PLACE:%.*]] = getelementptr i8, ptr %C, i64 [[BYTES]]
// LONG-COUNT-3:  @llvm.prefetch
// LONG-NOT:      @llvm.prefetch
// LONG:        short:
// LONG-COUNT-24: @llvm.prefetch
// LONG-NOT:      @llvm.prefetch
// LONG:        short.end:

// SHORT:         define internal {{.*}}void @tilesmith.micro.12x4.1(
// SHORT-NOT:   k:
// SHORT:         [[BYTES:%.*]] = mul i64 %{{.*}}, %sCn
// SHORT-NEXT:    getelementptr i8, ptr %C, i64 [[BYTES]]
// SHORT-COUNT-8: @llvm.prefetch
// SHORT:       k:

// LONG-LABEL:    define internal i1 @tilesmith.gemm(
// LONG:          call void @tilesmith.pack.a(
// LONG-NEXT:     add i64 {{.*}}, 23
// LONG-NEXT:     [[TILES:%.*]] = udiv i64 {{.*}}, 24
// LONG-NEXT:     [[SLIVERS:%.*]] = udiv i64 4, [[TILES]]
// LONG-NEXT:     [[ONE:%.*]] = call i64 @llvm.umax.i64(i64 [[SLIVERS]], i64 1)
// LONG-NEXT:     mul i64 [[ONE]], 8

// For a tile at the edge that is done before its kernel, for the rows and columns
// that it has, if there are few steps, and C does not fit into two second-level
// caches.
// LONG:        ir.rest.body:
// LONG:          [[ELEMENTS:%.*]] = mul i64 %M, %N
// LONG-NEXT:     [[LATE:%.*]] = icmp uge i64 [[ELEMENTS]], 262144
// LONG-NEXT:     [[FEW:%.*]] = icmp ule i64 {{.*}}, 64
// LONG-NEXT:     [[BOTH:%.*]] = and i1 [[FEW]], [[LATE]]
// LONG-NEXT:     br i1 [[BOTH]], label %shallow
// LONG:          icmp ult i64 %ahead.iv{{[0-9]*}}, %
// LONG:          [[NEXT:%.*]] = add i64 %ahead.iv{{[0-9]*}}, %
// LONG-NEXT:     [[BYTES:%.*]] = mul i64 [[NEXT]], %sCn
// LONG-NEXT:     getelementptr i8, ptr %{{.*}}, i64 [[BYTES]]
// LONG:          icmp ult i64 %rows.iv{{[0-9]*}}, %
// LONG:          @llvm.prefetch
void f(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
