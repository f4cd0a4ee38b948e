// Arithmetic that no expression over elements may contain.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{is not one of}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s > 0 ? s : 0;
    }
}
