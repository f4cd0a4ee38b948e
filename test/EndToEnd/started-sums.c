//===- started-sums.c - sums from a bias, and what else uses them *- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense layer that keeps its greatest output for softmax, the norm of a residual,
// the nearest of some rows, an LSTM cell: sums start from elements of another array,
// and something else is done with them in the same loops, or with nothing but them.
// Results are printed as bits. The array that sums start from may overlap what is
// stored.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clang -O3 -march=native %{flags} %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -ffp-contract=off -mprefer-vector-width=256
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-9: replaced {{[23]}}-loop nest
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM(NAME, REAL)                                                       \
  __attribute__((noinline)) static double NAME(int m, int n, const REAL *w,    \
                                               const REAL *b, const REAL *x,   \
                                               REAL *y)

// What is stored is compared, too. The first NaN is the greatest for ever, or none is.
FORM(dense_max, float) {
  float top = -INFINITY;
  for (int i = 0; i < m; i++) {
    float s = b[i];
    for (int j = 0; j < n; j++)
      s += w[i * n + j] * x[j];
    y[i] = s;
    if (s > top)
      top = s;
  }
  return top;
}

// The place of the greatest, and softmax of all.
FORM(dense_softmax, double) {
  double top = -INFINITY, sum = 0;
  int at = -1;
  for (int i = 0; i < m; i++) {
    double s = b[i];
    for (int j = 0; j < n; j++)
      s += w[i * n + j] * x[j];
    y[i] = s;
    if (s > top) {
      top = s;
      at = i;
    }
  }
  for (int i = 0; i < m; i++)
    sum += y[i] = exp(y[i] - top);
  for (int i = 0; i < m; i++)
    y[i] /= sum;
  return at;
}

// With a second start, and an epilogue.
FORM(dense_abs, double) {
  double total = 0;
  for (int i = 0; i < m; i++) {
    double s = b[i] * 0.5 + x[0];
    for (int j = 0; j < n; j++)
      s += w[i * n + j] * x[j];
    s = s > 0 ? s : 0.125 * s;
    y[i] = s;
    total += s;
  }
  return total;
}

// Three loops: a batch of such layers.
FORM(batch_max, float) {
  float top = -INFINITY;
  for (int t = 0; t < 5; t++)
    for (int i = 0; i < m; i++) {
      float s = b[i];
      for (int j = 0; j < n; j++)
        s += w[i * n + j] * x[t * n + j];
      y[t * m + i] = s;
      if (s > top)
        top = s;
    }
  return top;
}

// Nothing is stored: the norm of b - W x.
FORM(residual, double) {
  double norm = 0;
  for (int i = 0; i < m; i++) {
    double s = b[i];
    for (int j = 0; j < n; j++)
      s -= w[i * n + j] * x[j];
    norm += s * s;
  }
  return norm + y[0];
}

FORM(most_likely, float) {
  int at = -1;
  float best = -1e30f;
  for (int i = 0; i < m; i++) {
    float s = b[i];
    for (int j = 0; j < n; j++)
      s += w[i * n + j] * x[j];
    if (s > best) {
      best = s;
      at = i;
    }
  }
  return at + 0.5 * best + y[0];
}

// The row that is nearest to one, and how far that is.
FORM(nearest, float) {
  int at = -1;
  float best = INFINITY;
  for (int i = 0; i < m; i++) {
    float d = 0;
    for (int j = 0; j < n; j++) {
      float t = x[j] - w[i * n + j];
      d += t * t;
    }
    if (d < best) {
      best = d;
      at = i;
    }
  }
  y[m - 1] = best + b[0];
  return at;
}

FORM(greatest_distance, double) {
  double worst = -0.0;
  for (int i = 0; i < m; i++) {
    double d = b[i];
    for (int j = 0; j < n; j++)
      d += fabs(x[j] - w[i * n + j]);
    worst = d >= worst ? d : worst;
  }
  return worst + y[0];
}

// The gates of an LSTM cell: four sums, of one row of w each, which has n + m steps.
FORM(cell, double) {
  const double *h = y + m;
  double total = 0;
  for (int u = 0; u < m; u++) {
    double i = b[u], g = b[m + u];
    for (int k = 0; k < n; k++) {
      i += w[u * n + k] * x[k];
      g += w[(m + u) * n + k] * x[k];
    }
    i = 1 / (1 + fabs(i));
    y[u] = i * h[u] + g;
    total += y[u];
  }
  return total;
}

static uint64_t state;

static double any(int specials) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  unsigned pick = state >> 33;
  if (specials && pick % 97 == 0)
    return (double[]){NAN, INFINITY, -INFINITY, -0.0, 0.0}[pick / 97 % 5];
  return (int)(pick % 17) / 8.0 - 1;
}

static uint64_t bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return value != value ? 1 : word;
}

enum { Most = 300 };

#define RUN(NAME, REAL)                                                        \
  for (int specials = 0; specials < 2; specials++)                             \
    for (int of = 0; of < 10; of++)                                            \
      for (int shared = 0; shared < 3; shared++) {                             \
        int m = sizes[of], n = sizes[(of * 7 + 3) % 10];                       \
        static REAL w[2 * Most * Most], memory[16 * Most], x[5 * Most];        \
        state = of + 1;                                                        \
        for (int i = 0; i < 2 * Most * Most; i++)                              \
          w[i] = (REAL)any(specials);                                          \
        for (int i = 0; i < 5 * Most; i++)                                     \
          x[i] = (REAL)any(specials);                                          \
        for (int i = 0; i < 16 * Most; i++)                                    \
          memory[i] = (REAL)any(specials);                                     \
        REAL *y = memory + 4 * Most;                                           \
        const REAL *b = shared ? y + (shared - 1) : memory;                    \
        uint64_t sum = bits(NAME(m, n, w, b, x, y));                           \
        for (int i = 0; i < 16 * Most; i++)                                    \
          sum = sum * 31 + bits(memory[i]);                                    \
        printf("%s %d %d %d: %016llx\n", #NAME, m, n, shared,                  \
               (unsigned long long)sum);                                       \
      }

int main(void) {
  const int sizes[] = {1, 2, 3, 7, 8, 16, 33, 64, 150, 300};
  RUN(dense_max, float)
  RUN(dense_softmax, double)
  RUN(dense_abs, double)
  RUN(batch_max, float)
  RUN(residual, double)
  RUN(most_likely, float)
  RUN(nearest, float)
  RUN(greatest_distance, double)
  RUN(cell, double)
}
