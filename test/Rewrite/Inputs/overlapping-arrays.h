//===- overlapping-arrays.h - forms with and without the plugin -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each of FORMS as it is and as replaced, on arrays that sometimes overlap,
// sometimes without memory, and compares all bytes. Link with --wrap=malloc.
//
//===----------------------------------------------------------------------===//

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
enum { Max = 48 };

/// a is m x k, b is k x n and c is m x n, in rows of Max elements; w has one row.
#define FORM(Name)                                                             \
  void CAT(NAME, Name)(long m, long n, long k, const double *a,                \
                       const double *b, double *c, double *w)

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
      from[at[3]] = round % 2 ? k : k - 1; /* w[0], a number of steps */       \
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
#endif
