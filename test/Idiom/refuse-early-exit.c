// A loop that is left early. The remark stands where that happens.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void product(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++) {
        if (a[i * n + k] < 0) // expected-remark {{left early}}
          return;
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
}

void rows(long n, const double *restrict a, const double *restrict b, double *restrict c, const double *restrict limit) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    if (c[i * n] < *limit) // expected-remark {{left early}}
      break;
    c[i * n]++;
  }
}
