//===- idempotent.c - what is replaced is not replaced again --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith -pass-remarks=tilesmith %t.ll -S -o %t.once.ll 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: %opt -passes=tilesmith -pass-remarks=tilesmith -pass-remarks-missed=tilesmith %t.once.ll -disable-output 2>&1 | FileCheck %s --check-prefix=TWICE --allow-empty
// RUN: %opt -passes='default<O3>' -pass-remarks=tilesmith -pass-remarks-missed=tilesmith %t.once.ll -disable-output 2>&1 | FileCheck %s --check-prefix=TWICE --allow-empty

// Nor is what the optimiser makes of a fall-back:
// RUN: %clang -O3 -S -emit-llvm %s -o %t.o3.ll -fpass-plugin=%tilesmith
// RUN: %opt -passes=tilesmith,'default<O3>' -pass-remarks=tilesmith -pass-remarks-missed=tilesmith %t.o3.ll -disable-output 2>&1 | FileCheck %s --check-prefix=TWICE --allow-empty

// ONCE: replaced
// TWICE-NOT: replaced

#include "Inputs/gemm.h"

// What else this nest does runs before the product, so there is a copy of the
// product alone.
void with_rest(long n, const double *A, double *B, double *C) {
  for (long j = 0; j < n; j++) {
    B[j * n] = 0;
    for (long k = 0; k < n; k++)
      for (long i = 0; i < n; i++)
        C[j * n + i] += A[k * n + i] * B[j * n + k];
  }
}
