//===- opt-out.c - where a product must be left alone ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/Inputs/same_object.py --levels O0 %clang %tilesmith %s
// RUN: %python %S/Inputs/same_object.py %clang %tilesmith %s -DGEMM_ATTRIBUTES=__attribute__((optnone,noinline))
// RUN: %python %S/Inputs/same_object.py %clang %tilesmith %s -DGEMM_ATTRIBUTES=__attribute__((minsize))
// RUN: %python %S/Inputs/same_object.py --levels Oz %clang %tilesmith %s
// RUN: %python %S/Inputs/same_object.py %clang %tilesmith %s -ffp-exception-behavior=strict
// RUN: %python %S/Inputs/same_object.py --levels O2,O3 %clang %tilesmith %s -mno-implicit-float
// RUN: env TILESMITH=off %python %S/Inputs/same_object.py %clang %tilesmith %s

// Otherwise it is replaced:
// RUN: %clang -O3 -c %s -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// CHECK: gemm.h:{{[0-9]+}}:{{[0-9]+}}: remark: replaced {{.*}}GEMM f64

// RUN: %clang -O3 -c %s -o %t.off.o -fpass-plugin=%tilesmith -mllvm -tilesmith-enable=0 -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// OFF-NOT: remark

#include "Inputs/gemm.h"
