//===- nothing-left.c - no llvm.matrix.* is left --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -tilesmith-verify=1 %t.ll -S -o %t.rewritten.ll
// RUN: FileCheck %s --check-prefix=REWRITTEN < %t.rewritten.ll
// RUN: %opt -passes=tilesmith-lower %t.rewritten.ll -S | FileCheck %s
// RUN: %opt -passes=tilesmith -tilesmith-verify=1 %t.ll -S | FileCheck %s
// RUN: %clang -O3 -mllvm -tilesmith-verify=1 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s

// REWRITTEN: call {{.*}}@llvm.matrix.multiply
// CHECK-NOT: call {{.*}}@llvm.matrix
// CHECK: define internal {{.*}}@tilesmith.gemm
// CHECK-NOT: call {{.*}}@llvm.matrix

#include "Inputs/gemm.h"
