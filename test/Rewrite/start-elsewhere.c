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
// CHECK-COUNT-7: replaced 3-loop nest
// CHECK-NOT: replaced 3-loop

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
enum { Max = 48 };
#define FORMS(X)                                                               \
  X(Row) X(Column) X(Whole) X(Expression) X(InMemory) X(Scaled) X(Triangle)    \
  X(Neighbour) X(Carried) X(Either) X(Kept) X(TwoColumns)

#ifdef IMPLEMENTATION
#define FORM(Name)                                                             \
  void CAT(NAME, Name)(long m, long n, long k, const double *a,                \
                       const double *b, double *c, double *w)
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
FORM(Kept) {
  ALL {
    double s = w[j];
    SUM
    c[i * Max + j] = s + c[i * Max + j];
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
#endif

#ifdef DRIVER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int no_memory;
void *__real_malloc(size_t);
void *__wrap_malloc(size_t size) {
  return no_memory ? 0 : __real_malloc(size);
}

static double from[6 * Max * Max], memory[2][6 * Max * Max];
static int failures;

#define RUN(Name)                                                              \
  {                                                                            \
    typedef void Function(long, long, long, const double *, const double *,    \
                          double *, double *);                                 \
    Function CAT(base, Name), CAT(tile, Name);                                 \
    for (int round = 0; round < 60; round++) {                                 \
      long m = rand() % Max + 1, n = rand() % Max + 1, k = rand() % Max + 1;   \
      for (int i = 0; i < 6 * Max * Max; i++)                                  \
        from[i] = drand48();                                                   \
      long at[4] = {0, Max * Max, 2 * Max * Max, 3 * Max * Max};               \
      if (round % 3 == 0) /* overlap by chance */                              \
        for (int i = 0; i < 4; i++)                                            \
          at[i] = rand() % (4 * Max * Max);                                    \
      for (int tile = 0; tile < 2; tile++) {                                   \
        memcpy(memory[tile], from, sizeof from);                               \
        double *x = memory[tile];                                              \
        no_memory = round % 5 == 0;                                            \
        (tile ? CAT(tile, Name) : CAT(base, Name))(                            \
            m, n, k, x + at[0], x + at[1], x + at[2], x + at[3]);              \
      }                                                                        \
      no_memory = 0;                                                           \
      if (memcmp(memory[0], memory[1], sizeof from) && ++failures)             \
        printf(#Name ": %ld x %ld x %ld, round %d\n", m, n, k, round);         \
    }                                                                          \
  }

int main(void) {
  FORMS(RUN)
  return failures != 0;
}
#endif
