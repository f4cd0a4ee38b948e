//===- move.c - copies and transpositions are left alone ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

void transpose(long m, long n, const double *in, double *out) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      out[j * m + i] = in[i * n + j];
}

int square[32][32];
void transpose_in_place(void) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < i; j++) {
      int t = square[i][j];
      square[i][j] = square[j][i], square[j][i] = t;
    }
}

void permute(int a, int b, int c, const float *in, float *out) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < b; j++)
      for (int k = 0; k < c; k++)
        out[(k * b + j) * a + i] = in[(i * b + j) * c + k];
}

void zero(long m, long n, double *A, long lda) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      A[i * lda + j] = 0;
}

void scale(unsigned m, unsigned n, double beta, double *A, unsigned lda) {
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++)
      A[i * lda + j] *= beta;
}
