//===- plan.c - a plan from outside, and nonsense instead of one ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v4 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith

// Every way of setting options takes it, and a file.
// RUN: %{compile} -mllvm '-tilesmith-plan=unpacked tile=16x4' 2>&1 | FileCheck %s
// RUN: env TILESMITH='plan=unpacked tile=16x4;verify' %{compile} 2>&1 | FileCheck %s
// RUN: %clang -O1 -march=x86-64-v4 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith<plan=unpacked tile=16x4;verify>' -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='tilesmith<plan=tile=16x4 pack-b=never pack-a=never>' -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: %opt -passes='tilesmith<plan=tile=16x4 pack-a=n>3|span>5>' -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/^attributes #0 = {/& "tilesmith"="plan=unpacked tile=16x4"/' %t.ll > %t.attribute.ll
// RUN: %opt -passes=tilesmith -pass-remarks=tilesmith -disable-output %t.attribute.ll 2>&1 | FileCheck %s
// RUN: echo '# found by a tuner' > %t.plan
// RUN: echo 'unpacked' >> %t.plan
// RUN: echo 'tile=16x4   # sixteen by four' >> %t.plan
// RUN: %{compile} -mllvm -tilesmith-plan=@%t.plan 2>&1 | FileCheck %s
// RUN: env TILESMITH='plan=@%t.plan' %{compile} 2>&1 | FileCheck %s
// CHECK: replaced {{.*}}: unpacked, 16x4 micro kernel
// TILE: replaced {{.*}}packed, 16x4 micro kernel

// What is no scheme is one error, and nothing is compiled.
// RUN: rm -f %t.o
// RUN: not %{compile} -mllvm '-tilesmith-plan=tile=24' 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=SYNTAX
// RUN: not %{compile} -mllvm '-tilesmith-plan=tile=16x4 mc=100' 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=BLOCKS
// RUN: env TILESMITH='plan=kc=0' not %{compile} 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=ZERO
// RUN: not %{compile} -mllvm -tilesmith-plan=@%t.none 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=FILE
// RUN: echo 'tiles=16x4' >> %t.plan
// RUN: not %{compile} -mllvm -tilesmith-plan=@%t.plan 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=remark: --check-prefix=LINE
// RUN: not ls %t.o
// SYNTAX: error: tilesmith: value 'tile=24' of Tilesmith option 'plan' is not a scheme: column 6: '24' is not a tile of rows x columns, as 24x8 is
// BLOCKS: error: tilesmith: value 'tile=16x4 mc=100' of Tilesmith option 'plan' is not a scheme: column 11: 'mc' is no multiple of the tile's 16 rows
// ZERO: error: tilesmith: in the environment variable TILESMITH: value 'kc=0' of Tilesmith option 'plan' is not a scheme: column 4: '0' is not a number between 1 and 1048576
// FILE: error: tilesmith: value '@{{.*}}.none' of Tilesmith option 'plan' is not a scheme: '{{.*}}.none' cannot be read: {{[Nn]}}o such file
// LINE: error: tilesmith: {{.*}} is not a scheme: in '{{.*}}.plan': line 4, column 1: unknown word 'tiles'

// One that does not fit leaves the loops as they are without the plugin.
// RUN: %{compile} -mllvm '-tilesmith-plan=tile=12x4' 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: %clang -O2 -march=x86-64-v4 -c %s -o %t.stock.o
// RUN: cmp %t.o %t.stock.o
// MISSED: gemm.h:{{.*}}: remark: matrix product not replaced: the tile that the plan asks for has rows that are not whole vectors, or columns that are no power of two

// Where LLVM is about to unroll a product, it is kept whole for what is asked
// for, even if the CPU prefers vectors in which the tile would not fit.
// RUN: %clang -O2 -march=skylake-avx512 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-plan='packed tile=24x8' -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: %clang -O2 -march=skylake-avx512 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-plan='min-work=20000' -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=SMALL
// CONSTANT: replaced {{.*}} 24x24x24: packed, 24x8 micro kernel, AVX-512
// SMALL: plan.c:{{.*}}: remark: matrix product not replaced: the product is too small
double A[24][24], B[24][24], C[24][24];
void constant(void) {
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++)
        C[i][j] += A[i][k] * B[k][j];
}

#include "Inputs/gemm.h"
