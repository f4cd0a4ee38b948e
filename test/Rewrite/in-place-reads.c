//===- in-place-reads.c - where A is read in place, and prefetched --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns of A that are whole pages apart share few sets of the first-level
// cache: then A is packed for fewer columns of C than elsewhere. What is read in
// place is prefetched by kernels for whole tiles, and only if it comes from behind
// the second-level cache.
//
// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O3 -S -emit-llvm %s -o - \
// RUN:   -fpass-plugin=%tilesmith | FileCheck %s --check-prefixes=CHECK,LINES
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O3 -S -emit-llvm %s -o - \
// RUN:   -fpass-plugin=%tilesmith | FileCheck %s --check-prefixes=CHECK,PARTS

void product(long m, long n, long k, double *restrict c,
             const double *restrict a, const double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++)
      for (long p = 0; p < k; p++)
        c[i + j * m] += a[i + p * m] * b[p + j * k];
}

// A page has 4096 bytes; tiles of 24 rows are whole lines high, and 32 columns
// are four slivers. Tiles of 12 rows are not.
// CHECK-LABEL: define {{.*}} @tilesmith.gemm(
// CHECK: and i64 %{{.*}}, 4095
// LINES: select i1 %{{.*}}, i64 32, i64 240
// PARTS: select i1 %{{.*}}, i64 4, i64 %

// Kernels are one function, those for few rows first.
// CHECK-LABEL: define {{.*}} @tilesmith.micro(
// CHECK-NOT: llvm.prefetch
// CHECK: ret void
// CHECK-NOT: llvm.prefetch
// CHECK: and i64 %{{.*}}, 4095
// CHECK: call void @llvm.prefetch
