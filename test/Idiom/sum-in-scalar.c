// The sum may be kept in a scalar, and meet C afterwards.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void assign(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void add(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] += s;
    }
}

void from_c(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = c[i * n + j];
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void subtract(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = c[i * n + j];
      for (long k = 0; k < p; k++)
        s -= a[i * p + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void alpha_on_sum(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] = alpha * s + beta * c[i * n + j];
    }
}

void alpha_on_product(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = beta * c[i * n + j];
      for (long k = 0; k < p; k++)
        s += alpha * (a[i * p + k] * b[k * n + j]);
      c[i * n + j] = s;
    }
}

void alpha_on_a(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += alpha * a[i * p + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void negated(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += -(a[i * p + k] * b[k * n + j]);
      c[i * n + j] = s;
    }
}

void divided(long m, long n, long p, double alpha, double beta, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < p; k++)
        s += a[i * p + k] * b[k * n + j];
      c[i * n + j] = s / alpha;
    }
}
