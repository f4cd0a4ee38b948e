//===- Rest.cpp - what a nest does besides its product --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i {                                    product for all i
//     for j { for k c[i][j] += ... }      =>   for i
//     for j d[i][j] = f(c[i][j]);                for j d[i][j] = f(c[i][j]);
//   }
//
// The nest is distributed: the product runs as a whole, and a copy of the nest
// without it runs all other statements, before or after. That is right if no
// two accesses to the same memory, one of them a write, change their order.
// For each access of the rest, and each operand of the product it might meet,
// one of these has to hold:
//
//   apart     they do not overlap; the guard tests it
//   a member  they lie beside each other in structures of the same size
//   the same  it is the very element of C, in the same iteration
//   by rows   both stay within a row of their own in each iteration of the
//             loops around both
//   a row     it goes through the same elements of C, in the same iteration of
//             the loops around both
//   mirrored  it is the element of C across the diagonal that bounds C
//   off       it lies on a diagonal of C beyond the one that bounds C
//   beside    both are in the same rows, in columns of their own
//   ahead     it is in the row of C that the iteration over k has come to, and
//             the product in the rows before (SYMM): the rest always comes
//             first
//   read      it is in rows of a factor that the product has read before it
//             comes to them (TRMM in place)
//
// Where it is the same, by rows, or mirrored, they meet within one iteration
// only, and their order there tells where the rest has to run.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "Initialisation.h"
#include "Update.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Support/Motion.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p Write fills a buffer that the product reads.
static bool fillsBuffer(const Instruction &Write, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  auto BaseOf = [&](const Value *Pointer) {
    return SE.getPointerBase(SE.getSCEV(const_cast<Value *>(Pointer)));
  };
  if (isa<MemIntrinsic>(Write))
    return any_of(In.Sources, [&](const auto &Entry) {
      return Entry.second.Inst == &Write;
    });
  const SCEV *Base = BaseOf(getLoadStorePointerOperand(&Write));
  return any_of(In.Forwards, [&](const auto &Entry) {
    return BaseOf(Entry.first->getPointerOperand()) == Base;
  });
}

/// Leaves what fills buffers out of \p Writes, which come before the product: where
/// the kernel makes nothing, the product's own loops fill them again for each row, the
/// rest having left the last row there. False if nothing else would be left.
static bool leaveBuffers(const LoopNest &In,
                         SmallVectorImpl<Instruction *> &Writes) {
  if (In.Forwards.empty() && In.Sources.empty())
    return true;
  erase_if(Writes, [&](Instruction *Write) { return fillsBuffer(*Write, In); });
  return !Writes.empty();
}

/// Collects the loads that \p V is computed from. The value stored to C is
/// loaded from there; nothing else of the product may be used.
bool Distribution::collect(Value *V, const Instruction &User) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !In.root().contains(I))
    return true;
  // What is stored to C will be loaded from there, once it is complete.
  bool IsStored = isStored(I);
  if (IsStored && (isInSum(User) || !mayLoadStored(*I, User)))
    return false;
  if (!Seen.insert(I).second)
    return true;
  if (IsStored) {
    Possible.Before = false;
    if (Source.ToScratch)
      return true;
    Source.StoredValues.push_back(I);
    return true;
  }
  if (isMadeOnce(*I))
    return false;
  auto Leaf = Of.Update.Leaves.find(I);
  if (I == Of.Update.Root ||
      (Leaf != Of.Update.Leaves.end() && Leaf->second != Leaf::Invariant))
    return false;
  bool IsTouch = Source.ToScratch || In.Live.contains(I->getParent());
  if (isa<LoadInst>(I) && !(IsTouch ? addAccess(*I) : placeOtherSide()))
    return false;
  // How often a loop beside the chain runs decides what comes out of it.
  for (Loop *L = In.Analyses->LI.getLoopFor(I->getParent());
       !is_contained(In.Chain, L); L = L->getParentLoop())
    if (!collect(L->getLoopLatch()->getTerminator(), *I))
      return false;
  // Nothing comes from where the assumptions do not lead.
  auto *Phi = dyn_cast<PHINode>(I);
  bool IsLive = !Source.ToScratch && In.Live.contains(I->getParent());
  return all_of(I->operands(), [&](const Use &Op) {
    bool Never = Phi && IsLive &&
                 In.root().contains(Phi->getIncomingBlock(Op)) &&
                 !In.mayRun(Phi->getIncomingBlock(Op), Phi->getParent());
    return Never || collect(Op, *I);
  });
}

/// Whether \p I needs the passes of a loop over k of which the copy makes only one,
/// to store a row of sums.
bool Distribution::isMadeOnce(const Instruction &I) const {
  const Loop *Once = Source.ToScratch ? Source.ToScratch->Once : nullptr;
  if (!Once || !Once->contains(&I))
    return false;
  return (isa<PHINode>(I) && I.getParent() == Once->getHeader()) ||
         (I.mayWriteToMemory() && &I != Source.UpdateStore);
}

/// Whether \p Stored can be loaded from C for \p User: its address is known once
/// the value is, or the store comes first.
bool Distribution::mayLoadStored(const Instruction &Stored,
                                 const Instruction &User) const {
  if (Source.ToScratch)
    return true;
  const StoreInst *Store = Source.UpdateStore;
  const DominatorTree &DT = In.Analyses->DT;
  const BasicBlock *Exit = In.innermost().getUniqueLatchExitBlock();
  const Instruction *First = &Stored;
  if (In.innermost().contains(&Stored))
    First = Exit ? &*Exit->getFirstInsertionPt() : nullptr;
  if (First && canComputeBefore(*Store->getPointerOperand(), *First, DT))
    return true;
  return !In.innermost().contains(Store) && !isa<PHINode>(User) &&
         DT.dominates(Store, &User);
}

/// Whether \p V is the sum; or C's element, if a varying guard leads from its
/// load past the loops.
bool Distribution::isStored(Value *V) const {
  Value *Stored = Source.ToScratch ? Source.ToScratch->Sum
                                   : Source.UpdateStore->getValueOperand();
  Stored = In.resolve(Stored);
  if (Source.ToScratch && Source.ToScratch->Second &&
      In.resolve(V) == In.resolve(Source.ToScratch->Second))
    return true;
  auto *Phi = dyn_cast<PHINode>(In.resolve(V));
  if (!Phi || Source.ToScratch || Phi == Stored ||
      In.Analyses->LI.isLoopHeader(Phi->getParent()))
    return In.resolve(V) == Stored;
  const SCEV *Element = In.addressOf(*Source.UpdateStore);
  return all_of(Phi->blocks(), [&](BasicBlock *Pred) {
    Value *Incoming = In.resolve(Phi->getIncomingValueForBlock(Pred));
    if (Incoming == Stored || !In.mayRun(Pred, Phi->getParent()))
      return true;
    auto *Load = dyn_cast<LoadInst>(Incoming);
    return Load && Load->getParent() == Pred && Element &&
           In.addressOf(*Load) == Element &&
           none_of(make_range(Load->getIterator(), Pred->end()),
                   [](const Instruction &I) { return I.mayWriteToMemory(); });
  });
}

/// Whether \p I stands between partial sums: in the innermost loop, or inside a
/// loop over k.
bool Distribution::isInSum(const Instruction &I) const {
  return In.innermost().contains(&I) ||
         any_of(By.Loops[K], [&](unsigned Position) {
           return In.Chain[Position]->contains(&I);
         });
}

/// They meet within one iteration only: the rest goes to the side of the
/// product on which it stands there.
Places Distribution::byOrder(const Instruction &I,
                             const Instruction &Other) const {
  // What varies with a loop inside which both stand is in order as well.
  return In.precedes(I, Other) ? Places{true, false} : Places{false, true};
}

bool Distribution::placeBeside(const Touch &T, unsigned Operand) {
  // What C itself permits, its copy does; what a factor is made of is apart.
  if (Of.accesses()[Operand]->Saved || Of.accesses()[Operand]->IsMade)
    return true;
  if (Of.isSaved() && Operand == 0) {
    std::optional<Places> Side = placeInRows(T);
    Possible.restrictTo(Side.value_or(Places()));
    // Nothing but C is put back if there is no memory.
    if (Side || T.Writes)
      return Side.has_value();
  }
  if (isApart(T, Operand) || isOtherMember(T, Operand))
    return true;
  bool IsC = Operand == 0;
  if (IsC && isOffDiagonal(T))
    return true;
  auto RestrictToAbsorbed = [&] {
    for (const Instruction *Write : Source.Absorbed)
      Possible.restrictTo(byOrder(*T.I, *Write));
  };
  if (std::optional<Places> Side = IsC ? byDiagonal(T) : std::nullopt) {
    Possible.restrictTo(*Side);
    // The other part of a number is stored where its first one is.
    for (const Instruction *Write : Source.Absorbed)
      if (!Of.isComplex() ||
          Write->getParent() != Source.UpdateStore->getParent())
        Possible.restrictTo(byOrder(*T.I, *Write));
    return true;
  }
  unsigned Required = Tests.MustHold.size();
  if (!IsC && isReadBefore(T, Operand)) {
    Possible.Before = false;
    return true;
  }
  if (isInSum(*T.I) ||
      (!(IsC && !isa<MemSetInst>(T.I) &&
         (isSameElement(T) || isMirrored(T) || isOnDiagonalOfRow(T) ||
          hasSameElements(In, *T.I, By, Result))) &&
       !staysInRow(T, Operand))) {
    Tests.MustHold.truncate(Required);
    return isBeside(T, Operand);
  }
  Possible.restrictTo(byOrder(*T.I, *Of.accesses()[Operand]->Inst));
  if (!IsC)
    return true;
  RestrictToAbsorbed();
  // C is also read.
  if (T.Writes) {
    SmallVector<const Expression *, 4> ReadC{&Of.Start, &Of.Finish};
    if (Of.After)
      append_range(ReadC, Of.After->expressions());
    for (const Expression *E : ReadC)
      for (const auto &[V, Kind] : E->Leaves)
        if (Kind == Leaf::C)
          Possible.restrictTo(byOrder(*T.I, *cast<Instruction>(V)));
  }
  return true;
}

bool Distribution::place(const Touch &T) {
  if (T.Writes)
    Tests.RestWritten.push_back(T.Region);
  unsigned Operands = T.Writes ? Of.accesses().size() : 1;
  for (unsigned Operand = Source.ToScratch ? 1 : 0; Operand < Operands;
       ++Operand)
    if (!placeBeside(T, Operand))
      return false;
  // Kernels read further operands at other times than the nest does.
  unsigned All = T.Writes ? Of.allAccesses().size() : Operands;
  for (unsigned Operand = Operands; Operand < All; ++Operand)
    if (!isApart(T, Operand))
      return false;
  return true;
}

/// A diagonal on the root parts the iterations into those that enter the loops
/// inside and those that do not. One kind comes first: what is done in the
/// others goes to its side of the product.
bool Distribution::placeOtherSide() {
  const auto &Domain = By.Space.Domain;
  if (!Domain || Domain->X != 0 || In.Guards.size() != 1)
    return false;
  Possible.restrictTo(By.Space.EmptyFirst ? Places{true, false}
                                          : Places{false, true});
  return true;
}

/// A copy of the innermost loop for something else would cost as much as the
/// product, unless that is another product. Alone in its loop, it may become
/// one of vectors, which must be fused as scalars are.
Refused Distribution::checkOtherUpdate(StoreInst &Store) const {
  auto Found = findUpdate(In, Store, /*Apart=*/false);
  if (std::holds_alternative<Refusal>(Found))
    return Refusal{Reason::OtherStore, &Store};
  for (const Product &P : std::get<Update>(Found).Products)
    if (isContractable(*P.Multiply) &&
        isReversedAlone(In, Store, {P.LoadOfA, P.LoadOfB}))
      return Refusal{Reason::MixedFusion, &Store};
  return std::nullopt;
}

/// Whether the values that the nest stores to C first can be made again behind the
/// product.
bool Distribution::addInitials() {
  if (Source.Initials.empty())
    return true;
  Possible.After = false;
  // If the kernel fails, the nest itself still finds these values.
  return all_of(Source.Initials,
                [&](const InitialValue &Initial) {
                  return collect(Initial.Value, *Initial.Store);
                }) &&
         (Of.isSaved() || none_of(Touches, [&](const Touch &T) {
            return SE.getPointerBase(T.Form->Base) ==
                   SE.getPointerBase(Of.C.Base);
          }));
}

Refused Distribution::addWrite(Instruction &Write, const Refusal &Why) {
  if (isMadeOnce(Write))
    return Why;
  if (auto *MemSet = dyn_cast<MemSetInst>(&Write))
    return addMemSet(*MemSet) ? Refused() : Why;
  auto *Store = dyn_cast<StoreInst>(&Write);
  if (!Store)
    return Why;
  // Partial sums: only the last one will be stored, after the loop. A row of sums
  // will hold the last values.
  bool IsOfSums = is_contained(Source.Absorbed, Store) ||
                  (Source.ToScratch && Source.ToScratch->Once &&
                   Store == Source.UpdateStore);
  if (!IsOfSums && In.innermost().contains(Store) &&
      Store != Source.UpdateStore)
    if (Refused No = checkOtherUpdate(*Store))
      return No;
  bool IsAdded = addAccess(*Store) &&
                 (IsOfSums || collect(Store->getValueOperand(), *Store));
  return IsAdded ? Refused() : Why;
}

/// Whether what a copy needs besides is there: which loops beside the chain it enters
/// is decided anew; results are there once the copy is left.
bool Distribution::addOthers(const RestOfNest &Rest) {
  if (!Rest.Results.empty())
    Possible.Before = false;
  return all_of(In.Entries,
                [&](const LoopNest::EntryCondition &Entry) {
                  return collect(Entry.Branch->getCondition(), *Entry.Branch);
                }) &&
         all_of(In.Choices,
                [&](const LoopNest::Choice &Chosen) {
                  return collect(Chosen.Branch->getCondition(), *Chosen.Branch);
                }) &&
         all_of(
             Rest.Results,
             [&](Instruction *Result) { return collect(Result, *Result); }) &&
         all_of(Rest.OtherSide, [&](Instruction *Write) {
           return placeOtherSide() && all_of(Write->operands(), [&](Value *Op) {
                    return collect(Op, *Write);
                  });
         });
}

Refused Distribution::run(const RestOfNest &Rest, const Refusal &Why) {
  if (!addInitials())
    return Why;
  for (Instruction *Write : Rest.Writes)
    if (Refused No = addWrite(*Write, Why))
      return No;
  if (!addOthers(Rest) ||
      !all_of(Touches, [&](const Touch &T) { return place(T); }))
    return Why;
  if (Source.ToScratch)
    Possible.Before = false;
  if (Of.isSaved())
    Possible.After = false;
  if (!Possible.After && !Possible.Before)
    return Why;
  Source.Rest = Possible.After ? Surroundings::RestRuns::After
                               : Surroundings::RestRuns::Before;
  if (!Of.Transposed)
    findUseOfSums();
  if (Of.Transposed && !separateTransposed())
    Of.Transposed.reset();
  append_range(Source.RestWrites, Rest.Writes);
  append_range(Source.RestWrites, Rest.OtherSide);
  if (Source.Rest == Surroundings::RestRuns::Before &&
      !leaveBuffers(In, Source.RestWrites))
    return Why;
  append_range(Source.RestResults, Rest.Results);
  return std::nullopt;
}

Refused placeRest(const LoopNest &In, const RestOfNest &Rest, const Roles &By,
                  const Refusal &Why, Nest &Of) {
  if (Rest.empty() && Of.Source.Initials.empty())
    return std::nullopt;
  return Distribution(In, By, Of).run(Rest, Why);
}

} // namespace tilesmith
