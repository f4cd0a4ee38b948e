//===- FunctionDriver.cpp - a function on its way through the rooms -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionDriver.h"
#include "BandNests.h"
#include "ConditionalCall.h"
#include "ConditionalStore.h"
#include "LoneSums.h"
#include "LoopEnds.h"
#include "PhasedNests.h"
#include "Remarks.h"
#include "RolledNests.h"
#include "RowGroups.h"
#include "SquareNests.h"
#include "UnrolledSum.h"
#include "UnstoredSum.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/SkippedSteps.h"
#include "tilesmith/Rewrite/BlockedSteps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/DebugCounter.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

DEBUG_COUNTER(RewriteCounter, "tilesmith-rewrite",
              "Controls which nests Tilesmith rewrites");

namespace tilesmith {

/// What a remark on \p Op begins with if it is left alone.
static StringRef notReplaced(const Contraction &Op) {
  if (!Op.isMatrixVector())
    return "matrix product not replaced: ";
  return Op.Outer.empty() || Op.Segments ? "matrix times vector not replaced: "
                                         : "filter not replaced: ";
}

void FunctionDriver::remarkLoops() {
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

/// For remarks: what they ask for must not change what is recognised, and how other
/// nests are replaced.
ScalarEvolution FunctionDriver::ownExpressions() {
  return ScalarEvolution(F, TLI, FAM.getResult<AssumptionAnalysis>(F), DT, LI);
}

void FunctionDriver::remarkLoneSums() {
  if (!ORE.enabled() || LI.empty() || attributesForbid(F, Opts))
    return;
  ScalarEvolution Own = ownExpressions();
  tellLoneSums(LI, Own, Log, ORE);
}

bool FunctionDriver::rewriteAll() {
  if (std::optional<Refusal> No = attributesForbid(F, Opts)) {
    for (Loop *L : Candidates)
      remarkMissed(*L, WhyNot::of(*No), Opts, Log, ORE);
    return false;
  }
  bool IsInShape = bringIntoShape();
  // What is left over of a nest may hold another product, or just index
  // arithmetic that looks like one.
  unsigned NumSources = Candidates.size();
  for (unsigned I = 0; I < Candidates.size(); ++I)
    if (!isInFallback(*Candidates[I]) || Alternatives.erase(Candidates[I]))
      rewriteNest(*Candidates[I], /*IsLeftOver=*/I >= NumSources);
  Missed.tellRest(Replaced);
  removeLoops(Shaped, LI, ReplacedHeaders);
  keepScalarLoops();
  removePlaces(F);
  outline(F, FastPaths);
  for (BasicBlock *First : Blocked)
    outlineSteps(*First);
  removeChoices(*F.getParent());
  return IsInShape || !FastPaths.empty();
}

Verdict FunctionDriver::judge(Loop &L) {
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

void FunctionDriver::print(bool WithPlan, raw_ostream &OS) {
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

/// What becomes of loops of \p In, this function or a copy of it in another shape.
SmallVector<Verdict, 4> FunctionDriver::ask(Function &In,
                                            ArrayRef<Loop *> Loops) {
  auto AskEach = [&](FunctionDriver &Driver) {
    return map_to_vector<4>(Loops, [&](Loop *L) { return Driver.judge(*L); });
  };
  if (&In == &F)
    return AskEach(*this);
  verifyIfAsked(In, "in shape for a trial");
  FunctionDriver Copy(In, FAM, Opts, Later, Log, Explain);
  return AskEach(Copy);
}

/// Gives nests the shape, or copies of the shape, in which they are products.
/// True if the function changed.
bool FunctionDriver::bringIntoShape() {
  auto Ask = [&](Function &In, ArrayRef<Loop *> Loops) {
    return ask(In, Loops);
  };
  // What is known of the last iterations of a loop is true of no part of it.
  if (any_of(LI, [](const Loop *L) { return hasNotedParts(*L); })) {
    copyPartedNests(Ask);
    return !Shaped.empty();
  }
  Blocked = blockSquareNests(F, FAM, /*MakesVectors=*/!Later.Hoist, Ask,
                             [&](const Loop &Root, const Loop &Inner) {
                               remarkSteps(Root, Inner, Log, ORE);
                             });
  append_range(Blocked, phaseNests(F, FAM, Opts, Ask));
  if (!Blocked.empty())
    startAgain();
  bool HasGroups = groupRows(F, FAM, Candidates, Opts.MinWork != 0, Ask);
  if (HasGroups) {
    verifyIfAsked(F, "with rows in groups");
    startAgain();
  }
  copyNestsIntoShape(Ask);
  bool HasBands = splitBands(Ask);
  return !Blocked.empty() || HasGroups || !Shaped.empty() || HasBands;
}

/// The same where loops are fused in parts: those of the source must stay as they are,
/// also where they have copies in front of them.
void FunctionDriver::copyPartedNests(Judge Ask) {
  SmallVector<std::pair<BasicBlock *, SmallVector<KnownTest, 4>>, 4> Known;
  for (const Loop *L : LI)
    if (hasNotedParts(*L))
      Known.push_back({L->getHeader(), testsInFront(*L)});
  copyNestsIntoShape(Ask);
  if (Shaped.empty())
    return;
  for (const auto &[Header, Tests] : Known)
    if (const Loop *L = LI.getLoopFor(Header))
      assumeInFront(*L, Tests, FAM.getResult<AssumptionAnalysis>(F));
}

void FunctionDriver::copyNestsIntoShape(Judge Ask) {
  Shaped = copyIntoShape(F, FAM, Candidates, Ask, Missed.InOtherShape);
  if (!Shaped.empty()) {
    verifyIfAsked(F, "brought into shape");
    forget();
  }
  WhyNots NotRolled;
  append_range(Shaped, copyRolled(F, FAM, unrolledInNoProduct(), Opts, Ask,
                                  Explain ? &NotRolled : nullptr));
  for (const Loop *L : Unrolled)
    if (auto It = NotRolled.find(L); It != NotRolled.end())
      Missed.tellProduct(*L, It->second);
  for (const ShapedNest &Copy : Shaped)
    Versions.insert_range(Copy.Headers);
  if (!Shaped.empty())
    startAgain();
}

void FunctionDriver::findCandidates() {
  Candidates.clear();
  Unrolled.clear();
  NumLikely = 0;
  for (Loop *L : LI.getLoopsInPreorder()) {
    bool IsLikely = looksLikeProduct(*L) || looksLikeSkippingProduct(*L),
         HasSum = lastOfUnrolledSum(*L);
    if ((!IsLikely && !HasSum) || isInFallback(*L))
      continue;
    if (IsLikely)
      addLikely(*L);
    if (HasSum)
      Unrolled.push_back(L);
  }
}

/// Parts the rows of bands. True if there are any.
bool FunctionDriver::splitBands(Judge Ask) {
  SmallVector<SplitBand, 1> Bands =
      findBands(F, FAM, Candidates, /*MakesVectors=*/!Later.Hoist, Ask);
  for (const SplitBand &Band : Bands) {
    if (Band.NumDiagonals)
      remarkNarrowBand(Band, Log, ORE);
    splitBand(Band, FAM, Opts.MinWork != 0);
  }
  if (Bands.empty())
    return false;
  verifyIfAsked(F, "with the rows of bands parted");
  startAgain();
  return true;
}

/// LLVM must not make vectors of marked loops. Until now, that would have told
/// us to leave them alone.
void FunctionDriver::keepScalarLoops() {
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
void FunctionDriver::addLikely(Loop &L) {
  ++NumLikely;
  if (Explain || mayBeReplaced(L))
    Candidates.push_back(&L);
}

/// Whether a product may be found and planned, as far as a cheap look tells.
bool FunctionDriver::mayBeReplaced(const Loop &L) const {
  auto Possible = PossibleProducts::of(L);
  return Possible.mayBeFaster() ||
         (Possible.Vector && Opts.Plan.Kind != KernelKind::Undecided);
}

/// Loops with an unrolled sum that end no product as they are.
SmallVector<Loop *, 2> FunctionDriver::unrolledInNoProduct() {
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
bool FunctionDriver::isInFunclet(const Loop &L) {
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
const std::variant<Nest, Refusal> &FunctionDriver::recognizeIn(Loop &L) {
  auto It = Recognized.find(&L);
  if (It == Recognized.end())
    It = Recognized.emplace(&L, recognizeAnew(L)).first;
  return It->second;
}

std::variant<Nest, Refusal> FunctionDriver::recognizeAnew(Loop &L) {
  if (isInFunclet(L))
    return Refusal{Reason::Handler, L.getHeader()->getTerminator()};
  if (!L.isInnermost())
    return Refusal{Reason::Branch, L.getHeader()->getTerminator()};
  if (!SE)
    SE.emplace(F, TLI, FAM.getResult<AssumptionAnalysis>(F), DT, LI);
  auto Found = recognize(L, analyses(*SE, /*Explains=*/false));
  if (!Explain || std::holds_alternative<Nest>(Found))
    return Found;
  ScalarEvolution Own = ownExpressions();
  auto Told = recognize(L, analyses(Own, /*Explains=*/true));
  return std::holds_alternative<Nest>(Told) ? std::move(Found)
                                            : std::move(Told);
}

/// Stops if \p Changed, or its dominator tree, is broken once it is \p How.
void FunctionDriver::verifyIfAsked(Function &Changed, StringRef How) {
  if (Opts.Verify && (verifyFunction(Changed, &errs()) ||
                      !FAM.getResult<DominatorTreeAnalysis>(Changed).verify(
                          DominatorTree::VerificationLevel::Fast)))
    report_fatal_error("tilesmith: broken function " + F.getName() + ", " +
                       How);
}

/// The function has changed.
void FunctionDriver::forget() {
  Recognized.clear();
  SE.reset();
}

/// It has other loops.
void FunctionDriver::startAgain() {
  forget();
  Funclets.reset();
  findCandidates();
}

std::variant<PlannedNest, Refusal> FunctionDriver::planFor(const Nest &Found) {
  if (!Target)
    Target = TargetModel::of(F, FAM, Opts);
  return makePlan(Found, *Target, Opts);
}

/// Whether \p Root is a part of a copy that must not run as it is: all of the copy
/// goes, as the loops around it would lead to the part's own.
bool FunctionDriver::isPartOfChanges(const Loop &Root) const {
  return mustNotRun(Root) && !Versions.contains(Root.getHeader());
}

/// Notes the products that the nest makes instead of \p Found, where a test
/// comes out otherwise. They are looked for in front of its fall-back.
void FunctionDriver::noteAlternatives(const Nest &Found) {
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

NestAnalyses FunctionDriver::analyses(ScalarEvolution &With, bool Explains) {
  return {DT,         LI,          With,    &FAM.getResult<AAManager>(F),
          Later.Link, Later.Hoist, Explains};
}

/// \p Alone and the nest behind it, if a kernel may stand for both; \p Planned
/// is the plan of the first, and becomes that of both. \p Chosen stands in the
/// second nest until it is replaced.
std::optional<Nest>
FunctionDriver::joinedWithNext(const Nest &Alone,
                               std::variant<PlannedNest, Refusal> &Planned,
                               std::optional<NotedChoice> &Chosen) {
  auto *Is = std::get_if<PlannedNest>(&Planned);
  if (!Is || Is->ThePlan.Library)
    return std::nullopt;
  if (Loop *Next = nestBehind(Alone, analyses(*SE)))
    Chosen.emplace(*Next->getLoopsInPreorder().back());
  std::optional<Nest> Joined = joinNext(Alone, analyses(*SE));
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

/// Plans for better CPUs, and what the nests of the function share.
void FunctionDriver::completePlan(PlannedNest &Planned) {
  Plan &ThePlan = Planned.ThePlan;
  if (!Better)
    Better.emplace(F, *Target, FAM, Opts);
  Better->addTo(Planned, Opts);
  ThePlan.SharesKernels = NumLikely > 1;
  for (Plan &Level : ThePlan.Dispatched)
    Level.SharesKernels = ThePlan.SharesKernels;
  if (!Shaped.empty())
    ThePlan.ComparedAs.clear();
}

/// Replaces the nest that \p L ends, or tells why it is left alone.
void FunctionDriver::rewriteNest(Loop &L, bool IsLeftOver) {
  const auto &MaybeNest = recognizeIn(L);
  if (auto *No = std::get_if<Refusal>(&MaybeNest))
    return Missed.note(L, WhyNot::of(*No), IsLeftOver);
  const Nest &Alone = std::get<Nest>(MaybeNest);
  auto MaybePlanned = planFor(Alone);
  std::optional<NotedChoice> Chosen;
  std::optional<Nest> Joined = joinedWithNext(Alone, MaybePlanned, Chosen);
  const Nest &Found = Joined ? *Joined : Alone;
  if (auto *No = std::get_if<Refusal>(&MaybePlanned))
    return Missed.tellUnplanned(L, WhyNot::of(*No), notReplaced(Found.Op));
  if (isPartOfChanges(*Found.Source.Root))
    return Missed.tellProduct(L, WhyNot::of({Reason::Branch}));
  auto &Planned = std::get<PlannedNest>(MaybePlanned);
  completePlan(Planned);
  if (isBeyondBudget(L))
    return Missed.tellProduct(L, WhyNot::of({Reason::Budget}),
                              notReplaced(Found.Op));
  if (DebugCounter::shouldExecute(RewriteCounter))
    replace(L, Found, Planned, IsLeftOver);
}

/// What is said of \p Found, which \p L ends. Expressions that only a remark asks for
/// would change what the nest's tests are made of, so it is found once more for that.
ReplacedRemark FunctionDriver::remarkOn(Loop &L, const Nest &Found,
                                        const PlannedNest &Planned) {
  if (!ORE.enabled())
    return {Found, Planned, L, {*SE, *Target, Opts, ORE, Log}};
  ScalarEvolution Own = ownExpressions();
  NestAnalyses Again = analyses(Own, /*Explains=*/false);
  auto Alone = std::get<Nest>(recognize(L, Again));
  bool IsJoined = Found.Source.Next != nullptr;
  Nest Told = IsJoined ? *joinNext(Alone, Again) : std::move(Alone);
  return {Told, Planned, L, {Own, *Target, Opts, ORE, Log}};
}

void FunctionDriver::replace(Loop &L, const Nest &Found, PlannedNest &Planned,
                             bool IsLeftOver) {
  ReplacedRemark Remark = remarkOn(L, Found, Planned);
  bool IsTold = isVersionOfTold(L, *Found.Source.UpdateStore);
  BasicBlock *Header = Found.Source.Root->getHeader();
  DebugLoc Start = Found.Source.Root->getOutermostLoop()->getStartLoc();
  noteAlternatives(Found);
  Loop &Root = *Found.Source.Root;
  SmallVector<LoopEnd, 4> Ends = knownEnds(Root, *SE);
  // What is left of loops that are fused in parts must be the same loops.
  SmallVector<KnownTest, 4> Tests;
  if (hasNotedParts(Root))
    Tests = testsInFront(Root);
  auto Path = rewrite(Planned, {DT, LI, *SE}, TLI);
  forget();
  if (auto *No = std::get_if<Refusal>(&Path))
    return Missed.tellUnplanned(L, WhyNot::of(*No));
  endAt(Ends);
  assumeInFront(Root, Tests, FAM.getResult<AssumptionAnalysis>(F));
  FastPaths.push_back(std::get<FastPath>(Path));
  ReplacedHeaders.push_back(Header);
  Replaced.add(Start, IsLeftOver ? &L : nullptr);
  if (!IsTold)
    Remark.tell(ORE);
  tellNotUsed(L, Planned.ThePlan);
  if (Loop *Rest = FastPaths.back().Rest)
    addLeftOvers(*Rest, L);
}

/// Whether the user has been told of a nest of which \p L, which ends in \p Store, is
/// another version, for where a test comes out otherwise.
bool FunctionDriver::isVersionOfTold(const Loop &L, const Instruction &Store) {
  const DILocation *At = Store.getDebugLoc().get();
  auto IsCopy = [&](const DILocation *Told) {
    return Told->getLine() == At->getLine() &&
           Told->getColumn() == At->getColumn() &&
           Told->getScope() == At->getScope() &&
           Told->getInlinedAt() == At->getInlinedAt();
  };
  if (!At)
    return false;
  bool IsTold = any_of(ToldStores, IsCopy);
  ToldStores.insert(At);
  return IsTold && isInFallback(L);
}

/// Tells what \p ThePlan could not use.
void FunctionDriver::tellNotUsed(const Loop &L, const Plan &ThePlan) {
  if (ThePlan.NoLibrary)
    remarkProductMissed(L, WhyNot::of(*ThePlan.NoLibrary), Log, ORE,
                        "library not used: ");
  if (ThePlan.NotTuned)
    remarkProductMissed(L, WhyNot::of(*ThePlan.NotTuned), Log, ORE,
                        "tuning table not used: ");
}

/// Adds the products in \p Rest, what is left of the nest that \p L ended.
void FunctionDriver::addLeftOvers(Loop &Rest, const Loop &L) {
  for (Loop *Part : Rest.getLoopsInPreorder())
    if (looksLikeProduct(*Part)) {
      ProductsBefore[Part] = ProductsBefore.lookup(&L) + 1;
      addLikely(*Part);
    }
}

/// Whether another product of the nest that \p L ends would be too much code.
/// Each leaves a copy of the nest with the others, so that grows by the
/// square of their number.
bool FunctionDriver::isBeyondBudget(const Loop &L) {
  constexpr unsigned MaxProductsOfNest = 8;
  if (ProductsBefore.lookup(&L) >= MaxProductsOfNest)
    return true;
  return count_if(*F.getParent(), [](const Function &Other) {
           return Other.getName().starts_with("tilesmith.") ||
                  Other.getName().contains(".tilesmith");
         }) >= int64_t(Opts.MaxFunctions);
}

} // namespace tilesmith
