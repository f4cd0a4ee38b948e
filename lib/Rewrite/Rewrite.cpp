//===- Rewrite.cpp - the Rewrite room's entry -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   preheader:                  preheader:
//     br nest                     br large enough, size, nest
//                               size:
//                                 br extents fit, check, nest
//                               check:
//                        =>       br safe, fast, nest
//                               fast:
//                                 done = kernel(...)
//                                 br done, exit, nest
//   nest:                       nest:
//     ... br exit                 ... br exit
//
// If the nest does something besides the product, copies of it do that: behind
// the kernel, fast goes on to one without the product instead of exit; or check
// leads there first, and a kernel that fails is followed by another copy, with
// only the product.
//
// If the program is to compare, fast restores C and goes on to the nest, too.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Rewrite/Rewrite.h"
#include "Backend.h"
#include "Comparison.h"
#include "Counter.h"
#include "Guard.h"
#include "Profile.h"
#include "RestLoops.h"
#include "RowBlocks.h"
#include "SavedCopy.h"
#include "tilesmith/Kernel/Kernel.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

const char FallbackMark[] = "tilesmith.fallback";

bool isMarkedAsFallback(const Loop &L) {
  return findOptionMDForLoop(&L, FallbackMark) != nullptr;
}

/// \p F now does \p Own, and reads back the sums it stored: forget what was
/// inferred to the contrary about it and about its callers.
static void weakenInferredAttributes(Function &F, MemoryEffects Own) {
  SmallVector<Function *, 8> Work{&F};
  SmallPtrSet<Function *, 8> Seen;
  while (!Work.empty()) {
    Function *Cur = Work.pop_back_val();
    if (!Seen.insert(Cur).second)
      continue;
    MemoryEffects Effects = Cur->getMemoryEffects() | Own;
    if (isModSet(Effects.getModRef(IRMemLocation::Other)))
      Effects |= MemoryEffects::unknown();
    Cur->setMemoryEffects(Effects);
    Cur->removeFnAttr(Attribute::NoSync);
    for (Argument &A : Cur->args())
      A.removeAttr(Attribute::WriteOnly);
    for (User *U : Cur->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != Cur)
        continue;
      if (Call->hasFnAttr(Attribute::Memory))
        Call->setMemoryEffects(Call->getMemoryEffects() | Effects);
      for (unsigned I = 0, E = Call->arg_size(); I < E; ++I)
        Call->removeParamAttr(I, Attribute::WriteOnly);
      Work.push_back(Call->getFunction());
    }
  }
}

bool hasMalloc(const Module &Mod, const TargetLibraryInfo &TLI) {
  const Triple &Target = Mod.getTargetTriple();
  bool HasSystem = Target.getOSName() != "none" &&
                   !(Target.isWasm() && Target.getOS() == Triple::UnknownOS);
  const Function *Own = Mod.getFunction("malloc");
  return (HasSystem || (Own && !Own->use_empty())) &&
         isLibFuncEmittable(&Mod, &TLI, LibFunc_malloc) &&
         isLibFuncEmittable(&Mod, &TLI, LibFunc_free);
}

std::optional<Refusal> refuseRewrite(const PlannedNest &Planned,
                                     const NestAnalyses &Analyses,
                                     const TargetLibraryInfo &TLI) {
  const Nest &View = Planned.View;
  const Plan &ThePlan = Planned.ThePlan;
  if ((ThePlan.mayAllocate(View) || View.Op.isCopied()) &&
      !hasMalloc(*View.Op.store()->getModule(), TLI))
    return Refusal{Reason::NoMalloc, View.Op.store()};
  if (!canBuildGuard(View, Analyses.SE))
    return Refusal{Reason::NotAffine, View.Op.store()};
  if (!mayBeLargeEnough(View, ThePlan, Analyses.SE))
    return Refusal{Reason::TooSmall, View.Op.store()};
  return std::nullopt;
}

std::variant<FastPath, Refusal> rewrite(const PlannedNest &Planned,
                                        const NestAnalyses &Analyses,
                                        const TargetLibraryInfo &TLI) {
  if (std::optional<Refusal> No = refuseRewrite(Planned, Analyses, TLI))
    return *No;
  const Nest &View = Planned.View;
  const Plan &ThePlan = Planned.ThePlan;
  const Contraction &Op = View.Op;
  const Surroundings &Source = View.Source;
  BasicBlock *Preheader = Source.Root->getLoopPreheader();
  if (!Preheader)
    Preheader = InsertPreheaderForLoop(Source.Root, &Analyses.DT, &Analyses.LI,
                                       /*MSSAU=*/nullptr,
                                       /*PreserveLCSSA=*/false);
  formDedicatedExitBlocks(Source.Root, &Analyses.DT, &Analyses.LI,
                          /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  Loop &LastLoop = Source.Next ? *Source.Next : *Source.Root;
  if (Source.Next)
    formDedicatedExitBlocks(Source.Next, &Analyses.DT, &Analyses.LI,
                            /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  // Other exits lead to where the program ends.
  auto *Last = cast<BranchInst>(LastLoop.getLoopLatch()->getTerminator());
  BasicBlock *Exit =
      Last->getSuccessor(LastLoop.contains(Last->getSuccessor(0)));
  // What a copy of the nest does with sums stands behind the loop over k, where
  // only that leads to.
  if (Source.hasRest() || !Source.StoredValues.empty())
    formDedicatedExitBlocks(Source.Loops.back(), &Analyses.DT, &Analyses.LI,
                            /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  // Also what loops further in compute, which formLCSSA(Root) leaves out.
  SmallVector<Instruction *, 4> UsedAfter;
  for (BasicBlock *BB : Source.Root->blocks())
    for (Instruction &I : *BB)
      if (any_of(I.users(), [&](User *U) {
            return !Source.Root->contains(cast<Instruction>(U));
          }))
        UsedAfter.push_back(&I);
  formLCSSAForInstructions(UsedAfter, Analyses.DT, Analyses.LI, /*SE=*/nullptr);
  // A profile takes the time of one call.
  bool HasRowBlocks =
      ThePlan.ProfiledAs.empty() && RowBlocks::suit(Planned, Analyses);
  GuardBuilder Guard(View, ThePlan, Analyses.SE, Preheader->getTerminator());
  Function &F = *Preheader->getParent();
  std::unique_ptr<Backend> By = ThePlan.Library
                                    ? createLibraryCall(Op, ThePlan, TLI)
                                    : createKernelCall(View, ThePlan);

  DomTreeUpdater DTU(Analyses.DT, DomTreeUpdater::UpdateStrategy::Eager);
  BasicBlock *NestEntry =
      SplitBlock(Preheader, Preheader->getTerminator(), &Analyses.DT,
                 &Analyses.LI, nullptr, "tilesmith.original");
  IRBuilder<> Builder(F.getContext());
  Builder.SetCurrentDebugLocation(lineOf(View));
  auto NewBlock = [&](const Twine &Name) {
    auto *BB = BasicBlock::Create(F.getContext(), Name, &F, NestEntry);
    if (Loop *Outer = Analyses.LI.getLoopFor(Preheader))
      Outer->addBasicBlockToLoop(BB, Analyses.LI);
    return BB;
  };
  // A block between From and the nest, entered if Condition holds. Values may
  // be taken from blocks that dominate, so these must be known.
  auto NewBlockIf = [&](const Twine &Name, BasicBlock *From, Value *Condition,
                        MDNode *Weights = nullptr) {
    BasicBlock *BB = NewBlock(Name);
    Builder.SetInsertPoint(BB);
    Builder.CreateBr(NestEntry);
    From->getTerminator()->eraseFromParent();
    Builder.SetInsertPoint(From);
    Builder.CreateCondBr(Condition, BB, NestEntry, Weights);
    DTU.applyUpdates({{DominatorTree::Insert, From, BB},
                      {DominatorTree::Insert, BB, NestEntry}});
    return BB;
  };
  std::optional<Profile> Profiled;
  if (!ThePlan.ProfiledAs.empty() && canProfile(*F.getParent()))
    Profiled.emplace(Planned, Preheader->getTerminator());
  // Small products are in a hurry, large ones are not, unless there are loops
  // besides the call. A profile tells what is rare better than we do.
  bool HasLoops = Source.hasRest();
  MDNode *Unlikely = nullptr;
  if (!HasLoops && !F.hasProfileData())
    Unlikely = MDBuilder(F.getContext()).createUnlikelyBranchWeights();
  Guard.moveTo(Preheader->getTerminator());
  BasicBlock *Check = Preheader;
  while (Value *Test = Guard.emitSizeTest()) {
    if (Value *Assumed = Guard.assumptionsHold(); Assumed && Profiled)
      Profiled->reachSizeTest(Assumed, Guard.builder());
    Check = NewBlockIf("tilesmith.size", Check, Test, Unlikely);
    Guard.moveTo(Check->getTerminator());
  }
  if (Check != Preheader)
    Check->setName("tilesmith.check");
  if (Profiled) {
    Builder.SetInsertPoint(Check->getTerminator());
    Profiled->reach(NestPath::Unsafe, Builder);
  }

  // What is loaded in a step needs to know that there is one, and that, where
  // its element is.
  auto CheckNext = [&](const Twine &Name, Value *Test) {
    Check = NewBlockIf(Name, Check, Test);
    Guard.moveTo(Check->getTerminator());
  };
  auto SafetyTest = [&] {
    Value *Test = Guard.emitSafetyTest(DTU, Analyses.LI);
    Check = Guard.safetyBlocks().back();
    return Test;
  };
  bool IsSaved = Op.isCopied(), NeedsStep = View.Tests.LoadsNeedStep || IsSaved;
  std::optional<SavedCopy> Saved;
  if (NeedsStep)
    CheckNext("tilesmith.safe", SafetyTest());
  if (Value *Passes = IsSaved ? SavedCopy::emitZeroTest(View, Guard) : nullptr)
    CheckNext("tilesmith.step", Passes);
  else if (View.Tests.LoadsNeedStep)
    CheckNext("tilesmith.step", Guard.emitStepTest());
  if (IsSaved)
    Saved.emplace(View, Guard);
  // Everything that is called takes is computed with the checks.
  By->prepare(Guard);
  if (Profiled)
    Profiled->prepare(Guard);
  std::optional<Comparison> Compared;
  if (!ThePlan.ComparedAs.empty() && isComparable(Planned))
    Compared.emplace(Planned, Guard);
  Value *IsSafe = NeedsStep ? Guard.emitLastTest() : SafetyTest();
  SmallVector<BasicBlock *, 4> LastTests(NeedsStep ? ArrayRef(Check)
                                                   : Guard.safetyBlocks());
  DenseMap<Value *, Value *> After;
  for (const ValueAfter &R : Source.Results)
    After[R.Value] = Guard.valueAfter(R);

  BasicBlock *Fast = NewBlockIf("tilesmith.fast", Check, IsSafe);
  auto *Enter = cast<BranchInst>(Check->getTerminator());
  Guard.moveTo(Enter);
  Fast->getTerminator()->eraseFromParent();
  auto Finish = [&](FastPath Path) {
    for (Loop *L : Source.Loops)
      addStringMetadataToLoop(L, FallbackMark, 1);
    if (Profiled)
      Profiled->emitSum(Exit);
    // A kernel allocates; choosing one, asking for registers of AMX, and
    // counting need a variable.
    bool HasVariable = !ThePlan.Dispatched.empty() ||
                       ThePlan.Engine->needsPermission() ||
                       !ThePlan.CountedAs.empty() || Compared || Profiled;
    weakenInferredAttributes(
        F, HasVariable ? MemoryEffects::unknown()
                       : MemoryEffects::inaccessibleOrArgMemOnly() |
                             MemoryEffects::errnoMemOnly());
    return Path;
  };

  CallInst *Small = nullptr;
  auto EmitCall = [&](Value *Own = nullptr, const RowRange *Rows = nullptr) {
    if (Profiled)
      Profiled->startCall(Builder);
    Value *Done = By->emitCall(Builder, Own, Rows);
    if (ThePlan.isSmall() && ThePlan.Dispatched.empty())
      Small = cast<CallInst>(&*find_if(reverse(*Fast), IsaPred<CallInst>));
    if (Profiled)
      Profiled->endCall(Builder, Done);
    if (!ThePlan.CountedAs.empty())
      countRun(Builder, Planned, Done);
    return Done;
  };
  std::optional<RowBlocks> Blocks;
  std::optional<RowRange> FirstRows;
  auto MakeBlocks = [&] {
    if (!HasRowBlocks)
      return;
    Blocks.emplace(Planned, *By, Builder, Guard);
    FirstRows = Blocks->first();
  };
  Builder.SetInsertPoint(Fast);
  if (Profiled)
    Profiled->reach(NestPath::GivenUp, Builder);
  if (Source.ToScratch) {
    // The sums' own memory, freed on each way out.
    SumMatrix Sums{
        nullptr, Guard.stride(Op.C, M), Guard.stride(Op.C, N), {}, {}};
    for (const Scratch::Counter &C : Source.ToScratch->Rows)
      Sums.Rows.push_back(Guard.countTo(C.Last));
    for (const Scratch::Counter &C : Source.ToScratch->Columns)
      Sums.Columns.push_back(Guard.countTo(C.Last));
    BasicBlock *Run = NewBlock("tilesmith.run");
    BasicBlock *Release = NewBlock("tilesmith.release");
    BasicBlock *Free = NewBlock("tilesmith.free");
    Module &Mod = *F.getParent();
    Type *SizeTy = Mod.getDataLayout().getIntPtrType(F.getContext());
    uint64_t Size = Mod.getDataLayout().getTypeStoreSize(Op.SumTy);
    // Rows are as far apart as they would be in a rectangle, of which a
    // diagonal may leave a part.
    Value *Bytes = Builder.getInt64(Size);
    for (auto [D, Stride] :
         {std::pair(M, &Sums.RowStride), std::pair(N, &Sums.ColumnStride)}) {
      Bytes = Builder.CreateAdd(
          Bytes, Builder.CreateMul(
                     Builder.CreateSub(Guard.extent(D), Builder.getInt64(1)),
                     *Stride));
      // From number to number.
      if (Source.ToScratch->Second && Source.ToScratch->Parts == D)
        *Stride = Builder.CreateShl(*Stride, 1);
    }
    Value *Memory =
        callMalloc(Builder, Mod, Builder.CreateZExtOrTrunc(Bytes, SizeTy));
    Sums.Origin = Builder.CreatePtrAdd(
        Memory, Builder.CreateNeg(Guard.skippedBytes(Op.C)));
    Builder.CreateCondBr(Builder.CreateIsNull(Memory), NestEntry, Run);
    auto EmitFree = [&](BasicBlock *BB, BasicBlock *Next) {
      Builder.SetInsertPoint(BB);
      callFree(Builder, Mod, Memory);
      Builder.CreateBr(Next);
    };
    NestCopy Rest = copyWithoutProduct(View, Fast, Analyses, &Sums);
    Builder.SetInsertPoint(Run);
    MakeBlocks();
    Builder.CreateCondBr(EmitCall(Memory, FirstRows ? &*FirstRows : nullptr),
                         Rest.Entry, Release);
    EmitFree(Release, NestEntry);
    EmitFree(Free, Exit);
    Rest.Exiting->getTerminator()->replaceSuccessorWith(Exit, Free);
    Exit->replacePhiUsesWith(Rest.Exiting, Free);
    Analyses.DT.recalculate(F);
    if (Blocks)
      Blocks->emitCalls(*Rest.Root, Analyses, Memory);
    return Finish({/*ToOutline=*/{}, Blocks ? nullptr : Rest.Root});
  }
  auto ComeFrom = [&](BasicBlock *BB) {
    for (PHINode &Phi : Exit->phis()) {
      // A value of a loop further in comes through a phi at the end of each
      // loop.
      Value *V = Phi.getIncomingValue(0);
      for (auto *Inner = dyn_cast<PHINode>(V);
           Inner && !After.contains(V) && Source.Root->contains(Inner) &&
           Inner->getNumIncomingValues() == 1;
           Inner = dyn_cast<PHINode>(V))
        V = Inner->getIncomingValue(0);
      Phi.addIncoming(After.lookup_or(V, V), BB);
    }
  };
  if (Saved) {
    BasicBlock *Save = NewBlock("tilesmith.save");
    BasicBlock *Run = NewBlock("tilesmith.run");
    BasicBlock *Free = NewBlock("tilesmith.free");
    BasicBlock *Undo = NewBlock("tilesmith.undo");
    Value *Memory = Saved->emitAllocation(Builder);
    Builder.CreateCondBr(Builder.CreateIsNull(Memory), NestEntry, Save);
    Builder.SetInsertPoint(Save);
    Saved->emitSave(Builder, Memory);
    Builder.CreateBr(Run);
    Builder.SetInsertPoint(Run);
    Builder.CreateCondBr(EmitCall(Memory), Free, Undo);
    Builder.SetInsertPoint(Free);
    callFree(Builder, *F.getParent(), Memory);
    Builder.CreateBr(Exit);
    Builder.SetInsertPoint(Undo);
    if (Source.hasRest())
      Saved->emitRestore(Builder, Memory);
    callFree(Builder, *F.getParent(), Memory);
    Builder.CreateBr(NestEntry);
    ComeFrom(Free);
    FastPath Path;
    if (Source.hasRest()) {
      Analyses.DT.recalculate(F);
      NestCopy Rest = copyWithoutProduct(View, Save, Analyses);
      Save->getTerminator()->replaceSuccessorWith(Run, Rest.Entry);
      Exit->removePredecessor(Rest.Exiting, /*KeepOneInputPHIs=*/true);
      Rest.Exiting->getTerminator()->replaceSuccessorWith(Exit, Run);
      Path.Rest = Rest.Root;
    }
    Analyses.DT.recalculate(F);
    return Finish(Path);
  }
  if (Compared) {
    // The nest follows, also if the kernel has computed it.
    Compared->emitSave(Builder);
    Compared->emitRestore(Builder, EmitCall());
    Builder.CreateBr(NestEntry);
    Compared->emitCheck(NestEntry, Exit);
    return Finish({});
  }
  MakeBlocks();
  Value *Done = EmitCall(/*Own=*/nullptr, FirstRows ? &*FirstRows : nullptr);
  BranchInst *Leave = Builder.CreateCondBr(Done, Exit, NestEntry);
  ComeFrom(Fast);
  DTU.applyUpdates({{DominatorTree::Insert, Fast, Exit}});

  FastPath Result;
  Result.Small = Small;
  bool MayOutline = true;
  if (Source.hasRest()) {
    bool RunsAfter = Source.Rest == Surroundings::RestRuns::After;
    auto Connect = [&](BranchInst *Branch, unsigned Side,
                       const NestCopy &Copy) {
      BasicBlock *Former = Branch->getSuccessor(Side);
      Branch->setSuccessor(Side, Copy.Entry);
      if (Former == Exit)
        Exit->removePredecessor(Branch->getParent(),
                                /*KeepOneInputPHIs=*/true);
    };
    NestCopy Rest =
        copyWithoutProduct(View, RunsAfter ? Fast : Check, Analyses);
    if (RunsAfter) {
      Connect(Leave, 0, Rest);
    } else {
      Connect(Enter, 0, Rest);
      Exit->removePredecessor(Rest.Exiting, /*KeepOneInputPHIs=*/true);
      Rest.Exiting->getTerminator()->replaceSuccessorWith(Exit, Fast);
      // The nest sets C to the same values again.
      if (Source.Initials.empty()) {
        NestCopy Product = copyWithoutRest(View, Fast, Analyses);
        addStringMetadataToLoop(Product.Root, FallbackMark, 1);
        Connect(Leave, 1, Product);
      }
    }
    Analyses.DT.recalculate(F);
    if (Blocks)
      Blocks->emitCalls(*Rest.Root, Analyses);
    else
      Result.Rest = Rest.Root;
    MayOutline = RunsAfter && !Blocks;
  }
  if (MayOutline) {
    Result.ToOutline = LastTests;
    Result.ToOutline.push_back(Fast);
  }

  return Finish(Result);
}

} // namespace tilesmith
