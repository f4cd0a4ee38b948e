//===- tested-steps.c - a branch leaves out steps beyond a diagonal -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 'if (p <= i)' around the loop over columns, where i is a row and p a step, is TRMM, as the bound of the loop over p
// is: causal attention with a test. Wherever the diagonal is, nothing is read that the loops do not read: the factors
// lie between pages that may not be touched. The rows that have no step stay as they are.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.tilesmith -Xclang -verify
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result

#include "../guarded.h"
#include <string.h>

// Elements (i, p) of A, rows p of B.
#define ROWS(NAME, T, J, TEST)                                                                                         \
  __attribute__((noinline)) static void NAME(J m, J n, J k, J far, const T *restrict a, const T *restrict b,           \
                                             T *restrict c) {                                                          \
    for (J i = 0; i < m; i++)                                                                                          \
      for (J p = 0; p < k; p++)                                                                                        \
        if (TEST)                                                                                                      \
          for (J j = 0; j < n; j++)                                                                                    \
            c[i * n + j] += a[i * k + p] * b[p * n + j];                                                               \
  }
ROWS(to, double, long, p <= i + far)     // expected-remark {{TRMM f64}}
ROWS(to_int, float, int, p - i < far)    // expected-remark {{TRMM f32}}
ROWS(from, double, long, p >= i + far)   // expected-remark {{TRMM f64}}
ROWS(from_int, float, int, far < p - i)  // expected-remark {{TRMM f32}}
ROWS(strictly, double, long, p > i)      // expected-remark {{TRMM f64}}
ROWS(a_band, double, long, p <= i && p + far >= i) // expected-remark {{bounded by two diagonals}}

__attribute__((noinline)) static void skipped(long m, long n, long k, long far, const double *restrict a,
                                              const double *restrict b, double *restrict c) {
  for (long p = 0; p < k; p++) // expected-remark {{TRMM f64}}
    for (long i = 0; i < m; i++) {
      if (p > i + far)
        continue;
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
}

// A column bounds the steps.
__attribute__((noinline)) static void columns(long m, long n, long k, long far, const double *restrict a,
                                              const double *restrict b, double *restrict c) {
  for (long j = 0; j < m; j++) // expected-remark {{TRMM f64}}
    for (long p = 0; p < k; p++)
      if (p <= j + far)
        for (long i = 0; i < n; i++)
          c[j * n + i] += b[p * n + i] * a[j * k + p];
}

// In place: rows from i + 1 on have not changed yet.
__attribute__((noinline)) static void in_place(long n, long columns, const double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++) // expected-remark {{TRMM f64}}
    for (long p = 0; p < n; p++)
      if (p > i)
        for (long j = 0; j < columns; j++)
          b[i * columns + j] += a[i * n + p] * b[p * columns + j];
}

// These rows have: a triangular solve.
__attribute__((noinline)) static void solved(long n, long columns, const double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long p = 0; p < n; p++)
      if (p < i)
        for (long j = 0; j < columns; j++) // expected-remark@+1 {{each step needs those before it}}
          b[i * columns + j] += a[i * n + p] * b[p * columns + j];
}

// A break leaves out what is on the other side as well, and so does the lesser of two bounds.
#define LEFT(NAME, J, FAR)                                                                                             \
  __attribute__((noinline)) static void NAME(J m, J n, J k, J far, const double *restrict a, const double *restrict b, \
                                             double *restrict c) {                                                     \
    for (J i = 0; i < m; i++)                                                                                          \
      for (J p = 0; p < k; p++) {                                                                                      \
        if (p > i + (FAR))                                                                                             \
          break;                                                                                                       \
        for (J j = 0; j < n; j++)                                                                                      \
          c[i * n + j] += a[i * k + p] * b[p * n + j];                                                                 \
      }                                                                                                                \
  }
LEFT(left, long, 0)       // expected-remark {{TRMM f64}}
LEFT(left_before, long, -1) // expected-remark {{TRMM f64}}
LEFT(left_later, long, 3) // expected-remark {{TRMM f64}}
LEFT(left_far, long, far) // expected-remark {{TRMM f64}}
LEFT(left_far_int, int, far) // expected-remark {{TRMM f64}}

__attribute__((noinline)) static void cut_short(int m, int n, int k, int far, const double *restrict a,
                                            const double *restrict b, double *restrict c) {
  for (int i = 0; i < m; i++) { // expected-remark {{TRMM f64}}
    int end = i + 1 < k ? i + 1 : k;
    for (int j = 0; j < n; j++) {
      double s = 1;
      for (int p = 0; p < end; p++)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = s;
    }
  }
}

// Rows that begin later and later, but not before the first step, and maybe not before the end.
#define LATER(NAME, J, FIRST)                                                                                          \
  __attribute__((noinline)) static void NAME(J m, J n, J k, J far, const double *restrict a, const double *restrict b, \
                                             double *restrict c) {                                                     \
    for (J i = 0; i < m; i++) {                                                                                        \
      J first = (FIRST);                                                                                               \
      if (first < 0)                                                                                                   \
        first = 0;                                                                                                     \
      for (J p = first; p < k; p++)                                                                                    \
        for (J j = 0; j < n; j++)                                                                                      \
          c[i * n + j] += a[i * k + p] * b[p * n + j];                                                                 \
    }                                                                                                                  \
  }
LATER(later_int, int, i + far)         // expected-remark {{TRMM f64}}
LATER(later_long, long, i + far)       // expected-remark {{TRMM f64}}
LATER(later_constant, int, i - 5)      // expected-remark {{TRMM f64}}
LATER(later_chosen, int, i < 5 ? 0 : i - 5) // expected-remark {{TRMM f64}}

// The distance may be negative, or so far that no row has all steps.
#define LATER_BY(NAME, FIRST)                                                                                          \
  __attribute__((noinline)) static void NAME(int m, int n, int k, int far, const double *restrict a,                   \
                                             const double *restrict b, double *restrict c) {                           \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int p = (FIRST); p < k; p++)                                                                                \
        for (int j = 0; j < n; j++)                                                                                    \
          c[i * n + j] += a[i * k + p] * b[p * n + j];                                                                 \
  }
LATER_BY(later_if_greater, i > far ? i - far : 0)  // expected-remark {{TRMM f64}}
LATER_BY(later_unless_less, i < far ? 0 : i - far) // expected-remark {{TRMM f64}}

// The sums are scalars, and whether there are steps is asked for each row.
__attribute__((noinline)) static void sums_later(int m, int n, int k, int far, const double *restrict a,
                                                 const double *restrict b, double *restrict c) {
  for (int i = 0; i < m; i++) // expected-remark {{GEMM f64}}
    for (int j = 0; j < n; j++) {
      double s = c[i * n + j];
      for (int p = i > far ? i - far : 0; p < k; p++)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = s;
    }
}

__attribute__((noinline)) static void columns_later(int m, int n, int k, int far, const double *restrict a,
                                                    const double *restrict b, double *restrict c) {
  for (int i = 0; i < m; i++) { // expected-remark {{triangular GEMM f64}}
    int first = i - far > 0 ? i - far : 0, end = k;
    for (int j = first; j < end; j++)
      for (int p = 0; p < n; p++)
        c[i * k + j] += a[i * n + p] * b[j * n + p];
  }
}

// The same of a vector.
__attribute__((noinline)) static void vector(long m, long n, long k, long far, const double *restrict a,
                                             const double *restrict b, double *restrict c) {
  for (long i = 0; i < m; i++) { // expected-remark {{GEMV f64}}
    double s = c[i * n];
    for (long p = 0; p < k; p++) {
      if (p > i)
        break;
      s += a[i * k + p] * b[p * n];
    }
    c[i * n] = s;
  }
}

// Of C: K is the number of columns here.
__attribute__((noinline)) static void left_of_c(long m, long n, long k, const double *restrict a,
                                                const double *restrict b, double *restrict c) {
  for (long i = 0; i < m; i++) // expected-remark {{triangular GEMM f64}}
    for (long j = 0; j < k; j++) {
      if (j >= i)
        break;
      for (long p = 0; p < n; p++)
        c[i * k + j] += a[i * n + p] * b[j * n + p];
    }
}

enum { Room = 1 << 20, MOST = 64 * 64 };

/// Room for so many bytes, between pages that must not be touched: at the end of it, or where it begins.
static char *between(int Of, long Bytes, int AtEnd) {
  static char *All[2];
  if (!All[Of])
    All[Of] = guardedPages(Room);
  return placed(All[Of], Room, Bytes, AtEnd);
}

static double c[MOST];

static double valueOf(long x) { return x % 61 == 7 ? -0.0 : x % 997 == 11 ? INFINITY : x * 7 % 11 - x % 13 * .3; }

static unsigned long all;

/// Every bit of all results changes what is printed.
static void note(double x) {
  unsigned long bits;
  memcpy(&bits, &x, sizeof(bits));
  all = (all ^ (isnan(x) ? 1 : bits)) * 0x100000001b3 + (all >> 41);
}

/// Runs a product whose steps are those with far + i >= p (To), or <= p.
#define RUN(NAME, T, TO, FAR)                                                                                          \
  static void run_##NAME(long m, long n, long k, long far) {                                                           \
    long least = m * k, most = -1, first = k, last = -1;                                                               \
    for (long i = 0; i < m; i++)                                                                                       \
      for (long p = 0; p < k; p++)                                                                                     \
        if (TO ? p <= i + (FAR) : p >= i + (FAR)) {                                                                    \
          least = least < i * k + p ? least : i * k + p, most = i * k + p;                                             \
          first = first < p ? first : p, last = last > p ? last : p;                                                   \
        }                                                                                                              \
    for (int atEnd = 0; atEnd < 2; atEnd++) {                                                                          \
      T *a = (T *)between(0, (most + 1) * sizeof(T), atEnd) - (atEnd ? 0 : least);                                     \
      T *b = (T *)between(1, (last + 1) * n * sizeof(T), atEnd) - (atEnd ? 0 : first * n);                             \
      T *out = (T *)c;                                                                                                 \
      for (long x = least; x <= most; x++)                                                                             \
        a[x] = valueOf(x * 3);                                                                                         \
      for (long x = first * n; x < (last + 1) * n; x++)                                                                \
        b[x] = valueOf(x);                                                                                             \
      for (long x = 0; x < m * n; x++)                                                                                 \
        out[x] = valueOf(x + 5);                                                                                        \
      NAME(m, n, k, far, a, b, out);                                                                                   \
      for (long x = 0; x < m * n; x++)                                                                                 \
        note(out[x]);                                                                                                  \
    }                                                                                                                  \
  }
RUN(to, double, 1, far)
RUN(to_int, float, 1, far - 1)
RUN(from, double, 0, far)
RUN(from_int, float, 0, far + 1)
RUN(skipped, double, 1, far)
RUN(columns, double, 1, far)
RUN(left, double, 1, 0)
RUN(left_before, double, 1, -1)
RUN(left_later, double, 1, 3)
RUN(left_far, double, 1, far)
RUN(left_far_int, double, 1, far)
RUN(cut_short, double, 1, 0)
RUN(vector, double, 1, 0)
RUN(later_int, double, 0, far)
RUN(later_long, double, 0, far)
RUN(later_constant, double, 0, -5)
RUN(later_chosen, double, 0, -5)
RUN(later_if_greater, double, 0, -far)
RUN(later_unless_less, double, 0, -far)
RUN(sums_later, double, 0, -far)

static void run_left_of_c(long m, long n, long k) {
  static double a[MOST];
  long read = m < 1 ? 0 : k < m ? k : m - 1;
  double *b = (double *)between(1, read * n * sizeof(double), 1);
  for (long x = 0; x < m * n; x++)
    a[x] = valueOf(x * 3);
  for (long x = 0; x < read * n; x++)
    b[x] = valueOf(x);
  for (long x = 0; x < m * k; x++)
    c[x] = valueOf(x + 5);
  left_of_c(m, n, k, a, b, c);
  for (long x = 0; x < m * k; x++)
    note(c[x]);
}

static void run_columns_later(long m, long n, long k, long far) {
  static double a[MOST];
  long first = far <= 0 ? -far : 0; // row 0 is the one that begins first
  first = m < 1 || first > k ? k : first;
  double *b = (double *)between(1, (k - first) * n * sizeof(double), 0) - first * n;
  for (long x = 0; x < m * n; x++)
    a[x] = valueOf(x * 3);
  for (long x = first * n; x < k * n; x++)
    b[x] = valueOf(x);
  for (long x = 0; x < m * k; x++)
    c[x] = valueOf(x + 5);
  columns_later(m, n, k, far, a, b, c);
  for (long x = 0; x < m * k; x++)
    note(c[x]);
}

/// Over whole factors.
static void runWhole(long n, long columns) {
  static double a[MOST];
  void (*const Tested[])(long, long, const double *, double *) = {in_place, solved};
  for (int f = 0; f < 4; f++) {
    double *b = (double *)between(1, n * columns * sizeof(double), 1);
    for (long x = 0; x < n * n; x++)
      a[x] = valueOf(x * 3) * .01;
    for (long x = 0; x < n * columns; x++)
      b[x] = valueOf(x) * .1, c[x] = valueOf(x + 5);
    if (f == 0)
      strictly(n, columns, n, 0, a, b, c);
    else if (f == 1)
      a_band(n, columns, n, 3, a, b, c);
    else
      Tested[f - 2](n, columns, a, b);
    for (long x = 0; x < n * columns; x++)
      note(b[x]), note(c[x]);
  }
}

int main(void) {
  static const long Far[] = {-100, -33, -4, -1, 0, 1, 5, 29, 100};
  static const long Sizes[] = {0, 1, 2, 5, 13, 33, 60};
  for (int f = 0; f < 9; f++)
    for (int m = 0; m < 7; m++)
      for (int k = 0; k < 7; k++)
        for (long n = 1; n <= 49; n += 6 + n) {
          run_to(Sizes[m], n, Sizes[k], Far[f]);
          run_to_int(Sizes[m], n, Sizes[k], Far[f]);
          run_from(Sizes[m], n, Sizes[k], Far[f]);
          run_from_int(Sizes[m], n, Sizes[k], Far[f]);
          run_skipped(Sizes[m], n, Sizes[k], Far[f]);
          run_columns(Sizes[m], n, Sizes[k], Far[f]);
          run_left(Sizes[m], n, Sizes[k], Far[f]);
          run_left_before(Sizes[m], n, Sizes[k], Far[f]);
          run_left_later(Sizes[m], n, Sizes[k], Far[f]);
          run_left_far(Sizes[m], n, Sizes[k], Far[f]);
          run_left_far_int(Sizes[m], n, Sizes[k], Far[f]);
          run_cut_short(Sizes[m], n, Sizes[k], Far[f]);
          run_vector(Sizes[m], n, Sizes[k], Far[f]);
          run_left_of_c(Sizes[m], n, Sizes[k]);
          run_later_int(Sizes[m], n, Sizes[k], Far[f]);
          run_later_long(Sizes[m], n, Sizes[k], Far[f]);
          run_later_constant(Sizes[m], n, Sizes[k], Far[f]);
          run_later_chosen(Sizes[m], n, Sizes[k], Far[f]);
          run_later_if_greater(Sizes[m], n, Sizes[k], Far[f]);
          run_later_unless_less(Sizes[m], n, Sizes[k], Far[f]);
          run_sums_later(Sizes[m], n, Sizes[k], Far[f]);
          run_columns_later(Sizes[m], n, Sizes[k], Far[f]);
          printf("%ld %ld %ld %ld %lx\n", Far[f], Sizes[m], Sizes[k], n, all);
        }
  for (int m = 0; m < 7; m++)
    for (long n = 1; n <= 49; n += 6 + n)
      runWhole(Sizes[m], n), printf("%ld %ld %lx\n", Sizes[m], n, all);
}
