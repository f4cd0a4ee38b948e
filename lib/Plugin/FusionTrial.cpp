//===- FusionTrial.cpp - which products LLVM will fuse --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionTrial.h"
#include "FusionReader.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Idiom/Surroundings.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <map>

using namespace llvm;

namespace tilesmith {

namespace {

/// What the names of the blocks of an outermost loop begin with; its number follows.
constexpr StringLiteral Prefix = "tilesmith.nest.";

/// Says nothing.
struct Silence : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo &) override { return true; }
};

/// What is known of one addition of the function as it was.
struct NotedAddition {
  unsigned Position; ///< among the instructions of the function
  uint64_t Key;
  std::optional<uint64_t> Products[2];
};

/// What has become of additions that are alike.
struct Fate {
  bool IsKnown = false, IsCertain = true;
  std::optional<uint64_t> Fused; ///< the product, if one is

  void add(std::optional<uint64_t> Product) {
    IsCertain &= !IsKnown || Fused == Product;
    IsKnown = true;
    Fused = Product;
  }
};

/// A function, before and after.
class FunctionTrial {
public:
  explicit FunctionTrial(Function &F) : F(F) {}

  /// Notes what is added in the loops of the copy, and names their blocks.
  void readBefore(FunctionAnalysisManager &FAM);
  void readAfter(FunctionAnalysisManager &FAM);
  /// Notes what is certain at the additions of \p Original.
  bool note(Function &Original) const;

private:
  /// An outermost loop, as its blocks say.
  std::optional<unsigned> nestOf(const Loop &Outermost) const;

  Function &F;
  std::map<unsigned, SmallVector<NotedAddition, 8>> Nests;
  std::map<std::pair<unsigned, uint64_t>, Fate> Fates;
  DenseSet<unsigned> Open; ///< nests in which something cannot be read
  bool IsOpen = false;
};

void FunctionTrial::readBefore(FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  FusionReader Reader(LI, FAM.getResult<ScalarEvolutionAnalysis>(F));
  DenseMap<const Loop *, unsigned> Numbers;
  for (auto [N, L] : enumerate(LI)) {
    Numbers[L] = N;
    for (BasicBlock *BB : L->blocks())
      BB->setName(Prefix + Twine(N) + ".");
  }
  for (auto [Position, I] : enumerate(instructions(F))) {
    const Loop *L = LI.getLoopFor(I.getParent());
    if (!L || !FusionReader::addsProduct(I))
      continue;
    unsigned N = Numbers.lookup(L->getOutermostLoop());
    auto Lanes = Reader.read(I);
    if (!Lanes || Lanes->size() != 1) {
      Open.insert(N);
      continue;
    }
    const LaneOfAddition &Only = Lanes->front();
    Nests[N].push_back(
        {unsigned(Position), Only.Key, {Only.Products[0], Only.Products[1]}});
    Fates[{N, Only.Key}];
  }
}

std::optional<unsigned> FunctionTrial::nestOf(const Loop &Outermost) const {
  std::optional<unsigned> Found;
  for (const BasicBlock *BB : Outermost.blocks()) {
    StringRef Name = BB->getName();
    unsigned N;
    if (!Name.consume_front(Prefix) || Name.consumeInteger(10, N))
      continue;
    if (Found && *Found != N)
      return std::nullopt;
    Found = N;
  }
  return Found;
}

void FunctionTrial::readAfter(FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  FusionReader Reader(LI, FAM.getResult<ScalarEvolutionAnalysis>(F));
  for (Instruction &I : instructions(F)) {
    if (!FusionReader::addsProduct(I))
      continue;
    const Loop *L = LI.getLoopFor(I.getParent());
    std::optional<unsigned> N;
    if (L)
      N = nestOf(*L->getOutermostLoop());
    if (L && !N) {
      IsOpen = true;
      return;
    }
    auto Lanes = Reader.readFused(I);
    if (!Lanes) {
      if (N)
        Open.insert(*N);
      continue;
    }
    for (const LaneOfAddition &Of : *Lanes) {
      std::optional<uint64_t> Fused;
      if (Of.Fused)
        Fused = Of.Products[*Of.Fused];
      // Outside of loops, it may be what was in any of them.
      for (auto &[Where, Found] : Fates)
        if (Where.second == Of.Key && (!N || Where.first == *N))
          Found.add(Fused);
      if (N && !Fates.count({*N, Of.Key}))
        Open.insert(*N);
    }
  }
}

bool FunctionTrial::note(Function &Original) const {
  if (IsOpen)
    return false;
  DenseMap<unsigned, FusedOperand> Certain;
  for (const auto &[N, Additions] : Nests)
    for (const NotedAddition &Of : Additions) {
      const Fate &Found = Fates.at({N, Of.Key});
      if (Open.contains(N) || !Found.IsKnown || !Found.IsCertain)
        continue;
      FusedOperand Which = FusedOperand::None;
      for (unsigned Op : {0, 1})
        if (Found.Fused && Of.Products[Op] == Found.Fused)
          Which = Op ? FusedOperand::Second : FusedOperand::First;
      Certain[Of.Position] = Which;
    }
  for (auto [Position, I] : enumerate(instructions(Original)))
    if (auto It = Certain.find(Position); It != Certain.end())
      noteFused(I, It->second);
  return !Certain.empty();
}

} // namespace

/// Whether it depends on later passes what is fused in a loop of \p F.
static bool hasOpenChoice(Function &F, FunctionAnalysisManager &FAM) {
  if (F.isDeclaration() || !F.hasName() || !mayFuseProducts(F) ||
      none_of(instructions(F),
              [](const Instruction &I) { return isContractable(I); }))
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto Loops = LI.getLoopsInPreorder();
  return any_of(Loops,
                [](const Loop *L) {
                  return looksLikeProduct(*L) &&
                         (addsTwoProducts(*L) || addsAndSubtracts(*L));
                }) &&
         none_of(Loops, [](const Loop *L) {
           return findOptionMDForLoop(L, ProtectedMark);
         });
}

/// \p M with what the functions need, as bitcode.
static SmallVector<char, 0> copyOf(const Module &M,
                                   const SetVector<Function *> &Functions) {
  ValueToValueMapTy Map;
  auto IsNeeded = [&](const GlobalValue *Global) {
    if (auto *F = dyn_cast<Function>(Global))
      return Functions.contains(const_cast<Function *>(F));
    auto *Variable = dyn_cast<GlobalVariable>(Global);
    return Global->getName().starts_with("llvm.") ||
           (Variable && Variable->isConstant());
  };
  std::unique_ptr<Module> Copy = CloneModule(M, Map, IsNeeded);
  StripDebugInfo(*Copy);
  for (Function *F : Functions) {
    auto *Copied = cast<Function>(Map[F]);
    Copied->setLinkage(GlobalValue::ExternalLinkage);
    Copied->setComdat(nullptr);
  }
  SmallVector<char, 0> Result;
  raw_svector_ostream OS(Result);
  WriteBitcodeToFile(*Copy, OS);
  return Result;
}

bool noteFusions(Module &M, FunctionAnalysisManager &FAM, RunPasses Run,
                 WithManagers Managed) {
  if (!M.getTargetTriple().isX86())
    return false;
  SetVector<Function *> Functions;
  for (Function &F : M)
    if (hasOpenChoice(F, FAM))
      Functions.insert(&F);
  if (Functions.empty())
    return false;
  SmallVector<char, 0> Bitcode = copyOf(M, Functions);
  LLVMContext Ctx;
  Ctx.setDiscardValueNames(false);
  Ctx.setDiagnosticHandler(std::make_unique<Silence>());
  auto Copy = parseBitcodeFile(
      MemoryBufferRef(StringRef(Bitcode.data(), Bitcode.size()), "trial"), Ctx);
  if (!Copy) {
    consumeError(Copy.takeError());
    return false;
  }
  bool IsNoted = false;
  Managed([&](ModuleAnalysisManager &MAM, FunctionAnalysisManager &Trial) {
    SmallVector<FunctionTrial> Trials;
    for (const Function *F : Functions) {
      Trials.emplace_back(*(*Copy)->getFunction(F->getName()));
      Trials.back().readBefore(Trial);
    }
    Run(**Copy, MAM);
    for (auto [F, One] : zip_equal(Functions, Trials)) {
      One.readAfter(Trial);
      IsNoted |= One.note(*F);
    }
  });
  return IsNoted;
}

void removeFusions(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      removeFused(I);
}

} // namespace tilesmith
