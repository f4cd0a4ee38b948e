//===- Effects.cpp - what a nest does to memory ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"
#include "Lift.h"
#include "NaNTest.h"
#include "tilesmith/Support/DeadEnd.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// What is left over for the code behind the nest besides memory.
void collectResults(const LoopNest &In, Effects &To) {
  auto *Last = cast<BranchInst>(In.root().getLoopLatch()->getTerminator());
  const BasicBlock *Exit =
      Last->getSuccessor(In.root().contains(Last->getSuccessor(0)));
  // Where the program ends because a check has failed, nothing has changed.
  auto IsAfterCheck = [&](const BasicBlock *BB) {
    return !In.Checks.empty() && isDeadEnd(*BB) &&
           !isPotentiallyReachable(Exit, BB, nullptr, &In.Analyses->DT,
                                   &In.Analyses->LI);
  };
  for (BasicBlock *BB : In.root().blocks())
    for (Instruction &I : *BB) {
      if (none_of(I.users(), [&](User *U) {
            auto *User = cast<Instruction>(U);
            return !In.root().contains(User) &&
                   !IsAfterCheck(User->getParent());
          }))
        continue;
      if (const SCEV *After = In.valueAfter(I))
        To.Results.push_back({&I, After});
      else
        To.ComputedResults.push_back(&I);
    }
}

/// Whether \p I begins or ends the life of arrays on the stack whose length the
/// source does not fix, unless LLVM has made variables of them all.
bool isOfStackArray(const Instruction &I) {
  return match(&I, m_CombineOr(m_Intrinsic<Intrinsic::stacksave>(),
                               m_Intrinsic<Intrinsic::stackrestore>())) &&
         any_of(instructions(I.getFunction()), [](const Instruction &Other) {
           auto *Array = dyn_cast<AllocaInst>(&Other);
           return Array && !Array->isStaticAlloca();
         });
}

/// Whether \p I calls a function that no user has written down.
bool isOfRuntime(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName().starts_with("_Fortran") ||
                    Callee->getName().starts_with("__kmpc_"));
}

/// Whether \p I only tells the optimizer something.
bool isHint(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && !Call->isLifetimeStartOrEnd() &&
         (Call->isAssumeLikeIntrinsic() ||
          is_contained({Intrinsic::experimental_noalias_scope_decl,
                        Intrinsic::stacksave, Intrinsic::stackrestore},
                       Call->getIntrinsicID()));
}

bool isVectorArithmetic(const Instruction &I) {
  return I.getType()->isVectorTy() &&
         (isa<BinaryOperator>(I) || isFusedMultiplyAdd(I));
}

Refused addEffect(Instruction &I, Effects &To) {
  if (isVectorArithmetic(I))
    return Refusal{Reason::HandVectorized, &I};
  if (I.isVolatile() || I.isAtomic())
    return Refusal{Reason::Volatile, &I};
  // Without a size that is known, nothing can be said of where others are.
  if ((isa<LoadInst>(I) || isa<StoreInst>(I)) &&
      getLoadStoreType(&I)->isScalableTy())
    return Refusal{Reason::ElementType, &I};
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    To.Stores.push_back(Store);
    return std::nullopt;
  }
  if (auto *MemSet = dyn_cast<MemSetInst>(&I)) {
    To.MemSets.push_back(MemSet);
    return std::nullopt;
  }
  if (auto *MemCpy = dyn_cast<MemCpyInst>(&I)) {
    To.MemCpys.push_back(MemCpy);
    return std::nullopt;
  }
  if (I.isLifetimeStartOrEnd()) {
    To.Lifetimes.push_back(&I);
    return std::nullopt;
  }
  if (isOfStackArray(I))
    return Refusal{Reason::StackArray, &I};
  if (isHint(I))
    return std::nullopt;
  if (isa<MemIntrinsic>(I))
    return Refusal{Reason::OtherStore, &I};
  if (auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && Call->getIntrinsicID() == Intrinsic::fake_use)
    return Refusal{Reason::DebugBuild, &I};
  if (auto *Call = dyn_cast<CallBase>(&I);
      Call && Call->isInlineAsm() && Call->mayHaveSideEffects())
    return Refusal{Reason::Assembly, &I};
  if (auto *Call = dyn_cast<CallBase>(&I); Call && isComplexProduct(*Call))
    return std::nullopt;
  if (I.mayHaveSideEffects() && isFunctionOfNumbers(I)) {
    To.Calls.push_back(&I);
    return std::nullopt;
  }
  if (I.mayHaveSideEffects() || (isa<CallBase>(I) && I.mayReadFromMemory()))
    return Refusal{isOfRuntime(I) ? Reason::RuntimeCall : Reason::Call, &I};
  return std::nullopt;
}

/// What is written where a varying guard leads past the loops.
Refused collectOtherSide(const VaryingGuard &Guard, const LoopNest &In,
                         Effects &To) {
  SmallVector<BasicBlock *, 8> Work{
      Guard.Branch->getSuccessor(Guard.Enters ? 1 : 0)};
  SmallPtrSet<BasicBlock *, 8> Seen;
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (In.Live.contains(BB) || !Seen.insert(BB).second)
      continue;
    // A check that fails there would have to end the nest.
    if (!In.root().contains(BB))
      return Refusal{Reason::EarlyExit, Guard.Branch};
    Effects Other;
    for (Instruction &I : *BB)
      if (Refused No = addEffect(I, Other))
        return Refusal{Reason::Branch, Guard.Branch};
    if (!Other.MemCpys.empty() || !Other.Lifetimes.empty() ||
        !Other.Calls.empty())
      return Refusal{Reason::Branch, Guard.Branch};
    for (Instruction *Write : Other.writes())
      To.OtherSide.push_back(Write);
    append_range(Work, successors(BB));
  }
  return std::nullopt;
}

/// A store to \p Root's loops' counters, where these are not in registers.
const StoreInst *findStoredCounter(const Loop &Root) {
  for (const Loop *L : Root.getLoopsInPreorder()) {
    const BasicBlock *Latch = L->getLoopLatch();
    auto *Br = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    auto *Compare = Br && Br->isConditional()
                        ? dyn_cast<ICmpInst>(Br->getCondition())
                        : nullptr;
    if (!Compare)
      continue;
    for (const Value *Side : Compare->operands()) {
      if (!match(Side, m_Add(m_Value(), m_ConstantInt())))
        continue;
      for (const User *U : Side->users()) {
        auto *Store = dyn_cast<StoreInst>(U);
        if (Store && Store->getValueOperand() == Side && L->contains(Store) &&
            Root.isLoopInvariant(Store->getPointerOperand()))
          return Store;
      }
    }
  }
  return nullptr;
}

/// An addition that no vector register can make.
bool isLongAddition(const Instruction &I) {
  Type *Ty = I.getType();
  return (!addends(I).empty() || isFusedMultiplyAdd(I)) &&
         (Ty->isX86_FP80Ty() || Ty->isFP128Ty() || Ty->isPPC_FP128Ty());
}

bool isCounter(const GlobalVariable &V) {
  return V.getName().starts_with("__profc_") ||
         V.getName().starts_with("__llvm_gcov_ctr");
}

/// Whether \p F counts how often its parts run. LLVM may have moved the
/// counters out of the loops. Few modules have any, so they are asked first.
bool isInstrumented(const Function &F) {
  if (none_of(F.getParent()->globals(), isCounter))
    return false;
  return any_of(instructions(F), [](const Instruction &I) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
      Pointer = Atomic->getPointerOperand();
    auto *Counters =
        Pointer ? dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer))
                : nullptr;
    return Counters && isCounter(*Counters);
  });
}

} // namespace

/// Whether \p I takes memory from the heap, maybe in a part of a library's vector
/// that is not inlined.
static bool isAllocation(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || isa<IntrinsicInst>(Call))
    return false;
  if (Call->hasRetAttr(Attribute::NoAlias) ||
      Callee->hasRetAttribute(Attribute::NoAlias))
    return true;
  constexpr StringLiteral OfVectors[] = {"_M_realloc", "_M_default_append",
                                         "_M_fill_insert", "raw_vec",
                                         "__push_back_slow_path"};
  return is_contained({"malloc", "calloc", "realloc"}, Callee->getName()) ||
         any_of(OfVectors, [&](StringRef Part) {
           return Callee->getName().contains(Part);
         });
}

static bool isInlined(const Instruction *I) {
  return I && I->getDebugLoc() && I->getDebugLoc().getInlinedAt();
}

/// Whether \p I calls a function that comes back, and writes.
static bool isOtherCall(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && !Call->doesNotReturn() &&
         !Call->onlyReadsMemory() && !Call->isInlineAsm();
}

Refusal explain(const Refusal &No, const Loop &Root) {
  if (isInstrumented(*Root.getHeader()->getParent()))
    return Refusal{Reason::Instrumented};
  if (No.Why == Reason::UnknownTripCount || No.Why == Reason::OtherStore)
    if (const StoreInst *Store = findStoredCounter(Root))
      return Refusal{
          Store->isSimple() ? Reason::SharedCounter : Reason::Volatile, Store};
  if (is_contained({Reason::ElementType, Reason::NoUpdate, Reason::NotProduct,
                    Reason::OtherOperation, Reason::VaryingScalar},
                   No.Why))
    for (const BasicBlock *BB : Root.blocks())
      for (const Instruction &I : *BB)
        if (isLongAddition(I))
          return Refusal{Reason::LongDouble, &I};
  // What stands between vectors, such as a prefetch, is not what to change.
  if (No.Why == Reason::Call || No.Why == Reason::Assembly)
    for (const BasicBlock *BB : Root.blocks())
      for (const Instruction &I : *BB)
        if (isVectorArithmetic(I))
          return Refusal{Reason::HandVectorized, &I};
  bool IsOfBranch =
      No.Why == Reason::Branch || No.Why == Reason::ConditionalLoad;
  // What grows may do so in a function with branches and exceptions.
  if (IsOfBranch ||
      is_contained({Reason::EarlyExit, Reason::ExtraLoop, Reason::Call,
                    Reason::UnknownTripCount, Reason::BoundVaries},
                   No.Why))
    for (const BasicBlock *BB : Root.blocks())
      for (const Instruction &I : *BB)
        if (isAllocation(I))
          return Refusal{Reason::Allocation, &I};
  bool IsVague =
      No.Why == Reason::UnknownTripCount || No.Why == Reason::OtherOperation ||
      No.Why == Reason::VaryingScalar ||
      (No.Why == Reason::BoundVaries && isa_and_nonnull<LoadInst>(No.Where));
  if (!IsOfBranch && !IsVague)
    return No;
  for (const BasicBlock *BB : Root.blocks())
    for (const Instruction &I : *BB) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (isOfStackArray(I))
        return Refusal{Reason::StackArray, &I};
      if (IsOfBranch && Call && isComplexProduct(*Call))
        return Refusal{Reason::ComplexProduct, &I};
      if (IsVague && (I.isVolatile() || I.isAtomic()))
        return Refusal{Reason::Volatile, &I};
      // A branch may be of a function that is inlined, and calls another one.
      if (IsOfBranch && isInlined(No.Where) && isOtherCall(I))
        return Refusal{isOfRuntime(I) ? Reason::RuntimeCall : Reason::Call, &I};
      if (IsVague && Call && !isa<IntrinsicInst>(Call))
        return Refusal{isOfRuntime(I) ? Reason::RuntimeCall : Reason::Call, &I};
    }
  return No;
}

std::variant<Effects, Refusal> collectEffects(const LoopNest &In) {
  Effects Result;
  for (const VaryingGuard &Guard : In.Guards)
    if (Refused No = collectOtherSide(Guard, In, Result))
      return *No;
  // Where steps are left out, nothing else is done.
  SmallVector<VaryingGuard, 3> OfSteps;
  if (In.Zeros)
    OfSteps.push_back({In.Zeros->Branch, In.Zeros->Enters});
  for (const BorderGuard &Border : In.Borders)
    OfSteps.push_back({Border.Branch, Border.Enters});
  for (const VaryingGuard &Guard : OfSteps) {
    Effects Skipped;
    Refused No = collectOtherSide(Guard, In, Skipped);
    if (No || !Skipped.OtherSide.empty())
      return Refusal{Reason::Branch, Guard.Branch};
  }
  collectResults(In, Result);
  for (BasicBlock *BB : In.Live)
    for (Instruction &I : *BB)
      if (Refused No = addEffect(I, Result))
        return *No;
  return Result;
}

} // namespace tilesmith
