// Products of complex numbers, which are computed again where both parts are
// NaN. Without that, they are two sums of products, in other members of C.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify=limited \
// RUN:   -fcx-limited-range
// expected-remark@* {{products of complex numbers are tested for NaN}}
// limited-remark@* {{sum of GEMMs}}
void product(long n, const _Complex double *restrict a, const _Complex double *restrict b, _Complex double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
