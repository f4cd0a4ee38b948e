//===- MergedKernels.cpp - micro kernels of a table as one function -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function goes through a hundred passes of code generation, one after the
// other. For a micro kernel, to begin with them takes as long as what they do, as
// was measured (perhaps since each has to come into the CPU's caches again). So those
// of a table that differ only in rows and columns become one function in the end:
//
//   void tilesmith.micro(..., i64 slot)
//     switch slot: the blocks of the one that the table had there
//
// Callers find it in all places of the table, and say which one it was. As it
// follows a convention in which no register is saved, those that need few do not
// save what others need.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

/// Whether code of \p F needs registers besides, for a base pointer or for where
/// calls lead.
static bool needsRegisters(const Function &F) {
  return F.hasFnAttribute(Attribute::SanitizeAddress) ||
         F.hasFnAttribute(Attribute::SpeculativeLoadHardening) ||
         hasFeature(F, "retpoline-indirect-calls") || hasFeature(F, "lvi-cfi");
}

// With several terms, there are more arguments than it has registers for.
CallingConv::ID KernelFrame::microConvention() const {
  const Triple &T = Mod.getTargetTriple();
  return Terms.size() == 1 && !needsRegisters(Caller) && T.isX86_64() &&
                 !T.isX32() && !T.isOSWindows()
             ? CallingConv::PreserveNone
             : CallingConv::C;
}

namespace {

/// Kernels of the same type and attributes, and where they are in a table.
struct Group {
  SmallVector<std::pair<uint64_t, Function *>, 32> Kernels;
  SetVector<Function *> Functions;
};

/// Whether \p F is in \p Table only, and may become a part of another function.
bool isMergeable(const Function &F, const Constant &Table) {
  return !F.isDeclaration() && F.hasFnAttribute(InFinalShape) &&
         F.getCallingConv() == CallingConv::PreserveNone && !F.arg_empty() &&
         F.hasParamAttribute(F.arg_size() - 1, SlotAttribute) &&
         all_of(F.users(), [&](const User *U) { return U == &Table; }) &&
         none_of(instructions(F),
                 [](const Instruction &I) { return isa<AllocaInst>(I); });
}

SmallVector<Group, 2> groupsOf(const Constant &Table) {
  MapVector<std::pair<FunctionType *, void *>, Group> Result;
  for (auto [Slot, Entry] : enumerate(Table.operands())) {
    auto *F = dyn_cast<Function>(Entry);
    if (!F || !isMergeable(*F, Table))
      continue;
    Group &Its =
        Result[{F->getFunctionType(), F->getAttributes().getRawPointer()}];
    Its.Kernels.push_back({Slot, F});
    Its.Functions.insert(F);
  }
  SmallVector<Group, 2> Groups;
  for (auto &[Key, Of] : Result)
    if (Of.Functions.size() > 1)
      Groups.push_back(std::move(Of));
  return Groups;
}

/// Where a function of \p Functions is in the source: their line, or none.
DebugLoc placeOf(Function &Merged, ArrayRef<Function *> Functions) {
  const DISubprogram *First = Functions.front()->getSubprogram();
  if (!First)
    return {};
  auto Begin = inst_begin(Functions.front());
  DebugLoc Loc = Begin->getDebugLoc();
  bool IsShared = any_of(Functions, [&](const Function *F) {
    const DISubprogram *Its = F->getSubprogram();
    return !Its || Its->getLine() != First->getLine() ||
           Its->getFile() != First->getFile();
  });
  return placeIn(Merged, First->getUnit(), First->getFile(),
                 IsShared ? 0 : First->getLine(),
                 IsShared || !Loc ? 0 : Loc.getCol());
}

/// The blocks of \p F go to \p Merged.
BasicBlock *moveBlocks(Function &F, Function &Merged, const DebugLoc &Place) {
  for (Instruction &I : instructions(F))
    if (I.getDebugLoc())
      I.setDebugLoc(Place);
  for (auto [Old, New] : zip_equal(F.args(), Merged.args()))
    Old.replaceAllUsesWith(&New);
  BasicBlock *Entry = &F.getEntryBlock();
  Merged.splice(Merged.end(), &F);
  return Entry;
}

void merge(const Group &Of, function_ref<void(Function &)> Forget) {
  Function &First = *Of.Functions.front();
  LLVMContext &Ctx = First.getContext();
  auto *Merged = Function::Create(First.getFunctionType(), First.getLinkage(),
                                  "tilesmith.micro", *First.getParent());
  Merged->copyAttributesFrom(&First);
  Merged->removeParamAttr(Merged->arg_size() - 1, SlotAttribute);
  for (auto [From, To] : zip_equal(First.args(), Merged->args()))
    To.setName(From.getName());
  DebugLoc Place = placeOf(*Merged, Of.Functions.getArrayRef());
  IRBuilder<> B(BasicBlock::Create(Ctx, "entry", Merged));
  B.SetCurrentDebugLocation(Place);
  DenseMap<Function *, BasicBlock *> Entries;
  for (Function *F : Of.Functions)
    Entries[F] = moveBlocks(*F, *Merged, Place);
  BasicBlock *Nowhere = BasicBlock::Create(Ctx, "nowhere", Merged);
  Value *Slot = Merged->getArg(Merged->arg_size() - 1);
  SwitchInst *Switch = B.CreateSwitch(Slot, Nowhere, Of.Kernels.size());
  for (auto [Number, F] : Of.Kernels)
    Switch->addCase(
        cast<ConstantInt>(ConstantInt::get(Slot->getType(), Number)),
        Entries[F]);
  B.SetInsertPoint(Nowhere);
  B.CreateUnreachable();
  for (Function *F : Of.Functions) {
    F->replaceAllUsesWith(Merged);
    Forget(*F);
    F->eraseFromParent();
  }
}

} // namespace

void mergeKernels(Module &M, function_ref<void(Function &)> Forget) {
  for (GlobalVariable &Table : M.globals())
    if (Table.getName().starts_with(TableName) && Table.hasInitializer())
      for (const Group &Of : groupsOf(*Table.getInitializer()))
        merge(Of, Forget);
}

} // namespace tilesmith
