//===- widened.c - elements of A and B are widened while packed -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -DNAME=base -c %s -o %t.base.o
// RUN: %clang -O2 -DNAME=tile -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
// CHECK-COUNT-5: replaced 3-loop nest

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
enum { Max = 70 };

// Name, element of A, element of B, sum.
#define FOR_ALL(X)                                                             \
  X(Bytes, signed char, signed char, int)                                      \
  X(MixedBytes, unsigned char, signed char, int)                               \
  X(Shorts, short, short, int)                                                 \
  X(Floats, float, float, double)                                              \
  X(Ints, int, int, long)

#define PRODUCT(Name, TA, TB, TC)                                              \
  void CAT(NAME, Name)(long m, long n, long k, const TA *a, const TB *b,       \
                       TC *c) {                                                \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++)                                             \
        for (long p = 0; p < k; p++)                                           \
          c[i * n + j] += (TC)a[i * k + p] * (TC)b[p * n + j];                 \
  }

#ifndef DRIVER
FOR_ALL(PRODUCT)
#else
#include <stdlib.h>
#include <string.h>
#define TEST(Name, TA, TB, TC)                                                 \
  void base##Name(long, long, long, const TA *, const TB *, TC *);             \
  void tile##Name(long, long, long, const TA *, const TB *, TC *);             \
  static int test##Name(long m, long n, long k) {                              \
    static TA a[Max * Max];                                                    \
    static TB b[Max * Max];                                                    \
    static TC c[2][Max * Max];                                                 \
    for (int i = 0; i < Max * Max; i++) {                                      \
      a[i] = (TA)(mrand48() >> 8) / (TA)3;                                     \
      b[i] = (TB)(mrand48() >> 8) / (TB)3;                                     \
      c[0][i] = c[1][i] = (TC)(i * 17);                                        \
    }                                                                          \
    base##Name(m, n, k, a, b, c[0]);                                           \
    tile##Name(m, n, k, a, b, c[1]);                                           \
    return memcmp(c[0], c[1], sizeof c[0]);                                    \
  }
FOR_ALL(TEST)

int main(void) {
  for (long n = 1; n <= Max; n += 3) {
#define CALL(Name, TA, TB, TC)                                                 \
  if (test##Name(n, n, n) || test##Name(n, Max, 5) || test##Name(Max, n, 33))  \
    return 1;
    FOR_ALL(CALL)
  }
  return 0;
}
#endif
