//===- Patterns.cpp - what sums of products are made of -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

bool isFusedMultiplyAdd(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::fmuladd ||
                  Call->getIntrinsicID() == Intrinsic::fma);
}

bool isElementwise(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FNeg:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::FPExt:
    return true;
  default:
    return isFusedMultiplyAdd(I);
  }
}

/// Whether \p Call is of a function of <math.h> that LLVM knows nothing of, though
/// it writes errno at most.
static bool isOfMathLibrary(const CallInst &Call, const Function &Callee) {
  StringRef Name = Callee.getName();
  const Function &Caller = *Call.getFunction();
  if (!Callee.isDeclaration() || Call.isNoBuiltin() ||
      Caller.hasFnAttribute("no-builtins") ||
      Caller.hasFnAttribute(("no-builtin-" + Name).str()) ||
      Call.arg_size() != 1)
    return false;
  Type *Ty = Call.getArgOperand(0)->getType();
  if (!Ty->isDoubleTy() && !(Ty->isFloatTy() && Name.consume_back("f")))
    return false;
  bool IsRounding =
      is_contained({"lrint", "llrint", "lround", "llround"}, Name);
  return IsRounding
             ? Call.getType()->isIntegerTy()
             : Call.getType() == Ty && is_contained({"erfc", "exp10"}, Name);
}

bool isFunctionOfNumbers(const Instruction &I) {
  auto IsNumber = [](const Type *Ty) {
    return Ty->isIntegerTy() || Ty->isFloatingPointTy();
  };
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  MemoryEffects Other = MemoryEffects::unknown();
  if (Callee)
    Other = Call->getMemoryEffects().getWithoutLoc(IRMemLocation::ErrnoMem);
  bool IsPure = Other.doesNotAccessMemory() && Call && Call->willReturn();
  return (IsPure || (Callee && isOfMathLibrary(*Call, *Callee))) &&
         Call->doesNotThrow() && !Call->isConvergent() &&
         !Call->hasOperandBundles() && !Call->isStrictFP() &&
         IsNumber(Call->getType()) && all_of(Call->args(), [&](const Use &Arg) {
           return IsNumber(Arg->getType());
         });
}

bool isMinOrMax(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call &&
         (isa<MinMaxIntrinsic>(Call) ||
          is_contained(ArrayRef<Intrinsic::ID>(
                           {Intrinsic::minnum, Intrinsic::maxnum,
                            Intrinsic::minimum, Intrinsic::maximum,
                            Intrinsic::minimumnum, Intrinsic::maximumnum}),
                       Call->getIntrinsicID()));
}

std::optional<CounterOfLoop> counterOfLoop(const LoopNest &In, const Value &V) {
  const Value *Whole = &V;
  if (auto *Cut = dyn_cast<TruncInst>(Whole))
    Whole = Cut->getOperand(0);
  auto *Phi = dyn_cast<PHINode>(Whole);
  if (!Phi || !Phi->getType()->isIntegerTy())
    return std::nullopt;
  auto *L = find_if(In.Chain, [&](const Loop *L) {
    return L && L->getHeader() == Phi->getParent();
  });
  if (L == In.Chain.end())
    return std::nullopt;
  ScalarEvolution &SE = In.Analyses->SE;
  auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(&V)));
  if (!Rec || Rec->getLoop() != *L || !Rec->isAffine())
    return std::nullopt;
  auto *First = dyn_cast<SCEVConstant>(Rec->getStart()),
       *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
  if (!First || !Step)
    return std::nullopt;
  return CounterOfLoop{unsigned(L - In.Chain.begin()), First->getAPInt(),
                       Step->getAPInt()};
}

bool mayMap(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  bool IsMagnitude = Call && (Call->getIntrinsicID() == Intrinsic::fabs ||
                              Call->getIntrinsicID() == Intrinsic::abs);
  bool IsBitwise =
      is_contained({Instruction::And, Instruction::Or, Instruction::Xor,
                    Instruction::LShr, Instruction::AShr},
                   I.getOpcode());
  return isElementwise(I) || isMinOrMax(I) || IsMagnitude || IsBitwise ||
         (isScalarArithmetic(I) &&
          isa<SIToFPInst, UIToFPInst, BitCastInst, CmpInst, SelectInst>(I));
}

bool mayPair(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
  case Instruction::FSub:
  case Instruction::Sub:
  case Instruction::FMul:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::Select:
    return true;
  default:
    return isMinOrMax(I);
  }
}

bool isConditionalStore(const Instruction &I) {
  const BasicBlock *Before = I.getParent()->getSinglePredecessor();
  return isa<StoreInst>(I) && Before && I.getParent()->getSingleSuccessor() &&
         !Before->getSingleSuccessor();
}

bool mayConjoin(const Instruction &I) {
  auto IsOfElement = [](const Value *V) {
    while (isa<CmpInst, TruncInst, ZExtInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    return isa<LoadInst>(V);
  };
  if (isConditionalStore(I)) {
    const BasicBlock *Before = I.getParent()->getSinglePredecessor();
    auto *Test = dyn_cast<BranchInst>(Before->getTerminator());
    return isa<ConstantInt>(I.getOperand(0)) && Test &&
           IsOfElement(Test->getCondition());
  }
  // Or a loop is left where both are not zero.
  auto *Branch = dyn_cast<BranchInst>(&I);
  if (Branch && Branch->isConditional()) {
    const BasicBlock *Before = I.getParent()->getSinglePredecessor();
    auto *Test =
        Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
    return Test && Test->isConditional() && IsOfElement(Test->getCondition()) &&
           IsOfElement(Branch->getCondition()) &&
           any_of(Branch->successors(), [&](const BasicBlock *To) {
             return is_contained(Test->successors(), To);
           });
  }
  auto *Phi = dyn_cast<PHINode>(&I);
  auto IsConstant = [](const Value *V) {
    return isa<ConstantInt, ConstantFP>(V);
  };
  // Or the first one is zero, and what is chosen by the second one is not looked at.
  auto IsChosen = [&](const Value *V) {
    auto *Choice = dyn_cast<SelectInst>(V);
    return Choice && IsOfElement(Choice->getCondition()) &&
           any_of(drop_begin(Choice->operands()), IsConstant);
  };
  if (Phi && any_of(Phi->operands(), IsChosen))
    return true;
  // The second one may be scaled: m ? s * b : 0.
  auto IsScaled = [&](const Value *V) {
    auto *Scaled = dyn_cast<BinaryOperator>(V);
    return IsOfElement(V) ||
           (Scaled && any_of(Scaled->operands(), IsOfElement));
  };
  if (!Phi || !any_of(Phi->operands(), IsConstant) ||
      !any_of(Phi->operands(), IsScaled))
    return false;
  // Of two ways, one leads past the second element, where the first one is zero.
  return Phi->getNumIncomingValues() > 2 ||
         any_of(Phi->blocks(), [&](const BasicBlock *From) {
           auto *Test = dyn_cast<BranchInst>(From->getTerminator());
           return IsConstant(Phi->getIncomingValueForBlock(From)) && Test &&
                  Test->isConditional() && IsOfElement(Test->getCondition());
         });
}

bool isScalarArithmetic(const Instruction &I) {
  Type *Ty = I.getType();
  if (!Ty->isIntegerTy() && !Ty->isFloatingPointTy())
    return false;
  if (isa<CastInst>(I))
    return !isa<PtrToIntInst, PtrToAddrInst>(I) &&
           !I.getOperand(0)->getType()->isVectorTy();
  if (isa<CallBase>(I))
    return isFunctionOfNumbers(I);
  return isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst>(I) &&
         !I.getOperand(0)->getType()->isPtrOrPtrVectorTy();
}

bool ElementOfC::isReadBy(const Value &V, const LoopNest &In) const {
  auto *Load = dyn_cast<LoadInst>(&V);
  return Address && Load && In.root().contains(Load) && Load->getType() == Ty &&
         In.addressOf(*Load) == Address;
}

/// \p Count operands of \p I from the \p First on.
static Operands operands(const Instruction &I, unsigned First, unsigned Count) {
  return {I.op_begin() + First, Count};
}

Operands addends(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
    return operands(I, 0, 2);
  case Instruction::FSub:
  case Instruction::Sub:
    return operands(I, 0, 1);
  default:
    return isFusedMultiplyAdd(I) ? operands(I, 2, 1) : Operands();
  }
}

Operands exactOperand(const Instruction &I) {
  return I.getOpcode() == Instruction::FNeg || isa<FPExtInst>(I)
             ? operands(I, 0, 1)
             : Operands();
}

Operands castOperand(const Instruction &I) {
  return isa<CastInst>(I) ? operands(I, 0, 1) : Operands();
}

Operands scaledOperands(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Mul:
    return operands(I, 0, 2);
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Shl:
    return operands(I, 0, 1);
  default:
    return {};
  }
}

Operands operandsIn(const Expression &E, const Instruction &I) {
  bool IsFused = E.Fused.contains(const_cast<Instruction *>(&I));
  return Operands(I.op_begin(), I.op_end()).drop_front(IsFused ? 2 : 0);
}

} // namespace tilesmith
