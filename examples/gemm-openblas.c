//===- gemm-openblas.c - the same function, by OpenBLAS -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// From cblas.h, which Debian keeps in a different place for each BLAS.
enum { RowMajor = 101, NoTrans = 111 };
void cblas_dgemm(int order, int transA, int transB, int m, int n, int k,
                 double alpha, const double *A, int lda, const double *B,
                 int ldb, double beta, double *C, int ldc);

void gemm(int n, const double *A, const double *B, double *C) {
  cblas_dgemm(RowMajor, NoTrans, NoTrans, n, n, n, 1, A, n, B, n, 1, C, n);
}
