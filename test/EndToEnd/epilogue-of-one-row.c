// Two rows are made at once, and something else becomes of the sums of the second one. They
// are no copies of each other: once, its sums were stored as those of the first row.
//
// RUN: %clang -O3 -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.ours
// RUN: %t.ours > %t.result && cmp %t.expected %t.result
#include <stdio.h>
enum { N = 33 };
__attribute__((noinline)) void rows(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i + 1 < n; i += 2)
    for (int j = 0; j < n; j++) {
      double s = 0, t = 0;
      for (int k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        t += a[(i + 1) * n + k] * b[k * n + j];
      }
      c[i * n + j] = s;
      c[(i + 1) * n + j] = t > 0 ? t : 0;
    }
}
int main() {
  static double a[N * N], b[N * N], c[N * N];
  for (int i = 0; i < N * N; i++)
    a[i] = i % 17 - 8, b[i] = i % 13 - 6;
  rows(N, a, b, c);
  for (int i = 0; i < N * N; i++)
    printf("%a\n", c[i]);
}
