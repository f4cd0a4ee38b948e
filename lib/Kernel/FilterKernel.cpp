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
  Way Result{X.M, X.StrideCm, X.Terms.front().StrideAm, K.i64(0)};
  addBorders(
      X, Result, [](auto &Passed) { return Passed.OfLine; },
      [](const Border &Of) { return Of.Stride[tilesmith::M]; });
  return Result;
}

KernelBuilder::FilterKernel::Way
KernelBuilder::FilterKernel::alongK(const Macro &X) {
  const Macro::Factors &T = X.Terms.front();
  std::optional<uint64_t> Known = Op.constantExtent(tilesmith::K);
  Way Result{Known ? K.i64(*Known) : X.K, K.i64(0), T.StrideAk, T.StrideBk};
  addBorders(
      X, Result, [](auto &Passed) { return Passed.OfStep; },
      [](const Border &Of) { return Of.Stride[tilesmith::K]; });
  return Result;
}

KernelBuilder::FilterKernel::Way
KernelBuilder::FilterKernel::alongOuter(const Macro &X, unsigned Outer) {
  const KernelArguments::OuterArguments &Of = X.Arguments->Outer[Outer];
  std::optional<uint64_t> Known = Op.Outer[Outer].constantExtent();
  Way Result{Known ? K.i64(*Known) : Of.Extent, Of.Strides[0], Of.Strides[1],
             Of.Strides[2]};
  addBorders(
      X, Result, [&](auto &Passed) { return Passed.Outer[Outer]; },
      [&](const Border &Of) { return Of.OuterStride[Outer]; });
  return Result;
}

KernelBuilder::FilterKernel::Place
KernelBuilder::FilterKernel::moved(const Place &From, Value *Index,
                                   const Way &By) {
  Place Result;
  Result.C = K.offset(From.C, Index, By.OfC);
  Result.A = K.offset(From.A, Index, By.OfA);
  Result.B = K.offset(From.B, Index, By.OfB);
  for (auto [Position, Move] : zip_equal(From.Positions, By.Moves))
    Result.Positions.push_back(B.CreateAdd(Position, B.CreateMul(Index, Move)));
  return Result;
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
    return ThePlan.canMask(X) &&
           elementsApart(X).value_or(UINT64_MAX) <= MostApart;
  };
  return Suits(Op.C, 1) && Suits(TheTerm.A, 2) &&
         (!ThePlan.LaneIndex || Suits(TheTerm.B, 1));
}

/// The lanes of a vector from \p From on, \p Stride apart; those under \p Mask,
/// if that is not null.
Value *KernelBuilder::FilterKernel::loadVector(Value *From, const Access &X,
                                               const Tile &Of, Value *Stride,
                                               Value *Mask) {
  auto *Ty = FixedVectorType::get(X.ElemTy, Of.Width);
  uint64_t Apart = elementsApart(X).value_or(0);
  if (Of.Width == 1 || Apart == 1)
    return Mask ? loadMasked(B, Ty, From, X.Alignment, Mask)
                : B.CreateAlignedLoad(Ty, From, X.Alignment, "a");
  if (Apart == 2)
    return K.loadSecond(Ty, From, X.Alignment, Mask);
  assert(!Mask && "no masks for single elements");
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
  if (Of.Mask) {
    Type *Ty = V->getType();
    if (Ty->getScalarSizeInBits() == 16)
      V = B.CreateBitCast(V, Ty->getWithNewType(B.getInt16Ty()));
    B.CreateMaskedStore(V, To, Op.C.Alignment, Of.Mask);
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
  Value *Tap = Width ? loadVector(From, X, Of, Lanes.OfB, Of.Mask)
                     : B.CreateAlignedLoad(X.ElemTy, From, X.Alignment, "tap");
  Tap = K.elements(TheTerm.BMap, Scalars, Width, Tap);
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

/// The taps of a step: one, or one for each vector.
KernelBuilder::FilterKernel::Vectors
KernelBuilder::FilterKernel::loadTaps(const Place &At, const Tile &Of) {
  Vectors Result;
  for (unsigned V = 0; V < (ThePlan.LaneIndex ? Of.Vectors : 1); ++V)
    Result.push_back(
        loadTap(addressIn(At.B, nullptr, Lanes.OfB, Of, 0, V), Of));
  return Result;
}

void KernelBuilder::FilterKernel::addStep(const Place &At, const Tile &Of,
                                          Vectors &Sums) {
  auto *Sum = Sums.begin();
  Vectors OfTaps = loadTaps(At, Of);
  for (unsigned R = 0; R < Of.Rows; ++R)
    for (unsigned V = 0; V < Of.Vectors; ++V, ++Sum) {
      Value *From = addressIn(At.A, Rows.OfA, Lanes.OfA, Of, R, V);
      Value *Made = nullptr, *Mask = Of.Mask;
      if (Of.Borders != Crossed::None) {
        Made = stepsMade(At, Of, R, V);
        Mask = Mask ? B.CreateAnd(Made, Mask) : Made;
      }
      Value *A = loadVector(From, TheTerm.A, Of, Lanes.OfA, Mask);
      auto PutZeros = [&](Beyond Where) {
        if (Made && TheTerm.A.BeyondBorders == Where)
          A = B.CreateSelect(Made, A, Constant::getNullValue(A->getType()));
      };
      PutZeros(Beyond::ZeroLoaded);
      A = K.elements(TheTerm.AMap, Scalars, Of.Width, A);
      PutZeros(Beyond::ZeroElement);
      if (TheTerm.A.hasStepsBeyond())
        Made = nullptr;
      Value *Next =
          K.emitVectorStep(Scalars, *Sum, A, OfTaps[V % OfTaps.size()]);
      *Sum = Made ? B.CreateSelect(Made, Next, K.emitStepBeyond(Scalars, *Sum))
                  : Next;
    }
}

/// The taps of the indices \p Ways, of which each has a value.
void KernelBuilder::FilterKernel::emitSteps(const Place &At, const Tile &Of,
                                            ArrayRef<Way> Ways, Vectors &Sums) {
  if (Ways.empty())
    return Of.Borders == Crossed::ByWholeRows ? addStepByRows(At, Of, Sums)
                                              : addStep(At, Of, Sums);
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
  Place Now{At.C, A, Tap};
  for (Value *Position : At.Positions)
    Now.Positions.push_back(Carry(Position, "position"));
  for (Value *&Sum : Sums) {
    Carried.push_back(Carry(Sum, "sum"));
    Sum = Carried.back();
  }
  auto EmitInner = [&] { emitSteps(Now, Of, Ways.drop_front(), Sums); };
  if (Value *Made = makesSteps(Now, Of, Ways))
    emitIfMade(Made, Sums, EmitInner);
  else
    EmitInner();
  BasicBlock *Latch = B.GetInsertBlock();
  for (auto [Phi, Sum] : zip_equal(Carried, Sums))
    Phi->addIncoming(Sum, Latch);
  A->addIncoming(B.CreatePtrAdd(A, By.OfA), Latch);
  Tap->addIncoming(B.CreatePtrAdd(Tap, By.OfB), Latch);
  for (auto [Position, Move] : zip_equal(Now.Positions, By.Moves))
    cast<PHINode>(Position)->addIncoming(B.CreateAdd(Position, Move), Latch);
  Value *Next = B.CreateSub(Left, K.i64(1));
  Left->addIncoming(Next, Latch);
  BasicBlock *Done = BasicBlock::Create(K.Ctx, "taps.end", F);
  BranchInst *Back = B.CreateCondBr(B.CreateIsNull(Next), Done, Loop);
  K.setLoopHints(*Back, /*UnrollCount=*/1);
  B.SetInsertPoint(Done);
}

void KernelBuilder::FilterKernel::emitSums(const Place &At, const Tile &Of) {
  auto AddressOf = [&](unsigned Sum) {
    return addressIn(At.C, Rows.OfC, Lanes.OfC, Of, Sum / Of.Vectors,
                     Sum % Of.Vectors);
  };
  auto LoadC = [&](unsigned Sum) {
    return loadVector(AddressOf(Sum), Op.C, Of, Lanes.OfC, Of.Mask);
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

/// Where the lanes of \p Of are, the first of which is number \p FirstLane.
void KernelBuilder::FilterKernel::findRows(Tile &Of, Value *FirstLane) {
  if (!ThePlan.JoinsRows)
    return;
  auto *Ty = FixedVectorType::get(B.getInt32Ty(), Of.Width);
  auto *InRow = ConstantInt::get(Ty, *Op.constantExtent(tilesmith::M));
  Value *First = B.CreateTrunc(FirstLane, B.getInt32Ty());
  for (unsigned V = 0; V < Of.Vectors; ++V) {
    Value *Number = B.CreateAdd(First, B.getInt32(V * Of.Width));
    Value *Numbers = B.CreateAdd(B.CreateVectorSplat(Of.Width, Number),
                                 B.CreateStepVector(Ty));
    Of.InRows.push_back(
        {B.CreateURem(Numbers, InRow), B.CreateUDiv(Numbers, InRow)});
  }
}

void KernelBuilder::FilterKernel::emitTile(const Place &At, const Tile &Of) {
  if (Borders.empty())
    return emitSums(At, Of);
  // Tests of whole rows take no time.
  if (ThePlan.JoinsRows || ThePlan.hasWholeRows(Op))
    return emitTileAtBorder(At, Of);
  K.emitIf(
      isInside(At, Of, Crossed::Any), "inside", [&] { emitSums(At, Of); },
      [&] { emitTileAtBorder(At, Of); });
}

//===-- Loops around tiles ------------------------------------------------===//

/// All neighbours of a row, in tiles: their first lanes.
void KernelBuilder::FilterKernel::forNeighbours(
    function_ref<void(Value *, const Tile &)> Body) {
  unsigned VL = ThePlan.VL;
  Value *Done = K.i64(0);
  for (unsigned V = ThePlan.MR / VL; V; V /= 2) {
    Value *Until = K.alignDown(Lanes.Extent, V * VL);
    K.emitLoop(Done, Until, K.i64(V * VL), "neighbours",
               [&](Value *Lane) { Body(Lane, {1, V, VL}); });
    Done = Until;
  }
  if (!hasMasks()) {
    K.emitLoop(Done, Lanes.Extent, K.i64(1), "neighbour",
               [&](Value *Lane) { Body(Lane, {1, 1, 1}); });
    return;
  }
  K.emitIf(B.CreateICmpULT(Done, Lanes.Extent), "last", [&] {
    Value *Left = B.CreateSub(Lanes.Extent, Done);
    Body(Done, {1, 1, VL, Left, K.firstLanes(Op.C, Left, VL)});
  });
}

/// All neighbours in so many rows.
void KernelBuilder::FilterKernel::emitNeighbours(const Place &At,
                                                 unsigned NumRows) {
  forNeighbours([&](Value *Lane, Tile Of) {
    Of.Rows = NumRows;
    findRows(Of, Lane);
    emitTile(moved(At, Lane, Lanes), Of);
  });
}

KernelBuilder::FilterKernel::Place
KernelBuilder::FilterKernel::placeIn(const Macro &X) const {
  const Macro::Factors &T = X.Terms.front();
  Place Result{X.C, T.A, T.B};
  for (const BorderOfImage &Border : X.Gathered[tilesmith::M].Borders)
    Result.Positions.push_back(Border.Start);
  return Result;
}

/// Of neighbours in a batch: all rows, a few neighbours at a time.
void KernelBuilder::FilterKernel::emitRowsOfBatch(const Macro &X) {
  const unsigned Sums = ThePlan.MR / ThePlan.VL * ThePlan.NR;
  forNeighbours([&](Value *Lane, Tile Of) {
    Place At = moved(placeIn(X), Lane, Lanes);
    // Of fewer vectors more rows, so that additions do not wait for each other.
    unsigned Fewest = std::min(Sums / Of.Vectors, 4u);
    forRows(std::max(ThePlan.NR, Fewest), [&](Value *Row, unsigned NumRows) {
      Of.Rows = NumRows;
      emitTile(moved(At, Row, Rows), Of);
    });
  });
}

/// All rows, so many at a time, and then half of them, and so on.
void KernelBuilder::FilterKernel::forRows(
    unsigned AtOnce, function_ref<void(Value *, unsigned)> Body) {
  Value *Done = K.i64(0);
  for (unsigned R = AtOnce; R; R = bit_floor(R - 1)) {
    Value *Left = B.CreateURem(B.CreateSub(Rows.Extent, Done), K.i64(R));
    Value *Until = B.CreateSub(Rows.Extent, Left);
    K.emitLoop(Done, Until, K.i64(R), "rows",
               [&](Value *Row) { Body(Row, R); });
    Done = Until;
  }
}

/// All rows, and what becomes of them.
void KernelBuilder::FilterKernel::emitRows(Macro &X) {
  if (ThePlan.LaneIndex)
    return emitRowsOfBatch(X);
  Place At = placeIn(X);
  if (!ThePlan.Bundled[tilesmith::M]) {
    emitNeighbours(At, 1);
    K.emitEpilogue(X, {K.i64(0), K.i64(0), X.M, K.i64(1)});
    return;
  }
  if (ThePlan.JoinsRows)
    emitNeighbours(At, 1);
  Value *Done = K.i64(0);
  for (unsigned R = ThePlan.JoinsRows ? 0 : ThePlan.NR; R; R = R > 1 ? 1 : 0) {
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
  if (ThePlan.JoinsRows) {
    Lanes.Extent = B.CreateMul(Lanes.Extent, Rows.Extent);
    MovesInRow = Lanes.Moves;
    Lanes.Moves.assign(MovesInRow.size(), K.i64(0));
  }
  SetKnown(Lanes.OfC, Op.C);
  SetKnown(Lanes.OfA, TheTerm.A);
  if (ThePlan.LaneIndex)
    SetKnown(Lanes.OfB, TheTerm.B);
  for (auto [I, D] : enumerate(Op.Outer))
    if (D.Bundle == tilesmith::K)
      Taps.push_back(alongOuter(X, I));
  Taps.push_back(alongK(X));
  for (const KernelArguments::BorderArguments &Passed : Arguments.Borders)
    Borders.push_back({Passed.Start, Passed.Extent});
  setReachOfTaps();
  X.Gathered[tilesmith::M].Borders = Borders;
  emitForDistance(X, {1, 2});
  B.CreateRet(B.getTrue());
  return K.unify(F);
}

Function *KernelBuilder::buildFilterKernel() {
  return FilterKernel(*this).build();
}

} // namespace tilesmith
