//===- amx-calls.c - functions between tiles of AMX -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that the epilogue of a product calls may use AMX itself, and leave its
// registers released: they are configured again for the next tile.
//
//===----------------------------------------------------------------------===//

// REQUIRES: native-avx512vnni
// RUN: %clang -O3 -march=native -mamx-tile -mamx-bf16 -ffast-math -DPRODUCT -S -emit-llvm %s -o %t.ll \
// RUN:   -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck --check-prefix=REPLACED %s
// REPLACED: with an epilogue: {{.*}} micro kernel, AMX
// RUN: %python %S/amx-model.py < %t.ll > %t.model.ll
// RUN: %clang -O1 -march=native -c %t.model.ll -o %t.o
// RUN: %clang -O1 -fno-builtin %s %t.o %S/Inputs/amx-model.c -o %t.run
// RUN: %t.run | FileCheck %s
// CHECK: equal
// CHECK: requests 1, products yes

enum { m = 70, n = 50, q = 100 };

#ifdef PRODUCT
#include <math.h>
void product(const __bf16 *restrict a, const __bf16 *restrict b,
             float *restrict c, long rows, long columns, long steps) {
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < columns; j++) {
      float sum = 0;
      for (long k = 0; k < steps; k++)
        sum += (float)a[i * steps + k] * (float)b[k * columns + j];
      c[i * columns + j] = tanhf(sum);
    }
}
#else
#include <stdio.h>
typedef unsigned short Bits; // of a bfloat
void product(const Bits *a, const Bits *b, float *c, long rows, long columns,
             long steps);
void model_tilerelease(void);

float tanhf(float x) {
  model_tilerelease();
  return x / 2;
}

union Float {
  unsigned Bits;
  float Value;
};
static Bits narrow(float x) { return (union Float){.Value = x}.Bits >> 16; }
static float wide(Bits x) { return (union Float){(unsigned)x << 16}.Value; }

int main(void) {
  static Bits a[m * q], b[q * n];
  static float c[m * n];
  for (int i = 0; i < m * q; i++)
    a[i] = narrow(i % 3 - 1);
  for (int i = 0; i < q * n; i++)
    b[i] = narrow(i % 5 - 2);
  product(a, b, c, m, n, q);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < q; k++)
        sum += wide(a[i * q + k]) * wide(b[k * n + j]);
      if (c[i * n + j] != sum / 2)
        return 1;
    }
  puts("equal");
  return 0;
}
#endif
