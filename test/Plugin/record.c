//===- record.c - remarks land in the optimization record -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O3 -g -c %s -o %t.o -fpass-plugin=%tilesmith -fsave-optimization-record -foptimization-record-file=%t.yaml
// RUN: FileCheck %s < %t.yaml
// CHECK: Pass: tilesmith
// CHECK: DebugLoc: {{.*}}gemm.h
// CHECK: Function: gemm

// Tools learn where the loops stand, and why the plan is as it is; users see neither.
// CHECK: - Tilesmith: 0.1.0 for LLVM 22
// CHECK: - Nest: ''
// CHECK-NEXT: DebugLoc: {{.*}}gemm.h', Line: [[#NEST:]]
// CHECK: - Loop: ''
// CHECK-NEXT: DebugLoc: {{.*}}gemm.h', Line: [[#NEST+1]]
// CHECK: - Innermost: ''
// CHECK-NEXT: DebugLoc: {{.*}}gemm.h', Line: [[#NEST+2]]
// CHECK: - End: ''
// CHECK: - Choices: |
// CHECK: break-even: M*N*K >=
// RUN: %clang -O3 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=break-even
// REMARK: remark: replaced 3-loop nest by {{.*}} micro kernel, {{[A-Z0-9-]+}} [-Rpass=tilesmith]

#include "Inputs/gemm.h"
