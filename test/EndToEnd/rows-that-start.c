//===- rows-that-start.c - rows of C begin with values of others -*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the loop over rows, a loop copies a bias, which LLVM makes a call of memcpy, or
// computes what sums start from; another loop may finish the row. All arrays are
// compared, also where they overlap.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clang -O3 -march=native %{flags} %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1
// DEFINE: %{test} = %{compile} -o %t.plain && %t.plain > %t.expected &&                                               \
// DEFINE:   %{ours} -Rpass=tilesmith -o %t.ours 2> %t.remarks && FileCheck %s < %t.remarks &&                         \
// DEFINE:   %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{test}
// REDEFINE: %{flags} = -DT=double -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -DT=float -ffp-contract=fast
// RUN: %{test}
// REDEFINE: %{flags} = -DT=int -march=x86-64-v3
// RUN: %{test}
// REQUIRES: x86
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef T
#define T float
#endif

typedef struct {
  int m, n, l, last; ///< steps: l, or columns that are set and finished: last
} Sizes;
typedef void (*Product)(int, int, int, int, const T *, const T *, const T *, T *);

#define PRODUCT(NAME, FIRST, LAST)                                                                                     \
  __attribute__((noinline)) static void NAME(int m, int n, int l, int last, const T *a, const T *b, const T *x, T *c) { \
    for (int i = 0; i < m; i++) {                                                                                      \
      for (int j = 0; j < n; j++)                                                                                      \
        c[i * n + j] = FIRST;                                                                                          \
      for (int k = 0; k < l; k++)                                                                                      \
        for (int j = 0; j < n; j++)                                                                                    \
          c[i * n + j] += a[i * l + k] * b[k * n + j];                                                                 \
      LAST                                                                                                             \
    }                                                                                                                  \
  }
#define FINISH(VALUE)                                                                                                  \
  for (int j = 0; j < n; j++)                                                                                          \
    c[i * n + j] = VALUE;

// CHECK-DAG: rows-that-start.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM
PRODUCT(copied, x[j], )
// CHECK-DAG: rows-that-start.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM
PRODUCT(copiedMatrix, x[i * n + j], )
// CHECK-DAG: rows-that-start.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM
PRODUCT(copiedAndFinished, x[j], FINISH(c[i * n + j] > 0 ? c[i * n + j] : 0))
// CHECK-DAG: rows-that-start.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM
PRODUCT(copiedAndScaled, x[i * n + j], FINISH(c[i * n + j] * x[j]))
// CHECK-DAG: rows-that-start.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM
PRODUCT(computed, 3 * x[j] + x[i], FINISH(c[i * n + j] - 1))
// CHECK-DAG: rows-that-start.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by GEMM
PRODUCT(ofItself, 3 * c[i * n + j] + x[j], FINISH(c[i * n + j] + x[i]))

/// Sums in the innermost loop.
// CHECK-DAG: rows-that-start.c:[[#@LINE+2]]:{{.*}} replaced 3-loop nest by GEMM
__attribute__((noinline)) static void dots(int m, int n, int l, int last, const T *a, const T *b, const T *x, T *c) {
  for (int i = 0; i < m; i++) {
    memcpy(c + i * n, x, n * sizeof(T));
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
  }
}

/// A part of each row.
__attribute__((noinline)) static void part(int m, int n, int l, int last, const T *a, const T *b, const T *x, T *c) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < last; j++)
      c[i * n + j] = x[j];
    for (int k = 0; k < l; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
    for (int j = 0; j < last; j++)
      c[i * n + j] = -c[i * n + j];
  }
}

/// The bias is changed as it is used.
__attribute__((noinline)) static void changed(int m, int n, int l, int last, const T *a, const T *b, const T *x, T *c) {
  T *bias = (T *)x;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      c[i * n + j] = bias[j];
    for (int k = 0; k < l; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
    for (int j = 0; j < n; j++)
      bias[j] = c[i * n + j];
  }
}

static void run(Product Compute, Sizes S, int Overlap) {
  int Counts[] = {S.m * S.l, S.l * S.n, S.m * S.n + S.m, S.m * S.n};
  int Total = 64;
  for (int i = 0; i < 4; i++)
    Total += Counts[i];
  T *All = malloc(Total * sizeof(T)), *Of[4], *Next = All;
  for (int i = 0; i < Total; i++)
    All[i] = (i * 37 % 101 - 50) * (sizeof(T) == 4 && (T)1.5 == 1 ? (T)3 : (T).02);
  if (Overlap < 0 && (T)1.5 != 1)
    All[Total / 3] = NAN, All[Total / 2] = INFINITY, All[Total / 5] = -(T)0;
  for (int i = 0; i < 4; i++) {
    Of[i] = Next;
    Next += Counts[i];
  }
  // What is written overlaps what is read.
  if (Overlap > 0)
    Of[3] = Of[Overlap % 3] + Overlap / 3;
  Compute(S.m, S.n, S.l, S.last, Of[0], Of[1], Of[2], Of[3]);
  unsigned long long Hash = 1469598103934665603u;
  for (int i = 0; i < Total; i++) {
    T v = All[i] != All[i] ? (T)7 : All[i];
    unsigned char Bytes[sizeof(T)];
    memcpy(Bytes, &v, sizeof v);
    for (unsigned j = 0; j < sizeof v; j++)
      Hash = (Hash ^ Bytes[j]) * 1099511628211u;
  }
  printf("%d %d %d %d %d %llx\n", S.m, S.n, S.l, S.last, Overlap, Hash);
  free(All);
}

int main(void) {
  static const Sizes All[] = {{1, 1, 1, 1},    {2, 3, 4, 2},    {0, 3, 4, 3},     {3, 0, 4, 0},   {3, 4, 0, 4},
                              {8, 8, 8, 8},    {7, 17, 9, 17},  {16, 40, 24, 10}, {33, 65, 50, 65}, {64, 1, 49, 1},
                              {50, 100, 1, 0}, {97, 64, 80, 64}};
  Product Of[] = {copied, copiedMatrix, copiedAndFinished, copiedAndScaled, computed, ofItself, dots, part, changed};
  for (unsigned f = 0; f < sizeof Of / sizeof *Of; f++)
    for (unsigned s = 0; s < sizeof All / sizeof *All; s++)
      for (int Overlap = -1; Overlap < 8; Overlap++)
        run(Of[f], All[s], Overlap);
}
