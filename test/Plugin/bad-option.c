//===- bad-option.c - a nonsense value is a clear error -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: not %clang -O2 -c %s -o /dev/null -fpass-plugin=%tilesmith -mllvm -tilesmith-mr=many 2>&1 | FileCheck %s
// RUN: env TILESMITH=mr=many not %clang -O2 -c %s -o /dev/null -fpass-plugin=%tilesmith 2>&1 | FileCheck %s
// RUN: not %clang -O2 -c %s -o /dev/null -fpass-plugin=%tilesmith -mllvm -tilesmith-nonsense=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK: value 'many' of Tilesmith option 'mr' is not a number between 0 and 256
// CHECK-NOT: Stack dump
// UNKNOWN: -tilesmith-nonsense=1

#include "Inputs/gemm.h"
