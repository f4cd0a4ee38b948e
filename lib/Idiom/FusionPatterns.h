//===- FusionPatterns.h - products that may be fused where added -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_FUSIONPATTERNS_H
#define TILESMITH_LIB_IDIOM_FUSIONPATTERNS_H

#include "Patterns.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"

namespace tilesmith {

/// Looks through phis that have one operand.
struct LonePhis {
  llvm::Value *resolve(llvm::Value *V) const {
    auto *Phi = llvm::dyn_cast<llvm::PHINode>(V);
    return Phi && Phi->getNumOperands() == 1 ? resolve(Phi->getOperand(0)) : V;
  }
};
inline constexpr LonePhis ThroughLonePhis;

/// A multiplication that may be fused where it is added.
template <typename P> auto m_Contractable(const P &Multiplication) {
  auto Holds = [](llvm::Instruction &I) { return isContractable(I); };
  return m_Exact(ThroughLonePhis,
                 llvm::PatternMatch::m_CombineAnd(
                     m_If<llvm::Instruction>(Holds), Multiplication));
}
inline auto m_Contractable() {
  return m_Contractable(llvm::PatternMatch::m_Value());
}

/// The addition of such a multiplication.
inline auto m_MayFuse() {
  return m_Addition(m_Contractable(), llvm::PatternMatch::m_Value());
}

/// Whether \p Pattern matches an instruction of \p L.
template <typename P> bool hasMatch(const llvm::Loop &L, const P &Pattern) {
  auto Matches = [&](const llvm::Instruction &I) {
    return llvm::PatternMatch::match(&I, Pattern);
  };
  return llvm::any_of(L.blocks(), [&](const llvm::BasicBlock *BB) {
    return llvm::any_of(*BB, Matches);
  });
}

/// Whether both multiply the same values.
bool multiplyTheSame(const llvm::Instruction &X, const llvm::Instruction &Y);

} // namespace tilesmith

#endif
