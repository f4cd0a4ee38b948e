//===- Forwarding.cpp - pieces of values that were joined -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one group computes is joined to a wide value, and cut again by the next
// one, maybe differently. LLVM finds its way back through a few joints only,
// and takes what is left apart element by element. So each lane of a piece is
// traced through shuffles and insertions to the narrow value that it comes
// from.
//
//===----------------------------------------------------------------------===//

#include "Forwarding.h"
#include "TileGroup.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tilesmith {
namespace {

/// An element of a vector, a scalar if Index is -1, or poison if V is null.
struct Lane {
  Value *V;
  int Index;
};

/// Goes back through what joins values narrower than \p Wide elements, up to
/// the first that is.
Lane trace(Lane From, unsigned Wide) {
  while (From.V && getNumElements(From.V) >= Wide) {
    if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(From.V)) {
      int Index = Shuffle->getMaskValue(From.Index);
      int Size = getNumElements(Shuffle->getOperand(0));
      if (Index == PoisonMaskElem)
        return {nullptr, 0};
      From = {Shuffle->getOperand(Index >= Size), Index % Size};
    } else if (auto *Insert = dyn_cast<InsertElementInst>(From.V)) {
      auto *At = dyn_cast<ConstantInt>(Insert->getOperand(2));
      if (!At)
        break;
      From = At->getZExtValue() == uint64_t(From.Index)
                 ? Lane{Insert->getOperand(1), -1}
                 : Lane{Insert->getOperand(0), From.Index};
    } else {
      break;
    }
  }
  return From.V && isa<PoisonValue>(From.V) ? Lane{nullptr, 0} : From;
}

/// A value of the lanes \p Lanes, or null if one of them comes from a value of
/// \p Wide elements or more.
Value *gather(IRBuilderBase &B, ArrayRef<Lane> Lanes, Type *Ty, unsigned Wide) {
  unsigned Size = Lanes.size();
  // The mask that moves the lanes of each vector to their places.
  MapVector<Value *, SmallVector<int, 16>> Masks;
  for (auto [I, L] : enumerate(Lanes)) {
    if (!L.V || L.Index < 0)
      continue;
    if (getNumElements(L.V) >= Wide)
      return nullptr;
    Masks.try_emplace(L.V, Size, PoisonMaskElem).first->second[I] = L.Index;
  }
  Value *Result = PoisonValue::get(Ty);
  SmallVector<int, 16> Blend(Size, PoisonMaskElem);
  bool IsFirst = true;
  for (auto &[V, Mask] : Masks) {
    bool IsWhole =
        getNumElements(V) == Size && all_of(enumerate(Mask), [](auto M) {
          return M.value() == PoisonMaskElem || M.value() == int(M.index());
        });
    Value *Moved = IsWhole ? V : B.CreateShuffleVector(V, Mask);
    for (unsigned I = 0; I != Size; ++I)
      if (Mask[I] != PoisonMaskElem)
        Blend[I] = IsFirst ? I : Size + I;
    Result = IsFirst ? Moved : B.CreateShuffleVector(Result, Moved, Blend);
    IsFirst = false;
    for (unsigned I = 0; I != Size; ++I)
      if (Blend[I] != PoisonMaskElem)
        Blend[I] = I;
  }
  for (auto [I, L] : enumerate(Lanes))
    if (L.V && L.Index < 0)
      Result = B.CreateInsertElement(Result, L.V, I);
  return Result;
}

/// What stands for \p I, if it cuts a piece from a joined value.
Value *forwarded(Instruction &I) {
  unsigned Wide = I.getNumOperands() ? getNumElements(I.getOperand(0)) : 0;
  IRBuilder<> B(&I);
  if (auto *Extract = dyn_cast<ExtractElementInst>(&I)) {
    auto *At = dyn_cast<ConstantInt>(Extract->getIndexOperand());
    if (!At || At->uge(Wide))
      return nullptr;
    Lane From = trace({I.getOperand(0), int(At->getZExtValue())}, Wide);
    if (!From.V || getNumElements(From.V) >= Wide)
      return nullptr;
    return From.Index < 0 ? From.V : B.CreateExtractElement(From.V, From.Index);
  }
  auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I);
  if (!Shuffle || getNumElements(&I) >= Wide)
    return nullptr;
  SmallVector<Lane, 16> Lanes;
  for (int Index : Shuffle->getShuffleMask())
    Lanes.push_back(Index == PoisonMaskElem
                        ? Lane{nullptr, 0}
                        : trace({Shuffle->getOperand(Index >= int(Wide)),
                                 Index % int(Wide)},
                                Wide));
  return gather(B, Lanes, I.getType(), Wide);
}

} // namespace

void forwardPieces(Function &F) {
  SmallVector<WeakTrackingVH> Dead;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (Value *V = forwarded(I)) {
      if (auto *New = dyn_cast<Instruction>(V); New && !New->hasName())
        New->takeName(&I);
      I.replaceAllUsesWith(V);
      Dead.push_back(&I);
    }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
}

} // namespace tilesmith
