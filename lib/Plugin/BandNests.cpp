//===- BandNests.cpp - rows of a band, by thirds --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BandNests.h"
#include "FunctionCopy.h"
#include "tilesmith/Rewrite/Rewrite.h"
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

/// A value of a row that is one of two, of which one moves with the rows and the
/// other stays: a bound that is cut off. It is the one that moves where
/// Moving Predicate Fixed.
struct CutBound {
  Instruction *Choice;
  Value *Moving;
  CmpInst::Predicate Predicate;
  Value *Left, *Right;    ///< of which one moves, by one with each row
  Value *Begin = nullptr; ///< what Moving would be in row 0, 64 bits wide
};

/// Rows from First up to End, 64 bits wide.
struct Range {
  Value *First, *End;
};

/// Fewer rows are left to the source's loops.
constexpr uint64_t FewRows = 16;

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

  /// Returns the innermost loop of the middle nest.
  Loop &run();

private:
  bool hasRows();
  bool findBounds();
  std::optional<CutBound> cutBound(Instruction &I);
  bool moves(Value *V);
  void boundRows(Range &Middle, Value *&IsExact);
  void widenBounds(const Range &Middle, Value *&IsExact);
  void setBounds(Loop &Middle, ValueToValueMapTy &Map);
  bool isUp(Value *Moving);
  Value *startOf(Value *Moving);
  Value *atRow(const CutBound &Bound, Value *Row, bool IsExact, IRBuilder<> &B);
  Loop *copyRows(BasicBlock *Before, BasicBlock *From, ValueToValueMapTy &Map);
  void startAt(Loop &Copy, ValueToValueMapTy &Map, Value *First);
  void endAt(Loop &Copy, Value *First, Value *End, BasicBlock *Next);
  Value *chooseRows(Range &Middle);
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
      !Inner.getLoopLatch() || Inner.getExitingBlock() != Inner.getLoopLatch())
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

/// Whether \p V goes up or down by one with each row.
bool BandNest::moves(Value *V) {
  auto *Counter = SE.isSCEVable(V->getType())
                      ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V))
                      : nullptr;
  if (!Counter || Counter->getLoop() != Rows || !Counter->isAffine())
    return false;
  const SCEV *Step = Counter->getStepRecurrence(SE);
  SCEVExpander Test(SE, "tilesmith");
  return (Step->isOne() || Step->isAllOnesValue()) &&
         Test.isSafeToExpandAt(Counter->getStart(),
                               Rows->getLoopPredecessor()->getTerminator());
}

/// What \p I chooses between, if it is a bound that is cut off.
std::optional<CutBound> BandNest::cutBound(Instruction &I) {
  CutBound Result{&I, nullptr, CmpInst::BAD_ICMP_PREDICATE, nullptr, nullptr};
  Value *IfTrue, *IfFalse;
  if (auto *MinMax = dyn_cast<MinMaxIntrinsic>(&I)) {
    Result.Left = IfTrue = MinMax->getLHS();
    Result.Right = IfFalse = MinMax->getRHS();
    Result.Predicate = MinMax->getPredicate();
  } else if (auto *Choice = dyn_cast<SelectInst>(&I)) {
    auto *Compare = dyn_cast<ICmpInst>(Choice->getCondition());
    if (!Compare)
      return std::nullopt;
    Result.Left = Compare->getOperand(0);
    Result.Right = Compare->getOperand(1);
    Result.Predicate = Compare->getPredicate();
    IfTrue = Choice->getTrueValue();
    IfFalse = Choice->getFalseValue();
  } else {
    return std::nullopt;
  }
  if (!I.getType()->isIntegerTy() || !Result.Left->getType()->isIntegerTy() ||
      I.getType()->getScalarSizeInBits() > 64 ||
      Result.Left->getType()->getScalarSizeInBits() > 64 ||
      ICmpInst::isEquality(Result.Predicate))
    return std::nullopt;
  auto IsFixed = [&](Value *V) { return Rows->isLoopInvariant(V); };
  bool TakesTrue = moves(IfTrue) && IsFixed(IfFalse);
  if (!TakesTrue && !(moves(IfFalse) && IsFixed(IfTrue)))
    return std::nullopt;
  Result.Moving = TakesTrue ? IfTrue : IfFalse;
  if (!TakesTrue)
    Result.Predicate = CmpInst::getInversePredicate(Result.Predicate);
  if (IsFixed(Result.Left)) {
    std::swap(Result.Left, Result.Right);
    Result.Predicate = CmpInst::getSwappedPredicate(Result.Predicate);
  }
  if (!moves(Result.Left) || !IsFixed(Result.Right))
    return std::nullopt;
  return Result;
}

bool BandNest::findBounds() {
  for (BasicBlock *BB : Rows->blocks())
    if (!Inner.contains(BB))
      for (Instruction &I : *BB)
        if (std::optional<CutBound> Bound = cutBound(I))
          Bounds.push_back(*Bound);
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
  for (const CutBound &Bound : Bounds) {
    bool Signed = CmpInst::isSigned(Bound.Predicate), IsUp = isUp(Bound.Left);
    auto Widened = [&](Value *V) {
      return Signed ? B.CreateSExt(V, I64) : B.CreateZExt(V, I64);
    };
    Value *Begin = Widened(startOf(Bound.Left));
    Value *Fixed = Widened(Bound.Right);
    Value *End = IsUp ? B.CreateAdd(Begin, Last) : B.CreateSub(Begin, Last);
    unsigned Bits =
        std::min(Bound.Left->getType()->getScalarSizeInBits(), ExactBits);
    for (Value *V : {Begin, Fixed, End})
      IsExact = B.CreateAnd(IsExact, fits(B, V, Bits, Signed));
    // The row in which both are equal.
    Value *Equal = IsUp ? B.CreateSub(Fixed, Begin) : B.CreateSub(Begin, Fixed);
    Value *Behind = B.CreateAdd(Equal, B.getInt64(1));
    bool IsGreater =
        ICmpInst::isGT(Bound.Predicate) || ICmpInst::isGE(Bound.Predicate);
    bool IsStrict = CmpInst::isStrictPredicate(Bound.Predicate);
    if (IsGreater == IsUp) // from there on
      Middle.First = B.CreateBinaryIntrinsic(Intrinsic::smax, Middle.First,
                                             IsStrict ? Behind : Equal);
    else // up to there
      Middle.End = B.CreateBinaryIntrinsic(Intrinsic::smin, Middle.End,
                                           IsStrict ? Equal : Behind);
  }
}

bool BandNest::isUp(Value *Moving) {
  auto *Counter = cast<SCEVAddRecExpr>(SE.getSCEV(Moving));
  return Counter->getStepRecurrence(SE)->isOne();
}

/// What \p Moving is in the first row.
Value *BandNest::startOf(Value *Moving) {
  auto *Counter = cast<SCEVAddRecExpr>(SE.getSCEV(Moving));
  return Expander->expandCodeFor(Counter->getStart(), nullptr, At);
}

/// What the value that moves is in \p Row, both 64 bits wide.
Value *BandNest::atRow(const CutBound &Bound, Value *Row, bool IsExact,
                       IRBuilder<> &B) {
  auto Operation = isUp(Bound.Moving) ? Instruction::Add : Instruction::Sub;
  Value *Result = B.CreateBinOp(Operation, Bound.Begin, Row);
  if (auto *Made = dyn_cast<BinaryOperator>(Result))
    Made->setHasNoSignedWrap(IsExact);
  return Result;
}

/// Computes the bounds that move 64 bits wide. Clears \p IsExact if they are not
/// what narrow ones are in all rows of \p Middle, none less than zero, or if they
/// cannot be subtracted from each other.
void BandNest::widenBounds(const Range &Middle, Value *&IsExact) {
  IRBuilder<> B(At);
  Value *Last = B.CreateSub(Middle.End, B.getInt64(1));
  for (CutBound &Bound : Bounds) {
    unsigned Bits = Bound.Moving->getType()->getScalarSizeInBits();
    Bound.Begin = B.CreateSExt(startOf(Bound.Moving), I64);
    for (Value *Row : {Middle.First, Last}) {
      Value *V = atRow(Bound, Row, /*IsExact=*/false, B);
      IsExact = B.CreateAnd(IsExact,
                            Bits < 64 ? fits(B, V, Bits - 1, /*Signed=*/false)
                                      : fits(B, V, ExactBits, /*Signed=*/true));
    }
  }
}

/// Lets the loops of \p Middle have the bounds that move.
void BandNest::setBounds(Loop &Middle, ValueToValueMapTy &Map) {
  BasicBlock *Header = Middle.getHeader();
  Value *Row = &*Header->begin();
  SmallDenseMap<Value *, const CutBound *, 4> OfChoice;
  for (const CutBound &Bound : Bounds)
    OfChoice[Map[Bound.Choice]] = &Bound;
  IRBuilder<> B(Header, Header->getFirstInsertionPt());
  for (const auto &[Choice, Bound] : OfChoice) {
    SmallVector<User *, 4> Users(Choice->users());
    for (User *U : Users) {
      if ((isa<ZExtInst>(U) || isa<SExtInst>(U)) && U->getType() == I64)
        U->replaceAllUsesWith(atRow(*Bound, Row, /*IsExact=*/true, B));
      auto *Compare = dyn_cast<ICmpInst>(U);
      if (!Compare)
        continue;
      const CutBound *Left = OfChoice.lookup(Compare->getOperand(0));
      const CutBound *Right = OfChoice.lookup(Compare->getOperand(1));
      // Whether a row has steps does not depend on the row.
      if (Left && Right && isUp(Left->Moving) == isUp(Right->Moving)) {
        IRBuilder<> InFront(Middle.getLoopPreheader()->getTerminator());
        bool IsUp = isUp(Left->Moving);
        Value *Less = IsUp ? Left->Begin : Right->Begin;
        Value *Distance =
            InFront.CreateSub(Less, IsUp ? Right->Begin : Left->Begin);
        Compare->replaceAllUsesWith(InFront.CreateICmp(
            ICmpInst::getSignedPredicate(Compare->getPredicate()), Distance,
            InFront.getInt64(0)));
      }
    }
  }
  for (const CutBound &Bound : Bounds) {
    Value *Moving = Map.lookup(Bound.Moving);
    Map[Bound.Choice]->replaceAllUsesWith(Moving ? Moving : Bound.Moving);
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

/// Lets \p Copy, which begins with row \p First, go on to \p Next at row \p End.
void BandNest::endAt(Loop &Copy, Value *First, Value *End, BasicBlock *Next) {
  BasicBlock *Header = Copy.getHeader(), *Latch = Copy.getLoopLatch();
  IRBuilder<> B(Header, Header->begin());
  PHINode *Row = B.CreatePHI(I64, 2, "row");
  Row->addIncoming(First, Copy.getLoopPreheader());
  auto *Old = cast<BranchInst>(Latch->getTerminator());
  B.SetInsertPoint(Old);
  Value *NextRow = B.CreateAdd(Row, B.getInt64(1), "", /*HasNUW=*/true,
                               /*HasNSW=*/true);
  Row->addIncoming(NextRow, Latch);
  BranchInst *Branch =
      B.CreateCondBr(B.CreateICmpEQ(NextRow, End), Next, Header);
  Branch->setMetadata(LLVMContext::MD_loop,
                      Old->getMetadata(LLVMContext::MD_loop));
  Old->eraseFromParent();
}

/// Whether there are rows enough in \p Middle, which is all rows on entry.
Value *BandNest::chooseRows(Range &Middle) {
  IRBuilder<> B(At);
  Value *IsExact = B.getTrue();
  boundRows(Middle, IsExact);
  widenBounds(Middle, IsExact);
  B.SetInsertPoint(At);
  Value *NumRows = B.CreateSub(Middle.End, Middle.First);
  Value *AreEnough = B.CreateICmpSGE(NumRows, B.getInt64(FewRows / 2));
  return B.CreateFreeze(B.CreateAnd(IsExact, AreEnough));
}

Loop &BandNest::run() {
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
  Value *AreSome = B.CreateICmpULT(B.CreateSub(Last, B.getInt64(FewRows)),
                                   B.getInt64(ManyRows));
  B.CreateCondBr(B.CreateFreeze(AreSome), Decision, Source);
  At->eraseFromParent();

  At = cast<BranchInst>(Decision->getTerminator());
  Range Middle{B.getInt64(1), Last};
  Value *Chosen = chooseRows(Middle);
  startAt(*Parts[0], Maps[0], B.getInt64(0));
  startAt(*Parts[1], Maps[1], Middle.First);
  startAt(*Parts[2], Maps[2], Middle.End);
  ReplaceInstWithInst(
      At, BranchInst::Create(Parts[0]->getLoopPreheader(), Source, Chosen));
  endAt(*Parts[0], B.getInt64(0), Middle.First, Parts[1]->getLoopPreheader());
  endAt(*Parts[1], Middle.First, Middle.End, Parts[2]->getLoopPreheader());
  for (PHINode &Phi : Rows->getUniqueExitBlock()->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Rows->getLoopLatch());
    Value *Mapped = Maps[2].lookup(V);
    Phi.addIncoming(Mapped ? Mapped : V, Parts[2]->getLoopLatch());
  }
  setBounds(*Parts[1], Maps[1]);
  for (Loop *Other : {Rows, Parts[0], Parts[2]})
    addStringMetadataToLoop(Other, FallbackMark, 1);
  DT.recalculate(F);
  return *Parts[1]->getSubLoops().front();
}

/// Whether the middle rows will be replaced, which a copy of the function tells.
bool isOfUse(Loop &Inner, FunctionAnalysisManager &FAM, Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  BandNest Copy(Copied.loopOf(Inner), FAM);
  if (!Copy.prepare())
    return false;
  Loop *Middle = &Copy.run();
  return std::holds_alternative<FoundProduct>(
      Ask(Copied.get(), Middle).front());
}

} // namespace

bool splitBands(Function &F, FunctionAnalysisManager &FAM,
                ArrayRef<Loop *> Candidates, Judge Ask) {
  SmallVector<Loop *, 2> Bands;
  for (Loop *L : Candidates)
    if (BandNest(*L, FAM).prepare())
      Bands.push_back(L);
  if (Bands.empty() || !FunctionCopy::isPossible(F))
    return false;
  SmallVector<Loop *, 2> Found;
  for (const auto &[L, Is] : zip_equal(Bands, Ask(F, Bands)))
    if (auto *No = std::get_if<Refusal>(&Is);
        No && No->Why == Reason::Band && isOfUse(*L, FAM, Ask))
      Found.push_back(L);
  for (Loop *L : Found) {
    BandNest Nest(*L, FAM);
    if (Nest.prepare())
      Nest.run();
  }
  return !Found.empty();
}

} // namespace tilesmith
