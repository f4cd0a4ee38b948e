// C that is turned by numbers has both parts of a number in a tile. With few numbers in a row,
// each part has a kernel of its own. Pairs times a vector are left to clang.
//
// RUN: %clang -O2 -march=skylake-avx512 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='print<tilesmith-plan>' -tilesmith-mr=16 -tilesmith-nr=1 -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ONE
// REQUIRES: x86
#define BODY                                                                                                           \
  double ar = a[2 * (i * n + k)], ai = a[2 * (i * n + k) + 1], br = b[2 * (k * N + j)], bi = b[2 * (k * N + j) + 1];   \
  c[2 * (i * N + j)] += ar * br - ai * bi;                                                                             \
  c[2 * (i * N + j) + 1] += ai * br + ar * bi;

// CHECK-LABEL: function 'run_time'
// CHECK: complex GEMM f64
// ONE-LABEL: function 'run_time'
// ONE: PlanTile
#define N n
void run_time(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) {
        BODY
      }
}

// CHECK-LABEL: function 'of_12'
// CHECK: complex GEMM f64
#undef N
#define N 12
void of_12(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < N; j++) {
        BODY
      }
}

// CHECK-LABEL: function 'of_8'
// CHECK: sum of GEMMs f64
#undef N
#define N 8
void of_8(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < N; j++) {
        BODY
      }
}

// CHECK-LABEL: function 'rows'
// CHECK: VectorizedSum
void rows(long n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      double ar = a[2 * (i * n + k)], ai = a[2 * (i * n + k) + 1], br = x[2 * k], bi = x[2 * k + 1];
      y[2 * i] += ar * br - ai * bi;
      y[2 * i + 1] += ar * bi + ai * br;
    }
}

// CHECK-LABEL: function 'columns'
// CHECK: VectorizedSum
void columns(long n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++) {
      double ar = a[2 * (k * n + i)], ai = a[2 * (k * n + i) + 1], br = x[2 * k], bi = x[2 * k + 1];
      y[2 * i] += ar * br - ai * bi;
      y[2 * i + 1] += ar * bi + ai * br;
    }
}
