//===- FunctionDriver.h - a function on its way through the rooms -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FUNCTIONDRIVER_H
#define TILESMITH_LIB_PLUGIN_FUNCTIONDRIVER_H

#include "Driver.h"
#include "MissedNests.h"
#include "ReplacedRemark.h"
#include "ShapeTrial.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/BetterTargets.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/EHPersonalities.h"
#include <map>

namespace tilesmith {

class NotedChoice;

/// One function on its way through the rooms. It has a ScalarEvolution of its
/// own: what that learns must not change how the passes after us see a function
/// that we leave alone. It is kept until the function changes, as it looks at
/// all loops that come before one.
class FunctionDriver {
public:
  /// With \p Explain, loops that cannot be products are candidates as well, for
  /// the reason why they are none.
  FunctionDriver(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                 const Options &Opts, LaterPasses Later, RemarkLog &Log,
                 bool Explain)
      : F(F), FAM(FAM), Opts(Opts), Later(Later), Log(Log),
        DT(FAM.getResult<llvm::DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<llvm::LoopAnalysis>(F)),
        TLI(FAM.getResult<llvm::TargetLibraryAnalysis>(F)), ORE(&F),
        Missed(Candidates, DT, Opts, Log, ORE), Explain(Explain) {
    findCandidates();
  }

  bool hasCandidates() const {
    return !Candidates.empty() || !Unrolled.empty();
  }

  /// How much was looked at, for tools that ask for the pass 'count-loops'.
  void remarkLoops();
  /// Why scalar products are left alone.
  void remarkLoneSums();
  /// Replaces all that can be. True if the function changed.
  bool rewriteAll();

  /// Whether \p L ends a product that will be replaced.
  Verdict judge(llvm::Loop &L);
  /// Prints what the candidates are, or how they would be computed.
  void print(bool WithPlan, llvm::raw_ostream &OS);

private:
  llvm::SmallVector<Verdict, 4> ask(llvm::Function &In,
                                    llvm::ArrayRef<llvm::Loop *> Loops);
  bool bringIntoShape();
  void copyNestsIntoShape(Judge Ask);
  void copyPartedNests(Judge Ask);
  void findCandidates();
  bool splitBands(Judge Ask);
  void keepScalarLoops();
  void addLikely(llvm::Loop &L);
  bool mayBeReplaced(const llvm::Loop &L) const;
  llvm::SmallVector<llvm::Loop *, 2> unrolledInNoProduct();
  bool isInFunclet(const llvm::Loop &L);
  const std::variant<Nest, Refusal> &recognizeIn(llvm::Loop &L);
  std::variant<Nest, Refusal> recognizeAnew(llvm::Loop &L);
  void verifyIfAsked(llvm::Function &Changed, llvm::StringRef How);
  void forget();
  void startAgain();
  std::variant<PlannedNest, Refusal> planFor(const Nest &Found);
  bool isPartOfChanges(const llvm::Loop &Root) const;
  void noteAlternatives(const Nest &Found);
  llvm::ScalarEvolution ownExpressions();
  NestAnalyses analyses(llvm::ScalarEvolution &With, bool Explains = false);
  std::optional<Nest>
  joinedWithNext(const Nest &Alone, std::variant<PlannedNest, Refusal> &Planned,
                 std::optional<NotedChoice> &Chosen);
  void completePlan(PlannedNest &Planned);
  void rewriteNest(llvm::Loop &L, bool IsLeftOver);
  ReplacedRemark remarkOn(llvm::Loop &L, const Nest &Found,
                          const PlannedNest &Planned);
  void replace(llvm::Loop &L, const Nest &Found, PlannedNest &Planned,
               bool IsLeftOver);
  bool isVersionOfTold(const llvm::Loop &L, const llvm::Instruction &Store);
  void tellNotUsed(const llvm::Loop &L, const Plan &ThePlan);
  void addLeftOvers(llvm::Loop &Rest, const llvm::Loop &L);
  bool isBeyondBudget(const llvm::Loop &L);

  llvm::Function &F;
  llvm::FunctionAnalysisManager &FAM;
  const Options &Opts;
  LaterPasses Later;
  RemarkLog &Log;
  llvm::DominatorTree &DT;
  llvm::LoopInfo &LI;
  llvm::TargetLibraryInfo &TLI;
  llvm::OptimizationRemarkEmitter ORE;
  MissedNests Missed;
  bool Explain;
  llvm::SmallVector<llvm::Loop *, 4> Candidates;
  /// How many loops look like the end of a product.
  unsigned NumLikely = 0;
  /// Loops with a sum of many products in a step.
  llvm::SmallVector<llvm::Loop *, 2> Unrolled;
  /// Of a loop that is left over, how many products its nest had besides.
  llvm::SmallDenseMap<const llvm::Loop *, unsigned, 4> ProductsBefore;
  /// Ends of products in fall-backs.
  llvm::SmallPtrSet<llvm::Loop *, 2> Alternatives;
  llvm::SmallVector<FastPath, 4> FastPaths;
  /// The headers of the nests behind fast paths.
  llvm::SmallVector<llvm::BasicBlock *, 4> ReplacedHeaders;
  ReplacedNests Replaced;
  /// The headers of the loops of copies in shape.
  llvm::SmallPtrSet<llvm::BasicBlock *, 2> Versions;
  /// Where blocks of steps begin.
  llvm::SmallVector<llvm::BasicBlock *, 2> Blocked;
  /// Where sums are stored of which the user has been told.
  llvm::SmallPtrSet<const llvm::DILocation *, 4> ToldStores;
  /// Copies of nests, whose own loops will go.
  llvm::SmallVector<ShapedNest, 2> Shaped;
  std::optional<TargetModel> Target;
  std::optional<BetterTargets> Better;
  std::optional<llvm::ScalarEvolution> SE;
  std::map<const llvm::Loop *, std::variant<Nest, Refusal>> Recognized;
  std::optional<llvm::DenseMap<llvm::BasicBlock *, llvm::ColorVector>> Funclets;
};

} // namespace tilesmith

#endif
