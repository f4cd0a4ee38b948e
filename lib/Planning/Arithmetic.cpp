//===- Arithmetic.cpp - alpha and beta of a contraction -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start, Update and Finish are each a linear combination of their leaves:
//
//   sum = s*C + (a1*product1 + a2*product2 + ...) for all k
//   C   = f*sum + g*C  =  f*a1 * A1*B1 + ... + (f*s + g) * C
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilesmith {

//===-- Coefficients ------------------------------------------------------===//

Coefficient Coefficient::one() {
  Coefficient Result;
  Result.Summands.emplace_back();
  return Result;
}

Coefficient Coefficient::of(Value *Scalar) {
  if (match(Scalar, PatternMatch::m_AnyZeroFP()) ||
      match(Scalar, PatternMatch::m_Zero()))
    return Coefficient();
  Coefficient Result = one();
  if (!match(Scalar, PatternMatch::m_FPOne()) &&
      !match(Scalar, PatternMatch::m_One()))
    Result.Summands.front().Factors.push_back(Scalar);
  return Result;
}

Coefficient Coefficient::operator+(const Coefficient &O) const {
  Coefficient Result = *this;
  Result.Summands.append(O.Summands);
  return Result;
}

Coefficient Coefficient::operator*(const Coefficient &O) const {
  Coefficient Result;
  for (const Product &X : Summands)
    for (const Product &Y : O.Summands) {
      Product XY = X;
      XY.Negative ^= Y.Negative;
      XY.Factors.append(Y.Factors);
      Result.Summands.push_back(std::move(XY));
    }
  return Result;
}

Coefficient Coefficient::operator-() const {
  Coefficient Result = *this;
  for (Product &P : Result.Summands)
    P.Negative ^= true;
  return Result;
}

/// Whether the two hold the same, in any order.
template <typename T> static bool isPermutation(ArrayRef<T> X, ArrayRef<T> Y) {
  return X.size() == Y.size() &&
         std::is_permutation(X.begin(), X.end(), Y.begin());
}

bool Coefficient::Product::operator==(const Product &O) const {
  return Negative == O.Negative && isPermutation<Value *>(Factors, O.Factors);
}

bool Coefficient::operator==(const Coefficient &O) const {
  return isPermutation<Product>(Summands, O.Summands);
}

Value *Coefficient::build(IRBuilderBase &B, Type *Ty,
                          function_ref<Value *(Value *)> ValueOf) const {
  bool IsFP = Ty->isFloatingPointTy();
  Value *Sum = nullptr;
  for (const Product &P : Summands) {
    Value *V = nullptr;
    for (Value *Factor : P.Factors) {
      Value *F = ValueOf(Factor);
      V = !V ? F : IsFP ? B.CreateFMul(V, F) : B.CreateMul(V, F);
    }
    if (!V)
      V = IsFP ? ConstantFP::get(Ty, 1) : ConstantInt::get(Ty, 1);
    if (P.Negative)
      V = IsFP ? B.CreateFNeg(V) : B.CreateNeg(V);
    Sum = !Sum ? V : IsFP ? B.CreateFAdd(Sum, V) : B.CreateAdd(Sum, V);
  }
  return Sum ? Sum : Constant::getNullValue(Ty);
}

//===-- Linear combinations -----------------------------------------------===//

namespace {

/// Takes the expressions of a contraction apart, and looks at the flags of
/// what it meets.
class Arithmetic {
public:
  explicit Arithmetic(const Contraction &Op) : Op(Op) {}

  std::variant<Scales, Refusal> run();

private:
  /// Coefficients of 1, an element of A or B, C, the sum, and each product.
  enum Basis { One, Element, OldC, Sum, FirstProduct };
  using Combination = SmallVector<Coefficient, 6>;

  /// What \p E is a combination of; nothing if it is none, see No.
  std::optional<Combination> combine(const Expression &E) {
    Current = &E;
    return combine(E.Root);
  }
  std::optional<Combination> combine(Value *V);
  std::optional<Combination> combine(Instruction &I);
  std::optional<Combination> add(std::optional<Combination> X,
                                 std::optional<Combination> Y);
  std::optional<Combination> multiply(std::optional<Combination> X,
                                      std::optional<Combination> Y);
  std::optional<Combination> negate(std::optional<Combination> X);
  Combination unit(unsigned Which, const Coefficient &Times) const {
    Combination Result(FirstProduct + Op.Terms.size());
    Result[Which] = Times;
    return Result;
  }
  /// The basis vector of the term whose product is \p V.
  unsigned productOf(const Value *V) const {
    auto It = find_if(Op.Terms, [&](const Term &T) { return T.Product == V; });
    assert(It != Op.Terms.end() && "a product without a term");
    return FirstProduct + (It - Op.Terms.begin());
  }
  bool allows(const Instruction &I);

  const Contraction &Op;
  Scales Found;
  const Expression *Current = nullptr;
  Refusal No{Reason::LibraryArithmetic};
};

} // namespace

/// Whether the flags of \p I leave a library free to reorder it.
bool Arithmetic::allows(const Instruction &I) {
  if (!isa<FPMathOperator>(I) || I.getOpcode() == Instruction::FNeg)
    return true;
  Found.MayDropZeros &= I.hasNoNaNs();
  if (!I.hasAllowReassoc() || !I.hasNoSignedZeros())
    No = {Reason::LibraryOrder, &I};
  else if (!isa<IntrinsicInst>(I) && !I.hasAllowContract())
    No = {Reason::LibraryFusion, &I};
  else
    return true;
  return false;
}

std::optional<Arithmetic::Combination> Arithmetic::combine(Value *V) {
  if (auto It = Current->Leaves.find(V); It != Current->Leaves.end())
    switch (It->second) {
    case Leaf::A:
    case Leaf::B:
      return unit(Element, Coefficient::one());
    case Leaf::C:
      return unit(OldC, Coefficient::one());
    case Leaf::Sum:
      return unit(Sum, Coefficient::one());
    case Leaf::Product:
      return unit(productOf(V), Coefficient::one());
    case Leaf::Invariant:
      return unit(One, Coefficient::of(V));
    case Leaf::SumOfOther:
    case Leaf::COfOther:
    case Leaf::Part:
    case Leaf::Further:
    case Leaf::Index:
      llvm_unreachable("libraries are not called for epilogues");
    }
  if (auto It = Current->Forwards.find(V); It != Current->Forwards.end())
    return combine(It->second);
  if (isa<Constant>(V))
    return unit(One, Coefficient::of(V));
  No = {Reason::LibraryArithmetic, cast<Instruction>(V)};
  return combine(*cast<Instruction>(V));
}

std::optional<Arithmetic::Combination> Arithmetic::combine(Instruction &I) {
  if (!allows(I))
    return std::nullopt;
  auto Operand = [&](unsigned N) { return combine(I.getOperand(N)); };
  switch (I.getOpcode()) {
  case Instruction::FNeg:
    return negate(Operand(0));
  case Instruction::FAdd:
  case Instruction::Add:
    return add(Operand(0), Operand(1));
  case Instruction::FSub:
  case Instruction::Sub:
    return add(Operand(0), negate(Operand(1)));
  case Instruction::FMul:
  case Instruction::Mul:
    return multiply(Operand(0), Operand(1));
  case Instruction::Shl: {
    auto *Bits = dyn_cast<ConstantInt>(I.getOperand(1));
    if (!Bits || Bits->getValue().uge(Bits->getBitWidth()))
      return std::nullopt;
    APInt Factor = APInt::getOneBitSet(Bits->getBitWidth(),
                                       Bits->getValue().getZExtValue());
    return multiply(
        Operand(0),
        unit(One, Coefficient::of(ConstantInt::get(I.getType(), Factor))));
  }
  default:
    break;
  }
  if (auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && (Call->getIntrinsicID() == Intrinsic::fmuladd ||
               Call->getIntrinsicID() == Intrinsic::fma))
    return add(Current->Fused.contains(&I)
                   ? unit(productOf(&I), Coefficient::one())
                   : multiply(Operand(0), Operand(1)),
               Operand(2));
  return std::nullopt;
}

std::optional<Arithmetic::Combination>
Arithmetic::add(std::optional<Combination> X, std::optional<Combination> Y) {
  if (X && Y)
    for (auto [Xi, Yi] : zip(*X, *Y))
      Xi = Xi + Yi;
  return Y ? X : std::nullopt;
}

std::optional<Arithmetic::Combination>
Arithmetic::multiply(std::optional<Combination> X,
                     std::optional<Combination> Y) {
  if (!X || !Y)
    return std::nullopt;
  auto AllZero = [](ArrayRef<Coefficient> Z) {
    return all_of(Z, [](const Coefficient &Zi) { return Zi.isZero(); });
  };
  // A literal zero times something is left alone: it may be a NaN.
  if (AllZero(*X) || AllZero(*Y))
    return std::nullopt;
  if (!AllZero(ArrayRef(*X).drop_front()))
    std::swap(X, Y);
  if (!AllZero(ArrayRef(*X).drop_front()))
    return std::nullopt;
  for (Coefficient &Yi : *Y)
    Yi = (*X)[One] * Yi;
  return Y;
}

std::optional<Arithmetic::Combination>
Arithmetic::negate(std::optional<Combination> X) {
  if (X)
    for (Coefficient &Xi : *X)
      Xi = -Xi;
  return X;
}

std::variant<Scales, Refusal> Arithmetic::run() {
  std::optional<Combination> Start = combine(Op.Start);
  std::optional<Combination> Update = Start ? combine(Op.Update) : Start;
  std::optional<Combination> Finish = Update ? combine(Op.Finish) : Update;
  if (!Finish)
    return No;
  // Nothing is added but products and C, and the sum is not scaled on its way.
  No = {Reason::LibraryArithmetic, Op.store()};
  if (!(*Start)[One].isZero() || !(*Finish)[One].isZero() ||
      !(*Update)[One].isZero() || !((*Update)[Sum] == Coefficient::one()))
    return No;
  Found.Beta = (*Finish)[Sum] * (*Start)[OldC] + (*Finish)[OldC];
  for (auto [T, Scale] : zip(Op.Terms, drop_begin(*Update, FirstProduct))) {
    if (!allows(*T.Product))
      return No;
    std::optional<Combination> A = combine(T.AMap), B;
    if (A)
      B = combine(T.BMap);
    if (!B)
      return No;
    if (!(*A)[One].isZero() || !(*B)[One].isZero())
      return Refusal{Reason::LibraryArithmetic, T.Product};
    Found.Alpha.push_back((*Finish)[Sum] * Scale * (*A)[Element] *
                          (*B)[Element]);
  }
  return Found;
}

std::variant<Scales, Refusal> scalesOf(const Contraction &Op) {
  return Arithmetic(Op).run();
}

} // namespace tilesmith
