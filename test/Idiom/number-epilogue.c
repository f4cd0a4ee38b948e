// What is stored may be made of both parts of a complex sum, and of C: an epilogue of numbers.
// Products behind the sum are made again by a function where both parts are NaN.
//
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s
typedef double _Complex Z;
#define SUM(MORE)                                                                                                      \
  Z s = 0;                                                                                                             \
  for (long k = 0; k < n; k++) {                                                                                       \
    s += a[i * n + k] * b[k * n + j];                                                                                  \
    MORE                                                                                                               \
  }

// CHECK-LABEL: function 'scaled'
// CHECK-NEXT: complex GEMM
// CHECK: finish: sum
// CHECK-NEXT: epilogue: fadd(part, part); fadd(part, part)
void scaled(long n, Z alpha, Z beta, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      SUM()
      c[i * n + j] = alpha * s + beta * c[i * n + j];
    }
}

// Without that function, there are no products.
// CHECK-LABEL: function 'formula'
// CHECK: epilogue: {{.*}}sum'{{.*}}; {{.*}}sum'
void formula(long n, double p, double q, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      SUM()
      __real__ c[i * n + j] = p * __real__ s - q * __imag__ s;
      __imag__ c[i * n + j] = p * __imag__ s + q * __real__ s;
    }
}

// With a third sum, or another matrix, sums are kept apart.
// CHECK-LABEL: function 'other_matrix'
// CHECK-NEXT: complex GEMM
// CHECK-NOT: epilogue
void other_matrix(long n, Z beta, const Z *restrict a, const Z *restrict b, Z *restrict c, const Z *restrict d) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      SUM()
      c[i * n + j] = beta * d[i * n + j] * s;
    }
}

// A sum that is no part of the number.
// CHECK-LABEL: function 'third_sum'
// CHECK-NOT: epilogue
void third_sum(long n, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double t = 0;
      SUM(t += __real__ a[i * n + k];)
      __real__ c[i * n + j] = t * __real__ s;
      __imag__ c[i * n + j] = t * __imag__ s;
    }
}

// Real factors are those of each part.
// CHECK-LABEL: function 'real_factor'
// CHECK-NEXT: complex GEMM
// CHECK: finish: fmul({{.*}}sum
void real_factor(long n, double alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      SUM()
      c[i * n + j] = alpha * s;
    }
}
