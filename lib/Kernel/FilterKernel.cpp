//===- FilterKernel.cpp - windows that go over an image -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilterKernel.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

//===-- Indices -----------------------------------------------------------===//

KernelBuilder::FilterKernel::Way
KernelBuilder::FilterKernel::alongM(const Macro &X) {
  return {X.M, X.StrideCm, X.Terms.front().StrideAm, K.i64(0)};
}

KernelBuilder::FilterKernel::Way
KernelBuilder::FilterKernel::alongK(const Macro &X) {
  const Macro::Factors &T = X.Terms.front();
  std::optional<uint64_t> Known = Op.constantExtent(tilesmith::K);
  return {Known ? K.i64(*Known) : X.K, K.i64(0), T.StrideAk, T.StrideBk};
}

KernelBuilder::FilterKernel::Way
KernelBuilder::FilterKernel::alongOuter(const Macro &X, unsigned Outer) {
  const KernelArguments::OuterArguments &Of = X.Arguments->Outer[Outer];
  std::optional<uint64_t> Known = Op.Outer[Outer].constantExtent();
  return {Known ? K.i64(*Known) : Of.Extent, Of.Strides[0], Of.Strides[1],
          Of.Strides[2]};
}

KernelBuilder::FilterKernel::Place
KernelBuilder::FilterKernel::moved(const Place &From, Value *Index,
                                   const Way &By) {
  Value *C = K.offset(From.C, Index, By.OfC);
  Value *A = K.offset(From.A, Index, By.OfA);
  return {C, A, K.offset(From.B, Index, By.OfB)};
}

std::optional<uint64_t>
KernelBuilder::FilterKernel::elementsApart(const Access &X) const {
  const SCEV *Stride = ThePlan.LaneIndex ? X.OuterStride[*ThePlan.LaneIndex]
                                         : X.Stride[tilesmith::M];
  auto *Bytes = dyn_cast<SCEVConstant>(Stride);
  uint64_t Size = K.DL.getTypeStoreSize(X.ElemTy);
  if (!Bytes && &X == &TheTerm.A)
    return ApartInA;
  if (!Bytes || !Bytes->getAPInt().isStrictlyPositive() ||
      Bytes->getAPInt().urem(Size))
    return std::nullopt;
  return Bytes->getAPInt().getZExtValue() / Size;
}

//===-- Loads and stores --------------------------------------------------===//

/// Whether vectors can be loaded and stored under masks: elements of all
/// operands.
bool KernelBuilder::FilterKernel::hasMasks() const {
  auto Suits = [&](const Access &X, uint64_t MostApart) {
    return ThePlan.MaskedBits &&
           ThePlan.MaskedBits <= 8 * K.DL.getTypeStoreSize(X.ElemTy) &&
           elementsApart(X).value_or(UINT64_MAX) <= MostApart;
  };
  return Suits(Op.C, 1) && Suits(TheTerm.A, 2) &&
         (!ThePlan.LaneIndex || Suits(TheTerm.B, 1));
}

/// The first \p Lanes of a vector.
Value *KernelBuilder::FilterKernel::mask(const Tile &Of, Value *Lanes) {
  SmallVector<Constant *, 64> Numbers;
  for (unsigned I = 0; I < Of.Width; ++I)
    Numbers.push_back(K.i64(I));
  return B.CreateICmpULT(ConstantVector::get(Numbers),
                         B.CreateVectorSplat(Of.Width, Lanes));
}

/// Every second element, from two loads, of which the second one ends with the
/// last element.
Value *KernelBuilder::FilterKernel::loadSecond(Value *From, const Access &X,
                                               const Tile &Of) {
  auto *Ty = FixedVectorType::get(X.ElemTy, Of.Width);
  uint64_t Size = K.DL.getTypeStoreSize(X.ElemTy);
  auto Load = [&](unsigned Begin) -> Value * {
    Value *At = B.CreatePtrAdd(From, K.i64(Begin * Size));
    if (!Of.Left)
      return B.CreateAlignedLoad(Ty, At, X.Alignment, "a");
    // Lanes less one, twice, and the last one.
    Value *Elements = B.CreateSub(B.CreateShl(Of.Left, 1), K.i64(1));
    Value *Behind =
        B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Elements, K.i64(Begin));
    return loadMasked(B, Ty, At, X.Alignment, mask(Of, Behind));
  };
  SmallVector<int, 64> Every;
  for (unsigned I = 0; I < Of.Width; ++I)
    Every.push_back(2 * I < Of.Width ? 2 * I : 2 * I + 1);
  Value *First = Load(0), *Second = Load(Of.Width - 1);
  return B.CreateShuffleVector(First, Second, Every);
}

/// The lanes of a vector from \p From on, \p Stride apart.
Value *KernelBuilder::FilterKernel::loadVector(Value *From, const Access &X,
                                               const Tile &Of, Value *Stride) {
  auto *Ty = FixedVectorType::get(X.ElemTy, Of.Width);
  uint64_t Apart = elementsApart(X).value_or(0);
  if (Of.Width == 1 || (Apart == 1 && !Of.Left))
    return B.CreateAlignedLoad(Ty, From, X.Alignment, "a");
  if (Apart == 1)
    return loadMasked(B, Ty, From, X.Alignment, mask(Of, Of.Left));
  if (Apart == 2)
    return loadSecond(From, X, Of);
  Value *Elements = PoisonValue::get(Ty);
  for (unsigned I = 0; I < Of.Width; ++I) {
    Value *Element = B.CreateAlignedLoad(
        X.ElemTy, K.offset(From, K.i64(I), Stride), X.Alignment, "a");
    Elements = B.CreateInsertElement(Elements, Element, I);
  }
  return Elements;
}

void KernelBuilder::FilterKernel::storeVector(Value *To, Value *V,
                                              const Tile &Of) {
  if (Of.Left) {
    Type *Ty = V->getType();
    if (Ty->getScalarSizeInBits() == 16)
      V = B.CreateBitCast(V, Ty->getWithNewType(B.getInt16Ty()));
    B.CreateMaskedStore(V, To, Op.C.Alignment, mask(Of, Of.Left));
  } else if (Of.Width == 1 || elementsApart(Op.C) == 1) {
    B.CreateAlignedStore(V, To, Op.C.Alignment);
  } else {
    for (unsigned I = 0; I < Of.Width; ++I) {
      Value *Element = B.CreateExtractElement(V, I);
      B.CreateAlignedStore(Element, K.offset(To, K.i64(I), Lanes.OfC),
                           Op.C.Alignment);
    }
  }
}

/// A tap for all lanes, or one for each.
Value *KernelBuilder::FilterKernel::loadTap(Value *From, const Tile &Of) {
  const Access &X = TheTerm.B;
  unsigned Width = ThePlan.LaneIndex ? Of.Width : 0;
  Value *Tap = Width ? loadVector(From, X, Of, Lanes.OfB)
                     : B.CreateAlignedLoad(X.ElemTy, From, X.Alignment, "tap");
  Tap = K.evaluate(TheTerm.BMap, Scalars, Width,
                   [&](Value *, Leaf) { return Tap; });
  return Width ? Tap : B.CreateVectorSplat(Of.Width, Tap);
}

//===-- A tile ------------------------------------------------------------===//

Value *KernelBuilder::FilterKernel::addressIn(Value *Base, Value *OfRow,
                                              Value *OfLane, const Tile &Of,
                                              unsigned Row, unsigned Vector) {
  if (Row)
    Base = K.offset(Base, K.i64(Row), OfRow);
  return Vector ? K.offset(Base, K.i64(Vector * Of.Width), OfLane) : Base;
}

void KernelBuilder::FilterKernel::addStep(const Place &At, const Tile &Of,
                                          Vectors &Sums) {
  auto *Sum = Sums.begin();
  Vectors OfTaps;
  for (unsigned V = 0; V < (ThePlan.LaneIndex ? Of.Vectors : 1); ++V)
    OfTaps.push_back(
        loadTap(addressIn(At.B, nullptr, Lanes.OfB, Of, 0, V), Of));
  for (unsigned R = 0; R < Of.Rows; ++R)
    for (unsigned V = 0; V < Of.Vectors; ++V, ++Sum) {
      Value *From = addressIn(At.A, Rows.OfA, Lanes.OfA, Of, R, V);
      Value *A = loadVector(From, TheTerm.A, Of, Lanes.OfA);
      A = K.evaluate(TheTerm.AMap, Scalars, Of.Width,
                     [&](Value *, Leaf) { return A; });
      *Sum = K.emitVectorStep(Scalars, *Sum, A, OfTaps[V % OfTaps.size()]);
    }
}

/// The taps of the indices \p Ways, of which each has a value.
void KernelBuilder::FilterKernel::emitSteps(const Place &At, const Tile &Of,
                                            ArrayRef<Way> Ways, Vectors &Sums) {
  if (Ways.empty())
    return addStep(At, Of, Sums);
  const Way &By = Ways.front();
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *Loop = BasicBlock::Create(K.Ctx, "taps", F);
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  SmallVector<PHINode *, 16> Carried;
  auto Carry = [&](Value *First, const Twine &Name) {
    PHINode *Phi = B.CreatePHI(First->getType(), 2, Name);
    Phi->addIncoming(First, Before);
    return Phi;
  };
  PHINode *Left = Carry(By.Extent, "left"), *A = Carry(At.A, "a.ptr"),
          *Tap = Carry(At.B, "tap.ptr");
  for (Value *&Sum : Sums) {
    Carried.push_back(Carry(Sum, "sum"));
    Sum = Carried.back();
  }
  emitSteps({At.C, A, Tap}, Of, Ways.drop_front(), Sums);
  BasicBlock *Latch = B.GetInsertBlock();
  for (auto [Phi, Sum] : zip_equal(Carried, Sums))
    Phi->addIncoming(Sum, Latch);
  A->addIncoming(B.CreatePtrAdd(A, By.OfA), Latch);
  Tap->addIncoming(B.CreatePtrAdd(Tap, By.OfB), Latch);
  Value *Next = B.CreateSub(Left, K.i64(1));
  Left->addIncoming(Next, Latch);
  BasicBlock *Done = BasicBlock::Create(K.Ctx, "taps.end", F);
  BranchInst *Back = B.CreateCondBr(B.CreateIsNull(Next), Done, Loop);
  K.setLoopHints(*Back, /*UnrollCount=*/1);
  B.SetInsertPoint(Done);
}

void KernelBuilder::FilterKernel::emitTile(const Place &At, const Tile &Of) {
  auto AddressOf = [&](unsigned Sum) {
    return addressIn(At.C, Rows.OfC, Lanes.OfC, Of, Sum / Of.Vectors,
                     Sum % Of.Vectors);
  };
  auto LoadC = [&](unsigned Sum) {
    return loadVector(AddressOf(Sum), Op.C, Of, Lanes.OfC);
  };
  Vectors Sums;
  for (unsigned I = 0; I < Of.Rows * Of.Vectors; ++I) {
    Value *C = Op.Start.uses(Leaf::C) ? LoadC(I) : nullptr;
    Sums.push_back(K.evaluate(Op.Start, Scalars, Of.Width, C, nullptr));
  }
  emitSteps(At, Of, Taps, Sums);
  for (auto [I, Sum] : enumerate(Sums)) {
    Value *C = Op.Finish.uses(Leaf::C) ? LoadC(I) : nullptr;
    storeVector(AddressOf(I), K.evaluate(Op.Finish, Scalars, Of.Width, C, Sum),
                Of);
  }
}

//===-- Loops around tiles ------------------------------------------------===//

/// All neighbours in so many rows.
void KernelBuilder::FilterKernel::emitNeighbours(const Place &At,
                                                 unsigned NumRows) {
  unsigned VL = ThePlan.VL;
  Value *Done = K.i64(0);
  for (unsigned V = ThePlan.MR / VL; V; V /= 2) {
    Value *Until = K.alignDown(Lanes.Extent, V * VL);
    K.emitLoop(Done, Until, K.i64(V * VL), "neighbours", [&](Value *Lane) {
      emitTile(moved(At, Lane, Lanes), {NumRows, V, VL});
    });
    Done = Until;
  }
  if (!hasMasks()) {
    K.emitLoop(Done, Lanes.Extent, K.i64(1), "neighbour", [&](Value *Lane) {
      emitTile(moved(At, Lane, Lanes), {NumRows, 1, 1});
    });
    return;
  }
  K.emitIf(B.CreateICmpULT(Done, Lanes.Extent), "last", [&] {
    Value *Left = B.CreateSub(Lanes.Extent, Done);
    emitTile(moved(At, Done, Lanes), {NumRows, 1, VL, Left});
  });
}

/// All rows, and what becomes of them.
void KernelBuilder::FilterKernel::emitRows(Macro &X) {
  const Macro::Factors &T = X.Terms.front();
  Place At{X.C, T.A, T.B};
  bool HasRows = ThePlan.LaneIndex || ThePlan.Bundled[tilesmith::M];
  if (!HasRows) {
    emitNeighbours(At, 1);
    K.emitEpilogue(X, {K.i64(0), K.i64(0), X.M, K.i64(1)});
    return;
  }
  Value *Done = K.i64(0);
  for (unsigned R = ThePlan.NR; R; R = R > 1 ? 1 : 0) {
    Value *Until = K.alignDown(Rows.Extent, R);
    K.emitLoop(Done, Until, K.i64(R), "rows",
               [&](Value *Row) { emitNeighbours(moved(At, Row, Rows), R); });
    Done = Until;
  }
  if (Op.After)
    K.emitLoop(K.i64(0), Rows.Extent, K.i64(1), "finished", [&](Value *Row) {
      Macro Before = X;
      K.advance(X, *ThePlan.Bundled[tilesmith::M], Row);
      K.emitEpilogue(X, {K.i64(0), K.i64(0), X.M, K.i64(1)});
      X = Before;
    });
}

/// Leaves it to the source's loops if there are few neighbours: the guard looks
/// at no batch.
void KernelBuilder::FilterKernel::emitWhereTooSmall() {
  if (!ThePlan.LaneIndex)
    return;
  BasicBlock *Entry = B.GetInsertBlock();
  Function *F = Entry->getParent();
  BasicBlock *Small = BasicBlock::Create(K.Ctx, "too.small", F),
             *Run = BasicBlock::Create(K.Ctx, "run", F);
  Value *Least = K.i64(ThePlan.MinJoined[tilesmith::M]);
  B.CreateCondBr(B.CreateICmpULT(Lanes.Extent, Least), Small, Run);
  B.SetInsertPoint(Small);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Run);
}

/// All loops; with the distance of windows that is found out of \p Usual ones,
/// if it is not known.
void KernelBuilder::FilterKernel::emitForDistance(Macro &X,
                                                  ArrayRef<unsigned> Usual) {
  bool IsKnown = isa<Constant>(Lanes.OfA);
  if (IsKnown || Usual.empty()) {
    K.emitOuter(X, OuterPlace::Around, [&] {
      K.emitOuter(X, OuterPlace::Rows, [&] { emitRows(X); });
    });
    return;
  }
  Value *Distance = Lanes.OfA;
  ConstantInt *Tried =
      K.i64(Usual.front() * K.DL.getTypeStoreSize(TheTerm.A.ElemTy));
  K.emitIf(
      B.CreateICmpEQ(Distance, Tried), "distance",
      [&] {
        Lanes.OfA = Tried;
        ApartInA = Usual.front();
        emitForDistance(X, {});
        Lanes.OfA = Distance;
        ApartInA.reset();
      },
      [&] { emitForDistance(X, Usual.drop_front()); });
}

Function *KernelBuilder::FilterKernel::build() {
  KernelArguments Arguments;
  Function *F = K.createFunction(
      "filter", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Closed));
  F->addFnAttr(Attribute::NoImplicitFloat);
  Macro X = K.macroOf(*F, Arguments);
  Scalars = Arguments.Scalars;
  Lanes = Rows = alongM(X);
  if (ThePlan.LaneIndex)
    Lanes = alongOuter(X, *ThePlan.LaneIndex);
  else if (ThePlan.Bundled[tilesmith::M])
    Rows = alongOuter(X, *ThePlan.Bundled[tilesmith::M]);
  auto SetKnown = [&](Value *&Stride, const Access &Of) {
    if (std::optional<uint64_t> Apart = elementsApart(Of))
      Stride = K.i64(*Apart * K.DL.getTypeStoreSize(Of.ElemTy));
  };
  SetKnown(Lanes.OfC, Op.C);
  SetKnown(Lanes.OfA, TheTerm.A);
  if (ThePlan.LaneIndex)
    SetKnown(Lanes.OfB, TheTerm.B);
  for (auto [I, D] : enumerate(Op.Outer))
    if (D.Bundle == tilesmith::K)
      Taps.push_back(alongOuter(X, I));
  Taps.push_back(alongK(X));
  emitWhereTooSmall();
  emitForDistance(X, {1, 2});
  B.CreateRet(B.getTrue());
  return K.unify(F);
}

Function *KernelBuilder::buildFilterKernel() {
  return FilterKernel(*this).build();
}

} // namespace tilesmith
