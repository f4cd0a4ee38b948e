//===- Checks.cpp - what a product must not be ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "TripCount.h"
#include "tilesmith/Support/Freeze.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// The guard tests what is not known.
static void require(ICmpInst::Predicate P, const SCEV *X, const SCEV *Y,
                    ScalarEvolution &SE, Conditions &Tests) {
  if (!SE.isKnownPredicate(P, X, Y))
    Tests.MustHold.push_back({P, X, Y});
}

/// \p S, 64 bits wide, over \p Loops, those of the chain and others, where it does
/// not wrap.
std::optional<AffineForm> Recognizer::exactForm(const SCEV *S, bool Signed,
                                                const LoopChain &Loops) {
  ScalarEvolution &SE = In.Analyses->SE;
  Type *I64 = Type::getInt64Ty(SE.getContext());
  unsigned Bits = SE.getTypeSizeInBits(S->getType());
  if (Bits > 64)
    return std::nullopt;
  S = Signed ? SE.getNoopOrSignExtend(S, I64) : SE.getNoopOrZeroExtend(S, I64);
  std::optional<AffineForm> Form = affineForm(S, In, Loops);
  bool HasOthers = Loops.size() > In.Chain.size();
  if (!Form || Form->Row || Form->Chosen ||
      (HasOthers && !Form->MustNotWrap.empty()))
    return std::nullopt;
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Result.Tests.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return Form;
}

/// LLVM asks in front of a loop whether the checks in it hold until it ends: each
/// holds max(length, i * n) - i * n times, and that is not the minimum of all these
/// and of the loop's own count. \p S, or what is not less and stays the same.
const SCEV *Recognizer::withoutMinimum(const SCEV *S) const {
  SmallVector<const SCEV *, 2> Same;
  if (isa<SCEVUMinExpr>(S))
    copy_if(S->operands(), std::back_inserter(Same),
            [&](const SCEV *Op) { return In.isInvariant(Op); });
  return Same.empty() ? S : In.Analyses->SE.getUMinExpr(Same);
}

/// \p S with what stays the same for a maximum, where the guard has tested that it
/// is that.
const SCEV *Recognizer::withoutMaximum(const SCEV *S) {
  ScalarEvolution &SE = In.Analyses->SE;
  ArrayRef<const SCEV *> Terms =
      isa<SCEVAddExpr>(S) ? S->operands() : ArrayRef(S);
  auto *Max = find_if(Terms, IsaPred<SCEVUMaxExpr>);
  if (Max == Terms.end() || (*Max)->operands().size() != 2)
    return S;
  const SCEV *Most = (*Max)->operands()[0], *Other = (*Max)->operands()[1];
  if (!In.isInvariant(Most))
    std::swap(Most, Other);
  return In.isInvariant(Most) && requireOrder(Other, Most, /*Signed=*/false,
                                              /*MayBeEqual=*/true)
             ? SE.getAddExpr(SE.getMinusSCEV(S, *Max), Most)
             : S;
}

/// What stands in \p S for frozen values: a check that asks one of them holds if it
/// does for what that was, and anything may be done where that is poison.
const SCEV *Recognizer::withoutFreezes(const SCEV *S) const {
  ScalarEvolution &SE = In.Analyses->SE;
  return replaceFreezes(S, In.root(), SE, [&](const FreezeInst &Freeze) {
    return In.resolve(SE.getSCEV(Freeze.getOperand(0)));
  });
}

/// \p Low is less than \p High, or equal to it if \p MayBeEqual, in every iteration
/// of the loops. Unsigned numbers are those that are not negative.
bool Recognizer::requireOrder(const SCEV *Low, const SCEV *High, bool Signed,
                              bool MayBeEqual) {
  ScalarEvolution &SE = In.Analyses->SE;
  if (!Signed) {
    Low = withoutMinimum(Low);
    High = withoutMaximum(High);
  }
  std::optional<AffineForm> Less = exactForm(Low, Signed, In.Chain),
                            More = exactForm(High, Signed, In.Chain);
  if (!Less || !More)
    return false;
  // The difference of two such numbers fits 64 bits, and so does what it is
  // where each counter makes it least.
  for (const auto &Form : {*Less, *More})
    if (auto *C = dyn_cast<SCEVConstant>(Form.Base);
        !C || !C->getAPInt().isIntN(60) ||
        any_of(Form.Step, [](const SCEV *Step) { return Step; }))
      Result.Tests.WrapChecks.push_back(By.Space.wrapCheck(
          {Form.Base, Form.Step, /*Bits=*/62, /*Signed=*/true}));
  const SCEV *Zero = SE.getZero(Type::getInt64Ty(SE.getContext()));
  AffineSum Nothing{Zero, {}};
  Nothing.Step.resize(Less->Step.size());
  if (!Signed)
    requireDifference(Nothing, *Less, Zero);
  requireDifference(*Less, *More,
                    MayBeEqual ? Zero : SE.getOne(Zero->getType()));
  return true;
}

/// The difference of \p Less and \p More, which never wraps, is at least \p Needed.
void Recognizer::requireDifference(const AffineSum &Less, const AffineSum &More,
                                   const SCEV *Needed) {
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *Least = SE.getMinusSCEV(More.Base, Less.Base);
  const SCEV *Zero = SE.getZero(Needed->getType());
  auto OrZero = [&](const SCEV *Step) { return Step ? Step : Zero; };
  for (auto [Position, Steps] : enumerate(zip_equal(Less.Step, More.Step))) {
    auto [Of, To] = Steps;
    if (!Of && !To)
      continue;
    const SCEV *Step = SE.getMinusSCEV(OrZero(To), OrZero(Of));
    Least = SE.getAddExpr(
        Least, SE.getSMinExpr(
                   SE.getMulExpr(Step, By.Space.lastOfLoop(Position)), Zero));
  }
  require(ICmpInst::ICMP_SGE, Least, Needed, SE, Result.Tests);
}

/// How often \p L, a loop beside the chain, goes on, 64 bits wide; null if that
/// varies.
const SCEV *Recognizer::lastOfOther(const Loop &L) {
  auto MaybeCount = tripCount(L, In);
  auto *Count = std::get_if<TripCount>(&MaybeCount);
  ScalarEvolution &SE = In.Analyses->SE;
  if (!Count || !In.isInvariant(Count->Backedges) ||
      SE.getTypeSizeInBits(Count->Backedges->getType()) > 64)
    return nullptr;
  if (Count->ValidIf)
    Result.Tests.MustHold.push_back(*Count->ValidIf);
  return SE.getNoopOrZeroExtend(Count->Backedges,
                                Type::getInt64Ty(SE.getContext()));
}

/// Takes the places in an image, inside whose borders \p At is, out of \p Sum. Returns
/// the most that they have added to it.
const SCEV *Recognizer::takePlaces(AffineSum &Sum, const Instruction &At) {
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *Zero = SE.getZero(Sum.Base->getType()), *Most = Zero;
  for (auto [Border, Times] : By.Space.placesIn(Sum, At, In)) {
    const AffineSum &Position = Border->Position;
    const SCEV *Last =
        SE.getMinusSCEV(Border->Extent, SE.getOne(Zero->getType()));
    if (Border->Extent == IterationSpace::withoutEnd(SE)) {
      Last = Position.Base;
      for (auto [Loop, Step] : enumerate(Position.Step))
        if (Step)
          Last = SE.getAddExpr(
              Last, SE.getSMaxExpr(
                        SE.getMulExpr(Step, By.Space.lastOfLoop(Loop)), Zero));
    }
    for (auto [OfSum, Step] : zip(Sum.Step, Position.Step)) {
      if (!Step)
        continue;
      OfSum = SE.getMinusSCEV(OfSum, SE.getMulExpr(Times, Step));
      if (OfSum->isZero())
        OfSum = nullptr;
    }
    Sum.Base = SE.getMinusSCEV(Sum.Base, SE.getMulExpr(Times, Position.Base));
    requireBits(Times, 30);
    requireBits(Last, 30);
    Most = SE.getAddExpr(Most, SE.getMulExpr(Times, Last));
  }
  return Most;
}

/// The guard tests that \p S, which is not negative, fits so many bits.
void Recognizer::requireBits(const SCEV *S, unsigned Bits) {
  ScalarEvolution &SE = In.Analyses->SE;
  require(ICmpInst::ICMP_ULT, S,
          SE.getConstant(S->getType(), uint64_t(1) << Bits), SE, Result.Tests);
}

/// Whether \p Step, if there is one, is written as a negative number.
static bool runsDown(const SCEV *Step) {
  if (auto *C = dyn_cast_or_null<SCEVConstant>(Step))
    return C->getAPInt().isNegative();
  return isa_and_nonnull<SCEVMulExpr, SCEVAddExpr>(Step) &&
         (isa<SCEVMulExpr>(Step) ? Step->isNonConstantNegative()
                                 : all_of(Step->operands(), runsDown));
}

/// The greatest that the unsigned number \p S is where \p At is, 64 bits wide, once
/// the guard has tested that its parts are so small that it does not wrap; null if
/// it is no sum of counters.
const SCEV *Recognizer::greatestOf(const SCEV *S, const Instruction &At) {
  ScalarEvolution &SE = In.Analyses->SE;
  const LoopInfo &LI = In.Analyses->LI;
  LoopChain Loops(In.Chain);
  for (Loop *L = LI.getLoopFor(At.getParent()); !is_contained(In.Chain, L);
       L = L->getParentLoop())
    Loops.push_back(L);
  std::optional<AffineForm> Form = exactForm(S, /*Signed=*/false, Loops);
  if (!Form)
    return nullptr;
  // How far a loop counts down may depend on the one around it, but not how far the
  // axis does.
  bool IsOverAxes = Loops.size() == In.Chain.size() && By.Space.Domain &&
                    any_of(Form->Step, runsDown);
  if (IsOverAxes && !By.Space.toAxes(static_cast<AffineSum &>(*Form)))
    return nullptr;
  // At most nine counters: all terms together fit into 64 bits.
  const SCEV *OfPlaces = takePlaces(*Form, At);
  const SCEV *Greatest = SE.getAddExpr(Form->Base, OfPlaces),
             *Least = Form->Base;
  requireBits(Form->Base, 60);
  for (auto [Position, Step] : enumerate(Form->Step)) {
    if (!Step)
      continue;
    const SCEV *Last = IsOverAxes ? By.Space.Last[Position]
                       : Position < In.Chain.size()
                           ? By.Space.lastOfLoop(Position)
                           : lastOfOther(*Loops[Position]);
    if (!Last)
      return nullptr;
    bool IsDown = runsDown(Step);
    requireBits(IsDown ? SE.getNegativeSCEV(Step) : Step, 30);
    requireBits(Last, 30);
    const SCEV *&End = IsDown ? Least : Greatest;
    End = SE.getAddExpr(End, SE.getMulExpr(Step, Last));
  }
  if (any_of(Form->Step, runsDown))
    require(ICmpInst::ICMP_SGE, Least, SE.getZero(Least->getType()), SE,
            Result.Tests);
  return Greatest;
}

/// The guard makes the source's checks of bounds for all iterations at once:
/// the greatest subscript, computed without overflow, is less than the length.
/// Whether rows in tables are long enough is found out where these are read.
Refused Recognizer::requireChecks() {
  bool AnyOfRow = false;
  for (const Check &C : In.Checks) {
    SmallVector<std::pair<Value *, bool>, 4> Parts;
    collectConjuncts(C.Branch->getCondition(), C.GoesOn, Parts);
    for (auto [Part, Holds] : Parts) {
      auto *Compare = dyn_cast<ICmpInst>(Part);
      if (!Compare || !requireCheck(C, *Compare, Holds, AnyOfRow))
        return Refusal{Reason::EarlyExit, C.Branch};
    }
  }
  if (AnyOfRow && !orderTables())
    return Refusal{Reason::EarlyExit, In.Checks.front().Branch};
  return std::nullopt;
}

/// \p Compare, a part of \p C, must be \p Holds in all iterations.
bool Recognizer::requireCheck(const Check &C, ICmpInst &Compare, bool Holds,
                              bool &AnyOfRow) {
  ScalarEvolution &SE = In.Analyses->SE;
  Type *I64 = Type::getInt64Ty(SE.getContext());
  if (!Compare.getOperand(0)->getType()->isIntegerTy())
    return false;
  CmpInst::Predicate P =
      Holds ? Compare.getPredicate() : Compare.getInversePredicate();
  const Loop *Scope = In.Analyses->LI.getLoopFor(C.Branch->getParent());
  Value *Limit = Compare.getOperand(1);
  auto AtScope = [&](Value *V) {
    return withoutFreezes(In.resolve(SE.getSCEVAtScope(V, Scope)));
  };
  const SCEV *X = AtScope(Compare.getOperand(0)), *Y = AtScope(Limit);
  if (In.isInvariant(X) && In.isInvariant(Y)) {
    Result.Tests.MustHold.push_back({P, X, Y});
    return true;
  }
  if (Compare.hasSameSign() && ICmpInst::isUnsigned(P))
    P = ICmpInst::getSignedPredicate(P);
  if (ICmpInst::isSigned(P)) {
    if (In.isMisplaced(X, *C.Branch) || In.isMisplaced(Y, *C.Branch))
      return false;
    if (ICmpInst::isGT(P) || ICmpInst::isGE(P))
      std::swap(X, Y);
    return requireOrder(X, Y, /*Signed=*/true,
                        ICmpInst::isNonStrictPredicate(P));
  }
  bool IsTurned = P == ICmpInst::ICMP_NE
                      ? In.isInvariant(X) || isa<SCEVUMinExpr>(Y) ||
                            isRowLength(*Compare.getOperand(0))
                      : ICmpInst::isGT(P) || ICmpInst::isGE(P);
  if (IsTurned) {
    std::swap(X, Y);
    Limit = Compare.getOperand(0);
    P = ICmpInst::getSwappedPredicate(P);
  }
  if (P == ICmpInst::ICMP_EQ || SE.getTypeSizeInBits(Y->getType()) > 64 ||
      In.isMisplaced(X, *C.Branch))
    return false;
  // What is less than the limit throughout is never equal to it.
  bool MayBeEqual = P == ICmpInst::ICMP_ULE;
  // As of the two ends of a slice.
  if (!In.isInvariant(Y) && !isRowLength(*Limit))
    return !In.isMisplaced(Y, *C.Branch) &&
           requireOrder(X, Y, /*Signed=*/false, MayBeEqual);
  const SCEV *Greatest = greatestOf(X, *C.Branch);
  if (!Greatest)
    return false;
  if (!In.isInvariant(Y)) {
    AnyOfRow = true;
    return !MayBeEqual && Y->getType() == I64 && addRowLength(*Limit, Greatest);
  }
  require(MayBeEqual ? ICmpInst::ICMP_ULE : ICmpInst::ICMP_ULT, Greatest,
          SE.getNoopOrZeroExtend(Y, I64), SE, Result.Tests);
  return true;
}

static bool isFloat(const Type &Ty) {
  return Ty.isHalfTy() || Ty.isFloatTy() || Ty.isDoubleTy();
}

/// Whether \p Ty has a whole number of bytes, 8 at most, and a power of two.
static bool isSmallInteger(const Type &Ty) {
  return Ty.isIntegerTy(8) || Ty.isIntegerTy(16) || Ty.isIntegerTy(32) ||
         Ty.isIntegerTy(64);
}

/// The sum has a type that kernels exist for; elements of A and B lie in memory
/// one by one.
Refused Recognizer::checkTypes() const {
  Type *Sum = Result.Op.SumTy;
  if (!isFloat(*Sum) && !isSmallInteger(*Sum))
    return Refusal{Reason::ElementType, &Store};
  for (const Term &T : Result.Op.Terms)
    for (const Access *X : {&T.A, &T.B}) {
      Type *Ty = X->ElemTy;
      if (!isFloat(*Ty) && !Ty->isBFloatTy() && !isSmallInteger(*Ty))
        return Refusal{Reason::ElementType, T.Product};
    }
  return std::nullopt;
}

/// Whole rows of factors in tables are copied.
Refused Recognizer::checkRowTables() const {
  bool IsTriangleOfFactor = Result.Op.Domain && !Result.Op.Domain->isOfC();
  if (Result.Op.hasRowTables() &&
      ((IsTriangleOfFactor && !May.Vector) || Result.Op.hasMadeFactors()))
    return Refusal{Reason::RowTable, &Store};
  return std::nullopt;
}

/// In loops over k that the sum is not carried through, each pass must go on
/// with the elements that the one before has stored.
Refused Recognizer::checkOuterSums() const {
  if (OuterSums.empty())
    return std::nullopt;
  const Loop *L = In.Chain[OuterSums.back()];
  auto *First = dyn_cast<LoadInst>(Result.Op.Start.Root);
  if (!Result.Op.Start.isLeaf(Leaf::C) || !Result.Op.storesSum() || !First ||
      !L->contains(First) || !L->contains(&Store))
    return Refusal{Reason::IndexRoles, &Store};
  return std::nullopt;
}

} // namespace tilesmith
