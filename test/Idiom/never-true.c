//===- never-true.c - tests that no sizes pass are not made ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-remarks=all -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify

// The other two rows are beside the first one, however long these are. They
// would be the same element only if ldc were zero. (Four rows are one product.)
void rows_apart(unsigned m, unsigned n, unsigned p, float *c, unsigned ldc, const float *a, unsigned lda,
                const float *b, unsigned ldb) {
  for (unsigned i = 0; i + 3 < m; i += 4) // expected-remark 3 {{GEMM}}
    for (unsigned j = 0; j < n; j++) {
      float s0 = 0, s1 = 0, s2 = 0;
      for (unsigned k = 0; k < p; k++) {
        s0 += a[i * lda + k] * b[k * ldb + j];
        s1 += a[(i + 1) * lda + k] * b[k * ldb + j];
        s2 += a[(i + 2) * lda + k] * b[k * ldb + j];
      }
      c[i * ldc + j] = s0;
      c[(i + 1) * ldc + j] = s1;
      c[(i + 2) * ldc + j] = s2;
    }
}

// Rows that later steps read are set in their turn: in place, all rows would have
// to be one. The product reads a copy.
void rows_in_turn(long m, long n, const double *a, double *c, long ldc) {
  for (long i = 0; i < m; i++) { // expected-remark {{TRMM}}
    for (long j = 0; j < n; j++)
      c[i * ldc + j] *= a[i * m + i];
    for (long k = i + 1; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * ldc + j] += a[i * m + k] * c[k * ldc + j];
  }
}

// The test whether the second half has steps is none of the first half's.
void other_half(unsigned long m, unsigned long n, const double *a, const double *b, double *c) {
  unsigned long i = 0;
  if (i < m)
    do { // expected-remark 2 {{TRMM}}
      for (unsigned long k = 0; k <= i; k++)
        for (unsigned long j = 0; j < n; j++)
          c[i * 264 + j] += a[i * 264 + k] * b[k * 264 + j];
      unsigned long k = i + 1;
      if (k < m) // expected-remark 0-1 {{changes}}
        do
          for (unsigned long j = 0; j < n; j++)
            c[i * 264 + j] += a[k * 264 + i] * b[k * 264 + j];
        while (++k < m);
    } while (++i < m);
}

// Steps in tiles have no length of their own to try sizes for.
void rest_in_tiles(long n, long ld, double c[][ld], const double a[][ld], const double b[][ld], double *d) {
  for (long t = 0; t < n; t += 2)
    for (long j = 0; j < n; j++)
      for (long k = t; k < (t + 2 < n ? t + 2 : n); k++)
        for (long i = 0; i < n; i++) {
          c[i][j] += a[i][k] * b[k][j];
          d[i] = 0; // expected-remark {{not replaced}}
        }
}
