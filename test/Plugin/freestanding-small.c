//===- freestanding-small.c - small products need no malloc ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Nor is it asked for before LLVM would unroll their loops.
//
// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O3 -ffreestanding -c %s -o /dev/null \
// RUN:   -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// CHECK: remark: replaced 3-loop nest by GEMM f64 {{.*}}4x4x4: in place

void f(const double a[4][4], const double b[4][4], double c[restrict 4][4]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++)
        c[i][j] += a[i][k] * b[k][j];
}
