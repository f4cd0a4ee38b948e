// RUN: %clang -O1 -mfma -ffp-contract=fast -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 -c %s -o /dev/null -Xclang -verify
// REQUIRES: x86
// Both arms compute one product, which moves in front of the test, away from
// its addition.
void in_both_arms(long m, long n, long k, double alpha, const double *A, const double *B, const double *x,
                  double *C) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double sum = 0;
      for (long p = 0; p < k; p++)
        sum += A[i * k + p] * B[p * n + j];
      if (alpha == 1) // expected-remark {{not replaced}}
        C[i * n + j] = x[0] * sum;
      else
        C[i * n + j] = x[0] * sum + C[i * n + j] * x[1];
    }
}
