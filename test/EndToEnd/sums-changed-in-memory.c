//===- sums-changed-in-memory.c - more is made of a sum in each step -*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of C hold sums, of which each step takes a remainder, a maximum, or some bits:
// that is part of the update, as it is where the sum is in a variable.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clang -march=native %{flags} %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1
// DEFINE: %{test} = %{compile} -o %t.plain && %t.plain > %t.expected && \
// DEFINE:   %{ours} -Rpass=tilesmith -o %t.ours 2> %t.remarks && FileCheck %s < %t.remarks && \
// DEFINE:   %t.ours > %t.printed && diff %t.expected %t.printed
// REDEFINE: %{flags} = -O3
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=fast
// RUN: %{test}
// REQUIRES: x86
#include <stdio.h>

#define N 37
static long A[N][N], B[N][N], C[N][N];
static int IntA[N][N], IntB[N][N], IntC[N][N];
static double RealA[N][N], RealB[N][N], RealC[N][N];

#define NEST                                                                                                           \
  for (int i = 0; i < n; i++)                                                                                          \
    for (int k = 0; k < n; k++)                                                                                        \
      for (int j = 0; j < n; j++)

__attribute__((noinline)) static void remainders(int n) {
  // CHECK-DAG: sums-changed-in-memory.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i64
  NEST C[i][j] = (C[i][j] + A[i][k] * B[k][j]) % 1000000007;
}

__attribute__((noinline)) static void remaindersOf(int n, long p) {
  // CHECK-DAG: sums-changed-in-memory.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i64
  NEST C[i][j] = (C[i][j] + A[i][k] * B[k][j]) % p;
}

__attribute__((noinline)) static void bounded(int n) {
  // CHECK-DAG: sums-changed-in-memory.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i32
  NEST {
    IntC[i][j] += IntA[i][k] * IntB[k][j];
    if (IntC[i][j] > 1000)
      IntC[i][j] = 1000;
  }
}

__attribute__((noinline)) static void masked(int n) {
  // CHECK-DAG: sums-changed-in-memory.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction i32
  NEST IntC[i][j] = (IntC[i][j] + IntA[i][k] * IntB[k][j]) & 0xffff;
}

__attribute__((noinline)) static void boundedReals(int n) {
  // CHECK-DAG: sums-changed-in-memory.c:[[#@LINE+1]]:{{.*}} replaced 3-loop nest by pairwise reduction f64
  NEST {
    double s = RealC[i][j] + (RealA[i][k] > RealB[k][j] ? RealA[i][k] : RealB[k][j]);
    RealC[i][j] = s > 3 ? 3 : s;
  }
}

static void print(const char *Name) {
  unsigned long Hash = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      Hash = Hash * 31 + C[i][j] * 7 + IntC[i][j] * 3 + (long)(RealC[i][j] * 1e6);
  printf("%s %lx\n", Name, Hash);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7919 + j * 104729) % 1000000007 - 300;
      B[i][j] = i * 31 - j * 1237;
      IntA[i][j] = (i * 5 + j) % 23 - 11;
      IntB[i][j] = (i + j * 3) % 19 - 8;
      RealA[i][j] = IntA[i][j] * .125;
      RealB[i][j] = IntB[i][j] * .25;
    }
  for (int n = 0; n <= N; n += n < 9 ? 1 : 7) {
    remainders(n), print("remainders");
    remaindersOf(n, 998244353), print("remainders of");
    bounded(n), print("bounded");
    masked(n), print("masked");
    boundedReals(n), print("bounded reals");
  }
}
