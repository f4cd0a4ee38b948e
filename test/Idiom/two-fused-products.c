// Two products in a step, of which clang fuses the second with the first: the
// factors of a fused product are no part of the sum.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void syr2k(long n, long p, const double *a, const double *b, double *c) {
  // expected-remark@+1 {{replaced 3-loop nest by SYR2K f64}}
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[j * p + k] + b[i * p + k] * a[j * p + k];
}
