//===- NumberEpilogue.cpp - an epilogue of complex numbers ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of C are the parts of numbers in turn. A vector of numbers is one vector of
// their first parts, and one of their second ones. From a vector on in which both
// parts of a product are NaN, numbers are made one by one, and the function makes
// such a product again, as in the source's loops.
//
// Or columns of sums are the parts of numbers in turn (hasPartsInColumns). Then a
// vector of numbers is one vector of each of two columns, and a row of C's numbers
// is loaded and stored with its parts side by side.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

/// \p Width numbers of a column, from row \p I on; one, as scalars, if that is 0.
MacroKernel::ElementwiseKernel::Number
MacroKernel::ElementwiseKernel::loadNumbers(const TypedPlace &Of, Value *I,
                                            unsigned Width) {
  if (!Width)
    return {loadElements(Of, I, 0),
            loadElements(Of, B.CreateAdd(I, K.i64(1)), 0)};
  Value *Both = loadElements(Of, I, 2 * Width);
  Number Parts;
  for (unsigned Part : {0, 1})
    Parts[Part] = B.CreateShuffleVector(
        Both, createStrideMask(Part, /*Stride=*/2, Width));
  return Parts;
}

void MacroKernel::ElementwiseKernel::storeNumbers(const Number &V,
                                                  const TypedPlace &Of,
                                                  Value *I, unsigned Width) {
  if (Width)
    return storeElements(
        B.CreateShuffleVector(V[0], V[1], createInterleaveMask(Width, 2)), Of,
        I);
  storeElements(V[0], Of, I);
  storeElements(V[1], Of, B.CreateAdd(I, K.i64(1)));
}

/// The columns of both parts, if these are columns of their own.
std::array<MacroKernel::ElementwiseKernel::TypedPlace, 2>
MacroKernel::ElementwiseKernel::columnsOfSums(const EpilogueArguments &Column) {
  TypedPlace First = placeOfSums(Column), Second = First;
  Second.At.Base = B.CreatePtrAdd(First.At.Base, First.At.StrideN);
  return {First, Second};
}

MacroKernel::ElementwiseKernel::Number
MacroKernel::ElementwiseKernel::loadSums(const EpilogueArguments &Column,
                                         Value *I, unsigned Width) {
  if (!K.hasPartsInColumns())
    return loadNumbers(placeOfSums(Column), I, Width);
  auto [First, Second] = columnsOfSums(Column);
  Value *OfFirst = loadElements(First, I, Width);
  return {OfFirst, loadElements(Second, I, Width)};
}

/// Where C's numbers are, element by element.
MacroKernel::ElementwiseKernel::TypedPlace
MacroKernel::ElementwiseKernel::placeOfNumbers(
    const EpilogueArguments &Column) const {
  TypedPlace C = typed(Column.C, K.Op.C);
  C.IsUnit |= K.hasPartsInColumns();
  return C;
}

MacroKernel::ElementwiseKernel::Number
MacroKernel::ElementwiseKernel::loadC(const EpilogueArguments &Column, Value *I,
                                      unsigned Width) {
  Value *Element = B.CreateMul(I, K.i64(columnsOfNumber()));
  return loadNumbers(placeOfNumbers(Column), Element, Width);
}

/// Stores what becomes of sums, or of what they start from.
void MacroKernel::ElementwiseKernel::storeMade(const Number &V,
                                               const EpilogueArguments &Column,
                                               Value *I, unsigned Width) {
  if (!Made.StoresSums) {
    Value *Element = B.CreateMul(I, K.i64(columnsOfNumber()));
    return storeNumbers(V, placeOfNumbers(Column), Element, Width);
  }
  auto [First, Second] = columnsOfSums(Column);
  storeElements(V[0], First, I);
  storeElements(V[1], Second, I);
}

/// \p Plain, or, if that \p IsNaN, what the function makes.
MacroKernel::ElementwiseKernel::Number
MacroKernel::ElementwiseKernel::makeAgain(
    const NumberProduct &Product, const Number &Plain, Value *IsNaN,
    function_ref<Value *(const Expression &)> Evaluate) {
  BasicBlock *Before = B.GetInsertBlock(), *Last = nullptr;
  Number Made;
  K.emitIf(IsNaN, "again", [&] {
    SmallVector<Value *, 4> Factors;
    for (const Expression &Factor : Product.Factors)
      Factors.push_back(Evaluate(Factor));
    const CallInst &Of = *Product.Again;
    CallInst *Call =
        B.CreateCall(Of.getFunctionType(), Of.getCalledOperand(), Factors);
    Call->setAttributes(Of.getAttributes());
    Call->setCallingConv(Of.getCallingConv());
    for (auto [Taken, Part] : zip_equal(Product.Taken, Made)) {
      Instruction *New = Taken->clone();
      New->setOperand(0, Call);
      New->setDebugLoc(DebugLoc());
      Part = B.Insert(New);
    }
    Last = B.GetInsertBlock();
  });
  Number Result;
  for (unsigned Part : {0, 1}) {
    PHINode *Phi = B.CreatePHI(Plain[Part]->getType(), 2);
    Phi->addIncoming(Plain[Part], Before);
    Phi->addIncoming(Made[Part], Last);
    Result[Part] = Phi;
  }
  return Result;
}

/// What becomes of \p Width numbers. Of vectors, \p AnyNaN is where a product
/// would have to be made again; null if there are no products.
MacroKernel::ElementwiseKernel::Number
MacroKernel::ElementwiseKernel::makeNumbers(const EpilogueArguments &Column,
                                            Value *I, unsigned Width,
                                            Value *&AnyNaN) {
  // In front of all branches.
  Number Sums = {}, C = {};
  if (!Made.StoresSums)
    Sums = loadSums(Column, I, Width);
  if (K.SumsApart)
    C = loadC(Column, I, Width);
  SmallDenseMap<Value *, Value *, 4> Parts;
  auto Evaluate = [&](const Expression &E, unsigned Own) {
    return K.evaluate(E, Column.Scalars, Width, [&](Value *V, Leaf Kind) {
      if (Kind == Leaf::Part)
        return Parts.at(V);
      bool IsOther = Kind == Leaf::SumOfOther || Kind == Leaf::COfOther;
      bool IsSum = Kind == Leaf::Sum || Kind == Leaf::SumOfOther;
      return (IsSum ? Sums : C)[IsOther ? 1 - Own : Own];
    });
  };
  AnyNaN = nullptr;
  if (!Made.OfNumbers) {
    Value *First = Evaluate(Made.Value, 0);
    return {First, Evaluate(Made.Value, 1)};
  }
  const Epilogue &Of = *Made.OfNumbers;
  for (const NumberProduct &Product : Of.Products) {
    Number Plain{Evaluate(Product.Formulas[0], 0),
                 Evaluate(Product.Formulas[1], 0)};
    Value *IsNaN = B.CreateAnd(B.CreateFCmpUNO(Plain[0], Plain[0]),
                               B.CreateFCmpUNO(Plain[1], Plain[1]));
    if (Width)
      AnyNaN = AnyNaN ? B.CreateOr(AnyNaN, IsNaN) : IsNaN;
    else
      Plain = makeAgain(Product, Plain, IsNaN,
                        [&](const Expression &E) { return Evaluate(E, 0); });
    for (unsigned Part : {0, 1})
      Parts[Product.Parts[Part]] = Plain[Part];
  }
  Value *First = Evaluate(Of.Value, 0);
  return {First, Evaluate(*Of.Second, 1)};
}

/// Vectors of \p Width numbers of a column, from row \p Begin to row \p End, as far
/// as no product has to be made again. Returns the row behind them.
Value *MacroKernel::ElementwiseKernel::emitVectorsOfNumbers(
    const EpilogueArguments &Column, Value *Begin, Value *End, unsigned Width) {
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *Header = BasicBlock::Create(K.Ctx, "numbers", F);
  BasicBlock *Body = BasicBlock::Create(K.Ctx, "numbers.body", F);
  BasicBlock *Store = BasicBlock::Create(K.Ctx, "numbers.store", F);
  BasicBlock *After = BasicBlock::Create(K.Ctx, "numbers.end", F);
  B.CreateBr(Header);
  B.SetInsertPoint(Header);
  PHINode *I = B.CreatePHI(K.I64, 2, "row");
  I->addIncoming(Begin, Before);
  Value *Next = B.CreateNUWAdd(I, K.i64(rowsOfNumber() * Width));
  B.CreateCondBr(B.CreateICmpULE(Next, End), Body, After);
  B.SetInsertPoint(Body);
  Value *AnyNaN;
  Number Result = makeNumbers(Column, I, Width, AnyNaN);
  Value *IsMade = AnyNaN ? B.CreateNot(B.CreateOrReduce(AnyNaN)) : B.getTrue();
  B.CreateCondBr(IsMade, Store, After);
  B.SetInsertPoint(Store);
  storeMade(Result, Column, I, Width);
  I->addIncoming(Next, Store);
  K.setLoopHints(*B.CreateBr(Header), /*UnrollCount=*/1);
  B.SetInsertPoint(After);
  return I;
}

/// Column \p J, of numbers.
void MacroKernel::ElementwiseKernel::emitNumbers(
    const EpilogueArguments &Column, Value *J) {
  TypedPlace C = placeOfNumbers(Column);
  // Most tiles are so many vectors high; a register is the rest of a small one.
  unsigned VL = K.ThePlan.VL;
  auto [Begin, End] = wantedRows(Column, J);
  for (unsigned Width : {VL, VL / 2})
    if (C.IsUnit && Width > 1 && K.ThePlan.MR % (rowsOfNumber() * Width) == 0)
      Begin = emitVectorsOfNumbers(Column, Begin, End, Width);
  K.emitLoop(Begin, End, K.i64(rowsOfNumber()), "number", [&](Value *Row) {
    Value *AnyNaN;
    storeMade(makeNumbers(Column, Row, /*Width=*/0, AnyNaN), Column, Row, 0);
  });
}

} // namespace tilesmith
