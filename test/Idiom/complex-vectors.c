// The sums of a matrix of complex numbers times a vector are kept apart from what becomes of
// them, both parts side by side. The numbers of the vector may be made of several.
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

// CHECK-LABEL: function 'scaled_vector'
// CHECK: complex GEMV f64 (A column-major
// CHECK: B: made, {{.*}}stride K 8, moderate
// CHECK: B: made, {{.*}}stride K 8, moderate
// CHECK: made: fsub(fmul(%{{[0-9]+}}, x), fmul(%{{[0-9]+}}, x))
void scaled_vector(long m, long n, Z alpha, const Z *restrict a, const Z *restrict x, Z *restrict y) {
  for (long k = 0; k < n; k++) {
    Z t = alpha * x[k];
    for (long i = 0; i < m; i++)
      y[i] += t * a[i + k * m];
  }
}

// A matrix whose elements are made would be read twice.
// CHECK-LABEL: function 'scaled_matrix'
// CHECK-NOT: complex GEMV
void scaled_matrix(long m, long n, Z alpha, const Z *restrict a, const Z *restrict x, Z *restrict y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += (alpha * a[i * n + k]) * x[k];
}
