//===- source-as-fallback.c - the fall-back is the source's own nest ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The product is seen once the test of beta is made in front of the loops. That
// is done to a copy, of which the fast paths remain. The nest that runs where
// none is taken still makes the test inside, with the same roundings.
// REQUIRES: x86
// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=fast -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -pass-remarks=tilesmith -S %t.ll -o %t.rewritten.ll 2>%t.remarks
// RUN: FileCheck %s < %t.rewritten.ll
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// REMARK-COUNT-2: replaced 3-loop nest by SYRK
//
// Before and after, the function has the products of the source, each once:
// CHECK-LABEL: define {{.*}} @syrk(
// CHECK-COUNT-3: = fmul contract double
// CHECK-NOT: = fmul contract double
// CHECK: {{^}$}}

void syrk(int n, int l, double alpha, double beta, const double *restrict a, double *restrict c) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double t = 0;
      for (int k = 0; k < l; k++)
        t += a[i * l + k] * a[j * l + k];
      if (beta == 0)
        c[j * n + i] = alpha * t;
      else
        c[j * n + i] = alpha * t + beta * c[j * n + i];
    }
}
