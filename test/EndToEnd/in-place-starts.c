//===- in-place-starts.c - sums that replace what other rows still read ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An upper triangle times a vector, in place: row i reads the elements behind it as they
// were. What sums start from is another vector, which must not be stored in front of that.
//
// RUN: %clang -O3 -march=native %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith %s -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -DT=float -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -DT=float -ffp-contract=off -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// CHECK-COUNT-4: replaced 2-loop nest by GEMV

#include <stdio.h>

#ifndef T
#define T double
#endif
enum { Most = 150 };
static T a[Most * Most], x[Most], y[Most];

#define NEST(NAME, START, FIRST, FACTOR)                                       \
  __attribute__((noinline)) static void NAME(                                  \
      long m, const T *restrict a, const T *restrict y, T *restrict x) {       \
    for (long i = 0; i < m; i++) {                                             \
      T s = START;                                                             \
      for (long k = FIRST; k < m; k++)                                         \
        s += FACTOR * x[k];                                                    \
      x[i] = s;                                                                \
    }                                                                          \
  }

NEST(behind, y[i], i + 1, a[i * m + k])
NEST(from_diagonal, y[i], i, a[i * m + k])
NEST(by_columns, y[i], i + 1, a[k * m + i])
NEST(of_two, y[m - 1 - i] + y[i], i + 1, a[i * m + k])

static void print(const char *name, void (*nest)(long, const T *, const T *, T *)) {
  for (long m = 1; m <= Most; m += m < 20 ? 1 : 13) {
    for (long i = 0; i < Most; i++) {
      x[i] = 1 + i % 7;
      y[i] = 0.25 * i - 3;
    }
    nest(m, a, y, x);
    unsigned long hash = 0;
    for (const unsigned char *byte = (const unsigned char *)x; byte < (const unsigned char *)(x + Most); byte++)
      hash = hash * 31 + *byte;
    printf("%s %ld: %lx\n", name, m, hash);
  }
}

int main(void) {
  for (long i = 0; i < Most * Most; i++)
    a[i] = (i * 37 % 101) / 64.0 - 0.7;
  print("behind", behind);
  print("from_diagonal", from_diagonal);
  print("by_columns", by_columns);
  print("of_two", of_two);
}
