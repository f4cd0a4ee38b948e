// Subscripts that wrap around in every run, and bounds that never are those of a
// triangle.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* 2 {{an array subscript is not a sum of loop counters}}
void modulo(const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < 100; i++)
    for (long j = 0; j < 100; j++)
      for (long k = 0; k < 100; k++)
        c[i * 100 + j % 64] += a[i * 100 + k] * b[k * 100 + j];
}

void bytes(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < 300; k++)
        c[i * n + j] += a[i * n + (unsigned char)k] * b[k * n + j];
}
