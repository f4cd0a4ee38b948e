//===- Likeness.cpp - how much of a product a nest has --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Likeness.h"
#include "CounterSums.h"
#include "Patterns.h"
#include "tilesmith/Idiom/FusedCounter.h"
#include "tilesmith/Idiom/UnstoredSums.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Loops of a nest, a bit for each.
using LoopSet = uint64_t;

class LikenessFinder {
public:
  /// What moves an element.
  enum MoverKind {
    Counters,
    /// What a counter of integers starts from as well: it may be an offset, as
    /// in `a[p++]`, or a bound, as in a triangle.
    CountersAndStarts,
    /// And whatever else differs from iteration to iteration, such as the
    /// counter of a loop that LLVM knows to run twice: 0, then 1.
    Anything
  };
  /// \p RolledSum: the last addition of a sum that will be a loop of its own,
  /// inside \p Innermost.
  LikenessFinder(const Loop &Innermost, MoverKind Movers,
                 const Instruction *RolledSum = nullptr)
      : Innermost(Innermost), Root(rootOf(Innermost)), Movers(Movers),
        RolledSum(RolledSum), In(Innermost, *Root),
        Unstored(RolledSum ? UnstoredSums() : unstoredSums(Innermost)) {
    for (const Loop *L = &Innermost; L != Root->getParentLoop();
         L = L->getParentLoop())
      Loops.try_emplace(L->getHeader(), LoopSet(1) << numLoops());
  }

  Likeness run() {
    Likeness Best;
    unsigned Tried = 0;
    bool HasVector = false;
    for (const BasicBlock *BB : Innermost.blocks())
      for (const Instruction &I : *BB)
        for (const Instruction *Product : productsAddedBy(I)) {
          Likeness Found = likenessOf(*Product, I);
          HasVector |= Found.HasVector;
          if (Found.isLikely() || ++Tried == MaxTried)
            return Found;
          if (!Best.HasFactors)
            Best = Found;
        }
    Best.HasVector = HasVector;
    return Best;
  }

  PossibleProducts possibleProducts() {
    if (mayChangeLoads())
      return {true, true};
    PossibleProducts Result;
    if (mayPairLoads())
      for (const BasicBlock *BB : Innermost.blocks())
        for (const Instruction &I : *BB) {
          addPossible(I, Result);
          Result.Matrices =
              Result.Matrices || (mayConjoin(I) && mayBeOfMatricesByBranches());
        }
    if (IsCut)
      return {true, true};
    Result.HasFewSteps = Result.Vector && hasFewSteps();
    Result.HasIntegerRows = Result.Vector && hasIntegerRows();
    return Result;
  }

  /// Of the rolled sum, in each step of which \p Parts are multiplied, or added.
  PossibleProducts possibleProducts(ArrayRef<const Value *> Parts) {
    if (mayChangeLoads())
      return {true, true};
    PossibleProducts Result;
    if (isFusedMultiplyAdd(*RolledSum))
      addPossible(*RolledSum, Result);
    for (const Value *Part : Parts)
      visitOperands(*Part, [&](const Instruction &I) {
        addPossible(I, Result);
        return !isa<LoadInst>(I);
      });
    return IsCut ? PossibleProducts{true, true} : Result;
  }

private:
  static constexpr LoopSet Inner = 1;
  static constexpr LoopSet Outer = 2; ///< of two loops
  static constexpr unsigned MaxLoops = 64, MaxTried = 16, MaxSeen = 1024;

  /// Whether other elements than those of the loads may be factors: what a loop
  /// beside the others, or a copy, has put into a buffer. Or whether there may
  /// be more loops than are seen.
  bool mayChangeLoads() const {
    for (const Loop *L = &Innermost; L; L = L->getParentLoop())
      if (L->getSubLoops().size() > 1 || fusedCounter(*L))
        return true;
    return any_of(Root->blocks(), [](const BasicBlock *BB) {
      return any_of(
          *BB, [](const Instruction &I) { return isa<MemTransferInst>(I); });
    });
  }

  static const Loop *rootOf(const Loop &Innermost) {
    const Loop *Result = &Innermost;
    for (unsigned Seen = 2; Seen < MaxLoops && Result->getParentLoop(); ++Seen)
      Result = Result->getParentLoop();
    return Result;
  }

  /// A rolled loop is one, too.
  unsigned numLoops() const { return Loops.size() + (RolledSum != nullptr); }

  static bool isMultiplication(const Instruction &I) {
    return I.getOpcode() == Instruction::Mul ||
           I.getOpcode() == Instruction::FMul || isFusedMultiplyAdd(I);
  }

  /// Whether any two loads of the nest may be factors, each with any store. It
  /// looks at each once, so this is cheap where many values are made of loads.
  bool mayPairLoads() {
    SmallSetVector<LoopSet, 4> OfLoads, OfStores;
    for (const BasicBlock *BB : Root->blocks())
      for (const Instruction &I : *BB)
        if (auto *Load = dyn_cast<LoadInst>(&I))
          OfLoads.insert(movesOf(*Load));
        else if (auto *Store = dyn_cast<StoreInst>(&I); Store && mayBeC(*Store))
          OfStores.insert(certainMovesOf(*Store));
    return any_of(OfLoads, [&](LoopSet OfA) {
      return any_of(OfLoads, [&](LoopSet OfB) {
        return OfA && OfB &&
               (haveThreeLoops(OfA, OfB) ||
                mayBeOfVector(OfA, OfB, OfStores.getArrayRef()));
      });
    });
  }

  /// Adds what the two elements of \p Pair, if it is made of such, may be the
  /// factors of.
  void addPossible(const Instruction &Pair, PossibleProducts &To) {
    if (!mayPair(Pair) && !isFusedMultiplyAdd(Pair))
      return;
    auto OfB = movedLoadsOf(*Pair.getOperand(1));
    if (OfB.empty())
      return;
    auto OfA = movedLoadsOf(*Pair.getOperand(0));
    if (OfA.empty())
      return;
    SmallVector<LoopSet, 2> OfStores =
        movesOfStores(RolledSum ? *RolledSum : Pair,
                      [&](const StoreInst &Store) { return mayBeC(Store); });
    for (const LoadInst *A : OfA)
      for (const LoadInst *B : OfB)
        if (A != B) {
          To.Matrices = To.Matrices || mayBeOfMatrices(*A, *B);
          if (mayBeOfVector(movesOf(*A), movesOf(*B), OfStores)) {
            To.Vector = true;
            OfVector.push_back({A, B});
          }
        }
  }

  /// Whether any two loads of the nest may be of matrices, which branches join.
  bool mayBeOfMatricesByBranches() {
    SmallVector<const LoadInst *, 4> All;
    for (const BasicBlock *BB : Root->blocks())
      for (const Instruction &I : *BB)
        if (auto *Load = dyn_cast<LoadInst>(&I))
          All.push_back(Load);
    return any_of(All, [&](const LoadInst *A) {
      return any_of(All, [&](const LoadInst *B) {
        return A != B && mayBeOfMatrices(*A, *B);
      });
    });
  }

  static bool haveThreeLoops(LoopSet OfA, LoopSet OfB) {
    return (OfA & OfB) && popcount(OfA) >= 2 && popcount(OfB) >= 2 &&
           popcount(OfA | OfB) >= 3;
  }

  /// K moves A and B, M moves A, and N moves B; or a loop that moves A and one that
  /// moves B move C together.
  bool mayBeOfMatrices(const LoadInst &A, const LoadInst &B) {
    LoopSet OfA = movesOf(A), OfB = movesOf(B);
    if (popcount(OfA | OfB) >= 3 && mayScatter(OfA, OfB))
      return true;
    return haveThreeLoops(OfA, OfB) &&
           (((OfA & ~OfB) && (OfB & ~OfA)) || !areCertain(A, B));
  }

  /// Whether \p Store may be of the sums of a matrix times a vector. What carries
  /// them is a phi of the inner loop, or C itself. Integers are stored as they are:
  /// clang makes vectors of their sums, so these are not kept apart.
  bool mayBeC(const StoreInst &Store) const {
    const Type *Ty = Store.getValueOperand()->getType();
    auto MayCarry = [&](const PHINode &Phi) {
      return Phi.getType() == Ty ||
             (Phi.getType()->isFloatingPointTy() && Ty->isFloatingPointTy());
    };
    return RolledSum ? RolledSum->getType() == Ty
                     : Innermost.contains(&Store) ||
                           any_of(Innermost.getHeader()->phis(), MayCarry);
  }

  /// K moves A and B, but not C, which is one of \p OfStores; M moves A and C.
  /// Each loop is one of these. Or a loop that moves A and one that moves B move C
  /// together.
  bool mayBeOfVector(LoopSet OfA, LoopSet OfB, ArrayRef<LoopSet> OfStores) {
    LoopSet OfK = OfA & OfB;
    // Sums that are stored nowhere, or at one place, are kept apart.
    if (!Unstored.empty() || is_contained(OfStores, LoopSet(0)))
      return (OfK & Inner) && ((OfA | OfB) & Outer);
    if ((none_of(OfStores, [&](LoopSet OfC) { return OfK & ~OfC; }) &&
         !mayScatter(OfA, OfB)) ||
        popcount(OfA | OfB) < 2)
      return false;
    LoopSet OfM = (OfA | OfB) & movesOfAllStores();
    return ((OfK | OfM) & Inner) && ((OfK | OfM) & Outer);
  }

  /// Whether steps of a loop that moves A alone, and of one that moves B alone, may
  /// be as long in C, which is loaded, too.
  bool mayScatter(LoopSet OfA, LoopSet OfB) {
    if (!(OfA & ~OfB) || !(OfB & ~OfA))
      return false;
    if (!Scattering) {
      Scattering.emplace();
      for (const BasicBlock *BB : Innermost.blocks())
        for (const Instruction &I : *BB)
          if (auto *Load = dyn_cast<LoadInst>(&I))
            addScattering(*Load);
    }
    return any_of(*Scattering, [&](auto Of) {
      auto [X, Y] = Of;
      return ((X & OfA & ~OfB) && (Y & OfB & ~OfA)) ||
             ((Y & OfA & ~OfB) && (X & OfB & ~OfA));
    });
  }

  /// The pairs of loops that may move \p Load by as much, if it is of C.
  void addScattering(const LoadInst &Load) {
    bool IsOfC = any_of(Load.getPointerOperand()->users(),
                        [](const User *U) { return isa<StoreInst>(U); });
    if (!IsOfC)
      return;
    const std::optional<CounterSum> &Sum = In.sumOf(Load);
    if (!Sum) {
      Scattering->push_back({movesOf(Load), movesOf(Load)});
      return;
    }
    for (auto [Header, Step] : *Sum)
      for (auto [Other, OtherStep] : *Sum)
        if (Loops.lookup(Header) < Loops.lookup(Other) && Step == OtherStep)
          Scattering->push_back({Loops.lookup(Header), Loops.lookup(Other)});
  }

  /// Whether the loops that may move \p A and \p B certainly do.
  bool areCertain(const LoadInst &A, const LoadInst &B) {
    return !RolledSum && In.isRectangle() && In.sumOf(A) && In.sumOf(B);
  }

  /// Whether the sum of a matrix times a vector has few steps: those of the
  /// inner loop, unless the terms of a step are more of them.
  bool hasFewSteps() {
    uint64_t Steps = In.mostSteps();
    if (Steps == 0 || any_of(OfVector, [&](auto Of) {
          return !areCertain(*Of.first, *Of.second) ||
                 !(movesOf(*Of.first) & movesOf(*Of.second) & Inner);
        }))
      return false;
    bool IsRolled = none_of(drop_begin(OfVector), [&](auto Of) {
      return areInOnePlace(*Of.first, *OfVector.front().first) ||
             areInOnePlace(*Of.second, *OfVector.front().second);
    });
    return Steps * (IsRolled ? OfVector.size() : 1) < FewSteps;
  }

  /// Whether \p X and \p Y are a known number of bytes apart, but a step of the
  /// inner loop has a length that is not known.
  bool areInOnePlace(const LoadInst &X, const LoadInst &Y) {
    auto BaseOf = [](const LoadInst &Load) {
      const DataLayout &DL = Load.getDataLayout();
      const Value *Pointer = Load.getPointerOperand();
      APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
      return Pointer->stripAndAccumulateConstantOffsets(
          DL, Offset, /*AllowNonInbounds=*/true);
    };
    auto Step = In.sumOf(X)->find(Innermost.getHeader());
    return Step != In.sumOf(X)->end() && !Step->second &&
           BaseOf(X) == BaseOf(Y);
  }

  /// Whether the inner of two loops makes sums of integers, along rows of a
  /// matrix that are not known to overlap.
  bool hasIntegerRows() {
    auto MayBeOther = [&](const Instruction &I) {
      auto *Store = dyn_cast<StoreInst>(&I);
      return Store && mayBeC(*Store) &&
             (!Store->getValueOperand()->getType()->isIntegerTy() ||
              (movesOf(*Store) & Inner));
    };
    auto IsInteger = [](const Instruction *Sum) {
      return Sum->getType()->isIntegerTy();
    };
    return numLoops() == 2 && all_of(Unstored, IsInteger) &&
           all_of(OfVector,
                  [&](auto Of) {
                    auto [A, B] = Of;
                    return areCertain(*A, *B) &&
                           (isRowBeside(*A, *B) || isRowBeside(*B, *A));
                  }) &&
           none_of(Root->blocks(), [&](const BasicBlock *BB) {
             return any_of(*BB, MayBeOther);
           });
  }

  /// Whether the inner loop goes over adjacent elements by \p A, and over the
  /// same elements each time by \p B.
  bool isRowBeside(const LoadInst &A, const LoadInst &B) {
    const CounterSum &OfA = *In.sumOf(A), &OfB = *In.sumOf(B);
    const BasicBlock *Step = Innermost.getHeader(), *Row = Root->getHeader();
    return OfA.lookup(Step) ==
               A.getDataLayout().getTypeStoreSize(A.getType()) &&
           OfA.contains(Row) && !OfA.lookup(Row) && OfB.contains(Step) &&
           !OfB.contains(Row);
  }

  /// The multiplications in what \p I adds: of `k * (a * b)`, both.
  SmallVector<const Instruction *, 2>
  productsAddedBy(const Instruction &I) const {
    SmallVector<const Instruction *, 2> Result;
    if (!isFusedMultiplyAdd(I) && addends(I).empty() && !isa<AtomicRMWInst>(I))
      return Result;
    visitOperands(I, [&](const Instruction &Part) {
      if (isMultiplication(Part))
        Result.push_back(&Part);
      return !isa<LoadInst, PHINode>(Part);
    });
    return Result;
  }

  Likeness likenessOf(const Instruction &Product, const Instruction &Sum) {
    SmallVector<LoopSet, 2> Stores =
        movesOfStores(Sum, [](const StoreInst &) { return true; });
    // A sum that is used after the nest.
    if (Stores.empty())
      Stores.push_back(0);
    Likeness Best;
    for (const LoadInst *A : loadsOf(*Product.getOperand(0)))
      for (const LoadInst *B : loadsOf(*Product.getOperand(1))) {
        if (A == B)
          continue;
        LoopSet OfA = movesOf(*A), OfB = movesOf(*B);
        Likeness Found{
            true, (OfA & ~OfB) != 0, (OfB & ~OfA) != 0,
            any_of(Stores,
                   [&](LoopSet OfC) { return (OfA & OfB & ~OfC) != 0; }),
            areOfVector(OfA, OfB, Stores)};
        Best.HasVector |= Found.HasVector;
        // One loop may stand for two: its counter is divided.
        if (Loops.size() == 2 && fusedCounter(*Root))
          Found.HasRows = Found.HasColumns = (OfA & OfB & Outer) != 0;
        if (Found.isLikely())
          return Found;
        bool HasVector = Best.HasVector;
        if (!Best.HasFactors)
          Best = Found;
        Best.HasVector = HasVector;
      }
    return Best;
  }

  /// Whether one of the two factors is moved by both of the innermost loops, the
  /// other one by one of them, and one of \p Stores by the other.
  bool areOfVector(LoopSet OfA, LoopSet OfB, ArrayRef<LoopSet> Stores) const {
    constexpr LoopSet Both = Inner | Outer;
    LoopSet OfVector = ((OfA & Both) == Both ? OfB : OfA) & Both;
    uint64_t Steps = In.mostSteps();
    return (((OfA | OfB) & Both) == Both) &&
           ((OfA & Both) == Both || (OfB & Both) == Both) &&
           (OfVector == Inner || OfVector == Outer) &&
           (Steps == 0 || Steps >= FewSteps) && any_of(Stores, [&](LoopSet C) {
             return (C & Both) == (Both & ~OfVector) ||
                    (!C && OfVector == Inner && beginsAnew());
           });
  }

  /// Whether the sums of the inner loop do not go on in the next iteration of the
  /// loop around it.
  bool beginsAnew() const {
    const Loop *Rows = Innermost.getParentLoop();
    const BasicBlock *Before = Innermost.getLoopPreheader();
    return Rows && Before &&
           none_of(Innermost.getHeader()->phis(), [&](const PHINode &Phi) {
             auto *First =
                 dyn_cast<PHINode>(Phi.getIncomingValueForBlock(Before));
             return Phi.getType()->isFloatingPointTy() && First &&
                    First->getParent() == Rows->getHeader();
           });
  }

  /// Calls \p Visit for what \p From is computed of in the nest, which goes on
  /// through what \p Visit returns true for.
  void visitOperands(const Value &From,
                     function_ref<bool(const Instruction &)> Visit) const {
    SmallVector<const Value *, 16> Work{&From};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty()) {
      if (Seen.size() >= MaxSeen) {
        IsCut = true;
        return;
      }
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (I && Root->contains(I) && Seen.insert(I).second && Visit(*I))
        append_range(Work, I->operands());
    }
  }

  SmallVector<const LoadInst *, 2> loadsOf(const Value &Factor) const {
    SmallVector<const LoadInst *, 2> Result;
    visitOperands(Factor, [&](const Instruction &I) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Result.push_back(Load);
      return !isa<LoadInst>(I);
    });
    return Result;
  }

  SmallVector<const LoadInst *, 2> movedLoadsOf(const Value &Factor) {
    auto Result = loadsOf(Factor);
    erase_if(Result, [&](const LoadInst *X) { return !movesOf(*X); });
    return Result;
  }

  /// Whether \p I is a phi that goes on from its own value, not one of a value
  /// that is loaded again.
  bool isCarried(const Instruction &I) const {
    bool Result = false;
    if (isa<PHINode>(I) && Loops.contains(I.getParent()))
      for (const Value *Next : cast<PHINode>(I).incoming_values())
        visitOperands(*Next, [&](const Instruction &Part) {
          Result |= &Part == &I;
          return !Result && !isa<LoadInst>(Part);
        });
    return Result;
  }

  /// The loops of which \p Pointer is the counter: they store a value there
  /// that is no constant.
  LoopSet countersAt(const Value &Pointer) const {
    LoopSet Result = 0;
    for (const User *U : Pointer.users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (!Store || Store->getPointerOperand() != &Pointer ||
          isa<Constant>(Store->getValueOperand()) || !Root->contains(Store))
        continue;
      const Loop *L = &Innermost;
      while (L != Root && !L->contains(Store))
        L = L->getParentLoop();
      Result |= Loops.lookup(L->getHeader());
    }
    return Result;
  }

  /// What moves with \p Address: many loads are found from one pointer.
  static const Value &withoutConstantOffset(const Value &Address) {
    const Value *V = &Address;
    for (auto *Step = dyn_cast<GEPOperator>(V);
         Step && Step->hasAllConstantIndices(); Step = dyn_cast<GEPOperator>(V))
      V = Step->getPointerOperand();
    return *V;
  }

  /// The loops that move the address of \p Load or \p Store. A rolled loop may
  /// move any load.
  LoopSet movesOf(const LoadInst &Load) {
    return movesOf(*Load.getPointerOperand()) | (RolledSum ? Inner : 0);
  }
  LoopSet movesOf(const StoreInst &Store) {
    return movesOf(*Store.getPointerOperand());
  }
  /// The loops that certainly move \p Store, as its counters are theirs. A loop that
  /// these start from may be a bound, as in a column of a triangle.
  LoopSet certainMovesOf(const StoreInst &Store) {
    const Value &V = withoutConstantOffset(*Store.getPointerOperand());
    if (auto It = CertainMoves.find(&V); It != CertainMoves.end())
      return It->second;
    LoopSet Result = 0;
    visitOperands(V, [&](const Instruction &I) {
      LoopSet Moved = isCarried(I) ? Loops.lookup(I.getParent()) : 0;
      Result |= Moved;
      return !Moved || I.getType()->isPointerTy();
    });
    return CertainMoves[&V] = Result;
  }
  LoopSet movesOf(const Value &Address) {
    const Value &V = withoutConstantOffset(Address);
    if (auto It = Moves.find(&V); It != Moves.end())
      return It->second;
    LoopSet Result = 0;
    visitOperands(V, [&](const Instruction &I) {
      bool IsMover = Movers == Anything ? isa<PHINode>(I) : isCarried(I);
      LoopSet Moved = IsMover ? Loops.lookup(I.getParent()) : 0;
      Result |= Moved;
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Result |= countersAt(*Load->getPointerOperand());
      return !Moved || Movers != Counters || I.getType()->isPointerTy();
    });
    return Moves[&V] = Result;
  }

  /// The loops that move any store.
  LoopSet movesOfAllStores() {
    if (!OfStores) {
      OfStores = 0;
      for (const BasicBlock *BB : Root->blocks())
        for (const Instruction &I : *BB)
          if (auto *Store = dyn_cast<StoreInst>(&I))
            *OfStores |= movesOf(*Store);
    }
    return *OfStores;
  }

  /// For each store that \p Sum leads to and that \p Counts, the loops that certainly
  /// move it.
  SmallVector<LoopSet, 2>
  movesOfStores(const Instruction &Sum,
                function_ref<bool(const StoreInst &)> Counts) {
    SmallVector<LoopSet, 2> Result;
    SmallVector<const Instruction *, 16> Work{&Sum};
    SmallPtrSet<const Instruction *, 16> Seen;
    while (!Work.empty() && Seen.size() < MaxSeen) {
      const Instruction *I = Work.pop_back_val();
      if (!Root->contains(I) || !Seen.insert(I).second)
        continue;
      if (auto *Store = dyn_cast<StoreInst>(I)) {
        if (Counts(*Store))
          Result.push_back(certainMovesOf(*Store));
      } else if (!isa<LoadInst>(I))
        for (const User *U : I->users())
          Work.push_back(cast<Instruction>(U));
    }
    IsCut = IsCut || !Work.empty();
    return Result;
  }

  const Loop &Innermost, *Root;
  MoverKind Movers;
  const Instruction *RolledSum;
  CounterSums In;
  UnstoredSums Unstored;                       ///< sums that are only looked at
  DenseMap<const BasicBlock *, LoopSet> Loops; ///< by their headers
  DenseMap<const Value *, LoopSet> Moves, CertainMoves; ///< of addresses
  std::optional<LoopSet> OfStores;
  std::optional<SmallVector<std::pair<LoopSet, LoopSet>, 4>> Scattering;
  SmallVector<std::pair<const LoadInst *, const LoadInst *>, 4> OfVector;
  mutable bool IsCut = false; ///< Not all that values are computed of was seen.
};

} // namespace

Likeness Likeness::of(const Loop &Innermost) {
  Likeness Found =
      LikenessFinder(Innermost, LikenessFinder::CountersAndStarts).run();
  return Found.isLikely()
             ? Found
             : LikenessFinder(Innermost, LikenessFinder::Counters).run();
}

/// Whether \p V, an integer, becomes a floating-point number in \p L, maybe after some
/// arithmetic.
static bool becomesFloat(const Value &V, const Loop &L, unsigned MostSteps) {
  return any_of(V.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I || !L.contains(I))
      return false;
    return isa<SIToFPInst, UIToFPInst>(I) ||
           (MostSteps && isa<PHINode, BinaryOperator>(I) &&
            becomesFloat(*I, L, MostSteps - 1));
  });
}

/// Whether \p Innermost, of three loops, makes a sum of integers that becomes a
/// floating-point number behind it.
static bool makesSegment(const Loop &Innermost) {
  constexpr unsigned MostSteps = 3;
  const Loop *Segments = Innermost.getParentLoop();
  const BasicBlock *Latch = Innermost.getLoopLatch();
  if (!Segments || !Segments->getParentLoop() || !Latch)
    return false;
  return any_of(Innermost.getHeader()->phis(), [&](const PHINode &Phi) {
    const Value *Sum = Phi.getType()->isIntegerTy(32)
                           ? Phi.getIncomingValueForBlock(Latch)
                           : nullptr;
    return Sum && becomesFloat(*Sum, *Segments, MostSteps);
  });
}

PossibleProducts PossibleProducts::of(const Loop &Innermost) {
  PossibleProducts Result =
      LikenessFinder(Innermost, LikenessFinder::Anything).possibleProducts();
  Result.Segments = makesSegment(Innermost);
  return Result;
}

PossibleProducts PossibleProducts::ofRolled(const Loop &Around,
                                            const Instruction &Sum,
                                            ArrayRef<const Value *> Parts) {
  return LikenessFinder(Around, LikenessFinder::Anything, &Sum)
      .possibleProducts(Parts);
}

} // namespace tilesmith
