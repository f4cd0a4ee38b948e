// RUN: %clang -O2 -mfma -ffp-contract=fast -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 -c %s -o /dev/null -Xclang -verify
// REQUIRES: x86

// Not refused: one of two scalars that are loaded in each iteration would not stay in the
// block of its addition, but a trial of the later passes shows that the other product is
// fused in any case.
void scalars(long m, long n, long k, const double *A, const double *B, double *C, const double *x, const double *y) {
  // expected-remark@+1 {{replaced 3-loop nest by GEMM f64}}
  for (long i = 0; i < m; i++)
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++)
        C[i * n + j] += A[i * k + p] * B[p * n + j] + *x * *y;
}

// Vectors are made of the loop where C is not in A or B. Then there is one
// product, added twice.
void product_twice(long m, long n, long k, const double *A, const double *B, double *C) {
  for (long p = 0; p < k; p++)
    for (long i = 0; i < m; i++)
      for (long j = 0; j < n; j++) {
        // expected-remark@+1 {{fuses only some of the multiply-adds}}
        C[i * n + j] += A[i * k + p] * B[p * n + j];
        C[i * n + j] += B[p * n + j] * A[i * k + p];
      }
}

// Vectors of products are made in the order of memory, and reversed to be
// added under a mask.
void backwards_if_not_zero(long m, long n, long k, const double *A, const double *B, double *restrict C) {
  for (long p = 0; p < k; p++)
    for (long i = 0; i < m; i++)
      for (long j = n; j-- > 0;)
        if (B[p * n + j] != 0)
          // expected-remark@+1 {{fuses only some of the multiply-adds}}
          C[i * n + j] -= A[i * k + p] * B[p * n + j];
}

// Not refused: C is walked backwards, but what becomes of its sums is an epilogue,
// which walks forwards.
void sums_backwards(long m, long n, long k, const double *A, const double *B, const double *X, double *restrict C) {
  // expected-remark@+1 {{with an epilogue}}
  for (long j = 0; j < n; j++)
    for (long i = m; i-- > 0;) {
      double sum = 0;
      for (long p = 0; p < k; p++)
        sum += A[p * m + i] * B[j * k + p];
      C[j * m + i] += sum * X[j * m + i + j];
    }
}

// Not refused: without the loop over p, that over i would be one of vectors, of
// which some are reversed. It is marked, and stays as it is in the source.
void rest_backwards(long m, long n, long k, const double *A, const double *B, double *restrict C, const double *x,
                    const double *y, double *restrict z) {
  // expected-remark@+1 {{replaced 3-loop nest by GEMM f64}}
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      z[j * m + i] += x[m - 1 - i] * y[m - 1 - i];
      for (long p = 0; p < k; p++)
        C[j * m + i] += A[p * m + i] * B[j * k + p];
    }
}

// Rows are found through a table: the products of several rows are made in
// their order, and reversed to be added.
void rows_backwards(long m, long n, long k, const float *a, const float *const *b, float *restrict c) {
  for (long i = 0; i < m; i++)
    for (long p = 0; p < k; p++)
      for (long j = n; j-- > 0;)
        // expected-remark@+1 {{fuses only some of the multiply-adds}}
        c[i * n + j] += a[i * k + p] * b[j][p];
}

// Not refused: two terms with three factors each may become lanes of one vector, but a trial
// of the later passes shows that they do not.
void three_factors(long m, long n, long k, double alpha, double beta, const double *restrict A,
                   const double *restrict B, const double *restrict D, const double *restrict E, double *restrict C) {
  // expected-remark@+1 {{replaced 3-loop nest by sum of GEMMs f64}}
  for (long i = 0; i < m; i++)
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++) {
        C[i * n + j] += (A[i * k + p] * B[p * n + j]) * beta;
        C[i * n + j] += D[i * k + p] * (E[p * n + j] * alpha);
      }
}

// A tile would multiply once for a row of B, and what is added several times is
// not fused.
void scaled_differences(long m, long n, long k, const float *A, const float *B, float *C) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++) {
        float d = A[i * k + p] - 3 * B[p * n + j];
        // expected-remark@+1 {{fuses only some of the multiply-adds}}
        C[i * n + j] += d * d;
      }
}

// Not refused: it is multiplied in front of the innermost loop, and so rounded.
void scaled_in_front(long m, long n, long k, const float *A, const float *B, float *restrict C) {
  // expected-remark@+1 {{replaced 3-loop nest by}}
  for (long i = 0; i < m; i++)
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++) {
        float d = 3 * A[i * k + p] - B[p * n + j];
        C[i * n + j] += d < 0 ? -d : d;
      }
}
