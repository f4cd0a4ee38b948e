//===- vectors-along-steps.c - against clang's vectors along k -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums of integers with both factors adjacent along k are clang's vectors along k:
// kernels need more rows and columns to be faster.

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} -march=znver5 -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// RUN: %{source} -march=haswell -o %t.avx2.ll
// RUN: %{plan} %t.avx2.ll 2>&1 | FileCheck %s --check-prefix=AVX2

// CHECK-LABEL: function 'product'
// CHECK:       break-even: M*N*K >= 216, M*N >= 128, M >= 16, N >= 4, K >= 4;
// CHECK-LABEL: function 'long_product'
// CHECK:       break-even: M*N*K >= 216, M*N >= 64, M >= 8, N >= 4, K >= 4;
// CHECK-LABEL: function 'widened'
// CHECK:       break-even: M*N*K >= 216, M*N >= 96, M >= 8, N >= 4, K >= 4;
// CHECK-LABEL: function 'bits'
// CHECK:       break-even: M*N*K >= 216, M*N >= 128, M >= 16, N >= 4, K >= 4;
// CHECK-LABEL: function 'bits_of_bytes'
// CHECK:       not replaced: VectorizedSum
// CHECK-LABEL: function 'bytes'
// CHECK:       break-even: M*N*K >= 216, M*N >= 40, M >= 5, N >= 2, K >= 4;
// CHECK-LABEL: function 'bytes_backwards'
// CHECK:       break-even: M*N*K >= 216, M*N >= 40, M >= 5, N >= 2, K >= 4;
// CHECK-LABEL: function 'triangle_of_bytes'
// CHECK:       break-even: M*N*K >= 216, M*N >= 120, M >= 5, N >= 2, K >= 4;
// CHECK-LABEL: function 'known_widened'
// CHECK:       not replaced: TooSmall

// AVX2-LABEL: function 'product'
// AVX2:       break-even: M*N*K >= 216, M*N >= 96, M >= 8, N >= 4, K >= 6;
// AVX2-LABEL: function 'long_product'
// AVX2:       break-even: M*N*K >= 216, M*N >= 48, M >= 8, N >= 8, K >= 6;
// AVX2-LABEL: function 'widened'
// AVX2:       not replaced: VectorizedSum
// AVX2-LABEL: function 'bits'
// AVX2:       break-even: M*N*K >= 216, M*N >= 96, M >= 24, N >= 12, K >= 6;
// AVX2-LABEL: function 'bytes'
// AVX2:       break-even: M*N*K >= 216, M*N >= 64, M >= 4, N >= 2, K >= 6;
// AVX2-LABEL: function 'bytes_backwards'
// AVX2:       break-even: M*N*K >= 216, M*N >= 64, M >= 4, N >= 2, K >= 6;
// AVX2-LABEL: function 'triangle_of_bytes'
// AVX2:       break-even: M*N*K >= 216, M*N >= 300, M >= 4, N >= 2, K >= 6;
// AVX2-LABEL: function 'known_products'
// AVX2:       not replaced: TooSmall

#include <stdint.h>

#define NEST(name, T, E, ...)                                                  \
  void name(int m, int n, int l, const E *a, const E *b, T *c) {               \
    for (int i = 0; i < m; i++)                                                \
      for (int j = 0; j < n; j++) {                                            \
        T s = 0;                                                               \
        for (int k = 0; k < l; k++) {                                          \
          E x = a[i * l + k], y = b[j * l + k];                                \
          __VA_ARGS__;                                                         \
        }                                                                      \
        c[i * n + j] = s;                                                      \
      }                                                                        \
  }

NEST(product, int32_t, int32_t, s += x * y)
NEST(long_product, int64_t, int64_t, s += x * y)
NEST(widened, int64_t, int32_t, s += (int64_t)x * y)
NEST(bits, uint32_t, uint32_t, s += __builtin_popcount(x ^ y))
NEST(bits_of_bytes, int, uint8_t, s += __builtin_popcount(x ^ y))

// Factors that stay narrow, for dot products:
NEST(bytes, int32_t, int8_t, s += x * y)
NEST(bytes_backwards, int32_t, int8_t, s += x * b[j * l + l - 1 - k])
void triangle_of_bytes(int m, int l, const int8_t *a, const int8_t *b,
                       int32_t *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      int32_t s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      c[i * m + j] = s;
    }
}

#define KNOWN(name, size, T, E)                                                \
  void name(const E *restrict a, const E *restrict b, T *restrict c) {         \
    for (int i = 0; i < size; i++)                                             \
      for (int j = 0; j < size; j++) {                                         \
        T s = 0;                                                               \
        for (int k = 0; k < size; k++)                                         \
          s += (T)a[i * size + k] * b[j * size + k];                           \
        c[i * size + j] = s;                                                   \
      }                                                                        \
  }

KNOWN(known_widened, 12, int64_t, int32_t)
KNOWN(known_products, 6, int64_t, int64_t)
