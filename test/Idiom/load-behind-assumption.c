// A bound that is loaded only if another one is positive is loaded by the guard
// if that one is.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith %s -o %t -Xclang -verify
// RUN: %t
#include <stddef.h>

struct Matrix {
  long rows, columns;
  double *elements;
};

__attribute__((noinline)) void product(const struct Matrix *a, const struct Matrix *b, struct Matrix *c) {
  for (long i = 0; i < a->rows; i++) // expected-remark {{replaced}}
    for (long j = 0; j < b->columns; j++) {
      double sum = 0;
      for (long k = 0; k < a->columns; k++)
        sum += a->elements[i * a->columns + k] * b->elements[k * b->columns + j];
      c->elements[i * c->columns + j] = sum;
    }
}

__attribute__((noinline)) void bounds(const long *m, const long *n, const long *k, const double *a, const double *b,
                                      double *c) {
  for (long i = 0; i < *m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < *n; j++)
      for (long l = 0; l < *k; l++)
        c[i * *n + j] += a[i * *k + l] * b[l * *n + j];
}

int main(void) {
  double a[9 * 9], b[9 * 9], c[9 * 9] = {0}, d[9 * 9];
  for (int i = 0; i < 81; i++) {
    a[i] = i;
    b[i] = i % 7;
  }
  long zero = 0, nine = 9;
  bounds(&zero, NULL, NULL, a, b, c);
  bounds(&nine, &zero, NULL, a, b, c);
  bounds(&nine, &nine, &zero, NULL, NULL, NULL);
  bounds(&nine, &nine, &nine, a, b, c);
  struct Matrix A = {9, 9, a}, B = {9, 9, b}, C = {9, 9, d}, None = {9, 0, NULL};
  product(&A, &None, NULL);
  product(&A, &B, &C);
  for (int i = 0; i < 81; i++)
    if (c[i] != d[i])
      return 1;
  return 0;
}
