//===- epilogue-calls.c - functions that may set errno --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A function that an epilogue calls is called once for each element of C, also
// where another copy of the nest stores what the sums start from: that copy has
// neither the call nor the sum.
//
// RUN: %clang -O2 -DLIBRARY -fno-builtin -c %s -o %t.library.o
// RUN: %clang -O2 %s %t.library.o -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify %s %t.library.o -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got

float expf(float);
extern int calls;

#ifdef LIBRARY

int calls = 0;
float expf(float x) {
  ++calls;
  return 1 / (1 + x * x);
}

#else

#include <stdio.h>

enum { N = 40 };

__attribute__((noinline)) void bias_of_column(int n, const float *x, const float *w, const float *b, float *y) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int o = 0; o < n; o++) {
      float s = b[o];
      for (int k = 0; k < n; k++)
        s += x[i * n + k] * w[o * n + k];
      y[i * n + o] = 1 / (1 + expf(-s));
    }
}

__attribute__((noinline)) void bias_of_row(int n, const float *x, const float *w, const float *b, float *y) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int o = 0; o < n; o++) {
      float s = b[i];
      for (int k = 0; k < n; k++)
        s += x[i * n + k] * w[o * n + k];
      y[i * n + o] = expf(expf(s) * s);
    }
}

static float x[N * N], w[N * N], b[N], y[N * N];

int main(void) {
  for (int i = 0; i < N * N; i++) {
    x[i] = (i * 37 % 101 - 50) * 0.01f;
    w[i] = (i * 53 % 97 - 48) * 0.02f;
    b[i % N] = i % N * 0.1f;
  }
  for (int n = 1; n <= N; n += 13) {
    bias_of_column(n, x, w, b, y);
    fwrite(y, sizeof y, 1, stdout);
    bias_of_row(n, x, w, b, y);
    fwrite(y, sizeof y, 1, stdout);
    fwrite(&calls, sizeof calls, 1, stdout);
  }
  return 0;
}

#endif
