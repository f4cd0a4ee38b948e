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
//   2. of C, it reads the element that it stores. If it stores under a condition,
//      other elements stay as they are, which the product stores;
//   3. what else it reads does not overlap C, which the guard tests: so no nest
//      writes what the other one reads;
//   4. nothing that stands between the two has an effect, or is needed later.
//
// One loop over all elements will do, if C is dense; or several over the rows. Where
// the product stores a triangle, so does the next nest.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Effects.h"
#include "IterationSpace.h"
#include "Lift.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <memory>

using namespace llvm;

namespace tilesmith {

const char ChoiceOfStoreMark[] = "tilesmith.choice-of-store";

Instruction *choiceOfStore(const Instruction &Store) {
  auto *Before = const_cast<Instruction *>(Store.getPrevNode());
  return isa<StoreInst>(Store) && Before &&
                 Before->hasMetadata(ChoiceOfStoreMark)
             ? Before
             : nullptr;
}

bool hasChoiceOfStore(const BasicBlock *BB) {
  return any_of(*BB, choiceOfStore);
}

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
  bool HasPlainDomain = !Op.Domain || (Op.Domain->isOfC() && !Op.Domain->Parts);
  return IsPlain && HasPlainEpilogue && HasPlainDomain && !Op.isComplex() &&
         !Op.hasRowTables() && !Op.isInPlace() && !Op.Transposed &&
         !Op.isMatrixVector() && !Source.hasRest() && Source.Results.empty() &&
         !Product.Tests.LoadsNeedStep && !Product.Tests.StoresNeedStep;
}

namespace {

/// The nest behind a product under way.
class NextNest {
public:
  NextNest(const Nest &Product, const NestAnalyses &Analyses)
      : Product(Product), Analyses(Analyses), SE(Analyses.SE),
        Root(*Product.Source.Root) {}

  Loop *find();
  std::optional<Nest> join();

private:
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
  const SCEV *extentOfProduct(const SCEV *BackedgeCount) const;
  const SCEV *times(const SCEV *Step, const SCEV *Extent) const;
  std::optional<unsigned> takeAxis(const AffineForm &C, const SCEV *Step);
  bool mapDimension(const AffineForm &C, Dim D);
  bool mapOuter(const AffineForm &C);
  bool mapBoth(const AffineForm &C);
  bool hasSameDomain() const;
  bool mapLoops(const AffineForm &C);
  bool setStrides(Access &X, const AffineForm &Form) const;
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
  /// The loops over each dimension, the innermost one first.
  PerDim<SmallVector<unsigned, 1>> Axes;
  /// Those over further indices, if they move C.
  SmallVector<std::optional<unsigned>, 1> OuterAxes;
  SmallSet<unsigned, 4> Taken; ///< all of these
  /// If set, one loop is over both dimensions; elements of this one are nearest.
  std::optional<Dim> Flat;
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
  auto IsOfStore = [](const LoopNest::Choice &Is) {
    return any_of(successors(Is.Branch->getParent()), hasChoiceOfStore);
  };
  return In->Beside.empty() && In->Guards.empty() && In->Borders.empty() &&
         In->Certain.empty() && In->NaNTests.empty() && In->Checks.empty() &&
         all_of(In->Choices, IsOfStore) && !In->Zeros &&
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
  const SCEV *Address =
      choiceOfStore(Of) ? In->addressWhereRun(Of) : In->addressOf(Of);
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

const SCEV *NextNest::extentOfProduct(const SCEV *BackedgeCount) const {
  Type *Ty = Space->Last.front()->getType();
  return SE.getAddExpr(SE.getTruncateOrZeroExtend(BackedgeCount, Ty),
                       SE.getOne(Ty));
}

const SCEV *NextNest::times(const SCEV *Step, const SCEV *Extent) const {
  return SE.getMulExpr(Step,
                       SE.getTruncateOrZeroExtend(Extent, Step->getType()));
}

/// A loop that moves the elements \p C by \p Step, and is of no dimension yet.
std::optional<unsigned> NextNest::takeAxis(const AffineForm &C,
                                           const SCEV *Step) {
  for (unsigned Axis : seq(unsigned(C.Step.size())))
    if (!Taken.contains(Axis) && isSame(C.Step[Axis], Step)) {
      Taken.insert(Axis);
      return Axis;
    }
  return std::nullopt;
}

/// Finds the loops over \p D: one, or several that go through it in turn.
bool NextNest::mapDimension(const AffineForm &C, Dim D) {
  const SCEV *Wanted = extentOfProduct(Product.Op.BackedgeCount[D]);
  const SCEV *Stride = Product.Op.C.Stride[D], *Length = nullptr;
  for (const SCEV *Step = Stride;; Step = times(Stride, Length)) {
    std::optional<unsigned> Axis = takeAxis(C, Step);
    if (!Axis)
      return false;
    Axes[D].push_back(*Axis);
    Length = Length ? SE.getMulExpr(Length, Space->extent(*Axis))
                    : Space->extent(*Axis);
    if (isSame(Length, Wanted) ||
        (Axes[D].size() > 1 && isSame(plain(Length), plain(Wanted))))
      return true;
  }
}

/// Finds the loops over the further indices that move C.
bool NextNest::mapOuter(const AffineForm &C) {
  for (auto [I, Outer] : enumerate(Product.Op.Outer)) {
    const SCEV *Stride = Product.Op.C.OuterStride[I];
    std::optional<unsigned> Axis;
    if (!Stride->isZero()) {
      Axis = takeAxis(C, Stride);
      if (!Axis ||
          !isSame(Space->extent(*Axis), extentOfProduct(Outer.BackedgeCount)))
        return false;
    }
    OuterAxes.push_back(Axis);
  }
  return true;
}

/// Whether one loop goes through all elements.
bool NextNest::mapBoth(const AffineForm &C) {
  if (Space->Last.size() != 1 || !Product.Op.Outer.empty())
    return false;
  for (auto [Near, Far] : {std::pair(N, M), std::pair(M, N)}) {
    const SCEV *Row = extentOfProduct(Product.Op.BackedgeCount[Near]);
    const SCEV *Rows = extentOfProduct(Product.Op.BackedgeCount[Far]);
    if (isSame(C.Step[0], Product.Op.C.Stride[Near]) &&
        isSame(times(C.Step[0], Row), Product.Op.C.Stride[Far]) &&
        isSame(plain(Space->extent(0)), plain(SE.getMulExpr(Row, Rows)))) {
      Flat = Near;
      return true;
    }
  }
  return false;
}

/// Whether the same elements exist.
bool NextNest::hasSameDomain() const {
  const auto &Mine = Space->Domain;
  const auto &Other = Product.Op.Domain;
  if (!Mine || !Other)
    return !Mine && !Other;
  auto Is = [&](unsigned Axis, Dim D) {
    return Axes[D].size() == 1 && Axes[D].front() == Axis;
  };
  if (Is(Mine->X, Other->X) && Is(Mine->Y, Other->Y))
    return Mine->Below == Other->Below && isSame(Mine->Offset, Other->Offset);
  return Is(Mine->X, Other->Y) && Is(Mine->Y, Other->X) &&
         Mine->Below != Other->Below &&
         isSame(Mine->Offset, SE.getNegativeSCEV(Other->Offset));
}

/// Finds out which loop is of which dimension, by where the elements of C are: \p
/// C is that of the store.
bool NextNest::mapLoops(const AffineForm &C) {
  auto IsNull = [](const SCEV *S) { return !S; };
  if (!isSame(C.Base, Product.Op.C.Base) || any_of(C.Step, IsNull) ||
      any_of(Space->Last, IsNull))
    return false;
  if (mapBoth(C))
    return hasSameDomain();
  return mapDimension(C, M) && mapDimension(C, N) && mapOuter(C) &&
         Taken.size() == C.Step.size() && hasSameDomain();
}

/// Sets the strides of \p X, which is \p Form, along the dimensions of the product;
/// false if it has none.
bool NextNest::setStrides(Access &X, const AffineForm &Form) const {
  Type *IndexTy = Product.Op.C.Stride[M]->getType();
  auto StepOf = [&](unsigned Axis) {
    return Form.Step[Axis] ? Form.Step[Axis] : SE.getZero(IndexTy);
  };
  for (Dim D : {M, N, K}) {
    X.Stride[D] = Axes[D].empty() ? SE.getZero(IndexTy) : StepOf(Axes[D][0]);
    const SCEV *Step = X.Stride[D];
    for (size_t I = 1; I < Axes[D].size(); ++I) {
      Step = times(Step, Space->extent(Axes[D][I - 1]));
      if (!isSame(StepOf(Axes[D][I]), Step))
        return false;
    }
  }
  if (Flat) {
    Dim Far = *Flat == M ? N : M;
    X.Stride[*Flat] = StepOf(0);
    X.Stride[Far] =
        times(StepOf(0), extentOfProduct(Product.Op.BackedgeCount[*Flat]));
  }
  for (std::optional<unsigned> Axis : OuterAxes)
    X.OuterStride.push_back(Axis ? StepOf(*Axis) : SE.getZero(IndexTy));
  return true;
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
  X.Alignment = alignmentOfElement(Load);
  X.Inst = &Load;
  X.Pointer = Load.getPointerOperand();
  auto IsKnown = [&](const SCEV *S) { return isKnownInFront(S); };
  if (!setStrides(X, *Form) || !all_of(X.Stride, IsKnown) ||
      !all_of(X.OuterStride, IsKnown))
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
  bool IsElement = Load->getPointerOperand() == Store->getPointerOperand() ||
                   (Address && Address == In->addressWhereRun(*Store));
  if (IsElement && Load->getType() == Product.Op.C.ElemTy &&
      In->precedes(*Load, *Store)) {
    Sums.insert(Load);
    return Leaf::Sum;
  }
  return addOperand(*Load) ? std::optional(Leaf::Further) : std::nullopt;
}

/// What the nest makes of each element, as an epilogue.
bool NextNest::liftNext(const Effects &All) {
  auto Known = [&](const Value &V) { return leafOf(V); };
  Value *Stored = choiceOfStore(*Store);
  if (!Stored)
    Stored = Store->getValueOperand();
  if (lift(Stored, *In, Known, Found.Value, isScalarArithmetic) || Sums.empty())
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
  unsigned Length = 1;
  Loop *Innermost = &Next;
  for (; Innermost->getSubLoops().size() == 1; ++Length)
    Innermost = Innermost->getSubLoops().front();
  if (!Innermost->isInnermost() || Length > MaxChainLength)
    return false;
  auto MaybeNest = LoopNest::create(*Innermost, Length, Analyses);
  if (std::holds_alternative<Refusal>(MaybeNest))
    return false;
  In = std::make_unique<LoopNest>(std::move(std::get<LoopNest>(MaybeNest)));
  auto MaybeSpaces = IterationSpace::of(*In);
  if (!hasPlainControl() || std::holds_alternative<Refusal>(MaybeSpaces))
    return false;
  Space = std::get<0>(MaybeSpaces).front();
  if (!(Space->isPlain() || Space->Domain) || !Space->Borders.empty())
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
      !(choiceOfStore(*Store) || In->runsAlways(*Store)) ||
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

Loop *nestBehind(const Nest &Product, const NestAnalyses &Analyses) {
  return mayHaveNext(Product) ? NextNest(Product, Analyses).find() : nullptr;
}

std::optional<Nest> joinNext(const Nest &Product,
                             const NestAnalyses &Analyses) {
  if (!mayHaveNext(Product))
    return std::nullopt;
  return NextNest(Product, Analyses).join();
}

} // namespace tilesmith
