//===- LibraryCall.cpp - a contraction computed by a library --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tilesmith.fast:
//     call void @cblas_dgemm(i32 101, i32 111, i32 112, i32 %m, i32 %n, i32 %k,
//                            double %alpha, ptr %a, i32 %lda, ptr %b, i32 %ldb,
//                            double %beta, ptr %c, i32 %ldc)
//
// Numbers are int. The guard has found extents below 2^31 and strides within
// 2^30 bytes, so they fit; what else a library demands is tested here.
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Guard.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

class LibraryCall : public Backend {
public:
  LibraryCall(const Contraction &Op, const LibraryCalls &Plan,
              const TargetLibraryInfo &TLI)
      : Op(Op), Plan(Plan), TLI(TLI), Mod(*Op.store()->getModule()) {}

  void prepare(GuardBuilder &Guard) override;
  Value *emitCall(IRBuilderBase &B, Value *Sums, const RowRange *Rows) override;

private:
  /// A matrix, as two of a call's arguments.
  struct Matrix {
    Value *Base, *Ld;
  };
  Matrix matrix(GuardBuilder &Guard, const Access &X, Dim Row, Dim Column,
                const PerDim<Value *> &Extents);
  Value *number(GuardBuilder &Guard, Value *Extent) {
    return Guard.builder().CreateTrunc(Extent, Guard.builder().getInt32Ty());
  }
  void prepareTriangle(GuardBuilder &Guard);
  Value *scalar(GuardBuilder &Guard, const Coefficient &Of);

  const Contraction &Op;
  const LibraryCalls &Plan;
  const TargetLibraryInfo &TLI;
  Module &Mod;

  struct Operands {
    Matrix A, B;
    Value *Alpha;
    PerDim<Value *> Extent;
  };
  SmallVector<Operands, 1> PerCall;
  Matrix C{};
  Value *Beta = nullptr;
};

/// The stride of rows or columns must be a whole number of elements, and they
/// must not overlap.
LibraryCall::Matrix LibraryCall::matrix(GuardBuilder &Guard, const Access &X,
                                        Dim Row, Dim Column,
                                        const PerDim<Value *> &Extents) {
  IRBuilderBase &B = Guard.builder();
  const DataLayout &DL = Mod.getDataLayout();
  uint64_t Size = DL.getTypeStoreSize(X.ElemTy);
  Dim Adjacent = X.isUnit(Row, DL) ? Row : Column;
  Value *Stride = Guard.stride(X, Adjacent == Row ? Column : Row);
  Value *Length = B.CreateMul(Extents[Adjacent], B.getInt64(Size));
  Guard.require(B.CreateIsNull(B.CreateAnd(Stride, B.getInt64(Size - 1))));
  Guard.require(B.CreateICmpSGE(Stride, Length));
  return {Guard.base(X),
          B.CreateTrunc(B.CreateExactSDiv(Stride, B.getInt64(Size)),
                        B.getInt32Ty())};
}

Value *LibraryCall::scalar(GuardBuilder &Guard, const Coefficient &Of) {
  IRBuilderBase &B = Guard.builder();
  Value *V = Of.build(B, Op.SumTy, [&](Value *S) { return Guard.valueOf(S); });
  if (!Plan.MayDropZeros && !isa<Constant>(V))
    Guard.require(B.CreateFCmpUNE(V, Constant::getNullValue(Op.SumTy)));
  return V;
}

void LibraryCall::prepare(GuardBuilder &Guard) {
  if (Plan.Of == Routine::TRMM)
    return prepareTriangle(Guard);
  IRBuilderBase &B = Guard.builder();
  PerDim<Value *> Extents, Numbers;
  for (Dim D : {M, N, K}) {
    Extents[D] = Guard.extent(D);
    Numbers[D] = number(Guard, Extents[D]);
  }
  if (Plan.Of != Routine::GEMM)
    Guard.require(B.CreateICmpEQ(Extents[M], Extents[N]));
  for (const Access *X : Op.accesses())
    if (X->IsSymmetric)
      Guard.require(B.CreateICmpEQ(
          Extents[X->Stride[M]->isZero() ? tilesmith::N : tilesmith::M],
          Extents[K]));
  for (auto [T, Call] : zip(Op.Terms, Plan.Calls))
    PerCall.push_back({matrix(Guard, T.A, M, K, Extents),
                       matrix(Guard, T.B, K, N, Extents),
                       scalar(Guard, Call.Alpha), Numbers});
  C = matrix(Guard, Op.C, M, N, Extents);
  Beta = scalar(Guard, Plan.Beta);
}

/// The rows (or columns) of C that make a step are stored. The factor's part on
/// these is a triangle, and beyond them a rectangle:
///
///   C[0..s) = alpha * (A[0..s)[0..s) * C[0..s) + A[0..s)[s..e) * C[s..e))
void LibraryCall::prepareTriangle(GuardBuilder &Guard) {
  IRBuilderBase &B = Guard.builder();
  const Term &T = Op.Terms.front();
  Dim P = T.BIsC ? M : N, Q = T.BIsC ? N : M;
  const Access &Factor = T.BIsC ? T.A : T.B;
  Value *End = Guard.rowsInPlace(T);
  Value *Extent = Guard.extent(P), *Steps = Guard.extent(K);
  Value *Stored = B.CreateBinaryIntrinsic(Intrinsic::smin, Extent,
                                          B.CreateSub(Steps, Guard.diagonal()));
  Guard.require(B.CreateICmpSGT(Stored, B.getInt64(0)));
  PerDim<Value *> OfA, OfC;
  OfA[P] = Stored;
  OfA[K] = OfC[P] = End;
  OfC[Q] = Guard.extent(Q);
  Matrix A = P == M ? matrix(Guard, Factor, M, K, OfA)
                    : matrix(Guard, Factor, K, N, OfA);
  C = matrix(Guard, Op.C, M, N, OfC);
  auto Skip = [&](Matrix &X, const Access &Of, Dim D, Value *Steps) {
    X.Base = B.CreatePtrAdd(X.Base, B.CreateMul(Steps, Guard.stride(Of, D)));
  };
  Skip(A, Factor, K, B.CreateSub(Guard.extent(K), End));
  Matrix BeyondA = A, BeyondC = C;
  Skip(BeyondA, Factor, K, Stored);
  Skip(BeyondC, Op.C, P, Stored);

  Value *Alpha = scalar(Guard, Plan.Calls.front().Alpha);
  PerDim<Value *> Numbers;
  Numbers[P] = number(Guard, Stored);
  Numbers[Q] = number(Guard, OfC[Q]);
  Numbers[K] = number(Guard, B.CreateSub(End, Stored));
  PerCall.push_back({A, C, Alpha, Numbers});
  PerCall.push_back(
      {T.BIsC ? BeyondA : BeyondC, T.BIsC ? BeyondC : BeyondA, Alpha, Numbers});
  Beta = Coefficient::one().build(B, Op.SumTy, nullptr);
}

Value *LibraryCall::emitCall(IRBuilderBase &B, Value *, const RowRange *) {
  Attribute::AttrKind Extension = TLI.getExtAttrForI32Param(/*Signed=*/true);

  for (auto [X, Call] : zip(PerCall, Plan.Calls)) {
    bool IsNew = !Mod.getFunction(Call.Function);
    FunctionCallee Callee = Mod.getOrInsertFunction(Call.Function, Call.Ty);
    if (IsNew)
      cast<Function>(Callee.getCallee())->addFnAttr(Attribute::NoUnwind);
    auto Int = [&](auto Constant) { return B.getInt32(unsigned(Constant)); };
    const CallFlags &With = Call.With;
    SmallVector<Value *, 14> Args{Int(With.Layout)};
    switch (Call.Of) {
    case Routine::GEMM:
      Args.append({Int(With.First), Int(With.Second), X.Extent[M], X.Extent[N],
                   X.Extent[K]});
      break;
    case Routine::SYRK:
    case Routine::SYR2K:
      Args.append({Int(With.Half), Int(With.First), X.Extent[N], X.Extent[K]});
      break;
    case Routine::SYMM:
      Args.append({Int(With.Of), Int(With.Half), X.Extent[M], X.Extent[N]});
      break;
    case Routine::TRMM:
      Args.append({Int(With.Of), Int(With.Half), Int(With.First),
                   Int(With.Diagonal), X.Extent[M], X.Extent[N]});
      break;
    }
    // The symmetric matrix comes first.
    if (Call.Of == Routine::SYMM && With.Of == Side::Right)
      std::swap(X.A, X.B);
    Args.append({X.Alpha, X.A.Base, X.A.Ld});
    if (Call.Of != Routine::SYRK)
      Args.append({X.B.Base, X.B.Ld});
    if (Call.Of != Routine::TRMM)
      Args.append({Beta, C.Base, C.Ld});
    CallInst *Result = B.CreateCall(Callee, Args);
    for (auto [I, Arg] : enumerate(Args))
      if (Extension != Attribute::None && Arg->getType()->isIntegerTy(32))
        Result->addParamAttr(I, Extension);
    // The next term is added.
    Beta = Coefficient::one().build(B, Op.SumTy, nullptr);
  }
  return B.getTrue();
}

} // namespace

std::unique_ptr<Backend> createLibraryCall(const Contraction &Op,
                                           const Plan &ThePlan,
                                           const TargetLibraryInfo &TLI) {
  return std::make_unique<LibraryCall>(Op, *ThePlan.Library, TLI);
}

} // namespace tilesmith
