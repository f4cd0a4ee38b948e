//===- Extremes.cpp - the greater and the lesser of numbers ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extremes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

bool matchExtreme(Value *V, bool Max, bool MayBeUnsigned, Value *&X,
                  Value *&Y) {
  if (Max ? match(V, m_SMax(m_Value(X), m_Value(Y)))
          : match(V, m_SMin(m_Value(X), m_Value(Y))))
    return true;
  return MayBeUnsigned && (Max ? match(V, m_UMax(m_Value(X), m_Value(Y)))
                               : match(V, m_UMin(m_Value(X), m_Value(Y))));
}

bool matchCutAtZero(Value *V, Value *&X, Value *&Y) {
  return match(V, m_Intrinsic<Intrinsic::usub_sat>(m_Value(X), m_Value(Y)));
}

bool matchExcess(Value *V, Value *&X, Value *&Y) {
  return match(V, m_Sub(m_c_SMax(m_Value(X), m_Value(Y)), m_Deferred(Y))) ||
         match(V, m_Sub(m_c_SMax(m_Value(Y), m_Value(X)), m_Deferred(Y)));
}

std::optional<Excess> excessOf(Value &V) {
  CmpPredicate P;
  Excess E;
  Value *Difference, *Zero;
  if (!match(&V, m_Select(m_ICmp(P, m_Value(E.High), m_Value(E.Low)),
                          m_Value(Difference), m_Value(Zero))))
    return std::nullopt;
  CmpInst::Predicate Greater = P;
  if (match(Difference, m_Zero())) {
    std::swap(Difference, Zero);
    Greater = CmpInst::getInversePredicate(Greater);
  }
  if (ICmpInst::isLT(Greater) || ICmpInst::isLE(Greater)) {
    std::swap(E.High, E.Low);
    Greater = CmpInst::getSwappedPredicate(Greater);
  }
  if (!ICmpInst::isSigned(Greater) || !match(Zero, m_Zero()) ||
      !match(Difference, m_Sub(m_Value(E.X), m_Value(E.Y))))
    return std::nullopt;
  return E;
}

} // namespace tilesmith
