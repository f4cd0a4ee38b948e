//===- tuning.c - a tuning table from a file, and nonsense instead of one -===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v4 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith

// RUN: echo 'GEMM f64 512 *x*x* mmk: unpacked tile=16x4' > %t.tuning
// RUN: echo 'GEMM f64 512 24x24x24 mmk: small tile=16x5' >> %t.tuning
// RUN: %{compile} -mllvm -tilesmith-tuning=%t.tuning 2>&1 | FileCheck %s
// RUN: env TILESMITH='tuning=%t.tuning;verify' %{compile} 2>&1 | FileCheck %s
// RUN: %clang -O1 -march=x86-64-v4 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith<tuning=%t.tuning>' -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s
// CHECK-DAG: replaced {{.*}} at run time: unpacked, 16x4 micro kernel, AVX-512, tuned
// CHECK-DAG: replaced {{.*}} 24x24x24: in place, 16x5 micro kernel, AVX-512, tuned

// What is no table is one error, and nothing is compiled.
// RUN: rm -f %t.o
// RUN: not %{compile} -mllvm -tilesmith-tuning=%t.none 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=FILE
// RUN: echo '  GEMM f64 512 8x8x8 mmk: tile=16' >> %t.tuning
// RUN: not %{compile} -mllvm -tilesmith-tuning=%t.tuning 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=LINE
// RUN: env TILESMITH='tuning=%t.tuning' not %{compile} 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=LINE
// RUN: not ls %t.o
// FILE: error: tilesmith: value '{{.*}}.none' of Tilesmith option 'tuning' is not a tuning table: '{{.*}}.none' cannot be read: {{[Nn]}}o such file
// LINE: error: tilesmith: {{.*}} is not a tuning table: in '{{.*}}.tuning': line 3, column 32: '16' is not a tile of rows x columns, as 24x8 is

double A[24][24], B[24][24], C[24][24];
void constant(void) {
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++)
        C[i][j] += A[i][k] * B[k][j];
}

#include "Inputs/gemm.h"
