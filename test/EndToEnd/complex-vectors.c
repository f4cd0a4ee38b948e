// A matrix of complex numbers times a vector is one kernel (complex GEMV). The results are
// those of clang alone, bit by bit: by rows and by columns, conjugated or subtracted, in the
// spellings of C99 and as pairs whose products are rounded, in front of pages that must not
// be touched, at sizes where vectors are ragged, with negative zeros, infinities, NaN and
// overflows, with which products are computed again. What becomes of sums is done by the
// source's own loops, from sums that are kept apart: scaled, with beta, in numbers that are
// not adjacent, in two arrays, by a function. Vectors are made of several. Only the signs and payloads of NaN may differ.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=off -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O1 -march=x86-64-v3 -fcx-limited-range -DT=float
// RUN: %{plain} && %{ours} && %{run} && FileCheck %s --check-prefix=UNTESTED < %t.counts
// REQUIRES: x86
//
// UNTESTED: {{^[1-9].*}}unrolled_columns:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}rows:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}sums:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}conjugated:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}of_conjugates:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}subtracted:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}columns:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}columns_inside:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}every_third:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}apart:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}rounded_pairs:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}scaled:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}scaled_conjugates:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}with_beta:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}far_apart:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}in_two:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}called:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}scaled_pairs:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}scaled_vector:{{.*}}complex GEMV
// CHECK-DAG: {{^[1-9].*}}weighted_vector:{{.*}}complex GEMV
#include "../guarded.h"

#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define NEST __attribute__((noinline)) void
#define VECTORS(Ty) int m, int k, const Ty *restrict a, const Ty *restrict x, Ty *restrict y
#define ALL                                                                                                            \
  for (int i = 0; i < m; i++)                                                                                          \
    for (int p = 0; p < k; p++)
#define SUMS(A, X)                                                                                                     \
  for (int i = 0; i < m; i++) {                                                                                        \
    Z s = 0;                                                                                                           \
    for (int p = 0; p < k; p++)                                                                                        \
      s += (A) * (X);                                                                                                  \
    y[i] = s;                                                                                                          \
  }

NEST rows(VECTORS(Z)) { ALL y[i] += a[i * k + p] * x[p]; }
NEST sums(VECTORS(Z)) { SUMS(a[i * k + p], x[p]) }
NEST conjugated(VECTORS(Z)) { SUMS(~a[i * k + p], x[p]) }
NEST of_conjugates(VECTORS(Z)) { SUMS(a[i * k + p], ~x[p]) }
NEST subtracted(VECTORS(Z)) { ALL y[i] -= x[p] * ~a[i * k + p]; }
NEST columns(VECTORS(Z)) {
  for (int p = 0; p < k; p++)
    for (int i = 0; i < m; i++)
      y[i] += a[i + p * m] * x[p];
}
// The second step of each iteration has numbers of its own.
NEST unrolled_columns(VECTORS(Z)) {
  unsigned rows = m, steps = k;
  for (unsigned i = 0; i < rows; i++) {
    Z s = 0;
    for (int p = 0; p < steps - 1; p += 2) {
      s += a[i + rows * p] * x[p];
      s += a[i + rows * (p + 1)] * x[p + 1];
    }
    y[i] = s;
  }
}
NEST columns_inside(VECTORS(Z)) { ALL y[i] += ~a[i + p * m] * x[p]; }
NEST every_third(VECTORS(Z)) {
  for (int i = 0; i < m / 3; i++) {
    Z s = y[i];
    for (int p = 0; p < k; p++)
      s += a[3 * i * k + p] * x[k - 1 - p];
    y[i] = s;
  }
}
// Without restrict.
NEST apart(int m, int k, const Z *a, const Z *x, Z *y) { SUMS(a[i * k + p], x[p]) }
NEST rounded_pairs(VECTORS(T)) {
  ALL {
    T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], xr = x[2 * p], xi = x[2 * p + 1];
    T rr = ar * xr, ii = ai * xi, ri = ar * xi, ir = ai * xr;
    y[2 * i] += rr - ii;
    y[2 * i + 1] += ri + ir;
  }
}
#define SUMS_AS(A, X, Rest)                                                                                             \
  for (int i = 0; i < m; i++) {                                                                                        \
    Z s = 0;                                                                                                           \
    for (int p = 0; p < k; p++)                                                                                        \
      s += (A) * (X);                                                                                                  \
    Rest;                                                                                                              \
  }
NEST scaled(VECTORS(Z)) {
  Z alpha = y[0];
  SUMS_AS(a[i * k + p], x[p], y[i] += alpha * s)
}
NEST scaled_conjugates(VECTORS(Z)) {
  Z alpha = x[0];
  SUMS_AS(~a[i * k + p], x[p], y[i] += alpha * s)
}
NEST with_beta(VECTORS(Z)) {
  Z alpha = y[0], beta = y[m - 1];
  SUMS_AS(a[i * k + p], x[p], y[i] = alpha * s + beta * y[i])
}
// As of the reference BLAS: numbers of y are incy apart, from the end on if that is negative.
NEST far_apart(VECTORS(Z)) {
  Z alpha = x[0];
  int incy = m % 2 ? 2 : -2, rows = m / 2, j = incy < 0 ? 2 * (rows - 1) : 0;
  for (int i = 0; i < rows; i++, j += incy) {
    Z s = 0;
    for (int p = 0; p < k; p++)
      s += a[i * k + p] * x[p];
    y[j] += alpha * s;
  }
}
NEST in_two(VECTORS(Z)) {
  T *first = (T *)y, *second = first + m;
  SUMS_AS(a[i * k + p], x[p], first[i] = __real__ s; second[i] = __imag__ s)
}
NEST called(VECTORS(Z)) { SUMS_AS(a[i * k + p], x[p], y[i] = __builtin_hypot(__real__ s, __imag__ s)) }
NEST scaled_pairs(VECTORS(T)) {
  T alpha = x[0], beta = x[1];
  for (int i = 0; i < m; i++) {
    T re = 0, im = 0;
    for (int p = 0; p < k; p++) {
      T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], xr = x[2 * p], xi = x[2 * p + 1];
      T rr = ar * xr, ii = ai * xi, ri = ar * xi, ir = ai * xr;
      re += rr - ii;
      im += ri + ir;
    }
    y[2 * i] += alpha * re - beta * im;
    y[2 * i + 1] += alpha * im + beta * re;
  }
}
// The vector is made of several numbers.
NEST scaled_vector(VECTORS(Z)) {
  Z alpha = y[0];
  for (int p = 0; p < k; p++) {
    Z t = alpha * x[p];
    for (int i = 0; i < m; i++)
      y[i] += t * a[i + p * m];
  }
}
NEST weighted_vector(VECTORS(Z)) { SUMS(a[i * k + p], (x[p] * x[k - 1 - p])) }
// Left to clang: rows and columns in the same steps, and products that are fused.
NEST rows_and_columns(VECTORS(Z)) {
  int n = m < k ? m : k;
  for (int i = 0; i < n; i++) {
    Z s = 0;
    for (int p = 0; p < n; p++)
      s += x[p] * a[p * n + i] + x[n - 1 - p] * a[i * n + p];
    y[i] = s;
  }
}
NEST fused_pairs(VECTORS(T)) {
  ALL {
    T ar = a[2 * (i * k + p)], ai = a[2 * (i * k + p) + 1], xr = x[2 * p], xi = x[2 * p + 1];
    y[2 * i] += ar * xr - ai * xi;
    y[2 * i + 1] += ar * xi + ai * xr;
  }
}

typedef void (*Nest)(int, int, const void *, const void *, void *);
#define NAMED(F) {#F, (Nest)F}
static const struct {
  const char *name;
  Nest nest;
} nests[] = {NAMED(rows),        NAMED(sums),  NAMED(conjugated),    NAMED(of_conjugates),
             NAMED(subtracted),  NAMED(columns), NAMED(unrolled_columns), NAMED(columns_inside), NAMED(every_third),
             NAMED(apart), NAMED(rounded_pairs), NAMED(scaled), NAMED(scaled_conjugates),
             NAMED(with_beta), NAMED(far_apart), NAMED(in_two), NAMED(called),
             NAMED(scaled_pairs), NAMED(scaled_vector), NAMED(weighted_vector),
             NAMED(rows_and_columns), NAMED(fused_pairs)};

enum { Bytes = 64 * Page };

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 8; }
static void fill(T *x, size_t count, int kind) {
  for (size_t i = 0; i < count; i++) {
    x[i] = (T)((int)(next() % 2001) - 1000) * (T)0.0137;
    if (kind == 1 && next() % 3)
      x[i] = next() % 2 ? (T)-0.0 : (T)0.0;
  }
  const T far[] = {(T)(1 / 0.0), -(T)(1 / 0.0), (T)(0 / 0.0), sizeof(T) == 8 ? (T)1e300 : (T)1e38};
  if (kind == 2)
    for (int i = 0; i < 2; i++)
      x[next() % count] = far[next() % 4];
}

int main(void) {
  static const int sizes[][2] = {{1, 1},  {2, 3},   {3, 2},   {4, 4},   {5, 9},   {8, 8},    {7, 16},   {9, 17},
                                 {16, 5}, {17, 20}, {24, 12}, {33, 31}, {50, 49}, {64, 7},   {3, 100},  {100, 3},
                                 {5, 64}, {70, 70}, {3000, 2}, {1500, 5}};
  char *memory[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (size_t f = 0; f < sizeof nests / sizeof *nests; f++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int kind = 0; kind < 8; kind++) {
        int m = sizes[s][0], k = sizes[s][1];
        size_t counts[] = {2 * (size_t)m * k, 2 * (size_t)k, 2 * (size_t)m};
        if (sizeof(T) * counts[0] > Bytes)
          continue;
        T *x[3];
        for (int i = 0; i < 3; i++) {
          x[i] = placed(memory[i], Bytes, counts[i] * sizeof(T), kind != 3);
          int own = kind < 4 ? kind : kind == 4 + i ? 2 : kind == 7 && i < 2 ? 2 : 0;
          fill(x[i], counts[i], own);
        }
        nests[f].nest(m, k, x[0], x[1], x[2]);
        HASH_ELEMENTS(T, x[2], counts[2]);
        printf("%s %d %d %d: %016lx\n", nests[f].name, m, k, kind, Hash);
      }
}
