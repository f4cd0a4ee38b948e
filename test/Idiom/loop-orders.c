// All six orders of the loops are one product.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void ijk(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void ikj(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long k = 0; k < p; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void jik(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long j = 0; j < n; j++) // expected-remark {{replaced}}
    for (long i = 0; i < m; i++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void jki(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long j = 0; j < n; j++) // expected-remark {{replaced}}
    for (long k = 0; k < p; k++)
      for (long i = 0; i < m; i++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void kij(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long k = 0; k < p; k++) // expected-remark {{replaced}}
    for (long i = 0; i < m; i++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void kji(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long k = 0; k < p; k++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      for (long i = 0; i < m; i++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
