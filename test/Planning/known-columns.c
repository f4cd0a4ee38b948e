//===- known-columns.c - break-even against unrolled columns --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What LLVM makes of loops over few known columns depends on their order, on the
// type, and on how many registers a row of C takes.
// REQUIRES: x86
// RUN: %clang -O1 -march=skylake-avx512 -S -emit-llvm %s -o - | %opt -passes='print<tilesmith-plan>' -disable-output 2>&1 | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: %clang -O1 -march=haswell -S -emit-llvm %s -o - | %opt -passes='print<tilesmith-plan>' -disable-output 2>&1 | FileCheck %s --check-prefixes=CHECK,AVX2

#define FOR(I, N) for (long I = 0; I < N; I++)
#define NEST(NAME, T, N, LOOPS)                                                \
  void NAME(long m, long l, const T *restrict a, const T *restrict b,          \
            T *restrict c) {                                                   \
    LOOPS c[i * N + j] += a[i * l + k] * b[k * N + j];                         \
  }

// A row of C in registers for all steps.
// CHECK-LABEL: function 'row':
// AVX512: plan: {{.*}} min-work=480 min-m=2 min-n=4 min-k=5
// AVX2: plan: {{.*}} min-work=960 min-m=2 min-n=4 min-k=8
NEST(row, double, 10, FOR(i, m) FOR(k, l) FOR(j, 10))

// In one of them.
// CHECK-LABEL: function 'whole_row':
// AVX512: plan: {{.*}} min-work=1024 min-m=2 min-n=4 min-k=12
// AVX2: plan: {{.*}} min-work=1024 min-m=2 min-n=4 min-k=24
NEST(whole_row, float, 8, FOR(i, m) FOR(k, l) FOR(j, 8))

// A row of B in registers for all rows.
// CHECK-LABEL: function 'step':
// AVX512: plan: {{.*}} min-work=125 min-m=2 min-n=2 min-k=4
// AVX2: plan: {{.*}} min-work=125 min-m=2 min-n=2 min-k=12
NEST(step, float, 10, FOR(k, l) FOR(i, m) FOR(j, 10))

// Each element of B is loaded alone, into vectors along k.
// CHECK-LABEL: function 'sums':
// CHECK: plan: {{.*}} min-work=64 min-m=2 min-n=2 min-k=2
NEST(sums, int, 16, FOR(i, m) FOR(j, 16) FOR(k, l))

// No vectors of rows either.
// CHECK-LABEL: function 'integers':
// AVX512: plan: {{.*}} min-work=384 min-m=2 min-n=2 min-k=4
// AVX2: plan: {{.*}} min-work=125 min-m=2 min-n=2 min-k=8
NEST(integers, int, 16, FOR(i, m) FOR(k, l) FOR(j, 16))

// Rows are innermost: nothing of this holds.
// CHECK-LABEL: function 'rows':
// AVX512: plan: {{.*}} min-work=125 min-m=2 min-n=2 min-k=4
// AVX2: plan: {{.*}} min-work=125 min-m=2 min-n=2 min-k=6
NEST(rows, float, 16, FOR(j, 16) FOR(k, l) FOR(i, m))
