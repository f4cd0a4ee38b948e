//===- StreamKernel.cpp - what becomes of the sums of rows ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "ElementTests.h"

using namespace llvm;

namespace tilesmith {

KernelBuilder::StreamKernel::StreamKernel(KernelBuilder &K)
    : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan), VL(ThePlan.VL),
      Width(ThePlan.Width), UnderWay(ThePlan.Width),
      VectorTy(FixedVectorType::get(Op.SumTy, VL)) {
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    if (isAlongK(T))
      Piece = ThePlan.stepsOfPiece(Op);
  StepsAtOnce = ThePlan.NR;
}

/// Strides that are known, so that addresses are, too.
void KernelBuilder::StreamKernel::setKnownStrides(Macro &X) {
  auto Set = [&](Value *&Stride, const Access &Of, Dim D) {
    if (Of.isUnit(D, K.DL))
      Stride = K.i64(sizeOf(Of));
    else if (Of.isReversed(D, K.DL))
      Stride = K.i64(-sizeOf(Of));
    else if (Of.isStep(D, 2 * sizeOf(Of)))
      Stride = K.i64(2 * sizeOf(Of));
  };
  Set(X.StrideCm, Op.C, tilesmith::M);
  for (auto [T, Of] : zip_equal(X.Terms, Op.Terms)) {
    Set(T.StrideAm, Of.A, tilesmith::M);
    Set(T.StrideAk, Of.A, tilesmith::K);
    Set(T.StrideBk, Of.B, tilesmith::K);
  }
}

/// Leaves products to the source's loops of which no vector or no piece of a
/// row can be loaded: the user may ask for kernels of all sizes.
void KernelBuilder::StreamKernel::emitWhereTooSmall(const Macro &X,
                                                    BasicBlock *Leave) {
  Value *HasFewRows = B.CreateICmpULT(X.M, K.i64(VL));
  Value *IsOther =
      isTriangle() ? hasWholeRows(X)
                   : B.CreateICmpULT(X.K, K.i64(makesUseOfSums() ? VL : Piece));
  K.leaveIf(B.CreateOr(HasFewRows, IsOther), Leave);
  if (!ThePlan.LeavesNear)
    return;
  Value *Bytes = bytesOfMatrix(X);
  Value *IsNear =
      B.CreateAnd(B.CreateICmpUGT(Bytes, K.i64(ThePlan.NearBytes)),
                  B.CreateICmpULE(Bytes, K.i64(2 * ThePlan.FarBytes)));
  // Unless the rows alone fill the first-level cache.
  Value *AreShort = B.CreateICmpULE(X.M, K.i64(ThePlan.NearBytes / 2 / K.Size));
  // Where they begin elsewhere than lines do, each store of the source's takes two.
  Value *At = B.CreatePtrToInt(X.C, B.getInt64Ty());
  Value *IsAligned =
      B.CreateIsNull(B.CreateAnd(At, K.i64(ThePlan.CacheLine - 1)));
  K.leaveIf(B.CreateAnd({IsNear, AreShort, IsAligned}), Leave);
}

/// Where a vector begins. The last one is moved up.
Value *KernelBuilder::StreamKernel::rowOf(const Macro &X, Value *Vector) {
  Value *Last = B.CreateSub(X.M, K.i64(VL));
  return K.umin(B.CreateMul(Vector, K.i64(VL)), Last);
}

/// The place of a vector's sums for a column of C in those of the block.
Value *KernelBuilder::StreamKernel::sumsOf(Value *Vector, Value *Column) {
  Value *Number = B.CreateSub(Vector, Begin);
  if (Width > 1)
    Number = B.CreateAdd(B.CreateMul(Number, K.i64(Width)), Column);
  return K.offset(Sums, Number, K.i64(VL * K.Size));
}

/// Does something for each of \p Count columns of C. Those that do not exist are
/// the last one.
void KernelBuilder::StreamKernel::emitColumnsOfC(const Macro &X, Value *Count,
                                                 ColumnBody Body) {
  if (Width == 1)
    return Body(X, K.i64(0));
  K.emitLoop(K.i64(0), Count, K.i64(1), "column", [&](Value *Column) {
    Macro Own = X;
    Value *Last = B.CreateSub(X.N, K.i64(1));
    Own.C = K.offset(X.C, K.umin(Column, Last), X.StrideCn);
    Body(Own, Column);
  });
}

/// A vector of C, from \p Row on; one element if \p Rows is zero.
Value *KernelBuilder::StreamKernel::loadC(const Macro &X, Value *Row,
                                          unsigned Rows) {
  Value *From = K.offset(X.C, Row, X.StrideCm);
  if (!Rows || K.AdjacentRowsOfC)
    return B.CreateAlignedLoad(Rows ? VectorTy : Op.SumTy, From, Op.C.Alignment,
                               "c");
  Value *Loaded = PoisonValue::get(VectorTy);
  for (unsigned I = 0; I < VL; ++I) {
    Value *Element = B.CreateAlignedLoad(
        Op.SumTy, K.offset(From, K.i64(I), X.StrideCm), Op.C.Alignment, "c");
    Loaded = B.CreateInsertElement(Loaded, Element, I);
  }
  return Loaded;
}

void KernelBuilder::StreamKernel::storeC(const Macro &X, Value *Row,
                                         unsigned Rows, Value *Sums) {
  Value *To = K.offset(X.C, Row, X.StrideCm);
  if (!Rows || K.AdjacentRowsOfC) {
    B.CreateAlignedStore(Sums, To, Op.C.Alignment);
    return;
  }
  for (unsigned I = 0; I < VL; ++I) {
    Value *Element = B.CreateExtractElement(Sums, I);
    B.CreateAlignedStore(Element, K.offset(To, K.i64(I), X.StrideCm),
                         Op.C.Alignment);
  }
}

void KernelBuilder::StreamKernel::emitStarts(const Macro &X, Value *Column) {
  K.emitLoop(Begin, End, K.i64(1), "start", [&](Value *Vector) {
    Value *Sum = sumsOf(Vector, Column);
    if (Op.Start.uses(Leaf::C) && inElements()) {
      Value *First = rowOf(X, Vector);
      K.emitLoop(K.i64(0), K.i64(VL), K.i64(1), "row", [&](Value *Lane) {
        emitStart(X, B.CreateAdd(First, Lane), /*Rows=*/0,
                  K.offset(Sum, Lane, K.i64(K.Size)));
      });
      return;
    }
    emitStart(X, rowOf(X, Vector), VL, Sum);
  });
}

/// What the sums of a vector of rows, or of one if \p Rows is zero, start from.
/// That of further operands has been stored to C.
Value *KernelBuilder::StreamKernel::initialSums(const Macro &X, Value *Row,
                                                unsigned Rows) {
  if (!Op.StartOperands.empty())
    return loadC(X, Row, Rows);
  Value *C = Op.Start.uses(Leaf::C) ? loadC(X, Row, Rows) : nullptr;
  return K.evaluate(Op.Start, X.Arguments->Scalars, Rows, C, nullptr);
}

/// Sets the sums of a vector of rows, or of one if \p Rows is zero, at \p To.
void KernelBuilder::StreamKernel::emitStart(const Macro &X, Value *Row,
                                            unsigned Rows, Value *To) {
  B.CreateAlignedStore(initialSums(X, Row, Rows), To, Align(K.Size));
}

/// Stores what becomes of the sums of a vector of rows, or of one.
void KernelBuilder::StreamKernel::emitFinish(const Macro &X, Value *Row,
                                             unsigned Rows, Value *Sum) {
  Value *C = Op.Finish.uses(Leaf::C) ? loadC(X, Row, Rows) : nullptr;
  storeC(X, Row, Rows,
         K.evaluate(Op.Finish, X.Arguments->Scalars, Rows, C, Sum));
}

/// Stores what becomes of the sums at \p Sums of rows from \p First on: of those
/// from \p Begin to \p End, row by row.
void KernelBuilder::StreamKernel::emitFinishesOfRows(const Macro &X,
                                                     Value *Begin, Value *End,
                                                     Value *First,
                                                     Value *Sums) {
  K.emitLoop(Begin, End, K.i64(1), "row", [&](Value *Row) {
    Value *From = K.offset(Sums, B.CreateSub(Row, First), K.i64(K.Size));
    emitFinish(X, Row, /*Rows=*/0,
               B.CreateAlignedLoad(Op.SumTy, From, Align(K.Size)));
  });
}

/// Those that only the last vector has, if \p HasRest says that there are some.
void KernelBuilder::StreamKernel::emitFinishesOfRest(const Macro &X,
                                                     Value *HasRest,
                                                     Value *Sums) {
  K.emitIf(HasRest, "last", [&] {
    emitFinishesOfRows(X, K.alignDown(X.M, VL), X.M,
                       B.CreateSub(X.M, K.i64(VL)), Sums);
  });
}

/// Stores what becomes of the sums: vector by vector, and the rows that only
/// the last one has row by row.
void KernelBuilder::StreamKernel::emitFinishes(const Macro &X, Value *Column) {
  Value *NumWhole = B.CreateUDiv(X.M, K.i64(VL));
  Value *EndOfWhole = K.umin(End, NumWhole);
  K.emitLoop(Begin, EndOfWhole, K.i64(1), "finish", [&](Value *Vector) {
    Value *Row = B.CreateMul(Vector, K.i64(VL));
    Value *From = sumsOf(Vector, Column);
    if (inElements())
      emitFinishesOfRows(X, Row, B.CreateAdd(Row, K.i64(VL)), Row, From);
    else
      emitFinish(X, Row, VL,
                 B.CreateAlignedLoad(VectorTy, From, Align(K.Size)));
  });
  emitFinishesOfRest(X, B.CreateICmpULT(NumWhole, End),
                     sumsOf(NumWhole, Column));
}

/// Vectors on the stack.
AllocaInst *KernelBuilder::StreamKernel::allocateVectors(uint64_t Count,
                                                         StringRef Name) {
  auto *Result = B.CreateAlloca(ArrayType::get(VectorTy, Count), nullptr, Name);
  Result->setAlignment(Align(CacheLine));
  return Result;
}

/// The block of rows from Begin to End. Goes to \p WhereNaN, if given, before
/// anything is stored, if a sum is NaN.
void KernelBuilder::StreamKernel::emitBlock(const Macro &X,
                                            BasicBlock *WhereNaN) {
  if (staysInRegisters())
    return emitPanelsInRegisters(X);
  emitColumnsOfC(X, K.i64(Width), [&](const Macro &Own, Value *Column) {
    emitStarts(Own, Column);
  });
  if (isTriangle() && isFrom())
    emitCorners(X);
  if (isSweep())
    emitSweeps(X);
  else
    emitPanels(X);
  if (isTriangle() && !isFrom())
    emitCorners(X);
  if (WhereNaN)
    leaveIfNaN(X, WhereNaN);
  emitColumnsOfC(X, X.N, [&](const Macro &Own, Value *Column) {
    emitFinishes(Own, Column);
  });
}

/// All blocks of rows; all rows at once, if a NaN has to be found first, or if no
/// sums are in memory.
void KernelBuilder::StreamKernel::emitBlocks(const Macro &X,
                                             uint64_t VectorsOfBlock,
                                             BasicBlock *WhereNaN) {
  Value *NumVectors = K.ceilDiv(X.M, K.i64(VL));
  if (WhereNaN || staysInRegisters()) {
    Begin = K.i64(0);
    End = NumVectors;
    return emitBlock(X, WhereNaN);
  }
  K.emitLoop(
      K.i64(0), NumVectors, K.i64(VectorsOfBlock), "block", [&](Value *Block) {
        Begin = Block;
        End = K.umin(B.CreateAdd(Block, K.i64(VectorsOfBlock)), NumVectors);
        emitBlock(X, /*WhereNaN=*/nullptr);
      });
}

Function *KernelBuilder::StreamKernel::build() {
  KernelArguments Arguments;
  StringRef Name = Width == 1 ? "gemv" : "thin";
  Function *F =
      K.createFunction(Name, B.getInt1Ty(),
                       parametersOfKernel(Arguments, K.View, K.interface()));
  F->addFnAttr(Attribute::NoImplicitFloat);
  // A longer part of each column goes by at once; rows have no use for that.
  uint64_t Bytes = isSweep()    ? 2 * MaxStackBytes
                   : Width == 1 ? MaxStackBytes
                                : bytesOfThinSums();
  uint64_t VectorsOfBlock =
      staysInRegisters() ? 1 : Bytes / (VL * K.Size * Width);
  Sums = allocateVectors(VectorsOfBlock * Width, "sums");
  if (Width > 1)
    allocateThin();
  Macro X = K.macroOf(*F, Arguments);
  setKnownStrides(X);
  const Macro Whole = X;
  if (makesTransposedCorners()) {
    BasicBlock *Corners = BasicBlock::Create(K.Ctx, "corners", F);
    K.leaveIf(B.CreateIsNotNull(Arguments.Transposed.Corner), Corners);
    IRBuilderBase::InsertPointGuard Others(B);
    B.SetInsertPoint(Corners);
    emitTransposedCorners(X);
    B.CreateRet(B.getTrue());
  }
  std::pair<Value *, Value *> WithoutSteps;
  if (isTriangle())
    WithoutSteps = emitTrim(X, Arguments);
  BasicBlock *Leave = BasicBlock::Create(K.Ctx, "leave", F);
  emitWhereTooSmall(X, Leave);
  ElementTests(K, X).emitZeroTests();
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    if (isTable(T)) {
      emitWhereTableMeetsC(X, T, Leave);
      estimateStride(X, T);
    }
  if (Width > 1)
    emitColumnsOfB(X);
  if (!Op.StartOperands.empty())
    K.emitStart(X, {K.i64(0), K.i64(0), X.M, K.i64(1)});
  BasicBlock *WhereNaN = nullptr;
  if (Op.isTestedForNaN()) {
    WhereNaN = BasicBlock::Create(K.Ctx, "nan", F);
    allocateAllSums(X);
  }
  emitBlocks(X, VectorsOfBlock, WhereNaN);
  // In place, they are read before.
  if (isTriangle() && Op.Domain->StoresEmpty)
    emitRowsWithoutSteps(Whole, WithoutSteps);
  if (X.Memory)
    K.emitIf(B.CreateIsNotNull(X.Memory), "free",
             [&] { K.emitFree(X.Memory); });
  K.emitEpilogue(X, {K.i64(0), K.i64(0), X.M, K.i64(1)});
  B.CreateRet(B.getTrue());
  if (WhereNaN) {
    B.SetInsertPoint(WhereNaN);
    K.emitIf(B.CreateIsNotNull(X.Memory), "free",
             [&] { K.emitFree(X.Memory); });
    B.CreateBr(Leave);
  }
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
  return K.unify(F);
}

Function *KernelBuilder::buildStreamKernel() {
  return StreamKernel(*this).build();
}

} // namespace tilesmith
