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
      : Op(Op), Plan(Plan), TLI(TLI), Mod(*Op.UpdateStore->getModule()) {}

  void prepare(GuardBuilder &Guard) override;
  Value *emitCall(IRBuilderBase &B, Value *Sums) override;

private:
  /// A matrix, as two of a call's arguments.
  struct Matrix {
    Value *Base, *Ld;
  };
  Matrix matrix(GuardBuilder &Guard, const Access &X, Dim Row, Dim Column);
  Value *scalar(GuardBuilder &Guard, const Coefficient &Of);

  const Contraction &Op;
  const LibraryCalls &Plan;
  const TargetLibraryInfo &TLI;
  Module &Mod;

  PerDim<Value *> Extent{};
  struct Operands {
    Matrix A, B;
    Value *Alpha;
  };
  SmallVector<Operands, 1> PerCall;
  Matrix C{};
  Value *Beta = nullptr;
};

/// The stride of rows or columns must be a whole number of elements, and they
/// must not overlap.
LibraryCall::Matrix LibraryCall::matrix(GuardBuilder &Guard, const Access &X,
                                        Dim Row, Dim Column) {
  IRBuilderBase &B = Guard.builder();
  const DataLayout &DL = Mod.getDataLayout();
  uint64_t Size = DL.getTypeStoreSize(X.ElemTy);
  Dim Adjacent = X.isUnit(Row, DL) ? Row : Column;
  Value *Stride = Guard.stride(X, Adjacent == Row ? Column : Row);
  Value *Length = B.CreateMul(Guard.extent(Adjacent), B.getInt64(Size));
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
  IRBuilderBase &B = Guard.builder();
  for (Dim D : {M, N, K})
    Extent[D] = B.CreateTrunc(Guard.extent(D), B.getInt32Ty());
  if (Plan.Of != Routine::GEMM)
    Guard.require(B.CreateICmpEQ(Guard.extent(M), Guard.extent(N)));
  for (auto [T, Call] : zip(Op.Terms, Plan.Calls))
    PerCall.push_back({matrix(Guard, T.A, M, K), matrix(Guard, T.B, K, N),
                       scalar(Guard, Call.Alpha)});
  C = matrix(Guard, Op.C, M, N);
  Beta = scalar(Guard, Plan.Beta);
}

Value *LibraryCall::emitCall(IRBuilderBase &B, Value *) {
  bool IsNew = !Mod.getFunction(Plan.Function);
  FunctionCallee Callee = Mod.getOrInsertFunction(Plan.Function, Plan.Ty);
  if (IsNew)
    cast<Function>(Callee.getCallee())->addFnAttr(Attribute::NoUnwind);
  Attribute::AttrKind Extension = TLI.getExtAttrForI32Param(/*Signed=*/true);

  for (auto [X, Call] : zip(PerCall, Plan.Calls)) {
    auto Int = [&](auto Constant) { return B.getInt32(unsigned(Constant)); };
    const CallFlags &With = Call.With;
    SmallVector<Value *, 14> Args{Int(With.Layout)};
    if (Plan.Of == Routine::GEMM)
      Args.append({Int(With.First), Int(With.Second), Extent[M]});
    else
      Args.append({Int(With.Half), Int(With.First)});
    Args.append({Extent[N], Extent[K], X.Alpha, X.A.Base, X.A.Ld});
    if (Plan.Of != Routine::SYRK)
      Args.append({X.B.Base, X.B.Ld});
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
                                           const Plan &How,
                                           const TargetLibraryInfo &TLI) {
  return std::make_unique<LibraryCall>(Op, *How.Library, TLI);
}

} // namespace tilesmith
