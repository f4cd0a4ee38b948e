//===- UnrollProtection.cpp - keep small nests whole ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollProtection.h"
#include "Driver.h"
#include "PhasedNests.h"
#include "ProtectedLoops.h"
#include "ProtectionTrial.h"
#include "Remarks.h"
#include "UnrollTrial.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Idiom/Windows.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// The innermost loops of products that \p L may belong to: \p L itself, and
/// those beside the loops around it. It may initialise C, or make steps with zeros
/// beyond the border of an image, which look like a product, too. (Such a loop is
/// visited first, and must not be unrolled either.)
SmallVector<Loop *, 4> productsOf(Loop &L) {
  constexpr unsigned Most = 4; // of the versions that LLVM makes
  SmallVector<Loop *, 4> Result;
  if (looksLikeProduct(L))
    Result.push_back(&L);
  const Loop *Nest = &L, *Parent = L.getParentLoop();
  while (Parent && Parent->getSubLoops().size() == 1) {
    Nest = Parent;
    Parent = Nest->getParentLoop();
  }
  if (!L.isInnermost() || !Parent)
    return Result;
  for (Loop *Beside : Parent->getSubLoops())
    if (Beside != Nest)
      for (Loop *Part : Beside->getLoopsInPreorder())
        if (Result.size() < Most && Part->isInnermost() &&
            looksLikeProduct(*Part))
          Result.push_back(Part);
  return Result;
}

/// Whether another loop beside \p L looks like the end of a product.
bool isBesideProduct(const Loop &L) {
  return any_of(L.getParentLoop()->getSubLoops(), [&](const Loop *Beside) {
    return Beside != &L && Beside->isInnermost() && looksLikeProduct(*Beside);
  });
}

/// The options in force; nothing if they are malformed, of which the module
/// pass will complain.
std::optional<Options> optionsOf(const Function &F) {
  Expected<Options> Opts = Options::fromProcess();
  if (Opts)
    Opts = Opts->forFunction(F);
  if (Opts)
    return *Opts;
  consumeError(Opts.takeError());
  return std::nullopt;
}

/// Whether only the program knows \p V: it is computed of an argument, or of
/// what is in memory.
bool isUnknown(const Value &V, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  if (isa<Argument, LoadInst>(V))
    return true;
  return isa<BinaryOperator, CastInst>(V) && Depth < MaxDepth &&
         any_of(
             cast<Instruction>(V).operands(),
             [&](const Value *Op) { return isUnknown(*Op, Depth + 1); });
}

/// Whether \p L counts from a constant to what only the program knows. This is
/// a cheap look, and no is the answer in doubt.
bool countsToUnknown(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  auto *Br = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Test = Br && Br->isConditional()
                   ? dyn_cast<ICmpInst>(Br->getCondition())
                   : nullptr;
  Value *Next, *End, *Before;
  if (!Test || !L.isLoopExiting(Latch) ||
      !match(Test, m_ICmp(m_Value(Next), m_Value(End))) ||
      !match(Next, m_Add(m_Value(Before), m_ConstantInt())))
    return false;
  auto *Counter = dyn_cast<PHINode>(Before);
  return Counter && Counter->getParent() == L.getHeader() &&
         L.isLoopInvariant(End) && isUnknown(*End) &&
         all_of(Counter->incoming_values(), [&](const Value *In) {
           return In == Next || isa<ConstantInt>(In);
         });
}

/// Whether two loops, \p Innermost and that around it, count to what only the program
/// knows.
bool isForUnknowns(const Loop &Innermost) {
  return countsToUnknown(Innermost) &&
         countsToUnknown(*Innermost.getParentLoop());
}

/// Whether LLVM may unroll the loop \p Innermost, or one around it.
bool mayBeUnrolled(Loop &Innermost, ScalarEvolution &SE) {
  // In a triangle, the loop around it can be unrolled.
  return constantTripCount(Innermost, SE) != 0 ||
         constantTripCount(*Innermost.getParentLoop(), SE) != 0;
}

/// Whether the product may be faster. It is not if one of its extents is very
/// short and the others long: then each element of C is loaded and stored for a
/// handful of multiplications, for instance. A short loop may be a part of a
/// long one, though.
bool isWorthProtecting(const Nest &Found, ScalarEvolution &SE) {
  constexpr unsigned Short = 8;
  // Of a filter that leaves out steps, LLVM makes branches.
  if (Found.Op.isMatrixVector())
    return !isFewRowsOrSteps(Found.Op) ||
           (isFilter(Found.Op) && Found.Op.borderedFactor());
  unsigned TripCount = constantTripCount(*Found.Source.Loops.back(), SE);
  if (TripCount == 0 || TripCount >= Short)
    return true;
  Loop *Middle = Found.Source.Loops.back()->getParentLoop();
  if (constantTripCount(*Middle, SE) != 0 &&
      constantTripCount(*Middle->getParentLoop(), SE) != 0)
    return true;
  return none_of(ArrayRef<Dim>({M, N, K}), [&](Dim D) {
    std::optional<uint64_t> Extent = Found.Op.constantExtent(D);
    // Several indices make up one, as those of a window do.
    return Extent && *Extent < Short &&
           none_of(
               Found.Op.Outer,
               [&](const Index &I) {
                 return I.Bundle == D && I.constantExtent() != 1;
               });
  });
}

/// Whether rows of a few columns each are updated in a few steps, with the loop over
/// columns innermost. (Of fewer, clang's code is as good. Measured on Zen 5.)
bool updatesShortRows(const Nest &Found) {
  const Contraction &Op = Found.Op;
  constexpr uint64_t WholeRegister = 64;
  std::optional<uint64_t> OfM = Op.constantExtent(M),
                          OfN = Op.constantExtent(N);
  if (Found.Source.sumsInnermost() || Found.Source.Loops.size() != 3 ||
      !Op.Outer.empty() || Op.Domain || !Op.SumTy->isFloatingPointTy() ||
      OfM.has_value() == OfN.has_value())
    return false;
  const uint64_t Columns = OfM ? *OfM : *OfN,
                 Steps = Op.constantExtent(K).value_or(0);
  if (Columns < 5)
    return Columns > 1 && Steps >= 5 && Columns * Steps >= 12 &&
           Columns * Steps <= 40;
  uint64_t Bytes = Columns * Op.getDataLayout().getTypeStoreSize(Op.SumTy);
  return Steps >= (Bytes < WholeRegister ? 4 : 3);
}

/// Whether it will unroll the loop over steps of \p Found and that over columns
/// inside, and then make vectors across rows, with gathers.
bool unrollsRows(const Nest &Found, LoopStandardAnalysisResults &Results,
                 ScalarEvolution &SE, unsigned SpeedupLevel) {
  if (!updatesShortRows(Found))
    return false;
  Loop &Columns = *Found.Source.Loops.back(), &Steps = *Columns.getParentLoop();
  OptimizationRemarkEmitter ORE(Columns.getHeader()->getParent());
  TargetTransformInfo::UnrollingPreferences UP = gatherUnrollingPreferences(
      &Steps, SE, Results.TTI, /*BFI=*/nullptr, /*PSI=*/nullptr, ORE,
      SpeedupLevel, /*UserThreshold=*/std::nullopt, /*UserCount=*/std::nullopt,
      /*UserAllowPartial=*/false, /*UserRuntime=*/false,
      /*UserUpperBound=*/false, /*UserFullUnrollMaxCount=*/std::nullopt);
  // What counts, and finds addresses, is constant once it is unrolled.
  uint64_t Size = 0, Updates = constantTripCount(Columns, SE);
  Updates *= constantTripCount(Steps, SE);
  for (const BasicBlock *BB : Columns.blocks())
    Size += count_if(*BB, [](const Instruction &I) {
      return !isa<PHINode>(I) &&
             (I.mayReadOrWriteMemory() || I.getType()->isFPOrFPVectorTy());
    });
  return Updates && Size * Updates <= UP.Threshold;
}

/// Whether the product is a tile of a larger one, in a local array that becomes
/// registers once the loops over its rows and columns are unrolled.
bool isRegisterTile(const Nest &Found, function_ref<bool(Loop *)> IsUnrolled) {
  constexpr uint64_t MaxSums = 64; // of 16 x 16, no more is left in registers
  const Surroundings &Source = Found.Source;
  std::optional<uint64_t> Rows = Found.Op.constantExtent(M),
                          Columns = Found.Op.constantExtent(N);
  return Rows && Columns && *Rows <= MaxSums && *Columns <= MaxSums &&
         *Rows * *Columns <= MaxSums && Source.Root->getParentLoop() &&
         isa<AllocaInst>(getUnderlyingObject(Found.Op.C.Pointer)) &&
         !IsUnrolled(Source.Root) &&
         all_of(drop_begin(Source.Loops), IsUnrolled);
}

/// Protects \p Innermost and those around it that have a known length. They stay loops,
/// unless LLVM is about to unroll them when it comes to them: where protection ends, code
/// is shorter, and the answer may be another.
void protectKnown(Loop &Innermost, ScalarEvolution &SE) {
  for (Loop *L = &Innermost; L; L = L->getParentLoop())
    if (constantTripCount(*L, SE) != 0 && !isProtected(*L)) {
      protect(*L);
      addStringMetadataToLoop(L, StaysMark, 1);
    }
}

/// The same of all loops in the nest of \p NumLoops that \p Innermost is in. The others
/// are protected, too: LLVM may peel them once those inside are unrolled.
void protectNest(Loop &Innermost, unsigned NumLoops, ScalarEvolution &SE) {
  Loop *Root = &Innermost;
  while (--NumLoops)
    Root = Root->getParentLoop();
  for (Loop *L : Root->getLoopsInPreorder())
    if (L->isInnermost())
      protectKnown(*L, SE);
  for (Loop *L : Root->getLoopsInPreorder())
    if (!isProtected(*L))
      protect(*L);
}

/// Looks whether LLVM would unroll \p L now.
void decideWhetherStays(Loop &L, LoopStandardAnalysisResults &Results,
                        unsigned SpeedupLevel) {
  SmallVector<Loop *, 4> Unrolled;
  const auto Parts = L.getLoopsInPreorder();
  for (Loop *Part : reverse(Parts))
    if (Part != &L && isProtected(*Part) && !staysLoop(*Part))
      Unrolled.push_back(Part);
  if (willBeUnrolledAround(L, Unrolled, Results, SpeedupLevel))
    L.setLoopID(makePostTransformationMetadata(L.getHeader()->getContext(),
                                               L.getLoopID(), {StaysMark}, {}));
}

/// Whether \p Is holds of \p L or a loop around it, all of which LLVM may unroll.
bool anyAround(Loop &L, function_ref<bool(Loop *)> Is) {
  bool Any = false;
  for (Loop *Around = &L; Around; Around = Around->getParentLoop()) {
    if (hasUnrollTransformation(Around) != TM_Unspecified)
      return false;
    Any |= Is(Around);
  }
  return Any;
}

/// Protects the loops of the product that one loop is the last loop of, if there is
/// one, some of them would be unrolled, and a kernel may be faster.
class Protector {
public:
  Protector(Loop &Innermost, const Options &Given,
            LoopStandardAnalysisResults &Results, unsigned SpeedupLevel)
      : Innermost(Innermost), F(*Innermost.getHeader()->getParent()),
        Given(Given), Opts(Given), Results(Results), SpeedupLevel(SpeedupLevel),
        ORE(&F), Explain(ORE.enabled() && !F.hasOptSize()),
        Possible(PossibleProducts::of(Innermost)),
        SE(F, Results.TLI, Results.AC, Results.DT, Results.LI) {
    // The width that the CPU's tuning prefers is good enough for a yes or no, if
    // it does not depend on a tile that was asked for.
    Opts.Plan = Opts.Plan.breakEven();
  }

  /// Returns whether it is done with: protected, or declined with a remark.
  bool run();

private:
  bool mayBeWorth() const;
  bool isUnrolled(Loop *L) {
    return willBeUnrolled(*L, Results, SE, SpeedupLevel);
  }
  bool isAnyUnrolled() {
    return anyAround(Innermost, [&](Loop *L) { return isUnrolled(L); });
  }
  bool isOnce(const Loop *L) { return constantTripCount(*L, SE) == 1; }
  bool decline(const Refusal &No);
  bool declineProduct(const Refusal &No);
  bool mayTell(const Refusal &No) const;
  bool protectWindows(bool MayProtect);
  bool protectJoined();
  bool protectLater(const Refusal &No);
  bool isPlanned(const Nest &Found, bool IsWorth);
  bool protectFound(Nest &Found);

  Loop &Innermost;
  Function &F;
  const Options &Given;
  Options Opts;
  LoopStandardAnalysisResults &Results;
  unsigned SpeedupLevel;
  OptimizationRemarkEmitter ORE;
  bool Explain;
  PossibleProducts Possible;
  /// The shared one must not learn anything from us: what it knows influences the
  /// passes after this one.
  ScalarEvolution SE;
  RemarkLog Log;
};

bool Protector::mayBeWorth() const {
  // A test around the step; more of them, once a loop has been unrolled.
  constexpr unsigned MostBlocks = 4;
  bool MayHaveBorders = Innermost.isInnermost() &&
                        Innermost.getNumBlocks() > 1 &&
                        Innermost.getNumBlocks() <= MostBlocks;
  return Possible.Matrices ||
         (Possible.Vector && (!Possible.HasFewSteps || MayHaveBorders));
}

/// The loops will be gone when the module pass looks, which tells of those beside
/// them, of which they make the last steps.
bool Protector::mayTell(const Refusal &No) const {
  return Explain &&
         !(No.Why == Reason::TooSmall && isBesideProduct(Innermost)) &&
         !isVersionTold(Innermost);
}

/// Whether flags stand in the way, whatever the loops are.
bool isOfFlags(Reason Why) {
  return is_contained({Reason::MixedFusion, Reason::ComplexOrder}, Why);
}

/// What is no product yet, or never.
bool Protector::decline(const Refusal &No) {
  if (!mayTell(No))
    return true;
  remarkMissed(Innermost, WhyNot::of(No), Given, Log, ORE);
  if (isOfFlags(No.Why))
    markTold(Innermost);
  return true;
}

/// What is a product.
bool Protector::declineProduct(const Refusal &No) {
  if (!mayTell(No))
    return true;
  remarkProductMissed(Innermost, WhyNot::of(No), Log, ORE);
  if (isOfFlags(No.Why))
    markTold(Innermost);
  return true;
}

/// Protects loops over windows, which become products when they are released.
bool Protector::protectWindows(bool MayProtect) {
  bool IsLikely =
      (MayProtect &&
       isLikelyScattered(Innermost, Results.AA, Results.LI, Results.DT, SE)) ||
      // Where channels are last, their loop is inside of those over taps.
      (mayGather(Innermost) && isAnyUnrolled() &&
       isLikelyGathered(Innermost, Results.AA, Results.LI, Results.DT, SE));
  if (IsLikely)
    protectKnown(Innermost, SE);
  return IsLikely;
}

/// Protects loops that LLVM has made several of, and that are joined later.
bool Protector::protectJoined() {
  if (auto Joined =
          judgeZeroVersions(Innermost, Opts, Results, isWorthProtecting)) {
    if (Joined->No)
      return decline(*Joined->No);
    protectNest(Innermost, Joined->NumLoops, SE);
    return true;
  }
  auto Clipped = Possible.Matrices
                     ? judgeClippedProduct(Innermost, Opts, Results)
                     : std::nullopt;
  if (!Clipped || Clipped->No)
    return false;
  protectKnown(Innermost, SE);
  return true;
}

/// No product has been found, for \p No: a later pass of ours may make one.
bool Protector::protectLater(const Refusal &No) {
  bool MayProtect = Possible.Matrices && isUnrolled(&Innermost) &&
                    hasUnrollTransformation(&Innermost) == TM_Unspecified;
  if (protectWindows(MayProtect))
    return true;
  if (MayProtect)
    if (auto Fused = judgeFusedProduct(Innermost, Opts, Results)) {
      if (Fused->No)
        return decline(*Fused->No);
      protectKnown(Innermost, SE);
      return true;
    }
  if (isAnyUnrolled() && protectJoined())
    return true;
  bool IsAlmost = is_contained(
      {Reason::SumTile, Reason::MixedFusion, Reason::ComplexOrder}, No.Why);
  return IsAlmost && isUnrolled(&Innermost) && decline(No);
}

/// Whether there is a kernel for \p Found; if there is none, it may have been
/// declined with a remark.
bool Protector::isPlanned(const Nest &Found, bool IsWorth) {
  auto Planned = makePlan(Found, TargetModel::of(F, Results.TTI, Opts), Opts);
  if (auto *No = std::get_if<Refusal>(&Planned)) {
    if (!IsWorth)
      return false;
    // Without loops of one iteration, the product may be a larger one.
    bool MayGrow =
        No->Why == Reason::TooSmall &&
        any_of(Found.Source.Loops, [&](const Loop *L) { return isOnce(L); });
    return MayGrow || !declineProduct(*No);
  }
  const PlannedNest &Made = std::get<PlannedNest>(Planned);
  // A whole row should be one vector.
  if (!IsWorth && Made.ThePlan.VectorBits < 512)
    return false;
  return !Made.ThePlan.mayAllocate(Made.View) ||
         Results.TLI.has(LibFunc_malloc);
}

bool Protector::protectFound(Nest &Found) {
  if (!mayBeWorth())
    return true;
  bool IsWorth = isWorthProtecting(Found, SE);
  bool UnrollsRows = unrollsRows(Found, Results, SE, SpeedupLevel);
  auto IsUnrolled = [&](Loop *L) { return isUnrolled(L); };
  if ((!IsWorth && !UnrollsRows) || isRegisterTile(Found, IsUnrolled))
    return true;
  Found.Source.UnrollsRows = UnrollsRows;
  SmallVector<Loop *, 4> Loops = Found.Source.Root->getLoopsInPreorder();
  if (none_of(Loops, IsUnrolled))
    return true;
  if (fusionIsUpToUnrolling(Found.Op))
    return declineProduct({Reason::MixedFusion});
  Found.Source.IsUnrolledElse = isUnrolled(&Innermost);
  if (!isPlanned(Found, IsWorth))
    return true;
  // The user's own hint wins.
  if (all_of(Loops, [](Loop *Part) {
        return hasUnrollTransformation(Part) == TM_Unspecified;
      }))
    for (Loop *Part : Loops)
      if (!isOnce(Part))
        protect(*Part);
  if (UnrollsRows && isProtected(Innermost))
    addStringMetadataToLoop(&Innermost, UnrollsRowsMark, 1);
  return true;
}

bool Protector::run() {
  if ((!mayBeWorth() && !Explain) || !mayBeUnrolled(Innermost, SE))
    return false;
  auto Found = recognize(Innermost, {Results.DT, Results.LI, SE, &Results.AA,
                                     /*LinksLater=*/false,
                                     /*HoistsLater=*/false, Explain});
  if (auto *No = std::get_if<Refusal>(&Found))
    return protectLater(*No);
  return protectFound(std::get<Nest>(Found));
}

} // namespace

PreservedAnalyses
ProtectFromUnrollingPass::run(Loop &L, LoopAnalysisManager &,
                              LoopStandardAnalysisResults &Results,
                              LPMUpdater &) {
  SmallVector<Loop *, 4> Products = productsOf(L);
  erase_if(Products, [](Loop *Innermost) {
    return isProtected(*Innermost) || isInFallback(*Innermost);
  });
  if (isProtected(L) && staysLoop(L))
    decideWhetherStays(L, Results, SpeedupLevel);
  if (Products.empty() || isProtected(L))
    return PreservedAnalyses::all();
  Function &F = *L.getHeader()->getParent();
  std::optional<Options> Opts = optionsOf(F);
  if (!Opts || attributesForbid(F, *Opts))
    return PreservedAnalyses::all();
  for (Loop *Innermost : Products)
    if (!isForUnknowns(*Innermost) &&
        Protector(*Innermost, *Opts, Results, SpeedupLevel).run())
      break;
  if (isProtected(L) && staysLoop(L))
    decideWhetherStays(L, Results, SpeedupLevel);
  return PreservedAnalyses::all();
}

void protectUntilRelease(Loop &L) { protect(L); }

} // namespace tilesmith
