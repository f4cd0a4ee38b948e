//===- amx-triangles.c - squares at a diagonal ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a tile at the diagonal, the rows that are wanted may be half of a panel. With
// a model of AMX's instructions.
//
//===----------------------------------------------------------------------===//

// REQUIRES: native-avx512vnni
// RUN: %clang -O3 -march=native -mamx-tile -mamx-int8 -DPRODUCTS -S -emit-llvm %s -o %t.ll \
// RUN:   -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck --check-prefix=REPLACED %s
// REPLACED-COUNT-2: micro kernel, AMX
// RUN: %python %S/amx-model.py < %t.ll > %t.model.ll
// RUN: %clang -O1 -march=native -c %t.model.ll -o %t.o
// RUN: %clang -O1 %s %t.o %S/Inputs/amx-model.c -o %t.run
// RUN: %t.run | FileCheck %s
// CHECK: equal
// CHECK: requests 1, products yes

#define PARAMETERS                                                             \
  long n, long q, long by, const signed char *restrict a,                      \
      const signed char *restrict b, int *restrict c
#define FROM_DIAGONAL                                                          \
  for (long i = 0; i < n; i++)                                                 \
    for (long j = i - by > 0 ? i - by : 0; j < n; j++)                         \
      for (long k = 0; k < q; k++)                                             \
        c[i * n + j] += a[i * q + k] * b[j * q + k];
#define TO_DIAGONAL                                                            \
  for (long i = 0; i < n; i++)                                                 \
    for (long j = 0; j < (i + by < n ? i + by : n); j++)                       \
      for (long k = 0; k < q; k++)                                             \
        c[i * n + j] += a[i * q + k] * b[j * q + k];

void from_diagonal(PARAMETERS);
void to_diagonal(PARAMETERS);
#ifdef PRODUCTS
void from_diagonal(PARAMETERS) { FROM_DIAGONAL }
void to_diagonal(PARAMETERS) { TO_DIAGONAL }
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void wanted_from(PARAMETERS) { FROM_DIAGONAL }
static void wanted_to(PARAMETERS) { TO_DIAGONAL }

int main(void) {
  static signed char a[150 * 150], b[150 * 150];
  static int c[150 * 150], d[150 * 150];
  for (int i = 0; i < 150 * 150; i++) {
    a[i] = rand();
    b[i] = rand();
  }
  for (long n = 60; n < 150; n += 13)
    for (long by = 0; by < 20; by++) {
      from_diagonal(n, 128, by, a, b, c);
      wanted_from(n, 128, by, a, b, d);
      to_diagonal(n, 128, by, a, b, c);
      wanted_to(n, 128, by, a, b, d);
      if (memcmp(c, d, sizeof c))
        return printf("n = %ld, %ld beside the diagonal\n", n, by);
    }
  puts("equal");
  return 0;
}
#endif
