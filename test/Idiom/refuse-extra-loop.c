// Another loop in the nest that can be left early.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void product(long n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict d) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      d[j] += 1;
      if (d[j] < 0) // expected-remark {{another loop inside the nest can be left early}}
        break;
      d[j] -= 1;
    }
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
