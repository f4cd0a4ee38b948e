// Steps with a zero are left out, and the nest stores something else outside of the steps, in front of
// the product or behind it. Where an element is zero, the product alone is left to the source's loops.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.ours 2>&1
// DEFINE: %{test} = %{plain} && %{ours} | FileCheck %s && %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %{test}
// REDEFINE: %{flags} = -O2
// RUN: %{test}
//
// CHECK-COUNT-3: replaced 3-loop nest by GEMM
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 40
__attribute__((noinline)) void before(int n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict e) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { double x = c[i*n+j]; e[i*n+j] = x * 2; c[i*n+j] = x + e[j]; }
    for (int k = 0; k < n; k++) if (a[i*n+k] != 0) for (int j = 0; j < n; j++) c[i*n+j] += a[i*n+k] * b[k*n+j];
  }
}
__attribute__((noinline)) void after(int n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict e) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) if (a[i*n+k] != 0) for (int j = 0; j < n; j++) c[i*n+j] += a[i*n+k] * b[k*n+j];
    for (int j = 0; j < n; j++) e[i*n+j] += c[i*n+j] * 2;
  }
}
__attribute__((noinline)) void only(int n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict e) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { e[i*n+j] = c[i*n+j] * 2; }
    for (int k = 0; k < n; k++) if (a[i*n+k] != 0) for (int j = 0; j < n; j++) c[i*n+j] += a[i*n+k] * b[k*n+j];
  }
}
int main(void) { static double a[N*N], b[N*N], c[N*N], e[N*N];
  void (*f[])(int, const double*, const double*, double*, double*) = {before, after, only};
  for (int v = 0; v < 3; v++) for (int n = 1; n <= N; n += 3) for (int kind = 0; kind < 5; kind++) {
    for (int i = 0; i < N*N; i++) { a[i] = rand() % 1000 * .01 - 5.003; b[i] = rand() % 1000 * .01 - 5; c[i] = rand() % 100 ? rand() % 77 * .1 : -0.0; e[i] = i; }
    if (kind) a[n*n/2] = kind == 2 ? -0.0 : 0;
    if (kind == 3) b[0] = b[n*n/2] = 1 / 0.0; if (kind == 4) for (int i = 0; i < n*n; i += 2) a[i] = 0;
    f[v](n, a, b, c, e);
    unsigned long h = 0; for (int i = 0; i < N*N; i++) { unsigned long u, w; memcpy(&u, c+i, 8); memcpy(&w, e+i, 8); if (c[i]!=c[i]) u = 1; if (e[i]!=e[i]) w = 1; h = h * 31 + u; h = h * 31 + w; }
    printf("%d %d %d %lx\n", v, n, kind, h); } }
