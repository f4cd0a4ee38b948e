// What becomes of complex sums, made of both parts of them and of C: alpha * s + beta * c and
// the like, in the kernel. The results are those of clang alone, bit by bit, also where
// products behind the sums are NaN in both parts, so that a function makes them again. Only
// the signs and payloads of NaN may differ.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{blocks} =
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// DEFINE:   -mllvm -tilesmith-count=1 %{blocks} %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float
// RUN: %{test}
// REDEFINE: %{blocks} = -mllvm -tilesmith-kc=8
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -fcx-limited-range
// RUN: %{test}
// REQUIRES: x86
// CHECK-DAG: {{^[1-9].*}}scaled{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}scaled_sum{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}added_twice{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}of_products{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}turned{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}columns{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}parts{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}parts_in_turn{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}fourteen{{.*}}: complex GEMM
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define NEST __attribute__((noinline)) void

#define SUM(A, B)                                                                                                      \
  Z s = 0;                                                                                                             \
  for (int k = 0; k < n; k++)                                                                                          \
    s += (A) * (B);
#define FORM(NAME, A, B, C, VALUE)                                                                                     \
  NEST NAME(int n, Z alpha, Z beta, const Z *a, const Z *b, Z *c) {                         \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < n; j++) {                                                                                    \
        SUM(A, B)                                                                                                      \
        c[C] = VALUE;                                                                                                  \
      }                                                                                                                \
  }
FORM(scaled, a[i * n + k], b[k * n + j], i *n + j, alpha *s + beta * c[i * n + j])
FORM(scaled_sum, a[i * n + k], b[k * n + j], i *n + j, alpha *s)
FORM(added_twice, a[i * n + k], ~b[j * n + k], i *n + j, c[i * n + j] + alpha * s * beta)
FORM(of_products, a[i * n + k], b[k * n + j], i *n + j, s *s - ~(c[i * n + j] * s))
FORM(turned, a[i * n + k], b[k * n + j], i *n + j, beta *c[i * n + j] - s * (Z)1i)
FORM(columns, a[i + k * n], b[k + j * n], i + j * n, alpha *s + beta * c[i + j * n])

NEST fourteen(int n, Z alpha, Z beta, const Z *a, const Z *b, Z *c) {
  if (n < 14)
    return;
  n = 14;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      SUM(a[i * n + k], b[k * n + j])
      c[i * n + j] = alpha * s + beta * c[i * n + j];
    }
}

#define PARTS(WRITES)                                                                                                  \
  const T *x = (const T *)a, *y = (const T *)b;                                                                        \
  T *z = (T *)c, alphar = __real__ alpha, alphai = __imag__ alpha, betar = __real__ beta, betai = __imag__ beta;       \
  for (int i = 0; i < n; i++)                                                                                          \
    for (int j = 0; j < n; j++) {                                                                                      \
      T re = 0, im = 0;                                                                                                \
      for (int k = 0; k < n; k++) {                                                                                    \
        T ar = x[2 * (i * n + k)], ai = x[2 * (i * n + k) + 1];                                                        \
        T br = y[2 * (k * n + j)], bi = y[2 * (k * n + j) + 1];                                                        \
        re += ar * br - ai * bi;                                                                                       \
        im += ar * bi + ai * br;                                                                                       \
      }                                                                                                                \
      T *cr = &z[2 * (i * n + j)], *ci = cr + 1;                                                                       \
      WRITES                                                                                                           \
    }
NEST parts(int n, Z alpha, Z beta, const Z *a, const Z *b, Z *c) {
  PARTS(T old = *cr; *cr = alphar * re - alphai * im + betar * *cr - betai * *ci;
        *ci = alphar * im + alphai * re + betar * *ci + betai * old;)
}
// The second part is made of the first one as it has just been stored.
NEST parts_in_turn(int n, Z alpha, Z beta, const Z *a, const Z *b, Z *c) {
  PARTS(*cr = alphar * re - alphai * im + betar * *cr - betai * *ci;
        *ci = alphar * im + alphai * re + betar * *ci + betai * *cr;)
}

typedef void (*F)(int, Z, Z, const Z *, const Z *, Z *);
F fs[] = {scaled, scaled_sum, added_twice, of_products, turned, columns, parts, parts_in_turn, fourteen};
int main() {
  static const int ns[] = {1, 2, 3, 5, 8, 14, 16, 17, 24, 31, 33, 40, 65};
  T large = sizeof(T) == 4 ? 3e38 : 1.7e308, tiny = sizeof(T) == 4 ? 1e-40 : 1e-310;
  T odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, large, tiny};
  for (int f = 0; f < 9; f++)
    for (int s = 0; s < 13; s++)
      for (int w = 0; w < 7; w++) {
        int n = ns[s];
        size_t count = 2 * n * n;
        srand(f * 100 + s * 10 + w);
        T *a = malloc(count * sizeof(T)), *b = malloc(count * sizeof(T)), *c = malloc(count * sizeof(T));
        for (size_t i = 0; i < count; i++) {
          a[i] = (rand() % 2000 - 1000) * .001, b[i] = (rand() % 2000 - 1000) * .001;
          c[i] = w == 2 ? odd[rand() % 7] : (rand() % 2000 - 1000) * .001;
        }
        Z alpha = .7 + .3i, beta = -.2 + .9i;
        for (int i = 0; w == 1 && i < 1 + n / 4; i++)
          c[rand() % count] = odd[rand() % 7];
        if (w == 3)
          __real__ alpha = odd[rand() % 7], __imag__ alpha = odd[rand() % 7];
        if (w == 4)
          __real__ beta = odd[rand() % 7], __imag__ beta = odd[rand() % 7], c[rand() % count] = odd[rand() % 7];
        if (w == 5)
          a[rand() % count] = odd[rand() % 7], b[rand() % count] = odd[rand() % 7];
        // C may overlap a factor.
        T *to = w == 6 ? a : c;
        fs[f](n, alpha, beta, (Z *)a, (Z *)b, (Z *)to);
        unsigned long long h = 1469598103934665603u;
        for (size_t i = 0; i < count; i++) {
          T v = to[i] != to[i] ? (T)7 : to[i];
          unsigned char *q = (unsigned char *)&v;
          for (unsigned j = 0; j < sizeof(T); j++)
            h = (h ^ q[j]) * 1099511628211u;
        }
        printf("%d %d %d %llx\n", f, n, w, h);
        free(a), free(b), free(c);
      }
}
