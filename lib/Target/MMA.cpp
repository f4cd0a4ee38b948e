//===- MMA.cpp - POWER10's accumulators -----------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Matrix-Multiply Assist of POWER10 has eight accumulators of 512 bits,
// each in place of four vector registers. An instruction xv...gerpp multiplies
// each element of its first factor by all of its second one, and adds to a row
// of the accumulator for each element of the first. So the first factor is a
// row of B, and the rows of the accumulator are columns of C. Of doubles, the
// first factor is a pair of registers.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/MatrixUnit.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/IntrinsicsPowerPC.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

namespace {

class MMA final : public MatrixUnit {
public:
  MMA()
      : MatrixUnit({"MMA", /*GroupBits=*/32},
                   {/*Accumulators=*/8, /*Columns=*/4, /*Bits=*/128,
                    /*Shared=*/32,
                    /*LoadsPairs=*/true}) {}

  bool isOn(const Function &F) const override {
    return F.getParent()->getTargetTriple().isPPC64() && hasFeature(F, "mma") &&
           hasFeature(F, "vsx") && hasFeature(F, "paired-vector-memops");
  }
  bool multiplies(const Type *Ty) const override;
  bool multiplies(const NarrowProduct &Groups,
                  const Function &F) const override;
  bool isAllowed(const NarrowProduct &Groups, const Function &F,
                 FastMathFlags Flags) const override {
    return !Groups.isReassociated() || Flags.allowReassoc();
  }
  bool isTransposed(const NarrowProduct &Groups) const override {
    return Groups.A.Ty->isIntegerTy(8) && Groups.A.IsSigned;
  }
  std::pair<Value *, Value *> loadPair(IRBuilderBase &B, Value *Pointer,
                                       Type *Ty,
                                       const AAMDNodes &AA) const override;
  Type *getType(FixedVectorType *RegisterTy) const override {
    return FixedVectorType::get(Type::getInt1Ty(RegisterTy->getContext()), 512);
  }
  Value *make(IRBuilderBase &B, ArrayRef<Value *> Registers) const override;
  SmallVector<Value *, 0> take(IRBuilderBase &B, Value *Accumulator,
                               Type *Ty) const override;
  Value *multiplyAdd(IRBuilderBase &B, Value *Sum, Value *Column,
                     ArrayRef<Value *> Row,
                     const std::optional<NarrowProduct> &Groups) const override;
};

/// An instruction that multiplies, and adds or does not.
struct Outer {
  Intrinsic::ID Alone, Added;
};

} // namespace

const Engine &getMMA() {
  static const MMA Unit;
  return Unit;
}

static std::optional<Outer> findOuter(const Type *Ty) {
  if (Ty->isFloatTy())
    return Outer{Intrinsic::ppc_mma_xvf32ger, Intrinsic::ppc_mma_xvf32gerpp};
  if (Ty->isDoubleTy())
    return Outer{Intrinsic::ppc_mma_xvf64ger, Intrinsic::ppc_mma_xvf64gerpp};
  return std::nullopt;
}

static std::optional<Outer> findOuter(const NarrowProduct &Of) {
  if (Of.A.Ty != Of.B.Ty || Of.GroupBits != 32)
    return std::nullopt;
  bool ToFloat = Of.SumTy->isFloatTy(), ToInt = Of.SumTy->isIntegerTy(32);
  if (ToFloat && Of.A.Ty->isBFloatTy())
    return Outer{Intrinsic::ppc_mma_xvbf16ger2,
                 Intrinsic::ppc_mma_xvbf16ger2pp};
  if (ToFloat && Of.A.Ty->isHalfTy())
    return Outer{Intrinsic::ppc_mma_xvf16ger2, Intrinsic::ppc_mma_xvf16ger2pp};
  if (ToInt && Of.A.Ty->isIntegerTy(16) && Of.A.IsSigned && Of.B.IsSigned)
    return Outer{Intrinsic::ppc_mma_xvi16ger2, Intrinsic::ppc_mma_xvi16ger2pp};
  if (ToInt && Of.A.Ty->isIntegerTy(4) && Of.A.IsSigned && Of.B.IsSigned)
    return Outer{Intrinsic::ppc_mma_xvi4ger8, Intrinsic::ppc_mma_xvi4ger8pp};
  // The first factor is signed, the second one is not.
  if (ToInt && Of.A.Ty->isIntegerTy(8) && Of.A.IsSigned != Of.B.IsSigned)
    return Outer{Intrinsic::ppc_mma_xvi8ger4, Intrinsic::ppc_mma_xvi8ger4pp};
  return std::nullopt;
}

bool MMA::multiplies(const Type *Ty) const { return findOuter(Ty).has_value(); }

bool MMA::multiplies(const NarrowProduct &Groups, const Function &) const {
  return findOuter(Groups).has_value();
}

static bool isLittleEndian(IRBuilderBase &B) {
  return B.GetInsertBlock()->getDataLayout().isLittleEndian();
}

static Value *toBytes(IRBuilderBase &B, Value *V) {
  return B.CreateBitCast(V, FixedVectorType::get(B.getInt8Ty(), 16));
}

Value *MMA::make(IRBuilderBase &B, ArrayRef<Value *> Registers) const {
  if (all_of(Registers, [](Value *V) {
        auto *C = dyn_cast<Constant>(V);
        return C && C->isNullValue();
      }))
    return B.CreateIntrinsic(Intrinsic::ppc_mma_xxsetaccz, {});
  SmallVector<Value *, 4> Args;
  for (Value *V : Registers)
    Args.push_back(toBytes(B, V));
  // Rows are numbered from the last register on, but only when they are taken.
  if (isLittleEndian(B))
    std::reverse(Args.begin(), Args.end());
  return B.CreateIntrinsic(Intrinsic::ppc_mma_assemble_acc, Args);
}

std::pair<Value *, Value *> MMA::loadPair(IRBuilderBase &B, Value *Pointer,
                                          Type *Ty, const AAMDNodes &AA) const {
  CallInst *Pair = B.CreateIntrinsic(Intrinsic::ppc_vsx_lxvp, {Pointer});
  Pair->setAAMetadata(AA);
  Value *Both = B.CreateIntrinsic(Intrinsic::ppc_vsx_disassemble_pair, {Pair});
  return {B.CreateBitCast(B.CreateExtractValue(Both, 0), Ty),
          B.CreateBitCast(B.CreateExtractValue(Both, 1), Ty)};
}

SmallVector<Value *, 0> MMA::take(IRBuilderBase &B, Value *Accumulator,
                                  Type *Ty) const {
  Value *All =
      B.CreateIntrinsic(Intrinsic::ppc_mma_disassemble_acc, {Accumulator});
  SmallVector<Value *, 0> Registers;
  for (unsigned J = 0; J != Columns; ++J)
    Registers.push_back(B.CreateBitCast(B.CreateExtractValue(All, J), Ty));
  return Registers;
}

Value *MMA::multiplyAdd(IRBuilderBase &B, Value *Sum, Value *Column,
                        ArrayRef<Value *> Row,
                        const std::optional<NarrowProduct> &Groups) const {
  Value *First = toBytes(B, Row.front()), *Second = toBytes(B, Column);
  if (Row.size() == 2) {
    Value *Last = toBytes(B, Row.back());
    First =
        isLittleEndian(B)
            ? B.CreateIntrinsic(Intrinsic::ppc_vsx_assemble_pair, {Last, First})
            : B.CreateIntrinsic(Intrinsic::ppc_vsx_assemble_pair,
                                {First, Last});
  }
  if (Groups && isTransposed(*Groups))
    std::swap(First, Second);
  Outer Instruction = Groups ? *findOuter(*Groups)
                             : *findOuter(Column->getType()->getScalarType());
  if (!Sum)
    return B.CreateIntrinsic(Instruction.Alone, {First, Second});
  return B.CreateIntrinsic(Instruction.Added, {Sum, First, Second});
}

} // namespace tilesmith
