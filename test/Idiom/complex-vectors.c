// The sums of a matrix of complex numbers times a vector are kept apart from what becomes of
// them, both parts side by side.
//
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s
typedef double _Complex Z;

// CHECK-LABEL: function 'scaled'
// CHECK: complex GEMV f64 (A strided)
// CHECK: C: base null, stride M 8{{$}}
// CHECK: A: {{.*}}, moderate, parts of complex numbers along M
// CHECK: A: {{.*}}, parts of complex numbers along M, exchanged, second negated
// CHECK: sums are kept apart
void scaled(long m, long n, Z alpha, const Z *restrict a, const Z *restrict x, Z *restrict y) {
  for (long i = 0; i < m; i++) {
    Z s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[3 * i] += alpha * s;
  }
}

// Where more is done in the loop over k, clang's own loops stay.
// CHECK-LABEL: function 'with_more'
// CHECK-NOT: complex GEMV
void with_more(long m, long n, Z alpha, const Z *restrict a, const Z *restrict x, Z *restrict y) {
  for (long i = 0; i < m; i++) {
    Z s = 0;
    double norm = 1;
    for (long k = 0; k < n; k++) {
      s += a[i * n + k] * x[k];
      norm = norm * .5 + __real__ a[i * n + k];
    }
    y[i] += alpha * s / norm;
  }
}
