//===- ZeroVersions.cpp - loops beyond borders, with zeros ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroVersions.h"
#include "FunctionCopy.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// `Head: br Condition` to one of two loops, each behind blocks without a choice;
/// both go on to the same phis.
struct Versions {
  BranchInst *Head;
  Loop *Made, *Beyond;
  SmallVector<BasicBlock *, 2> ToMade, ToBeyond; ///< down to the preheader
  SmallVector<BasicBlock *, 2> OutOfMade, OutOfBeyond;
  BasicBlock *Join;
};

/// Of the blocks behind \p L that only choose values, one after the other.
SmallVector<BasicBlock *, 2> blocksBehind(const Loop &L) {
  SmallVector<BasicBlock *, 2> Result;
  for (BasicBlock *BB = L.getUniqueExitBlock();
       BB && BB->getSinglePredecessor() && BB->getSingleSuccessor() &&
       BB->getFirstNonPHIIt() == BB->getTerminator()->getIterator();
       BB = BB->getSingleSuccessor())
    Result.push_back(BB);
  return Result;
}

/// From the only way into \p Preheader down to it.
SmallVector<BasicBlock *, 2> blocksInFront(BasicBlock &Preheader) {
  SmallVector<BasicBlock *, 2> Result{&Preheader};
  for (BasicBlock *BB = Preheader.getSinglePredecessor();
       BB && BB->getSingleSuccessor(); BB = BB->getSinglePredecessor())
    Result.push_back(BB);
  std::reverse(Result.begin(), Result.end());
  return Result;
}

/// The versions of which \p Beyond is one, as seen from \p Head.
std::optional<Versions> versionsAt(BasicBlock &Head, Loop &Beyond,
                                   const LoopInfo &LI) {
  Versions V{dyn_cast<BranchInst>(Head.getTerminator()),
             nullptr,
             &Beyond,
             {},
             {},
             {},
             {},
             nullptr};
  V.ToBeyond = blocksInFront(*Beyond.getLoopPreheader());
  BasicBlock *First = V.ToBeyond.front();
  if (!V.Head || !V.Head->isConditional() || !First->phis().empty() ||
      LI.getLoopFor(&Head) != Beyond.getParentLoop())
    return std::nullopt;
  BasicBlock *BB = V.Head->getSuccessor(V.Head->getSuccessor(0) == First);
  for (; BB && BB->getSinglePredecessor(); BB = BB->getSingleSuccessor())
    V.ToMade.push_back(BB);
  if (V.ToMade.empty() || !BB || !LI.isLoopHeader(BB))
    return std::nullopt;
  V.Made = LI.getLoopFor(BB);
  if (V.Made == &Beyond || V.Made->getParentLoop() != Beyond.getParentLoop() ||
      V.Made->getLoopPreheader() != V.ToMade.back())
    return std::nullopt;
  V.OutOfMade = blocksBehind(*V.Made);
  V.OutOfBeyond = blocksBehind(Beyond);
  for (auto [I, BB] : enumerate(V.OutOfBeyond))
    for (auto [J, Other] : enumerate(V.OutOfMade))
      if (BB->getSingleSuccessor() == Other->getSingleSuccessor()) {
        V.Join = BB->getSingleSuccessor();
        V.OutOfBeyond.truncate(I + 1);
        V.OutOfMade.truncate(J + 1);
        return V;
      }
  return std::nullopt;
}

/// Compares the two loops, value by value.
class Comparison {
public:
  Comparison(const Versions &V, ScalarEvolution &SE, const LoopInfo &LI,
             const DominatorTree &DT, Subscripts Are)
      : V(V), SE(SE), LI(LI), DT(DT), Are(Are) {}

  /// Whether the loop beyond the border differs from the other one only in that
  /// zero() stands for image().
  bool agree() {
    return pairLoops(V.Beyond, V.Made) && pairStores() &&
           all_of(V.Join->phis(),
                  [&](PHINode &Phi) {
                    return areEqual(
                        Phi.getIncomingValueForBlock(V.OutOfBeyond.back()),
                        Phi.getIncomingValueForBlock(V.OutOfMade.back()));
                  }) &&
           !Differ && Image && mayRunBeyond();
  }

  /// A load, or a phi that has zero() where tests of other borders fail.
  Instruction *image() const { return Image; }
  Value *zero() const { return Zero; }

  /// Says of loads what has to be true for the loops to agree.
  void mark() const {
    LLVMContext &C = V.Head->getContext();
    for (auto [Load, Bits] : Narrow)
      Load->setMetadata(NarrowMark,
                        MDNode::get(C, ConstantAsMetadata::get(ConstantInt::get(
                                           Type::getInt32Ty(C), Bits))));
  }

private:
  struct LoopPair {
    const Loop *Beyond, *Made;
  };

  /// One loop in the other, each left from its latch and run in every iteration;
  /// they must run equally often.
  bool pairLoops(const Loop *Beyond, const Loop *Made) {
    Pairs.push_back({Beyond, Made});
    for (const Loop *L : {Beyond, Made})
      if (!L->getLoopPreheader() || !L->getLoopLatch() ||
          L->getExitingBlock() != L->getLoopLatch())
        return false;
    const SCEV *OfBeyond = countOf(Beyond), *OfMade = countOf(Made);
    if (!OfBeyond || !OfMade || !areEqual(OfBeyond, OfMade) ||
        Beyond->getSubLoops().size() != Made->getSubLoops().size() ||
        Beyond->getSubLoops().size() > 1)
      return false;
    if (Beyond->isInnermost())
      return true;
    const Loop *InBeyond = Beyond->getSubLoops().front(),
               *InMade = Made->getSubLoops().front();
    return DT.dominates(InBeyond->getHeader(), Beyond->getLoopLatch()) &&
           DT.dominates(InMade->getHeader(), Made->getLoopLatch()) &&
           pairLoops(InBeyond, InMade);
  }

  /// Of one of the two, LLVM may have widened the counter.
  const SCEV *countOf(const Loop *L) const {
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Count) ||
        SE.getTypeSizeInBits(Count->getType()) > 64)
      return nullptr;
    if (Are == Subscripts::BeingWidened)
      return widened(Count);
    return SE.getNoopOrZeroExtend(Count, Type::getInt64Ty(SE.getContext()));
  }

  /// Whether iterations of \p Made are those of \p Beyond.
  bool arePaired(const Loop *Beyond, const Loop *Made) const {
    return (Beyond == Made && !V.Beyond->contains(Beyond)) ||
           any_of(Pairs, [&](LoopPair Pair) {
             return Pair.Beyond == Beyond && Pair.Made == Made;
           });
  }

  /// The only write of a loop, if it is a store made in every iteration; false if
  /// there are others.
  bool findStore(const Loop &L, ArrayRef<BasicBlock *> InFront,
                 StoreInst *&Store) const {
    for (BasicBlock *BB : concat<BasicBlock *const>(InFront, L.blocks()))
      for (Instruction &I : *BB) {
        if (!I.mayWriteToMemory())
          continue;
        auto *Found = dyn_cast<StoreInst>(&I);
        const Loop *Of = LI.getLoopFor(BB);
        if (Store || !Found || !Found->isSimple() || !L.contains(Of) ||
            !DT.dominates(BB, Of->getLoopLatch()))
          return false;
        Store = Found;
      }
    return true;
  }

  bool pairStores() {
    if (!findStore(*V.Beyond, V.ToBeyond, OfBeyond) ||
        !findStore(*V.Made, V.ToMade, OfMade) || !OfBeyond != !OfMade)
      return false;
    return !OfMade ||
           (arePaired(LI.getLoopFor(OfBeyond->getParent()),
                      LI.getLoopFor(OfMade->getParent())) &&
            areEqual(SE.getSCEV(OfBeyond->getPointerOperand()),
                     SE.getSCEV(OfMade->getPointerOperand())) &&
            areEqual(OfBeyond->getValueOperand(), OfMade->getValueOperand()));
  }

  /// Whether \p X and \p Y are equal in iterations of the same number.
  bool areEqual(const SCEV *X, const SCEV *Y) const {
    if (X == Y)
      return true;
    if (X->getSCEVType() != Y->getSCEVType() || X->getType() != Y->getType() ||
        X->operands().empty() || X->operands().size() != Y->operands().size())
      return false;
    auto *Rec = dyn_cast<SCEVAddRecExpr>(X);
    if (Rec && !arePaired(Rec->getLoop(), cast<SCEVAddRecExpr>(Y)->getLoop()))
      return false;
    return all_of(zip_equal(X->operands(), Y->operands()), [&](auto Operands) {
      auto [OfX, OfY] = Operands;
      return areEqual(OfX, OfY);
    });
  }

  /// Two phis of headers: the sums so far.
  bool areCarried(PHINode *Beyond, PHINode *Made) {
    const Loop *OfX = LI.getLoopFor(Beyond->getParent()),
               *OfY = LI.getLoopFor(Made->getParent());
    if (!OfX || !arePaired(OfX, OfY) || OfX == OfY ||
        Beyond->getParent() != OfX->getHeader() ||
        Made->getParent() != OfY->getHeader())
      return false;
    if (!Carried.insert({Beyond, Made}).second)
      return true; // if the rest is
    bool Are =
        areEqual(Beyond->getIncomingValueForBlock(OfX->getLoopLatch()),
                 Made->getIncomingValueForBlock(OfY->getLoopLatch())) &&
        areEqual(Beyond->getIncomingValueForBlock(OfX->getLoopPreheader()),
                 Made->getIncomingValueForBlock(OfY->getLoopPreheader()));
    Differ |= !Are;
    return Are;
  }

  /// What comes out of loops.
  static Value *resolve(Value *V) {
    while (auto *Phi = dyn_cast<PHINode>(V)) {
      if (Phi->getNumIncomingValues() != 1)
        break;
      V = Phi->getIncomingValue(0);
    }
    return V;
  }

  bool areEqual(Value *Beyond, Value *Made) {
    Beyond = resolve(Beyond);
    Made = resolve(Made);
    if (Beyond == Made)
      return true;
    auto *Y = dyn_cast<Instruction>(Made);
    if (!Y)
      return false;
    auto *X = dyn_cast<Instruction>(Beyond);
    if ((!X || DT.dominates(X, V.Head)) && isImage(*Beyond, *Y))
      return true;
    if (!X || X->getType() != Y->getType())
      return false;
    if (auto *Phi = dyn_cast<PHINode>(X))
      return isa<PHINode>(Y) && areCarried(Phi, cast<PHINode>(Y));
    if (!X->isSameOperationAs(Y) || !X->hasSameSubclassOptionalData(Y))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(X))
      return areLoaded(*Load, cast<LoadInst>(*Y));
    return !X->mayReadOrWriteMemory() && haveEqualOperands(*X, *Y);
  }

  bool haveEqualOperands(Instruction &X, Instruction &Y) {
    auto Equal = [&](unsigned I, unsigned J) {
      return areEqual(X.getOperand(I), Y.getOperand(J));
    };
    unsigned Next = 0;
    if (X.isCommutative() && X.getNumOperands() >= 2) {
      auto Before = std::pair(Image, Zero);
      if (!(Equal(0, 0) && Equal(1, 1))) {
        std::tie(Image, Zero) = Before;
        if (!(Equal(0, 1) && Equal(1, 0)))
          return false;
      }
      Next = 2;
    }
    for (; Next < X.getNumOperands(); ++Next)
      if (!Equal(Next, Next))
        return false;
    return true;
  }

  /// From the same place, and in each iteration before the store.
  bool areLoaded(LoadInst &X, LoadInst &Y) {
    bool AreSame =
        X.isSimple() && Y.isSimple() &&
        arePaired(LI.getLoopFor(X.getParent()), LI.getLoopFor(Y.getParent())) &&
        (!OfMade || (DT.dominates(&X, OfBeyond) && DT.dominates(&Y, OfMade))) &&
        (areEqual(SE.getSCEV(X.getPointerOperand()),
                  SE.getSCEV(Y.getPointerOperand())) ||
         areEqualIfNarrow(X, Y) || areEqualOnceWidened(X, Y));
    if (AreSame)
      Compared.insert(&Y);
    return AreSame;
  }

  /// Whether they are from the same place if a number that LLVM has widened for \p Y
  /// fits its narrow type, to which LLVM cuts it for \p X: subscripts were `int`. It
  /// does where the distance in memory fits, of which it is the first number.
  bool areEqualIfNarrow(LoadInst &X, LoadInst &Y) {
    const SCEV *At = SE.getSCEV(Y.getPointerOperand()),
               *From = SE.getSCEV(X.getPointerOperand()),
               *Distance = SE.getMinusSCEV(At, SE.getPointerBase(At));
    uint64_t Size = SE.getDataLayout().getTypeStoreSize(Y.getType());
    if (!isPowerOf2_64(Size) || !isFactor(Y))
      return false;
    for (auto [Cut, Wide] : cutNumbers(*X.getPointerOperand())) {
      const SCEV *S = SE.getSCEV(Wide);
      const SCEV *First = SE.getMinusSCEV(
          Distance, SE.getMulExpr(S, SE.getConstant(S->getType(), Size)));
      while (auto *Rec = dyn_cast<SCEVAddRecExpr>(First))
        First = Rec->getStart();
      if (!First->isZero() ||
          !areEqual(NodeReplacer(SE, SE.getSCEV(Cut), S).visit(From), At))
        continue;
      Narrow[&Y] = 32 + Log2_64(Size);
      return true;
    }
    return false;
  }

  /// Whether they are from the same place if no number wraps.
  bool areEqualOnceWidened(LoadInst &X, LoadInst &Y) const {
    return Are == Subscripts::BeingWidened &&
           areEqual(widened(SE.getSCEV(X.getPointerOperand())),
                    widened(SE.getSCEV(Y.getPointerOperand())));
  }

  /// \p S, computed in 64 bits.
  const SCEV *widened(const SCEV *S) const {
    if (isa<SCEVCastExpr>(S) && !isa<SCEVPtrToIntExpr>(S))
      return widened(S->operands()[0]);
    SmallVector<const SCEV *, 4> Parts;
    if (isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(S))
      for (const SCEV *Op : S->operands())
        Parts.push_back(widened(Op));
    if (isa<SCEVAddExpr>(S))
      return SE.getAddExpr(Parts);
    if (isa<SCEVMulExpr>(S))
      return SE.getMulExpr(Parts);
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S))
      return SE.getAddRecExpr(Parts, Rec->getLoop(), SCEV::FlagAnyWrap);
    return S->getType()->isIntegerTy()
               ? SE.getTruncateOrSignExtend(S,
                                            Type::getInt64Ty(SE.getContext()))
               : S;
  }

  /// Whether \p Load is only multiplied: recognition looks at where it is from.
  static bool isFactor(const LoadInst &Load) {
    auto *User =
        Load.hasOneUse() ? dyn_cast<Instruction>(Load.user_back()) : nullptr;
    auto *Call = dyn_cast_or_null<IntrinsicInst>(User);
    return User && (User->getOpcode() == Instruction::FMul ||
                    (Call && Call->getIntrinsicID() == Intrinsic::fmuladd &&
                     Call->getArgOperand(2) != &Load));
  }

  /// What \p Address is computed of that is cut to 32 bits, each with what it was.
  static SmallVector<std::pair<Value *, Value *>, 2>
  cutNumbers(Value &Address) {
    constexpr unsigned MaxParts = 16;
    SmallVector<std::pair<Value *, Value *>, 2> Result;
    SmallVector<Value *, 8> Work{&Address};
    for (unsigned I = 0; I < Work.size() && I < MaxParts; ++I) {
      Value *Wide;
      if (match(Work[I], m_c_And(m_Value(Wide), m_SpecificInt(UINT32_MAX))) &&
          Wide->getType()->isIntegerTy(64))
        Result.push_back({Work[I], Wide});
      else if (isa<GetElementPtrInst, BinaryOperator>(Work[I]))
        append_range(Work, cast<Instruction>(Work[I])->operands());
    }
    return Result;
  }

  /// Whether \p Beyond stands for \p Made, which is made of the image's element
  /// alone.
  bool isImage(Value &Beyond, Instruction &Made) {
    if (!isOfMade(Made))
      return false;
    auto *C = dyn_cast<Constant>(&Beyond);
    if (C && (isa<CastInst>(Made) || Made.getOpcode() == Instruction::FNeg)) {
      auto *From = dyn_cast<Instruction>(Made.getOperand(0));
      Constant *Null = From ? Constant::getNullValue(From->getType()) : nullptr;
      return From &&
             ConstantFoldInstOperands(&Made, {Null}, SE.getDataLayout()) == C &&
             isImage(*Null, *From);
    }
    auto *Load = dyn_cast<LoadInst>(&Made);
    auto *Phi = dyn_cast<PHINode>(&Made);
    bool MayBe = Load ? Load->isSimple() && C && C->isNullValue()
                      : Phi && !LI.isLoopHeader(Phi->getParent()) &&
                            is_contained(Phi->incoming_values(), &Beyond) &&
                            hasSingleElement(Phi->getParent()->phis());
    if (!MayBe || (Image && Image != &Made))
      return false;
    Image = &Made;
    Zero = &Beyond;
    return true;
  }

  bool isOfMade(const Instruction &I) const {
    return V.Made->contains(&I) || is_contained(V.ToMade, I.getParent());
  }

  /// The blocks that run only for the image's element: none for a load.
  SmallPtrSet<const BasicBlock *, 4> blocksOfImage() const {
    SmallPtrSet<const BasicBlock *, 4> Result;
    if (!isa<PHINode>(Image))
      return Result;
    const BasicBlock *End = Image->getParent(),
                     *Begin = DT.getNode(End)->getIDom()->getBlock();
    SmallVector<const BasicBlock *, 4> Work{End};
    while (!Work.empty())
      for (const BasicBlock *Pred : predecessors(Work.pop_back_val()))
        if (Pred != Begin && Result.insert(Pred).second)
          Work.push_back(Pred);
    return Result;
  }

  /// Whether all but the image's element may be made beyond the border.
  bool mayRunBeyond() const {
    if (isa<PHINode>(Image) && !isOfMade(*DT.getNode(Image->getParent())
                                              ->getIDom()
                                              ->getBlock()
                                              ->getTerminator()))
      return false;
    auto OfImage = blocksOfImage();
    auto MayRun = [&](const Instruction &I) {
      return isa<PHINode>(I) || I.isTerminator() || &I == Image ||
             &I == OfMade || Compared.contains(&I) ||
             isSafeToSpeculativelyExecute(&I);
    };
    for (BasicBlock *BB : concat<BasicBlock *const>(V.ToMade, V.Made->blocks()))
      if (!OfImage.contains(BB) && !all_of(*BB, MayRun))
        return false;
    return true;
  }

  const Versions &V;
  ScalarEvolution &SE;
  const LoopInfo &LI;
  const DominatorTree &DT;
  const Subscripts Are;
  SmallVector<LoopPair, 3> Pairs; ///< outermost first
  SmallDenseSet<std::pair<PHINode *, PHINode *>, 4> Carried;
  SmallPtrSet<const Instruction *, 4> Compared;  ///< loads of the loop made
  SmallDenseMap<LoadInst *, unsigned, 2> Narrow; ///< how many bits must do
  StoreInst *OfBeyond = nullptr, *OfMade = nullptr;
  Instruction *Image = nullptr;
  Value *Zero = nullptr;
  bool Differ = false; ///< two of the phis do
};

class Joiner {
public:
  Joiner(const Versions &V, LoopInfo &LI, DominatorTree &DT)
      : V(V), LI(LI), DT(DT) {}

  /// \p Zero stands for \p Image where the head goes beyond the border. Returns
  /// whether no other head leads to the loop beyond it, which is no more then.
  bool run(Instruction &Image, Value &Zero) {
    if (auto *Phi = dyn_cast<PHINode>(&Image))
      testInFront(*Phi, Zero);
    else
      makePhi(Image, Zero);
    return dropBeyond();
  }

private:
  /// \p From goes on to \p End beyond the border, and to \p Inside otherwise.
  void makeTest(BasicBlock &From, BasicBlock &Inside, BasicBlock &End) {
    bool BeyondIsFirst = V.Head->getSuccessor(0) == V.ToBeyond.front();
    BranchInst *Test = BranchInst::Create(BeyondIsFirst ? &End : &Inside,
                                          BeyondIsFirst ? &Inside : &End,
                                          V.Head->getCondition());
    Test->setDebugLoc(V.Head->getDebugLoc());
    ReplaceInstWithInst(From.getTerminator(), Test);
    DT.insertEdge(&From, &End);
  }

  void makePhi(Instruction &Image, Value &Zero) {
    BasicBlock *From = Image.getParent();
    BasicBlock *Inside = SplitBlock(From, &Image, &DT, &LI);
    BasicBlock *End = SplitBlock(Inside, Image.getNextNode(), &DT, &LI);
    PHINode *Phi = PHINode::Create(Image.getType(), /*NumReservedValues=*/2,
                                   "element", End->begin());
    Image.replaceAllUsesWith(Phi);
    Phi->addIncoming(&Image, Inside);
    Phi->addIncoming(&Zero, From);
    makeTest(*From, *Inside, *End);
  }

  void testInFront(PHINode &Phi, Value &Zero) {
    BasicBlock *From = DT.getNode(Phi.getParent())->getIDom()->getBlock();
    BasicBlock *Inside = SplitBlock(From, From->getTerminator(), &DT, &LI);
    Phi.addIncoming(&Zero, From);
    makeTest(*From, *Inside, *Phi.getParent());
  }

  /// The head goes to the loop that is made in any case.
  bool dropBeyond() {
    BasicBlock *Head = V.Head->getParent(), *First = V.ToBeyond.front();
    First->removePredecessor(Head);
    ReplaceInstWithInst(V.Head, BranchInst::Create(V.ToMade.front()));
    DT.deleteEdge(Head, First);
    if (!pred_empty(First))
      return false;
    SmallVector<BasicBlock *, 8> Dead(V.ToBeyond.begin(), V.ToBeyond.end());
    append_range(Dead, V.Beyond->blocks());
    append_range(Dead, V.OutOfBeyond);
    for (BasicBlock *BB : Dead)
      LI.removeBlock(BB);
    Loop *Parent = V.Beyond->getParentLoop();
    Parent->removeChildLoop(find(*Parent, V.Beyond));
    LI.destroy(V.Beyond);
    DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
    DeleteDeadBlocks(Dead, &Updater);
    return true;
  }

  const Versions &V;
  LoopInfo &LI;
  DominatorTree &DT;
};

/// Joins one pair of versions in \p Root, if there is any, and adds to \p Dropped
/// the loops that are no more.
bool joinOne(Loop &Root, FunctionAnalysisManager &FAM, Subscripts Are,
             SmallPtrSetImpl<Loop *> &Dropped) {
  Function &F = *Root.getHeader()->getParent();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  ScalarEvolution SE = scalarEvolution(F, FAM);
  SmallVector<Loop *, 4> Loops = Root.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    if (L == &Root || !L->getLoopPreheader())
      continue;
    BasicBlock *First = blocksInFront(*L->getLoopPreheader()).front();
    for (BasicBlock *Head : predecessors(First)) {
      std::optional<Versions> V = versionsAt(*Head, *L, LI);
      if (!V)
        continue;
      Comparison Of(*V, SE, LI, DT, Are);
      if (!Of.agree())
        continue;
      Of.mark();
      SmallVector<Loop *, 4> Gone = L->getLoopsInPreorder();
      if (Joiner(*V, LI, DT).run(*Of.image(), *Of.zero()))
        Dropped.insert_range(Gone);
      return true;
    }
  }
  return false;
}

/// Whether an instruction of the innermost loop \p L, or its own operand, takes a
/// constant zero for a factor.
bool multipliesZero(const Loop &L) {
  auto IsZero = [](const Value *V) {
    auto *C = dyn_cast<ConstantFP>(V);
    return C && C->isZero();
  };
  return any_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      bool Multiplies =
          I.getOpcode() == Instruction::FMul ||
          (Call && (Call->getIntrinsicID() == Intrinsic::fmuladd ||
                    Call->getIntrinsicID() == Intrinsic::fma));
      return Multiplies && any_of(I.operands(), [&](const Use &Op) {
               auto *From = dyn_cast<Instruction>(Op);
               return IsZero(Op) || (From && !L.contains(From) &&
                                     any_of(From->operands(), IsZero));
             });
    });
  });
}

} // namespace

bool mayHaveZeroVersions(const Loop &L) {
  const Loop *Root = L.getOutermostLoop();
  return any_of(Root->getLoopsInPreorder(), [&](const Loop *Part) {
    return Part->isInnermost() && Part != Root && multipliesZero(*Part);
  });
}

SmallPtrSet<Loop *, 4>
joinZeroVersions(Loop &Root, FunctionAnalysisManager &FAM, Subscripts Are) {
  SmallPtrSet<Loop *, 4> Dropped;
  if (mayHaveZeroVersions(Root))
    while (joinOne(Root, FAM, Are, Dropped))
      ;
  return Dropped;
}

} // namespace tilesmith
