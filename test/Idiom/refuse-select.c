// A condition that the optimizer has turned into a select is still an 'if'.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify

// expected-remark@* {{there is an 'if' inside the loops}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        double y = b[k * n + j], t = s + a[i * n + k] * y;
        s = y != 0 ? t : s;
      }
      c[i * n + j] = s;
    }
}
