// The loop behind a nest is unrolled before vectors are made of it. How often
// depends on what is known of n there.
//
// RUN: %clang -O2 -mfma -ffp-contract=fast -flto=full -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 -c %s -o /dev/null -Xclang -verify
// REQUIRES: x86
void sum_behind(long n, const double *restrict a, const double *restrict b, double *restrict c,
                const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        // expected-remark@+1 {{fuses only some of the multiply-adds}}
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  for (long k = 0; k < n; k++)
    *y += x[k] * x[k]; // expected-remark {{scalar product}}
}

// There is no way from the nest to the sum.
void sum_elsewhere(int which, long n, const double *restrict a, const double *restrict b, double *restrict c,
                   const double *restrict x, double *restrict y) {
  if (which) {
    for (long i = 0; i < n; i++) // expected-remark {{replaced}}
      for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
    return;
  }
  for (long k = 0; k < n; k++)
    *y += x[k] * x[k]; // expected-remark {{scalar product}}
}

// B is gathered: vectors of products are made apart from their sums.
void gathered(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        // expected-remark@+1 {{fuses only some of the multiply-adds}}
        c[i * n + j] += a[i * n + k] * b[j * n + k];
}
