//===- narrow.c - products of narrow factors that are measured ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C += A B of row-major matrices, n x n, as users write it. The same file is
// compiled without and with Tilesmith; -DPREFIX=... keeps the two apart. It is
// compiled with -ffast-math, or bfloat could not be added in pairs.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

#define DEFINE(Prefix, Type, TA, TB, TC)                                       \
  void NARROW(Prefix, Type)(long n, const TA *A, const TB *B, TC *C) {         \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < n; j++)                                             \
        for (long k = 0; k < n; k++)                                           \
          C[i * n + j] += (TC)A[i * n + k] * (TC)B[k * n + j];                 \
  }

FOR_ALL_NARROW(DEFINE, PREFIX)
