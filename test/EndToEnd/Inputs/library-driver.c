//===- library-driver.c - compare products with and without a library -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "library.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Max = 40, Room = Max * (Max + 8) };
static T a[Room], b[Room], start[Room], expected[Room], got[Room];

static const long sizes[][3] = {
    {1, 1, 1},  {1, 7, 5},  {7, 1, 5},  {7, 5, 1},    {2, 3, 4},   {8, 8, 8},
    {17, 9, 5}, {5, 19, 3}, {3, 5, 23}, {33, 31, 29}, {40, 40, 40}};

static const int isInteger = (T)0.5 == 0;
#ifdef SAME_BITS
static const int mayRound = 0;
#else
static const int mayRound = !((T)0.5 == 0);
#endif

// Small whole numbers, of which sums do not round, or any.
static void fill(T *x, int whole) {
  for (int i = 0; i < Room; i++)
    x[i] = whole       ? (T)(mrand48() % 9)
           : isInteger ? (T)(((unsigned long)mrand48() << 32) ^ mrand48())
                       : (T)(2 * drand48() - 1);
}

// Whether two results are further apart than rounding of p products explains.
static int differ(T x, T y, long p, int whole) {
  if (x == y)
    return 0;
  if (whole || !mayRound)
    return 1;
  double epsilon = sizeof(T) == 4 ? 1.2e-7 : 2.3e-16;
  return !(fabs((double)x - (double)y) <= 8 * (p + 4) * epsilon);
}

static int compare(int which, long m, long n, long p, long lda, long ldb,
                   long ldc, int whole) {
  fill(a, whole);
  fill(b, whole);
  fill(start, whole);
  T alpha = whole || isInteger ? 3 : (T)0.7;
  T beta = whole || isInteger ? -2 : (T)-1.3;
  memcpy(expected, start, sizeof start);
  memcpy(got, start, sizeof start);
  stock[which].compute(m, n, p, alpha, beta, a, lda, b, ldb, expected, ldc);
  ours[which].compute(m, n, p, alpha, beta, a, lda, b, ldb, got, ldc);
  for (int i = 0; i < Room; i++)
    if (differ(expected[i], got[i], p, whole)) {
      printf("%s, %ldx%ldx%ld, ld %ld %ld %ld: element %d is %g, not %g\n",
             ours[which].name, m, n, p, lda, ldb, ldc, i, (double)got[i],
             (double)expected[i]);
      return 1;
    }
  return 0;
}

int main(void) {
  int failures = 0, products = 0;
  for (int which = 0; ours[which].name; which++, products++)
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int whole = 0; whole < 2; whole++)
        for (int pad = -1; pad < 8; pad += 4) {
          long m = sizes[s][0], n = sizes[s][1], p = sizes[s][2];
          const struct Product *x = &ours[which];
          if (x->shape == FromLeft)
            p = m;
          else if (x->shape != Rectangle && x->shape != FromRight)
            m = n;
          if (x->shape == Square || x->shape == FromRight)
            p = n;
          // Rows of B lie along n, or, for the rank updates, along k.
          long rowB = x->shape >= RankK ? p : n;
          long columnB = x->shape >= RankK       ? n
                         : x->shape == FromRight ? m
                                                 : p;
          long columnA = x->shape == FromRight ? n : m;
          long lda = (x->orderA == 'r' ? p : columnA) + pad;
          long ldb = (x->orderB == 'r' ? rowB : columnB) + pad;
          long ldc = (x->orderC == 'r' ? n : m) + (pad < 0 ? 0 : pad);
          // Rows of A and B may overlap; that is not for a library.
          if (lda >= 1 && ldb >= 1)
            failures += compare(which, m, n, p, lda, ldb, ldc, whole);
        }
  printf("%d products, %d failures\n", products, failures);
  return failures != 0;
}
