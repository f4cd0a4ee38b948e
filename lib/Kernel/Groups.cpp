//===- Groups.cpp - the elements of packed panels -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a panel is an element of a factor, as the source computes it
// from memory. If factors stay narrow, for dot products (DotProduct.h), it is a
// group of them: of one row or column, at successive steps. An instruction may
// want a sign where the source has none, or the other way round. Then the sign
// bit of A's elements is flipped, and the sums are corrected for that.
//
//===----------------------------------------------------------------------===//

#include "TileKernels.h"
#include "tilesmith/Target/TileRegisters.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MatrixBuilder.h"

using namespace llvm;

namespace tilesmith {

Value *KernelFrame::mapped(const Operand &X, Value *Scalars, Value *Elements,
                           unsigned Width) {
  if (!ThePlan.Narrow)
    return elements(X.Map, Scalars, Width, Elements);
  Type *Ty = Elements->getType()->getWithNewType(
      ThePlan.Narrow->Packed.A.Ty); // B's is the same
  if (Ty->isIntOrIntVectorTy())
    Elements = isa<SExtInst>(X.Map.Root) ? B.CreateSExt(Elements, Ty)
                                         : B.CreateZExt(Elements, Ty);
  if (ThePlan.Narrow->FlipsA && X.P == M)
    Elements = B.CreateXor(
        Elements,
        ConstantInt::get(Ty, APInt::getSignMask(Ty->getScalarSizeInBits())));
  return Elements;
}

Value *KernelFrame::groupsOf(Value *Steps) {
  if (groupSteps() == 1)
    return Steps;
  Value *Groups = ceilDiv(Steps, i64(groupSteps()));
  return ThePlan.inSquares() ? alignUp(Groups, ThePlan.Engine->PanelEdge)
                             : Groups;
}

Value *KernelFrame::joinedSteps(ArrayRef<Value *> Steps, unsigned Width) {
  // In long registers, shuffles of two of them begin one in a cycle; shifts and
  // loads that widen do not keep them waiting. (Sapphire Rapids: five cycles for
  // 64 bytes instead of eleven.)
  if (ThePlan.VectorBits >= 512) {
    Value *All = nullptr;
    for (auto [I, Step] : enumerate(Steps)) {
      unsigned Bits = Step->getType()->getScalarSizeInBits();
      Value *Part =
          B.CreateBitCast(Step, FixedVectorType::get(B.getIntNTy(Bits), Width));
      Part = B.CreateZExt(
          Part, FixedVectorType::get(B.getIntNTy(Bits * Steps.size()), Width));
      Part = B.CreateShl(Part, I * Bits);
      All = All ? B.CreateOr(All, Part) : Part;
    }
    return B.CreateBitCast(All, FixedVectorType::get(PanelTy, Width));
  }
  Value *All = B.CreateShuffleVector(concatenateVectors(B, Steps),
                                     createInterleaveMask(Width, Steps.size()));
  return B.CreateBitCast(All, FixedVectorType::get(PanelTy, Width));
}

/// The factor of llvm.matrix.multiply that groups are, as in DotProduct.h, or
/// in TileRegisters.h.
Value *KernelFrame::widened(Value *Groups, const NarrowType &Type,
                            bool IsLeft) {
  unsigned Count = cast<FixedVectorType>(Groups->getType())->getNumElements();
  unsigned NumElements = Count * groupSteps();
  Value *V =
      B.CreateBitCast(Groups, FixedVectorType::get(Type.Ty, NumElements));
  if (IsLeft && ThePlan.inSquares())
    V = B.CreateShuffleVector(
        V, stepwiseMask(SquareEdge, groupSteps(), Count / SquareEdge));
  else if (IsLeft)
    V = MatrixBuilder(B).CreateMatrixTranspose(V, groupSteps(), Count);
  auto *WideTy = FixedVectorType::get(Op.SumTy, NumElements);
  if (Op.SumTy->isFloatingPointTy())
    return B.CreateFPExt(V, WideTy);
  return Type.IsSigned ? B.CreateSExt(V, WideTy) : B.CreateZExt(V, WideTy);
}

/// Sums as they are between the steps of a block.
Value *KernelFrame::negatedIfSubtracted(Value *Sums) {
  if (!ThePlan.Narrow || !ThePlan.Narrow->Subtracts)
    return Sums;
  return Op.SumTy->isFloatingPointTy() ? B.CreateFNeg(Sums) : B.CreateNeg(Sums);
}

/// void tilesmith.correct(ptr sliver, i64 bytes from group to group, i64
/// groups, ptr corrections): what is to be added to the sums of each column, as
/// the sign bit of A's elements is flipped. If these are signed, a = a' - 2^7,
/// so that a * b = a' * b - 2^7 * b; if not, a = a' + 2^7.
Function *TileKernels::buildCorrection() {
  CorrectionArguments Arguments;
  Function *F =
      createFunction("correct", B.getVoidTy(), parametersOf(Arguments));
  const NarrowProduct &Packed = ThePlan.Narrow->Packed;
  auto *SumsTy = FixedVectorType::get(Op.SumTy, ThePlan.NR);
  Constant *Ones =
      ConstantInt::get(FixedVectorType::get(Op.SumTy, groupSteps()), 1);
  // The sums of several runs of Count groups each, next to each other: one
  // addition need not wait for the other.
  auto EmitSums = [&](Value *From, Value *Count, unsigned Runs) {
    BasicBlock *Entry = B.GetInsertBlock();
    BasicBlock *Head = BasicBlock::Create(Ctx, "head", F);
    BasicBlock *Body = BasicBlock::Create(Ctx, "group", F);
    BasicBlock *Done = BasicBlock::Create(Ctx, "done", F);
    Value *Stride = Arguments.Stride, *Run = B.CreateMul(Count, Stride);
    B.CreateBr(Head);
    B.SetInsertPoint(Head);
    PHINode *Group = B.CreatePHI(I64, 2), *Place = B.CreatePHI(Ptr, 2);
    Group->addIncoming(i64(0), Entry);
    Place->addIncoming(From, Entry);
    SmallVector<PHINode *, 4> Sums;
    for (unsigned I = 0; I < Runs; ++I) {
      Sums.push_back(B.CreatePHI(SumsTy, 2, "sums"));
      Sums[I]->addIncoming(Constant::getNullValue(SumsTy), Entry);
    }
    B.CreateCondBr(B.CreateICmpULT(Group, Count), Body, Done);
    B.SetInsertPoint(Body);
    for (unsigned I = 0; I < Runs; ++I) {
      Value *Groups =
          B.CreateAlignedLoad(FixedVectorType::get(PanelTy, ThePlan.NR),
                              offset(Place, i64(I), Run), Align(PanelSize));
      Value *Next =
          B.CreateAdd(Sums[I], MatrixBuilder(B).CreateMatrixMultiply(
                                   widened(Groups, Packed.B, /*IsLeft=*/true),
                                   Ones, ThePlan.NR, groupSteps(), 1));
      Sums[I]->addIncoming(Next, Body);
    }
    Group->addIncoming(B.CreateNUWAdd(Group, i64(1)), Body);
    Place->addIncoming(B.CreatePtrAdd(Place, Stride), Body);
    setLoopHints(*B.CreateBr(Head), 1);
    B.SetInsertPoint(Done);
    Value *All = Sums[0];
    for (Value *Other : drop_begin(Sums))
      All = B.CreateAdd(All, Other);
    return All;
  };
  constexpr unsigned Runs = 4;
  Value *Groups = Arguments.Groups, *Whole = alignDown(Groups, Runs);
  Value *Sums =
      EmitSums(Arguments.Sliver, B.CreateUDiv(Groups, i64(Runs)), Runs);
  Value *Rest = offset(Arguments.Sliver, Whole, Arguments.Stride);
  Sums = B.CreateAdd(Sums, EmitSums(Rest, B.CreateSub(Groups, Whole), 1));
  // A' is what is packed.
  int64_t Bias = int64_t(1) << (Packed.A.Ty->getScalarSizeInBits() - 1);
  B.CreateAlignedStore(
      B.CreateMul(Sums, ConstantInt::getSigned(
                            SumsTy, Packed.A.IsSigned ? Bias : -Bias)),
      Arguments.Corrections, Align(Size));
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
