//===- Plan.cpp - how a contraction will be computed ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Plan.h"
#include "AlongSteps.h"
#include "Blocks.h"
#include "BreakEven.h"
#include "EngineChoice.h"
#include "Filter.h"
#include "Gathering.h"
#include "Lanes.h"
#include "Segments.h"
#include "Stream.h"
#include "tilesmith/Idiom/Windows.h"
#include "tilesmith/Planning/Covering.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// What a step of \p Op needs in registers besides the sums, as far as \p ThePlan
/// is decided.
static StepNeeds needsOfStep(const Plan &ThePlan, const Contraction &Op,
                             const TargetModel &Target) {
  if (ThePlan.Narrow)
    return {ThePlan.Engine->temporaries(), /*ColumnsOfA=*/1};
  if (fusesMultiplyAdd(Op, Target))
    return {/*Temporaries=*/1, /*ColumnsOfA=*/1};
  unsigned AtOnce = Op.Terms.size(); // products under way
  if (Op.SumTy->isIntegerTy() &&
      Op.SumTy->getScalarSizeInBits() > Target.WholeProducts)
    return {3 + AtOnce, 2 * AtOnce}; // and halves of them and of A
  return {1 + AtOnce, AtOnce};
}

bool canReadInPlace(const Access &X, const Expression &Map, bool IsC, Dim P,
                    const Contraction &Of) {
  return !IsC && !X.isPackedFirst() && !X.IsSymmetric && !X.Parts &&
         Of.keepsElements(X, Map) &&
         (P == N || X.isUnit(M, Of.getDataLayout()));
}

bool Plan::hasDirectPath(const Contraction &View) const {
  const DataLayout &DL = View.getDataLayout();
  return Edge == EdgeKind::Mask && View.C.isUnit(M, DL) &&
         (!View.Domain || cutsTiles(View)) && View.Outer.empty() &&
         !View.borderedFactor();
}

bool Plan::mayHaveRaggedGroups(const Contraction &View) const {
  return Gathered && Narrow &&
         View.constantExtent(K).value_or(1) % groupSteps() != 0;
}

bool Plan::cutsTiles(const Contraction &View) const {
  const DataLayout &DL = View.getDataLayout();
  return Edge == EdgeKind::Mask && View.Domain && View.Domain->isOfC() &&
         !View.Domain->Parts && View.C.isUnit(M, DL) && View.C.isWhole(N, DL) &&
         View.storesSum() &&
         (!View.isInPlace() || View.Start.isLeaf(Leaf::C)) &&
         Engine->HasSumsInVectors && MR > VL;
}

/// Whether \p Op has small constant extents, and B can be read in place.
static bool isSmall(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  uint64_t Size = DL.getTypeStoreSize(Op.SumTy);
  auto IsWhole = [&](const SCEV *Stride) {
    auto *Bytes = dyn_cast<SCEVConstant>(Stride);
    return Bytes && Bytes->getAPInt().getSExtValue() % int64_t(Size) == 0;
  };
  return !Op.Domain && !Op.Rest && Op.Outer.empty() && !Op.fillsMatrices() &&
         !Op.isInPlace() && Op.StartOperands.empty() &&
         all_of(PerDim<Dim>{M, N, K},
                [&](Dim D) {
                  return Op.constantExtent(D).value_or(UINT64_MAX) <=
                         MaxSmallExtent;
                }) &&
         Op.C.isUnit(M, DL) &&
         (Op.sumsRestInC() ? IsWhole(Op.C.Stride[N])
                           : *Op.constantExtent(M) * *Op.constantExtent(N) <=
                                 MaxStackBytes / Size) &&
         none_of(Op.accesses(),
                 [](const Access *X) {
                   return X->isSearched() || X->IsSymmetric || X->Parts;
                 }) &&
         !Op.borderedFactor() && all_of(Op.Terms, [&](const Term &T) {
           return Op.keepsElements(T.A, T.AMap) &&
                  Op.keepsElements(T.B, T.BMap) && IsWhole(T.B.Stride[N]);
         });
}

/// Whether what a scheme says can be computed: what it leaves open is decided.
static Refused checkScheme(const Plan &P, const TargetModel &Target,
                           bool MayMask, const Instruction *Where) {
  if (P.Requested.Edge == EdgeKind::Mask && !MayMask)
    return Refusal{Reason::PlanEdge, Where};
  if (P.Requested.MR) {
    if (P.MR % P.VL || !(P.isSmall() || isPowerOf2_32(P.NR)))
      return Refusal{Reason::PlanTile, Where};
    // Two of the second one hold what is too much for the first.
    if (P.SecondMR && (P.SecondNR != P.NR || P.SecondMR % P.VL ||
                       P.SecondMR > P.MR || 2 * P.SecondMR < P.MR + P.VL))
      return Refusal{Reason::PlanSecondTile, Where};
    if (!P.Engine->holds({P.MR, P.NR}, {P.VL, Target.VectorRegisters, P.Needs}))
      return Refusal{Reason::PlanRegisters, Where};
  }
  if (!P.isSmall() && (P.MC % P.MR || P.NC % P.NR))
    return Refusal{Reason::PlanBlocks, Where};
  return std::nullopt;
}

/// Whether something is asked for that only blocks have.
static bool saysBlocks(const Scheme &Requested, const Options &Opts) {
  return Requested.MC || Requested.NC || Requested.KC || Requested.PackA ||
         Requested.PackB || Opts.MC || Opts.NC || Opts.KC || Opts.ReadA ||
         Opts.ReadB;
}

/// Decides which outer dimensions are in one block with M, N and K. Of K, it must
/// be the next one, as the order of a sum must stay.
static void decideBundles(Plan &P, const Contraction &View) {
  const DataLayout &DL = View.getDataLayout();
  P.Bundled = {};
  if (P.Narrow)
    return;
  for (auto [I, D] : enumerate(View.Outer)) {
    if (D.isBatch() || (P.hasLanes() && D.Bundle != K) ||
        (D.Bundle != K && !(View.storesSum() && View.sumsRestInC())))
      continue;
    // Where the factor is adjacent, else where C is nearest, else the innermost.
    std::optional<unsigned> &Bundled = P.Bundled[D.Bundle];
    const Term &T = View.Terms.front();
    const Access &Factor = D.Bundle == M ? T.A : T.B;
    const auto &StrideOfC = View.C.OuterStride;
    if (D.Bundle == K || !Bundled || Factor.isUnitInOuter(I, DL) ||
        !(Factor.isUnitInOuter(*Bundled, DL) ||
          isKnownShorter(StrideOfC[*Bundled], StrideOfC[I])))
      Bundled = I;
  }
}

/// Whether tiles of \p View are to be turned (Plan::TurnsTiles): that spares
/// packing A, and B is read along n.
static bool turnsTiles(const Plan &P, const Contraction &View,
                       const TargetModel &Target) {
  const DataLayout &DL = View.getDataLayout();
  bool HasTiles = Target.TurnsSquares && P.Edge == EdgeKind::Mask &&
                  P.Engine->HasSumsInVectors && !P.Narrow && P.MR > P.VL &&
                  isPowerOf2_32(P.NR) && P.NR >= 4 && P.NR <= P.VL &&
                  !P.PackA->isAlways() && !P.PackB->isAlways();
  return HasTiles && View.C.isUnit(M, DL) && !View.Domain && !View.Rest &&
         !View.After && View.StartOperands.empty() && View.Outer.empty() &&
         !View.hasRowTables() && !View.isInPlace() && !View.borderedFactor() &&
         all_of(View.Terms, [&](const Term &T) {
           return T.A.isUnit(K, DL) && T.B.isUnit(N, DL) &&
                  !T.A.isUnit(M, DL) &&
                  canReadInPlace(T.A, T.AMap, T.AIsC, N, View) &&
                  canReadInPlace(T.B, T.BMap, T.BIsC, N, View);
         });
}

/// The factor that is gathered, if one is.
static std::optional<Gathering> decideGathering(const Plan &P,
                                                const Contraction &View) {
  bool IsAsked = P.Requested.Kind == KernelKind::Undecided || P.isGathered();
  bool IsWorthIt = P.isGathered() || View.borderedFactor() ||
                   View.constantExtent(K).value_or(0) < P.manySteps();
  bool IsPossible =
      !P.isSmall() && (P.Narrow ? P.Engine->asDotProducts() &&
                                      mayGatherGroups(View, P.groupSteps())
                                : !P.inSquares());
  return IsAsked && IsWorthIt && IsPossible ? gatheringOf(View) : std::nullopt;
}

/// Takes over what \p Target says, for elements of \p Size bytes, and forgets what has
/// been decided for another scheme.
static void takeOver(Plan &P, const TargetModel &Target, uint64_t Size) {
  P.VectorBits = Target.VectorBits;
  P.VectorName = Target.VectorName;
  P.AttributeSource = Target.AttributeSource;
  P.MaskedBits = Target.MaskedBits;
  P.VectorRegisters = Target.VectorRegisters;
  P.CacheLine = Target.Caches.Line;
  P.NearBytes = Target.Caches.L1;
  P.FarBytes = Target.Caches.L2 / 2;
  P.MemoryBytes = Target.Caches.L3;
  P.TurnsTiles = false;
  P.Thin.clear();
  P.Gathered = std::nullopt;
  P.LaneIndex = std::nullopt;
  P.VL = Target.VectorBits / (8 * Size);
}

/// Decides what multiplies, and which of the factors is gathered, if one is.
static Refused decideFactors(Plan &P, const Contraction &View,
                             const TargetModel &Target) {
  if (Refused No = chooseEngine(P, View, Target))
    return No;
  if (P.Engine->needsPackedB())
    P.PackB = PackingRule::always();
  P.Gathered = decideGathering(P, View);
  if (P.isGathered() && !P.Gathered)
    return Refusal{Reason::PlanNotGathered, View.store()};
  if (View.borderedFactor() && !P.Gathered)
    return Refusal{P.Requested.Kind == KernelKind::Undecided
                       ? Reason::Branch
                       : Reason::PlanNoBorders,
                   View.store()};
  if (P.Gathered)
    P.Kind = KernelKind::Gathered;
  else
    decideBundles(P, View);
  return std::nullopt;
}

/// Whether tiles at the edges may be masked. Which steps a corner at the diagonal makes
/// is told by the place of an element in the tile.
static bool mayMaskEdges(const Plan &P, const Contraction &View,
                         const TargetModel &Target, uint64_t Size) {
  return Target.MaskedBits && P.Engine->HasEdgeTiles &&
         Target.MaskedBits <= 8 * Size &&
         !(View.Domain && !View.Domain->isOfC());
}

/// Plans a kernel with one register tile for all of C, or with blocks.
static Refused planTiles(Plan &P, const Contraction &View,
                         const TargetModel &Target, const Options &Opts,
                         uint64_t Size) {
  if (Refused No = decideFactors(P, View, Target))
    return No;
  P.Needs = needsOfStep(P, View, Target);
  P.IsCompact = Opts.Code == CodeSize::Small;
  decideTile(P, View, Target, Opts);
  // Both parts of C's numbers are in a tile.
  if (View.C.Parts && P.NR % 2)
    return Refusal{Reason::PlanTile, View.store()};
  if (P.isSmall())
    return checkScheme(P, Target, /*MayMask=*/false, View.store());
  const bool MayMask = mayMaskEdges(P, View, Target, Size);
  if (P.Edge == EdgeKind::Undecided)
    P.Edge =
        MayMask && !Target.PrefersSmallCode ? EdgeKind::Mask : EdgeKind::Pad;
  decideBlocks(P, View, Target, Opts, Size);
  P.TurnsTiles = turnsTiles(P, View, Target);
  // Of four columns, each is too much of a tile to make it twice, but at diagonals
  // there are few such tiles. Half a tile takes as long as a narrower one, as
  // additions wait for each other there.
  bool HasFewKernels = P.IsCompact && P.Engine->HasSumsInVectors &&
                       (P.NR > 4 || (P.NR == 4 && P.cutsTiles(View)));
  P.ColumnStep = !HasFewKernels ? 1 : P.Edge == EdgeKind::Mask ? 2 : P.NR / 2;
  // A tile that is asked for is one for all sizes.
  if (!Opts.Plan.MR && !View.Rest)
    P.Thin = planThin(P, View, Target);
  return checkScheme(P, Target, MayMask, View.store());
}

/// Plans a kernel of our own, as it is said.
static Refused planKernel(Plan &P, const Contraction &View,
                          const TargetModel &Target, const Options &Opts,
                          const Scheme &Requested) {
  uint64_t Size = View.getDataLayout().getTypeStoreSize(View.SumTy);
  takeOver(P, Target, Size);
  if (P.VL < 2)
    return Refusal{View.store()->getModule()->getTargetTriple().empty()
                       ? Reason::NoTarget
                       : Reason::NoVectors,
                   View.store()};

  static_cast<Scheme &>(P) = P.Requested = Requested;
  if (View.Segments)
    return decideSegments(P, View, Target);
  if (P.isFilter() || (P.Kind == KernelKind::Undecided && isFilter(View)))
    return decideFilter(P, View, Target);
  // Blocks have one vector for all rows, and make no second product of them.
  bool IsStreamOnly =
      View.vectorMoves() || (View.Transposed && !View.Transposed->AfterSums);
  if (P.isStreamed() || IsStreamOnly ||
      (P.Kind == KernelKind::Undecided && View.isMatrixVector()))
    return decideStream(P, View, Target);
  bool MayBeSmall = isSmall(View);
  if (P.isSmall() && !MayBeSmall)
    return Refusal{Reason::PlanNotSmall, View.store()};
  std::optional<unsigned> Batch = laneIndexOf(View, Target);
  if (P.Kind == KernelKind::Undecided)
    P.Kind = Batch                                ? KernelKind::Lanes
             : MayBeSmall && !saysBlocks(P, Opts) ? KernelKind::Small
                                                  : KernelKind::Blocked;
  P.LaneIndex = P.hasLanes() ? Batch : std::nullopt;
  if (!P.hasLanes())
    return planTiles(P, View, Target, Opts, Size);
  decideBundles(P, View);
  P.Needs = needsOfStep(P, View, Target);
  return decideLanes(P, View, Target);
}

/// Plans a kernel as the user and the tuning table say; without the table, if
/// that asks for what cannot be had here.
static Refused planTuned(Plan &P, const Contraction &View,
                         const TargetModel &Target, const Options &Opts) {
  // Keys say nothing of outer indices, and of vectors.
  if (Opts.Tuning && !laneIndexOf(View, Target) && !gatheringOf(View) &&
      !View.isMatrixVector()) {
    TuningKey Key = TuningKey::of(View, Target.VectorBits);
    P.NestKey = Key.str();
    if (const TuningTable::Entry *Entry = Opts.Tuning->find(Key)) {
      P.EntryKey = Entry->For.str();
      P.NotTuned = planKernel(P, View, Target, Opts,
                              Opts.Plan.orElse(Entry->ChosenScheme));
      if (!P.NotTuned)
        return std::nullopt;
    }
  }
  return planKernel(P, View, Target, Opts, Opts.Plan);
}

/// What is done in place of \p P if the system does not permit its engine, with
/// dot products or with widened factors; or if there are too few lanes; or if what
/// is gathered has no whole groups of steps. (Row tables are looked at once only,
/// so there is nothing else for them. Of an image with borders, all kernels gather.)
static std::shared_ptr<const Plan> planFallback(const Plan &P, const Nest &View,
                                                const TargetModel &Target,
                                                const Options &Opts) {
  const bool HasBorders = View.Op.borderedFactor();
  bool IsWanted = P.mayHaveRaggedGroups(View.Op);
  if (!HasBorders)
    IsWanted |=
        P.Engine->needsPermission() ||
        (P.LaneIndex && !View.Op.Outer[*P.LaneIndex].constantExtent()) ||
        (P.Gathered && !P.Gathered->IsKnown);
  if (!IsWanted || View.Op.fillsMatrices())
    return nullptr;
  auto Other = std::make_shared<Plan>();
  Other->Mirrored = P.Mirrored;
  for (unsigned Group : {P.groupSteps(), 1u}) {
    if (HasBorders && Group != 1)
      continue;
    Scheme Requested;
    Requested.Kind = HasBorders ? KernelKind::Gathered : KernelKind::Blocked;
    Requested.Group = Group;
    if (!planKernel(*Other, View.Op, Target, Opts, Requested)) {
      setBreakEven(*Other, View, Target);
      return Other;
    }
  }
  return nullptr;
}

/// The rest of lines is made by micro kernels of its own, beside tiles of C.
static Refused refuseRestOfLines(const Plan &P, const Contraction &View) {
  const DataLayout &DL = View.getDataLayout();
  const Access &C = View.C;
  const bool HasNumbers = C.Parts.has_value();
  const bool HasPlainC =
      HasNumbers ? View.After && View.After->Products.empty()
                 : C.isUnit(M, DL) && View.sumsRestInC() && !View.After &&
                       !View.fillsMatrices() && !View.isComplex();
  const bool IsPossible = !P.Library && P.Kind == KernelKind::Blocked &&
                          P.Engine == &getVectorRegisters() && !P.Narrow &&
                          !P.Gathered && View.Rest->Along == M && HasPlainC &&
                          View.storesSum() && View.StartOperands.empty() &&
                          View.Outer.empty() && !View.isInPlace() &&
                          !View.isSaved() && !View.hasRowTables() &&
                          !View.borderedFactor() && !View.hasPairings();
  return IsPossible ? Refused() : Refusal{Reason::MixedFusion, View.store()};
}

/// Completes \p P, which says how \p View is seen, and maybe by what library it
/// is computed.
static std::variant<Plan, Refusal> planView(Plan P, const Nest &View,
                                            const TargetModel &Machine,
                                            const Options &Opts) {
  const Contraction &Op = View.Op;
  const TargetModel Target = Machine.forSums(Op);
  if (Op.SumTy->isHalfTy() && !Target.HasHalves)
    return Refusal{Reason::HalfSum, Op.store()};
  if (!P.Library)
    if (Refused No = planTuned(P, Op, Target, Opts))
      return *No;

  if (Op.Rest)
    if (Refused No = refuseRestOfLines(P, Op))
      return *No;
  if (P.isStreamed() && !P.Requested.isStreamed() && !Op.Segments)
    if (Refused No = refuseStream(P, View))
      return *No;
  if (Refused No = refuseVectorizedPairs(P, View))
    return *No;
  if (P.isFilter() && !P.Requested.isFilter())
    if (Refused No = refuseFilter(View))
      return *No;
  P.Fallback = planFallback(P, View, Target, Opts);
  if (!P.MinWork && Opts.MinWork)
    P.MinWork = Opts.MinWork;
  else if (!P.MinWork)
    setBreakEven(P, View, Target);
  if (isBelowBreakEven(P, Op))
    return Refusal{Reason::TooSmall, Op.store()};
  return P;
}

/// How well vectors of \p X are loaded along \p D: 2, or 1 if they must be
/// reversed, or 0.
static unsigned adjacency(const Access &X, Dim D, const DataLayout &DL) {
  if (X.isUnit(D, DL))
    return 2;
  return X.isStep(D, -DL.getTypeStoreSize(X.ElemTy).getFixedValue());
}

std::variant<PlannedNest, Refusal>
makePlan(const Nest &Found, const TargetModel &Target, const Options &Opts) {
  const Contraction &Op = Found.Op;
  for (const Access *X : Op.accesses())
    if (X->Pointer->getType()->getPointerAddressSpace() != 0)
      return Refusal{Reason::AddressSpace, Op.store()};
  const DataLayout &DL = Op.getDataLayout();
  Plan P;
  P.Mirrored = Op.C.Parts ? Op.C.Parts->Along == M
                          : adjacency(Op.C, N, DL) > adjacency(Op.C, M, DL);
  if (Opts.Count)
    P.CountedAs = Op.summary();
  if (Opts.Profile)
    P.ProfiledAs = Op.summary();
  if (Opts.Compare)
    P.ComparedAs = Op.summary();
  if (Opts.Strategy != Strategy::Packed) {
    auto Library = planLibrary(Found, Opts);
    if (auto *Calls = std::get_if<LibraryCalls>(&Library)) {
      P.Mirrored = Calls->isMirrored();
      P.Library = std::move(*Calls);
    } else {
      P.NoLibrary = std::get<Refusal>(Library);
    }
  }
  Nest View = P.Mirrored ? Found.mirrored() : Found;
  auto ThePlan = planView(std::move(P), View, Target, Opts);
  if (auto *No = std::get_if<Refusal>(&ThePlan))
    return *No;
  return PlannedNest{std::move(View), std::move(std::get<Plan>(ThePlan))};
}

std::variant<Plan, Refusal> planAgain(const PlannedNest &Planned,
                                      const TargetModel &Target,
                                      const Options &Opts) {
  Plan P;
  P.Mirrored = Planned.ThePlan.Mirrored;
  P.CountedAs = Planned.ThePlan.CountedAs;
  P.NoLibrary = Planned.ThePlan.NoLibrary;
  return planView(std::move(P), Planned.View, Target, Opts);
}

unsigned Plan::stepsAtOnce(const Contraction &Op, unsigned Rows,
                           unsigned Columns) const {
  if (!Op.SumTy->isIntegerTy() || !Engine->needsSeparateAdd())
    return UINT_MAX;
  return stepsThatFit(divideCeil(Rows, VL), Columns, Needs, VectorRegisters);
}

} // namespace tilesmith
