//===- library-guard.c - what a library demands is tested -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{clang} = %clang -O1 -fno-discard-value-names -S -emit-llvm %s -o %t.ll -fassociative-math -fno-signed-zeros -fno-trapping-math -ffp-contract=fast
// DEFINE: %{opt} = %opt -passes='tilesmith-rewrite<strategy=blas;verify>' -S %t.ll
// RUN: %{clang} && %{opt} | FileCheck %s
// RUN: %{clang} -fno-honor-nans && %{opt} | FileCheck %s --check-prefix=FINITE --implicit-check-not=fcmp
// RUN: %clang -O1 -ffast-math --target=powerpc64le-linux-gnu -S -emit-llvm %s -o %t.ppc.ll
// RUN: %opt -passes='tilesmith-rewrite<strategy=blas>' -S %t.ppc.ll | FileCheck %s --check-prefix=SIGNEXT

// Rows of A must be a whole number of elements apart, and not overlap. A library drops products with a
// coefficient of zero, so where NaNs count these are left to the source's loops.
// CHECK-LABEL: define internal i1 @rows.tilesmith(
// CHECK: tilesmith.check:
// CHECK-DAG: and i64 %[[STRIDE:.*]], 7
// CHECK-DAG: icmp sge i64 %[[STRIDE]], %{{.*}}
// CHECK-DAG: %[[LD:.*]] = sdiv exact i64 %[[STRIDE]], 8
// CHECK-DAG: fcmp une double %alpha, 0.000000e+00
// CHECK-DAG: fcmp une double %beta, 0.000000e+00
// CHECK: tilesmith.fast:
// CHECK: call void @cblas_dgemm(
// FINITE-LABEL: define internal i1 @rows.tilesmith(
// FINITE: call void @cblas_dgemm(
// SIGNEXT: call void @cblas_dgemm(i32 signext 10{{[12]}}, i32 signext 111, i32 signext 111, i32 signext %{{.*}}, double %{{.*}}, ptr %{{.*}}, i32 signext
void rows(long m, long n, long p, double alpha, double beta, const double *a, long rowOfA, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double sum = 0;
      for (long k = 0; k < p; k++)
        sum += *(const double *)((const char *)a + i * rowOfA + k * 8) * b[k * n + j];
      c[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
}
