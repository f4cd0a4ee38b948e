//===- kin.c - the plain loops around products that are measured ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symmetric and triangular updates, batches and chains, as users write them, of
// row-major matrices of n rows and n columns each. The same file is compiled
// without and with Tilesmith; -DPREFIX=... keeps the two apart.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

#define AT(X, Row, Col) X[(Row) * n + (Col)]

#define DEFINE_ALL(Prefix, Type, T)                                            \
  /* C += A A', lower half */                                                  \
  void KIN(Prefix, Type, syrk)(long n, long count, const T *A, const T *B,     \
                               T *C, T *D) {                                   \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j <= i; j++)                                            \
        for (long k = 0; k < n; k++)                                           \
          AT(C, i, j) += AT(A, i, k) * AT(A, j, k);                            \
  }                                                                            \
  /* C += A B' + B A', lower half */                                           \
  void KIN(Prefix, Type, syr2k)(long n, long count, const T *A, const T *B,    \
                                T *C, T *D) {                                  \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j <= i; j++)                                            \
        for (long k = 0; k < n; k++) {                                         \
          AT(C, i, j) += AT(A, i, k) * AT(B, j, k);                            \
          AT(C, i, j) += AT(B, i, k) * AT(A, j, k);                            \
        }                                                                      \
  }                                                                            \
  /* the same, the two products added first */                                 \
  void KIN(Prefix, Type, syr2k1)(long n, long count, const T *A, const T *B,   \
                                 T *C, T *D) {                                 \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j <= i; j++)                                            \
        for (long k = 0; k < n; k++)                                           \
          AT(C, i, j) +=                                                       \
              AT(A, i, k) * AT(B, j, k) + AT(B, i, k) * AT(A, j, k);           \
  }                                                                            \
  /* C = U C in place, with a unit diagonal */                                 \
  void KIN(Prefix, Type, trmm)(long n, long count, const T *A, const T *B,     \
                               T *C, T *D) {                                   \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < n; j++)                                             \
        for (long k = i + 1; k < n; k++)                                       \
          AT(C, i, j) += AT(A, i, k) * AT(C, k, j);                            \
  }                                                                            \
  /* a number of products, one after the other */                              \
  void KIN(Prefix, Type, batch)(long n, long count, const T *A, const T *B,    \
                                T *C, T *D) {                                  \
    for (long q = 0; q < count; q++)                                           \
      for (long i = 0; i < n; i++)                                             \
        for (long j = 0; j < n; j++)                                           \
          for (long k = 0; k < n; k++)                                         \
            C[q * n * n + i * n + j] +=                                        \
                A[q * n * n + i * n + k] * B[q * n * n + k * n + j];           \
  }                                                                            \
  /* D = A B, C += D A */                                                      \
  void KIN(Prefix, Type, chain)(long n, long count, const T *A, const T *B,    \
                                T *C, T *D) {                                  \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < n; j++) {                                           \
        AT(D, i, j) = 0;                                                       \
        for (long k = 0; k < n; k++)                                           \
          AT(D, i, j) += AT(A, i, k) * AT(B, k, j);                            \
      }                                                                        \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < n; j++)                                             \
        for (long k = 0; k < n; k++)                                           \
          AT(C, i, j) += AT(D, i, k) * AT(A, k, j);                            \
  }

DEFINE_ALL(PREFIX, f64, double)
DEFINE_ALL(PREFIX, f32, float)
