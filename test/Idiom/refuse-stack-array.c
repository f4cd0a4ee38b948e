// An array of variable length is made anew for each row. A const variable is no
// constant in C, but LLVM knows it.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -mllvm -tilesmith-remarks=all -c %s -o /dev/null \
// RUN:   -Xclang -verify

void rows(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++) {
    double row[n]; // expected-remark {{an array of variable length is made in the loops}}
    for (long k = 0; k < n; k++)
      row[k] = 0.5 * a[i * n + k];
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += row[k] * b[j * n + k];
  }
}

void eight_rows(int n, float *restrict c, const float *restrict a, const float *restrict b) {
  const int Rows = 8;
  for (int i = 0; i + Rows <= n; i += Rows) // expected-remark {{GEMM f32}}
    for (int j = 0; j < n; j++) {
      float s[Rows];
      for (int r = 0; r < Rows; r++)
        s[r] = 0;
      for (int k = 0; k < n; k++)
        for (int r = 0; r < Rows; r++)
          s[r] += a[(i + r) * n + k] * b[j * n + k];
      for (int r = 0; r < Rows; r++)
        c[(i + r) * n + j] = s[r];
    }
}
