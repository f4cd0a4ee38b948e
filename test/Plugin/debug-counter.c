//===- debug-counter.c - the rewrites can be bisected ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O3 -c %s -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefixes=FIRST,SECOND
// RUN: %clang -O3 -c %s -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -debug-counter=tilesmith-rewrite=0 2>&1 | FileCheck %s --check-prefixes=FIRST,NOT-SECOND
// RUN: %clang -O3 -c %s -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -debug-counter=tilesmith-rewrite=1 2>&1 | FileCheck %s --check-prefixes=NOT-FIRST,SECOND

// FIRST: gemm.h:{{.*}}: remark: replaced
// NOT-FIRST-NOT: gemm.h:{{.*}}: remark: replaced
// SECOND: debug-counter.c:[[@LINE+5]]:{{.*}}: remark: replaced
// NOT-SECOND-NOT: remark: replaced

#include "Inputs/gemm.h"
void second(long n, const float *A, const float *B, float *C) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
