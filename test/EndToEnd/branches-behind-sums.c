//===- branches-behind-sums.c - what is stored depends on the sum ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// if (s > 0) c[i][j] = s; else c[i][j] = 0;
//
// Without steps, LLVM knows which side is taken. Where that one stores what the sum
// starts from, both ways come to one block, and s was stored always.

// REQUIRES: native-avx2
// DEFINE: %{level} = -O2
// DEFINE: %{plain} = %clang %{level} -march=native -w %s -lm -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{level} -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 | FileCheck %s && %t.ours > %t.result
// RUN: %{plain} && %{ours} && cmp %t.expected %t.result
// REDEFINE: %{level} = -O1
// RUN: %{plain} && %{ours} && cmp %t.expected %t.result
// REDEFINE: %{level} = -O3
// RUN: %{plain} && %{ours} && cmp %t.expected %t.result
// CHECK-COUNT-49: remark: {{.*}}replaced {{[23]}}-loop nest

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { Most = 40 };

#define PARAMETERS(T)                                                          \
  long m, long n, long steps, T alpha, T beta, const T *restrict a,            \
      const T *restrict b, const T *restrict x, T *restrict c
#define MATRIX(T, NAME, START, OF_SUM)                                         \
  __attribute__((noinline)) void matrix_##T##_##NAME(PARAMETERS(T)) {          \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++) {                                           \
        T s = START, *to = &c[i * n + j];                                      \
        for (long k = 0; k < steps; k++)                                       \
          s += a[i * steps + k] * b[k * n + j];                                \
        OF_SUM                                                                 \
      }                                                                        \
  }
#define VECTOR(T, NAME, START, OF_SUM)                                         \
  __attribute__((noinline)) void vector_##T##_##NAME(PARAMETERS(T)) {          \
    for (long i = 0; i < m; i++) {                                             \
      T s = START, *to = &c[i];                                                \
      for (long k = 0; k < steps; k++)                                         \
        s += a[i * steps + k] * b[k];                                          \
      OF_SUM                                                                   \
    }                                                                          \
  }

#define FORMS(X, T)                                                            \
  X(T, relu, 0, if (s > 0) *to = s; else *to = 0;)                             \
  X(T, relu_not, 0, if (!(s > 0)) *to = 0; else *to = s;)                      \
  X(T, relu_started, x[i], if (s > 0) *to = s; else *to = 0;)                  \
  X(T, least, alpha, if (s > alpha) *to = s; else *to = alpha;)                \
  X(T, most, alpha, if (s < alpha) *to = s; else *to = alpha;)                 \
  X(T, leaky, 0, if (s > 0) *to = s; else *to = beta * s;)                     \
  X(T, unlike, alpha, if (s != alpha) *to = s; else *to = beta;)               \
  X(T, two, 0, if (s > 0 && alpha > 1) *to = s; else *to = 0;)                 \
  X(T, either, 0, if (s > 0 || x[i] > 0) *to = s; else *to = 0;)               \
  X(T, clipped, 0, if (s < 0) *to = 0; else if (s > 6) *to = 6; else *to = s;)
#define ALL(X)                                                                 \
  FORMS(X, double) FORMS(X, float) FORMS(X, int)
ALL(MATRIX)
ALL(VECTOR)

static unsigned next = 1;
static double any(int special) {
  next = next * 1664525 + 1013904223;
  int small = (next >> 16) % 17 - 8;
  return special && next >> 27 == 3   ? NAN
         : special && next >> 27 == 4 ? -0.0
         : special && next >> 27 == 5 ? INFINITY
                                      : small;
}

#define CALL(T, FUNCTION)                                                      \
  for (long steps = 0; steps < 12; steps += 1 + steps / 3)                     \
    for (long m = 1; m <= Most; m += 13)                                       \
      for (int special = 0; special < (T)1.5 * 2 - 1; special++) {             \
        static T a[Most * Most], b[Most * Most], x[Most], c[Most * Most];      \
        for (long i = 0; i < Most * Most; i++)                                 \
          a[i] = any(special), b[i] = any(special), c[i] = 77;                 \
        for (long i = 0; i < Most; i++)                                        \
          x[i] = any(0);                                                       \
        FUNCTION(m, Most - 3, steps, 2, -5, a, b, x, c);                       \
        unsigned long hash = 0;                                                \
        for (unsigned long i = 0; i < sizeof c; i++)                           \
          hash = hash * 31 + ((unsigned char *)c)[i];                          \
        printf(#FUNCTION " %ld %ld %d %lx\n", m, steps, special, hash);        \
      }
#define CALL_MATRIX(T, NAME, START, OF_SUM) CALL(T, matrix_##T##_##NAME)
#define CALL_VECTOR(T, NAME, START, OF_SUM) CALL(T, vector_##T##_##NAME)

int main(void) {
  ALL(CALL_MATRIX)
  ALL(CALL_VECTOR)
}
