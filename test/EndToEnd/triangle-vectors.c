//===- triangle-vectors.c - one triangle of a matrix times a vector -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind (or in front of) the triangle's part of each row is an inaccessible page.
// All sizes up to 70; with elements that are NaN, infinite or negative zero;
// also rows in a table, each of which is as long as its part. What the loops do not
// store stays.

// REQUIRES: system-linux, native-avx2
// DEFINE: %{flags} = -march=native
// DEFINE: %{loops} = %clang -O2 %{flags} -DNAME=expected -c %s -o %t.expected.o
// DEFINE: %{kernel} = %clang -O2 %{flags} -fpass-plugin=%tilesmith -DNAME=computed -c %s -o %t.computed.o -Rpass=tilesmith -mllvm -tilesmith-min-work=1
// DEFINE: %{run} = %clang -O1 %{flags} -DDRIVER %s %t.expected.o %t.computed.o -o %t.run && %t.run
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -march=native -DELEMENT=float
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -mavx2 -mfma
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -mavx2 -mfma -DELEMENT=float -ffp-contract=fast
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -march=x86-64 -DELEMENT=float
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// Halves in registers of 256 bits, with and without masks: LLVM 22 loses lanes of
// conversions that it joins.
// REDEFINE: %{flags} = -march=native -mprefer-vector-width=256 -ffp-contract=off -DELEMENT=float -DFACTOR=_Float16
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -mavx2 -mfma -mf16c -ffp-contract=off -DELEMENT=float -DFACTOR=_Float16
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// CHECK-COUNT-16: remark: {{.*}}replaced 2-loop nest by GEMV

#include <stdlib.h>
#include <string.h>

#ifndef ELEMENT
#define ELEMENT double
#endif
typedef ELEMENT T;
#ifndef FACTOR
#define FACTOR ELEMENT
#endif
typedef FACTOR F;

#ifndef DRIVER

#define CAT_(A, B) A##_##B
#define CAT(A, B) CAT_(A, B)
#define PARAMETERS                                                             \
  long n, T alpha, const F *restrict a, long ld, F *const *rows,               \
      const F *restrict x, const F *restrict z, T *restrict y
#define FORM(SHAPE, FIRST, LAST, ELEMENT_OF_A, SUFFIX, START, RESULT)          \
  void CAT(NAME, SHAPE##_##SUFFIX)(PARAMETERS) {                               \
    for (long i = 0; i < n; i++) {                                             \
      T s = START;                                                             \
      for (long k = FIRST; k < LAST; k++)                                      \
        s += (T)ELEMENT_OF_A * (T)x[k];                                        \
      y[i] = RESULT;                                                           \
    }                                                                          \
  }
#define SHAPES(A, SUFFIX, START, RESULT)                                       \
  FORM(le, 0, i + 1, A, SUFFIX, START, RESULT)                                 \
  FORM(lt, 0, i, A, SUFFIX, START, RESULT)                                     \
  FORM(ge, i, n, A, SUFFIX, START, RESULT)                                     \
  FORM(gt, i + 1, n, A, SUFFIX, START, RESULT)
SHAPES(a[i * ld + k], rows, 0, s)
SHAPES(a[k * ld + i], columns, y[i], alpha *s)
SHAPES(a[i * ld + k], bias, z[i], s)
SHAPES(rows[i][k], table, 0, s - y[i])

#else

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>

enum { Page = 4096, Most = 70, OfPage = Page / sizeof(F), Margin = 8 };

typedef void Form(long, T, const F *, long, F *const *, const F *, const F *,
                  T *);
#define DECLARE(SHAPE, SUFFIX)                                                 \
  Form expected_##SHAPE##_##SUFFIX, computed_##SHAPE##_##SUFFIX;
#define OF_SHAPES(X)                                                           \
  X(le, rows) X(lt, rows) X(ge, rows) X(gt, rows) X(le, columns)               \
  X(lt, columns) X(ge, columns) X(gt, columns) X(le, bias) X(lt, bias)         \
  X(ge, bias) X(gt, bias) X(le, table) X(lt, table) X(ge, table) X(gt, table)
OF_SHAPES(DECLARE)
#define ENTRY(SHAPE, SUFFIX)                                                   \
  {#SHAPE, #SUFFIX, expected_##SHAPE##_##SUFFIX, computed_##SHAPE##_##SUFFIX},
static const struct {
  const char *Shape, *Suffix;
  Form *Expected, *Computed;
} Forms[] = {OF_SHAPES(ENTRY)};

static F value(int special) {
  F plain = (F)(rand() % 2001 - 1000) / 512;
  if (!special || rand() % 40)
    return plain;
  return special == 1 ? (F)NAN : special == 2 ? (F)INFINITY : (F)-0.0;
}

// The part of row r of what is stored: its elements from the diagonal on, or up to it.
static void test(unsigned f, long n, int special, char *pages) {
  const char *shape = Forms[f].Shape;
  int isStrict = shape[1] == 't', isColumns = Forms[f].Suffix[0] == 'c';
  int isLower = (shape[0] == 'l') != isColumns;
  long ld = 2 * OfPage - 1;
  F *a = (F *)(pages + Page) + (isLower ? isStrict - 1 : -isStrict);
  F *rows[Most], x[Most], z[Most];
  T y[2][Most + Margin];
  for (long r = 0; r < n; r++) {
    rows[r] = a + r * ld;
    x[r] = value(special == 3 ? 0 : special), z[r] = value(0);
    for (long c = 0; c < n; c++)
      if (isLower ? c + isStrict <= r : c - isStrict >= r)
        rows[r][c] = value(special);
  }
  for (long i = 0; i < Most + Margin; i++)
    y[0][i] = y[1][i] = value(0);
  Forms[f].Expected(n, (T)1.5, a, ld, rows, x, z, y[0]);
  Forms[f].Computed(n, (T)1.5, a, ld, rows, x, z, y[1]);
  if (memcmp(y[0], y[1], sizeof y[0])) {
    printf("%s %s, n = %ld, special %d: different\n", shape, Forms[f].Suffix,
           n, special);
    exit(1);
  }
}

int main(void) {
  char *pages = mmap(NULL, (2 * Most + 2) * Page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (unsigned f = 0; f < sizeof Forms / sizeof *Forms; f++) {
    // Rows up to the diagonal lie in the even pages, others in the odd ones.
    int isLower = (Forms[f].Shape[0] == 'l') != (Forms[f].Suffix[0] == 'c');
    for (long p = 0; p < 2 * Most + 2; p++)
      mprotect(pages + p * Page, Page,
               p % 2 == isLower ? PROT_NONE : PROT_READ | PROT_WRITE);
    for (long n = 0; n <= Most; n++)
      for (int special = 0; special < 4; special++)
        test(f, n, special, pages);
  }
}

#endif
