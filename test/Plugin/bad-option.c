//===- bad-option.c - a nonsense value is a clear error -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: rm -f %t.o
// RUN: not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-mr=many 2>&1 | FileCheck %s --implicit-check-not=error: --check-prefixes=CHECK,FLAG
// RUN: env TILESMITH=mr=many not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith 2>&1 | FileCheck %s --implicit-check-not=error: --check-prefixes=CHECK,ENV
// RUN: not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-nonsense=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-strategy=mkl 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-dispatch=sse 2>&1 | FileCheck %s --check-prefix=DISPATCH
// RUN: not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-vector-bits=7 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: env TILESMITH=disable not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: env TILESMITH=no not %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith 2>&1 | FileCheck %s --check-prefix=NO
// RUN: not ls %t.o

// FLAG: error: tilesmith: value 'many' of Tilesmith option 'mr' is not a number between 0 and 96
// ENV: error: tilesmith: in the environment variable TILESMITH: value 'many' of Tilesmith option 'mr' is not a number between 0 and 96
// CHECK-NEXT: 1 error generated
// CHECK-NOT: Stack dump
// UNKNOWN: -tilesmith-nonsense=1

// CHOICE: error: tilesmith: value 'mkl' of Tilesmith option 'strategy' is not one of packed, blas, eigen
// DISPATCH: error: tilesmith: value 'sse' of Tilesmith option 'dispatch' is not one of none, cpu

// WIDTH: error: tilesmith: value '7' of Tilesmith option 'vector-bits' is not 0 or a power of two between 64 and 2048
// OFF: error: tilesmith: in the environment variable TILESMITH: unknown Tilesmith option 'disable'; 'off' turns Tilesmith off
// NO: error: tilesmith: in the environment variable TILESMITH: unknown Tilesmith option 'no'; 'off' turns Tilesmith off

// In pass parameters, and in the attribute of a function:
// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: not %opt -passes='tilesmith<mr=many>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not %opt -passes='tilesmith<mrr=16>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not %opt -passes='tilesmith-rewrite<enable=2>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: sed 's/^attributes #0 = {/& "tilesmith"="mr=many"/' %t.ll > %t.attribute.ll
// RUN: not %opt -passes=tilesmith -disable-output %t.attribute.ll 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not %clang -O2 -c %t.attribute.ll -o %t.o -fpass-plugin=%tilesmith 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// NAME: error: tilesmith: unknown Tilesmith option 'mrr'; did you mean 'mr'?
// RANGE: error: tilesmith: value '2' of Tilesmith option 'enable' is not a number between 0 and 1
// ATTRIBUTE: error: tilesmith: in the attribute "tilesmith" of function 'gemm': value 'many' of Tilesmith option 'mr' is not a number between 0 and 96

#include "Inputs/gemm.h"
