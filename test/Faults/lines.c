//===- lines.c - where a kernel is in the source -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A profiler is told the line of the product for what runs in its kernel. A
// kernel of two products on different lines has none. Debug information does
// not change the code.
//
// REQUIRES: native-avx512
// DEFINE: %{ours} = %clang -O2 -march=native %s -c -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// RUN: %{ours} -g -o %t.o
// RUN: llvm-dwarfdump --verify %t.o
// RUN: llvm-objdump -d --line-numbers --disassemble-symbols=tilesmith.micro %t.o | FileCheck %s
// RUN: mkdir -p %t.dir && cd %t.dir && %{ours} -g -gsplit-dwarf -o %t.split.o && llvm-dwarfdump --verify %t.split.o && llvm-dwarfdump --verify %t.split.dwo
// RUN: %{ours} -gline-tables-only -o %t.g1.o && llvm-dwarfdump --verify %t.g1.o
// RUN: %{ours} -o %t.none.o
// RUN: llvm-objcopy --strip-all %t.o %t.stripped && llvm-objcopy --strip-all %t.none.o %t.none.stripped
// RUN: llvm-objdump -d %t.stripped | sed 1,3d > %t.g.s
// RUN: llvm-objdump -d %t.none.stripped | sed 1,3d > %t.none.s
// RUN: diff %t.g.s %t.none.s
// RUN: llvm-objdump -d --line-numbers %t.o | FileCheck %s --check-prefix=SHARED
// CHECK-LABEL: <tilesmith.micro>:
// CHECK: lines.c:[[@LINE+15]]
// CHECK: vfmadd
// SHARED-LABEL: <tilesmith.micro.{{[0-9]+}}>:
// SHARED-NOT: lines.c:
// SHARED: vfmadd
// SHARED-NOT: lines.c:
// SHARED: ret

#define PRODUCT(T, name, index)                                                \
  void name(long n, const T *a, const T *b, T *c) {                            \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < n; j++)                                             \
        for (long k = 0; k < n; k++)                                           \
          c[i * n + j] += a[i * n + k] * b[k * n + j];                         \
  }
PRODUCT(float, alone, 0)
PRODUCT(double, first, 0)
PRODUCT(double, second, 0)
