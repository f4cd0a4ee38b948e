//===- FusedCounter.cpp - one counter for two loops -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/FusedCounter.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// What \p I takes of \p Counter, one of its operands.
static std::optional<CounterPart> takenBy(Instruction &I,
                                          const Instruction &Counter) {
  Value *N = nullptr;
  if (match(&I, m_IDiv(m_Specific(&Counter), m_Value(N))))
    return CounterPart{&I, N, /*IsQuotient=*/true};
  if (match(&I, m_IRem(m_Specific(&Counter), m_Value(N))))
    return CounterPart{&I, N, /*IsQuotient=*/false};
  // By a power of two.
  const APInt *Bits;
  Type *Ty = I.getType();
  unsigned Width = Ty->isIntegerTy() ? Ty->getIntegerBitWidth() : 0;
  if (match(&I, m_LShr(m_Specific(&Counter), m_APInt(Bits))) &&
      Bits->ult(Width - 1))
    return CounterPart{
        &I,
        ConstantInt::get(Ty, APInt::getOneBitSet(Width, Bits->getZExtValue())),
        /*IsQuotient=*/true};
  // What extends a 32-bit counter takes all of it.
  if (match(&I, m_And(m_Specific(&Counter), m_APInt(Bits))) && Bits->isMask() &&
      !Bits->isMaxSignedValue() && !Bits->isAllOnes() && !Bits->isMask(32))
    return CounterPart{&I, ConstantInt::get(Ty, *Bits + 1),
                       /*IsQuotient=*/false};
  return std::nullopt;
}

/// Whether \p V is the counter that each row begins with: t / n * n, or a shift
/// by a power of two.
static bool beginsRow(Value *V, const CounterPart &Quotient) {
  if (match(V,
            m_c_Mul(m_Specific(Quotient.Inst), m_Specific(Quotient.Divisor))))
    return true;
  const APInt *Bits, *Size;
  return match(V, m_Shl(m_Specific(Quotient.Inst), m_APInt(Bits))) &&
         match(Quotient.Divisor, m_APInt(Size)) && Size->isPowerOf2() &&
         *Bits == Size->logBase2();
}

/// The remainders that are computed from \p Quotient: t - t / n * n.
static void addRemainders(const CounterPart &Quotient,
                          SmallVectorImpl<CounterPart> &To) {
  Value *Counter = Quotient.Inst->getOperand(0);
  for (User *Begin : Quotient.Inst->users())
    if (beginsRow(Begin, Quotient))
      for (User *U : Begin->users())
        if (match(U, m_Sub(m_Specific(Counter), m_Specific(Begin))))
          To.push_back({cast<Instruction>(U), Quotient.Divisor,
                        /*IsQuotient=*/false, Quotient.IsUnsigned});
}

static bool isSignedDivision(const Instruction &I) {
  return I.getOpcode() == Instruction::SDiv ||
         I.getOpcode() == Instruction::SRem;
}

/// Adds what is taken of \p Value, which is the counter, frozen perhaps, or, if \p
/// IsNarrow, the counter in a narrower type.
static void addParts(Instruction &Value, bool IsNarrow, bool IsUnsigned,
                     SmallVectorImpl<CounterPart> &To) {
  for (User *U : Value.users()) {
    auto &I = *cast<Instruction>(U);
    auto Part = takenBy(I, Value);
    if (Part && !(IsUnsigned && isSignedDivision(I))) {
      Part->IsUnsigned = IsUnsigned;
      To.push_back(*Part);
    }
    if (isa<FreezeInst>(I))
      addParts(I, IsNarrow, IsUnsigned, To);
    // LLVM widens counters. What stays narrow has the same value.
    auto *Narrow = dyn_cast<TruncInst>(&I);
    if (Narrow && !IsNarrow &&
        (Narrow->hasNoSignedWrap() || Narrow->hasNoUnsignedWrap()))
      addParts(*Narrow, /*IsNarrow=*/true, !Narrow->hasNoSignedWrap(), To);
  }
}

SmallVector<CounterPart, 4> counterParts(Instruction &Counter) {
  SmallVector<CounterPart, 4> Parts;
  addParts(Counter, /*IsNarrow=*/false, /*IsUnsigned=*/false, Parts);
  for (const CounterPart &Part : SmallVector<CounterPart, 4>(Parts))
    if (Part.IsQuotient)
      addRemainders(Part, Parts);
  return Parts;
}

std::optional<FusedCounter> fusedCounter(const Loop &L) {
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isIntegerTy())
      for (const CounterPart &Part : counterParts(Phi))
        if (L.isLoopInvariant(Part.Divisor))
          return FusedCounter{&Phi, Part.Divisor};
  return std::nullopt;
}

} // namespace tilesmith
