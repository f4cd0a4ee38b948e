//===- PhasedNests.cpp - scatters a distance apart ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhasedNests.h"
#include "Driver.h"
#include "FunctionCopy.h"
#include "LoopShape.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <array>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// Whether \p L is left behind its latch only, and does nothing but load, store
/// and compute what is not used after it.
bool isPlain(const Loop &L) {
  if (!L.getLoopPredecessor() || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      L.getExitingBlock() != L.getLoopLatch() ||
      !isa<BranchInst>(L.getLoopLatch()->getTerminator()))
    return false;
  auto IsPlain = [&](const Instruction &I) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    bool MayTouch = Load ? Load->isSimple() : Store && Store->isSimple();
    return (MayTouch || !(I.mayReadOrWriteMemory() || I.mayHaveSideEffects()));
  };
  return all_of(L.blocks(),
                [&](const BasicBlock *BB) { return all_of(*BB, IsPlain); });
}

/// Whether \p L touches no memory.
bool isIdle(const Loop &L) {
  return none_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(
        *BB, [](const Instruction &I) { return I.mayReadOrWriteMemory(); });
  });
}

/// Where they begin, in a block that dominates all others of them, and where the
/// innermost loop inside does.
struct Phases {
  BasicBlock *First, *Sums;
};

/// The nest that ends in one loop, as far as it scatters products.
class PhasedNest {
public:
  PhasedNest(Loop &Inner, AAResults &AA, LoopInfo &LI, DominatorTree &DT,
             ScalarEvolution &SE)
      : F(*Inner.getHeader()->getParent()), AA(AA), LI(LI), DT(DT), SE(SE),
        I64(Type::getInt64Ty(F.getContext())) {
    if (F.getDataLayout().getIndexSizeInBits(0) != 64)
      return;
    for (Loop *L = &Inner; L && isPlain(*L); L = L->getParentLoop()) {
      if (any_of(L->getSubLoops(), [&](const Loop *Part) {
            return Part != Nest.front() && !isIdle(*Part);
          }))
        break;
      Nest.insert(Nest.begin(), L);
    }
  }

  /// Whether it may be one, as far as can be told before LLVM has made all
  /// counters as wide as addresses.
  bool isLikely() {
    return Nest.size() >= MinChainLength && findAccesses() && findTaps();
  }

  bool prepare() {
    if (Nest.size() < MinChainLength || leavesValues(*Nest.front()) ||
        !findAccesses() || !findTaps() ||
        !all_of(Taps,
                [&](const Tap &T) { return canBegin(*Nest[T.Position]); }) ||
        !canExpand())
      return false;
    findWidths();
    return true;
  }

  /// Makes the copy. The loops are others then.
  /// The source's are a fall-back, unless they are a product where taps are few.
  /// Small ones are phased if \p OfAnySize.
  Phases run(bool IsProduct, bool OfAnySize) {
    for (Loop *L : Nest)
      if (!L->getLoopPreheader())
        InsertPreheaderForLoop(L, &DT, &LI, /*MSSAU=*/nullptr,
                               /*PreserveLCSSA=*/false);
    Loop &Root = *Nest.front();
    BasicBlock *From = Root.getLoopPreheader();
    BasicBlock *Preheader =
        SplitBlock(From, From->getTerminator(), &DT, &LI, /*MSSAU=*/nullptr);
    expandAll(From->getTerminator());
    Value *IsPhased = condition(From->getTerminator(), OfAnySize);

    ValueToValueMapTy Map;
    auto [First, Last] = copyBetween(*From, *Preheader, Map);
    BranchInst *Choice = BranchInst::Create(
        First, Preheader, IsPhased, From->getTerminator()->getIterator());
    Choice->getNextNode()->eraseFromParent();

    auto *Start = BasicBlock::Create(F.getContext(), "phases", &F, First);
    Choice->setSuccessor(0, Start);
    First->replacePhiUsesWith(From, Start);
    BranchInst *Entry = BranchInst::Create(First, Start);
    for (Tap &T : reverse(Taps)) {
      addPhases(T, *Entry, First, Last);
      countFromPhase(T, Map);
    }
    auto *Sums = cast<BasicBlock>(Map[Nest.back()->getHeader()]);
    if (!IsProduct)
      addStringMetadataToLoop(&Root, FallbackMark, 1);
    DT.recalculate(F);
    LI.releaseMemory();
    LI.analyze(DT);
    Nest.clear();
    return {Start, Sums};
  }

private:
  /// A copy of the nest between \p From and \p Preheader, which nothing leads to
  /// yet, and which goes on to the exit: its first block, and the last one.
  std::pair<BasicBlock *, BasicBlock *>
  copyBetween(BasicBlock &From, BasicBlock &Preheader, ValueToValueMapTy &Map) {
    Loop &Root = *Nest.front();
    BasicBlock *Exit = Root.getUniqueExitBlock();
    SmallVector<BasicBlock *, 16> Blocks;
    Loop *Copy = cloneLoopWithPreheader(&Preheader, &From, &Root, Map,
                                        ".phased", &LI, &DT, Blocks);
    remapInstructionsInBlocks(Blocks, Map);
    BasicBlock *Last = BasicBlock::Create(F.getContext(), "phased.end", &F);
    BranchInst::Create(Exit, Last);
    auto *Latch = cast<BasicBlock>(Map[Root.getLoopLatch()]);
    Latch->getTerminator()->replaceSuccessorWith(Exit, Last);
    for (PHINode &Phi : Exit->phis())
      Phi.addIncoming(Phi.getIncomingValueForBlock(Root.getLoopLatch()), Last);
    return {Copy->getLoopPreheader(), Last};
  }

  /// The loops are numbered from the outermost one inwards.
  struct Form {
    const SCEV *Base;
    SmallVector<const SCEV *, 8> Step; ///< null is none
  };
  /// A loop over taps, and how many of them are as far apart as two places.
  struct Tap {
    unsigned Position, Places;
    const SCEV *Distance; ///< in 64 bits
    /// How many steps apart elements of one row are at most, as the nest tests, or
    /// null.
    const SCEV *Width = nullptr;
    Value *By = nullptr, *Phase = nullptr, *Last = nullptr;
  };

  /// \p S, 64 bits wide: casts are pushed down to single values, which is the same
  /// where what is cast fits (Casts).
  const SCEV *widened(const SCEV *S) {
    auto Wide = [&](const SCEV *Op) { return widened(Op); };
    if (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S)) {
      const SCEV *Operand = Cast->getOperand(), *Result = Wide(Operand);
      bool IsOfNest = !SE.isLoopInvariant(S, Nest.front()) &&
                      !isa<SCEVTruncateExpr>(Operand);
      bool IsSigned =
          isa<SCEVSignExtendExpr>(S) || (IsNeverNegative && IsOfNest);
      unsigned Bits = SE.getTypeSizeInBits(Operand->getType());
      if (!isa<SCEVTruncateExpr>(S))
        Casts.push_back({Result, Bits, IsSigned});
      return Result;
    }
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S); Rec && Rec->isAffine())
      return SE.getAddRecExpr(Wide(Rec->getStart()),
                              Wide(Rec->getStepRecurrence(SE)), Rec->getLoop(),
                              SCEV::FlagAnyWrap);
    SmallVector<const SCEV *, 4> Parts;
    if (isa<SCEVAddExpr, SCEVMulExpr>(S))
      Parts = map_to_vector<4>(S->operands(), Wide);
    if (isa<SCEVAddExpr>(S))
      return SE.getAddExpr(Parts);
    if (isa<SCEVMulExpr>(S))
      return SE.getMulExpr(Parts);
    return S->getType()->isIntegerTy() ? SE.getTruncateOrSignExtend(S, I64) : S;
  }

  std::optional<Form> formOf(Value *Pointer) {
    return formOf(widened(SE.getSCEV(Pointer)));
  }

  std::optional<Form> formOf(const SCEV *S) {
    Form Result{S, {}};
    Result.Step.resize(Nest.size());
    while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Result.Base)) {
      auto *It = find(Nest, Rec->getLoop());
      if (It == Nest.end())
        break;
      if (!Rec->isAffine())
        return std::nullopt;
      Result.Step[It - Nest.begin()] = Rec->getStepRecurrence(SE);
      Result.Base = Rec->getStart();
    }
    return Result;
  }

  /// One store, of C, and loads of C and of two factors or more.
  bool findAccesses() {
    SmallVector<LoadInst *, 4> Loads;
    IsNeverNegative = true;
    for (BasicBlock *BB : Nest.front()->blocks())
      for (Instruction &I : *BB) {
        if (auto *Cast = dyn_cast<ZExtInst>(&I))
          IsNeverNegative &= Cast->hasNonNeg();
        const Value *Pointer = getLoadStorePointerOperand(&I);
        if (Pointer && Pointer->getType()->getPointerAddressSpace() != 0)
          return false;
        if (auto *Load = dyn_cast<LoadInst>(&I))
          Loads.push_back(Load);
        if (!isa<StoreInst>(I))
          continue;
        if (Store)
          return false;
        Store = cast<StoreInst>(&I);
      }
    std::optional<Form> Stored =
        Store ? formOf(Store->getPointerOperand()) : std::nullopt;
    if (!Stored)
      return false;
    C = *Stored;
    const SCEV *Element = SE.getSCEV(Store->getPointerOperand());
    for (LoadInst *Load : Loads) {
      if (SE.getSCEV(Load->getPointerOperand()) == Element)
        continue;
      std::optional<Form> Read = formOf(Load->getPointerOperand());
      if (!Read)
        return false;
      Factors.push_back({Load, *Read});
    }
    return Factors.size() >= 2;
  }

  /// Whether one factor moves with the loop at \p Places, another one with that at
  /// \p Taps, and none with both.
  bool areOfTwoFactors(unsigned Places, unsigned Taps) const {
    bool HasPlaces = false, HasTaps = false;
    for (const auto &[Load, Of] : Factors) {
      bool MovesPlaces = Of.Step[Places], MovesTaps = Of.Step[Taps];
      if (MovesPlaces && MovesTaps)
        return false;
      HasPlaces |= MovesPlaces;
      HasTaps |= MovesTaps;
    }
    return HasPlaces && HasTaps;
  }

  /// How many steps of taps are one of places, if that is a small number.
  const SCEV *distance(const SCEV *OfPlaces, const SCEV *OfTaps) {
    constexpr unsigned Most = 8;
    for (unsigned N = 2; N <= Most; ++N) {
      const SCEV *S = SE.getConstant(OfTaps->getType(), N);
      if (SE.getMulExpr(OfTaps, S) == OfPlaces)
        return S;
    }
    return nullptr;
  }

  bool findTaps() {
    SmallBitVector Taken(Nest.size());
    for (unsigned Places = 0; Places < Nest.size(); ++Places)
      for (unsigned Of = 0; Of < Nest.size(); ++Of) {
        if (Of == Places || !C.Step[Of] || !C.Step[Places] ||
            !areOfTwoFactors(Places, Of))
          continue;
        const SCEV *By = distance(C.Step[Places], C.Step[Of]);
        if (!By)
          continue;
        // No two taps of so few lead to one element.
        const SCEV *Last = SE.getBackedgeTakenCount(Nest[Of]);
        if (auto *Known = dyn_cast<SCEVConstant>(Last);
            Known && Known->getAPInt().ult(
                         cast<SCEVConstant>(By)->getAPInt().getZExtValue()))
          continue;
        if (Taken.test(Places) || Taken.test(Of))
          return false;
        Taken.set(Places);
        Taken.set(Of);
        Taps.push_back({Of, Places, By});
      }
    return !Taps.empty();
  }

  /// Whether all that an iteration of \p L passes on to the next one are counters.
  bool canBegin(const Loop &L) {
    return !leavesValues(L) && all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
      auto *Rec = SE.isSCEVable(Phi.getType())
                      ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                      : nullptr;
      return Rec && Rec->isAffine() && Rec->getLoop() == &L &&
             isKnownInFront(Rec->getStepRecurrence(SE));
    });
  }

  bool isKnownInFront(const SCEV *S) {
    SCEVExpander Expander(SE, "tilesmith");
    const Loop &Root = *Nest.front();
    return !isa<SCEVCouldNotCompute>(S) && SE.isLoopInvariant(S, &Root) &&
           SE.getTypeSizeInBits(S->getType()) <= 64 &&
           Expander.isSafeToExpandAt(
               S, Root.getLoopPredecessor()->getTerminator());
  }

  bool isKnownInFront(const Form &Of) {
    return isKnownInFront(Of.Base) && all_of(Of.Step, [&](const SCEV *Step) {
             return !Step || (isKnownInFront(Step) && Step->getType() == I64);
           });
  }

  bool canExpand() {
    for (const Cast &Of : Casts) {
      std::optional<Form> Sum = formOf(Of.Operand);
      if (!Sum || !isKnownInFront(*Sum))
        return false;
    }
    return all_of(Nest,
                  [&](Loop *L) {
                    return isKnownInFront(SE.getBackedgeTakenCount(L));
                  }) &&
           isKnownInFront(C) && all_of(Factors, [&](const auto &Factor) {
             return isKnownInFront(Factor.second);
           });
  }

  /// A bound of places and taps together, which the nest tests.
  struct Bound {
    const SCEV *Index, *Limit; ///< the least value, or the greatest one
    bool IsLower;
  };

  /// Calls \p Fn with what is known where \p Condition is \p Holds.
  template <typename FnT> void forBounds(Value *Condition, bool Holds, FnT Fn) {
    Value *X, *Y;
    if (Holds ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
              : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))) {
      forBounds(X, Holds, Fn);
      forBounds(Y, Holds, Fn);
      return;
    }
    auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || !SE.isSCEVable(Compare->getOperand(0)->getType()) ||
        !Compare->getOperand(0)->getType()->isIntegerTy())
      return;
    CmpPredicate Is =
        Holds ? Compare->getPredicate() : Compare->getInversePredicate();
    const SCEV *Index = SE.getSCEV(Compare->getOperand(0)),
               *Limit = SE.getSCEV(Compare->getOperand(1));
    if (SE.isLoopInvariant(Index, Nest.front())) {
      std::swap(Index, Limit);
      Is = ICmpInst::getSwappedPredicate(Is);
    }
    bool IsUnsigned = ICmpInst::isUnsigned(Is);
    const SCEV *Wide = IsUnsigned ? SE.getNoopOrZeroExtend(Limit, I64)
                                  : SE.getNoopOrSignExtend(Limit, I64);
    bool IsLower = ICmpInst::isGT(Is) || ICmpInst::isGE(Is);
    if (!(IsLower || ICmpInst::isLT(Is) || ICmpInst::isLE(Is)) ||
        (IsLower && IsUnsigned))
      return;
    int Strict = ICmpInst::isStrictPredicate(Is) ? IsLower ? 1 : -1 : 0;
    Fn(Bound{Index, SE.getAddExpr(Wide, SE.getConstant(I64, Strict, true)),
             IsLower});
    if (IsUnsigned)
      Fn(Bound{Index, SE.getZero(I64), /*IsLower=*/true});
  }

  /// Whether \p S moves by one with each tap of \p T, and with nothing but its
  /// places and taps.
  bool isIndexOf(const SCEV *S, const Tap &T) {
    std::optional<Form> Of = formOf(S);
    if (!Of)
      return false;
    for (auto [Position, Step] : enumerate(Of->Step)) {
      if (Position != T.Position && Position != T.Places) {
        if (Step)
          return false;
        continue;
      }
      if (!Step || Step != (Position == T.Position
                                ? SE.getOne(Step->getType())
                                : SE.getTruncateOrZeroExtend(T.Distance,
                                                             Step->getType())))
        return false;
    }
    return true;
  }

  /// Whether \p S is a small constant.
  static bool isSmall(const SCEV *S) {
    auto *Constant = dyn_cast<SCEVConstant>(S);
    return Constant && Constant->getAPInt().abs().ult(1 << 20);
  }

  /// Looks for the tests that the store stands behind.
  void findWidths() {
    SmallVector<Bound, 8> Bounds;
    BasicBlock *At = Store->getParent();
    for (auto *Node = DT.getNode(At)->getIDom();
         Node && Nest.front()->contains(Node->getBlock());
         Node = Node->getIDom()) {
      auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (!Branch || Branch->isUnconditional())
        continue;
      for (unsigned Side : {0, 1})
        if (DT.dominates(
                BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(Side)),
                At))
          forBounds(Branch->getCondition(), Side == 0,
                    [&](const Bound &Of) { Bounds.push_back(Of); });
    }
    for (Tap &T : Taps)
      for (const Bound &Low : Bounds)
        for (const Bound &High : Bounds) {
          if (!Low.IsLower || High.IsLower || !isIndexOf(Low.Index, T) ||
              !isIndexOf(High.Index, T) ||
              Low.Index->getType() != High.Index->getType())
            continue;
          // Where indices differ, neither wraps close to small numbers.
          const SCEV *Between = SE.getMinusSCEV(Low.Index, High.Index);
          if (!Between->isZero() && (!isSmall(Between) || !isSmall(Low.Limit)))
            continue;
          const SCEV *Width =
              SE.getAddExpr(SE.getMinusSCEV(High.Limit, Low.Limit),
                            SE.getNoopOrSignExtend(Between, I64));
          if (isKnownInFront(Width))
            T.Width = Width;
        }
  }

  const SCEV *lastOf(unsigned Position) {
    return SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(Nest[Position]),
                                  I64);
  }

  void expandAll(Instruction *At) {
    SCEVExpander Expander(SE, "tilesmith");
    for (Tap &T : Taps) {
      T.By = Expander.expandCodeFor(T.Distance, I64, At);
      T.Last = Expander.expandCodeFor(lastOf(T.Position), I64, At);
      for (PHINode &Phi : Nest[T.Position]->getHeader()->phis()) {
        auto *Rec = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
        const SCEV *Step = Rec->getStepRecurrence(SE);
        Steps[&Phi] = Expander.expandCodeFor(Step, Step->getType(), At);
      }
    }
  }

  /// The first byte that \p Of touches, or the last element.
  const SCEV *end(const Form &Of, bool Low) {
    const SCEV *Result = Of.Base, *Zero = SE.getZero(I64);
    for (auto [Position, Step] : enumerate(Of.Step)) {
      if (!Step)
        continue;
      const SCEV *Way = SE.getMulExpr(Step, lastOf(Position));
      Result = SE.getAddExpr(Result, Low ? SE.getSMinExpr(Zero, Way)
                                         : SE.getSMaxExpr(Zero, Way));
    }
    return Result;
  }

  /// Whether the loop at \p Position is over places or taps.
  bool isOfPair(unsigned Position) const {
    return any_of(Taps, [&](const Tap &T) {
      return T.Position == Position || T.Places == Position;
    });
  }

  /// Whether steps that differ lead to elements that do: each step is longer than
  /// all that the shorter ones reach together. Places and taps are steps of one
  /// length.
  Value *leadsApart(IRBuilder<> &B, SCEVExpander &Expander, Instruction *At) {
    struct Range {
      Value *Step, *Last, *Reach;
    };
    SmallVector<Range, 8> Ranges;
    auto Add = [&](const SCEV *Step, const SCEV *Last, const SCEV *Width) {
      const SCEV *Length = SE.getAbsExpr(Step, /*IsNSW=*/false);
      Value *Each = Expander.expandCodeFor(Length, I64, At);
      Value *Most = Expander.expandCodeFor(Last, I64, At);
      // Of fewer, indices of 32 bits that differ lead to elements that do.
      constexpr uint64_t Many = uint64_t(1) << 30;
      if (Width) {
        Value *Tested = B.CreateBinaryIntrinsic(
            Intrinsic::umin, Most, Expander.expandCodeFor(Width, I64, At));
        Most = B.CreateSelect(B.CreateICmpULT(Most, B.getInt64(Many)), Tested,
                              Most);
      }
      Ranges.push_back({Each, Most, B.CreateMul(Each, Most)});
    };
    for (const Tap &T : Taps) {
      const SCEV *OfPlaces = SE.getMulExpr(
          SE.getTruncateOrZeroExtend(T.Distance, I64), lastOf(T.Places));
      Add(C.Step[T.Position], SE.getAddExpr(OfPlaces, lastOf(T.Position)),
          T.Width);
    }
    for (auto [Position, Step] : enumerate(C.Step))
      if (Step && !isOfPair(Position))
        Add(Step, lastOf(Position), /*Width=*/nullptr);
    uint64_t Size =
        F.getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType());
    Value *Result = B.getTrue();
    for (auto [I, Of] : enumerate(Ranges)) {
      Value *Shorter = B.getInt64(Size);
      for (auto [J, Other] : enumerate(Ranges)) {
        if (I == J)
          continue;
        // Of two of one length, either is the shorter one.
        Value *IsShorter = J < I ? B.CreateICmpULE(Other.Step, Of.Step)
                                 : B.CreateICmpULT(Other.Step, Of.Step);
        Shorter = B.CreateAdd(
            Shorter, B.CreateSelect(IsShorter, Other.Reach, B.getInt64(0)));
      }
      Value *IsOne = B.CreateIsNull(Of.Last);
      Result = B.CreateAnd(
          Result, B.CreateOr(IsOne, B.CreateICmpUGE(Of.Step, Shorter)));
    }
    return Result;
  }

  /// Whether phases may be made, and pay.
  Value *condition(Instruction *At, bool OfAnySize) {
    SCEVExpander Expander(SE, "tilesmith");
    IRBuilder<> B(At);
    Value *Result = B.getTrue();
    auto Require = [&](Value *V) { Result = B.CreateAnd(Result, V); };
    Value *Work = B.getInt64(1); // steps of a phase that has one tap
    for (const Tap &T : Taps) {
      // Each phase has a tap, and one of them has more: or else no two steps lead
      // to one element.
      Require(B.CreateICmpUGE(T.Last, T.By));
      Value *Places = Expander.expandCodeFor(lastOf(T.Places), I64, At);
      Work = B.CreateMul(Work, B.CreateAdd(Places, B.getInt64(1)));
      if (!OfAnySize)
        Require(B.CreateICmpUGE(Places, B.getInt64(MinPlaces - 1)));
    }
    Require(leadsApart(B, Expander, At));
    Value *Images = B.getInt64(1), *Sums = B.getInt64(1);
    for (unsigned Position = 0; Position < Nest.size(); ++Position)
      if (!isOfPair(Position)) {
        Value *Last = Expander.expandCodeFor(lastOf(Position), I64, At);
        Value *&Of = C.Step[Position] ? Images : Sums;
        Of = B.CreateMul(Of, B.CreateAdd(Last, B.getInt64(1)));
      }
    if (!OfAnySize) {
      Require(B.CreateICmpUGE(Images, B.getInt64(MinImages)));
      Require(B.CreateICmpUGE(Sums, B.getInt64(MinSums)));
      Work = B.CreateMul(Work, B.CreateMul(Images, Sums));
      Require(B.CreateICmpUGE(Work, B.getInt64(MinWork)));
    }
    for (const Cast &Of : Casts) {
      ConstantRange Fits = ConstantRange::getFull(Of.Bits);
      Fits = Of.IsSigned ? Fits.signExtend(64) : Fits.zeroExtend(64);
      for (bool Low : {true, false}) {
        const SCEV *End = end(*formOf(Of.Operand), Low);
        Value *At64 = Expander.expandCodeFor(End, I64, At);
        Require(Low ? B.CreateICmpSGE(At64, B.getInt(Fits.getSignedMin()))
                    : B.CreateICmpSLE(At64, B.getInt(Fits.getSignedMax())));
      }
    }
    auto Address = [&](const SCEV *S) {
      return B.CreatePtrToInt(Expander.expandCodeFor(S, S->getType(), At), I64);
    };
    MemoryLocation OfC(Store->getPointerOperand(),
                       LocationSize::beforeOrAfterPointer(),
                       Store->getAAMetadata());
    for (const auto &[Load, Of] : Factors) {
      MemoryLocation OfFactor(Load->getPointerOperand(),
                              LocationSize::beforeOrAfterPointer(),
                              Load->getAAMetadata());
      if (AA.isNoAlias(OfC, OfFactor))
        continue;
      for (const Form *X : std::array<const Form *, 2>{&C, &Of})
        Require(B.CreateICmpULE(Address(end(*X, /*Low=*/true)),
                                Address(end(*X, /*Low=*/false))));
      auto LiesBefore = [&](const Form &X, const Form &Y, Type *Element) {
        uint64_t Bytes = F.getDataLayout().getTypeStoreSize(Element);
        return B.CreateICmpULE(
            B.CreateAdd(Address(end(X, /*Low=*/false)), B.getInt64(Bytes)),
            Address(end(Y, /*Low=*/true)));
      };
      Type *Element = Store->getValueOperand()->getType();
      Require(B.CreateOr(LiesBefore(C, Of, Element),
                         LiesBefore(Of, C, Load->getType())));
    }
    return B.CreateFreeze(Result);
  }

  /// A loop over the phases of \p T around the blocks from \p First to \p Last,
  /// entered from \p Entry, which become those of the loop's ends.
  void addPhases(Tap &T, BranchInst &Entry, BasicBlock *&First,
                 BasicBlock *&Last) {
    LLVMContext &Ctx = F.getContext();
    auto *Header = BasicBlock::Create(Ctx, "phase", &F, First);
    auto *Exit = BasicBlock::Create(Ctx, "phases.end", &F);
    BasicBlock *After = Last->getUniqueSuccessor();
    Entry.replaceSuccessorWith(First, Header);
    First->replacePhiUsesWith(Entry.getParent(), Header);
    IRBuilder<> B(Header);
    PHINode *Phase = B.CreatePHI(I64, 2, "phase");
    T.Phase = Phase;
    T.Last = B.CreateUDiv(B.CreateSub(T.Last, Phase), T.By);
    B.CreateBr(First);
    Last->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Last);
    Value *Next = B.CreateNUWAdd(Phase, B.getInt64(1));
    B.CreateCondBr(B.CreateICmpEQ(Next, T.By), Exit, Header);
    for (BasicBlock *Pred : predecessors(Header))
      Phase->addIncoming(Pred == Last ? Next : B.getInt64(0), Pred);
    BranchInst::Create(After, Exit);
    After->replacePhiUsesWith(Last, Exit);
    First = Header;
    Last = Exit;
  }

  /// The taps of the copy begin at the phase, and are as far apart as places.
  void countFromPhase(const Tap &T, ValueToValueMapTy &Map) {
    const Loop &Source = *Nest[T.Position];
    auto *Header = cast<BasicBlock>(Map[Source.getHeader()]);
    auto *Latch = cast<BasicBlock>(Map[Source.getLoopLatch()]);
    auto *Pre = cast<BasicBlock>(Map[Source.getLoopPreheader()]);
    IRBuilder<> B(Pre->getTerminator());
    auto Move = [&](Value *V, Value *Step, Value *Times) -> Value * {
      Value *By =
          B.CreateMul(Step, B.CreateZExtOrTrunc(Times, Step->getType()));
      return V->getType()->isPointerTy() ? B.CreatePtrAdd(V, By)
                                         : B.CreateAdd(V, By);
    };
    for (PHINode &Old : Source.getHeader()->phis()) {
      auto *Phi = cast<PHINode>(Map[&Old]);
      B.SetInsertPoint(Pre->getTerminator());
      Phi->setIncomingValueForBlock(
          Pre, Move(Phi->getIncomingValueForBlock(Pre), Steps[&Old], T.Phase));
      B.SetInsertPoint(Latch->getTerminator());
      Phi->setIncomingValueForBlock(Latch, Move(Phi, Steps[&Old], T.By));
    }
    B.SetInsertPoint(Header, Header->begin());
    PHINode *Count = B.CreatePHI(I64, 2);
    auto *Branch = cast<BranchInst>(Latch->getTerminator());
    B.SetInsertPoint(Branch);
    Count->addIncoming(B.getInt64(0), Pre);
    Count->addIncoming(B.CreateNUWAdd(Count, B.getInt64(1)), Latch);
    bool GoesOn = Branch->getSuccessor(0) == Header;
    Branch->setCondition(B.CreateICmp(
        GoesOn ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ, Count, T.Last));
  }

  /// For fewer, rows of a phase are too short for a kernel.
  static constexpr uint64_t MinPlaces = 10;
  /// So many channels of C, and of what is scattered, are enough for a kernel, and so
  /// many steps: a phase with a single tap is a product of that size. (Measured on
  /// Zen 5.)
  static constexpr uint64_t MinImages = 10, MinSums = 4, MinWork = 16384;

  Function &F;
  AAResults &AA;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  Type *I64;
  SmallVector<Loop *, 8> Nest; ///< from the outermost one inwards
  /// What is extended somewhere in an address, 64 bits wide, and its own width.
  struct Cast {
    const SCEV *Operand;
    unsigned Bits;
    bool IsSigned;
  };
  SmallVector<Cast, 4> Casts;
  /// What the loops extend as unsigned numbers, as tests in the nest see to.
  bool IsNeverNegative = true;
  StoreInst *Store = nullptr;
  Form C;
  SmallVector<std::pair<LoadInst *, Form>, 2> Factors;
  SmallVector<Tap, 3> Taps;
  DenseMap<PHINode *, Value *> Steps; ///< of counters of taps
};

} // namespace

/// Calls \p Fn with the nest of \p F that ends in \p Inner, if it can be phased.
template <typename FnT>
static void ifPhased(Loop &Inner, FunctionAnalysisManager &FAM, FnT Fn) {
  Function &F = *Inner.getHeader()->getParent();
  ScalarEvolution SE = scalarEvolution(F, FAM);
  PhasedNest Phased(Inner, FAM.getResult<AAManager>(F),
                    FAM.getResult<LoopAnalysis>(F),
                    FAM.getResult<DominatorTreeAnalysis>(F), SE);
  if (Phased.prepare())
    Fn(Phased);
}

/// Whether it will be of use, which a copy of the function tells.
static bool isOfUse(Loop &Inner, FunctionAnalysisManager &FAM, Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  Function &Copy = Copied.get();
  bool IsOfUse = false;
  ifPhased(Copied.loopOf(Inner), FAM, [&](PhasedNest &Phased) {
    BasicBlock *Header =
        Phased.run(/*IsProduct=*/false, /*OfAnySize=*/true).Sums;
    Loop *Sums = FAM.getResult<LoopAnalysis>(Copy).getLoopFor(Header);
    WhyNots Ignored;
    IsOfUse = std::holds_alternative<FoundProduct>(Ask(Copy, Sums).front()) ||
              !copyIntoShape(Copy, FAM, Sums, Ask, Ignored).empty();
  });
  return IsOfUse;
}

/// Whether the nest is a product as it stands, or in another shape: where taps are
/// few, it is no scatter.
static bool isProduct(Loop &Inner, FunctionAnalysisManager &FAM, Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  Loop *Copy = &Copied.loopOf(Inner);
  WhyNots Ignored;
  return std::holds_alternative<FoundProduct>(
             Ask(Copied.get(), Copy).front()) ||
         !copyIntoShape(Copied.get(), FAM, Copy, Ask, Ignored).empty();
}

bool isScatteredApart(Loop &Inner, AAResults &AA, LoopInfo &LI,
                      DominatorTree &DT, ScalarEvolution &SE) {
  return Inner.getLoopDepth() >= MinChainLength &&
         PhasedNest(Inner, AA, LI, DT, SE).isLikely();
}

SmallVector<BasicBlock *, 2> phaseScatters(Function &F,
                                           FunctionAnalysisManager &FAM,
                                           const Options &Opts, Judge Ask) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<std::pair<BasicBlock *, bool>, 2> Found;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (L->getLoopDepth() < MinChainLength || !looksLikeProduct(*L) ||
        isInFallback(*L) || !FunctionCopy::isPossible(F))
      continue;
    bool MayBePhased = false;
    ifPhased(*L, FAM, [&](PhasedNest &) { MayBePhased = true; });
    if (MayBePhased && isOfUse(*L, FAM, Ask))
      Found.push_back({L->getHeader(), isProduct(*L, FAM, Ask)});
  }
  SmallVector<BasicBlock *, 2> Made;
  for (auto [Header, IsProduct] : Found)
    ifPhased(*LI.getLoopFor(Header), FAM,
             [&, IsProduct = IsProduct](PhasedNest &Phased) {
               Made.push_back(Phased.run(IsProduct, Opts.MinWork != 0).First);
             });
  return Made;
}

} // namespace tilesmith
