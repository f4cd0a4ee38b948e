//===- row-tables.c - nothing but the rows themselves is touched ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row, and each table, ends or begins next to an inaccessible page. A
// triangle's rows are only as long as the triangle is wide there.
//
// RUN: %clang -O2 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
// CHECK-COUNT-7: rows copied

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
typedef void Form(long m, long n, long l, double **a, double **b, double **c);

// Name, condition of j, steps of i, j, and k in the rows, and what is added to.
#define FOR_ALL(X)                                                             \
  X(Plain, long j = 0; j < n, c[i][j], a[i][k], b[k][j])                       \
  X(Transposed, long j = 0; j < n, c[j][i], a[k][i], b[j][k])                  \
  X(Strided, long j = 0; j < n, c[i][2 * j], a[i][3 * k], b[2 * k][j])         \
  X(Lower, long j = 0; j <= i, c[i][j], a[i][k], b[j][k])                      \
  X(Upper, long j = i; j < n, c[i][j], a[i][k], b[j][k])                       \
  X(LowerColumns, long j = 0; j <= i, c[j][i], a[i][k], b[j][k])               \
  X(StrictlyUpper, long j = i + 1; j < n, c[i][j], a[i][k], b[j][k])

#ifdef IMPLEMENTATION
#define DEFINE(Form, J, C, A, B)                                               \
  void CAT(NAME, Form)(long m, long n, long l, double **a, double **b,         \
                       double **c) {                                           \
    for (long i = 0; i < m; i++)                                               \
      for (J; j++)                                                             \
        for (long k = 0; k < l; k++)                                           \
          C += A * B;                                                          \
  }
FOR_ALL(DEFINE)
#endif

#ifdef DRIVER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { Max = 40, Page = 1 << 12, Slots = 4 * Max + 4 };
static char *Memory;
static int Used;

/// Memory between two inaccessible pages, at one end of what is accessible.
static void *between(long bytes, int at_end) {
  char *begin = Memory + 2L * Page * Used++ + Page;
  mprotect(begin, Page, PROT_READ | PROT_WRITE);
  return at_end ? begin + Page - bytes : begin;
}

/// A table of \p rows rows, of which each has the elements that \p uses says.
static double **table(long rows, long length, int at_end,
                      int (*uses)(long i, long j)) {
  double **t = between(rows * sizeof *t, at_end);
  for (long i = 0; i < rows; i++) {
    long begin = length, end = 0;
    for (long j = 0; j < length; j++)
      if (uses(i, j)) {
        begin = j < begin ? j : begin;
        end = j + 1;
      }
    t[i] = 0;
    if (begin >= end)
      continue;
    t[i] = (double *)between((end - begin) * sizeof(double), at_end) - begin;
    for (long j = begin; j < end; j++)
      t[i][j] = (double)((i * 31 + j * 17) % 23) / 7;
  }
  return t;
}

static int all(long i, long j) { return 1; }
static int lower(long i, long j) { return j <= i; }
static int upper(long i, long j) { return j >= i; }
static int strictly_upper(long i, long j) { return j > i; }

static int differ(double **c, double **d, long rows, long length,
                  int (*uses)(long i, long j)) {
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < length; j++)
      if (uses(i, j) && memcmp(&c[i][j], &d[i][j], sizeof(double)))
        return 1;
  return 0;
}

static int run(Form *base, Form *tile, const char *name, long m, long n, long l,
               long sizes[6], int (*uses)(long i, long j)) {
  for (int at_end = 0; at_end < 2; at_end++) {
    Used = 0;
    mprotect(Memory, 2L * Page * Slots + Page, PROT_NONE);
    double **a = table(sizes[0], sizes[1], at_end, all);
    double **b = table(sizes[2], sizes[3], at_end, all);
    double **c = table(sizes[4], sizes[5], at_end, uses);
    double **d = table(sizes[4], sizes[5], at_end, uses);
    base(m, n, l, a, b, c);
    tile(m, n, l, a, b, d);
    if (differ(c, d, sizes[4], sizes[5], uses)) {
      printf("%s differs for %ld %ld %ld\n", name, m, n, l);
      return 1;
    }
  }
  return 0;
}

#define DECLARE(Name, J, C, A, B) Form CAT(base, Name), CAT(tile, Name);
FOR_ALL(DECLARE)
#define RUN(Form, Uses, ...)                                                   \
  if (run(base##Form, tile##Form, #Form, m, n, l, (long[6]){__VA_ARGS__},      \
          Uses))                                                               \
    return 1;

int main(void) {
  Memory = mmap(0, 2L * Page * Slots + Page, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (long s = 1; s <= Max; s += s < 10 ? 1 : 6) {
    long m = s, n = s < 20 ? 2 * s : s - 10, l = Max - s + 1;
    RUN(Plain, all, m, l, l, n, m, n)
    RUN(Transposed, all, l, m, n, l, n, m)
    RUN(Strided, all, m, 3 * l - 2, 2 * l - 1, n, m, 2 * n - 1)
    n = m;
    RUN(Lower, lower, m, l, n, l, m, n)
    RUN(Upper, upper, m, l, n, l, m, n)
    RUN(LowerColumns, upper, m, l, n, l, n, m)
    RUN(StrictlyUpper, strictly_upper, m, l, n, l, m, n)
  }
  return 0;
}
#endif
