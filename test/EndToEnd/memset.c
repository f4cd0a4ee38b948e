//===- memset.c - products beside memsets -----------------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that store zeros, beside a product: another array, a part of the row that
// is made, the end of a row, under a test. All arrays are parts of one buffer,
// apart or not, and all of it is compared.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-6: replaced 3-loop nest
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM(NAME) \
  __attribute__((noinline)) static void NAME(int n, int l, int w, const float *a, const float *b, float *c, float *d)
#define SUM(A, B) \
  float s = 0; \
  for (int k = 0; k < l; k++) \
    s += A * B

FORM(other_array) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      SUM(a[i * l + k], b[k * n + j]);
      c[i * n + j] = s;
    }
    for (int j = 0; j < w; j++)
      d[i * n + j] = 0;
  }
}

FORM(part_of_row) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < w; j++)
      c[i * n + j] = 0;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
  }
}

FORM(end_of_row) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      SUM(a[i * l + k], b[j * l + k]);
      c[i * n + j] = s;
    }
    for (int j = i + 1; j < n; j++)
      c[i * n + j] = 0;
  }
}

// The end of the row that a triangle leaves, of another array.
FORM(end_of_other_row) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      SUM(a[i * l + k], b[j * l + k]);
      c[i * n + j] = s;
    }
    for (int j = i + 1; j < n; j++)
      d[i * n + j] = 0;
  }
}

// One row in two.
FORM(some_rows) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      SUM(a[i * l + k], b[k * n + j]);
      c[i * n + j] = s;
    }
    if (i & 1)
      for (int j = 0; j < n; j++)
        d[i * n + j] = 0;
  }
}

// Where an element is negative.
FORM(negative_rows) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      SUM(a[i * l + k], b[j * l + k]);
      c[i * n + j] = s;
    }
    if (c[i * n] < 0)
      memset(c + i * n, 0, n * sizeof *c);
  }
}

static void run(int n, int l, int w, int far) {
  enum { Size = 120 * 120 };
  float *all = malloc(5 * Size * sizeof *all);
#define RUN(NAME) \
  for (int i = 0; i < 5 * Size; i++) \
    all[i] = (i * 37 + i / 11) % 33 / 8.0f - 2; \
  NAME(n, l, w, all, all + far, all + 2 * far, all + 3 * far); \
  unsigned long NAME##Bits = 0; \
  for (int i = 0; i < 5 * Size; i++) { \
    unsigned bits; \
    memcpy(&bits, all + i, sizeof bits); \
    NAME##Bits = NAME##Bits * 31 + bits; \
  } \
  printf(" %lx", NAME##Bits)
  printf("%d %d %d %d:", n, l, w, far);
  RUN(other_array);
  RUN(part_of_row);
  RUN(end_of_row);
  RUN(end_of_other_row);
  RUN(some_rows);
  RUN(negative_rows);
  printf("\n");
  free(all);
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 3, 7, 16, 17, 33, 64, 100}, fars[] = {120 * 120, 5, 40, 100, 1000};
  for (int n = 0; n < 10; n++)
    for (int l = 0; l < 10; l++)
      for (int far = 0; far < 5; far++)
        for (int w = 0; w < 3; w++)
          run(sizes[n], sizes[l], w == 0 ? sizes[n] : w == 1 ? sizes[n] / 2 : sizes[n] + 3, fars[far]);
}
