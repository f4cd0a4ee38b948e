//===- MacroKernel.cpp - the loops over blocks ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goto's loops, as Plan.h shows them. K is cut into equal blocks.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"
#include "llvm/IR/Module.h"
#include <numeric>

using namespace llvm;

namespace tilesmith {

void MacroKernel::callPack(const Operand &X, PackArguments Arguments) {
  B.CreateCall(X.Pack, parametersOf(Arguments, X).values());
}

/// The rows of a block, fewer by a panel if the last one would have a single
/// register of them: 240 + 16 becomes 192 + 64.
Value *MacroKernel::withoutThinBlock(const Macro &X) {
  Type *I32 = B.getInt32Ty(); // as in emitBlocking()
  Value *Left = B.CreateURem(B.CreateTrunc(X.M, I32), B.CreateTrunc(X.MC, I32));
  Value *IsThin =
      B.CreateICmpULT(B.CreateSub(Left, B.getInt32(1)), B.getInt32(ThePlan.VL));
  IsThin = B.CreateAnd({IsThin, B.CreateICmpUGT(X.M, X.MC),
                        B.CreateICmpUGT(X.MC, i64(ThePlan.MR))});
  return B.CreateSelect(IsThin, B.CreateSub(X.MC, i64(ThePlan.MR)), X.MC);
}

/// Cuts K into equal blocks. A shallow block of A may have more rows.
void MacroKernel::emitBlocking(Macro &X) {
  // No count reaches 2^31, so 32 bits are enough, and faster.
  auto Divide = [&](Value *Whole, Value *Parts) {
    Type *I32 = B.getInt32Ty();
    Whole = B.CreateTrunc(Whole, I32);
    return B.CreateZExt(B.CreateUDiv(Whole, B.CreateTrunc(Parts, I32)), I64);
  };
  X.NumBlocks = ceilDiv(X.K, i64(ThePlan.KC));
  Value *Steps =
      Divide(B.CreateAdd(X.K, B.CreateSub(X.NumBlocks, i64(1))), X.NumBlocks);
  X.KC = alignUp(Steps, ThePlan.depthMultiple());
  if (startsWhatIsRead())
    X.KC = alignUp(
        Steps, std::lcm(ThePlan.depthMultiple(),
                        BoundOfK == tilesmith::M ? ThePlan.MR : ThePlan.NR));
  sizeDepth(X);
  Value *Depth = X.KC;
  if (ThePlan.Bundled[tilesmith::K])
    Depth = B.CreateMul(Depth, X.Bundles[tilesmith::K].PerBlock);
  Value *Elements = elementsOfA(X);
  bool IsShort =
      isUInt<32>(std::max(ThePlan.MC * ThePlan.KC, ThePlan.MaxLineElements));
  Value *Rows =
      IsShort ? Divide(Elements, Depth) : B.CreateUDiv(Elements, Depth);
  X.MC = alignDown(Rows, ThePlan.MR);
  if (startsWhatIsRead()) // deeper than planned
    X.MC = B.CreateBinaryIntrinsic(Intrinsic::umax, X.MC, i64(ThePlan.MR));
  sizeRowsAndColumns(X);
  // Other products were not measured to gain by it.
  if (ThePlan.Gathered)
    X.MC = withoutThinBlock(X);
  if (readsWindows() && !ThePlan.Narrow)
    X.MC = rowsOfWindows(X);
  emitReads(X, X.KC);
}

/// Whether the columns of B, \p Of, are short runs, spread over so much memory
/// that each comes late: prefetchers do not know where the next one begins. They do
/// if that is where one ends; but with long registers, a copy is worth it all the
/// same, unless few tiles use it. (Zen 4, AVX2: 1.02 to 1.3 times as fast in
/// place; AVX-512: 1.04 to 1.08 times with 64 rows, .94 with 256.)
Value *MacroKernel::hasScatteredColumns(const Macro &X, const Operand &Of,
                                        Place Columns) {
  constexpr uint64_t ShortRun = 1024; // bytes; measured on Zen 5
  const PackingRule &Pack = *ThePlan.PackB;
  if (X.IsDirect || Pack.SpanAbove > INT64_MAX / 4 ||
      !Of.X.isUnit(tilesmith::K, DL))
    return B.getFalse();
  Value *Run = B.CreateMul(X.K, Columns.StrideK);
  Value *Spread = B.CreateMul(X.N, Columns.StrideP);
  Value *IsShort = B.CreateICmpULT(Run, i64(ShortRun));
  Value *IsFar = B.CreateICmpUGT(Spread, i64(4 * Pack.SpanAbove));
  Value *IsDense = B.CreateICmpEQ(Run, Columns.StrideP, "dense");
  if (ThePlan.VectorBits >= 512)
    IsDense = B.CreateAnd(IsDense, B.CreateICmpULT(X.M, i64(2 * ThePlan.MR)));
  return B.CreateAnd({IsShort, IsFar, B.CreateNot(IsDense)});
}

/// For how many columns A is read in place, if a block is \p Steps deep. Steps
/// that are pages apart share few sets of L1, so that lines are loaded again and
/// again, all the more if tiles use parts of them. (Measured on Zen 5, with
/// AVX-512 and AVX2.)
Value *MacroKernel::mostColumnsInPlace(Value *StrideK, Value *Steps) {
  constexpr uint64_t FewSteps = 8;
  const uint64_t Most = ThePlan.PackA->ExtentAbove;
  if (Most == PackingRule::Unlimited)
    return i64(Most);
  const bool HasWholeLines = ThePlan.MR * PanelSize % ThePlan.CacheLine == 0;
  auto AtMost = [&](unsigned Slivers, uint64_t Of, Value *Otherwise) {
    return B.CreateSelect(isMultipleOf(StrideK, Of),
                          i64(std::min<uint64_t>(Most, Slivers * ThePlan.NR)),
                          Otherwise);
  };
  Value *Columns = HasWholeLines ? i64(Most) : AtMost(8, Page / 2, i64(Most));
  Columns = AtMost(HasWholeLines ? 4 : 1, Page, Columns);
  return B.CreateSelect(B.CreateICmpUGT(Steps, i64(FewSteps)), Columns,
                        i64(Most));
}

/// Which operands are read in place, if a block is \p Steps deep.
void MacroKernel::emitReads(Macro &X, Value *Steps) {
  // What few tiles read is read about as often as a copy would be made.
  constexpr unsigned FewSlivers = 4;
  auto InPlace = [&](const PackingRule &Pack, Value *Extent, Value *Most,
                     unsigned Few, Value *StrideK, Value *IsScattered) {
    Value *IsCompact =
        B.CreateICmpULE(B.CreateMul(Steps, StrideK), i64(Pack.SpanAbove));
    IsCompact = B.CreateAnd(IsCompact, B.CreateNot(IsScattered));
    Value *IsUpwards = B.CreateICmpSGE(StrideK, i64(0));
    Value *HasFewUses =
        B.CreateAnd(B.CreateICmpULE(Extent, i64(Few)), IsUpwards);
    Value *IsEasy = B.CreateOr(IsCompact, HasFewUses);
    return B.CreateAnd(B.CreateICmpULE(Extent, Most), IsEasy);
  };
  Value *Rows = X.M, *Columns = X.N;
  for (auto [I, Outer] : enumerate(X.Arguments->Outer))
    if (Op.Outer[I].Bundle == tilesmith::M && !ThePlan.Gathered &&
        placeOf(I) != OuterPlace::Around)
      Rows = B.CreateMul(Rows, Outer.Extent);
  if (ThePlan.Bundled[tilesmith::N])
    Columns = B.CreateMul(Columns, X.Bundles[tilesmith::N].PerBlock);
  // The steps of several values of a bundle are no constant distance apart.
  Value *IsOne = B.getTrue();
  if (ThePlan.Bundled[tilesmith::K])
    IsOne = B.CreateICmpEQ(X.Bundles[tilesmith::K].PerBlock, i64(1));
  for (Macro::Factors &T : X.Terms) {
    T.ReadA = T.ReadB = B.getFalse();
    // Of a gathered factor, the steps are so only if it is a plain matrix.
    Value *MayReadA = IsOne;
    if (isGathered(T.Of->A))
      MayReadA = B.CreateAnd(MayReadA, X.Gathered[tilesmith::M].IsPlain);
    if (mayReadInPlace(T.Of->A)) {
      Value *Read = InPlace(*ThePlan.PackA, Columns,
                            mostColumnsInPlace(T.StrideAk, Steps),
                            FewSlivers * ThePlan.NR, T.StrideAk, B.getFalse());
      T.ReadA = B.CreateAnd(Read, MayReadA);
    }
    if (mayReadInPlace(T.Of->B)) {
      Value *Read = InPlace(
          *ThePlan.PackB, Rows, i64(ThePlan.PackB->ExtentAbove), ThePlan.MR,
          T.StrideBk,
          hasScatteredColumns(X, T.Of->B, {T.B, T.StrideBn, T.StrideBk}));
      T.ReadB = B.CreateAnd(Read, IsOne);
      T.ReadB = B.CreateAnd(T.ReadB, isWholeElements(T.StrideBn));
    }
    if (isGathered(T.Of->B)) {
      // Windows overlap, so their columns are not scattered.
      T.ReadWindows = B.CreateAnd(
          {B.CreateICmpULE(Rows, i64(ThePlan.PackB->ExtentAbove)),
           isWholeElements(T.StrideBn), isWholeElements(X.StrideCn)});
      if (prefetchesWeights())
        emitFewWindows(X, MayReadA);
      if (leavesOutColumns())
        T.EndWithRows = endWithRows(X);
      T.ReadB = B.CreateAnd(T.ReadB, X.Gathered[tilesmith::N].IsPlain);
    }
  }
}

/// A product of a single block, of which each operand is read in place, or is
/// small, is made of tiles alone.
void MacroKernel::emitDirect(Macro X) {
  if (!ThePlan.hasDirectPath(Op))
    return;
  X.IsDirect = true;
  emitReads(X, X.K);
  X.Jc = X.Pc = X.Ic = i64(0);
  X.Nb = X.N;
  X.Kb = X.K;
  X.Groups = groupsOf(X.K);
  X.Mb = X.M;
  X.FirstK = X.LastK = X.IsFirstBlock = B.getTrue();
  // Not looked at where sums rest in C.
  Value *Null = ConstantPointerNull::get(cast<PointerType>(Ptr));
  X.Sums = SumsApart ? X.TileOfSums : Null;
  X.SumsLd = i64(SumsApart ? ThePlan.MR : 0);
  X.HasTileOfSums = B.getTrue();
  SmallVector<Value *, 8> Conditions = {
      B.CreateICmpULE(X.K, i64(ThePlan.KC)),
      B.CreateICmpULE(B.CreateMul(X.M, X.K),
                      i64(uint64_t(ThePlan.MC) * ThePlan.KC)),
      B.CreateICmpULE(X.N, i64(ThePlan.NC))};
  if (!callsKernelsOnly())
    Conditions.push_back(isWholeElements(X.StrideCn));
  // An operand that must be packed is packed to the stack.
  uint64_t NumPacked = 0;
  for (const TermOperands &T : Terms)
    NumPacked += !canReadInPlace(T.A) + !canReadInPlace(T.B);
  auto BufferFor = [&](const Operand &Of, Value *Read, Value *Extent) {
    uint64_t MaxBytes = MaxStackBytes / std::max<uint64_t>(NumPacked, 1) /
                        CacheLine * CacheLine;
    if (canReadInPlace(Of)) {
      Conditions.push_back(Read);
      return Null;
    }
    Value *Lines = Of.P == tilesmith::M ? alignUp(Extent, ThePlan.VL) : Extent;
    Conditions.push_back(B.CreateICmpULE(B.CreateMul(Lines, X.Groups),
                                         i64(MaxBytes / PanelSize)));
    AllocaInst *Buffer =
        variableIn(*X.F, B.getInt8Ty(), Of.Name, i64(MaxBytes + slack(Of)));
    Buffer->setAlignment(Align(CacheLine));
    return cast<Value>(Buffer);
  };
  for (Macro::Factors &T : X.Terms) {
    T.SrcA = T.A;
    T.SrcB = T.B;
    T.Block = BufferFor(T.Of->A, T.ReadA, X.M);
    T.Panel = BufferFor(T.Of->B, T.ReadB, X.N);
    T.PackedFromM = canReadInPlace(T.Of->A) ? X.M : i64(0);
    T.PackedFromN = canReadInPlace(T.Of->B) ? X.N : i64(0);
  }
  BasicBlock *Direct = BasicBlock::Create(Ctx, "direct", X.F);
  BasicBlock *Blocked = BasicBlock::Create(Ctx, "blocked", X.F);
  B.CreateCondBr(B.CreateAnd(Conditions), Direct, Blocked);
  B.SetInsertPoint(Direct);
  for (Macro::Factors &T : X.Terms) {
    if (!canReadInPlace(T.Of->A))
      emitPack(X, T.Of->A, T.Block, {T.A, T.StrideAm, T.StrideAk}, i64(0), X.M,
               /*PanelsOfLine=*/nullptr);
    if (!canReadInPlace(T.Of->B))
      emitPack(X, T.Of->B, T.Panel, {T.B, T.StrideBn, T.StrideBk}, i64(0), X.N,
               /*PanelsOfLine=*/nullptr);
  }
  emitSlivers(X, splitRows(X.M));
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Blocked);
}

/// Packs \p Count rows of A (or columns of B), from number \p P on, for the
/// steps of the block of K; of all values in the block of what is bundled with
/// them, which are \p PanelsOfLine elements apart. The operand is a plain matrix.
void MacroKernel::emitPlainPack(Macro &X, const Operand &Of, Value *Dst,
                                Place From, Value *P, Value *Count,
                                Value *PanelsOfLine) {
  auto [Base, StrideP, StrideK] = From;
  Value *Elements = B.CreateMul(Of.P == M ? X.M : X.N, X.K);
  for (Dim D : {Of.P, tilesmith::K})
    if (ThePlan.Bundled[D])
      Elements = B.CreateMul(Elements, X.Bundles[D].Extent);
  uint64_t FarElements = ThePlan.FarBytes / DL.getTypeStoreSize(Of.X.ElemTy);
  Value *IsFar = B.CreateICmpUGE(Elements, i64(FarElements));
  // While windows were read in place, kernels prefetched it.
  if (Of.P == M && readsWindows() && prefetchesLaterA(MicroKind::Windows)) {
    Value *AreWindows = B.CreateAnd(X.Terms.front().ReadWindows,
                                    B.CreateNot(X.Gathered[N].IsPlain));
    IsFar = B.CreateAnd(IsFar, B.CreateNot(AreWindows));
  }
  PackArguments Pack{Dst,     offset(offset(Base, P, StrideP), X.Pc, StrideK),
                     StrideP, StrideK,
                     Count,   X.Kb,
                     IsFar};
  if (Of.X.IsSymmetric) {
    Pack.Mirror = offset(offset(Base, P, StrideK), X.Pc, StrideP);
    Pack.Diagonal = B.CreateSub(P, X.Pc);
  }
  Pack.Scalars = X.Arguments->Scalars;
  if (ThePlan.Bundled[tilesmith::K]) {
    Pack.Chunks = X.Bundles[tilesmith::K].Count;
    Pack.StrideChunk = strideInBundle(X, Of, tilesmith::K);
  }
  if (isAdjacentInBundle(Of)) {
    Pack.Lines = X.Bundles[Of.P].Count;
    Pack.PanelsOfLine = PanelsOfLine;
    return callPack(Of, Pack);
  }
  Value *Src = Pack.Src;
  emitBundle(X, Of.P, [&](Value *I) {
    if (ThePlan.Bundled[Of.P]) {
      Pack.Dst = element(Dst, B.CreateMul(I, PanelsOfLine));
      Pack.Src = offset(Src, I, strideInBundle(X, Of, Of.P));
    }
    callPack(Of, Pack);
  });
}

/// Packs \p Count rows of A (or columns of B), from number \p P on, for the
/// steps of the block of K.
void MacroKernel::emitPack(Macro &X, const Operand &Of, Value *Dst, Place From,
                           Value *P, Value *Count, Value *PanelsOfLine) {
  auto Plain = [&] { emitPlainPack(X, Of, Dst, From, P, Count, PanelsOfLine); };
  auto Gather = [&] {
    if (Of.P == tilesmith::M) // B is packed sliver by sliver
      emitGatheredPack(X, Of, Dst, From.Base, P, Count);
  };
  if (!isGathered(Of))
    return Plain();
  if (!mayBePlain(Of))
    return Gather();
  emitIf(X.Gathered[Of.P].IsPlain, "plain", Plain, Gather);
}

/// Loops jc and pc, with the packing of B.
void MacroKernel::emitPanelsOfB(Macro &X) {
  emitLoop(i64(0), X.N, i64(ThePlan.NC), "jc", [&](Value *Jc) {
    X.Jc = Jc;
    X.Nb = umin(B.CreateSub(X.N, Jc), i64(ThePlan.NC));
    for (Macro::Factors &T : X.Terms)
      T.PackedFromN = B.CreateSelect(
          T.ReadB, hasMasks() ? X.Nb : alignDown(X.Nb, ThePlan.NR), i64(0));
    emitSliversFirst(X);
    emitOuter(X, OuterPlace::Sums,
              [&] { emitBundles(X, tilesmith::K, [&] { emitBlocksOfK(X); }); });
  });
}

/// Packs the slivers of the panel of B that make a step. Each has the same place
/// in the buffer, whichever do.
void MacroKernel::emitPackOfSlivers(Macro &X) {
  for (Macro::Factors &T : X.Terms) {
    T.SrcB = offset(offset(T.B, X.Jc, T.StrideBn), X.Pc, T.StrideBk);
    if (packsFirst(tilesmith::N)) {
      T.Panel = packedSlivers(X);
      continue;
    }
    Value *Begin = T.PackedFromN, *End = X.Nb, *Dst = T.Panel;
    if (boundsStepsOf(tilesmith::N)) {
      Begin = B.CreateBinaryIntrinsic(Intrinsic::umax, X.Slivers.Begin, Begin);
      End = B.CreateBinaryIntrinsic(Intrinsic::umax, X.Slivers.End, Begin);
      Value *Skipped = B.CreateSub(Begin, T.PackedFromN);
      Dst = element(Dst, B.CreateMul(Skipped, X.Groups));
    }
    Value *First = B.CreateAdd(X.Jc, Begin);
    T.PanelsOfColumn = panelsOfLine(X, T.Of->B, X.Nb);
    emitPack(X, T.Of->B, Dst, {T.B, T.StrideBn, T.StrideBk}, First,
             B.CreateSub(End, Begin), T.PanelsOfColumn);
  }
}

void MacroKernel::enterBlockOfK(Macro &X, Value *Pc) {
  X.Pc = Pc;
  X.Kb = umin(B.CreateSub(X.K, Pc), X.KC);
  X.Groups = groupsOf(X.Kb);
}

void MacroKernel::emitBlocksOfK(Macro &X) {
  emitLoop(i64(0), X.K, X.KC, "pc", [&](Value *Pc) {
    enterBlockOfK(X, Pc);
    emitTablesOfSteps(X);
    emitRuns(X);
    if (ThePlan.Bundled[tilesmith::K])
      X.Groups = B.CreateMul(X.Groups, X.Bundles[tilesmith::K].Count);
    X.FirstK = B.CreateAnd(X.FirstSum, B.CreateIsNull(Pc));
    X.LastK =
        B.CreateAnd(X.LastSum, B.CreateICmpEQ(B.CreateAdd(Pc, X.Kb), X.K));
    X.Slivers = linesWithSteps(X, tilesmith::N, X.Jc, X.Nb);
    emitPackOfSlivers(X);
    emitOuter(X, OuterPlace::Rows, [&] { emitBlocksOfA(X); });
  });
}

/// Loop ic, with the packing of A.
void MacroKernel::emitBlocksOfA(Macro &X) {
  // Rows above the first wanted one, or below the last, are left out.
  Value *Begin = i64(0), *End = X.M;
  if (Wanted == Half::Lower)
    Begin = B.CreateMul(
        B.CreateUDiv(clamp(B.CreateSub(onDiagonal(X.Jc), X.Diagonal), X.M),
                     X.MC),
        X.MC);
  if (Wanted == Half::Upper)
    End = clamp(B.CreateSub(onDiagonal(B.CreateAdd(X.Jc, X.Nb)), X.Diagonal),
                X.M);
  if (boundsStepsOf(tilesmith::M)) {
    LineRange Rows = linesWithSteps(X);
    Begin = B.CreateMul(B.CreateUDiv(Rows.Begin, X.MC), X.MC);
    End = Rows.End;
  }
  emitLoop(Begin, End, X.MC, "ic", [&](Value *Ic) {
    X.Ic = Ic;
    X.IsFirstBlock = B.CreateICmpEQ(Ic, Begin);
    X.Mb = umin(B.CreateSub(X.M, Ic), X.MC);
    if (boundsStepsOf(tilesmith::M)) {
      LineRange Rows = linesWithSteps(X, tilesmith::M, Ic, X.Mb);
      X.Ic = B.CreateAdd(Ic, Rows.Begin);
      X.Mb = B.CreateSub(Rows.End, Rows.Begin);
    }
    emitBundles(X, tilesmith::M, [&] { emitBlockOfA(X); });
  });
}

void MacroKernel::emitBlockOfA(Macro &X) {
  Split Rows = splitRows(X.Mb);
  for (Macro::Factors &T : X.Terms) {
    T.SrcA = offset(offset(T.A, X.Ic, T.StrideAm), X.Pc, T.StrideAk);
    // In place, the last panel is packed if it is ragged and would be padded.
    Value *Last = B.CreateSub(X.Mb, i64(1));
    Value *LastPanel = B.CreateSub(
        Last, B.CreateURem(B.CreateSub(Last, Rows.Regular), Rows.Step));
    Value *IsEven = B.CreateIsNull(B.CreateURem(X.Mb, i64(ThePlan.VL)));
    Value *InPlace =
        hasMasks() ? X.Mb : B.CreateSelect(IsEven, X.Mb, LastPanel);
    T.PackedFromM = B.CreateSelect(T.ReadA, InPlace, i64(0));
    Value *First = B.CreateAdd(X.Ic, T.PackedFromM);
    T.PanelsOfRow = panelsOfLine(X, T.Of->A, X.Mb);
    if (packsFirst(tilesmith::M)) {
      T.Block = packedRows(X);
      continue;
    }
    if (!packsInRuns())
      emitPack(X, T.Of->A, T.Block, {T.A, T.StrideAm, T.StrideAk}, First,
               B.CreateSub(X.Mb, T.PackedFromM), T.PanelsOfRow);
  }
  emitTilesOfBlock(X, Rows);
}

/// Whether what begins at \p Index is before what is packed. If there are no
/// blocks, all of an operand is packed, or nothing.
Value *MacroKernel::isInPlace(const Macro &X, Value *Index, Value *PackedFrom) {
  if (X.IsDirect)
    return B.getInt1(!isa<ConstantInt>(PackedFrom));
  return B.CreateICmpULT(Index, PackedFrom);
}

/// What the sums of a sliver's columns are corrected by: computed with the
/// first block of A, and kept for others.
void MacroKernel::emitCorrections(Macro &X) {
  const Macro::Factors &T = X.Terms.front(); // there is no other
  X.SliverCorrections =
      X.IsDirect ? X.Corrections : offset(X.Corrections, X.Jr, i64(Size));
  emitIf(X.IsFirstBlock, "first.block", [&] {
    CorrectionArguments Arguments{T.Sliver, T.SliverStrideK, X.Groups,
                                  X.SliverCorrections};
    B.CreateCall(Correction, parametersOf(Arguments).values());
  });
}

/// Loops jr and ir.
void MacroKernel::emitSlivers(Macro &X, Split Rows) {
  ThePlan.Engine->emitConfiguration(B);
  if (SumsApart)
    X.Ahead = i64(0);
  else if (!X.IsDirect)
    X.Ahead = columnsAhead(X);
  Split Slivers = splitColumns(X.Nb);
  LineRange All{i64(0), X.Nb}, Columns = X.IsDirect ? All : X.Slivers;
  Value *First = nullptr; ///< from which they go round
  if (packsInRuns() && X.Terms.front().EndWithRows)
    First = firstSliver(X);
  emitLoop(Columns.Begin, Columns.End, "jr", [&](Value *Jr) {
    X.IsFirstSliver = B.CreateICmpEQ(Jr, Columns.Begin);
    if (First) {
      Jr = B.CreateAdd(First, Jr);
      Value *IsBehind = B.CreateICmpUGE(Jr, X.Nb);
      Jr = B.CreateSub(Jr, B.CreateSelect(IsBehind, X.Nb, i64(0)));
    }
    X.Jr = Jr;
    X.Columns = sizeAt(Jr, X.Nb, ThePlan.NR, Slivers);
    if (Value *EndWithRows = X.Terms.front().EndWithRows)
      X.Columns = B.CreateSelect(EndWithRows, columnsInRow(X, Jr), X.Columns);
    Value *PackedStride = B.CreateMul(paddedColumns(X.Columns), i64(PanelSize));
    for (Macro::Factors &T : X.Terms) {
      T.BInPlace = isInPlace(X, Jr, T.PackedFromN);
      Value *Packed = element(
          T.Panel, B.CreateMul(B.CreateSub(Jr, T.PackedFromN), X.Groups));
      T.Sliver =
          B.CreateSelect(T.BInPlace, offset(T.SrcB, Jr, T.StrideBn), Packed);
      T.SliverStrideK = B.CreateSelect(T.BInPlace, T.StrideBk, PackedStride);
      T.SliverStrideN = B.CreateSelect(T.BInPlace, T.StrideBn, i64(PanelSize));
    }
    if (isGathered(X.Terms.front().Of->B))
      emitSliverOfWindows(X);
    if (packsInRuns() && !X.IsDirect)
      emitPackForSlivers(X, Rows);
    if (Correction)
      emitCorrections(X);
    if (!ThePlan.Bundled[tilesmith::M]) {
      emitSliver(X, Rows);
      return X.Columns;
    }
    emitLoop(X.FirstRow, X.LastRow, i64(1), "bundled", [&](Value *I) {
      Macro Before = X;
      advanceInBlock(X, tilesmith::M, I);
      emitSliver(X, Rows);
      X = Before;
    });
    return X.Columns;
  });
  ThePlan.Engine->emitRelease(B);
}

/// The tiles of a sliver of half of C, each of one micro kernel: panel by panel
/// where A is packed.
void MacroKernel::emitDirectSliver(Macro &X, Split Rows) {
  StepRange AllSteps{i64(0),  X.Groups,           X.FirstK,
                     X.LastK, /*IsCorner=*/false, /*Soon=*/X.LastK};
  auto EmitPanel = [&](Value *Panel, Value *PanelRows) {
    emitRowsAtDiagonal(PanelRows, X.Columns, diagonalOfTile(X, Panel),
                       [&](RowsAtDiagonal Part) {
                         Value *Begin = B.CreateAdd(Panel, Part.Begin);
                         emitSteps(X,
                                   {Panel, PanelRows, /*IsWhole=*/false, Begin,
                                    Part.Count, Part.IsCut},
                                   AllSteps);
                       });
  };
  if (all_of(Terms, [&](const TermOperands &T) { return canReadInPlace(T.A); }))
    return EmitPanel(i64(0), X.Mb);
  emitLoop(i64(0), X.Mb, "panel", [&](Value *Panel) {
    Value *PanelRows = sizeAt(Panel, X.Mb, ThePlan.MR, Rows);
    EmitPanel(Panel, PanelRows);
    return PanelRows;
  });
}

/// The tiles of a sliver: loop ir.
void MacroKernel::emitSliver(Macro &X, Split Rows) {
  if (X.IsDirect && cutsTiles())
    return emitDirectSliver(X, Rows);
  if (X.IsDirect || hasOneLoopOfTiles()) {
    emitLoop(i64(0), X.Mb, "ir", [&](Value *Ir) {
      Value *Count = sizeAt(Ir, X.Mb, ThePlan.MR, Rows);
      emitTile(X, Ir, Count, /*IsWhole=*/false);
      return Count;
    });
    return;
  }
  Value *Begin = i64(0), *End = Rows.Regular;
  Value *FirstRow = B.CreateAdd(X.Jc, X.Jr);
  if (Wanted != Half::None)
    FirstRow = onDiagonal(FirstRow);
  FirstRow = B.CreateSub(FirstRow, X.Ic);
  if (Wanted == Half::Lower)
    Begin =
        alignDown(clamp(B.CreateSub(FirstRow, X.Diagonal), End), ThePlan.MR);
  if (Wanted == Half::Upper)
    End = clamp(
        B.CreateSub(B.CreateAdd(FirstRow, onDiagonal(X.Columns)), X.Diagonal),
        End);
  emitLoop(Begin, End, i64(ThePlan.MR), "ir", [&](Value *Ir) {
    emitTile(X, Ir, i64(ThePlan.MR), /*IsWhole=*/true);
  });
  emitLoop(Rows.Regular, X.Mb, Rows.Step, "ir.rest", [&](Value *Ir) {
    emitTile(X, Ir, umin(B.CreateSub(X.Mb, Ir), Rows.Step),
             /*IsWhole=*/false);
  });
}

/// Whether squares take less time than the fall-back: they are filled up, and each
/// tile of them waits for its sums. (Cycles, fitted to 24 shapes of bytes on Sapphire
/// Rapids; there the worst choice costs a tenth.)
Value *MacroKernel::areSquaresFaster(const Macro &X) {
  constexpr uint64_t OfSquare = 90, OfCall = 300, Large = 4096;
  const uint64_t Edge = ThePlan.Engine->PanelEdge;
  auto Extent = [&](Value *V) { return umin(V, i64(Large)); };
  Value *M = Extent(X.M), *N = Extent(X.N), *Steps = Extent(X.K);
  Value *Squares = B.CreateMul(ceilDiv(M, i64(Edge)), ceilDiv(N, i64(Edge)));
  Value *Cycles = B.CreateAdd(
      B.CreateMul(Squares, B.CreateAdd(groupsOf(Steps), i64(OfSquare))),
      i64(OfCall));
  // Two registers of sums in a cycle; pairs of bfloats take twice as long.
  const uint64_t StepsInCycle = (Op.SumTy->isIntegerTy() ? 2 : 1) *
                                ThePlan.Fallback->VL *
                                ThePlan.Fallback->groupSteps();
  return B.CreateICmpUGE(B.CreateMul(B.CreateMul(M, N), Steps),
                         B.CreateMul(Cycles, i64(StepsInCycle)));
}

/// Leaves the macro kernel if the system does not permit the engine, or squares
/// would be mostly empty: for the other kernel, or with nothing done.
void MacroKernel::emitChoice(Macro &X) {
  BasicBlock *Large = BasicBlock::Create(Ctx, "large", X.F);
  BasicBlock *Permitted = BasicBlock::Create(Ctx, "squares", X.F);
  BasicBlock *None = BasicBlock::Create(Ctx, "otherwise", X.F);
  auto IsFilled = [&](Value *Extent, uint64_t Least) {
    return B.CreateICmpUGE(Extent, i64(Least));
  };
  SmallVector<Value *, 4> AreWorthIt{IsFilled(X.M, ThePlan.Engine->PanelEdge),
                                     IsFilled(X.N, ThePlan.Engine->PanelEdge),
                                     IsFilled(X.K, ThePlan.depthMultiple())};
  if (ThePlan.Fallback)
    AreWorthIt.push_back(areSquaresFaster(X));
  B.CreateCondBr(B.CreateAnd(AreWorthIt), Large, None);
  B.SetInsertPoint(Large);
  B.CreateCondBr(B.CreateCall(Permission), Permitted, None);
  B.SetInsertPoint(None);
  B.CreateRet(FallbackKernel.F
                  ? callKernel(B, FallbackKernel, *X.Arguments, View)
                  : cast<Value>(B.getFalse()));
  B.SetInsertPoint(Permitted);
}

/// What \p Arguments say.
MacroKernel::Macro MacroKernel::macroOf(Function &F,
                                        const KernelArguments &Arguments) {
  const KernelArguments::Operand &C = Arguments.c();
  Macro X{&F,       &Arguments, {},          C.Base,      C.First,
          C.Second, {},         Arguments.M, Arguments.N, Arguments.K};
  for (const KernelArguments::Operand &Of : Arguments.Further)
    X.Further.push_back({Of.Base, Of.First, Of.Second});
  for (auto [I, T] : enumerate(Terms)) {
    const KernelArguments::Operand &OfA = Arguments.a(I), &OfB = Arguments.b(I);
    X.Terms.push_back(
        {&T, OfA.Base, OfA.First, OfA.Second, OfB.Base, OfB.First, OfB.Second});
  }
  X.Diagonal = Arguments.Diagonal;
  X.FirstSum = X.LastSum = B.getTrue();
  return X;
}

} // namespace tilesmith
