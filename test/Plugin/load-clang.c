//===- load-clang.c - the plugin loads into clang -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O3 -c %s -o %t.o -fpass-plugin=%tilesmith
// RUN: %clangxx -x c++ -O3 -c %s -o %t.o -fpass-plugin=%tilesmith
// RUN: %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1
// RUN: %clang -O2 -flto -c %s -o %t.o -fpass-plugin=%tilesmith
// RUN: %clang -O2 -flto=thin -c %s -o %t.o -fpass-plugin=%tilesmith

#include "Inputs/gemm.h"
