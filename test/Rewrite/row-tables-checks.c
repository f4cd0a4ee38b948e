//===- row-tables-checks.c - what stands around the kernel ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O1 -fno-unroll-loops -fno-discard-value-names -fno-strict-aliasing -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.ll | FileCheck %s

// The pointers of C are collected first. Each row is compared with where the
// address of B's table is loaded from.
// CHECK-LABEL: define internal i1 @tilesmith.rows(
// CHECK-SAME: ptr %A0.table, i64 %A0.distance, i64 %A0.offset, i64 %A0.step,
// CHECK-SAME: ptr %invariant)
// CHECK: %[[MEMORY:.*]] = call ptr @malloc(
// CHECK: collect.body:
// CHECK: load ptr, ptr
// CHECK: store i64 %[[ROW:.*]], ptr
// CHECK: br i1 %{{.*}}, label %overlap, label

// Those of A and B follow.
// CHECK: collect.body{{[0-9]+}}:
// CHECK: collect.body{{[0-9]+}}:

// Each row of C is compared with three tables, and with the rows of A and B, if
// they are near; then, if they are not in ascending order, with those after it.
// CHECK: compare.body:
// CHECK: br i1 %{{.*}}, label %overlap
// CHECK: compare.end:
// CHECK: br i1 %{{.*}}, label %disorder, label %disorder.end
// CHECK: br i1 %{{.*}}, label %overlap
// CHECK: br i1 %{{.*}}, label %overlap
// CHECK: near:
// CHECK: call i1 @tilesmith.meets(
// CHECK: call i1 @tilesmith.meets(
// CHECK: disorder:
// CHECK: call i1 @tilesmith.meets(

// All three are copied, and C again.
// CHECK: copy.body:
// CHECK: call void @llvm.memcpy
// CHECK: copy.body{{[0-9]+}}:
// CHECK: call void @llvm.memcpy
// CHECK: copy.body{{[0-9]+}}:
// CHECK: call void @llvm.memcpy
// CHECK: %[[DONE:.*]] = call i1 @tilesmith.gemm(
// CHECK: br i1 %[[DONE]], label %done, label %done.end
// CHECK: call void @free(ptr %[[MEMORY]])
// CHECK-NEXT: ret i1 %[[DONE]]
// CHECK: call void @llvm.memcpy
// CHECK: {{^}}}

// CHECK-LABEL: define internal i1 @update.tilesmith(
// CHECK: call i1 @tilesmith.rows(
void update(long m, long n, long l, long **a, long ***b, long **c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < l; k++)
        c[i][j] += a[i][k] * (*b)[k][j];
}

// A product that is stored only: C is not copied to the dense matrix. A row is
// a structure's member: elements are copied one by one.
// CHECK-LABEL: define internal i1 @tilesmith.rows.{{[0-9]+}}(
// CHECK-SAME: ptr %B0, i64 %sBn0, i64 %sBk0,
// CHECK-NOT: memcpy
// CHECK: call i1 @tilesmith.gemm
// CHECK: br i1 %{{.*}}, label %done, label %done.end
// CHECK-NOT: memcpy
// CHECK: element.body:
// CHECK: call void @llvm.memcpy
// CHECK: {{^}}}
void overwrite(long m, long n, long l, double *restrict a, double _Complex *restrict *b, double **restrict c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < l; k++)
        s += a[i * l + k] * __real__ b[k][j];
      c[i][j] = s;
    }
}

// C is a plain array: only the rows of A are compared with it.
// CHECK-LABEL: define internal i1 @tilesmith.rows.{{[0-9]+}}(
// CHECK-NOT: compare
// CHECK: call i1 @tilesmith.meets(
// CHECK-NOT: done:
// CHECK: {{^}}}
void plain_c(long m, long n, long l, double **a, double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < l; k++)
        c[i * n + j] += a[i][k] * b[k * n + j];
}
