// A program that prints the bits of a product of odd size, and of one in which
// C overlaps A, so that the fall-back runs.
#include "gemm.h"
#include <stdio.h>

enum { M = 41, N = 61, K = 53 };
static double A[M * K], B[K * N], C[M * N];

static void print(const double *X, long Size) {
  for (long i = 0; i < Size; i++)
    printf("%a\n", X[i]);
}

int main(void) {
  for (long i = 0; i < M * K; i++)
    A[i] = i % 17 * 0.3 - 1;
  for (long i = 0; i < K * N; i++)
    B[i] = i % 13 * 0.7 - 3;
  gemm(M, N, K, A, B, C);
  print(C, M * N);
  gemm(30, 30, 30, A, B, A + 100);
  print(A, M * K);
  return 0;
}
