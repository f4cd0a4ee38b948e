//===- rounding.c - the floating-point environment -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the environment is accessed, products are left alone. Where it is not,
// kernels raise no exception that the source does not raise: with such as stop
// the program, it goes on.
//
// REQUIRES: x86
// RUN: %clang -O2 -march=native -w -DACCESS %s -c -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=LEFT --allow-empty
// RUN: %clang -O2 -march=native -w -ffp-model=strict %s -c -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=LEFT --allow-empty
// RUN: %clang -O2 -march=native -w -frounding-math %s -c -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=LEFT --allow-empty
// RUN: env TILESMITH='min-work=1;plan=tile=16x2' %clang -O2 -march=native -w %s -o %t -fpass-plugin=%tilesmith -Rpass=tilesmith -lm && %t
// RUN: env TILESMITH='min-work=1;plan=tile=16x2 edge=pad pack-a=always pack-b=always kc=9' %clang -O2 -march=native -w %s -o %t -fpass-plugin=%tilesmith -lm && %t
// LEFT-NOT: replaced 3-loop nest

#define _GNU_SOURCE
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#ifdef ACCESS
#pragma STDC FENV_ACCESS ON
#endif

__attribute__((noinline)) static void
product(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}

int main() {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  for (long m = 1; m < 40; m += 3)
    for (long n = 1; n < 40; n += 5)
      for (long p = 1; p < 40; p += 7) {
        double *a = malloc(m * p * 8), *b = malloc(p * n * 8);
        double *c = malloc(m * n * 8), *dirt = malloc(40000);
        memset(dirt, 0xF7, 40000); // signalling NaNs, for kernels to be given
        for (long i = 0; i < m * p; i++)
          a[i] = i % 7;
        for (long i = 0; i < p * n; i++)
          b[i] = i % 5;
        for (long i = 0; i < m * n; i++)
          c[i] = i % 3;
        free(dirt);
        product(m, n, p, a, b, c);
        free(a), free(b), free(c);
      }
}
