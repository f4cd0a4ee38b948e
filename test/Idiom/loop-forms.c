// Loops may start anywhere, include their bound, step, and run down.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void from_one_inclusive(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 1; i <= m; i++) // expected-remark {{replaced}}
    for (long j = 1; j <= n; j++)
      for (long k = 1; k <= p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void unsigned_inclusive(unsigned m, unsigned n, unsigned p, const double *a, const double *b, double *c) {
  for (unsigned i = 1; i <= m; i++) // expected-remark {{replaced}}
    for (unsigned j = 1; j <= n; j++)
      for (unsigned k = 1; k <= p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void signed_step(int m, int n, int p, const double *a, const double *b, double *c) {
  for (int i = 0; i < m; i += 3) // expected-remark {{replaced}}
    for (int j = 0; j < n; j += 5)
      for (int k = 0; k < p; k += 2)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void unsigned_step(unsigned m, unsigned n, unsigned p, const double *a, const double *b, double *c) {
  for (unsigned i = 0; i < m; i += 3) // expected-remark {{replaced}}
    for (unsigned j = 0; j < n; j += 5)
      for (unsigned k = 0; k < p; k += 7)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void size_step_inclusive(unsigned long m, unsigned long n, unsigned long p, const double *a, const double *b, double *c) {
  for (unsigned long i = 0; i <= m; i += 3) // expected-remark {{replaced}}
    for (unsigned long j = 2; j <= n; j += 5)
      for (unsigned long k = 0; k <= p; k += 7)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void not_equal(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i != m; i++) // expected-remark {{replaced}}
    for (long j = 0; j != n; j++)
      for (long k = 0; k != p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void downwards(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = m - 1; i >= 0; i--) // expected-remark {{replaced}}
    for (long j = n - 1; j >= 0; j--)
      for (long k = p - 1; k >= 0; k--)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void downwards_unsigned(unsigned m, unsigned n, unsigned p, const double *a, const double *b, double *c) {
  for (unsigned i = m; i-- > 0;) // expected-remark {{replaced}}
    for (unsigned j = n; j-- > 0;)
      for (unsigned k = p; k-- > 0;)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

void downwards_by_three(unsigned m, unsigned n, unsigned p, const double *a, const double *b, double *c) {
  for (unsigned i = m; i > 4; i -= 3) // expected-remark {{replaced}}
    for (unsigned j = n; j > 4; j -= 3)
      for (unsigned k = p; k > 4; k -= 3)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
