// Sums of explicit fma calls where the compiler may contract what stands around them: the order in which
// beta*C and alpha*sum are fused is the same in the kernel.
//
// RUN: %clang -O3 -march=native -ffp-contract=fast -w %s -o %t.plain -lm
// RUN: %clang -O3 -march=native -ffp-contract=fast -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     -Rpass=tilesmith %s -o %t.tilesmith -lm 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK-COUNT-5: remark: replaced 3-loop nest by GEMM f64

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 37 };
static double a[N][N], b[N][N], c[N][N];

__attribute__((noinline)) static void constant(double alpha, double beta) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++)
        s = fma(a[i][k], b[k][j], s);
      c[i][j] = alpha * s + beta * c[i][j];
    }
}

__attribute__((noinline)) static void scaledStart(double alpha, double beta) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = c[i][j] * beta;
      for (int k = 0; k < N; k++)
        s = fma(a[i][k] * alpha, b[k][j], s);
      c[i][j] = s;
    }
}

__attribute__((noinline)) static void sweeps(int n, double alpha, double beta) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      c[i][j] *= beta;
    for (int k = 0; k < n; k++) {
      double t = alpha * a[i][k];
      for (int j = 0; j < n; j++)
        c[i][j] = fma(t, b[k][j], c[i][j]);
    }
  }
}

__attribute__((noinline)) static void transposed(int n, double alpha, double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s = fma(a[i][k], b[j][k], s);
      c[i][j] = beta * c[i][j] + alpha * s;
    }
}

__attribute__((noinline)) static void epilogue(int n, double alpha, double beta) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s = fma(a[i][k], b[k][j], s);
      c[i][j] = alpha * s - beta * c[i][j] + a[i][j] * b[i][j];
    }
}

static void print(const char *what) {
  unsigned long sum = 0, bits;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      memcpy(&bits, &c[i][j], sizeof bits), sum = (sum ^ bits) * 0x9e3779b97f4a7c15;
  printf("%s %lx\n", what, sum);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 37 + j * 11) % 101 / 64.3 - .7;
      b[i][j] = (i * 23 + j * 7) % 89 / 32.1 - 1.3;
      c[i][j] = (i * 11 + j * 3) % 97 / 16.7;
    }
  constant(.7, .3), print("constant");
  scaledStart(.7, .3), print("scaled start");
  sweeps(N, .7, .3), print("sweeps");
  transposed(N, .7, .3), print("transposed");
  epilogue(N, .7, .3), print("epilogue");
}
