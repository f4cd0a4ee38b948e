// SYR2K of transposed factors, as the reference BLAS has it: two sums for each element of one half of C, which are
// put together in the end. The rows of the lower half begin at the diagonal.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s \
// RUN:     -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK-COUNT-2: rank-2k-transposed.c:20:3: remark: replaced 3-loop nest by triangular GEMM f64
// CHECK-COUNT-2: rank-2k-transposed.c:33:3: remark: replaced 3-loop nest by triangular GEMM f64

#include <stdio.h>

enum { N = 37, K = 23 };

__attribute__((noinline)) void lower(int n, int l, double alpha, double beta, double (*restrict c)[N],
                                     double (*restrict a)[K], double (*restrict b)[K]) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = 0, t = 0;
      for (int k = 0; k < l; k++) {
        s += a[i][k] * b[j][k];
        t += b[i][k] * a[j][k];
      }
      c[j][i] = beta * c[j][i] + alpha * s + alpha * t;
    }
}

__attribute__((noinline)) void upper(int n, int l, double alpha, double beta, double (*restrict c)[N],
                                     double (*restrict a)[K], double (*restrict b)[K]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      double s = 0, t = 0;
      for (int k = 0; k < l; k++) {
        s += a[i][k] * b[j][k];
        t += b[i][k] * a[j][k];
      }
      c[j][i] = beta * c[j][i] + alpha * s + alpha * t;
    }
}

static double a[N][K], b[N][K], c[N][N];

int main(void) {
  for (int n = 0; n <= N; n += n < 4 ? 1 : 11)
    for (int l = 0; l <= K; l += l < 2 ? 1 : 7)
      for (int half = 0; half < 2; half++) {
        for (int i = 0; i < N; i++) {
          for (int k = 0; k < K; k++)
            a[i][k] = i * 7 % 11 - k * .3, b[i][k] = k * 5 % 13 - i * .7;
          for (int j = 0; j < N; j++)
            c[i][j] = i - j * .1;
        }
        (half ? lower : upper)(n, l, .7, -.3, c, a, b);
        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            printf("%a\n", c[i][j]);
      }
}
