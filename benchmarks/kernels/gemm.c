//===- gemm.c - the plain loops that are measured -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C += A * B as users write it, for every element type and storage order.
// The same file is compiled without a plugin, with Polly and with Tilesmith;
// -DPREFIX=... keeps the three apart.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

#define AT_r(X, Row, Col, LD) X[(Row) * (LD) + (Col)]
#define AT_c(X, Row, Col, LD) X[(Row) + (Col) * (LD)]

#define DEFINE(Prefix, Type, T, OC, OA, OB)                                    \
  void NAME(Prefix, Type, OC, OA, OB)(long M, long N, long K, const T *A,      \
                                      long lda, const T *B, long ldb, T *C,    \
                                      long ldc) {                              \
    for (long i = 0; i < M; i++)                                               \
      for (long j = 0; j < N; j++)                                             \
        for (long k = 0; k < K; k++)                                           \
          AT_##OC(C, i, j, ldc) +=                                             \
              AT_##OA(A, i, k, lda) * AT_##OB(B, k, j, ldb);                   \
  }

FOR_ALL_ORDERS(DEFINE, PREFIX, f64, double)
FOR_ALL_ORDERS(DEFINE, PREFIX, f32, float)
