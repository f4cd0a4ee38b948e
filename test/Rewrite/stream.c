//===- stream.c - the kernel for a matrix times a vector ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Nothing is allocated. Rows are loaded by registers, and transposed; the last
// steps of a row are loaded again and not added.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver5 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --implicit-check-not=malloc

// CHECK-LABEL: define internal i1 @tilesmith.gemv(
// Sums are in registers from their start to their store; only those of the last
// vector, which is moved up, have a place, as only some of them are stored.
// CHECK:         alloca [1 x <8 x double>], align 64
// CHECK:       leave:
// CHECK-NEXT:    ret i1 false
// Where rows share places of a cache, half of them lag behind, by four lines: they
// make the first steps alone, and the others the last ones. Where rows come late,
// the next ones are begun. Pointers that move along rows are no inductions, so
// there are four and not one for each row.
// CHECK:         and i64 %{{.*}}, 4095
// CHECK:         select i1 %{{.*}}, i64 32, i64 0
// CHECK:       panel.body:
// CHECK:       late:
// CHECK-COUNT-16: call void @llvm.prefetch
// CHECK-NOT:     llvm.prefetch
// What is in front of a cache line is added first, piece by piece: each step of it
// is one branch.
// CHECK:       some:
// CHECK-COUNT-16: load <4 x double>
// CHECK-NOT:     load <4 x double>
// CHECK:       some.end:
// CHECK-NEXT:    phi <8 x double> [ zeroinitializer, %late.end ]
// CHECK:       {{^}}some{{[0-9]+}}:
// CHECK:       k:
// CHECK-NEXT:    phi <8 x double>
// CHECK-NEXT:    phi ptr
// CHECK:       k.body:
// CHECK:       k{{[0-9]+}}:
// CHECK-COUNT-2: phi <8 x double>
// CHECK-COUNT-4: phi ptr
// CHECK-NOT:     phi ptr
// CHECK:       k.body{{[0-9]+}}:
// CHECK-COUNT-16: load <8 x double>
// CHECK-NOT:     load <8 x double>
// CHECK:         call contract <8 x double> @llvm.fmuladd.v8f64(
// CHECK-COUNT-4: call ptr @llvm.strip.invariant.group
// CHECK:       k{{[0-9]+}}:
// CHECK-NEXT:    phi <8 x double>
// CHECK-NEXT:    phi ptr
// CHECK:       {{^}}some{{[0-9]+}}:
// CHECK-COUNT-16: load <4 x double>
// CHECK-NOT:     load <4 x double>
// CHECK:         store <8 x double>
// CHECK:       moved:
// CHECK-NEXT:    store <8 x double> %{{.*}}, ptr %sums
// CHECK:       moved.else:
// CHECK:         store <8 x double>
// Elsewhere, nothing of that.
// CHECK:       panel{{[0-9]+}}:
// CHECK:       {{^}}late{{[0-9]*}}:
// CHECK:       {{^}}k{{[0-9]+}}:
// CHECK-NEXT:    phi <8 x double> [ zeroinitializer, %late.end{{.*}} ]
// CHECK:       k.body{{[0-9]+}}:
// CHECK-COUNT-16: load <8 x double>
// An odd vector goes with some others, and not alone.
// CHECK:       panel{{[0-9]+}}:
// CHECK:       {{^}}k{{[0-9]+}}:
// CHECK-COUNT-3: phi <8 x double> [ zeroinitializer,
// CHECK:       k.body{{[0-9]+}}:
// CHECK-COUNT-24: load <8 x double>
// CHECK-NOT:     load <8 x double>
// CHECK:         call contract <8 x double> @llvm.fmuladd.v8f64(
void rows(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: define internal i1 @tilesmith.gemv.1(
// From memory, four columns at a time, from the second-level cache, two.
// CHECK:       far.body:
// CHECK-COUNT-4: splat
// CHECK:       vectors.body:
// CHECK-COUNT-4: @llvm.prefetch
// CHECK-COUNT-4: load <16 x float>
// CHECK:       far.body{{[0-9]+}}:
// CHECK:       vectors.body{{[0-9]+}}:
// CHECK-COUNT-2: @llvm.prefetch
// CHECK-NOT:   @llvm.prefetch
// CHECK:       columns.body:
// CHECK-COUNT-8: splat
// CHECK:       vectors.body{{[0-9]+}}:
// CHECK-COUNT-4: load <16 x float>
void columns(long m, long n, const float *a, const float *x, float *y) {
  for (long i = 0; i < m; i++) {
    float s = 0;
    for (long k = 0; k < n; k++)
      s += a[k * m + i] * x[k];
    y[i] = s;
  }
}

// Rows in a table are looked through first: C must not overlap one of them, nor
// the table. Then they are read where they are, and do not move in the loop.
// CHECK-LABEL: define internal i1 @tilesmith.gemv.2(ptr {{.*}}%A0.table, i64 {{.*}}%A0.distance, i64 {{.*}}%A0.offset, i64 {{.*}}%A0.step
// CHECK:         br i1 %{{.*}}, label %leave, label %{{.*}}
// CHECK:       leave:
// CHECK-NEXT:    ret i1 false
// CHECK:         br i1 %{{.*}}, label %leave, label %{{.*}}
// CHECK:       lines.body:
// CHECK:         load ptr, ptr
// CHECK:         br i1 %{{.*}}, label %leave, label %{{.*}}
// CHECK:       {{^}}k:
// CHECK-NOT:     phi ptr
// CHECK:       k.body:
// CHECK-NOT:     load ptr
// CHECK-COUNT-16: load <4 x double>
void table(long m, long n, double **a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i][k] * x[k];
    y[i] = s;
  }
}

// A triangle's corners are made vector by vector, in a loop of their own: of each
// row, what is there is loaded, under masks that are constants. Beside them, the
// second vector under way makes eight steps more than the first one. Rows without
// steps are stored last, and where all steps are made by some, none are.
// CHECK-LABEL: define internal i1 @tilesmith.gemv.3({{.*}}i64 {{.*}}%diagonal, ptr
// CHECK:         icmp sgt i64 %{{.*}}, %K
// CHECK:       leave:
// CHECK:       panel.body:
// CHECK:       k.body:
// CHECK-COUNT-16: load <4 x double>
// CHECK:       corner.body:
// CHECK:         call <4 x double> @llvm.masked.load.v4f64.p0(ptr {{.*}}, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
// CHECK:         call <4 x double> @llvm.masked.load.v4f64.p0(ptr {{.*}}, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
// CHECK:         select <8 x i1> splat (i1 true)
// CHECK:         select <8 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
// CHECK:       empty.body:
// CHECK:         store double
void triangle(long n, double start, const double *restrict a,
              const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = start;
    for (long k = 0; k < i; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}
