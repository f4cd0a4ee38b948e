// A real factor with zeros, of which the loops leave out the steps, times complex numbers that are adjacent
// along k. These are not searched as lines of elements would be: what lies between is not theirs, and there is no
// memory behind the last one.
//
// RUN: %clang -O3 -march=native %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -fpass-plugin=%tilesmith -Rpass=tilesmith %s -o %t.ours 2>&1 | FileCheck %s
// RUN: %t.ours > %t.result && cmp %t.expected %t.result
// REQUIRES: x86
// CHECK: replaced 3-loop nest by complex GEMM f64
#include "../guarded.h"

__attribute__((noinline)) void product(int m, int n, int k, const double *restrict r, const double *restrict a,
                                       double *restrict c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++)
      if (r[j * k + l] != 0)
        for (int i = 0; i < m; i++) {
          c[2 * (j * m + i)] += r[j * k + l] * a[2 * (i * k + l)];
          c[2 * (j * m + i) + 1] += r[j * k + l] * a[2 * (i * k + l) + 1];
        }
}

int main(void) {
  enum { M = 65, N = 61, K = 63 };
  double *r = guarded(sizeof(double) * N * K, 1), *a = guarded(2 * sizeof(double) * M * K, 1),
         *c = guarded(2 * sizeof(double) * M * N, 1);
  for (int i = 0; i < N * K; i++)
    r[i] = i % 5 == 1 ? 0 : anyElement(1);
  for (int i = 0; i < 2 * M * K; i++)
    a[i] = anyElement(1);
  for (int i = 0; i < 2 * M * N; i++)
    c[i] = anyElement(1);
  product(M, N, K, r, a, c);
  hashBytes(c, 2 * sizeof(double) * M * N);
  printf("%lx\n", Hash);
}
