//===- Backend.h - what computes a contraction ------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_BACKEND_H
#define TILESMITH_LIB_REWRITE_BACKEND_H

#include "llvm/IR/IRBuilder.h"
#include <memory>

namespace llvm {
class TargetLibraryInfo;
}

namespace tilesmith {

struct Contraction;
struct Nest;
struct Plan;
class GuardBuilder;

/// Some of the rows of C and A.
struct RowRange {
  llvm::Value *First, *Count; ///< i64
  /// If set (i64), of so many steps the transposed use is made, too.
  llvm::Value *Transposed = nullptr;
  /// Nothing is made but the transposed use of the steps that not all of them make,
  /// if it is made of any others.
  bool IsCorner = false;
};

/// The part of a fast path that depends on who computes.
class Backend {
public:
  virtual ~Backend() = default;

  /// Computes, in front of the nest, what the call takes, and requires of the
  /// guard what the call needs. All sizes have been found to be moderate.
  virtual void prepare(GuardBuilder &Guard) = 0;
  /// Emits the call. The result (i1) is false if nothing was done. If sums are
  /// kept apart, or C is saved, \p Own is where. A streamed kernel may be called
  /// for some \p Rows.
  virtual llvm::Value *emitCall(llvm::IRBuilderBase &B,
                                llvm::Value *Own = nullptr,
                                const RowRange *Rows = nullptr) = 0;
};

/// A kernel of our own. \p View is the nest as \p ThePlan sees it.
std::unique_ptr<Backend> createKernelCall(const Nest &View,
                                          const Plan &ThePlan);
/// The calls that \p ThePlan has planned, likewise.
std::unique_ptr<Backend> createLibraryCall(const Contraction &Op,
                                           const Plan &ThePlan,
                                           const llvm::TargetLibraryInfo &TLI);

} // namespace tilesmith

#endif
