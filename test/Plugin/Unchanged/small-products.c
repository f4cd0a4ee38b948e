//===- small-products.c - products too small to gain stay as they are --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

#define PRODUCT(T, N)                                                          \
  void product_##T##_##N(T (*restrict A)[N], T (*restrict B)[N],               \
                         T (*restrict C)[N]) {                                 \
    for (int i = 0; i < N; i++)                                                \
      for (int j = 0; j < N; j++)                                              \
        for (int k = 0; k < N; k++)                                            \
          C[i][j] += A[i][k] * B[k][j];                                        \
  }                                                                            \
  void sum_##T##_##N(T A[N][N], T B[N][N], T C[N][N]) {                        \
    for (int i = 0; i < N; i++)                                                \
      for (int j = 0; j < N; j++) {                                            \
        T s = 0;                                                               \
        for (int k = 0; k < N; k++)                                            \
          s += A[i][k] * B[k][j];                                              \
        C[i][j] = s;                                                           \
      }                                                                        \
  }

PRODUCT(double, 2)
PRODUCT(double, 3)
PRODUCT(float, 3)
PRODUCT(int, 4)
PRODUCT(int, 5)
