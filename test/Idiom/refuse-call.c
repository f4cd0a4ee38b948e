// A call inside the loops.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void tick(void);
// expected-remark@* {{a function is called}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        tick();
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
}
