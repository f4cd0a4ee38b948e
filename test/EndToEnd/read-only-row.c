//===- read-only-row.c - a row that the nest only reads ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No step adds to the last row, and it is scaled only where the scale is not one.
// If that is one, the row may be in memory that must not be written.
//
// RUN: %clang -O3 -march=native %s -o %t.plain && %t.plain > %t.expected
// RUN: env TILESMITH='min-work=1' %clang -O3 -march=native %s -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %t.ours > %t.printed && diff %t.expected %t.printed
// CHECK: replaced 3-loop nest by TRMM f64
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { M = 61, N = 512 };

__attribute__((noinline)) static void trmm(long m, long n, const double *restrict d, const double *restrict a,
                                           double *restrict b) {
  for (long k = 0; k < m; k++) {
    for (long j = 0; j < k; j++)
      for (long i = 0; i < n; i++)
        b[i + j * n] += a[j + k * m] * b[i + k * n];
    double t = d[k];
    if (t != 1)
      for (long i = 0; i < n; i++)
        b[i + k * n] = t * b[i + k * n];
  }
}

int main(void) {
  static double a[M * M], d[M];
  double *b = mmap(0, sizeof(double) * M * N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < M * M; i++)
    a[i] = i * 37 % 101 / 16.0 - 3.03;
  for (int i = 0; i < M * N; i++)
    b[i] = i * 53 % 103 / 16.0 - 3.01;
  for (int i = 0; i < M; i++)
    d[i] = i == M - 1 ? 1 : i % 7 - 2.5;
  mprotect(b + (M - 1) * N, sizeof(double) * N, PROT_READ);
  trmm(M, N, d, a, b);
  unsigned long hash = 1;
  for (int i = 0; i < M * N; i++) {
    unsigned long bits;
    memcpy(&bits, b + i, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  printf("%lx\n", hash);
}
