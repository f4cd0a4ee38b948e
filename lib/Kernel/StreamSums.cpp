//===- StreamSums.cpp - the steps of a matrix times a vector --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace tilesmith {

Value *KernelBuilder::StreamKernel::addStep(const Macro &X, Value *Sum,
                                            const Columns &OfA, unsigned Step,
                                            ArrayRef<Value *> OfB) {
  Vectors Left;
  for (const Vectors &OfTerm : OfA)
    Left.push_back(OfTerm[Step]);
  return K.emitVectorStep(X.Arguments->Scalars, Sum, Left, OfB);
}

/// Adds \p Step, the one at \p At in \p OfA, to the sums of the vectors of rows
/// that begin at \p Rows: a sum of each column.
void KernelBuilder::StreamKernel::addStepToAll(const Macro &X,
                                               ArrayRef<Value *> Rows,
                                               ArrayRef<Columns> OfA,
                                               unsigned At, Value *Step,
                                               MutableArrayRef<Value *> Sums) {
  for (unsigned Column = 0; Column < UnderWay; ++Column) {
    Vectors OfB;
    if (!Op.vectorMoves())
      OfB = loadSplats(X, Step, Column);
    for (auto [Vector, Of] : enumerate(OfA)) {
      if (Op.vectorMoves())
        OfB = loadMoving(X, Rows[Vector], Step);
      Value *&Sum = Sums[Vector * UnderWay + Column];
      Sum = addStep(X, Sum, Of, At, OfB);
    }
  }
}

/// Adds some steps to the sums of the vectors of rows that begin at \p Rows, where
/// \p Pointers lead, some of them \p Lag steps behind others, if
/// that is given. With several columns, vectors share the elements of
/// B; with one, they go on in turn.
void KernelBuilder::StreamKernel::addSteps(
    const Macro &X, ArrayRef<Value *> Rows, ArrayRef<RowPointers> Pointers,
    Value *Step, unsigned Steps, MutableArrayRef<Value *> Sums, Value *Lag) {
  if (Width == 1 && Rows.size() > 1) {
    unsigned InTurn = stepsInTurn(Steps);
    for (unsigned First = 0; First < Steps; First += InTurn)
      for (unsigned I = 0; I < Rows.size(); ++I) {
        Value *Own =
            behind(B.CreateAdd(Step, K.i64(First)), I, Rows.size(), Lag);
        addSteps(X, Rows[I], pointersBehind(X, Pointers[I], First), Own, InTurn,
                 Sums[I], /*Lag=*/nullptr);
      }
    return;
  }
  SmallVector<Columns, 4> OfA;
  for (const RowPointers &Of : Pointers)
    OfA.push_back(loadSteps(X, Of, Steps));
  if (Width > 1) {
    const Macro Here = seenFrom(X, Step);
    for (unsigned I = 0; I < Steps; ++I)
      addStepToAll(Here, Rows, OfA, I, K.i64(I), Sums);
    return;
  }
  for (unsigned I = 0; I < Steps; ++I)
    addStepToAll(X, Rows, OfA, I, B.CreateAdd(Step, K.i64(I)), Sums);
}

/// Lets pointers move along their rows, in a loop that is entered from
/// \p Before. Those of a table are too many for that: they stay at the
/// beginnings of rows, and all move by \p Step, or less with a \p Lag.
void KernelBuilder::StreamKernel::carryPointers(
    const Macro &X, MutableArrayRef<RowPointers> Rows, Value *Step,
    BasicBlock *Before, Value *Lag) {
  for (auto [I, Of] : enumerate(Rows)) {
    Value *Own = behind(Step, I, Rows.size(), Lag);
    for (auto [T, OfTerm] : enumerate(Of))
      for (Value *&Pointer : OfTerm) {
        if (isTable(T)) {
          Pointer = K.offset(Pointer, Own, X.Terms[T].StrideAk);
          continue;
        }
        PHINode *Phi =
            PHINode::Create(Pointer->getType(), /*NumReservedValues=*/2, "row",
                            cast<PHINode>(Step)->getIterator());
        Phi->addIncoming(Pointer, Before);
        Pointer = Phi;
      }
  }
}

/// Moves them by \p Steps. That they do move is hidden: there would be an address
/// for each row.
void KernelBuilder::StreamKernel::moveCarried(const Macro &X,
                                              ArrayRef<RowPointers> Rows,
                                              unsigned Steps) {
  BasicBlock *Latch = B.GetInsertBlock();
  for (const RowPointers &Of : Rows)
    for (auto [T, OfTerm] : enumerate(Of)) {
      if (isTable(T))
        continue;
      for (Value *Pointer : OfTerm) {
        Value *Moved = K.offset(Pointer, K.i64(Steps), X.Terms[T].StrideAk);
        cast<PHINode>(Pointer)->addIncoming(K.hidden(Moved), Latch);
      }
    }
}

/// A loop over steps, each round of which makes other sums of \p Sums, and says
/// how many steps it makes.
void KernelBuilder::StreamKernel::emitLoopWithSums(
    Value *Begin, Value *End, Vectors &Sums,
    function_ref<Value *(Value *, Vectors &)> Body) {
  Vectors Carried;
  BasicBlock *Before = B.GetInsertBlock();
  K.emitLoop(Begin, End, "k", [&](Value *Step) {
    for (Value *Sum : Sums) {
      PHINode *Phi = PHINode::Create(Sum->getType(), /*NumReservedValues=*/2,
                                     "sum", cast<PHINode>(Step)->getIterator());
      Phi->addIncoming(Sum, Before);
      Carried.push_back(Phi);
    }
    Vectors Next = Carried;
    Value *Steps = Body(Step, Next);
    for (auto [Sum, Added] : zip_equal(Carried, Next))
      cast<PHINode>(Sum)->addIncoming(Added, B.GetInsertBlock());
    return Steps;
  });
  Sums = Carried;
}

/// Adds the steps from \p Begin to \p End, so many at a time, to the vectors
/// that begin at \p Rows; to some of them \p Lag steps behind others, if that is
/// given.
void KernelBuilder::StreamKernel::emitLoopOverSteps(const Macro &X,
                                                    ArrayRef<Value *> Rows,
                                                    Value *Begin, Value *End,
                                                    unsigned Steps,
                                                    Vectors &Sums, Value *Lag) {
  SmallVector<RowPointers, 4> All;
  auto Point = [&](Value *Row, Value *Own) {
    RowPointers &Of = All.emplace_back();
    for (unsigned T : seq<unsigned>(Op.Terms.size()))
      Of.push_back(pointersTo(X, T, Row, isTable(T) ? K.i64(0) : Own));
  };
  for (auto [I, Row] : enumerate(Rows))
    Point(Row, behind(Begin, I, Rows.size(), Lag));
  for (Value *Row : RowsBefore)
    Point(Row, B.CreateSub(Begin, LagOfRowsBefore));
  auto Pointers = ArrayRef(All).take_front(Rows.size());
  BasicBlock *Before = B.GetInsertBlock();
  emitLoopWithSums(Begin, End, Sums, [&](Value *Step, Vectors &Next) {
    carryPointers(X, All, Step, Before, Lag);
    if (Prefetches && Steps == stepsOfPrefetch())
      K.emitIf(Prefetches, "late", [&] { prefetchBehind(X, Pointers); });
    if (PrefetchesAhead && Steps == stepsOfPrefetch())
      K.emitIf(PrefetchesAhead, "ahead",
               [&] { prefetchAhead(X, Pointers, Step, End); });
    if (FactorsOfRows.empty())
      addSteps(X, Rows, Pointers, Step, Steps, Next, Lag);
    else if (!RowsBefore.empty())
      addBesideColumns(X, Rows, All, Step, Next);
    else
      addBothWays(X, Rows, Pointers, Step, Next, Lag);
    moveCarried(X, All, Steps);
    return K.i64(Steps);
  });
}

/// Lets \p Body add to \p Sums if \p Condition holds.
void KernelBuilder::StreamKernel::addIf(Value *Condition, StringRef Name,
                                        Vectors &Sums,
                                        function_ref<void(Vectors &)> Body) {
  BasicBlock *Before = B.GetInsertBlock(), *Last = nullptr;
  Vectors Added = Sums;
  K.emitIf(Condition, Name, [&] {
    Body(Added);
    Last = B.GetInsertBlock();
  });
  joinSums(Sums, Before, Added, Last);
}

/// Adds those of \p Steps steps from \p First on that \p IsNew says, the first one
/// of each piece among them, or the last; as many are loaded. Each is one branch for
/// all vectors.
void KernelBuilder::StreamKernel::addSome(const Macro &X,
                                          ArrayRef<Value *> Rows, Value *First,
                                          iota_range<unsigned> Steps,
                                          function_ref<Value *(Value *)> IsNew,
                                          Vectors &Sums) {
  SmallVector<Columns, 4> OfA;
  for (Value *Row : Rows) {
    RowPointers Of;
    for (unsigned T : seq<unsigned>(Op.Terms.size()))
      Of.push_back(pointersTo(X, T, Row, First));
    OfA.push_back(loadSteps(X, Of, Piece));
  }
  for (unsigned I : Steps)
    addIf(IsNew(K.i64(I)), "new", Sums, [&](Vectors &Added) {
      addStepToAll(X, Rows, OfA, I, B.CreateAdd(First, K.i64(I)), Added);
    });
}

/// Adds the steps from \p Begin on that are in front of the next cache line,
/// where rows share places: a load that crosses lines takes two of these.
/// Returns where the line is.
Value *KernelBuilder::StreamKernel::addUntilLine(const Macro &X,
                                                 ArrayRef<Value *> Rows,
                                                 Value *Begin, Value *End,
                                                 Vectors &Sums) {
  uint64_t Size = sizeOf(Op.Terms[0].A);
  if (isTable(0) || !Op.Terms[0].A.isUnit(tilesmith::K, K.DL) ||
      ThePlan.NR * Size < ThePlan.CacheLine)
    return Begin;
  Value *At = pointersTo(X, /*Term=*/0, Rows.front(), Begin).front();
  Value *Beyond = B.CreateNeg(B.CreatePtrToInt(At, B.getInt64Ty()));
  Beyond = B.CreateAnd(Beyond, K.i64(ThePlan.CacheLine - 1));
  Value *Steps = B.CreateUDiv(Beyond, K.i64(Size));
  Value *AreMany =
      B.CreateICmpUGE(B.CreateSub(End, Begin), K.i64(2 * ThePlan.NR));
  Steps = B.CreateSelect(B.CreateAnd(SharePlaces, AreMany), Steps, K.i64(0));
  // A line is some pieces.
  for (unsigned Done = 0; Done < ThePlan.NR; Done += Piece)
    addIf(
        B.CreateICmpUGT(Steps, K.i64(Done)), "some", Sums, [&](Vectors &Added) {
          addSome(
              X, Rows, B.CreateAdd(Begin, K.i64(Done)), seq<unsigned>(0, Piece),
              [&](Value *I) {
                return B.CreateICmpULT(B.CreateAdd(I, K.i64(Done)), Steps);
              },
              Added);
        });
  return B.CreateAdd(Begin, Steps);
}

/// Adds the steps from \p Done to \p End, which are less than a piece. The last
/// piece of each row ends where its steps do.
void KernelBuilder::StreamKernel::emitLastSteps(const Macro &X,
                                                ArrayRef<Value *> Rows,
                                                Value *Done, Value *End,
                                                Vectors &Sums) {
  Value *First = B.CreateSub(End, K.i64(Piece));
  Value *Again = B.CreateSub(Done, First); // steps that are made already
  addIf(B.CreateICmpULT(Done, End), "some", Sums, [&](Vectors &Added) {
    addSome(
        X, Rows, First, seq<unsigned>(1, Piece),
        [&](Value *I) { return B.CreateICmpUGE(I, Again); }, Added);
  });
}

/// \p Sums as they come from \p Before, or \p Added from \p Last.
void KernelBuilder::StreamKernel::joinSums(Vectors &Sums, BasicBlock *Before,
                                           ArrayRef<Value *> Added,
                                           BasicBlock *Last) {
  for (auto [Sum, Next] : zip_equal(Sums, Added)) {
    PHINode *Either = B.CreatePHI(VectorTy, 2, "sum");
    Either->addIncoming(Sum, Before);
    Either->addIncoming(Next, Last);
    Sum = Either;
  }
}

/// Adds the steps from \p Begin to \p End, which all rows make. If a row has
/// other elements beside them, or none, fewer than a piece are made one by one.
void KernelBuilder::StreamKernel::addRange(const Macro &X,
                                           ArrayRef<Value *> Rows, Value *Begin,
                                           Value *End, Vectors &Sums) {
  Value *Done = Shares ? addUntilLine(X, Rows, Begin, End, Sums) : Begin;
  for (unsigned Steps = StepsAtOnce; Steps >= Piece;
       Steps = Steps == Piece ? 0 : Piece) {
    Value *Count = K.alignDown(B.CreateSub(End, Done), Steps);
    Value *Until = B.CreateAdd(Done, Count);
    if (Shares && LagOfVectors && Steps == ThePlan.NR &&
        Rows.size() == vectorsWithLag())
      emitLoopWithLag(X, Rows, Done, Until, Sums);
    else
      emitLoopOverSteps(X, Rows, Done, Until, Steps, Sums);
    Done = Until;
  }
  if (Width > 1 || Piece == 1)
    return;
  if (isTriangle()) {
    Value *IsShort = B.CreateICmpULT(B.CreateSub(End, Begin), K.i64(Piece));
    Value *Until = B.CreateSelect(IsShort, End, Done);
    emitLoopOverSteps(X, Rows, Done, Until, /*Steps=*/1, Sums);
    Done = Until;
  }
  emitLastSteps(X, Rows, Done, End, Sums);
}

/// Adds \p Steps columns to the sums of the block. If it is not null, lines that
/// are \p Ahead bytes behind those that are loaded are prefetched.
void KernelBuilder::StreamKernel::emitColumns(const Macro &X, Value *Step,
                                              unsigned Steps, Value *Ahead) {
  SmallVector<Vectors, 8> OfB;
  SmallVector<Vectors, 1> OfA(Op.Terms.size()); // where columns begin
  for (auto [T, Factors] : enumerate(X.Terms))
    if (!isTable(T))
      OfA[T].push_back(K.offset(Factors.A, Step, Factors.StrideAk));
  for (unsigned I = 0; I < Steps; ++I) {
    Value *Own = B.CreateAdd(Step, K.i64(I));
    for (unsigned T : seq<unsigned>(Op.Terms.size()))
      if (isTable(T))
        OfA[T].push_back(lineOf(X, T, Own));
    OfB.push_back(loadSplats(X, Own));
  }
  auto PlacesOf = [&](unsigned T, Value *Row) {
    Vectors Result;
    for (Value *First : OfA[T])
      Result.push_back(K.offset(First, Row, K.i64(sizeOf(Op.Terms[T].A))));
    return Result;
  };
  auto AddTo = [&](Value *Vector, Value *Row) {
    Columns Of;
    for (unsigned T : seq<unsigned>(Op.Terms.size()))
      Of.push_back(sharesNumbers(T)
                       ? numbersOf(T, Of)
                       : loadColumns(X, T, PlacesOf(T, Row), Steps));
    Value *At = sumsOf(Vector, K.i64(0));
    Value *Sum = B.CreateAlignedLoad(VectorTy, At, Align(K.Size), "sum");
    for (unsigned I = 0; I < Steps; ++I)
      Sum = addStep(X, Sum, Of, I, OfB[I]);
    B.CreateAlignedStore(Sum, At, Align(K.Size));
  };
  unsigned AtOnce = Ahead ? vectorsOfLine() : ThePlan.MR / VL;
  Value *NumWhole = B.CreateUDiv(X.M, K.i64(VL));
  Value *Whole = B.CreateSub(K.umin(End, NumWhole), Begin);
  Value *EndOfWhole = B.CreateAdd(Begin, K.alignDown(Whole, AtOnce));
  K.emitLoop(Begin, EndOfWhole, K.i64(AtOnce), "vectors", [&](Value *Vector) {
    for (unsigned T = 0; Ahead && T < Op.Terms.size(); ++T) {
      if (sharesNumbers(T))
        continue;
      Value *Row = B.CreateMul(Vector, K.i64(VL));
      Value *From = B.CreatePtrAdd(PlacesOf(T, Row).front(), Ahead);
      for (unsigned I = 0; I < Steps; ++I)
        K.prefetch(K.offset(From, K.i64(I), X.Terms[T].StrideAk), 1,
                   ThePlan.CacheLine);
    }
    for (unsigned I = 0; I < AtOnce; ++I) {
      Value *Own = B.CreateAdd(Vector, K.i64(I));
      AddTo(Own, B.CreateMul(Own, K.i64(VL)));
    }
  });
  K.emitLoop(EndOfWhole, End, K.i64(1), "vector",
             [&](Value *Vector) { AddTo(Vector, rowOf(X, Vector)); });
}

/// The bytes of A, of all terms.
Value *KernelBuilder::StreamKernel::bytesOfMatrix(const Macro &X) {
  uint64_t OfStep = 0;
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    if (!sharesNumbers(T))
      OfStep += sizeOf(Op.Terms[T].A);
  return B.CreateMul(B.CreateMul(X.M, X.K), K.i64(OfStep));
}

/// Vectors of a line of A, of the term with the longest elements.
unsigned KernelBuilder::StreamKernel::vectorsOfLine() const {
  uint64_t Size = 1;
  for (const Term &T : Op.Terms)
    Size = std::max(Size, sizeOf(T.A));
  return std::max<unsigned>(ThePlan.CacheLine / (VL * Size), 1);
}

/// Of a matrix from afar, columns go by as the plan says. Returns how many did.
Value *KernelBuilder::StreamKernel::emitSweepFromAfar(const Macro &X) {
  if (Op.hasRowTables())
    return K.i64(0);
  Value *Bytes = bytesOfMatrix(X);
  Value *Done = K.i64(0);
  for (const Plan::Sweep &Sweep : ThePlan.Sweeps) {
    Value *IsFar = B.CreateICmpUGT(Bytes, K.i64(Sweep.Beyond));
    Value *Until = B.CreateSelect(IsFar, K.alignDown(X.K, Sweep.Columns), Done);
    K.emitLoop(Done, Until, K.i64(Sweep.Columns), "far", [&](Value *Step) {
      emitColumns(X, Step, Sweep.Columns, K.i64(Sweep.Ahead));
    });
    Done = Until;
  }
  return Done;
}

/// Columns go by, NR at a time, and then fewer.
void KernelBuilder::StreamKernel::emitSweeps(const Macro &X) {
  Value *Done = emitSweepFromAfar(X);
  for (unsigned Steps = ThePlan.NR; Steps; Steps /= 2) {
    Value *Until =
        B.CreateBinaryIntrinsic(Intrinsic::umax, Done, K.alignDown(X.K, Steps));
    K.emitLoop(Done, Until, K.i64(Steps), "columns", [&](Value *Step) {
      emitColumns(X, Step, Steps, /*Ahead=*/nullptr);
    });
    Done = Until;
  }
}

} // namespace tilesmith
