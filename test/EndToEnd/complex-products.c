// Products of complex numbers with their test for NaN. The results are the same, bit by
// bit, whatever is in the matrices: NaN, infinities, numbers that overflow in a product or
// in a sum of two, the largest that do not, negative zeros, and numbers that underflow.
// Only the signs and payloads of NaN may differ.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   -Rpass-missed=tilesmith %s %S/../../runtime/Counts.c -o %t.ours -lm > %t.remarks 2>&1
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts && FileCheck %s --check-prefix=MISSED < %t.remarks
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float -DTINY=0x1p-140f -DLARGE=0x1.fffffep62f -DHUGE=0x1p64f
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float -DTINY=0x1p-140f -DLARGE=0x1.fffffep62f -DHUGE=0x1p64f
// RUN: %{test}
// REQUIRES: x86
//
// Both parts are made by one kernel, or by one each, where the data permit.
// CHECK-DAG: {{^[1-9].*}}in_memory{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}by_rows{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}subtracted{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}summed{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}conjugated{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}hermitian{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}lower{{.*}}: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}scaled{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}real_part{{.*}}: sum of GEMMs
// CHECK-DAG: {{^[1-9].*}}sliced{{.*}}: sum of GEMMs
// CHECK-DAG: {{^[1-9].*}}tested_by_hand{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}other_function{{.*}}: complex GEMM
// CHECK-DAG: {{^[1-9].*}}three_factors{{.*}}: complex GEMM
//
// MISSED: what each step adds is not made of one element of A and one of B
// MISSED: products of complex numbers are tested for NaN
// MISSED-NOT: remark:
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef T
#define T double
#define TINY 0x1p-1060
#define LARGE 0x1.fffffffffffffp510
#define HUGE 0x1p512
#endif
typedef T _Complex Z;
#define NEST __attribute__((noinline)) void

NEST in_memory(int m, int n, int k, const Z *a, const Z *b, Z *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

NEST by_rows(int m, int n, int k, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

NEST subtracted(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long j = 0; j < n; j++)
    for (long p = 0; p < k; p++)
      for (long i = 0; i < m; i++)
        c[i + j * m] -= a[i + p * m] * b[p + j * k];
}

NEST summed(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      Z s = 0;
      for (long p = 0; p < k; p++)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = s;
    }
}

NEST conjugated(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      Z s = 0;
      for (long p = 0; p < k; p++)
        s += ~a[p * m + i] * b[p * n + j];
      c[i * n + j] += s;
    }
}

NEST hermitian(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      Z s = c[i * n + j];
      for (long p = 0; p < k; p++)
        s += a[i * k + p] * ~b[j * k + p];
      c[i * n + j] = s;
    }
}

// What is beyond the triangle may be anything.
NEST lower(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * ~a[j * k + p];
}

NEST scaled(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  Z alpha = b[0], beta = b[1];
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      Z s = 0;
      for (long p = 0; p < k; p++)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = alpha * s + beta * c[i * n + j];
    }
}

NEST real_part(long m, long n, long k, const Z *a, const Z *b, T *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += __real__(a[i * k + p] * b[p * n + j]);
}

// Nothing is adjacent.
NEST sliced(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m / 2; i++)
    for (long j = 0; j < n / 2; j++)
      for (long p = 0; p < k / 2; p++)
        c[2 * (i * n + j)] += a[2 * (i * k + p)] * b[2 * (p * n + j)];
}

// The tests may be others, and so may be what is done then: it is not done where a kernel runs.
NEST tested_by_hand(long m, long n, long k, const T (*a)[2], const T (*b)[2], T (*c)[2]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++) {
        T re = a[i * k + p][0] * b[p * n + j][0] - a[i * k + p][1] * b[p * n + j][1];
        T im = a[i * k + p][0] * b[p * n + j][1] + a[i * k + p][1] * b[p * n + j][0];
        if (isnan(im))
          re = 17, c[0][0] = im;
        c[i * n + j][0] += re;
        c[i * n + j][1] += im;
      }
}

__attribute__((noinline)) Z another(T x, T y) { return x > y ? 3 : y; }
NEST other_function(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++) {
        Z x = a[i * k + p], y = b[p * n + j];
        T re = __real__ x * __real__ y - __imag__ x * __imag__ y;
        T im = __real__ x * __imag__ y + __imag__ x * __real__ y;
        if (isnan(re) && isnan(im)) {
          Z z = another(__imag__ x, __real__ y);
          re = __real__ z, im = __imag__ z;
        }
        __real__ c[i * n + j] += re;
        __imag__ c[i * n + j] += im;
      }
}

NEST three_factors(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  Z alpha = b[0];
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += alpha * a[i * k + p] * b[p * n + j];
}

// Not replaced: other elements are tested; a sum starts from a product.
NEST of_another_element(long m, long n, long k, const T *a, const T *b, T *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++) {
        T x = a[i * k + p] * b[p * n + j];
        if (isnan(a[i * k + p] * b[j * k + p]))
          x = 3;
        c[i * n + j] += x;
      }
}

NEST started(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  Z beta = b[1];
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      Z s = beta * c[i * n + j];
      for (long p = 0; p < k; p++)
        s += a[i * k + p] * b[p * n + j];
      c[i * n + j] = s;
    }
}

enum { M = 13, N = 11, K = 9, SIZE = 2 * M * N };
static T A[SIZE], B[SIZE], C[SIZE];

static void fill(void) {
  for (int i = 0; i < SIZE; i++) {
    A[i] = (i * 37 % 101) * (T)0.1 - 5;
    B[i] = (i * 53 % 97) * (T)0.3 - 14;
    C[i] = (i * 31 % 89) * (T)0.7 - 20;
  }
}

static void show(const char *name) {
  for (int i = 0; i < SIZE; i++)
    if (isnan(C[i]))
      C[i] = 12345;
  printf("%s ", name);
  for (unsigned i = 0; i < sizeof C; i++)
    printf("%02x", ((unsigned char *)C)[i]);
  puts("");
}

#define RUN(NEST)                                                                                  \
  fill(), set(where, at, value), NEST(M, N, K, (const void *)A, (const void *)B, (void *)C), show(#NEST)
static void set(T *where, int at, T value) {
  if (at < 0)
    for (int i = 0; i < SIZE; i += -at)
      where[i] = value;
  else
    where[at] = value;
}

int main(void) {
  T values[] = {1, -0.0, TINY, LARGE, HUGE, -HUGE, HUGE * (HUGE / 4), INFINITY, -INFINITY, NAN};
  int places[] = {0, 1, 2 * N * K - 1, 2 * N * K - 2, 97, 30, -1, -2, -5};
  T *matrices[] = {A, B, C};
  for (unsigned v = 0; v < sizeof values / sizeof *values; v++)
    for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
      for (int x = 0; x < 3; x++) {
        T value = values[v], *where = matrices[x];
        int at = places[p];
        RUN(in_memory);
        RUN(by_rows);
        RUN(subtracted);
        RUN(summed);
        RUN(conjugated);
        RUN(hermitian);
        RUN(lower);
        RUN(scaled);
        RUN(real_part);
        RUN(sliced);
        RUN(tested_by_hand);
        RUN(other_function);
        RUN(three_factors);
        RUN(of_another_element);
        RUN(started);
      }
}
