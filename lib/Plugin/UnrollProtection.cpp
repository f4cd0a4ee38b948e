//===- UnrollProtection.cpp - keep small nests whole ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollProtection.h"
#include "Driver.h"
#include "PhasedNests.h"
#include "ProtectionTrial.h"
#include "Remarks.h"
#include "UnrollTrial.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Idiom/Windows.h"
#include "tilesmith/Planning/Plan.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/MergedLoadStoreMotion.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

constexpr char UnrollDisable[] = "llvm.loop.unroll.disable";
/// On loops that LLVM would not unroll if there were no protection.
constexpr char StaysMark[] = "tilesmith.stays";

bool isProtected(const Loop &L) {
  return findOptionMDForLoop(&L, ProtectedMark) != nullptr;
}

bool staysLoop(const Loop &L) {
  return findOptionMDForLoop(&L, StaysMark) != nullptr;
}

void protect(Loop &L) {
  addStringMetadataToLoop(&L, ProtectedMark, 1);
  addStringMetadataToLoop(&L, UnrollDisable, 1);
}

void release(Loop &L) {
  L.setLoopID(makePostTransformationMetadata(
      L.getHeader()->getContext(), L.getLoopID(),
      {ProtectedMark, UnrollDisable, UnrollsRowsMark, StaysMark}, {}));
}

/// Few \p Rows are left if the nest has been replaced: vectors of columns suit them,
/// not vectors across them, with gathers, whose loop LLVM enters for eight rows.
void keepRowsScalar(Loop &Rows) {
  if (isMarkedAsFallback(Rows))
    addStringMetadataToLoop(&Rows, "llvm.loop.vectorize.enable", 0);
}

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

/// Whether LLVM may unroll the loop \p Innermost, or one around it.
bool mayBeUnrolled(Loop &Innermost, ScalarEvolution &SE) {
  // In a triangle, the loop around it can be unrolled.
  return SE.getSmallConstantTripCount(&Innermost) != 0 ||
         SE.getSmallConstantTripCount(Innermost.getParentLoop()) != 0;
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
  unsigned TripCount = SE.getSmallConstantTripCount(Found.Source.Loops.back());
  if (TripCount == 0 || TripCount >= Short)
    return true;
  Loop *Middle = Found.Source.Loops.back()->getParentLoop();
  if (SE.getSmallConstantTripCount(Middle) != 0 &&
      SE.getSmallConstantTripCount(Middle->getParentLoop()) != 0)
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
  uint64_t Size = 0, Updates = SE.getSmallConstantTripCount(&Columns);
  Updates *= SE.getSmallConstantTripCount(&Steps);
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

bool storesIntegers(const Loop *L) {
  return any_of(L->blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      auto *Store = dyn_cast<StoreInst>(&I);
      return Store && Store->getValueOperand()->getType()->isIntegerTy();
    });
  });
}

/// Unrolls the loops that were protected, and no others.
struct ReleasePass : PassInfoMixin<ReleasePass> {
  LoopFullUnrollPass Unroll;
  ReleasePass(unsigned SpeedupLevel) : Unroll(SpeedupLevel) {}

  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &Results,
                        LPMUpdater &Updater) {
    if (!isProtected(L))
      return PreservedAnalyses::all();
    if (findOptionMDForLoop(&L, UnrollsRowsMark))
      keepRowsScalar(*L.getParentLoop()->getParentLoop());
    const bool Stays = staysLoop(L);
    release(L);
    return Stays ? PreservedAnalyses::none()
                 : Unroll.run(L, AM, Results, Updater);
  }
};

/// LLVM peels a loop around windows, once these are unrolled, for `0 <= x && x < n`, but
/// not for `x - 1 <u n`, which it has made of that since the loop was protected.
void splitRangeTests(Loop &L, const DataLayout &Layout) {
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : make_early_inc_range(*BB)) {
      auto *Test = dyn_cast<ICmpInst>(&I);
      Value *From, *At = I.getNumOperands() ? I.getOperand(0) : nullptr;
      const APInt *Offset;
      if (!Test || !match(At, m_Add(m_Value(From), m_APInt(Offset))) ||
          !Offset->isNegative() || Offset->isMinSignedValue() ||
          !isKnownNonNegative(From, Layout) ||
          !isKnownNonNegative(Test->getOperand(1), Layout))
        continue;
      IRBuilder<> B(Test);
      auto Pred = Test->getPredicate();
      if (Pred != ICmpInst::ICMP_ULT && Pred != ICmpInst::ICMP_UGE)
        continue;
      bool IsInside = Pred == ICmpInst::ICMP_ULT;
      Constant *Least = ConstantInt::get(From->getType(), -*Offset);
      Value *Low = B.CreateICmp(
          IsInside ? ICmpInst::ICMP_SGE : ICmpInst::ICMP_SLT, From, Least);
      Value *High =
          B.CreateICmp(IsInside ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_SGE, At,
                       Test->getOperand(1));
      Test->replaceAllUsesWith(IsInside ? B.CreateAnd(Low, High)
                                        : B.CreateOr(Low, High));
      Test->eraseFromParent();
    }
}

/// Protects \p Innermost and those around it that have a known length. They stay loops,
/// unless LLVM is about to unroll them when it comes to them: where protection ends, code
/// is shorter, and the answer may be another.
void protectKnown(Loop &Innermost, ScalarEvolution &SE) {
  for (Loop *L = &Innermost; L; L = L->getParentLoop())
    if (SE.getSmallConstantTripCount(L) != 0 && !isProtected(*L)) {
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

/// Protects the loops of the product that \p Innermost is the last loop of, if
/// there is one, some of them would be unrolled, and a kernel may be faster.
/// Returns whether it is done with: protected, or declined with a remark.
bool protectProduct(Loop &Innermost, const Options &Given,
                    LoopStandardAnalysisResults &Results,
                    unsigned SpeedupLevel) {
  Function &F = *Innermost.getHeader()->getParent();
  OptimizationRemarkEmitter ORE(&F);
  bool Explain = ORE.enabled() && !F.hasOptSize();
  if (countsToUnknown(Innermost) && countsToUnknown(*Innermost.getParentLoop()))
    return false;
  auto Possible = PossibleProducts::of(Innermost);
  // A test around the step; more of them, once a loop has been unrolled.
  constexpr unsigned MostBlocks = 4;
  bool MayHaveBorders = Innermost.isInnermost() &&
                        Innermost.getNumBlocks() > 1 &&
                        Innermost.getNumBlocks() <= MostBlocks;
  bool MayBeWorth =
      Possible.Matrices ||
      (Possible.Vector && (!Possible.HasFewSteps || MayHaveBorders));
  if (!MayBeWorth && !Explain)
    return false;

  // The shared ScalarEvolution must not learn anything from us: what it knows
  // influences the passes after this one.
  ScalarEvolution SE(F, Results.TLI, Results.AC, Results.DT, Results.LI);
  if (!mayBeUnrolled(Innermost, SE))
    return false;
  auto Found = recognize(Innermost, {Results.DT, Results.LI, SE, &Results.AA,
                                     /*LinksLater=*/false,
                                     /*HoistsLater=*/false, Explain});
  auto IsUnrolled = [&](Loop *Part) {
    return willBeUnrolled(*Part, Results, SE, SpeedupLevel);
  };
  auto Decline = [&](const Refusal &No) {
    // The loops will be gone when the module pass looks, which tells of those
    // beside them, of which they make the last steps.
    bool IsRest = No.Why == Reason::TooSmall && isBesideProduct(Innermost);
    if (Explain && !IsRest) {
      RemarkLog Log;
      if (std::holds_alternative<Refusal>(Found))
        remarkMissed(Innermost, WhyNot::of(No), Given, Log, ORE);
      else
        remarkProductMissed(Innermost, WhyNot::of(No), Log, ORE);
    }
    return true;
  };
  // The width that the CPU's tuning prefers is good enough for a yes or no, if
  // it does not depend on a tile that was asked for.
  Options Opts = Given;
  Opts.Plan = Opts.Plan.breakEven();
  if (auto *No = std::get_if<Refusal>(&Found)) {
    bool MayProtect = Possible.Matrices && IsUnrolled(&Innermost) &&
                      hasUnrollTransformation(&Innermost) == TM_Unspecified;
    if (MayProtect &&
        isLikelyScattered(Innermost, Results.AA, Results.LI, Results.DT, SE)) {
      protectKnown(Innermost, SE);
      return true;
    }
    // Where channels are last, their loop is inside of those over taps.
    if (mayGather(Innermost) && anyAround(Innermost, IsUnrolled) &&
        isLikelyGathered(Innermost, Results.AA, Results.LI, Results.DT, SE)) {
      protectKnown(Innermost, SE);
      return true;
    }
    if (MayProtect)
      if (auto Fused = judgeFusedProduct(Innermost, Opts, Results)) {
        if (Fused->No)
          return Decline(*Fused->No);
        protect(Innermost);
        return true;
      }
    if (anyAround(Innermost, IsUnrolled)) {
      if (auto Joined =
              judgeZeroVersions(Innermost, Opts, Results, isWorthProtecting)) {
        if (Joined->No)
          return Decline(*Joined->No);
        protectNest(Innermost, Joined->NumLoops, SE);
        return true;
      }
      auto Clipped = Possible.Matrices
                         ? judgeClippedProduct(Innermost, Opts, Results)
                         : std::nullopt;
      if (Clipped && !Clipped->No) {
        protectKnown(Innermost, SE);
        return true;
      }
    }
    bool IsAlmost = is_contained(
        {Reason::SumTile, Reason::MixedFusion, Reason::ComplexOrder}, No->Why);
    return IsAlmost && IsUnrolled(&Innermost) && Decline(*No);
  }
  if (!MayBeWorth)
    return true;
  bool IsWorth = isWorthProtecting(std::get<Nest>(Found), SE);
  bool UnrollsRows =
      unrollsRows(std::get<Nest>(Found), Results, SE, SpeedupLevel);
  if ((!IsWorth && !UnrollsRows) ||
      isRegisterTile(std::get<Nest>(Found), IsUnrolled))
    return true;
  std::get<Nest>(Found).Source.UnrollsRows = UnrollsRows;
  SmallVector<Loop *, 4> Loops =
      std::get<Nest>(Found).Source.Root->getLoopsInPreorder();
  if (none_of(Loops, IsUnrolled))
    return true;
  if (fusionIsUpToUnrolling(std::get<Nest>(Found).Op))
    return Decline({Reason::MixedFusion});

  std::get<Nest>(Found).Source.IsUnrolledElse = IsUnrolled(&Innermost);
  auto Planned = makePlan(std::get<Nest>(Found),
                          TargetModel::of(F, Results.TTI, Opts), Opts);
  // Without loops of one iteration, the product may be a larger one.
  auto IsOnce = [&](const Loop *Part) {
    return SE.getSmallConstantTripCount(Part) == 1;
  };
  if (auto *No = std::get_if<Refusal>(&Planned)) {
    if (!IsWorth)
      return true;
    if (none_of(std::get<Nest>(Found).Source.Loops, IsOnce) ||
        No->Why != Reason::TooSmall)
      return Decline(*No);
  } else {
    const PlannedNest &Made = std::get<PlannedNest>(Planned);
    // A whole row should be one vector.
    if (!IsWorth && Made.ThePlan.VectorBits < 512)
      return true;
    if (Made.ThePlan.mayAllocate(Made.View) && !Results.TLI.has(LibFunc_malloc))
      return true;
  }
  // The user's own hint wins.
  if (all_of(Loops, [](Loop *Part) {
        return hasUnrollTransformation(Part) == TM_Unspecified;
      }))
    for (Loop *Part : Loops)
      if (!IsOnce(Part))
        protect(*Part);
  if (UnrollsRows && isProtected(Innermost))
    addStringMetadataToLoop(&Innermost, UnrollsRowsMark, 1);
  return true;
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
    if (protectProduct(*Innermost, *Opts, Results, SpeedupLevel))
      break;
  if (isProtected(L) && staysLoop(L))
    decideWhetherStays(L, Results, SpeedupLevel);
  return PreservedAnalyses::all();
}

void protectUntilRelease(Loop &L) { protect(L); }

bool releaseProtectedLoops(Function &F, FunctionAnalysisManager &FAM,
                           unsigned SpeedupLevel) {
  SmallVector<Loop *, 8> Protected;
  copy_if(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
          std::back_inserter(Protected),
          [](Loop *L) { return isProtected(*L); });
  if (Protected.empty())
    return false;
  bool HasIntegers = any_of(Protected, storesIntegers);
  for (Loop *L : Protected)
    if (L->isInnermost())
      splitRangeTests(*L, F.getDataLayout());
  FunctionPassManager FPM;
  FPM.addPass(createFunctionToLoopPassAdaptor(ReleasePass(SpeedupLevel)));
  // The same passes as LLVM's own behind its unrolling, and no better ones: what
  // vectors the SLP vectoriser makes, and how often a loop around is unrolled,
  // depends on what is left to do. (See buildFunctionSimplificationPipeline.)
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(VectorCombinePass(/*TryEarlyFoldsOnly=*/true));
  FPM.addPass(MergedLoadStoreMotionPass());
  FPM.addPass(GVNPass());
  FPM.addPass(SCCPPass());
  FPM.addPass(BDCEPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(JumpThreadingPass());
  FPM.addPass(CorrelatedValuePropagationPass());
  FPM.addPass(ADCEPass());
  FPM.addPass(DSEPass());
  // Of integers in registers, LLVM would make vectors along k, of which each element
  // is loaded alone.
  if (!HasIntegers)
    FPM.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                /*UseMemorySSA=*/true));
  FPM.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                  .convertSwitchRangeToICmp(true)
                                  .hoistCommonInsts(true)
                                  .sinkCommonInsts(true)));
  FPM.addPass(InstCombinePass());
  FAM.invalidate(F, FPM.run(F, FAM));
  return true;
}

} // namespace tilesmith
