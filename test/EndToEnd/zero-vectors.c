//===- zero-vectors.c - a vector's zeros are left out -----------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix times a vector, whose zeros are tested for, has the bits of the source's
// loops: with no zero, with one of either sign at each place, and where what the zero
// would meet is infinite or NaN.

// RUN: %clang -O3 -march=native -DT=double %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -DT=double -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours 2>&1 | FileCheck %s
// RUN: %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -march=x86-64-v3 -DT=float %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -march=x86-64-v3 -DT=float -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     %s -o %t.ours && %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %clang -O3 -march=native -DT=int %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -DT=int -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     %s -o %t.ours && %t.ours > %t.result && cmp %t.expected %t.result

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of integers, any number will do.
#define HUGE ((T)0.5 == 0 ? (T)100 : (T)INFINITY)
#define NONE ((T)0.5 == 0 ? (T)7 : (T)NAN)

enum { M = 53, N = 41 };
static T a[N * M + M], x[N], y[M];

#define NEST(name, ...)                                                                                               \
  __attribute__((noinline)) static void name(int m, int n, T alpha, const T *a, const T *x, T *y) { __VA_ARGS__ }

// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A row-major)
NEST(rows, for (int i = 0; i < m; i++) { T s = 0; for (int k = 0; k < n; k++) if (x[k] != 0) s += a[i * n + k] * x[k]; y[i] = s; })
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A row-major)
NEST(in_memory, for (int i = 0; i < m; i++) for (int k = 0; k < n; k++) { if (x[k] == 0) continue; y[i] -= a[i * n + k] * x[k]; })
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A column-major)
NEST(transposed, for (int i = 0; i < m; i++) { T s = y[i]; for (int k = 0; k < n; k++) if (x[k] != 0) s += a[k * m + i] * x[k]; y[i] = s; })
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A column-major)
NEST(columns, for (int k = 0; k < n; k++) if (x[k] != 0) for (int i = 0; i < m; i++) y[i] += a[k * m + i] * x[k];)
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A column-major)
NEST(scaled, for (int k = 0; k < n; k++) { T t = alpha * x[k]; if (t != 0) for (int i = 0; i < m; i++) y[i] += a[k * m + i] * t; })
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A row-major)
NEST(pairs, for (int i = 0; i + 1 < m; i += 2) { T s = 0, t = 0; for (int k = 0; k < n; k++) if (x[k] != 0) {
     s += a[i * n + k] * x[k]; t += a[(i + 1) * n + k] * x[k]; } y[i] = s; y[i + 1] = t; })
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV f64 (A row-major)
NEST(otherwise, for (int i = 0; i < m; i++) { T s = 0; for (int k = 0; k < n; k++) if (x[k] != 0) s += a[i * n + k] * x[k]; else s += 1; y[i] = s; })
// CHECK-NOT: remark: replaced

// The matrix's elements would be read twice, as steps at their zeros, too.
NEST(of_matrix, for (int i = 0; i < m; i++) { T s = 0; for (int k = 0; k < n; k++) if (a[i * n + k] != 0) s += a[i * n + k] * x[k]; y[i] = s; })
NEST(positive, for (int i = 0; i < m; i++) { T s = 0; for (int k = 0; k < n; k++) if (x[k] > 0) s += a[i * n + k] * x[k]; y[i] = s; })
NEST(triangle, for (int i = 0; i < m && i < n; i++) { T s = 0; for (int k = 0; k <= i; k++) if (x[k] != 0) s += a[i * n + k] * x[k]; y[i] = s; })
NEST(window, for (int i = 0; i < m; i++) { T s = 0; for (int k = 0; k < n; k++) if (x[k] != 0) s += a[i + k] * x[k]; y[i] = s; })
NEST(counted, for (int i = 0; i < m; i++) { T s = 0; int t = 0; for (int k = 0; k < n; k++) if (x[k] != 0) { s += a[i * n + k] * x[k]; t++; } y[i] = s * t; })
NEST(complex_numbers, for (int i = 0; i < m / 2; i++) { T s = 0, t = 0; for (int k = 0; k < n / 2; k++) if (x[2 * k] != 0) {
     s += a[i * n + 2 * k] * x[2 * k] - a[i * n + 2 * k + 1] * x[2 * k + 1];
     t += a[i * n + 2 * k] * x[2 * k + 1] + a[i * n + 2 * k + 1] * x[2 * k]; } y[2 * i] = s; y[2 * i + 1] = t; })

typedef void Nest(int, int, T, const T *, const T *, T *);
static Nest *const nests[] = {rows,  in_memory, transposed, columns,  scaled, pairs,  otherwise,
                              of_matrix, positive, triangle, window, counted, complex_numbers};

static void show(Nest *nest, int m, int n) {
  for (int i = 0; i < M; i++)
    y[i] = (T)-0.0;
  nest(m, n, (T)1.5, a, x, y);
  for (int i = 0; i < M; i++) {
    T v = y[i] == y[i] ? y[i] : (T)12345; // one NaN is as good as another
    for (unsigned b = 0; b < sizeof v; b++)
      printf("%02x", ((unsigned char *)&v)[b]);
  }
  puts("");
}

static void fill(void) {
  for (int i = 0; i < N * M; i++)
    a[i] = (T)((i * 37 % 101 - 50) * 0.37);
  for (int k = 0; k < N; k++)
    x[k] = (T)((k * 29 % 31 + 1) * (k % 2 ? 1.25 : -1.5));
}

int main(void) {
  for (unsigned f = 0; f < sizeof nests / sizeof *nests; f++)
    for (int at = -1; at < N; at += at < 9 ? 1 : 5)
      for (int special = 0; special < 3; special++) {
        fill();
        if (at >= 0)
          x[at] = (T)(special ? -0.0 : 0.0);
        if (special)
          for (int i = 0; i < N * M; i++)
            if (i % 7 == at % 7)
              a[i] = special == 1 ? HUGE : NONE;
        for (int m = 1; m <= M; m += 13)
          for (int n = 1; n <= N; n += 8)
            show(nests[f], m, n);
      }
  memset(x, 0, sizeof x);
  for (unsigned f = 0; f < sizeof nests / sizeof *nests; f++)
    show(nests[f], M, N);
}
