//===- WholeGroups.cpp - steps that are filled up to whole groups ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors that stay narrow are elements of several adjacent steps, as of four
// channels. The three of a picture are none, nor need a row of a window be. So both
// factors are copied, with zeros behind the steps of each place, or of each row, and
// the kernel is called for the copies:
//
//   memory = malloc(...)
//   copy what windows have of the image, with zeros beyond its borders
//   copy the weights
//   done = kernel(...)
//   free(memory)
//
// Of the image, that is a place for a place, however many windows it belongs to; and
// nothing is read that no window has.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/WholeGroups.h"
#include "KernelBuilder.h"

using namespace llvm;

namespace tilesmith {

/// Of fewer channels, sums are faster in the source's loops than with wide factors,
/// where there is no border.
static constexpr uint64_t FewestSteps = 4;

/// Rows are filled up, not places, if they have fewer steps then by a fourth: micro
/// kernels read windows in place only if these are whole groups apart.
static constexpr uint64_t Rows = 4, OfPlaces = 3;

/// The function under way that fills up groups for a kernel.
class KernelBuilder::WholeGroupsKernel {
public:
  explicit WholeGroupsKernel(KernelBuilder &K)
      : K(K), B(K.B), Ways(*directionsOf(K.Op, *K.ThePlan.Gathered)) {}

  llvm::Function *build(const BuiltKernel &Kernel);

private:
  /// A direction of the image: windows are Apart, in places; those from Begin to
  /// End exist.
  struct Direction {
    Value *LineStride, *StepStride, *LineExtent, *StepExtent;
    Value *Apart = nullptr, *Length = nullptr;
    Value *Begin = nullptr, *End = nullptr;
    Value *NewStride = nullptr;
  };
  /// An index of lines without a direction, as of several images; or one of the
  /// weights.
  struct Loop {
    Value *Extent, *Stride;
    Value **NewStride; ///< the argument
  };

  uint64_t sizeOf(const Access &X) const {
    return K.DL.getTypeStoreSize(X.ElemTy);
  }
  const Access &image() const {
    return Ways.Image == tilesmith::M ? Op().Terms.front().A
                                      : Op().Terms.front().B;
  }
  const Access &weights() const {
    return Ways.Image == tilesmith::M ? Op().Terms.front().B
                                      : Op().Terms.front().A;
  }
  const Contraction &Op() const { return K.Op; }
  /// As in KernelArguments::Outer.
  unsigned numberOf(Dim D) const { return D == tilesmith::M ? 1 : 2; }
  KernelArguments::Operand &operandOf(Dim D) {
    return Arguments.Operands[numberOf(D) - 1];
  }
  Value *extentOf(Dim D) {
    return D == tilesmith::M ? Arguments.M : Arguments.N;
  }
  Value *&strideOf(Dim D, std::optional<unsigned> Outer) {
    return Outer ? Arguments.Outer[*Outer].Strides[numberOf(D)]
                 : operandOf(D).First;
  }
  Value *extentOf(Dim D, std::optional<unsigned> Outer) {
    return Outer ? Arguments.Outer[*Outer].Extent : extentOf(D);
  }
  Value *moveOf(const KernelArguments::BorderArguments &Of,
                std::optional<unsigned> Outer) const {
    return Outer ? Of.Outer[*Outer] : Of.OfLine;
  }

  void setDirections();
  void setLoops();
  void setSteps();
  Value *areEnough();
  Value *setPlaces();
  Value *setWeights(Value *Offset);
  void forAll(ArrayRef<Loop> Loops, Value *From, Value *To,
              function_ref<void(Value *, Value *)> Body);
  void forPlaces(size_t Number, Value *From, Value *To);
  void copyLine(Value *From, Value *To, Value *Count);
  void copyGroups(Value *From, Value *To, Value *Mask, bool IsOne);
  void copyWeights(Value *From, Value *To);

  KernelBuilder &K;
  IRBuilder<> &B;
  const Directions Ways;
  KernelArguments Arguments;
  SmallVector<Direction, 2> Along;       ///< the nearest first
  SmallVector<Loop, 2> Others;           ///< of the image
  SmallVector<Loop, 2> Lines, StepLoops; ///< of weights
  /// Of a place: the source's, and those of the copy. Of a row: those of the copy.
  Value *Steps = nullptr, *PlaceSteps = nullptr, *NewSteps = nullptr;
  Value *OldStep = nullptr; ///< stride of the weights
};

/// Finds the directions of the image, and what it has in each.
void KernelBuilder::WholeGroupsKernel::setDirections() {
  Value *Zero = K.i64(0);
  for (const Directions::Pair &Of : Ways.Pairs) {
    Direction D{strideOf(Ways.Image, Of.Line), strideOf(Ways.Image, Of.Step),
                extentOf(Ways.Image, Of.Line), Arguments.Outer[Of.Step].Extent};
    Value *AtLeastOne =
        B.CreateBinaryIntrinsic(Intrinsic::umax, D.StepStride, K.i64(1));
    D.Apart = B.CreateUDiv(D.LineStride, AtLeastOne);
    Value *Moved = B.CreateMul(D.Apart, B.CreateSub(D.LineExtent, K.i64(1)));
    D.Length = B.CreateAdd(Moved, D.StepExtent);
    D.Begin = Zero;
    D.End = D.Length;
    if (Of.Border) {
      auto Inside = [&](Value *V) {
        Value *NotBelow = B.CreateBinaryIntrinsic(Intrinsic::smax, V, Zero);
        return B.CreateBinaryIntrinsic(Intrinsic::smin, NotBelow, D.Length);
      };
      const auto &Border = Arguments.Borders[*Of.Border];
      D.Begin = Inside(B.CreateNeg(Border.Start));
      D.End = Inside(B.CreateSub(Border.Extent, Border.Start));
    }
    Along.push_back(D);
  }
}

/// The indices that are no directions.
void KernelBuilder::WholeGroupsKernel::setLoops() {
  for (std::optional<unsigned> Line : Ways.Others)
    Others.push_back({extentOf(Ways.Image, Line), strideOf(Ways.Image, Line),
                      &strideOf(Ways.Image, Line)});
  const Dim Other = mirrored(Ways.Image);
  auto Add = [&](SmallVectorImpl<Loop> &To, std::optional<unsigned> Outer) {
    To.push_back({extentOf(Other, Outer), strideOf(Other, Outer),
                  &strideOf(Other, Outer)});
  };
  Add(Lines, std::nullopt);
  for (unsigned I : K.ThePlan.Gathered->Chains[Other])
    Add(Lines, I);
  for (unsigned I : K.ThePlan.Gathered->Chains[tilesmith::K])
    Add(StepLoops, I);
}

/// i1: whether windows have all that is between them, place for place, and copies
/// are worth it.
Value *KernelBuilder::WholeGroupsKernel::areEnough() {
  constexpr uint64_t LeastWork = 1 << 14, MostPlaces = uint64_t(1) << 30;
  SmallVector<Value *, 8> Are;
  Value *Work = B.CreateMul(B.CreateMul(Arguments.M, Arguments.N), Steps);
  for (const auto &Outer : Arguments.Outer)
    Work = B.CreateMul(Work, Outer.Extent);
  Are.push_back(B.CreateICmpUGE(Work, K.i64(LeastWork)));
  Value *Dense = B.CreateMul(Steps, K.i64(sizeOf(image())));
  Are.push_back(B.CreateICmpEQ(Along.front().StepStride, Dense));
  Value *Places = K.i64(1);
  auto Count = [&](Value *Extent) {
    Places = B.CreateMul(Places, Extent);
    Are.push_back(B.CreateICmpULT(Extent, K.i64(MostPlaces)));
    Are.push_back(B.CreateICmpULT(Places, K.i64(MostPlaces)));
  };
  for (auto [D, Of] : zip_equal(Along, Ways.Pairs)) {
    Are.push_back(B.CreateICmpSGT(D.StepStride, K.i64(0)));
    Are.push_back(
        B.CreateICmpEQ(D.LineStride, B.CreateMul(D.Apart, D.StepStride)));
    Are.push_back(B.CreateICmpULE(B.CreateSub(D.Apart, K.i64(1)),
                                  B.CreateSub(D.StepExtent, K.i64(1))));
    Count(D.Length);
    if (!Of.Border)
      continue;
    const auto &Border = Arguments.Borders[*Of.Border];
    Are.push_back(B.CreateICmpEQ(Border.Outer[Of.Step], K.i64(1)));
    Are.push_back(B.CreateICmpEQ(moveOf(Border, Of.Line), D.Apart));
  }
  for (const Loop &L : Others)
    Count(L.Extent);
  return B.CreateAnd(Are);
}

/// Where places of the copy are, and no borders: the bytes of all, and of what the
/// last row of a window is filled up with.
Value *KernelBuilder::WholeGroupsKernel::setPlaces() {
  const uint64_t Size = sizeOf(image());
  Value *Bytes = B.CreateMul(PlaceSteps, K.i64(Size));
  for (auto [D, Of] : zip_equal(Along, Ways.Pairs)) {
    D.NewStride = Bytes;
    Arguments.Outer[Of.Step].Strides[numberOf(Ways.Image)] = Bytes;
    strideOf(Ways.Image, Of.Line) = B.CreateMul(D.Apart, Bytes);
    Bytes = B.CreateMul(D.Length, Bytes);
  }
  for (const Loop &L : Others) {
    *L.NewStride = Bytes;
    Bytes = B.CreateMul(L.Extent, Bytes);
  }
  for (auto &Border : Arguments.Borders) {
    for (Value **Move : {&Border.Start, &Border.OfLine, &Border.OfStep})
      *Move = K.i64(0);
    fill(Border.Outer, K.i64(0));
    Border.Extent = K.i64(1);
  }
  return B.CreateAdd(Bytes, K.i64(K.groupSteps() * Size));
}

/// The same for the weights, in their storage order.
Value *KernelBuilder::WholeGroupsKernel::setWeights(Value *Bytes) {
  Value *&OfStep = operandOf(mirrored(Ways.Image)).Second;
  auto Set = [&](Value *&Stride, Value *Extent) {
    Stride = Bytes;
    Bytes = B.CreateMul(Bytes, Extent);
  };
  auto SetAll = [&](ArrayRef<Loop> Loops) {
    for (const Loop &L : Loops)
      Set(*L.NewStride, L.Extent);
  };
  bool HasAdjacentLines = weights().isUnit(mirrored(Ways.Image), K.DL);
  if (HasAdjacentLines)
    SetAll(Lines);
  Set(OfStep, NewSteps);
  SetAll(ArrayRef(StepLoops).drop_front());
  if (!HasAdjacentLines)
    SetAll(Lines);
  return Bytes;
}

/// Body(where an element is in the source, and in the copy) for all indices.
void KernelBuilder::WholeGroupsKernel::forAll(
    ArrayRef<Loop> Loops, Value *From, Value *To,
    function_ref<void(Value *, Value *)> Body) {
  if (Loops.empty())
    return Body(From, To);
  const Loop &L = Loops.back();
  K.emitLoop(K.i64(0), L.Extent, K.i64(1), "index", [&](Value *I) {
    forAll(Loops.drop_back(), K.offset(From, I, L.Stride),
           K.offset(To, I, *L.NewStride), Body);
  });
}

/// Copies the places of the first \p Number directions.
void KernelBuilder::WholeGroupsKernel::forPlaces(size_t Number, Value *From,
                                                 Value *To) {
  const Direction &D = Along[Number - 1];
  auto At = [&](Value *I, auto Body) {
    Body(K.offset(From, I, D.StepStride), K.offset(To, I, D.NewStride));
  };
  if (Number > 1)
    return K.emitLoop(D.Begin, D.End, K.i64(1), "line", [&](Value *I) {
      At(I, [&](Value *Src, Value *Dst) { forPlaces(Number - 1, Src, Dst); });
    });
  Value *Count = B.CreateBinaryIntrinsic(Intrinsic::smax,
                                         B.CreateSub(D.End, D.Begin), K.i64(0));
  const Align Alignment(sizeOf(image()));
  At(D.Begin, [&](Value *Src, Value *Dst) {
    K.emitIf(
        B.CreateICmpEQ(Steps, PlaceSteps), "as.is",
        [&] {
          B.CreateMemCpy(Dst, Alignment, Src, Alignment,
                         B.CreateMul(Count, D.NewStride));
        },
        [&] { copyLine(Src, Dst, Count); });
  });
}

/// Copies \p Count places to where zeros are. Groups are loaded as a whole, with what
/// is behind them in the line, but for those of the last places.
void KernelBuilder::WholeGroupsKernel::copyLine(Value *From, Value *To,
                                                Value *Count) {
  const uint64_t Size = sizeOf(image()), Bits = 8 * Size;
  Type *Ty = B.getIntNTy(K.groupSteps() * Bits);
  Value *Added = B.CreateSub(PlaceSteps, Steps);
  Value *Above =
      B.CreateLShr(Constant::getAllOnesValue(Ty),
                   B.CreateTrunc(B.CreateMul(Added, K.i64(Bits)), Ty));
  Value *Whole = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Count,
                                         K.ceilDiv(Added, Steps));
  Value *OfPlace = B.CreateMul(Steps, K.i64(Size));
  auto CopyWhole = [&](Value *NewPlace, bool IsOneGroup) {
    constexpr unsigned AtOnce = 4;
    auto Some = [&](Value *I, unsigned Width) {
      Value *Src = K.offset(From, I, OfPlace), *Dst = K.offset(To, I, NewPlace);
      for (unsigned J = 0; J < std::max(Width, 1u); ++J) {
        copyGroups(Src, Dst, Above, IsOneGroup);
        Src = B.CreatePtrAdd(Src, OfPlace);
        Dst = B.CreatePtrAdd(Dst, NewPlace);
      }
    };
    K.emitVectors(K.i64(0), Whole, AtOnce, "place", Some);
  };
  Value *OneGroup = K.i64(K.groupSteps() * Size),
        *NewPlace = B.CreateMul(PlaceSteps, K.i64(Size));
  K.emitIf(
      B.CreateICmpEQ(NewPlace, OneGroup), "one.group",
      [&] { CopyWhole(OneGroup, /*IsOneGroup=*/true); },
      [&] { CopyWhole(NewPlace, /*IsOneGroup=*/false); });
  K.emitLoop(Whole, Count, K.i64(1), "last", [&](Value *I) {
    B.CreateMemCpy(K.offset(To, I, NewPlace), Align(Size),
                   K.offset(From, I, OfPlace), Align(Size), OfPlace);
  });
}

/// Copies a place group by group. Of the last one, what is not in \p Mask belongs to
/// the next place.
void KernelBuilder::WholeGroupsKernel::copyGroups(Value *From, Value *To,
                                                  Value *Mask, bool IsOne) {
  const uint64_t Size = sizeOf(image());
  auto Load = [&](Value *At) {
    return B.CreateAlignedLoad(Mask->getType(), B.CreatePtrAdd(From, At),
                               Align(Size));
  };
  auto Store = [&](Value *V, Value *At) {
    B.CreateAlignedStore(V, B.CreatePtrAdd(To, At), Align(Size));
  };
  Value *Last = K.i64(0);
  if (!IsOne) {
    Value *OfGroup = K.i64(K.groupSteps() * Size);
    Last = B.CreateSub(B.CreateMul(PlaceSteps, K.i64(Size)), OfGroup);
    K.emitLoop(K.i64(0), Last, OfGroup, "group",
               [&](Value *At) { Store(Load(At), At); });
  }
  Store(B.CreateAnd(Load(Last), Mask), Last);
}

/// How many steps a place has in the copy, and a row.
void KernelBuilder::WholeGroupsKernel::setSteps() {
  const Direction &Nearest = Along.front();
  const unsigned Group = K.groupSteps();
  Value *Filled = K.alignUp(Steps, Group);
  Value *Row = K.alignUp(B.CreateMul(Steps, Nearest.StepExtent), Group),
        *RowOfFilled = B.CreateMul(Filled, Nearest.StepExtent);
  Value *AreWhole = K.isMultipleOf(B.CreateMul(Nearest.Apart, Steps), Group);
  Value *AreFewer = B.CreateICmpULE(B.CreateMul(Row, K.i64(Rows)),
                                    B.CreateMul(RowOfFilled, K.i64(OfPlaces)));
  Value *FillsRows = B.CreateOr(AreWhole, AreFewer);
  PlaceSteps = B.CreateSelect(FillsRows, Steps, Filled);
  NewSteps = B.CreateSelect(FillsRows, Row, RowOfFilled);
}

/// Copies the weights to where zeros are. Lines that are adjacent are innermost.
void KernelBuilder::WholeGroupsKernel::copyWeights(Value *From, Value *To) {
  const Access &X = weights();
  Value *NewStep = operandOf(mirrored(Ways.Image)).Second;
  auto CopyElement = [&](Value *Src, Value *Dst) {
    Value *V = B.CreateAlignedLoad(X.ElemTy, Src, X.Alignment);
    B.CreateAlignedStore(V, Dst, Align(sizeOf(X)));
  };
  auto CopyRow = [&](Value *Src, Value *Dst) {
    const Loop &Places = StepLoops.front();
    K.emitLoop(K.i64(0), Places.Extent, K.i64(1), "place", [&](Value *Place) {
      Value *OfPlace = K.offset(Src, Place, Places.Stride);
      Value *First = B.CreateMul(Place, PlaceSteps);
      K.emitLoop(K.i64(0), Steps, K.i64(1), "step", [&](Value *Step) {
        forAll(Lines, K.offset(OfPlace, Step, OldStep),
               K.offset(Dst, B.CreateAdd(First, Step), NewStep), CopyElement);
      });
    });
  };
  forAll(ArrayRef(StepLoops).drop_front(), From, To, CopyRow);
}

/// i1 tilesmith.fill(KernelArguments): what \p Kernel does, with steps that are no
/// whole groups.
Function *KernelBuilder::WholeGroupsKernel::build(const BuiltKernel &Kernel) {
  Function *F = K.createFunction(
      "fill", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Closed));
  const KernelArguments Given = Arguments;
  Steps = Arguments.K;
  OldStep = operandOf(mirrored(Ways.Image)).Second;
  auto Block = [&](StringRef Name) {
    return BasicBlock::Create(K.Ctx, Name, F);
  };
  BasicBlock *Ragged = Block("ragged"), *AsGiven = Block("as.given"),
             *Other = Block("otherwise"), *Fill = Block("fill");
  B.CreateCondBr(K.isMultipleOf(Steps, K.groupSteps()), AsGiven, Ragged);
  B.SetInsertPoint(AsGiven);
  B.CreateRet(callKernel(B, Kernel, Given, K.View));
  B.SetInsertPoint(Ragged);
  setDirections();
  setLoops();
  setSteps();
  B.CreateCondBr(areEnough(), Fill, Other);
  B.SetInsertPoint(Other);
  // Few steps are faster in the source's loops than widened.
  Value *AreMany = B.getTrue();
  if (!Op().borderedFactor())
    AreMany = B.CreateICmpUGE(Steps, K.i64(FewestSteps));
  BasicBlock *None = Block("none");
  B.CreateCondBr(AreMany, AsGiven, None);
  B.SetInsertPoint(None);
  B.CreateRet(B.getFalse());

  B.SetInsertPoint(Fill);
  Value *OfImage = K.alignUp(setPlaces(), CacheLine);
  Value *OfWeights = setWeights(K.i64(sizeOf(weights())));
  Value *Bytes = B.CreateAdd(OfImage, OfWeights);
  Value *Memory = K.emitMemory(K.bytesToAskFor(Bytes));
  auto &Image = operandOf(Ways.Image),
       &Weights = operandOf(mirrored(Ways.Image));
  Value *Copy = K.cacheLineIn(Memory);
  Value *CopyOfWeights = B.CreatePtrAdd(Copy, OfImage);
  B.CreateMemSet(Copy, B.getInt8(0), Bytes, Align(CacheLine));
  forAll(Others, Image.Base, Copy,
         [&](Value *From, Value *To) { forPlaces(Along.size(), From, To); });
  copyWeights(Weights.Base, CopyOfWeights);
  Image.Base = Copy;
  Weights.Base = CopyOfWeights;
  Arguments.K = NewSteps;
  Arguments.Outer[Ways.Pairs.front().Step].Extent = K.i64(1);
  Value *Done = callKernel(B, Kernel, Arguments, K.View);
  K.emitFree(Memory);
  B.CreateRet(Done);
  return F;
}

Function *KernelBuilder::buildWholeGroups(const BuiltKernel &Kernel) {
  return WholeGroupsKernel(*this).build(Kernel);
}

} // namespace tilesmith
