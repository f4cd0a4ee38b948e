// Arrays, variable-length arrays, pointers that walk, and rows of pointers hoisted.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
double ga[50][60], gb[60][70], gc[50][70];
void global_arrays(int m, int n, int p) {
  for (int i = 0; i < m; i++) // expected-remark {{replaced}}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        gc[i][j] += ga[i][k] * gb[k][j];
}

void two_dimensional(int m, int n, int p, double a[][60], double b[][70], double c[][70]) {
  for (int i = 0; i < m; i++) // expected-remark {{replaced}}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void variable_length(int m, int n, int p, double a[m][p], double b[p][n], double c[m][n]) {
  for (int i = 0; i < m; i++) // expected-remark {{replaced}}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void pointers_that_walk(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++, a += p, c += n) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      const double *x = a, *y = b + j;
      double s = 0;
      for (long k = 0; k < p; k++, y += n)
        s += *x++ * *y;
      c[j] = s;
    }
}

void larger_leading_dimension(long m, long n, long p, long ld, const double *restrict a,
                              const double *restrict b, double *restrict c) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * ld + j] += a[i * ld + k] * b[k * ld + j];
}
