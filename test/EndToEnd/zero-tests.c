// Steps are left out where an element is zero, or what is made of it, or both of two
// elements. The product is the same, bit by bit, whatever the factors hold: zeros in one
// factor, in both, at different places or the same ones, NaN, infinities, numbers that
// scaling makes zero.
//
// RUN: %clang -O3 -march=native -w -ffp-contract=on %s -o %t.plain
// RUN: %clang -O3 -march=native -w -ffp-contract=on -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     -Rpass=tilesmith %s -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
// RUN: %clang -O3 -march=native -w -ffp-contract=fast %s -o %t.plain
// RUN: %clang -O3 -march=native -w -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     -Rpass=tilesmith %s -o %t.tilesmith 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK: replaced 3-loop nest by GEMM f64
// CHECK: replaced 3-loop nest by SYRK f64
// CHECK: replaced 3-loop nest by SYR2K f64
// CHECK: replaced 3-loop nest by SYR2K f64
// Two products of a step are not fused in the same way everywhere.
// FAST: replaced 3-loop nest by GEMM f64
// FAST: replaced 3-loop nest by SYRK f64
// FAST-NOT: replaced

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 37, K = 29 };
typedef double Factor[K][N];
typedef double Square[N][N];
static Factor a, b;
static Square c;

// What is compared is the scaled element.
__attribute__((noinline)) void scaled(int n, int l, double alpha, Square c, const Factor a,
                                      const Factor b) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < l; k++) {
      double t = alpha * b[k][j];
      if (t != 0)
        for (int i = 0; i < n; i++)
          c[j][i] += t * a[k][i];
    }
}

__attribute__((noinline)) void lower(int n, int l, double alpha, Square c, const Factor a) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < l; k++) {
      double t = alpha * a[k][j];
      if (t != 0)
        for (int i = j; i < n; i++)
          c[j][i] += t * a[k][i];
    }
}

__attribute__((noinline)) void either(int n, int l, double alpha, Square c, const Factor a,
                                      const Factor b) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < l; k++)
      if (a[k][j] != 0 || b[k][j] != 0) {
        double t = alpha * b[k][j], u = alpha * a[k][j];
        for (int i = 0; i <= j; i++)
          c[j][i] = c[j][i] + a[k][i] * t + b[k][i] * u;
      }
}

// Both tests before the branch.
__attribute__((noinline)) void atOnce(int n, int l, double alpha, Square c, const Factor a,
                                      const Factor b) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < l; k++)
      if ((a[k][j] != 0) | (b[k][j] != 0)) {
        double t = alpha * b[k][j], u = alpha * a[k][j];
        for (int i = j; i < n; i++)
          c[j][i] = c[j][i] + a[k][i] * t + b[k][i] * u;
      }
}

static void fill(Factor x, int seed, int zeros, double special) {
  unsigned long state = seed;
  for (int k = 0; k < K; k++)
    for (int j = 0; j < N; j++) {
      state = state * 6364136223846793005UL + 1442695040888963407UL;
      x[k][j] = (double)(long)state / 1e18;
      if (zeros && state >> 40 & 1)
        x[k][j] = state >> 41 & 1 ? 0.0 : -0.0;
    }
  if (special != 1)
    x[K / 2][N / 3] = x[K - 1][0] = special;
}

static void print(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double x = isnan(c[i][j]) ? NAN : c[i][j];
      unsigned long bits;
      memcpy(&bits, &x, sizeof bits);
      printf("%lx\n", bits);
    }
}

static void start(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i][j] = i % 3 ? i - j * 0.7 : -0.0;
}

int main(void) {
  const double specials[] = {1, 0.0, -0.0, INFINITY, NAN, 1e-320};
  for (int zeros = 0; zeros < 4; zeros++)
    for (int s = 0; s < 6; s++) {
      fill(a, 7, zeros & 1, specials[s]);
      // In the last round, zeros are at the same places.
      fill(b, zeros == 3 && s % 2 ? 7 : 8, zeros & 2, specials[(s + zeros) % 6]);
      start(), scaled(N, K, 0.7, c, a, b), print();
      start(), scaled(N, K, 1e-300, c, a, b), print();
      start(), lower(N, K, -0.3, c, a), print();
      start(), lower(N, K, 1e-310, c, a), print();
      start(), either(N, K, 0.7, c, a, b), print();
      start(), atOnce(N, K, 0.7, c, a, b), print();
    }
}
