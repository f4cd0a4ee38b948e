//===- load-lld.c - the plugin loads into ld.lld --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: lld
// RUN: %clang -O2 -flto -c %s -o %t.full.o
// RUN: %clang -O2 -flto=thin -c %s -o %t.thin.o
// RUN: %lld --load-pass-plugin=%tilesmith -shared %t.full.o -o %t.full.so
// RUN: %lld --load-pass-plugin=%tilesmith -shared %t.thin.o -o %t.thin.so
// RUN: %clang -O2 -flto %s -shared -fPIC -o %t.so -fuse-ld=%lld -Wl,--load-pass-plugin=%tilesmith

#include "Inputs/gemm.h"
