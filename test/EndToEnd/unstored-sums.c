//===- unstored-sums.c - sums that are only looked at -----------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The greatest of the sums, where it is, the nearest row, the two nearest, how
// many are beyond a limit: nothing stores the sums themselves. The order of the
// source decides between equal ones, and what a NaN does. Results are printed as
// bits.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clang -O3 -march=native %{flags} %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -ffp-contract=fast -std=c11
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-11: replaced {{[23]}}-loop nest
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long at;
  double value;
} Result;

#define FORM(NAME, REAL) \
  __attribute__((noinline)) static Result NAME(int m, int n, int l, const REAL *a, const REAL *b, Result *rows)

// A matrix times a vector: the first of the greatest.
FORM(greatest_row, float) {
  long at = -1;
  float best = -1e30f;
  for (int i = 0; i < m; i++) {
    float s = 0;
    for (int k = 0; k < l; k++)
      s += a[i * l + k] * b[k];
    if (s > best) {
      best = s;
      at = i;
    }
  }
  return (Result){at, best};
}

// The last of the greatest.
FORM(last_row, double) {
  long at = -1;
  double best = -1e30;
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int k = 0; k < l; k++)
      s += a[i * l + k] * b[k];
    if (s >= best) {
      best = s;
      at = i;
    }
  }
  return (Result){at, best};
}

// How many are beyond a limit, and what they sum up to.
FORM(beyond, double) {
  long count = 0;
  double sum = 0;
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int k = 0; k < l; k++)
      s += a[i * l + k] * b[k];
    if (!(s <= 2)) {
      count++;
      sum += s;
    }
  }
  return (Result){count, sum};
}

// All of a matrix: which element is the greatest.
FORM(greatest_of_all, float) {
  long at = -1;
  float best = -1e30f;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      if (s > best) {
        best = s;
        at = (long)i * n + j;
      }
    }
  return (Result){at, best};
}

// What is furthest from zero, with no condition in the source.
FORM(furthest_of_all, double) {
  double best = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      best = fabs(s) > best ? fabs(s) : best;
    }
  return (Result){0, best};
}

// The norm of the product.
FORM(norm, double) {
  double sum = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      sum += s * s;
    }
  return (Result){0, sqrt(sum)};
}

// For each row, the nearest one of the others.
FORM(nearest, float) {
  for (int i = 0; i < m; i++) {
    long at = -1;
    float best = INFINITY;
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < l; k++) {
        float d = a[i * l + k] - b[j * l + k];
        s += d * d;
      }
      if (s < best) {
        best = s;
        at = j;
      }
    }
    rows[i] = (Result){at, best};
  }
  return (Result){0, 0};
}

// The two nearest.
FORM(two_nearest, double) {
  for (int i = 0; i < m; i++) {
    long at[2] = {-1, -1};
    double best[2] = {INFINITY, INFINITY};
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++) {
        double d = a[i * l + k] - b[j * l + k];
        s += d * d;
      }
      if (s < best[0]) {
        best[1] = best[0];
        at[1] = at[0];
        best[0] = s;
        at[0] = j;
      } else if (s < best[1]) {
        best[1] = s;
        at[1] = j;
      }
    }
    rows[i] = (Result){at[0] * n + at[1], best[0] + best[1]};
  }
  return (Result){0, 0};
}

// The nearest pair.
FORM(nearest_pair, float) {
  long at = -1;
  float best = INFINITY;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < l; k++) {
        float d = a[i * l + k] - b[j * l + k];
        s += d * d;
      }
      if (s < best) {
        best = s;
        at = (long)i * n + j;
      }
    }
  return (Result){at, best};
}

// What is found is stored where it is found.
FORM(found_so_far, float) {
  for (int i = 0; i < m; i++) {
    float best = INFINITY;
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < l; k++) {
        float d = a[i * l + k] - b[j * l + k];
        s += d * d;
      }
      if (s < best) {
        best = s;
        rows[i].at = j;
      }
    }
  }
  return (Result){0, 0};
}

// Of each row, the greatest, several rows at a time.
FORM(greatest_of_rows, double) {
  for (int i = 0; i < m; i++) {
    long at = -1;
    double best = -1e30;
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      if (s > best) {
        best = s;
        at = j;
      }
    }
    rows[i] = (Result){at, best};
  }
  return (Result){0, 0};
}

static void print(const char *name, Result r) {
  unsigned long bits;
  if (r.value != r.value)
    r.value = 0.5; // a NaN's sign and payload are anything
  memcpy(&bits, &r.value, sizeof bits);
  printf(" %s %ld %lx", name, r.at, bits);
}

static double number(int kind) {
  double x = rand() % 16 / 4.0 - 2; // many sums are equal
  if (kind == 1 && rand() % 97 == 0)
    return NAN;
  if (kind == 2 && rand() % 61 == 0)
    return rand() % 2 ? INFINITY : -INFINITY;
  return kind == 3 ? -0.0 : x;
}

static void run(int m, int n, int l, int kind) {
  size_t sizeA = (size_t)m * l + 1, sizeB = (size_t)n * l + l + 1;
  double *a = malloc(sizeA * sizeof *a), *b = malloc(sizeB * sizeof *b);
  float *af = malloc(sizeA * sizeof *af), *bf = malloc(sizeB * sizeof *bf);
  Result *rows = calloc(m + 1, sizeof *rows);
  for (size_t i = 0; i < sizeA; i++)
    af[i] = a[i] = number(kind);
  for (size_t i = 0; i < sizeB; i++)
    bf[i] = b[i] = number(kind);
  printf("%d %d %d %d:", m, n, l, kind);
#define RUN(NAME, A, B) \
  print(#NAME, NAME(m, n, l, A, B, rows)); \
  for (int i = 0; i < m; i++) \
    print("", rows[i]); \
  memset(rows, 0, m * sizeof *rows)
  RUN(greatest_row, af, bf);
  RUN(last_row, a, b);
  RUN(beyond, a, b);
  RUN(greatest_of_all, af, bf);
  RUN(furthest_of_all, a, b);
  RUN(norm, a, b);
  RUN(nearest, af, bf);
  RUN(two_nearest, a, b);
  RUN(nearest_pair, af, bf);
  RUN(greatest_of_rows, a, b);
  RUN(found_so_far, af, bf);
  printf("\n");
  free(a);
  free(b);
  free(af);
  free(bf);
  free(rows);
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 3, 15, 16, 17, 33, 64, 100};
  for (int kind = 0; kind < 4; kind++)
    for (int m = 0; m < 10; m++)
      for (int n = 0; n < 10; n += 1 + m % 2)
        for (int l = 0; l < 10; l += 1 + (m + n) % 3)
          run(sizes[m], sizes[n], sizes[l], kind);
}
