//===- lto.c - replaced at the compile step or at the link step -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: lld
// DEFINE: %{compile} = %clang -O2 -march=native -c %s
// DEFINE: %{link} = %clang -O2 -march=native -fuse-ld=%lld -Wl,-mllvm,-pass-remarks=tilesmith
// RUN: %clang -O2 -march=native %s -o %t.expected
// RUN: %t.expected > %t.expected.txt

// Full, at the compile step. (Without the plugin there, that step already
// vectorises the loops, and a nest is left to the link step only at -O1.)
// RUN: %{compile} -flto -o %t.full.o -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %{link} -flto %t.full.o -o %t.full -Wl,--load-pass-plugin=%tilesmith 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %t.full | diff %t.expected.txt -
// RUN: %{compile} -O1 -flto -o %t.full-link.o
// RUN: %{link} -flto %t.full-link.o -o %t.full-link -Wl,--load-pass-plugin=%tilesmith 2>&1 | FileCheck %s
// RUN: %t.full-link | diff %t.expected.txt -

// Thin, at the compile step and at the link step.
// RUN: %{compile} -flto=thin -o %t.thin.o -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %{link} -flto=thin %t.thin.o -o %t.thin -Wl,--load-pass-plugin=%tilesmith 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %t.thin | diff %t.expected.txt -
// RUN: %{compile} -flto=thin -o %t.thin-link.o
// RUN: %{link} -flto=thin %t.thin-link.o -o %t.thin-link -Wl,--load-pass-plugin=%tilesmith 2>&1 | FileCheck %s
// RUN: %t.thin-link | diff %t.expected.txt -

// CHECK: replaced 3-loop nest by GEMM f64
// NONE-NOT: replaced

#define GEMM_ATTRIBUTES __attribute__((noinline))
#include "Inputs/gemm-main.h"
