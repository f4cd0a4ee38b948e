// Products of complex numbers are computed again where both parts are NaN. A kernel
// can tell from the elements that no step is NaN, but not from what a sum starts.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void started(long n, _Complex double beta, const _Complex double *restrict a, const _Complex double *restrict b, _Complex double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      _Complex double s = beta * c[i * n + j]; // expected-remark {{products of complex numbers are tested for NaN}}
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
