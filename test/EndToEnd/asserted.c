//===- asserted.c - subscripts that are asserted to be in bounds ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An assertion compares signed counters, on both sides, in one condition. The guard makes all of them at once. What is
// loaded behind an assertion, such as the pointer to the elements, is loaded in front only if the first iterations pass:
// matrices without rows have no elements here, and no pointer either. If an assertion fails in between, the source's
// loops run until they come to it, and C is as they leave it.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.tilesmith -Xclang -verify
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result

#include "../guarded.h"
#include <setjmp.h>
#include <string.h>

static jmp_buf failed;
__attribute__((noinline, noreturn)) static void fail(void) { longjmp(failed, 1); }
#define CHECK(X) ((X) ? (void)0 : fail())

typedef struct {
  int rows, columns;
  double *elements;
} Matrix;

static inline double get(const Matrix *m, int i, int j) {
  CHECK(i >= 0 && i < m->rows && j >= 0 && j < m->columns);
  return m->elements[i * m->columns + j];
}
static inline double *at(const Matrix *m, int i, int j) {
  CHECK(i >= 0 && i < m->rows && j >= 0 && j < m->columns);
  return &m->elements[i * m->columns + j];
}

typedef struct {
  unsigned rows, columns;
  double elements[];
} Counted;

static inline const double *row(const Counted *m, unsigned i) {
  CHECK(i < m->rows);
  return m->elements + i * (unsigned long)m->columns;
}

#define NOINLINE __attribute__((noinline)) static void

NOINLINE sums(const Matrix *a, const Matrix *b, double *restrict c) {
  for (int i = 0; i < a->rows; i++) // expected-remark {{GEMM f64}}
    for (int j = 0; j < b->columns; j++) {
      double s = 0;
      for (int k = 0; k < a->columns; k++)
        s += get(a, i, k) * get(b, k, j);
      c[i * b->columns + j] = s;
    }
}

NOINLINE all_checked(const Matrix *a, const Matrix *b, Matrix *c) {
  for (int i = 0; i < a->rows; i++) // expected-remark {{GEMM f64}}
    for (int j = 0; j < b->columns; j++) {
      double s = 0;
      for (int k = 0; k < a->columns; k++)
        s += get(a, i, k) * get(b, k, j);
      *at(c, i, j) = s;
    }
}

NOINLINE in_memory(const Matrix *a, const Matrix *b, Matrix *c) {
  for (int i = 0; i < a->rows; i++) // expected-remark {{GEMM f64}}
    for (int k = 0; k < a->columns; k++)
      for (int j = 0; j < b->columns; j++)
        *at(c, i, j) += get(a, i, k) * get(b, k, j);
}

// What is checked is a sum of counters.
NOINLINE bounded(int m, int n, int l, int most, const double *restrict a, const double *restrict b,
                 double *restrict c) {
  for (int i = 0; i < m; i++) // expected-remark {{GEMM f64}}
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++) {
        CHECK(i + j <= most && k >= 0);
        s += a[i * l + k] * b[k * n + j];
      }
      c[i * n + j] = s;
    }
}

NOINLINE rows_unsigned(const Counted *a, const Counted *b, double *restrict c) {
  for (unsigned i = 0; i < a->rows; i++) // expected-remark {{GEMM f64}}
    for (unsigned j = 0; j < b->columns; j++) {
      double s = 0;
      for (unsigned k = 0; k < a->columns; k++)
        s += row(a, i)[k] * row(b, k)[j];
      c[i * (unsigned long)b->columns + j] = s;
    }
}

// An element is checked: no bound.
NOINLINE of_element(int m, int n, int l, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++) {
        CHECK(a[i * l + k] != 7); // expected-remark {{left early}}
        s += a[i * l + k] * b[k * n + j];
      }
      c[i * n + j] = s;
    }
}

enum { Bytes = 1 << 16, MOST = 40 * 40 };

/// So many elements, up to a page that must not be touched; a pointer to nothing if there are none.
static double *elements(int of, long count) {
  static char *all[3];
  if (!all[of])
    all[of] = guardedPages(Bytes);
  double *first = placed(all[of], Bytes, count * sizeof(double), 1);
  for (long x = 0; x < count; x++)
    first[x] = x % 61 == 7 ? -0.0 : x * (7 + of) % 11 - x % 13 * .3;
  return count ? first : (double *)8;
}

static unsigned long all;

static void note(const double *x, long count) {
  for (long i = 0; i < count; i++) {
    unsigned long bits;
    memcpy(&bits, &x[i], sizeof(bits));
    all = (all ^ bits) * 0x100000001b3 + (all >> 41);
  }
}

static Counted *counted(unsigned rows, unsigned columns, int of) {
  static double room[2][MOST + 8];
  Counted *m = (Counted *)room[of];
  m->rows = rows, m->columns = columns;
  memcpy(m->elements, elements(of, rows * columns), rows * columns * sizeof(double));
  return m;
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 5, 16, 33};
  for (int m = 0; m < 6; m++)
    for (int n = 0; n < 6; n++)
      for (int k = 0; k < 6; k++)
        for (int wrong = 0; wrong < 8; wrong++)
          for (int f = 0; f < 6; f++) {
            int rows = sizes[m], columns = sizes[n], steps = sizes[k];
            // Some of them are too small, and an assertion fails.
            Matrix a = {rows, steps, elements(0, rows * steps)}, b = {steps, columns, elements(1, steps * columns)};
            Matrix c = {rows, columns, elements(2, rows * columns)};
            b.rows -= wrong == 1, c.rows -= wrong == 2, c.columns -= wrong == 3;
            b.rows = wrong == 4 ? -1 : wrong == 5 ? 0 : b.rows;
            int most = rows + columns - 2 - (wrong == 6) - (wrong == 7) * columns;
            if (!setjmp(failed)) {
              if (f == 0)
                sums(&a, &b, c.elements);
              else if (f == 1)
                all_checked(&a, &b, &c);
              else if (f == 2)
                in_memory(&a, &b, &c);
              else if (f == 3)
                bounded(rows, columns, steps, most, a.elements, b.elements, c.elements);
              else if (f == 4)
                rows_unsigned(counted(rows, steps, 0), counted(steps - (wrong == 1 && steps), columns, 1), c.elements);
              else
                of_element(rows, columns, steps, a.elements, b.elements, c.elements);
            } else {
              all += 77;
            }
            note(c.elements, rows * columns);
            printf("%d %d %d %d %d %lx\n", rows, columns, steps, wrong, f, all);
          }
}
