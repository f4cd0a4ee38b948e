//===- Stream.cpp - plans for a matrix times a vector ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"
#include "Unrolled.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether A, of any term, is loaded along its rows.
static bool hasRows(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  return any_of(Op.Terms, [&](const Term &T) {
    return T.A.isAdjacent(K, DL) && !T.A.isUnit(M, DL);
  });
}

/// Whether A has rows of complex numbers.
static bool hasRowsOfNumbers(const Contraction &Op) {
  return Op.isComplex() && none_of(Op.Terms, [&](const Term &T) {
           return T.A.isUnit(M, Op.getDataLayout());
         });
}

/// Whether 512 bits are two halves in turn.
static bool hasHalves(const Plan &P, const TargetModel &Target) {
  return P.VectorBits >= 512 && Target.MultiplyAdds == 1;
}

static bool hasColumnsOnly(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  return all_of(Op.Terms, [&](const Term &T) { return T.A.isUnit(M, DL); });
}

/// Whether complex numbers go by in rows in one term, and in columns in another one.
/// Rows are transposed as squares of several steps, and columns are taken step by step.
static bool mixesNumbers(const Contraction &Op) {
  return Op.isComplex() && !hasRowsOfNumbers(Op) && !hasColumnsOnly(Op);
}

/// Whether every second element along \p D is one of \p X, as a part of complex
/// numbers is.
static bool isEverySecond(const Access &X, Dim D, const DataLayout &DL) {
  return !X.Rows && X.isStep(D, 2 * DL.getTypeStoreSize(X.ElemTy));
}

/// Whether clang makes vectors of the rows in each column, be they parts of complex
/// numbers. It does not where it tests each product.
static bool hasVectorsOfRows(const Contraction &Op) {
  if (Op.isTestedForNaN())
    return false;
  const DataLayout &DL = Op.getDataLayout();
  auto IsNear = [&](const Access &X) {
    return X.isAdjacent(M, DL) ||
           (Op.Terms.size() > 1 && isEverySecond(X, M, DL));
  };
  return IsNear(Op.C) &&
         all_of(Op.Terms, [&](const Term &T) { return IsNear(T.A); });
}

/// Whether columns go by that are adjacent in memory. Kernels add several of them to
/// the rows at once; clang loads and stores the rows for each, unless a known number
/// of them stays in registers. (Measured on Zen 5, with 512 and 256 bits.)
static bool isSweep(const Contraction &Op) {
  constexpr uint64_t BytesInRegisters = 2048;
  const DataLayout &DL = Op.getDataLayout();
  std::optional<uint64_t> Rows = Op.constantExtent(M);
  return hasColumnsOnly(Op) && !Op.Domain && Op.C.isUnit(M, DL) &&
         !(Rows && *Rows * DL.getTypeStoreSize(Op.SumTy) <= BytesInRegisters);
}

/// Whether a matrix of numbers of two parts goes by, whose sums clang makes side by
/// side. Kernels would gather elements, for each of the sums. (Measured on Zen 5.)
static bool hasPairs(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  return Op.Terms.size() > 1 && !Op.isComplex() &&
         all_of(Op.Terms, [&](const Term &T) {
           return !T.A.isUnit(M, DL) && !T.A.isAdjacent(K, DL) &&
                  (isEverySecond(T.A, K, DL) || isEverySecond(T.A, M, DL));
         });
}

/// Whether lines of tables are read as others are: columns only if they go by.
static bool suitsTables(const Contraction &Op) {
  return (hasColumnsOnly(Op) && !Op.Domain) ||
         all_of(Op.Terms, [](const Term &T) {
           return !T.A.Rows || T.A.Rows->PointerDim == M;
         });
}

/// Half a register, so that the two halves of one come from two rows by loads
/// alone; two lanes of 128 bits at most. Of complex numbers, a whole register.
unsigned Plan::stepsOfPiece(const Contraction &Op) const {
  if (Op.isComplex())
    return VL / 2;
  constexpr unsigned LaneBits = 128;
  unsigned Lanes = std::clamp(VectorBits / LaneBits / 2, 1u, 2u);
  return std::min(VL, Lanes * LaneBits * VL / VectorBits);
}

/// Whole registers of steps are loaded for both. With few of them, as few steps are made
/// at a time as half a cache line has, or less; loading a vector for each row of these takes as long as clang's vectors in
/// the rest. (Measured on Zen 5 with AVX2.)
bool Plan::makesTransposed(const Contraction &Op) const {
  return Op.Transposed && isStreamed() && VectorRegisters > 16 && NR % VL == 0;
}

bool Plan::allMakeTransposed(const Contraction &Op) const {
  return makesTransposed(Op) && all_of(Dispatched, [&](const Plan &Other) {
           return Other.makesTransposed(Op);
         });
}

const Instruction *Plan::madeOfRest(const Contraction &View) const {
  const auto &Use = View.Transposed;
  return Use && Use->AfterSums && allMakeTransposed(View) ? Use->C.Inst
                                                          : nullptr;
}

/// How columns go by that come from afar. More streams than two come later from the
/// second-level cache; from memory, sums that are loaded and stored for each two columns
/// take more than that (measured on Zen 5). Where 512 bits are two halves in turn, it is
/// those loads and stores that limit (measured on Zen 4: eight columns, none of them
/// prefetched, up to 1.4 times as fast as two from the caches). One loop may have more
/// than its share of the third-level cache.
static void setSweeps(Plan &P, const TargetModel &Target) {
  constexpr uint64_t Shares = 4;
  if (hasHalves(P, Target))
    P.Sweeps = {{Shares * P.MemoryBytes, P.NR, 256}};
  else
    P.Sweeps = {{2 * P.FarBytes, 4, 1024}, {P.NearBytes, 2, 128}};
}

/// Decides the tile, where it is not said. So many steps of a row are a \p Piece.
static Refused decideStreamTile(Plan &P, const Contraction &Op,
                                const TargetModel &Target, unsigned Piece) {
  bool IsSweep = hasColumnsOnly(Op);
  if (P.MR) {
    bool Fits = IsSweep ? isPowerOf2_32(P.NR) : P.NR % Piece == 0;
    if (P.MR % P.VL || !Fits)
      return Refusal{Reason::PlanTile, Op.store()};
    return std::nullopt;
  }
  // Measured on Zen 5, with registers of 512 and of 256 bits, and on Zen 4.
  bool HasFewRegisters = Target.VectorRegisters <= 16;
  if (IsSweep) {
    P.MR = (HasFewRegisters ? 2 : 4) * P.VL;
    P.NR = std::max<unsigned>(bit_floor(8 / Op.Terms.size()), 1);
    return std::nullopt;
  }
  // As many chains of additions as hide how long an addition takes. A line of
  // each row is used at once, if there are registers for that.
  constexpr unsigned BytesOfSums = 128, MostRows = 24, MostBothWays = 16;
  unsigned Bytes = P.VectorBits / 8, OfElement = Bytes / P.VL;
  if (Op.isComplex())
    OfElement *= 2;
  P.MR = std::max(BytesOfSums / Bytes, 1u) * P.VL;
  // Rows that are used in both directions have registers for their factors, too.
  bool BothWays = Op.Transposed && !HasFewRegisters;
  if (P.VectorBits == 256)
    P.MR = std::min(
        P.MR,
        std::max(alignDown(BothWays ? MostBothWays : MostRows, P.VL), P.VL));
  unsigned OfLine = std::max<unsigned>(P.CacheLine / OfElement / Piece, 1);
  P.NR = Piece * (HasFewRegisters || Piece == 1 ? 1 : OfLine);
  // Where rows are used in both directions, half of them are as many steps behind as are
  // made at a time. (Measured on Zen 4.)
  if (BothWays && P.VectorBits == 256)
    P.NR = std::min(P.NR, P.VL);
  // Columns of more steps have no registers beside the sums. (llvm-mca for
  // Neoverse V2, `float`: 17 bytes a cycle instead of 12; POWER10: 7.6, not 6.9.)
  constexpr unsigned MostOfShort = 16, MostSteps = 8;
  if (P.VectorBits == 128 && !HasFewRegisters && Piece > 1) {
    P.MR = std::min(P.MR, MostOfShort);
    P.NR = std::min(P.NR, MostSteps);
  }
  assert(P.MR % P.VL == 0 && "rows of whole registers");
  return std::nullopt;
}

Refused decideStream(Plan &P, const Contraction &Op,
                     const TargetModel &Target) {
  bool IsPlain =
      Op.isMatrixVector() && Op.Outer.empty() && !Op.borderedFactor() &&
      none_of(Op.accesses(), [](const Access *X) { return X->IsSymmetric; }) &&
      none_of(Op.Terms, [](const Term &T) { return T.A.Zeros.has_value(); });
  if (!IsPlain || mixesNumbers(Op))
    return Refusal{Reason::PlanNoStream, Op.store()};
  if (Op.isTestedForNaN() && !Op.isComplex())
    return Refusal{Reason::ComplexProduct, Op.store()};
  if (!suitsTables(Op))
    return Refusal{Reason::RowTable, Op.store()};
  // A tile that is asked for without the word is one of matrices.
  if (!P.isStreamed())
    static_cast<Scheme &>(P) = P.breakEven();
  P.Kind = KernelKind::Stream;
  // What moves elements to other places takes as long as two halves; but rows that are
  // used in both directions are loaded by fewer instructions. More of them than a
  // cache has places are too many. (Measured on Zen 4.)
  constexpr unsigned Places = 8;
  bool HasRows = hasRows(Op) || hasRowsOfNumbers(Op);
  bool BothWays = Op.Transposed && P.VL <= Places;
  if (HasRows && !BothWays && hasHalves(P, Target)) {
    P.VectorBits /= 2;
    P.VL /= 2;
  }
  if (Refused No =
          decideStreamTile(P, Op, Target, HasRows ? P.stepsOfPiece(Op) : 1))
    return No;
  if (hasColumnsOnly(Op))
    setSweeps(P, Target);
  return std::nullopt;
}

/// So many steps are made by clang's vectors if they are known.
constexpr unsigned FewStepsOfBand = 8;

bool isFewRowsOrSteps(const Contraction &Op) {
  // Rows of a band are measured against loops that are cut off.
  uint64_t Least = Op.vectorMoves() ? FewStepsOfBand : FewSteps;
  return Op.constantExtent(M).value_or(FewSteps) < FewSteps ||
         Op.constantExtent(K).value_or(Least) < Least;
}

/// Whether the nest goes by columns that come from the second-level cache: clang's
/// single stream is what CPUs with registers of 512 bits follow best, if they follow
/// few. (Measured on Zen 5: kernels are .8 to 1.05 times as fast, or 1.1 to 1.5 times
/// if C does not begin where a line does; and with 256 bits 1.1 to 1.4 times.) Where
/// products are tested for NaN, clang makes no vectors.
static bool leavesNear(const Plan &P, const Nest &Found) {
  bool SuitsFew =
      any_of(P.Sweeps, [](const Plan::Sweep &S) { return S.Columns <= 2; });
  return P.VectorBits >= 512 && SuitsFew && !Found.Source.sumsInnermost() &&
         isSweep(Found.Op) && !Found.Op.hasRowTables() &&
         !Found.Op.isTestedForNaN();
}

/// Whether \p Op's matrix is known to be in the second-level cache, not the first.
static bool isInSecondCache(const Plan &P, const Contraction &Op) {
  std::optional<uint64_t> Rows = Op.constantExtent(M),
                          Steps = Op.constantExtent(K);
  uint64_t Size = Op.getDataLayout().getTypeStoreSize(Op.SumTy);
  return Rows && Steps && *Rows * *Steps * Size > P.NearBytes &&
         *Rows * *Steps * Size <= 2 * P.FarBytes;
}

/// Whether the loop over steps makes a second sum beside this one, each of two products
/// that are added first: clang makes both additions at once, one of them a step, and a
/// kernel for each sum reads both matrices again.
static bool addsSideBySide(const Nest &Found) {
  if (Found.Op.Terms.size() != 2 || Found.Op.isComplex() ||
      !Found.Source.sumsInnermost())
    return false;
  const Loop &Steps = *Found.Source.Loops.back();
  return count_if(Steps.getHeader()->phis(), [&](const PHINode &Phi) {
           const Value *Both = nullptr;
           return match(Phi.getIncomingValueForBlock(Steps.getLoopLatch()),
                        m_c_FAdd(m_Specific(&Phi), m_Value(Both))) &&
                  !match(Both, m_FMul(m_Value(), m_Value()));
         }) > 1;
}

Refused refuseStream(const Plan &P, const Nest &Found) {
  const Contraction &Op = Found.Op;
  if (isFewRowsOrSteps(Op))
    return Refusal{Reason::TooSmall, Op.store()};
  auto *Sum = cast<Instruction>(Op.Update.Root);
  bool MayReorder = Op.SumTy->isIntegerTy() || Found.Source.MayReorder ||
                    (isa<FPMathOperator>(Sum) && Sum->hasAllowReassoc());
  bool IsVectorized =
      Found.Source.sumsInnermost()
          ? (MayReorder && (hasRows(Op) || hasRowsOfNumbers(Op))) ||
                hasPairs(Op)
          : hasVectorsOfRows(Op) && (!isSweep(Op) || Op.hasMadeFactors());
  // (Zen 5: `double` .6 with 17 rows, 1.5 with 64, .84 with 333; `float` 1.3 to 3.5.)
  bool IsBesideOther = Op.SumTy->isDoubleTy() && addsSideBySide(Found);
  if (IsVectorized || IsBesideOther ||
      (leavesNear(P, Found) && isInSecondCache(P, Op)))
    return Refusal{Reason::VectorizedSum, Op.store()};
  return std::nullopt;
}

/// Whether the rows of a factor of every term go by: those of A, or those of B
/// if \p P is N.
static bool goByRows(const Contraction &View, Dim P) {
  const DataLayout &DL = View.getDataLayout();
  return all_of(View.Terms, [&](const Term &T) {
    const Access &X = P == M ? T.A : T.B;
    return X.isUnit(K, DL) && !X.isUnit(P, DL);
  });
}

/// Many rows and steps: less is made by small tiles.
constexpr uint64_t ManyRows = 64;

/// Whether there are few registers, of 256 bits, which multiply and add at once.
/// (Measured on Zen 3.)
static bool hasFewOfAVX2(const Plan &P, const Contraction &Op,
                         const TargetModel &Target) {
  const Function &F = Target.AttributeSource ? *Target.AttributeSource
                                             : *Op.store()->getFunction();
  return P.VectorRegisters <= 16 && P.VectorBits == 256 && mayFuseProducts(F);
}

/// Of how many columns there are kernels: half as many as a register has elements
/// at most, as one that holds a row of C is as good with more. Each is 2 to 4 KiB
/// of code, so there are few if the number is not known. With AVX2, up to eight
/// columns are faster than tiles, unless two registers hold a row of C, if \p HasRowsOfC.
/// So is a full register of columns that lie in C, if \p AreHalves. (Measured on Zen 4:
/// eight doubles 1.25 to 1.75 times as fast.)
static SmallVector<unsigned, 4> widthsOfThin(const Plan &P, bool IsAVX2,
                                             bool AreHalves, bool IsKnown,
                                             bool HasRowsOfC) {
  constexpr unsigned Widest = 8;
  unsigned OfRegister = AreHalves && !HasRowsOfC ? P.VL : P.VL / 2;
  unsigned Most = P.VL < Widest ? 0 : std::min(OfRegister, Widest);
  if (IsAVX2)
    Most = HasRowsOfC && 2 * P.VL <= Widest ? Widest / 2 : Widest;
  if (P.IsCompact && !IsKnown)
    Most = std::min(Most, Widest / 2);
  const unsigned Step = IsKnown ? 2 : 4;
  SmallVector<unsigned, 4> Result;
  for (unsigned Width = Step; Width <= Most; Width += Step)
    Result.push_back(Width);
  return Result;
}

/// Whether \p View may have few values of \p Few, and many of the others.
static bool mayBeThin(const Contraction &View, Dim Few, uint64_t FewColumns) {
  return View.constantExtent(Few).value_or(0) <= FewColumns &&
         none_of(std::array{M, N, K}, [&](Dim D) {
           return D != Few &&
                  (View.BackedgeCount[D] == View.BackedgeCount[Few] ||
                   View.constantExtent(D).value_or(ManyRows) < ManyRows);
         });
}

/// Appends plans for few values of \p Few, by which the rows of the other factor go, to
/// \p Result: of \p Widest columns at most.
static void addThin(std::vector<std::shared_ptr<const Plan>> &Result,
                    const Plan &P, const Contraction &View,
                    const TargetModel &Target, Dim Few, unsigned Widest) {
  const bool OfA = Few == N, IsAVX2 = hasFewOfAVX2(P, View, Target);
  bool IsKnown = View.constantExtent(Few).has_value();
  bool HasRowsOfC = View.C.isAdjacent(Few, View.getDataLayout());
  bool AreHalves = hasHalves(P, Target);
  for (unsigned Width :
       widthsOfThin(P, IsAVX2, AreHalves, IsKnown, HasRowsOfC)) {
    if (Width > Widest || !mayBeThin(View, Few, Width))
      continue;
    auto Thin = std::make_shared<Plan>(P);
    Thin->Mirrored = OfA ? P.Mirrored : !P.Mirrored;
    Thin->Kind = KernelKind::Stream;
    // What moves elements to other places takes as long as two halves; but more
    // columns have a load of B for each half. (Measured on Zen 4.)
    if (Width <= 4 && AreHalves) {
      Thin->VectorBits /= 2;
      Thin->VL /= 2;
    }
    Thin->NR = Thin->stepsOfPiece(View);
    Thin->Width = Width;
    // Copying B and going through C column by column takes as long as some steps,
    // and a last vector of rows as long as all of it. With more columns, tiles of whole
    // registers of 512 bits are as fast up to more steps. (Measured on Zen 5; on Zen 4
    // and with AVX2 not.)
    bool SuitsTiles = Width > 4 && P.VectorBits >= 512 && !AreHalves;
    uint64_t Steps = SuitsTiles ? 2 * ManyRows : ManyRows;
    // Three columns of floats, of which one vector is under way, take as long as tiles up to
    // 79 steps. (Measured on Zen 3.)
    constexpr uint64_t StepsOfOne = 80;
    if (IsAVX2 && OfA && P.VL > 4)
      Steps = std::max(Steps, StepsOfOne);
    Thin->MinExtent = {ManyRows, 2, Steps};
    Result.push_back(std::move(Thin));
    if (IsKnown)
      break;
  }
}

std::vector<std::shared_ptr<const Plan>>
planThin(const Plan &P, const Contraction &View, const TargetModel &Target) {
  bool IsPlain =
      Target.TurnsSquares && P.Engine == &getVectorRegisters() && !P.Narrow &&
      !P.Gathered && P.hasDirectPath(View) && !P.PackA->isAlways() &&
      !P.PackB->isAlways() && !View.Domain && !View.After &&
      View.StartOperands.empty() && View.sumsRestInC() &&
      !View.hasRowTables() && !View.isInPlace() && !View.isComplex() &&
      all_of(View.Terms, [](const Term &T) {
        return !T.Pairing && !T.A.IsSymmetric && !T.B.IsSymmetric &&
               !T.AMap.uses(Leaf::Invariant) && !T.BMap.uses(Leaf::Invariant);
      });
  std::vector<std::shared_ptr<const Plan>> Result;
  if (!IsPlain)
    return Result;
  // With few registers, packing A is as fast where registers hold its rows, unless a product
  // is added at once, and two vectors of rows are under way: of doubles, or without small code.
  constexpr unsigned Widest = 8;
  bool IsAVX2 = hasFewOfAVX2(P, View, Target), HasDoubles = P.VL <= 4;
  bool SuitsA =
      P.VectorRegisters > 16 || (IsAVX2 && (HasDoubles || !P.IsCompact));
  bool OfA = SuitsA && goByRows(View, M);
  if (OfA)
    addThin(Result, P, View, Target, N, Widest);
  // Registers that hold a few rows of C are mostly empty, if these are floats.
  constexpr unsigned ManyLanes = 16;
  bool HasIdleLanes =
      IsAVX2 ? !HasDoubles
             : View.SumTy->isFloatTy() && P.VL >= ManyLanes && !P.IsCompact;
  if (goByRows(View, N) && (!OfA || HasIdleLanes))
    addThin(Result, P, View, Target, M,
            OfA && !View.constantExtent(M) ? Widest / 2 : Widest);
  return Result;
}

/// Once LLVM has unrolled a sum over columns, the loop around it is one over adjacent
/// rows, and its vectors stay in registers for all steps. (Measured on Zen 5 with
/// AVX-512, AVX2 and SSE2.)
static void setOfUnrolledColumns(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  if (!isUnrolledElse(View.Source))
    return;
  // Of two columns of C, each is a sum of its own once they are unrolled. With few
  // registers, vectors of both are as fast.
  if (P.VectorRegisters <= 16 && !Op.C.isUnit(M, Op.getDataLayout()))
    P.MinExtent[K] =
        std::max<uint64_t>(P.MinExtent[K], Op.SumTy->isDoubleTy() ? 25 : 17);
  std::optional<uint64_t> Steps = Op.constantExtent(K);
  if (!View.Source.sumsInnermost() || !Steps || Op.Domain ||
      !hasVectorsOfRows(Op))
    return;
  constexpr uint64_t AsFast = 40, MostSteps = 48, ManyRows = 64;
  if (*Steps <= AsFast)
    P.MinExtent[K] = AsFast + 1;
  else if (*Steps <= MostSteps && P.VectorBits < 512)
    P.MinExtent[M] = std::max(P.MinExtent[M], ManyRows);
}

void setBreakEvenOfStream(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  // Measured on Zen 5 against clang's chains, which are fast while they are
  // short, or while there are few rows beside a vector of them.
  constexpr unsigned Steps = 8, Rows = 16, Work = 160;
  bool IsElementwise = !hasRows(Op) && !hasColumnsOnly(Op) && !Op.isComplex();
  P.MinExtent[M] = IsElementwise ? std::max(2 * P.VL, Rows) : P.VL;
  P.MinExtent[K] = std::max(Steps, P.stepsOfPiece(Op));
  // Columns are vectors, too.
  if (P.madeOfRest(Op))
    P.MinExtent[K] = std::max<uint64_t>(P.MinExtent[K], P.VL);
  // Of a few columns, clang's vectors are as fast, from the second-level cache.
  if (!View.Source.sumsInnermost() && isSweep(Op))
    P.MinExtent[K] = std::max<uint64_t>(P.MinExtent[K], 2 * Steps);
  setOfUnrolledColumns(P, View);
  P.LeavesNear = leavesNear(P, View);
  // Half of a triangle is not there, and of its last vector, most is made twice.
  constexpr unsigned RowsBesideRest = 24;
  if (Op.Domain && !View.Source.RestWrites.empty())
    P.MinExtent[M] = std::max<uint64_t>(P.MinExtent[M], RowsBesideRest);
  if (Op.Domain)
    P.MinExtent[M] =
        std::max<uint64_t>({P.MinExtent[M], Rows, P.VL + P.VL / 2});
  // Finding rows takes as long as some steps, if few are made at a time.
  constexpr unsigned StepsOfTable = 24;
  if (P.VL == 2 && hasRows(Op) && Op.hasRowTables())
    P.MinExtent[K] = StepsOfTable;
  P.MinWork = std::max(2 * Steps * P.VL, Work);
  if (addsSideBySide(View))
    P.MinExtent[M] = std::max<uint64_t>(P.MinExtent[M], 2 * Rows);
  // One test sends back the triangles that are too small.
  if (Op.Domain)
    P.MinWork = std::max(P.MinWork, P.MinExtent[M] * P.MinExtent[M]);
  // Memory for the sums, for a copy, or for a vector takes as long as some rows.
  if (View.Source.ToScratch || Op.isSaved() || Op.hasMadeFactors()) {
    // If rows begin at a diagonal, the rest does, too, in each of them. (Measured on
    // Sapphire Rapids: DSYMV and SSYMV, 34 to 42 rows are .8 to .9 of flang.)
    bool RestIsFrom = View.Source.ToScratch && Op.Domain && Op.Domain->isFrom();
    const uint64_t Least = (RestIsFrom ? 3 : 2) * Rows;
    P.MinExtent[M] = std::max(P.MinExtent[M], Least);
    P.MinWork = std::max(P.MinWork, Least * Least);
  }
}

} // namespace tilesmith
