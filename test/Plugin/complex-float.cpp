//===- complex-float.cpp - products of std::complex -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// On x86-64, std::complex<float> is passed to its operators as a vector of two
// floats. In the copy of the loops that becomes a product, each is loaded by
// itself.
//
// REQUIRES: x86
// DEFINE: %{opt} = -O2
// DEFINE: %{limited} = -fcx-limited-range
// DEFINE: %{stock} = %clangxx %{opt} %{limited} %s -o %t.stock && %t.stock > %t.expected
// DEFINE: %{ours} = %clangxx %{opt} %{limited} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// DEFINE:   -mllvm -tilesmith-verify=1 -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t.ours -Wno-deprecated
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
// REDEFINE: %{opt} = -O3 -march=native
// RUN: %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
// REDEFINE: %{opt} = -O3 -march=native -ffp-contract=off
// RUN: %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
// CHECK-DAG: {{^[1-9].*}}in_memory{{.*}}: complex GEMM f32
// CHECK-DAG: {{^[1-9].*}}of_vectors{{.*}}: complex GEMM f32
// CHECK-DAG: {{^[1-9].*}}summed{{.*}}: complex GEMM f32
// CHECK-DAG: {{^[1-9].*}}of_doubles{{.*}}: complex GEMM f64
//
// The test for NaN makes no difference.
// REDEFINE: %{limited} =
// RUN: %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
// REDEFINE: %{opt} = -O2
// RUN: %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
#include <complex>
#include <cstdio>
#include <vector>

using C8 = std::complex<float>;
using Z = std::complex<double>;

__attribute__((noinline)) void in_memory(long n, const C8 *a, const C8 *b, C8 *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

__attribute__((noinline)) void of_vectors(int n, const std::vector<C8> &a, const std::vector<C8> &b,
                                          std::vector<C8> &c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] -= a[i * n + k] * b[k * n + j];
}

__attribute__((noinline)) void summed(long n, const C8 *a, const C8 *b, C8 *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      C8 s = 0;
      for (long k = 0; k < n; k++)
        s += std::conj(a[k * n + i]) * b[k * n + j];
      c[i * n + j] = s;
    }
}

__attribute__((noinline)) void of_doubles(long n, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      Z s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

template <typename T> static std::vector<T> numbers(int step) {
  std::vector<T> result(40 * 40 + 40);
  for (int i = 0; i < int(result.size()); i++)
    result[i] = T(i * step % 101 * 0.1 - 5, i * step % 97 * 0.3 - 14);
  result[7] = T(-0.0, 0);
  return result;
}
template <typename T> static void show(const std::vector<T> &x) {
  fwrite(x.data(), sizeof(T), x.size(), stdout);
}

int main() {
  for (int n = 0; n <= 40; n += n < 5 ? 1 : 7) {
    auto a = numbers<C8>(37), b = numbers<C8>(53), c = numbers<C8>(7);
    in_memory(n, a.data(), b.data(), c.data());
    show(c);
    in_memory(n, c.data(), b.data(), c.data() + 3); // over a factor
    show(c);
    of_vectors(n, a, b, c);
    show(c);
    summed(n, a.data(), b.data(), c.data());
    show(c);
    auto x = numbers<Z>(37), y = numbers<Z>(53), z = numbers<Z>(7);
    of_doubles(n, x.data(), y.data(), z.data());
    show(z);
  }
}
