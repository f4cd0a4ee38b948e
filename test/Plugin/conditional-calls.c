//===- conditional-calls.c - functions that are called for some sums ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An epilogue calls a function for those sums for which the source does, also
// where LLVM has parted the empty sum from the others: the results, and how often
// the function was called, are the same.
//
// RUN: %clang -O2 -DLIBRARY -fno-builtin -c %s -o %t.library.o
// RUN: %clang -O2 %s %t.library.o -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify %s %t.library.o -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
//
// Nothing but the kernel's epilogue is left of the functions that stand for the
// choices while the nest is looked at.
// RUN: %clang -O2 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// IR-NOT: tilesmith.choice
//
// RUN: %clang -O2 -fno-math-errno %s %t.library.o -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -Xclang -verify %s %t.library.o -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got

float expf(float), expm1f(float), log1pf(float);
extern int calls;

#ifdef LIBRARY

int calls = 0;
float expf(float x) {
  ++calls;
  return 1 / (1 + x * x);
}
float expm1f(float x) { return expf(x) - 1; }
float log1pf(float x) { return expf(x) - 2; }

#else

#include <stdio.h>

enum { N = 40 };

__attribute__((noinline)) void elu(int n, int K, const float *x, const float *w, const float *b, float *y) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < K; k++)
        s += x[i * N + k] * w[j * N + k];
      y[i * N + j] = s > 0 ? s : expm1f(s);
    }
}

__attribute__((noinline)) void softplus(int n, int K, const float *x, const float *w, const float *b, float *y) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int j = 0; j < n; j++) {
      float s = b[j];
      for (int k = 0; k < K; k++)
        s += x[i * N + k] * w[k * N + j];
      if (s < 2)
        s = log1pf(expf(s));
      y[i * N + j] = s;
    }
}

__attribute__((noinline)) void three(int n, int K, const float *x, const float *w, const float *b, float *y) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < K; k++)
        s += x[i * N + k] * w[k * N + j];
      float u = b[j];
      if (s > u)
        s = s < 3 ? expf(s) : u + expm1f(-s);
      y[i * N + j] += s;
    }
}

__attribute__((noinline)) void two_ways(int n, int K, const float *x, const float *w, const float *b, float *y) {
  for (int i = 0; i < n; i++) // expected-remark {{with an epilogue}}
    for (int j = 0; j < n; j++) {
      float s = b[i];
      for (int k = 0; k < K; k++)
        s += x[i * N + k] * w[k * N + j];
      y[i * N + j] = s > 0 ? 1 / (1 + expf(-s)) : log1pf(s) / 3;
    }
}

static float x[N * N], w[N * N], b[N], y[N * N];

static void write(void) {
  // Which NaN it is, is left open.
  for (int i = 0; i < N * N; i++)
    y[i] = y[i] != y[i] ? 7 : y[i];
  fwrite(y, sizeof y, 1, stdout);
  fwrite(&calls, sizeof calls, 1, stdout);
}

int main(void) {
  for (int i = 0; i < N * N; i++) {
    x[i] = (i * 37 % 101 - 50) * 0.01f;
    w[i] = (i * 53 % 97 - 48) * 0.02f;
    b[i % N] = i % N * 0.1f;
  }
  x[1] = -0.0f, x[50] = 1 / 0.0f, x[130] = -1 / 0.0f, w[77] = 0.0f / 0.0f;
  for (int n = 1; n <= N; n += 13)
    for (int k = 0; k <= N; k += 20) {
      elu(n, k, x, w, b, y), write();
      softplus(n, k, x, w, b, y), write();
      three(n, k, x, w, b, y), write();
      two_ways(n, k, x, w, b, y), write();
    }
  return 0;
}

#endif
