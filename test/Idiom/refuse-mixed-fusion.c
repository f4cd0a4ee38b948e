// With -ffp-contract=fast, one of two scalars that are loaded in each iteration
// would not stay in the block of its addition.
//
// RUN: %clang -O2 -ffp-contract=fast -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{fuses only some of the multiply-adds}}
void scalars(long m, long n, long k, const double *A, const double *B, double *C, const double *x, const double *y) {
  for (long i = 0; i < m; i++)
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++)
        C[i * n + j] += A[i * k + p] * B[p * n + j] + *x * *y;
}
