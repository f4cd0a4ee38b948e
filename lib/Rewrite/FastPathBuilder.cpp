//===- FastPathBuilder.cpp - what runs instead of a nest ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FastPathBuilder.h"
#include "Counter.h"
#include "RepeatedLoads.h"
#include "tilesmith/Kernel/Kernel.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

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

/// Also what loops further in compute gets phis at the ends of its loops, which
/// formLCSSA(Root) leaves out.
static void formExitPhis(const Loop &Root, const NestAnalyses &Analyses) {
  SmallVector<Instruction *, 4> UsedAfter;
  for (BasicBlock *BB : Root.blocks())
    for (Instruction &I : *BB)
      if (any_of(I.users(),
                 [&](User *U) { return !Root.contains(cast<Instruction>(U)); }))
        UsedAfter.push_back(&I);
  formLCSSAForInstructions(UsedAfter, Analyses.DT, Analyses.LI, /*SE=*/nullptr);
}

NestEnds shapeNest(const Surroundings &Source, const NestAnalyses &Analyses) {
  auto FormExits = [&](Loop *L) {
    formDedicatedExitBlocks(L, &Analyses.DT, &Analyses.LI, /*MSSAU=*/nullptr,
                            /*PreserveLCSSA=*/false);
  };
  BasicBlock *Preheader = Source.Root->getLoopPreheader();
  if (!Preheader)
    Preheader = InsertPreheaderForLoop(Source.Root, &Analyses.DT, &Analyses.LI,
                                       /*MSSAU=*/nullptr,
                                       /*PreserveLCSSA=*/false);
  FormExits(Source.Root);
  Loop &LastLoop = Source.Next ? *Source.Next : *Source.Root;
  if (Source.Next)
    FormExits(Source.Next);
  // Other exits lead to where the program ends.
  auto *Last = cast<BranchInst>(LastLoop.getLoopLatch()->getTerminator());
  BasicBlock *Exit =
      Last->getSuccessor(LastLoop.contains(Last->getSuccessor(0)));
  // What a copy of the nest does with sums stands behind the loop over k, where
  // only that leads to.
  if (Source.hasRest() || !Source.StoredValues.empty())
    FormExits(Source.Loops.back());
  formExitPhis(*Source.Root, Analyses);
  return {Preheader, Exit};
}

FastPathBuilder::FastPathBuilder(const PlannedNest &Planned,
                                 const NestAnalyses &Analyses,
                                 const TargetLibraryInfo &TLI, NestEnds Ends)
    : Planned(Planned), View(Planned.View), ThePlan(Planned.ThePlan),
      Op(View.Op), Source(View.Source), Analyses(Analyses),
      Preheader(Ends.Preheader), Exit(Ends.Exit), F(*Preheader->getParent()),
      // A profile takes the time of one call.
      HasRowBlocks(ThePlan.ProfiledAs.empty() &&
                   RowBlocks::suit(Planned, Analyses)),
      Guard(View, ThePlan, Analyses.SE, Preheader->getTerminator()),
      By(ThePlan.Library ? createLibraryCall(Op, ThePlan, TLI)
                         : createKernelCall(View, ThePlan)),
      DTU(Analyses.DT, DomTreeUpdater::UpdateStrategy::Eager),
      NestEntry(SplitBlock(Preheader, Preheader->getTerminator(), &Analyses.DT,
                           &Analyses.LI, nullptr, "tilesmith.original")),
      Builder(F.getContext()), Check(Preheader) {
  Builder.SetCurrentDebugLocation(lineOf(View));
  if (!ThePlan.ProfiledAs.empty() && canProfile(*F.getParent()))
    Profiled.emplace(Planned, Preheader->getTerminator());
}

BasicBlock *FastPathBuilder::newBlock(const Twine &Name) {
  auto *BB = BasicBlock::Create(F.getContext(), Name, &F, NestEntry);
  if (Loop *Outer = Analyses.LI.getLoopFor(Preheader))
    Outer->addBasicBlockToLoop(BB, Analyses.LI);
  return BB;
}

/// A block between \p From and the nest, entered if \p Condition holds. Values
/// may be taken from blocks that dominate, so these must be known.
BasicBlock *FastPathBuilder::newBlockIf(const Twine &Name, BasicBlock *From,
                                        Value *Condition, MDNode *Weights) {
  BasicBlock *BB = newBlock(Name);
  Builder.SetInsertPoint(BB);
  Builder.CreateBr(NestEntry);
  From->getTerminator()->eraseFromParent();
  Builder.SetInsertPoint(From);
  Builder.CreateCondBr(Condition, BB, NestEntry, Weights);
  DTU.applyUpdates({{DominatorTree::Insert, From, BB},
                    {DominatorTree::Insert, BB, NestEntry}});
  return BB;
}

void FastPathBuilder::checkNext(const Twine &Name, Value *Test) {
  Check = newBlockIf(Name, Check, Test);
  Guard.moveTo(Check->getTerminator());
}

void FastPathBuilder::emitSizeTests() {
  // Small products are in a hurry, large ones are not, unless there are loops
  // besides the call. A profile tells what is rare better than we do.
  MDNode *Unlikely = nullptr;
  if (!Source.hasRest() && !F.hasProfileData())
    Unlikely = MDBuilder(F.getContext()).createUnlikelyBranchWeights();
  Guard.moveTo(Preheader->getTerminator());
  while (Value *Test = Guard.emitSizeTest()) {
    if (Value *Assumed = Guard.assumptionsHold(); Assumed && Profiled)
      Profiled->reachSizeTest(Assumed, Guard.builder());
    Check = newBlockIf("tilesmith.size", Check, Test, Unlikely);
    Guard.moveTo(Check->getTerminator());
  }
  if (Check != Preheader)
    Check->setName("tilesmith.check");
  if (Profiled) {
    Builder.SetInsertPoint(Check->getTerminator());
    Profiled->reach(NestPath::Unsafe, Builder);
  }
}

Value *FastPathBuilder::emitSafetyTest() {
  Value *Test = Guard.emitSafetyTest(DTU, Analyses.LI);
  Check = Guard.safetyBlocks().back();
  return Test;
}

/// What is loaded in a step needs to know that there is one, and that, where its
/// element is. Returns whether the tests were made.
bool FastPathBuilder::emitStepTests() {
  bool IsSaved = Op.isCopied();
  if (!View.Tests.LoadsNeedStep && !IsSaved)
    return false;
  checkNext("tilesmith.safe", emitSafetyTest());
  if (Value *Passes = IsSaved ? SavedCopy::emitZeroTest(View, Guard) : nullptr)
    checkNext("tilesmith.step", Passes);
  else if (View.Tests.LoadsNeedStep)
    checkNext("tilesmith.step", Guard.emitStepTest());
  if (IsSaved)
    Saved.emplace(View, Guard);
  return true;
}

void FastPathBuilder::emitTests() {
  emitSizeTests();
  bool NeedsStep = emitStepTests();
  // Everything that is called takes is computed with the checks.
  By->prepare(Guard);
  if (Profiled)
    Profiled->prepare(Guard);
  if (!ThePlan.ComparedAs.empty() && isComparable(Planned))
    Compared.emplace(Planned, Guard);
  Value *IsSafe = NeedsStep ? Guard.emitLastTest() : emitSafetyTest();
  LastTests.assign(NeedsStep ? ArrayRef(Check) : Guard.safetyBlocks());
  for (const ValueAfter &R : Source.Results)
    After[R.Value] = Guard.valueAfter(R);

  Fast = newBlockIf("tilesmith.fast", Check, IsSafe);
  Enter = cast<BranchInst>(Check->getTerminator());
  Guard.moveTo(Enter);
  Fast->getTerminator()->eraseFromParent();
}

/// The kernel's call, of the first block of rows if there are blocks. The sums
/// or the saved elements are in \p Own, if there is such memory.
Value *FastPathBuilder::emitCall(Value *Own) {
  std::optional<RowRange> FirstRows;
  if (Blocks)
    FirstRows = Blocks->first();
  if (Profiled)
    Profiled->startCall(Builder);
  Value *Done = By->emitCall(Builder, Own, FirstRows ? &*FirstRows : nullptr);
  if (ThePlan.isSmall() && ThePlan.Dispatched.empty())
    Small = cast<CallInst>(&*find_if(reverse(*Fast), IsaPred<CallInst>));
  if (Profiled)
    Profiled->endCall(Builder, Done);
  if (!ThePlan.CountedAs.empty())
    countRun(Builder, Planned, Done);
  return Done;
}

void FastPathBuilder::makeRowBlocks() {
  if (HasRowBlocks)
    Blocks.emplace(Planned, *By, Builder, Guard);
}

/// \p BB is one more block that leads to the exit.
void FastPathBuilder::comeFrom(BasicBlock *BB) {
  for (PHINode &Phi : Exit->phis()) {
    // A value of a loop further in comes through a phi at the end of each loop.
    Value *V = Phi.getIncomingValue(0);
    for (auto *Inner = dyn_cast<PHINode>(V);
         Inner && !After.contains(V) && Source.Root->contains(Inner) &&
         Inner->getNumIncomingValues() == 1;
         Inner = dyn_cast<PHINode>(V))
      V = Inner->getIncomingValue(0);
    Phi.addIncoming(After.lookup_or(V, V), BB);
  }
}

/// Of sums in memory of their own, without their origin.
SumMatrix FastPathBuilder::shapeOfSums() {
  SumMatrix Sums{nullptr, Guard.stride(Op.C, M), Guard.stride(Op.C, N), {}, {}};
  for (const Scratch::Counter &C : Source.ToScratch->Rows)
    Sums.Rows.push_back(Guard.countTo(C.Last));
  for (const Scratch::Counter &C : Source.ToScratch->Columns)
    Sums.Columns.push_back(Guard.countTo(C.Last));
  return Sums;
}

/// The memory of \p Sums, or null. Rows are as far apart as they would be in a
/// rectangle, of which a diagonal may leave a part.
Value *FastPathBuilder::emitAllocation(SumMatrix &Sums) {
  Module &Mod = *F.getParent();
  Type *SizeTy = Mod.getDataLayout().getIntPtrType(F.getContext());
  Value *Bytes =
      Builder.getInt64(Mod.getDataLayout().getTypeStoreSize(Op.SumTy));
  for (auto [D, Stride] :
       {std::pair(M, &Sums.RowStride), std::pair(N, &Sums.ColumnStride)}) {
    Bytes = Builder.CreateAdd(
        Bytes,
        Builder.CreateMul(
            Builder.CreateSub(Guard.extent(D), Builder.getInt64(1)), *Stride));
    // From number to number.
    if (Source.ToScratch->Second && Source.ToScratch->Parts == D)
      *Stride = Builder.CreateShl(*Stride, 1);
  }
  Value *Memory =
      callMalloc(Builder, Mod, Builder.CreateZExtOrTrunc(Bytes, SizeTy));
  Sums.Origin =
      Builder.CreatePtrAdd(Memory, Builder.CreateNeg(Guard.skippedBytes(Op.C)));
  return Memory;
}

void FastPathBuilder::emitFree(BasicBlock *BB, Value *Memory,
                               BasicBlock *Next) {
  Builder.SetInsertPoint(BB);
  callFree(Builder, *F.getParent(), Memory);
  Builder.CreateBr(Next);
}

/// The sums have memory of their own, freed on each way out, from which a copy
/// of the nest takes them.
FastPath FastPathBuilder::emitWithOwnSums() {
  SumMatrix Sums = shapeOfSums();
  BasicBlock *Run = newBlock("tilesmith.run");
  BasicBlock *Release = newBlock("tilesmith.release");
  BasicBlock *Free = newBlock("tilesmith.free");
  Value *Memory = emitAllocation(Sums);
  Builder.CreateCondBr(Builder.CreateIsNull(Memory), NestEntry, Run);
  NestCopy Rest =
      copyWithoutProduct(View, Fast, Analyses, ThePlan.madeOfRest(Op), &Sums);
  Builder.SetInsertPoint(Run);
  makeRowBlocks();
  Builder.CreateCondBr(emitCall(Memory), Rest.Entry, Release);
  emitFree(Release, Memory, NestEntry);
  emitFree(Free, Memory, Exit);
  Rest.Exiting->getTerminator()->replaceSuccessorWith(Exit, Free);
  Exit->replacePhiUsesWith(Rest.Exiting, Free);
  Analyses.DT.recalculate(F);
  if (Blocks)
    Blocks->emitCalls(*Rest.Root, Analyses, Memory);
  return {/*ToOutline=*/{}, Blocks ? nullptr : Rest.Root};
}

/// C is copied first, and becomes what it was if the kernel does nothing.
FastPath FastPathBuilder::emitWithSavedC() {
  BasicBlock *Save = newBlock("tilesmith.save");
  BasicBlock *Run = newBlock("tilesmith.run");
  BasicBlock *Free = newBlock("tilesmith.free");
  BasicBlock *Undo = newBlock("tilesmith.undo");
  Value *Memory = Saved->emitAllocation(Builder);
  Builder.CreateCondBr(Builder.CreateIsNull(Memory), NestEntry, Save);
  Builder.SetInsertPoint(Save);
  Saved->emitSave(Builder, Memory);
  Builder.CreateBr(Run);
  Builder.SetInsertPoint(Run);
  Builder.CreateCondBr(emitCall(Memory), Free, Undo);
  emitFree(Free, Memory, Exit);
  Builder.SetInsertPoint(Undo);
  if (Source.hasRest())
    Saved->emitRestore(Builder, Memory);
  emitFree(Builder.GetInsertBlock(), Memory, NestEntry);
  comeFrom(Free);
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
  return Path;
}

/// The nest follows, also if the kernel has computed it.
FastPath FastPathBuilder::emitCompared() {
  Compared->emitSave(Builder);
  Compared->emitRestore(Builder, emitCall());
  Builder.CreateBr(NestEntry);
  Compared->emitCheck(NestEntry, Exit);
  return {};
}

/// \p Branch leads to \p Copy on \p Side.
void FastPathBuilder::connect(BranchInst *Branch, unsigned Side,
                              const NestCopy &Copy) {
  BasicBlock *Former = Branch->getSuccessor(Side);
  Branch->setSuccessor(Side, Copy.Entry);
  if (Former == Exit)
    Exit->removePredecessor(Branch->getParent(), /*KeepOneInputPHIs=*/true);
}

/// What the nest does besides the product, behind the kernel.
Loop *FastPathBuilder::emitRestAfter(BranchInst *Leave) {
  NestCopy Rest =
      copyWithoutProduct(View, Fast, Analyses, ThePlan.madeOfRest(Op));
  connect(Leave, 0, Rest);
  return Rest.Root;
}

/// The same, before it: where the kernel does nothing, only the product is left
/// to be made.
Loop *FastPathBuilder::emitRestBefore(BranchInst *Leave) {
  NestCopy Rest = copyWithoutProduct(View, Check, Analyses);
  connect(Enter, 0, Rest);
  Exit->removePredecessor(Rest.Exiting, /*KeepOneInputPHIs=*/true);
  Rest.Exiting->getTerminator()->replaceSuccessorWith(Exit, Fast);
  // The nest sets C to the same values again.
  if (Source.Initials.empty()) {
    NestCopy Product = copyWithoutRest(View, Fast, Analyses);
    addStringMetadataToLoop(Product.Root, FallbackMark, 1);
    connect(Leave, 1, Product);
  }
  return Rest.Root;
}

/// Whether the nest is called again and again, and its loops run up to sizes at which a
/// call is short, but its kernel is not: the source's loops then need not load again
/// what they had in registers.
static bool isOftenTooSmall(const Surroundings &Source, const Plan &ThePlan) {
  constexpr uint64_t LongEnough = 128;
  return Source.Root->getParentLoop() && ThePlan.MinWork >= LongEnough;
}

FastPath FastPathBuilder::emitPlain() {
  makeRowBlocks();
  Value *Done = emitCall();
  BranchInst *Leave = Builder.CreateCondBr(Done, Exit, NestEntry);
  comeFrom(Fast);
  DTU.applyUpdates({{DominatorTree::Insert, Fast, Exit}});
  FastPath Path;
  Path.Small = Small;
  Path.KeepsRegisters = isOftenTooSmall(Source, ThePlan);
  bool RunsAfter = Source.Rest == Surroundings::RestRuns::After;
  if (Source.hasRest()) {
    Loop *Rest = RunsAfter ? emitRestAfter(Leave) : emitRestBefore(Leave);
    Analyses.DT.recalculate(F);
    if (Blocks)
      Blocks->emitCalls(*Rest, Analyses);
    else
      Path.Rest = Rest;
  }
  SmallVector<BasicBlock *, 4> Own = LastTests;
  Own.push_back(Fast);
  if (!Source.hasRest() || (RunsAfter && !Blocks))
    Path.ToOutline = std::move(Own);
  else
    loadAgain(Own);
  return Path;
}

/// Marks what the function does, and which loops are left.
void FastPathBuilder::finish() {
  for (Loop *L : Source.Loops)
    addStringMetadataToLoop(L, FallbackMark, 1);
  if (Profiled)
    Profiled->emitSum(Exit);
  // A kernel allocates; choosing one, asking for registers of AMX, and counting
  // need a variable.
  bool HasVariable = !ThePlan.Dispatched.empty() ||
                     ThePlan.Engine->needsPermission() ||
                     !ThePlan.CountedAs.empty() || Compared || Profiled;
  weakenInferredAttributes(F, HasVariable
                                  ? MemoryEffects::unknown()
                                  : MemoryEffects::inaccessibleOrArgMemOnly() |
                                        MemoryEffects::errnoMemOnly());
}

FastPath FastPathBuilder::run() {
  emitTests();
  Builder.SetInsertPoint(Fast);
  if (Profiled)
    Profiled->reach(NestPath::GivenUp, Builder);
  FastPath Path = Source.ToScratch ? emitWithOwnSums()
                  : Saved          ? emitWithSavedC()
                  : Compared       ? emitCompared()
                                   : emitPlain();
  finish();
  return Path;
}

} // namespace tilesmith
