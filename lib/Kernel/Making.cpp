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
    bool isInGroups(const Access &X) const {
      return X.Grouped && X.Grouped->Of == Adjacent;
    }
  };
  /// The elements of a line that vectors are made of: all of them, or groups.
  struct Chunks {
    bool HaveVectors = true;
    const Groups *Of = nullptr;
    Value *Length = nullptr;
  };

  Value *extent(Dim D) const {
    return D == N ? Arguments.N : D == tilesmith::M ? Arguments.M : Arguments.K;
  }
  void setFactors();
  unsigned repetitions(const Factor &Of, const Access &X) const;
  Chunks chunks(const Factor &Of) const;
  Value *index(const Factor &Of, const IndexOfFactor &Each, Value *Line,
               Value *I, unsigned Width);
  Value *lengthOf(const Access &X, const KernelArguments::Operand &Given);
  Value *loadElements(const Factor &Of, unsigned Operand, Value *Line, Value *I,
                      unsigned Width);
  Value *evaluate(const Factor &Of, const Expression &E, Value *Line, Value *I,
                  unsigned Width);
  void emitElements(const Factor &Of, Value *Line, Value *I, unsigned Width);
  void emitNumbers(const Factor &Of, Value *Line, Value *I, unsigned Width);
  LineRange linesMade(const Factor &Of) const;
  LineRange elementsMade(const Factor &Of, Value *Line) const;
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

/// How many elements of a line have one of \p X in common, if these are adjacent, and
/// vectors are made of them: q[k / 2]. One if they are not.
unsigned KernelBuilder::MakingKernel::repetitions(const Factor &Of,
                                                  const Access &X) const {
  if (!Of.isInGroups(X) || !X.isStep(Of.Adjacent, 0) ||
      !X.Grouped->isStep(K.DL.getTypeStoreSize(X.ElemTy)))
    return 1;
  auto Length = X.Grouped->constantLength();
  return Length && *Length < K.ThePlan.VL && K.ThePlan.VL % *Length == 0
             ? *Length
             : 1;
}

/// Vectors are of elements in one group. If an operand moves with elements, but is
/// neither adjacent nor a part of complex numbers that are, they are made one by one.
KernelBuilder::MakingKernel::Chunks
KernelBuilder::MakingKernel::chunks(const Factor &Of) const {
  Chunks Result;
  auto IsLanewise = [](const Expression &E) { return E.isLanewise(); };
  Result.HaveVectors =
      IsLanewise(Of.Of.Value) && (!Of.Of.Second || IsLanewise(*Of.Of.Second));
  unsigned Repeated = 1;
  for (auto [Each, Given] : zip_equal(Of.Of.Operands, Of.Operands)) {
    const Access &X = Each.X;
    if (unsigned Times = repetitions(Of, X); Times > 1) {
      Repeated = std::max(Repeated, Times);
      continue;
    }
    uint64_t Size = K.DL.getTypeStoreSize(X.ElemTy);
    Result.HaveVectors &= Of.isAdjacent(X, 0) || Of.isAdjacent(X, Size) ||
                          Of.isAdjacent(X, 2 * Size);
    if (!Of.isInGroups(X))
      continue;
    Result.HaveVectors &= !Result.Of || Result.Of->Length == X.Grouped->Length;
    Result.Of = &*X.Grouped;
    Result.Length = Given.Length;
  }
  if (!Result.Of)
    return Result;
  const unsigned VL = K.ThePlan.VL;
  std::optional<uint64_t> Length = Result.Of->constantLength();
  Result.HaveVectors &= (!Length || *Length >= VL) &&
                        (Repeated == 1 || (Length && *Length % Repeated == 0));
  // No vector is of two groups then.
  if (!Result.HaveVectors || (Length && *Length % VL == 0))
    Result.Of = nullptr;
  return Result;
}

Value *
KernelBuilder::MakingKernel::lengthOf(const Access &X,
                                      const KernelArguments::Operand &Given) {
  auto Known = X.Grouped->constantLength();
  return Known ? K.i64(*Known) : Given.Length;
}

/// The index of \p Width elements in a line, from number \p I on.
Value *KernelBuilder::MakingKernel::index(const Factor &Of,
                                          const IndexOfFactor &Each,
                                          Value *Line, Value *I,
                                          unsigned Width) {
  Type *Ty = Each.Counter->getType();
  bool IsAlong = Each.Of == Of.Adjacent;
  Value *Number = B.CreateZExtOrTrunc(IsAlong ? I : Line, Ty);
  if (Width)
    Number = B.CreateVectorSplat(Width, Number);
  if (Width && IsAlong)
    Number = B.CreateAdd(Number, B.CreateStepVector(Number->getType()));
  auto Constant = [&](const APInt &N) {
    return ConstantInt::get(Number->getType(), N);
  };
  return B.CreateAdd(B.CreateMul(Number, Constant(Each.Step)),
                     Constant(Each.First));
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
  Value *From = Given.Base;
  if (X.Grouped) {
    Value *&Place = Of.isInGroups(X) ? I : Line, *Length = lengthOf(X, Given);
    From = K.offset(From, B.CreateUDiv(Place, Length), Given.OfGroup);
    Place = B.CreateURem(Place, Length);
  }
  From = K.offset(K.offset(From, Line, StrideAlong(Of.Line)), I, Step);
  if (unsigned Times = Width ? repetitions(Of, X) : 1; Times > 1) {
    Value *Each = tilesmith::loadElements(B, X.ElemTy, From, X.Alignment,
                                          /*IsAdjacent=*/true, Width / Times);
    SmallVector<int, 32> Repeated;
    for (unsigned Lane = 0; Lane < Width; ++Lane)
      Repeated.push_back(Lane / Times);
    return B.CreateShuffleVector(Each, Repeated);
  }
  if (Width && Of.isAdjacent(X, 2 * Size))
    return K.loadSecond(FixedVectorType::get(X.ElemTy, Width), From,
                        X.Alignment, /*Mask=*/nullptr);
  return tilesmith::loadElements(B, X.ElemTy, From, X.Alignment, IsUnit, Width);
}

Value *KernelBuilder::MakingKernel::evaluate(const Factor &Of,
                                             const Expression &E, Value *Line,
                                             Value *I, unsigned Width) {
  return K.evaluate(E, Arguments.Scalars, Width, [&](Value *V, Leaf Kind) {
    if (Kind == Leaf::Index)
      return index(Of,
                   *find_if(Of.Of.Indices,
                            [&](const IndexOfFactor &Each) {
                              return Each.Counter == V;
                            }),
                   Line, I, Width);
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

/// Where a diagonal bounds the steps of rows (or columns), only what the steps read:
/// the other elements need not exist.
KernelFrame::LineRange
KernelBuilder::MakingKernel::linesMade(const Factor &Of) const {
  if (K.Made == Steps::All || Of.Line != tilesmith::K)
    return {K.i64(0), Of.Lines};
  auto [First, Count] =
      K.stepsMade(Arguments.Diagonal, Of.Lines, extent(K.BoundOfK));
  return {First, B.CreateAdd(First, Count)};
}

KernelFrame::LineRange
KernelBuilder::MakingKernel::elementsMade(const Factor &Of, Value *Line) const {
  if (K.Made == Steps::All ||
      (Of.Line == tilesmith::K && Of.Adjacent != K.BoundOfK))
    return {K.i64(0), Of.Elements};
  if (Of.Line == tilesmith::K)
    return K.placesOfStep(Line, Arguments.Diagonal, Of.Elements);
  if (Of.Line == K.BoundOfK)
    return K.stepsOfPlace(Line, Arguments.Diagonal, Of.Elements);
  auto [First, Count] =
      K.stepsMade(Arguments.Diagonal, Of.Elements, extent(K.BoundOfK));
  return {First, B.CreateAdd(First, Count)};
}

/// Fills a matrix.
void KernelBuilder::MakingKernel::emitMatrix(const Factor &Of) {
  const Chunks In = chunks(Of);
  auto EmitFrom = [&](Value *Line, Value *Begin, Value *End) {
    K.emitVectors(Begin, End, In.HaveVectors ? K.ThePlan.VL : 0, "element",
                  [&](Value *I, unsigned Width) {
                    if (Of.Of.Second)
                      emitNumbers(Of, Line, I, Width);
                    else
                      emitElements(Of, Line, I, Width);
                  });
  };
  auto [First, End] = linesMade(Of);
  K.emitLoop(First, End, K.i64(1), "line", [&](Value *Line) {
    if (!In.Of) {
      auto [Begin, End] = elementsMade(Of, Line);
      return EmitFrom(Line, Begin, End);
    }
    K.emitLoop(K.i64(0), Of.Elements, In.Length, "group", [&](Value *Begin) {
      Value *End = B.CreateAdd(Begin, In.Length);
      EmitFrom(Line, Begin,
               B.CreateBinaryIntrinsic(Intrinsic::umin, End, Of.Elements));
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
