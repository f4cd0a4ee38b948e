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

static bool isSizeOf(const SCEV *Stride, Type *Ty, const DataLayout &DL) {
  auto *Bytes = dyn_cast<SCEVConstant>(Stride);
  return Bytes && Bytes->getAPInt() == DL.getTypeStoreSize(Ty).getFixedValue();
}

bool Access::isUnit(Dim D, const DataLayout &DL) const {
  return isSizeOf(Stride[D], ElemTy, DL);
}

bool Access::isUnitInOuter(unsigned Outer, const DataLayout &DL) const {
  return isSizeOf(OuterStride[Outer], ElemTy, DL);
}

bool Access::startsAt(const Access &Other) const {
  if (!Rows || !Other.Rows)
    return !Rows && !Other.Rows && Base == Other.Base;
  return Rows->Entry == Other.Rows->Entry && Rows->Offset == Other.Rows->Offset;
}

static Dim mirrored(Dim D) { return D == M ? N : D == N ? M : K; }

Contraction Contraction::mirrored() const {
  Contraction Result = *this;
  std::swap(Result.BackedgeCount[M], Result.BackedgeCount[N]);
  for (OuterDim &D : Result.Outer)
    if (D.Like)
      D.Like = tilesmith::mirrored(*D.Like);
  auto Mirror = [](Access &X) {
    std::swap(X.Stride[M], X.Stride[N]);
    if (X.Rows)
      for (Dim *D : {&X.Rows->Along, &X.Rows->Within})
        *D = tilesmith::mirrored(*D);
  };
  Mirror(Result.C);
  if (auto &Sums = Result.ToScratch)
    std::swap(Sums->Rows, Sums->Columns);
  for (auto [T, Before] : zip_equal(Result.Terms, Terms)) {
    T.A = Before.B;
    T.B = Before.A;
    T.AMap = Before.BMap;
    T.BMap = Before.AMap;
    std::swap(T.CMayAliasA, T.CMayAliasB);
    std::swap(T.AIsC, T.BIsC);
    Mirror(T.A);
    Mirror(T.B);
  }
  for (Apart &Pair : Result.MustBeApart)
    if (Pair.Operand)
      Pair.Operand = ((Pair.Operand - 1) ^ 1) + 1;
  if (Result.Domain)
    for (Dim *D : {&Result.Domain->X, &Result.Domain->Y})
      *D = tilesmith::mirrored(*D);
  return Result;
}

SmallVector<const Access *, 3> Contraction::accesses() const {
  SmallVector<const Access *, 3> Result{&C};
  for (const Term &T : Terms)
    Result.append({&T.A, &T.B});
  return Result;
}

bool Contraction::hasRowTables() const {
  return any_of(accesses(), [](const Access *X) { return X->Rows; });
}

SmallVector<const Expression *, 5> Contraction::expressions() const {
  SmallVector<const Expression *, 5> Result;
  for (const Term &T : Terms)
    Result.append({&T.AMap, &T.BMap});
  Result.append({&Update, &Start, &Finish});
  return Result;
}

bool Contraction::isInPlace() const {
  return any_of(Terms, [](const Term &T) { return T.AIsC || T.BIsC; });
}

bool Contraction::isFusedChain() const {
  // Every product goes straight into the sum so far.
  const Value *V = Update.Root;
  auto IsProduct = [&](const Value *Factor) {
    auto It = Update.Leaves.find(const_cast<Value *>(Factor));
    return It != Update.Leaves.end() && It->second == Leaf::Product;
  };
  while (true) {
    if (auto It = Update.Leaves.find(const_cast<Value *>(V));
        It != Update.Leaves.end())
      return It->second == Leaf::Sum;
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return false;
    if (Update.Fused.contains(const_cast<Value *>(V))) {
      V = I->getOperand(2);
      continue;
    }
    if (I->getOpcode() != Instruction::FAdd || !I->hasAllowContract())
      return false;
    unsigned Other = IsProduct(I->getOperand(0));
    auto *Product = dyn_cast<Instruction>(I->getOperand(1 - Other));
    if (!Product || !IsProduct(Product) || !Product->hasAllowContract())
      return false;
    V = I->getOperand(Other);
  }
}

static std::optional<uint64_t> extentOf(const SCEV *BackedgeCount) {
  auto *Count = dyn_cast<SCEVConstant>(BackedgeCount);
  if (!Count || Count->getAPInt().getActiveBits() > 62)
    return std::nullopt;
  return Count->getAPInt().getZExtValue() + 1;
}

std::optional<uint64_t> OuterDim::constantExtent() const {
  return extentOf(BackedgeCount);
}

std::optional<uint64_t> Contraction::constantExtent(Dim D) const {
  return extentOf(BackedgeCount[D]);
}

std::string typeName(Type *Ty) {
  if (Ty->isIntegerTy())
    return "i" + std::to_string(Ty->getIntegerBitWidth());
  return "f" + std::to_string(Ty->getPrimitiveSizeInBits().getFixedValue());
}

namespace {

/// How an operand with row dimension \p Row and column dimension \p Column lies
/// in memory.
StringRef orderName(const Access &X, Dim Row, Dim Column,
                    const DataLayout &DL) {
  if (X.Rows)
    return X.Rows->Along == Row ? "table of rows" : "table of columns";
  if (X.isUnit(Column, DL))
    return "row-major";
  return X.isUnit(Row, DL) ? "column-major" : "strided";
}

StringRef nameOf(const OuterDim &D) {
  return D.Like ? StringRef("MNK").substr(*D.Like, 1) : "batch";
}

} // namespace

StringRef Contraction::kind() const {
  bool OneTriangle = Domain && Domain->isOfC();
  bool BothSame = Terms.size() == 1 && Terms[0].A.startsAt(Terms[0].B) &&
                  Terms[0].A.Stride[M] == Terms[0].B.Stride[N] &&
                  Terms[0].A.Stride[K] == Terms[0].B.Stride[K];
  bool Exchanged = Terms.size() == 2 && Terms[0].A.startsAt(Terms[1].B) &&
                   Terms[0].B.startsAt(Terms[1].A);
  if (OneTriangle)
    return BothSame ? "SYRK" : Exchanged ? "SYR2K" : "triangular GEMM";
  if (Domain)
    return "TRMM";
  if (Terms.size() > 1)
    return "sum of GEMMs";
  return Terms[0].A.IsSymmetric || Terms[0].B.IsSymmetric ? "SYMM" : "GEMM";
}

std::string Contraction::summary() const {
  const DataLayout &DL = UpdateStore->getDataLayout();
  std::string Text;
  raw_string_ostream OS(Text);
  OS << kind() << ' ' << typeName(SumTy) << " (A "
     << orderName(Terms[0].A, M, K, DL) << ", B "
     << orderName(Terms[0].B, K, N, DL) << ", C " << orderName(C, M, N, DL)
     << "), " << (hasRowTables() ? "rows copied, " : "");
  bool AllUnknown = true;
  for (Dim D : {M, N, K})
    AllUnknown &= !constantExtent(D);
  if (AllUnknown)
    OS << "MxNxK at run time";
  else
    for (Dim D : {M, N, K}) {
      if (D != M)
        OS << 'x';
      if (std::optional<uint64_t> Extent = constantExtent(D))
        OS << *Extent;
      else
        OS << "MNK"[D];
    }
  if (!Outer.empty())
    OS << " in " << Outer.size() << " outer loop"
       << (Outer.size() == 1 ? "" : "s");
  return Text;
}

void Contraction::print(raw_ostream &OS) const {
  OS << summary() << '\n';
  OS << "  " << Loops.size() << " loops from depth "
     << Loops.front()->getLoopDepth() << '\n';
  for (Dim D : {M, N, K})
    OS << "  " << "MNK"[D] << ": extent 1 + " << *BackedgeCount[D] << '\n';
  for (const OuterDim &D : Outer)
    OS << "  outer " << nameOf(D) << ": extent 1 + " << *D.BackedgeCount
       << '\n';
  if (Domain)
    OS << "  domain: " << "mnk"[Domain->Y] << (Domain->Below ? " <= " : " >= ")
       << "mnk"[Domain->X] << " + " << *Domain->Offset << '\n';
  auto PrintAccess = [&](StringRef Name, const Access &X) {
    OS << "  " << Name << ": ";
    if (const auto &Rows = X.Rows) {
      OS << "rows from " << *Rows->Entry << ", by " << *Rows->Distance
         << " with " << "MNK"[Rows->Along] << "; in each from " << *Rows->Offset
         << ", by " << *Rows->Step << " with " << "MNK"[Rows->Within] << '\n';
      return;
    }
    OS << "base " << *X.Base;
    for (Dim D : {M, N, K})
      if (!X.Stride[D]->isZero())
        OS << ", stride " << "MNK"[D] << ' ' << *X.Stride[D];
    for (auto [D, Stride] : zip_equal(Outer, X.OuterStride))
      if (!Stride->isZero())
        OS << ", outer " << nameOf(D) << ' ' << *Stride;
    if (X.Zeros)
      OS << (X.Zeros->ChangeNothing ? ", not all zero in a row or column"
                                    : ", not zero");
    if (X.IsSymmetric)
      OS << ", symmetric";
    OS << '\n';
  };
  PrintAccess("C", C);
  for (const Term &T : Terms) {
    PrintAccess("A", T.A);
    PrintAccess("B", T.B);
  }
  OS << "  start: ";
  Start.print(OS);
  if (Initial)
    OS << ", set by the loops before";
  if (ToScratch)
    OS << "\n  sums are kept apart";
  OS << "\n  update: ";
  Update.print(OS);
  for (const Term &T : Terms) {
    OS << (&T == Terms.begin() ? " with a := " : "; a := ");
    T.AMap.print(OS);
    OS << ", b := ";
    T.BMap.print(OS);
  }
  OS << "\n  finish: ";
  Finish.print(OS);
  OS << '\n';
  for (const WrapCheck &Check : WrapChecks) {
    OS << "  guard: " << Check.Bits << "-bit "
       << (Check.Signed ? "signed" : "unsigned") << " index from "
       << *Check.Start << " does not wrap";
    if (Check.Factor > 1)
      OS << ", and steps by multiples of " << Check.Factor;
    OS << '\n';
  }
  for (const Assumption &A : Assumptions) {
    if (A.Entered)
      continue;
    OS << "  guard: ";
    A.Condition->printAsOperand(OS, /*PrintType=*/false);
    OS << " is " << (A.Value ? "true" : "false") << '\n';
  }
  for (const Requirement &R : MustHold)
    OS << "  guard: " << *R.X << ' ' << CmpInst::getPredicateName(R.Predicate)
       << ' ' << *R.Y << '\n';
  for (Instruction *Write : RestWrites)
    OS << "  " << (Rest == RestRuns::Before ? "before" : "after") << ':'
       << *Write << '\n';
  for (const Apart &Pair : MustBeApart)
    OS << "  guard: memory from " << *Pair.Region.Base
       << " does not overlap operand " << Pair.Operand << '\n';
  for (LoadInst *Load : InvariantLoads) {
    OS << "  guard: C does not overlap what is loaded by ";
    Load->printAsOperand(OS, /*PrintType=*/false);
    OS << '\n';
  }
  if (hasRowTables())
    OS << "  guard: rows of C overlap neither each other nor a table\n";
  for (const Term &T : Terms) {
    if (T.CMayAliasA)
      OS << "  guard: C does not overlap A\n";
    if (T.CMayAliasB)
      OS << "  guard: C does not overlap B\n";
  }
}

} // namespace tilesmith
