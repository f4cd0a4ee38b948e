//===- edge-kernels.c - for which tiles there is a kernel -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=skylake-avx512 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %clang --target=x86_64-linux-gnu -march=skylake-avx512 -O1 -S -emit-llvm -DFINISH %s -o %t.finish.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.ll | FileCheck %s
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.finish.ll | FileCheck --check-prefix=FINISH %s --implicit-check-not='{{x[567]\(}}'

// With masks, a kernel for each number of columns.
// CHECK: define internal {{.*}}void @tilesmith.micro.8x5(
// CHECK: define internal {{.*}}void @tilesmith.micro.24x7(

// If more becomes of a sum, kernels are long, and some are left out. What is
// stored goes to C or to the sums under way, from one place.
// FINISH: define internal {{.*}}void @tilesmith.micro.8x4(
// FINISH: define internal {{.*}}void @tilesmith.micro.24x8(
// FINISH: store:
// FINISH: call void @llvm.matrix.column.major.store.v192f64
// FINISH-NOT: call void @llvm.matrix.column.major.store.v192f64
// FINISH: define internal {{.*}}void @tilesmith.micro.24x8.1(
void f(long m, long n, long p, double alpha, double beta, const double *a,
       const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
#ifdef FINISH
      c[i * n + j] = alpha * s + beta * c[i * n + j];
#else
      c[i * n + j] = s;
#endif
    }
}
