//===- FusionTrial.cpp - which products LLVM will fuse --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionTrial.h"
#include "FinishedFusions.h"
#include "UnrollProtection.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Idiom/Surroundings.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Says nothing.
struct Silence : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo &) override { return true; }
};

/// Whether alias analyses may know something else of \p Op in a copy of the module in
/// which other functions are gone: it is a variable of the file that is not only passed
/// on, or a function that is defined in it.
bool mayBeOther(const Instruction &I, const Value &Op) {
  auto *Global = dyn_cast<GlobalValue>(&Op);
  if (!Global)
    return isa<ConstantExpr>(Op);
  if (auto *Variable = dyn_cast<GlobalVariable>(Global))
    return Variable->hasLocalLinkage() &&
           !(isa<CallBase>(I) && Variable->isConstant());
  return !Global->isDeclaration();
}

/// The same of calls, for which the user may have named a library of vectors.
bool usesOthers(const Function &F, const TargetLibraryInfo &TLI) {
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return (Callee && TLI.isFunctionVectorizable(Callee->getName())) ||
           any_of(I.operands(),
                  [&](const Value *Op) { return mayBeOther(I, *Op); });
  });
}

/// Whether it depends on later passes what is fused in a loop of \p F.
bool hasOpenChoice(Function &F, FunctionAnalysisManager &FAM) {
  if (F.isDeclaration() || !F.hasName() || !mayFuseProducts(F) ||
      none_of(instructions(F),
              [](const Instruction &I) { return isContractable(I); }) ||
      usesOthers(F, FAM.getResult<TargetLibraryAnalysis>(F)) ||
      any_of(F, [](const BasicBlock &BB) { return BB.hasAddressTaken(); }))
    return false;
  auto Loops = FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  return any_of(Loops,
                [](const Loop *L) {
                  return looksLikeProduct(*L) &&
                         (addsTwoProducts(*L) || addsProductsInTurn(*L));
                }) &&
         none_of(Loops, [](const Loop *L) {
           return findOptionMDForLoop(L, ProtectedMark);
         });
}

/// \p M in another context, with the order of all uses, which passes may follow.
std::unique_ptr<Module> copyOf(const Module &M, LLVMContext &Ctx) {
  SmallVector<char, 0> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(M, OS, /*ShouldPreserveUseListOrder=*/true);
  auto Copy = parseBitcodeFile(
      MemoryBufferRef(StringRef(Bitcode.data(), Bitcode.size()), "trial"), Ctx);
  if (!Copy) {
    consumeError(Copy.takeError());
    return nullptr;
  }
  StripDebugInfo(**Copy);
  return std::move(*Copy);
}

/// Leaves nothing but \p Functions to optimise, which all others might call.
void keepOnly(Module &M, ArrayRef<Function *> Functions,
              FunctionAnalysisManager &FAM) {
  for (GlobalAlias &A : make_early_inc_range(M.aliases())) {
    A.replaceAllUsesWith(A.getAliasee());
    A.eraseFromParent();
  }
  for (Function &F : M) {
    F.setComdat(nullptr);
    if (F.isDeclaration())
      continue;
    F.setLinkage(GlobalValue::ExternalLinkage);
    if (is_contained(Functions, &F))
      continue;
    FAM.clear(F, F.getName());
    F.deleteBody();
  }
}

/// One trial of all functions.
class Trial {
public:
  Trial(const Module &M, ArrayRef<Function *> Originals, LLVMContext &Ctx)
      : Copy(copyOf(M, Ctx)) {
    if (Copy)
      for (const Function *F : Originals)
        Functions.push_back(Copy->getFunction(F->getName()));
  }
  explicit operator bool() const { return Copy != nullptr; }
  Module &module() { return *Copy; }
  ArrayRef<Function *> functions() const { return Functions; }
  FinishedFusions &finished(unsigned I) { return Finished[I]; }

  /// Does the rest of the work, and reads what has become of each function.
  void finish(const TrialSteps &Steps, ModuleAnalysisManager &MAM,
              FunctionAnalysisManager &FAM) {
    keepOnly(*Copy, Functions, FAM);
    for (Function *F : Functions)
      Finished.emplace_back(*F).readBefore(FAM);
    Steps.Finish(*Copy, Functions, MAM, FAM);
    for (FinishedFusions &Of : Finished)
      Of.readAfter(FAM);
  }

private:
  std::unique_ptr<Module> Copy;
  SmallVector<Function *> Functions;
  std::vector<FinishedFusions> Finished;
};

} // namespace

/// The notes of \p F are worth nothing.
static void removeFusions(Function &F) {
  for (Instruction &I : instructions(F))
    removeFused(I);
}

namespace {

/// A function, and what has become of it as it was.
struct TriedFunction {
  Function *F;
  FinishedFusions *WithoutUs;
};

struct TrialContext {
  FunctionAnalysisManager &FAM;
  const TrialSteps &Steps;
  LLVMContext &Ctx;
};

} // namespace

/// Notes what has become of functions, and adds those to \p Result that become the
/// same with these notes. The others, of which parts of loops are noted, are returned,
/// without notes.
static SmallVector<TriedFunction>
noteAndCompare(Module &M, ArrayRef<TriedFunction> Tried, bool WithParts,
               TrialContext With, NotedFunctions &Result) {
  SmallVector<TriedFunction> Noted, Left;
  SmallVector<Function *> Functions;
  for (const TriedFunction &Of : Tried)
    if (Of.WithoutUs->note(*Of.F, With.FAM, WithParts)) {
      Noted.push_back(Of);
      Functions.push_back(Of.F);
    }
  if (Noted.empty())
    return Left;
  Trial Rewritten(M, Functions, With.Ctx);
  if (!Rewritten) {
    for (Function *F : Functions)
      removeFusions(*F);
    return Left;
  }
  SmallVector<uint64_t> Shapes;
  With.Steps.Managed(
      [&](ModuleAnalysisManager &MAM, FunctionAnalysisManager &Of) {
        With.Steps.Rewrite(Rewritten.module(), Rewritten.functions(), MAM, Of);
        for (const Function *F : Rewritten.functions())
          Shapes.push_back(StructuralHash(*F));
        Rewritten.finish(With.Steps, MAM, Of);
      });
  for (auto [I, Of] : enumerate(Noted)) {
    if (Rewritten.finished(I).isAs(*Of.WithoutUs, *Of.F, With.FAM)) {
      Result[Of.F] = Shapes[I];
      continue;
    }
    removeFusions(*Of.F);
    if (Of.WithoutUs->hasParts())
      Left.push_back(Of);
  }
  return Left;
}

NotedFunctions noteFusions(Module &M, FunctionAnalysisManager &FAM,
                           const TrialSteps &Steps) {
  // What a profile makes of loops depends on the whole module.
  if (!M.getTargetTriple().isX86() || !M.ifunc_empty() ||
      M.getProfileSummary(/*IsCS=*/false) || M.getProfileSummary(/*IsCS=*/true))
    return NotedFunctions();
  SmallVector<Function *> Functions;
  for (Function &F : M)
    if (hasOpenChoice(F, FAM))
      Functions.push_back(&F);
  if (Functions.empty())
    return NotedFunctions();
  LLVMContext Ctx;
  Ctx.setDiscardValueNames(false);
  Ctx.setDiagnosticHandler(std::make_unique<Silence>());
  Trial AsIs(M, Functions, Ctx);
  if (!AsIs)
    return NotedFunctions();
  Steps.Managed([&](ModuleAnalysisManager &MAM, FunctionAnalysisManager &Of) {
    AsIs.finish(Steps, MAM, Of);
  });
  NotedFunctions Result;
  SmallVector<TriedFunction> Left;
  for (auto [I, F] : enumerate(Functions))
    Left.push_back({F, &AsIs.finished(I)});
  // What is made of parts of loops depends on more than what is the same everywhere.
  Left = noteAndCompare(M, Left, /*WithParts=*/true, {FAM, Steps, Ctx}, Result);
  noteAndCompare(M, Left, /*WithParts=*/false, {FAM, Steps, Ctx}, Result);
  return Result;
}

void removeFusions(Module &M) {
  for (Function &F : M)
    removeFusions(F);
}

} // namespace tilesmith
