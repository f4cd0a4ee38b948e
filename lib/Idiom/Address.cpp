//===- Address.cpp - addresses as sums of strides -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address a[i*n + j] with 64-bit arithmetic is, for ScalarEvolution,
//
//   {{%a,+,(8 * %n)}<i>,+,8}<j>
//
// and every level of it contributes a step. With 32-bit arithmetic that may
// wrap, parts stay under an extension:
//
//   (8 * (zext i32 {{0,+,%n}<i>,+,1}<j>)) + %a
//
// The extension is distributed over the sum, on the condition that it does not
// wrap anywhere in the iteration space, which the guard tests at run time.
// Fortran's descriptors hold strides in bytes; where flang divides them by the
// size of an element, that is done with each step.
//
// In scale[k / 32], the counter is divided: the sum goes on with each group of 32
// iterations. In scale[(i * n + k) / 32], so it does where 32 divides n.
//
// In a[i][k], where a is a table of pointers to rows, the sum starts from a
// pointer that is loaded from another such address.
//
// A counter or pointer may be computed anew in each iteration from what another
// counter has left, or be cut to a narrow type: ScalarEvolution has no
// recurrence for these, and we have one on conditions.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Arithmetic.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// What a value was one iteration of a loop before.
struct Earlier : SCEVRewriteVisitor<Earlier> {
  const Loop &L;
  Earlier(ScalarEvolution &SE, const Loop &L) : SCEVRewriteVisitor(SE), L(L) {}
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    if (Rec->getLoop() != &L)
      return Rec;
    const SCEV *Step = Rec->getStepRecurrence(SE);
    return SE.getAddRecExpr(SE.getMinusSCEV(Rec->getStart(), Step), Step, &L,
                            SCEV::FlagAnyWrap);
  }
};

/// What a value is in the first iteration of a loop.
struct InFirst : SCEVRewriteVisitor<InFirst> {
  const Loop &L;
  InFirst(ScalarEvolution &SE, const Loop &L) : SCEVRewriteVisitor(SE), L(L) {}
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    return Rec->getLoop() == &L ? Rec->getStart() : Rec;
  }
};

class Decomposer {
public:
  Decomposer(const LoopNest &In, const LoopChain &Loops)
      : In(In), SE(In.Analyses->SE), Loops(Loops) {}

  std::optional<AffineForm> decompose(const SCEV *S) {
    if (In.isInvariant(S)) {
      AffineForm Form = zero();
      Form.Base = S;
      return Form;
    }
    switch (S->getSCEVType()) {
    case scAddRecExpr:
      return decomposeAddRec(cast<SCEVAddRecExpr>(S));
    case scAddExpr:
      return decomposeAdd(cast<SCEVAddExpr>(S));
    case scMulExpr:
      return decomposeMul(cast<SCEVMulExpr>(S));
    case scTruncate:
    case scZeroExtend:
    case scSignExtend:
      return decomposeCast(cast<SCEVCastExpr>(S));
    case scUnknown: {
      Value *V = cast<SCEVUnknown>(S)->getValue();
      if (auto *Load = dyn_cast<LoadInst>(V))
        return decomposeRow(*Load);
      // Where the checks of bounds hold, nothing has wrapped.
      if (auto *Freeze = dyn_cast<FreezeInst>(V); Freeze && !In.Checks.empty())
        return decompose(
            SE.getSCEVAtScope(Freeze->getOperand(0),
                              In.Analyses->LI.getLoopFor(Freeze->getParent())));
      if (auto *Phi = dyn_cast<PHINode>(V))
        return decomposePhi(*Phi);
      if (auto Exact = decomposeShift(V))
        return Exact;
      return decomposeSignedQuotient(V);
    }
    case scUDivExpr: {
      const SCEV *By = cast<SCEVUDivExpr>(S)->getRHS();
      auto Form = decomposeQuotient(cast<SCEVUDivExpr>(S)->getLHS(), By,
                                    /*Bits=*/63);
      if (Form && !SE.isKnownNonZero(By))
        Form->MustHold.push_back(
            {ICmpInst::ICMP_NE, By, SE.getZero(By->getType())});
      return Form;
    }
    default:
      return std::nullopt;
    }
  }

private:
  AffineForm zero() const {
    AffineForm Form;
    Form.Step.resize(Loops.size());
    return Form;
  }

  std::optional<AffineForm> decomposeAddRec(const SCEVAddRecExpr *Rec) {
    auto It = find(Loops, Rec->getLoop());
    if (It == Loops.end() || !Rec->isAffine())
      return std::nullopt;
    const SCEV *Step = Rec->getStepRecurrence(SE);
    if (!In.isInvariant(Step))
      return std::nullopt;
    std::optional<AffineForm> Form = decompose(Rec->getStart());
    if (Form)
      addTo(Form->Step[It - Loops.begin()], Step);
    return Form;
  }

  /// A counter or pointer without a recurrence of ScalarEvolution's.
  std::optional<AffineForm> decomposePhi(PHINode &Phi) {
    auto It = find_if(Loops, [&](const Loop *L) {
      return L && L->getHeader() == Phi.getParent();
    });
    Value *First = It == Loops.end() ? nullptr : In.incomingFromOutside(Phi);
    if (!First)
      return std::nullopt;
    const SCEV *Next = SE.getSCEVAtScope(
        In.resolve(SE.getSCEV(In.incomingFromLatch(Phi))), *It);
    const SCEV *Start = In.resolve(SE.getSCEV(First));
    if (auto Form = decomposeNarrow(Phi, Next, Start, It - Loops.begin()))
      return Form;
    return decomposeRemade(Next, Start, **It);
  }

  /// `i = (uint16_t)i + n`, without a cast where that does not wrap. By
  /// induction, it does not in any iteration.
  std::optional<AffineForm> decomposeNarrow(PHINode &Phi, const SCEV *Next,
                                            const SCEV *Start,
                                            unsigned Position) {
    const SCEV *Self = SE.getUnknown(&Phi);
    auto *Add = dyn_cast<SCEVAddExpr>(Next);
    const SCEV *const *Kept =
        Add ? find_if(Add->operands(),
                      [&](const SCEV *Op) {
                        auto *Wide = dyn_cast<SCEVIntegralCastExpr>(Op);
                        auto *Narrow =
                            Wide
                                ? dyn_cast<SCEVTruncateExpr>(Wide->getOperand())
                                : nullptr;
                        return Narrow && Narrow->getOperand() == Self;
                      })
            : nullptr;
    if (!Add || Kept == Add->operands().end())
      return std::nullopt;
    const SCEV *Step = SE.getMinusSCEV(Next, *Kept);
    std::optional<AffineForm> Form;
    if (In.isInvariant(Step))
      Form = decompose(Start);
    if (!Form || Form->Row || Form->Groups)
      return std::nullopt;
    addTo(Form->Step[Position], Step);
    auto *Cast = cast<SCEVIntegralCastExpr>(*Kept);
    unsigned Bits = SE.getTypeSizeInBits(Cast->getOperand()->getType());
    Form->MustNotWrap.push_back(
        {Form->Base, Form->Step, Bits, isa<SCEVSignExtendExpr>(Cast)});
    return Form;
  }

  /// `p = base + (n - left)`, after each change of the counter `left`: what \p
  /// Next was one iteration before, if that is \p Start in the first one.
  std::optional<AffineForm> decomposeRemade(const SCEV *Next, const SCEV *Start,
                                            Loop &L) {
    bool HasOther = SCEVExprContains(Next, [&](const SCEV *Part) {
      auto *Rec = dyn_cast<SCEVAddRecExpr>(Part);
      if (Rec && Rec->getLoop() == &L)
        return !Rec->isAffine();
      return (Rec || isa<SCEVUnknown>(Part)) && !SE.isLoopInvariant(Part, &L) &&
             !In.isInvariant(Part);
    });
    if (HasOther)
      return std::nullopt;
    const SCEV *Before = Earlier(SE, L).visit(Next);
    const SCEV *Miss = SE.getMinusSCEV(InFirst(SE, L).visit(Before), Start);
    SmallVector<WrapCheck, 4> Checks;
    if (!isa<SCEVCouldNotCompute>(Miss) && !Miss->isZero())
      Miss = withoutCasts(Miss, SE, Checks);
    bool AreTestable = all_of(Checks, [&](const WrapCheck &Check) {
      return In.isInvariant(Check.Start);
    });
    std::optional<AffineForm> Form;
    if (Miss->isZero() && AreTestable)
      Form = decompose(Before);
    if (!Form)
      return std::nullopt;
    for (const WrapCheck &Check : Checks)
      Form->MustNotWrap.push_back(
          {Check.Start, zero().Step, Check.Bits, Check.Signed});
    return Form;
  }

  std::optional<AffineForm> decomposeAdd(const SCEVAddExpr *Add) {
    AffineForm Sum = zero();
    for (const SCEV *Op : Add->operands()) {
      std::optional<AffineForm> Form = decompose(Op);
      if (!Form || !joinGroups(Sum, *Form))
        return std::nullopt;
      addTo(Sum.Base, Form->Base);
      for (auto [Total, Step] : zip(Sum.Step, Form->Step))
        addTo(Total, Step);
      Sum.MustNotWrap.append(Form->MustNotWrap);
      Sum.MustHold.append(Form->MustHold);
      if (Form->Row)
        Sum.Row = std::move(Form->Row);
    }
    return Sum;
  }

  /// Gives the groups of one of the sums to both, and adds up their steps in \p X.
  bool joinGroups(AffineForm &X, AffineForm &Y) {
    auto Share = [&](AffineForm &From, AffineForm &To) {
      if (!From.Groups || To.Groups)
        return;
      To.Groups = From.Groups;
      const SCEV *Once = To.Step[From.Groups->Loop];
      Type *Ty = From.Groups->Step->getType();
      To.Groups->Step =
          Once ? SE.getMulExpr(Once, SE.getTruncateOrZeroExtend(
                                         From.Groups->Length, Once->getType()))
               : SE.getZero(Ty);
    };
    Share(X, Y);
    Share(Y, X);
    if (!X.Groups)
      return true;
    if (X.Groups->Loop != Y.Groups->Loop ||
        X.Groups->Length != Y.Groups->Length)
      return false;
    addTo(X.Groups->Step, Y.Groups->Step);
    return true;
  }

  /// \p S divided by \p By, where it is a multiple of that; null if it is not.
  const SCEV *exactQuotient(const SCEV *S, const SCEV *By, AffineForm &Result) {
    if (S == By)
      return SE.getOne(S->getType());
    auto *Number = dyn_cast<SCEVConstant>(S);
    auto *Divisor = dyn_cast<SCEVConstant>(By);
    if (S->isNonConstantNegative() ||
        (Number && Number->getAPInt().isNegative()))
      return nullptr;
    if (Number && Divisor &&
        !Number->getAPInt().urem(Divisor->getAPInt()).isZero())
      return nullptr;
    const SCEV *Rest = SE.getURemExpr(S, By), *Zero = SE.getZero(S->getType());
    if (!SE.isKnownNonNegative(S))
      Result.MustHold.push_back({ICmpInst::ICMP_SLE, Zero, S});
    if (!Rest->isZero())
      Result.MustHold.push_back({ICmpInst::ICMP_EQ, Rest, Zero});
    return SE.getUDivExpr(S, By);
  }

  /// \p Dividend / \p By, where the divisor is positive, and the dividend is not negative
  /// and fits so many bits: all but one of its steps are multiples of the divisor, of
  /// which that one is a part.
  std::optional<AffineForm> decomposeQuotient(const SCEV *Dividend,
                                              const SCEV *By, unsigned Bits) {
    std::optional<AffineForm> Form;
    if (In.isInvariant(By) && !By->isZero())
      Form = decompose(Dividend);
    if (!Form || Form->Row || Form->Groups)
      return std::nullopt;
    AffineForm Result = zero();
    Result.MustNotWrap = std::move(Form->MustNotWrap);
    Result.MustHold = std::move(Form->MustHold);
    Result.MustNotWrap.push_back(
        {Form->Base, Form->Step,
         std::min<unsigned>(Bits, SE.getTypeSizeInBits(By->getType())),
         /*Signed=*/false});
    Result.Base = exactQuotient(Form->Base, By, Result);
    if (!Result.Base)
      return std::nullopt;
    auto *Divisor = dyn_cast<SCEVConstant>(By);
    for (auto [Loop, Step] : enumerate(Form->Step)) {
      auto *Once = dyn_cast_or_null<SCEVConstant>(Step);
      bool IsPart = Divisor && Once && !Once->getAPInt().isNegative() &&
                    Once->getAPInt().ult(Divisor->getAPInt()) &&
                    Divisor->getAPInt().urem(Once->getAPInt()).isZero();
      if (!Step || Step->isZero())
        continue;
      if (!IsPart && !(Step->isOne() && !Divisor)) {
        Result.Step[Loop] = exactQuotient(Step, By, Result);
        if (!Result.Step[Loop])
          return std::nullopt;
        continue;
      }
      if (Result.Groups)
        return std::nullopt;
      Result.Groups = {
          unsigned(Loop),
          SE.getTruncateOrZeroExtend(SE.getUDivExpr(By, Step),
                                     Type::getInt64Ty(SE.getContext())),
          SE.getOne(By->getType())};
    }
    return Result;
  }

  /// The same for a division that keeps the sign, as of int. Neither of its numbers
  /// may be negative.
  std::optional<AffineForm> decomposeSignedQuotient(Value *V) {
    auto *Div = dyn_cast<BinaryOperator>(V);
    if (!Div || (Div->getOpcode() != Instruction::SDiv &&
                 Div->getOpcode() != Instruction::AShr))
      return std::nullopt;
    const Loop *Scope = In.Analyses->LI.getLoopFor(Div->getParent());
    const SCEV *Dividend = SE.getSCEVAtScope(Div->getOperand(0), Scope),
               *By = SE.getSCEV(Div->getOperand(1));
    unsigned Bits = SE.getTypeSizeInBits(V->getType());
    if (In.isMisplaced(Dividend, *Div))
      return std::nullopt;
    if (Div->getOpcode() == Instruction::AShr) {
      auto *Shift = dyn_cast<SCEVConstant>(By);
      if (!Shift || Shift->getAPInt().uge(Bits - 1))
        return std::nullopt;
      By = SE.getConstant(
          APInt::getOneBitSet(Bits, Shift->getAPInt().getZExtValue()));
    }
    auto Form = decomposeQuotient(Dividend, By, Bits - 1);
    if (Form && !SE.isKnownPositive(By))
      Form->MustHold.push_back(
          {ICmpInst::ICMP_SGT, By, SE.getZero(By->getType())});
    return Form;
  }

  /// A pointer, which other sums are added to. Whatever uses it is preceded by
  /// the load, so all entries of the table are loaded that are used.
  std::optional<AffineForm> decomposeRow(LoadInst &Load) {
    if (!Load.isSimple() || !Load.getType()->isPointerTy() ||
        Load.getType()->getPointerAddressSpace() != 0 ||
        Load.getPointerAddressSpace() != 0)
      return std::nullopt;
    const SCEV *Address = In.addressWhereRun(Load);
    std::optional<AffineForm> Entry;
    if (Address)
      Entry = decompose(Address);
    if (!Entry || Entry->Row)
      return std::nullopt;
    AffineForm Form = zero();
    Form.Base = SE.getZero(SE.getEffectiveSCEVType(Load.getType()));
    Form.MustNotWrap = std::move(Entry->MustNotWrap);
    Form.Row.emplace();
    static_cast<AffineSum &>(*Form.Row) = std::move(*Entry);
    Form.Row->Load = &Load;
    return Form;
  }

  /// One factor varies, the others scale it.
  std::optional<AffineForm> decomposeMul(const SCEVMulExpr *Mul) {
    const SCEV *Varying = nullptr;
    SmallVector<const SCEV *, 4> Factors;
    for (const SCEV *Op : Mul->operands()) {
      if (In.isInvariant(Op))
        Factors.push_back(Op);
      else if (Varying)
        return std::nullopt;
      else
        Varying = Op;
    }
    std::optional<AffineForm> Form = decompose(Varying);
    if (!Form || Factors.empty())
      return std::nullopt;
    const SCEV *Scale = SE.getMulExpr(Factors);
    return mapped(*Form,
                  [&](const SCEV *S) { return SE.getMulExpr(S, Scale); });
  }

  /// \p S divided by \p Size; null if it may not be a multiple.
  const SCEV *quotient(const SCEV *S, const APInt &Size) {
    if (auto *C = dyn_cast<SCEVConstant>(S))
      return C->getAPInt().srem(Size).isZero()
                 ? SE.getConstant(C->getAPInt().sdiv(Size))
                 : nullptr;
    SmallVector<const SCEV *, 4> Ops(S->operands());
    if (isa<SCEVMulExpr>(S)) {
      Ops.front() = quotient(Ops.front(), Size);
      return Ops.front() ? SE.getMulExpr(Ops) : nullptr;
    }
    if (!isa<SCEVAddExpr>(S))
      return nullptr;
    for (const SCEV *&Op : Ops)
      Op = quotient(Op, Size);
    return is_contained(Ops, nullptr) ? nullptr : SE.getAddExpr(Ops);
  }

  /// `x & 0xfffffffe`, where all parts of x are even: for ScalarEvolution, twice
  /// what 31 bits hold of a half of x.
  std::optional<AffineForm> decomposeMasked(const SCEVCastExpr *Cast) {
    auto *Cut = dyn_cast<SCEVTruncateExpr>(Cast->getOperand());
    auto *Half = Cut ? dyn_cast<SCEVUDivExpr>(Cut->getOperand()) : nullptr;
    auto *By = Half ? dyn_cast<SCEVConstant>(Half->getRHS()) : nullptr;
    if (!By || !By->getAPInt().isPowerOf2() || !isa<SCEVZeroExtendExpr>(Cast))
      return std::nullopt;
    Type *Wide = Cast->getType();
    uint64_t Bits = SE.getTypeSizeInBits(Cut->getType()),
             BitsOfSum = SE.getTypeSizeInBits(Half->getType());
    if (Bits + By->getAPInt().logBase2() > BitsOfSum ||
        BitsOfSum > SE.getTypeSizeInBits(Wide))
      return std::nullopt;
    std::optional<AffineForm> Form = decompose(Half->getLHS());
    if (!Form || Form->Groups)
      return std::nullopt;
    bool AreMultiples = true;
    AffineForm Result = mapped(*Form, [&](const SCEV *S) {
      const SCEV *Part = quotient(S, By->getAPInt());
      AreMultiples &= Part != nullptr;
      return Part && Part->getType() != Wide
                 ? extend(Part, Wide, /*Signed=*/false)
                 : Part;
    });
    if (!AreMultiples) {
      auto Quotient = decomposeQuotient(Half->getLHS(), By,
                                        Bits + By->getAPInt().logBase2());
      return Quotient ? std::optional(
                            mapped(*Quotient,
                                   [&](const SCEV *S) {
                                     return SE.getTruncateOrZeroExtend(S, Wide);
                                   }))
                      : std::nullopt;
    }
    Result.MustNotWrap.push_back(
        {Result.Base, Result.Step, unsigned(Bits), /*Signed=*/false});
    return Result;
  }

  std::optional<AffineForm> decomposeCast(const SCEVCastExpr *Cast) {
    if (auto Masked = decomposeMasked(Cast))
      return Masked;
    std::optional<AffineForm> Form = decompose(Cast->getOperand());
    if (!Form)
      return std::nullopt;
    Type *Wide = Cast->getType();
    if (isa<SCEVTruncateExpr>(Cast))
      return mapped(*Form,
                    [&](const SCEV *S) { return SE.getTruncateExpr(S, Wide); });
    bool Signed = isa<SCEVSignExtendExpr>(Cast);
    AffineForm Result =
        mapped(*Form, [&](const SCEV *S) { return extend(S, Wide, Signed); });
    unsigned Bits = SE.getTypeSizeInBits(Form->Base->getType());
    AffineForm::NarrowSum Sum{Result.Base, Result.Step, Bits, Signed};
    // There are no more groups than iterations.
    if (Result.Groups) {
      if (Form->Step[Result.Groups->Loop])
        return std::nullopt;
      Sum.Step[Result.Groups->Loop] = Result.Groups->Step;
    }
    Result.MustNotWrap.push_back(std::move(Sum));
    return Result;
  }

  /// A distance in bytes, divided by the size of an element: if all parts of a
  /// sum can be divided without a rest, so can the sum.
  std::optional<AffineForm> decomposeShift(Value *V) {
    auto *Shift = dyn_cast<BinaryOperator>(V);
    if (!Shift || Shift->getOpcode() != Instruction::AShr)
      return std::nullopt;
    auto *By = dyn_cast<ConstantInt>(Shift->getOperand(1));
    unsigned Bits = SE.getTypeSizeInBits(V->getType());
    if (!By || By->getValue().uge(std::min(Bits, 63u)))
      return std::nullopt;
    const Loop *Scope = In.Analyses->LI.getLoopFor(Shift->getParent());
    const SCEV *Bytes = SE.getSCEVAtScope(Shift->getOperand(0), Scope);
    if (In.isMisplaced(Bytes, *Shift))
      return std::nullopt;
    unsigned Amount = By->getZExtValue();
    std::optional<AffineForm> Form = decompose(Bytes);
    if (!Form || Form->Groups || any_of(Form->Step, [&](const SCEV *Step) {
          auto *Known = dyn_cast_or_null<SCEVConstant>(Step);
          return Known && Known->getAPInt().countr_zero() < Amount;
        }))
      return std::nullopt;
    Type *Quotient =
        IntegerType::get(V->getContext(), std::max(1u, Bits - Amount));
    APInt Size = APInt::getOneBitSet(Bits, Amount);
    AffineForm Result = mapped(*Form, [&](const SCEV *S) {
      const SCEV *Unsigned = SE.getUDivExpr(S, SE.getConstant(Size));
      return SE.getSignExtendExpr(SE.getTruncateExpr(Unsigned, Quotient),
                                  V->getType());
    });
    Result.MustNotWrap.push_back(
        {Form->Base, Form->Step, Bits, /*Signed=*/true, Size.getZExtValue()});
    return Result;
  }

  /// \p S in the type \p Wide, equal modulo the narrow type's range. Where no
  /// sum wraps, each such choice is right; an unsigned counter that runs down
  /// needs a negative step, and one of a window that is turned over is that of
  /// places, less than zero.
  const SCEV *extend(const SCEV *S, Type *Wide, bool Signed) {
    // (The least number is its own negative.)
    if (const SCEV *Negative = SE.getNegativeSCEV(S);
        Signed && S->isNonConstantNegative() &&
        !Negative->isNonConstantNegative())
      return SE.getNegativeSCEV(extend(Negative, Wide, Signed));
    // A window that moves by n elements has the steps of a tap, and n times that.
    if (auto *Mul = dyn_cast<SCEVMulExpr>(S);
        Mul && !S->isNonConstantNegative()) {
      SmallVector<const SCEV *, 4> Factors;
      for (const SCEV *Op : Mul->operands())
        Factors.push_back(extend(Op, Wide, Signed));
      return SE.getMulExpr(Factors);
    }
    if (Signed)
      return SE.getSignExtendExpr(S, Wide);
    auto *C = dyn_cast<SCEVConstant>(S);
    auto *Add = dyn_cast<SCEVAddExpr>(S);
    // In steps of a row and an element, for instance.
    if (Add && all_of(Add->operands(), [](const SCEV *Op) {
          auto *C = dyn_cast<SCEVConstant>(Op);
          return Op->isNonConstantNegative() ||
                 (C && C->getAPInt().isNegative());
        })) {
      SmallVector<const SCEV *, 4> Addends;
      for (const SCEV *Op : Add->operands())
        Addends.push_back(extend(Op, Wide, Signed));
      return SE.getAddExpr(Addends);
    }
    if (!S->isNonConstantNegative() && !(C && C->getAPInt().isNegative()))
      return SE.getZeroExtendExpr(S, Wide);
    return SE.getNegativeSCEV(
        SE.getZeroExtendExpr(SE.getNegativeSCEV(S), Wide));
  }

  AffineForm mapped(AffineForm Form,
                    function_ref<const SCEV *(const SCEV *)> Map) {
    Form.Base = Map(Form.Base);
    for (const SCEV *&Step : Form.Step)
      if (Step)
        Step = Map(Step);
    if (Form.Groups)
      Form.Groups->Step = Map(Form.Groups->Step);
    return Form;
  }

  void addTo(const SCEV *&Sum, const SCEV *S) {
    if (S)
      Sum = Sum ? SE.getAddExpr(Sum, S) : S;
  }

  const LoopNest &In;
  ScalarEvolution &SE;
  const LoopChain &Loops;
};

} // namespace

std::optional<AffineForm> affineForm(const SCEV *S, const LoopNest &In,
                                     const LoopChain &Loops) {
  std::optional<AffineForm> Form = groupedForm(S, In, Loops);
  bool IsPlain = Form && !Form->Groups && Form->MustHold.empty();
  return IsPlain ? Form : std::nullopt;
}

std::optional<AffineForm> groupedForm(const SCEV *S, const LoopNest &In,
                                      const LoopChain &Loops) {
  std::optional<AffineForm> Form = Decomposer(In, Loops).decompose(S);
  if (!Form)
    return std::nullopt;
  auto DropZeros = [](AffineSum &Sum) {
    for (const SCEV *&Step : Sum.Step)
      if (Step && Step->isZero())
        Step = nullptr;
  };
  DropZeros(*Form);
  if (Form->Row)
    DropZeros(*Form->Row);
  return Form;
}

bool addMarkedCheck(const Instruction &Access, AffineForm &Form,
                    ScalarEvolution &SE) {
  MDNode *Mark = Access.getMetadata(NarrowMark);
  if (!Mark)
    return true;
  const SCEV *Distance =
      SE.getMinusSCEV(Form.Base, SE.getPointerBase(Form.Base));
  if (isa<SCEVCouldNotCompute>(Distance) || Form.Row || Form.Chosen)
    return false;
  auto *Bits = mdconst::extract<ConstantInt>(Mark->getOperand(0));
  Form.MustNotWrap.push_back({Distance, Form.Step,
                              static_cast<unsigned>(Bits->getZExtValue()),
                              /*Signed=*/false});
  return true;
}

Align alignmentOfElement(const Instruction &I) {
  return commonAlignment(
      getLoadStoreAlignment(&I),
      I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)));
}

} // namespace tilesmith
