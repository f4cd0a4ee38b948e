// A subscript through a table.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{not a sum of loop counters}}
void product(long n, const double *restrict a, const double *restrict b, double *restrict c, const long *restrict index) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        c[i * n + j] += a[i * n + k] * b[index[k] * n + j];
      }
    }
}
