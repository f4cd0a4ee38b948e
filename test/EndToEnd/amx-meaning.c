//===- amx-meaning.c - squares without AMX --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernels for AMX say in llvm.matrix.* does not depend on AMX: without
// its features when it is lowered, it gives the same numbers.
//
//===----------------------------------------------------------------------===//

// REQUIRES: native-avx512vnni
// RUN: %clang -O1 -fno-unroll-loops -march=native -mamx-tile -mamx-int8 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<min-work=1>' -S %t.ll -o %t.matrix.ll
// RUN: FileCheck --dump-input=never %s < %t.matrix.ll
// RUN: sed s/+amx-int8,/-amx-int8,/g %t.matrix.ll > %t.without.ll
// RUN: %opt -passes=tilesmith-lower -S %t.without.ll -o %t.vectors.ll
// RUN: FileCheck --dump-input=never --check-prefix=VECTORS %s < %t.vectors.ll
// RUN: %python %S/amx-model.py < %t.vectors.ll > %t.model.ll
// RUN: %clang -O1 -c %t.model.ll -o %t.o
// RUN: %clang -O2 -DDRIVER %s %S/Inputs/amx-model.c %t.o -o %t.run
// The permission is asked for, so it is these kernels that run.
// RUN: %t.run | FileCheck --check-prefix=ASKED %s
// ASKED: requests 1

// CHECK-LABEL:   define {{.*}} @tilesmith.micro.32x32(
// CHECK-COUNT-4: phi <256 x i32>
// CHECK-COUNT-4: call <256 x i32> @llvm.matrix.multiply.v256i32.v1024i32.v1024i32({{.*}}, i32 16, i32 64, i32 16)
// VECTORS-NOT:   x86_amx

#include <stdint.h>
#include <stdlib.h>

void product(long m, long n, long q, const int8_t *restrict a,
             const uint8_t *restrict b, int32_t *restrict c);

#ifndef DRIVER
void product(long m, long n, long q, const int8_t *restrict a,
             const uint8_t *restrict b, int32_t *restrict c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      int32_t s = c[i * n + j];
      for (long k = 0; k < q; k++)
        s += a[i * q + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
#else
int main(void) {
  static int8_t a[80 * 260];
  static uint8_t b[260 * 80];
  static int32_t c[80 * 80], d[80 * 80];
  for (int Round = 0; Round < 40; Round++) {
    long m = 16 + rand() % 60, n = 16 + rand() % 60, q = 64 + rand() % 190;
    for (long i = 0; i < m * q; i++)
      a[i] = rand();
    for (long i = 0; i < q * n; i++)
      b[i] = rand();
    for (long i = 0; i < m * n; i++)
      c[i] = d[i] = rand() % 1000;
    product(m, n, q, a, b, c);
    for (long i = 0; i < m; i++)
      for (long j = 0; j < n; j++) {
        for (long k = 0; k < q; k++)
          d[i * n + j] += a[i * q + k] * b[k * n + j];
        if (c[i * n + j] != d[i * n + j])
          abort();
      }
  }
  return 0;
}
#endif
