//===- dispatch.c - products of many types and sizes ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the results to standard output; with an argument, only of sizes that
// are all at least so large.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define MM(NAME, T, S)                                                         \
  __attribute__((noinline)) void NAME(int m, int n, int k, const T *a,         \
                                      const T *b, S *c) {                      \
    for (int i = 0; i < m; i++)                                                \
      for (int j = 0; j < n; j++) {                                            \
        S s = c[i * n + j];                                                    \
        for (int p = 0; p < k; p++)                                            \
          s += (S)a[i * k + p] * (S)b[p * n + j];                              \
        c[i * n + j] = s;                                                      \
      }                                                                        \
  }
MM(mm_f64, double, double)
MM(mm_f32, float, float)
MM(mm_i8, int8_t, int32_t)
MM(mm_u8, uint8_t, uint32_t)
MM(mm_i16, int16_t, int32_t)
MM(mm_i32, int32_t, int32_t)
MM(mm_i64, int64_t, int64_t)
__attribute__((noinline)) void syrk_f64(int m, int n, int k, const double *a,
                                        const double *b, double *c) {
  for (int i = 0; i < m && i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * a[j * k + p];
  (void)b;
}
__attribute__((noinline)) void small_f64(int m, int n, int k, const double *a,
                                         const double *b, double *c) {
  if (m * k < 256 || k * n < 256 || m * n < 256)
    return;
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int p = 0; p < 16; p++)
        c[i * 16 + j] += a[i * 16 + p] * b[p * 16 + j];
}
static uint32_t seed = 1;
static uint32_t next(void) {
  return (seed = seed * 1664525u + 1013904223u) >> 8;
}
#define RUN(NAME, T, S)                                                        \
  {                                                                            \
    T *a = malloc(sizeof(T) * m * k), *b = malloc(sizeof(T) * k * n);          \
    S *c = malloc(sizeof(S) * m * n);                                          \
    for (int i = 0; i < m * k; i++)                                            \
      a[i] = (T)((T)((int32_t)(next() % 400) - 200) / (T)3);                   \
    for (int i = 0; i < k * n; i++)                                            \
      b[i] = (T)((T)((int32_t)(next() % 400) - 200) / (T)7);                   \
    for (int i = 0; i < m * n; i++)                                            \
      c[i] = (S)next();                                                        \
    NAME(m, n, k, a, b, c);                                                    \
    fwrite(c, sizeof(S), (size_t)m * n, stdout);                               \
    free(a);                                                                   \
    free(b);                                                                   \
    free(c);                                                                   \
  }
int main(int argc, char **argv) {
  int least = argc > 1 ? atoi(argv[1]) : 0;
  static const int sizes[][3] = {
      {1, 1, 1},    {4, 5, 6},   {6, 6, 6},    {13, 13, 13},  {12, 11, 10},
      {16, 16, 16}, {17, 33, 5}, {40, 50, 60}, {97, 65, 130}, {30, 300, 20}};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
    if (m < least || n < least || k < least)
      continue;
    RUN(mm_f64, double, double)
    RUN(mm_f32, float, float)
    RUN(mm_i8, int8_t, int32_t) RUN(mm_u8, uint8_t, uint32_t)
        RUN(mm_i16, int16_t, int32_t) RUN(mm_i32, int32_t, int32_t)
            RUN(mm_i64, int64_t, int64_t) RUN(syrk_f64, double, double)
                RUN(small_f64, double, double)
  }
}
