//===- PackKernel.cpp - copying blocks into panels ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of `count` rows (of A) or columns (of B) and K steps is cut into
// panels of W = PanelWidth of them. In a panel, the W elements of each step are
// adjacent:
//
//   dst[panel*W*K + k*W + x] = Map(src[(panel*W + x), k])
//
// The last panel is as wide as the micro kernel that reads it, and filled up. A
// panel is made strip by strip, a strip being a register wide; where the source
// is adjacent along k, squares are transposed in registers. Nothing outside the
// block is read: what does not exist is masked, or, on targets without masks,
// the strip is copied element by element. Up to a square of elements may be
// written behind the last panel.
//
// If factors stay narrow, for dot products (DotProduct.h), an element of a
// panel is a group of steps. The last group is filled up with zeros.
//
// If the matrix is symmetric, the steps of a panel that lie beyond the diagonal
// are packed from the half that is stored, with rows and columns exchanged.
// Where the diagonal crosses the panel, that is told for each element.
//
//===----------------------------------------------------------------------===//

#include "PackKernel.h"
#include "tilesmith/Support/MatrixIR.h"
#include "tilesmith/Target/TileRegisters.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

MacroKernel::PackKernel::PackKernel(MacroKernel &K, const Operand &X)
    : K(K), B(K.B), X(X) {}

/// \p Elements of the source, group after group, as \p Width elements of a
/// panel.
Value *MacroKernel::PackKernel::grouped(Value *Elements, unsigned Width) {
  return B.CreateBitCast(
      K.mapped(X, Pack.Scalars, Elements, Width * K.groupSteps()),
      FixedVectorType::get(K.PanelTy, Width));
}

/// Body(group, whether all its steps exist) for the groups from \p Begin to
/// \p End.
void MacroKernel::PackKernel::emitGroups(
    Value *Begin, Value *End, function_ref<void(Value *, bool)> Body) {
  auto Emit = [&](Value *From, Value *To, bool AreWhole) {
    K.emitLoop(From, To, K.i64(1), "group",
               [&](Value *Group) { Body(Group, AreWhole); });
  };
  if (K.groupSteps() == 1)
    return Emit(Begin, End, true);
  Value *Whole = K.umin(B.CreateUDiv(Pack.Steps, K.i64(K.groupSteps())), End);
  Emit(Begin, Whole, true);
  Emit(B.CreateBinaryIntrinsic(Intrinsic::umax, Begin, Whole), End, false);
}

/// \p Width elements of a panel from as many adjacent rows or columns, at the
/// steps of group number \p Group, which \p Load reads.
Value *MacroKernel::PackKernel::emitGroup(
    Value *Src, Value *Group, bool IsWhole, unsigned Width,
    function_ref<Value *(Type *, Value *)> Load) {
  auto *Ty = FixedVectorType::get(X.X.ElemTy, Width);
  Value *StrideK = Pack.StrideK;
  if (K.groupSteps() == 1)
    return grouped(Load(Ty, K.offset(Src, Group, StrideK)), Width);
  Value *First = B.CreateMul(Group, K.i64(K.groupSteps()));
  Value *Last = B.CreateSub(Pack.Steps, K.i64(1));
  Value *Row = K.offset(Src, First, StrideK);
  SmallVector<Value *, 4> Members;
  for (unsigned I = 0; I < K.groupSteps(); ++I) {
    if (IsWhole) {
      Members.push_back(K.mapped(X, Pack.Scalars, Load(Ty, Row), Width));
      Row = B.CreatePtrAdd(Row, StrideK);
      continue;
    }
    // Instead of steps that do not exist, the last one is read.
    Value *Step = B.CreateAdd(First, K.i64(I));
    Value *V =
        K.mapped(X, Pack.Scalars,
                 Load(Ty, K.offset(Src, K.umin(Step, Last), StrideK)), Width);
    Members.push_back(B.CreateSelect(B.CreateICmpULE(Step, Last), V,
                                     Constant::getNullValue(V->getType())));
  }
  return K.joinedSteps(Members, Width);
}

bool MacroKernel::PackKernel::isSecond(Dim D) const {
  return K.groupSteps() == 1 && !K.ThePlan.inSquares() &&
         !(D == X.P && isFlipped()) &&
         X.X.isStep(D, 2 * K.DL.getTypeStoreSize(X.X.ElemTy));
}

/// The row or column in lane zero of a panel of \p Count from \p Begin on.
Value *MacroKernel::PackKernel::firstOf(Value *Begin, Value *Count) {
  return isFlipped() ? K.rowOfFirstLane(Begin, Count) : Begin;
}

bool MacroKernel::PackKernel::isReversed(Dim D) const {
  return !K.ThePlan.inSquares() && !(D == X.P && isFlipped()) &&
         K.isReversed(X.X, D);
}

Value *MacroKernel::PackKernel::loadStrip(Dim D, Type *Ty, Value *From,
                                          Value *Mask) {
  if (isSecond(D))
    return K.loadSecond(cast<FixedVectorType>(Ty), From, X.X.Alignment, Mask);
  if (isReversed(D))
    return K.loadReversed(cast<FixedVectorType>(Ty), From, X.X.Alignment, Mask);
  return inOrder(Mask ? loadMasked(B, Ty, From, X.X.Alignment, Mask)
                      : B.CreateAlignedLoad(Ty, From, X.X.Alignment));
}

/// Strips element by element: groups from Begin on, elements XBegin to XEnd,
/// those from Valid on being zero.
void MacroKernel::PackKernel::emitElementwise(Value *Dst, Value *Src, Value *Ld,
                                              Value *Begin, Value *XBegin,
                                              Value *XEnd, Value *Valid) {
  Value *StrideK = Pack.StrideK;
  Value *Steps = Pack.Steps, *Exist = K.umin(XEnd, Valid);
  Type *PackedTy =
      K.ThePlan.Narrow ? K.ThePlan.Narrow->Packed.A.Ty : K.Op.SumTy;
  uint64_t PackedSize = K.DL.getTypeStoreSize(PackedTy);
  K.emitLoop(Begin, K.groupsOf(Steps), K.i64(1), "k.rest", [&](Value *Group) {
    for (unsigned I = 0; I < K.groupSteps(); ++I) {
      Value *Step = Group, *Read = Exist;
      if (K.groupSteps() > 1)
        Step = B.CreateAdd(B.CreateMul(Group, K.i64(K.groupSteps())), K.i64(I));
      if (I || K.ThePlan.inSquares())
        Read = B.CreateSelect(B.CreateICmpULT(Step, Steps), Exist, XBegin);
      Value *DstRow = B.CreatePtrAdd(K.element(Dst, B.CreateMul(Group, Ld)),
                                     K.i64(I * PackedSize));
      Value *SrcRow = K.offset(Src, Step, StrideK);
      K.emitLoop(XBegin, Read, K.i64(1), "element", [&](Value *I) {
        Value *V = K.mapped(X, Pack.Scalars, loadPart(SrcRow, I), 0);
        B.CreateAlignedStore(V, K.element(DstRow, I), Align(PackedSize));
      });
      K.emitLoop(Read, XEnd, K.i64(1), "zero", [&](Value *I) {
        B.CreateAlignedStore(Constant::getNullValue(PackedTy),
                             K.element(DstRow, I), Align(PackedSize));
      });
    }
  });
}

/// Panels whose elements are all valid and adjacent in the source: a few steps
/// of all panels at a time, so that rows of the source are read from end to
/// end. If it is far away, rows of the next steps are prefetched: they are too
/// many, and too short in a block, for the CPU to foresee them.
void MacroKernel::PackKernel::emitWholePanels(Value *Count) {
  // Groups have a row of the source for each of their steps, which may share few sets
  // of the first-level cache. (Measured on Zen 4.)
  const unsigned StepsAtATime = K.groupSteps() > 1 ? 4 : 8;
  Value *Steps = K.groupsOf(Pack.Steps);
  Value *StepBytes = B.CreateMul(Pack.StrideK, K.i64(K.groupSteps()));
  uint64_t SrcSize = K.DL.getTypeStoreSize(X.X.ElemTy);
  emitChunks(
      Pack.Dst, Pack.Src, K.i64(X.PanelWidth),
      [&](Value *ChunkDst, Value *ChunkSrc) {
        K.emitLoop(
            K.i64(0), Steps, K.i64(StepsAtATime), "steps", [&](Value *Begin) {
              Value *Next = B.CreateAdd(Begin, K.i64(StepsAtATime));
              Value *End = K.umin(Next, Steps);
              Value *HasNext =
                  B.CreateAnd(Pack.IsFar, B.CreateICmpULT(Next, Steps));
              Value *Distance = B.CreateMul(StepBytes, K.i64(StepsAtATime));
              Value *Ahead = B.CreateSelect(HasNext, Distance, K.i64(0));
              K.emitLoop(
                  K.i64(0), Count, K.i64(X.PanelWidth), "panel",
                  [&](Value *Panel) {
                    Value *Dst =
                        K.element(ChunkDst, B.CreateMul(Panel, depthOf()));
                    Value *Src =
                        K.offset(ChunkSrc, firstOf(Panel, K.i64(X.PanelWidth)),
                                 K.i64(isFlipped() ? -SrcSize : SrcSize));
                    emitGroups(Begin, End, [&](Value *Group, bool IsWhole) {
                      Value *To = K.element(
                          Dst, B.CreateMul(Group, K.i64(X.PanelWidth)));
                      if (IsWhole)
                        prefetchAhead(K.offset(Src, Group, StepBytes),
                                      K.groupSteps(), Pack.StrideK,
                                      X.PanelWidth * SrcSize, Ahead);
                      for (unsigned I = 0; I < X.PanelWidth;
                           I += K.stripWidth(X)) {
                        auto Load = [&](Type *Ty, Value *From) {
                          return inOrder(B.CreateAlignedLoad(
                              Ty, B.CreatePtrAdd(From, K.i64(I * SrcSize)),
                              X.X.Alignment));
                        };
                        Value *V = emitGroup(Src, Group, IsWhole,
                                             K.stripWidth(X), Load);
                        B.CreateAlignedStore(
                            V, B.CreatePtrAdd(To, K.i64(I * K.PanelSize)),
                            Align(K.PanelSize));
                      }
                    });
                  });
            });
      });
}

/// Transposes each square of 16 groups and 16 columns of a packed panel: a row
/// of a register of AMX is one column, and has its groups.
void MacroKernel::PackKernel::emitTurnedSquares(Value *Begin, Value *Width) {
  Value *Groups = K.groupsOf(Pack.Steps);
  Value *Panel = K.element(Pack.Dst, B.CreateMul(Begin, Groups));
  auto *Ty = FixedVectorType::get(K.PanelTy, SquareEdge);
  K.emitLoop(K.i64(0), Groups, K.i64(SquareEdge), "group", [&](Value *Group) {
    K.emitLoop(K.i64(0), Width, K.i64(SquareEdge), "turn", [&](Value *Column) {
      Value *Corner =
          K.element(Panel, B.CreateAdd(B.CreateMul(Group, Width), Column));
      SmallVector<Value *, 16> Rows, Places;
      for (unsigned I = 0; I < SquareEdge; ++I) {
        Places.push_back(K.element(Corner, B.CreateMul(K.i64(I), Width)));
        Rows.push_back(
            B.CreateAlignedLoad(Ty, Places.back(), Align(K.PanelSize)));
      }
      transposeSquare(B, Rows);
      for (auto [Row, Place] : zip_equal(Rows, Places))
        B.CreateAlignedStore(Row, Place, Align(K.PanelSize));
    });
  });
}

/// Prefetches \p Bytes of each of so many rows, \p Ahead bytes behind \p From;
/// nothing if that is zero, or if there would be many for each cache line.
void MacroKernel::PackKernel::prefetchAhead(Value *From, unsigned Rows,
                                            Value *Stride, uint64_t Bytes,
                                            Value *Ahead) {
  constexpr unsigned FewRows = 4; // of a group; a loop would take longer
  if (2 * Bytes < K.ThePlan.CacheLine)
    return;
  K.emitIf(B.CreateIsNotNull(Ahead), "ahead", [&] {
    Value *First = B.CreatePtrAdd(From, Ahead);
    if (Rows <= FewRows) {
      for (unsigned I = 0; I < Rows; ++I) {
        K.prefetch(First, Bytes, K.ThePlan.CacheLine);
        First = B.CreatePtrAdd(First, Stride);
      }
      return;
    }
    K.emitLoop(K.i64(0), K.i64(Rows), K.i64(1), "row", [&](Value *Row) {
      K.prefetch(K.offset(First, Row, Stride), Bytes, K.ThePlan.CacheLine);
    });
  });
}

/// Whether all strips are squares of columns of B, as AMX has them, which need not
/// be transposed twice.
bool MacroKernel::PackKernel::makesSquares() const {
  return K.ThePlan.inSquares() && X.P == tilesmith::N &&
         K.ThePlan.canMask(X.X) && X.X.isUnit(tilesmith::K, K.DL) &&
         !K.isUnitInTile(X.X, X.P) && !X.X.Parts &&
         !K.isAdjacentAlong(X, tilesmith::K) && !K.isAdjacentInBundle(X);
}

/// A strip of \p Valid elements, adjacent along k in the source: squares, of
/// which steps that do not exist are masked.
void MacroKernel::PackKernel::emitMaskedTransposition(Value *Dst, Value *Src,
                                                      Value *Ld, Value *Valid,
                                                      Value *Ahead) {
  unsigned Width = K.stripWidth(X), Lanes = Width * K.groupSteps();
  Value *Steps = Pack.Steps;
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Lanes);
  // Of a strip without rows, nothing is loaded.
  Value *HasRows = B.CreateIsNotNull(Valid);
  SmallVector<Value *, 16> FromRow = rowsOfStrip(Src, Valid);
  K.emitLoop(
      K.i64(0), K.groupsOf(Steps), K.i64(Width), "square", [&](Value *Group) {
        Value *Step = B.CreateMul(Group, K.i64(K.groupSteps()));
        Value *Left =
            B.CreateSelect(HasRows, B.CreateSub(Steps, Step), K.i64(0));
        Value *Exists = K.firstLanes(X.X, Left, Lanes);
        prefetchAhead(K.offset(Src, Step, Pack.StrideK), Width, Pack.StrideP,
                      K.DL.getTypeStoreSize(SrcTy), Ahead);
        SmallVector<Value *, 16> Rows;
        for (Value *Row : FromRow)
          Rows.push_back(loadStrip(tilesmith::K, SrcTy,
                                   K.offset(Row, Step, Pack.StrideK), Exists));
        for (Value *&Row : Rows)
          Row = grouped(Row, Width);
        if (!makesSquares())
          transposeSquare(B, Rows);
        Value *To = K.element(Dst, B.CreateMul(Group, Ld));
        for (Value *Row : Rows) {
          B.CreateAlignedStore(Row, To, Align(K.PanelSize));
          To = K.element(To, Ld);
        }
      });
}

/// The beginnings of the rows of a strip of \p Valid ones. Instead of rows that do
/// not exist, the last one that does is loaded again: a mask for each would be long.
SmallVector<Value *, 16> MacroKernel::PackKernel::rowsOfStrip(Value *Src,
                                                              Value *Valid) {
  Value *Last = B.CreateSub(Valid, K.i64(1));
  SmallVector<Value *, 16> Rows;
  for (unsigned I = 0; I < K.stripWidth(X); ++I)
    Rows.push_back(K.offset(Src, K.umin(K.i64(I), Last), Pack.StrideP));
  return Rows;
}

/// A strip of \p Valid elements, one at least, adjacent along k in the source:
/// squares of steps that exist. The last one is moved up to end where these do.
void MacroKernel::PackKernel::emitTransposedStrip(Value *Dst, Value *Src,
                                                  Value *Ld, Value *Valid,
                                                  Value *Width, Value *Ahead) {
  unsigned Edge = K.stripWidth(X), Lanes = Edge * K.groupSteps();
  Value *Groups = B.CreateUDiv(Pack.Steps, K.i64(K.groupSteps()));
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Lanes);
  Value *Last = B.CreateSub(Groups, K.i64(Edge));
  Value *Whole =
      B.CreateSelect(B.CreateICmpUGE(Groups, K.i64(Edge)), Groups, K.i64(0));
  SmallVector<Value *, 16> FromRow = rowsOfStrip(Src, Valid);
  K.emitLoop(K.i64(0), Whole, K.i64(Edge), "square", [&](Value *Group) {
    Group = K.umin(Group, Last);
    Value *Step = B.CreateMul(Group, K.i64(K.groupSteps()));
    prefetchAhead(K.offset(Src, Step, Pack.StrideK), Edge, Pack.StrideP,
                  K.DL.getTypeStoreSize(SrcTy), Ahead);
    SmallVector<Value *, 16> Rows;
    for (Value *Row : FromRow)
      Rows.push_back(grouped(loadStrip(tilesmith::K, SrcTy,
                                       K.offset(Row, Step, Pack.StrideK),
                                       /*Mask=*/nullptr),
                             Edge));
    transposeSquare(B, Rows);
    for (unsigned I = 0; I < Edge; ++I)
      B.CreateAlignedStore(
          Rows[I],
          K.element(Dst, B.CreateMul(B.CreateAdd(Group, K.i64(I)), Ld)),
          Align(K.PanelSize));
  });
  emitElementwise(Dst, Src, Ld, Whole, K.i64(0), Width, Valid);
}

/// A strip whose elements are adjacent in the source, or every second one. All
/// are valid, or those under \p Mask.
void MacroKernel::PackKernel::emitCopiedStrip(Value *Dst, Value *Src, Value *Ld,
                                              Value *Mask) {
  auto Load = [&](Type *Ty, Value *From) {
    return loadStrip(X.P, Ty, From, Mask);
  };
  Value *Groups = K.groupsOf(Pack.Steps);
  emitGroups(K.i64(0), Groups, [&](Value *Group, bool IsWhole) {
    Value *V = emitGroup(Src, Group, IsWhole, K.stripWidth(X), Load);
    B.CreateAlignedStore(V, K.element(Dst, B.CreateMul(Group, Ld)),
                         Align(K.PanelSize));
  });
}

/// One panel: \p Width elements per step, of which \p Valid exist. What is
/// \p Ahead bytes further on in the source is next, unless that is zero.
void MacroKernel::PackKernel::emitPanel(Value *Dst, Value *Src, Value *Valid,
                                        Value *Width, Value *Ahead) {
  Value *Strip = K.i64(K.stripWidth(X));
  bool IsCopied = K.isUnitInTile(X.X, X.P),
       IsTransposed = X.X.isUnit(tilesmith::K, K.DL);
  // Numbers that are not adjacent along P are so along k.
  bool OfNumbers = X.X.Parts && !IsCopied;
  IsTransposed |= OfNumbers;
  if (!IsCopied && !IsTransposed) {
    IsCopied = isSecond(X.P) || isReversed(X.P);
    IsTransposed = isSecond(tilesmith::K) || isReversed(tilesmith::K);
  }
  bool IsVector = K.stripWidth(X) >= 2 && (IsCopied || IsTransposed);
  bool HasMasks = K.ThePlan.canMask(X.X);
  // From the last strip to the first, which overwrites what is stored beyond
  // the width of the step before.
  Value *Last = K.alignDown(B.CreateSub(Width, K.i64(1)), K.stripWidth(X));
  K.emitLoop(K.i64(0), Width, Strip, "strip", [&](Value *Done) {
    Value *Begin = B.CreateSub(Last, Done);
    Value *End = B.CreateAdd(Begin, Strip);
    Value *To = K.element(Dst, Begin);
    Value *From = K.offset(Src, Begin, Pack.StrideP);
    auto Elementwise = [&] {
      emitElementwise(Dst, Src, Width, K.i64(0), Begin, K.umin(End, Width),
                      Valid);
    };
    if (!IsVector)
      return Elementwise();
    if (HasMasks) {
      // What is written beyond the width is overwritten by the next step, by
      // its first strip, or by the next panel, or lies in the slack of the
      // buffer.
      Value *Left = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Valid, Begin);
      if (IsCopied)
        return emitCopiedStrip(To, From, Width,
                               K.firstLanes(X.X, Left, K.stripWidth(X)));
      return OfNumbers ? emitTransposedNumbers(To, From, Width, Left, Ahead)
                       : emitMaskedTransposition(To, From, Width, Left, Ahead);
    }
    Value *Left = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Valid, Begin);
    Value *IsWhole = B.CreateICmpULE(End, Valid);
    if (!IsCopied && !OfNumbers)
      return K.emitIf(
          B.CreateIsNotNull(Left), "rows",
          [&] {
            emitTransposedStrip(To, From, Width, K.umin(Left, Strip),
                                K.umin(B.CreateSub(Width, Begin), Strip),
                                Ahead);
          },
          Elementwise);
    K.emitIf(
        IsWhole, "whole",
        [&] {
          if (IsCopied)
            emitCopiedStrip(To, From, Width, /*Mask=*/nullptr);
          else
            emitTransposedNumbers(To, From, Width, Strip, Ahead);
        },
        Elementwise);
  });
}

/// void tilesmith.pack.*(..., ptr mirror, i64 diagonal): the elements of steps
/// k <= p + diagonal from src, as above, and element (p, k) of others at mirror
/// + p*sK + k*sP.
Function *MacroKernel::PackKernel::buildSymmetric() {
  Access StoredHalf = X.X;
  StoredHalf.IsSymmetric = false;
  Access TurnedHalf = StoredHalf;
  std::swap(TurnedHalf.Stride[X.P], TurnedHalf.Stride[tilesmith::K]);
  auto PackOf = [&](const Access &Half) {
    Operand Result{Half, X.Map, X.P, X.PanelWidth, X.Name, X.IsC};
    Result.Pack = K.unify(PackKernel(K, Result).build());
    return Result;
  };
  Operand Stored = PackOf(StoredHalf), Turned = PackOf(TurnedHalf);
  Function *F =
      K.createFunction(X.Name, B.getVoidTy(), K.parametersOf(Pack, X));
  cast<Argument>(Pack.Dst)->addAttr(Attribute::NoAlias);
  Value *StrideP = Pack.StrideP, *StrideK = Pack.StrideK, *Steps = Pack.Steps;
  auto Panel = [&](Value *Begin, Value *Valid, Value *Width) {
    Value *Dst = K.element(Pack.Dst, B.CreateMul(Begin, Steps));
    Value *Src = K.offset(Pack.Src, Begin, StrideP);
    Value *Mirror = K.offset(Pack.Mirror, Begin, StrideK);
    Value *Diagonal = B.CreateAdd(Pack.Diagonal, Begin);
    Value *Mixed = K.clamp(B.CreateAdd(Diagonal, K.i64(1)), Steps);
    Value *Beyond = K.clamp(B.CreateAdd(Diagonal, Valid), Steps);
    auto PackHalf = [&](const Operand &Half, PackArguments Arguments) {
      Arguments.Scalars = Pack.Scalars;
      K.callPack(Half, Arguments);
    };
    PackHalf(Stored, {Dst, Src, StrideP, StrideK, Valid, Mixed, Pack.IsFar});
    K.emitLoop(Mixed, Beyond, K.i64(1), "mixed", [&](Value *Step) {
      Value *DstRow = K.element(Dst, B.CreateMul(Step, Width));
      K.emitLoop(K.i64(0), Width, K.i64(1), "element", [&](Value *I) {
        // Elements that do not exist are filled up afterwards.
        Value *From = K.umin(I, B.CreateSub(Valid, K.i64(1)));
        Value *IsStored = B.CreateICmpSLE(Step, B.CreateAdd(From, Diagonal));
        Value *InSrc = K.offset(K.offset(Src, From, StrideP), Step, StrideK);
        Value *InMirror =
            K.offset(K.offset(Mirror, From, StrideK), Step, StrideP);
        Value *V = B.CreateAlignedLoad(
            X.X.ElemTy, B.CreateSelect(IsStored, InSrc, InMirror),
            X.X.Alignment);
        Value *Exists = B.CreateICmpULT(I, Valid);
        V = B.CreateSelect(Exists, K.mapped(X, Pack.Scalars, V, 0),
                           Constant::getNullValue(K.Op.SumTy));
        B.CreateAlignedStore(V, K.element(DstRow, I), Align(K.PanelSize));
      });
    });
    PackHalf(Turned, {K.element(Dst, B.CreateMul(Beyond, Width)),
                      K.offset(Mirror, Beyond, StrideP), StrideK, StrideP,
                      Valid, B.CreateSub(Steps, Beyond), Pack.IsFar});
  };
  Value *Count = Pack.Count;
  K.emitPanels(X, K.i64(0), Count, K.splitPanels(X, Count), Panel);
  B.CreateRetVoid();
  return F;
}

/// The panel of \p Of from row (or column) \p Begin on, of which \p Valid exist.
void MacroKernel::PackKernel::emitPanelAt(const Ends &Of, Value *Begin,
                                          Value *Valid, Value *Width) {
  Value *Dst = K.element(Of.Dst, B.CreateMul(Begin, depthOf()));
  Value *StrideP = isFlipped() ? B.CreateNeg(Pack.StrideP) : Pack.StrideP;
  Value *Src = K.offset(Of.Src, firstOf(Begin, Valid), StrideP);
  Value *HasNext = B.CreateICmpULT(B.CreateAdd(Begin, Valid), Pack.Count);
  HasNext = B.CreateAnd(Pack.IsFar, HasNext);
  Value *Distance = B.CreateMul(Valid, StrideP);
  Value *Ahead = B.CreateSelect(HasNext, Distance, K.i64(0));
  auto ChunkByChunk = [&] {
    emitChunks(Dst, Src, Width, [&](Value *To, Value *From) {
      emitPanel(To, From, Valid, Width, Ahead);
    });
  };
  if (!K.isAdjacentAlong(X, tilesmith::K))
    return ChunkByChunk();
  Lines Chunks{Pack.Chunks, B.CreateMul(K.groupsOf(Pack.Steps), Width)};
  K.emitIf(
      isMadeOfSquares(Chunks, Width), "squares",
      [&] { emitPanelOfLines(Chunks, Dst, Src, Valid, Width); }, ChunkByChunk);
}

Function *MacroKernel::PackKernel::build() {
  if (X.X.IsSymmetric)
    return buildSymmetric();
  Function *F =
      K.createFunction(X.Name, B.getVoidTy(), K.parametersOf(Pack, X));
  cast<Argument>(Pack.Dst)->addAttr(Attribute::NoAlias);
  cast<Argument>(Pack.Src)->addAttr(Attribute::NoAlias);
  cast<Argument>(Pack.Src)->addAttr(Attribute::ReadOnly);
  Value *Count = Pack.Count;
  Split Panels = K.splitPanels(X, Count);
  if (isFlipped())
    Pack.StrideP = B.CreateNeg(Pack.StrideP);
  bool WholeFirst = K.isUnitInTile(X.X, X.P);
  if (WholeFirst)
    emitWholePanels(Panels.Regular);
  if (K.isAdjacentInBundle(X))
    emitPanelsOfLines(Panels);
  else
    K.emitPanels(X, WholeFirst ? Panels.Regular : K.i64(0), Count, Panels,
                 [&](Value *Begin, Value *Valid, Value *Width) {
                   emitPanelAt({Pack.Dst, Pack.Src}, Begin, Valid, Width);
                 });
  if (K.ThePlan.inSquares() && X.P == tilesmith::N && !makesSquares())
    K.emitPanels(X, K.i64(0), Count, Panels,
                 [&](Value *Begin, Value *, Value *Width) {
                   emitTurnedSquares(Begin, Width);
                 });
  B.CreateRetVoid();
  return F;
}

Function *MacroKernel::buildPack(const Operand &X) {
  return PackKernel(*this, X).build();
}

} // namespace tilesmith
