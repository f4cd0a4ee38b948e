//===- BandNests.cpp - rows of a band, by thirds --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BandNests.h"
#include "FunctionCopy.h"
#include "UnrollProtection.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A number that goes up or down by one with each row.
struct Counter {
  const SCEVAddRecExpr *S = nullptr;
  Value *Begin = nullptr; ///< in row 0, 64 bits wide

  bool isUp() const { return S->getOperand(1)->isOne(); }
  unsigned bits() const { return S->getType()->getScalarSizeInBits(); }
};

/// A value of a row that is one of two, of which one moves with the rows and the
/// other stays: a bound that is cut off. It is the one that moves where
/// Left Predicate Right.
struct CutBound {
  Instruction *Choice;
  Counter Moving;
  CmpInst::Predicate Predicate;
  Counter Left;
  Value *Right;           ///< stays
  const SCEV *Fixed;      ///< the other one of the two
  bool MovesLate = false; ///< from row Change on, not up to there
  Value *Change = nullptr;
  Value *AtEnd = nullptr; ///< in all rows of the first part, or of the last one
};

/// A test of a row of which both sides move, as bounds do that are not cut off.
struct RowTest {
  ICmpInst *Compare;
  Counter Left, Right;
};

/// Rows from First up to End, 64 bits wide.
struct Range {
  Value *First, *End;
};

/// Fewer rows are left to the source's loops.
/// (Measured on Zen 5.)
constexpr uint64_t FewRows = 32;

/// So are bands with fewer diagonals beside the main one, less one, unless their
/// number is known: a kernel makes eight steps or more, and the rest of it gains
/// nothing. (Zen 5: .82 to 1.0 with two or three on each side.)
constexpr uint64_t FewBeside = 7;

/// Sums and differences of numbers that fit so many bits are exact.
constexpr unsigned ExactBits = 62;

/// The two loops around what \p Inner does.
class BandNest {
public:
  BandNest(Loop &Inner, FunctionAnalysisManager &FAM)
      : Inner(Inner), F(*Inner.getHeader()->getParent()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(scalarEvolution(F, FAM)) {}

  bool prepare() {
    Rows = Inner.getParentLoop();
    return Rows && Inner.isInnermost() && Rows->getSubLoops().size() == 1 &&
           hasRows() && findBounds();
  }

  /// Returns the innermost loops of the first, the middle and the last rows.
  std::array<Loop *, 3> run(bool OfAnyWidth, bool OfAnySize);

private:
  bool hasRows();
  bool findBounds();
  std::optional<CutBound> cutBound(Instruction &I);
  std::optional<Counter> counter(const SCEV *S);
  std::optional<Counter> counter(Value *V) {
    return SE.isSCEVable(V->getType()) ? counter(SE.getSCEV(V)) : std::nullopt;
  }
  void boundRows(Range &Middle, Value *&IsExact);
  void widenBounds(const Range &Middle, Value *&IsExact);
  void widen(Counter &Of, const Range &Middle, bool Negative, Value *&IsExact);
  void fixBounds(const Range &Middle, Value *Last, Value *&IsExact);
  enum class Part { First, Middle, Last };
  void setBounds(Loop &Of, Part Which, ValueToValueMapTy &Map, Value *Row);
  Value *startOf(const Counter &Of);
  Loop *copyRows(BasicBlock *Before, BasicBlock *From, ValueToValueMapTy &Map);
  void startAt(Loop &Copy, ValueToValueMapTy &Map, Value *First);
  PHINode *rowOf(Loop &Copy, ValueToValueMapTy &Map, Value *First);
  void endAt(Loop &Copy, PHINode &Row, Value *End, BasicBlock *Next);
  Value *chooseRows(Range &Middle, uint64_t Least);
  Value *atRow(PHINode &Phi, Value *Row);

  Loop &Inner;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution SE;
  Loop *Rows = nullptr;
  Type *I64 = nullptr;
  const SCEV *LastRow = nullptr; ///< 64 bits wide
  SmallVector<CutBound, 4> Bounds;
  SmallVector<RowTest, 2> Tests;
  std::optional<SCEVExpander> Expander;
  BranchInst *At = nullptr; ///< where it expands
};

/// Whether all that rows hand over to the next ones are counters.
bool BandNest::hasRows() {
  I64 = Type::getInt64Ty(F.getContext());
  const SCEV *Last = SE.getBackedgeTakenCount(Rows);
  BasicBlock *Pre = Rows->getLoopPredecessor(), *Latch = Rows->getLoopLatch();
  if (isa<SCEVCouldNotCompute>(Last) ||
      SE.getTypeSizeInBits(Last->getType()) > 64 || !Pre || !Latch ||
      Rows->getExitingBlock() != Latch || !Rows->getUniqueExitBlock() ||
      !Inner.getLoopLatch() ||
      Inner.getExitingBlock() != Inner.getLoopLatch() ||
      !isa<BranchInst>(Latch->getTerminator()) ||
      !isa<BranchInst>(Inner.getLoopLatch()->getTerminator()) ||
      !Rows->isSafeToClone())
    return false;
  LastRow = SE.getNoopOrZeroExtend(Last, I64);
  SCEVExpander Test(SE, "tilesmith");
  auto MayExpand = [&](const SCEV *S) {
    return SE.isLoopInvariant(S, Rows) &&
           Test.isSafeToExpandAt(S, Pre->getTerminator());
  };
  return MayExpand(LastRow) &&
         all_of(Rows->getHeader()->phis(), [&](PHINode &Phi) {
           auto *Counter = SE.isSCEVable(Phi.getType())
                               ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                               : nullptr;
           return Counter && Counter->getLoop() == Rows &&
                  Counter->isAffine() &&
                  MayExpand(Counter->getStepRecurrence(SE));
         });
}

/// \p S, if it goes up or down by one with each row.
std::optional<Counter> BandNest::counter(const SCEV *S) {
  auto *Counts = dyn_cast<SCEVAddRecExpr>(S);
  if (!Counts || Counts->getLoop() != Rows || !Counts->isAffine() ||
      !S->getType()->isIntegerTy() || SE.getTypeSizeInBits(S->getType()) > 64)
    return std::nullopt;
  const SCEV *Step = Counts->getStepRecurrence(SE);
  SCEVExpander Test(SE, "tilesmith");
  if (!(Step->isOne() || Step->isAllOnesValue()) ||
      !Test.isSafeToExpandAt(Counts->getStart(),
                             Rows->getLoopPredecessor()->getTerminator()))
    return std::nullopt;
  return Counter{Counts};
}

/// What \p I chooses between, if it is a bound that is cut off.
std::optional<CutBound> BandNest::cutBound(Instruction &I) {
  if (!I.getType()->isIntegerTy())
    return std::nullopt;
  Value *Left, *Right;
  const SCEV *IfTrue, *IfFalse;
  CmpInst::Predicate Predicate;
  if (auto *MinMax = dyn_cast<MinMaxIntrinsic>(&I)) {
    Left = MinMax->getLHS();
    Right = MinMax->getRHS();
    IfTrue = SE.getSCEV(Left);
    IfFalse = SE.getSCEV(Right);
    Predicate = MinMax->getPredicate();
  } else if (auto *Choice = dyn_cast<SelectInst>(&I)) {
    auto *Compare = dyn_cast<ICmpInst>(Choice->getCondition());
    if (!Compare || ICmpInst::isEquality(Compare->getPredicate()))
      return std::nullopt;
    Left = Compare->getOperand(0);
    Right = Compare->getOperand(1);
    IfTrue = SE.getSCEV(Choice->getTrueValue());
    IfFalse = SE.getSCEV(Choice->getFalseValue());
    Predicate = Compare->getPredicate();
  } else if (auto *Call = dyn_cast<SaturatingInst>(&I);
             Call && Call->getIntrinsicID() == Intrinsic::usub_sat) {
    Left = Call->getLHS();
    Right = Call->getRHS();
    IfTrue = SE.getMinusSCEV(SE.getSCEV(Left), SE.getSCEV(Right));
    IfFalse = SE.getZero(I.getType());
    Predicate = ICmpInst::ICMP_UGE;
  } else {
    return std::nullopt;
  }
  bool TakesTrue = SE.isLoopInvariant(IfFalse, Rows);
  if (!TakesTrue) {
    std::swap(IfTrue, IfFalse);
    Predicate = CmpInst::getInversePredicate(Predicate);
  }
  if (Rows->isLoopInvariant(Left)) {
    std::swap(Left, Right);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  std::optional<Counter> Moving = counter(IfTrue), Compared = counter(Left);
  SCEVExpander Test(SE, "tilesmith");
  if (!Moving || !Compared || !SE.isLoopInvariant(IfFalse, Rows) ||
      !Test.isSafeToExpandAt(IfFalse,
                             Rows->getLoopPredecessor()->getTerminator()) ||
      !Rows->isLoopInvariant(Right))
    return std::nullopt;
  return CutBound{&I, *Moving, Predicate, *Compared, Right, IfFalse};
}

bool BandNest::findBounds() {
  SmallVector<ICmpInst *, 4> Compares;
  for (BasicBlock *BB : Rows->blocks()) {
    if (Inner.contains(BB))
      continue;
    for (Instruction &I : *BB)
      if (std::optional<CutBound> Bound = cutBound(I))
        Bounds.push_back(*Bound);
    auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (Branch && Branch->isConditional() && BB != Rows->getLoopLatch())
      if (auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition()))
        Compares.push_back(Compare);
  }
  for (ICmpInst *Compare : Compares) {
    auto Side = [&](unsigned I) -> std::optional<Counter> {
      Value *V = Compare->getOperand(I);
      if (!V->getType()->isIntegerTy())
        return std::nullopt;
      const SCEV *S = SE.getSCEV(V);
      for (const CutBound &Bound : Bounds)
        S = NodeReplacer(SE, SE.getSCEV(Bound.Choice), Bound.Moving.S).visit(S);
      return counter(S);
    };
    std::optional<Counter> Left = Side(0), Right = Side(1);
    if (Left && Right && Left->isUp() == Right->isUp())
      Tests.push_back({Compare, *Left, *Right});
  }
  return !Bounds.empty();
}

/// Whether \p V, 64 bits wide, fits \p Bits.
static Value *fits(IRBuilder<> &B, Value *V, unsigned Bits, bool Signed) {
  uint64_t Half = uint64_t(1) << (Bits - 1);
  Value *FromZero = Signed ? B.CreateAdd(V, B.getInt64(Half)) : V;
  return B.CreateICmpULE(FromZero, B.getInt64(2 * (Half - 1) + 1));
}

/// Narrows \p Middle, which is all rows but the first and the last one, to those
/// in which all bounds are the values that move. Clears \p IsExact if that cannot
/// be computed so.
void BandNest::boundRows(Range &Middle, Value *&IsExact) {
  IRBuilder<> B(At);
  Value *Last = Middle.End;
  for (CutBound &Bound : Bounds) {
    bool Signed = CmpInst::isSigned(Bound.Predicate), IsUp = Bound.Left.isUp();
    auto Widened = [&](Value *V) {
      return Signed ? B.CreateSExt(V, I64) : B.CreateZExt(V, I64);
    };
    Value *Begin = Widened(startOf(Bound.Left));
    Value *Fixed = Widened(Bound.Right);
    Value *End = IsUp ? B.CreateAdd(Begin, Last) : B.CreateSub(Begin, Last);
    unsigned Bits = std::min(Bound.Left.bits(), ExactBits);
    for (Value *V : {Begin, Fixed, End})
      IsExact = B.CreateAnd(IsExact, fits(B, V, Bits, Signed));
    // The row in which both are equal.
    Value *Equal = IsUp ? B.CreateSub(Fixed, Begin) : B.CreateSub(Begin, Fixed);
    Value *Behind = B.CreateAdd(Equal, B.getInt64(1));
    bool IsGreater =
        ICmpInst::isGT(Bound.Predicate) || ICmpInst::isGE(Bound.Predicate);
    bool IsStrict = CmpInst::isStrictPredicate(Bound.Predicate);
    Bound.MovesLate = IsGreater == IsUp;
    Bound.Change = IsStrict == Bound.MovesLate ? Behind : Equal;
    if (Bound.MovesLate)
      Middle.First =
          B.CreateBinaryIntrinsic(Intrinsic::smax, Middle.First, Bound.Change);
    else
      Middle.End =
          B.CreateBinaryIntrinsic(Intrinsic::smin, Middle.End, Bound.Change);
  }
}

/// What \p Of is in the first row.
Value *BandNest::startOf(const Counter &Of) {
  return Expander->expandCodeFor(Of.S->getStart(), nullptr, At);
}

/// What \p Of is in \p Row, both 64 bits wide.
static Value *inRow(IRBuilder<> &B, const Counter &Of, Value *Row) {
  return Of.isUp() ? B.CreateAdd(Of.Begin, Row) : B.CreateSub(Of.Begin, Row);
}

/// Computes \p Of 64 bits wide. Clears \p IsExact if it is not what the narrow one
/// is in all rows of \p Middle, less than zero if it may be \p Negative, or if it
/// cannot be subtracted from others.
void BandNest::widen(Counter &Of, const Range &Middle, bool Negative,
                     Value *&IsExact) {
  IRBuilder<> B(At);
  Of.Begin = B.CreateSExt(startOf(Of), I64);
  unsigned Bits = std::min(Of.bits() - !Negative, ExactBits);
  for (Value *Row : {Middle.First, B.CreateSub(Middle.End, B.getInt64(1))})
    IsExact = B.CreateAnd(IsExact, fits(B, inRow(B, Of, Row), Bits, Negative));
}

void BandNest::widenBounds(const Range &Middle, Value *&IsExact) {
  for (CutBound &Bound : Bounds)
    widen(Bound.Moving, Middle, /*Negative=*/Bound.Moving.bits() == 64,
          IsExact);
  for (RowTest &Test : Tests)
    for (Counter *Side : {&Test.Left, &Test.Right})
      widen(*Side, Middle, Test.Compare->isSigned(), IsExact);
}

/// Computes what bounds are in all rows of the first part, or of the last one, up to
/// \p Last: those that stay there. Clears \p IsExact if one changes in between, or if
/// the others are not what the narrow ones are.
void BandNest::fixBounds(const Range &Middle, Value *Last, Value *&IsExact) {
  IRBuilder<> B(At);
  Value *FirstRow = B.getInt64(0);
  for (CutBound &Bound : Bounds) {
    bool Late = Bound.MovesLate;
    Value *Stays = Late ? B.CreateICmpSLE(Middle.First, Bound.Change)
                        : B.CreateICmpSLE(Bound.Change, Middle.End);
    Value *IsOneRow = Late ? B.CreateICmpEQ(Middle.First, B.getInt64(1))
                           : B.CreateICmpEQ(Middle.End, Last);
    Value *Fixed =
        B.CreateSExt(Expander->expandCodeFor(Bound.Fixed, nullptr, At), I64);
    Value *Single = inRow(B, Bound.Moving, Late ? FirstRow : Last);
    Bound.AtEnd = B.CreateSelect(Stays, Fixed, Single);
    Value *Farthest = inRow(B, Bound.Moving, Late ? Last : FirstRow);
    bool IsWide = Bound.Moving.bits() == 64;
    unsigned Bits = std::min(Bound.Moving.bits() - !IsWide, ExactBits);
    for (Value *V : {Bound.AtEnd, Farthest})
      IsExact = B.CreateAnd(IsExact, fits(B, V, Bits, /*Signed=*/IsWide));
    IsExact = B.CreateAnd(IsExact, B.CreateOr(Stays, IsOneRow));
  }
}

/// Lets the loops of \p Of have the bounds that move, in row \p Row, and those that stay.
void BandNest::setBounds(Loop &Of, Part Which, ValueToValueMapTy &Map,
                         Value *Row) {
  BasicBlock *Header = Of.getHeader();
  IRBuilder<> B(Header, Header->getFirstInsertionPt());
  // Whether a row in the middle has steps does not depend on the row.
  IRBuilder<> InFront(Of.getLoopPreheader()->getTerminator());
  for (const RowTest &Test : Tests) {
    if (Which != Part::Middle)
      break;
    Value *Distance = InFront.CreateSub(Test.Left.Begin, Test.Right.Begin);
    Map[Test.Compare]->replaceAllUsesWith(InFront.CreateICmp(
        ICmpInst::getSignedPredicate(Test.Compare->getPredicate()), Distance,
        InFront.getInt64(0)));
  }
  for (const CutBound &Bound : Bounds) {
    bool Moves =
        Which == Part::Middle || Bound.MovesLate == (Which == Part::Last);
    Value *New = Moves ? inRow(B, Bound.Moving, Row) : Bound.AtEnd,
          *Choice = Map[Bound.Choice];
    if (auto *Made = dyn_cast<BinaryOperator>(New); Made && Moves)
      Made->setHasNoSignedWrap();
    for (User *U : to_vector(Choice->users()))
      if ((isa<ZExtInst>(U) || isa<SExtInst>(U)) && U->getType() == I64)
        U->replaceAllUsesWith(New);
    Choice->replaceAllUsesWith(B.CreateTrunc(New, Choice->getType()));
  }
}

/// A copy of the loops in front of \p Before, behind \p From.
Loop *BandNest::copyRows(BasicBlock *Before, BasicBlock *From,
                         ValueToValueMapTy &Map) {
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Before, From, Rows, Map, ".part", &LI,
                                      &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  return Copy;
}

/// What \p Phi is in \p Row.
Value *BandNest::atRow(PHINode &Phi, Value *Row) {
  auto *Counter = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
  Type *Ty = SE.getEffectiveSCEVType(Phi.getType());
  const SCEV *Number = SE.getTruncateOrZeroExtend(SE.getUnknown(Row), Ty);
  const SCEV *Value =
      SE.getAddExpr(Counter->getStart(),
                    SE.getMulExpr(Number, Counter->getStepRecurrence(SE)));
  return Expander->expandCodeFor(Value, Phi.getType(), At);
}

/// Lets \p Copy begin with row \p First.
void BandNest::startAt(Loop &Copy, ValueToValueMapTy &Map, Value *First) {
  for (PHINode &Phi : Rows->getHeader()->phis())
    cast<PHINode>(Map[&Phi])->setIncomingValueForBlock(Copy.getLoopPreheader(),
                                                       atRow(Phi, First));
}

/// The number of the row in \p Copy, which begins with row \p First.
PHINode *BandNest::rowOf(Loop &Copy, ValueToValueMapTy &Map, Value *First) {
  for (PHINode &Phi : Rows->getHeader()->phis()) {
    std::optional<Counter> Counts = counter(&Phi);
    if (Counts && Phi.getType() == I64 && Counts->isUp() &&
        Counts->S->getStart()->isZero())
      return cast<PHINode>(Map[&Phi]);
  }
  PHINode *Row = PHINode::Create(I64, 2, "row", Copy.getHeader()->begin());
  IRBuilder<> B(Copy.getLoopLatch()->getTerminator());
  Row->addIncoming(First, Copy.getLoopPreheader());
  Row->addIncoming(B.CreateAdd(Row, B.getInt64(1), "", /*HasNUW=*/true,
                               /*HasNSW=*/true),
                   Copy.getLoopLatch());
  return Row;
}

/// Lets \p Copy go on to \p Next when its \p Row would be \p End.
void BandNest::endAt(Loop &Copy, PHINode &Row, Value *End, BasicBlock *Next) {
  BasicBlock *Header = Copy.getHeader(), *Latch = Copy.getLoopLatch();
  auto *Old = cast<BranchInst>(Latch->getTerminator());
  IRBuilder<> B(Old);
  Value *NextRow = Row.getIncomingValueForBlock(Latch);
  BranchInst *Branch =
      B.CreateCondBr(B.CreateICmpEQ(NextRow, End), Next, Header);
  Branch->setMetadata(LLVMContext::MD_loop,
                      Old->getMetadata(LLVMContext::MD_loop));
  Old->eraseFromParent();
}

/// Whether there are rows enough in \p Middle, which is all rows on entry.
Value *BandNest::chooseRows(Range &Middle, uint64_t Least) {
  IRBuilder<> B(At);
  Value *IsExact = B.getTrue();
  Value *Last = Middle.End;
  boundRows(Middle, IsExact);
  widenBounds(Middle, IsExact);
  fixBounds(Middle, Last, IsExact);
  B.SetInsertPoint(At);
  Value *NumRows = B.CreateSub(Middle.End, Middle.First);
  Value *AreEnough = B.CreateICmpSGE(NumRows, B.getInt64(Least));
  return B.CreateFreeze(B.CreateAnd(IsExact, AreEnough));
}

std::array<Loop *, 3> BandNest::run(bool OfAnyWidth, bool OfAnySize) {
  formLCSSARecursively(*Rows, DT, &LI, /*SE=*/nullptr);
  BasicBlock *From = Rows->getLoopPreheader();
  if (!From)
    From = InsertPreheaderForLoop(Rows, &DT, &LI, /*MSSAU=*/nullptr,
                                  /*PreserveLCSSA=*/true);
  BasicBlock *Decision = SplitBlock(From, From->getTerminator(), &DT, &LI);
  BasicBlock *Source =
      SplitBlock(Decision, Decision->getTerminator(), &DT, &LI);
  std::array<ValueToValueMapTy, 3> Maps;
  std::array<Loop *, 3> Parts;
  for (auto [Part, Map] : zip_equal(Parts, Maps))
    Part = copyRows(Source, Decision, Map);

  Expander.emplace(SE, "tilesmith");
  At = cast<BranchInst>(From->getTerminator());
  Value *Last = Expander->expandCodeFor(LastRow, I64, At);
  constexpr uint64_t ManyRows = uint64_t(1) << 31;
  IRBuilder<> B(At);
  Value *Few = B.getInt64(OfAnySize ? 0 : FewRows);
  Value *AreSome =
      B.CreateICmpULT(B.CreateSub(Last, Few), B.getInt64(ManyRows));
  B.CreateCondBr(B.CreateFreeze(AreSome), Decision, Source);
  At->eraseFromParent();

  At = cast<BranchInst>(Decision->getTerminator());
  Range Middle{B.getInt64(1), Last};
  Value *Chosen = chooseRows(Middle, OfAnySize ? 1 : FewRows / 2);
  if (!OfAnyWidth) {
    B.SetInsertPoint(At);
    Value *Beside = B.CreateAdd(Middle.First, B.CreateSub(Last, Middle.End));
    Value *IsWide = B.CreateICmpSGE(Beside, B.getInt64(FewBeside));
    Chosen = B.CreateFreeze(B.CreateAnd(Chosen, IsWide));
  }
  const std::array<Value *, 3> Begins{B.getInt64(0), Middle.First, Middle.End};
  std::array<PHINode *, 3> Numbers;
  for (unsigned I = 0; I < Parts.size(); ++I) {
    startAt(*Parts[I], Maps[I], Begins[I]);
    Numbers[I] = rowOf(*Parts[I], Maps[I], Begins[I]);
  }
  ReplaceInstWithInst(
      At, BranchInst::Create(Parts[0]->getLoopPreheader(), Source, Chosen));
  for (unsigned I : {0, 1})
    endAt(*Parts[I], *Numbers[I], Begins[I + 1],
          Parts[I + 1]->getLoopPreheader());
  for (PHINode &Phi : Rows->getUniqueExitBlock()->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Rows->getLoopLatch());
    Value *Mapped = Maps[2].lookup(V);
    Phi.addIncoming(Mapped ? Mapped : V, Parts[2]->getLoopLatch());
  }
  setBounds(*Parts[0], Part::First, Maps[0], Numbers[0]);
  setBounds(*Parts[1], Part::Middle, Maps[1], Numbers[1]);
  setBounds(*Parts[2], Part::Last, Maps[2], Numbers[2]);
  addStringMetadataToLoop(Rows, FallbackMark, 1);
  DT.recalculate(F);
  for (Loop *&Part : Parts)
    Part = Part->getSubLoops().front();
  return Parts;
}

/// How often \p Inner runs, in the middle rows, if that is known. Numbers there do
/// not wrap, so of the end and what follows the beginning, the greater one is that.
unsigned knownSteps(const Loop &Inner, ScalarEvolution &SE) {
  const SCEV *Last = SE.getBackedgeTakenCount(&Inner);
  const SCEV *Max = nullptr;
  if (!isa<SCEVCouldNotCompute>(Last))
    SCEVExprContains(Last, [&](const SCEV *Part) {
      if (isa<SCEVSMaxExpr, SCEVUMaxExpr>(Part))
        Max = Part;
      return Max != nullptr;
    });
  SmallVector<const SCEV *, 2> Possible{Last};
  if (Max)
    Possible = map_to_vector<2>(
        cast<SCEVMinMaxExpr>(Max)->operands(), [&](const SCEV *Operand) {
          return NodeReplacer(SE, Max, Operand).visit(Last);
        });
  int64_t Greatest = 0;
  for (const SCEV *S : Possible) {
    auto *Known = dyn_cast<SCEVConstant>(S);
    if (!Known || !Known->getAPInt().isSignedIntN(32))
      return 0;
    Greatest = std::max(Greatest, Known->getAPInt().getSExtValue());
  }
  return Greatest + 1;
}

/// How many steps the middle rows make, of which \p Inner is the loop, if that is
/// so few that LLVM makes vectors of rows once there is no loop over steps; or zero.
/// Products that may be fused with additions, or not, would be in some rows only.
unsigned fewSteps(const Loop &Inner, FunctionAnalysisManager &FAM) {
  Function &F = *Inner.getHeader()->getParent();
  constexpr unsigned Few = 7; // measured on Zen 5
  ScalarEvolution SE = scalarEvolution(F, FAM);
  unsigned Steps = knownSteps(Inner, SE);
  // Sums in memory, of columns that go by, overlap from row to row.
  bool IsOther = any_of(*Inner.getHeader(), [](const Instruction &I) {
    return (I.getOpcode() == Instruction::FMul && I.hasAllowContract()) ||
           I.mayWriteToMemory();
  });
  return Steps > Few || IsOther || Inner.getNumBlocks() > 1 || F.hasOptSize()
             ? 0
             : Steps;
}

/// What becomes of the middle rows, which a copy of the function tells.
std::optional<SplitBand> judge(Loop &Inner, FunctionAnalysisManager &FAM,
                               bool MakesVectors, Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  BandNest Copy(Copied.loopOf(Inner), FAM);
  if (!Copy.prepare())
    return std::nullopt;
  std::array<Loop *, 3> Parts =
      Copy.run(/*OfAnyWidth=*/true, /*OfAnySize=*/true);
  auto Verdicts = Ask(Copied.get(), Parts);
  auto IsProduct = [&](unsigned Part) {
    return std::holds_alternative<FoundProduct>(Verdicts[Part]);
  };
  if (IsProduct(1))
    return SplitBand{&Inner, /*NumDiagonals=*/0, IsProduct(0), IsProduct(2)};
  unsigned Steps = MakesVectors ? fewSteps(*Parts[1], FAM) : 0;
  return Steps ? std::optional(SplitBand{&Inner, Steps}) : std::nullopt;
}

/// Lets \p Inner count \p Steps steps, and be unrolled.
void unrollSteps(Loop &Inner, unsigned Steps) {
  BasicBlock *Body = Inner.getHeader();
  auto *Branch = cast<BranchInst>(Body->getTerminator());
  IRBuilder<> B(Body, Body->begin());
  PHINode *Step = B.CreatePHI(B.getInt32Ty(), 2, "step");
  B.SetInsertPoint(Branch);
  Value *Next = B.CreateAdd(Step, B.getInt32(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  Step->addIncoming(B.getInt32(0), Inner.getLoopPredecessor());
  Step->addIncoming(Next, Body);
  bool EndsIfTrue = Branch->getSuccessor(0) != Body;
  Branch->setCondition(
      B.CreateICmp(EndsIfTrue ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE, Next,
                   B.getInt32(Steps)));
  addStringMetadataToLoop(Inner.getParentLoop(), FallbackMark, 1);
  protectUntilRelease(Inner);
}

} // namespace

SmallVector<SplitBand, 1> findBands(Function &F, FunctionAnalysisManager &FAM,
                                    ArrayRef<Loop *> Candidates,
                                    bool MakesVectors, Judge Ask) {
  SmallVector<Loop *, 2> Bands;
  for (Loop *L : Candidates)
    if (BandNest(*L, FAM).prepare())
      Bands.push_back(L);
  if (Bands.empty() || !FunctionCopy::isPossible(F))
    return {};
  SmallVector<SplitBand, 1> Found;
  for (const auto &[L, Is] : zip_equal(Bands, Ask(F, Bands)))
    if (auto *No = std::get_if<Refusal>(&Is); No && No->Why == Reason::Band)
      if (std::optional<SplitBand> Band = judge(*L, FAM, MakesVectors, Ask))
        Found.push_back(*Band);
  return Found;
}

void splitBand(const SplitBand &Band, FunctionAnalysisManager &FAM,
               bool OfAnySize) {
  BandNest Nest(*Band.Inner, FAM);
  if (!Nest.prepare())
    return;
  auto [First, Middle, Last] =
      Nest.run(/*OfAnyWidth=*/OfAnySize || Band.NumDiagonals != 0, OfAnySize);
  if (!Band.FirstIsProduct)
    addStringMetadataToLoop(First->getParentLoop(), FallbackMark, 1);
  if (!Band.LastIsProduct)
    addStringMetadataToLoop(Last->getParentLoop(), FallbackMark, 1);
  if (Band.NumDiagonals)
    unrollSteps(*Middle, Band.NumDiagonals);
}

} // namespace tilesmith
