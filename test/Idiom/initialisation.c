// C may be set or scaled inside the nest, before it is summed to.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void at_the_element(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      c[i * n + j] = 0;
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
    }
}

void scaled_at_the_element(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      c[i * n + j] *= beta;
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
    }
}

void a_row_by_memset(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) { // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      c[i * n + j] = 0;
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
  }
}

void a_row_scaled(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) { // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      c[i * n + j] *= beta;
    for (long k = 0; k < p; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
  }
}

void a_column(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long j = 0; j < n; j++) { // expected-remark {{replaced}}
    for (long i = 0; i < m; i++)
      c[i * n + j] = 1;
    for (long i = 0; i < m; i++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
  }
}
