//===- StreamSegments.cpp - a matrix times a vector, in segments ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane has the sum of one row:
//
//   for MR rows
//     the sums start
//     for each segment
//       for k in the segment by some steps
//         for each row: products of neighbours are added to its parts
//       the parts of all rows are joined, to a lane for each row
//       the sums are updated
//     the sums are finished
//
// The last rows are moved up to end where all do. They are made of the same operands,
// so they are the same. The last steps of a segment are loaded with some before them,
// which meet zeros in place of the vector's elements, so that these products are zero.
// Of segments that are shorter than a register of steps, only a part of it is loaded.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Target/DotProduct.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

/// A kernel under way. Strides are in bytes.
class KernelBuilder::SegmentKernel {
public:
  explicit SegmentKernel(KernelBuilder &K)
      : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan), Rows(ThePlan.MR),
        PartsTy(FixedVectorType::get(Op.Segments->PartTy, Rows)) {}

  Function *build();

private:
  using Vectors = SmallVector<Value *, 16>;
  /// Where a segment's elements of a term begin.
  struct Lines {
    SmallVector<Value *, 8> OfRows;
    Value *OfVector;
  };
  /// How the steps of a segment go by: the first ones, which are Whole, by Steps. What
  /// is left over is made of the last Steps ones, of which elements of the vector are
  /// Kept.
  struct Cut {
    unsigned Steps;
    Value *Whole, *HasRest, *Kept;
  };

  Cut cutBy(const Macro &X, unsigned Steps);
  Value *loadSteps(const Macro &X, const Access &Of, const Expression &Map,
                   Value *From, const Cut &By, Value *Kept);
  void addSteps(const Macro &X, ArrayRef<Lines> Of, const Cut &By, Value *Step,
                Value *Kept, Vectors &Parts);
  void addWhole(const Macro &X, ArrayRef<Lines> Of, const Cut &By,
                Vectors &Parts);
  void addRest(const Macro &X, ArrayRef<Lines> Of, const Cut &By,
               Vectors &Parts);
  Vectors addAllSteps(const Macro &X, ArrayRef<Lines> Of, const Cut &By);
  Value *joined(Vectors Parts);
  Value *areLate(const Macro &X);
  void prefetchBehind(const Macro &X, ArrayRef<Lines> Of, Value *Step,
                      uint64_t Steps);
  Value *operand(const Macro &X, unsigned Number, Value *Row, Value *Segment);
  Value *elementsOfRows(const Access &Of, Value *From, Value *Stride);
  Value *evaluate(const Macro &X, const Expression &E, Value *Row,
                  Value *Segment, function_ref<Value *(Leaf)> Own);
  Value *updated(const Macro &X, const Cut &By, Value *Row, Value *Segment,
                 Value *Sums);
  Value *addSegments(const Macro &X, const Cut &By, Value *Row, Value *Sums);
  void emitRows(const Macro &X, const Cut &By, Value *First, Value *Row);
  void emitAllRows(const Macro &X, const Cut &By);
  Value *strideOfSegments(const Macro &X, unsigned Operand) const {
    return X.Arguments->Outer.front().Strides[Operand];
  }
  /// How many steps a segment has.
  Value *stepsOf(const Macro &X) const {
    std::optional<uint64_t> Known = Op.constantExtent(tilesmith::K);
    return Known ? K.i64(*Known) : X.K;
  }
  const NarrowProduct &packed() const { return ThePlan.Narrow->Packed; }

  KernelBuilder &K;
  IRBuilder<> &B;
  const Contraction &Op;
  const Plan &ThePlan;
  const unsigned Rows;
  FixedVectorType *PartsTy;
  DotProduct Dot;
  bool Prefetches = false; ///< the next rows
};

KernelBuilder::SegmentKernel::Cut
KernelBuilder::SegmentKernel::cutBy(const Macro &X, unsigned Steps) {
  Value *All = stepsOf(X), *Whole = K.alignDown(All, Steps);
  Value *Rest = B.CreateSub(All, Whole);
  auto *Ty = FixedVectorType::get(packed().B.Ty, Steps);
  Value *Least = B.CreateVectorSplat(
      Steps, B.CreateTrunc(B.CreateSub(K.i64(Steps), Rest), packed().B.Ty));
  Value *IsKept = B.CreateICmpUGE(B.CreateStepVector(Ty), Least);
  return {Steps, Whole, B.CreateIsNotNull(Rest), B.CreateSExt(IsKept, Ty)};
}

/// Some steps of a factor from \p From on, as the engine takes them.
Value *KernelBuilder::SegmentKernel::loadSteps(const Macro &X, const Access &Of,
                                               const Expression &Map,
                                               Value *From, const Cut &By,
                                               Value *Kept) {
  auto *NarrowTy = FixedVectorType::get(packed().A.Ty, By.Steps);
  Value *V = B.CreateAlignedLoad(FixedVectorType::get(Of.ElemTy, By.Steps),
                                 From, Of.Alignment);
  auto *Widening = dyn_cast<CastInst>(Map.Root);
  if (Widening && Map.Leaves.contains(Widening->getOperand(0)) &&
      Of.ElemTy->getIntegerBitWidth() <= NarrowTy->getScalarSizeInBits())
    V = isa<SExtInst>(Widening) ? B.CreateSExt(V, NarrowTy)
                                : B.CreateZExt(V, NarrowTy);
  else
    V = B.CreateTrunc(K.evaluate(Map, X.Arguments->Scalars, By.Steps,
                                 [&](Value *, Leaf) { return V; }),
                      NarrowTy);
  if (Kept)
    V = B.CreateAnd(V, Kept);
  const unsigned All = ThePlan.NR;
  if (By.Steps < All)
    V = B.CreateShuffleVector(
        V, Constant::getNullValue(NarrowTy),
        createSequentialMask(0, 2 * By.Steps, /*NumUndefs=*/0));
  for (unsigned Steps = 2 * By.Steps; Steps < All; Steps *= 2)
    V = B.CreateShuffleVector(V, Constant::getNullValue(V->getType()),
                              createSequentialMask(0, 2 * Steps, 0));
  return V;
}

/// Adds some steps from number \p Step of the segment on: those that are \p Kept, if
/// that is not null.
void KernelBuilder::SegmentKernel::addSteps(const Macro &X, ArrayRef<Lines> Of,
                                            const Cut &By, Value *Step,
                                            Value *Kept, Vectors &Parts) {
  const bool Flips = ThePlan.Narrow->FlipsA;
  for (auto [T, L] : zip_equal(Op.Terms, Of)) {
    auto At = [&](Value *From, const Access &Of) {
      return K.offset(From, Step, K.i64(K.DL.getTypeStoreSize(Of.ElemTy)));
    };
    Value *Right = loadSteps(X, T.B, T.BMap, At(L.OfVector, T.B), By, Kept);
    Constant *Flip = ConstantInt::get(
        Right->getType(),
        APInt::getSignMask(packed().A.Ty->getIntegerBitWidth()));
    Right = B.CreateBitCast(Right, PartsTy);
    for (auto [From, Part] : zip_first(L.OfRows, Parts)) {
      Value *Left =
          loadSteps(X, T.A, T.AMap, At(From, T.A), By, /*Kept=*/nullptr);
      if (Flips)
        Left = B.CreateXor(Left, Flip);
      Part = Dot.emit(B, packed(), Part, B.CreateBitCast(Left, PartsTy), Right);
    }
    if (Flips)
      Parts.back() = Dot.emit(B, packed(), Parts.back(),
                              B.CreateBitCast(Flip, PartsTy), Right);
  }
}

/// Adds the steps that are whole, in a loop unless there are few.
void KernelBuilder::SegmentKernel::addWhole(const Macro &X, ArrayRef<Lines> Of,
                                            const Cut &By, Vectors &Parts) {
  constexpr uint64_t MostUnrolled = 8;
  auto *Whole = dyn_cast<ConstantInt>(By.Whole);
  if (Whole && Whole->getZExtValue() <= MostUnrolled * By.Steps) {
    for (uint64_t Step = 0; Step < Whole->getZExtValue(); Step += By.Steps) {
      prefetchBehind(X, Of, K.i64(Step), By.Steps);
      addSteps(X, Of, By, K.i64(Step), /*Kept=*/nullptr, Parts);
    }
    return;
  }
  BasicBlock *Before = B.GetInsertBlock();
  K.emitLoop(K.i64(0), By.Whole, K.i64(By.Steps), "steps", [&](Value *Step) {
    SmallVector<PHINode *, 16> Carried;
    for (Value *&Part : Parts) {
      Carried.push_back(PHINode::Create(PartsTy, /*NumReservedValues=*/2,
                                        "part",
                                        cast<PHINode>(Step)->getIterator()));
      Carried.back()->addIncoming(Part, Before);
      Part = Carried.back();
    }
    prefetchBehind(X, Of, Step, By.Steps);
    Vectors Next = Parts;
    addSteps(X, Of, By, Step, /*Kept=*/nullptr, Next);
    for (auto [Part, Added] : zip_equal(Carried, Next))
      Part->addIncoming(Added, B.GetInsertBlock());
  });
}

/// Adds the steps behind those that are whole.
void KernelBuilder::SegmentKernel::addRest(const Macro &X, ArrayRef<Lines> Of,
                                           const Cut &By, Vectors &Parts) {
  Value *First = B.CreateSub(stepsOf(X), K.i64(By.Steps));
  if (auto *IsKnown = dyn_cast<ConstantInt>(By.HasRest)) {
    if (IsKnown->isOne())
      addSteps(X, Of, By, First, By.Kept, Parts);
    return;
  }
  BasicBlock *Before = B.GetInsertBlock(), *Last = nullptr;
  Vectors Next = Parts;
  K.emitIf(By.HasRest, "rest", [&] {
    addSteps(X, Of, By, First, By.Kept, Next);
    Last = B.GetInsertBlock();
  });
  for (auto [Part, Added] : zip_equal(Parts, Next)) {
    PHINode *Phi = B.CreatePHI(PartsTy, /*NumReservedValues=*/2, "part");
    Phi->addIncoming(Part, Before);
    Phi->addIncoming(Added, Last);
    Part = Phi;
  }
}

/// The parts of all rows, each in the lanes of a register.
KernelBuilder::SegmentKernel::Vectors
KernelBuilder::SegmentKernel::addAllSteps(const Macro &X, ArrayRef<Lines> Of,
                                          const Cut &By) {
  const bool Flips = ThePlan.Narrow->FlipsA;
  // With flipped elements, the last one is what all parts have too much.
  Vectors Parts(Rows + Flips, Constant::getNullValue(PartsTy));
  addWhole(X, Of, By, Parts);
  addRest(X, Of, By, Parts);
  if (!Flips)
    return Parts;
  Value *TooMuch = Parts.pop_back_val();
  for (Value *&Part : Parts)
    Part = B.CreateSub(Part, TooMuch);
  return Parts;
}

/// The sum of all lanes of each of \p Parts, in a lane for each: first within 128 bits,
/// then of these.
Value *KernelBuilder::SegmentKernel::joined(Vectors Parts) {
  constexpr int Near = 4; // lanes of 128 bits
  const int Lanes = Rows;
  // Lane I of what comes out is lane 2I, or 2I + 1, of units of both.
  auto Halves = [&](Value *X, Value *Y, int Unit, bool IsNear) {
    Value *Result = nullptr;
    for (int Odd : {0, 1}) {
      SmallVector<int, 16> Mask;
      for (int I = 0; I < Lanes; ++I) {
        int Block = IsNear ? I / Near * Near : 0;
        int Place = IsNear ? I % Near : I;
        int Half = IsNear ? Near / 2 : Lanes / 2;
        int InHalf = Place % Half;
        int From = Block + (InHalf / Unit * 2 + Odd) * Unit + InHalf % Unit;
        Mask.push_back(From + (Place >= Half ? Lanes : 0));
      }
      Value *Half = B.CreateShuffleVector(X, Y, Mask);
      Result = Result ? B.CreateAdd(Result, Half) : Half;
    }
    return Result;
  };
  for (int Level = 0; Parts.size() > 1; ++Level) {
    bool IsNear = Level < 2;
    Vectors Next;
    for (unsigned I = 0; I < Parts.size(); I += 2)
      Next.push_back(Halves(Parts[I], Parts[I + 1], IsNear ? 1 : Near, IsNear));
    Parts = std::move(Next);
  }
  return Parts.front();
}

/// Whether rows are over before they come by themselves, in a matrix that the
/// first-level cache does not hold. Weights are mostly read once, so even one that would
/// fit into another cache is taken to come from afar. (Measured on Zen 4: 10 to 20 GB/s
/// from memory, 63 to 59 from the second-level cache, in segments of 64 bytes.)
Value *KernelBuilder::SegmentKernel::areLate(const Macro &X) {
  Value *Result = B.getFalse();
  for (const Macro::Factors &Of : X.Terms) {
    Value *Length =
        B.CreateBinaryIntrinsic(Intrinsic::abs, Of.StrideAm, B.getFalse());
    Value *AreShort = B.CreateICmpULT(Length, K.i64(Page));
    Value *IsFar =
        B.CreateICmpUGT(B.CreateMul(X.M, Length), K.i64(ThePlan.NearBytes));
    Result = B.CreateOr(Result, B.CreateAnd(AreShort, IsFar));
  }
  return Result;
}

/// Prefetches what some steps from \p Step on will be of the rows after the next ones,
/// unless a step before is known to have brought that. (More rows ahead, or all of a
/// long segment at a time, were slower on Zen 4.)
void KernelBuilder::SegmentKernel::prefetchBehind(const Macro &X,
                                                  ArrayRef<Lines> Of,
                                                  Value *Step, uint64_t Steps) {
  constexpr unsigned SecondLevel = 2;
  if (!Prefetches)
    return;
  for (auto [T, Factors, L] : zip_equal(Op.Terms, X.Terms, Of)) {
    uint64_t Size = K.DL.getTypeStoreSize(T.A.ElemTy);
    auto *Known = dyn_cast<ConstantInt>(Step);
    if (Known && Known->getZExtValue() * Size % ThePlan.CacheLine)
      continue;
    Value *Ahead = B.CreateAdd(B.CreateMul(Step, K.i64(Size)),
                               B.CreateMul(K.i64(2 * Rows), Factors.StrideAm));
    for (Value *Line : L.OfRows)
      K.prefetch(B.CreatePtrAdd(Line, Ahead), Steps * Size, ThePlan.CacheLine,
                 SecondLevel);
  }
}

/// Elements of a further operand for rows from \p Row on, in a segment unless that is
/// null.
Value *KernelBuilder::SegmentKernel::operand(const Macro &X, unsigned Number,
                                             Value *Row, Value *Segment) {
  const Access &Of = Op.alongC()[Number]->X;
  const FurtherPlace &Place = X.Further[Number];
  Value *Base = Place.Base;
  if (Segment)
    Base = K.offset(Base, Segment,
                    strideOfSegments(X, Op.accesses().size() + Number));
  return elementsOfRows(Of, K.offset(Base, Row, Place.StrideM), Place.StrideM);
}

/// Elements of some rows, \p Stride bytes from one to the next.
Value *KernelBuilder::SegmentKernel::elementsOfRows(const Access &Of,
                                                    Value *From,
                                                    Value *Stride) {
  if (Of.isVectorAlong(tilesmith::M, K.DL))
    return loadElements(B, Of.ElemTy, From, Of.Alignment,
                        Of.isUnit(tilesmith::M, K.DL), Rows);
  Value *Result = PoisonValue::get(FixedVectorType::get(Of.ElemTy, Rows));
  for (unsigned I : seq(Rows)) {
    Value *Element = B.CreateAlignedLoad(
        Of.ElemTy, K.offset(From, K.i64(I), Stride), Of.Alignment);
    Result = B.CreateInsertElement(Result, Element, I);
  }
  return Result;
}

/// \p E for rows from \p Row on, in a segment unless that is null, of \p Own leaves and
/// of further operands.
Value *KernelBuilder::SegmentKernel::evaluate(const Macro &X,
                                              const Expression &E, Value *Row,
                                              Value *Segment,
                                              function_ref<Value *(Leaf)> Own) {
  auto AlongC = Op.alongC();
  auto ValueOf = [&](Value *V, Leaf Kind) {
    if (Kind != Leaf::Further)
      return Own(Kind);
    auto *Of = find_if(
        AlongC, [&](const FurtherOperand *Each) { return Each->Load == V; });
    return operand(X, Of - AlongC.begin(), Row, Segment);
  };
  return K.evaluate(E, X.Arguments->Scalars, Rows, ValueOf);
}

/// The \p Sums of rows from \p Row on, with a segment.
Value *KernelBuilder::SegmentKernel::updated(const Macro &X, const Cut &By,
                                             Value *Row, Value *Segment,
                                             Value *Sums) {
  SmallVector<Lines, 1> Of;
  for (auto [I, T] : enumerate(X.Terms)) {
    Lines OfTerm;
    Value *OfA = K.offset(K.offset(T.A, Row, T.StrideAm), Segment,
                          strideOfSegments(X, 1 + 2 * I));
    for (unsigned R : seq(Rows))
      OfTerm.OfRows.push_back(K.offset(OfA, K.i64(R), T.StrideAm));
    OfTerm.OfVector = K.offset(T.B, Segment, strideOfSegments(X, 2 + 2 * I));
    Of.push_back(std::move(OfTerm));
  }
  Value *Parts = joined(addAllSteps(X, Of, By));
  if (ThePlan.Narrow->Subtracts)
    Parts = B.CreateNeg(Parts);
  return evaluate(X, Op.Update, Row, Segment,
                  [&](Leaf Kind) { return Kind == Leaf::Sum ? Sums : Parts; });
}

/// The \p Sums of rows from \p Row on, with all segments.
Value *KernelBuilder::SegmentKernel::addSegments(const Macro &X, const Cut &By,
                                                 Value *Row, Value *Sums) {
  BasicBlock *Before = B.GetInsertBlock();
  PHINode *Carried = nullptr;
  K.emitLoop(K.i64(0), X.Arguments->Outer.front().Extent, K.i64(1), "segment",
             [&](Value *Segment) {
               Carried = PHINode::Create(Sums->getType(),
                                         /*NumReservedValues=*/2, "sums",
                                         cast<PHINode>(Segment)->getIterator());
               Carried->addIncoming(Sums, Before);
               Value *Next = updated(X, By, Row, Segment, Carried);
               Carried->addIncoming(Next, B.GetInsertBlock());
             });
  return Carried;
}

/// Makes rows from \p Row on, of which those before \p First have been made.
void KernelBuilder::SegmentKernel::emitRows(const Macro &X, const Cut &By,
                                            Value *First, Value *Row) {
  const Expression &Stored = Op.After ? Op.After->Value : Op.Finish;
  Value *To = K.offset(X.C, Row, X.StrideCm), *Before = nullptr;
  const bool ReadsC = Op.Start.uses(Leaf::C) || Stored.uses(Leaf::C);
  if (ReadsC)
    Before = elementsOfRows(Op.C, To, X.StrideCm);
  Value *Sums = evaluate(X, Op.Start, Row, /*Segment=*/nullptr,
                         [&](Leaf) { return Before; });
  Sums = addSegments(X, By, Row, Sums);
  Value *Elements =
      evaluate(X, Stored, Row, /*Segment=*/nullptr,
               [&](Leaf Kind) { return Kind == Leaf::Sum ? Sums : Before; });
  if (ReadsC) {
    auto *Numbers = FixedVectorType::get(K.I64, Rows);
    Value *IsNew =
        B.CreateICmpUGE(B.CreateStepVector(Numbers),
                        B.CreateVectorSplat(Rows, B.CreateSub(First, Row)));
    Elements = B.CreateSelect(IsNew, Elements, Before);
  }
  if (Op.C.isUnit(tilesmith::M, K.DL)) {
    B.CreateAlignedStore(Elements, To, Op.C.Alignment);
    return;
  }
  for (unsigned I : seq(Rows))
    B.CreateAlignedStore(B.CreateExtractElement(Elements, I),
                         K.offset(To, K.i64(I), X.StrideCm), Op.C.Alignment);
}

void KernelBuilder::SegmentKernel::emitAllRows(const Macro &X, const Cut &By) {
  Value *Last = B.CreateSub(X.M, K.i64(Rows));
  K.emitLoop(K.i64(0), X.M, K.i64(Rows), "rows", [&](Value *First) {
    emitRows(X, By, First, K.umin(First, Last));
  });
}

/// i1 tilesmith.segments(KernelArguments): false if there are too few rows, or if
/// segments are too short.
Function *KernelBuilder::SegmentKernel::build() {
  KernelArguments Arguments;
  Function *F = K.createFunction(
      "segments", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Closed));
  F->addFnAttr(Attribute::NoImplicitFloat);
  Dot = *ThePlan.Engine->asDotProducts()->find(*F, packed());
  Macro X = K.macroOf(*F, Arguments);
  BasicBlock *Leave = BasicBlock::Create(K.Ctx, "leave", F);
  K.leaveIf(B.CreateICmpULT(X.M, K.i64(Rows)), Leave);
  Value *AreLate = ThePlan.IsCompact ? nullptr : areLate(X);
  std::optional<uint64_t> Known = Op.constantExtent(tilesmith::K);
  for (unsigned Steps = ThePlan.NR; Steps >= Plan::LeastStepsOfSegment;
       Steps /= 2) {
    if (Known.value_or(Steps) < Steps)
      continue;
    BasicBlock *Shorter =
        Known ? nullptr : BasicBlock::Create(K.Ctx, "shorter", F, Leave);
    if (Shorter)
      K.leaveIf(B.CreateICmpULT(X.K, K.i64(Steps)), Shorter);
    Cut By = cutBy(X, Steps);
    auto EmitRows = [&] { emitAllRows(X, By); };
    if (!AreLate)
      EmitRows();
    else
      K.emitIf(
          AreLate, "late",
          [&] {
            Prefetches = true;
            EmitRows();
            Prefetches = false;
          },
          EmitRows);
    B.CreateRet(B.getTrue());
    if (!Shorter)
      break;
    B.SetInsertPoint(Shorter);
  }
  if (!Known)
    B.CreateBr(Leave);
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
  return K.unify(F);
}

Function *KernelBuilder::buildSegmentKernel() {
  return SegmentKernel(*this).build();
}

} // namespace tilesmith
