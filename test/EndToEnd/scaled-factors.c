// Each factor of a sum of products is scaled by a scalar of its own: functions
// that are equal but for the scalar may be one, and get the right one.
//
// RUN: %clang -O3 -w %s -o %t.plain
// RUN: %clang -O3 -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK: replaced 3-loop nest by sum of GEMMs f64

#include <stdio.h>

enum { N = 37 };
static double a[N][N], b[N][N], d[N][N], e[N][N], c[N][N];

__attribute__((noinline)) void products(int n, double w, double x, double y, double z) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        c[i][j] += (w * a[i][k]) * (x * b[k][j]);
        c[i][j] += (y * d[i][k]) * (z * e[k][j]);
      }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 3 % 7 - j, b[i][j] = i - j % 5;
      d[i][j] = i % 4 + j * 2, e[i][j] = i * j % 11;
    }
  products(N, 2, 3, 5, 7);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%.17g\n", c[i][j]);
}
