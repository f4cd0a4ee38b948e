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

#include "Inputs/gemm.h"
