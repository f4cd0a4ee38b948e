// Each product of a function is replaced by itself.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void chain(long n, const double *a, const double *b, const double *c, double *ab, double *abc) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      ab[i * n + j] = 0;
      for (long k = 0; k < n; k++)
        ab[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      abc[i * n + j] = 0;
      for (long k = 0; k < n; k++)
        abc[i * n + j] += ab[i * n + k] * c[k * n + j];
    }
}

void same_factor_twice(long n, const double *a, double *c) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * a[j * n + k];
}

void in_a_loop(long n, const double *a, const double *b, double *c) {
  for (long t = 0; t < 10; t++)
    for (long i = 0; i < n; i++) // expected-remark {{replaced}}
      for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
}
