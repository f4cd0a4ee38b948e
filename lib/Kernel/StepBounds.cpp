//===- StepBounds.cpp - rows and columns without steps --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a diagonal bounds the steps of a row (or column), some make none at all,
// and others none in the block of K under way:
//
//   k >= row           steps of the block   . . . . . k k k . .
//                      row 0                          x x x
//                      row 6                            x x
//                      row 9                                      none
//
// These are neither packed nor looked at.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Leaves out rows or columns of C that make no step at all. What is stored
/// there all the same is noted.
void MacroKernel::emitTrimOfRows(Macro &X) {
  bool ByRow = BoundOfK == tilesmith::M;
  Value *&Extent = ByRow ? X.M : X.N;
  auto NoteEmpty = [&](Value *Begin, Value *Count) {
    if (!Op.Domain->StoresEmpty)
      return;
    X.Empty = ByRow ? PartOfC{Begin, i64(0), Count, X.N}
                    : PartOfC{i64(0), Begin, X.M, Count};
  };
  if (Made == Steps::From) {
    Value *All = Extent;
    Extent = clamp(ofSteps(B.CreateSub(X.K, X.Diagonal)), All);
    NoteEmpty(Extent, B.CreateSub(All, Extent));
    return;
  }
  Value *Skipped = clamp(ofSteps(B.CreateNeg(X.Diagonal)), Extent);
  Extent = B.CreateSub(Extent, Skipped);
  X.Diagonal = B.CreateAdd(X.Diagonal, inSteps(Skipped));
  auto Skip = [&](Value *&Base, Value *StrideM, Value *StrideN) {
    Base = offset(Base, Skipped, ByRow ? StrideM : StrideN);
  };
  Skip(X.C, X.StrideCm, X.StrideCn);
  for (FurtherPlace &Of : X.Further)
    Skip(Of.Base, Of.StrideM, Of.StrideN);
  for (Macro::Factors &T : X.Terms)
    if (!ByRow)
      T.B = offset(T.B, Skipped, T.StrideBn);
    else if (T.A) // no table
      T.A = offset(T.A, Skipped, T.StrideAm);
  NoteEmpty(B.CreateNeg(Skipped), Skipped);
}

/// The first of \p Count steps that any of \p Lines, rows (or columns), makes, and how
/// many these are.
std::pair<Value *, Value *> MacroKernel::stepsMade(Value *Diagonal,
                                                   Value *Count, Value *Lines) {
  if (Made == Steps::From) {
    Value *Begin = clamp(Diagonal, Count);
    return {Begin, B.CreateSub(Count, Begin)};
  }
  return {i64(0), clamp(B.CreateAdd(inSteps(Lines), Diagonal), Count)};
}

std::pair<Value *, Value *> MacroKernel::stepsMade(const Macro &X) {
  return stepsMade(X.Diagonal, X.K, BoundOfK == tilesmith::M ? X.M : X.N);
}

/// Those of \p Count steps that the lines in place \p Place of the diagonal make.
KernelFrame::LineRange MacroKernel::stepsOfPlace(Value *Place, Value *Diagonal,
                                                 Value *Count) {
  Value *AtDiagonal = B.CreateAdd(Place, Diagonal);
  if (Made == Steps::To)
    return {i64(0), clamp(B.CreateAdd(AtDiagonal, i64(1)), Count)};
  return {clamp(AtDiagonal, Count), Count};
}

/// Those of \p Count places whose lines make step \p Step.
KernelFrame::LineRange MacroKernel::placesOfStep(Value *Step, Value *Diagonal,
                                                 Value *Count) {
  Value *AtDiagonal = B.CreateSub(Step, Diagonal);
  if (Made == Steps::To)
    return {clamp(AtDiagonal, Count), Count};
  return {i64(0), clamp(B.CreateAdd(AtDiagonal, i64(1)), Count)};
}

/// Leaves out steps that no row (or column) makes: what they would read need not
/// exist. If there are no rows, there are no columns either: blocks of K are not
/// empty.
void MacroKernel::emitTrimOfSteps(Macro &X) {
  auto [First, Count] = stepsMade(X);
  Value *&Across = BoundOfK == tilesmith::M ? X.N : X.M;
  Across = B.CreateSelect(B.CreateIsNull(Count), i64(0), Across);
  X.K = B.CreateBinaryIntrinsic(Intrinsic::umax, Count, i64(1));
  if (Made == Steps::To)
    return;
  X.Diagonal = B.CreateSub(X.Diagonal, First);
  for (Macro::Factors &T : X.Terms) {
    T.A = offset(T.A, First, T.StrideAk);
    T.B = offset(T.B, First, T.StrideBk);
  }
}

/// Whether rows (or columns) are left out where they make no step in a block of
/// K. Lines of a bundle share their panels.
bool MacroKernel::boundsStepsOf(Dim D) const {
  return Made != Steps::All && BoundOfK == D &&
         none_of(ThePlan.Bundled,
                 [](const auto &Of) { return Of.has_value(); });
}

/// The rows (or columns) of C that make a step in the block of K under way.
KernelFrame::LineRange MacroKernel::linesWithSteps(const Macro &X) {
  Value *Extent = BoundOfK == tilesmith::M ? X.M : X.N;
  if (Made == Steps::From) {
    Value *End = B.CreateSub(B.CreateAdd(X.Pc, X.Kb), X.Diagonal);
    return {i64(0), clamp(ofSteps(End), Extent)};
  }
  return {clamp(ofSteps(B.CreateSub(X.Pc, X.Diagonal)), Extent), Extent};
}

/// Those of the \p Count rows (or columns) from \p First on, which are cut into
/// panels as ever: a range of whole panels, of one at least, counted from \p First.
KernelFrame::LineRange MacroKernel::linesWithSteps(const Macro &X, Dim D,
                                                   Value *First, Value *Count) {
  LineRange Lines{i64(0), Count};
  if (!boundsStepsOf(D))
    return Lines;
  unsigned Width = D == tilesmith::M ? ThePlan.MR : ThePlan.NR;
  Value *Regular =
      (D == tilesmith::M ? splitRows(Count) : splitColumns(Count)).Regular;
  auto [Begin, End] = linesWithSteps(X);
  if (Made == Steps::From) {
    End = alignUp(clamp(B.CreateSub(End, First), Count), Width);
    Lines.End = B.CreateSelect(B.CreateICmpULE(End, Regular), End, Count);
    return Lines;
  }
  Value *LastPanel = alignDown(B.CreateSub(Count, i64(1)), Width);
  Begin = alignDown(clamp(B.CreateSub(Begin, First), Count), Width);
  Lines.Begin = umin(umin(Begin, Regular), LastPanel);
  return Lines;
}

} // namespace tilesmith
