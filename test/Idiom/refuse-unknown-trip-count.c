// A loop whose end is not known when it starts.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{number of iterations}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c, const long *restrict ends) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; ends[k] == 0; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
