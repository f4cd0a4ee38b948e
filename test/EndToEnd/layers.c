//===- layers.c - layers of a network, row by row ---------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two layers in one loop over samples: the sums of each start from a bias, or get it
// later, and something is done to them before they are stored. Each layer is a product
// with an epilogue; the loop is distributed. All arrays are compared, also where they
// overlap.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clang -O3 -march=native %{flags} %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1
// DEFINE: %{test} = %{compile} -o %t.plain && %t.plain > %t.expected && \
// DEFINE:   %{ours} -Rpass=tilesmith -o %t.ours 2> %t.remarks && FileCheck %s < %t.remarks && \
// DEFINE:   %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{test}
// REDEFINE: %{flags} = -DT=double -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -DT=float -ffp-contract=fast
// RUN: %{test}
// REDEFINE: %{flags} = -march=x86-64-v3
// RUN: %{test}
// REQUIRES: x86
// CHECK-DAG: layers.c:[[#@LINE+20]]:{{.*}} replaced 3-loop nest by GEMM {{.*}} with an epilogue
// CHECK-DAG: layers.c:[[#@LINE+19]]:{{.*}} replaced 3-loop nest by GEMM
// CHECK-DAG: layers.c:[[#@LINE+37]]:{{.*}} replaced 3-loop nest by GEMM {{.*}} with an epilogue
// CHECK-DAG: layers.c:[[#@LINE+36]]:{{.*}} replaced 3-loop nest by GEMM {{.*}} with an epilogue
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef T
#define T float
#endif

typedef struct {
  int samples, in, hidden, out;
} Sizes;
typedef void (*Layers)(Sizes, const T *, const T *, const T *, const T *, const T *, T *, T *);

/// The bias comes first.
__attribute__((noinline)) static void started(Sizes S, const T *x, const T *w1, const T *b1, const T *w2, const T *b2,
                                              T *h, T *y) {
  for (int i = 0; i < S.samples; i++) {
    for (int j = 0; j < S.hidden; j++) {
      T s = b1[j];
      for (int l = 0; l < S.in; l++)
        s += x[i * S.in + l] * w1[j * S.in + l];
      h[i * S.hidden + j] = s > 0 ? s : 0;
    }
    for (int j = 0; j < S.out; j++) {
      T s = b2[j];
      for (int l = 0; l < S.hidden; l++)
        s += h[i * S.hidden + l] * w2[j * S.hidden + l];
      y[i * S.out + j] = s;
    }
  }
}

/// The bias comes last, and a function.
__attribute__((noinline)) static void finished(Sizes S, const T *x, const T *w1, const T *b1, const T *w2, const T *b2,
                                               T *h, T *y) {
  for (int i = 0; i < S.samples; i++) {
    for (int j = 0; j < S.hidden; j++) {
      T s = 0;
      for (int l = 0; l < S.in; l++)
        s += x[i * S.in + l] * w1[l * S.hidden + j];
      h[i * S.hidden + j] = tanh(s + b1[j]);
    }
    for (int j = 0; j < S.out; j++) {
      T s = 0;
      for (int l = 0; l < S.hidden; l++)
        s += h[i * S.hidden + l] * w2[l * S.out + j];
      y[i * S.out + j] = s + b2[j];
    }
  }
}

static void run(Layers Compute, Sizes S, int Overlap) {
  int Counts[] = {S.samples * S.in, S.in * S.hidden, S.hidden, S.hidden * S.out,
                  S.out,            S.samples * S.hidden, S.samples * S.out};
  int Total = 64;
  for (int i = 0; i < 7; i++)
    Total += Counts[i];
  T *All = malloc(Total * sizeof(T)), *Of[7], *Next = All;
  for (int i = 0; i < Total; i++)
    All[i] = (i * 37 % 101 - 50) * (T).02;
  if (Overlap < 0)
    All[Total / 3] = NAN, All[Total / 2] = INFINITY, All[Total / 5] = -(T)0;
  for (int i = 0; i < 7; i++) {
    Of[i] = Next;
    Next += Counts[i];
  }
  // What is written overlaps what is read, from an array to the one before.
  if (Overlap > 0)
    Of[5 + Overlap % 2] = Of[Overlap / 2] + 1;
  Compute(S, Of[0], Of[1], Of[2], Of[3], Of[4], Of[5], Of[6]);
  unsigned long long Hash = 1469598103934665603u;
  for (int i = 0; i < Total; i++) {
    T v = All[i] != All[i] ? (T)7 : All[i];
    unsigned char Bytes[sizeof(T)];
    memcpy(Bytes, &v, sizeof v);
    for (unsigned j = 0; j < sizeof v; j++)
      Hash = (Hash ^ Bytes[j]) * 1099511628211u;
  }
  printf("%d %d %d %d %d %llx\n", S.samples, S.in, S.hidden, S.out, Overlap, Hash);
  free(All);
}

int main(void) {
  static const Sizes All[] = {{1, 1, 1, 1},     {2, 3, 4, 5},     {8, 8, 8, 8},    {7, 17, 9, 33}, {16, 40, 24, 10},
                              {33, 65, 50, 31}, {64, 1, 49, 100}, {50, 100, 1, 7}, {97, 64, 80, 3}};
  Layers Of[] = {started, finished};
  for (int f = 0; f < 2; f++)
    for (unsigned s = 0; s < sizeof All / sizeof *All; s++)
      for (int Overlap = -1; Overlap < 11; Overlap++)
        run(Of[f], All[s], Overlap);
}
