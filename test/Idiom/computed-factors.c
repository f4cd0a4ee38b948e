// Factors of several elements: what they are made of, and what they must not be.
//
// RUN: %clang -O1 -emit-llvm -S %s -o - | %opt -disable-output \
// RUN:   -passes='print<tilesmith-idioms>' 2>&1 | FileCheck %s
// RUN: %clang -O1 -fpass-plugin=%tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSED

// CHECK:      GEMM f64 (A computed, B row-major, C row-major), MxNxK at run time
// CHECK:      A: made, stride M 8, stride K
// CHECK-NEXT: B: base %{{[a-z0-9]+}}, stride N 8, stride K
// CHECK-NEXT: X: base %{{[a-z0-9]+}}, stride M 8, stride K
// CHECK-NEXT: X: base %{{[a-z0-9]+}}, stride K 8{{$}}
// CHECK:      update: {{.*}} with a := a, b := b
// CHECK-NEXT: made: fmul(x, x)
// CHECK:      guard: C does not overlap X
// CHECK-NEXT: guard: C does not overlap X
void weights(long n, long m, const double *x, const double *w, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += x[k * m + i] * w[k] * x[k * m + j];
      c[i * m + j] = s;
    }
}

// Both factors, along the steps.
// CHECK:      GEMM f32 (A computed, B computed, C row-major)
// CHECK:      A: made, stride M {{.*}}, stride K 4
// CHECK-NEXT: B: made, stride N {{.*}}, stride K 4
// CHECK:      made: fsub(x, x)
// CHECK-NEXT: made: fmul(x, x)
void both(long n, const float *a, const float *mean, const float *b, const float *mask, float *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += (a[i * n + k] - mean[i]) * (b[j * n + k] * mask[j * n + k]);
}

// One element of a factor moves with the other one's columns.
// MISSED: computed-factors.c:[[@LINE+6]]:{{[0-9]+}}: remark: matrix product not replaced: what each step adds is not made of one element of A and one of B
void moves(long n, const double *a, const double *b, const double *d, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += (a[i * n + k] * d[j]) * b[k * n + j];
      c[i * n + j] = s;
    }
}

// A condition leaves out steps, and with them loads.
// MISSED: computed-factors.c:[[@LINE+4]]:{{[0-9]+}}: remark: matrix product not replaced
void skips(long n, const double *a, const double *b, const double *d, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i * n + k] != 0)
        for (long j = 0; j < n; j++)
          c[i * n + j] += (a[i * n + k] * d[k]) * b[k * n + j];
}

// The other factor is in a table of rows.
// MISSED: computed-factors.c:[[@LINE+7]]:{{[0-9]+}}: remark: matrix product not replaced: {{.*}}pointers to its rows
void table(long n, const double *a, double *const *b, const double *d, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += (a[i * n + k] * d[k]) * b[k][j];
      c[i * n + j] = s;
    }
}
