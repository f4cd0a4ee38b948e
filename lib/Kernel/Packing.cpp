//===- Packing.cpp - copying blocks into panels ---------------------------===//
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

#include "KernelBuilder.h"
#include "tilesmith/Support/MatrixIR.h"
#include "tilesmith/Target/TileRegisters.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// The elements of \p Ty under \p Mask, and zeros. Backends have such loads of
/// integers of 16 bits, but not all have them of floating-point numbers.
Value *loadMasked(IRBuilderBase &B, Type *Ty, Value *From, Align Alignment,
                  Value *Mask) {
  Type *LoadedTy = Ty;
  if (Ty->isFPOrFPVectorTy() && Ty->getScalarSizeInBits() == 16)
    LoadedTy = Ty->getWithNewType(B.getInt16Ty());
  return B.CreateBitCast(B.CreateMaskedLoad(LoadedTy, From, Alignment, Mask,
                                            Constant::getNullValue(LoadedTy)),
                         Ty);
}

bool KernelBuilder::isSecond(const Operand &X, Dim D) const {
  return groupSteps() == 1 && !ThePlan.inSquares() &&
         X.X.isStep(D, 2 * DL.getTypeStoreSize(X.X.ElemTy));
}

Value *KernelBuilder::loadStrip(const Operand &X, Dim D, Type *Ty, Value *From,
                                Value *Mask) {
  if (isSecond(X, D))
    return loadSecond(cast<FixedVectorType>(Ty), From, X.X.Alignment, Mask);
  return Mask ? loadMasked(B, Ty, From, X.X.Alignment, Mask)
              : B.CreateAlignedLoad(Ty, From, X.X.Alignment);
}

/// Strips element by element: groups from Begin on, elements XBegin to XEnd,
/// those from Valid on being zero.
void KernelBuilder::emitElementwise(const Operand &X, const PackArguments &Pack,
                                    Value *Dst, Value *Src, Value *Ld,
                                    Value *Begin, Value *XBegin, Value *XEnd,
                                    Value *Valid) {
  Value *StrideP = Pack.StrideP, *StrideK = Pack.StrideK;
  Value *Steps = Pack.Steps, *Exist = umin(XEnd, Valid);
  Type *PackedTy = ThePlan.Narrow ? ThePlan.Narrow->Packed.A.Ty : Op.SumTy;
  uint64_t PackedSize = DL.getTypeStoreSize(PackedTy);
  emitLoop(Begin, groupsOf(Steps), i64(1), "k.rest", [&](Value *Group) {
    for (unsigned I = 0; I < groupSteps(); ++I) {
      Value *Step = Group, *Read = Exist;
      if (groupSteps() > 1)
        Step = B.CreateAdd(B.CreateMul(Group, i64(groupSteps())), i64(I));
      if (I || ThePlan.inSquares())
        Read = B.CreateSelect(B.CreateICmpULT(Step, Steps), Exist, XBegin);
      Value *DstRow = B.CreatePtrAdd(element(Dst, B.CreateMul(Group, Ld)),
                                     i64(I * PackedSize));
      Value *SrcRow = offset(Src, Step, StrideK);
      emitLoop(XBegin, Read, i64(1), "element", [&](Value *I) {
        Value *V = B.CreateAlignedLoad(X.X.ElemTy, offset(SrcRow, I, StrideP),
                                       X.X.Alignment);
        V = mapped(X, Pack, V, 0);
        B.CreateAlignedStore(V, element(DstRow, I), Align(PackedSize));
      });
      emitLoop(Read, XEnd, i64(1), "zero", [&](Value *I) {
        B.CreateAlignedStore(Constant::getNullValue(PackedTy),
                             element(DstRow, I), Align(PackedSize));
      });
    }
  });
}

/// Panels whose elements are all valid and adjacent in the source: a few steps
/// of all panels at a time, so that rows of the source are read from end to
/// end. If it is far away, rows of the next steps are prefetched: they are too
/// many, and too short in a block, for the CPU to foresee them.
void KernelBuilder::emitWholePanels(const Operand &X, const PackArguments &Pack,
                                    Value *Count) {
  constexpr unsigned StepsAtATime = 8;
  Value *Steps = groupsOf(Pack.Steps);
  Value *StepBytes = B.CreateMul(Pack.StrideK, i64(groupSteps()));
  uint64_t SrcSize = DL.getTypeStoreSize(X.X.ElemTy);
  emitChunks(
      Pack, Pack.Dst, Pack.Src, i64(X.PanelWidth),
      [&](Value *ChunkDst, Value *ChunkSrc) {
        emitLoop(i64(0), Steps, i64(StepsAtATime), "steps", [&](Value *Begin) {
          Value *Next = B.CreateAdd(Begin, i64(StepsAtATime));
          Value *End = umin(Next, Steps);
          Value *HasNext =
              B.CreateAnd(Pack.IsFar, B.CreateICmpULT(Next, Steps));
          Value *Distance = B.CreateMul(StepBytes, i64(StepsAtATime));
          Value *Ahead = B.CreateSelect(HasNext, Distance, i64(0));
          emitLoop(
              i64(0), Count, i64(X.PanelWidth), "panel", [&](Value *Panel) {
                Value *Dst =
                    element(ChunkDst, B.CreateMul(Panel, depthOf(Pack)));
                Value *Src = offset(ChunkSrc, Panel, i64(SrcSize));
                emitGroups(Pack, Begin, End, [&](Value *Group, bool IsWhole) {
                  Value *To =
                      element(Dst, B.CreateMul(Group, i64(X.PanelWidth)));
                  if (IsWhole)
                    prefetchAhead(offset(Src, Group, StepBytes), groupSteps(),
                                  Pack.StrideK, X.PanelWidth * SrcSize, Ahead);
                  for (unsigned I = 0; I < X.PanelWidth; I += stripWidth(X)) {
                    auto Load = [&](Type *Ty, Value *From) {
                      return B.CreateAlignedLoad(
                          Ty, B.CreatePtrAdd(From, i64(I * SrcSize)),
                          X.X.Alignment);
                    };
                    Value *V = emitGroup(X, Pack, Src, Group, IsWhole,
                                         stripWidth(X), Load);
                    B.CreateAlignedStore(V,
                                         B.CreatePtrAdd(To, i64(I * PanelSize)),
                                         Align(PanelSize));
                  }
                });
              });
        });
      });
}

/// Transposes each square of 16 groups and 16 columns of a packed panel: a row
/// of a register of AMX is one column, and has its groups.
void KernelBuilder::emitTurnedSquares(const PackArguments &Pack, Value *Begin,
                                      Value *Width) {
  Value *Groups = groupsOf(Pack.Steps);
  Value *Panel = element(Pack.Dst, B.CreateMul(Begin, Groups));
  auto *Ty = FixedVectorType::get(PanelTy, SquareEdge);
  emitLoop(i64(0), Groups, i64(SquareEdge), "group", [&](Value *Group) {
    emitLoop(i64(0), Width, i64(SquareEdge), "turn", [&](Value *Column) {
      Value *Corner =
          element(Panel, B.CreateAdd(B.CreateMul(Group, Width), Column));
      SmallVector<Value *, 16> Rows, Places;
      for (unsigned I = 0; I < SquareEdge; ++I) {
        Places.push_back(element(Corner, B.CreateMul(i64(I), Width)));
        Rows.push_back(
            B.CreateAlignedLoad(Ty, Places.back(), Align(PanelSize)));
      }
      transposeSquare(B, Rows);
      for (auto [Row, Place] : zip_equal(Rows, Places))
        B.CreateAlignedStore(Row, Place, Align(PanelSize));
    });
  });
}

/// Prefetches \p Bytes of each of so many rows, \p Ahead bytes behind \p From;
/// nothing if that is zero, or if there would be many for each cache line.
void KernelBuilder::prefetchAhead(Value *From, unsigned Rows, Value *Stride,
                                  uint64_t Bytes, Value *Ahead) {
  if (2 * Bytes < ThePlan.CacheLine)
    return;
  emitIf(B.CreateIsNotNull(Ahead), "ahead", [&] {
    Value *First = B.CreatePtrAdd(From, Ahead);
    emitLoop(i64(0), i64(Rows), i64(1), "row", [&](Value *Row) {
      prefetch(offset(First, Row, Stride), Bytes, ThePlan.CacheLine);
    });
  });
}

/// A strip of \p Valid elements, adjacent along k in the source: squares, of
/// which steps that do not exist are masked.
void KernelBuilder::emitMaskedTransposition(const Operand &X,
                                            const PackArguments &Pack,
                                            Value *Dst, Value *Src, Value *Ld,
                                            Value *Valid, Value *Ahead) {
  unsigned Width = stripWidth(X), Lanes = Width * groupSteps();
  Value *Steps = Pack.Steps;
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Lanes);
  // Instead of rows that do not exist, the last one that does is loaded again:
  // a mask for each would be long. Of a strip without rows, nothing is loaded.
  Value *HasRows = B.CreateIsNotNull(Valid);
  Value *Last = B.CreateSub(Valid, i64(1));
  SmallVector<Value *, 16> FromRow;
  for (unsigned I = 0; I < Width; ++I)
    FromRow.push_back(offset(Src, umin(i64(I), Last), Pack.StrideP));
  emitLoop(i64(0), groupsOf(Steps), i64(Width), "square", [&](Value *Group) {
    Value *Step = B.CreateMul(Group, i64(groupSteps()));
    Value *Left = B.CreateSelect(HasRows, B.CreateSub(Steps, Step), i64(0));
    Value *Exists = firstLanes(X.X, Left, Lanes);
    prefetchAhead(offset(Src, Step, Pack.StrideK), Width, Pack.StrideP,
                  DL.getTypeStoreSize(SrcTy), Ahead);
    SmallVector<Value *, 16> Rows;
    for (Value *Row : FromRow)
      Rows.push_back(
          loadStrip(X, K, SrcTy, offset(Row, Step, Pack.StrideK), Exists));
    for (Value *&Row : Rows)
      Row = grouped(X, Pack, Row, Width);
    transposeSquare(B, Rows);
    Value *To = element(Dst, B.CreateMul(Group, Ld));
    for (Value *Row : Rows) {
      B.CreateAlignedStore(Row, To, Align(PanelSize));
      To = element(To, Ld);
    }
  });
}

/// Which of \p Lanes lanes of elements of \p X come before \p Count.
Value *KernelBuilder::firstLanes(const Access &X, Value *Count,
                                 unsigned Lanes) {
  // Numbers as wide as the elements make the mask without a conversion.
  unsigned Bits = DL.getTypeSizeInBits(X.ElemTy);
  Type *Ty = FixedVectorType::get(B.getIntNTy(Bits), Lanes);
  Value *Limit =
      B.CreateZExtOrTrunc(umin(Count, i64(Lanes)), Ty->getScalarType());
  Value *Numbers = B.CreateStepVector(Ty);
  return B.CreateICmpULT(Numbers, B.CreateVectorSplat(Lanes, Limit));
}

/// A strip of which all elements are valid, and adjacent along k in the source.
void KernelBuilder::emitTransposedStrip(const Operand &X,
                                        const PackArguments &Pack, Value *Dst,
                                        Value *Src, Value *Ld, Value *Ahead) {
  unsigned Width = stripWidth(X), Lanes = Width * groupSteps();
  Value *StrideP = Pack.StrideP, *StrideK = Pack.StrideK;
  Value *Groups = B.CreateUDiv(Pack.Steps, i64(groupSteps()));
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Lanes);
  Value *Whole = B.CreateAnd(Groups, i64(~uint64_t(Width - 1)));
  emitLoop(i64(0), Whole, i64(Width), "square", [&](Value *Group) {
    Value *Corner = offset(Src, B.CreateMul(Group, i64(groupSteps())), StrideK);
    prefetchAhead(Corner, Width, StrideP, DL.getTypeStoreSize(SrcTy), Ahead);
    SmallVector<Value *, 16> Rows;
    for (unsigned I = 0; I < Width; ++I) {
      Value *Row = loadStrip(X, K, SrcTy, offset(Corner, i64(I), StrideP),
                             /*Mask=*/nullptr);
      Rows.push_back(grouped(X, Pack, Row, Width));
    }
    transposeSquare(B, Rows);
    for (unsigned I = 0; I < Width; ++I)
      B.CreateAlignedStore(
          Rows[I], element(Dst, B.CreateMul(B.CreateAdd(Group, i64(I)), Ld)),
          Align(PanelSize));
  });
  emitElementwise(X, Pack, Dst, Src, Ld, Whole, i64(0), i64(Width), i64(Width));
}

/// The columns of a block of at most a register's width of rows and steps,
/// adjacent along k in the source. Lanes beyond the rows mean nothing.
SmallVector<Value *, 16>
KernelBuilder::loadTransposed(const Operand &X, Value *Src, Value *StrideP,
                              unsigned Rows, unsigned Steps) {
  unsigned Lanes = bit_ceil(Steps), Edge = std::max(bit_ceil(Rows), Lanes);
  auto *Ty = FixedVectorType::get(Op.SumTy, Lanes);
  SmallVector<Constant *, 16> Exists;
  for (unsigned I = 0; I < Lanes; ++I)
    Exists.push_back(B.getInt1(I < Steps));
  SmallVector<Value *, 16> Square(
      Edge, PoisonValue::get(FixedVectorType::get(Op.SumTy, Edge)));
  for (unsigned I = 0; I < Rows; ++I) {
    Value *From = offset(Src, i64(I), StrideP);
    Value *Row =
        Steps == Lanes
            ? static_cast<Value *>(B.CreateAlignedLoad(Ty, From, X.X.Alignment))
            : loadMasked(B, Ty, From, X.X.Alignment,
                         ConstantVector::get(Exists));
    Square[I] = Lanes == Edge
                    ? Row
                    : B.CreateShuffleVector(
                          Row, createSequentialMask(0, Lanes, Edge - Lanes));
  }
  transposeSquare(B, Square);
  Square.truncate(Steps);
  return Square;
}

/// A panel of a few elements, adjacent along k in the source, without loops.
void KernelBuilder::emitTransposedPanel(const Operand &X, Value *Dst,
                                        Value *Src, Value *StrideP,
                                        uint64_t Rows, uint64_t Steps) {
  uint64_t Width = alignTo(Rows, ThePlan.VL);
  for (uint64_t Row = 0; Row < Rows; Row += ThePlan.VL)
    for (uint64_t Step = 0; Step < Steps; Step += ThePlan.VL) {
      Value *From =
          B.CreatePtrAdd(offset(Src, i64(Row), StrideP), i64(Step * Size));
      auto Columns = loadTransposed(
          X, From, StrideP, std::min<uint64_t>(ThePlan.VL, Rows - Row),
          std::min<uint64_t>(ThePlan.VL, Steps - Step));
      for (auto [I, Column] : enumerate(Columns))
        B.CreateAlignedStore(Column,
                             element(Dst, i64((Step + I) * Width + Row)),
                             Align(PanelSize));
    }
}

/// All columns of a panel of a few elements, as values of \p Rows elements.
SmallVector<Value *, 0>
KernelBuilder::loadColumns(const Operand &X, Value *Src, Value *StrideP,
                           Value *StrideK, uint64_t Rows, uint64_t Steps) {
  SmallVector<Value *, 0> Columns;
  if (X.X.isUnit(X.P, DL)) {
    auto *Ty = FixedVectorType::get(Op.SumTy, Rows);
    for (uint64_t Step = 0; Step < Steps; ++Step)
      Columns.push_back(B.CreateAlignedLoad(Ty, offset(Src, i64(Step), StrideK),
                                            X.X.Alignment, "a"));
    return Columns;
  }
  // Rows of so few elements, one after the other, are loaded together.
  constexpr uint64_t Few = 3;
  auto *Distance = dyn_cast<SCEVConstant>(X.X.Stride[X.P]);
  if (Steps <= Few && Distance && Distance->getAPInt() == Steps * Size) {
    // By step, the pieces from top to bottom.
    SmallVector<Value *, 4> Pieces[Few];
    for (uint64_t Row = 0; Row < Rows; Row += ThePlan.VL) {
      unsigned NumRows = std::min<uint64_t>(ThePlan.VL, Rows - Row);
      Value *All =
          B.CreateAlignedLoad(FixedVectorType::get(Op.SumTy, NumRows * Steps),
                              offset(Src, i64(Row), StrideP), X.X.Alignment);
      for (uint64_t Step = 0; Step < Steps; ++Step)
        Pieces[Step].push_back(
            B.CreateShuffleVector(All, createStrideMask(Step, Steps, NumRows)));
    }
    for (uint64_t Step = 0; Step < Steps; ++Step)
      Columns.push_back(concatenateVectors(B, Pieces[Step]));
    return Columns;
  }
  for (uint64_t Step = 0; Step < Steps; Step += ThePlan.VL) {
    unsigned NumSteps = std::min<uint64_t>(ThePlan.VL, Steps - Step);
    SmallVector<SmallVector<Value *, 4>, 16> Pieces(NumSteps);
    for (uint64_t Row = 0; Row < Rows; Row += ThePlan.VL) {
      Value *From =
          B.CreatePtrAdd(offset(Src, i64(Row), StrideP), i64(Step * Size));
      unsigned NumRows = std::min<uint64_t>(ThePlan.VL, Rows - Row);
      for (auto [I, Piece] :
           enumerate(loadTransposed(X, From, StrideP, NumRows, NumSteps)))
        Pieces[I].push_back(
            B.CreateShuffleVector(Piece, createSequentialMask(0, NumRows, 0)));
    }
    for (ArrayRef<Value *> Of : Pieces)
      Columns.push_back(concatenateVectors(B, Of));
  }
  return Columns;
}

/// A strip whose elements are adjacent in the source, or every second one. All
/// are valid, or those under \p Mask.
void KernelBuilder::emitCopiedStrip(const Operand &X, const PackArguments &Pack,
                                    Value *Dst, Value *Src, Value *Ld,
                                    Value *Mask) {
  auto Load = [&](Type *Ty, Value *From) {
    return loadStrip(X, X.P, Ty, From, Mask);
  };
  Value *Groups = groupsOf(Pack.Steps);
  emitGroups(Pack, i64(0), Groups, [&](Value *Group, bool IsWhole) {
    Value *V = emitGroup(X, Pack, Src, Group, IsWhole, stripWidth(X), Load);
    B.CreateAlignedStore(V, element(Dst, B.CreateMul(Group, Ld)),
                         Align(PanelSize));
  });
}

/// One panel: \p Width elements per step, of which \p Valid exist. What is
/// \p Ahead bytes further on in the source is next, unless that is zero.
void KernelBuilder::emitPanel(const Operand &X, const PackArguments &Pack,
                              Value *Dst, Value *Src, Value *Valid,
                              Value *Width, Value *Ahead) {
  Value *Strip = i64(stripWidth(X));
  bool IsCopied = X.X.isUnit(X.P, DL), IsTransposed = X.X.isUnit(K, DL);
  if (!IsCopied && !IsTransposed) {
    IsCopied = isSecond(X, X.P);
    IsTransposed = isSecond(X, K);
  }
  bool IsVector = stripWidth(X) >= 2 && (IsCopied || IsTransposed);
  bool HasMasks = ThePlan.canMask(X.X);
  // From the last strip to the first, which overwrites what is stored beyond
  // the width of the step before.
  Value *Last = alignDown(B.CreateSub(Width, i64(1)), stripWidth(X));
  emitLoop(i64(0), Width, Strip, "strip", [&](Value *Done) {
    Value *Begin = B.CreateSub(Last, Done);
    Value *End = B.CreateAdd(Begin, Strip);
    Value *To = element(Dst, Begin);
    Value *From = offset(Src, Begin, Pack.StrideP);
    auto Elementwise = [&] {
      emitElementwise(X, Pack, Dst, Src, Width, i64(0), Begin, umin(End, Width),
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
        return emitCopiedStrip(X, Pack, To, From, Width,
                               firstLanes(X.X, Left, stripWidth(X)));
      return emitMaskedTransposition(X, Pack, To, From, Width, Left, Ahead);
    }
    auto Vectors = [&] {
      if (IsCopied)
        emitCopiedStrip(X, Pack, To, From, Width, /*Mask=*/nullptr);
      else
        emitTransposedStrip(X, Pack, To, From, Width, Ahead);
    };
    emitIf(B.CreateICmpULE(End, Valid), "whole", Vectors, Elementwise);
  });
}

KernelBuilder::Split KernelBuilder::splitPanels(const Operand &X,
                                                Value *Count) {
  return X.P == M ? splitRows(Count) : splitColumns(Count);
}

/// Panel(first row, rows that exist, rows) for each panel from \p From on.
void KernelBuilder::emitPanels(
    const Operand &X, Value *From, Value *To, Split Panels,
    function_ref<void(Value *, Value *, Value *)> Panel) {
  emitLoop(From, To, "panel", [&](Value *Begin) {
    Value *Valid = sizeAt(Begin, To, X.PanelWidth, Panels);
    Panel(Begin, Valid, X.P == M ? paddedRows(Valid) : paddedColumns(Valid));
    return Valid;
  });
}

/// void tilesmith.pack.*(..., ptr mirror, i64 diagonal): the elements of steps
/// k <= p + diagonal from src, as above, and element (p, k) of others at mirror
/// + p*sK + k*sP.
Function *KernelBuilder::buildSymmetricPack(const Operand &X) {
  Access StoredHalf = X.X;
  StoredHalf.IsSymmetric = false;
  Access TurnedHalf = StoredHalf;
  std::swap(TurnedHalf.Stride[X.P], TurnedHalf.Stride[K]);
  auto PackOf = [&](const Access &Half) {
    Operand Result{Half, X.Map, X.P, X.PanelWidth, X.Name, X.IsC};
    Result.Pack = unify(buildPack(Result));
    return Result;
  };
  Operand Stored = PackOf(StoredHalf), Turned = PackOf(TurnedHalf);
  PackArguments Pack;
  Function *F = createFunction(X.Name, B.getVoidTy(), parametersOf(Pack, X));
  cast<Argument>(Pack.Dst)->addAttr(Attribute::NoAlias);
  Value *StrideP = Pack.StrideP, *StrideK = Pack.StrideK, *Steps = Pack.Steps;
  auto Panel = [&](Value *Begin, Value *Valid, Value *Width) {
    Value *Dst = element(Pack.Dst, B.CreateMul(Begin, Steps));
    Value *Src = offset(Pack.Src, Begin, StrideP);
    Value *Mirror = offset(Pack.Mirror, Begin, StrideK);
    Value *Diagonal = B.CreateAdd(Pack.Diagonal, Begin);
    Value *Mixed = clamp(B.CreateAdd(Diagonal, i64(1)), Steps);
    Value *Beyond = clamp(B.CreateAdd(Diagonal, Valid), Steps);
    auto PackHalf = [&](const Operand &Half, PackArguments Arguments) {
      Arguments.Scalars = Pack.Scalars;
      callPack(Half, Arguments);
    };
    PackHalf(Stored, {Dst, Src, StrideP, StrideK, Valid, Mixed, Pack.IsFar});
    emitLoop(Mixed, Beyond, i64(1), "mixed", [&](Value *Step) {
      Value *DstRow = element(Dst, B.CreateMul(Step, Width));
      emitLoop(i64(0), Width, i64(1), "element", [&](Value *I) {
        // Elements that do not exist are filled up afterwards.
        Value *From = umin(I, B.CreateSub(Valid, i64(1)));
        Value *IsStored = B.CreateICmpSLE(Step, B.CreateAdd(From, Diagonal));
        Value *InSrc = offset(offset(Src, From, StrideP), Step, StrideK);
        Value *InMirror = offset(offset(Mirror, From, StrideK), Step, StrideP);
        Value *V = B.CreateAlignedLoad(
            X.X.ElemTy, B.CreateSelect(IsStored, InSrc, InMirror),
            X.X.Alignment);
        Value *Exists = B.CreateICmpULT(I, Valid);
        V = B.CreateSelect(Exists, mapped(X, Pack, V, 0),
                           Constant::getNullValue(Op.SumTy));
        B.CreateAlignedStore(V, element(DstRow, I), Align(PanelSize));
      });
    });
    PackHalf(Turned, {element(Dst, B.CreateMul(Beyond, Width)),
                      offset(Mirror, Beyond, StrideP), StrideK, StrideP, Valid,
                      B.CreateSub(Steps, Beyond), Pack.IsFar});
  };
  Value *Count = Pack.Count;
  emitPanels(X, i64(0), Count, splitPanels(X, Count), Panel);
  B.CreateRetVoid();
  return F;
}

/// The panel from row (or column) \p Begin on, of which \p Valid exist.
void KernelBuilder::emitPanelAt(const Operand &X, const PackArguments &Pack,
                                Value *Begin, Value *Valid, Value *Width) {
  Value *Dst = element(Pack.Dst, B.CreateMul(Begin, depthOf(Pack)));
  Value *StrideP = Pack.StrideP;
  Value *Src = offset(Pack.Src, Begin, StrideP);
  Value *HasNext = B.CreateICmpULT(B.CreateAdd(Begin, Valid), Pack.Count);
  HasNext = B.CreateAnd(Pack.IsFar, HasNext);
  Value *Distance = B.CreateMul(Valid, StrideP);
  Value *Ahead = B.CreateSelect(HasNext, Distance, i64(0));
  auto ChunkByChunk = [&] {
    emitChunks(Pack, Dst, Src, Width, [&](Value *To, Value *From) {
      emitPanel(X, Pack, To, From, Valid, Width, Ahead);
    });
  };
  if (!isAdjacentInChunks(X))
    return ChunkByChunk();
  Lines Chunks{Pack.Chunks, B.CreateMul(groupsOf(Pack.Steps), Width)};
  emitIf(
      isMadeOfSquares(X, Chunks, Width), "squares",
      [&] { emitPanelOfLines(X, Pack, Chunks, Dst, Src, Valid, Width); },
      ChunkByChunk);
}

Function *KernelBuilder::buildPack(const Operand &X) {
  if (X.X.IsSymmetric)
    return buildSymmetricPack(X);
  PackArguments Pack;
  Function *F = createFunction(X.Name, B.getVoidTy(), parametersOf(Pack, X));
  cast<Argument>(Pack.Dst)->addAttr(Attribute::NoAlias);
  cast<Argument>(Pack.Src)->addAttr(Attribute::NoAlias);
  cast<Argument>(Pack.Src)->addAttr(Attribute::ReadOnly);
  Value *Count = Pack.Count;
  Split Panels = splitPanels(X, Count);
  bool WholeFirst = X.X.isUnit(X.P, DL);
  if (WholeFirst)
    emitWholePanels(X, Pack, Panels.Regular);
  if (isAdjacentInBundle(X))
    emitPanelsOfLines(X, Pack, Panels);
  else
    emitPanels(X, WholeFirst ? Panels.Regular : i64(0), Count, Panels,
               [&](Value *Begin, Value *Valid, Value *Width) {
                 emitPanelAt(X, Pack, Begin, Valid, Width);
               });
  if (ThePlan.inSquares() && X.P == N)
    emitPanels(X, i64(0), Count, Panels,
               [&](Value *Begin, Value *, Value *Width) {
                 emitTurnedSquares(Pack, Begin, Width);
               });
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
