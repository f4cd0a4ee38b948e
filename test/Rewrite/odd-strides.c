//===- odd-strides.c - strides that are no whole number of elements -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
// CHECK-COUNT-3: replaced 3-loop nest

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
enum { Max = 100 };
struct __attribute__((packed)) Row {
  double v[Max];
  int pad;
};
struct __attribute__((packed)) Element {
  double v;
  int pad;
};
typedef void Rows(long n, const struct Row *, const struct Row *, struct Row *);
typedef void PaddedA(long n, const struct Element *, const double *, double *);
typedef void PaddedB(long n, const double *, const struct Element *, double *);

#ifdef IMPLEMENTATION
void CAT(NAME, Rows)(long n, const struct Row *a, const struct Row *b,
                     struct Row *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i].v[j] += a[i].v[k] * b[k].v[j];
}
void CAT(NAME, PaddedA)(long n, const struct Element *a, const double *b,
                        double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[k * n + i].v * b[k * n + j];
}
void CAT(NAME, PaddedB)(long n, const double *a, const struct Element *b,
                        double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[k * n + i] * b[k * n + j].v;
}
#endif

#ifdef DRIVER
#include <stdlib.h>
#include <string.h>
Rows baseRows, tileRows;
PaddedA basePaddedA, tilePaddedA;
PaddedB basePaddedB, tilePaddedB;
static struct Row a[Max], b[Max], c[2][Max];
static struct Element e[Max * Max];
static double x[Max * Max], y[2][Max * Max];

int main(void) {
  for (int i = 0; i < Max; i++)
    for (int j = 0; j < Max; j++) {
      a[i].v[j] = drand48();
      b[i].v[j] = drand48();
      e[i * Max + j].v = drand48();
      x[i * Max + j] = drand48();
    }
  for (long n = 1; n <= Max; n += 3) {
    baseRows(n, a, b, c[0]);
    tileRows(n, a, b, c[1]);
    basePaddedA(n, e, x, y[0]);
    tilePaddedA(n, e, x, y[1]);
    basePaddedB(n, x, e, y[0]);
    tilePaddedB(n, x, e, y[1]);
    if (memcmp(c[0], c[1], sizeof c[0]) || memcmp(y[0], y[1], sizeof y[0]))
      return 1;
  }
  return 0;
}
#endif
