// With -ffp-contract=fast, what is added to a sum may be a product, of values that are the
// same for a row or a column of a tile: LLVM makes one multiplication of equal lanes, which
// must be fused all the same.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{options} =
// DEFINE: %{plain} = %clang %{flags} -ffp-contract=fast %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// DEFINE:   -mllvm -tilesmith-count=1 %{options} %s %S/../../runtime/Counts.c -o %t.ours
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=double
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=double -DCOLUMN_MAJOR
// RUN: %{test}
// Without FMA, better CPUs' kernels would fuse some of them: there are none.
// REDEFINE: %{flags} = -O2
// REDEFINE: %{options} = -mllvm -tilesmith-dispatch=cpu
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-DAG: {{^[1-9].*}}scaled_row:{{.*}}GEMM
// CHECK-DAG: {{^[1-9].*}}scaled_column:{{.*}}GEMM
// CHECK-DAG: {{^[1-9].*}}row_subtracted:{{.*}}GEMM
// CHECK-DAG: {{^[1-9].*}}sum_subtracted:{{.*}}GEMM
// CHECK-DAG: {{^[1-9].*}}row_and_column:{{.*}}GEMM
// CHECK-DAG: {{^[1-9].*}}stored_first:{{.*}}GEMM
#include <stdio.h>

#ifndef T
#define T float
#endif
#ifdef COLUMN_MAJOR
#define C(I, J) c[(I) + (J)*m]
#else
#define C(I, J) c[(I)*n + (J)]
#endif
#define NEST(Name, ...)                                                                                                \
  __attribute__((noinline)) static void Name(long m, long n, long k, T x, const T *restrict a, const T *restrict b,    \
                                             const T *restrict r, const T *restrict s, T *restrict c) {                \
    for (long i = 0; i < m; i++)                                                                                       \
      for (long j = 0; j < n; j++) {                                                                                   \
        T t = 0;                                                                                                       \
        for (long l = 0; l < k; l++)                                                                                   \
          t += a[i * k + l] * b[l * n + j];                                                                            \
        C(i, j) = __VA_ARGS__;                                                                                         \
      }                                                                                                                \
  }
NEST(scaled_row, t + x * r[j])
NEST(scaled_column, x * s[i] + t)
NEST(row_subtracted, t - x * r[j])
NEST(sum_subtracted, x * s[i] - t)
NEST(row_and_column, t + s[i] * r[j])
// The same value twice, the second time from memory.
__attribute__((noinline)) static void stored_first(long m, long n, long k, T x, const T *a, const T *b, const T *r, const T *s, T *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      C(i, j) = r[j];
      T t = 0;
      for (long l = 0; l < k; l++)
        t += a[i * k + l] * b[l * n + j];
      C(i, j) = t + x * C(i, j);
    }
}

static T value(void) {
  static unsigned state = 1;
  return (T)((int)((state = state * 1664525 + 1013904223) >> 9) - (1 << 22)) / (T)7919;
}

int main(void) {
  enum { Most = 40 };
  static T a[Most * Most], b[Most * Most], c[Most * Most], r[Most], s[Most];
  static const long sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {8, 8, 8}, {19, 19, 19}, {23, 38, 7}, {40, 33, 31}};
  for (int q = 0; q < sizeof sizes / sizeof *sizes; q++)
    for (int f = 0; f < 6; f++) {
      for (int i = 0; i < Most * Most; i++)
        a[i] = value(), b[i] = value();
      for (int i = 0; i < Most; i++)
        r[i] = value(), s[i] = value();
      const long m = sizes[q][0], n = sizes[q][1], k = sizes[q][2];
      void (*const nests[])(long, long, long, T, const T *, const T *, const T *, const T *, T *) = {
          scaled_row, scaled_column, row_subtracted, sum_subtracted, row_and_column, stored_first};
      nests[f](m, n, k, value(), a, b, r, s, c);
      for (int i = 0; i < m * n; i++)
        printf("%d %d %a\n", q, f, (double)c[i]);
    }
}
