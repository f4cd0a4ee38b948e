// Elements are float, double or integers, or narrower and widened on load.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void types_0(long m, long n, long p, const float *a, const float *b, float *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM f32}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (float)a[i * p + k] * b[k * n + j];
}

void types_1(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM f64}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (double)a[i * p + k] * b[k * n + j];
}

void types_2(long m, long n, long p, const int *a, const int *b, int *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i32}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (int)a[i * p + k] * b[k * n + j];
}

void types_3(long m, long n, long p, const unsigned *a, const unsigned *b, unsigned *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i32}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (unsigned)a[i * p + k] * b[k * n + j];
}

void types_4(long m, long n, long p, const long long *a, const long long *b, long long *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i64}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (long long)a[i * p + k] * b[k * n + j];
}

void types_5(long m, long n, long p, const signed char *a, const signed char *b, int *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i32}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (int)a[i * p + k] * b[k * n + j];
}

void types_6(long m, long n, long p, const unsigned short *a, const unsigned short *b, int *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i32}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (int)a[i * p + k] * b[k * n + j];
}

void types_7(long m, long n, long p, const float *a, const float *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM f64}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (double)a[i * p + k] * b[k * n + j];
}

void types_8(long m, long n, long p, const int *a, const int *b, long long *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i64}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += (long long)a[i * p + k] * b[k * n + j];
}

void sums_of_16_bits(long m, long n, long p, const short *a, const short *b, short *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i16}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void sums_of_8_bits(long m, long n, long p, const signed char *a, const signed char *b, unsigned char *c) {
  for (long i = 0; i < m; i++) // expected-remark {{GEMM i8}}
    for (long j = 0; j < n; j++) {
      int s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
