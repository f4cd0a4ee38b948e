// A product of complex numbers is a factor, if it is the one that both parts have in common. Its
// values are made, and are looked at in place of the elements: for NaN, and for zeros.
//
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s
typedef double _Complex Z;

void scaled(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      Z t = ~(alpha * a[i * n + k]);
      for (long j = 0; j < n; j++)
        c[i * n + j] += t * b[k * n + j];
    }
}

// A test for zero, and what is done to C first.
void skipped(long n, Z alpha, Z beta, const Z *restrict a, Z *restrict c) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j <= i; j++)
      c[i * n + j] = beta * c[i * n + j];
    for (long k = 0; k < n; k++)
      if (a[k * n + i] != 0) {
        Z t = alpha * a[k * n + i];
        for (long j = 0; j <= i; j++)
          c[i * n + j] += t * a[k * n + j];
      }
  }
}

// The weight is not tested, and need not be there where the number is zero.
void other_test(long n, const Z *restrict d, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i * n + k] != 0) {
        Z t = d[k] * a[i * n + k];
        for (long j = 0; j < n; j++)
          c[i * n + j] += t * b[k * n + j];
      }
}

// A sum of the number and another one is not zero where the number is.
void shifted(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i * n + k] != 0) {
        Z t = alpha + a[i * n + k];
        for (long j = 0; j < n; j++)
          c[i * n + j] += t * b[k * n + j];
      }
}

// The factor that moves along C's numbers.
void along(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * (alpha * b[k * n + j]);
}
