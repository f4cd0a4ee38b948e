//===- later-sums.c - sums whose steps begin later from row to row --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 'for (p = i > far ? i - far : 0; ...)', or a maximum, in any loop order: of scalars that start from zero, of what C
// holds, and in memory. Of wide and of narrow numbers, LLVM makes different tests, and asks in different places whether
// a row has steps. The distance may be negative, and so far that rows have none, or all. The factors lie between
// pages that may not be touched.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.tilesmith -Xclang -verify
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     -mllvm -tilesmith-verify=1 %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result

#include "../guarded.h"
#include <string.h>

#define PARAMETERS(I)                                                                                                  \
  (I m, I n, I k, I far, const double *restrict a, const double *restrict b, double *restrict c)
#define FUNCTION(NAME, I, ...) __attribute__((noinline)) static void NAME PARAMETERS(I) { __VA_ARGS__ }
#define FOR(I, x, from, n) for (I x = from; x < n; x++)
#define STEP c[i * n + j] += a[i * k + p] * b[p * n + j];

// A scalar that starts from START.
#define SUM(NAME, I, START, FIRST)                                                                                     \
  FUNCTION(NAME, I, FOR(I, i, 0, m) FOR(I, j, 0, n) {                                                                  \
    double s = START;                                                                                                  \
    FOR(I, p, FIRST, k) s += a[i * k + p] * b[p * n + j];                                                              \
    c[i * n + j] = s;                                                                                                  \
  })
// Columns outside.
#define TURNED(NAME, I, START, FIRST)                                                                                  \
  FUNCTION(NAME, I, FOR(I, j, 0, n) FOR(I, i, 0, m) {                                                                  \
    double s = START;                                                                                                  \
    FOR(I, p, FIRST, k) s += a[i * k + p] * b[p * n + j];                                                              \
    c[i * n + j] = s;                                                                                                  \
  })
#define MEMORY(NAME, I, FIRST)                                                                                         \
  FUNCTION(NAME, I, FOR(I, i, 0, m) FOR(I, j, 0, n) {                                                                  \
    c[i * n + j] = 0;                                                                                                  \
    FOR(I, p, FIRST, k) STEP                                                                                           \
  })
#define ROWS(NAME, I, FIRST) FUNCTION(NAME, I, FOR(I, i, 0, m) FOR(I, p, FIRST, k) FOR(I, j, 0, n) STEP)

#define IF_GREATER i > far ? i - far : 0
#define UNLESS_LESS i < far ? 0 : i - far
#define GREATEST i - far > 0 ? i - far : 0
#define CONSTANT i - 5 > 0 ? i - 5 : 0

#define OLD c[i * n + j]
SUM(sum_if, long, 0, IF_GREATER)         // expected-remark {{GEMM f64}}
SUM(sum_unless, long, OLD, UNLESS_LESS)  // expected-remark {{GEMM f64}}
SUM(sum_greatest, long, 0, GREATEST)     // expected-remark {{GEMM f64}}
SUM(sum_constant, long, 0, CONSTANT)     // expected-remark {{GEMM f64}}
TURNED(turned_if, long, 0, IF_GREATER)   // expected-remark {{GEMM f64}}
TURNED(turned_max, long, OLD, GREATEST)  // expected-remark {{GEMM f64}}
MEMORY(memory_if, long, IF_GREATER)      // expected-remark {{GEMM f64}}
MEMORY(memory_max, long, GREATEST)       // expected-remark {{GEMM f64}}
ROWS(rows_if, long, IF_GREATER)          // expected-remark {{TRMM f64}}
ROWS(rows_unless, long, UNLESS_LESS)     // expected-remark {{TRMM f64}}
ROWS(rows_greatest, long, GREATEST)      // expected-remark {{TRMM f64}}
ROWS(rows_constant, long, CONSTANT)      // expected-remark {{TRMM f64}}
SUM(sum_if_int, int, 0, IF_GREATER)      // expected-remark {{GEMM f64}}
SUM(sum_greatest_int, int, 0, GREATEST)  // expected-remark {{GEMM f64}}
SUM(sum_old_int, int, OLD, GREATEST)     // expected-remark {{GEMM f64}}
SUM(sum_constant_int, int, 0, CONSTANT)  // expected-remark {{GEMM f64}}
TURNED(turned_if_int, int, 0, IF_GREATER)  // expected-remark {{GEMM f64}}
TURNED(turned_max_int, int, OLD, GREATEST) // expected-remark {{GEMM f64}}
MEMORY(memory_if_int, int, IF_GREATER)   // expected-remark {{GEMM f64}}
MEMORY(memory_max_int, int, GREATEST)    // expected-remark {{GEMM f64}}
ROWS(rows_max_int, int, GREATEST)        // expected-remark {{TRMM f64}}

enum { Room = 1 << 18, MOST = 64 * 64 };

static double c[MOST];

/// Runs one of them over factors of which the first element read, or the last one, is next to a page that faults.
#define RUN(NAME, FAR)                                                                                                 \
  for (int atEnd = 0; atEnd < 2; atEnd++) {                                                                            \
    long first = FAR > 0 ? 0 : -(FAR), read = m > 0 && first < k;                                                      \
    double *a = placed(pages[0], Room, (read ? m * k : 0) * sizeof(double), atEnd);                                    \
    double *b = placed(pages[1], Room, (read ? k - first : 0) * n * sizeof(double), atEnd);                            \
    if (!atEnd)                                                                                                        \
      a -= read ? first : 0;                                                                                           \
    b -= read ? first * n : 0;                                                                                         \
    for (long x = first; read && x < m * k; x++)                                                                       \
      a[x] = anyElement(-0.0);                                                                                         \
    for (long x = first * n; read && x < k * n; x++)                                                                   \
      b[x] = anyElement(INFINITY);                                                                                     \
    for (long x = 0; x < m * n; x++)                                                                                   \
      c[x] = anyElement(-0.0);                                                                                         \
    NAME(m, n, k, far, a, b, c);                                                                                       \
    for (long x = 0; x < m * n; x++)                                                                                   \
      c[x] = isnan(c[x]) ? 1 : c[x];                                                                                   \
    hashBytes(c, m * n * sizeof(double));                                                                              \
    printf(#NAME " %ld %ld %ld %ld %lx\n", m, n, k, far, Hash);                                                        \
  }

int main(void) {
  static const long Far[] = {-100, -33, -4, -1, 0, 1, 5, 29, 100}, Sizes[] = {0, 1, 2, 5, 13, 33, 60};
  char *pages[2] = {guardedPages(Room), guardedPages(Room)};
  for (int f = 0; f < 9; f++)
    for (int s = 0; s < 7; s++)
      for (int t = 0; t < 7; t++)
        for (long n = 1; n <= 49; n += 6 + n) {
          long m = Sizes[s], k = Sizes[t], far = Far[f];
          RUN(sum_if, far) RUN(sum_unless, far) RUN(sum_greatest, far) RUN(sum_constant, 5)
          RUN(turned_if, far) RUN(turned_max, far) RUN(memory_if, far) RUN(memory_max, far)
          RUN(rows_if, far) RUN(rows_unless, far) RUN(rows_greatest, far) RUN(rows_constant, 5)
          RUN(sum_if_int, far) RUN(sum_greatest_int, far) RUN(sum_old_int, far) RUN(sum_constant_int, 5)
          RUN(turned_if_int, far) RUN(turned_max_int, far) RUN(memory_if_int, far) RUN(memory_max_int, far)
          RUN(rows_max_int, far)
        }
}
