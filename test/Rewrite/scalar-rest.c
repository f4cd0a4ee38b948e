// With -ffp-contract=fast, what is left of the loop over i must not become one of vectors: x and y are walked
// backwards, z is not, so products would be reversed before they are added, and rounded. A rest in which all is
// walked alike may.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -DMAIN -O3 -march=native -ffp-contract=fast %s -o %t.plain
// RUN: %clang -DMAIN -O3 -march=native -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith | cmp - %t.expected

__attribute__((noinline)) void backwards(long m, long n, long k, const double *A, const double *B, double *restrict C,
                                         const double *x, const double *y, double *restrict z) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      z[j * m + i] += x[m - 1 - i] * y[m - 1 - i];
      for (long p = 0; p < k; p++)
        C[j * m + i] += A[p * m + i] * B[j * k + p];
    }
}

__attribute__((noinline)) void forwards(long m, long n, long k, const double *A, const double *B, double *restrict C,
                                        const double *x, const double *y, double *restrict z) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      z[j * m + i] += x[i] * y[i];
      for (long p = 0; p < k; p++)
        C[j * m + i] += A[p * m + i] * B[j * k + p];
    }
}

// CHECK:      = !{!"llvm.loop.vectorize.enable", i1 false}
// CHECK-NEXT: = !{!"llvm.loop.unroll.disable", i1 true}
// CHECK-NOT:  !"llvm.loop.unroll.disable", i1 true

#ifdef MAIN
#include <stdio.h>
#include <string.h>

enum { M = 37, N = 11, K = 23 };
static double A[K * M], B[N * K], C[N * M], X[M], Y[M], Z[N * M];

int main(void) {
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < K * M; i++)
      A[i] = (i % 19) * 0.37 - 3;
    for (int i = 0; i < N * K; i++)
      B[i] = (i % 23) * 0.21 - 2;
    for (int i = 0; i < N * M; i++)
      C[i] = Z[i] = (i % 17) * 0.11;
    for (int i = 0; i < M; i++)
      X[i] = i * 0.3 + 0.1, Y[i] = 0.7 - i * 0.13;
    (turn ? forwards : backwards)(M, N, K, A, B, C, X, Y, Z);
    fwrite(C, sizeof C, 1, stdout);
    fwrite(Z, sizeof Z, 1, stdout);
  }
  return 0;
}
#endif
