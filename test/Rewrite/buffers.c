//===- buffers.c - factors that are copied to be read again ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product reads what a buffer is filled from. Buffers that are seen later are
// filled all the same, and one that is filled in another way is left alone. All
// arrays may overlap, and there may be no memory.
//
// RUN: %clang -O3 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O3 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
// RUN: %clang -O3 -ffp-contract=fast -march=native -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O3 -ffp-contract=fast -march=native -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
//
// CHECK-COUNT-10: replaced 3-loop nest
// CHECK-NOT: replaced 3-loop

#include "Inputs/overlapping-arrays.h"

#define FORMS(X)                                                               \
  X(Scaled) X(Added) X(Copied) X(Local) X(Given) X(Rows) X(Both) X(Longer)     \
  X(Tested) X(IfFew)                                                           \
  X(Backwards) X(HalfOnly) X(Once) X(Neighbour) X(Kept)

#ifdef IMPLEMENTATION
#define PRODUCT(Factor)                                                        \
  for (long i = 0; i < m; i++)                                                 \
    for (long p = 0; p < k; p++)                                               \
      c[i * Max + j] += a[i * Max + p] * (Factor);

FORM(Scaled) {
  double column[Max];
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k; p++)
      column[p] = 0.3 * b[p * Max + j];
    PRODUCT(column[p])
  }
}
FORM(Added) {
  double column[Max];
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k; p++)
      column[p] = 0.3 * b[p * Max + j];
    PRODUCT(column[p] + 0.1)
  }
}
FORM(Copied) {
  double row[Max];
  for (long j = 0; j < n; j++) {
    __builtin_memcpy(row, b + j * Max, k * sizeof(double));
    PRODUCT(row[p])
  }
}
FORM(Local) {
  for (long j = 0; j < n; j++) {
    double column[Max];
    for (long p = 0; p < k; p++)
      column[p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}
FORM(Given) {
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k; p++)
      w[p] = b[p * Max + j];
    PRODUCT(w[p])
  }
}
FORM(Rows) {
  static double row[Max];
  for (long i = 0; i < m; i++) {
    for (long p = 0; p < k; p++)
      row[p] = a[i * Max + p] - 1;
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++)
        c[i * Max + j] += row[p] * b[p * Max + j];
  }
}
FORM(Both) {
  double row[Max], panel[Max][Max];
  for (long p = 0; p < k; p++)
    for (long j = 0; j < n; j++)
      panel[p][j] = b[p * Max + j];
  for (long i = 0; i < m; i++) {
    for (long p = 0; p < k; p++)
      row[p] = 2 * a[i * Max + p];
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++)
        c[i * Max + j] += row[p] * panel[p][j];
  }
}
FORM(Longer) {
  double column[Max + 4];
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k + 4; p++)
      column[p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}
// How much is filled is another number.
FORM(Tested) {
  long filled = (long)w[0];
  double column[Max];
  for (long p = 0; p < Max; p++)
    column[p] = 0;
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < filled; p++)
      column[p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}

FORM(IfFew) {
  double column[Max] = {0};
  for (long j = 0; j < n; j++) {
    if (n < 20)
      for (long p = 0; p < k; p++)
        column[p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}

// The others are no such products.
FORM(Backwards) {
  double column[Max];
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k; p++)
      column[k - 1 - p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}
FORM(HalfOnly) {
  double column[2 * Max] = {0};
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k; p++)
      column[2 * p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}
FORM(Once) {
  double column[Max];
  for (long j = 0; j < n; j++) {
    if (j % 2 == 0)
      for (long p = 0; p < k; p++)
        column[p] = b[p * Max + j];
    PRODUCT(column[p])
  }
}
FORM(Neighbour) {
  double column[Max + 1] = {0};
  for (long j = 0; j < n; j++) {
    for (long p = 0; p < k; p++)
      column[p + 1] = b[p * Max + j];
    PRODUCT(column[p])
  }
}
FORM(Kept) {
  double column[Max] = {0};
  for (long j = 0; j < n; j++) {
    PRODUCT(column[p])
    for (long p = 0; p < k; p++)
      column[p] = b[p * Max + j];
  }
}
#endif

#ifdef DRIVER
int main(void) {
  FORMS(RUN)
  return failures != 0;
}
#endif
