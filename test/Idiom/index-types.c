// Counters and subscripts may be of any integer type.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void index_int(int m, int n, int p, const double *a, const double *b, double *c) {
  for (int i = 0; i < m; i++) // expected-remark {{replaced}}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void index_unsigned(unsigned m, unsigned n, unsigned p, const double *a, const double *b, double *c) {
  for (unsigned i = 0; i < m; i++) // expected-remark {{replaced}}
    for (unsigned j = 0; j < n; j++)
      for (unsigned k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void index_long(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void index_unsigned_long(unsigned long m, unsigned long n, unsigned long p, const double *a, const double *b, double *c) {
  for (unsigned long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (unsigned long j = 0; j < n; j++)
      for (unsigned long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void index_short(short m, short n, short p, const double *a, const double *b, double *c) {
  for (short i = 0; i < m; i++) // expected-remark {{replaced}}
    for (short j = 0; j < n; j++)
      for (short k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
