//===- dispatch.cpp - kernels for many CPUs in several files --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each file has kernels of its own, also in a shared library, and for functions
// that several files have; a link with LTO puts them together. Products are
// made before main, too.
//
// REQUIRES: x86, lld
// DEFINE: %{flags} = -O2 -march=x86-64 -ffp-contract=off
// DEFINE: %{ours} = %clangxx %{flags} -c %s -fpass-plugin=%tilesmith -Rpass=tilesmith
// RUN: %clangxx %{flags} -c %s -o %t.1.o && %clangxx %{flags} -c %s -DMAIN -o %t.2.o
// RUN: %clangxx %{flags} %t.1.o %t.2.o -o %t.stock && %t.stock > %t.txt
//
// RUN: env TILESMITH='dispatch=cpu' %{ours} -fPIC -o %t.1.o 2>&1 | FileCheck %s --dump-input=never
// RUN: env TILESMITH='dispatch=cpu' %{ours} -fPIC -DMAIN -o %t.2.o 2>&1 | FileCheck %s --dump-input=never
// RUN: %clangxx %{flags} %t.1.o %t.2.o -o %t.run && %t.run | diff %t.txt -
// RUN: %clangxx %{flags} -shared %t.1.o -o %t.so && %clangxx %{flags} %t.2.o %t.so -o %t.run && %t.run | diff %t.txt -
// RUN: env TILESMITH=dispatch=cpu %{ours} -flto -o %t.1.o 2>&1 | FileCheck %s --dump-input=never
// RUN: env TILESMITH=dispatch=cpu %{ours} -flto -DMAIN -o %t.2.o
// RUN: %clangxx %{flags} -flto -fuse-ld=%lld %t.1.o %t.2.o -o %t.run && %t.run | diff %t.txt -
// CHECK: dispatched: AVX-512, AVX, SSE

#include <cstdio>

template <typename T> void multiply(long n, const T *a, const T *b, T *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

inline double product(long n) {
  static double A[80 * 80], B[80 * 80], C[80 * 80];
  for (long i = 0; i < n * n; i++) {
    A[i] = i % 7 / 3.0;
    B[i] = i % 5 / 7.0;
    C[i] = i % 3;
  }
  multiply(n, A, B, C);
  double Sum = 0;
  for (long i = 0; i < n * n; i++)
    Sum += C[i] * (i % 11);
  return Sum;
}

double other(long n);

#ifdef MAIN
static double First = product(79);
int main() {
  for (long n = 1; n < 80; n += 3)
    std::printf("%a %a %a\n", product(n), other(n), First);
}
#else
double other(long n) { return product(n) + 1; }
#endif
