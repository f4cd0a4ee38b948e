//===- Narrow.cpp - which factors stay narrow -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that add several products at once (NarrowProduct.h) may be used
// if that is what the source computes. Integers
// are exact, whatever the order, as long as nothing but widened elements is
// multiplied, and nothing but the products added to the sum, or subtracted from
// it. Of floating-point numbers, the sum must permit another order.
//
//   source             packed       instructions
//   i8 * i8            i8           any signs (AMX)
//   i8 * i8            i8           one signed, one not (VNNI): also for two
//                                   alike, with A's sign bit flipped
//   i8 or i16 * same   i16          of signed pairs; not for unsigned i16
//   bfloat * bfloat    bfloat       with reassoc, nsz; half likewise
//
//===----------------------------------------------------------------------===//

#include "EngineChoice.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

/// The type of the elements of a factor that are widened and nothing else.
static std::optional<NarrowType> narrowTypeOf(const Access &X,
                                              const Expression &Map) {
  auto *Cast = dyn_cast<CastInst>(Map.Root);
  if (!Cast || !isa<SExtInst, ZExtInst, FPExtInst>(Cast) || X.IsSymmetric)
    return std::nullopt;
  auto It = Map.Leaves.find(Cast->getOperand(0));
  if (It == Map.Leaves.end() ||
      (It->second != Leaf::A && It->second != Leaf::B))
    return std::nullopt;
  return NarrowType{X.ElemTy, isa<SExtInst>(Cast)};
}

int signOfProducts(const Contraction &Op) {
  bool IsFloat = Op.SumTy->isFloatingPointTy();
  auto IsFree = [&](const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I && (!IsFloat || (I->hasAllowReassoc() && I->hasNoSignedZeros()));
  };
  int Sign = 0; // of the products so far
  SmallVector<std::pair<Value *, int>, 4> Worklist{{Op.Update.Root, 1}};
  SmallPtrSet<Value *, 8> Seen;
  while (!Worklist.empty()) {
    auto [Operand, S] = Worklist.pop_back_val();
    Value *V = Op.Update.resolve(Operand);
    // Each is added once.
    if (!Seen.insert(V).second)
      return 0;
    auto Found = Op.Update.Leaves.find(V);
    bool IsLeaf = Found != Op.Update.Leaves.end();
    bool IsFused = Op.Update.Fused.contains(V);
    if (IsLeaf && Found->second == Leaf::Sum && S == 1)
      continue;
    if (IsFused || (IsLeaf && Found->second == Leaf::Product)) {
      if (Sign == -S || !IsFree(V))
        return 0;
      Sign = S;
      if (IsFused)
        Worklist.push_back({cast<Instruction>(V)->getOperand(2), S});
      continue;
    }
    auto *I = dyn_cast<BinaryOperator>(V);
    if (IsLeaf || !I || !IsFree(I))
      return 0;
    bool IsAdd =
        I->getOpcode() == (IsFloat ? Instruction::FAdd : Instruction::Add);
    bool IsSub =
        I->getOpcode() == (IsFloat ? Instruction::FSub : Instruction::Sub);
    if (!IsAdd && !IsSub)
      return 0;
    Worklist.append(
        {{I->getOperand(0), S}, {I->getOperand(1), IsAdd ? S : -S}});
  }
  return Sign;
}

SmallVector<NarrowPlan, 3> waysToStayNarrow(const Contraction &Op) {
  // Steps that a diagonal bounds are told one by one.
  int Sign = Op.hasPairings() ? 0 : signOfProducts(Op);
  if ((Op.Domain && !Op.Domain->isOfC()) || !Sign)
    return {};
  std::optional<NarrowType> A = narrowTypeOf(Op.Terms[0].A, Op.Terms[0].AMap);
  std::optional<NarrowType> B = narrowTypeOf(Op.Terms[0].B, Op.Terms[0].BMap);
  if (!A || !B)
    return {};
  for (const Term &T : Op.Terms)
    if (!(narrowTypeOf(T.A, T.AMap) == A && narrowTypeOf(T.B, T.BMap) == B))
      return {};
  SmallVector<NarrowPlan, 3> Ways;
  auto Add = [&](NarrowType PackedA, NarrowType PackedB, bool FlipsA) {
    Ways.push_back({{PackedA, PackedB, Op.SumTy}, FlipsA, Sign < 0});
  };
  if (A->Ty == B->Ty) {
    Add(*A, *B, /*FlipsA=*/false);
    if (A->Ty->isIntegerTy() && Op.Terms.size() == 1)
      Add({A->Ty, !A->IsSigned}, *B, /*FlipsA=*/true);
  }
  // Numbers of 16 bits with a sign.
  auto FitsPairs = [](const NarrowType &X) {
    return X.Ty->isIntegerTy(8) || (X.Ty->isIntegerTy(16) && X.IsSigned);
  };
  Type *I16 = Type::getInt16Ty(Op.SumTy->getContext());
  if (FitsPairs(*A) && FitsPairs(*B) && (A->Ty != I16 || B->Ty != I16))
    Add({I16, true}, {I16, true}, /*FlipsA=*/false);
  return Ways;
}

} // namespace tilesmith
