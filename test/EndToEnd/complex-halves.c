// One half of a complex C, with its diagonal or without it, in both orders of storage:
// HERK and HER2K without and with transposition. The results are those of clang alone, bit
// by bit, and nothing else is stored.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{blocks} =
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// DEFINE:   -mllvm -tilesmith-count=1 %{blocks} %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{blocks} = -mllvm -tilesmith-kc=8 -mllvm -tilesmith-mc=64 -mllvm -tilesmith-nc=16
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float
// RUN: %{test}
// REDEFINE: %{blocks} =
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2
// RUN: %{test}
// REQUIRES: x86
// CHECK-DAG: {{^[1-9].*}}herk_lower: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}herk_upper: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}transposed_lower: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}transposed_upper: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}columns_lower: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}columns_upper: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}her2k_lower: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}her2k_upper: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}strictly_lower: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}strictly_upper: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}started_at_zero: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}formula_lower: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}scaled_lower: complex triangular GEMM {{.*}} with an epilogue
// CHECK-DAG: {{^[1-9].*}}scaled_upper: complex triangular GEMM {{.*}} with an epilogue
// CHECK-DAG: {{^[1-9].*}}scaled_columns: complex triangular GEMM {{.*}} with an epilogue
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef T
#define T double
#endif
typedef T _Complex Z;

#define NEST(NAME, FIRST, END, C, UPDATE)                                                                              \
  __attribute__((noinline)) void NAME(int n, int l, const Z *a, const Z *b, Z *c) {                                    \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = FIRST; j < END; j++)                                                                                \
        for (int k = 0; k < l; k++)                                                                                    \
          c[C] += UPDATE;                                                                                              \
  }
#define BY_ROWS i *n + j
#define BY_COLUMNS j *n + i
NEST(herk_lower, 0, i + 1, BY_ROWS, a[i * l + k] * ~a[j * l + k])
NEST(herk_upper, i, n, BY_ROWS, a[i * l + k] * ~a[j * l + k])
NEST(transposed_lower, 0, i + 1, BY_ROWS, ~a[k * n + i] * a[k * n + j])
NEST(transposed_upper, i, n, BY_ROWS, ~a[k * n + i] * a[k * n + j])
NEST(columns_lower, 0, i + 1, BY_COLUMNS, a[k * n + i] * ~a[k * n + j])
NEST(columns_upper, i, n, BY_COLUMNS, ~a[i * l + k] * a[j * l + k])
NEST(her2k_lower, 0, i + 1, BY_ROWS, a[i * l + k] * ~b[j * l + k] + b[i * l + k] * ~a[j * l + k])
NEST(her2k_upper, i, n, BY_ROWS, ~a[k * n + i] * b[k * n + j] + ~b[k * n + i] * a[k * n + j])
NEST(strictly_lower, 0, i, BY_ROWS, a[i * l + k] * ~b[j * l + k])
NEST(strictly_upper, i + 1, n, BY_ROWS, a[i * l + k] * b[k * n + j])
__attribute__((noinline)) void started_at_zero(int n, int l, const Z *a, const Z *b, Z *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      Z s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * ~a[j * l + k];
      c[i * n + j] = s;
    }
}
__attribute__((noinline)) void formula_lower(int n, int l, const T *restrict a, const T *restrict b, T *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < l; k++) {
        T ar = a[2 * (i * l + k)], ai = a[2 * (i * l + k) + 1], br = b[2 * (k * n + j)], bi = b[2 * (k * n + j) + 1];
        c[2 * (i * n + j)] += ar * br - ai * bi;
        c[2 * (i * n + j) + 1] += ar * bi + ai * br;
      }
}

#define SCALED(NAME, FIRST, END, C, UPDATE)                                                                            \
  __attribute__((noinline)) void NAME(int n, int l, const Z *a, const Z *b, Z *c) {                                    \
    Z alpha = b[0], beta = b[1];                                                                                       \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = FIRST; j < END; j++) {                                                                              \
        Z s = 0;                                                                                                       \
        for (int k = 0; k < l; k++)                                                                                    \
          s += UPDATE;                                                                                                 \
        c[C] = alpha * s + beta * c[C];                                                                                \
      }                                                                                                                \
  }
SCALED(scaled_lower, 0, i + 1, BY_ROWS, a[i * l + k] * ~a[j * l + k])
SCALED(scaled_upper, i + 1, n, BY_ROWS, ~a[k * n + i] * a[k * n + j])
SCALED(scaled_columns, i, n, BY_COLUMNS, ~a[i * l + k] * a[j * l + k])

typedef void (*F)(int, int, const Z *, const Z *, Z *);
F fs[] = {herk_lower,  herk_upper,  transposed_lower, transposed_upper, columns_lower,   columns_upper,    her2k_lower,
          her2k_upper, strictly_lower, strictly_upper, started_at_zero, (F)formula_lower,
          scaled_lower, scaled_upper, scaled_columns};
int main() {
  static const int ns[] = {1, 2, 3, 5, 7, 8, 9, 14, 16, 17, 24, 31, 33, 40, 65, 100}, ls[] = {1, 3, 17, 40};
  for (int f = 0; f < sizeof(fs) / sizeof(*fs); f++)
    for (int s = 0; s < 16; s++)
      for (int t = 0; t < 4; t++)
        for (int w = 0; w < 2; w++) {
          int n = ns[s], l = ls[t];
          size_t factors = 2 * n * l + 2, count = 2 * n * n;
          srand(f * 100 + s * 10 + t);
          T *a = malloc(factors * sizeof(T)), *b = malloc(factors * sizeof(T)), *c = malloc(count * sizeof(T));
          for (size_t i = 0; i < factors; i++)
            a[i] = (rand() % 2000 - 1000) * .001, b[i] = (rand() % 2000 - 1000) * .001;
          for (size_t i = 0; i < count; i++)
            c[i] = rand() % 50 ? (rand() % 2000 - 1000) * .001 : -0.0;
          if (w)
            a[rand() % factors] = INFINITY, c[rand() % count] = NAN;
          fs[f](n, l, (Z *)a, (Z *)b, (Z *)c);
          unsigned long long h = 1469598103934665603u;
          for (size_t i = 0; i < count; i++) {
            T v = c[i] != c[i] ? (T)7 : c[i];
            unsigned char *q = (unsigned char *)&v;
            for (unsigned j = 0; j < sizeof(T); j++)
              h = (h ^ q[j]) * 1099511628211u;
          }
          printf("%d %d %d %d %llx\n", f, n, l, w, h);
          free(a), free(b), free(c);
        }
}
