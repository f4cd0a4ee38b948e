//===- WideLanes.cpp - lanes that are computed twice as wide --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   c[i][j] = (int64_t)s * scale >> shift
//
// LLVM would widen the lower and the upper half of a vector, and put their results
// side by side again: permutations, of which x86 makes one in a cycle. The even
// lanes are in their places already, seen as i64, and the odd ones one shift away.
// There is a multiplication that takes the lower half of each i64 as it is.
//
//   lanes   | 0 | 1 | 2 | 3 | ...
//   even    |   0   |   2   | ...        shl, ashr (which vpmuldq does not need)
//   odd     |   1   |   3   | ...        ashr
//   back    | 0 | 1 | 2 | 3 | ...        and, shl, or
//
//===----------------------------------------------------------------------===//

#include "WideLanes.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

namespace {

class LaneParter {
public:
  explicit LaneParter(BasicBlock &BB) : BB(BB) {}

  void run() {
    for (Instruction &I : BB)
      if (isWide(*I.getType()) && !isUniform(I)) {
        if (!canPart(I))
          return;
        Parts.insert({&I, {}});
      }
    for (auto &[I, Part] : Parts)
      if (!all_of(I->users(), [&](User *U) {
            auto *Other = cast<Instruction>(U);
            return isa<TruncInst>(U) || Parts.contains(Other);
          }))
        return;
    for (auto &[I, Part] : Parts)
      Part = {build(*I, /*IsOdd=*/false), build(*I, /*IsOdd=*/true)};
    for (auto &[I, Part] : reverse(Parts)) {
      for (User *U : make_early_inc_range(I->users()))
        if (auto *Narrow = dyn_cast<TruncInst>(U)) {
          Narrow->replaceAllUsesWith(merge(Part, *Narrow));
          Narrow->eraseFromParent();
        }
      I->eraseFromParent();
    }
  }

private:
  using Pair = std::array<Value *, 2>; ///< the even lanes, and the odd ones

  static bool isWide(const Type &Ty) {
    auto *Vector = dyn_cast<FixedVectorType>(&Ty);
    return Vector && Vector->getElementType()->isIntegerTy(64) &&
           Vector->getNumElements() % 2 == 0;
  }

  static bool isUniform(Value &V) {
    return isa<InsertElementInst>(V) || getSplatValue(&V);
  }

  /// Whether \p I does to each half of its lanes what it does to all.
  static bool canPart(const Instruction &I) {
    if (isa<SExtInst, ZExtInst>(I))
      return I.getOperand(0)->getType()->getScalarType()->isIntegerTy(32);
    bool IsSimple =
        isa<BinaryOperator>(I) ? !I.isIntDivRem() : isa<MinMaxIntrinsic>(I);
    return IsSimple && all_of(I.operands(), [&](const Use &Op) {
             // Not what is gathered, lane by lane.
             return isa<Function>(Op) || getSplatValue(Op) ||
                    (isa<Instruction>(Op) && !isa<InsertElementInst>(Op) &&
                     cast<Instruction>(Op)->getParent() == I.getParent());
           });
  }

  /// One half of the lanes of \p V.
  Value *half(Value *V, bool IsOdd, IRBuilder<> &B) {
    if (auto *It = Parts.find(dyn_cast<Instruction>(V)); It != Parts.end())
      return It->second[IsOdd];
    unsigned Lanes = cast<FixedVectorType>(V->getType())->getNumElements() / 2;
    Value *Scalar = getSplatValue(V);
    Value *Uniform = B.CreateVectorSplat(Lanes, Scalar);
    // What is said of a scalar is not seen from inside the loop.
    return ComputeNumSignBits(Scalar, BB.getDataLayout()) > 32
               ? signExtendLower(Uniform, B)
               : Uniform;
  }

  static Value *signExtendLower(Value *V, IRBuilder<> &B) {
    return B.CreateAShr(B.CreateShl(V, 32), 32);
  }

  Value *build(Instruction &I, bool IsOdd) {
    IRBuilder<> B(&I);
    if (isa<SExtInst, ZExtInst>(I)) {
      auto *Ty = cast<FixedVectorType>(I.getType());
      Value *Bits = B.CreateBitCast(
          I.getOperand(0),
          FixedVectorType::get(B.getInt64Ty(), Ty->getNumElements() / 2));
      if (isa<ZExtInst>(I))
        return IsOdd ? B.CreateLShr(Bits, 32) : B.CreateAnd(Bits, 0xffffffff);
      return IsOdd ? B.CreateAShr(Bits, 32) : signExtendLower(Bits, B);
    }
    Value *X = half(I.getOperand(0), IsOdd, B);
    Value *Y = half(I.getOperand(1), IsOdd, B);
    if (auto *Call = dyn_cast<MinMaxIntrinsic>(&I))
      return B.CreateBinaryIntrinsic(Call->getIntrinsicID(), X, Y);
    Value *New = B.CreateBinOp(cast<BinaryOperator>(I).getOpcode(), X, Y);
    if (auto *NewI = dyn_cast<Instruction>(New))
      NewI->copyIRFlags(&I);
    return New;
  }

  /// All lanes of \p Part, narrowed as by \p To.
  static Value *merge(const Pair &Part, TruncInst &To) {
    IRBuilder<> B(&To);
    Value *Bits =
        B.CreateOr(B.CreateAnd(Part[0], 0xffffffff), B.CreateShl(Part[1], 32));
    auto *Ty = cast<VectorType>(To.getType());
    Value *Narrow = B.CreateBitCast(
        Bits, VectorType::get(B.getInt32Ty(), Ty->getElementCount()));
    return B.CreateTrunc(Narrow, Ty);
  }

  BasicBlock &BB;
  MapVector<Instruction *, Pair> Parts;
};

} // namespace

void partWideLanes(BasicBlock &BB) {
  if (hasFeature(*BB.getParent(), "avx2"))
    LaneParter(BB).run();
}

} // namespace tilesmith
