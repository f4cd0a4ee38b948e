//===- small-code.c - compact kernels with -Os ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{plugin} = -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith

// One small tile, without kernels for small products.
// RUN: %clang -Os -march=x86-64-v4 -c %s -o %t.o %{plugin} 2>&1 | FileCheck %s --check-prefix=AVX512
// RUN: %clang -Os -march=x86-64-v3 -c %s -o %t.o %{plugin} 2>&1 | FileCheck %s --check-prefix=AVX2
// At -O2, a tile of two registers of rows, and at -O3 the largest one.
// RUN: %clang -O2 -march=x86-64-v4 -c %s -o %t.o %{plugin} 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: %clang -O3 -march=x86-64-v4 -c %s -o %t.o %{plugin} 2>&1 | FileCheck %s --check-prefix=LARGE
// MIDDLE: packed, 16x8 micro kernel, AVX-512
// MIDDLE: packed, 32x8 micro kernel, AVX-512
// AVX512: replaced 3-loop nest by GEMM f64 {{.*}} packed, 16x4 micro kernel, AVX-512
// AVX512: replaced 3-loop nest by GEMM f32 {{.*}} packed, 32x4 micro kernel, AVX-512
// AVX2: packed, 8x4 micro kernel, AVX
// AVX2: packed, 16x4 micro kernel, AVX
// LARGE: packed, 24x8 micro kernel, AVX-512
// LARGE: packed, 48x8 micro kernel, AVX-512

// From which size on it runs; what a plan says goes first; none at all with -Oz.
// RUN: %clang -Os -march=x86-64-v4 -c %s -o %t.o -fpass-plugin=%tilesmith -fsave-optimization-record -foptimization-record-file=%t.yaml
// RUN: FileCheck %s --check-prefix=CHOICES --input-file=%t.yaml
// CHOICES: break-even: M*N*K >= 2197
// RUN: %clang -Os -march=x86-64-v4 -c %s -o %t.o %{plugin} -mllvm -tilesmith-plan=tile=24x8 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: packed, 24x8 micro kernel, AVX-512
// RUN: %clang -Oz -march=x86-64-v4 -c %s -o %t.o %{plugin} 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: replaced 3

// Executed, with all kinds of sizes and values.
// DEFINE: %{run} = %clang -Os -march=native -DMAIN %s
// RUN: %{run} -o %t.stock && %t.stock > %t.txt
// RUN: %{run} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -o %t && %t | cmp %t.txt -
// RUN: %{run} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -o %t && %t | cmp %t.txt -

#define PRODUCT(Name, T)                                                                                               \
  __attribute__((noinline)) void Name(int m, int n, int p, const T *a, const T *b, T *c) {                             \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int j = 0; j < n; j++)                                                                                      \
        for (int k = 0; k < p; k++)                                                                                    \
          c[i * n + j] += a[i * p + k] * b[k * n + j];                                                                 \
  }

PRODUCT(doubles, double)
PRODUCT(floats, float)

#ifdef MAIN
#include <math.h>
#include <stdio.h>

enum { Max = 70 };

#define CHECK(Name, T)                                                                                                 \
  static void check_##Name(int m, int n, int p, int special) {                                                         \
    static T a[Max * Max], b[Max * Max], c[Max * Max];                                                                 \
    for (int i = 0; i < Max * Max; i++)                                                                                \
      a[i] = i % 17 * 0.3 - 1, b[i] = i % 13 * 0.7 - 3, c[i] = i % 5 ? i % 11 : -0.0;                                  \
    if (special)                                                                                                       \
      a[m * p / 2] = INFINITY, b[p * n / 3] = -0.0, b[p * n / 2] = NAN, a[p] = -0.0;                                   \
    Name(m, n, p, a, b, c);                                                                                            \
    for (int i = 0; i < Max * Max; i++)                                                                                \
      if (isnan(c[i]))                                                                                                 \
        c[i] = 42;                                                                                                     \
    fwrite(c, sizeof c, 1, stdout);                                                                                    \
  }
CHECK(doubles, double)
CHECK(floats, float)

int main(void) {
  static const int sizes[] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 67};
  enum { Number = sizeof sizes / sizeof *sizes };
  for (int m = 0; m < Number; m++)
    for (int n = 0; n < Number; n++)
      for (int p = 0; p < Number; p += 2) {
        check_doubles(sizes[m], sizes[n], sizes[p], (m + n + p) % 3 == 0);
        check_floats(sizes[m], sizes[n], sizes[p], (m + n + p) % 3 == 0);
      }
}
#endif
