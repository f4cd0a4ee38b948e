// Whether a loop beside the product is entered depends on an element of C: the
// copy of the nest that has this loop must not come to another answer.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.ours 2>&1 | FileCheck %s
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// CHECK: replaced 3-loop nest by GEMM f64
// CHECK: replaced 3-loop nest by GEMM f64
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };
static double a[N * N], b[N * N], c[N * N], d[N];

__attribute__((noinline)) void same_flag(long n, long m, double *c, const double *a, const double *b,
                                         const double *flag, double *d) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    if (*flag > 0)
      for (long t = 0; t < m; t++)
        d[i] += t;
  }
}

__attribute__((noinline)) void flag_of_row(long n, long m, double *c, const double *a, const double *b,
                                           const long *flags, double *d) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    if (flags[i] > 0)
      for (long t = 0; t < m; t++)
        d[i] += t;
  }
}

static void start(void) {
  for (int i = 0; i < N * N; i++) {
    a[i] = drand48();
    b[i] = drand48();
    c[i] = -drand48();
  }
  for (int i = 0; i < N; i++)
    d[i] = 0;
}

static void print(void) {
  for (int i = 0; i < N; i++)
    printf("%g ", d[i]);
  puts("");
}

int main(void) {
  start();
  same_flag(N, 3, c, a, b, &c[30 * N + 5], d);
  print();
  start();
  flag_of_row(N, 3, c, a, b, (const long *)&c[20 * N + 5], d);
  print();
}
