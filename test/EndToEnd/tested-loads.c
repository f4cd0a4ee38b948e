//===- tested-loads.c - boolean products that ask before they load --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// `a && b` loads b only where a is not zero. Where a line of A is all zero, lines of B
// may not exist: all bytes are those that clang gives, and nothing else is read.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 \
// DEFINE:     -Rpass=tilesmith %s -o %t.ours 2> %t.remarks \
// DEFINE:   && FileCheck %s < %t.remarks && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}

#include "../guarded.h"
#include <stdio.h>

#define NEST(name, type, ...)                                                                                          \
  static __attribute__((noinline)) void name(int n, const type *restrict a, const type *restrict b,                    \
                                             type *restrict c) {                                                       \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < n; j++) {                                                                                    \
        __VA_ARGS__                                                                                                    \
      }                                                                                                                \
  }

// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i32
NEST(joined, int, for (int k = 0; k < n; k++) c[i * n + j] |= a[i * n + k] && b[k * n + j];)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i32
NEST(counted, int, int s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] && b[k * n + j]; c[i * n + j] = s;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i8
NEST(bytes, char, for (int k = 0; k < n; k++) c[i * n + j] |= a[i * n + k] && b[k * n + j];)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i32
NEST(neither, int, int s = 0; for (int k = 0; k < n; k++) s += !a[i * n + k] && !b[k * n + j]; c[i * n + j] = s;)

static unsigned Seed = 1;
static int draw(void) {
  Seed = Seed * 1664525 + 1013904223;
  return (Seed >> 16) % 100;
}

// The last rows of B are missing, if any.
#define RUN(name, type, missing)                                                                                       \
  {                                                                                                                    \
    type *a = guarded(n * n * sizeof(type), 1), *b = guarded((n - missing) * n * sizeof(type), 1),                     \
         *c = calloc(n * n, sizeof(type));                                                                             \
    unsigned long sum = 0;                                                                                             \
    for (int i = 0; i < n * n; i++)                                                                                    \
      a[i] = i % n < n - missing && draw() < density;                                                                  \
    for (int i = 0; i < (n - missing) * n; i++)                                                                        \
      b[i] = draw() < density;                                                                                         \
    name(n, a, b, c);                                                                                                  \
    for (int i = 0; i < n * n; i++)                                                                                    \
      sum = sum * 31 + c[i];                                                                                           \
    printf(#name " %d %d %lx\n", n, density, sum);                                                                     \
    free(c);                                                                                                           \
  }

int main(void) {
  static const int Sizes[] = {1, 2, 7, 16, 33, 64, 100};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++)
    for (int density = 0; density <= 100; density += 25) {
      int n = Sizes[s];
      RUN(joined, int, 0) RUN(counted, int, 0) RUN(bytes, char, 0) RUN(neither, int, 0)
      if (n > 3) {
        RUN(joined, int, 2) RUN(counted, int, 2) RUN(bytes, char, 1)
      }
    }
  return 0;
}
