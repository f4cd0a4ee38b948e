//===- NestForms.cpp - addresses of a nest, and tests in front of it ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestForms.h"
#include "LoopShape.h"
#include "StepForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p L is left behind its latch only, and does nothing but load, store
/// and compute what is not used after it.
static bool isPlain(const Loop &L) {
  if (!L.getLoopPredecessor() || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      L.getExitingBlock() != L.getLoopLatch() ||
      !isa<BranchInst>(L.getLoopLatch()->getTerminator()))
    return false;
  auto IsPlain = [&](const Instruction &I) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    bool MayTouch = Load ? Load->isSimple() : Store && Store->isSimple();
    return (MayTouch || !(I.mayReadOrWriteMemory() || I.mayHaveSideEffects()));
  };
  return all_of(L.blocks(),
                [&](const BasicBlock *BB) { return all_of(*BB, IsPlain); });
}

/// Whether \p L touches no memory.
static bool isIdle(const Loop &L) {
  return none_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(
        *BB, [](const Instruction &I) { return I.mayReadOrWriteMemory(); });
  });
}

NestForms::NestForms(Loop &Inner, AAResults &AA, LoopInfo &LI,
                     DominatorTree &DT, ScalarEvolution &SE)
    : F(*Inner.getHeader()->getParent()), AA(AA), LI(LI), DT(DT), SE(SE),
      I64(Type::getInt64Ty(F.getContext())) {
  if (F.getDataLayout().getIndexSizeInBits(0) != 64)
    return;
  for (Loop *L = &Inner; L && isPlain(*L); L = L->getParentLoop()) {
    if (any_of(L->getSubLoops(), [&](const Loop *Part) {
          return Part != Nest.front() && !isIdle(*Part);
        }))
      break;
    Nest.insert(Nest.begin(), L);
  }
}

void NestForms::noteExtension(const Instruction &I) {
  auto IsTest = [](const User *U) {
    auto *Compare = dyn_cast<ICmpInst>(U);
    return Compare && Compare->isEquality() &&
           match(Compare->getOperand(1), m_Zero());
  };
  // Masks and remainders are extensions for ScalarEvolution. Those that are only
  // compared with zero are no part of an address.
  bool IsMask =
      (I.getOpcode() == Instruction::And && !I.getType()->isIntegerTy(1)) ||
      I.getOpcode() == Instruction::URem;
  if (isa<ZExtInst>(I))
    IsNeverNegative &= I.hasNonNeg();
  else if (IsMask)
    IsNeverNegative &= all_of(I.users(), IsTest);
}

const SCEV *NestForms::widened(const SCEV *S) {
  auto Wide = [&](const SCEV *Op) { return widened(Op); };
  if (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S)) {
    const SCEV *Operand = Cast->getOperand(), *Result = Wide(Operand);
    bool IsOfNest =
        !SE.isLoopInvariant(S, Nest.front()) && !isa<SCEVTruncateExpr>(Operand);
    bool IsSigned = isa<SCEVSignExtendExpr>(S) || (IsNeverNegative && IsOfNest);
    unsigned Bits = SE.getTypeSizeInBits(Operand->getType());
    if (!isa<SCEVTruncateExpr>(S))
      Casts.push_back({Result, Bits, IsSigned});
    return Result;
  }
  if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S); Rec && Rec->isAffine())
    return SE.getAddRecExpr(Wide(Rec->getStart()),
                            Wide(Rec->getStepRecurrence(SE)), Rec->getLoop(),
                            SCEV::FlagAnyWrap);
  SmallVector<const SCEV *, 4> Parts;
  if (isa<SCEVAddExpr, SCEVMulExpr>(S))
    Parts = map_to_vector<4>(S->operands(), Wide);
  if (isa<SCEVAddExpr>(S))
    return SE.getAddExpr(Parts);
  if (isa<SCEVMulExpr>(S))
    return SE.getMulExpr(Parts);
  return S->getType()->isIntegerTy() ? SE.getTruncateOrSignExtend(S, I64) : S;
}

std::optional<NestForms::Form> NestForms::formOf(Value *Pointer) {
  return formOf(widened(SE.getSCEV(Pointer)));
}

std::optional<NestForms::Form> NestForms::formOf(const SCEV *S) {
  Form Result{S, {}};
  Result.Step.resize(Nest.size());
  Result.Base = takeSteps(S, Nest, Result.Step, SE);
  return Result.Base ? std::optional(Result) : std::nullopt;
}

bool NestForms::isKnownInFront(const SCEV *S) {
  SCEVExpander Expander(SE, "tilesmith");
  const Loop &Root = *Nest.front();
  return !isa<SCEVCouldNotCompute>(S) && SE.isLoopInvariant(S, &Root) &&
         SE.getTypeSizeInBits(S->getType()) <= 64 &&
         Expander.isSafeToExpandAt(S,
                                   Root.getLoopPredecessor()->getTerminator());
}

bool NestForms::isKnownInFront(const Form &Of) {
  return isKnownInFront(Of.Base) &&
         all_of(Of.Step,
                [&](const SCEV *Step) {
                  return !Step ||
                         (isKnownInFront(Step) && Step->getType() == I64);
                }) &&
         all_of(Of.Others, [&](const auto &Other) {
           return isKnownInFront(Other.first) && isKnownInFront(Other.second) &&
                  Other.first->getType() == I64;
         });
}

bool NestForms::areTestsKnownInFront() {
  for (const Cast &Of : Casts) {
    std::optional<Form> Sum = formOf(Of.Operand);
    if (!Sum || !isKnownInFront(*Sum))
      return false;
  }
  return all_of(Nest, [&](Loop *L) {
    return isKnownInFront(SE.getBackedgeTakenCount(L));
  });
}

bool NestForms::isCounter(PHINode &Phi, const Loop &L) {
  auto *Rec = SE.isSCEVable(Phi.getType())
                  ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                  : nullptr;
  return Rec && Rec->isAffine() && Rec->getLoop() == &L &&
         isKnownInFront(Rec->getStepRecurrence(SE));
}

bool NestForms::hasOnlyCounters(const Loop &L) {
  return !leavesValues(L) && all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    return isCounter(Phi, L);
  });
}

const SCEV *NestForms::lastOf(unsigned Position) {
  return SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(Nest[Position]), I64);
}

const SCEV *NestForms::end(const Form &Of, bool Low) {
  const SCEV *Result = Of.Base, *Zero = SE.getZero(I64);
  auto Go = [&](const SCEV *Step, const SCEV *Last) {
    const SCEV *Way = SE.getMulExpr(Step, Last);
    Result = SE.getAddExpr(Result, Low ? SE.getSMinExpr(Zero, Way)
                                       : SE.getSMaxExpr(Zero, Way));
  };
  for (auto [Position, Step] : enumerate(Of.Step))
    if (Step)
      Go(Step, lastOf(Position));
  for (auto [Step, Last] : Of.Others)
    Go(Step, Last);
  return Result;
}

Value *NestForms::leadsApart(ArrayRef<Range> Ranges, Type *Element,
                             IRBuilder<> &B, SCEVExpander &Expander) {
  Instruction *At = &*B.GetInsertPoint();
  struct Reached {
    Value *Step, *Last, *Reach;
  };
  auto Expanded = [&](const Range &Of) {
    const SCEV *Length = SE.getAbsExpr(Of.Step, /*IsNSW=*/false);
    Value *Each = Expander.expandCodeFor(Length, I64, At);
    Value *Most = Expander.expandCodeFor(Of.Last, I64, At);
    // Of fewer, indices of 32 bits that differ lead to elements that do.
    constexpr uint64_t Many = uint64_t(1) << 30;
    if (Of.Width) {
      Value *Tested = B.CreateBinaryIntrinsic(
          Intrinsic::umin, Most, Expander.expandCodeFor(Of.Width, I64, At));
      Most =
          B.CreateSelect(B.CreateICmpULT(Most, B.getInt64(Many)), Tested, Most);
    }
    return Reached{Each, Most, B.CreateMul(Each, Most)};
  };
  auto All = map_to_vector<8>(Ranges, Expanded);
  uint64_t Size = F.getDataLayout().getTypeStoreSize(Element);
  Value *Result = B.getTrue();
  for (auto [I, Of] : enumerate(All)) {
    Value *Shorter = B.getInt64(Size);
    for (auto [J, Other] : enumerate(All)) {
      if (I == J)
        continue;
      // Of two of one length, either is the shorter one.
      Value *IsShorter = J < I ? B.CreateICmpULE(Other.Step, Of.Step)
                               : B.CreateICmpULT(Other.Step, Of.Step);
      Shorter = B.CreateAdd(
          Shorter, B.CreateSelect(IsShorter, Other.Reach, B.getInt64(0)));
    }
    Value *IsOne = B.CreateIsNull(Of.Last);
    Result = B.CreateAnd(Result,
                         B.CreateOr(IsOne, B.CreateICmpUGE(Of.Step, Shorter)));
  }
  return Result;
}

Value *NestForms::allFit(IRBuilder<> &B, SCEVExpander &Expander) {
  Instruction *At = &*B.GetInsertPoint();
  Value *Result = B.getTrue();
  for (const Cast &Of : Casts) {
    ConstantRange Fits = ConstantRange::getFull(Of.Bits);
    Fits = Of.IsSigned ? Fits.signExtend(64) : Fits.zeroExtend(64);
    for (bool Low : {true, false}) {
      const SCEV *End = end(*formOf(Of.Operand), Low);
      Value *At64 = Expander.expandCodeFor(End, I64, At);
      Value *DoesFit =
          Low ? B.CreateICmpSGE(At64, B.getInt(Fits.getSignedMin()))
              : B.CreateICmpSLE(At64, B.getInt(Fits.getSignedMax()));
      Result = B.CreateAnd(Result, DoesFit);
    }
  }
  return Result;
}

bool NestForms::areNoAliases(const StoreInst &Store, const LoadInst &Load) {
  auto Around = [](const Instruction &Access) {
    return MemoryLocation(getLoadStorePointerOperand(&Access),
                          LocationSize::beforeOrAfterPointer(),
                          Access.getAAMetadata());
  };
  return AA.isNoAlias(Around(Store), Around(Load));
}

Value *NestForms::lieApart(const Form &C, const StoreInst &Store,
                           const Form &Factor, const LoadInst &Load,
                           IRBuilder<> &B, SCEVExpander &Expander) {
  Instruction *At = &*B.GetInsertPoint();
  auto Address = [&](const Form &X, bool Low) {
    const SCEV *S = end(X, Low);
    return B.CreatePtrToInt(Expander.expandCodeFor(S, S->getType(), At), I64);
  };
  auto IsInOrder = [&](const Form &X) {
    return B.CreateICmpULE(Address(X, /*Low=*/true), Address(X, /*Low=*/false));
  };
  auto LiesBefore = [&](const Form &X, const Form &Y, Type *Element) {
    uint64_t Bytes = F.getDataLayout().getTypeStoreSize(Element);
    return B.CreateICmpULE(
        B.CreateAdd(Address(X, /*Low=*/false), B.getInt64(Bytes)),
        Address(Y, /*Low=*/true));
  };
  Value *AreInOrder = B.CreateAnd(IsInOrder(C), IsInOrder(Factor));
  Type *Element = Store.getValueOperand()->getType();
  return B.CreateAnd(AreInOrder,
                     B.CreateOr(LiesBefore(C, Factor, Element),
                                LiesBefore(Factor, C, Load.getType())));
}

} // namespace tilesmith
