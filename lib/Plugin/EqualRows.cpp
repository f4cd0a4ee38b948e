//===- EqualRows.cpp - rows that each say how long they are ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EqualRows.h"
#include "FunctionCopy.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <cstdlib>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// The loads in \p Root, outside of \p L, that \p V is made of, if it is a length.
static void collectLoads(Value *V, const Loop &L, const Loop &Root,
                         SmallSetVector<LoadInst *, 2> &Loads,
                         unsigned Depth = 0) {
  auto *I = dyn_cast<Instruction>(V);
  constexpr unsigned MaxDepth = 6;
  if (!I || !Root.contains(I) || L.contains(I) || Depth > MaxDepth)
    return;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (Load->isSimple() &&
        (Load->getType()->isPointerTy() || Load->getType()->isIntegerTy(64)))
      Loads.insert(Load);
    return;
  }
  if (isa<CastInst, BinaryOperator, MinMaxIntrinsic, GetElementPtrInst>(I))
    for (Value *Operand : I->operands())
      collectLoads(Operand, L, Root, Loads, Depth + 1);
}

/// The loads that say how often \p L runs, as far as its latch asks.
static SmallSetVector<LoadInst *, 2> loadsOfCount(const Loop &L,
                                                  const Loop &Root) {
  SmallSetVector<LoadInst *, 2> Loads;
  BasicBlock *Latch = L.getLoopLatch();
  auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compare = Branch && Branch->isConditional()
                      ? dyn_cast<ICmpInst>(Branch->getCondition())
                      : nullptr;
  if (Compare)
    for (Value *Side : Compare->operands())
      if (L.isLoopInvariant(Side))
        collectLoads(Side, L, Root, Loads);
  return Loads;
}

bool mayHaveRowLengths(const Loop &L) {
  const Loop *Root = L.getOutermostLoop();
  for (const Loop *Part = &L; Part != Root; Part = Part->getParentLoop())
    if (!loadsOfCount(*Part, *Root).empty())
      return true;
  return false;
}

namespace {

/// Where a row's length, or a pointer, is loaded from: a field of a record for each
/// iteration of one loop.
struct Field {
  LoadInst *Load;
  const SCEV *First; ///< its address in the first record
  const Loop *Rows;
  int64_t Distance;
};

class RowLengths {
public:
  RowLengths(Loop &Root, Function &F, FunctionAnalysisManager &FAM)
      : Root(Root), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)), SE(scalarEvolution(F, FAM)),
        Expander(SE, "tilesmith") {}

  void run(SmallVectorImpl<RowRecords> &Result) {
    const DataLayout &DL = Root.getHeader()->getDataLayout();
    if (!Root.getLoopPreheader() || DL.getPointerSizeInBits() != 64 ||
        !runsThrough())
      return;
    At = Root.getLoopPreheader()->getTerminator();
    for (Loop *L : Root.getLoopsInPreorder())
      if (L != &Root)
        if (std::optional<RowRecords> Of = ofLoop(*L))
          Result.push_back(*Of);
  }

private:
  /// Whether each iteration of \p Root goes on to the next one.
  bool runsThrough() const {
    return all_of(Root.blocks(), [](const BasicBlock *BB) {
      return isGuaranteedToTransferExecutionToSuccessor(BB);
    });
  }

  /// The values that must come out so for \p BB to run in all iterations of the loops
  /// around it, up to \p Root; null if others have a say.
  std::optional<decltype(RowRecords::MustHold)>
  whatLetsRun(const BasicBlock &BB) const {
    decltype(RowRecords::MustHold) Result;
    const BasicBlock *Inside = &BB;
    for (const Loop *L = LI.getLoopFor(&BB);; L = L->getParentLoop()) {
      const BasicBlock *Latch = L->getLoopLatch();
      if (!Latch || L->getExitingBlock() != Latch)
        return std::nullopt;
      while (!DT.dominates(Inside, Latch)) {
        const BasicBlock *Asks = DT.getNode(Inside)->getIDom()->getBlock();
        auto *Branch = dyn_cast<BranchInst>(Asks->getTerminator());
        if (Branch && Branch->isUnconditional()) {
          Inside = Asks;
          continue;
        }
        if (!Branch || !Root.isLoopInvariant(Branch->getCondition()))
          return std::nullopt;
        auto LeadsInside = [&](unsigned Side) {
          return DT.dominates(BasicBlockEdge(Asks, Branch->getSuccessor(Side)),
                              Inside);
        };
        if (!LeadsInside(0) && !LeadsInside(1))
          return std::nullopt;
        Result.push_back({Branch->getCondition(), LeadsInside(0)});
        Inside = Asks;
      }
      if (L == &Root)
        return Result;
      Inside = L->getHeader();
    }
  }

  bool mayChange(const LoadInst &Load) const {
    MemoryLocation All = MemoryLocation::getBeforeOrAfter(
        Load.getPointerOperand(), Load.getAAMetadata());
    return any_of(Root.blocks(), [&](BasicBlock *BB) {
      return any_of(*BB, [&](Instruction &I) {
        return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, All));
      });
    });
  }

  std::optional<Field> field(LoadInst &Load) {
    auto *Address =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Load.getPointerOperand()));
    if (!Address || !Address->isAffine() || !Root.contains(Address->getLoop()))
      return std::nullopt;
    const Loop *Rows = Address->getLoop();
    auto *Step = dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE));
    const SCEV *Last = SE.getBackedgeTakenCount(Rows);
    auto IsKnown = [&](const SCEV *S) {
      return SE.isLoopInvariant(S, &Root) && Expander.isSafeToExpandAt(S, At);
    };
    auto *ToRow = dyn_cast<PointerType>(Load.getType());
    if (!Step || LI.getLoopFor(Load.getParent()) != Rows ||
        Load.getPointerAddressSpace() || (ToRow && ToRow->getAddressSpace()) ||
        isa<SCEVCouldNotCompute>(Last) || !IsKnown(Last) ||
        SE.getTypeSizeInBits(Last->getType()) > 64 ||
        !IsKnown(Address->getStart()) || !whatLetsRun(*Load.getParent()) ||
        mayChange(Load))
      return std::nullopt;
    return Field{&Load, Address->getStart(), Rows,
                 Step->getAPInt().getSExtValue()};
  }

  /// Lets \p L run as often as in the first row.
  std::optional<RowRecords> ofLoop(const Loop &L) {
    auto Loads = loadsOfCount(L, Root);
    SmallVector<Field, 2> Fields;
    for (LoadInst *Load : Loads)
      if (std::optional<Field> Of = field(*Load))
        Fields.push_back(*Of);
    // An array of lengths alone is made for rows of different lengths.
    constexpr int64_t LeastRecord = 16;
    if (Fields.size() == 1 && Fields[0].Load->getType()->isIntegerTy())
      return std::abs(Fields[0].Distance) >= LeastRecord
                 ? std::optional(takeLength(Fields[0]))
                 : std::nullopt;
    if (Fields.size() == 1)
      if (LoadInst *Begin = beginOf(L))
        if (std::optional<Field> Of = field(*Begin))
          Fields.push_back(*Of);
    if (Fields.size() != 2 || !Fields[0].Load->getType()->isPointerTy() ||
        !Fields[1].Load->getType()->isPointerTy() ||
        Fields[0].Rows != Fields[1].Rows ||
        Fields[0].Distance != Fields[1].Distance)
      return std::nullopt;
    auto *Between = dyn_cast<SCEVConstant>(
        SE.getMinusSCEV(Fields[0].First, Fields[1].First));
    if (!Between || Between->isZero() ||
        Fields[0].Load->getParent() != Fields[1].Load->getParent())
      return std::nullopt;
    if (Between->getAPInt().isNegative())
      std::swap(Fields[0], Fields[1]);
    return takeEnd(Fields[0], Fields[1], L);
  }

  /// What a pointer of \p L that goes through a row begins with.
  LoadInst *beginOf(const Loop &L) {
    auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
    for (Value *Side : cast<ICmpInst>(Branch->getCondition())->operands())
      if (auto *Goes = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Side));
          Goes && Goes->getLoop() == &L)
        if (auto *Base =
                dyn_cast<SCEVUnknown>(SE.getPointerBase(Goes->getStart())))
          return dyn_cast<LoadInst>(Base->getValue());
    return nullptr;
  }

  Value *expand(const SCEV *S, Type *Ty) {
    return Expander.expandCodeFor(S, Ty, At);
  }

  Value *loadFirst(const Field &Of, Value *Address) {
    IRBuilder<> B(At);
    LoadInst *First = B.CreateAlignedLoad(Of.Load->getType(), Address,
                                          Of.Load->getAlign(), "first");
    First->setAAMetadata(Of.Load->getAAMetadata());
    return First;
  }

  Value *lastOf(const Field &Of) {
    Type *I64 = Type::getInt64Ty(At->getContext());
    return expand(
        SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(Of.Rows), I64), I64);
  }

  /// A block of its own for what is loaded in front of \p Root.
  RowRecords begin(const Field &Of) {
    RowRecords Result;
    Result.MustHold = *whatLetsRun(*Of.Load->getParent());
    Result.Loads = SplitBlock(At->getParent(), At, &DT, &LI);
    Result.Distance = Of.Distance;
    Result.Alignment = Of.Load->getAlign();
    return Result;
  }

  RowRecords takeLength(const Field &Of) {
    RowRecords Result = begin(Of);
    Result.End = expand(Of.First, Of.Load->getPointerOperandType());
    Result.Begin = nullptr;
    Result.Last = lastOf(Of);
    Result.Length = loadFirst(Of, Result.End);
    Result.ElemSize = 1;
    replace(*Of.Load, *Result.Length);
    return Result;
  }

  RowRecords takeEnd(const Field &End, const Field &Begin, const Loop &L) {
    RowRecords Result = begin(End);
    unsigned Shift = shiftOf(*End.Load, *Begin.Load, L);
    Result.End = expand(End.First, End.Load->getPointerOperandType());
    Result.Begin = expand(Begin.First, Begin.Load->getPointerOperandType());
    Result.Last = lastOf(End);
    Result.ElemSize = uint64_t(1) << Shift;
    Result.Alignment = std::min(Result.Alignment, Begin.Load->getAlign());
    Value *ToEnd = loadFirst(End, Result.End),
          *ToBegin = loadFirst(Begin, Result.Begin);
    IRBuilder<> B(At);
    Type *I64 = B.getInt64Ty();
    Result.Length = B.CreateSub(B.CreatePtrToInt(ToEnd, I64),
                                B.CreatePtrToInt(ToBegin, I64), "bytes");
    Value *Count = B.CreateLShr(Result.Length, Shift, "length");
    Value *Whole = Shift ? B.CreateShl(Count, Shift, "", /*HasNUW=*/true,
                                       /*HasNSW=*/true)
                         : Result.Length;
    replaceEnd(*End.Load, *Begin.Load, *Count, *Whole, Shift);
    return Result;
  }

  /// The logarithm of the size of elements.
  unsigned shiftOf(LoadInst &End, LoadInst &Begin, const Loop &L) {
    for (User *U : End.users())
      for (User *Difference : U->users()) {
        if (!match(Difference, m_Sub(m_PtrToInt(m_Specific(&End)),
                                     m_PtrToInt(m_Specific(&Begin)))))
          continue;
        uint64_t Shift;
        for (User *Count : Difference->users())
          if (match(Count, m_Shr(m_Specific(Difference), m_ConstantInt(Shift))))
            return Shift;
      }
    auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
    for (Value *Side : cast<ICmpInst>(Branch->getCondition())->operands())
      if (auto *Goes = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Side));
          Goes && Side->getType()->isPointerTy())
        if (auto *Step = dyn_cast<SCEVConstant>(Goes->getStepRecurrence(SE));
            Step && Step->getAPInt().isPowerOf2())
          return Step->getAPInt().logBase2();
    return 0;
  }

  void replace(Instruction &Old, Value &New) {
    SE.forgetValue(&Old);
    Old.replaceAllUsesWith(&New);
  }

  /// Whatever is made of the pointers \p End and \p Begin is made of the length.
  void replaceEnd(LoadInst &End, LoadInst &Begin, Value &Count, Value &Bytes,
                  unsigned Shift) {
    for (User *U : to_vector(End.users())) {
      auto *I = cast<Instruction>(U);
      CmpPredicate Asked;
      if (match(I, m_c_ICmp(Asked, m_Specific(&End), m_Specific(&Begin))) &&
          ICmpInst::isEquality(Asked)) {
        IRBuilder<> B(At);
        replace(*I, *B.CreateICmp(Asked, &Count,
                                  ConstantInt::get(Count.getType(), 0)));
        continue;
      }
      for (User *Used : to_vector(I->users())) {
        auto *Difference = dyn_cast<Instruction>(Used);
        if (!Difference ||
            !match(Difference, m_Sub(m_PtrToInt(m_Specific(&End)),
                                     m_PtrToInt(m_Specific(&Begin)))))
          continue;
        for (User *Divided : to_vector(Difference->users()))
          if (match(Divided,
                    m_Shr(m_Specific(Difference), m_SpecificInt(Shift))))
            replace(*cast<Instruction>(Divided), Count);
        replace(*Difference, Bytes);
      }
    }
    // Other uses see the pointer behind as many bytes.
    Instruction *Later = DT.dominates(&End, &Begin) ? &Begin : &End;
    IRBuilder<> B(Later->getParent(), std::next(Later->getIterator()));
    Value *New = B.CreatePtrAdd(&Begin, &Bytes, "end");
    End.replaceUsesWithIf(New, [&](Use &U) {
      return U.getUser() != New && DT.dominates(cast<Instruction>(New), U);
    });
    SE.forgetLoop(&Root);
  }

  Loop &Root;
  LoopInfo &LI;
  DominatorTree &DT;
  AAResults &AA;
  ScalarEvolution SE;
  SCEVExpander Expander;
  Instruction *At = nullptr; ///< in front of the nest
};

/// Makes the test in front of a nest.
class LengthTest {
public:
  LengthTest(BasicBlock &To, BasicBlock &Fallback, LoopInfo &LI)
      : To(To), Fallback(Fallback), LI(LI) {}

  /// With few steps, or few rows, loops are not worth the test.
  void askFirst(const RowRecords &Of) {
    constexpr uint64_t FewSteps = 16, FewRows = 8;
    From = Of.Loads->getSinglePredecessor();
    IRBuilder<> B(From->getTerminator());
    Value *Is = B.getTrue();
    for (auto Condition : Of.MustHold)
      Is = B.CreateAnd(Is, Condition.getInt()
                               ? Condition.getPointer()
                               : B.CreateNot(Condition.getPointer()));
    branch(isa<Constant>(Is) ? Is : B.CreateFreeze(Is));
    From = Of.Loads;
    B.SetInsertPoint(From->getTerminator());
    Is = B.CreateAnd(
        B.CreateICmpSGE(Of.Length, B.getInt64(FewSteps * Of.ElemSize)),
        B.CreateICmpUGE(Of.Last, B.getInt64(FewRows - 1)));
    if (Of.ElemSize > 1)
      Is = B.CreateAnd(Is,
                       B.CreateICmpEQ(B.CreateAnd(Of.Length, Of.ElemSize - 1),
                                      B.getInt64(0)));
    branch(Is);
  }

  /// Compares the length of each row with that of the first one.
  void askAll(const RowRecords &Of) {
    LLVMContext &Ctx = To.getContext();
    BasicBlock *Body =
        BasicBlock::Create(Ctx, "tilesmith.lengths", To.getParent(), &To);
    BasicBlock *Latch =
        BasicBlock::Create(Ctx, "tilesmith.length", To.getParent(), &To);
    From = To.getSinglePredecessor();
    From->getTerminator()->replaceSuccessorWith(&To, Body);
    IRBuilder<> B(Body);
    B.SetCurrentDebugLocation(To.getTerminator()->getDebugLoc());
    PHINode *Row = B.CreatePHI(B.getInt64Ty(), 2, "row");
    Value *Offset = B.CreateMul(Row, B.getInt64(Of.Distance));
    auto Field = [&](Value *First, Type *Ty) {
      return B.CreateAlignedLoad(Ty, B.CreatePtrAdd(First, Offset),
                                 Of.Alignment);
    };
    Value *Length = Field(Of.End, B.getInt64Ty());
    if (Of.Begin)
      Length = B.CreateSub(Length, Field(Of.Begin, B.getInt64Ty()));
    B.CreateCondBr(B.CreateICmpEQ(Length, Of.Length), Latch, &Fallback);
    B.SetInsertPoint(Latch);
    Value *Next = B.CreateAdd(Row, B.getInt64(1));
    B.CreateCondBr(B.CreateICmpEQ(Row, Of.Last), &To, Body);
    Row->addIncoming(B.getInt64(0), From);
    Row->addIncoming(Next, Latch);
    Loop *Test = LI.AllocateLoop();
    if (Loop *Around = LI.getLoopFor(From))
      Around->addChildLoop(Test);
    else
      LI.addTopLevelLoop(Test);
    for (BasicBlock *BB : {Body, Latch})
      Test->addBasicBlockToLoop(BB, LI);
  }

private:
  void branch(Value *Is) {
    if (isa<Constant>(Is))
      return;
    Instruction *Old = From->getTerminator();
    ReplaceInstWithInst(
        Old, BranchInst::Create(Old->getSuccessor(0), &Fallback, Is));
  }

  BasicBlock *From = nullptr, &To, &Fallback;
  LoopInfo &LI;
};

} // namespace

SmallVector<RowRecords, 1> takeFirstLengths(Loop &Root, Function &F,
                                            FunctionAnalysisManager &FAM) {
  SmallVector<RowRecords, 1> Result;
  if (any_of(Root.getLoopsInPreorder(), [&](const Loop *L) {
        return L != &Root && !loadsOfCount(*L, Root).empty();
      }))
    RowLengths(Root, F, FAM).run(Result);
  return Result;
}

void testLengths(ArrayRef<RowRecords> Tables, Loop &Root, BasicBlock &Fallback,
                 FunctionAnalysisManager &FAM) {
  if (Tables.empty())
    return;
  Function &F = *Root.getHeader()->getParent();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  BasicBlock *From = Root.getLoopPreheader();
  BasicBlock *To = SplitBlock(From, From->getTerminator(), &DT, &LI);
  LengthTest Test(*To, Fallback, LI);
  for (const RowRecords &Of : Tables)
    Test.askFirst(Of);
  for (const RowRecords &Of : Tables)
    Test.askAll(Of);
  DT.recalculate(F);
}

} // namespace tilesmith
