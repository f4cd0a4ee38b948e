//===- Expression.cpp - scalar arithmetic lifted out of a nest ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Expression.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

bool isLanewise(const Instruction &I) {
  if (!isa<CallBase>(I))
    return true;
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call &&
         is_contained(ArrayRef<Intrinsic::ID>({Intrinsic::fabs,
                                               Intrinsic::sqrt,
                                               Intrinsic::copysign,
                                               Intrinsic::minnum,
                                               Intrinsic::maxnum,
                                               Intrinsic::minimum,
                                               Intrinsic::maximum,
                                               Intrinsic::minimumnum,
                                               Intrinsic::maximumnum,
                                               Intrinsic::floor,
                                               Intrinsic::ceil,
                                               Intrinsic::trunc,
                                               Intrinsic::rint,
                                               Intrinsic::nearbyint,
                                               Intrinsic::round,
                                               Intrinsic::roundeven,
                                               Intrinsic::lrint,
                                               Intrinsic::llrint,
                                               Intrinsic::fma,
                                               Intrinsic::fmuladd,
                                               Intrinsic::smin,
                                               Intrinsic::smax,
                                               Intrinsic::umin,
                                               Intrinsic::umax,
                                               Intrinsic::abs,
                                               Intrinsic::ctpop,
                                               Intrinsic::sadd_sat,
                                               Intrinsic::ssub_sat,
                                               Intrinsic::uadd_sat,
                                               Intrinsic::usub_sat,
                                               Intrinsic::arithmetic_fence}),
                      Call->getIntrinsicID());
}

bool Expression::contains(
    function_ref<bool(const Instruction &)> Predicate) const {
  SmallVector<Value *, 8> Work{Root};
  SmallPtrSet<Value *, 8> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(resolve(Work.pop_back_val()));
    if (!I || Leaves.contains(I) || !Seen.insert(I).second)
      continue;
    if (Predicate(*I))
      return true;
    // Of what is fused, the product is a leaf.
    if (Fused.contains(I))
      Work.push_back(I->getOperand(2));
    else
      append_range(Work, I->operands());
  }
  return false;
}

bool Expression::isLanewise() const {
  return !contains(
      [](const Instruction &I) { return !tilesmith::isLanewise(I); });
}

bool Expression::uses(Leaf Kind) const {
  return any_of(Leaves, [&](const auto &L) { return L.second == Kind; });
}

void Expression::exchangeFactors() {
  for (auto &[V, Kind] : Leaves)
    if (Kind == Leaf::A || Kind == Leaf::B)
      Kind = Kind == Leaf::A ? Leaf::B : Leaf::A;
}

void Expression::collectInvariants(SetVector<Value *> &Into) const {
  for (const auto &[V, Kind] : Leaves)
    if (Kind == Leaf::Invariant)
      Into.insert(V);
}

namespace {

/// Rebuilds a tree bottom-up, on vectors. A leaf or sub-tree used twice is
/// built once.
class Builder {
public:
  Builder(const Expression &E, IRBuilderBase &B, unsigned Width,
          function_ref<Value *(Value *, Leaf)> ValueOf)
      : E(E), B(B), Width(Width), ValueOf(ValueOf) {}

  Value *build(Value *V) {
    if (auto It = Built.find(V); It != Built.end())
      return It->second;
    Value *New;
    if (auto It = E.Leaves.find(V); It != E.Leaves.end())
      New = ValueOf(V, It->second);
    else if (auto Fwd = E.Forwards.find(V); Fwd != E.Forwards.end())
      New = build(Fwd->second);
    else if (auto *C = dyn_cast<Constant>(V))
      New = Width ? ConstantVector::getSplat(ElementCount::getFixed(Width), C)
                  : C;
    else
      New = buildInstruction(cast<Instruction>(V));
    return Built[V] = New;
  }

private:
  Type *widen(Type *T) const {
    return Width ? FixedVectorType::get(T, Width) : T;
  }

  /// x * y + z, of which x * y is given.
  Value *buildFused(Instruction *I) {
    FastMathFlags Flags = I->getFastMathFlags();
    Flags.setAllowContract();
    Value *Product = ValueOf(I, Leaf::Product);
    Value *Sum = B.CreateFAdd(build(I->getOperand(2)), Product);
    if (auto *NewI = dyn_cast<Instruction>(Sum))
      NewI->setFastMathFlags(Flags);
    return Sum;
  }

  /// The multiplication of the tree that the code generator fuses with \p Add, if it
  /// is operand \p Op.
  Instruction *fusedOperand(const Instruction &Add, unsigned Op) const {
    Type *Ty = Add.getType();
    auto *Multiply = dyn_cast<Instruction>(E.resolve(Add.getOperand(Op)));
    // A trial has shown it.
    if (notedFused(Add))
      return Multiply && isContractable(*Multiply) &&
                     !E.Leaves.contains(Multiply) &&
                     isNotedAsFused(Add, *Add.getOperand(Op))
                 ? Multiply
                 : nullptr;
    return Multiply && (Ty->isFloatTy() || Ty->isDoubleTy()) &&
                   Add.hasAllowContract() && isContractable(*Multiply) &&
                   isUsedOnce(*Multiply) && !E.Leaves.contains(Multiply) &&
                   !E.Rounded.contains(Multiply)
               ? Multiply
               : nullptr;
  }

  /// An addition and the multiplication that is fused with it, as one. Of lanes that
  /// are all the same, LLVM makes one multiplication, which would not be fused.
  Value *buildAsOne(Instruction &Add) {
    bool Subtracts = Add.getOpcode() == Instruction::FSub;
    if (!Subtracts && Add.getOpcode() != Instruction::FAdd)
      return nullptr;
    for (unsigned Op : {0, 1}) {
      Instruction *Multiply = fusedOperand(Add, Op);
      if (!Multiply)
        continue;
      Value *X = build(Multiply->getOperand(0)),
            *Y = build(Multiply->getOperand(1)),
            *Other = build(Add.getOperand(1 - Op));
      if (Subtracts) {
        Value *&Negated = Op == 0 ? Other : X;
        Negated = B.CreateFNeg(Negated);
      }
      Value *New = B.CreateIntrinsic(Intrinsic::fma, widen(Add.getType()),
                                     {X, Y, Other});
      if (auto *NewI = dyn_cast<Instruction>(New))
        NewI->copyFastMathFlags(&Add);
      return New;
    }
    return nullptr;
  }

  /// A call of a function of scalars.
  Value *buildCall(const CallInst &Call, ArrayRef<Value *> Ops) {
    CallInst *New =
        B.CreateCall(Call.getFunctionType(), Call.getCalledOperand(), Ops);
    New->setAttributes(Call.getAttributes());
    New->setCallingConv(Call.getCallingConv());
    New->copyIRFlags(&Call);
    return New;
  }

  /// The same for each lane. Fences keep LLVM from making one call of them: a
  /// library's function of vectors may round in another way.
  Value *buildCalls(const CallInst &Call, ArrayRef<Value *> Ops) {
    Value *Result = PoisonValue::get(widen(Call.getType()));
    for (unsigned Lane = 0; Lane < Width; ++Lane) {
      SmallVector<Value *, 2> OfLane;
      for (Value *Op : Ops)
        OfLane.push_back(Op->getType()->isVectorTy()
                             ? B.CreateExtractElement(Op, Lane)
                             : Op);
      Value *New = buildCall(Call, OfLane);
      if (New->getType()->isFloatingPointTy())
        New = B.CreateArithmeticFence(New, New->getType());
      Result = B.CreateInsertElement(Result, New, Lane);
    }
    return Result;
  }

  /// Whether operand number \p Op, a constant, stays as it is on vectors. Calls
  /// for each lane have all operands in lanes.
  static bool isScalar(const Instruction &I, unsigned Op) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && tilesmith::isLanewise(I) &&
           isVectorIntrinsicWithScalarOpAtArg(Call->getIntrinsicID(), Op,
                                              /*TTI=*/nullptr);
  }

  Value *buildInstruction(Instruction *I) {
    if (E.Fused.contains(I))
      return buildFused(I);
    if (Value *AsOne = buildAsOne(*I))
      return AsOne;
    SmallVector<Value *, 3> Ops;
    unsigned NumOps =
        isa<CallBase>(I) ? cast<CallBase>(I)->arg_size() : I->getNumOperands();
    for (unsigned Op = 0; Op < NumOps; ++Op)
      Ops.push_back(isScalar(*I, Op) ? I->getOperand(Op)
                                     : build(I->getOperand(Op)));
    Value *New;
    if (auto *BO = dyn_cast<BinaryOperator>(I))
      New = B.CreateBinOp(BO->getOpcode(), Ops[0], Ops[1]);
    else if (auto *UO = dyn_cast<UnaryOperator>(I))
      New = B.CreateUnOp(UO->getOpcode(), Ops[0]);
    else if (auto *CI = dyn_cast<CastInst>(I))
      New = B.CreateCast(CI->getOpcode(), Ops[0], widen(CI->getType()));
    else if (auto *Compare = dyn_cast<CmpInst>(I))
      New = B.CreateCmp(Compare->getPredicate(), Ops[0], Ops[1]);
    else if (isa<SelectInst>(I))
      New = B.CreateSelect(Ops[0], Ops[1], Ops[2]);
    else if (Width && !tilesmith::isLanewise(*I))
      New = buildCalls(*cast<CallInst>(I), Ops);
    else if (auto *Call = dyn_cast<IntrinsicInst>(I))
      New = B.CreateIntrinsic(widen(I->getType()), Call->getIntrinsicID(), Ops);
    else
      New = buildCall(*cast<CallInst>(I), Ops);
    if (auto *NewI = dyn_cast<Instruction>(New))
      NewI->copyIRFlags(I);
    // Where the module is compiled to fuse what it can, flags do not stop the
    // code generator.
    if (E.Rounded.contains(I))
      New = B.CreateArithmeticFence(New, New->getType());
    return New;
  }

  const Expression &E;
  IRBuilderBase &B;
  unsigned Width;
  function_ref<Value *(Value *, Leaf)> ValueOf;
  DenseMap<Value *, Value *> Built;
};

StringRef leafName(Leaf Kind) {
  switch (Kind) {
  case Leaf::A:
    return "a";
  case Leaf::B:
    return "b";
  case Leaf::C:
    return "c";
  case Leaf::Product:
    return "a*b";
  case Leaf::Sum:
    return "sum";
  case Leaf::SumOfOther:
    return "sum'";
  case Leaf::COfOther:
    return "c'";
  case Leaf::Part:
    return "part";
  case Leaf::Further:
    return "x";
  case Leaf::Index:
    return "index";
  case Leaf::Invariant:
    return "scalar";
  }
  llvm_unreachable("unknown leaf");
}

void printCallee(raw_ostream &OS, const CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  Name.consume_front("llvm.");
  OS << Name;
}

void printTree(raw_ostream &OS, const Expression &E, Value *V) {
  auto It = E.Leaves.find(V);
  if (It != E.Leaves.end() && It->second != Leaf::Invariant) {
    OS << leafName(It->second);
    return;
  }
  if (auto Fwd = E.Forwards.find(V); Fwd != E.Forwards.end())
    return printTree(OS, E, Fwd->second);
  auto *I = dyn_cast<Instruction>(V);
  if (It != E.Leaves.end() || !I) {
    V->printAsOperand(OS, /*PrintType=*/false);
    return;
  }
  if (E.Fused.contains(V)) {
    OS << "fmuladd(a*b, ";
    printTree(OS, E, I->getOperand(2));
    OS << ')';
    return;
  }
  if (auto *Call = dyn_cast<CallBase>(I))
    printCallee(OS, *Call);
  else
    OS << I->getOpcodeName();
  OS << '(';
  unsigned NumOps =
      isa<CallBase>(I) ? cast<CallBase>(I)->arg_size() : I->getNumOperands();
  for (unsigned Op = 0; Op < NumOps; ++Op) {
    if (Op)
      OS << ", ";
    printTree(OS, E, I->getOperand(Op));
  }
  OS << ')';
}

} // namespace

Value *Expression::build(IRBuilderBase &B, unsigned Width,
                         function_ref<Value *(Value *, Leaf)> ValueOf) const {
  return Builder(*this, B, Width, ValueOf).build(Root);
}

void Expression::print(raw_ostream &OS) const { printTree(OS, *this, Root); }

} // namespace tilesmith
