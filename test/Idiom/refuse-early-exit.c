// A loop that is left early.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{left early}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        if (a[i * n + k] < 0)
          return;
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
}
