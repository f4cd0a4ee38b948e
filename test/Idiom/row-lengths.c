//===- row-lengths.c - lengths beside the pointers to rows ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

#include <stddef.h>

struct Vec {
  size_t Capacity;
  double *Row;
  size_t Length;
};
_Noreturn void panic(void);

static inline double *at(struct Vec *X, size_t I) {
  if (I >= X->Length)
    panic();
  return X->Row + I;
}

// CHECK-LABEL: function 'rows'
// CHECK: C: rows from {{.*}}by 24 with M; {{.*}}by 8 with N; longer than {{.*}}, by what is 8 bytes on
// CHECK: A: rows from {{.*}}by 24 with M; {{.*}}by 8 with K; longer than {{.*}}, by what is 8 bytes on
// CHECK: B: rows from {{.*}}by 24 with K; {{.*}}by 8 with N; longer than {{.*}}, by what is 8 bytes on
void rows(size_t n, struct Vec *a, struct Vec *b, struct Vec *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        *at(&c[i], j) += *at(&a[i], k) * *at(&b[k], j);
}

// Every second element: the greatest subscript is twice that of the loop.
// CHECK-LABEL: function 'strided'
// CHECK: A: rows from {{.*}}; longer than (-2 + (2 * %{{.*}})), by what is 8 bytes on
void strided(size_t n, struct Vec *a, struct Vec *b, struct Vec *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        *at(&c[i], j) += *at(&a[i], 2 * k) * *at(&b[k], j);
}

// A matrix times a vector.
// CHECK-LABEL: function 'vector'
// CHECK: A: rows from {{.*}}; longer than {{.*}}, by what is 8 bytes on
void vector(size_t n, struct Vec *a, double *restrict x, double *restrict y) {
  for (size_t i = 0; i < n; i++) {
    double s = 0;
    for (size_t k = 0; k < n; k++)
      s += *at(&a[i], k) * x[k];
    y[i] = s;
  }
}

// Lengths in an array of their own are not in the records that are read.
// CHECK-LABEL: function 'apart'
// CHECK-NEXT: not replaced: EarlyExit
void apart(size_t n, size_t *lengths, double **a, double *b, double *restrict c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++) {
        if (k >= lengths[i])
          panic();
        c[i * n + j] += a[i][k] * b[k * n + j];
      }
}

// Rows of a triangle are not all read in the first iteration.
// CHECK-LABEL: function 'triangle'
// CHECK-NEXT: not replaced: EarlyExit
void triangle(size_t n, struct Vec *a, struct Vec *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      for (size_t k = 0; k < n; k++)
        *at(&c[i], j) += *at(&a[i], k) * *at(&a[j], k);
}

// The length of another row.
// CHECK-LABEL: function 'other'
// CHECK-NEXT: not replaced: EarlyExit
void other(size_t n, struct Vec *a, double *b, double *restrict c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++) {
        if (k >= a[n - 1 - i].Length)
          panic();
        c[i * n + j] += a[i].Row[k] * b[k * n + j];
      }
}
