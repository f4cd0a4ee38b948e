//===- MicroKernel.cpp - how a register tile begins and ends --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MatrixBuilder.h"

using namespace llvm;

namespace tilesmith {

/// \p Call with more operands, in a bundle.
static CallInst *withOperands(CallInst *Call, StringRef Bundle,
                              ArrayRef<Value *> Operands) {
  auto *Result = cast<CallInst>(CallBase::addOperandBundle(
      Call, /*ID=*/0, OperandBundleDef(Bundle.str(), Operands),
      Call->getIterator()));
  Call->eraseFromParent();
  return Result;
}

/// Nothing else points to the factors, nor to a panel that is made.
void TileKernels::setReadOnly(const MicroArguments &Arguments) {
  if (Arguments.Table)
    cast<Argument>(Arguments.Table)->addAttr(Attribute::NoAlias);
  for (const MicroArguments::Factors &T : Arguments.Terms)
    for (Value *Factor : {T.A, T.B, Arguments.SourceA}) {
      if (!Factor)
        continue;
      cast<Argument>(Factor)->addAttr(Attribute::NoAlias);
      if (Factor != T.A || !Arguments.SourceA)
        cast<Argument>(Factor)->addAttr(Attribute::ReadOnly);
    }
}

Function *TileKernels::buildMicroKernel(unsigned Rows, unsigned Columns,
                                        MicroKind Kind) {
  if (ThePlan.inSquares())
    return buildSquareKernel(Rows, Columns, Kind);
  MicroArguments Arguments;
  Function *F =
      createFunction(("micro." + Twine(Rows) + "x" + Twine(Columns)).str(),
                     B.getVoidTy(), parametersOf(Arguments, Kind));
  // The products of a step, of all terms, are more than registers hold. Spilled
  // vectors must not cross cache lines.
  if (Terms.size() > 1)
    F->addFnAttr(Attribute::getWithStackAlignment(
        Ctx, Align(PowerOf2Ceil(ThePlan.VectorBits / 8))));
  setReadOnly(Arguments);
  if (Arguments.Slot)
    cast<Argument>(Arguments.Slot)->addAttr(Attribute::get(Ctx, SlotAttribute));
  MicroKernel(*this, *F, Arguments, Rows, Columns, Kind).build();
  return F;
}

void TileKernels::MicroKernel::build() {
  BasicBlock *Loop = block("k");
  Value *Initial = Constant::getNullValue(TileTy);
  if (!startsLate())
    Initial = K.negatedIfSubtracted(emitStart(nullptr, Loop));
  Initial = corrected(Initial);
  if (prefetchesInLoop())
    K.emitIf(B.CreateICmpULT(Arguments.Groups, K.i64(Columns)), "short",
             [&] { prefetchTile(); });
  else if (prefetches())
    prefetchTile();
  Value *Sums = K.negatedIfSubtracted(isOfRuns()     ? emitRuns(Initial, Loop)
                                      : cutsCorner() ? emitCorner(Initial, Loop)
                                                     : emitLoop(Initial, Loop));
  if (startsLate())
    Sums = emitStart(Sums, /*Before=*/nullptr);
  emitFinish(Sums);
}

/// \p Access, of the rows that exist.
CallInst *TileKernels::MicroKernel::existing(CallInst *Access) {
  return mayLackRows() ? withOperands(Access, ExistingRows, Arguments.Rows)
                       : Access;
}

/// \p Access, of the columns that exist.
CallInst *TileKernels::MicroKernel::inColumns(CallInst *Access) {
  if (!K.asksForColumns(Kind))
    return Access;
  return withOperands(Access, MovedColumns,
                      {Arguments.Columns, K.i64(Columns / 2)});
}

/// \p Access, of the wanted half.
CallInst *TileKernels::MicroKernel::wanted(CallInst *Access) {
  return Kind == MicroKind::Cut
             ? withOperands(Access, WantedElements,
                            {Arguments.Diagonal,
                             B.getInt1(K.Wanted == Half::Lower),
                             K.i64(K.ThePlan.VL)})
             : Access;
}

/// The elements of A in a step.
CallInst *TileKernels::MicroKernel::loadA(Value *At) {
  return existing(MatrixBuilder(B).CreateColumnMajorLoad(
      K.PanelTy, At, alignmentInPanel(), K.i64(Rows), /*IsVolatile=*/false,
      Rows, 1));
}

/// The elements of B in a step, \p Stride elements apart.
CallInst *TileKernels::MicroKernel::loadB(Value *At, Value *Stride) {
  Align Alignment = isOfWindows() ? alignmentInPlace() : alignmentInPanel();
  return inColumns(MatrixBuilder(B).CreateColumnMajorLoad(
      K.PanelTy, At, Alignment, Stride, /*IsVolatile=*/false, 1, Columns));
}

/// C of a tile that is turned: its rows are loaded as lines.
Value *TileKernels::MicroKernel::loadTurned() {
  MatrixBuilder Matrix(B);
  CallInst *Lines = Matrix.CreateColumnMajorLoad(
      K.Op.SumTy, Arguments.C, K.ElemAlign, elements(Arguments.StrideCn),
      /*IsVolatile=*/false, Columns, Rows);
  return Matrix.CreateMatrixTranspose(
      withOperands(Lines, ExistingColumns, existingLines()), Columns, Rows);
}

void TileKernels::MicroKernel::storeTurned(Value *Sum) {
  MatrixBuilder Matrix(B);
  Value *Lines = Matrix.CreateMatrixTranspose(Sum, Rows, Columns);
  CallInst *Store = Matrix.CreateColumnMajorStore(
      Lines, Arguments.C, K.ElemAlign, elements(Arguments.StrideCn),
      /*IsVolatile=*/false, Columns, Rows);
  Store = withOperands(Store, ExistingColumns, existingLines());
  if (Columns != K.ThePlan.NR)
    withOperands(Store, SkippedRows, Arguments.Shared);
}

Value *TileKernels::MicroKernel::loadTile(Value *Base, Value *Stride) {
  return wanted(existing(inColumns(MatrixBuilder(B).CreateColumnMajorLoad(
      K.Op.SumTy, Base, K.ElemAlign, elements(Stride),
      /*IsVolatile=*/false, Rows, Columns))));
}

void TileKernels::MicroKernel::storeTile(Value *Sum, Value *Base,
                                         Value *Stride) {
  auto Store = [&] {
    return inColumns(MatrixBuilder(B).CreateColumnMajorStore(
        Sum, Base, K.ElemAlign, elements(Stride), /*IsVolatile=*/false, Rows,
        Columns));
  };
  // Stores under a mask are slow on some CPUs, and keep later loads waiting.
  if (Kind == MicroKind::Any && K.hasMasks() && Rows == K.ThePlan.VL)
    K.emitIf(
        B.CreateICmpEQ(Arguments.Rows, K.i64(Rows)), "whole", [&] { Store(); },
        [&] { existing(Store()); });
  else
    wanted(existing(Store()));
}

/// What sums start from, or \p Sums and that; in blocks in front of \p Before.
Value *TileKernels::MicroKernel::emitStart(Value *Sums, BasicBlock *Before) {
  auto Added = [&](Value *Start) {
    return Sums ? B.CreateAdd(Start, Sums) : Start;
  };
  if (isTurned())
    return K.evaluate(K.Op.Start, Arguments.Scalars, Rows * Columns,
                      [&](Value *, Leaf) { return loadC(); });
  if (!K.asksForStart(Kind))
    return Added(loadC());
  BasicBlock *StartBB = block("start", Before);
  BasicBlock *ResumeBB = block("resume", Before);
  BasicBlock *EnterBB = block("enter", Before);
  Value *OldC = nullptr; // both start and resume from it
  if (K.SumsInC && !K.resumesFromC() && K.Op.Start.uses(Leaf::C))
    OldC = loadC();
  B.CreateCondBr(Arguments.First, StartBB, ResumeBB);
  B.SetInsertPoint(StartBB);
  Value *Started = Constant::getNullValue(TileTy);
  if (!K.resumesFromC())
    Started = K.evaluate(K.Op.Start, Arguments.Scalars, Rows * Columns,
                         [&](Value *, Leaf) { return OldC ? OldC : loadC(); });
  Started = Added(Started);
  B.CreateBr(EnterBB);
  B.SetInsertPoint(ResumeBB);
  Value *Resumed = OldC;
  if (!Resumed)
    Resumed = K.SumsInC ? loadC() : loadTile(Arguments.P, Arguments.StridePn);
  Resumed = Added(Resumed);
  B.CreateBr(EnterBB);
  B.SetInsertPoint(EnterBB);
  PHINode *Either = B.CreatePHI(TileTy, 2, "initial");
  Either->addIncoming(Started, StartBB);
  Either->addIncoming(Resumed, ResumeBB);
  return Either;
}

/// \p Sums plus what flipping the signs of A adds to each column, if they are.
Value *TileKernels::MicroKernel::corrected(Value *Sums) {
  if (!K.Correction)
    return Sums;
  auto Load = [&](Value *From, unsigned Count) -> Value * {
    return B.CreateAlignedLoad(FixedVectorType::get(K.Op.SumTy, Count), From,
                               Align(K.Size));
  };
  unsigned Moved = K.asksForColumns(Kind) ? Columns / 2 : 0;
  Value *OfColumns = Load(Arguments.Corrections, Columns - Moved);
  if (Moved) {
    Value *First = B.CreateSub(Arguments.Columns, K.i64(Moved));
    Value *OfMoved =
        Load(K.offset(Arguments.Corrections, First, K.i64(K.Size)), Moved);
    OfColumns = concatenateVectors(B, {OfColumns, OfMoved});
  }
  return B.CreateAdd(Sums, B.CreateShuffleVector(
                               OfColumns, createReplicatedMask(Rows, Columns)));
}

/// Stores what is made of \p Sums after the last block of K, and the sums
/// themselves after the others.
void TileKernels::MicroKernel::emitFinish(Value *Sums) {
  Value *Target = Arguments.C, *Stride = Arguments.StrideCn;
  auto Finished = [&] {
    return K.evaluate(
        K.Op.Finish, Arguments.Scalars, Rows * Columns,
        [&](Value *, Leaf Kind) { return Kind == Leaf::Sum ? Sums : loadC(); });
  };
  if (isTurned()) {
    storeTurned(K.SumsInC ? Sums : Finished());
    B.CreateRetVoid();
    return;
  }
  if (!K.SumsInC) {
    BasicBlock *SumsBB = B.GetInsertBlock();
    Value *Last = Arguments.Last;
    BasicBlock *FinishBB = block("finish"), *StoreBB = block("store");
    B.CreateCondBr(Last, FinishBB, StoreBB);
    B.SetInsertPoint(FinishBB);
    Value *Final = Finished();
    B.CreateBr(StoreBB);
    B.SetInsertPoint(StoreBB);
    PHINode *Either = B.CreatePHI(TileTy, 2, "result");
    Either->addIncoming(Final, FinishBB);
    Either->addIncoming(Sums, SumsBB);
    Sums = Either;
    Target = B.CreateSelect(Last, Target, Arguments.P);
    Stride = B.CreateSelect(Last, Stride, Arguments.StridePn);
  }
  storeTile(Sums, Target, Stride);
  B.CreateRetVoid();
}

} // namespace tilesmith
