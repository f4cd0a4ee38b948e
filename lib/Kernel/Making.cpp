//===- Making.cpp - factors that are computed of several elements ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around a kernel, which takes one element for a factor:
//
//   memory = malloc(...)
//   for each line of a made factor, along k or its rows (or columns):
//     for each element: store the expression of the source
//   done = kernel(...)
//   free(memory)
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// A factor that is made: a matrix of lines of adjacent elements.
struct KernelBuilder::MadeFactor {
  const Making &Of;
  Dim Line, Adjacent; ///< one is K
  ArrayRef<KernelArguments::Operand> Operands;
  Value *Scalars;
  Value *Lines, *Elements; ///< their numbers
  Value *LineStride;       ///< in bytes
  Value *Memory = nullptr;

  /// The stride of an operand along a dimension.
  Value *stride(const KernelArguments::Operand &Given, Dim D) const {
    return D == K ? Given.Second : Given.First;
  }
};

/// \p Width elements of a line, from number \p I on; one, as a scalar, if that
/// is 0.
void KernelBuilder::emitElementsMade(const MadeFactor &Of, Value *Line,
                                     Value *I, unsigned Width) {
  auto ValueOf = [&](Value *V, Leaf) -> Value * {
    auto *Operand = find_if(Of.Of.Operands, [&](const FurtherOperand &Each) {
      return Each.Load == V;
    });
    const Access &X = Operand->X;
    const KernelArguments::Operand &Given =
        Of.Operands[Operand - Of.Of.Operands.begin()];
    bool IsUnit = X.isUnit(Of.Adjacent, DL);
    Value *Step = IsUnit ? i64(DL.getTypeStoreSize(X.ElemTy))
                         : Of.stride(Given, Of.Adjacent);
    Value *From =
        offset(offset(Given.Base, Line, Of.stride(Given, Of.Line)), I, Step);
    bool IsVector = Width && IsUnit;
    Type *Ty = IsVector ? FixedVectorType::get(X.ElemTy, Width) : X.ElemTy;
    Value *Loaded = B.CreateAlignedLoad(Ty, From, X.Alignment);
    return Width && !IsVector ? B.CreateVectorSplat(Width, Loaded) : Loaded;
  };
  Value *Made = evaluate(Of.Of.Value, Of.Scalars, Width, ValueOf);
  B.CreateAlignedStore(Made, element(offset(Of.Memory, Line, Of.LineStride), I),
                       Align(Size));
}

/// Fills the matrix of \p Of. What moves with its elements, but is not adjacent,
/// is loaded one by one.
void KernelBuilder::emitMaking(const MadeFactor &Of) {
  bool HasVectors = Of.Of.Value.isLanewise() &&
                    all_of(Of.Of.Operands, [&](const FurtherOperand &Each) {
                      return Each.X.isUnit(Of.Adjacent, DL) ||
                             Each.X.Stride[Of.Adjacent]->isZero();
                    });
  emitLoop(i64(0), Of.Lines, i64(1), "line", [&](Value *Line) {
    Value *Rest = i64(0);
    if (HasVectors) {
      Rest = alignDown(Of.Elements, ThePlan.VL);
      emitLoop(i64(0), Rest, i64(ThePlan.VL), "vector",
               [&](Value *I) { emitElementsMade(Of, Line, I, ThePlan.VL); });
    }
    emitLoop(Rest, Of.Elements, i64(1), "element",
             [&](Value *I) { emitElementsMade(Of, Line, I, /*Width=*/0); });
  });
}

/// i1 tilesmith.make(KernelArguments): false if there is no memory, or if
/// \p Kernel says so.
Function *KernelBuilder::buildMaking(const BuiltKernel &Kernel) {
  KernelArguments Arguments;
  Function *F = createFunction(
      "make", B.getInt1Ty(),
      parametersOfKernel(Arguments, View, KernelInterface::Making));
  SmallVector<MadeFactor, 2> Factors;
  SmallVector<Value *, 2> Offsets;
  ArrayRef<KernelArguments::Operand> Given = Arguments.Made;
  Value *Total = i64(0);
  for (auto [I, Of] : enumerate(Op.makings())) {
    if (!Of)
      continue;
    Dim P = I % 2 ? N : tilesmith::M;
    const Access &X = *Op.accesses()[I + 1];
    Dim Adjacent = X.isUnit(P, DL) ? P : K, Line = Adjacent == K ? P : K;
    auto ExtentOf = [&](Dim D) {
      return D == K ? Arguments.K : D == N ? Arguments.N : Arguments.M;
    };
    Value *Elements = ExtentOf(Adjacent);
    Value *LineStride = B.CreateMul(Elements, i64(Size));
    Factors.push_back({*Of, Line, Adjacent,
                       Given.take_front(Of->Operands.size()), Arguments.Scalars,
                       ExtentOf(Line), Elements, LineStride});
    Given = Given.drop_front(Of->Operands.size());
    Offsets.push_back(Total);
    Total = B.CreateAdd(
        Total,
        alignUp(B.CreateMul(Factors.back().Lines, LineStride), CacheLine));
    KernelArguments::Operand &Passed = Arguments.Operands[I];
    Passed.First = Adjacent == K ? LineStride : i64(Size);
    Passed.Second = Adjacent == K ? i64(Size) : LineStride;
  }
  Value *Memory = emitMemory(Total), *First = cacheLineIn(Memory);
  unsigned Next = 0;
  for (auto [I, Of] : enumerate(Op.makings())) {
    if (!Of)
      continue;
    MadeFactor &Factor = Factors[Next];
    Factor.Memory = Arguments.Operands[I].Base =
        B.CreatePtrAdd(First, Offsets[Next++]);
    emitMaking(Factor);
  }
  Value *Done = callKernel(B, Kernel, Arguments, View);
  emitFree(Memory);
  B.CreateRet(Done);
  return F;
}

} // namespace tilesmith
