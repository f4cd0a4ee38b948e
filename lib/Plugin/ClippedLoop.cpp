//===- ClippedLoop.cpp - bounds that are clipped to an image --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClippedLoop.h"
#include "Extremes.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

Value *withoutExtension(Value *V) {
  Value *Narrow;
  return match(V, m_ZExtOrSExt(m_Value(Narrow))) ? Narrow : V;
}

/// A bound of a loop, in the type in which the source compares: the greatest, or
/// the least, of a number that does not change in the nest and others that do, and
/// a constant added to it.
struct Bound {
  /// A number that varies, less another one, if any.
  struct Clip {
    Value *Of;
    Value *Less = nullptr;
    bool IfNotNegative = false; ///< Less
  };
  Value *Narrow = nullptr;
  Value *Whole = nullptr;
  int64_t Offset = 0;
  SmallVector<Clip, 1> Clips;
};

/// The counter of a loop, which goes up by one, and what it is compared with.
struct Counting {
  PHINode *Counter;
  Value *End;
  bool IsTruncated = false; ///< the counter, to be compared
};

std::optional<Counting> countingOf(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  auto *Br = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  if (!Br || !Br->isConditional() || L.getExitingBlock() != Latch ||
      !L.getLoopPredecessor())
    return std::nullopt;
  CmpPredicate P;
  Value *Left, *Right;
  if (!match(Br->getCondition(), m_ICmp(P, m_Value(Left), m_Value(Right))))
    return std::nullopt;
  bool GoesOn = Br->getSuccessor(0) == L.getHeader();
  CmpInst::Predicate Passes =
      GoesOn ? CmpInst::Predicate(P) : CmpInst::getInversePredicate(P);
  if (ICmpInst::isGT(Passes)) {
    std::swap(Left, Right);
    Passes = ICmpInst::getSwappedPredicate(Passes);
  }
  if (Passes != ICmpInst::ICMP_NE && !ICmpInst::isLT(Passes))
    return std::nullopt;
  Value *Next = Left;
  bool IsTruncated =
      Passes == ICmpInst::ICMP_SLT && match(Left, m_Trunc(m_Value(Next)));
  for (PHINode &Phi : const_cast<Loop &>(L).getHeader()->phis())
    if (Phi.getIncomingValueForBlock(Latch) == Next &&
        match(Next, m_c_Add(m_Specific(&Phi), m_One())) &&
        L.isLoopInvariant(Right))
      return Counting{&Phi, Right, IsTruncated};
  return std::nullopt;
}

/// What a constant is added to, without wrapping, to make \p V.
Value *withoutOffset(Value *V, int64_t &Offset) {
  const APInt *C;
  Value *X;
  V = withoutExtension(V);
  if (!match(V, m_NSWAdd(m_Value(X), m_APInt(C))) || !C->isSignedIntN(31))
    return V;
  Offset = C->getSExtValue();
  return withoutExtension(X);
}

bool isExtreme(Value *V, bool Max) {
  int64_t Offset;
  Value *X, *Y, *Narrow = withoutOffset(V, Offset);
  return (Max && (matchCutAtZero(Narrow, X, Y) || matchExcess(Narrow, X, Y) ||
                  excessOf(*Narrow))) ||
         matchExtreme(Narrow, Max, /*MayBeUnsigned=*/true, X, Y);
}

class Widener {
public:
  Widener(Loop &L, FunctionAnalysisManager &FAM)
      : L(L), F(*L.getHeader()->getParent()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(F, FAM.getResult<TargetLibraryAnalysis>(F),
           FAM.getResult<AssumptionAnalysis>(F), DT, LI) {}

  /// Finds the bounds; false if they are not clipped, or if more depends on them
  /// than which steps are made.
  bool prepare() {
    std::optional<Counting> Found = countingOf(L);
    if (!Found || !L.getLoopPreheader())
      return false;
    for (BasicBlock *BB : root().blocks())
      for (Instruction &I : make_early_inc_range(*BB))
        if (auto *Choice = dyn_cast<SelectInst>(&I))
          makeMaximum(*Choice);
    Counter = Found->Counter;
    Value *Start = Counter->getIncomingValueForBlock(L.getLoopPreheader());
    return parse(Start, First, /*IsFirst=*/true) &&
           parse(Found->End, End, /*IsFirst=*/false) &&
           (hasOneClip() || isBand()) &&
           (!Found->IsTruncated || beginsAsCompared(Start)) && isEntered() &&
           carriesValues();
  }

  void run() {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
    if (hasOneClip() && !First.Clips.empty() && hasOneProduct())
      compareStart();
    if (hasOneClip())
      enterWhole();
    for (const Bound::Clip &Clip : First.Clips)
      if (Clip.IfNotNegative && hasOneProduct())
        compareDifferences(Clip);
    BasicBlock *Body = SplitBlock(Header, Header->getFirstNonPHIIt(), &DT, &LI);
    if (Latch == Header)
      Latch = Body;
    BasicBlock *Next = SplitBlock(Latch, Latch->getTerminator(), &DT, &LI);
    makeTest(*Header, *Body, *Next);
    DT.changeImmediateDominator(Next, Header);
    carryValues(*Header, *Latch, *Next);
    count(*Next);
  }

private:
  /// Makes max(x, y) - y of x > y ? x - y : 0, which is the same, also where LLVM has
  /// widened what is compared.
  void makeMaximum(SelectInst &Choice) {
    std::optional<Excess> Found = excessOf(Choice);
    if (!Found || !isWidened(*Found->High, *Found->X) ||
        !isWidened(*Found->Low, *Found->Y))
      return;
    IRBuilder<> B(&Choice);
    Value *Greatest =
        B.CreateBinaryIntrinsic(Intrinsic::smax, Found->X, Found->Y);
    Choice.replaceAllUsesWith(B.CreateSub(Greatest, Found->Y));
    Choice.eraseFromParent();
  }

  /// Whether \p Wide is the signed number \p Narrow.
  bool isWidened(Value &Wide, Value &Narrow) {
    const SCEV *W = SE.getSCEV(&Wide), *N = SE.getSCEV(&Narrow);
    unsigned Bits = SE.getTypeSizeInBits(N->getType());
    return W == N || (SE.getTypeSizeInBits(W->getType()) > Bits &&
                      (W == SE.getSignExtendExpr(N, W->getType()) ||
                       (SE.getTruncateExpr(W, N->getType()) == N &&
                        SE.getSignedRange(W).getMinSignedBits() <= Bits)));
  }

  /// Splits \p V into what clips the loop, and the bound that it has elsewhere.
  bool parse(Value *V, Bound &To, bool IsFirst) {
    To.Narrow = withoutOffset(V, To.Offset);
    SmallVector<Value *, 4> Work{To.Narrow};
    while (!Work.empty()) {
      Value *Part = Work.pop_back_val(), *X, *Y;
      if (!root().isLoopInvariant(Part) &&
          (matchExtreme(Part, IsFirst, /*MayBeUnsigned=*/false, X, Y) ||
           (matchExtreme(Part, IsFirst, /*MayBeUnsigned=*/true, X, Y) &&
            SE.isKnownNonNegative(SE.getSCEV(X)) &&
            SE.isKnownNonNegative(SE.getSCEV(Y))))) {
        Work.append({X, Y});
      } else if (IsFirst && matchCutAtZero(Part, X, Y) &&
                 !root().isLoopInvariant(Part) &&
                 SE.isKnownNonNegative(SE.getSCEV(X)) &&
                 SE.isKnownNonNegative(SE.getSCEV(Y))) {
        To.Clips.push_back({X, Y});
        Work.push_back(Constant::getNullValue(Part->getType()));
      } else if (IsFirst && matchExcess(Part, X, Y) &&
                 root().isLoopInvariant(Y) && !root().isLoopInvariant(X) &&
                 SE.isKnownNonNegative(SE.getSCEV(X))) {
        // If Y is not negative, either, their difference does not wrap.
        To.Clips.push_back({X, Y, /*IfNotNegative=*/true});
        Work.push_back(Constant::getNullValue(Part->getType()));
      } else if (!root().isLoopInvariant(Part)) {
        To.Clips.push_back({Part});
      } else if (To.Whole && To.Whole != Part) {
        return false;
      } else {
        To.Whole = Part;
      }
    }
    return To.Whole && (To.Narrow->getType()->getIntegerBitWidth() < 64 ||
                        staysInRange(To));
  }

  /// Whether the offset can be added to each of the numbers, 64 bits wide.
  bool staysInRange(const Bound &Of) {
    auto Stays = [&](Value *V) {
      const SCEV *S = SE.getSCEV(V);
      ConstantRange Offset(APInt(SE.getTypeSizeInBits(S->getType()),
                                 static_cast<uint64_t>(Of.Offset),
                                 /*isSigned=*/true));
      return SE.getSignedRange(S).signedAddMayOverflow(Offset) ==
             ConstantRange::OverflowResult::NeverOverflows;
    };
    return !Of.Offset ||
           (Stays(Of.Whole) && all_of(Of.Clips, [&](const Bound::Clip &Clip) {
              return !Clip.Less && Stays(Clip.Of);
            }));
  }

  /// Whether \p Start, a wide number that is compared as a narrow one, is the same
  /// signed number in both types.
  bool beginsAsCompared(Value *Start) {
    return isa<SExtInst>(Start) || beginsFromZeroOn();
  }

  bool beginsFromZeroOn() {
    return SE.isKnownNonNegative(narrow(First, First.Whole));
  }

  /// \p V, which \p Of is made of, in its type.
  const SCEV *narrow(const Bound &Of, Value *V) {
    return SE.getAddExpr(SE.getSCEV(V),
                         SE.getConstant(V->getType(), Of.Offset, true));
  }

  Loop &root() const { return *L.getOutermostLoop(); }

  /// Whether the loop is entered only if it begins before it ends, as signed
  /// numbers.
  bool isEntered() {
    return First.Narrow->getType() == End.Narrow->getType() &&
           (isGuardedBy(First.Narrow) || (isBand() && isGuardedAround()) ||
            (hasOneClip() && !First.Clips.empty() && isGuardedBy(First.Whole) &&
             (findGuard() || findGuardAround())));
  }

  bool isGuardedBy(Value *Begin) {
    return SE.isLoopEntryGuardedByCond(
        &L, ICmpInst::ICMP_SLT, narrow(First, Begin), narrow(End, End.Narrow));
  }

  /// Whether both ends are clipped, or one by several numbers. If offsets are added
  /// to numbers of 64 bits, a band is left to its own rows.
  bool isBand() const {
    auto HasOffset = [](const Bound &Of) {
      return Of.Offset && Of.Narrow->getType()->getIntegerBitWidth() >= 64;
    };
    return First.Clips.size() + End.Clips.size() > 1 && !HasOffset(First) &&
           !HasOffset(End);
  }

  bool hasOneClip() const { return First.Clips.size() + End.Clips.size() == 1; }

  /// The branch that enters the loop if it begins before it ends and goes past it
  /// otherwise; null if there is none.
  BranchInst *findGuard() {
    BranchInst *Guard = L.getLoopGuardBranch();
    if (!Guard)
      return nullptr;
    bool Enters = Guard->getSuccessor(0) == L.getLoopPreheader();
    return Guard->getSuccessor(Enters)->phis().empty() &&
                   comparesStart(*Guard, Enters)
               ? Guard
               : nullptr;
  }

  /// Such a branch that also goes past loops around, which go on to the next row.
  BranchInst *findGuardAround() {
    for (auto *Node = DT.getNode(L.getLoopPreheader())->getIDom();
         Node && root().contains(Node->getBlock()); Node = Node->getIDom()) {
      auto *Guard = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (!Guard || !Guard->isConditional() ||
          Guard->getSuccessor(0) == Guard->getSuccessor(1))
        continue;
      for (unsigned I : {0, 1})
        if (entersAt(*Guard, I) && comparesStart(*Guard, I == 0) &&
            all_of(ArrayRef<Value *>{First.Clips.front().Of, First.Whole,
                                     End.Narrow},
                   [&](Value *V) { return DT.dominates(V, Guard); }))
          return Guard;
    }
    return nullptr;
  }

  /// Whether a branch around compares what the loop begins and ends at, frozen as
  /// LLVM moves it out of loops: where it lets in, what is compared is no poison, as
  /// the loop compares it, too.
  bool isGuardedAround() {
    for (auto *Node = DT.getNode(L.getLoopPreheader())->getIDom();
         Node && root().contains(Node->getBlock()); Node = Node->getIDom()) {
      auto *Guard = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (Guard && Guard->isConditional() &&
          Guard->getSuccessor(0) != Guard->getSuccessor(1) &&
          any_of(ArrayRef({0u, 1u}), [&](unsigned I) {
            return entersAt(*Guard, I) && comparesStart(*Guard, I == 0);
          }))
        return true;
    }
    return false;
  }

  /// Whether the loop is reached only by successor \p I of \p Guard.
  bool entersAt(const BranchInst &Guard, unsigned I) {
    return DT.dominates({Guard.getParent(), Guard.getSuccessor(I)},
                        L.getLoopPreheader());
  }

  /// Whether \p Guard goes on to the loop, if \p Enters at its first successor, only
  /// where that begins before it ends. If LLVM has widened what it compares, that is
  /// the exact number that the clip is: it is less than the end, and so fits.
  bool comparesStart(const BranchInst &Guard, bool Enters) {
    Value *Condition = Guard.getCondition();
    if (hasOneClip() || !match(Condition, m_Freeze(m_Value(Condition))))
      Condition = Guard.getCondition();
    auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
      return false;
    CmpInst::Predicate P =
        Enters ? Compare->getPredicate() : Compare->getInversePredicate();
    const SCEV *Low = SE.getSCEV(Compare->getOperand(0)),
               *High = SE.getSCEV(Compare->getOperand(1));
    if (ICmpInst::isGT(P)) {
      std::swap(Low, High);
      P = ICmpInst::getSwappedPredicate(P);
    }
    if (P != ICmpInst::ICMP_SLT)
      return false;
    const SCEV *Last = narrow(End, End.Narrow);
    if (Low == narrow(First, First.Narrow) && High == Last)
      return true;
    if (!hasOneClip() || First.Clips.empty() || First.Clips[0].Less)
      return false;
    // Of the greatest number, LLVM leaves out what it knows to be less.
    const SCEV *Clip = narrow(First, First.Clips[0].Of);
    if (Low == Clip && High == Last)
      return true;
    return isWidenedDistance(Low, High, Clip, Last);
  }

  /// Whether \p Low < \p High if \p Clip < \p Last, exact numbers of more bits.
  bool isWidenedDistance(const SCEV *Low, const SCEV *High, const SCEV *Clip,
                         const SCEV *Last) {
    unsigned Bits = SE.getTypeSizeInBits(Last->getType());
    unsigned Wide = SE.getTypeSizeInBits(Low->getType());
    auto IsModerate = [&](const SCEV *S) {
      return SE.getSignedRange(S).getMinSignedBits() <= Bits + 2;
    };
    if (Bits + 4 > Wide || !IsModerate(Low) || !IsModerate(High))
      return false;
    const SCEV *Excess = SE.getMinusSCEV(Low, High);
    // The end is no less than what the loop begins at where it is not clipped.
    const SCEV *Exact =
        SE.getAddExpr(Excess, beginsFromZeroOn()
                                  ? SE.getZeroExtendExpr(Last, Low->getType())
                                  : SE.getSignExtendExpr(Last, Low->getType()));
    auto Less = [&](const SCEV *Exactly, const SCEV *Compared) {
      return SE.getMinusSCEV(SE.getTruncateExpr(Exactly, Last->getType()),
                             Compared);
    };
    return Less(Low, Clip) == Less(High, Last) &&
           SE.getSignedRange(Exact).getSignedMin().sge(
               APInt::getSignedMinValue(Bits).sext(Wide));
  }

  /// Where one diagonal clips the loop, it is entered if it were not clipped: the
  /// tests inside leave out all steps then.
  void enterWhole() {
    BranchInst *Guard = findGuard();
    if (!Guard)
      return;
    bool Enters = Guard->getSuccessor(0) == L.getLoopPreheader();
    IRBuilder<> B(Guard);
    Value *From = widened(B, First.Whole, First.Offset);
    Value *Runs = B.CreateICmpSLT(From, widened(B, End.Whole, End.Offset));
    Guard->setCondition(Enters ? Runs : B.CreateNot(Runs));
  }

  bool hasOneProduct() const {
    return count_if(root().getLoopsInPreorder(),
                    [](const Loop *Part) { return Part->isInnermost(); }) == 1;
  }

  /// Where loops around ask whether this one has steps, they compare the difference
  /// that \p Clip is, if it is not negative: that is what the test inside asks for.
  void compareDifferences(const Bound::Clip &Clip) {
    for (BasicBlock *BB : root().blocks())
      for (Instruction &I : *BB) {
        auto *Compare = dyn_cast<ICmpInst>(&I);
        for (unsigned Side = 0; Compare && Side < 2; ++Side) {
          Value *X, *Y;
          if (L.contains(Compare) ||
              !matchExcess(Compare->getOperand(Side), X, Y) || Y != Clip.Less ||
              SE.getSCEV(X) != SE.getSCEV(Clip.Of))
            continue;
          IRBuilder<> B(Compare);
          Compare->setOperand(Side, B.CreateBinaryIntrinsic(
                                        Intrinsic::smax, B.CreateSub(X, Y),
                                        Constant::getNullValue(X->getType())));
        }
      }
  }

  /// Where loops around ask in another way whether this one has steps, they compare
  /// what it begins at.
  void compareStart() {
    const Bound::Clip &Clip = First.Clips.front();
    BranchInst *Guard = findGuard() ? nullptr : findGuardAround();
    if (!Guard || Clip.Less || Clip.IfNotNegative)
      return;
    IRBuilder<> B(Guard);
    auto Added = [&](Value *V, int64_t Offset) {
      return B.CreateNSWAdd(V, ConstantInt::getSigned(V->getType(), Offset));
    };
    Value *Start =
        B.CreateBinaryIntrinsic(Intrinsic::smax, Added(Clip.Of, First.Offset),
                                Added(First.Whole, First.Offset));
    Value *Runs = B.CreateICmpSLT(Start, Added(End.Narrow, End.Offset));
    Guard->setCondition(entersAt(*Guard, 0) ? Runs : B.CreateNot(Runs));
  }

  /// Whether what an iteration changes is the counter and sums, which stay as
  /// they are where no step is made.
  bool carriesValues() {
    SmallPtrSet<const Value *, 4> Carried;
    for (PHINode &Phi : L.getHeader()->phis()) {
      if (&Phi != Counter && SE.isSCEVable(Phi.getType()) &&
          isa<SCEVAddRecExpr>(SE.getSCEV(&Phi)))
        return false;
      if (&Phi != Counter)
        Carried.insert(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    }
    return all_of(L.blocks(), [&](const BasicBlock *BB) {
      return all_of(*BB, [&](const Instruction &I) {
        return Carried.contains(&I) || all_of(I.users(), [&](const User *U) {
                 return L.contains(cast<Instruction>(U));
               });
      });
    });
  }

  /// \p V as wide as the counter, and what is added to it.
  Value *widened(IRBuilder<> &B, Value *V, int64_t Offset = 0) {
    Value *Wide = B.CreateSExt(V, Counter->getType());
    return B.CreateNSWAdd(Wide,
                          ConstantInt::getSigned(Counter->getType(), Offset));
  }

  /// What the counter is compared with inside.
  Value *boundary(IRBuilder<> &B, const Bound &Of, const Bound::Clip &Clip) {
    if (Clip.IfNotNegative)
      return widened(B, B.CreateSub(Clip.Of, Clip.Less), Of.Offset);
    Value *At = widened(B, Clip.Of, Of.Offset);
    return Clip.Less ? B.CreateNSWSub(At, widened(B, Clip.Less)) : At;
  }

  void makeTest(BasicBlock &Header, BasicBlock &Body, BasicBlock &Next) {
    IRBuilder<> B(Header.getTerminator());
    Value *IsInside = nullptr;
    auto Test = [&](CmpInst::Predicate P, const Bound &Of,
                    const Bound::Clip &Clip) {
      Value *Passes = B.CreateICmp(P, Counter, boundary(B, Of, Clip));
      if (Clip.IfNotNegative)
        Passes = B.CreateAnd(
            Passes, B.CreateICmpSGE(Clip.Less, Constant::getNullValue(
                                                   Clip.Less->getType())));
      IsInside = IsInside ? B.CreateAnd(IsInside, Passes) : Passes;
    };
    for (const Bound::Clip &Clip : First.Clips)
      Test(ICmpInst::ICMP_SGE, First, Clip);
    for (const Bound::Clip &Clip : End.Clips)
      Test(ICmpInst::ICMP_SLT, End, Clip);
    B.CreateCondBr(IsInside, &Body, &Next)
        ->setMetadata(ClippedMark, MDNode::get(F.getContext(), {}));
    Header.getTerminator()->eraseFromParent();
  }

  /// Sums stay as they were where there is no step.
  void carryValues(BasicBlock &Header, BasicBlock &Latch, BasicBlock &Next) {
    for (PHINode &Phi : Header.phis()) {
      if (&Phi == Counter)
        continue;
      Value *Sum = Phi.getIncomingValueForBlock(&Next);
      PHINode *After = PHINode::Create(Sum->getType(), 2, "", Next.begin());
      After->addIncoming(&Phi, &Header);
      After->addIncoming(Sum, &Latch);
      Sum->replaceUsesWithIf(After, [&](Use &U) {
        auto *User = cast<Instruction>(U.getUser());
        return User == &Phi || !L.contains(User);
      });
    }
  }

  /// Counts from the first number to the last one.
  void count(BasicBlock &Next) {
    auto *Old = cast<BranchInst>(Next.getTerminator());
    IRBuilder<> B(L.getLoopPreheader()->getTerminator());
    Value *From = widened(B, First.Whole, First.Offset);
    Value *To = widened(B, End.Whole, End.Offset);
    B.SetInsertPoint(Old);
    Value *Following =
        B.CreateAdd(Counter, ConstantInt::get(From->getType(), 1));
    bool GoesOn = Old->getSuccessor(0) == L.getHeader();
    Old->setCondition(B.CreateICmp(
        GoesOn ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ, Following, To));
    Counter->setIncomingValueForBlock(L.getLoopPreheader(), From);
    Counter->setIncomingValueForBlock(&Next, Following);
  }

  Loop &L;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution SE;
  PHINode *Counter = nullptr;
  Bound First, End;
};

} // namespace

bool mayBeClipped(const Loop &L) {
  std::optional<Counting> Found = countingOf(L);
  return Found && (isExtreme(Found->End, /*Max=*/false) ||
                   isExtreme(Found->Counter->getIncomingValueForBlock(
                                 L.getLoopPredecessor()),
                             /*Max=*/true));
}

bool makeWhole(Loop &L, FunctionAnalysisManager &FAM) {
  Widener Made(L, FAM);
  bool IsClipped = Made.prepare();
  if (IsClipped)
    Made.run();
  return IsClipped;
}

} // namespace tilesmith
