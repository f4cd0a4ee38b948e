//===- freestanding.c - without malloc there is nowhere to pack to --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/Inputs/same_object.py %clang %tilesmith %s -ffreestanding
// RUN: %python %S/Inputs/same_object.py %clang %tilesmith %s -fno-builtin-malloc
// RUN: %clang -O3 -ffreestanding -fno-builtin -c %s -o /dev/null -fpass-plugin=%tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s
// CHECK: gemm.h:{{[0-9]+}}:{{[0-9]+}}: remark: matrix product not replaced: there is no malloc/free

#include "Inputs/gemm.h"

double A[300][300], B[300][300], C[300][300];
void constant(void) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      for (int k = 0; k < 300; k++)
        C[i][j] += A[i][k] * B[k][j];
}
