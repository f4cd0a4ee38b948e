//===- Saving.h - functions for a copy of C ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_KERNEL_SAVING_H
#define TILESMITH_KERNEL_SAVING_H

#include "tilesmith/Idiom/Access.h"

namespace llvm {
class Function;
} // namespace llvm

namespace tilesmith {

/// void tilesmith.copy(ptr to, i64 line, i64 element, ptr from, i64 line, i64
/// element, i64 lines, i64 elements), the strides in bytes. Those of elements are
/// \p ToStep and \p FromStep if these are constants. What is equal may be left as
/// it is, not written. It is a part of \p Caller.
llvm::Function *createCopy(llvm::Function &Caller, llvm::Type *ElemTy,
                           llvm::Align Alignment, llvm::Value *ToStep,
                           llvm::Value *FromStep, bool OnlyChanges);

/// i1 tilesmith.passes(ptr x, i64 line, i64 element, i64 lines, i64 elements,
/// i64 from, i64 to): whether elements max(0, line + from) ... min(elements,
/// line + to) - 1 of each line of \p X pass its test.
llvm::Function *createPasses(llvm::Function &Caller, const Access &X,
                             bool IsAdjacent);

} // namespace tilesmith

#endif
