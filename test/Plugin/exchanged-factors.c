//===- exchanged-factors.c - A is the factor that the source names first ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{compile} = %clang -O3 -march=x86-64-v3 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith
// REQUIRES: x86
// RUN: %{compile} 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %{compile} -g 2>&1 | FileCheck %s --check-prefix=DEBUG

// LLVM exchanges factors that are integers. What is row-major is called so.
void integers(int n, const int *restrict a, const int *restrict b, int *restrict c) {
  // CHECK: :[[@LINE+2]]:3: remark: replaced 3-loop nest by GEMM i32 (A row-major, B row-major, C row-major)
  // DEBUG: :[[@LINE+1]]:3: remark: replaced 3-loop nest 'c[i*n + j] += a[i*n + k] * b[k*n + j]' by GEMM i32 (A row-major, B row-major, C row-major)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void integers_ikj(int n, int m, const int *restrict a, const int *restrict b, int *restrict c) {
  // CHECK: :[[@LINE+2]]:3: remark: replaced 3-loop nest by GEMM i32 (A row-major, B row-major, C row-major), MxNx50
  // DEBUG: :[[@LINE+1]]:3: remark: replaced 3-loop nest 'c[i*m + j] += a[50*i + k] * b[k*m + j]' by GEMM i32
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 50; k++)
      for (int j = 0; j < m; j++)
        c[i * m + j] += a[i * 50 + k] * b[k * m + j];
}

void bytes(int n, const signed char *restrict a, const signed char *restrict b, int *restrict c) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced 3-loop nest by GEMM i32 (A row-major, B column-major, C row-major), 70xNxK
  for (int i = 0; i < 70; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[j * n + k];
}
