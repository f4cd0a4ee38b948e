//===- truth-values.c - sums that are true or false -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sum that is a truth value is made as wide as the elements that are asked: all bytes
// are those that clang gives, also around the results.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -o %t.ours 2> %t.remarks \
// DEFINE:   && FileCheck %s < %t.remarks && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -g
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -mno-avx512f
// RUN: %{compare}
// CHECK-COUNT-12: replaced 3-loop nest {{.*}}by pairwise reduction

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define FOR(I, N) for (long I = 0; I < N; I++)
#define SUM(name, T, start, step)                                              \
  __attribute__((noinline)) void name##_##T(                                   \
      long m, long n, long l, const T *a, const T *b, T *c) {                  \
    FOR(i, m) FOR(j, n) {                                                      \
      bool s = start;                                                          \
      FOR(k, l) {                                                              \
        T x = a[i * l + k], y = b[k * n + j];                                  \
        step;                                                                  \
      }                                                                        \
      c[i * n + j] = s;                                                        \
    }                                                                          \
  }
#define SUMS(T)                                                                \
  SUM(bits, T, 0, s |= x & y)                                                  \
  SUM(both, T, 0, s |= (x != 0) & (y != 0))                                    \
  SUM(parity, T, 1, s ^= x == y)                                               \
  SUM(all, T, 1, s &= (x > 1) | (y < 3))
typedef unsigned char byte;
SUMS(int)
SUMS(byte)
SUMS(short)

static unsigned state = 1;
static unsigned draw(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
#define RUN(name, T)                                                           \
  {                                                                            \
    T *a = malloc(m * l * sizeof(T)), *b = malloc(l * n * sizeof(T)),          \
      *c = malloc((m * n + 9) * sizeof(T));                                    \
    FOR(i, m *l) a[i] = draw() % 7 ? 0 : draw() % 4;                           \
    FOR(i, l *n) b[i] = draw() % 5 ? 0 : draw() % 4;                           \
    FOR(i, m *n + 9) c[i] = 77;                                                \
    name##_##T(m, n, l, a, b, c);                                              \
    unsigned long sum = 0;                                                     \
    FOR(i, m *n + 9) sum = sum * 31 + c[i];                                    \
    printf(#name " " #T " %lx\n", sum);                                        \
    free(a), free(b), free(c);                                                 \
  }
#define RUNS(T) RUN(bits, T) RUN(both, T) RUN(parity, T) RUN(all, T)

int main(void) {
  static const long Sizes[] = {1, 2, 3, 7, 16, 17, 33, 64, 100};
  FOR(s, 200) {
    long m = Sizes[draw() % 9], n = Sizes[draw() % 9], l = Sizes[draw() % 9];
    printf("%ld %ld %ld\n", m, n, l);
    RUNS(int) RUNS(byte) RUNS(short)
  }
  return 0;
}
