//===- other-llvm.c - clang of another version cannot load the plugin -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// It says so as the user guide shows, and makes no object.
//
// REQUIRES: clang-14
// RUN: rm -f %t.o
// RUN: not clang-14 -O2 -c %s -o %t.o -fpass-plugin=%tilesmith 2>&1 | FileCheck %s
// RUN: not ls %t.o
// CHECK: error: unable to load plugin '{{.*}}': 'Could not load library '{{.*}}': {{.*}}: undefined symbol: _ZN4llvm
// CHECK-NEXT: 1 error generated

#include "Inputs/gemm.h"
