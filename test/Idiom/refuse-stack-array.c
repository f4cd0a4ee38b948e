// In C, a const variable is no constant, so that the array's length varies.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify

void rows(int n, float *restrict c, const float *restrict a, const float *restrict b) {
  const int Rows = 8;
  for (int i = 0; i + Rows <= n; i += Rows)
    for (int j = 0; j < n; j++) {
      float s[Rows]; // expected-remark {{an array of variable length is made in the loops}}
      for (int r = 0; r < Rows; r++)
        s[r] = 0;
      for (int k = 0; k < n; k++)
        for (int r = 0; r < Rows; r++)
          s[r] += a[(i + r) * n + k] * b[j * n + k];
      for (int r = 0; r < Rows; r++)
        c[(i + r) * n + j] = s[r];
    }
}

void rows_of_constant_length(int n, float *restrict c, const float *restrict a, const float *restrict b) {
  enum { Rows = 8 };
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
