//===- Epilogue.cpp - what is done with C once its sums are complete ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tilesmith.epilogue goes through a tile that has just been stored, column by
// column, in vectors as far as they reach. What calls functions goes element by
// element: functions of vectors may round in another way.
//
// If sums do not rest in C, it reads them in the buffer where they do. Those that
// start from C are put there by tilesmith.start, which goes through the tile in
// the same way.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

ParameterList KernelBuilder::parametersOf(EpilogueArguments &Arguments,
                                          bool IsStart) const {
  ParameterList List;
  auto Add = [&](FurtherPlace &Of, const Twine &Name) {
    List.add(Of.Base, Ptr, Name);
    List.add(Of.StrideM, I64, Name + ".row");
    List.add(Of.StrideN, I64, Name + ".col");
  };
  Add(Arguments.C, "C");
  if (SumsApart)
    Add(Arguments.Sums, "sums");
  Arguments.Further.resize(Op.After->Operands.size());
  if (!IsStart)
    for (auto [I, Of] : enumerate(Arguments.Further))
      Add(Of, "X" + Twine(I));
  List.add(Arguments.Rows, I64, "rows");
  List.add(Arguments.Columns, I64, "columns");
  if (Wanted != Half::None)
    List.add(Arguments.Diagonal, I64, "diagonal");
  if (!Invariants.empty())
    List.add(Arguments.Scalars, Ptr, "scalars");
  return List;
}

KernelBuilder::TypedPlace KernelBuilder::typed(const FurtherPlace &At,
                                               const Access &X) const {
  return {At, X.ElemTy, X.Alignment, X.isUnit(tilesmith::M, DL)};
}

KernelBuilder::TypedPlace
KernelBuilder::placeOfSums(const EpilogueArguments &Of) const {
  return SumsApart ? TypedPlace{Of.Sums, Op.SumTy, ElemAlign, /*IsUnit=*/true}
                   : typed(Of.C, Op.C);
}

/// Of the element in row \p I.
Value *KernelBuilder::rowAddress(const TypedPlace &Of, Value *I) {
  return offset(Of.At.Base, I,
                Of.IsUnit ? i64(DL.getTypeStoreSize(Of.Ty)) : Of.At.StrideM);
}

/// \p Width elements of a column, from row \p I on; one, as a scalar, if that
/// is 0. What does not move along a column is one for all rows.
Value *KernelBuilder::loadElements(const TypedPlace &Of, Value *I,
                                   unsigned Width) {
  bool IsVector = Width && Of.IsUnit;
  Type *Ty = IsVector ? FixedVectorType::get(Of.Ty, Width) : Of.Ty;
  Value *V = B.CreateAlignedLoad(Ty, rowAddress(Of, I), Of.Alignment);
  return Width && !IsVector ? B.CreateVectorSplat(Width, V) : V;
}

void KernelBuilder::storeElements(Value *V, const TypedPlace &Of, Value *I) {
  B.CreateAlignedStore(V, rowAddress(Of, I), Of.Alignment);
}

/// Stores the elements of \p V whose bits differ from what is there. Where the
/// source does not store, memory may be read-only, or another thread's.
void KernelBuilder::storeChanges(Value *V, const TypedPlace &Of, Value *I,
                                 unsigned Width) {
  Value *IsChanged =
      B.CreateICmpNE(bitsOf(B, V), bitsOf(B, loadElements(Of, I, Width)));
  emitIf(Width ? B.CreateOrReduce(IsChanged) : IsChanged, "changed", [&] {
    if (Width)
      B.CreateMaskedStore(V, rowAddress(Of, I), Of.Alignment, IsChanged);
    else
      storeElements(V, Of, I);
  });
}

/// What the sums of \p Width elements of a column start from, from row \p I on.
void KernelBuilder::emitStartOfElements(const EpilogueArguments &Column,
                                        Value *I, unsigned Width) {
  Value *Started =
      evaluate(Op.Start, Column.Scalars, Width, [&](Value *, Leaf) {
        return loadElements(typed(Column.C, Op.C), I, Width);
      });
  storeElements(Started, placeOfSums(Column), I);
}

/// The epilogue on \p Width elements of a column, from row \p I on.
void KernelBuilder::emitElements(const EpilogueArguments &Column, Value *I,
                                 unsigned Width) {
  const Epilogue &After = *Op.After;
  TypedPlace C = typed(Column.C, Op.C);
  Value *Final = evaluate(
      After.Value, Column.Scalars, Width, [&](Value *V, Leaf Kind) -> Value * {
        if (Kind == Leaf::Sum)
          return loadElements(placeOfSums(Column), I, Width);
        if (Kind == Leaf::C)
          return loadElements(C, I, Width);
        for (auto [Of, Place] : zip_equal(After.Operands, Column.Further))
          if (Of.Load == V)
            return loadElements(typed(Place, Of.X), I, Width);
        llvm_unreachable("an operand is missing");
      });
  if (After.StoresChangesOnly)
    storeChanges(Final, C, I, Width);
  else
    storeElements(Final, C, I);
}

/// void epilogue(C, sums, further operands, rows, columns), and start without
/// further operands: of a tile of C, or of its wanted half.
Function *KernelBuilder::buildElementwise(bool IsStart) {
  EpilogueArguments Arguments;
  Function *F = createFunction(IsStart ? "start" : "epilogue", B.getVoidTy(),
                               parametersOf(Arguments, IsStart));
  cast<Argument>(Arguments.C.Base)->addAttr(Attribute::NoAlias);
  if (SumsApart)
    cast<Argument>(Arguments.Sums.Base)->addAttr(Attribute::NoAlias);
  // What does not move along a column is loaded once for all of it.
  auto MovesAsVector = [&](const Access &X) {
    return X.isUnit(tilesmith::M, DL) || X.Stride[tilesmith::M]->isZero();
  };
  const Expression &Made = IsStart ? Op.Start : Op.After->Value;
  bool HasVectors = Op.C.isUnit(tilesmith::M, DL) && Made.isLanewise();
  if (!IsStart)
    for (auto [Of, Place] : zip_equal(Op.After->Operands, Arguments.Further)) {
      cast<Argument>(Place.Base)->addAttr(Attribute::ReadOnly);
      HasVectors &= MovesAsVector(Of.X);
    }
  auto EmitElements = [&](const EpilogueArguments &Column, Value *I,
                          unsigned Width) {
    if (IsStart)
      emitStartOfElements(Column, I, Width);
    else
      emitElements(Column, I, Width);
  };
  emitLoop(i64(0), Arguments.Columns, i64(1), "column", [&](Value *J) {
    EpilogueArguments Column = Arguments;
    auto Move = [&](FurtherPlace &Of) {
      Of.Base = offset(Of.Base, J, Of.StrideN);
    };
    Move(Column.C);
    if (SumsApart)
      Move(Column.Sums);
    if (!IsStart)
      for_each(Column.Further, Move);
    Value *Begin = i64(0), *End = Arguments.Rows;
    if (Wanted == Half::Lower)
      Begin = clamp(B.CreateSub(J, Arguments.Diagonal), End);
    if (Wanted == Half::Upper)
      End = clamp(B.CreateAdd(B.CreateSub(J, Arguments.Diagonal), i64(1)), End);
    Value *Rest = Begin;
    if (HasVectors) {
      Value *Whole = alignDown(B.CreateSub(End, Begin), ThePlan.VL);
      Rest = B.CreateAdd(Begin, Whole);
      emitLoop(Begin, Rest, i64(ThePlan.VL), "vector",
               [&](Value *I) { EmitElements(Column, I, ThePlan.VL); });
    }
    emitLoop(Rest, End, i64(1), "row",
             [&](Value *I) { EmitElements(Column, I, /*Width=*/0); });
  });
  B.CreateRetVoid();
  return unify(F);
}

/// Goes through the \p Rows x \p Columns elements of C from (\p Row, \p Column)
/// on. \p Diagonal: of the wanted half.
void KernelBuilder::emitElementwise(const Macro &X, const PartOfC &Of,
                                    bool IsStart) {
  Function *&Kernel = IsStart ? StartOfTile : EpilogueOfTile;
  if (!Kernel) {
    IRBuilderBase::InsertPointGuard Here(B);
    Kernel = buildElementwise(IsStart);
  }
  auto At = [&](const FurtherPlace &Place) {
    Value *Begin = offset(Place.Base, Of.Row, Place.StrideM);
    return FurtherPlace{offset(Begin, Of.Column, Place.StrideN), Place.StrideM,
                        Place.StrideN};
  };
  EpilogueArguments Arguments;
  Arguments.C = At({X.C, X.StrideCm, X.StrideCn});
  Arguments.Sums = Of.Sums;
  for (const FurtherPlace &Place : X.Further)
    Arguments.Further.push_back(At(Place));
  Arguments.Rows = Of.Rows;
  Arguments.Columns = Of.Columns;
  Arguments.Diagonal = Of.Diagonal;
  Arguments.Scalars = X.Arguments->Scalars;
  B.CreateCall(Kernel, parametersOf(Arguments, IsStart).values());
}

/// Sets sums that start from C, and do not rest there.
void KernelBuilder::emitStart(const Macro &X, const PartOfC &Of) {
  if (startsApart())
    emitElementwise(X, Of, /*IsStart=*/true);
}

/// Applies the epilogue, if there is one.
void KernelBuilder::emitEpilogue(const Macro &X, const PartOfC &Of) {
  if (Op.After)
    emitElementwise(X, Of, /*IsStart=*/false);
}

/// Where a kernel without blocks keeps its sums: in C, or on the stack, where
/// they are started.
FurtherPlace KernelBuilder::emitSmallSums(const Macro &X, uint64_t Rows,
                                          uint64_t Columns) {
  if (!SumsApart)
    return {X.C, X.StrideCm, X.StrideCn};
  AllocaInst *Sums = B.CreateAlloca(Op.SumTy, i64(Rows * Columns), "sums");
  Sums->setAlignment(Align(CacheLine));
  FurtherPlace Place{Sums, i64(Size), i64(Rows * Size)};
  emitStart(X, {i64(0), i64(0), i64(Rows), i64(Columns), /*Diagonal=*/nullptr,
                Place});
  return Place;
}

} // namespace tilesmith
