// GEMMTR with the factor A transposed, as the reference BLAS has it: which rows a column has is asked in each column,
// and beta is loaded only in a column that has rows. Both are asked in front of copies of the nest.
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
// CHECK-COUNT-2: gemmtr.c:27:3: remark: replaced 3-loop nest by triangular GEMM f64

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { N = 33, K = 29 };

__attribute__((noinline)) void gemmtr(int upper, int n, int l, const double *restrict alpha, const double *restrict a,
                                      const double *restrict b, const double *restrict beta, double *restrict c) {
  for (int j = 0; j < n; j++) {
    int first = upper ? 0 : j, end = upper ? j + 1 : n;
    for (int i = first; i < end; i++) {
      double t = 0;
      for (int k = 0; k < l; k++)
        t += a[k + i * K] * b[k + j * K];
      if (*beta == 0)
        c[i + j * N] = *alpha * t;
      else
        c[i + j * N] = *alpha * t + *beta * c[i + j * N];
    }
  }
}

static double a[N * K], b[N * K], c[N * N];

int main(void) {
  static const double Betas[] = {0, -.3, 1, -0.0, NAN};
  for (int n = 0; n <= N; n += n < 4 ? 1 : 11)
    for (int k = 0; k <= K; k += k < 4 ? 1 : 13)
      for (int upper = 0; upper < 2; upper++)
        for (int with = 0; with < 5; with++) {
          for (int i = 0; i < N * K; i++)
            a[i] = i * 7 % 11 - i * .3, b[i] = i * 5 % 13 - i * .7;
          for (int i = 0; i < N * N; i++)
            c[i] = i % 17 ? i * .1 - 50 : i % 2 ? INFINITY : -0.0;
          double alpha = .7;
          gemmtr(upper, n, k, n ? &alpha : NULL, a, b, n ? &Betas[with] : NULL, c);
          for (int i = 0; i < N * N; i++)
            printf("%a\n", isnan(c[i]) ? fabs(c[i]) : c[i]);
        }
}
