//===- parameters.c - options without -mllvm ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang -O1 -march=x86-64-v4 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith<mr=16;nr=4>' -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: env TILESMITH='mr=16;nr=4' %opt -passes=tilesmith -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: sed 's/^attributes #0 = {/& "tilesmith"="mr=16;nr=4"/' %t.ll > %t.attribute.ll
// RUN: %opt -passes=tilesmith -pass-remarks=tilesmith -disable-output %t.attribute.ll 2>&1 | FileCheck %s
// CHECK: replaced {{.*}}: packed, 16x4 micro kernel

// The environment, then the command line, then parameters, then the attribute:
// RUN: env TILESMITH='mr=8;nr=2' %opt -passes=tilesmith -tilesmith-mr=16 -tilesmith-nr=4 -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='tilesmith<mr=16;nr=4>' -tilesmith-mr=8 -tilesmith-nr=2 -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='tilesmith<mr=8;nr=2>' -pass-remarks=tilesmith -disable-output %t.attribute.ll 2>&1 | FileCheck %s

// RUN: sed 's/^attributes #0 = {/& "tilesmith"="off"/' %t.ll > %t.off.ll
// RUN: %opt -passes=tilesmith %t.off.ll -S -o %t.off.after.ll
// RUN: %opt -passes=verify %t.off.ll -S -o %t.off.before.ll
// RUN: diff %t.off.before.ll %t.off.after.ll
// RUN: %opt -passes='tilesmith<off>' -pass-remarks=tilesmith -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// OFF-NOT: replaced

#include "Inputs/gemm.h"
