//===- LaneKernel.cpp - the loops around tiles of products ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneKernel.h"

using namespace llvm;

namespace tilesmith {

/// The block of a factor as tiles read it.
KernelBuilder::LaneKernel::Block
KernelBuilder::LaneKernel::emitPack(const Macro &X, const Place &From,
                                    Split Tiles) {
  K.emitIf(B.CreateNot(From.IsInPlace), "pack", [&] {
    K.emitBundle(X, tilesmith::K, [&](Value *I) {
      Value *Dst = From.Dst, *Src = From.Src;
      if (ThePlan.Bundled[tilesmith::K]) {
        Value *Before = B.CreateMul(B.CreateMul(I, X.Kb), Tiles.Width);
        Dst = K.offset(Dst, Before, K.i64(VectorBytes));
        Src = K.offset(Src, I, K.strideInBundle(X, From.Of, tilesmith::K));
      }
      PackArguments Pack{Dst,
                         Src,
                         From.StrideP,
                         From.StrideK,
                         Tiles.Count,
                         X.Kb,
                         X.Groups,
                         Tiles.Width,
                         Lanes,
                         From.Distance,
                         X.Arguments->Scalars};
      B.CreateCall(From.Of.Pack, parametersOf(Pack, From.Of).values());
    });
  });
  auto Choose = [&](Value *InPlace, Value *Packed) {
    return B.CreateSelect(From.IsInPlace, InPlace, Packed);
  };
  Value *Bytes = K.i64(VectorBytes);
  Value *StepOfPanel = B.CreateMul(Tiles.Width, Bytes);
  Value *RowOfPanel = B.CreateMul(X.Groups, Bytes);
  return {Choose(From.Src, From.Dst), Choose(From.StrideP, Bytes),
          Choose(From.StrideK, StepOfPanel), Choose(From.StrideP, RowOfPanel),
          Choose(Bytes, From.Distance)};
}

/// The size of the fewest equal parts of \p Extent, of up to \p Max each.
Value *KernelBuilder::LaneKernel::balanced(Value *Extent, uint64_t Max) {
  return K.ceilDiv(Extent, K.ceilDiv(Extent, K.i64(Max)));
}

/// \p X, of \p Count rows, is read in place if one tile needs each element; or if
/// few do, or vectors are side by side, and all is in little memory.
Value *KernelBuilder::LaneKernel::isReadInPlace(const Macro &X, const Place &At,
                                                const PackingRule &Rule,
                                                Value *Across, Value *Count) {
  const Operand &Of = At.Of;
  if (!Op.keepsElements(Of.X, Of.Map) || Rule.isAlways())
    return B.getFalse();
  auto AtMost = [&](Value *V, uint64_t Max) {
    return B.CreateICmpULE(V, K.i64(Max));
  };
  Value *OfRows = B.CreateMul(Count, At.StrideP);
  Value *OfSteps = B.CreateMul(X.K, At.StrideK);
  Value *Spread = B.CreateBinaryIntrinsic(Intrinsic::umax, OfRows, OfSteps);
  Value *IsDense = AtMost(K.umin(At.StrideP, At.StrideK), VectorBytes);
  Value *IsEasy = B.CreateOr(AtMost(Across, Rule.ExtentAbove), IsDense);
  IsEasy = B.CreateAnd(IsEasy, AtMost(Spread, Rule.SpanAbove));
  return B.CreateOr(
      AtMost(Across, Of.P == tilesmith::M ? ThePlan.NR : ThePlan.MR), IsEasy);
}

/// Leaves products of fewer lanes than a register has to the other kernel, if
/// they are large enough for that.
void KernelBuilder::LaneKernel::emitChoice(const Macro &X) {
  if (!ThePlan.Fallback)
    return;
  const Plan &Other = *ThePlan.Fallback;
  Value *Batch = X.Arguments->Outer[*ThePlan.LaneIndex].Extent;
  auto AtLeast = [&](Value *V, uint64_t Min) {
    return B.CreateICmpUGE(V, K.i64(Min));
  };
  Value *Elements = B.CreateMul(X.M, X.N);
  Value *IsLarge =
      B.CreateAnd({AtLeast(X.M, Other.MinExtent[tilesmith::M]),
                   AtLeast(X.N, Other.MinExtent[tilesmith::N]),
                   AtLeast(X.K, Other.MinExtent[tilesmith::K]),
                   AtLeast(Elements, Other.MinElements),
                   AtLeast(B.CreateMul(Elements, X.K), Other.MinWork)});
  BasicBlock *Few = BasicBlock::Create(K.Ctx, "few.lanes", X.F),
             *Enough = BasicBlock::Create(K.Ctx, "lanes", X.F);
  B.CreateCondBr(B.CreateAnd(IsLarge, B.CreateICmpULT(Batch, K.i64(VL))), Few,
                 Enough);
  B.SetInsertPoint(Few);
  B.CreateRet(callKernel(B, K.FallbackKernel, *X.Arguments, K.View));
  B.SetInsertPoint(Enough);
}

/// Decides the blocks, what is packed, and how many products are in a chunk:
/// the more, the longer are the runs that are read at once. Allocates what is
/// needed for that.
void KernelBuilder::LaneKernel::emitSizes(Macro &X) {
  // Sums that are not in C are not kept between blocks of K.
  KC = K.SumsInC ? balanced(X.K, ThePlan.KC) : X.K;
  MC = balanced(X.M, ThePlan.MC);
  NC = balanced(X.N, ThePlan.NC);
  K.sizeBundle(X, tilesmith::K, X.K, K.i64(ThePlan.KC), K.i64(1));
  Value *PerBlock = X.Bundles[tilesmith::K].PerBlock;
  Value *Row = B.CreateMul(B.CreateMul(KC, PerBlock), K.i64(VectorBytes));
  BytesOfA = B.CreateMul(B.CreateAdd(MC, K.i64(ThePlan.MR)), Row);
  BytesOfB = B.CreateMul(B.CreateAdd(NC, K.i64(ThePlan.NR)), Row);
  Value *BytesOfVector =
      B.CreateMul(B.CreateAdd(BytesOfA, BytesOfB), K.i64(K.Terms.size()));
  Value *Fitting = B.CreateUDiv(K.i64(4 * ThePlan.FarBytes), BytesOfVector);
  Value *OfChunk =
      K.umin(B.CreateBinaryIntrinsic(Intrinsic::umax, Fitting, K.i64(1)),
             K.i64(MaxLaneVectors));
  Chunk = B.CreateMul(OfChunk, K.i64(VL));

  Value *Batch = X.Arguments->Outer[*ThePlan.LaneIndex].Extent;
  Value *AllInPlace = B.CreateIsNull(B.CreateURem(Batch, K.i64(VL)));
  Value *IsAlone = B.CreateICmpEQ(PerBlock, K.i64(1));
  for (Macro::Factors &T : X.Terms) {
    T.ReadA = isReadInPlace(X, {T.Of->A, T.A, T.StrideAm, T.StrideAk},
                            *ThePlan.PackA, X.N, X.M);
    T.ReadB = isReadInPlace(X, {T.Of->B, T.B, T.StrideBn, T.StrideBk},
                            *ThePlan.PackB, X.M, X.N);
    T.ReadA = B.CreateAnd(IsAlone, T.ReadA);
    T.ReadB = B.CreateAnd(IsAlone, T.ReadB);
    AllInPlace = B.CreateAnd({AllInPlace, T.ReadA, T.ReadB});
  }
  Value *Bytes =
      B.CreateSelect(AllInPlace, K.i64(0), B.CreateMul(BytesOfVector, OfChunk));
  Value *Free = K.cacheLineIn(X.Memory = K.emitMemory(Bytes));
  auto Take = [&](Value *OfVector) {
    Value *Part = B.CreateMul(OfVector, OfChunk);
    return std::exchange(Free, B.CreatePtrAdd(Free, Part));
  };
  for (Macro::Factors &T : X.Terms) {
    T.Block = Take(BytesOfA);
    T.Panel = Take(BytesOfB);
  }
}

/// Loop jc and the sums, for a chunk of products.
void KernelBuilder::LaneKernel::emitPanels(Macro &X) {
  Value *IsWhole = B.CreateIsNull(B.CreateURem(Lanes, K.i64(VL)));
  for (Macro::Factors &T : X.Terms) {
    T.ReadA = B.CreateAnd(T.ReadA, IsWhole);
    T.ReadB = B.CreateAnd(T.ReadB, IsWhole);
  }
  K.emitLoop(K.i64(0), X.N, NC, "jc", [&](Value *Jc) {
    X.Jc = Jc;
    X.Nb = K.umin(B.CreateSub(X.N, Jc), NC);
    Split Columns{X.Nb, balanced(X.Nb, ThePlan.NR)};
    K.emitOuter(X, OuterPlace::Sums, [&] {
      K.emitBundles(X, tilesmith::K, [&] { emitBlocksOfK(X, Columns); });
    });
  });
}

/// Loop pc, with the packing of B.
void KernelBuilder::LaneKernel::emitBlocksOfK(Macro &X, Split Columns) {
  K.emitLoop(K.i64(0), X.K, KC, "pc", [&](Value *Pc) {
    X.Pc = Pc;
    X.Kb = K.umin(B.CreateSub(X.K, Pc), KC);
    X.Groups = X.Kb;
    if (ThePlan.Bundled[tilesmith::K])
      X.Groups = B.CreateMul(X.Groups, X.Bundles[tilesmith::K].Count);
    X.FirstK = B.CreateAnd(X.FirstSum, B.CreateIsNull(Pc));
    SmallVector<Block, 1> Panels;
    for (const Macro::Factors &T : X.Terms) {
      Value *Column = K.offset(T.B, X.Jc, T.StrideBn);
      Value *Src = K.offset(Column, Pc, T.StrideBk);
      Panels.push_back(emitPack(
          X, {T.Of->B, Src, T.StrideBn, T.StrideBk, T.ReadB, T.Panel, BytesOfB},
          Columns));
    }
    emitBlocks(X, Columns, Panels);
  });
}

/// Loop ic, with the packing of A.
void KernelBuilder::LaneKernel::emitBlocks(Macro &X, Split Columns,
                                           ArrayRef<Block> Panels) {
  K.emitLoop(K.i64(0), X.M, MC, "ic", [&](Value *Ic) {
    X.Ic = Ic;
    X.Mb = K.umin(B.CreateSub(X.M, Ic), MC);
    Split Rows{X.Mb, balanced(X.Mb, ThePlan.MR)};
    SmallVector<Block, 1> Blocks;
    for (const Macro::Factors &T : X.Terms) {
      Value *Row = K.offset(T.A, Ic, T.StrideAm);
      Value *Src = K.offset(Row, X.Pc, T.StrideAk);
      Blocks.push_back(emitPack(
          X, {T.Of->A, Src, T.StrideAm, T.StrideAk, T.ReadA, T.Block, BytesOfA},
          Rows));
    }
    Value *Vectors = K.ceilDiv(Lanes, K.i64(VL));
    K.emitLoop(K.i64(0), Vectors, K.i64(1), "vector", [&](Value *Vector) {
      emitTiles(X, Rows, Columns, Blocks, Panels, Vector);
    });
  });
}

/// The tiles of the block of A and the panel of B, of one vector.
void KernelBuilder::LaneKernel::emitTiles(const Macro &X, Split Rows,
                                          Split Columns, ArrayRef<Block> Blocks,
                                          ArrayRef<Block> Panels,
                                          Value *Vector) {
  Value *FirstLane = B.CreateMul(Vector, K.i64(VL));
  Value *LanesOfTile = K.umin(B.CreateSub(Lanes, FirstLane), K.i64(VL));
  Value *C = K.offset(X.C, FirstLane, bytesOf(Op.C, 1));
  C = K.offset(K.offset(C, X.Ic, X.StrideCm), X.Jc, X.StrideCn);
  auto At = [&](const Block &Of, Value *P) {
    return K.offset(K.offset(Of.Begin, Vector, Of.StrideVector), P,
                    Of.StrideTile);
  };
  K.emitLoop(K.i64(0), Columns.Count, Columns.Width, "jr", [&](Value *Jr) {
    Value *NumColumns = K.umin(B.CreateSub(Columns.Count, Jr), Columns.Width);
    K.emitLoop(K.i64(0), Rows.Count, Rows.Width, "ir", [&](Value *Ir) {
      TileArguments Tile;
      for (auto [OfA, OfB] : zip_equal(Blocks, Panels)) {
        Value *A = At(OfA, Ir), *B = At(OfB, Jr);
        Tile.Terms.push_back(
            {A, OfA.StrideP, OfA.StrideK, B, OfB.StrideP, OfB.StrideK});
      }
      Tile.Steps = X.Groups;
      Tile.C = K.offset(K.offset(C, Ir, X.StrideCm), Jr, X.StrideCn);
      Tile.StrideCm = X.StrideCm;
      Tile.StrideCn = X.StrideCn;
      Tile.First = X.FirstK;
      Tile.Scalars = X.Arguments->Scalars;
      emitTile(Tile, K.umin(B.CreateSub(Rows.Count, Ir), Rows.Width),
               NumColumns, LanesOfTile);
    });
  });
}

/// Calls the tile for so many rows and columns, on a copy of C if the vector is
/// ragged.
void KernelBuilder::LaneKernel::emitTile(TileArguments Tile, Value *Rows,
                                         Value *Columns, Value *LanesOfTile) {
  Value *IsRagged = B.CreateICmpULT(LanesOfTile, K.i64(VL));
  TileArguments InBuffer = Tile;
  InBuffer.C = TileOfC;
  InBuffer.StrideCm = bytesOf(Op.C, VL);
  InBuffer.StrideCn = bytesOf(Op.C, ThePlan.MR * VL);
  K.emitIf(IsRagged, "to.buffer",
           [&] { copyTile(InBuffer, Tile, Rows, Columns, LanesOfTile); });
  TileArguments Called = Tile;
  Called.C = B.CreateSelect(IsRagged, InBuffer.C, Tile.C);
  Called.StrideCm = B.CreateSelect(IsRagged, InBuffer.StrideCm, Tile.StrideCm);
  Called.StrideCn = B.CreateSelect(IsRagged, InBuffer.StrideCn, Tile.StrideCn);
  Value *RowOfTable =
      B.CreateMul(B.CreateSub(Rows, K.i64(1)), K.i64(ThePlan.NR));
  Value *Slot = B.CreateAdd(RowOfTable, B.CreateSub(Columns, K.i64(1)));
  B.CreateCall(K.kernelAt(Table, Slot, AnyTile), parametersOf(Called).values());
  K.emitIf(IsRagged, "from.buffer",
           [&] { copyTile(Tile, InBuffer, Rows, Columns, LanesOfTile); });
}

/// Copies the lanes of a ragged vector that exist.
void KernelBuilder::LaneKernel::copyTile(const TileArguments &Dst,
                                         const TileArguments &Src, Value *Rows,
                                         Value *Columns, Value *LanesOfTile) {
  Value *Bytes = bytesOf(Op.C, 1);
  K.emitLoop(K.i64(0), Columns, K.i64(1), "j", [&](Value *J) {
    K.emitLoop(K.i64(0), Rows, K.i64(1), "i", [&](Value *I) {
      auto Begin = [&](const TileArguments &T) {
        return K.offset(K.offset(T.C, I, T.StrideCm), J, T.StrideCn);
      };
      Value *To = Begin(Dst), *From = Begin(Src);
      K.emitLoop(K.i64(0), LanesOfTile, K.i64(1), "lane", [&](Value *L) {
        Value *Element = B.CreateAlignedLoad(
            Op.C.ElemTy, K.offset(From, L, Bytes), Op.C.Alignment);
        B.CreateAlignedStore(Element, K.offset(To, L, Bytes), Op.C.Alignment);
      });
    });
  });
}

Function *KernelBuilder::LaneKernel::build() {
  if (ThePlan.Fallback)
    K.FallbackKernel = KernelBuilder(K.View, *ThePlan.Fallback).build();
  Table = buildTable();
  for (TermOperands &T : K.Terms)
    for (Operand *X : {&T.A, &T.B})
      X->Pack = buildPack(*X);
  KernelArguments Arguments;
  Function *F = K.createFunction(
      "gemm", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Closed));
  TileOfC = B.CreateAlloca(
      ArrayType::get(Op.C.ElemTy, ThePlan.MR * ThePlan.NR * VL), nullptr, "c");
  TileOfC->setAlignment(Align(CacheLine));
  Macro X = K.macroOf(*F, Arguments);
  emitChoice(X);
  emitSizes(X);
  auto EmitChunks = [&] {
    Value *Batch = Arguments.Outer[*ThePlan.LaneIndex].Extent;
    K.emitLoop(K.i64(0), Batch, Chunk, "chunk", [&](Value *L) {
      Macro Before = X;
      K.advance(X, *ThePlan.LaneIndex, L);
      Lanes = K.umin(B.CreateSub(Batch, L), Chunk);
      emitPanels(X);
      X = Before;
    });
  };
  K.emitOuter(X, OuterPlace::Around,
              [&] { K.emitOuter(X, OuterPlace::Rows, EmitChunks); });
  K.emitFree(X.Memory);
  B.CreateRet(B.getTrue());
  return K.unify(F);
}

Function *KernelBuilder::buildLaneKernel() { return LaneKernel(*this).build(); }

} // namespace tilesmith
