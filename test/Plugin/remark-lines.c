//===- remark-lines.c - instructions that LLVM has given no line ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Merged lines are 0, and some front ends give none to loops that they make. The
// remark stands at a line of the loops then, or else at the function's.
//
// DEFINE: %{remarks} = %opt -passes=tilesmith -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -disable-output 2>&1 | FileCheck %s --check-prefix
// RUN: %clang -O1 -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: cat %t.ll | %{remarks}=ALL
// RUN: sed 's/DILocation(line: [0-9]*, column: [0-9]*/DILocation(line: 0, column: 0/' %t.ll | %{remarks}=ZERO
// RUN: sed '/^ *\(br\|store\|%.*fcmp\|%.*phi\|%.*icmp\) /s/, !dbg ![0-9]*//; s/!llvm.loop ![0-9]*/!other !0/' %t.ll | %{remarks}=SOME

// The loops have lines, but not the function.
// RUN: sed 's/, !dbg ![0-9]*//; s/ !dbg ![0-9]* {/ {/' %t.ll | %{remarks}=LOOPS

// ZERO: remark-lines.c:[[#@LINE+1]]:0: matrix product not replaced:
void missed(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      // LOOPS: remark-lines.c:[[#@LINE+1]]:7: matrix product not replaced:
      for (long k = 0; k < n; k++)
        // ALL: remark-lines.c:[[#@LINE+2]]:{{[0-9]+}}: matrix product not replaced:
        // SOME: remark-lines.c:[[#@LINE+1]]:{{[0-9]+}}: matrix product not replaced:
        if (a[i * n + k] > 100)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// ZERO: remark-lines.c:[[#@LINE+1]]:0: replaced
void replaced(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  // ALL: remark-lines.c:[[#@LINE+2]]:3: replaced
  // LOOPS: remark-lines.c:[[#@LINE+1]]:3: replaced
  for (long i = 0; i < n; i++)
    // SOME: remark-lines.c:[[#@LINE+1]]:5: replaced
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
