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
//
// Of numbers, both parts are made at once, beside each other, and only once if several
// terms read them.
//   free(memory)
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace llvm;

namespace tilesmith {

/// The function under way that makes factors for a kernel.
class KernelBuilder::MakingKernel {
public:
  explicit MakingKernel(KernelBuilder &K) : K(K), B(K.B) {}

  llvm::Function *build(const BuiltKernel &Kernel);

private:
  /// A matrix of lines of adjacent elements, or numbers.
  struct Factor {
    const Making &Of;
    Dim Line, Adjacent; ///< one is K
    ArrayRef<KernelArguments::Operand> Operands;
    Value *Lines = nullptr, *Elements = nullptr; ///< how many
    Value *LineStride = nullptr;                 ///< in bytes
    Value *Offset = nullptr; ///< of the matrix, in the buffer of all
    Value *Memory = nullptr;

    /// How many rows (or columns) of the product there are for each one along \p D.
    unsigned partsAlong(Dim D) const {
      return Of.Second && D != tilesmith::K ? 2 : 1;
    }
    bool isAdjacent(const Access &X, uint64_t Bytes) const;
  };

  Value *extent(Dim D) const {
    return D == N ? Arguments.N : D == tilesmith::M ? Arguments.M : Arguments.K;
  }
  void setFactors();
  Value *loadElements(const Factor &Of, unsigned Operand, Value *Line, Value *I,
                      unsigned Width);
  Value *evaluate(const Factor &Of, const Expression &E, Value *Line, Value *I,
                  unsigned Width);
  void emitElements(const Factor &Of, Value *Line, Value *I, unsigned Width);
  void emitNumbers(const Factor &Of, Value *Line, Value *I, unsigned Width);
  void emitMatrix(const Factor &Of);

  KernelBuilder &K;
  IRBuilder<> &B;
  KernelArguments Arguments;
  /// By number of the operand.
  MapVector<unsigned, Factor> Factors;
  SmallDenseMap<unsigned, unsigned>
      SameAs;             ///< those that read another's matrix
  Value *Bytes = nullptr; ///< of all matrices
};

/// Whether both make the same complex numbers.
static bool isSameNumber(const Making &X, const Making &Y) {
  return X.Second && Y.Second && X.Value.Root == Y.Value.Root &&
         X.Second->Root == Y.Second->Root;
}

/// Where the matrices are to be, one behind the other.
void KernelBuilder::MakingKernel::setFactors() {
  Bytes = K.i64(0);
  ArrayRef<KernelArguments::Operand> Given = Arguments.Made;
  for (auto [I, Of] : enumerate(K.Op.makings())) {
    if (!Of)
      continue;
    Dim P = I % 2 ? N : tilesmith::M;
    bool IsAlongP = K.Op.accesses()[I + 1]->isUnit(P, K.DL);
    Dim Adjacent = IsAlongP ? P : tilesmith::K,
        Line = IsAlongP ? tilesmith::K : P;
    KernelArguments::Operand &Passed = Arguments.Operands[I];
    Factor New{*Of, Line, Adjacent, Given.take_front(Of->Operands.size())};
    Given = Given.drop_front(Of->Operands.size());
    New.Lines = B.CreateUDiv(extent(Line), K.i64(New.partsAlong(Line)));
    New.Elements =
        B.CreateUDiv(extent(Adjacent), K.i64(New.partsAlong(Adjacent)));
    const uint64_t Size = Of->Second ? 2 * K.Size : K.Size;
    New.LineStride = B.CreateMul(New.Elements, K.i64(Size));
    Passed.First = IsAlongP
                       ? K.i64(K.Size)
                       : B.CreateUDiv(New.LineStride, K.i64(New.partsAlong(P)));
    Passed.Second = IsAlongP ? New.LineStride : K.i64(Size);
    auto *Same = find_if(Factors, [&](const auto &Known) {
      return isSameNumber(Known.second.Of, *Of);
    });
    if (Same != Factors.end()) {
      SameAs[I] = Same->first;
      continue;
    }
    New.Offset = Bytes;
    Value *Taken = B.CreateMul(New.Lines, New.LineStride);
    Bytes = B.CreateAdd(Bytes, K.alignUp(Taken, CacheLine));
    Factors.insert({unsigned(I), New});
  }
}

/// Whether the elements of \p X that are beside each other in a line are \p Bytes
/// apart.
bool KernelBuilder::MakingKernel::Factor::isAdjacent(const Access &X,
                                                     uint64_t Bytes) const {
  return X.isStep(Adjacent, Bytes / partsAlong(Adjacent));
}

/// \p Width elements of an operand in a line, from number \p I on; one, as a
/// scalar, if that is 0.
Value *KernelBuilder::MakingKernel::loadElements(const Factor &Of,
                                                 unsigned Operand, Value *Line,
                                                 Value *I, unsigned Width) {
  const Access &X = Of.Of.Operands[Operand].X;
  const KernelArguments::Operand &Given = Of.Operands[Operand];
  auto StrideAlong = [&](Dim D) -> Value * {
    if (D == tilesmith::K)
      return Given.Second;
    return Of.Of.Second ? B.CreateShl(Given.First, 1) : Given.First;
  };
  uint64_t Size = K.DL.getTypeStoreSize(X.ElemTy);
  bool IsUnit = Of.isAdjacent(X, Size);
  Value *Step = IsUnit ? K.i64(Size) : StrideAlong(Of.Adjacent);
  Value *From =
      K.offset(K.offset(Given.Base, Line, StrideAlong(Of.Line)), I, Step);
  if (Width && Of.isAdjacent(X, 2 * Size))
    return K.loadSecond(FixedVectorType::get(X.ElemTy, Width), From,
                        X.Alignment, /*Mask=*/nullptr);
  return tilesmith::loadElements(B, X.ElemTy, From, X.Alignment, IsUnit, Width);
}

Value *KernelBuilder::MakingKernel::evaluate(const Factor &Of,
                                             const Expression &E, Value *Line,
                                             Value *I, unsigned Width) {
  return K.evaluate(E, Arguments.Scalars, Width, [&](Value *V, Leaf) {
    auto *Operand = find_if(Of.Of.Operands, [&](const FurtherOperand &Each) {
      return Each.Load == V;
    });
    return loadElements(Of, Operand - Of.Of.Operands.begin(), Line, I, Width);
  });
}

void KernelBuilder::MakingKernel::emitElements(const Factor &Of, Value *Line,
                                               Value *I, unsigned Width) {
  Value *Made = evaluate(Of, Of.Of.Value, Line, I, Width);
  Value *To = K.element(K.offset(Of.Memory, Line, Of.LineStride), I);
  B.CreateAlignedStore(Made, To, Align(K.Size));
}

/// The same of complex numbers.
void KernelBuilder::MakingKernel::emitNumbers(const Factor &Of, Value *Line,
                                              Value *I, unsigned Width) {
  Value *First = evaluate(Of, Of.Of.Value, Line, I, Width),
        *Second = evaluate(Of, *Of.Of.Second, Line, I, Width);
  Value *To =
      K.element(K.offset(Of.Memory, Line, Of.LineStride), B.CreateShl(I, 1));
  if (!Width) {
    B.CreateAlignedStore(First, To, Align(K.Size));
    B.CreateAlignedStore(Second, K.element(To, K.i64(1)), Align(K.Size));
    return;
  }
  SmallVector<int, 32> InTurn;
  for (unsigned Number = 0; Number < Width; ++Number)
    InTurn.append({int(Number), int(Number + Width)});
  Value *Numbers = B.CreateShuffleVector(First, Second, InTurn);
  B.CreateAlignedStore(Numbers, To, Align(K.Size));
}

/// Fills a matrix. If an operand moves with its elements, but is neither adjacent
/// nor a part of complex numbers that are, they are made one by one.
void KernelBuilder::MakingKernel::emitMatrix(const Factor &Of) {
  auto IsLanewise = [](const Expression &E) { return E.isLanewise(); };
  bool HasVectors =
      IsLanewise(Of.Of.Value) && (!Of.Of.Second || IsLanewise(*Of.Of.Second)) &&
      all_of(Of.Of.Operands, [&](const FurtherOperand &Each) {
        uint64_t Size = K.DL.getTypeStoreSize(Each.X.ElemTy);
        return Of.isAdjacent(Each.X, 0) || Of.isAdjacent(Each.X, Size) ||
               Of.isAdjacent(Each.X, 2 * Size);
      });
  K.emitLoop(K.i64(0), Of.Lines, K.i64(1), "line", [&](Value *Line) {
    K.emitVectors(K.i64(0), Of.Elements, HasVectors ? K.ThePlan.VL : 0,
                  "element", [&](Value *I, unsigned Width) {
                    if (Of.Of.Second)
                      emitNumbers(Of, Line, I, Width);
                    else
                      emitElements(Of, Line, I, Width);
                  });
  });
}

/// glibc gives the pages on top of its heap back to the system where free() makes
/// these more than twice the largest block that it has mapped, and freed, so far (or
/// 128 KiB), and fetches them again in the next call, which may take longer than the
/// product. So a block is asked for that is larger than the kernel's buffers will
/// be: packed, numbers take three times as much. Blocks from 32 MiB on are always
/// mapped.
Value *KernelBuilder::bytesToAskFor(Value *Bytes) {
  constexpr uint64_t Few = 16 << 10, Many = 8 << 20, AtLeast = 1 << 20;
  Value *IsMet = B.CreateICmpULE(B.CreateSub(Bytes, i64(Few)), i64(Many - Few));
  Value *Larger = B.CreateBinaryIntrinsic(Intrinsic::umax,
                                          B.CreateShl(Bytes, 2), i64(AtLeast));
  return B.CreateSelect(IsMet, Larger, Bytes);
}

/// i1 tilesmith.make(KernelArguments): false if there is no memory, or if
/// \p Kernel says so.
Function *KernelBuilder::MakingKernel::build(const BuiltKernel &Kernel) {
  Function *F = K.createFunction(
      "make", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Making));
  setFactors();
  Value *Memory = K.emitMemory(K.bytesToAskFor(Bytes)),
        *First = K.cacheLineIn(Memory);
  for (auto &[Number, Of] : Factors) {
    Of.Memory = B.CreatePtrAdd(First, Of.Offset);
    Arguments.Operands[Number].Base = Of.Memory;
    emitMatrix(Of);
  }
  for (auto [Number, Same] : SameAs)
    Arguments.Operands[Number].Base = Arguments.Operands[Same].Base;
  Value *Done = callKernel(B, Kernel, Arguments, K.View);
  K.emitFree(Memory);
  B.CreateRet(Done);
  return F;
}

Function *KernelBuilder::buildMaking(const BuiltKernel &Kernel) {
  return MakingKernel(*this).build(Kernel);
}

} // namespace tilesmith
