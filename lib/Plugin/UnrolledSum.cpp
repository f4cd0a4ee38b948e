//===- UnrolledSum.cpp - a loop over k that is unrolled -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrolledSum.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Likeness.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

namespace {

constexpr unsigned MinSteps = 4;
/// clang fuses 'a0*b0 + a1*b1' so that the second product is made first: of five
/// steps without a loop, three are left.
constexpr unsigned MinRegular = 3;
constexpr unsigned MaxDepth = 6; ///< of the arithmetic of a step

bool isProduct(const Value &V) {
  auto *I = dyn_cast<Instruction>(&V);
  while (I && (isa<CastInst>(I) || I->getOpcode() == Instruction::FNeg))
    I = dyn_cast<Instruction>(I->getOperand(0));
  return I && (I->getOpcode() == Instruction::FMul ||
               I->getOpcode() == Instruction::Mul);
}

/// The operands of \p I that may be the sum before, if it adds a product to
/// one.
SmallVector<unsigned, 2> sumOperands(const Instruction &I) {
  SmallVector<unsigned, 2> Result;
  if (isFusedMultiplyAdd(I))
    return {2};
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
    if (isProduct(*I.getOperand(1)))
      Result.push_back(0);
    if (isProduct(*I.getOperand(0)))
      Result.push_back(1);
    return Result;
  case Instruction::FSub:
  case Instruction::Sub:
    if (isProduct(*I.getOperand(1)))
      Result.push_back(0);
    return Result;
  default:
    return Result;
  }
}

/// A store of \p Sum in its block.
StoreInst *storeOf(const Instruction &Sum, User *U) {
  auto *Store = dyn_cast<StoreInst>(U);
  return Store && Store->isSimple() && Store->getValueOperand() == &Sum &&
                 Store->getParent() == Sum.getParent()
             ? Store
             : nullptr;
}

/// The addition that \p I goes on from, if its sum is otherwise stored at most.
Instruction *sumBefore(const Instruction &I, unsigned Operand) {
  auto *Before = dyn_cast<Instruction>(I.getOperand(Operand));
  return Before && Before->getParent() == I.getParent() &&
                 Before->hasNUsesOrMore(1) && !Before->hasNUsesOrMore(3) &&
                 !sumOperands(*Before).empty() &&
                 all_of(Before->users(),
                        [&](User *U) { return U == &I || storeOf(*Before, U); })
             ? Before
             : nullptr;
}

Instruction *sumBefore(const Instruction &I) {
  for (unsigned Operand : sumOperands(I))
    if (Instruction *Before = sumBefore(I, Operand))
      return Before;
  return nullptr;
}

} // namespace

Instruction *lastOfUnrolledSum(const Loop &Innermost) {
  if (!Innermost.isInnermost() || Innermost.getLoopDepth() < 2)
    return nullptr;
  Instruction *Last = nullptr;
  for (BasicBlock *BB : Innermost.blocks()) {
    DenseMap<const Instruction *, unsigned> Length;
    for (Instruction &I : *BB) {
      SmallVector<unsigned, 2> Operands = sumOperands(I);
      if (Operands.empty())
        continue;
      unsigned Most = 0;
      for (unsigned Operand : Operands)
        if (const Instruction *Before = sumBefore(I, Operand))
          Most = std::max(Most, Length.lookup(Before));
      Length[&I] = Most + 1;
      if (Most + 1 < MinSteps)
        continue;
      if (Last && !is_contained(I.operands(), Last))
        return nullptr;
      Last = &I;
    }
  }
  return Last;
}

/// How far loads are apart, in bytes. Many of them are found from the same few
/// pointers by constants, and ScalarEvolution is asked for those pointers alone,
/// once for each two.
class LoadDistances {
public:
  LoadDistances(const Loop &Root, ScalarEvolution &SE) : Root(Root), SE(SE) {}

  /// From \p X to \p Y, if that is the same throughout the nest.
  const SCEV *between(const LoadInst &X, const LoadInst &Y) {
    Place PlaceX = placeOf(X), PlaceY = placeOf(Y);
    const SCEV *D = betweenBases(PlaceX, PlaceY);
    int64_t Offset = PlaceY.Offset - PlaceX.Offset;
    return D && Offset ? SE.getAddExpr(D, SE.getConstant(D->getType(), Offset,
                                                         /*isSigned=*/true))
                       : D;
  }
  bool areKnown(const LoadInst &X, const LoadInst &Y) {
    return betweenBases(placeOf(X), placeOf(Y));
  }

private:
  struct Place {
    Value *Base = nullptr;
    int64_t Offset = 0;
  };

  Place placeOf(const LoadInst &Load) {
    auto [Known, IsNew] = Places.try_emplace(&Load);
    if (IsNew)
      Known->second =
          findPlace(*Load.getPointerOperand(), Load.getDataLayout());
    return Known->second;
  }

  static Place findPlace(const Value &Pointer, const DataLayout &DL) {
    Place Result{const_cast<Value *>(&Pointer), 0};
    while (auto *Step = dyn_cast<GEPOperator>(Result.Base)) {
      APInt Length(DL.getIndexTypeSizeInBits(Step->getType()), 0);
      if (!Step->accumulateConstantOffset(DL, Length))
        break;
      Result.Offset += Length.getSExtValue();
      Result.Base = Step->getPointerOperand();
    }
    return Result;
  }

  const SCEV *betweenBases(const Place &X, const Place &Y) {
    auto [Known, IsNew] = OfBases.try_emplace({X.Base, Y.Base}, nullptr);
    if (IsNew)
      Known->second = betweenBases(X.Base, Y.Base);
    return Known->second;
  }

  const SCEV *betweenBases(Value *X, Value *Y) {
    const SCEV *D = SE.getMinusSCEV(SE.getSCEV(Y), SE.getSCEV(X));
    bool MayBeExpanded = !isa<SCEVCouldNotCompute>(D) &&
                         SE.isLoopInvariant(D, &Root) &&
                         !SCEVExprContains(D, [](const SCEV *Part) {
                           return isa<SCEVUDivExpr>(Part);
                         });
    return MayBeExpanded ? D : nullptr;
  }

  const Loop &Root;
  ScalarEvolution &SE;
  DenseMap<const LoadInst *, Place> Places;
  DenseMap<std::pair<Value *, Value *>, const SCEV *> OfBases;
};

/// Finds the sum that ends in one addition.
class SumFinder {
public:
  SumFinder(Loop &L, Instruction &Last, LoadDistances &Apart,
            ScalarEvolution &SE)
      : Block(Last.getParent()), Apart(Apart), SE(SE) {
    Result.Around = &L;
    collect(Last);
  }

  std::optional<UnrolledSum> run() {
    auto &Steps = Result.Steps;
    if (Steps.size() < MinSteps || !findLoads())
      return std::nullopt;
    Result.Last = Steps.back();
    bool MaySort = Result.Last.Add->getOpcode() == Instruction::Add;
    Value *Lower = Steps.front().Lower;
    const bool StartsFused = !MaySort && !isa<PHINode>(Lower);
    for (unsigned I = Steps.size(); I-- > 0;) {
      if (isEqual(Result.Last, Steps[I]))
        continue;
      if (!MaySort) {
        Steps.erase(Steps.begin(), Steps.begin() + I + 1);
        Lower = nullptr;
        break;
      }
      const Step &S = Steps[I];
      Result.Others.push_back(
          S.Add->getOperand(S.Add->getOperand(0) == S.Lower));
      Steps.erase(Steps.begin() + I);
    }
    if (Steps.empty())
      return std::nullopt;
    if (Lower) {
      Steps.front().Lower = Lower;
      addFirst();
    }
    bool IsSorted = sortSteps();
    unsigned Irregular = countIrregular();
    if (Irregular && (IsSorted || !Result.Others.empty()))
      return std::nullopt;
    Steps.erase(Steps.begin(), Steps.begin() + Irregular);
    Result.StoresInOnePlace = haveOnePlace(IsSorted);
    Result.IsAdjacent = all_of(Result.Last.Loads, [&](const LoadInst *Load) {
      return isAdjacent(*Load);
    });
    return Steps.size() < (StartsFused ? MinRegular : MinSteps)
               ? std::nullopt
               : std::optional(std::move(Result));
  }

private:
  using Step = UnrolledSum::Step;

  void collect(Instruction &Last) {
    for (Instruction *I = &Last; I;) {
      Instruction *Before = nullptr;
      SmallVector<unsigned, 2> Operands = sumOperands(*I);
      Value *Lower = I->getOperand(Operands.front());
      for (unsigned Operand : Operands)
        if (Instruction *Sum = sumBefore(*I, Operand); Sum && !Before) {
          Before = Sum;
          Lower = Sum;
        }
      StoreInst *Partial = nullptr;
      for (User *U : I->users())
        if (StoreInst *Store = storeOf(*I, U); Store && I != &Last)
          Partial = Store;
      Result.Steps.push_back({I, Lower, {}, Partial});
      I = Before;
    }
    std::reverse(Result.Steps.begin(), Result.Steps.end());
  }

  /// Whether \p I is of the arithmetic of one step.
  static bool isOfStep(const Instruction &I) {
    return isa<CastInst, BinaryOperator, UnaryOperator>(I) ||
           isFusedMultiplyAdd(I);
  }

  static bool hasLoad(const Value &V, unsigned Depth = MaxDepth) {
    auto *I = dyn_cast<Instruction>(&V);
    return I && (isa<LoadInst>(I) || (Depth && isOfStep(*I) &&
                                      any_of(I->operands(), [&](Value *Op) {
                                        return hasLoad(*Op, Depth - 1);
                                      })));
  }

  /// The loads of the last step, in the order in which isEqual visits them.
  bool findLoads() {
    Step &Last = Result.Steps.back();
    return isEqual(Last, Last) && !Last.Loads.empty();
  }

  bool isEqual(const Step &X, Step &Y) {
    Loads.clear();
    if (!haveEqualOperation(*X.Add, *Y.Add))
      return false;
    bool IsFirst = X.Loads.empty();
    unsigned SideX = X.Add->getOperand(0) == X.Lower,
             SideY = Y.Add->getOperand(0) == Y.Lower;
    bool IsEqual =
        isFusedMultiplyAdd(*X.Add)
            ? haveEqualFactors(*X.Add, *Y.Add)
            : (SideX == SideY || X.Add->isCommutative()) &&
                  areEqual(X.Add->getOperand(SideX), Y.Add->getOperand(SideY));
    if (!IsEqual || (!IsFirst && Loads.size() != X.Loads.size()))
      return false;
    Y.Loads = Loads;
    return true;
  }

  /// Integers may wrap: flags that say that they do not are dropped.
  static bool haveEqualOperation(const Instruction &X, const Instruction &Y) {
    return X.isSameOperationAs(&Y) &&
           (!isa<FPMathOperator>(X) || X.hasSameSubclassOptionalData(&Y));
  }

  bool haveEqualFactors(const Instruction &X, const Instruction &Y,
                        unsigned Depth = MaxDepth) {
    auto Try = [&](unsigned First) {
      unsigned Before = Loads.size();
      if (areEqual(X.getOperand(0), Y.getOperand(First), Depth) &&
          areEqual(X.getOperand(1), Y.getOperand(1 - First), Depth))
        return true;
      Loads.truncate(Before);
      return false;
    };
    return Try(0) || Try(1);
  }

  bool areEqual(Value *V, Value *W, unsigned Depth = MaxDepth) {
    auto *Load = dyn_cast<LoadInst>(V), *Other = dyn_cast<LoadInst>(W);
    if (Load && Other) {
      Loads.push_back(Other);
      return areComparable(*Load, *Other);
    }
    if (V == W && !hasLoad(*V))
      return true;
    auto *X = dyn_cast<Instruction>(V), *Y = dyn_cast<Instruction>(W);
    if (Depth == 0 || !X || !Y || !isOfStep(*X) || !haveEqualOperation(*X, *Y))
      return false;
    if (X->isCommutative() && X->getNumOperands() == 2)
      return haveEqualFactors(*X, *Y, Depth - 1);
    return all_of(zip(X->operands(), Y->operands()), [&](auto Pair) {
      return areEqual(std::get<0>(Pair), std::get<1>(Pair), Depth - 1);
    });
  }

  bool areComparable(const LoadInst &X, const LoadInst &Y) {
    return X.isSimple() && Y.isSimple() && X.getType() == Y.getType() &&
           Apart.areKnown(X, Y);
  }

  /// Sums of integers may be made in any order. Whether their steps have been
  /// sorted.
  bool sortSteps() {
    // Stores of partial sums stay in their order.
    if (Result.Last.Add->getOpcode() != Instruction::Add ||
        any_of(Result.Steps, [](const Step &S) { return S.Partial; }))
      return false;
    for (unsigned I = 0; I < Result.Last.Loads.size(); ++I)
      if (sortSteps(I))
        return true;
    return false;
  }

  /// By the place of one of their loads, if that is known of all.
  bool sortSteps(unsigned OfLoad) {
    auto &Steps = Result.Steps;
    SmallVector<std::pair<int64_t, Step>, 24> ByPlace;
    bool Moves = false;
    for (const Step &S : Steps) {
      auto *Place = dyn_cast<SCEVConstant>(
          Apart.between(*Result.Last.Loads[OfLoad], *S.Loads[OfLoad]));
      if (!Place || Place->getAPInt().getSignificantBits() > 64)
        return false;
      Moves |= !Place->isZero();
      ByPlace.push_back({Place->getAPInt().getSExtValue(), S});
    }
    if (!Moves)
      return false;
    Value *Lower = Steps.front().Lower;
    stable_sort(ByPlace, less_first());
    for (auto [S, Sorted] : zip(Steps, ByPlace))
      S = Sorted.second;
    Steps.front().Lower = Lower;
    return true;
  }

  /// Whether partial sums, if they are stored, are stored in one place.
  bool haveOnePlace(bool IsSorted) const {
    ArrayRef<Step> Partial = ArrayRef(Result.Steps).drop_back();
    if (none_of(Partial, [](const Step &S) { return S.Partial; }))
      return true;
    const StoreInst *First = Partial.front().Partial;
    return !IsSorted && First && all_of(Partial, [&](const Step &S) {
      return S.Partial &&
             S.Partial->getPointerOperand() == First->getPointerOperand();
    });
  }

  /// Whether LLVM can make a vector of what \p Load reads in successive
  /// iterations.
  bool isAdjacent(const LoadInst &Load) {
    const SCEV *Address =
        SE.getSCEV(const_cast<Value *>(Load.getPointerOperand()));
    if (SE.isLoopInvariant(Address, Result.Around))
      return true;
    auto *Rec = dyn_cast<SCEVAddRecExpr>(Address);
    auto *Length = Rec && Rec->getLoop() == Result.Around
                       ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE))
                       : nullptr;
    return Length && Length->getAPInt() ==
                         Load.getDataLayout().getTypeStoreSize(Load.getType());
  }

  /// How many of the first steps do not lie on one line with the others.
  unsigned countIrregular() {
    auto &Steps = Result.Steps;
    for (unsigned Kept = Steps.size() - 1; Kept > 0; --Kept) {
      SmallVector<UnrolledSum::Equation, 2> Needed;
      if (!isRegular(Steps[Kept - 1], Steps[Kept], Needed))
        return Kept;
      Result.MustHold.append(Needed);
    }
    return 0;
  }

  bool isRegular(const Step &X, const Step &Y,
                 SmallVectorImpl<UnrolledSum::Equation> &Needed) {
    bool IsFirst = Result.Stride.empty();
    for (unsigned I = 0; I < X.Loads.size(); ++I) {
      const SCEV *D = Apart.between(*X.Loads[I], *Y.Loads[I]);
      if (!D)
        return false;
      if (IsFirst) {
        Result.Stride.push_back(D);
        continue;
      }
      if (D == Result.Stride[I])
        continue;
      // From one row of an image to the next is not one stride spelled otherwise.
      if (isa<SCEVConstant>(D) != isa<SCEVConstant>(Result.Stride[I]))
        return false;
      const SCEV *Difference = SE.getMinusSCEV(D, Result.Stride[I]);
      if (Difference->isZero())
        continue;
      if (isa<SCEVConstant>(Difference))
        return false;
      Needed.push_back({D, Result.Stride[I]});
    }
    return true;
  }

  /// What the sum starts from may be the product of one more step, which is
  /// added to a negative zero.
  void addFirst() {
    const Step &Last = Result.Last;
    auto *Product = dyn_cast<Instruction>(Result.Steps.front().Lower);
    if (!Product || !isProduct(*Product) || Product->getParent() != Block ||
        !Product->hasOneUse() ||
        is_contained({Instruction::FSub, Instruction::Sub},
                     Last.Add->getOpcode()))
      return;
    Loads.clear();
    bool IsEqual = false;
    if (!isFusedMultiplyAdd(*Last.Add))
      IsEqual = areEqual(
          Last.Add->getOperand(Last.Add->getOperand(0) == Last.Lower), Product);
    else if (Product->getOpcode() == Instruction::FMul &&
             Product->hasSameSubclassOptionalData(Last.Add))
      IsEqual = haveEqualFactors(*Last.Add, *Product);
    if (IsEqual && Loads.size() == Last.Loads.size())
      Result.Steps.insert(Result.Steps.begin(), Step{Product, nullptr, Loads});
  }

  BasicBlock *Block;
  LoadDistances &Apart;
  ScalarEvolution &SE;
  UnrolledSum Result;
  SmallVector<LoadInst *, 2> Loads; ///< of the step that is compared
};

/// The additions that may be the last one of the sum in \p Innermost. What becomes
/// of the sum may be an addition of a product, too: beta * c.
static SmallVector<Instruction *, 3> lastAdditions(const Loop &Innermost) {
  constexpr unsigned MaxAfter = 2;
  SmallVector<Instruction *, 3> Result;
  Instruction *Last = lastOfUnrolledSum(Innermost);
  for (unsigned After = 0; Last && After <= MaxAfter; ++After) {
    Result.push_back(Last);
    Last = sumBefore(*Last);
  }
  return Result;
}

bool UnrolledSum::mayEndProduct(const Loop &Innermost) {
  return any_of(lastAdditions(Innermost), [&](const Instruction *Last) {
    SmallVector<const Value *, 2> Parts;
    if (isFusedMultiplyAdd(*Last))
      Parts = {Last->getOperand(0), Last->getOperand(1)};
    else
      for (unsigned Operand : sumOperands(*Last))
        Parts.push_back(Last->getOperand(1 - Operand));
    return PossibleProducts::ofRolled(Innermost, *Last, Parts).any();
  });
}

std::optional<UnrolledSum> UnrolledSum::find(Loop &Innermost,
                                             ScalarEvolution &SE) {
  LoadDistances Apart(*Innermost.getOutermostLoop(), SE);
  for (Instruction *Last : lastAdditions(Innermost))
    if (auto Found = SumFinder(Innermost, *Last, Apart, SE).run())
      return Found;
  return std::nullopt;
}

} // namespace tilesmith
