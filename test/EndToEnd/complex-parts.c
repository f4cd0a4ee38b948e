// Both parts of complex sums are made by one kernel. The results are those of clang alone,
// bit by bit: with each product conjugated or subtracted, in each storage order, in the
// spellings of C99 and as formulas of pairs, fused or not, from sums in C or in scalars,
// in front of pages that must not be touched, at sizes where vectors are ragged, with
// negative zeros and infinities. Only the signs and payloads of NaN may differ.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{blocks} =
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   %{blocks} %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -fcx-limited-range -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3
// RUN: %{test}
// REDEFINE: %{blocks} = -mllvm -tilesmith-kc=8 -mllvm -tilesmith-mc=64 -mllvm -tilesmith-nc=16
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-DAG: {{^[1-9].*}}rows:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}columns:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}b_transposed:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}both_transposed:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}a_conjugated:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}b_conjugated:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}both_conjugated:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}subtracted:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}in_scalar:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}scaled:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}scaled_columns:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}formula:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}second_first:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}in_turn:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}negated:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}part_of_rows:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_order:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}formula_columns:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_transposed:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_in_scalar:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_subtracted:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_scaled:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_in_part:{{.*}}complex GEMM
#include "../guarded.h"

#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define NEST __attribute__((noinline)) void
#define ALL                                                                                                            \
  for (int i = 0; i < m; i++)                                                                                          \
    for (int j = 0; j < n; j++)                                                                                        \
      for (int p = 0; p < k; p++)
#define MATRICES(Ty) int m, int n, int k, const Ty *restrict a, const Ty *restrict b, Ty *restrict c

NEST rows(MATRICES(Z)) { ALL c[i * n + j] += a[i * k + p] * b[p * n + j]; }
NEST columns(MATRICES(Z)) { ALL c[i + j * m] += a[i + p * m] * b[p + j * k]; }
NEST b_transposed(MATRICES(Z)) { ALL c[i * n + j] += a[i * k + p] * b[j * k + p]; }
NEST both_transposed(MATRICES(Z)) { ALL c[i * n + j] += a[p * m + i] * b[j * k + p]; }
NEST a_conjugated(MATRICES(Z)) { ALL c[i * n + j] += ~a[i * k + p] * b[p * n + j]; }
NEST b_conjugated(MATRICES(Z)) { ALL c[i + j * m] += a[i + p * m] * ~b[j + p * n]; }
NEST both_conjugated(MATRICES(Z)) { ALL c[i * n + j] += ~a[i * k + p] * ~b[j * k + p]; }
NEST subtracted(MATRICES(Z)) { ALL c[i * n + j] -= a[i * k + p] * ~b[p * n + j]; }
NEST in_scalar(MATRICES(Z)) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      Z s = 0;
      for (int p = 0; p < k; p++)
        s += ~a[p * m + i] * b[p * n + j];
      c[i * n + j] = s;
    }
}
NEST scaled(MATRICES(Z)) {
  Z alpha = c[0], beta = c[1];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      Z s = 0;
      for (int p = 0; p < k; p++)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = alpha * s + beta * c[i * n + j];
    }
}
NEST scaled_columns(MATRICES(Z)) {
  Z alpha = c[0];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      Z s = 0;
      for (int p = 0; p < k; p++)
        s += a[p * m + i] * ~b[j * k + p];
      c[i + j * m] += alpha * s;
    }
}
#define PARTS                                                                                                          \
  T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], br = b[2 * (p * n + j)], bi = b[2 * (p * n + j) + 1];        \
  T *re = &c[2 * (i * n + j)], *im = re + 1
NEST formula(MATRICES(T)) {
  ALL {
    PARTS;
    *re += ar * br - ai * bi;
    *im += ar * bi + ai * br;
  }
}
NEST second_first(MATRICES(T)) {
  ALL {
    PARTS;
    *im += ar * bi - ai * br;
    *re += ar * br + ai * bi;
  }
}
NEST in_turn(MATRICES(T)) {
  ALL {
    PARTS;
    *re += ar * br;
    *im += ar * bi;
    *re -= ai * bi;
    *im += ai * br;
  }
}
NEST negated(MATRICES(T)) {
  ALL {
    PARTS;
    bi = -bi;
    *re -= ar * br - ai * bi;
    *im -= ar * bi + ai * br;
  }
}
NEST part_of_rows(MATRICES(Z)) {
  if (n > 2 && k > 2)
    for (int i = 0; i < m; i++)
      for (int j = 1; j < n - 1; j++)
        for (int p = 1; p < k - 1; p++)
          c[i * n + j] += a[i * k + p] * b[p * n + j];
}
// The second sum has its products in another order: those that are fused have B's number
// in common, where C's numbers are adjacent along B's columns.
NEST other_order(MATRICES(T)) {
  ALL {
    PARTS;
    *re += ar * br - ai * bi;
    *im += ai * br + ar * bi;
  }
}
#define PARTS_OF(A, B, C)                                                                                              \
  T ar = a[2 * (A)], ai = a[2 * (A) + 1], br = b[2 * (B)], bi = b[2 * (B) + 1];                                        \
  T *re = &c[2 * (C)], *im = re + 1
NEST formula_columns(MATRICES(T)) {
  ALL {
    PARTS_OF(i + p * m, p + j * k, i + j * m);
    *re += ar * br - ai * bi;
    *im += ar * bi + ai * br;
  }
}
NEST other_transposed(MATRICES(T)) {
  ALL {
    PARTS_OF(p * m + i, j * k + p, i * n + j);
    *re += ar * br + ai * bi;
    *im += ai * br - ar * bi;
  }
}
NEST other_in_scalar(MATRICES(T)) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      T re = 0, im = 0;
      for (int p = 0; p < k; p++) {
        T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], br = b[2 * (p * n + j)], bi = b[2 * (p * n + j) + 1];
        re += ar * br - ai * bi;
        im += ai * br + ar * bi;
      }
      c[2 * (i * n + j)] = re;
      c[2 * (i * n + j) + 1] = im;
    }
}
NEST other_subtracted(MATRICES(T)) {
  ALL {
    PARTS;
    *im -= ai * br + ar * bi;
    *re -= ar * br - ai * bi;
  }
}
NEST other_scaled(MATRICES(T)) {
  T alpha = c[0], beta = c[1];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      T re = 0, im = 0;
      for (int p = 0; p < k; p++) {
        T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], br = b[2 * (p * n + j)], bi = b[2 * (p * n + j) + 1];
        re += ar * br - ai * bi;
        im += ai * br + ar * bi;
      }
      T *x = &c[2 * (i * n + j)], old = *x;
      x[0] = alpha * re - beta * im + beta * old;
      x[1] = alpha * im + beta * re + alpha * x[1] + old;
    }
}
// Between other numbers of C, and every third of its rows.
NEST other_in_part(MATRICES(T)) {
  if (n > 2 && k > 2)
    for (int i = 0; i < m; i += 3)
      for (int j = 1; j < n - 1; j++)
        for (int p = 1; p < k - 1; p++) {
          PARTS;
          *re += ar * br - ai * bi;
          *im += ai * br + ar * bi;
        }
}
// Sums that are subtracted have other zeros than sums of what is negated.
NEST other_zeros(MATRICES(T)) {
  ALL {
    PARTS;
    *re += ar * br - ai * bi;
    *im -= ar * bi + ai * br;
  }
}
// They start from different values.
NEST other_starts(MATRICES(T)) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      T re = 0, im = 1;
      for (int p = 0; p < k; p++) {
        T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], br = b[2 * (p * n + j)], bi = b[2 * (p * n + j) + 1];
        re += ar * br - ai * bi;
        im += ar * bi + ai * br;
      }
      c[2 * (i * n + j)] = re;
      c[2 * (i * n + j) + 1] = im;
    }
}

typedef void (*Nest)(int, int, int, const void *, const void *, void *);
#define NAMED(F) {#F, (Nest)F}
static const struct {
  const char *name;
  Nest nest;
} nests[] = {NAMED(rows),         NAMED(columns),        NAMED(b_transposed),    NAMED(both_transposed),
             NAMED(a_conjugated), NAMED(b_conjugated),   NAMED(both_conjugated), NAMED(subtracted),
             NAMED(in_scalar),    NAMED(scaled),         NAMED(scaled_columns),  NAMED(formula),
             NAMED(second_first), NAMED(in_turn),        NAMED(negated),         NAMED(part_of_rows),
             NAMED(other_order),  NAMED(other_zeros),    NAMED(other_starts),
             NAMED(formula_columns), NAMED(other_transposed), NAMED(other_in_scalar), NAMED(other_subtracted),
             NAMED(other_scaled), NAMED(other_in_part)};

enum { Bytes = 16 * Page };

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 8; }
static void fill(T *x, size_t count, int kind) {
  for (size_t i = 0; i < count; i++) {
    x[i] = (T)((int)(next() % 2001) - 1000) * (T)0.0137;
    if (kind == 1 && next() % 3)
      x[i] = next() % 2 ? (T)-0.0 : (T)0.0;
  }
  if (kind == 2) {
    x[next() % count] = (T)(1 / 0.0);
    x[next() % count] = -(T)(1 / 0.0);
  }
}

int main(void) {
  static const int sizes[][3] = {{1, 1, 1},  {1, 2, 3},   {2, 1, 2},   {3, 3, 3},    {4, 5, 6},    {5, 4, 1},
                                 {7, 8, 9},  {8, 8, 8},   {9, 7, 2},   {12, 13, 11}, {16, 16, 16}, {17, 3, 20},
                                 {3, 17, 5}, {33, 24, 8}, {25, 47, 7}, {31, 33, 35}, {48, 50, 49}, {50, 9, 52}};
  char *memory[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (size_t f = 0; f < sizeof nests / sizeof *nests; f++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int kind = 0; kind < 4; kind++) {
        int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
        if (2 * sizeof(T) * m * n > Bytes || m * n < 2)
          continue;
        size_t counts[] = {2 * (size_t)m * k, 2 * (size_t)k * n, 2 * (size_t)m * n};
        T *x[3];
        for (int i = 0; i < 3; i++) {
          x[i] = placed(memory[i], Bytes, counts[i] * sizeof(T), kind != 3);
          fill(x[i], counts[i], i == 2 && kind == 2 ? 0 : kind);
        }
        nests[f].nest(m, n, k, x[0], x[1], x[2]);
        HASH_ELEMENTS(T, x[2], counts[2]);
        printf("%s %d %d %d %d: %016lx\n", nests[f].name, m, n, k, kind, Hash);
      }
}
