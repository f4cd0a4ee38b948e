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

#include "Elementwise.h"
#include "MacroKernel.h"
#include "WideLanes.h"
#include "tilesmith/Support/Choice.h"

using namespace llvm;

namespace tilesmith {

ParameterList KernelBuilder::parametersOf(EpilogueArguments &Arguments) const {
  ParameterList List;
  auto Add = [&](FurtherPlace &Of, const Twine &Name) {
    List.add(Of.Base, Ptr, Name);
    List.add(Of.StrideM, I64, Name + ".row");
    List.add(Of.StrideN, I64, Name + ".col");
  };
  Add(Arguments.C, "C");
  if (SumsApart)
    Add(Arguments.Sums, "sums");
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

KernelBuilder::ElementwiseKernel::TypedPlace
KernelBuilder::ElementwiseKernel::typed(const FurtherPlace &At,
                                        const Access &X) const {
  return {At, X.ElemTy, X.Alignment, X.isUnit(tilesmith::M, K.DL)};
}

KernelBuilder::ElementwiseKernel::TypedPlace
KernelBuilder::ElementwiseKernel::placeOfSums(
    const EpilogueArguments &Of) const {
  return K.SumsApart
             ? TypedPlace{Of.Sums, K.Op.SumTy, K.ElemAlign, /*IsUnit=*/true}
             : typed(Of.C, K.Op.C);
}

/// Of the element in row \p I.
Value *KernelBuilder::ElementwiseKernel::rowAddress(const TypedPlace &Of,
                                                    Value *I) {
  return K.offset(Of.At.Base, I,
                  Of.IsUnit ? K.i64(K.DL.getTypeStoreSize(Of.Ty))
                            : Of.At.StrideM);
}

/// \p Width elements of a column, from row \p I on; one, as a scalar, if that
/// is 0. What does not move along a column is one for all rows.
Value *KernelBuilder::ElementwiseKernel::loadElements(const TypedPlace &Of,
                                                      Value *I,
                                                      unsigned Width) {
  return tilesmith::loadElements(B, Of.Ty, rowAddress(Of, I), Of.Alignment,
                                 Of.IsUnit, Width);
}

void KernelBuilder::ElementwiseKernel::storeElements(Value *V,
                                                     const TypedPlace &Of,
                                                     Value *I) {
  B.CreateAlignedStore(V, rowAddress(Of, I), Of.Alignment);
}

/// Stores the elements of \p V whose bits differ from what is there. Where the
/// source does not store, memory may be read-only, or another thread's.
void KernelBuilder::ElementwiseKernel::storeChanges(Value *V,
                                                    const TypedPlace &Of,
                                                    Value *I, unsigned Width) {
  Value *IsChanged =
      B.CreateICmpNE(bitsOf(B, V), bitsOf(B, loadElements(Of, I, Width)));
  K.emitIf(Width ? B.CreateOrReduce(IsChanged) : IsChanged, "changed", [&] {
    if (Width)
      B.CreateMaskedStore(V, rowAddress(Of, I), Of.Alignment, IsChanged);
    else
      storeElements(V, Of, I);
  });
}

/// \p Width elements of a column, from row \p I on.
void KernelBuilder::ElementwiseKernel::emitElements(
    const EpilogueArguments &Column, Value *I, unsigned Width) {
  TypedPlace C = typed(Column.C, K.Op.C), Sums = placeOfSums(Column);
  Value *Result = K.evaluate(
      Made.Value, Column.Scalars, Width, [&](Value *V, Leaf Kind) -> Value * {
        if (Kind == Leaf::Sum)
          return loadElements(Sums, I, Width);
        if (Kind == Leaf::C)
          return loadElements(C, I, Width);
        for (auto [Of, Place] : zip_equal(Made.Operands, Column.Further))
          if (Of.Load == V)
            return loadElements(typed(Place, Of.X), I, Width);
        llvm_unreachable("an operand is missing");
      });
  if (Made.StoresChangesOnly)
    storeChanges(Result, C, I, Width);
  else
    storeElements(Result, Made.StoresSums ? Sums : C, I);
  if (Width)
    partWideLanes(*B.GetInsertBlock());
}

/// Column \p J of the tile.
void KernelBuilder::ElementwiseKernel::emitColumn(
    const EpilogueArguments &Column, Value *J, bool HasVectors) {
  Value *Begin = K.i64(0), *End = Column.Rows;
  if (K.Wanted == Half::Lower)
    Begin = K.clamp(B.CreateSub(J, Column.Diagonal), End);
  if (K.Wanted == Half::Upper)
    End = K.clamp(B.CreateAdd(B.CreateSub(J, Column.Diagonal), K.i64(1)), End);
  K.emitVectors(
      Begin, End, HasVectors ? K.ThePlan.VL : 0, "row",
      [&](Value *I, unsigned Width) { emitElements(Column, I, Width); });
}

Function *KernelBuilder::ElementwiseKernel::build() {
  EpilogueArguments Arguments;
  Arguments.Further.resize(Made.Operands.size());
  Function *F =
      K.createFunction(Made.Name, B.getVoidTy(), K.parametersOf(Arguments));
  cast<Argument>(Arguments.C.Base)->addAttr(Attribute::NoAlias);
  if (K.SumsApart)
    cast<Argument>(Arguments.Sums.Base)->addAttr(Attribute::NoAlias);
  for (FurtherPlace &Of : Arguments.Further)
    cast<Argument>(Of.Base)->addAttr(Attribute::ReadOnly);
  auto MovesAsVector = [&](const FurtherOperand &Of) {
    return Of.X.isVectorAlong(tilesmith::M, K.DL);
  };
  bool HasVectors = K.Op.C.isUnit(tilesmith::M, K.DL) &&
                    Made.Value.isLanewise() &&
                    all_of(Made.Operands, MovesAsVector);
  K.emitLoop(K.i64(0), Arguments.Columns, K.i64(1), "column", [&](Value *J) {
    EpilogueArguments Column = Arguments;
    auto Move = [&](FurtherPlace &Of) {
      Of.Base = K.offset(Of.Base, J, Of.StrideN);
    };
    Move(Column.C);
    if (K.SumsApart)
      Move(Column.Sums);
    for_each(Column.Further, Move);
    if (Made.OfNumbers)
      emitNumbers(Column);
    else
      emitColumn(Column, J, HasVectors);
  });
  B.CreateRetVoid();
  inlineChoices(*F);
  return K.unify(F);
}

/// Goes through the \p Rows x \p Columns elements of C from (\p Row, \p Column)
/// on. \p Diagonal: of the wanted half. \p Kernel is built once.
void KernelBuilder::emitElementwise(const Macro &X, const PartOfC &Of,
                                    const Elementwise &Made,
                                    Function *&Kernel) {
  if (!Kernel) {
    IRBuilderBase::InsertPointGuard Here(B);
    Kernel = ElementwiseKernel(*this, Made).build();
  }
  auto At = [&](const FurtherPlace &Place) {
    Value *Begin = offset(Place.Base, Of.Row, Place.StrideM);
    return FurtherPlace{offset(Begin, Of.Column, Place.StrideN), Place.StrideM,
                        Place.StrideN};
  };
  EpilogueArguments Arguments;
  Arguments.C = At({X.C, X.StrideCm, X.StrideCn});
  Arguments.Sums = Of.Sums;
  for (const FurtherPlace &Place :
       ArrayRef(X.Further).take_front(Made.Operands.size()))
    Arguments.Further.push_back(At(Place));
  Arguments.Rows = Of.Rows;
  Arguments.Columns = Of.Columns;
  Arguments.Diagonal = Of.Diagonal;
  Arguments.Scalars = X.Arguments->Scalars;
  B.CreateCall(Kernel, parametersOf(Arguments).values());
}

/// Sets sums that start from C, and do not rest there.
void KernelBuilder::emitStart(const Macro &X, const PartOfC &Of) {
  if (startsApart())
    emitElementwise(X, Of,
                    {"start", Op.Start, /*Operands=*/{}, /*StoresSums=*/true,
                     /*StoresChangesOnly=*/false, /*OfNumbers=*/nullptr},
                    StartOfTile);
}

/// Applies the epilogue, if there is one.
void KernelBuilder::emitEpilogue(const Macro &X, const PartOfC &Of) {
  if (Op.After)
    emitElementwise(X, Of,
                    {"epilogue", Op.After->Value, Op.After->Operands,
                     /*StoresSums=*/false, Op.After->StoresChangesOnly,
                     Op.After->isOfNumbers() ? &*Op.After : nullptr},
                    EpilogueOfTile);
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
