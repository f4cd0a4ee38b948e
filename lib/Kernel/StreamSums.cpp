//===- StreamSums.cpp - the steps of a matrix times a vector --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How squares are transposed, with registers of 512 bits and doubles, which are
// loaded as four steps of each of eight rows. The halves of a register come
// from two rows:
//
//   r0 . r2     r1 . r3     r4 . r6     r5 . r7
//
// In each lane of 128 bits, the lower elements of two registers and the upper
// ones are brought together, for columns 0 and 2, and 1 and 3. The even lanes of
// two of these are a column, and the odd ones are another.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

static constexpr unsigned LaneBits = 128;

//===-- Loads -------------------------------------------------------------===//

/// The element of \p Step in a column of B, in all lanes. Several columns lie
/// side by side (ThinKernel.cpp).
Value *KernelBuilder::StreamKernel::loadSplat(const Macro &X, unsigned Term,
                                              Value *Step, unsigned Column) {
  const Access &Of = Op.Terms[Term].B;
  const Macro::Factors &T = X.Terms[Term];
  if (Width > 1) {
    Value *At = K.offset(T.Panel, Step, K.i64(Width * K.Size));
    At = B.CreatePtrAdd(At, K.i64(Column * K.Size));
    return B.CreateVectorSplat(
        VL, B.CreateAlignedLoad(Op.SumTy, At, Align(K.Size), "b"));
  }
  Value *Element = B.CreateAlignedLoad(
      Of.ElemTy, K.offset(T.B, Step, T.StrideBk), Of.Alignment, "b");
  Element = K.elements(Op.Terms[Term].BMap, X.Arguments->Scalars, /*Width=*/0,
                       Element);
  return B.CreateVectorSplat(VL, Element);
}

/// The same of all terms.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::loadSplats(const Macro &X, Value *Step,
                                        unsigned Column) {
  Vectors Result;
  for (unsigned T : seq<unsigned>(Op.Terms.size()))
    Result.push_back(loadSplat(X, T, Step, Column));
  return Result;
}

/// A register of A's elements, with the arithmetic that the source does on
/// them.
Value *KernelBuilder::StreamKernel::mapped(const Macro &X, unsigned Term,
                                           Value *Elements) {
  return K.elements(Op.Terms[Term].AMap, X.Arguments->Scalars, VL, Elements);
}

/// Rows that are found from one pointer, by multiples of the stride: addresses
/// of many rows do not fit into registers.
static constexpr unsigned RowsOfPointer = 4;

unsigned KernelBuilder::StreamKernel::rowsOfPointer(unsigned Term) const {
  return isTable(Term) ? 1 : RowsOfPointer;
}

/// Where the rows of a vector from \p Row on have \p Step.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::pointersTo(const Macro &X, unsigned Term,
                                        Value *Row, Value *Step) {
  const Macro::Factors &T = X.Terms[Term];
  if (isTable(Term)) {
    Vectors Rows;
    for (unsigned I = 0; I < VL; ++I)
      Rows.push_back(K.offset(lineOf(X, Term, B.CreateAdd(Row, K.i64(I))), Step,
                              T.StrideAk));
    return Rows;
  }
  Value *First = K.offset(T.A, Row, T.StrideAm);
  First = K.offset(First, Step, T.StrideAk);
  Vectors Result{First};
  if (isAlongK(Term))
    for (unsigned I = RowsOfPointer; I < VL; I += RowsOfPointer)
      Result.push_back(K.offset(First, K.i64(I), T.StrideAm));
  return Result;
}

/// Where row \p Row of the vector of rows at \p Pointers is.
Value *KernelBuilder::StreamKernel::rowAt(const Macro &X, unsigned Term,
                                          ArrayRef<Value *> Pointers,
                                          unsigned Row) {
  unsigned OfPointer = rowsOfPointer(Term);
  return K.offset(Pointers[Row / OfPointer], K.i64(Row % OfPointer),
                  X.Terms[Term].StrideAm);
}

/// Where the piece of a row is that begins \p Step steps behind \p Pointers. A
/// row that runs backwards has its last step there.
Value *KernelBuilder::StreamKernel::pieceAt(const Macro &X, unsigned Term,
                                            ArrayRef<Value *> Pointers,
                                            unsigned Row, unsigned Step) {
  bool IsReversed = K.isReversed(Op.Terms[Term].A, tilesmith::K);
  Value *First = K.i64(Step + (IsReversed ? Piece - 1 : 0));
  return K.offset(rowAt(X, Term, Pointers, Row), First, X.Terms[Term].StrideAk);
}

/// The columns that a transposition makes of a piece of each row.
KernelBuilder::StreamKernel::Vectors KernelBuilder::StreamKernel::columnsOfRows(
    const Macro &X, unsigned Term, function_ref<Value *(unsigned)> LoadPiece) {
  unsigned Lane = std::min(LaneBits / (8 * unsigned(K.Size)), Piece);
  unsigned Pieces = VL / Piece;
  Vectors Registers;
  for (unsigned Group = 0; Group < VL; Group += Pieces * Lane)
    for (unsigned I = 0; I < Lane; ++I) {
      SmallVector<Value *, 4> Parts;
      for (unsigned P = 0; P < Pieces; ++P)
        Parts.push_back(LoadPiece(Group + P * Lane + I));
      Registers.push_back(mapped(X, Term, concatenateVectors(B, Parts)));
    }
  Vectors Result = transposed(Registers);
  if (K.isReversed(Op.Terms[Term].A, tilesmith::K))
    std::reverse(Result.begin(), Result.end());
  return Result;
}

/// A piece of columns, the first one \p Step steps behind \p Pointers.
KernelBuilder::StreamKernel::Vectors KernelBuilder::StreamKernel::loadPieces(
    const Macro &X, unsigned Term, ArrayRef<Value *> Pointers, unsigned Step) {
  const Access &A = Op.Terms[Term].A;
  auto *Ty = FixedVectorType::get(A.ElemTy, Piece);
  return columnsOfRows(X, Term, [&](unsigned Row) {
    return B.CreateAlignedLoad(Ty, pieceAt(X, Term, Pointers, Row, Step),
                               A.Alignment, "a");
  });
}

/// The first halves of lanes of \p X and \p Y, or the second ones, by turns of
/// \p Size elements.
static Value *interleaved(IRBuilderBase &B, Value *X, Value *Y, unsigned Lane,
                          unsigned Size, bool Upper) {
  unsigned VL = cast<FixedVectorType>(X->getType())->getNumElements();
  SmallVector<int, 32> Mask;
  for (unsigned First = 0; First < VL; First += Lane)
    for (unsigned At = Upper * Lane / 2; At < (1 + Upper) * Lane / 2;
         At += Size)
      for (unsigned Of : {0u, VL})
        for (unsigned E = 0; E < Size; ++E)
          Mask.push_back(Of + First + At + E);
  return B.CreateShuffleVector(X, Y, Mask);
}

/// The even lanes of both, or the odd ones.
static Value *everySecondLane(IRBuilderBase &B, Value *X, Value *Y,
                              unsigned Lane, bool Odd) {
  unsigned VL = cast<FixedVectorType>(X->getType())->getNumElements();
  SmallVector<int, 32> Mask;
  for (unsigned First = Odd * Lane; First < 2 * VL; First += 2 * Lane)
    for (unsigned E = 0; E < Lane; ++E)
      Mask.push_back(First + E);
  return B.CreateShuffleVector(X, Y, Mask);
}

/// Transposes the square of as many elements in each lane as there are
/// registers.
static SmallVector<Value *, 16> transposeLanes(IRBuilderBase &B,
                                               ArrayRef<Value *> Registers,
                                               unsigned Lane, unsigned Size) {
  if (Registers.size() == 1)
    return {Registers.front()};
  SmallVector<Value *, 16> Result;
  for (bool Upper : {false, true}) {
    SmallVector<Value *, 16> Next;
    for (unsigned I = 0; I < Registers.size(); I += 2)
      Next.push_back(
          interleaved(B, Registers[I], Registers[I + 1], Lane, Size, Upper));
    append_range(Result, transposeLanes(B, Next, Lane, 2 * Size));
  }
  return Result;
}

KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::transposed(ArrayRef<Value *> Registers) {
  unsigned Lane = std::min(LaneBits / (8 * unsigned(K.Size)), Piece);
  Vectors First = transposeLanes(B, Registers.take_front(Lane), Lane, 1);
  if (Piece == Lane)
    return First;
  assert(Piece == 2 * Lane && "no more than two lanes");
  Vectors Second = transposeLanes(B, Registers.drop_front(Lane), Lane, 1);
  Vectors Result;
  for (bool Odd : {false, true})
    for (auto [Even, Other] : zip_equal(First, Second))
      Result.push_back(everySecondLane(B, Even, Other, Lane, Odd));
  return Result;
}

/// \p Steps columns of VL rows, the first one at \p Pointers, or, of a table of
/// columns, each of them at one. Rows are loaded piece by piece, or one step of
/// them element by element.
KernelBuilder::StreamKernel::Vectors KernelBuilder::StreamKernel::loadColumns(
    const Macro &X, unsigned Term, ArrayRef<Value *> Pointers, unsigned Steps) {
  const Access &A = Op.Terms[Term].A;
  const Macro::Factors &T = X.Terms[Term];
  Vectors Result;
  if (isAlongK(Term) && Steps % Piece == 0) {
    for (unsigned Step = 0; Step < Steps; Step += Piece)
      append_range(Result, loadPieces(X, Term, Pointers, Step));
    return Result;
  }
  auto *Ty = FixedVectorType::get(A.ElemTy, VL);
  auto LoadElements = [&](function_ref<Value *(unsigned)> Place) {
    Value *Elements = PoisonValue::get(Ty);
    for (unsigned I = 0; I < VL; ++I) {
      Value *Element =
          B.CreateAlignedLoad(A.ElemTy, Place(I), A.Alignment, "a");
      Elements = B.CreateInsertElement(Elements, Element, I);
    }
    return Elements;
  };
  if (isAlongK(Term)) {
    assert(Steps == 1 && "less than a piece");
    Value *Elements = LoadElements(
        [&](unsigned Row) { return rowAt(X, Term, Pointers, Row); });
    return {mapped(X, Term, Elements)};
  }
  for (unsigned Step = 0; Step < Steps; ++Step) {
    Value *Column = isTable(Term)
                        ? Pointers[Step]
                        : K.offset(Pointers.front(), K.i64(Step), T.StrideAk);
    Value *Elements = isAlongM(Term)
                          ? B.CreateAlignedLoad(Ty, Column, A.Alignment, "a")
                          : LoadElements([&](unsigned I) {
                              return K.offset(Column, K.i64(I), T.StrideAm);
                            });
    Result.push_back(mapped(X, Term, Elements));
  }
  return Result;
}

/// \p Steps columns of A, of each term; \p Rows says where a vector's rows have
/// the first one.
KernelBuilder::StreamKernel::Columns
KernelBuilder::StreamKernel::loadSteps(const Macro &X, ArrayRef<Vectors> Rows,
                                       unsigned Steps) {
  Columns Result;
  for (unsigned T : seq<unsigned>(Op.Terms.size()))
    Result.push_back(loadColumns(X, T, Rows[T], Steps));
  return Result;
}

//===-- Sums --------------------------------------------------------------===//

Value *KernelBuilder::StreamKernel::addStep(const Macro &X, Value *Sum,
                                            const Columns &OfA, unsigned Step,
                                            ArrayRef<Value *> OfB) {
  Vectors Left;
  for (const Vectors &OfTerm : OfA)
    Left.push_back(OfTerm[Step]);
  return K.emitVectorStep(X.Arguments->Scalars, Sum, Left, OfB);
}

/// Adds \p Step, the one at \p At in \p OfA, to the sums of some vectors of rows:
/// Width sums for each.
void KernelBuilder::StreamKernel::addStepToAll(const Macro &X,
                                               ArrayRef<Columns> OfA,
                                               unsigned At, Value *Step,
                                               MutableArrayRef<Value *> Sums) {
  for (unsigned Column = 0; Column < Width; ++Column) {
    Vectors OfB = loadSplats(X, Step, Column);
    for (auto [Vector, Of] : enumerate(OfA)) {
      Value *&Sum = Sums[Vector * Width + Column];
      Sum = addStep(X, Sum, Of, At, OfB);
    }
  }
}

/// Adds some steps to vectors of sums, each \p Lag steps behind the one before
/// it, if that is given. With several columns, vectors share the elements of B;
/// with one, each has the registers for itself.
void KernelBuilder::StreamKernel::addSteps(const Macro &X,
                                           ArrayRef<RowPointers> Rows,
                                           Value *Step, unsigned Steps,
                                           MutableArrayRef<Value *> Sums,
                                           Value *Lag) {
  if (Width == 1 && Rows.size() > 1) {
    for (unsigned I = 0; I < Rows.size(); ++I) {
      if (I && Lag)
        Step = B.CreateSub(Step, Lag);
      addSteps(X, Rows[I], Step, Steps, Sums[I], /*Lag=*/nullptr);
    }
    return;
  }
  SmallVector<Columns, 4> OfA;
  for (const RowPointers &Of : Rows)
    OfA.push_back(loadSteps(X, Of, Steps));
  for (unsigned I = 0; I < Steps; ++I)
    addStepToAll(X, OfA, I, B.CreateAdd(Step, K.i64(I)), Sums);
}

/// Prefetches where the vectors of rows behind those at \p Rows begin, if they
/// come late. The rest of a row comes by itself then; asking for all of it takes
/// a third of the time of a matrix that is in the caches.
void KernelBuilder::StreamKernel::prefetchNextRows(const Macro &X,
                                                   ArrayRef<Value *> Rows) {
  constexpr unsigned SecondLevel = 2;
  K.emitIf(IsLate, "late", [&] {
    Value *Ahead = K.i64(Rows.size() * VL);
    for (Value *Row : Rows)
      for (unsigned T : seq<unsigned>(Op.Terms.size())) {
        if (!isAlongK(T))
          continue;
        Value *First = isTriangle() && isFrom()
                           ? cornerOf(X, B.CreateAdd(Row, Ahead))
                           : K.i64(0);
        Vectors Pointers = pointersTo(X, T, Row, First);
        for (Value *&Pointer : Pointers)
          Pointer = K.offset(Pointer, Ahead, X.Terms[T].StrideAm);
        for (unsigned I = 0; I < VL; ++I)
          K.prefetch(rowAt(X, T, Pointers, I), 1, ThePlan.CacheLine,
                     SecondLevel);
      }
  });
}

/// Lets pointers move along their rows, in a loop that is entered from
/// \p Before. Those of a table are too many for that: they stay at the
/// beginnings of rows, and all move by \p Step, less \p Lag for each vector of
/// rows before.
void KernelBuilder::StreamKernel::carryPointers(
    const Macro &X, MutableArrayRef<RowPointers> Rows, Value *Step,
    BasicBlock *Before, Value *Lag) {
  Value *Own = Step;
  for (RowPointers &Of : Rows) {
    if (Lag && &Of != &Rows.front())
      Own = B.CreateSub(Own, Lag);
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

/// Moves them by \p Steps. That they do move is hidden from LLVM's loop strength
/// reduction, which would have an address for each row.
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
        cast<PHINode>(Pointer)->addIncoming(B.CreateStripInvariantGroup(Moved),
                                            Latch);
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
/// that begin at \p Rows; each of them \p Lag steps behind the one before it, if
/// that is given.
void KernelBuilder::StreamKernel::emitLoopOverSteps(const Macro &X,
                                                    ArrayRef<Value *> Rows,
                                                    Value *Begin, Value *End,
                                                    unsigned Steps,
                                                    Vectors &Sums, Value *Lag) {
  SmallVector<RowPointers, 4> Pointers;
  Value *Own = Begin;
  for (Value *Row : Rows) {
    if (Lag && !Pointers.empty())
      Own = B.CreateSub(Own, Lag);
    RowPointers &Of = Pointers.emplace_back();
    for (unsigned T : seq<unsigned>(Op.Terms.size()))
      Of.push_back(pointersTo(X, T, Row, isTable(T) ? K.i64(0) : Own));
  }
  BasicBlock *Before = B.GetInsertBlock();
  emitLoopWithSums(Begin, End, Sums, [&](Value *Step, Vectors &Next) {
    carryPointers(X, Pointers, Step, Before, Lag);
    addSteps(X, Pointers, Step, Steps, Next, Lag);
    moveCarried(X, Pointers, Steps);
    return K.i64(Steps);
  });
}

/// Adds the steps from \p Begin to \p End, as many as are made at a time, to two
/// vectors of rows. Rows that share places in the first-level cache would take
/// these from each other; so the second vector is some lines behind then.
void KernelBuilder::StreamKernel::emitLoopOfTwo(const Macro &X,
                                                ArrayRef<Value *> Rows,
                                                Value *Begin, Value *End,
                                                Vectors &Sums) {
  Value *Lag = K.umin(LagOfSecond, B.CreateSub(End, Begin));
  auto AddTo = [&](unsigned Vector, Value *From, Value *To) {
    Vectors Sum{Sums[Vector]};
    emitLoopOverSteps(X, Rows.slice(Vector, 1), From, To, Piece, Sum);
    Sums[Vector] = Sum.front();
  };
  Value *BeginOfBoth = B.CreateAdd(Begin, Lag);
  AddTo(0, Begin, BeginOfBoth);
  emitLoopOverSteps(X, Rows, BeginOfBoth, End, ThePlan.NR, Sums, Lag);
  AddTo(1, B.CreateSub(End, Lag), End);
}

/// Adds the steps from \p Done to \p End, which are less than a piece. The last
/// piece of each row ends where its steps do.
void KernelBuilder::StreamKernel::emitLastSteps(const Macro &X,
                                                ArrayRef<Value *> Rows,
                                                Value *Done, Value *End,
                                                Vectors &Sums) {
  BasicBlock *Before = B.GetInsertBlock(), *Last = nullptr;
  Vectors Added = Sums;
  K.emitIf(B.CreateICmpULT(Done, End), "rest", [&] {
    Value *Step = B.CreateSub(End, K.i64(Piece));
    Value *Again = B.CreateSub(Done, Step); // steps that are made already
    for (auto [Row, Sum] : zip_equal(Rows, Added)) {
      RowPointers Of;
      for (unsigned T : seq<unsigned>(Op.Terms.size()))
        Of.push_back(pointersTo(X, T, Row, Step));
      Columns OfA = loadSteps(X, Of, Piece);
      for (unsigned I = 1; I < Piece; ++I) {
        Value *IsNew = B.CreateICmpUGE(K.i64(I), Again);
        Value *Next = Sum;
        addStepToAll(X, OfA, I, B.CreateAdd(Step, K.i64(I)), Next);
        Sum = B.CreateSelect(IsNew, Next, Sum);
      }
    }
    Last = B.GetInsertBlock();
  });
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
  Value *Done = Begin;
  for (unsigned Steps = ThePlan.NR; Steps >= Piece;
       Steps = Steps == Piece ? 0 : Piece) {
    Value *Count = K.alignDown(B.CreateSub(End, Done), Steps);
    Value *Until = B.CreateAdd(Done, Count);
    if (LagOfSecond && Steps == ThePlan.NR && Rows.size() == 2)
      emitLoopOfTwo(X, Rows, Done, Until, Sums);
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

/// All steps of \p NumVectors vectors of rows.
void KernelBuilder::StreamKernel::emitRows(const Macro &X, Value *Vector,
                                           unsigned NumVectors) {
  Vectors Rows, Places, Sums;
  for (unsigned I = 0; I < NumVectors; ++I) {
    Value *Own = B.CreateAdd(Vector, K.i64(I));
    Rows.push_back(rowOf(X, Own));
    for (unsigned Column = 0; Column < Width; ++Column)
      Places.push_back(sumsOf(Own, K.i64(Column)));
  }
  for (Value *Place : Places)
    Sums.push_back(B.CreateAlignedLoad(VectorTy, Place, Align(K.Size), "sum"));
  if (IsLate)
    prefetchNextRows(X, Rows);
  if (isTriangle())
    addBesideCorners(X, Rows, Sums);
  else
    addRange(X, Rows, K.i64(0), X.K, Sums);
  for (auto [Sum, Place] : zip_equal(Sums, Places))
    B.CreateAlignedStore(Sum, Place, Align(K.Size));
  if (Width > 1)
    emitLastStepsInTurn(X, Rows, K.alignDown(X.K, Piece), Places);
}

/// How many bytes A of \p Term takes up with the gaps between its rows.
Value *KernelBuilder::StreamKernel::bytesOf(const Macro &X, unsigned Term) {
  Value *Length = B.CreateBinaryIntrinsic(Intrinsic::abs,
                                          X.Terms[Term].StrideAm, B.getFalse());
  return B.CreateMul(X.M, Length);
}

/// How many vectors of rows are under way together. From memory, no more than
/// some come by themselves. Rows that are a multiple of a page apart share the
/// places of a cache, so there are two vectors at most, of which the second one
/// lags behind.
Value *KernelBuilder::StreamKernel::vectorsAtOnce(const Macro &X) {
  constexpr uint64_t Page = 4096, Ways = 8, LinesOfLag = 4;
  unsigned Most = ThePlan.MR / VL;
  Value *Result = K.i64(Most), *Share = B.getFalse();
  auto AtMost = [&](unsigned Rows, Value *Condition) {
    unsigned Fitting = std::max(Rows / VL, 1u);
    if (Fitting < Most) {
      Value *Fewer = K.umin(Result, K.i64(Fitting));
      Result = B.CreateSelect(Condition, Fewer, Result);
    }
  };
  for (unsigned T = 0; T < Op.Terms.size(); ++T) {
    if (!isAlongK(T))
      continue;
    auto IsMultiple = [&](uint64_t Of) {
      return B.CreateIsNull(B.CreateAnd(X.Terms[T].StrideAm, K.i64(Of - 1)));
    };
    AtMost(2 * Ways,
           B.CreateICmpUGT(bytesOf(X, T), K.i64(ThePlan.MemoryBytes)));
    for (auto [Rows, Condition] : {std::pair(2 * Ways, IsMultiple(Page / 2)),
                                   {Ways, IsMultiple(Page)}}) {
      AtMost(std::max<unsigned>(Rows, 2 * VL), Condition);
      if (Rows < 2 * VL)
        Share = B.CreateOr(Share, Condition);
    }
  }
  unsigned Line = ThePlan.CacheLine / K.Size;
  if (Most > 1 && 2 * VL > Ways)
    LagOfSecond = B.CreateSelect(
        Share, K.i64(alignTo(LinesOfLag * Line, ThePlan.NR)), K.i64(0));
  return Result;
}

/// Whether rows do not come by themselves before they are asked for: short ones
/// are over by then. Weights are mostly read once, so even a small matrix is
/// taken to come from afar.
Value *KernelBuilder::StreamKernel::comesLate(const Macro &X) {
  constexpr uint64_t Page = 4096;
  Value *Result = B.getFalse();
  for (unsigned T = 0; T < Op.Terms.size(); ++T) {
    if (!isAlongK(T))
      continue;
    Value *Bytes = bytesOf(X, T);
    Value *IsFar = B.CreateICmpUGT(Bytes, K.i64(ThePlan.FarBytes / 2));
    Value *IsShort = B.CreateICmpULT(Bytes, B.CreateMul(X.M, K.i64(Page)));
    Result = B.CreateOr(Result, B.CreateAnd(IsShort, IsFar));
  }
  return Result;
}

/// The rows of a block, MR at a time, or fewer.
void KernelBuilder::StreamKernel::emitPanels(const Macro &X) {
  if (Width > 1)
    return emitThinPanels(X);
  struct Panel {
    unsigned Vectors;
    Value *Suits;
  };
  unsigned Most = ThePlan.MR / VL;
  Value *AtOnce = vectorsAtOnce(X);
  SmallVector<Panel, 3> Panels{{Most, B.CreateICmpUGE(AtOnce, K.i64(Most))}};
  if (Most > 2)
    Panels.push_back({2, B.CreateICmpUGE(AtOnce, K.i64(2))});
  if (Most > 1)
    Panels.push_back({1, B.getTrue()});
  IsLate = comesLate(X);
  Value *Done = Begin;
  // Corners of vectors under way together are one behind the other, unlike that
  // of the last one, which is moved up.
  Value *Whole = isTriangle() ? K.umin(End, B.CreateUDiv(X.M, K.i64(VL))) : End;
  for (const Panel &P : Panels) {
    Value *Count =
        K.alignDown(B.CreateSub(P.Vectors > 1 ? Whole : End, Done), P.Vectors);
    Value *Until = B.CreateSelect(P.Suits, B.CreateAdd(Done, Count), Done);
    K.emitLoop(Done, Until, K.i64(P.Vectors), "panel",
               [&](Value *Vector) { emitRows(X, Vector, P.Vectors); });
    Done = Until;
  }
}

/// Adds \p Steps columns to the sums of the block.
void KernelBuilder::StreamKernel::emitColumns(const Macro &X, Value *Step,
                                              unsigned Steps) {
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
  auto AddTo = [&](Value *Vector, Value *Row) {
    Columns Of;
    for (auto [T, Columns] : enumerate(OfA)) {
      Vectors From;
      for (Value *First : Columns)
        From.push_back(K.offset(First, Row, K.i64(sizeOf(Op.Terms[T].A))));
      Of.push_back(loadColumns(X, T, From, Steps));
    }
    Value *At = sumsOf(Vector, K.i64(0));
    Value *Sum = B.CreateAlignedLoad(VectorTy, At, Align(K.Size), "sum");
    for (unsigned I = 0; I < Steps; ++I)
      Sum = addStep(X, Sum, Of, I, OfB[I]);
    B.CreateAlignedStore(Sum, At, Align(K.Size));
  };
  unsigned AtOnce = ThePlan.MR / VL;
  Value *NumWhole = B.CreateUDiv(X.M, K.i64(VL));
  Value *Whole = B.CreateSub(K.umin(End, NumWhole), Begin);
  Value *EndOfWhole = B.CreateAdd(Begin, K.alignDown(Whole, AtOnce));
  K.emitLoop(Begin, EndOfWhole, K.i64(AtOnce), "vectors", [&](Value *Vector) {
    for (unsigned I = 0; I < AtOnce; ++I) {
      Value *Own = B.CreateAdd(Vector, K.i64(I));
      AddTo(Own, B.CreateMul(Own, K.i64(VL)));
    }
  });
  K.emitLoop(EndOfWhole, End, K.i64(1), "vector",
             [&](Value *Vector) { AddTo(Vector, rowOf(X, Vector)); });
}

/// Columns go by, NR at a time, and then fewer.
void KernelBuilder::StreamKernel::emitSweeps(const Macro &X) {
  Value *Done = K.i64(0);
  for (unsigned Steps = ThePlan.NR; Steps; Steps /= 2) {
    Value *Until = K.alignDown(X.K, Steps);
    K.emitLoop(Done, Until, K.i64(Steps), "columns",
               [&](Value *Step) { emitColumns(X, Step, Steps); });
    Done = Until;
  }
}

} // namespace tilesmith
