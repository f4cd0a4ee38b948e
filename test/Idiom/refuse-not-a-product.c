// A third element.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{not made of one element of A and one of B}}
void product(long n, const double *restrict a, const double *restrict b, const double *restrict d,
             double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j] * d[k];
      }
    }
}
