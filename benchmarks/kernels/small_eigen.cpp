//===- small_eigen.cpp - the same small products, by Eigen ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "small.h"
#include <Eigen/Core>

using namespace Eigen;

using T = REAL(TYPE);
constexpr int r = RowMajor, c = ColMajor;

/// Vectors have one storage order only.
template <int Rows, int Columns, int Order>
constexpr int OrderOf = Rows == 1 && Columns != 1   ? RowMajor
                        : Columns == 1 && Rows != 1 ? ColMajor
                                                    : Order;
template <typename Scalar, int Rows, int Columns, int Order>
using Fixed = Map<Matrix<Scalar, Rows, Columns, OrderOf<Rows, Columns, Order>>>;
template <typename Scalar, int Rows, int Columns, int Order>
using ConstFixed =
    Map<const Matrix<Scalar, Rows, Columns, OrderOf<Rows, Columns, Order>>>;

constexpr int extent(int Constant) { return Constant ? Constant : Dynamic; }

template <int OC, int OA, int OB, int CM, int CN, int CK>
static void product(long m, long n, long k, const T *A, const T *B, T *C) {
  constexpr int M = extent(CM), N = extent(CN), K = extent(CK);
  const long Rows = CM ? CM : m, Columns = CN ? CN : n, Steps = CK ? CK : k;
  Fixed<T, M, N, OC>(C, Rows, Columns).noalias() +=
      ConstFixed<T, M, K, OA>(A, Rows, Steps) *
      ConstFixed<T, K, N, OB>(B, Steps, Columns);
}

#define ELEMENT(OC, OA, OB, CM, CN, CK)                                        \
  {CM, CN, CK, #OC #OA #OB,                                                    \
   reinterpret_cast<void (*)()>(product<OC, OA, OB, CM, CN, CK>)},

extern "C" const SmallProduct TABLE(eigen, TYPE, ijk)[];
const SmallProduct TABLE(eigen, TYPE, ijk)[] = {
    FOR_SOME_CUBES(ELEMENT, r, r, r) IN_ALL_ORDERS(FOR_UNKNOWN, ELEMENT){}};
