// Both parts of a complex sum are one contraction, of twice as many elements. The second
// term has the parts of its factor exchanged, and the signs that the products have.
//
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fcx-limited-range -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s
typedef double _Complex Z;

// CHECK-LABEL: function 'rows'
// CHECK: complex GEMM f64 (A strided, B row-major, C row-major)
// CHECK: N: extent 1 + {{.*}}2 *
// CHECK: C: base %3, {{.*}}, stride N 8
// CHECK: A: base %1, {{.*}}, stride K 16{{$}}
// CHECK: B: base %2, stride N 8, {{.*}}{{[0-9]\)$}}
// CHECK: A: base (8 + %1){{.*}}, stride K 16{{$}}
// CHECK: B: base %2, stride N 8, {{.*}}, parts of complex numbers along N, exchanged, second negated
// CHECK: update: fadd({{.*}}fsub(a*b, a*b)
void rows(long n, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// CHECK-LABEL: function 'columns'
// CHECK: complex GEMM f64 (A column-major, B strided, C column-major)
// CHECK: A: base %1, stride M 8, {{.*}}, parts of complex numbers along M
// CHECK: A: base %1, stride M 8, {{.*}}, parts of complex numbers along M
void columns(long n, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i + j * n] += ~a[i + k * n] * b[k + j * n];
}

// Numbers that are adjacent along k only.
// CHECK-LABEL: function 'transposed'
// CHECK: complex GEMM f64
// CHECK: B: base %2, stride N (8 * %0), stride K 16, parts of complex numbers along N{{$}}
// CHECK: B: base %2, stride N (8 * %0), stride K 16, parts of complex numbers along N, exchanged, second negated
void transposed(long n, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[j * n + k];
}

// What is stored is made of both sums: they are kept apart, side by side.
// CHECK-LABEL: function 'scaled'
// CHECK: complex GEMM f64
void scaled(long n, Z alpha, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      Z s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = alpha * s;
    }
}

// The products that are fused have B's number in common: A's parts are rows in turn, and
// so are those of C, whose numbers stay adjacent along N.
// CHECK-LABEL: function 'other_order'
// CHECK: complex GEMM f64
// CHECK: M: extent 1 + {{.*}}2 *
// CHECK: C: base %3, stride M (8 * %0), stride N 16, parts of complex numbers along M{{$}}
// CHECK: A: base %1, stride M (8 * %0), stride K 16, parts of complex numbers along M{{$}}
// CHECK: B: base %2, stride N 16
// CHECK: A: base %1, stride M (8 * %0), stride K 16, parts of complex numbers along M, exchanged, first negated
// CHECK: B: base (8 + %2){{.*}}, stride N 16
void other_order(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        double ar = a[2 * (i * n + k)], ai = a[2 * (i * n + k) + 1];
        double br = b[2 * (k * n + j)], bi = b[2 * (k * n + j) + 1];
        c[2 * (i * n + j)] += ar * br - ai * bi;
        c[2 * (i * n + j) + 1] += ai * br + ar * bi;
      }
}

// -0.0 - 0.0 is not -0.0 + -(0.0 + 0.0), made of products.
// CHECK-LABEL: function 'other_zeros'
// CHECK: sum of GEMMs f64
void other_zeros(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        double ar = a[2 * (i * n + k)], ai = a[2 * (i * n + k) + 1];
        double br = b[2 * (k * n + j)], bi = b[2 * (k * n + j) + 1];
        c[2 * (i * n + j)] += ar * br - ai * bi;
        c[2 * (i * n + j) + 1] -= ar * bi + ai * br;
      }
}
