//===- no-target.c - modules and functions that say nothing ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: sed -e '/^target datalayout/d' -e '/^target triple/d' %t.ll > %t.bare.ll
// RUN: %opt -passes='tilesmith<verify>' -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -disable-output %t.bare.ll 2>&1 | FileCheck %s
// CHECK: not replaced: the IR names no target

// Only the function says nothing.
// RUN: sed -e 's/"target-[a-z]*"="[^"]*"//g' %t.ll > %t.plain.ll
// RUN: %opt -passes='tilesmith<verify>' -pass-remarks=tilesmith -disable-output %t.plain.ll 2>&1 | FileCheck %s --check-prefix=PLAIN
// REQUIRES: x86
// PLAIN: replaced 3-loop nest by GEMM f64

#include "Inputs/gemm.h"
