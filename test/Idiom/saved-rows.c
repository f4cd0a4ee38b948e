// A factor may be what the nest overwrites, if each row is read before anything is
// stored to it: TRMM as the reference BLAS has it. Kernels read a copy. Where steps
// are left out for zeros, C is put back, and the nest runs.
//
// RUN: %clang -O2 -ffp-contract=off %s -o %t.plain
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t -Xclang -verify
// RUN: %t.plain > %t.expected
// RUN: %t > %t.printed
// RUN: diff %t.expected %t.printed
// RUN: env TILESMITH='count=1' %clang -O2 -ffp-contract=off -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-min-work=1 %s -S -emit-llvm -o - | FileCheck %s
#include <stdio.h>
#include <string.h>

// CHECK-LABEL: define {{.*}}@left_upper
// CHECK: call {{.*}}i1 @tilesmith.passes
// CHECK: call {{.*}}@malloc
// CHECK: call {{.*}}void @tilesmith.copy
// CHECK: call {{.*}}i1 @tilesmith.gemm
#define FUNCTION __attribute__((noinline)) static void

FUNCTION left_upper(long m, long n, double alpha, int unit, const double *restrict a,
                    double *restrict b) {
  for (long j = 0; j < n; j++) // expected-remark 1-2 {{replaced}}
    for (long k = 0; k < m; k++)
      if (b[k + j * m] != 0) {
        double t = alpha * b[k + j * m];
        for (long i = 0; i < k; i++)
          b[i + j * m] += t * a[i + k * m];
        if (!unit)
          t *= a[k + k * m];
        b[k + j * m] = t;
      }
}

FUNCTION left_lower(long m, long n, double alpha, int unit, const double *restrict a,
                    double *restrict b) {
  for (long j = 0; j < n; j++) // expected-remark 1-2 {{replaced}}
    for (long k = m - 1; k >= 0; k--)
      if (b[k + j * m] != 0) {
        double t = alpha * b[k + j * m];
        b[k + j * m] = t;
        if (!unit)
          b[k + j * m] *= a[k + k * m];
        for (long i = k + 1; i < m; i++)
          b[i + j * m] += t * a[i + k * m];
      }
}

FUNCTION right_upper(long m, long n, double alpha, int unit, const double *restrict a,
                     double *restrict b) {
  for (long j = n - 1; j >= 0; j--) { // expected-remark 1-2 {{replaced}}
    double t = alpha;
    if (!unit)
      t *= a[j + j * n];
    for (long i = 0; i < m; i++)
      b[i + j * m] *= t;
    for (long k = 0; k < j; k++)
      if (a[k + j * n] != 0) {
        double s = alpha * a[k + j * n];
        for (long i = 0; i < m; i++)
          b[i + j * m] += s * b[i + k * m];
      }
  }
}

FUNCTION right_lower(long m, long n, double alpha, int unit, const double *restrict a,
                     double *restrict b) {
  for (long j = 0; j < n; j++) { // expected-remark 1-2 {{replaced}}
    double t = alpha;
    if (!unit)
      t *= a[j + j * n];
    for (long i = 0; i < m; i++)
      b[i + j * m] *= t;
    for (long k = j + 1; k < n; k++)
      if (a[k + j * n] != 0) {
        double s = alpha * a[k + j * n];
        for (long i = 0; i < m; i++)
          b[i + j * m] += s * b[i + k * m];
      }
  }
}

FUNCTION right_upper_transposed(long m, long n, double alpha, int unit, const double *restrict a,
                                double *restrict b) {
  for (long k = 0; k < n; k++) { // expected-remark 1-2 {{replaced}}
    for (long j = 0; j < k; j++)
      if (a[j + k * n] != 0) {
        double s = alpha * a[j + k * n];
        for (long i = 0; i < m; i++)
          b[i + j * m] += s * b[i + k * m];
      }
    double t = alpha;
    if (!unit)
      t *= a[k + k * n];
    if (t != 1)
      for (long i = 0; i < m; i++)
        b[i + k * m] *= t;
  }
}

FUNCTION right_lower_transposed(long m, long n, double alpha, int unit, const double *restrict a,
                                double *restrict b) {
  for (long k = n - 1; k >= 0; k--) { // expected-remark 1-2 {{replaced}}
    for (long j = k + 1; j < n; j++)
      if (a[j + k * n] != 0) {
        double s = alpha * a[j + k * n];
        for (long i = 0; i < m; i++)
          b[i + j * m] += s * b[i + k * m];
      }
    double t = alpha;
    if (!unit)
      t *= a[k + k * n];
    if (t != 1)
      for (long i = 0; i < m; i++)
        b[i + k * m] *= t;
  }
}

// Sums that start from a scaled element; the last row has no steps.
FUNCTION left_lower_transposed(long m, long n, double alpha, int unit, const double *restrict a,
                               double *restrict b) {
  for (long j = 0; j < n; j++) // expected-remark 1-2 {{replaced}}
    for (long i = 0; i < m; i++) {
      double t = b[i + j * m];
      if (!unit)
        t *= a[i + i * m];
      for (long k = i + 1; k < m; k++)
        t += a[k + i * m] * b[k + j * m];
      b[i + j * m] = alpha * t;
    }
}

// The first row has no steps, and is the last one.
FUNCTION left_upper_transposed(long m, long n, double alpha, int unit, const double *restrict a,
                               double *restrict b) {
  for (long j = 0; j < n; j++) // expected-remark 1-2 {{replaced}}
    for (long i = m - 1; i >= 0; i--) {
      double t = b[i + j * m] * a[i + i * m];
      for (long k = 0; k < i; k++)
        t += a[k + i * m] * b[k + j * m];
      b[i + j * m] = alpha * t;
    }
}

// Without tests and without anything else: rows from the last to the first.
FUNCTION from_the_last_row(long m, long n, double alpha, int unit, const double *restrict a,
                           double *restrict b) {
  for (long i = m; i-- > 0;) // expected-remark {{replaced}}
    for (long k = 0; k < i; k++)
      for (long j = 0; j < n; j++)
        b[i * n + j] += a[i * m + k] * b[k * n + j];
}

// Rows that have been updated already.
FUNCTION solve(long m, long n, double alpha, int unit, const double *restrict a,
               double *restrict b) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < i; k++)
      for (long j = 0; j < n; j++)
        b[i * n + j] += a[i * m + k] * b[k * n + j]; // expected-remark {{each step needs those before it}}
}

// A row is scaled before it is read.
FUNCTION scaled_first(long m, long n, double alpha, int unit, const double *restrict a,
                      double *restrict b) {
  for (long k = 0; k < m; k++) {
    for (long j = 0; j < n; j++)
      b[k * n + j] *= alpha; // expected-remark {{not replaced}}
    for (long i = 0; i < k; i++)
      for (long j = 0; j < n; j++)
        b[i * n + j] += a[i * m + k] * b[k * n + j];
  }
}

// What is counted could not be put back.
static double Count;
FUNCTION counted(long m, long n, double alpha, int unit, const double *restrict a,
                 double *restrict b) {
  for (long i = m; i-- > 0;) {
    Count += alpha;
    for (long k = 0; k < i; k++)
      for (long j = 0; j < n; j++)
        b[i * n + j] += a[i * m + k] * b[k * n + j]; // expected-remark {{not replaced}}
  }
}

enum { N = 45 };
typedef void Routine(long, long, double, int, const double *restrict, double *restrict);
static double A[N * N], B[(N + 1) * N];

static void run(Routine *of, const char *name, long zero) {
  for (long m = 1; m <= N; m += m < 3 ? 1 : 21)
    for (long n = 1; n <= N; n += n < 3 ? 1 : 21)
      for (int unit = 0; unit < 2; unit++) {
        for (long i = 0; i < N * N; i++)
          A[i] = i % 13 + 1;
        for (long i = 0; i < (N + 1) * N; i++)
          B[i] = 1.0 / (i % 17 + 1);
        if (zero >= 0)
          A[zero] = B[zero] = 0;
        of(m, n, 0.75, unit, A, B);
        unsigned long sum = 0;
        for (long i = 0; i < (N + 1) * N; i++) {
          unsigned long bits;
          memcpy(&bits, &B[i], sizeof bits);
          sum = sum * 31 + bits;
        }
        printf("%s %ld %ld %d %ld: %lx\n", name, m, n, unit, zero, sum);
      }
}

int main(void) {
#define RUN(name)                                                                                  \
  for (long zero = -1; zero < 80; zero += zero < 3 ? 1 : 19)                                       \
  run(name, #name, zero)
  RUN(left_upper);
  RUN(left_lower);
  RUN(right_upper);
  RUN(right_lower);
  RUN(right_upper_transposed);
  RUN(right_lower_transposed);
  RUN(left_lower_transposed);
  RUN(left_upper_transposed);
  RUN(from_the_last_row);
  RUN(solve);
  RUN(scaled_first);
  RUN(counted);
  printf("%g\n", Count);
}
