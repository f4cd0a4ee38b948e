// Each operand may be stored by rows or by columns.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void rrr(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A row-major, B row-major, C row-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void rrc(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A row-major, B row-major, C column-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[j * m + i] += a[i * p + k] * b[k * n + j];
}

void rcr(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A row-major, B column-major, C row-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[j * p + k];
}

void rcc(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A row-major, B column-major, C column-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[j * m + i] += a[i * p + k] * b[j * p + k];
}

void crr(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A column-major, B row-major, C row-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[k * m + i] * b[k * n + j];
}

void crc(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A column-major, B row-major, C column-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[j * m + i] += a[k * m + i] * b[k * n + j];
}

void ccr(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A column-major, B column-major, C row-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[k * m + i] * b[j * p + k];
}

void ccc(long m, long n, long p, const float *a, const float *b, float *c) {
  // expected-remark@+1 {{(A column-major, B column-major, C column-major)}}
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[j * m + i] += a[k * m + i] * b[j * p + k];
}
