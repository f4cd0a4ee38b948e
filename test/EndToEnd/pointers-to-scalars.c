// C as f2c writes it: all arguments are pointers, which may lead into each other's memory, and beta is
// compared with zero for each element. The product is the same, bit by bit, also where alpha and beta are
// elements of C, and where C overlaps A.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s \
// RUN:     -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
// RUN: %clang -O2 -march=native -w %s -o %t.plain
// RUN: %clang -O2 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// clang makes a version each for beta = 0, beta = 1, and other values. In nn, all of them store at one place,
// and one remark speaks of them; in tn, two places store.
// CHECK: pointers-to-scalars.c:30:3: remark: replaced 3-loop nest by GEMM f64
// CHECK-NOT: pointers-to-scalars.c:30:3:
// CHECK-COUNT-2: pointers-to-scalars.c:56:3: remark: replaced 3-loop nest by GEMM f64

#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int nn(int *m, int *n, int *k, double *alpha, double *a, int *lda, double *b,
                                 int *ldb, double *beta, double *c, int *ldc) {
  int i, j, l, i__1 = *n, i__2, i__3;
  a -= 1 + *lda, b -= 1 + *ldb, c -= 1 + *ldc;
  for (j = 1; j <= i__1; ++j) {
    if (*beta == 0.) {
      i__2 = *m;
      for (i = 1; i <= i__2; ++i)
        c[i + j * *ldc] = 0.;
    } else if (*beta != 1.) {
      i__2 = *m;
      for (i = 1; i <= i__2; ++i)
        c[i + j * *ldc] = *beta * c[i + j * *ldc];
    }
    i__2 = *k;
    for (l = 1; l <= i__2; ++l) {
      double temp = *alpha * b[l + j * *ldb];
      i__3 = *m;
      for (i = 1; i <= i__3; ++i)
        c[i + j * *ldc] += temp * a[i + l * *lda];
    }
  }
  return 0;
}

__attribute__((noinline)) int tn(int *m, int *n, int *k, double *alpha, double *a, int *lda, double *b,
                                 int *ldb, double *beta, double *c, int *ldc) {
  int i, j, l, i__1 = *n, i__2, i__3;
  a -= 1 + *lda, b -= 1 + *ldb, c -= 1 + *ldc;

  for (j = 1; j <= i__1; ++j) {
    i__2 = *m;
    for (i = 1; i <= i__2; ++i) {
      double temp = 0.;
      i__3 = *k;
      for (l = 1; l <= i__3; ++l)
        temp += a[l + i * *lda] * b[l + j * *ldb];
      if (*beta == 0.)
        c[i + j * *ldc] = *alpha * temp;
      else
        c[i + j * *ldc] = *alpha * temp + *beta * c[i + j * *ldc];
    }
  }
  return 0;
}

typedef int Routine(int *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *);

enum { M = 21, N = 17, K = 13, LD = 24 };
static double a[LD * LD], b[LD * LD], c[LD * LD];

static void start(void) {
  for (int i = 0; i < LD * LD; ++i)
    a[i] = i * 37 % 101 / 64. - .7, b[i] = i * 23 % 89 / 32. - 1.3, c[i] = i * 11 % 97 / 16. - 3.1;
}

static void print(const char *what) {
  unsigned long sum = 0, bits;
  for (int i = 0; i < LD * LD; ++i)
    memcpy(&bits, &c[i], sizeof bits), sum = (sum ^ bits) * 0x9e3779b97f4a7c15;
  for (int i = 0; i < LD * LD; ++i)
    memcpy(&bits, &a[i], sizeof bits), sum = (sum ^ bits) * 0x9e3779b97f4a7c15;
  printf("%s %lx\n", what, sum);
}

int main(void) {
  Routine *both[] = {nn, tn};
  double scalars[] = {0., 1., -.3, .7};
  for (int r = 0; r < 2; ++r) {
    int m = M, n = N, k = K, ld = LD;
    for (int s = 0; s < 16; ++s) {
      double alpha = scalars[s / 4], beta = scalars[s % 4];
      start(), both[r](&m, &n, &k, &alpha, a, &ld, b, &ld, &beta, c, &ld), print("apart");
    }
    // The first, the last, and other elements of C.
    int places[] = {0, 1, LD, 5 * LD + 7, (N - 1) * LD + M - 1, M, N * LD};
    for (int p = 0; p < 7; ++p)
      for (int s = 0; s < 4; ++s) {
        double other = scalars[s];
        start(), c[places[p]] = scalars[(s + 1) % 4];
        both[r](&m, &n, &k, &c[places[p]], a, &ld, b, &ld, &other, c, &ld), print("alpha in C");
        start(), c[places[p]] = scalars[(s + 1) % 4];
        both[r](&m, &n, &k, &other, a, &ld, b, &ld, &c[places[p]], c, &ld), print("beta in C");
        start(), both[r](&m, &n, &k, &other, c + places[p] / 2, &ld, b, &ld, &other, c, &ld), print("A in C");
        start(), both[r](&m, &n, &k, &other, a, &ld, a + 1, &ld, &other, a + places[p], &ld), print("all in A");
      }
    // Nothing is done: nothing may be read.
    for (int zero = 0; zero < 3; ++zero) {
      int none = 0;
      start(), both[r](zero == 0 ? &none : &m, zero == 1 ? &none : &n, zero == 2 ? &none : &k,
                       zero == 2 && both[r] == tn ? &scalars[2] : &scalars[3], a, &ld, b, &ld, &scalars[2], c, &ld);
      print("empty");
    }
    int none = 0;
    start(), nn(&m, &none, &k, 0, a, &ld, b, &ld, 0, c, &ld), print("no columns");
    start(), nn(&m, &n, &none, 0, a, &ld, b, &ld, &scalars[2], c, &ld), print("no steps");
    start(), tn(&none, &n, &k, 0, a, &ld, b, &ld, 0, c, &ld), print("no rows");
  }
}
