//===- SquareKernel.cpp - tiles of squares --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A micro kernel whose sums are in registers that hold squares
// (TileRegisters.h). These can be loaded, stored and added to, and nothing
// else: what a tile starts with, and what is made of it at its end, goes
// through memory, column by column. That is C, or a buffer if C may not hold
// sums under way.
//
//===----------------------------------------------------------------------===//

#include "TileKernels.h"
#include "tilesmith/Target/TileRegisters.h"
#include "llvm/IR/MatrixBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

Function *TileKernels::buildSquareKernel(unsigned Rows, unsigned Columns,
                                         MicroKind Kind) {
  MicroArguments Arguments;
  Function *F =
      createFunction(("micro." + Twine(Rows) + "x" + Twine(Columns)).str(),
                     B.getVoidTy(), parametersOf(Arguments, Kind));
  setReadOnly(Arguments);
  auto *ColumnTy = FixedVectorType::get(Op.SumTy, Rows);
  using Place = SumsOfSquares;
  Place C{Arguments.C, Arguments.StrideCn}, Sums = C;
  auto Load = [&](Place From, Value *J) -> Value * {
    return B.CreateAlignedLoad(ColumnTy, offset(From.Base, J, From.Stride),
                               ElemAlign);
  };
  auto ForColumns = [&](Place To, function_ref<Value *(Value *)> ColumnOf) {
    emitLoop(i64(0), i64(Columns), i64(1), "column", [&](Value *J) {
      Value *Column = ColumnOf(J);
      B.CreateAlignedStore(Column, offset(To.Base, J, To.Stride), ElemAlign);
    });
  };
  Place P = C;
  if (!SumsInC) {
    P = {Arguments.P, Arguments.StridePn};
    AllocaInst *Buffer =
        B.CreateAlloca(ArrayType::get(Op.SumTy, uint64_t(Rows) * Columns));
    Buffer->setAlignment(Align(64));
    Sums = {Buffer, i64(Rows * Size)};
  }
  auto *Initial = dyn_cast<Constant>(Op.Start.Root);
  const bool StartsFromZero =
      Initial && Initial->isNullValue() && !ThePlan.Narrow->Subtracts;
  if (!resumesFromC()) {
    auto Start = [&] {
      if (StartsFromZero)
        return; // without memory
      ForColumns(Sums, [&](Value *J) {
        return evaluate(Op.Start, Arguments.Scalars, Rows,
                        [&](Value *, Leaf) { return Load(C, J); });
      });
    };
    auto Resume = [&] {
      ForColumns(Sums, [&](Value *J) { return Load(P, J); });
    };
    if (SumsInC)
      emitIf(Arguments.First, "start", Start);
    else
      emitIf(Arguments.First, "start", Start, Resume);
  }
  auto Negate = [&] {
    if (ThePlan.Narrow->Subtracts)
      ForColumns(Sums,
                 [&](Value *J) { return negatedIfSubtracted(Load(Sums, J)); });
  };
  Negate();
  emitProductOfSquares(Arguments, Rows, Columns, {Sums.Base, Sums.Stride},
                       StartsFromZero ? Arguments.First : B.getFalse());
  Negate();
  if (!SumsInC)
    emitIf(
        Arguments.Last, "finish",
        [&] {
          ForColumns(C, [&](Value *J) {
            return evaluate(Op.Finish, Arguments.Scalars, Rows,
                            [&](Value *, Leaf Kind) {
                              return Load(Kind == Leaf::Sum ? Sums : C, J);
                            });
          });
        },
        [&] { ForColumns(P, [&](Value *J) { return Load(Sums, J); }); });
  B.CreateRetVoid();
  return F;
}

/// Adds the product of two packed panels to the tile at \p Sums, or to zero if
/// \p FromZero.
void TileKernels::emitProductOfSquares(const MicroArguments &Arguments,
                                       unsigned Rows, unsigned Columns,
                                       SumsOfSquares Sums, Value *FromZero) {
  MatrixBuilder Matrix(B);
  unsigned Down = Rows / SquareEdge, Across = Columns / SquareEdge;
  uint64_t EdgeBytes = SquareEdge * Size;
  Value *Ld = B.CreateExactSDiv(Sums.Stride, i64(Size));
  // At a diagonal, a panel may have more rows than the tile.
  Value *StrideOfA = Arguments.Terms[0].StrideAk;
  Value *LdA = B.CreateExactSDiv(StrideOfA, i64(PanelSize));
  Value *StepOfA = B.CreateMul(StrideOfA, i64(SquareEdge));
  auto AddressOfSums = [&](unsigned I, unsigned J) {
    return offset(B.CreatePtrAdd(Sums.Base, i64(I * EdgeBytes)),
                  i64(J * SquareEdge), Sums.Stride);
  };
  SmallVector<Value *, 4> Initial, Next;
  Function *F = B.GetInsertBlock()->getParent();
  auto NewBlock = [&](const Twine &Name) {
    return BasicBlock::Create(Ctx, Name, F);
  };
  BasicBlock *Zero = NewBlock("zero"), *Load = NewBlock("load"),
             *Loop = NewBlock("k"), *Done = NewBlock("done");
  B.CreateCondBr(FromZero, Zero, Load);
  B.SetInsertPoint(Zero);
  B.CreateBr(Loop);
  B.SetInsertPoint(Load);
  for (unsigned J = 0; J < Across; ++J)
    for (unsigned I = 0; I < Down; ++I)
      Initial.push_back(Matrix.CreateColumnMajorLoad(
          Op.SumTy, AddressOfSums(I, J), ElemAlign, Ld, /*IsVolatile=*/false,
          SquareEdge, SquareEdge));
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Group = B.CreatePHI(I64, 3, "group");
  PHINode *PtrA = B.CreatePHI(Ptr, 3, "a.ptr");
  PHINode *PtrB = B.CreatePHI(Ptr, 3, "b.ptr");
  for (BasicBlock *Entry : {Zero, Load}) {
    Group->addIncoming(i64(0), Entry);
    PtrA->addIncoming(Arguments.Terms[0].A, Entry);
    PtrB->addIncoming(Arguments.Terms[0].B, Entry);
  }
  SmallVector<PHINode *, 4> SumsSoFar;
  for (Value *V : Initial) {
    SumsSoFar.push_back(B.CreatePHI(V->getType(), 3, "sum"));
    SumsSoFar.back()->addIncoming(Constant::getNullValue(V->getType()), Zero);
    SumsSoFar.back()->addIncoming(V, Load);
  }
  auto Squares = [&](Value *From, unsigned Width, Value *Ld) {
    SmallVector<Value *, 2> Result;
    for (unsigned I = 0; I < Width / SquareEdge; ++I)
      Result.push_back(Matrix.CreateColumnMajorLoad(
          PanelTy, B.CreatePtrAdd(From, i64(I * EdgeBytes)), Align(Size), Ld,
          /*IsVolatile=*/false, SquareEdge, SquareEdge));
    return Result;
  };
  auto A = Squares(PtrA, Rows, LdA),
       BSquares = Squares(PtrB, Columns, i64(Columns));
  for (unsigned J = 0; J < Across; ++J)
    for (unsigned I = 0; I < Down; ++I)
      Next.push_back(emitStep(Op.Update, Arguments.Scalars,
                              SumsSoFar[J * Down + I], A[I], BSquares[J],
                              SquareEdge, SquareEdge));
  // A comes from the second-level cache. (Sapphire Rapids: 1.05 times as fast.)
  prefetch(B.CreatePtrAdd(PtrA, B.CreateMul(StepOfA, i64(2))), Rows * EdgeBytes,
           ThePlan.CacheLine);
  for (auto [Phi, V] : zip_equal(SumsSoFar, Next))
    Phi->addIncoming(V, Loop);
  Value *NextGroup = B.CreateNUWAdd(Group, i64(SquareEdge));
  Group->addIncoming(NextGroup, Loop);
  PtrA->addIncoming(B.CreatePtrAdd(PtrA, StepOfA), Loop);
  PtrB->addIncoming(B.CreatePtrAdd(PtrB, i64(Columns * EdgeBytes)), Loop);
  setLoopHints(
      *B.CreateCondBr(B.CreateICmpULT(NextGroup, Arguments.Groups), Loop, Done),
      1);
  B.SetInsertPoint(Done);
  for (unsigned J = 0; J < Across; ++J)
    for (unsigned I = 0; I < Down; ++I)
      Matrix.CreateColumnMajorStore(Next[J * Down + I], AddressOfSums(I, J),
                                    ElemAlign, Ld, /*IsVolatile=*/false,
                                    SquareEdge, SquareEdge);
}

} // namespace tilesmith
