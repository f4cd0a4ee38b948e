//===- StreamKernel.cpp - what becomes of the sums of rows ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"

using namespace llvm;

namespace tilesmith {

KernelBuilder::StreamKernel::StreamKernel(KernelBuilder &K)
    : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan), VL(ThePlan.VL),
      VectorTy(FixedVectorType::get(Op.SumTy, VL)) {
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    if (isAlongK(T))
      Piece = ThePlan.stepsOfPiece();
}

/// Strides that are known, so that addresses are, too.
void KernelBuilder::StreamKernel::setKnownStrides(Macro &X) {
  auto Set = [&](Value *&Stride, const Access &Of, Dim D) {
    if (Of.isUnit(D, K.DL))
      Stride = K.i64(sizeOf(Of));
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
  Value *HasFewSteps = B.CreateICmpULT(X.K, K.i64(Piece));
  K.leaveIf(B.CreateOr(HasFewRows, HasFewSteps), Leave);
}

/// Where a vector begins. The last one is moved up.
Value *KernelBuilder::StreamKernel::rowOf(const Macro &X, Value *Vector) {
  Value *Last = B.CreateSub(X.M, K.i64(VL));
  return K.umin(B.CreateMul(Vector, K.i64(VL)), Last);
}

/// The place of a vector's sums in those of the block.
Value *KernelBuilder::StreamKernel::sumsOf(Value *Vector) {
  return K.offset(Sums, B.CreateSub(Vector, Begin), K.i64(VL * K.Size));
}

/// A vector of C, from \p Row on.
Value *KernelBuilder::StreamKernel::loadC(const Macro &X, Value *Row) {
  Value *From = K.offset(X.C, Row, X.StrideCm);
  if (K.AdjacentRowsOfC)
    return B.CreateAlignedLoad(VectorTy, From, Op.C.Alignment, "c");
  Value *Loaded = PoisonValue::get(VectorTy);
  for (unsigned I = 0; I < VL; ++I) {
    Value *Element = B.CreateAlignedLoad(
        Op.SumTy, K.offset(From, K.i64(I), X.StrideCm), Op.C.Alignment, "c");
    Loaded = B.CreateInsertElement(Loaded, Element, I);
  }
  return Loaded;
}

void KernelBuilder::StreamKernel::storeC(const Macro &X, Value *Row,
                                         Value *Sums) {
  Value *To = K.offset(X.C, Row, X.StrideCm);
  if (K.AdjacentRowsOfC) {
    B.CreateAlignedStore(Sums, To, Op.C.Alignment);
    return;
  }
  for (unsigned I = 0; I < VL; ++I) {
    Value *Element = B.CreateExtractElement(Sums, I);
    B.CreateAlignedStore(Element, K.offset(To, K.i64(I), X.StrideCm),
                         Op.C.Alignment);
  }
}

void KernelBuilder::StreamKernel::emitStarts(const Macro &X) {
  K.emitLoop(Begin, End, K.i64(1), "start", [&](Value *Vector) {
    Value *C = nullptr;
    if (Op.Start.uses(Leaf::C))
      C = loadC(X, rowOf(X, Vector));
    Value *Initial = K.evaluate(Op.Start, X.Arguments->Scalars, VL, C, nullptr);
    B.CreateAlignedStore(Initial, sumsOf(Vector), Align(K.Size));
  });
}

/// Stores what becomes of the sums: vector by vector, and the rows that only
/// the last one has row by row.
void KernelBuilder::StreamKernel::emitFinishes(const Macro &X) {
  Value *NumWhole = B.CreateUDiv(X.M, K.i64(VL));
  Value *EndOfWhole = K.umin(End, NumWhole);
  K.emitLoop(Begin, EndOfWhole, K.i64(1), "finish", [&](Value *Vector) {
    Value *Sum = B.CreateAlignedLoad(VectorTy, sumsOf(Vector), Align(K.Size));
    Value *Row = B.CreateMul(Vector, K.i64(VL));
    Value *C = nullptr;
    if (Op.Finish.uses(Leaf::C))
      C = loadC(X, Row);
    storeC(X, Row, K.evaluate(Op.Finish, X.Arguments->Scalars, VL, C, Sum));
  });
  Value *HasLast = B.CreateICmpULT(NumWhole, End);
  K.emitIf(HasLast, "last", [&] {
    Value *FirstOfLast = B.CreateSub(X.M, K.i64(VL));
    Value *SumsOfLast = sumsOf(NumWhole);
    Value *First = B.CreateMul(NumWhole, K.i64(VL));
    K.emitLoop(First, X.M, K.i64(1), "row", [&](Value *Row) {
      Value *Lane = B.CreateSub(Row, FirstOfLast);
      Value *Sum = B.CreateAlignedLoad(
          Op.SumTy, K.offset(SumsOfLast, Lane, K.i64(K.Size)), Align(K.Size));
      Value *At = K.offset(X.C, Row, X.StrideCm), *C = nullptr;
      if (Op.Finish.uses(Leaf::C))
        C = B.CreateAlignedLoad(Op.SumTy, At, Op.C.Alignment, "c");
      Value *Final =
          K.evaluate(Op.Finish, X.Arguments->Scalars, /*Width=*/0, C, Sum);
      B.CreateAlignedStore(Final, At, Op.C.Alignment);
    });
  });
}

Function *KernelBuilder::StreamKernel::build() {
  KernelArguments Arguments;
  Function *F =
      K.createFunction("gemv", B.getInt1Ty(),
                       parametersOfKernel(Arguments, K.View, K.interface()));
  F->addFnAttr(Attribute::NoImplicitFloat);
  uint64_t VectorsOfBlock = MaxStackBytes / (VL * K.Size);
  Sums =
      B.CreateAlloca(ArrayType::get(VectorTy, VectorsOfBlock), nullptr, "sums");
  Sums->setAlignment(Align(CacheLine));
  Macro X = K.macroOf(*F, Arguments);
  setKnownStrides(X);
  BasicBlock *Leave = BasicBlock::Create(K.Ctx, "leave", F);
  emitWhereTooSmall(X, Leave);
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    if (isTable(T)) {
      emitWhereTableMeetsC(X, T, Leave);
      estimateStride(X, T);
    }
  Value *NumVectors = K.ceilDiv(X.M, K.i64(VL));
  bool IsSweep = true;
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    IsSweep &= isAlongM(T);
  K.emitLoop(
      K.i64(0), NumVectors, K.i64(VectorsOfBlock), "block", [&](Value *Block) {
        Begin = Block;
        End = K.umin(B.CreateAdd(Block, K.i64(VectorsOfBlock)), NumVectors);
        emitStarts(X);
        if (IsSweep)
          emitSweeps(X);
        else
          emitPanels(X);
        emitFinishes(X);
      });
  K.emitEpilogue(X, {K.i64(0), K.i64(0), X.M, K.i64(1)});
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
  return K.unify(F);
}

Function *KernelBuilder::buildStreamKernel() {
  return StreamKernel(*this).build();
}

} // namespace tilesmith
