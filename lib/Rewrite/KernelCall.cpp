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
  KernelCall(const Nest &View, const Plan &ThePlan)
      : View(View), Op(View.Op), ThePlan(ThePlan) {
    if (ThePlan.Dispatched.empty())
      Kernels.push_back(buildKernel(View, ThePlan));
    for (const Plan &By : ThePlan.Dispatched)
      Kernels.push_back(buildKernel(View, By));
  }

  void prepare(GuardBuilder &Guard) override {
    auto Pass = [&](const Access &X, Dim Row, Dim Column) {
      KernelArguments::Operand &Passed = Arguments.Operands.emplace_back();
      if (X.IsMade)
        return;
      if (X.Rows) {
        auto [Entry, Distance, Offset, Step] = Guard.rows(*X.Rows);
        Passed.Entry = Entry;
        Passed.Distance = Distance;
        Passed.Offset = Offset;
        Passed.Step = Step;
        if (X.Rows->Length)
          Passed.Greatest = Guard.number(X.Rows->Length->Greatest);
      } else {
        Passed.Base = Guard.base(X);
        Passed.First = Guard.stride(X, Row);
        Passed.Second = Guard.stride(X, Column);
      }
    };
    for (const Term &T : Op.Terms) {
      Pass(T.A, M, K);
      Pass(T.B, Op.vectorMoves() ? M : N, K);
    }
    Pass(Op.C, M, N);
    for (const FurtherOperand *Of : Op.alongC())
      Arguments.Further.push_back(
          {Guard.base(Of->X), Guard.stride(Of->X, M), Guard.stride(Of->X, N)});
    for (auto [I, Of] : enumerate(Op.makings()))
      if (Of)
        for (const FurtherOperand &Element : Of->Operands) {
          const Access &X = Element.X;
          auto &Passed = Arguments.Made.emplace_back();
          Passed.Base = Guard.base(X);
          Passed.First = Guard.stride(X, I % 2 ? N : M);
          Passed.Second = Guard.stride(X, K);
          if (X.Grouped) {
            Passed.Length = Guard.number(X.Grouped->Length);
            Passed.OfGroup = Guard.number(X.Grouped->Step);
          }
        }
    Arguments.M = Guard.extent(M);
    Arguments.N = Guard.extent(N);
    Arguments.K = Guard.extent(K);
    for (unsigned I = 0; I < Op.Outer.size(); ++I) {
      auto &[Extent, Strides] = Arguments.Outer.emplace_back();
      Extent = Guard.outerExtent(I);
      for (const Access *X : Op.allAccesses())
        Strides.push_back(Guard.outerStride(*X, I));
    }
    if (const Access *Image = Op.borderedFactor())
      for (const Border &Of : Image->Borders) {
        auto &Passed = Arguments.Borders.emplace_back();
        Passed.Start = Guard.number(Of.Start);
        Passed.Extent = Guard.number(Of.Extent);
        Passed.OfLine =
            Guard.number(Of.Stride[Image == &Op.Terms.front().A ? M : N]);
        Passed.OfStep = Guard.number(Of.Stride[K]);
        for (const SCEV *Stride : Of.OuterStride)
          Passed.Outer.push_back(Guard.number(Stride));
      }
    if (Op.Domain)
      Arguments.Diagonal = diagonalInRows(Guard);
    if (Op.Transposed)
      Arguments.Transposed = ofTransposed(Guard);
    if (Op.C.Rows)
      for (LoadInst *Load : View.Tests.InvariantLoads)
        Arguments.Invariants.push_back(
            Guard.valueOf(Load->getPointerOperand()));
    for (const Conditions::Apart *Pair : View.apartFromRows())
      Arguments.Apart.push_back(Guard.bounds(Pair->Region));
    passScalars(Guard);
    Kernel = ThePlan.Dispatched.empty()
                 ? Kernels.front()
                 : createDispatch(View, ThePlan, Kernels);
  }

  Value *emitCall(IRBuilderBase &B, Value *Own, const RowRange *Rows) override {
    if (View.Source.ToScratch)
      Arguments.c().Base = Own;
    for (auto [I, T] : enumerate(Op.Terms)) {
      readSaved(B, T.A, Arguments.Operands[2 * I], Own);
      readSaved(B, T.B, Arguments.Operands[2 * I + 1], Own);
    }
    for (auto [I, Scalar] : enumerate(Scalars))
      B.CreateStore(Scalar,
                    B.CreateStructGEP(Memory->getAllocatedType(), Memory, I));
    Value *Call =
        callKernel(B, Kernel, Rows ? argumentsOf(B, *Rows) : Arguments, View);
    return ThePlan.isSmall() && ThePlan.Dispatched.empty() ? B.getTrue() : Call;
  }

private:
  /// The diagonal as kernels count it: so many rows before the first column.
  Value *diagonalInRows(GuardBuilder &Guard) const {
    Value *Diagonal = Guard.diagonal();
    if (!Op.Domain->isOfC() || Op.Domain->elementsPerPlace(M) == 1)
      return Diagonal;
    // Of a number above the diagonal, both parts are.
    IRBuilderBase &B = Guard.builder();
    Diagonal = B.CreateShl(Diagonal, 1);
    return Op.Domain->isLower() ? Diagonal
                                : B.CreateSub(Diagonal, B.getInt64(1));
  }

  /// Nothing is made yet of a use in the same steps; one of the sums is made as a whole,
  /// or not at all.
  KernelArguments::TransposedArguments ofTransposed(GuardBuilder &Guard) const {
    const TransposedUse &Use = *Op.Transposed;
    KernelArguments::TransposedArguments Result;
    Result.C = Guard.base(Use.C);
    Result.Steps =
        ThePlan.madeOfRest(Op) ? Guard.extent(K) : Guard.builder().getInt64(0);
    if (Use.AfterSums)
      return Result;
    Result.B = Guard.base(Use.Of.B);
    Result.StrideB = Guard.stride(Use.Of.B, M);
    Result.Corner = Guard.builder().getInt64(0);
    return Result;
  }

  KernelArguments argumentsOf(IRBuilderBase &B, const RowRange &Rows) const {
    KernelArguments Result = Arguments;
    auto Move = [&](KernelArguments::Operand &X) {
      X.Base = B.CreatePtrAdd(X.Base, B.CreateMul(Rows.First, X.First));
    };
    for (unsigned T = 0; T < Op.Terms.size(); ++T)
      Move(Result.Operands[2 * T]);
    Move(Result.c());
    for (KernelArguments::Operand &X : Result.Further)
      Move(X);
    if (Op.Transposed && !Op.Transposed->AfterSums) {
      auto &[Unmoved, First, Stride, Steps, Corner] = Result.Transposed;
      First = B.CreatePtrAdd(First, B.CreateMul(Rows.First, Stride));
      Steps = Rows.Transposed ? Rows.Transposed : Steps;
      Corner = B.getInt64(Rows.IsCorner);
    }
    Result.M = Rows.Count;
    if (Op.Domain)
      Result.Diagonal = B.CreateAdd(Result.Diagonal, Rows.First);
    return Result;
  }
  /// \p X, if it is a factor that has been saved, is read from \p Own.
  static void readSaved(IRBuilderBase &B, const Access &X,
                        KernelArguments::Operand &Passed, Value *Own) {
    if (!X.Saved || X.isPackedFirst())
      return;
    Value *Shift =
        B.CreateMul(B.getInt64(X.Saved->Shift - X.Saved->First), Passed.Second);
    Passed.Base = B.CreatePtrAdd(Own, Shift);
  }
  /// The kernel takes scalars from memory.
  void passScalars(GuardBuilder &Guard) {
    SetVector<Value *> Invariants = invariantsOf(Op);
    if (Invariants.empty())
      return;
    BasicBlock &Entry = Op.store()->getFunction()->getEntryBlock();
    Memory = IRBuilder<>(&Entry, Entry.begin())
                 .CreateAlloca(scalarsType(Invariants, Entry.getContext()),
                               nullptr, "scalars");
    for (Value *Scalar : Invariants)
      Scalars.push_back(Guard.valueOf(Scalar));
    Arguments.Scalars = Memory;
  }

  const Nest &View;
  const Contraction &Op;
  const Plan &ThePlan;
  SmallVector<BuiltKernel, 4> Kernels;
  BuiltKernel Kernel;
  KernelArguments Arguments;
  AllocaInst *Memory = nullptr;
  SmallVector<Value *, 2> Scalars;
};

} // namespace

std::unique_ptr<Backend> createKernelCall(const Nest &View,
                                          const Plan &ThePlan) {
  return std::make_unique<KernelCall>(View, ThePlan);
}

} // namespace tilesmith
