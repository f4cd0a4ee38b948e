//===- MMLA.cpp - squares of sums in vector registers ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AArch64's smmla, ummla, usmmla and bfmmla multiply 2 rows of 64 bits, which
// are 8 bytes or 4 bfloats each, by 2 columns of 64 bits, and add to a register
// of 2 x 2 sums. So a group is 64 bits, and an accumulator, of 4 rows and 2
// columns, is two registers:
//
//   rows 0 and 1 of column 0, then of column 1
//   rows 2 and 3 of column 0, then of column 1
//
// The first factor of the instruction is columns of B, so that sums of a column
// are adjacent. usmmla wants that one without a sign; if it is A that has none,
// accumulators are transposed.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/MatrixUnit.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

namespace {

class MMLA final : public MatrixUnit {
public:
  // 24 of the 32 registers hold sums.
  MMLA()
      : MatrixUnit({"NEON MMLA", /*GroupBits=*/64},
                   {/*Accumulators=*/12, /*Columns=*/2, /*Bits=*/128,
                    /*Shared=*/24,
                    /*LoadsPairs=*/false}) {}

  bool isOn(const Function &F) const override {
    const Triple &Target = F.getParent()->getTargetTriple();
    return Target.isAArch64() && Target.isLittleEndian() && !isStreaming(F) &&
           hasFeature(F, "neon") &&
           (hasFeature(F, "i8mm") || hasFeature(F, "bf16"));
  }
  bool multiplies(const NarrowProduct &Groups,
                  const Function &F) const override;
  bool isAllowed(const NarrowProduct &Groups, const Function &,
                 FastMathFlags Flags) const override {
    // bfmmla rounds to odd, and flushes denormal numbers.
    return !Groups.isReassociated() || Flags.isFast();
  }
  bool isTransposed(const NarrowProduct &Groups) const override {
    return Groups.B.IsSigned && !Groups.A.IsSigned &&
           Groups.A.Ty->isIntegerTy();
  }
  Type *getType(FixedVectorType *RegisterTy) const override {
    return FixedVectorType::get(RegisterTy->getElementType(), 8);
  }
  Value *make(IRBuilderBase &B, ArrayRef<Value *> Registers) const override {
    return B.CreateShuffleVector(Registers[0], Registers[1], Exchanged);
  }
  SmallVector<Value *, 0> take(IRBuilderBase &B, Value *Accumulator,
                               Type *) const override;
  Value *multiplyAdd(IRBuilderBase &B, Value *Sum, Value *Column,
                     ArrayRef<Value *> Row,
                     const std::optional<NarrowProduct> &Groups) const override;

private:
  /// Columns of rows, or rows of columns.
  static constexpr int Exchanged[] = {0, 1, 4, 5, 2, 3, 6, 7};
};

} // namespace

const Engine &getMMLA() {
  static const MMLA Unit;
  return Unit;
}

static Intrinsic::ID findInstruction(const NarrowProduct &Of) {
  if (Of.A.Ty != Of.B.Ty || Of.GroupBits != 64)
    return Intrinsic::not_intrinsic;
  if (Of.A.Ty->isBFloatTy() && Of.SumTy->isFloatTy())
    return Intrinsic::aarch64_neon_bfmmla;
  if (!Of.A.Ty->isIntegerTy(8) || !Of.SumTy->isIntegerTy(32))
    return Intrinsic::not_intrinsic;
  return Of.A.IsSigned != Of.B.IsSigned ? Intrinsic::aarch64_neon_usmmla
         : Of.A.IsSigned                ? Intrinsic::aarch64_neon_smmla
                                        : Intrinsic::aarch64_neon_ummla;
}

bool MMLA::multiplies(const NarrowProduct &Groups, const Function &F) const {
  return findInstruction(Groups) != Intrinsic::not_intrinsic &&
         hasFeature(F, Groups.isReassociated() ? "bf16" : "i8mm");
}

/// Half number \p I of \p V.
static Value *halfOf(IRBuilderBase &B, Value *V, unsigned I) {
  unsigned Lanes = cast<FixedVectorType>(V->getType())->getNumElements() / 2;
  return B.CreateShuffleVector(V, createSequentialMask(I * Lanes, Lanes, 0));
}

SmallVector<Value *, 0> MMLA::take(IRBuilderBase &B, Value *Accumulator,
                                   Type *) const {
  Value *Columns = B.CreateShuffleVector(Accumulator, Exchanged);
  return {halfOf(B, Columns, 0), halfOf(B, Columns, 1)};
}

Value *MMLA::multiplyAdd(IRBuilderBase &B, Value *Sum, Value *Column,
                         ArrayRef<Value *> Row,
                         const std::optional<NarrowProduct> &Groups) const {
  auto *RegisterTy = FixedVectorType::get(Groups->SumTy, 4);
  auto *NarrowTy = FixedVectorType::get(Groups->A.Ty, 2 * Groups->steps());
  if (!Sum)
    Sum = Constant::getNullValue(getType(RegisterTy));
  Value *Halves[2];
  for (unsigned I : {0, 1}) {
    Value *First = B.CreateBitCast(Row.front(), NarrowTy);
    Value *Second = B.CreateBitCast(halfOf(B, Column, I), NarrowTy);
    if (isTransposed(*Groups))
      std::swap(First, Second);
    Halves[I] = B.CreateIntrinsic(RegisterTy, findInstruction(*Groups),
                                  {halfOf(B, Sum, I), First, Second});
  }
  return concatenateVectors(B, Halves);
}

} // namespace tilesmith
