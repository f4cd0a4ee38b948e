//===- matrix-vector.c - sums of rows, each in its own order --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums of each kind, with whole and ragged vectors of rows and pieces of steps,
// and with special values: all bytes are those that clang gives.
//
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith %{options} -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -ffp-contract=off -DT=float
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -mprefer-vector-width=256 -DT=float
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O1 -DT=float
// RUN: %{compare}
// REDEFINE: %{options} = -mllvm -tilesmith-min-work=1
// RUN: %{compare}
// CHECK-COUNT-14: by GEMV

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef T
#define T double
#endif

#define FOR(i, n) for (long i = 0; i < n; i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(                                  \
      long m, long n, long ld, const T *a, const T *x, T *y) {                 \
    __VA_ARGS__                                                                \
  }
#define ROW a[i * ld + k]
#define COLUMN a[k * ld + i]

NEST(assigned, FOR(i, m) {
  T s = 0;
  FOR(k, n) s += ROW * x[k];
  y[i] = s;
})
NEST(in_y, FOR(i, m) FOR(k, n) y[i] += ROW * x[k];)
NEST(subtracted, FOR(i, m) FOR(k, n) y[i] -= x[k] * ROW;)
NEST(scaled, FOR(i, m) {
  T s = 0;
  FOR(k, n) s += (T)1.3 * ROW * x[k];
  y[i] = (T)0.7 * s + (T)0.3 * y[i];
})
NEST(transposed, FOR(i, m) {
  T s = 0;
  FOR(k, n) s += COLUMN * x[k];
  y[i] = (T)0.7 * s + (T)0.3 * y[i];
})
NEST(transposed_in_y, FOR(i, m) FOR(k, n) y[i] += COLUMN * x[k];)
NEST(by_columns, FOR(k, n) FOR(i, m) y[i] += ROW * x[k];)
NEST(by_scaled_columns, FOR(k, n) {
  T t = (T)0.9 * x[k];
  FOR(i, m) y[i] += ROW * t;
})
NEST(strided, FOR(i, m) {
  T s = y[2 * i];
  FOR(k, n) s += ROW * x[2 * k];
  y[2 * i] = s;
})
NEST(strided_columns, FOR(k, n) FOR(i, m) y[2 * i] -= COLUMN * x[2 * k];)
NEST(elements, FOR(i, m) FOR(k, n) y[i] += a[i * ld + 2 * k] * x[k];)
NEST(backwards, for (long i = m - 1; i >= 0; i--) {
  T s = -0.0;
  for (long k = n - 1; k >= 0; k--)
    s += ROW * x[k];
  y[i] = s;
})
NEST(fused, FOR(i, m) {
  T s = y[i];
  FOR(k, n) s = sizeof(T) == 8 ? fma(ROW, x[k], s) : fmaf(ROW, x[k], s);
  y[i] = s;
})
NEST(overlapping, FOR(i, m) {
  T s = 1;
  FOR(k, n) s += a[i + k] * x[k];
  y[i] = s;
})

static unsigned State = 1;
static T next(void) {
  State = State * 1664525 + 1013904223;
  return (T)((State >> 8) % 2001 - (T)1000) / 977;
}

typedef void Function(long, long, long, const T *, const T *, T *);
static Function *const All[] = {assigned,   in_y,       subtracted,        scaled,
                                transposed, by_columns, by_scaled_columns, transposed_in_y,
                                strided,    strided_columns, elements,     backwards,
                                fused,      overlapping};

int main(void) {
  static const long Sizes[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 40, 64, 67, 130, 515, 1030};
  enum { Count = sizeof(Sizes) / sizeof(*Sizes), Max = 1030 };
  T *a = malloc(sizeof(T) * 2 * (Max + 2) * Max), *x = malloc(sizeof(T) * 2 * Max),
    *y = malloc(sizeof(T) * 2 * Max);
  for (long i = 0; i < 2 * (Max + 2) * Max; i++)
    a[i] = next();
  for (int p = 0; p < Count; p++)
    for (int q = 0; q < Count; q++) {
      long m = Sizes[p], n = Sizes[q], ld = 2 * (m > n ? m : n) + q % 2;
      if (ld > 2 * Max)
        ld = 2 * Max;
      for (unsigned f = 0; f < sizeof(All) / sizeof(*All); f++) {
        for (long i = 0; i < 2 * Max; i++) {
          x[i] = next();
          y[i] = next();
        }
        // Whose NaN comes out is open, so there is one of them.
        if ((p + q) % 3 == 0)
          x[n / 2] = f % 2 ? (T)INFINITY : (T)-0.0;
        if ((p + q) % 5 == 0)
          y[0] = -0.0;
        All[f](m, n, ld, a, x, y);
        for (long i = 0; i < 2 * Max; i++)
          if (y[i] != y[i])
            y[i] = 12345;
        fwrite(y, sizeof(T), 2 * Max, stdout);
      }
    }
  return 0;
}
