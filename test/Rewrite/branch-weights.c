//===- branch-weights.c - which side of the guard is rare -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.ll | FileCheck %s
// RUN: sed 's/^define \(.*\) {$/define \1 !prof !1000 {/' %t.ll > %t.profile.ll
// RUN: echo '!1000 = !{!"function_entry_count", i64 7}' >> %t.profile.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.profile.ll | FileCheck --check-prefix=PROFILE %s --implicit-check-not=branch_weights

// Small products go first.
// CHECK-LABEL: define {{.*}} @product(
// CHECK: br i1 {{.*}}, label %{{.*}}, label %{{.*}}, !prof ![[RARE:[0-9]+]]
// CHECK: call i1 @product.tilesmith(

// A profile knows better.
// PROFILE-LABEL: define {{.*}} @product(
// PROFILE: call i1 @product.tilesmith(
void product(long m, long n, long p, const double *a, const double *b,
             double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

// The loops for what the nest does besides must not be taken for rare ones.
// CHECK-LABEL: define {{.*}} @rest(
// CHECK-NOT: !prof
// CHECK: call i1 @tilesmith.gemm
void rest(long m, long n, long p, const double *restrict a,
          const double *restrict b, double *restrict c, double *restrict d) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] = s;
      d[i * n + j] = 1 / s;
    }
}

// CHECK: ![[RARE]] = !{!"branch_weights", i32 1, i32 1048575}
