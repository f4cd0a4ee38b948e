// The reference HEMM and SYMM of complex numbers, as pairs of numbers and as _Complex: from the left, both halves are
// summed in one loop, and what is stored to a row's number is stored in both parts at once; from the right, a factor is made
// of alpha and an element, on one side of the diagonal. The results are those of clang alone, bit by bit.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{blocks} =
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// DEFINE:   -mllvm -tilesmith-count=1 %{blocks} %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{blocks} = -mllvm -tilesmith-kc=8 -mllvm -tilesmith-mc=64 -mllvm -tilesmith-nc=16
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3
// RUN: %{test}
// REQUIRES: x86
// CHECK-DAG: {{^[1-9].*}}left: complex TRMM
// CHECK-DAG: {{^[1-9].*}}right: complex TRMM
// CHECK-DAG: {{^[1-9].*}}right_tested: complex TRMM
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef T
#define T double
#endif
typedef T _Complex Z;
typedef struct {
  T re, im;
} P;
static P times(P x, P y) { return (P){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
static P plus(P x, P y) { return (P){x.re + y.re, x.im + y.im}; }
static P conjugate(P x) { return (P){x.re, -x.im}; }

__attribute__((noinline)) void left(long m, long n, P alpha, P beta, const P *a, const P *b, P *c) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      P t = times(alpha, b[i + j * m]), s = {0, 0}, d = {a[i + i * m].re, 0};
      for (long k = 0; k < i; k++) {
        c[k + j * m] = plus(c[k + j * m], times(t, a[k + i * m]));
        s = plus(s, times(b[k + j * m], conjugate(a[k + i * m])));
      }
      c[i + j * m] = plus(plus(times(beta, c[i + j * m]), times(t, d)), times(alpha, s));
    }
}

__attribute__((noinline)) void right(long m, long n, P alpha, P beta, const P *a, const P *b, P *c) {
  for (long j = 0; j < n; j++) {
    P t = times(alpha, a[j + j * n]);
    for (long i = 0; i < m; i++)
      c[i + j * m] = plus(times(beta, c[i + j * m]), times(t, b[i + j * m]));
    for (long k = 0; k < j; k++) {
      t = times(alpha, a[k + j * n]);
      for (long i = 0; i < m; i++)
        c[i + j * m] = plus(c[i + j * m], times(t, b[i + k * m]));
    }
    for (long k = j + 1; k < n; k++) {
      t = times(alpha, a[j + k * n]);
      for (long i = 0; i < m; i++)
        c[i + j * m] = plus(c[i + j * m], times(t, b[i + k * m]));
    }
  }
}

__attribute__((noinline)) void right_tested(long m, long n, Z alpha, Z beta, const Z *a, const Z *b, Z *c) {
  for (long j = 0; j < n; j++) {
    Z t = __real a[j + j * n] * alpha;
    for (long i = 0; i < m; i++)
      c[i + j * m] = beta * c[i + j * m] + t * b[i + j * m];
    for (long k = 0; k < j; k++) {
      t = alpha * a[k + j * n];
      for (long i = 0; i < m; i++)
        c[i + j * m] += t * b[i + k * m];
    }
    for (long k = j + 1; k < n; k++) {
      t = alpha * ~a[j + k * n];
      for (long i = 0; i < m; i++)
        c[i + j * m] += t * b[i + k * m];
    }
  }
}

static T *numbers(long Count, int Seed) {
  T *Result = malloc(Count * 2 * sizeof(T));
  for (long I = 0; I < 2 * Count; I++)
    Result[I] = I % 11 ? (I * 37 + Seed * 13) % 101 * (T).01 - (T).47 : -(T)0;
  return Result;
}

int main(void) {
  const int sizes[] = {1, 2, 3, 7, 16, 33, 50};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int kind = 0; kind < 3; kind++)
      for (int f = 0; f < 3; f++) {
        long m = sizes[s], n = f ? 1 + sizes[6 - s] : 1 + m / 2, order = f ? n : m;
        T *a = numbers(order * order, 1), *b = numbers(m * n, 2), *c = numbers(m * n, 3);
        if (kind)
          a[order * order - 1] = kind == 1 ? INFINITY : NAN;
        Z alpha = (T).75 + (T).5 * (Z)1.0i, beta = (T)-.25 + (Z)1.0i;
        P x = {(T).75, (T).5}, y = {(T)-.25, 1};
        if (f == 0)
          left(m, n, x, y, (P *)a, (P *)b, (P *)c);
        if (f == 1)
          right(m, n, x, y, (P *)a, (P *)b, (P *)c);
        if (f == 2)
          right_tested(m, n, alpha, beta, (Z *)a, (Z *)b, (Z *)c);
        for (long i = 0; i < 2 * m * n; i++)
          if (isnan(c[i]))
            puts("nan");
          else
            printf("%a\n", (double)c[i]);
        free(a);
        free(b);
        free(c);
      }
}
