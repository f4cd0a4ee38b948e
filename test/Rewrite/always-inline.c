//===- always-inline.c - what is called is not inlined --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -S -emit-llvm -mllvm -tilesmith-verify=1 -fpass-plugin=%tilesmith %s -o - | FileCheck %s
// CHECK: define {{.*}} @gemm.tilesmith({{.*}} [[ATTRIBUTES:#[0-9]+]]
// CHECK: attributes [[ATTRIBUTES]] = {{{.*}}noinline
// CHECK-NOT: alwaysinline

#define GEMM_ATTRIBUTES __attribute__((always_inline))
#include "../Plugin/Inputs/gemm.h"
