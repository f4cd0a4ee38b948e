//===- older-bitcode.c - IR of compilers that are not LLVM 22 -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Bitcode of LLVM 14, whose pointers have types, and which says less.
// REQUIRES: clang-14, x86
// RUN: clang-14 -O1 -emit-llvm -c %s -o %t.bc
// RUN: clang-14 -O1 -g -emit-llvm -c %s -o %t.g.bc
// RUN: clang-14 -O2 -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t.source.bc
// RUN: %opt -passes='tilesmith<verify>' -pass-remarks=tilesmith -disable-output %t.bc 2>&1 | FileCheck %s
// RUN: %opt -passes='tilesmith<verify>' -pass-remarks=tilesmith -disable-output %t.g.bc 2>&1 | FileCheck %s
// RUN: %clang -O2 -c %t.source.bc -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s

// CHECK: replaced 3-loop nest {{.*}}by GEMM f64

#include "Inputs/gemm.h"
