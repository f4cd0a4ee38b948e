//===- NaNTest.h - what is done where a product is NaN ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_NANTEST_H
#define TILESMITH_LIB_IDIOM_NANTEST_H

#include "LoopNest.h"
#include "llvm/IR/PatternMatch.h"

namespace tilesmith {

/// Matches whether a value is NaN (\p Is), or is not. Binds it to \p Of.
inline auto m_NaNComparison(bool Is, llvm::Value *&Of) {
  using namespace llvm::PatternMatch;
  auto Predicate = Is ? llvm::FCmpInst::FCMP_UNO : llvm::FCmpInst::FCMP_ORD;
  return m_CombineOr(m_SpecificFCmp(Predicate, m_Value(Of), m_AnyZeroFP()),
                     m_SpecificFCmp(Predicate, m_Value(Of), m_Deferred(Of)));
}

/// Whether \p Call computes a product of complex numbers, for when both parts have
/// come out as NaN.
bool isComplexProduct(const llvm::CallBase &Call);

/// Finds the operands of \p Result that are moderate only if no test of \p In
/// finds a NaN. See Access::Moderate. Other tests may only be made of what becomes
/// of \p Sum, if that is kept apart.
Refused matchNaNTests(const LoopNest &In, const llvm::Instruction &Sum,
                      Nest &Result);

} // namespace tilesmith

#endif
