// Elements of 64 bits, of which 32 bits are summed in memory. In a scalar, they are
// summed in 64 bits.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -mllvm -tilesmith-remarks=all -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{the elements are wider than their sum}}
// expected-remark@* 2{{replaced 3-loop nest by pairwise reduction i64}}
void narrow(long n, const unsigned long *restrict a, const unsigned long *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += __builtin_popcountll(a[i * n + k] ^ b[k * n + j]);
}

void wide(long n, const unsigned long *restrict a, const unsigned long *restrict b, long *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long sum = 0;
      for (long k = 0; k < n; k++)
        sum += __builtin_popcountll(a[i * n + k] ^ b[k * n + j]);
      c[i * n + j] = sum;
    }
}

void scalar(long n, const unsigned long *restrict a, const unsigned long *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int sum = 0;
      for (long k = 0; k < n; k++)
        sum += __builtin_popcountll(a[i * n + k] ^ b[k * n + j]);
      c[i * n + j] = sum;
    }
}
