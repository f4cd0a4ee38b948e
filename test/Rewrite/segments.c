//===- segments.c - the kernel for steps in segments ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Eight rows are under way. Their parts are joined after each segment, and nothing is
// allocated.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --implicit-check-not=malloc

// CHECK-LABEL: define internal i1 @tilesmith.segments(
// CHECK:       leave:
// CHECK-NEXT:    ret i1 false
// Rows shorter than a page are over before the next ones come by themselves, so these
// are prefetched, if the first-level cache does not hold the matrix.
// CHECK:         icmp ult i64 %{{.*}}, 4096
// CHECK:         icmp ugt i64 %{{.*}}, 32768
// CHECK:         br i1 %{{.*}}, label %late, label %late.else
// CHECK:       {{^}}segment.body:
// CHECK-COUNT-8: call void @llvm.prefetch
// CHECK-NOT:     call void @llvm.prefetch
// The last rows are moved up.
// CHECK:       {{^}}rows.body{{[0-9]+}}:
// CHECK:         call i64 @llvm.umin.i64
// CHECK:       {{^}}segment{{[0-9]+}}:
// CHECK:         phi <8 x float> [ zeroinitializer,
// 32 steps are two loads of each row and of the vector.
// CHECK:       {{^}}segment.body{{[0-9]+}}:
// CHECK-COUNT-18: load <16 x i8>
// CHECK-NOT:     load <16 x i8>
// CHECK:         shufflevector <8 x i32>
// CHECK:         sitofp <8 x i32> %{{.*}} to <8 x float>
// CHECK:         call <8 x float> @llvm.fmuladd.v8f32
// CHECK:       {{^}}segment.end{{[0-9]+}}:
// CHECK:         store <8 x float>
// The source's loops run if the kernel leaves.
// CHECK-LABEL: define internal i1 @known.tilesmith(
// CHECK:         %[[DONE:.*]] = call i1 @tilesmith.segments(
// CHECK:         br i1 %[[DONE]], label %{{.*}}, label %tilesmith.original
void known(long n, long d, const signed char *restrict w,
           const float *restrict scales, const signed char *restrict x,
           float *restrict y) {
  for (long i = 0; i < d; i++) {
    float s = 0;
    for (long g = 0; g < n; g++) {
      int part = 0;
      for (long k = 0; k < 32; k++)
        part += w[i * n * 32 + g * 32 + k] * x[g * 32 + k];
      s += (float)part * scales[i * n + g];
    }
    y[i] = s;
  }
}
