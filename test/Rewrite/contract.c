//===- contract.c - what the Rewrite room hands to the Lowering room ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.ll | FileCheck %s
// RUN: %opt -passes='tilesmith<verify>' -S %t.ll | FileCheck --check-prefix=LOWERED --implicit-check-not='call {{.*}}llvm.matrix' %s

// The guard: first the work, which is mostly small; then the extents; then, in
// a function of its own, safety. The nest stays as the fall-back.
// CHECK-LABEL: define {{.*}} @gemm(
// CHECK: icmp uge i64 {{.*}}, 125
// CHECK: br i1 {{.*}}, label %tilesmith.size, label %tilesmith.original, !prof ![[RARE:[0-9]+]]
// CHECK: tilesmith.size:
// CHECK: br i1 {{.*}}, label %[[TRY:.*]], label %tilesmith.original, !prof ![[RARE]]
// CHECK: [[TRY]]:
// CHECK-NEXT: %[[DONE:.*]] = call i1 @gemm.tilesmith(
// CHECK-NEXT: br i1 %[[DONE]], label
// CHECK: tilesmith.original:
// CHECK: call double @llvm.fmuladd.f64
void gemm(long m, long n, long k, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// One accumulator, one multiplication of inner dimension 1, in a loop of one
// block; target attributes of the caller, with the widest registers.
// CHECK-LABEL: define internal {{.*}}void @tilesmith.micro.12x4(
// CHECK-SAME: #[[ATTRS:[0-9]+]]
// CHECK: k:
// CHECK: %[[SUM:.*]] = phi <48 x double>
// CHECK: %[[A:.*]] = call <12 x double> @llvm.matrix.column.major.load.v12f64.i64({{.*}}, i32 12, i32 1) [ "tilesmith.rows"(i64 %rows) ]
// CHECK: %[[B:.*]] = call <4 x double> @llvm.matrix.column.major.load.v4f64.i64({{.*}}, i32 1, i32 4)
// CHECK: %[[AB:.*]] = call contract <48 x double> @llvm.matrix.multiply.v48f64.v12f64.v4f64(<12 x double> %[[A]], <4 x double> %[[B]], i32 12, i32 1, i32 4)
// CHECK: fadd contract <48 x double> %[[SUM]], %[[AB]]
// CHECK: br i1 %{{.*}}, label %k, label

// LOWERED-LABEL: define internal {{.*}}void @tilesmith.micro.12x4(
// LOWERED-COUNT-12: call contract <4 x double> @llvm.fmuladd.v4f64

// CHECK-LABEL: define internal i1 @gemm.tilesmith(
// CHECK: tilesmith.check:
// CHECK: br i1 {{.*}}, label %tilesmith.fast, label
// CHECK: tilesmith.fast:
// CHECK-NEXT: call i1 @tilesmith.gemm(

// CHECK: attributes #[[ATTRS]] = { noimplicitfloat noinline nounwind {{.*}}"min-legal-vector-width"="256"{{.*}}"prefer-vector-width"="256"{{.*}}"target-cpu"="haswell"
// CHECK-SAME: "tilesmith"="off"
// CHECK: ![[RARE]] = !{!"branch_weights", i32 1, i32 1048575}
