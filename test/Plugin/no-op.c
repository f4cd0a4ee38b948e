//===- no-op.c - ways to load the plugin that do nothing are warned of ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// -fplugin alone, where clang compiles in the driver's process, and in one of its own.
// RUN: %clang -O2 -c %s -o %t.o -fplugin=%tilesmith 2>&1 | FileCheck %s
// RUN: %clang -O2 %s -o %t -fplugin=%tilesmith 2>&1 | FileCheck %s
// RUN: %clang -O2 -c %s -o %t.o -Xclang -load -Xclang %tilesmith 2>&1 | FileCheck %s
// CHECK: warning: tilesmith: '-fplugin=' does nothing; use '-fpass-plugin='
// CHECK-NOT: warning

// With -fpass-plugin, also in a file of options; as ccache needs it.
// RUN: echo "-fpass-plugin=%tilesmith" > %t.cfg
// RUN: %clang -O2 -c %s -o %t.o -fplugin=%tilesmith -fpass-plugin=%tilesmith 2>&1 | count 0
// RUN: %clang -O2 %s -o %t -fplugin=%tilesmith -fpass-plugin=%tilesmith 2>&1 | count 0
// RUN: %clang -O2 -c %s -o %t.o -fplugin=%tilesmith --config=%t.cfg 2>&1 | count 0
// RUN: %clang -O2 -c %s -o %t.o -fplugin=%tilesmith @%t.cfg 2>&1 | count 0
// RUN: %clang -O2 -fsyntax-only %s -fplugin=%tilesmith -fpass-plugin=%tilesmith 2>&1 | count 0

#define GEMM_ATTRIBUTES __attribute__((noinline))
#include "Inputs/gemm-main.h"
