// Another nest inside the loops runs in a copy of them.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{replaced}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict d) {
  for (long i = 0; i < n; i++) {
    for (long x = 0; x < n; x++)
      for (long y = 0; y < n; y++)
        d[x * n + y] += i;
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
