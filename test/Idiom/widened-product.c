// The product is computed in int, and widened then.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{replaced 3-loop nest by pairwise reduction i64}}
void product(long n, const int *restrict a, const int *restrict b, long *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long sum = 0;
      for (long k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
