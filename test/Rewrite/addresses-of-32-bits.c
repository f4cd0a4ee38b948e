//===- addresses-of-32-bits.c - sizes and addresses that wrap -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang --target=i686-linux-gnu -msse2 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<min-work=1>' -S %t.ll -o - | FileCheck %s

// A matrix of sums: its bytes must fit size_t.
// CHECK-LABEL: define {{.*}}@squares(
// CHECK: icmp ult i64 {{.*}}, 268435456
void squares(int M, int N, int K, const double *restrict A, const double *restrict B,
             double *restrict r) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < K; k++)
        s += A[i * K + k] * B[k * N + j];
      r[i] += s * s;
    }
}

// Without wrapping, each operand is where the guard thinks it is.
// CHECK-LABEL: define {{.*}}@gemm.tilesmith(
// CHECK: icmp sge i64 [[LOW:%.*]], 0
// CHECK: icmp sle i64 [[HIGH:%.*]], 4294967296
void gemm(int n, int ld, const float *A, const float *B, float *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * ld + j] += A[i * n + k] * B[k * n + j];
}
