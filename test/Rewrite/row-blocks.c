//===- row-blocks.c - rows of a matrix that are read twice ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernel makes a block of rows, which the rest then has in the caches.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver5 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s

// CHECK-LABEL: define {{.*}}@both(
// CHECK:       tilesmith.fast:
// CHECK:         [[BLOCK:%.*]] = call i64 @llvm.umax.i64(i64 %{{.*}}, i64 32)
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
// CHECK:         call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[COUNT]], i64 1, i64 %{{.*}}, i64 -1)
// CHECK:         mul i64 [[ROW:%.*]], 8
// CHECK:         [[DIAGONAL:%.*]] = add i64 -1, [[ROW]]
// CHECK-NEXT:    call i1 @tilesmith.gemv{{[.0-9]*}}({{.*}}, i64 [[DIAGONAL]])
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
