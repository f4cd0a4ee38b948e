//===- ThinKernel.cpp - a matrix times a few vectors ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packing A, whose rows are adjacent along k, costs as much as a product with a
// few columns of B, and a register that holds a row of C is mostly empty then.
// So the rows of A are transposed in registers, as for a single vector, and each
// column that comes out meets all columns of B (Plan::Thin):
//
//   B is copied, so that a step's elements are side by side
//   for some vectors of rows
//     for k by some steps
//       squares of A are transposed
//       for each step, for each column of B: the products are added
//
// There are kernels for Plan::Width columns, some with narrow panels of fewer. If C
// has fewer than these, the last column is computed several times, and stored once.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// How many columns the narrow panels have, which take less code than a kernel; none if
/// zero. With long registers, more steps are made at a time, which is too much of it.
unsigned KernelBuilder::StreamKernel::narrowColumns() const {
  constexpr unsigned MostSteps = 4;
  if (Piece > MostSteps || ThePlan.IsCompact || Op.constantExtent(tilesmith::N))
    return 0;
  bool HasFewRegisters = ThePlan.VectorRegisters <= 16;
  return Width == 4 ? 2 : Width == 8 && HasFewRegisters ? 6 : 0;
}

/// Vectors of rows that are under way together with so many columns. Eight sums are as
/// many as hide how long an addition takes; small code has half of them. Few registers
/// have room for fewer, beside the steps of each vector and two elements of B; loops with
/// two of these steps are short, so they are not halved for small code.
unsigned KernelBuilder::StreamKernel::vectorsOfThin(unsigned Columns) const {
  const bool HasFewRegisters = ThePlan.VectorRegisters <= 16;
  bool HasHalf = ThePlan.IsCompact && !(HasFewRegisters && Piece <= 2);
  const unsigned Sums = HasHalf ? 4 : 8;
  unsigned Most = ThePlan.VectorBits >= 512 ? 2 : 4; // whose squares fit
  if (HasFewRegisters)
    Most = bit_floor((ThePlan.VectorRegisters - 2) / (Columns + Piece));
  return std::clamp(Sums / Columns, 1u, std::max(Most, 1u));
}

/// The most of them, which are some panels of more columns.
unsigned KernelBuilder::StreamKernel::mostVectorsOfThin() const {
  unsigned Narrow = narrowColumns();
  return vectorsOfThin(Narrow ? Narrow : Width);
}

/// What sums take of the stack: some panels of rows, in the fourth part.
uint64_t KernelBuilder::StreamKernel::bytesOfThinSums() const {
  uint64_t OfPanel = mostVectorsOfThin() * VL * K.Size * Width;
  return std::max(llvm::alignDown(MaxStackBytes / 4, OfPanel), OfPanel);
}

void KernelBuilder::StreamKernel::allocateThin() {
  if (!ThePlan.IsCompact)
    Rest =
        allocateVectors(Piece * mostVectorsOfThin() * Op.Terms.size(), "rest");
  ShortB = allocateVectors(MaxStackBytes / 2 / (VL * K.Size), "columns");
}

/// Copies B, of all terms, to the stack, or to memory if it is too long.
void KernelBuilder::StreamKernel::emitColumnsOfB(Macro &X) {
  Value *OfTerm = B.CreateMul(X.K, K.i64(Width * K.Size));
  Value *Bytes = B.CreateMul(OfTerm, K.i64(Op.Terms.size()));
  Value *IsShort = B.CreateICmpULE(Bytes, K.i64(MaxStackBytes / 2));
  X.Memory = K.emitMemory(B.CreateSelect(IsShort, K.i64(0), Bytes));
  Value *To = B.CreateSelect(IsShort, ShortB, K.cacheLineIn(X.Memory));
  Value *Last = B.CreateSub(X.N, K.i64(1));
  for (auto [T, OfOp] : zip_equal(X.Terms, Op.Terms)) {
    T.Panel = To;
    Vectors Columns;
    for (unsigned I = 0; I < Width; ++I)
      Columns.push_back(K.offset(T.B, K.umin(K.i64(I), Last), T.StrideBn));
    K.emitLoop(K.i64(0), X.K, K.i64(1), "step", [&](Value *Step) {
      Value *At = K.offset(To, Step, K.i64(Width * K.Size));
      for (auto [I, Column] : enumerate(Columns)) {
        Value *Element = B.CreateAlignedLoad(OfOp.B.ElemTy,
                                             K.offset(Column, Step, T.StrideBk),
                                             OfOp.B.Alignment, "b");
        Element =
            K.elements(OfOp.BMap, X.Arguments->Scalars, /*Width=*/0, Element);
        B.CreateAlignedStore(Element, B.CreatePtrAdd(At, K.i64(I * K.Size)),
                             Align(K.Size));
      }
    });
    To = B.CreatePtrAdd(To, OfTerm);
  }
}

/// \p X with columns of B that begin at \p Step: all elements of some steps are
/// found from one address.
MacroKernel::Macro KernelBuilder::StreamKernel::seenFrom(const Macro &X,
                                                         Value *Step) {
  Macro Here = X;
  for (Macro::Factors &T : Here.Terms)
    T.Panel = K.hidden(K.offset(T.Panel, Step, K.i64(Width * K.Size)));
  return Here;
}

/// Adds the steps from \p Done on, as emitLastSteps() does, to the sums at
/// \p Places, but in a loop, which is less code: the columns of the last piece are
/// stored first.
void KernelBuilder::StreamKernel::emitLastStepsInTurn(
    const Macro &X, ArrayRef<Value *> Rows, Value *Done,
    ArrayRef<Value *> Places) {
  const uint64_t Bytes = VL * K.Size;
  const unsigned NumTerms = Op.Terms.size(), OfStep = Rows.size() * NumTerms;
  auto PlaceOf = [&](Value *Step, unsigned Row, unsigned Term) {
    Value *First = K.offset(Rest, Step, K.i64(OfStep * Bytes));
    return B.CreatePtrAdd(First, K.i64((Row * NumTerms + Term) * Bytes));
  };
  K.emitIf(B.CreateICmpULT(Done, X.K), "rest", [&] {
    Value *First = B.CreateSub(X.K, K.i64(Piece));
    for (auto [I, Row] : enumerate(Rows))
      for (unsigned T = 0; T < NumTerms; ++T)
        for (auto [Step, Column] :
             enumerate(loadColumns(X, T, pointersTo(X, T, Row, First), Piece)))
          B.CreateAlignedStore(Column, PlaceOf(K.i64(Step), I, T),
                               Align(K.Size));
    Vectors Sums;
    for (Value *Place : Places)
      Sums.push_back(
          B.CreateAlignedLoad(VectorTy, Place, Align(K.Size), "sum"));
    emitLoopWithSums(Done, X.K, Sums, [&](Value *Step, Vectors &Next) {
      Value *InPiece = B.CreateSub(Step, First);
      SmallVector<Columns, 4> OfA(Rows.size());
      for (unsigned I = 0; I < Rows.size(); ++I)
        for (unsigned T = 0; T < NumTerms; ++T)
          OfA[I].push_back({B.CreateAlignedLoad(
              VectorTy, PlaceOf(InPiece, I, T), Align(K.Size), "a")});
      addStepToAll(seenFrom(X, Step), Rows, OfA, /*At=*/0, K.i64(0), Next);
      return K.i64(1);
    });
    for (auto [Sum, Place] : zip_equal(Sums, Places))
      B.CreateAlignedStore(Sum, Place, Align(K.Size));
  });
}

/// The rows of a block, some vectors at a time. Where there are fewer, the last
/// one is computed several times.
void KernelBuilder::StreamKernel::emitThinPanels(const Macro &X) {
  auto Emit = [&](unsigned Columns) {
    UnderWay = Columns;
    unsigned AtOnce = vectorsOfThin(Columns);
    K.emitLoop(Begin, End, K.i64(AtOnce), "panel",
               [&](Value *Vector) { emitRows(X, Vector, AtOnce); });
    UnderWay = Width;
  };
  unsigned Narrow = narrowColumns();
  if (!Narrow)
    return Emit(Width);
  K.emitIf(
      B.CreateICmpULE(X.N, K.i64(Narrow)), "narrow", [&] { Emit(Narrow); },
      [&] { Emit(Width); });
}

/// Whether a thin kernel sees the product mirrored.
bool KernelBuilder::isFlipped(const Plan &Thin) const {
  return Thin.Mirrored != ThePlan.Mirrored;
}

BuiltKernel KernelBuilder::buildThinKernel(const Plan &Of) {
  const Nest Flipped = View.mirrored();
  const Nest &Seen = isFlipped(Of) ? Flipped : View;
  assert(invariantsOf(Seen.Op) == Invariants && "other scalars");
  return {KernelBuilder(Seen, Of).buildStreamKernel()};
}

/// A product with few columns, or few rows if the thin kernels see these, or either.
/// One test sends small products on, of which more tests would be a part that counts.
void KernelBuilder::emitThin(const Macro &X) {
  ArrayRef<std::shared_ptr<const Plan>> Plans = ThePlan.Thin;
  ArrayRef<BuiltKernel> Kernels = Thin;
  if (Plans.empty())
    return;
  uint64_t Least = UINT64_MAX;
  for (const std::shared_ptr<const Plan> &Of : Plans)
    Least = std::min(Least, Of->MinExtent[tilesmith::K]);
  BasicBlock *Long = BasicBlock::Create(Ctx, "long", X.F);
  BasicBlock *Small = BasicBlock::Create(Ctx, "small", X.F);
  B.CreateCondBr(B.CreateICmpUGE(X.K, i64(Least)), Long, Small,
                 MDBuilder(Ctx).createUnlikelyBranchWeights());
  B.SetInsertPoint(Long);
  while (!Plans.empty()) {
    auto IsOfFirst = [&](const auto &Of) {
      return Of->Mirrored == Plans.front()->Mirrored;
    };
    size_t Count = Plans.take_while(IsOfFirst).size();
    emitThinOf(X, Plans.take_front(Count), Kernels.take_front(Count));
    Plans = Plans.drop_front(Count);
    Kernels = Kernels.drop_front(Count);
  }
  B.CreateBr(Small);
  B.SetInsertPoint(Small);
}

/// Calls one of \p Kernels, which see the product in the same way, if it suits.
void KernelBuilder::emitThinOf(const Macro &X,
                               ArrayRef<std::shared_ptr<const Plan>> Plans,
                               ArrayRef<BuiltKernel> Kernels) {
  const Plan &Of = *Plans.back(); // the widest, which needs more steps
  KernelArguments Arguments = *X.Arguments;
  if (isFlipped(Of)) {
    std::swap(Arguments.M, Arguments.N);
    for (unsigned T = 0; T < Terms.size(); ++T)
      std::swap(Arguments.Operands[2 * T], Arguments.Operands[2 * T + 1]);
    std::swap(Arguments.c().First, Arguments.c().Second);
  }
  BasicBlock *Few = BasicBlock::Create(Ctx, "thin", X.F);
  BasicBlock *Done = BasicBlock::Create(Ctx, "thin.done", X.F);
  BasicBlock *Other = BasicBlock::Create(Ctx, "not.thin", X.F);
  SmallVector<Value *, 4> Conditions = {
      B.CreateICmpULE(Arguments.N, i64(Of.Width))};
  for (auto [D, Extent] : {std::pair{tilesmith::M, Arguments.M},
                           {tilesmith::N, Arguments.N},
                           {tilesmith::K, Arguments.K}})
    Conditions.push_back(
        B.CreateICmpUGE(Extent, i64(Plans.front()->MinExtent[D])));
  // The last steps, which are no piece, would be a third of the code.
  if (Of.IsCompact)
    Conditions.push_back(
        B.CreateIsNull(B.CreateURem(Arguments.K, i64(Of.stepsOfPiece(Op)))));
  B.CreateCondBr(B.CreateAnd(Conditions), Few, Other);
  B.SetInsertPoint(Few);
  for (auto [Own, Kernel] : zip_equal(Plans, Kernels)) {
    bool IsLast = Own == Plans.back();
    BasicBlock *Suits = BasicBlock::Create(Ctx, "suits", X.F);
    BasicBlock *Wider = IsLast ? Other : BasicBlock::Create(Ctx, "wider", X.F);
    Value *IsSuitable =
        IsLast ? B.CreateICmpUGE(Arguments.K, i64(Own->MinExtent[tilesmith::K]))
               : B.CreateICmpULE(Arguments.N, i64(Own->Width));
    B.CreateCondBr(IsSuitable, Suits, Wider);
    B.SetInsertPoint(Suits);
    B.CreateCondBr(callKernel(B, Kernel, Arguments, View), Done, Other);
    B.SetInsertPoint(Wider);
  }
  B.SetInsertPoint(Done);
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Other);
}

} // namespace tilesmith
