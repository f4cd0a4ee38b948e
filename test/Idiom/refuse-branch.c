// A condition that changes from iteration to iteration.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{there is an 'if' inside the loops}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        if (b[k * n + j] > 0)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
}
