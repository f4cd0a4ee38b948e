// Complex products in other surroundings: from the elements of another array, beside other
// stores, downwards, in tiles and unrolled loops, into functions of both sums; and where C
// overlaps a factor. The results are those of clang alone, bit by bit.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// DEFINE:   -Rpass=tilesmith %s -o %t.ours 2> %t.remarks && %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %{plain} && %{ours} && FileCheck %s < %t.remarks
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{plain} && %{ours} && FileCheck %s < %t.remarks
// REDEFINE: %{flags} = -O2
// RUN: %{plain} && %{ours} && FileCheck %s < %t.remarks
// REQUIRES: x86
// CHECK-COUNT-11: complex GEMM
#include <stdio.h>
#include <stdlib.h>
#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define NEST __attribute__((noinline)) void
NEST from_another(int n, const Z *a, const Z *b, Z *c, const Z *restrict d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z s = d[i * n + j];
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
NEST beside_stores(int n, const Z *a, const Z *b, Z *c, const Z *restrict d, T *restrict r) {
  for (int i = 0; i < n; i++) {
    r[i] = i * 2;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
NEST downwards(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = n - 1; j >= 0; j--)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
NEST set_before(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
NEST doubled(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 2 * c[i * n + j];
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
NEST with_sums(int n, const Z *a, const Z *b, Z *c, const Z *d, T *restrict r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * ~b[j * n + k];
      c[i * n + j] = s * (T)3;
      r[i] += __real__ s;
    }
}
NEST gram(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * a[j * n + k];
      c[i * n + j] -= s;
    }
}
NEST tiles(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int q = 0; q < 3; q++)
    for (int i = 0; i < n / 3; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[(q * (n / 3) + i) * n + j] += a[i * n + k] * b[k * n + j];
}
NEST turned(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[j * n + i] = s * d[i * n + j];
    }
}
NEST squares(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      T x = __real__ s, y = __imag__ s;
      r[i] += x * x + y * y;
    }
}
NEST unrolled_columns(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j + 1 < n; j += 2)
      for (int k = 0; k < n; k++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        c[i * n + j + 1] += a[i * n + k] * b[k * n + j + 1];
      }
}
NEST unrolled_steps(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k + 1 < n; k += 2) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        c[i * n + j] += a[i * n + k + 1] * b[(k + 1) * n + j];
      }
}
NEST two_products(int n, const Z *a, const Z *b, Z *c, const Z *d, T *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j] + d[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
typedef void (*F)(int, const Z *, const Z *, Z *, const Z *, T *);
F fs[] = {from_another, beside_stores, downwards, set_before,       doubled,        with_sums,   gram,
          tiles,        turned,        squares,   unrolled_columns, unrolled_steps, two_products};
int main() {
  static const int ns[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 33, 40};
  for (int f = 0; f < 13; f++)
    for (int s = 0; s < 14; s++)
      for (int w = 0; w < 6; w++) {
        int n = ns[s];
        size_t N = 2 * n * n, X = 4 * N + 64;
        srand(f * 100 + s);
        T *m = malloc(X * 4 * sizeof(T));
        for (size_t i = 0; i < X * 4; i++)
          m[i] = (rand() % 2000 - 1000) * .001;
        T *a = m, *b = m + N, *c = m + 2 * N, *d = m + 3 * N, *r = m + 4 * N;
        if (w == 1)
          c = a;
        if (w == 2)
          c = b;
        if (w == 3)
          c = a + N - 2;
        if (w == 4)
          c = b - 2;
        if (w == 5)
          c = a + 1;
        fs[f](n, (Z *)a, (Z *)b, (Z *)c, (Z *)(w ? m + 8 * N : d), w ? m + 10 * N : r);
        unsigned long long h = 1469598103934665603u;
        for (size_t i = 0; i < X * 4; i++) {
          T v = m[i] != m[i] ? (T)7 : m[i];
          unsigned char *q = (unsigned char *)&v;
          for (unsigned j = 0; j < sizeof(T); j++)
            h = (h ^ q[j]) * 1099511628211u;
        }
        printf("%d %d %d %llx\n", f, n, w, h);
        free(m);
      }
}
