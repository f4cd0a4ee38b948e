//===- constant-size.c - full unrolling does not come first ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s
// RUN: %clang -O3 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s

// Nothing is left of the protection, neither in what is replaced nor in what is
// declined in the end:
// RUN: %clang -O3 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith | FileCheck %s --check-prefix=GONE
// RUN: %clang -O3 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith -mllvm -debug-counter=tilesmith-rewrite=9 \
// RUN:   | FileCheck %s --check-prefixes=GONE,UNROLLED
// GONE-NOT: tilesmith.protected

double A5[5][5], B5[5][5], C5[5][5];
void too_small(void) {
  // CHECK: :[[@LINE+4]]:{{.*}}: remark: matrix product not replaced: the product is too small
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 5; k++)
        C5[i][j] += A5[i][k] * B5[k][j];
}

double A[24][24], B[24][24], C[24][24];
// UNROLLED: define {{.*}}@product(
// UNROLLED-COUNT-24: fmuladd
// UNROLLED: ret void
void product(void) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced {{.*}} 24x24x24
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// The loop that initialises C is unrolled no sooner than the sum.
void initialised(void) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced {{.*}} 24x24x24
  for (int i = 0; i < 24; i++) {
    for (int j = 0; j < 24; j++)
      C[i][j] *= 3;
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++)
        C[i][j] += A[i][k] * B[k][j];
  }
}

// Only the length of the innermost loop is constant.
void depth(long m, long n, double (*restrict a)[16], double *restrict b,
           double *restrict c) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced {{.*}} MxNx16
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < 16; k++)
        c[i * n + j] += a[i][k] * b[k * n + j];
}

// In a triangle, the innermost loop has no constant length, but the one around
// it has.
void triangle(void) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced {{.*}} SYRK {{.*}} 24x24x24
  for (int i = 0; i < 24; i++)
    for (int k = 0; k < 24; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += A[i][k] * A[j][k];
}

// The user's own hint wins: the loop is gone when the product is looked for. A
// loop is made of the sum again.
void hint(void) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced {{.*}} 24x24x24
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++) {
#pragma clang loop unroll(full)
      for (int k = 0; k < 24; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
// CHECK-NOT: remark

// Fused in some lanes only, once clang has unrolled it: its bits are its own.
// RUN: %clang --target=x86_64-linux-gnu -mfma -O3 -ffp-contract=fast -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=FUSION
// FUSION: remark: matrix product not replaced: with -ffp-contract=fast

// Of two iterations, LLVM knows both values of a counter, and of what moves with it.
void two_rows(const double (*restrict a)[64], const double (*restrict b)[64],
              double (*restrict c)[64]) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced {{.*}} 2x64x64
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 64; j++)
      for (int k = 0; k < 64; k++)
        c[i][j] += a[i][k] * b[k][j];
}
