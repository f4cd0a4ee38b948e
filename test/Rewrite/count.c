//===- count.c - how often each fast path is taken, counted ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Nothing is counted unless it is asked for.
// RUN: %clang -O2 -S -emit-llvm -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=NONE
// NONE-NOT: tilesmith_counts
// NONE-NOT: atomicrmw

// RUN: %clang -O2 -S -emit-llvm -gline-tables-only -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-count=1 %s -o - | FileCheck %s
// CHECK: = private unnamed_addr constant {{.*}} c"{{.*}}count.c:[[#@LINE + 30]]:3: gemm: GEMM f64 {{.*}}\00"
// CHECK: @[[COUNTER:tilesmith.runs]] = internal global { ptr, i64 } { ptr @{{.*}}, i64 0 }, section "tilesmith_counts", align 8
// CHECK: @llvm.compiler.used = {{.*}} @[[COUNTER]]
// CHECK: define {{.*}} i1 @gemm.tilesmith(
// CHECK: %[[DONE:.*]] = {{.*}}call i1 @tilesmith.gemm(
// CHECK: %[[NUMBER:.*]] = zext i1 %[[DONE]] to i64
// CHECK: atomicrmw add ptr {{.*}}@[[COUNTER]]{{.*}}, i64 %[[NUMBER]] monotonic

// Without locations, the function's name is left.
// RUN: env TILESMITH=count %clang -O2 -S -emit-llvm -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=NAME
// NAME: constant {{.*}} c"gemm: GEMM f64 {{.*}}\00"

// Executed: by kernels that may fail, by one that may not, with sums kept apart,
// with a rest before and after; not where the guard, or malloc, says no.
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -mllvm -tilesmith-count=1 -DMAIN %s %S/../../runtime/Counts.c -Wl,--wrap=malloc -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t && env TILESMITH_COUNTS=%t.counts %t
// RUN: FileCheck %s --check-prefix=RUNS < %t.counts
// RUN: rm %t.counts && %t && not ls %t.counts
// RUNS: 4 {{.*}}count.c:[[#@LINE + 11]]:3: gemm: GEMM f64
// RUNS: 1 {{.*}}: apart: GEMM f64
// RUNS: 1 {{.*}}: after: GEMM f64
// RUNS: 0 {{.*}}: never: GEMM f64
// RUNS: 1 {{.*}}: small: GEMM f64
// RUNS: 1 {{.*}}: before: GEMM f64
// RUNS: 4 {{.*}}: gemm: GEMM f64

enum { N = 64 };

__attribute__((noinline)) void gemm(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

#ifdef MAIN
#include "Inputs/paths.h"

__attribute__((noinline)) void small(const double (*a)[16], const double (*b)[16], double (*c)[16]) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 16; k++)
        c[i][j] += a[i][k] * b[k][j];
}

/// The table of row sums is made before C changes.
__attribute__((noinline)) void before(int n, const double *restrict a, const double *restrict b,
                                      double *restrict c, double *restrict old) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      old[i * n + j] = c[i * n + j];
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

int main(void) {
  static double A[N * N], B[N * N], C[N * N], D[N * N];
  static int Signs[N * N];
  for (int n = 0; n < 5; n++)
    gemm(n, A, B, C); // too small
  for (int i = 0; i < 4; i++)
    gemm(N, A, B, C);
  gemm(N, C, B, C); // overlaps
  small((void *)A, (void *)B, (void *)C);
  apart(N, A, B, C, Signs);
  before(N, A, B, C, D);
  after(N, A, B, C, D);
  never(N, A, A + 1, A + 2);
  Fails = 1;
  apart(N, A, B, C, Signs);
}
#endif
