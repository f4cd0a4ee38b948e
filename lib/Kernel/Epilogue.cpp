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
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

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
  Arguments.Further.resize(Op.After->Operands.size());
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

/// The epilogue on \p Width elements of a column, from row \p I on; on one, as a
/// scalar, if that is 0.
void KernelBuilder::emitElements(const EpilogueArguments &Column, Value *I,
                                 unsigned Width) {
  const Epilogue &After = *Op.After;
  auto At = [&](const FurtherPlace &Of, const Access &X) {
    bool IsUnit = X.isUnit(tilesmith::M, DL);
    return offset(Of.Base, I,
                  IsUnit ? i64(DL.getTypeStoreSize(X.ElemTy)) : Of.StrideM);
  };
  auto Load = [&](const FurtherPlace &Of, const Access &X) -> Value * {
    bool IsVector = Width && X.isUnit(tilesmith::M, DL);
    Type *Ty = IsVector ? FixedVectorType::get(X.ElemTy, Width) : X.ElemTy;
    Value *V = B.CreateAlignedLoad(Ty, At(Of, X), X.Alignment);
    return Width && !IsVector ? B.CreateVectorSplat(Width, V) : V;
  };
  Value *Final = evaluate(
      After.Value, Column.Scalars, Width, [&](Value *V, Leaf Kind) -> Value * {
        if (Kind == Leaf::Sum)
          return Load(Column.C, Op.C);
        for (auto [Of, Place] : zip_equal(After.Operands, Column.Further))
          if (Of.Load == V)
            return Load(Place, Of.X);
        llvm_unreachable("an operand is missing");
      });
  B.CreateAlignedStore(Final, At(Column.C, Op.C), Op.C.Alignment);
}

/// void epilogue(C, further operands, rows, columns): of a tile of C, or of its
/// wanted half.
Function *KernelBuilder::buildEpilogue() {
  EpilogueArguments Arguments;
  Function *F =
      createFunction("epilogue", B.getVoidTy(), parametersOf(Arguments));
  cast<Argument>(Arguments.C.Base)->addAttr(Attribute::NoAlias);
  for (FurtherPlace &Of : Arguments.Further)
    cast<Argument>(Of.Base)->addAttr(Attribute::ReadOnly);
  // What does not move along a column is loaded once for all of it.
  auto MovesAsVector = [&](const Access &X) {
    return X.isUnit(tilesmith::M, DL) || X.Stride[tilesmith::M]->isZero();
  };
  bool HasVectors =
      AdjacentRowsOfC && Op.After->Value.isLanewise() &&
      all_of(Op.After->Operands,
             [&](const Epilogue::Operand &Of) { return MovesAsVector(Of.X); });
  emitLoop(i64(0), Arguments.Columns, i64(1), "column", [&](Value *J) {
    EpilogueArguments Column = Arguments;
    auto Move = [&](FurtherPlace &Of) {
      Of.Base = offset(Of.Base, J, Of.StrideN);
    };
    Move(Column.C);
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
               [&](Value *I) { emitElements(Column, I, ThePlan.VL); });
    }
    emitLoop(Rest, End, i64(1), "row",
             [&](Value *I) { emitElements(Column, I, /*Width=*/0); });
  });
  B.CreateRetVoid();
  return unify(F);
}

/// Applies the epilogue, if there is one, to the \p Rows x \p Columns elements
/// of C from (\p Row, \p Column) on. \p Diagonal: of the wanted half.
void KernelBuilder::emitEpilogue(const Macro &X, const PartOfC &Of) {
  if (!Op.After)
    return;
  if (!EpilogueOfTile) {
    IRBuilderBase::InsertPointGuard Here(B);
    EpilogueOfTile = buildEpilogue();
  }
  auto At = [&](const FurtherPlace &Place) {
    Value *Begin = offset(Place.Base, Of.Row, Place.StrideM);
    return FurtherPlace{offset(Begin, Of.Column, Place.StrideN), Place.StrideM,
                        Place.StrideN};
  };
  EpilogueArguments Arguments;
  Arguments.C = At({X.C, X.StrideCm, X.StrideCn});
  for (const FurtherPlace &Place : X.Further)
    Arguments.Further.push_back(At(Place));
  Arguments.Rows = Of.Rows;
  Arguments.Columns = Of.Columns;
  Arguments.Diagonal = Of.Diagonal;
  Arguments.Scalars = X.Arguments->Scalars;
  B.CreateCall(EpilogueOfTile, parametersOf(Arguments).values());
}

} // namespace tilesmith
