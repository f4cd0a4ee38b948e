// LLVM knows that the numbers of these arrays are aligned at 16 bytes, hence the real parts;
// the imaginary ones are not. SSE's loads must not expect that.
//
// DEFINE: %{flags} = -O1 -march=x86-64
// DEFINE: %{plain} = %clang %{flags} %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.ours 2>&1 | FileCheck %s
// DEFINE: %{test} = %{plain} && %{ours} && %t.ours > %t.result && cmp %t.expected %t.result
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64 -DT=float
// RUN: %{test}
// REQUIRES: x86
//
// CHECK: complex GEMM
// CHECK: complex GEMV

#include <stdio.h>

#ifndef T
#define T double
#endif
enum { N = 31 };
static _Complex T a[N][N + 1], x[N + 1];
_Complex T c[N + 1][N], y[N];

__attribute__((noinline)) static void square(void) {
  for (long k = 0; k < N; k++)
    for (long i = 0; i < N; i++)
      for (long j = 0; j < N; j++)
        c[i][j] += a[i][k] * a[k][j];
}

__attribute__((noinline)) static void rows(void) {
  for (long i = 0; i < N; i++)
    for (long k = 0; k < N; k++)
      y[i] += a[i][k] * x[k];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= N; j++)
      a[i][j] = (i * 5 + j) % 11 / (T)3 + 1.0i * ((i + j * 3) % 7);
  for (int i = 0; i <= N; i++)
    x[i] = i % 5 - 0.5i * i;
  square();
  rows();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a %a %a %a\n", (double)__real__ c[i][j], (double)__imag__ c[i][j], (double)__real__ y[i],
             (double)__imag__ y[i]);
}
