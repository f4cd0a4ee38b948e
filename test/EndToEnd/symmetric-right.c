// SYMM from the right, as the reference BLAS has it: an argument says which half of A is stored, and so which
// element is read. That is asked in front of copies of the nest, each with two products.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s \
// RUN:     -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
// RUN: %clang -O2 -march=native -ffp-contract=fast -w %s -o %t.plain
// RUN: %clang -O2 -march=native -ffp-contract=fast -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s \
// RUN:     -o %t.tilesmith
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK-COUNT-2: symmetric-right.c:25:3: remark: replaced 3-loop nest by TRMM f64

#include <stdio.h>

enum { M = 31, N = 27 };

__attribute__((noinline)) void symm(int m, int n, int upper, double alpha, double beta, double (*restrict c)[M],
                                    double (*restrict a)[N], double (*restrict b)[M]) {
  for (int j = 0; j < n; j++) {
    double t = alpha * a[j][j];
    for (int i = 0; i < m; i++)
      c[j][i] = beta * c[j][i] + t * b[j][i];
    for (int k = 0; k < j; k++) {
      t = alpha * *(upper ? &a[j][k] : &a[k][j]);
      for (int i = 0; i < m; i++)
        c[j][i] += t * b[k][i];
    }
    for (int k = j + 1; k < n; k++) {
      t = alpha * *(upper ? &a[k][j] : &a[j][k]);
      for (int i = 0; i < m; i++)
        c[j][i] += t * b[k][i];
    }
  }
}

static double a[N][N], b[N][M], c[N][M];

int main(void) {
  for (int n = 0; n <= N; n += n < 4 ? 1 : 11)
    for (int m = 0; m <= M; m += m < 4 ? 1 : 13)
      for (int upper = 0; upper < 2; upper++) {
        for (int j = 0; j < N; j++) {
          for (int k = 0; k < N; k++)
            a[j][k] = j * 7 % 11 - k * .3;
          for (int i = 0; i < M; i++)
            b[j][i] = j * 5 % 13 - i * .7, c[j][i] = i - j * .1;
        }
        symm(m, n, upper, .7, -.3, c, a, b);
        for (int j = 0; j < N; j++)
          for (int i = 0; i < M; i++)
            printf("%a\n", c[j][i]);
      }
}
