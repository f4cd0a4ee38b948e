//===- start-elsewhere.c - sums that start from another array -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C is given the values that the sums start from, and then updated. All arrays
// may overlap, and there may be no memory.
//
// RUN: %clang -O3 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O3 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
// RUN: %clang -O2 -ffp-contract=off -march=native -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O2 -ffp-contract=off -march=native -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
//
// CHECK-COUNT-9: replaced 3-loop nest
// CHECK-NOT: replaced 3-loop

#include "Inputs/overlapping-arrays.h"

#define FORMS(X)                                                               \
  X(Row) X(Column) X(Whole) X(Expression) X(InMemory) X(Scaled) X(Triangle)    \
  X(Neighbour) X(Carried) X(Either) X(Kept) X(TwoColumns)

#ifdef IMPLEMENTATION
#define SUM                                                                    \
  for (long p = 0; p < k; p++)                                                 \
    s += a[i * Max + p] * b[p * Max + j];
#define ALL                                                                    \
  for (long i = 0; i < m; i++)                                                 \
    for (long j = 0; j < n; j++)

FORM(Row) {
  ALL {
    double s = w[i];
    SUM
    c[i * Max + j] = s;
  }
}
FORM(Column) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      double s = w[j];
      SUM
      c[i * Max + j] = s;
    }
}
FORM(Whole) {
  ALL {
    double s = w[j * Max + i];
    SUM
    c[i * Max + j] = s;
  }
}
FORM(Expression) {
  ALL {
    double s = w[i] * w[Max + j] + 0.1;
    SUM
    c[i * Max + j] = s;
  }
}
FORM(InMemory) {
  ALL {
    c[i * Max + j] = 2 * w[j];
    for (long p = 0; p < k; p++)
      c[i * Max + j] -= a[i * Max + p] * b[p * Max + j];
  }
}
FORM(Scaled) {
  ALL {
    double s = w[i * Max + j];
    SUM
    c[i * Max + j] = 0.3 * s;
  }
}
FORM(Triangle) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j <= i; j++) {
      double s = w[j];
      SUM
      c[i * Max + j] = s;
    }
}
FORM(TwoColumns) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n / 2 * 2; j += 2) {
      double s = w[j], t = w[j + 1];
      for (long p = 0; p < k; p++) {
        s += a[i * Max + p] * b[p * Max + j];
        t += a[i * Max + p] * b[p * Max + j + 1];
      }
      c[i * Max + j] = s;
      c[i * Max + j + 1] = t;
    }
}

// Sums are kept apart, and start there.
FORM(Kept) {
  ALL {
    double s = w[j];
    SUM
    c[i * Max + j] = s + c[i * Max + j];
  }
}

// The others are no such products.
FORM(Neighbour) {
  ALL {
    double s = c[i * Max + j + 1];
    SUM
    c[i * Max + j] = s;
  }
}
FORM(Carried) {
  double s = w[0];
  ALL {
    SUM
    c[i * Max + j] = s;
  }
}
FORM(Either) {
  ALL {
    double s = (i + j) % 3 ? w[i] : w[j];
    SUM
    c[i * Max + j] = s;
    w[j] += 1;
  }
}
#endif

#ifdef DRIVER
int main(void) {
  FORMS(RUN)
  return failures != 0;
}
#endif
