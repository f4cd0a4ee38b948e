//===- arithmetic.c - sums that are rounded or made differently -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

//===--- The sum. ---------------------------------------------------------===//

// EXPECT ScaledSum: a moving average
void average(long n, double c[restrict n][n], const double a[restrict n][n],
             const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][j] = 0.9 * (c[i][j] + a[i][k] * b[k][j]);
}

// EXPECT NoUpdate: the sum is multiplied by an element of a third matrix in every step
void gated(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n], const double f[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s = s * f[k][j] + a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT ElementType|NoUpdate: sums of double products in memory: C is rounded to float in every step
void rounded_in_memory(long n, float c[restrict n][n], const double a[restrict n][n],
                       const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT ElementType|NoUpdate: a sum of double products in an int, cut off in every step
void truncated(long n, int c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT Compensated: Kahan's compensated sum
void kahan(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, error = 0;
      for (long k = 0; k < n; k++) {
        double y = a[i][k] * b[k][j] - error, t = s + y;
        error = (t - s) - y;
        s = t;
      }
      c[i][j] = s;
    }
}

// EXPECT Compensated: the error of each addition is summed apart (Neumaier, Ogita-Rump-Oishi)
void two_sums(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, error = 0;
      for (long k = 0; k < n; k++) {
        double p = a[i][k] * b[k][j], t = s + p, z = t - s;
        error += (s - (t - z)) + (p - z);
        s = t;
      }
      c[i][j] = s + error;
    }
}

// EXPECT VaryingScalar: the sum has a second summand that depends on it
void feedback(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * (b[k][j] - s);
      c[i][j] = s;
    }
}

// EXPECT NoUpdate: the sum is subtracted from the product, so its sign changes in every step
void turned_round(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s = a[i][k] * b[k][j] - s;
      c[i][j] = s;
    }
}

// EXPECT NoUpdate: the product replaces the element; only the last one is left
void overwritten(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n], const double d[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][j] = d[i][j] + a[i][k] * b[k][j];
}

//===--- The terms. -------------------------------------------------------===//

// EXPECT none: quotients; dividing is not multiplying by a rounded reciprocal
void quotients(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] / b[k][j];
}

// EXPECT NotProduct: a third factor that depends on all three counters
void three_factors(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n], const double d[restrict n][n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j] * d[i][j][k];
}

// EXPECT NotProduct: (a*b)*w is not rounded as a*(b*w) is
void weighted(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n], const double w[restrict n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j] * w[k];
}

// EXPECT NotProduct: differences of products and elements, multiplied by a factor
void residuals(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n], const double d[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += 0.5 * (a[i][k] * b[k][j] - d[i][j]);
}

// EXPECT NotProduct|OtherOperation: the upper halves of products
void upper_halves(long n, long c[restrict n][n], const long a[restrict n][n],
                  const long b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += 3 * (long)((__int128)a[i][k] * b[k][j] >> 64);
}

// EXPECT VaryingScalar: the counter is a factor of each product, and not of an element
void times_counter(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += (a[i][k] * b[k][j]) * (double)(i ^ j ^ k);
}

// EXPECT NotProduct: the shift depends on k
void shifted_products(long n, unsigned c[restrict n][n], const unsigned a[restrict n][n],
                      const unsigned b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += (a[i][k] * b[k][j]) << ((i ^ j ^ k) & 7);
}

// EXPECT NotProduct: elements packed to bits, as in a reader of compressed data
void packed_bits(long n, unsigned long c[restrict n][n], const unsigned char a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      unsigned long bits = 0;
      for (long k = 0; k < n; k++)
        bits += (unsigned long)a[i][k] << (7 * k & 63);
      c[i][j] = bits;
    }
}

// EXPECT none: numbers read digit by digit
void digits(long n, unsigned c[restrict n][n], const char text[restrict n][n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      unsigned number = 0;
      for (long k = 0; k < n; k++)
        number = number * 10 + (unsigned)(text[i][j][k] - '0');
      c[i][j] = number;
    }
}

// EXPECT none: rows are scaled; what is added up are subscripts
void scaled_parts(int n, int m, const short *restrict from, const float *restrict a, const float *restrict b,
                  float *restrict c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = m * from[j]; k < m * from[j + 1]; k++)
        c[k + i * n] = a[k + i * n] * b[i * n + j];
}

// EXPECT VaryingScalar: a factor that lags one step behind, and is not set back for the next column
void lagging(long n, double c[restrict n][n], const double a[restrict n][n],
             const double b[restrict n][n]) {
  double last = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += last * b[k][j];
        last = a[i][k];
      }
      c[i][j] = s;
    }
}
