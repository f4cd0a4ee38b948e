//===- loop-shape.c - loops that are not left from their latch ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the last iteration has nothing more to do, LLVM leaves the loop from
// its header, or from its middle. Products are found all the same, and give the
// same bytes.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
//
// What stays as it is stays the same to the byte, however its loops are left:
// RUN: %clang -O2 -DNEAR_MISSES -c %s -o %t.stock.o
// RUN: %clang -O2 -DNEAR_MISSES -c %s -o %t.ours.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify
// RUN: cmp %t.stock.o %t.ours.o
//
// RUN: %clang -O3 -DFREES -c %s -o %t.stock.o
// RUN: %clang -O3 -DFREES -c %s -o %t.ours.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify
// RUN: cmp %t.stock.o %t.ours.o
#include <stdio.h>
#include <stdlib.h>

#ifdef FREES

// What has been read before may be gone when the last iteration ends, as far as
// anyone knows of a function that frees something.
struct Sizes {
  int m, n, k;
};
void frees(const struct Sizes *s, const int *a, const int *b, int *c, void *p) {
  free(p);
  for (int i = s->m; i-- > 0;) // expected-remark {{left early}}
    for (int j = s->n; j-- > 0;)
      for (int k = s->k; k-- > 0;)
        c[i * 40 + j] += a[i * 40 + k] * b[k * 40 + j];
}

#elif !defined(NEAR_MISSES)

// From its header: the last row has no steps.
__attribute__((noinline)) void header(int n, const double *a, const double *b, double *c) {
  for (int i = n; i-- > 0;) // expected-remark {{TRMM}}
    for (int k = 0; k < i; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// From its middle: the last row has no second half.
__attribute__((noinline)) void middle(int n, const double *a, const double *b, double *c) {
  int i = 0;
  if (n > 0)
    do { // expected-remark 2 {{TRMM}}
      for (int k = 0; k <= i; k++)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
      int k = i + 1;
      if (k < n) // expected-remark 0-1 {{changes}}
        do {
          for (int j = 0; j < n; j++)
            c[i * n + j] += a[k * n + i] * b[k * n + j];
        } while (++k < n);
    } while (++i < n);
}

// Before a latch that loads a bound again, as it may have changed.
struct Sizes {
  int m, n, k;
};
__attribute__((noinline)) void latch(const struct Sizes *s, const int *a, const int *b, int *c) {
  for (int i = s->m; i-- > 0;) // expected-remark {{GEMM}}
    for (int j = s->n; j-- > 0;)
      for (int k = s->k; k-- > 0;)
        c[i * 40 + j] += a[i * 40 + k] * b[k * 40 + j];
}

static unsigned seed = 1;
static int number(void) { return (int)((seed = seed * 1664525 + 1013904223) >> 28) - 8; }

int main(void) {
  static double a[1600], b[1600], c[1600];
  static int ia[1600], ib[1600], ic[1600];
  for (int n = 0; n < 40; n++) {
    for (int x = 0; x < 1600; x++) {
      a[x] = number() * 0.1, b[x] = number() * 0.3, c[x] = number() * 0.7;
      ia[x] = number(), ib[x] = number(), ic[x] = number();
    }
    header(n, a, b, c);
    middle(n, a, b, c);
    latch(&(struct Sizes){n, n, n}, ia, ib, ic);
    fwrite(c, sizeof c, 1, stdout);
    fwrite(ic, sizeof ic, 1, stdout);
  }
}

#else

// Each row is read before the ones that it is made of.
void finished(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * c[k * n + j]; // expected-remark {{many triangular solves}}
}

// The loop ends where an element is zero.
void until(int n, const double *a, const double *b, double *c) {
  for (int i = n; i-- > 0 && a[i] != 0;) // expected-remark {{number of iterations}}
    for (int k = 0; k < i; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// What stands before the test is done once more than the rest.
void before(int n, const double *a, const double *b, double *c, volatile int *count) {
  int i = n;
  while (*count = i, i-- > 0) // expected-remark {{volatile}}
    for (int k = 0; k < i; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

#endif
