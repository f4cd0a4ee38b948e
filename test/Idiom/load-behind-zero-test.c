// A scalar may be loaded only in steps that a zero leaves out, as f2c's C does
// with alpha. The guard loads it if the first element says that its step is made,
// after it has found out that no store changes that element.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith %s -o %t -Xclang -verify
// RUN: %t
// RUN: %clang -O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t
// RUN: %t
#include <stddef.h>
#include <string.h>

__attribute__((noinline)) void upper(long n, long terms, const double *alpha, const double *a,
                                     double *c) {
  for (long j = 0; j < n; j++) { // expected-remark {{replaced}}
    for (long i = 0; i <= j; i++)
      c[i + j * n] = 0;
    for (long k = 0; k < terms; k++)
      if (a[j + k * n] != 0) {
        double t = *alpha * a[j + k * n];
        for (long i = 0; i <= j; i++)
          c[i + j * n] += t * a[i + k * n];
      }
  }
}

// Of two tests, one is enough.
__attribute__((noinline)) void both(long n, long terms, const double *alpha, const double *a,
                                    const double *b, double *c) {
  for (long j = 0; j < n; j++) // expected-remark {{replaced}}
    for (long k = 0; k < terms; k++)
      if (a[j + k * n] != 0 || b[j + k * n] != 0) {
        double s = *alpha * b[j + k * n], t = *alpha * a[j + k * n];
        for (long i = 0; i < n; i++)
          c[i + j * n] = c[i + j * n] + a[i + k * n] * s + b[i + k * n] * t;
      }
}

// Of complex numbers, either part may be other than zero.
__attribute__((noinline)) void numbers(long n, const double *alpha, const double *a, double *c) {
  for (long j = 0; j < n; j++) // expected-remark {{replaced}}
    for (long k = 0; k < n; k++) {
      const double *f = &a[2 * (j + k * n)];
      if (f[0] != 0 || f[1] != 0) {
        double r = alpha[0] * f[0] - alpha[1] * f[1], s = alpha[0] * f[1] + alpha[1] * f[0];
        for (long i = 0; i <= j; i++) {
          const double *g = &a[2 * (i + k * n)];
          c[2 * (i + j * n)] += r * g[0] - s * g[1];
          c[2 * (i + j * n) + 1] += r * g[1] + s * g[0];
        }
      }
    }
}

// An address must be known before elements can be looked at.
__attribute__((noinline)) void subscript(long n, const long *ld, const double *a, const double *b,
                                         double *c) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < n; k++)
      if (a[j + k * n] != 0)
        for (long i = 0; i < n; i++) // expected-remark {{changes what is computed}}
          c[i + j * n] += a[j + k * n] * b[i + k * *ld];
}

enum { N = 40 };
static double A[N * N], B[N * N], C[2 * N * N];
static volatile double Expected[2 * N * N];
static long Wrong;

static void fill(void) {
  for (long i = 0; i < N * N; i++) {
    A[i] = i % 7 + 1;
    B[i] = i % 5 + 1;
  }
  memset(C, 0, sizeof C);
  for (long i = 0; i < 2 * N * N; i++)
    Expected[i] = 0;
}

static void compare(void) {
  for (long i = 0; i < 2 * N * N; i++)
    Wrong += C[i] != Expected[i];
}

int main(void) {
  double alpha = 2;
  fill();
  for (long j = 0; j < N; j++)
    for (long k = 0; k < N; k++)
      for (long i = 0; i <= j; i++)
        Expected[i + j * N] += alpha * A[j + k * N] * A[i + k * N]; // expected-remark 0-9 {{volatile}}
  upper(N, N, &alpha, A, C);
  compare();

  fill();
  A[0] = 0;
  for (long j = 0; j < N; j++)
    for (long k = 0; k < N; k++)
      for (long i = 0; i < N; i++)
        Expected[i + j * N] += // expected-remark 0-9 {{volatile}}
            alpha * B[j + k * N] * A[i + k * N] + alpha * A[j + k * N] * B[i + k * N];
  both(N, N, &alpha, A, B, C);
  compare();

  // The imaginary part of the first number is all that is there.
  fill();
  A[0] = 0;
  const double two[] = {2, 1};
  enum { H = N / 2 };
  for (long j = 0; j < H; j++)
    for (long k = 0; k < H; k++)
      for (long i = 0; i <= j; i++) {
        const double *f = &A[2 * (j + k * H)], *g = &A[2 * (i + k * H)];
        double r = two[0] * f[0] - two[1] * f[1], s = two[0] * f[1] + two[1] * f[0];
        Expected[2 * (i + j * H)] += r * g[0] - s * g[1];     // expected-remark 0-9 {{volatile}}
        Expected[2 * (i + j * H) + 1] += r * g[1] + s * g[0]; // expected-remark 0-9 {{volatile}}
      }
  numbers(H, two, A, C);
  compare();

  // Without an element that passes, there need not be a scalar.
  fill();
  memset(A, 0, sizeof A);
  upper(N, N, NULL, A, C);
  numbers(H, NULL, A, C);
  memset(B, 0, sizeof B);
  both(N, N, NULL, A, B, C);
  subscript(N, NULL, A, B, C);
  compare();

  // The first element becomes zero before it is tested, and so do all others.
  fill();
  for (long i = 0; i < N * N; i++)
    C[i] = i == 0;
  upper(N, 1, NULL, C, C);
  for (long i = 0; i < N * N; i++)
    Wrong += C[i] != 0;
  return Wrong != 0;
}
