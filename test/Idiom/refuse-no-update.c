// A product that is stored, and not summed.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-remarks=all -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{no element is updated}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        c[(i * n + j) * n + k] = a[i * n + k] * b[k * n + j] + b[k];
      }
    }
}
