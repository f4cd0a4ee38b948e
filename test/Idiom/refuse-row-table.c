// Tables of rows in ways that are not understood.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify

// A triangle of a factor: its rows may be shorter than the others.
void triangular_factor(long n, double **a, double **b, double **c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k <= i; k++)
        c[i][j] += a[i][k] * b[k][j]; // expected-remark {{given by pointers to its rows}}
}

// Rows of C are stored to. Beside those of factors, something else may be stored.
void other_store(long n, double **restrict a, double **restrict b, double **restrict c, double *restrict d) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
      d[i * n + j] = i; // expected-remark {{given by pointers to its rows}}
    }
}

void beside_factors(long n, double **a, double **b, double *c, double *d) {
  for (long i = 0; i < n; i++) // expected-remark {{A table of rows, B table of rows, C row-major}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i * n + j] = s;
      d[i * n + j] = i;
    }
}

// The sum is not stored as it is, and is kept in a matrix of its own.
void sum_in_a_test(long n, double **a, double **b, double *restrict c) {
  for (long i = 0; i < n; i++) // expected-remark {{A table of rows, B table of rows, C row-major}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i * n + j] = s > 0 ? s : 0;
    }
}

// Both indices choose the row.
void two_levels(long n, double ***a, double *b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += *a[i][k] * b[k * n + j]; // expected-remark {{not a sum of loop counters}}
}

// An index moves the row and the place in it.
void skewed(long n, double **a, double *b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i][i + k] * b[k * n + j]; // expected-remark {{not a sum of loop counters}}
}

// The table of C is that of A.
void in_place(long n, double **a, double **b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        a[i][j] += a[i][k] * b[k][j]; // expected-remark {{that other iterations have updated}}
}

void volatile_table(long n, double *volatile *a, double *b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i][k] * b[k * n + j]; // expected-remark {{volatile}}
}

// Both indices of C are of the matrix. What selects its row has no step.
void vector(long t, long m, long n, long ld, unsigned long **c, unsigned *a, unsigned *x) {
  for (long s = 0; s < t; s++)
    for (long i = 0; i < m; i++)
      for (long j = 0; j < n; j++)
        for (long k = 0; k < s + 2; k++)
          c[i][j] += x[k] * (unsigned long)a[(i * n + j) * ld + k]; // expected-remark {{clang's own vectors}}
}
