//===- Dim.h - the dimensions of a product ----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_DIM_H
#define TILESMITH_IDIOM_DIM_H

#include <array>

namespace tilesmith {

/// The dimensions: M indexes C and A, N indexes C and B, K is summed over. A
/// batch, which indexes all of them, is no dimension of a product.
enum Dim : unsigned { M, N, K, Batch };
constexpr unsigned NumDims = 3;
/// \p D with M and N exchanged.
constexpr Dim mirrored(Dim D) { return D == M ? N : D == N ? M : D; }
template <typename T> using PerDim = std::array<T, NumDims>;

} // namespace tilesmith

#endif
