// Two loops on one counter, as 'collapse(2)' makes them for each thread, around a sum of few steps. LLVM would unroll
// that one, so it is kept whole until the counter has been split.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s \
// RUN:     -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -o %t.plain
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK-COUNT-2: replaced 3-loop nest by GEMM f64 {{.*}}, MxNx2
// CHECK-COUNT-2: replaced 3-loop nest by GEMM f64 {{.*}}, MxNx3
// CHECK-COUNT-2: replaced 3-loop nest by GEMM f64 {{.*}}, MxNx7
// CHECK-COUNT-2: replaced 3-loop nest by GEMM f64 {{.*}}, MxNx8
// CHECK-COUNT-2: replaced 3-loop nest by GEMM f64 {{.*}}, MxNx16

#include <math.h>
#include <stdio.h>

#define PRODUCTS(K)                                                                                                    \
  __attribute__((noinline)) void assigned##K(int first, int last, int m, const double *restrict a,                     \
                                             const double *restrict b, double *restrict c) {                           \
    for (int t = first; t < last; t++) {                                                                               \
      int i = t / m, j = t % m;                                                                                        \
      double s = 0;                                                                                                    \
      for (int k = 0; k < K; k++)                                                                                      \
        s += a[i * K + k] * b[k * m + j];                                                                              \
      c[i * m + j] = s;                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  __attribute__((noinline)) void added##K(int first, int last, int m, const double *restrict a,                        \
                                          const double *restrict b, double *restrict c) {                              \
    for (int t = first; t < last; t++) {                                                                               \
      int i = t / m, j = t % m;                                                                                        \
      for (int k = 0; k < K; k++)                                                                                      \
        c[i * m + j] += a[i * K + k] * b[j * K + k];                                                                   \
    }                                                                                                                  \
  }
PRODUCTS(2)
PRODUCTS(3)
PRODUCTS(7)
PRODUCTS(8)
PRODUCTS(16)

enum { N = 29, M = 37 };
static double a[N * 16], b[M * 16], c[N * M];

static void fill(void) {
  for (int i = 0; i < N * 16; i++)
    a[i] = i % 61 ? i * 7 % 11 - i * .3 : -0.0;
  for (int i = 0; i < M * 16; i++)
    b[i] = i % 97 ? i * 5 % 13 - i * .7 : INFINITY;
  for (int i = 0; i < N * M; i++)
    c[i] = i % 17 ? i * .1 : -0.0;
}

static void print(void) {
  for (int i = 0; i < N * M; i++)
    printf("%a\n", isnan(c[i]) ? NAN : c[i]);
}

int main(void) {
  static const int Ranges[][2] = {{0, N * M}, {0, 0}, {5, 6}, {M - 1, M + 1}, {3, 17 * M + 4}, {2 * M, 9 * M}};
  for (int r = 0; r < 6; r++) {
    int first = Ranges[r][0], last = Ranges[r][1];
    for (int m = M; m > 0; m -= 18) {
      int end = last < N * m ? last : N * m;
      fill(), assigned2(first, end, m, a, b, c), print();
      fill(), added2(first, end, m, a, b, c), print();
      fill(), assigned3(first, end, m, a, b, c), print();
      fill(), added3(first, end, m, a, b, c), print();
      fill(), assigned7(first, end, m, a, b, c), print();
      fill(), added7(first, end, m, a, b, c), print();
      fill(), assigned8(first, end, m, a, b, c), print();
      fill(), added8(first, end, m, a, b, c), print();
      fill(), assigned16(first, end, m, a, b, c), print();
      fill(), added16(first, end, m, a, b, c), print();
    }
  }
}
