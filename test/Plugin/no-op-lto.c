//===- no-op-lto.c - with full LTO, the link step alone is too late -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: lld, x86
// DEFINE: %{link} = %clang -O2 -fuse-ld=%lld -Wl,--load-pass-plugin=%tilesmith -o %t
// RUN: %clang -O2 -flto -c %s -o %t.plain.o
// RUN: %{link} -flto %t.plain.o 2>&1 | FileCheck %s
// CHECK: warning: {{.*}}tilesmith: with full LTO, loops are vectorised before the plugin of the linker sees them; give -fpass-plugin= to the compiler, too

// It is not if the plugin has seen a file before, if nothing was vectorised, or with thin LTO.
// RUN: %clang -O2 -flto -c %s -o %t.seen.o -fpass-plugin=%tilesmith
// RUN: %{link} -flto %t.seen.o 2>&1 | count 0
// RUN: %clang -O1 -flto -c %s -o %t.level.o
// RUN: %{link} -flto %t.level.o 2>&1 | count 0
// RUN: %clang -O2 -flto=thin -c %s -o %t.thin.o
// RUN: %{link} -flto=thin %t.thin.o 2>&1 | count 0

// The note of the compile step makes no code.
// RUN: llvm-nm %t.seen.o | FileCheck %s --check-prefix=NAMES --implicit-check-not=compiled
// RUN: llvm-strings %t | FileCheck %s --check-prefix=STRINGS --implicit-check-not=tilesmith.compiled
// NAMES: main
// STRINGS: main

#define GEMM_ATTRIBUTES __attribute__((noinline))
#include "Inputs/gemm-main.h"
