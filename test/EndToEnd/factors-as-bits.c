//===- factors-as-bits.c - weights that are kept as their bits --*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of bfloat16 or half precision in uint16_t, as language models in C have
// them, and numbers in integers as wide, times vectors and matrices. The matrix ends
// where a page cannot be read, or begins behind one.

// DEFINE: %{flags} = -O3
// DEFINE: %{compile} = %clang %{flags} -march=native %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{expect} = %{compile} -o %t.plain && %t.plain > %t.expected
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{expect}
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -O1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -O2 -ffp-contract=fast
// RUN: %{expect} && %{ours} -o %t.ours && %{compare}
#include "../guarded.h"
#include <stdint.h>
#include <string.h>

static inline float joined(uint16_t bits) {
  union {
    uint32_t all;
    float value;
  } both = {(uint32_t)bits << 16};
  return both.value;
}

static inline float copied(uint16_t bits) {
  uint32_t all = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &all, sizeof(value));
  return value;
}

/// Half precision without an instruction for it.
static inline float half(uint16_t bits) {
  uint32_t all = (uint32_t)bits << 16, twice = all + all, upper = (twice >> 4) + (0xe0u << 23), lower = twice >> 17 | 126u << 23, result;
  float normal, subnormal;
  memcpy(&normal, &upper, 4);
  memcpy(&subnormal, &lower, 4);
  normal *= 0x1p-112f;
  subnormal -= 0.5f;
  memcpy(&upper, &normal, 4);
  memcpy(&lower, &subnormal, 4);
  result = (all & 0x80000000u) | (twice < 1u << 27 ? lower : upper);
  memcpy(&normal, &result, 4);
  return normal;
}

#define ROWS(name, start, product)                                             \
  __attribute__((noinline)) static void name(                                  \
      int m, int n, const uint16_t *a, const float *x, float *y) {             \
    for (int i = 0; i < m; i++) {                                              \
      float s = start;                                                         \
      for (int k = 0; k < n; k++)                                              \
        s += product;                                                          \
      y[i] = s;                                                                \
    }                                                                          \
  }

// CHECK-COUNT-4: replaced 2-loop nest by GEMV f32 (A row-major)
ROWS(rowsJoined, 0, joined(a[i * n + k]) * x[k])
ROWS(rowsCopied, y[i], x[k] * copied(a[i * n + k]))
ROWS(rowsHalf, 0, half(a[i * n + k]) * x[k])
ROWS(bothFactors, 0, copied(a[i * n + k]) * copied(((const uint16_t *)x)[k]))
// CHECK: replaced 2-loop nest by GEMV f32 (A column-major)
ROWS(columns, 0, copied(a[k * m + i]) * x[k])

// CHECK: replaced 2-loop nest by GEMV f32 (A column-major)
__attribute__((noinline)) static void byColumns(int m, int n, const uint16_t *restrict a, const float *restrict x, float *restrict y) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < m; i++)
      y[i] += joined(a[k * m + i]) * x[k];
}

// CHECK: replaced 2-loop nest by GEMV f32 (A row-major)
__attribute__((noinline)) static void triangle(int m, int n, const uint16_t *a, const float *x, float *y) {
  for (int i = 0; i < (m < n ? m : n); i++) {
    float s = 0;
    for (int k = 0; k <= i; k++)
      s += copied(a[i * n + k]) * x[k];
    y[i] = s;
  }
}

// CHECK: replaced 3-loop nest by GEMM f32 (A row-major, B row-major, C row-major)
__attribute__((noinline)) static void matrices(int m, int n, const uint16_t *a, const float *x, float *y) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += copied(a[i * n + k]) * x[k * m + j];
      y[i * m + j] = s;
    }
}

typedef void Form(int, int, const uint16_t *, const float *, float *);

// CHECK: replaced 2-loop nest {{.*}}by GEMV f64 (A row-major)
__attribute__((noinline)) static void doubles(int m, int n, const uint64_t *a, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int k = 0; k < n; k++) {
      double element;
      memcpy(&element, &a[i * n + k], sizeof(element));
      s += element * x[k];
    }
    y[i] = s;
  }
}

enum { MOST = 64, Bytes = MOST * MOST * 8 };

static void check(int m, int n, int atEnd, char **places) {
  static Form *const forms[] = {rowsJoined, rowsCopied, rowsHalf, bothFactors, columns, byColumns, triangle, matrices};
  static double xs[MOST], ys[MOST];
  uint64_t *wide = placed(places[0], Bytes, m * n * 8, atEnd);
  float *x = placed(places[1], Bytes, m * n * 4, atEnd);
  float *y = placed(places[2], Bytes, m * m * 4, atEnd);
  for (int i = 0; i < m * n; i++) {
    double element = anyElement(NAN);
    memcpy(&wide[i], &element, 8);
    x[i] = (float)anyElement(0.0);
  }
  for (int i = 0; i < MOST; i++)
    xs[i] = anyElement(-0.0);
  doubles(m, n, wide, xs, ys);
  HASH_ELEMENTS(double, ys, m);
  uint16_t *a = placed(places[0], Bytes, m * n * 2, atEnd);
  for (int i = 0; i < m * n; i++) {
    float element = (float)anyElement(INFINITY);
    uint32_t all;
    memcpy(&all, &element, 4);
    a[i] = all >> 16;
  }
  for (int form = 0; form < 8; form++) {
    for (int i = 0; i < m * m; i++)
      y[i] = 1;
    forms[form](m, n, a, x, y);
    HASH_ELEMENTS(float, y, m * m);
  }
}

int main(void) {
  static char *places[3];
  for (int i = 0; i < 3; i++)
    places[i] = guardedPages(Bytes);
  for (int m = 1; m <= MOST; m += 1 + m / 3)
    for (int n = 1; n <= MOST; n += 1 + n / 2) {
      check(m, n, 0, places);
      check(m, n, 1, places);
      printf("%d %d %lx\n", m, n, Hash);
    }
  return 0;
}
