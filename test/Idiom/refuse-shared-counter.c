// Inner counters are shared by all threads: a race, and no loops that can be
// counted. Private ones are none.
//
// RUN: %clang -O2 -fopenmp -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify

void both(int n, double *c, const double *a, const double *b) {
  int i, j, k;
#pragma omp parallel for
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) // expected-remark {{a loop's counter is a variable that all threads share}}
      for (k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void innermost(int n, double *c, const double *a, const double *b) {
  int i, j, k;
#pragma omp parallel for private(j)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++) // expected-remark {{private(j)}}
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void none(int n, double *c, const double *a, const double *b) {
  int i, j, k;
#pragma omp parallel for private(j, k)
  for (i = 0; i < n; i++) // expected-remark@-1 {{GEMM f64}}
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// Not the threads' doing.
void in_memory(int n, int *k, int *c, const int *a, const int *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (*k = 0; *k < n; ++*k) // expected-remark {{or that others may change}}
        c[i * n + j] += a[i * n + *k] * b[*k * n + j];
}
