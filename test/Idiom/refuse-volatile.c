// A volatile operand.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{volatile or atomic}}
void product(long n, const volatile double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
}
