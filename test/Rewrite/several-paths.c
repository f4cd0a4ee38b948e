//===- several-paths.c - one that needs no fall-back, beside others -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A path whose tests are constants is simplified before any path is extracted.

// RUN: %clang -O3 -march=x86-64-v3 -fwrapv -flto=full -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-strategy=eigen -Rpass=tilesmith 2>&1 | FileCheck %s
// CHECK: replaced 3-loop nest by tilesmith_eigen_gemm_i32

__attribute__((always_inline)) inline static void f(long n0, long n1, long n2, long ld0, long ld1, long ld2, int a0[][n0], int a1[][ld0], int a2[][ld1], int a3[][ld2], const int a4[][n2]) {
  for (long l2 = 0; l2 != n1; l2++) {
    for (long l1 = 0; l1 < n0; l1++) {
      for (long l3 = 0; l3 < n0; l3++)
        a0[l2][l1] = ((a1[l1][l3] * a2[l2][l3]) + a0[l2][l1]);
      a0[l2][l1] = 0;
      for (long l3 = 0; l3 < n0 - 1; l3++)
        a0[l2][l1] = ((a2[l1][l3] * a2[l2][l3]) + a0[l2][l1]);
    }
  }
  for (long l5 = n0 - 1; l5 >= 0; l5--)
    for (long l4 = 0; l4 < n2; l4++)
      for (long l6 = 0; l6 < n2; l6++)
        a0[l4][l5] += (a3[l4][l6] * a4[l5][l6]);
}
void g(long *c, void **p) { f(c[0], c[1], c[2], c[3], c[4], c[5], p[0], p[1], p[2], p[3], p[4]); }
