// Where a product of complex numbers is NaN in both parts, a function computes it again.
// It is not if all elements are moderate: then both parts are sums of products, and what
// is done otherwise does not matter. Each complex matrix that is adjacent is looked at as
// one of numbers.
//
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s
#include <math.h>

// CHECK-LABEL: function 'product'
// CHECK: A: {{.*}}, moderate pairs
// CHECK: B: {{.*}}, stride N 4, {{.*}}, moderate{{$}}
// CHECK-NOT: moderate
// CHECK: update: fadd(fsub(a*b, a*b), sum)
void product(long n, const float _Complex *restrict a, const float _Complex *restrict b, float _Complex *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// The elements of A have others between them.
// CHECK-LABEL: function 'two_products'
// CHECK: A: {{.*}}, moderate{{$}}
// CHECK: B: {{.*}}, moderate pairs
// CHECK: A: {{.*}}, moderate{{$}}
void two_products(long n, const double (*restrict a)[3], const double (*restrict b)[2], double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        double x = a[i * n + k][0] * b[k * n + j][0] + a[i * n + k][1] * b[k * n + j][1];
        if (isnan(x))
          x = c[k * n + i] * 3;
        c[i * n + j] += x;
      }
}

// A sum of three products may overflow.
// CHECK-LABEL: function 'three_products'
// CHECK-NEXT: not replaced: Branch
void three_products(long n, const double (*restrict a)[3], const double (*restrict b)[3], double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        double x = a[i * n + k][0] * b[k * n + j][0] + a[i * n + k][1] * b[k * n + j][1] + a[i * n + k][2] * b[k * n + j][2];
        if (isnan(x))
          x = c[k * n + i] * 3;
        c[i * n + j] += x;
      }
}

// The kernel looks at its sums instead.
// CHECK-LABEL: function 'vector'
// CHECK-NEXT: complex GEMV f32
// CHECK: moderate
void vector(long n, const float _Complex *restrict a, const float _Complex *restrict b, float _Complex *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      c[i] += a[i * n + k] * b[k];
}

// What becomes of sums may be NaN: that is left to the source, which gets them from elsewhere.
// CHECK-LABEL: function 'scaled'
// CHECK: complex GEMM
void scaled(long n, double _Complex alpha, const double _Complex *restrict a, const double _Complex *restrict b, double _Complex *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double _Complex s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] += alpha * s;
    }
}
