//===- SparseReasons.cpp - elements that arrays tell the places of --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseReasons.h"
#include "Movers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// An element that is read or written, and what its place is made of.
struct PlacedElement {
  const Instruction *By;
  const SCEV *Address;
  SmallSetVector<const LoadInst *, 2> Numbers; ///< that are loaded
};

/// The elements that a nest comes to.
class SparseFinder {
public:
  SparseFinder(const Loop &Innermost, ScalarEvolution &SE)
      : Innermost(Innermost), Root(*Innermost.getOutermostLoop()), SE(SE) {
    SmallPtrSet<const Instruction *, 4> Numbers;
    for (const BasicBlock *BB : Root.blocks())
      for (const Instruction &I : *BB)
        if (const Value *Pointer = getLoadStorePointerOperand(&I)) {
          Elements.push_back({&I, SE.getSCEV(const_cast<Value *>(Pointer)),
                              numbersIn(Pointer)});
          Numbers.insert_range(Elements.back().Numbers);
        }
    erase_if(Elements,
             [&](const PlacedElement &E) { return Numbers.contains(E.By); });
  }

  const Instruction *find() const {
    if (const Instruction *Found = elementOfRow())
      return Found;
    for (const PlacedElement &E : Elements)
      if (hasNumberOfElement(E) ||
          (hasTwoLoops() && (isOfPair(E) || isOfDiagonal(E))))
        return E.By;
    return nullptr;
  }

private:
  static constexpr unsigned MaxValues = 16;

  bool hasTwoLoops() const { return Innermost.getParentLoop() == &Root; }

  /// The integers that the nest loads and that \p V is made of; not those in the
  /// iteration before, but if \p AlsoBefore.
  SmallSetVector<const LoadInst *, 2> numbersIn(const Value *V,
                                                bool AlsoBefore = false) const {
    SmallSetVector<const LoadInst *, 2> Result;
    SmallSetVector<const Value *, 8> Made;
    Made.insert(V);
    for (unsigned N = 0; N < Made.size() && N < MaxValues; ++N) {
      auto *I = dyn_cast<Instruction>(Made[N]);
      if (!I || !Root.contains(I))
        continue;
      auto *Load = dyn_cast<LoadInst>(I);
      if (Load && Load->getType()->isIntegerTy())
        Result.insert(Load);
      if (isa<CastInst, BinaryOperator, GetElementPtrInst>(I) ||
          (AlsoBefore && isa<PHINode, SelectInst>(I)))
        Made.insert_range(I->operands());
    }
    return Result;
  }

  /// Whether \p L runs as often as an element says.
  bool hasLoadedBound(const Loop &L) const {
    const BasicBlock *Latch = L.getLoopLatch();
    auto *Branch =
        Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    auto *Compare = Branch && Branch->isConditional()
                        ? dyn_cast<ICmpInst>(Branch->getCondition())
                        : nullptr;
    return Compare && any_of(Compare->operands(), [&](const Value *Op) {
             return !numbersIn(Op, /*AlsoBefore=*/true).empty();
           });
  }

  /// An element of a row, or of a diagonal, whose ends are elements, too.
  const Instruction *elementOfRow() const {
    for (const Loop *Row = &Innermost; Row->getParentLoop();
         Row = Row->getParentLoop()) {
      if (!hasLoadedBound(*Row))
        continue;
      for (const BasicBlock *BB : Row->blocks())
        for (const Instruction &I : *BB) {
          auto *Load = dyn_cast<LoadInst>(&I);
          if (Load &&
              any_of(numbersIn(Load->getPointerOperand()), [&](auto *Of) {
                return hasTwoLoops() || Row->contains(Of);
              }))
            return Load;
        }
    }
    return nullptr;
  }

  SmallPtrSet<const Loop *, 4> moversOfNumber(const LoadInst &Number) const {
    return moversOf(
        SE.getSCEV(const_cast<Value *>(Number.getPointerOperand())));
  }

  /// ELL: the number, and another element that is read, are of the same row and step.
  bool hasNumberOfElement(const PlacedElement &E) const {
    return any_of(E.Numbers, [&](const LoadInst *Number) {
      auto Movers = moversOfNumber(*Number);
      return Movers.size() > 1 &&
             any_of(Elements, [&](const PlacedElement &Value) {
               return isa<LoadInst>(Value.By) && Value.Numbers.empty() &&
                      moversOf(Value.Address) == Movers;
             });
    });
  }

  /// COO: the loop around moves both a number of what is stored and another one of
  /// what is read.
  bool isOfPair(const PlacedElement &Read) const {
    auto IsOfPlace = [&](const LoadInst *Number) {
      auto Movers = moversOfNumber(*Number);
      return Movers.size() == 1 && Movers.contains(&Root);
    };
    return isa<LoadInst>(Read.By) && any_of(Read.Numbers, IsOfPlace) &&
           any_of(Elements, [&](const PlacedElement &Write) {
             return isa<StoreInst>(Write.By) &&
                    any_of(Write.Numbers, [&](const LoadInst *Number) {
                      return IsOfPlace(Number) &&
                             !Read.Numbers.contains(Number);
                    });
           });
  }

  /// One loop moves the number, the other one adds to it; both move an element
  /// without such a number.
  bool isOfDiagonal(const PlacedElement &Read) const {
    auto IsMovedByBoth = [&](const SCEV *Address) {
      return isMovedBy(Address, Innermost) && isMovedBy(Address, Root);
    };
    return isa<LoadInst>(Read.By) &&
           any_of(Read.Numbers,
                  [&](const LoadInst *Number) {
                    auto Movers = moversOfNumber(*Number);
                    auto OfPlace = moversOf(Read.Address);
                    return Movers.size() == 1 && !OfPlace.empty() &&
                           !OfPlace.contains(*Movers.begin());
                  }) &&
           any_of(Elements, [&](const PlacedElement &Other) {
             return isa<LoadInst>(Other.By) && Other.Numbers.empty() &&
                    IsMovedByBoth(Other.Address);
           });
  }

  const Loop &Innermost, &Root;
  ScalarEvolution &SE;
  SmallVector<PlacedElement, 8> Elements;
};

} // namespace

const Instruction *elementOfSparse(const Loop &Innermost, ScalarEvolution &SE) {
  return SparseFinder(Innermost, SE).find();
}

} // namespace tilesmith
