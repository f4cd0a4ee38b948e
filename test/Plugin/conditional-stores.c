//===- conditional-stores.c - stores that must not be made -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every other row of C is read-only memory, and no path is shorter than what it
// has: the loops do not store there, nor must the kernel.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{run} = %clang %{flags} -fpass-plugin=%tilesmith -Rpass=tilesmith %s -o %t 2>&1 \
// DEFINE:   | FileCheck %s && %t
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{run}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f
// RUN: %{run}
// REDEFINE: %{flags} = -O3
// RUN: %{run}
// CHECK-COUNT-3: replaced 3-loop nest by pairwise reduction f32 {{.*}} with an epilogue

#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { Row = 1024 };
#define NEST(name, Loops)                                                      \
  __attribute__((noinline)) static void name(                                  \
      int n, const float *restrict a, const float *restrict b,                 \
      float *restrict c) {                                                     \
    Loops {                                                                    \
      float x = a[i * n + k] + b[k * n + j];                                   \
      if (x < c[i * Row + j])                                                  \
        c[i * Row + j] = x;                                                    \
    }                                                                          \
  }
#define FOR(i) for (int i = 0; i < n; i++)
NEST(dots, FOR(i) FOR(j) FOR(k))
NEST(rows, FOR(i) FOR(k) FOR(j))
NEST(steps, FOR(k) FOR(i) FOR(j))

static float a[100 * 100], b[100 * 100], *c;

static int isWrong(void Nest(int, const float *, const float *, float *), int n) {
  static float Expected[100 * Row];
  mprotect(c, sizeof(Expected), PROT_READ | PROT_WRITE);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < Row; j++)
      c[i * Row + j] = i % 2 ? -INFINITY : j % 7 ? 3 : NAN;
  memcpy(Expected, c, sizeof(Expected));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        Expected[i * Row + j] = a[i * n + k] + b[k * n + j] < Expected[i * Row + j]
                                    ? a[i * n + k] + b[k * n + j]
                                    : Expected[i * Row + j];
  for (int i = 1; i < n; i += 2)
    mprotect(c + i * Row, Row * sizeof(float), PROT_READ);
  Nest(n, a, b, c);
  return memcmp(Expected, c, n * Row * sizeof(float));
}

int main(void) {
  c = mmap(0, 100 * Row * sizeof(float), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 100 * 100; i++)
    a[i] = i * 31 % 17 / 4.0f, b[i] = i * 13 % 19 / 4.0f;
  int Wrong = 0, Sizes[] = {16, 33, 64, 100};
  for (int s = 0; s < 4; s++)
    Wrong |= isWrong(dots, Sizes[s]) | isWrong(rows, Sizes[s]) |
             isWrong(steps, Sizes[s]);
  return Wrong != 0;
}
