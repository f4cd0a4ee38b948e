//===- small-triangles.c - halves and triangles in small code -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At -O2, tiles at a diagonal are made by kernels of even numbers of columns, of
// which the last ones are moved up, and triangular factors by those of half a tile.
// All sizes up to three tiles give the same bytes as clang's loops.

// DEFINE: %{march} = -march=native
// DEFINE: %{T} = double
// DEFINE: %{compile} = %clang -O2 %{march} -DT=%{T} -c %s
// DEFINE: %{compare} = %{compile} -DNAME=expected -o %t.expected.o && %{compile} -DNAME=computed -o %t.computed.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith 2>&1 | FileCheck %s && %clang -O1 -DDRIVER -DT=%{T} %s %t.expected.o %t.computed.o -o %t && %t
// RUN: %{compare}
// REDEFINE: %{T} = float
// RUN: %{compare}
// REDEFINE: %{T} = int
// RUN: %{compare}
// REDEFINE: %{march} =
// RUN: %{compare}
// REDEFINE: %{T} = double
// RUN: %{compare}

// CHECK-COUNT-9: replaced 3-loop nest by
#define F(I, Begin, End) for (long I = Begin; I < End; I++)
#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
typedef void Product(long n, long p, const T *a, const T *b, T *c);
#define PRODUCT(Name, ...)                                                                                             \
  void CAT(NAME, Name)(long n, long p, const T *a, const T *b, T *c) { __VA_ARGS__; }

#ifndef DRIVER
PRODUCT(Lower, F(i, 0, n) F(j, 0, i + 1) F(k, 0, p) c[i * n + j] += a[i * p + k] * a[j * p + k])
PRODUCT(Upper, F(i, 0, n) F(j, i, n) F(k, 0, p) c[i * n + j] += a[i * p + k] * a[j * p + k])
PRODUCT(Strict, F(i, 0, n) F(j, 0, i) F(k, 0, p) c[i * n + j] -= a[k * n + i] * b[k * n + j])
PRODUCT(TwoLower, F(i, 0, n) F(j, 0, i + 1) F(k, 0, p)
        c[i * n + j] += a[i * p + k] * b[j * p + k] + b[i * p + k] * a[j * p + k])
PRODUCT(TwoUpper, F(i, 0, n) F(j, i, n) F(k, 0, p)
        c[i * n + j] += a[k * n + i] * b[k * n + j] + b[k * n + i] * a[k * n + j])
PRODUCT(FromRow, F(i, 0, n) F(j, 0, p) F(k, i, n) c[i * p + j] += a[i * n + k] * b[k * p + j])
PRODUCT(ToRow, F(i, 0, n) F(j, 0, p) F(k, 0, i + 1) c[i * p + j] += a[i * n + k] * b[k * p + j])
PRODUCT(FromColumn, F(i, 0, p) F(j, 0, n) F(k, j, n) c[i * n + j] += b[i * n + k] * a[k * n + j])
PRODUCT(ToColumn, F(i, 0, p) F(j, 0, n) F(k, 0, j + 1) c[i * n + j] += b[i * n + k] * a[k * n + j])
#else
#include <stdio.h>
#include <string.h>

enum { Max = 52, Bytes = Max * Max * sizeof(T) };
#define BOTH(Name) Product expected##Name, computed##Name;
#define PAIR(Name) {#Name, expected##Name, computed##Name},
#define ALL(X)                                                                                                         \
  X(Lower) X(Upper) X(Strict) X(TwoLower) X(TwoUpper) X(FromRow) X(ToRow) X(FromColumn) X(ToColumn)
ALL(BOTH)
static const struct {
  const char *Name;
  Product *Expected, *Computed;
} Products[] = {ALL(PAIR)};

int main(void) {
  static T a[Max * Max], b[Max * Max], c[2][Max * Max];
  for (int i = 0; i < Max * Max; i++)
    a[i] = i % 17 - (T)7.3, b[i] = i % 13 * (T)1.7 - 3;
  static const long steps[] = {0, 1, 2, 3, 5, 8, 9, 17, 50};
  for (unsigned f = 0; f < sizeof Products / sizeof *Products; f++)
    for (long n = 0; n < Max; n++)
      for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++) {
        for (int of = 0; of < 2; of++)
          for (int i = 0; i < Max * Max; i++)
            c[of][i] = i % 5 ? i % 11 : (T)-0.0;
        Products[f].Expected(n, steps[s], a, b, c[0]);
        Products[f].Computed(n, steps[s], a, b, c[1]);
        if (memcmp(c[0], c[1], Bytes)) {
          printf("%s: n = %ld, p = %ld\n", Products[f].Name, n, steps[s]);
          return 1;
        }
      }
}
#endif
