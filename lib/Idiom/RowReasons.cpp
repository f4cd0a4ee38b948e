//===- RowReasons.cpp - what a nest does with rows beside sums ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReasons.h"
#include "Movers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

namespace {

using Arrays = SmallPtrSet<const Value *, 4>;

/// An element that is read or written.
struct Element {
  Instruction *By;
  const SCEV *Address;
  Arrays Of;
};

/// What the two inner loops of a nest read and update.
struct RowUpdate {
  RowUpdate(const Loop &Innermost, ScalarEvolution &SE);

  /// The arrays that \p Pointer may point to; of a row that a table gives, the table.
  static Arrays arraysOf(const Value *Pointer, ScalarEvolution &SE);
  bool isUpdated(const Value *Pointer) const {
    return any_of(arraysOf(Pointer, SE),
                  [&](const Value *V) { return Updated.contains(V); });
  }
  /// Whether the loop over rows moves \p Pointer.
  bool isMovedByRows(const Value *Pointer) const {
    return isMovedBy(SE.getSCEV(const_cast<Value *>(Pointer)), *Rows);
  }
  /// Reads of arrays that are updated, at other addresses.
  SmallVector<const Element *, 4> otherReads() const;

  ScalarEvolution &SE;
  const Loop *Steps, *Rows; ///< \c Rows may be null.
  SmallVector<Element, 4> Reads, Writes;
  Arrays Updated;
};

} // namespace

Arrays RowUpdate::arraysOf(const Value *Pointer, ScalarEvolution &SE) {
  Arrays Result;
  SmallSetVector<const Value *, 4> Work;
  Work.insert(Pointer);
  for (unsigned I = 0; I < Work.size() && I < 8; ++I) {
    const Value *V = Work[I];
    auto *Base = dyn_cast<SCEVUnknown>(
        SE.getPointerBase(SE.getSCEV(const_cast<Value *>(V))));
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Base ? Base->getValue() : V, Objects);
    for (const Value *Object : Objects)
      if (auto *Load = dyn_cast<LoadInst>(Object))
        Work.insert(Load->getPointerOperand());
      else
        Result.insert(Object);
  }
  return Result;
}

RowUpdate::RowUpdate(const Loop &Innermost, ScalarEvolution &SE)
    : SE(SE), Steps(Innermost.getParentLoop()), Rows(Steps->getParentLoop()) {
  for (BasicBlock *BB : Steps->blocks())
    for (Instruction &I : *BB) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      // Pointers to rows are no elements.
      if (!Pointer || getLoadStoreType(&I)->isPointerTy())
        continue;
      Element E{&I, SE.getSCEV(Pointer), arraysOf(Pointer, SE)};
      if (isa<StoreInst>(I))
        Updated.insert_range(E.Of);
      (isa<StoreInst>(I) ? Writes : Reads).push_back(std::move(E));
    }
}

SmallVector<const Element *, 4> RowUpdate::otherReads() const {
  SmallVector<const Element *, 4> Result;
  for (const Element &Read : Reads)
    if (any_of(Read.Of, [&](const Value *V) { return Updated.contains(V); }) &&
        none_of(Writes, [&](const Element &Write) {
          return Write.Address == Read.Address;
        }))
      Result.push_back(&Read);
  return Result;
}

namespace {

/// A value in the first iteration of all loops.
struct AtStart : SCEVRewriteVisitor<AtStart> {
  using SCEVRewriteVisitor::SCEVRewriteVisitor;
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Counter) {
    return visit(Counter->getStart());
  }
};

} // namespace

/// How far the first elements that \p A and \p B come to are apart; null if that is
/// not known.
static const SCEV *startDistance(const Element &A, const Element &B,
                                 ScalarEvolution &SE) {
  AtStart First(SE);
  const SCEV *Result =
      SE.getMinusSCEV(First.visit(A.Address), First.visit(B.Address));
  return isa<SCEVCouldNotCompute>(Result) ? nullptr : Result;
}

/// Whether a loop goes backwards through \p Address, so that its start is far behind.
static bool goesBackwards(const SCEV *Address, ScalarEvolution &SE) {
  return SCEVExprContains(Address, [&](const SCEV *Part) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
    if (!Counter)
      return false;
    const SCEV *Step = Counter->getStepRecurrence(SE);
    if (auto *Product = dyn_cast<SCEVMulExpr>(Step))
      Step = Product->getOperand(0);
    return SE.isKnownNegative(Step);
  });
}

/// Whether \p A and \p B are in matrices apart, as far as that shows: a distance of
/// many rows is a product of two sizes.
static bool areApart(const Element &A, const Element &B, ScalarEvolution &SE) {
  const SCEV *Distance = startDistance(A, B, SE);
  return Distance && !goesBackwards(A.Address, SE) &&
         !goesBackwards(B.Address, SE) &&
         SCEVExprContains(Distance, [](const SCEV *Part) {
           auto *Product = dyn_cast<SCEVMulExpr>(Part);
           return Product && count_if(Product->operands(), [](const SCEV *S) {
                               return !isa<SCEVConstant>(S);
                             }) > 1;
         });
}

/// Whether \p A and \p B are in one matrix.
static bool areTogether(const Element &A, const Element &B,
                        ScalarEvolution &SE) {
  return any_of(A.Of, [&](const Value *V) { return B.Of.contains(V); }) &&
         !areApart(A, B, SE);
}

/// Whether one of \p Updates is of the matrix of \p Other, elsewhere.
static bool isOfUpdate(const Element &Other, ArrayRef<Element> Updates,
                       ScalarEvolution &SE) {
  return any_of(Updates, [&](const Element &Update) {
    return Update.Address != Other.Address && areTogether(Update, Other, SE);
  });
}

bool readsUpdated(const Loop &Innermost, ScalarEvolution &SE) {
  RowUpdate Of(Innermost, SE);
  return any_of(Of.otherReads(), [&](const Element *Read) {
    return !SE.isLoopInvariant(Read->Address, Of.Steps) &&
           isOfUpdate(*Read, Of.Writes, SE);
  });
}

bool updatesBeside(const Loop &Innermost, ScalarEvolution &SE) {
  RowUpdate Of(Innermost, SE);
  auto IsInner = [&](const Element &E) { return Innermost.contains(E.By); };
  SmallVector<Element, 4> Inner(make_filter_range(Of.Writes, IsInner));
  return any_of(Of.Writes, [&](const Element &Write) {
    return !IsInner(Write) && !SE.isLoopInvariant(Write.Address, Of.Steps) &&
           isOfUpdate(Write, Inner, SE);
  });
}

bool hasPivots(const Loop &Innermost) {
  return any_of(Innermost.getOutermostLoop()->blocks(), [](const auto *BB) {
    return any_of(*BB, [](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      return I.getOpcode() == Instruction::FDiv ||
             (Callee && Callee->getName().contains("sqrt"));
    });
  });
}

/// Whether what \p Store stores is computed from elements of arrays that are not
/// updated, and of no others.
static bool isMadeOfOthers(const StoreInst &Store, const RowUpdate &Of) {
  constexpr unsigned MaxValues = 16;
  SmallSetVector<const Instruction *, 8> Made;
  if (auto *I = dyn_cast<Instruction>(Store.getValueOperand()))
    Made.insert(I);
  bool HasLoad = false;
  for (unsigned N = 0; N < Made.size() && N < MaxValues; ++N) {
    if (auto *Load = dyn_cast<LoadInst>(Made[N])) {
      HasLoad = true;
      if (Of.isUpdated(Load->getPointerOperand()))
        return false;
      continue;
    }
    if (isa<PHINode>(Made[N]))
      return false;
    for (const Value *Op : Made[N]->operands())
      if (auto *I = dyn_cast<Instruction>(Op))
        Made.insert(I);
  }
  return HasLoad;
}

const Instruction *rowSetBefore(const Loop &Innermost, ScalarEvolution &SE) {
  RowUpdate Of(Innermost, SE);
  if (!Of.Rows)
    return nullptr;
  // A buffer that is filled again for each row is not C.
  auto IsRowOfC = [&](Value *Pointer) {
    return Of.isUpdated(Pointer) && Of.isMovedByRows(Pointer);
  };
  for (BasicBlock *BB : Of.Rows->blocks())
    for (Instruction &I : *BB) {
      auto *Copy = dyn_cast<MemCpyInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Of.Steps->contains(&I) &&
          ((Copy && IsRowOfC(Copy->getDest())) ||
           (Store && IsRowOfC(Store->getPointerOperand()) &&
            isMadeOfOthers(*Store, Of))))
        return &I;
    }
  return nullptr;
}

/// How far \p L moves \p Address in each iteration; null if it does not, or if that
/// is not known.
static const SCEV *stepIn(const SCEV *Address, const Loop &L,
                          ScalarEvolution &SE) {
  while (auto *Counter = dyn_cast<SCEVAddRecExpr>(Address)) {
    if (Counter->getLoop() == &L)
      return Counter->getStepRecurrence(SE);
    Address = Counter->getStart();
  }
  return nullptr;
}

bool isSubstitution(const Loop &Innermost, ScalarEvolution &SE) {
  RowUpdate Of(Innermost, SE);
  auto StepInside = [&](const Element &E) -> const SCEV * {
    for (const Loop *L : *Of.Steps)
      if (const SCEV *Step = stepIn(E.Address, *L, SE))
        return Step;
    return nullptr;
  };
  // Steps may begin behind the row's element, and move with it.
  auto IsOfVector = [&](const Element &E) {
    const SCEV *OfRow = stepIn(E.Address, *Of.Steps, SE),
               *Inside = StepInside(E);
    return !OfRow || !Inside || OfRow == Inside ||
           (isa<SCEVConstant>(Inside) && OfRow == SE.getNegativeSCEV(Inside));
  };
  auto IsUpdateOfVector = [&](const Element &Write) {
    return !stepIn(Write.Address, *Of.Steps, SE) != !StepInside(Write);
  };
  // Gauss and Seidel's rows go on behind the row's own element.
  auto GoesUpToRow = [&](const Element &Read) {
    return all_of(*Of.Steps, [&](const Loop *L) {
      return !L->contains(Read.By) ||
             !SE.hasLoopInvariantBackedgeTakenCount(L) ||
             !SE.isLoopInvariant(SE.getBackedgeTakenCount(L), Of.Steps);
    });
  };
  SmallPtrSet<const Loop *, 2> Loops; ///< that read the vector
  for (const Element *Read : Of.otherReads()) {
    if (SE.isLoopInvariant(Read->Address, Of.Steps))
      continue;
    // Of many right-hand sides, blocks are products of matrices.
    if (Of.Rows && isMovedBy(Read->Address, *Of.Rows))
      return false;
    for (const Loop *L : *Of.Steps)
      if (L->contains(Read->By))
        Loops.insert(L);
    auto IsSame = [&](const Element &Write) {
      return areTogether(Write, *Read, SE);
    };
    if (!IsOfVector(*Read) || !GoesUpToRow(*Read) ||
        !all_of(make_filter_range(Of.Writes, IsSame), IsUpdateOfVector))
      return false;
  }
  return Loops.size() == 1;
}

/// Whether \p Sum is of a buffer of one row: one of the two inner loops moves it, and
/// nothing else in these stores there.
static bool isOfOneRow(const Element &Sum, const Loop &Innermost,
                       const RowUpdate &Of) {
  return !isMovedBy(Sum.Address, *Of.Rows) &&
         isMovedBy(Sum.Address, *Of.Steps) !=
             isMovedBy(Sum.Address, Innermost) &&
         all_of(Of.Writes, [&](const Element &Write) {
           return Write.Address == Sum.Address ||
                  none_of(Write.Of,
                          [&](const Value *V) { return Sum.Of.contains(V); });
         });
}

/// Whether what is done with each row stores other rows than it reads: the next sums
/// may need these.
static bool changesOtherRows(const RowUpdate &Of, const Element &Sum) {
  SmallVector<Element, 8> Reads, Writes;
  auto Add = [&](Instruction &I, const Value *Pointer,
                 SmallVectorImpl<Element> &To) {
    Element E{&I, Of.SE.getSCEV(const_cast<Value *>(Pointer)),
              RowUpdate::arraysOf(Pointer, Of.SE)};
    if (none_of(E.Of, [&](const Value *V) { return Sum.Of.contains(V); }))
      To.push_back(std::move(E));
  };
  for (BasicBlock *BB : Of.Rows->blocks())
    for (Instruction &I : *BB) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Add(I, Load->getPointerOperand(), Reads);
      else if (auto *Copy = dyn_cast<MemTransferInst>(&I))
        Add(I, Copy->getSource(), Reads);
      if (Of.Steps->contains(&I))
        continue;
      if (auto *Store = dyn_cast<StoreInst>(&I))
        Add(I, Store->getPointerOperand(), Writes);
      else if (auto *Set = dyn_cast<MemIntrinsic>(&I))
        Add(I, Set->getDest(), Writes);
    }
  return any_of(Writes, [&](const Element &Write) {
    return any_of(Reads, [&](const Element &Read) {
      const SCEV *Distance = startDistance(Write, Read, Of.SE);
      return any_of(Write.Of,
                    [&](const Value *V) { return Read.Of.contains(V); }) &&
             (stepIn(Write.Address, *Of.Rows, Of.SE) !=
                  stepIn(Read.Address, *Of.Rows, Of.SE) ||
              !Distance || !Distance->isZero());
    });
  });
}

const Instruction *sumInRowBuffer(const Loop &Innermost, ScalarEvolution &SE) {
  RowUpdate Of(Innermost, SE);
  if (!Of.Rows)
    return nullptr;
  for (const Element &Sum : Of.Writes) {
    if (!isOfOneRow(Sum, Innermost, Of) || changesOtherRows(Of, Sum))
      continue;
    auto Touches = [&](const Value *Pointer) {
      return any_of(RowUpdate::arraysOf(Pointer, SE),
                    [&](const Value *V) { return Sum.Of.contains(V); });
    };
    // A sum that goes on is loaded, and so set in front.
    bool IsRead = false, IsSet = none_of(Of.Reads, [&](const Element &Read) {
                           return Read.Address == Sum.Address;
                         });
    for (BasicBlock *BB : Of.Rows->blocks())
      for (Instruction &I : *BB) {
        if (Of.Steps->contains(&I))
          continue;
        if (auto *Load = dyn_cast<LoadInst>(&I))
          IsRead |= Touches(Load->getPointerOperand());
        else if (auto *Store = dyn_cast<StoreInst>(&I))
          IsSet |= Touches(Store->getPointerOperand());
        else if (auto *Set = dyn_cast<MemIntrinsic>(&I)) {
          IsSet |= Touches(Set->getDest());
          auto *Copy = dyn_cast<MemTransferInst>(&I);
          IsRead |= Copy && Touches(Copy->getSource());
        }
      }
    if (IsRead && IsSet)
      return Sum.By;
  }
  return nullptr;
}

/// Where \p L updates elements, or the loop around it stores what \p L has summed.
static SmallVector<std::pair<const SCEV *, StoreInst *>, 2>
sumsStored(const Loop &L, ScalarEvolution &SE) {
  SmallVector<std::pair<const SCEV *, StoreInst *>, 2> Result;
  for (BasicBlock *BB : L.getParentLoop()->blocks())
    for (Instruction &I : *BB) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store)
        continue;
      const Value *Stored = Store->getValueOperand();
      if (auto *Phi = dyn_cast<PHINode>(Stored); Phi && !L.contains(Phi))
        for (const Value *Source : Phi->incoming_values())
          if (auto *Sum = dyn_cast<Instruction>(Source); Sum && L.contains(Sum))
            Stored = Sum;
      auto *Sum = dyn_cast<Instruction>(Stored);
      if (Sum && L.contains(Sum))
        Result.push_back({SE.getSCEV(Store->getPointerOperand()), Store});
    }
  return Result;
}

const Instruction *updateInOtherNest(const Loop &Innermost,
                                     ScalarEvolution &SE) {
  const Loop &Steps = *Innermost.getParentLoop();
  const Loop *Rows = Steps.getParentLoop();
  if (!Rows)
    return nullptr;
  auto UpdatesOf = [&](const Loop &L) {
    SmallVector<Element, 2> Result;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : *BB)
        if (auto *Store = dyn_cast<StoreInst>(&I))
          Result.push_back({&I, SE.getSCEV(Store->getPointerOperand()), {}});
    return Result;
  };
  // Of the sides of a branch, only one runs.
  SmallPtrSet<BasicBlock *, 4> Next = {Rows->getHeader()};
  auto AreInTurn = [&](const Loop &First, const Loop &Second) {
    return isPotentiallyReachable(First.getHeader(), Second.getHeader(), &Next);
  };
  auto Own = UpdatesOf(Steps);
  for (const Loop *Other : *Rows)
    if (Other != &Steps && !Other->isInnermost() &&
        (AreInTurn(*Other, Steps) || AreInTurn(Steps, *Other)))
      for (const Element &Update : UpdatesOf(*Other))
        for (const Element &OwnUpdate : Own) {
          const SCEV *Distance = startDistance(Update, OwnUpdate, SE);
          if (Distance && Distance->isZero())
            return OwnUpdate.By;
        }
  return nullptr;
}

const Instruction *sumOfOtherLoop(const Loop &Innermost, ScalarEvolution &SE) {
  auto Own = sumsStored(Innermost, SE);
  for (const Loop *Other : *Innermost.getParentLoop())
    if (Other != &Innermost && Other->isInnermost())
      for (auto [Address, Store] : sumsStored(*Other, SE))
        for (auto [OwnAddress, OwnStore] : Own)
          if (Address == OwnAddress && SE.isLoopInvariant(Address, &Innermost))
            return OwnStore;
  return nullptr;
}

const Instruction *readOfRowBefore(const Loop &Innermost, ScalarEvolution &SE) {
  RowUpdate Of(Innermost, SE);
  auto IsOfRowBefore = [&](const Element *Read) {
    return any_of(Of.Writes, [&](const Element &Write) {
      for (const Loop *L = Of.Rows; L; L = L->getParentLoop()) {
        const SCEV *Step = stepIn(Write.Address, *L, SE);
        if (Step && Step == stepIn(Read->Address, *L, SE) &&
            startDistance(Write, *Read, SE) == Step)
          return true;
      }
      return false;
    });
  };
  // Otherwise, the matrix itself is what is updated.
  auto Reads = Of.otherReads();
  return !Reads.empty() && all_of(Reads, IsOfRowBefore) ? Reads.front()->By
                                                        : nullptr;
}

} // namespace tilesmith
