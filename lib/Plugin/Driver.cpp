//===- Driver.cpp - the rooms, one after the other ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "BandNests.h"
#include "ConditionalCall.h"
#include "ConditionalStore.h"
#include "Formula.h"
#include "PartialSum.h"
#include "PhasedNests.h"
#include "Remarks.h"
#include "RolledNests.h"
#include "RowGroups.h"
#include "ShapeTrial.h"
#include "SquareNests.h"
#include "UnrolledSum.h"
#include "UnstoredSum.h"
#include "tilesmith/Idiom/FusedCounter.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Lowering/Lowering.h"
#include "tilesmith/Planning/BetterTargets.h"
#include "tilesmith/Rewrite/BlockedSteps.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/DebugCounter.h"
#include "llvm/Support/ErrorHandling.h"
#include <map>

using namespace llvm;

DEBUG_COUNTER(RewriteCounter, "tilesmith-rewrite",
              "Controls which nests Tilesmith rewrites");

namespace tilesmith {

namespace {

/// Whether loops are refused for what they do to something else's sum, or
/// before anything is known of a product in them.
bool isAboutLoops(Reason Why) {
  return is_contained({Reason::NoUpdate, Reason::VaryingScalar, Reason::Branch,
                       Reason::ConditionalLoad, Reason::BoundVaries,
                       Reason::TwoDiagonals, Reason::RowSetBefore,
                       Reason::UnknownTripCount, Reason::ExtraLoop,
                       Reason::EarlyExit, Reason::UsedAfter},
                      Why);
}

/// What a remark on \p Op begins with if it is left alone.
StringRef notReplaced(const Contraction &Op) {
  if (!Op.isMatrixVector())
    return "matrix product not replaced: ";
  return Op.Outer.empty() ? "matrix times vector not replaced: "
                          : "filter not replaced: ";
}

/// One function on its way through the rooms. It has a ScalarEvolution of its
/// own: what that learns must not change how the passes after us see a function
/// that we leave alone. It is kept until the function changes, as it looks at
/// all loops that come before one.
class FunctionDriver {
public:
  /// With \p Explain, loops that cannot be products are candidates as well, for
  /// the reason why they are none.
  FunctionDriver(Function &F, FunctionAnalysisManager &FAM, const Options &Opts,
                 LaterPasses Later, RemarkLog &Log, bool Explain)
      : F(F), FAM(FAM), Opts(Opts), Later(Later), Log(Log),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)), ORE(&F),
        Explain(Explain) {
    findCandidates();
  }

  bool hasCandidates() const {
    return !Candidates.empty() || !Unrolled.empty();
  }

  /// How much was looked at, for tools that ask for the pass 'count-loops'.
  void remarkLoops() {
    if (LI.empty())
      return;
    ORE.emit([&] {
      return OptimizationRemarkAnalysis("count-loops", "Loops",
                                        (*LI.begin())->getStartLoc(),
                                        (*LI.begin())->getHeader())
             << ore::NV("Loops", LI.getLoopsInPreorder().size())
             << " loops, of which " << ore::NV("Candidates", Candidates.size())
             << " end a nest with a multiply-add";
    });
  }

  bool rewriteAll() {
    if (std::optional<Refusal> No = attributesForbid(F, Opts)) {
      for (Loop *L : Candidates)
        remarkMissed(*L, WhyNot::of(*No), Opts, Log, ORE);
      return false;
    }
    auto Ask = [&](Function &In, ArrayRef<Loop *> Loops) {
      auto AskEach = [&](FunctionDriver &Driver) {
        return map_to_vector<4>(Loops,
                                [&](Loop *L) { return Driver.judge(*L); });
      };
      if (&In == &F)
        return AskEach(*this);
      verifyIfAsked(In, "in shape for a trial");
      FunctionDriver Copy(In, FAM, Opts, Later, Log, Explain);
      return AskEach(Copy);
    };
    SmallVector<BasicBlock *, 2> Blocked =
        blockSquareNests(F, FAM, /*MakesVectors=*/!Later.Hoist, Ask);
    append_range(Blocked, phaseNests(F, FAM, Opts, Ask));
    if (!Blocked.empty()) {
      forget();
      findCandidates();
    }
    bool HasGroups = groupRows(F, FAM, Candidates, Opts.MinWork != 0, Ask);
    if (HasGroups) {
      forget();
      verifyIfAsked(F, "with rows in groups");
      findCandidates();
    }
    SmallVector<ShapedNest, 2> Shaped =
        copyIntoShape(F, FAM, Candidates, Ask, Why);
    if (!Shaped.empty()) {
      verifyIfAsked(F, "brought into shape");
      forget();
    }
    WhyNots NotRolled;
    append_range(Shaped, copyRolled(F, FAM, unrolledInNoProduct(), Opts, Ask,
                                    Explain ? &NotRolled : nullptr));
    for (const Loop *L : Unrolled)
      if (auto It = NotRolled.find(L); It != NotRolled.end())
        tellProduct(*L, It->second);
    HasShaped = !Shaped.empty();
    for (const ShapedNest &Copy : Shaped)
      Versions.insert_range(Copy.Headers);
    if (HasShaped) {
      forget();
      Funclets.reset();
      findCandidates();
    }
    bool HasBands = splitBands(Ask);
    // What is left over of a nest may hold another product, or just index
    // arithmetic that looks like one.
    unsigned NumSources = Candidates.size();
    for (unsigned I = 0; I < Candidates.size(); ++I)
      if (!isInFallback(*Candidates[I]) || Alternatives.erase(Candidates[I]))
        rewriteNest(*Candidates[I], /*IsLeftOver=*/I >= NumSources);
    for (const auto &[L, No] : Refused)
      if (!isReplacedInRest(*L))
        explainMissed(*L, No, /*IsLeftOver=*/false);
    // A loop may add the first steps to a sum with which a product goes on: of
    // what is left of that one's nest, it makes a product, too.
    for (const auto &[L, No] : WithoutUpdate)
      if (No.Why == Reason::RankUpdate && !isVersionOfReplaced(*L))
        tellProduct(*L, No, "rank update not replaced: ");
      else if (No.Why == Reason::NoUpdate && !isInFallback(*L))
        tell(*L, No);
    for (const auto &[L, No] : OfRests)
      if (!isVersionOfReplaced(*L) &&
          !is_contained(ToldNests, nestOf(*L).getStartLoc()))
        tell(*L, No);
    removeLoops(Shaped, LI, Replaced);
    keepScalarLoops();
    removePlaces(F);
    outline(F, FastPaths);
    for (BasicBlock *First : Blocked)
      outlineSteps(*First);
    removeChoices(*F.getParent());
    return !Blocked.empty() || HasGroups || HasBands || !Shaped.empty() ||
           !FastPaths.empty();
  }

  /// Whether \p L ends a product that will be replaced.
  Verdict judge(Loop &L) {
    const auto &Found = recognizeIn(L);
    if (auto *No = std::get_if<Refusal>(&Found))
      return *No;
    auto Outcome = planFor(std::get<Nest>(Found));
    if (auto *No = std::get_if<Refusal>(&Outcome))
      return *No;
    if (std::optional<Refusal> No =
            refuseRewrite(std::get<PlannedNest>(Outcome), {DT, LI, *SE}, TLI))
      return *No;
    const Nest &Product = std::get<Nest>(Found);
    const Surroundings &Source = Product.Source;
    return FoundProduct{unsigned(Source.Loops.size()),
                        Source.ToScratch || Product.Op.isCopied(),
                        Product.Op.isMatrixVector()};
  }

  void print(bool WithPlan, raw_ostream &OS) {
    for (Loop *L : Candidates) {
      const auto &Found = recognizeIn(*L);
      std::optional<Refusal> No;
      if (auto *R = std::get_if<Refusal>(&Found))
        No = *R;
      if (!No && !WithPlan)
        std::get<Nest>(Found).print(OS);
      if (!No && WithPlan) {
        auto Outcome = planFor(std::get<Nest>(Found));
        if (auto *R = std::get_if<Refusal>(&Outcome))
          No = *R;
        else {
          OS << std::get<Nest>(Found).Op.summary() << ": ";
          std::get<PlannedNest>(Outcome).ThePlan.print(OS);
          explain(std::get<PlannedNest>(Outcome), *Target, Opts, OS);
        }
      }
      if (No)
        OS << "not replaced: " << name(No->Why) << ": " << describe(No->Why)
           << '\n';
    }
  }

private:
  void findCandidates() {
    Candidates.clear();
    Unrolled.clear();
    NumLikely = 0;
    for (Loop *L : LI.getLoopsInPreorder()) {
      bool IsLikely = looksLikeProduct(*L), HasSum = lastOfUnrolledSum(*L);
      if ((!IsLikely && !HasSum) || isInFallback(*L))
        continue;
      if (IsLikely)
        addLikely(*L);
      if (HasSum)
        Unrolled.push_back(L);
    }
  }

  /// Parts the rows of bands. True if there are any.
  bool splitBands(Judge Ask) {
    SmallVector<SplitBand, 1> Bands =
        findBands(F, FAM, Candidates, /*MakesVectors=*/!Later.Hoist, Ask);
    for (const SplitBand &Band : Bands) {
      if (Band.NumDiagonals)
        remarkNarrowBand(Band);
      splitBand(Band, FAM, Opts.MinWork != 0);
    }
    if (Bands.empty())
      return false;
    forget();
    verifyIfAsked(F, "with the rows of bands parted");
    Funclets.reset();
    findCandidates();
    return true;
  }

  void remarkNarrowBand(const SplitBand &Band) {
    const Loop &Rows = *Band.Inner->getParentLoop();
    RemarkPlace At = RemarkPlace::of(DebugLoc(), Rows);
    OptimizationRemark Remark("tilesmith", "Replaced", At.Loc,
                              Rows.getHeader());
    Remark << "replaced " << ore::NV("Loops", 2u) << "-loop nest by "
           << ore::NV("Operation",
                      ("band of " + Twine(Band.NumDiagonals)).str())
           << ": "
           << ore::NV("Plan", "first, middle and last rows apart, clang's "
                              "vectors of rows")
           << At.Inlined;
    if (ORE.enabled())
      recordNest(Remark, Rows, *Band.Inner);
    if (Log.insert(At.Loc, (F.getName() + Remark.getMsg()).str()))
      ORE.emit(Remark);
  }

  /// LLVM must not make vectors of marked loops. Until now, that would have told
  /// us to leave them alone.
  void keepScalarLoops() {
    LLVMContext &Ctx = F.getContext();
    auto Hint = [&](StringRef Name, ConstantInt *Value) {
      return MDNode::get(
          Ctx, {MDString::get(Ctx, Name), ConstantAsMetadata::get(Value)});
    };
    MDNode *Hints[] = {
        Hint("llvm.loop.vectorize.enable", ConstantInt::getFalse(Ctx)),
        Hint("llvm.loop.unroll.disable", ConstantInt::getTrue(Ctx))};
    // Some loops have been removed by now.
    for (BasicBlock &BB : F) {
      Instruction *Latch = BB.getTerminator();
      MDNode *ID = Latch->getMetadata(LLVMContext::MD_loop);
      if (ID && findOptionMDForLoopID(ID, ScalarMark))
        Latch->setMetadata(
            LLVMContext::MD_loop,
            makePostTransformationMetadata(Ctx, ID, {ScalarMark}, Hints));
    }
  }

  /// What happens to the code does not depend on \c Explain.
  void addLikely(Loop &L) {
    ++NumLikely;
    if (Explain || mayBeReplaced(L))
      Candidates.push_back(&L);
  }

  /// Whether a product may be found and planned, as far as a cheap look tells.
  bool mayBeReplaced(const Loop &L) const {
    auto Possible = PossibleProducts::of(L);
    return Possible.mayBeFaster() ||
           (Possible.Vector && Opts.Plan.Kind != KernelKind::Undecided);
  }

  /// Loops with an unrolled sum that end no product as they are.
  SmallVector<Loop *, 2> unrolledInNoProduct() {
    SmallVector<Loop *, 2> Result;
    for (Loop *L : Unrolled)
      if (!isInFallback(*L) &&
          (!looksLikeProduct(*L) || !PossibleProducts::of(*L).any() ||
           std::holds_alternative<Refusal>(judge(*L))))
        Result.push_back(L);
    return Result;
  }

  /// Whether \p L is in a part of the function of which calls must say that
  /// they are. Code generation takes others for dead.
  bool isInFunclet(const Loop &L) {
    if (!F.hasPersonalityFn() ||
        !isScopedEHPersonality(classifyEHPersonality(F.getPersonalityFn())))
      return false;
    if (!Funclets)
      Funclets = colorEHFunclets(F);
    return any_of(Funclets->lookup(L.getHeader()), [&](const BasicBlock *Pad) {
      return Pad != &F.getEntryBlock();
    });
  }

  /// What \p L ends. It is found out once, until the function changes.
  const std::variant<Nest, Refusal> &recognizeIn(Loop &L) {
    auto It = Recognized.find(&L);
    if (It == Recognized.end())
      It = Recognized.emplace(&L, recognizeAnew(L)).first;
    return It->second;
  }

  std::variant<Nest, Refusal> recognizeAnew(Loop &L) {
    if (isInFunclet(L))
      return Refusal{Reason::Handler, L.getHeader()->getTerminator()};
    if (!SE)
      SE.emplace(F, TLI, FAM.getResult<AssumptionAnalysis>(F), DT, LI);
    return recognize(L, analyses());
  }

  /// Stops if \p Changed, or its dominator tree, is broken once it is \p How.
  void verifyIfAsked(Function &Changed, StringRef How) {
    if (Opts.Verify && (verifyFunction(Changed, &errs()) ||
                        !FAM.getResult<DominatorTreeAnalysis>(Changed).verify(
                            DominatorTree::VerificationLevel::Fast)))
      report_fatal_error("tilesmith: broken function " + F.getName() + ", " +
                         How);
  }

  /// The function has changed.
  void forget() {
    Recognized.clear();
    SE.reset();
  }

  std::variant<PlannedNest, Refusal> planFor(const Nest &Found) {
    if (!Target)
      Target = TargetModel::of(F, FAM, Opts);
    return makePlan(Found, *Target, Opts);
  }

  /// Whether another product ends in a loop beside \p L, or beside the one around it:
  /// one of the two may be what the other one, unrolled by hand, leaves over.
  bool isBesideOther(const Loop &L) const {
    return any_of(Candidates, [&](const Loop *Other) {
      return Other != &L && &nestOf(*Other) == &nestOf(L);
    });
  }

  /// The outermost of the three loops that end in \p L, or of two.
  static const Loop &nestOf(const Loop &L) {
    const Loop &Steps = *L.getParentLoop();
    return Steps.getParentLoop() ? *Steps.getParentLoop() : Steps;
  }

  /// Tells why the nest that \p L ends is left alone.
  void tell(const Loop &L, const WhyNot &No) {
    ToldNests.push_back(nestOf(L).getStartLoc());
    remarkMissed(L, No, Opts, Log, ORE);
  }

  /// The same if it is certainly a product.
  void tellProduct(const Loop &L, const WhyNot &No,
                   StringRef What = "matrix product not replaced: ") {
    ToldNests.push_back(nestOf(L).getStartLoc());
    remarkProductMissed(L, No, Log, ORE, What);
  }

  /// What is left of a nest is worth telling only if it is a product of its
  /// own, not the last iterations of the loop that was replaced. Likewise two
  /// loops, of which one might stand for two, or which multiply a vector.
  static bool isWorthTelling(const Loop &L, const WhyNot &No,
                             const WhyNot &Told, bool IsLeftOver) {
    if (L.getLoopDepth() < MinChainLength) {
      bool MayBeTwo = fusedCounter(*L.getParentLoop()).has_value();
      return (MayBeTwo && !isAboutLoops(Told.Why) &&
              Told.Why != Reason::NotProduct) ||
             (!MayBeTwo && !IsLeftOver && Told.Why != Reason::NotProduct &&
              Likeness::of(L).isLikelyVector());
    }
    return !IsLeftOver || !isAboutLoops(No.Why);
  }

  /// Whether another candidate of the same nest may be a product of matrices.
  bool isBesideMatrices(const Loop &L) const {
    return any_of(Candidates, [&](const Loop *Other) {
      return Other != &L && Other->getLoopDepth() >= MinChainLength &&
             Other->getOutermostLoop() == L.getOutermostLoop();
    });
  }

  /// Whether it is a matrix times a vector, of which the reason may not be true: it
  /// was found where matrices were looked for, or beside other products.
  bool isVagueOfVector(const Loop &L, const WhyNot &Told) const {
    return Opts.Remarks != RemarkLevel::All &&
           Likeness::of(L).isLikelyVector() &&
           (is_contained({Reason::IndexRoles, Reason::VaryingScalar},
                         Told.Why) ||
            isBesideMatrices(L));
  }

  /// What was found in a copy of \p L, brought into shape, says more.
  void explainMissed(const Loop &L, const WhyNot &No, bool IsLeftOver) {
    auto It = Why.find(&L);
    WhyNot Told = It != Why.end() ? It->second : No;
    if (Told.Why == Reason::IndexRoles) {
      if (const Instruction *Added = partialSumInOrder(L, DT))
        Told = WhyNot::of({Reason::PartialSum, Added});
      else if (const Instruction *Taken = sumInOtherSum(L))
        Told = WhyNot::of({Reason::InnerSum, Taken});
    }
    if (Told.Why == Reason::SumInParts && isBesideOther(L)) {
      OfRests.push_back({&L, Told});
      return;
    }
    // Two loops that are certainly of a kin of products.
    if (!IsLeftOver && Told.Why == Reason::Band)
      return tellProduct(L, Told, "sum of products not replaced: ");
    if (!IsLeftOver && Told.Why == Reason::Sparse &&
        L.getLoopDepth() < MinChainLength)
      return tellProduct(L, Told, "matrix times vector not replaced: ");
    bool IsRankUpdate = !IsLeftOver && Told.Why == Reason::RankUpdate;
    if (!IsRankUpdate &&
        (!isWorthTelling(L, No, Told, IsLeftOver) || isVagueOfVector(L, Told)))
      return;
    if (IsRankUpdate || Told.Why == Reason::NoUpdate)
      WithoutUpdate.push_back({&L, Told});
    else
      tell(L, Told);
  }

  /// Whether no other candidate is in the same nest.
  bool isAlone(const Loop &L) const {
    return none_of(Candidates, [&](const Loop *Other) {
      return Other != &L && Other->getOutermostLoop() == L.getOutermostLoop();
    });
  }

  /// Whether \p L ends no product as it stands, but one in what is left of its
  /// nest without another one.
  bool isReplacedInRest(const Loop &L) const {
    DebugLoc Start = L.getStartLoc();
    return Start && isInFallback(L) && is_contained(ReplacedInRest, Start);
  }

  /// Whether the source's nest of \p L is replaced where more of its loops run:
  /// what is left may make the last step of a sum.
  bool isVersionOfReplaced(const Loop &L) const {
    DebugLoc Start = L.getOutermostLoop()->getStartLoc();
    return isInFallback(L) || (Start && is_contained(ReplacedNests, Start));
  }

  /// Whether \p Root is a part of a copy that must not run as it is: all of the copy
  /// goes, as the loops around it would lead to the part's own.
  bool isPartOfChanges(const Loop &Root) const {
    return hasStoresOfChanges(Root) && !Versions.contains(Root.getHeader());
  }

  /// Notes the products that the nest makes instead of \p Found, where a test
  /// comes out otherwise. They are looked for in front of its fall-back.
  void noteAlternatives(const Nest &Found) {
    auto IsOtherwise = [&](const Assumption &A) {
      return any_of(Found.Tests.Assumptions, [&](const Assumption &B) {
        return !A.Entered && !B.Entered && A.Condition == B.Condition &&
               A.Value != B.Value;
      });
    };
    for (Loop *L : Candidates) {
      if (!Found.Source.Root->contains(L) || isInFallback(*L))
        continue;
      auto *Other = std::get_if<Nest>(&recognizeIn(*L));
      if (Other && Other->Source.Root == Found.Source.Root &&
          any_of(Other->Tests.Assumptions, IsOtherwise))
        Alternatives.insert(L);
    }
  }

  NestAnalyses analyses() {
    return {DT,         LI,          *SE,    &FAM.getResult<AAManager>(F),
            Later.Link, Later.Hoist, Explain};
  }

  /// \p Alone and the nest behind it, if a kernel may stand for both; \p Planned
  /// is the plan of the first, and becomes that of both. \p Chosen stands in the
  /// second nest until it is replaced.
  std::optional<Nest>
  joinedWithNext(const Nest &Alone, std::variant<PlannedNest, Refusal> &Planned,
                 std::optional<NotedChoice> &Chosen) {
    auto *Is = std::get_if<PlannedNest>(&Planned);
    if (!Is || Is->ThePlan.Library)
      return std::nullopt;
    if (Loop *Next = nestBehind(Alone, analyses()))
      Chosen.emplace(*Next->getLoopsInPreorder().back());
    std::optional<Nest> Joined = joinNext(Alone, analyses());
    // What is compared and measured behind a nest begins in front of it.
    bool IsObserved =
        !Is->ThePlan.ComparedAs.empty() || !Is->ThePlan.ProfiledAs.empty();
    if (!Joined ||
        (IsObserved && !DT.dominates(Alone.Source.Root->getHeader(),
                                     Joined->Source.Next->getHeader())))
      return std::nullopt;
    auto Both = planFor(*Joined);
    auto *IsBoth = std::get_if<PlannedNest>(&Both);
    if (!IsBoth || refuseRewrite(*IsBoth, {DT, LI, *SE}, TLI))
      return std::nullopt;
    Planned = std::move(Both);
    return Joined;
  }

  void rewriteNest(Loop &L, bool IsLeftOver) {
    const auto &MaybeNest = recognizeIn(L);
    if (auto *No = std::get_if<Refusal>(&MaybeNest)) {
      if (IsLeftOver || isAlone(L))
        return explainMissed(L, WhyNot::of(*No), IsLeftOver);
      // Instructions may be gone when it is told.
      Refused.emplace_back(&L, WhyNot::of(*No));
      return;
    }
    const Nest &Alone = std::get<Nest>(MaybeNest);
    auto MaybePlanned = planFor(Alone);
    std::optional<NotedChoice> Chosen;
    std::optional<Nest> Joined = joinedWithNext(Alone, MaybePlanned, Chosen);
    const Nest &Found = Joined ? *Joined : Alone;
    if (auto *No = std::get_if<Refusal>(&MaybePlanned)) {
      if (No->Why == Reason::TooSmall && isBesideOther(L))
        OfRests.push_back({&L, WhyNot::of(*No)});
      else
        tellProduct(L, WhyNot::of(*No), notReplaced(Found.Op));
      return;
    }
    if (isPartOfChanges(*Found.Source.Root))
      return tellProduct(L, WhyNot::of({Reason::Branch}));
    auto &Planned = std::get<PlannedNest>(MaybePlanned);
    Plan &ThePlan = Planned.ThePlan;
    if (!Better)
      Better.emplace(F, *Target, FAM, Opts);
    Better->addTo(Planned, Opts);
    ThePlan.SharesKernels = NumLikely > 1;
    if (HasShaped)
      ThePlan.ComparedAs.clear();
    for (Plan &Level : ThePlan.Dispatched)
      Level.SharesKernels = ThePlan.SharesKernels;
    if (isBeyondBudget(L))
      return tellProduct(L, WhyNot::of({Reason::Budget}),
                         notReplaced(Found.Op));
    if (!DebugCounter::shouldExecute(RewriteCounter))
      return;

    // Read off before the nest changes.
    RemarkPlace At = RemarkPlace::of(DebugLoc(), *Found.Source.Root);
    OptimizationRemark Remark("tilesmith", "Replaced", At.Loc,
                              Found.Source.Root->getHeader());
    ore::NV What("Operation", Found.Op.summary()),
        By("Plan", ThePlan.summary());
    Remark << "replaced "
           << ore::NV("Loops", unsigned(Found.Source.Loops.size()))
           << "-loop nest ";
    if (ORE.enabled())
      if (auto Formula = formulaOf(Found, *SE))
        Remark << "'" << ore::NV("Formula", *Formula) << "' ";
    Remark << "by " << (ThePlan.Library ? By : What) << ": "
           << (ThePlan.Library ? What : By);
    const Loop *Around = Found.Source.Root->getParentLoop();
    if (Around && findOptionMDForLoop(Around, AroundMark))
      Remark
          << ", for groups of rows that read what the rows before them store";
    Remark << At.Inlined;
    if (ORE.enabled()) {
      recordNest(Remark, *Found.Source.Root, L);
      std::string Choices;
      raw_string_ostream OS(Choices);
      explain(Planned, *Target, Opts, OS);
      Remark << ore::NV("Choices", Choices);
    }
    // Versions of a nest have the same store; two products of one nest do not.
    DebugLoc Stored = Found.Source.UpdateStore->getDebugLoc();
    if (!Stored || Stored.getLine() == 0)
      Stored = L.getStartLoc();
    bool IsNew = Log.insert(Stored, (F.getName() + Remark.getMsg()).str());
    BasicBlock *Header = Found.Source.Root->getHeader();
    DebugLoc Start = Found.Source.Root->getOutermostLoop()->getStartLoc();
    noteAlternatives(Found);
    auto Path = rewrite(Planned, {DT, LI, *SE}, TLI);
    forget();
    if (auto *No = std::get_if<Refusal>(&Path))
      return tellProduct(L, WhyNot::of(*No));
    FastPaths.push_back(std::get<FastPath>(Path));
    Replaced.push_back(Header);
    ReplacedNests.push_back(Start);
    if (IsLeftOver)
      ReplacedInRest.push_back(L.getStartLoc());
    if (IsNew)
      ORE.emit(Remark);
    if (ThePlan.NoLibrary)
      remarkProductMissed(L, WhyNot::of(*ThePlan.NoLibrary), Log, ORE,
                          "library not used: ");
    if (ThePlan.NotTuned)
      remarkProductMissed(L, WhyNot::of(*ThePlan.NotTuned), Log, ORE,
                          "tuning table not used: ");
    if (Loop *Rest = FastPaths.back().Rest)
      for (Loop *Part : Rest->getLoopsInPreorder())
        if (looksLikeProduct(*Part)) {
          ProductsBefore[Part] = ProductsBefore.lookup(&L) + 1;
          addLikely(*Part);
        }
  }

  /// Whether another product of the nest that \p L ends would be too much code.
  /// Each leaves a copy of the nest with the others, so that grows by the
  /// square of their number.
  bool isBeyondBudget(const Loop &L) {
    constexpr unsigned MaxProductsOfNest = 8;
    if (ProductsBefore.lookup(&L) >= MaxProductsOfNest)
      return true;
    return count_if(*F.getParent(), [](const Function &Other) {
             return Other.getName().starts_with("tilesmith.") ||
                    Other.getName().contains(".tilesmith");
           }) >= int64_t(Opts.MaxFunctions);
  }

  Function &F;
  FunctionAnalysisManager &FAM;
  const Options &Opts;
  LaterPasses Later;
  RemarkLog &Log;
  DominatorTree &DT;
  LoopInfo &LI;
  TargetLibraryInfo &TLI;
  OptimizationRemarkEmitter ORE;
  bool Explain;
  SmallVector<Loop *, 4> Candidates;
  unsigned NumLikely = 0; ///< loops that look like the end of a product
  SmallVector<Loop *, 2> Unrolled; ///< with a sum of many products in a step
  SmallDenseMap<const Loop *, unsigned, 4>
      ProductsBefore; ///< of a left-over, how many its nest had besides
  SmallPtrSet<Loop *, 2> Alternatives; ///< ends of products in fall-backs
  SmallVector<FastPath, 4> FastPaths;
  SmallVector<BasicBlock *, 4> Replaced;   ///< the headers of nests behind them
  SmallVector<DebugLoc, 2> ReplacedNests;  ///< where these start
  SmallVector<DebugLoc, 2> ReplacedInRest; ///< where loops of left-overs do
  /// Loops of the source that end no product. They are told when all others
  /// have been looked at.
  SmallVector<std::pair<const Loop *, WhyNot>, 2> Refused;
  SmallPtrSet<BasicBlock *, 2> Versions; ///< the headers of their loops
  /// The same of loops that may be what others leave over: they are told if nothing
  /// else of their nests is.
  SmallVector<std::pair<const Loop *, WhyNot>, 2> OfRests;
  SmallVector<DebugLoc, 2> ToldNests; ///< where nests start that were told
  bool HasShaped = false; ///< copies of nests, whose own loops will go
  WhyNots Why;            ///< of loops that are no product in any shape
  /// Loops after which no sum is stored, or one of a single step. They are told
  /// last.
  SmallVector<std::pair<const Loop *, WhyNot>, 2> WithoutUpdate;
  std::optional<TargetModel> Target;
  std::optional<BetterTargets> Better;
  std::optional<ScalarEvolution> SE;
  std::map<const Loop *, std::variant<Nest, Refusal>> Recognized;
  std::optional<DenseMap<BasicBlock *, ColorVector>> Funclets;
};

/// The options in force for \p F; a malformed attribute is an error.
std::optional<Options> optionsFor(Function &F, const Options &Opts) {
  Expected<Options> Result = Opts.forFunction(F);
  if (Result)
    return *Result;
  F.getContext().emitError("tilesmith: " + toString(Result.takeError()));
  return std::nullopt;
}

} // namespace

std::optional<Refusal> attributesForbid(const Function &F,
                                        const Options &Opts) {
  // Two sanitizers look at the source's own operations, and at malloc.
  if (F.hasOptNone() || F.hasMinSize() ||
      F.hasFnAttribute(Attribute::NoImplicitFloat) ||
      F.hasFnAttribute(Attribute::StrictFP) ||
      F.hasFnAttribute(Attribute::SanitizeNumericalStability) ||
      F.hasFnAttribute(Attribute::SanitizeRealtime) || !Opts.Enable)
    return Refusal{Reason::AttributeForbids};
  return std::nullopt;
}

bool isInFallback(const Loop &L) {
  for (const Loop *Part = &L; Part; Part = Part->getParentLoop())
    if (isMarkedAsFallback(*Part))
      return true;
  return false;
}

bool rewriteFunction(Function &F, FunctionAnalysisManager &FAM,
                     const Options &Opts, LaterPasses Later, RemarkLog &Log) {
  std::optional<Options> FnOpts = optionsFor(F, Opts);
  if (!FnOpts)
    return false;
  FunctionDriver Driver(F, FAM, *FnOpts, Later, Log,
                        OptimizationRemarkEmitter(&F).enabled());
  Driver.remarkLoops();
  if (!Driver.hasCandidates() || !Driver.rewriteAll())
    return false;
  FAM.invalidate(F, PreservedAnalyses::none());
  return true;
}

bool usesMatrixIntrinsics(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.getName().starts_with("llvm.matrix.") && !F.use_empty();
  });
}

bool lowerModule(Module &M, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  if (!usesMatrixIntrinsics(M))
    return Changed;
  for (Function &F : M) {
    if (F.isDeclaration() || !lowerMatrixIntrinsics(F, FAM))
      continue;
    FAM.invalidate(F, PreservedAnalyses::none());
    Changed = true;
  }
  return Changed;
}

void printNests(Function &F, FunctionAnalysisManager &FAM, const Options &Opts,
                bool WithPlan, raw_ostream &OS) {
  if (std::optional<Options> FnOpts = optionsFor(F, Opts)) {
    RemarkLog Log;
    FunctionDriver Driver(F, FAM, *FnOpts, LaterPasses(), Log,
                          /*Explain=*/true);
    if (Driver.hasCandidates())
      OS << "function '" << F.getName() << "':\n";
    Driver.print(WithPlan, OS);
  }
}

} // namespace tilesmith
