//===- stream-turns.c - vectors of rows of a matrix go on in turn ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With registers of 256 bits, squares are transposed from halves, but from whole registers
// where rows share places of a cache. Each vector of rows makes the steps of one
// transposition, and then the next one does.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s

// Four vectors, eight steps of each. Where rows share places, each is behind the one
// before it. Of rows that are not short, lines just ahead are prefetched.
// CHECK-LABEL: define internal i1 @tilesmith.gemv(
// CHECK:       panel.body:
// CHECK:       {{^}}lag:
// CHECK:       {{^}}lag.end:
// CHECK:       k{{[0-9]+}}:
// CHECK-COUNT-4: phi <4 x double>
// CHECK:       late:
// CHECK-COUNT-16: call void @llvm.prefetch
// CHECK-NOT:     load <2 x double>
// CHECK-COUNT-4: load <4 x double>
// CHECK-COUNT-4: call contract <4 x double> @llvm.fmuladd.v4f64(
// CHECK-COUNT-4: load <4 x double>
// CHECK-COUNT-4: call contract <4 x double> @llvm.fmuladd.v4f64(
// CHECK-COUNT-4: load <4 x double>
// CHECK-COUNT-4: call contract <4 x double> @llvm.fmuladd.v4f64(
// CHECK:       panel{{[0-9]+}}:
// CHECK:       k{{[0-9]+}}:
// CHECK-COUNT-4: phi <4 x double> [ zeroinitializer,
// CHECK:       {{^}}late{{[0-9]+}}:
// CHECK-COUNT-16: call void @llvm.prefetch
// CHECK-NOT:     load <4 x double>
// CHECK-COUNT-4: load <2 x double>
// CHECK-COUNT-2: call contract <4 x double> @llvm.fmuladd.v4f64(
// CHECK-COUNT-4: load <2 x double>
// CHECK-COUNT-2: call contract <4 x double> @llvm.fmuladd.v4f64(
// CHECK-COUNT-4: load <2 x double>
// CHECK-COUNT-2: call contract <4 x double> @llvm.fmuladd.v4f64(
// CHECK:       {{^}}ahead:
// CHECK:         [[AHEAD:%.*]] = select i1 %{{.*}}, i64 192, i64 %{{.*}}
// CHECK-NEXT:    getelementptr i8, ptr %{{.*}}, i64 [[AHEAD]]
// CHECK-COUNT-16: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 3, i32 1)
void rows(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// Three vectors, sixteen steps of each.
// CHECK-LABEL: define internal i1 @tilesmith.gemv.1(
// CHECK:       panel.body:
// CHECK:       k{{[0-9]+}}:
// CHECK-COUNT-2: phi <8 x float>
// CHECK:       k.body{{[0-9]+}}:
// CHECK-COUNT-8: load <4 x float>
// CHECK-COUNT-4: call contract <8 x float> @llvm.fmuladd.v8f32(
// CHECK-COUNT-8: load <4 x float>
// CHECK-COUNT-4: call contract <8 x float> @llvm.fmuladd.v8f32(
void floats(long m, long n, const float *a, const float *x, float *y) {
  for (long i = 0; i < m; i++) {
    float s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// Eight columns go by at a time from the caches as well; from memory, they are prefetched.
// CHECK-LABEL: define internal i1 @tilesmith.gemv.2(
// CHECK-NOT:   icmp eq i64 %{{.*}}, 0{{$}}
// CHECK:       icmp ugt i64 %{{.*}}, 16777216
// CHECK:       far.body:
// CHECK-COUNT-8: call void @llvm.prefetch
// CHECK-COUNT-8: load <8 x double>
// CHECK-NOT:   call void @llvm.prefetch
// CHECK:       columns.body:
// CHECK-COUNT-32: call contract <8 x double> @llvm.fmuladd.v8f64(
void sweep(long m, long n, const double *restrict a, const double *restrict x,
           double *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < m; i++)
      y[i] += a[k * m + i] * x[k];
}
