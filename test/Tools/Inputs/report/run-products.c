// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a product that is too small, and with an argument a large one.

void gemm(int n, const double *A, const double *B, double *C);
void syrk(int n, const float *A, float *C);

int main(int argc, char **argv) {
  static double A[4], B[4], C[4];
  static float D[400 * 400], E[400 * 400];
  gemm(2, A, B, C);
  if (argc > 1)
    syrk(400, D, E);
}
