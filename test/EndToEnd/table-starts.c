//===- table-starts.c - tables of rows, started and finished ----*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices times vectors, by pointers to rows: sums that start from another vector,
// or are made something of. Each row ends at a page that cannot be read, or begins
// behind one. The result may be the bias, overlap it, or be a row.

// DEFINE: %{flags} = -O3
// DEFINE: %{compile} = %clang %{flags} -march=native %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{expect} = %{compile} -o %t.plain && %t.plain > %t.expected
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{expect}
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -O1 -o %t.ours && %{compare}
// RUN: %{ours} -O2 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -O3 -ffp-contract=fast
// RUN: %{expect} && %{ours} -o %t.ours && %{compare}
#include "../guarded.h"

#define ROWS(name, start, finish)                                              \
  __attribute__((noinline)) static void name(                                  \
      long m, long n, T *const *a, const T *x, const T *b, T *y) {             \
    for (long i = 0; i < m; i++) {                                             \
      T s = start;                                                             \
      for (long k = 0; k < n; k++)                                             \
        s += a[i][k] * x[k];                                                   \
      y[i] = finish;                                                           \
    }                                                                          \
  }

// CHECK-COUNT-20: replaced 2-loop nest {{.*}}by GEMV f{{32|64}} (A table of {{rows|columns}})
#define T double
#define OF(name) name##_double
#include "Inputs/table-starts.h"
#undef T
#undef OF
#define T float
#define OF(name) name##_float
#include "Inputs/table-starts.h"

int main(void) {
  static char *places[104];
  for (int i = 0; i < 104; i++)
    places[i] = guardedPages(4096);
  for (long m = 1; m <= 100; m += m < 8 ? 3 : 13)
    for (long n = 1; n <= 100; n += 11) {
      for (int atEnd = 0; atEnd < 2; atEnd++) {
        check_double(m, n, atEnd, places);
        check_float(m, n, atEnd, places);
      }
      printf("%ld %ld %lx\n", m, n, Hash);
    }
  return 0;
}
