// A product of complex numbers is a factor, if it is the one that both parts have in common. Its
// values are made, and are looked at in place of the elements: for NaN, and for zeros.
//
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s
typedef double _Complex Z;

// CHECK-LABEL: function 'scaled'
// CHECK: complex GEMM f64 (A computed, B row-major, C row-major)
// CHECK: A: made, stride M (8 * %0), stride K 8, moderate
// CHECK: B: base %4, stride N 8, stride K (16 * %0), moderate
// CHECK: A: made, stride M (8 * %0), stride K 8, moderate
// CHECK: B: {{.*}}, parts of complex numbers along N, exchanged, second negated
// CHECK: made: fsub(fmul(%1, x), fmul(%2, x))
// CHECK: made: fadd(fmul(%2, x), fmul(%1, x))
void scaled(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      Z t = ~(alpha * a[i * n + k]);
      for (long j = 0; j < n; j++)
        c[i * n + j] += t * b[k * n + j];
    }
}

// A test for zero, and what is done to C first.
// CHECK-LABEL: function 'skipped'
// CHECK: complex triangular GEMM f64 (A computed, B row-major, C row-major)
// CHECK: A: made, stride M 8, stride K (8 * %0), not zero, moderate
// CHECK: A: made, stride M 8, stride K (8 * %0), not zero, moderate
// CHECK: start: fmul(%3, c)
void skipped(long n, Z alpha, double beta, const Z *restrict a, Z *restrict c) {
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
// CHECK-LABEL: function 'other_test'
// CHECK-NOT: complex GEMM
// CHECK: not replaced
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
// CHECK-LABEL: function 'shifted'
// CHECK-NOT: complex GEMM
// CHECK: not replaced
void shifted(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i * n + k] != 0) {
        Z t = alpha + a[i * n + k];
        for (long j = 0; j < n; j++)
          c[i * n + j] += t * b[k * n + j];
      }
}

// The factor that moves along C's numbers: it is C that is turned.
// CHECK-LABEL: function 'along'
// CHECK: complex GEMM f64 (A strided, B computed, C strided)
// CHECK: C: {{.*}}, parts of complex numbers along M
// CHECK: B: made, stride N 8, stride K (8 * %0), moderate
void along(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * (alpha * b[k * n + j]);
}
