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
// If sums do not rest in C, it reads them in the buffer where they do. What they
// start from, if that is made of C or of further operands, is put where they rest
// by tilesmith.start, which goes through the tile in the same way; and what is
// stored where a diagonal leaves no step, by tilesmith.empty.
//
// An operand that moves with the rows, but is not adjacent, as a diagonal, is
// loaded once for all columns: there, rows are the outer loop.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "MacroKernel.h"
#include "WideLanes.h"
#include "tilesmith/Support/Choice.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

ParameterList MacroKernel::parametersOf(EpilogueArguments &Arguments) const {
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

MacroKernel::ElementwiseKernel::TypedPlace
MacroKernel::ElementwiseKernel::typed(const FurtherPlace &At,
                                      const Access &X) const {
  return {At,
          X.ElemTy,
          X.Alignment,
          K.isUnitInTile(X, tilesmith::M),
          X.Stride[tilesmith::M]->isZero(),
          X.Stride[tilesmith::N]->isZero()};
}

MacroKernel::ElementwiseKernel::TypedPlace
MacroKernel::ElementwiseKernel::placeOfSums(const EpilogueArguments &Of) const {
  return K.SumsApart
             ? TypedPlace{Of.Sums, K.Op.SumTy, K.ElemAlign, /*IsUnit=*/true}
             : typed(Of.C, K.Op.C);
}

/// Of the element in row \p I.
Value *MacroKernel::ElementwiseKernel::rowAddress(const TypedPlace &Of,
                                                  Value *I) {
  return K.offset(Of.At.Base, I,
                  Of.IsUnit ? K.i64(K.DL.getTypeStoreSize(Of.Ty))
                            : Of.At.StrideM);
}

/// \p Width elements of a column, from row \p I on; one, as a scalar, if that
/// is 0. What does not move along a column is one for all rows.
Value *MacroKernel::ElementwiseKernel::loadElements(const TypedPlace &Of,
                                                    Value *I, unsigned Width) {
  if (!Width || Of.IsUnit || Of.IsOne)
    return tilesmith::loadElements(B, Of.Ty, rowAddress(Of, I), Of.Alignment,
                                   Of.IsUnit, Width);
  Value *V = PoisonValue::get(FixedVectorType::get(Of.Ty, Width));
  for (unsigned Lane = 0; Lane < Width; ++Lane) {
    Value *From = rowAddress(Of, B.CreateAdd(I, K.i64(Lane)));
    V = B.CreateInsertElement(V, B.CreateAlignedLoad(Of.Ty, From, Of.Alignment),
                              Lane);
  }
  return V;
}

void MacroKernel::ElementwiseKernel::storeElements(Value *V,
                                                   const TypedPlace &Of,
                                                   Value *I) {
  B.CreateAlignedStore(V, rowAddress(Of, I), Of.Alignment);
}

/// Stores the elements of \p V whose bits differ from what is there, or from what sums
/// start from if that is one for all. Where the source does not store, memory may be
/// read-only, or another thread's.
void MacroKernel::ElementwiseKernel::storeChanges(Value *V,
                                                  const TypedPlace &Of,
                                                  Value *I, unsigned Width) {
  Value *Before = K.Op.Start.Root;
  if (!isa<Constant>(Before))
    Before = loadElements(Of, I, Width);
  else if (Width)
    Before = B.CreateVectorSplat(Width, Before);
  Value *IsChanged = B.CreateICmpNE(bitsOf(B, V), bitsOf(B, Before));
  K.emitIf(Width ? B.CreateOrReduce(IsChanged) : IsChanged, "changed", [&] {
    if (Width)
      B.CreateMaskedStore(V, rowAddress(Of, I), Of.Alignment, IsChanged);
    else
      storeElements(V, Of, I);
  });
}

/// \p E of elements of a column, from row \p I on.
Value *MacroKernel::ElementwiseKernel::made(const Expression &E,
                                            const EpilogueArguments &Column,
                                            Value *I, unsigned Width,
                                            const Kept &Loaded) {
  return K.evaluate(
      E, Column.Scalars, Width, [&](Value *V, Leaf Kind) -> Value * {
        if (Kind == Leaf::Sum)
          return sum(Column, I, Width, Loaded);
        if (Kind == Leaf::C)
          return loadElements(typed(Column.C, K.Op.C), I, Width);
        for (auto [Number, Of] : enumerate(Made.Operands)) {
          if (Of->Load != V)
            continue;
          if (Number < Loaded.size() && Loaded[Number])
            return Loaded[Number];
          return loadElements(typed(Column.Further[Number], Of->X), I, Width);
        }
        llvm_unreachable("an operand is missing");
      });
}

/// The sums, or what they start from. The source rounds that before anything is
/// done with it, as it goes through a phi.
Value *MacroKernel::ElementwiseKernel::sum(const EpilogueArguments &Column,
                                           Value *I, unsigned Width,
                                           const Kept &Loaded) {
  if (!Made.SumsAreStarts)
    return loadElements(placeOfSums(Column), I, Width);
  Value *V = made(K.Op.Start, Column, I, Width, Loaded);
  if (isa<Constant>(V) || !V->getType()->isFPOrFPVectorTy())
    return V;
  return B.CreateIntrinsic(Intrinsic::arithmetic_fence, {V->getType()}, {V});
}

/// \p Width elements of a column, from row \p I on.
void MacroKernel::ElementwiseKernel::emitElements(
    const EpilogueArguments &Column, Value *I, unsigned Width,
    const Kept &Loaded) {
  TypedPlace C = typed(Column.C, K.Op.C), Sums = placeOfSums(Column);
  Value *Result = made(Made.Value, Column, I, Width, Loaded);
  // LLVM stores the other lanes alone where a choice leaves some of them as they are in
  // memory: the slow way where masks have no registers.
  if (Width && isa<SelectInst>(Result) && Result->getType()->isFPOrFPVectorTy())
    Result = B.CreateIntrinsic(Intrinsic::arithmetic_fence, {Result->getType()},
                               {Result});
  if (Made.StoresChangesOnly)
    storeChanges(Result, C, I, Width);
  else
    storeElements(Result, Made.StoresSums ? Sums : C, I);
  if (Width)
    partWideLanes(*B.GetInsertBlock());
}

/// \p Of, from column \p J on.
EpilogueArguments
MacroKernel::ElementwiseKernel::columnOf(const EpilogueArguments &Of,
                                         Value *J) {
  EpilogueArguments Column = Of;
  auto Move = [&](FurtherPlace &Place) {
    Place.Base = K.offset(Place.Base, J, Place.StrideN);
  };
  Move(Column.C);
  if (K.SumsApart)
    Move(Column.Sums);
  for_each(Column.Further, Move);
  return Column;
}

/// The tile, with its rows as the outer loop.
void MacroKernel::ElementwiseKernel::emitRows(const EpilogueArguments &Of) {
  K.emitVectors(
      K.i64(0), Of.Rows, K.ThePlan.VL, "row", [&](Value *I, unsigned Width) {
        Kept Loaded;
        for (auto [Place, Operand] : zip_equal(Of.Further, Made.Operands)) {
          TypedPlace At = typed(Place, Operand->X);
          Loaded.push_back(At.isKept() ? loadElements(At, I, Width) : nullptr);
        }
        K.emitLoop(K.i64(0), Of.Columns, K.i64(1), "column", [&](Value *J) {
          emitElements(columnOf(Of, J), I, Width, Loaded);
        });
      });
}

/// The first row of column \p J that is wanted, and the one behind the last.
std::pair<Value *, Value *>
MacroKernel::ElementwiseKernel::wantedRows(const EpilogueArguments &Column,
                                           Value *J) {
  Value *Begin = K.i64(0), *End = Column.Rows;
  if (K.Wanted == Half::None)
    return {Begin, End};
  Value *AtDiagonal = B.CreateSub(K.onDiagonal(J), Column.Diagonal);
  if (K.Wanted == Half::Lower)
    return {K.clamp(AtDiagonal, End), End};
  return {Begin, K.clamp(B.CreateAdd(AtDiagonal, K.i64(1)), End)};
}

/// Column \p J of the tile.
void MacroKernel::ElementwiseKernel::emitColumn(const EpilogueArguments &Column,
                                                Value *J, bool HasVectors) {
  auto [Begin, End] = wantedRows(Column, J);
  K.emitVectors(
      Begin, End, HasVectors ? K.ThePlan.VL : 0, "row",
      [&](Value *I, unsigned Width) { emitElements(Column, I, Width, {}); });
}

Function *MacroKernel::ElementwiseKernel::build() {
  EpilogueArguments Arguments;
  Arguments.Further.resize(Made.Operands.size());
  Function *F =
      K.createFunction(Made.Name, B.getVoidTy(), K.parametersOf(Arguments));
  cast<Argument>(Arguments.C.Base)->addAttr(Attribute::NoAlias);
  if (K.SumsApart)
    cast<Argument>(Arguments.Sums.Base)->addAttr(Attribute::NoAlias);
  for (FurtherPlace &Of : Arguments.Further)
    cast<Argument>(Of.Base)->addAttr(Attribute::ReadOnly);
  bool HasVectors = K.isUnitInTile(K.Op.C, tilesmith::M);
  bool Keeps =
      any_of(zip_equal(Arguments.Further, Made.Operands), [&](const auto &Of) {
        auto [Place, Operand] = Of;
        return typed(Place, Operand->X).isKept();
      });
  if (HasVectors && Keeps && K.Wanted == Half::None)
    emitRows(Arguments);
  else
    K.emitLoop(K.i64(0), Arguments.Columns, K.i64(columnsOfNumber()), "column",
               [&](Value *J) {
                 EpilogueArguments Column = columnOf(Arguments, J);
                 if (Made.OfNumbers || K.hasPartsInColumns())
                   emitNumbers(Column, J);
                 else
                   emitColumn(Column, J, HasVectors);
               });
  B.CreateRetVoid();
  inlineChoices(*F);
  return K.unify(F);
}

/// Goes through the \p Rows x \p Columns elements of C from (\p Row, \p Column)
/// on. \p Diagonal: of the wanted half. \p Kernel is built once.
void MacroKernel::emitElementwise(const Macro &X, const PartOfC &Of,
                                  const Elementwise &Made, Function *&Kernel) {
  if (!Kernel) {
    IRBuilderBase::InsertPointGuard Here(B);
    Kernel = ElementwiseKernel(*this, Made).build();
  }
  auto At = [&](const FurtherPlace &Place) {
    Value *Begin =
        offset(Place.Base, rowOfFirstLane(Of.Row, Of.Rows), Place.StrideM);
    return FurtherPlace{offset(Begin, Of.Column, Place.StrideN),
                        strideOfLanes(Place.StrideM), Place.StrideN};
  };
  EpilogueArguments Arguments;
  Arguments.C = At({X.C, X.StrideCm, X.StrideCn});
  Arguments.Sums = Of.Sums;
  for (const FurtherPlace &Place :
       ArrayRef(X.Further).slice(Made.FirstOperand, Made.Operands.size()))
    Arguments.Further.push_back(At(Place));
  Arguments.Rows = Of.Rows;
  Arguments.Columns = Of.Columns;
  Arguments.Diagonal = Of.Diagonal;
  Arguments.Scalars = X.Arguments->Scalars;
  B.CreateCall(Kernel, parametersOf(Arguments).values());
}

/// Sets sums that start from C, and do not rest there, or from further operands.
void MacroKernel::emitStart(const Macro &X, const PartOfC &Of) {
  if (!startsApart())
    return;
  Elementwise Made("start", Op.Start);
  Made.FirstOperand = Op.alongC().size() - Op.StartOperands.size();
  append_range(Made.Operands, make_pointer_range(Op.StartOperands));
  Made.StoresSums = true;
  emitElementwise(X, Of, Made, StartOfTile);
  if (hasPartsInColumns())
    prefetchNumbers(X, Of);
}

/// Brings the rows of C below the tile \p Of, which are started from next.
void MacroKernel::prefetchNumbers(const Macro &X, const PartOfC &Of) {
  Value *Row = offset(X.C, B.CreateAdd(Of.Row, Of.Rows), X.StrideCm);
  emitLoop(i64(0), Of.Columns, i64(2), "soon", [&](Value *J) {
    prefetch(offset(Row, B.CreateAdd(Of.Column, J), X.StrideCn),
             2 * ThePlan.MR * Size, ThePlan.CacheLine);
  });
}

/// Applies the epilogue, if there is one.
void MacroKernel::emitEpilogue(const Macro &X, const PartOfC &Of) {
  if (!Op.After)
    return;
  Elementwise Made("epilogue", Op.After->Value);
  append_range(Made.Operands, make_pointer_range(Op.After->Operands));
  Made.StoresChangesOnly = Op.After->StoresChangesOnly;
  Made.OfNumbers = Op.After->isOfNumbers() ? &*Op.After : nullptr;
  emitElementwise(X, Of, Made, EpilogueOfTile);
}

/// Brings the columns of a tile that its epilogue will need beside the sums: of
/// C as it was, and of matrices among the operands.
void MacroKernel::prefetchForEpilogue(const Macro &X, const PartOfC &Of) {
  SmallVector<std::pair<const Access *, FurtherPlace>, 2> Needed;
  if (SumsApart)
    Needed.push_back({&Op.C, {X.C, X.StrideCm, X.StrideCn}});
  for (auto [Operand, Place] : zip(Op.After->Operands, X.Further))
    if (!Operand.X.Stride[tilesmith::N]->isZero())
      Needed.push_back({&Operand.X, Place});
  erase_if(Needed, [&](const auto &One) {
    return !isUnitInTile(*One.first, tilesmith::M);
  });
  if (Needed.empty())
    return;
  emitLoop(i64(0), Of.Columns, i64(1), "soon", [&](Value *J) {
    for (auto [Matrix, Place] : Needed) {
      Value *Column =
          offset(Place.Base, rowOfFirstLane(Of.Row, Of.Rows), Place.StrideM);
      Column = offset(Column, B.CreateAdd(Of.Column, J), Place.StrideN);
      prefetch(Column, ThePlan.MR * DL.getTypeStoreSize(Matrix->ElemTy),
               ThePlan.CacheLine);
    }
  });
}

/// Stores what becomes of sums without a step. Rows that are C's and a factor's
/// have been read by now.
void MacroKernel::emitEmpty(const Macro &X) {
  if (!X.Empty)
    return;
  Elementwise Made("empty", Op.After ? Op.After->Value : Op.Finish);
  Made.Operands = Op.alongC();
  // The nest may leave out what stays as it is: if (t != 1) c[m] *= t.
  Made.StoresChangesOnly =
      (Op.After && Op.After->StoresChangesOnly) || Op.Start.uses(Leaf::C);
  Made.SumsAreStarts = true;
  PartOfC Of = *X.Empty;
  Of.Sums = {X.C, X.StrideCm, X.StrideCn}; // not looked at
  Function *Kernel = nullptr;
  emitElementwise(X, Of, Made, Kernel);
}

/// Where a kernel without blocks keeps its sums: in C, or on the stack, where
/// they are started.
FurtherPlace MacroKernel::emitSmallSums(const Macro &X, uint64_t Rows,
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
