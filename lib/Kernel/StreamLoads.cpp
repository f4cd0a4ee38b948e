//===- StreamLoads.cpp - the elements for steps of a matrix times a vector ===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How squares are transposed, with registers of 512 bits and doubles, which are
// loaded as four steps of each of eight rows, if there are no eight steps. The
// halves of a register come from two rows:
//
//   r0 . r2     r1 . r3     r4 . r6     r5 . r7
//
// In each lane of 128 bits, the lower elements of two registers and the upper
// ones are brought together, for columns 0 and 2, and 1 and 3. The even lanes of
// two of these are a column, and the odd ones are another. If each register comes
// from one row, the even and odd lanes are brought together twice.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

static constexpr unsigned LaneBits = 128;

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
  return withSigns(Term, B.CreateVectorSplat(VL, Element));
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

/// The elements of \p Step in the vectors of the rows from \p Row on, of all terms,
/// where these vectors move along.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::loadMoving(const Macro &X, Value *Row,
                                        Value *Step) {
  Vectors Result;
  for (auto [Of, T] : zip_equal(Op.Terms, X.Terms)) {
    Value *At = K.offset(T.B, B.CreateAdd(Row, Step), T.StrideBk);
    auto *Ty = FixedVectorType::get(Of.B.ElemTy, VL);
    Value *Elements = B.CreateAlignedLoad(Ty, At, Of.B.Alignment, "b");
    Result.push_back(K.elements(Of.BMap, X.Arguments->Scalars, VL, Elements));
  }
  return Result;
}

/// A register of A's elements, with the arithmetic that the source does on
/// them.
Value *KernelBuilder::StreamKernel::mapped(const Macro &X, unsigned Term,
                                           Value *Elements) {
  return K.elements(Op.Terms[Term].AMap, X.Arguments->Scalars, VL, Elements);
}

/// The same, if elements of such registers are brought together next. LLVM 22 for x86
/// does that with halves, before they are converted, as if a register were one
/// lane (unpack of two vcvtph2ps without other uses).
Value *KernelBuilder::StreamKernel::mappedToTurn(const Macro &X, unsigned Term,
                                                 Value *Elements) {
  Value *Result = mapped(X, Term, Elements);
  bool IsConverted =
      Op.Terms[Term].A.ElemTy->isHalfTy() && Op.SumTy->isFloatingPointTy();
  return IsConverted ? B.CreateArithmeticFence(Result, Result->getType())
                     : Result;
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
  if (sharesNumbers(Term))
    return {};
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

/// Where the rows at \p Pointers, of each term, have the step that is \p Steps
/// behind.
KernelBuilder::StreamKernel::RowPointers
KernelBuilder::StreamKernel::pointersBehind(const Macro &X,
                                            const RowPointers &Pointers,
                                            unsigned Steps) {
  RowPointers Result = Pointers;
  for (auto [T, OfTerm] : enumerate(Result))
    for (Value *&Pointer : OfTerm)
      Pointer = K.offset(Pointer, K.i64(Steps), X.Terms[T].StrideAk);
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
                                            unsigned Row, unsigned Step,
                                            unsigned Steps) {
  bool IsReversed = K.isReversed(Op.Terms[Term].A, tilesmith::K);
  Value *First = K.i64(Step + (IsReversed ? Steps - 1 : 0));
  return K.offset(rowAt(X, Term, Pointers, Row), First, X.Terms[Term].StrideAk);
}

/// The columns that a transposition makes of a piece of each row.
KernelBuilder::StreamKernel::Vectors KernelBuilder::StreamKernel::columnsOfRows(
    const Macro &X, unsigned Term, unsigned Steps,
    function_ref<Value *(unsigned)> LoadPiece) {
  unsigned Lane = std::min(LaneBits / (8 * unsigned(K.Size)), Steps);
  unsigned Pieces = VL / Steps;
  Vectors Registers;
  for (unsigned Group = 0; Group < VL; Group += Pieces * Lane)
    for (unsigned I = 0; I < Lane; ++I) {
      SmallVector<Value *, 4> Parts;
      for (unsigned P = 0; P < Pieces; ++P)
        Parts.push_back(LoadPiece(Group + P * Lane + I));
      Registers.push_back(mappedToTurn(X, Term, concatenateVectors(B, Parts)));
    }
  Vectors Result = transposed(Registers, Lane, Lane);
  if (K.isReversed(Op.Terms[Term].A, tilesmith::K))
    std::reverse(Result.begin(), Result.end());
  return Result;
}

/// \p Steps steps of row \p Row of the vector, from \p Step steps behind \p Pointers on.
Value *KernelBuilder::StreamKernel::loadPiece(const Macro &X, unsigned Term,
                                              ArrayRef<Value *> Pointers,
                                              unsigned Row, unsigned Step,
                                              unsigned Steps) {
  const Access &A = Op.Terms[Term].A;
  auto *Ty = FixedVectorType::get(A.ElemTy, Steps);
  return B.CreateAlignedLoad(Ty, pieceAt(X, Term, Pointers, Row, Step, Steps),
                             A.Alignment, "a");
}

/// A piece of columns, the first one \p Step steps behind \p Pointers.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::loadPieces(const Macro &X, unsigned Term,
                                        ArrayRef<Value *> Pointers,
                                        unsigned Step, unsigned Steps) {
  return columnsOfRows(X, Term, Steps, [&](unsigned Row) {
    return loadPiece(X, Term, Pointers, Row, Step, Steps);
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

/// Transposes squares: of what \p Square registers have in each lane of \p Lane
/// elements, and of the lanes.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::transposed(ArrayRef<Value *> Registers,
                                        unsigned Lane, unsigned Square) {
  if (Registers.size() == Square)
    return transposeLanes(B, Registers, Lane, 1);
  unsigned Half = Registers.size() / 2;
  Vectors First = transposed(Registers.take_front(Half), Lane, Square);
  Vectors Second = transposed(Registers.drop_front(Half), Lane, Square);
  Vectors Result;
  for (bool Odd : {false, true})
    for (auto [Even, Other] : zip_equal(First, Second))
      Result.push_back(everySecondLane(B, Even, Other, Lane, Odd));
  return Result;
}

/// Whether \p Steps steps of a row are loaded by whole registers, which transposes
/// squares of VL elements: half as many loads. Registers of 256 bits have halves of 128
/// mostly: loads take no longer than what moves elements, and halves cross no lines.
/// Not where a line is asked for again, or where each row has a pointer. (Measured on
/// Zen 5 and, with 256 bits, on Zen 4.)
bool KernelBuilder::StreamKernel::loadsRegisters(unsigned Steps) const {
  constexpr unsigned LongestOfFew = 4;
  bool WantsFew =
      (Shares && !isTriangle() && !ThePlan.makesTransposed(Op)) ||
      (VL <= LongestOfFew && (Shares || isTriangle() || Op.hasRowTables()));
  return Steps % VL == 0 &&
         (ThePlan.VectorBits >= 512 || (ThePlan.VectorBits == 256 && WantsFew));
}

/// How many of \p Steps steps a vector of rows makes before the next one does: as
/// few as are transposed together. They are a chain of additions, which would fill
/// the places where additions wait before those of the next vector come.
unsigned KernelBuilder::StreamKernel::stepsInTurn(unsigned Steps) const {
  unsigned InTurn = loadsRegisters(Steps) ? VL : Piece;
  return hasNumbers() || Steps % InTurn ? Steps : InTurn;
}

/// \p Steps columns of VL rows, the first one at \p Pointers, or, of a table of
/// columns, each of them at one. Rows are loaded piece by piece, or one step of
/// them element by element.
KernelBuilder::StreamKernel::Vectors KernelBuilder::StreamKernel::loadColumns(
    const Macro &X, unsigned Term, ArrayRef<Value *> Pointers, unsigned Steps) {
  const Access &A = Op.Terms[Term].A;
  const Macro::Factors &T = X.Terms[Term];
  Vectors Result;
  if (isAlongK(Term) && hasNumbers()) {
    assert(Steps % Piece == 0 && "squares of numbers");
    for (unsigned Step = 0; Step < Steps; Step += Piece)
      append_range(Result, squareOfNumbers(X, Term, Pointers, Step));
    return Result;
  }
  if (isAlongK(Term) && Steps % Piece == 0) {
    unsigned AtOnce = loadsRegisters(Steps) ? VL : Piece;
    for (unsigned Step = 0; Step < Steps; Step += AtOnce)
      append_range(Result, loadPieces(X, Term, Pointers, Step, AtOnce));
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
  return areExchanged(Term) ? exchanged(Result) : Result;
}

/// \p Steps columns of A, of each term; \p Rows says where a vector's rows have
/// the first one.
KernelBuilder::StreamKernel::Columns
KernelBuilder::StreamKernel::loadSteps(const Macro &X, ArrayRef<Vectors> Rows,
                                       unsigned Steps) {
  Columns Result;
  for (unsigned T : seq<unsigned>(Op.Terms.size()))
    Result.push_back(sharesNumbers(T) ? numbersOf(T, Result)
                                      : loadColumns(X, T, Rows[T], Steps));
  return Result;
}

} // namespace tilesmith
