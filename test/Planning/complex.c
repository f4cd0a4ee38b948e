// Of complex numbers, one order of a factor is packed in any case, and the other one soon.
// Few numbers that clang knows to be adjacent are left to it, unless it tests them for NaN.
//
// RUN: %clang -O2 -march=skylake-avx512 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s
// REQUIRES: x86
#define BODY                                                                                                           \
  double ar = a[2 * (i * N + k)], ai = a[2 * (i * N + k) + 1], br = b[2 * (k * N + j)], bi = b[2 * (k * N + j) + 1];   \
  c[2 * (i * N + j)] += ar * br - ai * bi;                                                                             \
  c[2 * (i * N + j) + 1] += ar * bi + ai * br;

// CHECK-LABEL: function 'run_time'
// CHECK: pack-a=n>48
void run_time(long N, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < N; i++)
    for (long k = 0; k < N; k++)
      for (long j = 0; j < N; j++) {
        BODY
      }
}

// CHECK-LABEL: function 'of_12'
// CHECK: TooSmall
#undef N
#define N 12
void of_12(long m, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < m; k++)
      for (long j = 0; j < N; j++) {
        BODY
      }
}

// CHECK-LABEL: function 'of_12_tested'
// CHECK: pack-a=
void of_12_tested(long m, const double _Complex *restrict a, const double _Complex *restrict b,
                  double _Complex *restrict c) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < m; k++)
      for (long j = 0; j < N; j++)
        c[i * N + j] += a[i * N + k] * b[k * N + j];
}

// CHECK-LABEL: function 'of_12_innermost'
// CHECK: pack-a=
void of_12_innermost(long m, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < N; j++)
      for (long k = 0; k < m; k++) {
        BODY
      }
}
