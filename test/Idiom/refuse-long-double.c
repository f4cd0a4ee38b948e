// Sums of long doubles.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* 3 {{the sum is a 'long double' ('real(10)' or 'real(16)' in Fortran), of which no CPU has vectors; sum in double}}
void product(long n, long double *c, const long double *a, const long double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void in_scalar(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long double s = 0;
      for (long k = 0; k < n; k++)
        s += (long double)a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
void converted(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += (long double)a[i * n + k] * b[k * n + j];
}
