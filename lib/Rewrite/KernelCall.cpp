//===- KernelCall.cpp - a kernel of our own -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Guard.h"
#include "tilesmith/Kernel/Kernel.h"

using namespace llvm;

namespace tilesmith {

namespace {

class KernelCall : public Backend {
public:
  KernelCall(const Contraction &Op, const Plan &How) : Op(Op), How(How) {
    if (How.Dispatched.empty())
      Kernels.push_back(buildKernel(Op, How));
    for (const Plan &By : How.Dispatched)
      Kernels.push_back(buildKernel(Op, By));
  }

  void prepare(GuardBuilder &Guard) override {
    auto Pass = [&](const Access &X, Dim Row, Dim Column) {
      if (X.Rows)
        append_range(Args, Guard.rows(*X.Rows));
      else
        Args.append(
            {Guard.base(X), Guard.stride(X, Row), Guard.stride(X, Column)});
    };
    for (const Term &T : Op.Terms) {
      Pass(T.A, M, K);
      Pass(T.B, N, K);
    }
    ArgC = Args.size();
    Pass(Op.C, M, N);
    unsigned Extents = Args.size();
    Args.append({Guard.extent(M), Guard.extent(N), Guard.extent(K)});
    for (unsigned I = 0; I < Op.Outer.size(); ++I) {
      Args.push_back(Guard.outerExtent(I));
      for (const Access *X : Op.accesses())
        Args.push_back(Guard.outerStride(*X, I));
    }
    if (Op.Domain)
      Args.push_back(Guard.diagonal());
    if (Op.C.Rows)
      for (LoadInst *Load : Op.InvariantLoads)
        Args.push_back(Guard.valueOf(Load->getPointerOperand()));
    Function &Caller = *Op.UpdateStore->getFunction();
    passScalars(Guard, Caller);
    if (!How.Dispatched.empty())
      Kernel = {
          createDispatch(How, Kernels, Caller, *Caller.getParent(), Extents)};
    else
      Kernel = Kernels.front();
    if (Kernel.MicroKernels)
      Args.push_back(Kernel.MicroKernels);
  }

  Value *emitCall(IRBuilderBase &B, Value *Sums) override {
    if (Sums)
      Args[ArgC] = Sums;
    for (auto [I, Scalar] : enumerate(Scalars))
      B.CreateStore(Scalar,
                    B.CreateStructGEP(Memory->getAllocatedType(), Memory, I));
    Value *Call = B.CreateCall(Kernel.F, Args);
    return How.isSmall() && How.Dispatched.empty() ? B.getTrue() : Call;
  }

private:
  /// The kernel takes scalars from memory.
  void passScalars(GuardBuilder &Guard, Function &Caller) {
    SetVector<Value *> Invariants = invariantsOf(Op);
    if (Invariants.empty())
      return;
    BasicBlock &Entry = Caller.getEntryBlock();
    Memory = IRBuilder<>(&Entry, Entry.begin())
                 .CreateAlloca(scalarsType(Invariants, Caller.getContext()),
                               nullptr, "scalars");
    for (Value *Scalar : Invariants)
      Scalars.push_back(Guard.valueOf(Scalar));
    Args.push_back(Memory);
  }

  const Contraction &Op;
  const Plan &How;
  SmallVector<BuiltKernel, 4> Kernels;
  BuiltKernel Kernel = {nullptr};
  SmallVector<Value *, 16> Args;
  AllocaInst *Memory = nullptr;
  SmallVector<Value *, 2> Scalars;
  unsigned ArgC = 0;
};

} // namespace

std::unique_ptr<Backend> createKernelCall(const Contraction &Op,
                                          const Plan &How) {
  return std::make_unique<KernelCall>(Op, How);
}

} // namespace tilesmith
