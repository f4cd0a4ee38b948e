// A triangular complex factor, on either side, in both orders of storage, as it is and as
// the conjugate of its transpose; and both halves of a Hermitian one (HEMM), each in loops of
// its own. The results are those of clang alone, bit by bit, and nothing else is stored.
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
// CHECK-DAG: {{^[1-9].*}}left_lower: complex TRMM
// CHECK-DAG: {{^[1-9].*}}left_upper: complex TRMM
// CHECK-DAG: {{^[1-9].*}}left_conjugate: complex TRMM
// CHECK-DAG: {{^[1-9].*}}right_lower: complex TRMM
// CHECK-DAG: {{^[1-9].*}}right_upper: complex TRMM
// CHECK-DAG: {{^[1-9].*}}right_conjugate: complex TRMM
// CHECK-DAG: {{^[1-9].*}}columns_left_lower: complex TRMM
// CHECK-DAG: {{^[1-9].*}}columns_left_upper: complex TRMM
// CHECK-DAG: {{^[1-9].*}}columns_strictly: complex TRMM
// CHECK-DAG: {{^[1-9].*}}columns_right: complex TRMM
// CHECK-DAG: {{^[1-9].*}}hermitian: complex TRMM
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef T
#define T double
#endif
typedef T _Complex Z;

#define NEST(NAME, FIRST, END, C, UPDATE)                                                                              \
  __attribute__((noinline)) void NAME(int m, int n, const Z *a, const Z *restrict b, Z *restrict c) {                  \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int j = 0; j < n; j++)                                                                                      \
        for (int k = FIRST; k < END; k++)                                                                              \
          c[C] += UPDATE;                                                                                              \
  }
#define BY_ROWS i *n + j
#define BY_COLUMNS j *m + i
NEST(left_lower, 0, i + 1, BY_ROWS, a[i * m + k] * b[k * n + j])
NEST(left_upper, i, m, BY_ROWS, a[i * m + k] * b[k * n + j])
NEST(left_conjugate, 0, i + 1, BY_ROWS, ~a[k * m + i] * b[k * n + j])
NEST(right_lower, j, n, BY_ROWS, b[i * n + k] * a[k * n + j])
NEST(right_upper, 0, j + 1, BY_ROWS, b[i * n + k] * a[k * n + j])
NEST(right_conjugate, 0, j, BY_ROWS, b[i * n + k] * ~a[j * n + k])
NEST(columns_left_lower, 0, i + 1, BY_COLUMNS, a[k * m + i] * b[j * m + k])
NEST(columns_left_upper, i, m, BY_COLUMNS, a[k * m + i] * b[j * m + k])
NEST(columns_strictly, i + 1, m, BY_COLUMNS, ~a[i * m + k] * b[j * m + k])
NEST(columns_right, j, n, BY_COLUMNS, b[k * m + i] * a[j * n + k])
__attribute__((noinline)) void hermitian(int m, int n, const Z *a, const Z *restrict b, Z *restrict c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k <= i; k++)
        c[i * n + j] += a[i * m + k] * b[k * n + j];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < m; k++)
        c[i * n + j] += ~a[k * m + i] * b[k * n + j];
}

typedef void (*F)(int, int, const Z *, const Z *, Z *);
F fs[] = {left_lower,         left_upper,       left_conjugate, right_lower, right_upper, right_conjugate, columns_left_lower,
          columns_left_upper, columns_strictly, columns_right,  hermitian};
int main() {
  static const int ns[] = {1, 2, 3, 5, 8, 9, 16, 17, 24, 33, 40, 65, 100};
  for (int f = 0; f < sizeof(fs) / sizeof(*fs); f++)
    for (int s = 0; s < 13; s++)
      for (int t = 0; t < 13; t += 3)
        for (int w = 0; w < 2; w++) {
          int m = ns[s], n = ns[t], most = m > n ? m : n;
          size_t count = 2 * most * most;
          srand(f * 100 + s * 10 + t);
          T *a = malloc(count * sizeof(T)), *b = malloc(count * sizeof(T)), *c = malloc(count * sizeof(T));
          for (size_t i = 0; i < count; i++) {
            a[i] = (rand() % 2000 - 1000) * .001, b[i] = (rand() % 2000 - 1000) * .001;
            c[i] = rand() % 50 ? (rand() % 2000 - 1000) * .001 : -0.0;
          }
          // The other half of the factor is never read.
          if (w)
            b[rand() % count] = INFINITY, c[rand() % count] = NAN;
          fs[f](m, n, (Z *)a, (Z *)b, (Z *)c);
          unsigned long long h = 1469598103934665603u;
          for (size_t i = 0; i < count; i++) {
            T v = c[i] != c[i] ? (T)7 : c[i];
            unsigned char *q = (unsigned char *)&v;
            for (unsigned j = 0; j < sizeof(T); j++)
              h = (h ^ q[j]) * 1099511628211u;
          }
          printf("%d %d %d %d %llx\n", f, m, n, w, h);
          free(a), free(b), free(c);
        }
}
