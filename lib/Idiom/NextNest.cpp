//===- NextNest.cpp - a product and the elementwise nest behind it --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i for j { ... C[i][j] = sum; }                    the product
//   for i for j C[i][j] = f(C[i][j], bias[j], R[i][j]);   the next nest
//
// The second nest is taken for an epilogue of the first, as in PolyDL
// (Tavarageri et al., 2020, algorithm 3), if
//
//   1. it stores all elements of C that the product stores, each once, and
//      nothing else;
//   2. of C, it reads the element that it stores;
//   3. what else it reads does not overlap C, which the guard tests: so no nest
//      writes what the other one reads;
//   4. nothing that stands between the two has an effect, or is needed later.
//
// One loop over all elements will do, if C is dense.
//
//===----------------------------------------------------------------------===//

#include "Effects.h"
#include "IterationSpace.h"
#include "Lift.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <memory>

using namespace llvm;

namespace tilesmith {

/// Whether kernels of \p Product may go through its tiles once more, and all that
/// it does is known to be the product.
static bool mayHaveNext(const Nest &Product) {
  const Contraction &Op = Product.Op;
  const Surroundings &Source = Product.Source;
  bool IsPlain = all_of(Op.accesses(), [](const Access *X) {
    return !X->isSearched() && X->Borders.empty() && X->Copies.empty() &&
           !X->Saved;
  });
  bool HasPlainEpilogue =
      !Op.After || (!Op.After->isOfNumbers() && !Op.After->StoresChangesOnly);
  return IsPlain && HasPlainEpilogue && Op.Outer.empty() && !Op.Domain &&
         !Op.isComplex() && !Op.hasRowTables() && !Op.isInPlace() &&
         !Op.Transposed && !Op.isMatrixVector() && !Source.hasRest() &&
         Source.Results.empty() && !Product.Tests.LoadsNeedStep &&
         !Product.Tests.StoresNeedStep;
}

namespace {

/// The nest behind a product under way.
class NextNest {
public:
  NextNest(const Nest &Product, const NestAnalyses &Analyses)
      : Product(Product), Analyses(Analyses), SE(Analyses.SE),
        Root(*Product.Source.Root) {}

  std::optional<Nest> join();

private:
  Loop *find();
  Loop *loopBehind(BasicBlock &From) const;
  bool isIdle(const BasicBlock &BB) const;
  bool require(const Value &Condition, bool Holds);
  bool follow(const BasicBlock &From, const BasicBlock &To);
  bool isNeededLater(const Loop &Next) const;
  bool isKnownInFront(const SCEV *S) const;
  bool isKnownInFront(const Value *V) const;
  bool hasPlainControl();
  bool isSame(const SCEV *X, const SCEV *Y) const;
  const SCEV *plain(const SCEV *S);
  bool mapLoops(const AffineForm &C);
  std::optional<PerDim<const SCEV *>> strides(const AffineForm &Form) const;
  std::optional<AffineForm> formOf(const Instruction &Of);
  std::optional<Leaf> leafOf(const Value &V);
  bool addOperand(LoadInst &Load);
  bool liftNext(const Effects &All);
  Expression ofSum(const Expression &Of) const;
  void finishWith(Contraction &Op);
  bool lookAt(Loop &Next);

  const Nest &Product;
  const NestAnalyses &Analyses;
  ScalarEvolution &SE;
  const Loop &Root;
  SmallVector<const BasicBlock *, 4> Between;
  Conditions Tests; ///< what the guard must test besides
  std::unique_ptr<LoopNest> In;
  std::optional<IterationSpace> Space;
  StoreInst *Store = nullptr;
  /// Of which dimension each loop is; one loop is of both, the one whose
  /// elements are nearest first.
  SmallVector<Dim, 2> Dims;
  Epilogue Found;
  SmallPtrSet<LoadInst *, 2> Sums; ///< what loads the product's elements
};

} // namespace

/// Whether \p BB may be left out, as far as its own instructions tell.
bool NextNest::isIdle(const BasicBlock &BB) const {
  return none_of(BB, [](const Instruction &I) {
    return I.mayHaveSideEffects() || I.mayReadFromMemory();
  });
}

/// The loop that \p From leads to without a choice.
Loop *NextNest::loopBehind(BasicBlock &From) const {
  BasicBlock *BB = &From;
  for (unsigned Steps = 0; BB && Steps < 4; ++Steps) {
    if (Analyses.LI.isLoopHeader(BB)) {
      Loop *Behind = Analyses.LI.getLoopFor(BB);
      return Behind->getParentLoop() == Root.getParentLoop() ? Behind : nullptr;
    }
    BB = BB->getSingleSuccessor();
  }
  return nullptr;
}

/// Requires that \p Condition, a comparison, comes out as \p Holds, if it may not.
bool NextNest::require(const Value &Condition, bool Holds) {
  auto *Compare = dyn_cast<ICmpInst>(&Condition);
  if (!Compare || !SE.isSCEVable(Compare->getOperand(0)->getType()))
    return false;
  Requirement Is{
      Holds ? Compare->getPredicate() : Compare->getInversePredicate(),
      SE.getSCEV(Compare->getOperand(0)), SE.getSCEV(Compare->getOperand(1))};
  if (!SE.isBasicBlockEntryGuardedByCond(Root.getHeader(), Is.Predicate, Is.X,
                                         Is.Y))
    Tests.MustHold.push_back(Is);
  return true;
}

/// Requires that \p From goes on to \p To.
bool NextNest::follow(const BasicBlock &From, const BasicBlock &To) {
  auto *Br = dyn_cast<BranchInst>(From.getTerminator());
  return Br && (Br->isUnconditional() ||
                require(*Br->getCondition(), Br->getSuccessor(0) == &To));
}

/// The loop that runs next, with nothing done in between.
Loop *NextNest::find() {
  BasicBlock *BB = Root.getExitBlock();
  for (unsigned Steps = 0; BB && Steps < 4; ++Steps) {
    if (Analyses.LI.isLoopHeader(BB))
      return loopBehind(*BB);
    if (Analyses.LI.getLoopFor(BB) != Root.getParentLoop() || !isIdle(*BB))
      return nullptr;
    Between.push_back(BB);
    BasicBlock *To = BB->getSingleSuccessor();
    for (BasicBlock *Side : successors(BB))
      if (!To && loopBehind(*Side))
        To = Side;
    if (!To || !follow(*BB, *To))
      return nullptr;
    BB = To;
  }
  return nullptr;
}

/// Whether code behind \p Next uses what is computed in it, or before.
bool NextNest::isNeededLater(const Loop &Next) const {
  auto IsUsedElsewhere = [&](const BasicBlock *BB, auto IsHere) {
    return any_of(*BB, [&](const Instruction &I) {
      return any_of(I.users(), [&](const User *U) {
        return !IsHere(cast<Instruction>(U)->getParent());
      });
    });
  };
  auto IsInProduct = [&](const BasicBlock *BB) { return Root.contains(BB); };
  auto IsInNext = [&](const BasicBlock *BB) {
    return Next.contains(BB) || is_contained(Between, BB);
  };
  auto IsUsed = [&](const BasicBlock *BB) {
    return IsUsedElsewhere(BB, IsInNext);
  };
  return any_of(Root.blocks(),
                [&](const BasicBlock *BB) {
                  return IsUsedElsewhere(BB, IsInProduct);
                }) ||
         any_of(Between, IsUsed) || any_of(Next.blocks(), IsUsed);
}

bool NextNest::isKnownInFront(const Value *V) const {
  auto *I = dyn_cast<Instruction>(V);
  return !I || (!Root.contains(I) &&
                Analyses.DT.dominates(I->getParent(), Root.getHeader()));
}

/// Whether \p S can be computed in front of the product.
bool NextNest::isKnownInFront(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      return !isKnownInFront(Unknown->getValue());
    if (auto *AddRec = dyn_cast<SCEVAddRecExpr>(Part))
      return !AddRec->getLoop()->contains(&Root);
    return isa<SCEVUDivExpr, SCEVCouldNotCompute>(Part);
  });
}

/// Whether all of the nest runs, on conditions that can be tested in front of both.
bool NextNest::hasPlainControl() {
  return In->Beside.empty() && In->Guards.empty() && In->Borders.empty() &&
         In->Certain.empty() && In->NaNTests.empty() && In->Checks.empty() &&
         In->Choices.empty() && !In->Zeros &&
         all_of(In->Assumptions, [&](const Assumption &A) {
           return !A.Entered && require(*A.Condition, A.Value);
         });
}

bool NextNest::isSame(const SCEV *X, const SCEV *Y) const {
  return X == Y ||
         (X->getType() == Y->getType() && SE.getMinusSCEV(X, Y)->isZero());
}

/// \p S with single values as they are in 64 bits, as i < m * n may count in 32.
const SCEV *NextNest::plain(const SCEV *S) {
  return withoutCasts(S, SE, Tests.WrapChecks);
}

std::optional<AffineForm> NextNest::formOf(const Instruction &Of) {
  const SCEV *Address = In->addressOf(Of);
  std::optional<AffineForm> Form;
  if (Address)
    Form = affineForm(Address, *In, In->Chain);
  if (!Form || Form->Row || Form->Chosen)
    return std::nullopt;
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap) {
    WrapCheck Check = Space->wrapCheck(Sum);
    if (!is_contained(Tests.WrapChecks, Check))
      Tests.WrapChecks.push_back(Check);
  }
  if (!Space->toAxes(*Form))
    return std::nullopt;
  return Form;
}

/// Finds out which loop is of which dimension, by where the elements of C are: \p
/// C is that of the store.
bool NextNest::mapLoops(const AffineForm &C) {
  const Access &OfProduct = Product.Op.C;
  if (!isSame(C.Base, OfProduct.Base) ||
      any_of(C.Step, [](const SCEV *Step) { return !Step; }))
    return false;
  PerDim<const SCEV *> Last;
  for (Dim D : {M, N})
    Last[D] = SE.getTruncateOrZeroExtend(Product.Op.BackedgeCount[D],
                                         Space->Last.front()->getType());
  if (Space->Last.size() == 2) {
    auto Is = [&](unsigned Axis, Dim D) {
      return isSame(C.Step[Axis], OfProduct.Stride[D]) &&
             isSame(Space->Last[Axis], Last[D]);
    };
    if (Is(0, M) && Is(1, N))
      Dims = {M, N};
    else if (Is(0, N) && Is(1, M))
      Dims = {N, M};
    return !Dims.empty();
  }
  for (auto [Near, Far] : {std::pair(N, M), std::pair(M, N)}) {
    const SCEV *One = SE.getOne(Last[Near]->getType());
    const SCEV *Row = SE.getAddExpr(Last[Near], One);
    const SCEV *Rows = SE.getAddExpr(Last[Far], One);
    const SCEV *Bytes = SE.getMulExpr(
        C.Step[0], SE.getTruncateOrZeroExtend(Row, C.Step[0]->getType()));
    if (isSame(C.Step[0], OfProduct.Stride[Near]) &&
        isSame(Bytes, OfProduct.Stride[Far]) &&
        isSame(plain(SE.getAddExpr(Space->Last[0], One)),
               plain(SE.getMulExpr(Row, Rows)))) {
      Dims = {Near, Far};
      return true;
    }
  }
  return false;
}

/// The strides of \p Form along the dimensions of the product.
std::optional<PerDim<const SCEV *>>
NextNest::strides(const AffineForm &Form) const {
  Type *IndexTy = Product.Op.C.Stride[M]->getType();
  const SCEV *Zero = SE.getZero(IndexTy);
  PerDim<const SCEV *> Result;
  for (Dim D : {M, N, K})
    Result[D] = Zero;
  for (auto [Axis, Step] : enumerate(Form.Step))
    if (Step)
      Result[Dims[Axis]] = Step;
  if (Form.Step.size() == 1) {
    const SCEV *Last =
        SE.getTruncateOrZeroExtend(Product.Op.BackedgeCount[Dims[0]], IndexTy);
    Result[Dims[1]] =
        SE.getMulExpr(Result[Dims[0]], SE.getAddExpr(Last, SE.getOne(IndexTy)));
  }
  return Result;
}

/// Adds what \p Load reads to the operands of the epilogue.
bool NextNest::addOperand(LoadInst &Load) {
  if (any_of(Found.Operands,
             [&](const FurtherOperand &Of) { return Of.Load == &Load; }))
    return true;
  std::optional<AffineForm> Form = formOf(Load);
  // The guard would find out that other elements of C's array overlap C.
  if (!Form || !isKnownInFront(Form->Base) ||
      SE.getPointerBase(Form->Base) == SE.getPointerBase(Product.Op.C.Base))
    return false;
  Access X;
  X.Base = Form->Base;
  X.ElemTy = Load.getType();
  X.Alignment = Load.getAlign();
  X.Inst = &Load;
  X.Pointer = Load.getPointerOperand();
  X.Stride = *strides(*Form);
  if (!all_of(X.Stride, [&](const SCEV *S) { return isKnownInFront(S); }))
    return false;
  AAResults *AA = Analyses.AA;
  bool MayAlias =
      !AA ||
      !AA->isNoAlias(MemoryLocation::getBeforeOrAfter(Product.Op.C.Pointer),
                     MemoryLocation::getBeforeOrAfter(X.Pointer));
  Found.Operands.push_back({&Load, std::move(X), MayAlias});
  return true;
}

/// What \p V is, of the sum and of elements of further operands.
std::optional<Leaf> NextNest::leafOf(const Value &V) {
  // LeafOf takes constants, and nothing is changed here.
  auto *Load = dyn_cast<LoadInst>(const_cast<Value *>(&V));
  if (!Load || !Load->isSimple() || !In->root().contains(Load))
    return std::nullopt;
  const SCEV *Address = In->addressOf(*Load);
  if (Address && Address == In->addressOf(*Store) &&
      Load->getType() == Product.Op.C.ElemTy && In->precedes(*Load, *Store)) {
    Sums.insert(Load);
    return Leaf::Sum;
  }
  return addOperand(*Load) ? std::optional(Leaf::Further) : std::nullopt;
}

/// What the nest makes of each element, as an epilogue.
bool NextNest::liftNext(const Effects &All) {
  auto Known = [&](const Value &V) { return leafOf(V); };
  if (lift(Store->getValueOperand(), *In, Known, Found.Value,
           isScalarArithmetic) ||
      Sums.empty())
    return false;
  // What may set errno is called for each element.
  bool AreMade = all_of(All.Calls, [&](const Instruction *Call) {
    return Found.Value.contains(
        [&](const Instruction &I) { return &I == Call; });
  });
  return AreMade && all_of(Found.Value.Leaves, [&](const auto &L) {
           return L.second != Leaf::Invariant || isKnownInFront(L.first);
         });
}

/// The epilogue of what the product stores, which is \p Of.
Expression NextNest::ofSum(const Expression &Of) const {
  Expression Result = Found.Value;
  for (LoadInst *Load : Sums) {
    Result.Leaves.erase(Load);
    Result.Forwards[Load] = Of.Root;
  }
  for (const auto &[V, Kind] : Of.Leaves)
    Result.Leaves[V] = Kind;
  for (const auto &[V, To] : Of.Forwards)
    Result.Forwards[V] = To;
  Result.Fused.insert_range(Of.Fused);
  Result.Rounded.insert_range(Of.Rounded);
  // What is stored is rounded.
  if (auto *Last = dyn_cast<Instruction>(Of.resolve(Of.Root));
      Last && !Of.Leaves.contains(Last) && Last->getType()->isFloatingPointTy())
    Result.Rounded.insert(Last);
  return Result;
}

/// Makes of \p Op's sums what both nests do.
void NextNest::finishWith(Contraction &Op) {
  if (Op.After) {
    Found.Value = ofSum(Op.After->Value);
    append_range(Op.After->Operands, Found.Operands);
    Found.Operands = Op.After->Operands;
  } else if (!Op.storesSum()) {
    Found.Value = ofSum(Op.Finish);
    auto IsSum = [](const auto &L) { return L.second == Leaf::Sum; };
    Value *Sum = find_if(Op.Finish.Leaves, IsSum)->first;
    Op.Finish = Expression();
    Op.Finish.Root = Sum;
    Op.Finish.Leaves[Sum] = Leaf::Sum;
  }
  Op.After = std::move(Found);
}

/// Looks at the nest in \p Next. If it is one, its loops and what it stores are
/// known then.
bool NextNest::lookAt(Loop &Next) {
  if (Next.getSubLoops().size() > 1)
    return false;
  Loop &Innermost = Next.isInnermost() ? Next : *Next.getSubLoops().front();
  if (!Innermost.isInnermost())
    return false;
  auto MaybeNest =
      LoopNest::create(Innermost, Next.isInnermost() ? 1 : 2, Analyses);
  if (std::holds_alternative<Refusal>(MaybeNest))
    return false;
  In = std::make_unique<LoopNest>(std::move(std::get<LoopNest>(MaybeNest)));
  auto MaybeSpaces = IterationSpace::of(*In);
  if (!hasPlainControl() || std::holds_alternative<Refusal>(MaybeSpaces))
    return false;
  Space = std::get<0>(MaybeSpaces).front();
  if (!Space->isPlain() || Space->Domain || !Space->Borders.empty())
    return false;
  auto MaybeEffects = collectEffects(*In);
  if (std::holds_alternative<Refusal>(MaybeEffects))
    return false;
  const Effects &All = std::get<Effects>(MaybeEffects);
  if (All.writes().size() != 1 || All.Stores.size() != 1 ||
      !All.Lifetimes.empty() || !All.OtherSide.empty())
    return false;
  Store = All.Stores.front();
  if (!Store->isSimple() || storesChangesOnly(*Store) ||
      !In->runsAlways(*Store) ||
      Store->getValueOperand()->getType() != Product.Op.C.ElemTy)
    return false;
  std::optional<AffineForm> C = formOf(*Store);
  return C && mapLoops(*C) && liftNext(All);
}

std::optional<Nest> NextNest::join() {
  Loop *Next = find();
  if (!Next || Next == &Root || isNeededLater(*Next) || !lookAt(*Next))
    return std::nullopt;
  Nest Result = Product;
  finishWith(Result.Op);
  append_range(Tests.MustHold, In->MustHold);
  append_range(Tests.MustHold, Space->MustHold);
  append_range(Tests.WrapChecks, Space->WrapChecks);
  bool AreKnown = true;
  Tests.visitSCEVs([&](const SCEV *S) { AreKnown &= isKnownInFront(S); });
  if (!AreKnown)
    return std::nullopt;
  append_range(Result.Tests.MustHold, Tests.MustHold);
  append_range(Result.Tests.WrapChecks, Tests.WrapChecks);
  Result.Source.Next = Next;
  return Result;
}

std::optional<Nest> joinNext(const Nest &Product,
                             const NestAnalyses &Analyses) {
  if (!mayHaveNext(Product))
    return std::nullopt;
  return NextNest(Product, Analyses).join();
}

} // namespace tilesmith
