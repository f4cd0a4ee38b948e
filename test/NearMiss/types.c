//===- types.c - elements that no kernel can hold -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

// EXPECT LongDouble: 80 bits, for which there are no vectors
void extended(long n, long double c[restrict n][n], const long double a[restrict n][n],
              const long double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT LongDouble: doubles that are summed with 80 bits, and rounded at the end
void extended_sum(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long double s = 0;
      for (long k = 0; k < n; k++)
        s += (long double)a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT LongDouble: quadruple precision, computed by functions
void quadruple(long n, __float128 c[restrict n][n], const __float128 a[restrict n][n],
               const __float128 b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT ElementType: 128-bit integers
void wide_integers(long n, __int128 c[restrict n][n], const __int128 a[restrict n][n],
                   const __int128 b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

struct fields {
  int low : 12, high : 20;
};

// EXPECT ComplexProduct: sums start from complex products, which are computed again where both parts are NaN
void complex_numbers(long n, _Complex double beta, _Complex double c[restrict n][n],
                     const _Complex double a[restrict n][n], const _Complex double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      _Complex double s = beta * c[i][j];
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

struct dual {
  double value, slope;
};

// EXPECT NotProduct: dual numbers: three elements are multiplied
void dual_numbers(long n, struct dual c[restrict n][n], const struct dual a[restrict n][n],
                  const struct dual b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j].slope += a[i][k].value * b[k][j].slope * b[k][j].value;
}

union word {
  float real;
  unsigned bits;
};

typedef float pair __attribute__((vector_size(8)));

// EXPECT HandVectorized: pairs of numbers whose halves change places in each product
void swapped_pairs(long n, pair c[restrict n][n], const pair a[restrict n][n],
                   const pair b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * __builtin_shufflevector(b[k][j], b[k][j], 1, 0);
}
