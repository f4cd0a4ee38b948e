//===- Recognize.cpp - the Idiom room's entry -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three loops, in any order, around
//
//   c[i][j] = ... sum ...          sum = sum + a*b, with sum a phi, or
//   c[i][j] = c[i][j] + a*b        the element itself, loaded and stored
//
// Recognition asks, each question in a file of its own:
//
//   Nest, TripCount   which blocks run, how often, on which assumptions?
//   Effects           what is stored?
//   Update, Lift      which store is of a sum, and what is summed?
//   Roles, Address    which loop does not move C, and so is k; which is m?
//   (here)            what does the sum start from, and what becomes of it?
//   Initialisation    does an earlier store, perhaps in a loop of its own, give
//                     the element its first value?
//
// An answer is exact, or exact where the guard's tests hold, which are
// collected on the way; any doubt is a Refusal.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Recognize.h"
#include "Effects.h"
#include "Initialisation.h"
#include "Lift.h"
#include "Roles.h"
#include "Update.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Assembles the contraction whose elements one store updates.
class Recognizer {
public:
  Recognizer(const Nest &In, const Effects &All, StoreInst &UpdateStore)
      : In(In), All(All), Store(UpdateStore),
        Element{In.addressOf(Store), Store.getValueOperand()->getType()} {}

  std::variant<Contraction, Refusal> run();

private:
  void describeUpdate(Update &From);
  Refused checkTypes() const;
  void describeLoops();
  Access accessBy(Instruction &I, const AffineForm &Form) const;
  Refused liftFinish(const Update &From);
  Refused liftStart(const Update &From);
  void collectInvariantLoads();
  void queryAliases();

  const Nest &In;
  const Effects &All;
  StoreInst &Store;
  ElementOfC Element;
  Roles By;
  Contraction Result;
};

std::variant<Contraction, Refusal> Recognizer::run() {
  auto MaybeUpdate = findUpdate(In, Store);
  if (auto *No = std::get_if<Refusal>(&MaybeUpdate))
    return *No;
  Update &Found = std::get<Update>(MaybeUpdate);
  auto MaybeRoles = findRoles(In, Store, Found);
  if (auto *No = std::get_if<Refusal>(&MaybeRoles))
    return *No;
  By = std::get<Roles>(MaybeRoles);

  describeUpdate(Found);
  Result.C = accessBy(Store, By.C);
  Result.A = accessBy(*Found.LoadOfA, By.A);
  Result.B = accessBy(*Found.LoadOfB, By.B);
  for (const AffineForm *Form : {&By.C, &By.A, &By.B})
    requireNoWrap(*Form, By, Result);
  describeLoops();
  if (Refused No = checkTypes())
    return *No;
  if (Refused No = liftFinish(Found))
    return *No;
  if (Refused No = liftStart(Found))
    return *No;
  if (Refused No = matchInitialisation(In, All, By, Result))
    return *No;
  collectInvariantLoads();
  queryAliases();
  return std::move(Result);
}

void Recognizer::describeUpdate(Update &From) {
  Result.UpdateStore = &Store;
  Result.SumTy = From.Sum->getType();
  Result.ProductInst = From.Product;
  Result.FusedProduct = From.isFused();
  Result.AMap = std::move(From.AMap);
  Result.BMap = std::move(From.BMap);
  Result.Update = std::move(From.Tree);
}

void Recognizer::describeLoops() {
  Result.Root = &In.root();
  Result.Assumptions = In.Assumptions;
  for (Dim D : {M, N, K}) {
    const TripCount &Count = In.Counts[By.Position[D]];
    Result.Loops[D] = In.Chain[By.Position[D]];
    Result.BackedgeCount[D] = Count.Backedges;
    if (Count.ValidIf)
      Result.MustHold.push_back(*Count.ValidIf);
  }
}

Access Recognizer::accessBy(Instruction &I, const AffineForm &Form) const {
  ScalarEvolution &SE = In.Analyses->SE;
  Access Result;
  Result.Base = Form.Base;
  Result.ElemTy = getLoadStoreType(&I);
  Result.Alignment = getLoadStoreAlignment(&I);
  Result.Pointer = getLoadStorePointerOperand(&I);
  Type *IndexTy = I.getDataLayout().getIndexType(Result.Pointer->getType());
  for (Dim D : {M, N, K}) {
    const SCEV *Step = Form.Step[By.Position[D]];
    Result.Stride[D] = Step ? Step : SE.getZero(IndexTy);
  }
  return Result;
}

/// The sum has a type that kernels exist for, and is stored as it is; elements
/// of A and B lie in memory one by one.
Refused Recognizer::checkTypes() const {
  Type *Sum = Result.SumTy;
  if (!Sum->isFloatTy() && !Sum->isDoubleTy() && !Sum->isIntegerTy(32) &&
      !Sum->isIntegerTy(64))
    return Refusal{Reason::ElementType, &Store};
  if (Result.C.ElemTy != Sum)
    return Refusal{Reason::ElementType, &Store};
  for (const Access *X : {&Result.A, &Result.B}) {
    Type *Ty = X->ElemTy;
    bool Known = Ty->isIntegerTy(8) || Ty->isIntegerTy(16) ||
                 Ty->isIntegerTy(32) || Ty->isIntegerTy(64) || Ty->isHalfTy() ||
                 Ty->isBFloatTy() || Ty->isFloatTy() || Ty->isDoubleTy();
    if (!Known)
      return Refusal{Reason::ElementType, Result.ProductInst};
  }
  return std::nullopt;
}

/// What is stored, of the sum and the element before.
Refused Recognizer::liftFinish(const Update &From) {
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    if (&V == From.Sum)
      return Leaf::Sum;
    return Element.isReadBy(V, In) ? std::optional(Leaf::C) : std::nullopt;
  };
  if (Refused No = lift(Store.getValueOperand(), In, Known, Result.Finish))
    return No;
  // Stored in each iteration, the arithmetic is repeated on its own result.
  bool Repeated = In.innermost().contains(&Store);
  if (From.isInMemory() ? !Result.storesSum()
                        : Repeated && Result.Finish.uses(Leaf::C))
    return Refusal{Reason::ScaledSum, &Store};
  return std::nullopt;
}

/// What the sum is before the first iteration over k.
Refused Recognizer::liftStart(const Update &From) {
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    return Element.isReadBy(V, In) ? std::optional(Leaf::C) : std::nullopt;
  };
  Value *First = From.Carried;
  if (auto *Phi = dyn_cast<PHINode>(First))
    First = In.incomingFromOutside(*Phi);
  if (!First)
    return Refusal{Reason::VaryingScalar, From.Sum};
  return lift(First, In, Known, Result.Start);
}

/// Gathers what the guard has to load.
void Recognizer::collectInvariantLoads() {
  SetVector<Value *> Scalars;
  for (const Assumption &A : Result.Assumptions)
    Scalars.insert(A.Condition);
  for (const Expression *E : {&Result.AMap, &Result.BMap, &Result.Update,
                              &Result.Start, &Result.Finish})
    E->collectInvariants(Scalars);

  SmallVector<const SCEV *, 32> Terms(Result.BackedgeCount.begin(),
                                      Result.BackedgeCount.end());
  for (const Access *X : {&Result.C, &Result.A, &Result.B}) {
    Terms.push_back(X->Base);
    append_range(Terms, X->Stride);
  }
  for (const Requirement &R : Result.MustHold)
    Terms.append({R.X, R.Y});
  for (const WrapCheck &Check : Result.WrapChecks) {
    Terms.push_back(Check.Start);
    copy_if(Check.Step, std::back_inserter(Terms),
            [](const SCEV *Step) { return Step != nullptr; });
  }

  SetVector<LoadInst *> Loads;
  for (Value *V : Scalars)
    In.collectLoads(V, Loads);
  for (const SCEV *S : Terms)
    In.collectLoads(S, Loads);
  Result.InvariantLoads.append(Loads.begin(), Loads.end());
}

void Recognizer::queryAliases() {
  AAResults *AA = In.Analyses->AA;
  if (!AA)
    return;
  auto MayAlias = [&](const Access &X) {
    return !AA->isNoAlias(MemoryLocation::getBeforeOrAfter(Result.C.Pointer),
                          MemoryLocation::getBeforeOrAfter(X.Pointer));
  };
  Result.CMayAliasA = MayAlias(Result.A);
  Result.CMayAliasB = MayAlias(Result.B);
}

} // namespace

bool looksLikeProduct(const Loop &Innermost) {
  const Loop *Parent = Innermost.getParentLoop();
  if (!Innermost.isInnermost() || !Parent || !Parent->getParentLoop())
    return false;
  auto IsProduct = [](const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (isa_and_nonnull<CastInst>(I))
      I = dyn_cast<Instruction>(I->getOperand(0));
    return I && (I->getOpcode() == Instruction::Mul ||
                 I->getOpcode() == Instruction::FMul ||
                 I->getOpcode() == Instruction::Shl);
  };
  bool HasLoad = false, HasMultiplyAdd = false;
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB) {
      HasLoad |= isa<LoadInst>(I);
      if (isFusedMultiplyAdd(I))
        HasMultiplyAdd = true;
      else if (!addends(I).empty() && any_of(I.operands(), IsProduct))
        HasMultiplyAdd = true;
    }
  return HasLoad && HasMultiplyAdd;
}

std::variant<Contraction, Refusal> recognize(Loop &Innermost,
                                             const NestAnalyses &Analyses) {
  auto MaybeNest = Nest::create(Innermost, Analyses);
  if (auto *No = std::get_if<Refusal>(&MaybeNest))
    return *No;
  const Nest &In = std::get<Nest>(MaybeNest);
  auto MaybeEffects = collectEffects(In);
  if (auto *No = std::get_if<Refusal>(&MaybeEffects))
    return *No;

  // The first store that is more than none at all tells best what is wrong.
  Refusal Best{Reason::NoUpdate, Innermost.getHeader()->getTerminator()};
  const Effects &All = std::get<Effects>(MaybeEffects);
  for (StoreInst *Store : All.Stores) {
    auto Tried = Recognizer(In, All, *Store).run();
    auto *No = std::get_if<Refusal>(&Tried);
    if (!No)
      return Tried;
    if (Best.Why == Reason::NoUpdate)
      Best = *No;
  }
  return Best;
}

} // namespace tilesmith
