//===- Counter.cpp - how often fast paths are taken -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   @tilesmith.runs = { "gemm.c:7:3: gemm: GEMM f64", 0 }, section
//                     "tilesmith_counts"
//
//   tilesmith.fast:
//     done = kernel(...)
//     atomically, tilesmith.runs[1] += done
//
// A linker puts all counters of a program into one array, which starts at
// __start_tilesmith_counts: see runtime/Counts.c.
//
//===----------------------------------------------------------------------===//

#include "Counter.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tilesmith {

std::string nameOf(const PlannedNest &Planned, StringRef Operation) {
  std::string Name;
  raw_string_ostream OS(Name);
  if (DebugLoc Start = Planned.View.Source.Root->getStartLoc())
    OS << Start->getFilename() << ':' << Start.getLine() << ':'
       << Start.getCol() << ": ";
  OS << Planned.View.Op.store()->getFunction()->getName() << ": " << Operation;
  return Name;
}

void countRun(IRBuilderBase &B, const PlannedNest &Planned, Value *Done) {
  Module &Mod = *B.GetInsertBlock()->getModule();
  // The array has a start in ELF only.
  if (!Mod.getTargetTriple().isOSBinFormatELF())
    return;
  const DataLayout &DL = Mod.getDataLayout();
  // Words, which every target can add to atomically.
  Type *Word = DL.getIntPtrType(B.getContext());
  auto *Ty = StructType::get(B.getPtrTy(), Word);
  Constant *Zero = ConstantInt::get(Word, 0);
  auto *Counter = new GlobalVariable(
      Mod, Ty, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantStruct::get(
          Ty, B.CreateGlobalString(nameOf(Planned, Planned.ThePlan.CountedAs)),
          Zero),
      "tilesmith.runs");
  Counter->setSection("tilesmith_counts");
  // No gaps in the array.
  Counter->setAlignment(DL.getABITypeAlign(Ty));
  appendToCompilerUsed(Mod, Counter);
  B.CreateAtomicRMW(AtomicRMWInst::Add, B.CreateStructGEP(Ty, Counter, 1),
                    B.CreateZExt(Done, Word), MaybeAlign(),
                    AtomicOrdering::Monotonic);
}

} // namespace tilesmith
