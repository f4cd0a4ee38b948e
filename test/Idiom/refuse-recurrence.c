// What the guard would find out in every run: C is a factor, or its elements
// coincide.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// The vector, not the matrix, is of C in the last one.
// expected-remark@* 3 {{update elements of C again that other iterations have updated}}
// expected-remark@* {{each row is made of the row before it}}
// expected-remark@* {{by GEMV f64}}
void factor(long n, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += c[i * n + k] * b[k * n + j];
}

void next_row(const double *restrict b, double c[restrict 101][100]) {
  for (long i = 0; i < 100; i++)
    for (long k = 0; k < 100; k++)
      for (long j = 0; j < 100; j++)
        c[i + 1][j] += c[i][k] * b[k * 100 + j];
}

void antidiagonals(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i - j] += a[i * n + k] * b[k * n + j];
}

void short_rows(const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < 100; i++)
    for (long k = 0; k < 100; k++)
      for (long j = 0; j < 100; j++)
        c[i * 99 + j] += a[i * 100 + k] * b[k * 100 + j];
}

void next_row_of_sums(const double *restrict b, double c[restrict 101][100]) {
  for (long i = 0; i < 100; i++)
    for (long j = 0; j < 100; j++)
      for (long k = 0; k < 100; k++)
        c[i + 1][j] += c[i][k] * b[k * 100 + j];
}
