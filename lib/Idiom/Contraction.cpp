//===- Contraction.cpp - what a loop nest computes ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Contraction.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

bool Access::isUnit(Dim D, const DataLayout &DL) const {
  auto *Bytes = dyn_cast<SCEVConstant>(Stride[D]);
  return Bytes &&
         Bytes->getAPInt() == DL.getTypeStoreSize(ElemTy).getFixedValue();
}

Contraction Contraction::mirrored() const {
  Contraction Result = *this;
  Result.A = B;
  Result.B = A;
  Result.AMap = BMap;
  Result.BMap = AMap;
  Result.CMayAliasA = CMayAliasB;
  Result.CMayAliasB = CMayAliasA;
  std::swap(Result.Loops[M], Result.Loops[N]);
  std::swap(Result.BackedgeCount[M], Result.BackedgeCount[N]);
  for (Access *X : {&Result.C, &Result.A, &Result.B})
    std::swap(X->Stride[M], X->Stride[N]);
  for (WrapCheck &Check : Result.WrapChecks)
    std::swap(Check.Step[M], Check.Step[N]);
  return Result;
}

std::optional<uint64_t> Contraction::constantExtent(Dim D) const {
  auto *Count = dyn_cast<SCEVConstant>(BackedgeCount[D]);
  if (!Count || Count->getAPInt().getActiveBits() > 62)
    return std::nullopt;
  return Count->getAPInt().getZExtValue() + 1;
}

namespace {

std::string typeName(Type *Ty) {
  if (Ty->isIntegerTy())
    return "i" + std::to_string(Ty->getIntegerBitWidth());
  return "f" + std::to_string(Ty->getPrimitiveSizeInBits().getFixedValue());
}

/// How an operand with row dimension \p Row and column dimension \p Column lies
/// in memory.
StringRef orderName(const Access &X, Dim Row, Dim Column,
                    const DataLayout &DL) {
  if (X.isUnit(Column, DL))
    return "row-major";
  return X.isUnit(Row, DL) ? "column-major" : "strided";
}

} // namespace

std::string Contraction::summary() const {
  const DataLayout &DL = UpdateStore->getDataLayout();
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "GEMM " << typeName(SumTy) << " (A " << orderName(A, M, K, DL) << ", B "
     << orderName(B, K, N, DL) << ", C " << orderName(C, M, N, DL) << "), ";
  bool AllUnknown = true;
  for (Dim D : {M, N, K})
    AllUnknown &= !constantExtent(D);
  if (AllUnknown) {
    OS << "MxNxK at run time";
    return Text;
  }
  for (Dim D : {M, N, K}) {
    if (D != M)
      OS << 'x';
    if (std::optional<uint64_t> Extent = constantExtent(D))
      OS << *Extent;
    else
      OS << "MNK"[D];
  }
  return Text;
}

void Contraction::print(raw_ostream &OS) const {
  OS << summary() << '\n';
  for (Dim D : {M, N, K})
    OS << "  " << "MNK"[D] << ": loop at depth " << Loops[D]->getLoopDepth()
       << ", extent 1 + " << *BackedgeCount[D] << '\n';
  for (auto [Name, X] : {std::pair("C", &C), {"A", &A}, {"B", &B}}) {
    OS << "  " << Name << ": base " << *X->Base;
    for (Dim D : {M, N, K})
      if (!X->Stride[D]->isZero())
        OS << ", stride " << "MNK"[D] << ' ' << *X->Stride[D];
    OS << '\n';
  }
  OS << "  start: ";
  Start.print(OS);
  OS << "\n  update: ";
  if (FusedProduct)
    OS << "fused multiply-add";
  else
    Update.print(OS);
  OS << " with a := ";
  AMap.print(OS);
  OS << ", b := ";
  BMap.print(OS);
  OS << "\n  finish: ";
  Finish.print(OS);
  OS << '\n';
  for (const WrapCheck &Check : WrapChecks)
    OS << "  guard: " << Check.Bits << "-bit "
       << (Check.Signed ? "signed" : "unsigned") << " index from "
       << *Check.Start << " does not wrap\n";
  for (const Assumption &A : Assumptions) {
    OS << "  guard: ";
    A.Condition->printAsOperand(OS, /*PrintType=*/false);
    OS << " is " << (A.Value ? "true" : "false") << '\n';
  }
  for (const Requirement &R : MustHold)
    OS << "  guard: " << *R.X << ' ' << CmpInst::getPredicateName(R.Predicate)
       << ' ' << *R.Y << '\n';
  for (LoadInst *Load : InvariantLoads) {
    OS << "  guard: C does not overlap what is loaded by ";
    Load->printAsOperand(OS, /*PrintType=*/false);
    OS << '\n';
  }
  if (CMayAliasA)
    OS << "  guard: C does not overlap A\n";
  if (CMayAliasB)
    OS << "  guard: C does not overlap B\n";
}

} // namespace tilesmith
