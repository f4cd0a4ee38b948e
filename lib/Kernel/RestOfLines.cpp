//===- RestOfLines.cpp - rows that are made by another update -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tile holds the last rows of columns, of which LLVM fuses other products
// (Contraction::Rest), registers with such rows are made twice:
//
//   buffer = C                  the rows in question, column by column
//   Rest kernels: buffer        from the same panels
//   the tile's kernel: C
//   C = buffer                  the rows in question
//
// So the tile's own kernel, and packing, know nothing of it.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Rows are counted from the tile's first one, and may be outside.
struct MacroKernel::RestInTile {
  Value *FirstRow;                        ///< of the tile, in C
  Value *Rows;                            ///< of the tile
  Value *Diagonal = nullptr;              ///< from the tile's first element
  Value *First = nullptr, *End = nullptr; ///< rows that may be some
  AllocaInst *Buffer = nullptr;
};

/// The end of column \p J of the tile: the row behind its last one.
Value *MacroKernel::endOfLine(const Macro &X, const RestInTile &In, Value *J) {
  Value *End = B.CreateSub(X.M, In.FirstRow);
  if (Wanted != Half::Upper)
    return End;
  Value *AtDiagonal =
      B.CreateAdd(B.CreateSub(onDiagonal(J), In.Diagonal), i64(1));
  return B.CreateBinaryIntrinsic(Intrinsic::smin, End, AtDiagonal);
}

/// The first row of column \p J that is made otherwise; its end if there is none.
Value *MacroKernel::beginOfRest(const Macro &X, const RestInTile &In,
                                Value *J) {
  Value *Begin = B.CreateNeg(In.FirstRow);
  if (Wanted == Half::Lower)
    Begin = B.CreateBinaryIntrinsic(Intrinsic::smax, Begin,
                                    B.CreateSub(onDiagonal(J), In.Diagonal));
  Value *End = endOfLine(X, In, J);
  Value *Length =
      B.CreateBinaryIntrinsic(Intrinsic::smax, B.CreateSub(End, Begin), i64(0));
  return B.CreateSub(End, B.CreateAnd(Length, i64(Op.Rest->Step - 1)));
}

MacroKernel::RestInTile MacroKernel::restInTile(Macro &X, const TileRows &R) {
  RestInTile In{B.CreateAdd(X.Ic, R.Begin), R.Count};
  if (Wanted != Half::None)
    In.Diagonal = diagonalOfTile(X, R.Begin);
  // From the first column's rest on to the last column's end. Without a diagonal, all
  // columns are the same.
  Value *Last = endOfLine(X, In, B.CreateSub(X.Columns, i64(1)));
  Value *First = Wanted == Half::None ? beginOfRest(X, In, i64(0))
                                      : B.CreateSub(endOfLine(X, In, i64(0)),
                                                    i64(Op.Rest->Step - 1));
  In.First = clamp(First, R.Count);
  In.End = clamp(Last, R.Count);
  In.Buffer = variableIn(
      *X.F, ArrayType::get(Op.SumTy, uint64_t(ThePlan.MR) * ThePlan.NR),
      "rest");
  In.Buffer->setAlignment(Align(CacheLine));
  return In;
}

/// Moves the rows in question between C and the buffer: nothing else of C is touched.
void MacroKernel::moveRest(const Macro &X, const RestInTile &In,
                           const MicroArguments &Call, bool ToBuffer) {
  emitLoop(i64(0), X.Columns, i64(1), "column", [&](Value *J) {
    Value *Begin = clamp(beginOfRest(X, In, J), In.Rows),
          *End = clamp(endOfLine(X, In, J), In.Rows);
    Value *InC = offset(Call.C, J, Call.StrideCn);
    Value *InBuffer = offset(In.Buffer, J, strideOfBuffer());
    emitLoop(Begin, End, i64(1), "row", [&](Value *Row) {
      Value *From = ToBuffer ? InC : InBuffer, *To = ToBuffer ? InBuffer : InC;
      Value *V = B.CreateAlignedLoad(Op.SumTy, offset(From, Row, i64(Size)),
                                     ElemAlign);
      B.CreateAlignedStore(V, offset(To, Row, i64(Size)), ElemAlign);
    });
  });
}

/// Makes the registers with such rows, in the buffer.
void MacroKernel::emitRest(Macro &X, const RestInTile &In,
                           const MicroArguments &Call) {
  moveRest(X, In, Call, /*ToBuffer=*/true);
  Value *Begin = alignDown(In.First, ThePlan.VL);
  emitLoop(Begin, In.End, i64(ThePlan.VL), "rest", [&](Value *Row) {
    MicroArguments Part = Call;
    for (MicroArguments::Factors &T : Part.Terms)
      T.A = element(T.A, Row);
    Part.C = offset(In.Buffer, Row, i64(Size));
    Part.StrideCn = strideOfBuffer();
    Part.Rows = umin(B.CreateSub(In.Rows, Row), i64(ThePlan.VL));
    emitMicroCall(MicroKind::Rest, X.Arguments->MicroKernels, i64(ThePlan.VL),
                  paddedColumns(X.Columns), Part);
  });
}

/// Makes a tile by EmitCall(), and the rest of its columns otherwise.
void MacroKernel::emitWithRest(Macro &X, const TileRows &R,
                               const MicroArguments &Call,
                               function_ref<void()> EmitCall) {
  RestInTile In = restInTile(X, R);
  Value *HasRest = B.CreateICmpULT(In.First, In.End);
  emitIf(HasRest, "with.rest", [&] { emitRest(X, In, Call); });
  if (Wanted == Half::None)
    emitIf(B.CreateICmpNE(In.First, i64(0)), "others", EmitCall);
  else
    EmitCall();
  emitIf(HasRest, "put.back",
         [&] { moveRest(X, In, Call, /*ToBuffer=*/false); });
}

} // namespace tilesmith
