//===- SplitCounter.cpp - two loops of a fused one ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitCounter.h"
#include "CounterDigits.h"
#include "LoopShape.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

class Splitter {
public:
  Splitter(Loop &Fused, FunctionAnalysisManager &FAM)
      : Fused(Fused), F(*Fused.getHeader()->getParent()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(F, FAM.getResult<TargetLibraryAnalysis>(F),
           FAM.getResult<AssumptionAnalysis>(F), DT, LI) {}

  /// Finds what the loops are made of; false if they cannot be.
  bool prepare() {
    auto Found = fusedCounter(Fused);
    Pre = Fused.getLoopPreheader();
    Latch = Fused.getLoopLatch();
    Exit = Fused.getUniqueExitBlock();
    if (!Found || !Pre || !Exit || Fused.getExitingBlock() != Latch ||
        !hasSingleElement(Fused.getHeader()->phis()))
      return false;
    Counter = Found->Phi;
    auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Counter));
    Backedges = SE.getBackedgeTakenCount(&Fused);
    if (!Rec || !Rec->isAffine() || !Rec->getStepRecurrence(SE)->isOne() ||
        isa<SCEVCouldNotCompute>(Backedges) ||
        SE.getTypeSizeInBits(Backedges->getType()) >
            SE.getTypeSizeInBits(Counter->getType()))
      return false;
    SCEVExpander Expander(SE, "tilesmith");
    if (!Expander.isSafeToExpandAt(Backedges, Pre->getTerminator()) ||
        leavesValues(Fused))
      return false;
    Digits.emplace(Fused, *Counter, SE);
    return Digits->count() > 1;
  }

  void split(BasicBlock *Fallback) {
    SCEVExpander Expander(SE, "tilesmith");
    IRBuilder<> B(Pre->getTerminator());
    Value *First = Counter->getIncomingValueForBlock(Pre);
    Value *Count =
        Expander.expandCodeFor(Backedges, nullptr, Pre->getTerminator());
    Count = B.CreateZExt(Count, First->getType());
    Value *Last = B.CreateAdd(First, Count, "fused.last");
    if (Fallback)
      leaveUnlessDigits(First, Last, *Fallback);
    else
      makeSizes(B);
    describeBoxes(First, Last);
    buildLoops();
    replaceCounter();
    DT.recalculate(F);
    addToLoopInfo();
  }

private:
  Value *number(uint64_t N) const {
    return ConstantInt::get(Counter->getType(), N);
  }
  unsigned last() const { return Digits->count() - 1; }

  /// How much each digit's unit is worth, and how many values each digit but the
  /// first has. Returns what must hold for that, of divisors that are positive.
  SmallVector<Value *, 4> makeSizes(IRBuilder<> &B) {
    SmallVector<Value *, 4> Tests;
    auto Wide = [&](Value *V) { return B.CreateSExt(V, Counter->getType()); };
    auto Exactly = [&](Value *X, Value *Y) {
      Value *Product =
          B.CreateBinaryIntrinsic(Intrinsic::smul_with_overflow, X, Y);
      Tests.push_back(B.CreateNot(B.CreateExtractValue(Product, 1)));
      return B.CreateExtractValue(Product, 0);
    };
    Units.assign(Digits->count(), number(1));
    // A unit is made of one that was found before.
    for (unsigned Number = 1; Number < Digits->count(); Number++) {
      const auto &Unit = Digits->unit(Number);
      Units[Number] = Wide(Unit.Factor);
      if (Unit.Of == 0)
        continue;
      Units[Number] = Exactly(Units[Unit.Of], Units[Number]);
    }
    for (const auto &Again : Digits->again())
      if (const auto &Same = Digits->unit(Again.Same);
          Same.Factor != Again.Factor || Same.Of != Again.Of)
        Tests.push_back(B.CreateICmpEQ(
            Units[Again.Same], Exactly(Units[Again.Of], Wide(Again.Factor))));
    Sizes.assign(1, nullptr);
    for (unsigned I = 1; I < Digits->count(); I++) {
      const unsigned Before = Digits->order()[I - 1], Own = Digits->order()[I];
      if (Digits->unit(Before).Of == Own) {
        Sizes.push_back(Wide(Digits->unit(Before).Factor));
        continue;
      }
      Sizes.push_back(B.CreateUDiv(Units[Before], Units[Own], "fused.size"));
      Tests.push_back(
          B.CreateICmpEQ(B.CreateMul(Sizes.back(), Units[Own]), Units[Before]));
    }
    return Tests;
  }

  /// Without a loop inside, a few elements take less time than the pieces; and of
  /// three digits, so do rows of few columns. (Measured on Zen 5, and on Zen 4.)
  Value *isLongEnough(IRBuilder<> &B, Value *First, Value *Last) const {
    constexpr uint64_t FewElements = 32, FewColumns = 4;
    Value *Result = B.getTrue();
    if (Fused.isInnermost() || Digits->count() > 2)
      Result = B.CreateICmpUGE(Sizes[last()], number(FewColumns));
    if (Fused.isInnermost())
      Result = B.CreateAnd(Result, B.CreateICmpUGE(B.CreateSub(Last, First),
                                                   number(FewElements - 1)));
    return Result;
  }

  void leaveUnlessDigits(Value *First, Value *Last, BasicBlock &Fallback) {
    BasicBlock *From = Pre;
    BasicBlock *Sized = SplitBlock(From, From->getTerminator(), &DT, &LI);
    Pre = SplitBlock(Sized, Sized->getTerminator(), &DT, &LI);
    IRBuilder<> B(From->getTerminator());
    auto LeaveUnless = [&](Value *IsFused, BasicBlock *Next) {
      Instruction *End = B.GetInsertBlock()->getTerminator();
      B.CreateCondBr(B.CreateFreeze(IsFused), Next, &Fallback);
      End->eraseFromParent();
    };
    Value *IsFused = B.CreateAnd(B.CreateICmpSGE(First, number(0)),
                                 B.CreateICmpSGE(Last, First));
    // Nothing may be divided by zero.
    for (Value *Divisor : Digits->divisors())
      IsFused = B.CreateAnd(
          IsFused,
          B.CreateICmpSGT(Divisor, ConstantInt::get(Divisor->getType(), 0)));
    LeaveUnless(IsFused, Sized);
    B.SetInsertPoint(Sized->getTerminator());
    IsFused = B.getTrue();
    for (Value *Test : makeSizes(B))
      IsFused = B.CreateAnd(IsFused, Test);
    LeaveUnless(B.CreateAnd(IsFused, isLongEnough(B, First, Last)), Pre);
  }

  /// The digits of \p N.
  SmallVector<Value *, 4> digitsOf(IRBuilder<> &B, Value *N) const {
    SmallVector<Value *, 4> Result;
    for (unsigned Number : Digits->order()) {
      Result.push_back(B.CreateUDiv(N, Units[Number]));
      N = B.CreateURem(N, Units[Number]);
    }
    return Result;
  }

  /// A part of the loop: the values of a digit from the first up to the second one.
  struct Bounds {
    Value *From, *To;
  };
  struct Box {
    SmallVector<Bounds, 4> Of; ///< each digit
    Value *Exists;
  };

  /// A box with the leading digits \p Prefix; the next one has \p Next, and
  /// those behind all of their values.
  Box boxOf(IRBuilder<> &B, ArrayRef<Value *> Prefix, Bounds Next,
            Value *Exists) const {
    Exists = B.CreateAnd(Exists, B.CreateICmpULT(Next.From, Next.To));
    Box Result{{}, Exists};
    for (Value *Digit : Prefix)
      Result.Of.push_back({Digit, B.CreateAdd(Digit, number(1))});
    Result.Of.push_back(Next);
    while (Result.Of.size() < Digits->count())
      Result.Of.push_back({number(0), Sizes[Result.Of.size()]});
    return Result;
  }

  /// With the numbers 0123 and 2301 as the first and the end: 0123 to 0129, 013x, 02xx to 09xx,
  /// 1xxx, 20xx to 22xx, 2300. Where both begin with the same digits, all boxes do.
  void describeBoxes(Value *First, Value *Last) {
    IRBuilder<> B(Pre->getTerminator());
    auto Begin = digitsOf(B, First);
    auto End = digitsOf(B, B.CreateAdd(Last, number(1)));
    const unsigned Count = Digits->count();
    SmallVector<Value *, 4> Differ(Count), Parted(Count), StartsRow(Count),
        Start(Count);
    Value *IsParted = B.getFalse(), *IsZero = B.getTrue();
    for (unsigned I = 0; I < Count; I++) {
      Differ[I] = B.CreateICmpNE(Begin[I], End[I]);
      Parted[I] = IsParted; // before this digit
      IsParted = B.CreateOr(IsParted, Differ[I]);
    }
    for (unsigned I = Count; I-- > 0;) {
      StartsRow[I] = IsZero; // all digits behind are zero
      Start[I] = B.CreateAdd(
          Begin[I], B.CreateZExt(B.CreateNot(IsZero), Counter->getType()));
      IsZero = B.CreateAnd(IsZero, B.CreateICmpEQ(Begin[I], number(0)));
    }
    for (unsigned I = Count; --I > 0;)
      Boxes.push_back(
          boxOf(B, ArrayRef(Begin).take_front(I), {Start[I], Sizes[I]},
                B.CreateAnd(Parted[I], B.CreateNot(StartsRow[I - 1]))));
    Box Middle{{}, B.getTrue()};
    for (unsigned I = 0; I < Count; I++) {
      Value *From = B.CreateSelect(Differ[I], Start[I], Begin[I]);
      Value *To =
          B.CreateSelect(Differ[I], End[I], B.CreateAdd(Begin[I], number(1)));
      if (I > 0) {
        From = B.CreateSelect(Parted[I], number(0), From);
        To = B.CreateSelect(Parted[I], Sizes[I], To);
      }
      Middle.Exists = B.CreateAnd(Middle.Exists, B.CreateICmpULT(From, To));
      Middle.Of.push_back({From, To});
    }
    Boxes.push_back(std::move(Middle));
    for (unsigned I = 1; I < Count; I++)
      Boxes.push_back(boxOf(B, ArrayRef(End).take_front(I), {number(0), End[I]},
                            Parted[I]));
  }

  /// The value of a box, chosen by its number.
  Value *ofBox(IRBuilder<> &B, Value *Number,
               function_ref<Value *(const Box &)> Member) const {
    Value *Result = Member(Boxes.back());
    for (unsigned I = Boxes.size() - 1; I-- > 0;)
      Result = B.CreateSelect(B.CreateICmpEQ(Number, number(I)),
                              Member(Boxes[I]), Result);
    return Result;
  }

  void buildLoops() {
    auto Block = [&](const char *Name) {
      return BasicBlock::Create(F.getContext(), Name, &F, Fused.getHeader());
    };
    Type *Ty = Counter->getType();
    PartHeader = Block("fused.part");
    Beginning = Block("fused.box");
    Preheader = Block("fused.rows");
    for (unsigned I = 0; I < last(); I++)
      Headers.push_back(Block("fused.row"));
    for (unsigned I = 0; I < last(); I++)
      Latches.push_back(Block("fused.row.next"));
    PartLatch = Block("fused.part.next");
    Where = Latch->getTerminator()->getDebugLoc();
    Pre->getTerminator()->replaceSuccessorWith(Fused.getHeader(), PartHeader);

    IRBuilder<> B(PartHeader);
    B.SetCurrentDebugLocation(Where);
    PHINode *Number = B.CreatePHI(Ty, 2, "part");
    B.CreateCondBr(ofBox(B, Number, [](const Box &It) { return It.Exists; }),
                   Beginning, PartLatch);
    B.SetInsertPoint(Beginning);
    // Analyses look for the test in front of the loops.
    Value *Exists = B.getTrue();
    for (unsigned I = 0; I <= last(); I++) {
      Value *From =
          ofBox(B, Number, [&](const Box &It) { return It.Of[I].From; });
      Value *To = ofBox(B, Number, [&](const Box &It) { return It.Of[I].To; });
      Chosen.push_back({From, To});
      Exists = B.CreateAnd(Exists, B.CreateICmpULT(From, To));
    }
    B.CreateCondBr(Exists, Preheader, PartLatch);
    B.SetInsertPoint(Preheader);
    B.CreateBr(Headers[0]);
    for (unsigned I = 0; I < last(); I++)
      buildRows(B, I);

    B.SetInsertPoint(PartLatch);
    Value *Next = B.CreateAdd(Number, number(1));
    B.CreateCondBr(B.CreateICmpEQ(Next, number(Boxes.size())), Exit,
                   PartHeader);
    Number->addIncoming(number(0), Pre);
    Number->addIncoming(Next, PartLatch);
    Exit->replacePhiUsesWith(Latch, PartLatch);
  }

  /// The loop over the values of a digit, without its body.
  void buildRows(IRBuilder<> &B, unsigned I) {
    B.SetInsertPoint(Headers[I]);
    PHINode *Row = B.CreatePHI(Counter->getType(), 2, "row");
    B.CreateBr(I + 1 < last() ? Headers[I + 1] : Fused.getHeader());
    B.SetInsertPoint(Latches[I]);
    Value *Next = B.CreateAdd(Row, number(1));
    B.CreateCondBr(B.CreateICmpEQ(Next, Chosen[I].To),
                   I > 0 ? Latches[I - 1] : PartLatch, Headers[I]);
    Row->addIncoming(Chosen[I].From, I > 0 ? Headers[I - 1] : Preheader);
    Row->addIncoming(Next, Latches[I]);
    Rows.push_back(Row);
  }

  /// The fused loop counts the last digit; quotients and remainders are made of
  /// digits.
  void replaceCounter() {
    IRBuilder<> B(Counter);
    PHINode *J = B.CreatePHI(Counter->getType(), 2, "column");
    SmallVector<Value *, 4> Values(Rows);
    Values.push_back(J);
    B.SetInsertPoint(Fused.getHeader()->getFirstInsertionPt());
    for (const CounterDigits::Part &Part : Digits->parts()) {
      Value *Together = Values[Part.First];
      for (unsigned I = Part.First + 1; I < Part.End; I++)
        Together = B.CreateAdd(B.CreateMul(Together, Sizes[I]), Values[I]);
      // The part, and so what is less, has the narrow type.
      replacePart(*Part.Inst, *B.CreateTrunc(Together, Part.Inst->getType(), "",
                                             /*IsNUW=*/Part.IsUnsigned,
                                             /*IsNSW=*/!Part.IsUnsigned));
    }

    auto *End = cast<BranchInst>(Latch->getTerminator());
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(J, number(1));
    BranchInst *Branch = B.CreateCondBr(B.CreateICmpEQ(Next, Chosen.back().To),
                                        Latches.back(), Fused.getHeader());
    Branch->setMetadata(LLVMContext::MD_loop,
                        End->getMetadata(LLVMContext::MD_loop));
    End->eraseFromParent();
    J->addIncoming(Chosen.back().From, Headers.back());
    J->addIncoming(Next, Latch);
    Counter->eraseFromParent();
  }

  /// Digits are never poison.
  static void replacePart(Instruction &Part, Value &By) {
    for (User *U : make_early_inc_range(Part.users()))
      if (isa<FreezeInst>(U))
        U->replaceAllUsesWith(&By);
    Part.replaceAllUsesWith(&By);
  }

  void addToLoopInfo() {
    SmallVector<Loop *, 5> Loops{LI.AllocateLoop()};
    if (Loop *Parent = Fused.getParentLoop())
      Parent->replaceChildLoopWith(&Fused, Loops[0]);
    else
      LI.changeTopLevelLoop(&Fused, Loops[0]);
    for (unsigned I = 0; I < last(); I++) {
      Loops.push_back(LI.AllocateLoop());
      Loops[I]->addChildLoop(Loops[I + 1]);
    }
    Loops.back()->addChildLoop(&Fused);
    for (BasicBlock *BB : {PartHeader, Beginning, Preheader, PartLatch})
      Loops[0]->addBasicBlockToLoop(BB, LI);
    for (unsigned I = 0; I < last(); I++)
      for (BasicBlock *BB : {Headers[I], Latches[I]})
        Loops[I + 1]->addBasicBlockToLoop(BB, LI);
    for (BasicBlock *BB : Fused.blocks())
      for (Loop *L : Loops)
        L->addBlockEntry(BB);
  }

  Loop &Fused;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution SE;
  PHINode *Counter = nullptr;
  std::optional<CounterDigits> Digits;
  BasicBlock *Pre = nullptr, *Latch = nullptr, *Exit = nullptr;
  const SCEV *Backedges = nullptr;
  SmallVector<Value *, 4> Units, ///< by their numbers
      Sizes;                     ///< of digits; null for the first one
  SmallVector<Box, 8> Boxes;
  SmallVector<Bounds, 4> Chosen; ///< for each digit
  BasicBlock *PartHeader = nullptr, *Beginning = nullptr, *Preheader = nullptr,
             *PartLatch = nullptr;
  SmallVector<BasicBlock *, 4> Headers, Latches; ///< of all digits but the last
  SmallVector<Value *, 4> Rows;
  DebugLoc Where;
};

} // namespace

Loop *findFusedLoop(Loop &Inner) {
  for (Loop *L = Inner.getParentLoop(); L; L = L->getParentLoop())
    if (fusedCounter(*L))
      return L;
  return nullptr;
}

bool splitFusedLoop(Loop &Fused, BasicBlock *Fallback,
                    FunctionAnalysisManager &FAM) {
  Splitter S(Fused, FAM);
  if (!S.prepare())
    return false;
  S.split(Fallback);
  return true;
}

} // namespace tilesmith
