//===- pairs.c - functions of two elements, and epilogues -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// C[i][j] is what the steps k make of A[i][k] and of B[j][k], or B[k][j], and what
// becomes of that. X is a row, or a matrix, of further operands.

#include "pairs.h"
#include <math.h>

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define NEST(name, C, S, E, B, Step, Finish)                                      \
  void CAT(PREFIX, name)(long n, const void *A, const void *BP, const void *XP, void *CP) { \
    const E *restrict a = A, *restrict b = BP;                                 \
    const S *restrict x = XP;                                                  \
    C *restrict c = CP;                                                        \
    FOR(i, n) FOR(j, n) {                                                      \
      S s = 0;                                                                 \
      FOR(k, n) {                                                              \
        E p = a[i * n + k], q = B;                                             \
        Step;                                                                  \
      }                                                                        \
      c[i * n + j] = Finish;                                                   \
    }                                                                          \
  }
PAIRS(NEST)
