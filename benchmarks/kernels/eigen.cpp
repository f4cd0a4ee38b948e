//===- eigen.cpp - the same products, by Eigen ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels.h"
#include <Eigen/Core>

using namespace Eigen;

constexpr int r = RowMajor, c = ColMajor;

template <typename T, int Order>
using View = Map<Matrix<T, Dynamic, Dynamic, Order>, Unaligned, OuterStride<>>;
template <typename T, int Order>
using ConstView =
    Map<const Matrix<T, Dynamic, Dynamic, Order>, Unaligned, OuterStride<>>;

#define DEFINE(Prefix, Type, T, OC, OA, OB)                                    \
  extern "C" void NAME(Prefix, Type, OC, OA,                                   \
                       OB)(long M, long N, long K, const T *A, long lda,       \
                           const T *B, long ldb, T *C, long ldc) {             \
    View<T, OC>(C, M, N, OuterStride<>(ldc)).noalias() +=                      \
        ConstView<T, OA>(A, M, K, OuterStride<>(lda)) *                        \
        ConstView<T, OB>(B, K, N, OuterStride<>(ldb));                         \
  }

FOR_ALL_ORDERS(DEFINE, eigen, f64, double)
FOR_ALL_ORDERS(DEFINE, eigen, f32, float)
