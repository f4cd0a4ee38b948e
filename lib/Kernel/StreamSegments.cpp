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
//       for k in the segment by NR steps
//         for each row: products of neighbours are added to its parts
//       the parts of all rows are joined, to a lane for each row
//       the sums are updated
//     the sums are finished
//
// The last rows are moved up to end where all do. They are made of the same operands,
// so they are the same.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Target/DotProduct.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace tilesmith {

/// A kernel under way. Strides are in bytes.
class KernelBuilder::SegmentKernel {
public:
  explicit SegmentKernel(KernelBuilder &K)
      : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan), TheTerm(Op.Terms.front()),
        Rows(ThePlan.MR),
        PartsTy(FixedVectorType::get(Op.Segments->PartTy, Rows)) {}

  Function *build();

private:
  using Vectors = SmallVector<Value *, 16>;

  Value *loadSteps(const Access &X, const NarrowType &As, Value *From);
  void addSteps(const Macro &X, ArrayRef<Value *> OfRows, Value *OfVector,
                Value *Step, Vectors &Parts);
  Vectors addAllSteps(const Macro &X, ArrayRef<Value *> OfRows,
                      Value *OfVector);
  Value *joined(Vectors Parts);
  Value *operand(const Macro &X, unsigned Number, Value *Row, Value *Segment);
  Value *updated(const Macro &X, Value *Row, Value *Segment, Value *Sums);
  Value *addSegments(const Macro &X, Value *Row, Value *Sums);
  void emitRows(const Macro &X, Value *Row);
  Value *strideOfSegments(const Macro &X, unsigned Operand) const {
    return X.Arguments->Outer.front().Strides[Operand];
  }

  KernelBuilder &K;
  IRBuilder<> &B;
  const Contraction &Op;
  const Plan &ThePlan;
  const Term &TheTerm;
  const unsigned Rows;
  FixedVectorType *PartsTy;
  DotProduct Dot;
};

/// NR steps of a factor from \p From on, as the engine takes them.
Value *KernelBuilder::SegmentKernel::loadSteps(const Access &X,
                                               const NarrowType &As,
                                               Value *From) {
  auto *Ty = FixedVectorType::get(X.ElemTy, ThePlan.NR);
  auto *NarrowTy = FixedVectorType::get(As.Ty, ThePlan.NR);
  Value *V = B.CreateAlignedLoad(Ty, From, X.Alignment);
  const Expression &Map = &X == &TheTerm.A ? TheTerm.AMap : TheTerm.BMap;
  if (Ty != NarrowTy)
    V = isa<SExtInst>(Map.Root) ? B.CreateSExt(V, NarrowTy)
                                : B.CreateZExt(V, NarrowTy);
  return B.CreateBitCast(V, PartsTy);
}

/// Adds NR steps from number \p Step of the segment on.
void KernelBuilder::SegmentKernel::addSteps(const Macro &X,
                                            ArrayRef<Value *> OfRows,
                                            Value *OfVector, Value *Step,
                                            Vectors &Parts) {
  const NarrowProduct &Packed = ThePlan.Narrow->Packed;
  auto At = [&](Value *From, const Access &Of) {
    return K.offset(From, Step, K.i64(K.DL.getTypeStoreSize(Of.ElemTy)));
  };
  Value *Right = loadSteps(TheTerm.B, Packed.B, At(OfVector, TheTerm.B));
  for (auto [From, Part] : zip_equal(OfRows, Parts))
    Part = Dot.emit(B, Packed, Part,
                    loadSteps(TheTerm.A, Packed.A, At(From, TheTerm.A)), Right);
}

/// The parts of all rows, each in the lanes of a register.
KernelBuilder::SegmentKernel::Vectors KernelBuilder::SegmentKernel::addAllSteps(
    const Macro &X, ArrayRef<Value *> OfRows, Value *OfVector) {
  constexpr uint64_t MostUnrolled = 8;
  Vectors Parts(Rows, Constant::getNullValue(PartsTy));
  if (std::optional<uint64_t> Steps = Op.constantExtent(tilesmith::K);
      Steps && *Steps <= MostUnrolled * ThePlan.NR) {
    for (uint64_t Step = 0; Step < *Steps; Step += ThePlan.NR)
      addSteps(X, OfRows, OfVector, K.i64(Step), Parts);
    return Parts;
  }
  BasicBlock *Before = B.GetInsertBlock();
  Vectors Carried;
  K.emitLoop(K.i64(0), X.K, K.i64(ThePlan.NR), "steps", [&](Value *Step) {
    for (Value *Part : Parts) {
      PHINode *Phi = PHINode::Create(PartsTy, /*NumReservedValues=*/2, "part",
                                     cast<PHINode>(Step)->getIterator());
      Phi->addIncoming(Part, Before);
      Carried.push_back(Phi);
    }
    Vectors Next = Carried;
    addSteps(X, OfRows, OfVector, Step, Next);
    for (auto [Part, Added] : zip_equal(Carried, Next))
      cast<PHINode>(Part)->addIncoming(Added, B.GetInsertBlock());
  });
  return Carried;
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

/// Elements of a further operand for rows from \p Row on.
Value *KernelBuilder::SegmentKernel::operand(const Macro &X, unsigned Number,
                                             Value *Row, Value *Segment) {
  const Access &Of = Op.Segments->Operands[Number].X;
  const FurtherPlace &Place = X.Further[Number];
  Value *From =
      K.offset(K.offset(Place.Base, Segment,
                        strideOfSegments(X, Op.accesses().size() + Number)),
               Row, Place.StrideM);
  if (Of.isVectorAlong(tilesmith::M, K.DL))
    return loadElements(B, Of.ElemTy, From, Of.Alignment,
                        Of.isUnit(tilesmith::M, K.DL), Rows);
  Value *Result = PoisonValue::get(FixedVectorType::get(Of.ElemTy, Rows));
  for (unsigned I : seq(Rows)) {
    Value *Element = B.CreateAlignedLoad(
        Of.ElemTy, K.offset(From, K.i64(I), Place.StrideM), Of.Alignment);
    Result = B.CreateInsertElement(Result, Element, I);
  }
  return Result;
}

/// The \p Sums of rows from \p Row on, with a segment.
Value *KernelBuilder::SegmentKernel::updated(const Macro &X, Value *Row,
                                             Value *Segment, Value *Sums) {
  const Macro::Factors &T = X.Terms.front();
  Value *OfA =
      K.offset(K.offset(T.A, Row, T.StrideAm), Segment, strideOfSegments(X, 1));
  Vectors OfRows;
  for (unsigned I : seq(Rows))
    OfRows.push_back(K.offset(OfA, K.i64(I), T.StrideAm));
  Value *OfVector = K.offset(T.B, Segment, strideOfSegments(X, 2));
  Value *Parts = joined(addAllSteps(X, OfRows, OfVector));
  SmallVector<Value *, 2> Operands;
  for (unsigned I : seq<unsigned>(Op.Segments->Operands.size()))
    Operands.push_back(operand(X, I, Row, Segment));
  return K.evaluate(
      Op.Update, X.Arguments->Scalars, Rows, [&](Value *V, Leaf Kind) {
        if (Kind != Leaf::Further)
          return Kind == Leaf::Sum ? Sums : Parts;
        auto *Of =
            find_if(Op.Segments->Operands,
                    [&](const FurtherOperand &Each) { return Each.Load == V; });
        return Operands[Of - Op.Segments->Operands.begin()];
      });
}

/// The \p Sums of rows from \p Row on, with all segments.
Value *KernelBuilder::SegmentKernel::addSegments(const Macro &X, Value *Row,
                                                 Value *Sums) {
  BasicBlock *Before = B.GetInsertBlock();
  PHINode *Carried = nullptr;
  K.emitLoop(K.i64(0), X.Arguments->Outer.front().Extent, K.i64(1), "segment",
             [&](Value *Segment) {
               Carried = PHINode::Create(Sums->getType(),
                                         /*NumReservedValues=*/2, "sums",
                                         cast<PHINode>(Segment)->getIterator());
               Carried->addIncoming(Sums, Before);
               Value *Next = updated(X, Row, Segment, Carried);
               Carried->addIncoming(Next, B.GetInsertBlock());
             });
  return Carried;
}

void KernelBuilder::SegmentKernel::emitRows(const Macro &X, Value *Row) {
  Value *Scalars = X.Arguments->Scalars;
  Value *Sums = K.evaluate(Op.Start, Scalars, Rows, nullptr, nullptr);
  Sums =
      K.evaluate(Op.Finish, Scalars, Rows, nullptr, addSegments(X, Row, Sums));
  Value *To = K.offset(X.C, Row, X.StrideCm);
  if (K.AdjacentRowsOfC) {
    B.CreateAlignedStore(Sums, To, Op.C.Alignment);
    return;
  }
  for (unsigned I : seq(Rows))
    B.CreateAlignedStore(B.CreateExtractElement(Sums, I),
                         K.offset(To, K.i64(I), X.StrideCm), Op.C.Alignment);
}

/// i1 tilesmith.segments(KernelArguments): false if there are too few rows, or if a
/// segment is not so many whole registers of steps.
Function *KernelBuilder::SegmentKernel::build() {
  KernelArguments Arguments;
  Function *F = K.createFunction(
      "segments", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Closed));
  F->addFnAttr(Attribute::NoImplicitFloat);
  Dot = *ThePlan.Engine->asDotProducts()->find(*F, ThePlan.Narrow->Packed);
  Macro X = K.macroOf(*F, Arguments);
  BasicBlock *Leave = BasicBlock::Create(K.Ctx, "leave", F);
  Value *HasRest = B.CreateIsNotNull(B.CreateURem(X.K, K.i64(ThePlan.NR)));
  K.leaveIf(B.CreateOr(B.CreateICmpULT(X.M, K.i64(Rows)), HasRest), Leave);
  Value *Last = B.CreateSub(X.M, K.i64(Rows));
  K.emitLoop(K.i64(0), X.M, K.i64(Rows), "rows",
             [&](Value *Row) { emitRows(X, K.umin(Row, Last)); });
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
  return K.unify(F);
}

Function *KernelBuilder::buildSegmentKernel() {
  return SegmentKernel(*this).build();
}

} // namespace tilesmith
