//===- StreamPanels.cpp - how many rows are under way ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows go by in panels of some vectors, as one chain of additions alone would
// wait. What caches do with so many rows decides the rest:
//
//   rows share places in the first-level cache      some of them lag behind others:
//
//        first vectors    ------------------------
//        next ones            ------------------------
//        ...
//
//   rows are over before they come by themselves    the next ones are begun
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// How many rows come by themselves at the same time.
static constexpr unsigned RowsFromMemory = 16;

/// How many bytes A of \p Term takes up with the gaps between its rows.
Value *KernelBuilder::StreamKernel::bytesOf(const Macro &X, unsigned Term) {
  Value *Length = B.CreateBinaryIntrinsic(Intrinsic::abs,
                                          X.Terms[Term].StrideAm, B.getFalse());
  return B.CreateMul(X.M, Length);
}

/// Whether rows of \p Term, of less than \p Length bytes, are over before they come by
/// themselves, in a matrix of more than \p Bytes. Weights are mostly read once, so even
/// one that would fit into a cache is taken to come from afar.
Value *KernelBuilder::StreamKernel::areShort(const Macro &X, unsigned Term,
                                             uint64_t Bytes, uint64_t Length) {
  Value *OfA = bytesOf(X, Term);
  Value *AreShort = B.CreateICmpULT(OfA, B.CreateMul(X.M, K.i64(Length)));
  return B.CreateAnd(AreShort, B.CreateICmpUGT(OfA, K.i64(Bytes)));
}

/// Whether rows of \p Term come late, in a matrix of more than \p Bytes. So do longer
/// ones, if more of them are under way than come by themselves and the second-level cache
/// has no room for half of them. (Measured on Zen 4; with few registers, it gains
/// nothing.)
Value *KernelBuilder::StreamKernel::areLate(const Macro &X, unsigned Term,
                                            uint64_t Bytes) {
  constexpr uint64_t Pages = 4;
  Value *AreShort = areShort(X, Term, Bytes, Page);
  if (ThePlan.MR <= RowsFromMemory || ThePlan.NR < stepsOfPrefetch() ||
      !prefetchesWholeRows())
    return AreShort;
  Value *AreMany = areShort(X, Term, 4 * ThePlan.FarBytes, Pages * Page);
  return B.CreateOr(AreShort, AreMany);
}

/// How many vectors there are where some of them may lag behind.
unsigned KernelBuilder::StreamKernel::vectorsWithLag() const {
  unsigned Most = ThePlan.MR / VL;
  return Most % 2 ? 2 : Most;
}

/// How many vectors of rows are under way together. From memory, no more than
/// some come by themselves. Rows that are a multiple of a page apart share the
/// places of a cache, so there are few, of which some lag behind.
Value *KernelBuilder::StreamKernel::vectorsAtOnce(const Macro &X) {
  constexpr unsigned LinesOfLag = 4;
  constexpr unsigned Ways = 8;
  // Rows whose sums are used are behind others as a whole, and none among them.
  unsigned Most = ThePlan.MR / VL,
           WithLag = makesUseOfSums() ? 0 : vectorsWithLag() * VL;
  Value *Result = K.i64(Most), *Shares = B.getFalse();
  SharePlaces = B.getFalse();
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
    Value *IsInMemory =
        B.CreateICmpUGT(bytesOf(X, T), K.i64(ThePlan.MemoryBytes));
    AtMost(RowsFromMemory, IsInMemory);
    // Two panels of long rows must fit into the second-level cache.
    if (makesUseOfSums())
      AtMost(VL, B.CreateICmpUGT(bytesOf(X, T),
                                 B.CreateMul(X.M, K.i64(ThePlan.FarBytes * 3 /
                                                        4 / ThePlan.MR))));
    Value *AreShort = areShort(X, T, 2 * ThePlan.FarBytes, Page);
    for (unsigned Rows : {2 * Ways, Ways}) {
      Value *IsMultiple =
          K.isMultipleOf(X.Terms[T].StrideAm, Page * Ways / Rows);
      AtMost(std::max(Rows, WithLag), IsMultiple);
      AtMost(RowsFromMemory, B.CreateAnd(IsMultiple, AreShort));
      if (isTriangle() || makesUseOfSums() || Rows < WithLag ||
          Rows < Most * VL)
        SharePlaces = B.CreateOr(SharePlaces, IsMultiple);
      if (Rows < WithLag)
        Shares = B.CreateOr(Shares, IsMultiple);
    }
  }
  unsigned Line = ThePlan.CacheLine / K.Size;
  if (Most > 1 && WithLag > Ways)
    LagOfVectors = B.CreateSelect(
        Shares, K.i64(alignTo(LinesOfLag * Line, ThePlan.NR)), K.i64(0));
  return Result;
}

/// Prefetches the rows behind the vectors of rows at \p Pointers, as far in.
void KernelBuilder::StreamKernel::prefetchBehind(
    const Macro &X, ArrayRef<RowPointers> Pointers) {
  constexpr unsigned SecondLevel = 2;
  Value *Ahead = K.i64(Pointers.size() * VL);
  for (const RowPointers &Of : Pointers)
    for (unsigned T : seq<unsigned>(Op.Terms.size())) {
      if (!isAlongK(T))
        continue;
      Vectors Next = Of[T];
      for (Value *&Pointer : Next)
        Pointer = K.offset(Pointer, Ahead, X.Terms[T].StrideAm);
      for (unsigned Row = 0; Row < VL; Row += hasNumbers() ? 2 : 1)
        K.prefetch(rowAt(X, T, Next, Row), 1, ThePlan.CacheLine, SecondLevel);
    }
}

/// Prefetches what the rows of the vectors at \p Pointers have some lines behind \p Step,
/// or, where they are over before, the first lines of the rows behind them.
void KernelBuilder::StreamKernel::prefetchAhead(const Macro &X,
                                                ArrayRef<RowPointers> Pointers,
                                                Value *Step, Value *End) {
  constexpr unsigned Lines = 3;
  Value *Ahead = K.i64(Lines * stepsOfPrefetch());
  Value *IsInRow = B.CreateICmpULT(B.CreateAdd(Step, Ahead), End);
  for (unsigned T : seq<unsigned>(Op.Terms.size())) {
    if (!isAlongK(T))
      continue;
    const Macro::Factors &Of = X.Terms[T];
    Value *Next =
        B.CreateAdd(B.CreateMul(K.i64(Pointers.size() * VL), Of.StrideAm),
                    B.CreateMul(B.CreateSub(Ahead, End), Of.StrideAk));
    Value *Distance =
        B.CreateSelect(IsInRow, B.CreateMul(Ahead, Of.StrideAk), Next);
    for (const RowPointers &Vector : Pointers) {
      Vectors There = Vector[T];
      for (Value *&Pointer : There)
        Pointer = B.CreatePtrAdd(Pointer, Distance);
      for (unsigned Row = 0; Row < VL; ++Row)
        K.prefetch(rowAt(X, T, There, Row), 1, ThePlan.CacheLine);
    }
  }
}

/// Whether lines are prefetched shortly before they are loaded: a matrix in the caches is
/// as fast as it can be then, as loads do not fill the places where they wait. With more
/// rows, the prefetches themselves take too long. (Measured on Zen 4.)
bool KernelBuilder::StreamKernel::prefetchesAhead() const {
  constexpr unsigned MostRows = 4;
  return ThePlan.VectorBits == 256 && VL <= MostRows && !hasNumbers() &&
         ThePlan.NR == stepsOfPrefetch() && !ThePlan.IsCompact &&
         !ThePlan.makesTransposed(Op) && !Op.hasRowTables();
}

/// How many steps are made for each line that is prefetched.
unsigned KernelBuilder::StreamKernel::stepsOfPrefetch() const {
  if (ThePlan.VectorBits != 256 || Piece == 1 || hasNumbers())
    return ThePlan.NR;
  return std::max<unsigned>(ThePlan.NR, ThePlan.CacheLine / K.Size);
}

/// Where registers are short (Zen 4, AVX2), rows that come late are prefetched as a
/// whole, which a matrix in the caches hardly notices.
bool KernelBuilder::StreamKernel::prefetchesWholeRows() const {
  return ThePlan.VectorBits < 512 && stepsOfPrefetch() > Piece;
}

/// Elsewhere, it is where the next rows begin, if they come late. The rest of a
/// row comes by itself then; asking for all of it takes a third of the time of a
/// matrix that is in the caches. (Measured on Zen 5; with more rows, it is of no
/// use.)
void KernelBuilder::StreamKernel::prefetchNextRows(const Macro &X,
                                                   ArrayRef<Value *> Rows) {
  if (Rows.size() * VL > RowsFromMemory || Prefetches || prefetchesWholeRows())
    return;
  K.emitIf(IsLate, "late", [&] {
    SmallVector<RowPointers, 4> Pointers;
    for (Value *Row : Rows) {
      RowPointers &Of = Pointers.emplace_back();
      Value *Next = B.CreateAdd(Row, K.i64(Rows.size() * VL));
      Value *First = isTriangle() && isFrom() ? cornerOf(X, Next) : K.i64(0);
      for (unsigned T : seq<unsigned>(Op.Terms.size()))
        Of.push_back(pointersTo(X, T, Row, First));
    }
    prefetchBehind(X, Pointers);
  });
}

/// How many of \p NumVectors vectors are as far behind as each other, if some lag.
unsigned KernelBuilder::StreamKernel::vectorsInStep(unsigned NumVectors) const {
  constexpr unsigned FewRows = 4;
  bool AreHalves = !FactorsOfRows.empty() || ThePlan.IsCompact ||
                   isTriangle() || hasNumbers();
  unsigned Half = NumVectors / 2;
  return AreHalves ? Half : std::clamp(FewRows / VL, 1u, Half);
}

/// Where \p Vector is when the first one is at \p Step.
Value *KernelBuilder::StreamKernel::behind(Value *Step, unsigned Vector,
                                           unsigned NumVectors, Value *Lag) {
  unsigned Times = Lag ? Vector / vectorsInStep(NumVectors) : 0;
  return Times ? B.CreateSub(Step, B.CreateMul(Lag, K.i64(Times))) : Step;
}

/// Adds the steps from \p Begin to \p End, as many as are made at a time. Rows
/// that share places in the first-level cache would take these from each other,
/// so vectors are some lines behind the ones before them then.
void KernelBuilder::StreamKernel::emitLoopWithLag(const Macro &X,
                                                  ArrayRef<Value *> Rows,
                                                  Value *Begin, Value *End,
                                                  Vectors &Sums) {
  Value *Lag = LagOfVectors ? LagOfVectors : K.i64(0);
  const Vectors Factors = FactorsOfRows;
  unsigned Steps = Factors.empty() ? Piece : ThePlan.NR;
  // A column gets the products of all rows in turn: two of them at a time hide
  // how long an addition takes.
  if (!Factors.empty())
    Lag = B.CreateBinaryIntrinsic(Intrinsic::umax, Lag, K.i64(Steps));
  unsigned Size = vectorsInStep(Rows.size()), Count = Rows.size() / Size;
  Value *Longest = B.CreateSub(End, Begin);
  // Vectors are alone, or few, for as long as some lag: a part of the steps.
  constexpr unsigned PartOfSteps = 4;
  if (Count > 2)
    Longest = K.alignDown(
        B.CreateUDiv(Longest, K.i64(PartOfSteps * (Count - 1))), ThePlan.NR);
  Lag = K.umin(Lag, Longest);
  auto AddTo = [&](unsigned First, unsigned Last, Value *From, Value *To,
                   Vectors &All) {
    unsigned NumVectors = (Last - First) * Size;
    Vectors Some(All.begin() + First * Size, All.begin() + Last * Size);
    if (!Factors.empty())
      FactorsOfRows.assign(Factors.begin() + First * Size * VL,
                           Factors.begin() + Last * Size * VL);
    emitLoopOverSteps(X, Rows.slice(First * Size, NumVectors), From, To, Steps,
                      Some, Last - First > 1 ? Lag : nullptr);
    llvm::copy(Some, All.begin() + First * Size);
    FactorsOfRows = Factors;
  };
  auto AddFirst = [&](Vectors &All) {
    Value *From = Begin;
    for (unsigned I = 1; I < Count; ++I) {
      Value *To = B.CreateAdd(From, Lag);
      AddTo(0, I, From, To, All);
      From = To;
    }
  };
  auto AddLast = [&](Vectors &All) {
    for (unsigned I = 1; I < Count; ++I)
      AddTo(I, Count, B.CreateSub(End, Lag), End, All);
  };
  // Without a lag, one test leaves out what would be some.
  Value *Lags = Count > 2 ? B.CreateIsNotNull(Lag) : nullptr;
  Lags ? addIf(Lags, "lag", Sums, AddFirst) : AddFirst(Sums);
  Value *BeginOfAll = B.CreateAdd(Begin, B.CreateMul(Lag, K.i64(Count - 1)));
  emitLoopOverSteps(X, Rows, BeginOfAll, End, ThePlan.NR, Sums, Lag);
  Lags ? addIf(Lags, "lag", Sums, AddLast) : AddLast(Sums);
}

/// Whether the rows of \p Vector do not begin where those of the one before end.
Value *KernelBuilder::StreamKernel::isMovedUp(const Macro &X, Value *Vector) {
  return B.CreateICmpEQ(Vector, B.CreateUDiv(X.M, K.i64(VL)));
}

/// The sums of a vector of rows before the first step. Of the last one, rows may be
/// finished already, so its own are saved.
Value *KernelBuilder::StreamKernel::startOf(const Macro &X, Value *Vector,
                                            bool MayBeLast) {
  Value *Initial = initialSums(X, rowOf(X, Vector), VL);
  if (!MayBeLast || !Op.Start.uses(Leaf::C))
    return Initial;
  Value *Saved = B.CreateAlignedLoad(VectorTy, Sums, Align(K.Size), "sum");
  return B.CreateSelect(isMovedUp(X, Vector), Saved, Initial);
}

/// Stores what becomes of the sums of a vector of rows; or these, if some of the
/// rows are not its own.
void KernelBuilder::StreamKernel::finish(const Macro &X, Value *Vector,
                                         Value *Sum, bool MayBeLast) {
  auto Finish = [&] { emitFinish(X, rowOf(X, Vector), VL, Sum); };
  if (!MayBeLast)
    return Finish();
  K.emitIf(
      isMovedUp(X, Vector), "moved",
      [&] { B.CreateAlignedStore(Sum, Sums, Align(K.Size)); }, Finish);
}

/// All steps of \p NumVectors vectors of rows.
void KernelBuilder::StreamKernel::emitRows(const Macro &X, Value *Vector,
                                           unsigned NumVectors) {
  Vectors Numbers, Rows, Places, Added;
  for (unsigned I = 0; I < NumVectors; ++I) {
    Numbers.push_back(B.CreateAdd(Vector, K.i64(I)));
    Rows.push_back(rowOf(X, Numbers.back()));
    if (staysInRegisters()) {
      Added.push_back(startOf(X, Numbers.back(), I + 1 == NumVectors));
      continue;
    }
    for (unsigned Column = 0; Column < UnderWay; ++Column)
      Places.push_back(sumsOf(Numbers.back(), K.i64(Column)));
  }
  for (Value *Place : Places)
    Added.push_back(B.CreateAlignedLoad(VectorTy, Place, Align(K.Size), "sum"));
  if (IsLate)
    prefetchNextRows(X, Rows);
  if (isTriangle())
    addBesideCorners(X, Rows, Added);
  else
    addCommonSteps(X, Rows, K.i64(0), X.K, Added);
  if (staysInRegisters()) {
    for (unsigned I = 0; I < NumVectors; ++I)
      finish(X, Numbers[I], Added[I], I + 1 == NumVectors);
    return;
  }
  for (auto [Sum, Place] : zip_equal(Added, Places))
    B.CreateAlignedStore(Sum, Place, Align(K.Size));
  if (Width > 1 && !ThePlan.IsCompact)
    emitLastStepsInTurn(X, Rows, K.alignDown(X.K, Piece), Places);
}

/// Whether panels need no lag: vectors of rows then share the elements of B, which are
/// in registers beside the columns of a square. Columns of 16 floats leave no room for
/// them.
bool KernelBuilder::StreamKernel::fitsWithoutLag() const {
  unsigned Most = ThePlan.MR / VL;
  return Most > 1 && !isTriangle() && !ThePlan.makesTransposed(Op) &&
         2 * stepsInTurn(ThePlan.NR) + Most <= ThePlan.VectorRegisters;
}

/// Whether \p Count vectors leave an odd number, so that one panel takes one more: a
/// vector alone would take nearly as long as a panel, as its additions wait. Null
/// where that is not worth the code, or where there are no registers for it.
Value *KernelBuilder::StreamKernel::takesOneMore(Value *Suits, Value *Count) {
  constexpr unsigned MostOfFew = 4;
  unsigned Most = ThePlan.MR / VL;
  if (Most > MostOfFew || ThePlan.IsCompact || !fitsWithoutLag())
    return nullptr;
  Value *Rest = B.CreateURem(Count, K.i64(Most));
  Value *IsOdd = B.CreateTrunc(Rest, B.getInt1Ty());
  Value *AreEnough = B.CreateICmpUGT(Count, K.i64(Most));
  return B.CreateAnd({Suits, B.CreateNot(SharePlaces), AreEnough, IsOdd});
}

/// The rows of a block, MR at a time, or fewer.
void KernelBuilder::StreamKernel::emitPanels(const Macro &X) {
  if (Width > 1)
    return emitThinPanels(X);
  struct Panel {
    unsigned Vectors;
    Value *Suits;
    Value *Prefetches =
        nullptr;         ///< whether it does that for whole rows, if it may
    bool Shares = false; ///< places
    unsigned Steps = 0;  ///< that are made at a time, if not the plan's
  };
  unsigned Most = ThePlan.MR / VL, WithLag = vectorsWithLag();
  Value *AtOnce = vectorsAtOnce(X);
  IsLate = B.getFalse();
  // With few registers, prefetching takes a quarter of the time of a matrix that is in
  // the second-level cache. (Measured on Zen 4.)
  const bool AreFew = ThePlan.NR < stepsOfPrefetch();
  uint64_t Near = AreFew ? 2 * ThePlan.FarBytes : ThePlan.FarBytes / 2;
  // Of rows that are not that short, lines just ahead are enough, unless the matrix is
  // in memory. (Measured on Zen 4: above 16 MB.)
  constexpr uint64_t ShortestAhead = 2560, InMemory = 32;
  Value *Ahead = nullptr;
  for (unsigned T = 0; T < Op.Terms.size(); ++T)
    if (isAlongK(T))
      IsLate = B.CreateOr(IsLate, areLate(X, T, Near));
  if (prefetchesAhead()) {
    Ahead = IsLate;
    for (unsigned T = 0; T < Op.Terms.size(); ++T)
      if (isAlongK(T))
        for (Value *AreFar :
             {areShort(X, T, Near, ShortestAhead),
              areShort(X, T, InMemory * ThePlan.FarBytes, Page)})
          Ahead = B.CreateAnd(Ahead, B.CreateNot(AreFar));
    IsLate = B.CreateAnd(IsLate, B.CreateNot(Ahead));
  }
  auto MaySome = [&](unsigned Vectors) {
    return B.CreateICmpUGE(AtOnce, K.i64(Vectors));
  };
  // Corners of vectors under way together are one behind the other, unlike that
  // of the last one, which is moved up.
  Value *Whole = isTriangle() ? K.umin(End, B.CreateUDiv(X.M, K.i64(VL))) : End;
  Value *OneMore = takesOneMore(MaySome(Most), B.CreateSub(Whole, Begin));
  // Where a single vector is under way from memory, there is time for all rows.
  bool IsAlone = ThePlan.NR > Piece && 2 * VL > RowsFromMemory;
  bool WholeRows = prefetchesWholeRows();
  // Panels of their own for rows that share places, where one more loop over panels
  // takes less time than the tests in the others. What is used in both directions has
  // a lag in any case, and triangles are small.
  bool AreApart = fitsWithoutLag(),
       MayShare = !AreApart && Most > 1 && !makesUseOfSums();
  Value *Always = WholeRows ? B.getTrue() : nullptr;
  SmallVector<Panel, 6> Panels;
  if (AreApart)
    Panels.push_back({WithLag, B.CreateAnd(SharePlaces, MaySome(WithLag)),
                      WholeRows && WithLag == Most ? IsLate : Always, true});
  if (WholeRows)
    Panels.push_back({Most, B.CreateAnd(MaySome(Most), IsLate), Always,
                      MayShare, stepsOfPrefetch()});
  Panels.push_back({Most, MaySome(Most), nullptr, MayShare});
  if (OneMore)
    Panels.push_back({Most + 1, OneMore});
  // From memory, there are no more.
  if (Most > 2 && WholeRows && AreFew)
    Panels.push_back({2, B.CreateAnd(MaySome(2), B.CreateNot(MaySome(Most))),
                      Always, MayShare, stepsOfPrefetch()});
  if (Most > 2)
    Panels.push_back({2, MaySome(2), Always, MayShare});
  if (Most > 1)
    Panels.push_back({1, B.getTrue(), IsAlone ? B.getTrue() : Always});
  Value *Done = Begin;
  for (const Panel &P : Panels) {
    Value *Left = B.CreateSub(P.Vectors > 1 ? Whole : End, Done);
    if (OneMore && P.Vectors == Most && !P.Shares)
      Left =
          B.CreateSub(Left, B.CreateSelect(OneMore, K.i64(Most + 1), K.i64(0)));
    Value *Count = K.alignDown(Left, P.Vectors);
    Value *Until = B.CreateSelect(P.Suits, B.CreateAdd(Done, Count), Done);
    Prefetches = P.Prefetches;
    PrefetchesAhead = Prefetches || P.Shares ? nullptr : Ahead;
    Shares = P.Shares;
    StepsAtOnce = P.Steps ? P.Steps : ThePlan.NR;
    K.emitLoop(Done, Until, K.i64(P.Vectors), "panel", [&](Value *Vector) {
      if (makesUseOfSums())
        setRowsBefore(X, Vector, Done, P.Vectors);
      emitRows(X, Vector, P.Vectors);
    });
    if (makesUseOfSums())
      emitColumnsOfLast(X, Done, Until, P.Vectors);
    Done = Until;
  }
}

/// All rows, whose sums are in registers: only those of the last vector are in memory,
/// as it has rows that the one before it stores.
void KernelBuilder::StreamKernel::emitPanelsInRegisters(const Macro &X) {
  if (Op.Start.uses(Leaf::C))
    emitStart(X, B.CreateSub(X.M, K.i64(VL)), VL, Sums);
  emitPanels(X);
  emitFinishesOfRest(X, B.CreateICmpULT(K.alignDown(X.M, VL), X.M), Sums);
  if (makesUseOfSums())
    emitColumnsOfRest(X);
}

} // namespace tilesmith
