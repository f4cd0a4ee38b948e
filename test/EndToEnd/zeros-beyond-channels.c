//===- zeros-beyond-channels.c - convolutions with zeros beyond borders ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `inside ? x : 0` in a convolution with taps of constant size and subscripts of type `int`, as most people write it. At
// -O3, LLVM makes loops of their own for what is beyond a border, and then unrolls the taps, unless there is a product once
// these loops are one again. All bits are those of clang alone, with NaN and infinity in either factor, and nothing is read
// that the loops do not read.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang %{flags} -w %s -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s \
// DEFINE:   && %t.ours > %t.result && cmp %t.expected %t.result
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3 -DT=double -ffp-contract=off
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}
// REQUIRES: native-avx2
// CHECK-COUNT-6: replaced {{[67]}}-loop nest by GEMM

#include "../guarded.h"
#include <string.h>

#ifndef T
#define T float
#endif
#define PARAMETERS                                                                                                     \
  (int I, int O, int H, int W, const T *restrict x, const T *restrict w, const T *restrict bias, T *restrict y)
#define FUNCTION(NAME) __attribute__((noinline)) static void NAME PARAMETERS
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define AT(a, b, i) (a >= 0 && a < H && b >= 0 && b < W ? x[i] : 0)

FUNCTION(channels_first) {
  FOR(o, O) FOR(i, H) FOR(j, W) {
    T s = 0;
    FOR(c, I) FOR(p, 3) FOR(q, 3) {
      int a = i + p - 1, b = j + q - 1;
      s += AT(a, b, (c * H + a) * W + b) * w[((o * I + c) * 3 + p) * 3 + q];
    }
    y[(o * H + i) * W + j] = s;
  }
}
FUNCTION(five_bias) {
  FOR(o, O) FOR(i, H) FOR(j, W) {
    T s = bias[o];
    FOR(c, I) FOR(p, 5) FOR(q, 5) {
      int a = i + p - 2, b = j + q - 2;
      T v = 0;
      if (a >= 0 && a < H && b >= 0 && b < W)
        v = x[(c * H + a) * W + b];
      s += v * w[((o * I + c) * 5 + p) * 5 + q];
    }
    y[(o * H + i) * W + j] = s > 0 ? s : 0;
  }
}
FUNCTION(stride_2) {
  FOR(o, O) FOR(i, (H + 1) / 2) FOR(j, (W + 1) / 2) {
    T s = 0;
    FOR(c, I) FOR(p, 3) FOR(q, 3) {
      int a = i * 2 + p - 1, b = j * 2 + q - 1;
      s += AT(a, b, (c * H + a) * W + b) * w[((o * I + c) * 3 + p) * 3 + q];
    }
    y[(o * ((H + 1) / 2) + i) * ((W + 1) / 2) + j] = s;
  }
}
FUNCTION(in_memory) {
  FOR(o, O) FOR(c, I) FOR(i, H) FOR(j, W) FOR(p, 3) FOR(q, 3) {
    int a = i + p - 1, b = j + q - 1;
    y[(o * H + i) * W + j] += AT(a, b, (c * H + a) * W + b) * w[((o * I + c) * 3 + p) * 3 + q];
  }
}
FUNCTION(channels_last) {
  FOR(i, H) FOR(j, W) FOR(o, O) {
    T s = 0;
    FOR(p, 3) FOR(q, 3) FOR(c, I) {
      int a = i + p - 1, b = j + q - 1;
      s += AT(a, b, (a * W + b) * I + c) * w[((o * 3 + p) * 3 + q) * I + c];
    }
    y[(i * W + j) * O + o] = s;
  }
}
FUNCTION(batch) {
  FOR(n, 2) FOR(o, O) FOR(i, H / 2) FOR(j, W) {
    T s = 0;
    FOR(c, I) FOR(p, 3) FOR(q, 3) {
      int a = i + p - 1, b = j + q - 1;
      s += (a >= 0 && a < H / 2 && b >= 0 && b < W ? x[((n * I + c) * (H / 2) + a) * W + b] : 0) *
           w[((o * I + c) * 3 + p) * 3 + q];
    }
    y[((n * O + o) * (H / 2) + i) * W + j] = s;
  }
}

static void run(void (*f) PARAMETERS, int I, int O, int H, int W, int special, int atEnd) {
  int taps = f == five_bias ? 25 : 9;
  T *x = guarded(sizeof(T) * I * H * W, atEnd), *w = guarded(sizeof(T) * O * I * taps, atEnd),
    *y = guarded(sizeof(T) * O * H * W, atEnd), *bias = guarded(sizeof(T) * O, atEnd);
  for (int i = 0; i < I * H * W; i++)
    x[i] = anyElement(special & 1 ? INFINITY : -0.0);
  for (int i = 0; i < O * I * taps; i++)
    w[i] = anyElement(special & 2 ? NAN : -0.0) * (i % 3 ? 1 : -1);
  for (int i = 0; i < O * H * W; i++)
    y[i] = 7;
  for (int i = 0; i < O; i++)
    bias[i] = i % 2 ? -0.0 : i;
  f(I, O, H, W, x, w, bias, y);
  for (int i = 0; i < O * H * W; i++)
    y[i] = y[i] != y[i] ? 1 : y[i];
  hashBytes(y, sizeof(T) * O * H * W);
  printf("%d %d %d %d %d %lx\n", I, O, H, W, special, Hash);
}

int main(void) {
  static const int Sizes[][4] = {{1, 1, 1, 1}, {1, 3, 2, 9}, {3, 2, 7, 5}, {4, 9, 9, 8}, {5, 8, 16, 17}, {8, 17, 12, 33}};
  for (int s = 0; s < 6; s++)
    for (int special = 0; special < 4; special++)
      for (int atEnd = 0; atEnd < 2; atEnd++) {
        const int *n = Sizes[s];
        run(channels_first, n[0], n[1], n[2], n[3], special, atEnd);
        run(five_bias, n[0], n[1], n[2], n[3], special, atEnd);
        run(stride_2, n[0], n[1], n[2], n[3], special, atEnd);
        run(in_memory, n[0], n[1], n[2], n[3], special, atEnd);
        run(channels_last, n[0], n[1], n[2], n[3], special, atEnd);
        run(batch, n[0], n[1], n[2], n[3], special, atEnd);
      }
}
