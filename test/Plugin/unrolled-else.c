//===- unrolled-else.c - few known steps and columns are clang's ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -fpass-plugin=%tilesmith -O3 -march=x86-64-v4 -S %s -o %t.s -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: %clang --target=x86_64-linux-gnu -fpass-plugin=%tilesmith -O3 -march=x86-64-v3 -S %s -o %t.s -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=CHECK
// Not so many steps are unrolled here.
// RUN: %clang --target=x86_64-linux-gnu -fpass-plugin=%tilesmith -O2 -march=x86-64-v4 -S %s -o %t.s -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=O2

// A sum over columns, unrolled, leaves a loop over adjacent rows.
#define COLUMNS(name, m, p)                                                    \
  void name(const float *restrict a, const float *restrict x,                  \
            float *restrict y, int rows, int ld) {                             \
    for (int i = 0; i < (m); i++) {                                            \
      float s = 0;                                                             \
      for (int k = 0; k < (p); k++)                                            \
        s += a[(long)k * ld + i] * x[k];                                       \
      y[i] = s;                                                                \
    }                                                                          \
  }

// CHECK: [[#@LINE+1]]:{{.*}}too small
COLUMNS(few_steps, rows, 24)
// CHECK: [[#@LINE+2]]:{{.*}}replaced 2-loop nest by GEMV
// O2: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV
COLUMNS(more_steps, rows, 44)
// CHECK: [[#@LINE+1]]:{{.*}}replaced 2-loop nest by GEMV
COLUMNS(too_many_to_unroll, rows, 64)

#define COLUMNS_OF_C(name, n, p)                                               \
  void name(const float *restrict a, const float *restrict b,                  \
            float *restrict c, int m) {                                        \
    for (int i = 0; i < m; i++)                                                \
      for (int j = 0; j < (n); j++) {                                          \
        float s = 0;                                                           \
        for (int k = 0; k < (p); k++)                                          \
          s += a[i * (p) + k] * b[k * (n) + j];                                \
        c[i * (n) + j] = s;                                                    \
      }                                                                        \
  }

// Vectors of rows: a step is every eighth element.
// AVX512: [[#@LINE+1]]:{{.*}}too small
COLUMNS_OF_C(interleaved_rows, 4, 8)
// A register of columns. What has been unrolled is found once more, and left again.
// CHECK: [[#@LINE+2]]:{{.*}}too small
// CHECK-NOT: [[#@LINE+1]]:{{.*}}replaced
COLUMNS_OF_C(a_register, 16, 8)
// CHECK: [[#@LINE+1]]:{{.*}}replaced 3-loop nest by GEMM
COLUMNS_OF_C(worth_it, 16, 32)
