// Bounds that depend on an outer counter, and not as a triangle's do.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{how often a loop runs changes}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= 2 * i; j++) {
      for (long k = 0; k < n; k++) {
        c[2 * i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
}
