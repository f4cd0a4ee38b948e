//===- narrow-sums.c - sums of products in 8 and 16 bits ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   %s %S/../../runtime/Counts.c -o %t.ours
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3
// RUN: %{test}
// REDEFINE: %{flags} = -O3
// RUN: %{test}
// REQUIRES: x86

// Each of the 19 nests is computed by its kernel, but for rows of integers, which are clang's vectors.
// CHECK-COUNT-16: {{^[1-8] }}

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// k innermost, sum in a scalar that is wider than what is stored; in memory, with a
// sign and a factor; B transposed, added to C; A transposed times itself, one half;
// rows and columns of a matrix times a vector.
#define NESTS(T)                                                               \
  static __attribute__((noinline)) void plain_##T(long m, long n, long k, const T *a, const T *b, T *c) { \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++) {                                           \
        int s = 0;                                                             \
        for (long l = 0; l < k; l++)                                           \
          s += a[i * k + l] * b[l * n + j];                                    \
        c[i * n + j] = (T)s;                                                   \
      }                                                                        \
  }                                                                            \
  static __attribute__((noinline)) void inMemory_##T(long m, long n, long k, const T *a, const T *b, T *c) { \
    for (long i = 0; i < m; i++)                                               \
      for (long l = 0; l < k; l++)                                             \
        for (long j = 0; j < n; j++)                                           \
          c[i * n + j] -= 7 * a[i * k + l] * b[l * n + j];                     \
  }                                                                            \
  static __attribute__((noinline)) void transposed_##T(long m, long n, long k, const T *a, const T *b, T *c) { \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++) {                                           \
        T s = 0;                                                               \
        for (long l = 0; l < k; l++)                                           \
          s += a[i * k + l] * b[j * k + l];                                    \
        c[i * n + j] = 3 * s + 5 * c[i * n + j];                               \
      }                                                                        \
  }                                                                            \
  static __attribute__((noinline)) void half_##T(long m, long n, long k, const T *a, const T *b, T *c) { \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j <= i; j++)                                            \
        for (long l = 0; l < k; l++)                                           \
          c[i * m + j] += a[l * m + i] * a[l * m + j];                         \
  }                                                                            \
  static __attribute__((noinline)) void rows_##T(long m, long n, long k, const T *a, const T *b, T *c) { \
    for (long i = 0; i < m; i++) {                                             \
      T s = c[i];                                                              \
      for (long l = 0; l < k; l++)                                             \
        s += a[i * k + l] * b[l];                                              \
      c[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  static __attribute__((noinline)) void columns_##T(long m, long n, long k, const T *a, const T *b, T *c) { \
    for (long l = 0; l < k; l++)                                               \
      for (long i = 0; i < m; i++)                                             \
        c[i] += a[l * m + i] * b[l];                                           \
  }                                                                            \
  static void (*const nests_##T[])(long, long, long, const T *, const T *, T *) = { \
      plain_##T, inMemory_##T, transposed_##T, half_##T, rows_##T, columns_##T};
NESTS(int16_t)
NESTS(int8_t)
NESTS(uint16_t)

// A sum of double products that is rounded to float in every step.
static __attribute__((noinline)) void rounded(long m, long n, long k, const float *a, const float *b, float *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long l = 0; l < k; l++)
        s = (float)((double)s + (double)a[i * k + l] * b[l * n + j]);
      c[i * n + j] = s;
    }
}
static void (*const nests_float[])(long, long, long, const float *, const float *, float *) = {rounded};

enum { Most = 150 };

#define RUN(T)                                                                 \
  for (unsigned f = 0; f < sizeof nests_##T / sizeof *nests_##T; f++)          \
    for (int s = 0; s < 8; s++) {                                              \
      static T a[Most * Most], b[Most * Most], c[Most * Most];                 \
      for (int i = 0; i < Most * Most; i++)                                    \
        a[i] = rand(), b[i] = rand(), c[i] = rand();                           \
      nests_##T[f](sizes[s][0], sizes[s][1], sizes[s][2], a, b, c);            \
      fwrite(c, sizeof c, 1, stdout);                                          \
    }

int main(void) {
  static const int sizes[][3] = {{1, 1, 1},    {3, 4, 5},    {17, 16, 33},  {64, 64, 64},
                                 {65, 31, 97}, {100, 7, 50}, {128, 150, 9}, {149, 150, 150}};
  RUN(int16_t)
  RUN(int8_t)
  RUN(uint16_t)
  RUN(float)
}
