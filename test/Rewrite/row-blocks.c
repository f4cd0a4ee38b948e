//===- row-blocks.c - rows of a matrix that are read twice ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernel makes a block of rows, which the rest then has in the caches. Where
// registers are many, it makes the rest, too, in the steps that all of the rows make.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=x86-64-v3 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -march=znver5 -O1 -S -emit-llvm %s -o %t.many.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.many.ll | FileCheck %s --check-prefix=MANY

// Three vectors of steps at most are left to the rest of a row.
// MANY-LABEL: define {{.*}}@both(
// MANY:         [[OTHERS:%.*]] = call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 9)
// MANY:         [[WHOLE:%.*]] = and i64 [[OTHERS]], -8
// MANY:         [[COUNT:%.*]] = call i64 @llvm.umin.i64(i64 [[WHOLE]], i64 32)
// MANY:         [[STEPS:%.*]] = and i64 [[K:%.*]], -8
// MANY:         call i1 @tilesmith.gemv(
// MANY:         %next.steps = phi i64 [ %steps,
// MANY:         [[DONE:%.*]] = icmp eq i64 %next.steps, [[K]]
// MANY-NEXT:    br i1 [[DONE]], label %{{.*}}, label %[[LOOP:.*]]
// MANY:       [[LOOP]]:
// MANY-NEXT:    phi i64 [ %next.steps, %{{.*}} ]
// MANY:         ret void

// What not all rows of a block make is made by a call of its own: once the rest has come
// to the end of the block, or, where rows begin at the diagonal, in front of it. The rest
// makes all steps of its first and last rows, and none of others.
// MANY-LABEL: define {{.*}}@symmetric(
// MANY:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 0, i64 0)
// MANY:         [[COUNT:%.*]] = sub i64 %row, %begin
// MANY:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[COUNT]], {{.*}}, i64 %steps, i64 1)
// MANY:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 0)
// MANY:         %next.begin = phi i64 [ %begin, {{.*}} ], [ %row, {{.*}} ]
// MANY:         %next.steps = phi i64 [ %steps,
// MANY:         icmp ne i64 %next.steps, 0
// MANY:         ret void
// MANY-LABEL: define {{.*}}@upper(
// MANY:         [[STEPS:%.*]] = select i1 %{{.*}}, i64 0, i64 %{{.*}}
// MANY:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[STEPS]], i64 1)
// MANY:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[STEPS]], i64 0)
// MANY:         %next.steps = phi i64 [ %steps,
// MANY:         icmp ne i64 %next.steps, 0
// MANY:         ret void

// The element that a row changes besides is one of those that its steps change.
// MANY-LABEL: define {{.*}}@beside(
// MANY-NOT:     next.steps
// MANY:         ret void

// What uses the sums is made by the kernel as a whole.
// MANY-LABEL: define {{.*}}@times_sums(
// MANY:         call i1 @times_sums.tilesmith(
// MANY:       tilesmith.original.rest:
// MANY-NOT:     store
// MANY:         ret void

// What is loaded of a row goes into columns, and, as it lies, into the other product.
// MANY-LABEL: define internal i1 @tilesmith.gemv(
// MANY:         [[Y:%y]] = load <8 x double>
// MANY:         [[ROW:%a]] = load <8 x double>
// MANY:         shufflevector <8 x double> [[ROW]],
// MANY:         call {{.*}}@llvm.fmuladd.v8f64(<8 x double> [[ROW]], {{.*}}, <8 x double> [[Y]])

// The corner: squares of rows and columns, and what exists of those at the diagonal.
// MANY-LABEL: define internal i1 @tilesmith.gemv.{{[0-9]+}}({{.*}}, i64 %transposed.steps, i64 %transposed.corner)
// MANY:         icmp ne i64 %transposed.corner, 0
// MANY:       corners:
// MANY:         icmp eq i64 %transposed.steps, 0
// MANY:       square.body:
// MANY:         load <8 x double>
// MANY:         store <8 x double>
// MANY:         call <8 x double> @llvm.masked.load.v8f64.p0({{.*}}, <8 x i1> <i1 true, i1 false,

// CHECK-LABEL: define {{.*}}@both(
// CHECK:       tilesmith.fast:
// CHECK:         [[BLOCK:%.*]] = call i64 @llvm.umax.i64(i64 %{{.*}}, i64 16)
// CHECK:         [[COUNT:%.*]] = select i1 %{{.*}}, i64 [[M:%.*]], i64 [[BLOCK]]
// CHECK:         call i1 @tilesmith.gemv({{.*}}, i64 [[COUNT]],
// CHECK:         [[ROW:%.*]] = phi i64
// CHECK:         [[NEXT:%.*]] = phi i64 [ %next.block, {{.*}} ], [ [[COUNT]], {{.*}} ]
// CHECK:         icmp eq i64 [[ROW]], [[NEXT]]
// CHECK:         call i1 @tilesmith.gemv(
// CHECK:         %next.block = phi i64
// CHECK-NOT:     call i1
// CHECK:         ret void
void both(long m, long n, const double *restrict a, const double *restrict p,
          const double *restrict r, double *restrict q, double *restrict s) {
  for (long i = 0; i < m; i++) {
    q[i] = 0;
    for (long k = 0; k < n; k++) {
      s[k] += r[i] * a[i * n + k];
      q[i] += a[i * n + k] * p[k];
    }
  }
}

// What is read besides is another matrix, whose product is replaced on its own.
// CHECK-LABEL: define {{.*}}@two_matrices(
// CHECK-NOT:     next.block
void two_matrices(long m, long n, const double *restrict a,
                  const double *restrict b, const double *restrict x,
                  double *restrict y, double *restrict z) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++) {
      y[i] += a[i * n + k] * x[k];
      z[i] += b[i * n + k] * x[k];
    }
}

// Sums of a triangle's rows are kept apart. If the triangle is larger than the
// second-level cache, and the kernel takes each block, it is called for blocks.
// CHECK-LABEL: define {{.*}}@symmetric(
// CHECK:       tilesmith.run:
// CHECK:         [[BLOCK:%.*]] = select i1 %{{.*}}, i64 %{{.*}}, i64 [[N:%.*]]
// CHECK:         [[COUNT:%.*]] = select i1 %{{.*}}, i64 %{{.*}}, i64 [[BLOCK]]
// CHECK:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[COUNT]], i64 1, i64 %{{.*}}, i64 -1, ptr {{.*}}, i64 0)
// CHECK:         mul i64 [[ROW:%.*]], 8
// CHECK:         [[DIAGONAL:%.*]] = add i64 -1, [[ROW]]
// CHECK-NEXT:    call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[DIAGONAL]], ptr {{.*}}, i64 0)
// CHECK:         %next.block = phi i64
void symmetric(long n, const double *restrict a, const double *restrict x,
               double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < i; k++) {
      y[k] += x[i] * a[i * n + k];
      s += a[i * n + k] * x[k];
    }
    y[i] += s + a[i * n + i] * x[i];
  }
}

void upper(long n, const double *restrict a, const double *restrict x,
           double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = i + 1; k < n; k++) {
      y[k] += x[i] * a[i * n + k];
      s += a[i * n + k] * x[k];
    }
    y[i] += s;
  }
}

void beside(long n, const double *restrict a, const double *restrict x,
            double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k <= i; k++) {
      y[k] += x[i] * a[i * n + k];
      s += a[i * n + k] * x[k];
    }
    y[i] += s;
  }
}

void times_sums(long m, long n, const double *restrict a, const double *restrict x,
                double *restrict y, double *restrict t) {
  for (long i = 0; i < m; i++) {
    t[i] = 0;
    for (long k = 0; k < n; k++)
      t[i] += a[i * n + k] * x[k];
    for (long k = 0; k < n; k++)
      y[k] += a[i * n + k] * t[i];
  }
}
