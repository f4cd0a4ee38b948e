//===- ccache.c - changes that ccache must be told of ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: ccache, x86
// RUN: rm -rf %t && mkdir %t && cp %tilesmith %t/plugin.so && cp %s %t/gemm.c && cp %S/Inputs/gemm.h %t
// RUN: sed -i 's/Inputs.//' %t/gemm.c
// DEFINE: %{env} = env CCACHE_DIR=%t/cache CCACHE_CONFIGPATH=%t/none
// DEFINE: %{flags} =
// DEFINE: %{compile} = ccache %clang -O2 -march=x86-64-v4 -fpass-plugin=%t/plugin.so %{flags} -c %t/gemm.c -o %t/gemm.o && llvm-nm -S %t/gemm.o | FileCheck %s --check-prefix

// What the guide says: the table and the variable are seen.
// REDEFINE: %{flags} = -mllvm -tilesmith-tuning=%t/table
// DEFINE: %{told} = %{env} CCACHE_EXTRAFILES=%t/plugin.so:%t/table
// RUN: echo 'GEMM f64 512 *x*x* mmk: tile=16x4' > %t/table
// RUN: %{told} %{compile} FIRST
// RUN: %{told} %{compile} FIRST
// RUN: echo 'GEMM f64 512 *x*x* mmk: tile=8x4' > %t/table
// RUN: %{told} %{compile} SECOND
// The table has three places, and one for each number of registers and columns.
// FIRST: {{0+}}58 d tilesmith.micro.kernels
// SECOND: {{0+}}38 d tilesmith.micro.kernels
// RUN: %{told} CCACHE_NAMESPACE=off TILESMITH=off %{compile} OFF
// OFF: gemm
// OFF-NOT: tilesmith

// Of a changed plugin, either way.
// DEFINE: %{count} = %{env} ccache --print-stats | FileCheck %s --check-prefix
// RUN: %{env} ccache --zero-stats
// RUN: printf ' ' >> %t/plugin.so
// RUN: %{told} %{compile} SECOND
// RUN: %{count} MISS
// REDEFINE: %{flags} = -fplugin=%t/plugin.so
// RUN: %{env} %{compile} GEMM
// RUN: %{env} ccache --zero-stats
// RUN: printf ' ' >> %t/plugin.so
// RUN: %{env} %{compile} GEMM
// RUN: %{count} MISS
// MISS: cache_miss 1
// GEMM: tilesmith.micro

#include "Inputs/gemm.h"
