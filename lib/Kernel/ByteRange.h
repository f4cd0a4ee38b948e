//===- ByteRange.h - pieces of memory at run time ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_BYTERANGE_H
#define TILESMITH_LIB_KERNEL_BYTERANGE_H

#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

/// [first, second): i64s, addresses or distances from one.
using Bytes = std::pair<llvm::Value *, llvm::Value *>;

inline llvm::Value *overlap(llvm::IRBuilderBase &B, Bytes X, Bytes Y) {
  llvm::Value *BeginsBeforeEnd = B.CreateICmpULT(X.first, Y.second);
  return B.CreateAnd(BeginsBeforeEnd, B.CreateICmpULT(Y.first, X.second));
}

/// \p X moved by \p By.
inline Bytes moved(llvm::IRBuilderBase &B, Bytes X, llvm::Value *By) {
  return {B.CreateAdd(X.first, By), B.CreateAdd(X.second, By)};
}

/// What lies between 0 and \p Span, and \p Size bytes.
inline Bytes spanned(llvm::IRBuilderBase &B, llvm::Value *Span, uint64_t Size) {
  llvm::Value *Zero = B.getInt64(0);
  return {
      B.CreateBinaryIntrinsic(llvm::Intrinsic::smin, Span, Zero),
      B.CreateAdd(B.CreateBinaryIntrinsic(llvm::Intrinsic::smax, Span, Zero),
                  B.getInt64(Size))};
}

} // namespace tilesmith

#endif
