//===- small.c - the plain loops of small products ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C += A * B with constant and with unknown extents. The forms are
//
//   ijk  the sum innermost, C is restrict
//   ikj  the columns innermost, C is restrict
//   may  the sum innermost, C may alias A and B
//
// -DPREFIX=... -DTYPE=f64 -DFORM_ijk name the table, for instance.
//
//===----------------------------------------------------------------------===//

#include "small.h"

#if defined(FORM_ijk)
#define FORM ijk
#elif defined(FORM_ikj)
#define FORM ikj
#else
#define FORM may
#endif

#ifdef FORM_may
#define RESTRICT
#else
#define RESTRICT restrict
#endif

#ifdef FORM_ikj
#define NEST                                                                   \
  for (long i = 0; i < M; i++)                                                 \
    for (long k = 0; k < K; k++)                                               \
      for (long j = 0; j < N; j++)
#else
#define NEST                                                                   \
  for (long i = 0; i < M; i++)                                                 \
    for (long j = 0; j < N; j++)                                               \
      for (long k = 0; k < K; k++)
#endif

typedef REAL(TYPE) T;

#define AT_r(X, Row, Col, Rows, Columns) X[(Row) * (Columns) + (Col)]
#define AT_c(X, Row, Col, Rows, Columns) X[(Row) + (Col) * (Rows)]

#define DEFINE(OC, OA, OB, CM, CN, CK)                                         \
  static void f_##OC##OA##OB##_##CM##_##CN##_##CK(                             \
      long m, long n, long k_, const T *A, const T *B, T *RESTRICT C) {        \
    const long M = CM ? CM : m, N = CN ? CN : n, K = CK ? CK : k_;             \
    NEST                                                                       \
    AT_##OC(C, i, j, M, N) += AT_##OA(A, i, k, M, K) * AT_##OB(B, k, j, K, N); \
  }
#define ELEMENT(OC, OA, OB, CM, CN, CK)                                        \
  {CM, CN, CK, #OC #OA #OB, (void (*)(void))f_##OC##OA##OB##_##CM##_##CN##_##CK},

IN_ALL_ORDERS(FOR_ALL_SHAPES, DEFINE)
const struct SmallProduct TABLE(PREFIX, TYPE, FORM)[] = {
    IN_ALL_ORDERS(FOR_ALL_SHAPES, ELEMENT){0}};
