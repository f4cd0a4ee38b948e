//===- sums-prefetch.c - the next tile of C -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With registers of 512 bits, a step prefetches a column of the next sliver's
// tile of C: three lines of each of eight columns. If there are fewer steps
// than columns, all is prefetched in front of the loop; and always with shorter
// registers.

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -fno-discard-value-names -O1 -S -emit-llvm %s
// RUN: %{source} -march=znver4 -o %t.512.ll
// RUN: %{source} -march=haswell -o %t.256.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.512.ll | FileCheck %s --check-prefix=LONG
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.256.ll | FileCheck %s --check-prefix=SHORT

// LONG:          define internal void @tilesmith.micro.24x8.1(
// LONG:          icmp ult i64 %K, 8
// LONG:        k:
// LONG:          [[COLUMN:%.*]] = and i64 %step, 7
// LONG-NEXT:     [[NEXT:%.*]] = add i64 [[COLUMN]], 8
// LONG-NEXT:     [[BYTES:%.*]] = mul i64 [[NEXT]], %sCn
// LONG-NEXT:     [[PLACE:%.*]] = getelementptr i8, ptr %C, i64 [[BYTES]]
// LONG-COUNT-3:  @llvm.prefetch
// LONG-NOT:      @llvm.prefetch
// LONG:        short:
// LONG-COUNT-24: @llvm.prefetch
// LONG-NOT:      @llvm.prefetch
// LONG:        short.end:

// SHORT:         define internal void @tilesmith.micro.12x4.1(
// SHORT-NOT:   k:
// SHORT:         [[BYTES:%.*]] = mul i64 4, %sCn
// SHORT-NEXT:    getelementptr i8, ptr %C, i64 [[BYTES]]
// SHORT-COUNT-8: @llvm.prefetch
// SHORT:       k:
void f(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
