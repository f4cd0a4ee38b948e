//===- Library.cpp - a contraction as calls of a library ------------------===//
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

#include "tilesmith/Planning/Library.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilesmith {

//===----------------------------------------------------------------------===//
// Enumerated arguments
//===----------------------------------------------------------------------===//

CallFlags gemmFlags(Order A, Order B, Order C, Order Layout) {
  CallFlags Result;
  Result.Layout = Layout;
  Result.Mirrored = Layout != C;
  // The transpose of a matrix lies in memory as the matrix does, in the other
  // order.
  auto OpOf = [&](Order X) {
    return (X == Layout) != Result.Mirrored ? Trans::No : Trans::Yes;
  };
  Result.First = OpOf(Result.Mirrored ? B : A);
  Result.Second = OpOf(Result.Mirrored ? A : B);
  return Result;
}

CallFlags rankUpdateFlags(Order A, Order C, UpLo Half, Order Layout) {
  CallFlags Result;
  Result.Layout = Layout;
  Result.Mirrored = Layout != C;
  Result.First = Result.Second = A == Layout ? Trans::No : Trans::Yes;
  Result.Half = Half;
  if (Result.Mirrored)
    Result.Half = Half == UpLo::Lower ? UpLo::Upper : UpLo::Lower;
  return Result;
}

//===----------------------------------------------------------------------===//
// Coefficients
//===----------------------------------------------------------------------===//

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

namespace {

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Takes the expressions of a contraction apart, and looks at the flags of
/// what it meets.
class Arithmetic {
public:
  explicit Arithmetic(const Contraction &Op) : Op(Op) {}

  /// Finds Alpha, one per term, and Beta.
  Refused run();

  SmallVector<Coefficient, 1> Alpha;
  Coefficient Beta;
  bool MayDropZeros = true;

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
  const Expression *Current = nullptr;
  Refusal No{Reason::LibraryArithmetic};
};

/// Whether the flags of \p I leave a library free to reorder it.
bool Arithmetic::allows(const Instruction &I) {
  if (!isa<FPMathOperator>(I) || I.getOpcode() == Instruction::FNeg)
    return true;
  MayDropZeros &= I.hasNoNaNs();
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

Refused Arithmetic::run() {
  std::optional<Combination> Start = combine(Op.Start);
  std::optional<Combination> Update = Start ? combine(Op.Update) : Start;
  std::optional<Combination> Finish = Update ? combine(Op.Finish) : Update;
  if (!Finish)
    return No;
  // Nothing is added but products and C, and the sum is not scaled on its way.
  No = {Reason::LibraryArithmetic, Op.UpdateStore};
  if (!(*Start)[One].isZero() || !(*Finish)[One].isZero() ||
      !(*Update)[One].isZero() || !((*Update)[Sum] == Coefficient::one()))
    return No;
  Beta = (*Finish)[Sum] * (*Start)[OldC] + (*Finish)[OldC];
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
    Alpha.push_back((*Finish)[Sum] * Scale * (*A)[Element] * (*B)[Element]);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Routines
//===----------------------------------------------------------------------===//

/// The order of a matrix with the given dimensions, if it has one that a
/// library can be told.
std::optional<Order> orderOf(const Access &X, Dim Row, Dim Column,
                             const DataLayout &DL) {
  bool AdjacentInRow = X.isUnit(Column, DL),
       AdjacentInColumn = X.isUnit(Row, DL);
  if (AdjacentInRow == AdjacentInColumn ||
      X.Alignment < DL.getTypeStoreSize(X.ElemTy).getFixedValue())
    return std::nullopt;
  // Rows that surely run backwards are better off with a kernel than with the
  // guard's refusal.
  const SCEV *Ld = X.Stride[AdjacentInRow ? Row : Column];
  auto *Constant = dyn_cast<SCEVConstant>(Ld);
  if (Constant ? Constant->getAPInt().isNegative()
               : Ld->isNonConstantNegative())
    return std::nullopt;
  return AdjacentInRow ? Order::RowMajor : Order::ColMajor;
}

/// Whether \p A, along m, is the matrix that \p B is along n.
bool isSameMatrix(const Access &A, const Access &B) {
  return A.Base == B.Base && A.Stride[M] == B.Stride[N] &&
         A.Stride[K] == B.Stride[K];
}

/// The routine for the domain and the operands of \p Op; that all terms have
/// the same coefficient is for the caller to check.
std::optional<Routine> routineFor(const Contraction &Op) {
  if (!Op.Domain)
    return Routine::GEMM;
  if (!Op.Domain->isOfC() || !Op.Domain->Offset->isZero())
    return std::nullopt;
  ArrayRef<Term> Terms = Op.Terms;
  if (Terms.size() == 1 && isSameMatrix(Terms[0].A, Terms[0].B))
    return Routine::SYRK;
  if (Terms.size() == 2 && isSameMatrix(Terms[0].A, Terms[1].B) &&
      isSameMatrix(Terms[1].A, Terms[0].B))
    return Routine::SYR2K;
  return std::nullopt;
}

StringRef nameOf(Routine R) {
  switch (R) {
  case Routine::GEMM:
    return "gemm";
  case Routine::SYRK:
    return "syrk";
  case Routine::SYR2K:
    return "syr2k";
  }
  llvm_unreachable("unknown routine");
}

/// The library's function for elements of type \p Ty, or "".
std::string functionFor(Routine R, const Type &Ty, Strategy Library) {
  bool IsFP = Ty.isFloatTy() || Ty.isDoubleTy();
  unsigned Bits = Ty.getPrimitiveSizeInBits().getFixedValue();
  if (Library == Strategy::BLAS)
    return IsFP ? ("cblas_" + Twine(Bits == 32 ? "s" : "d") + nameOf(R)).str()
                : "";
  return ("tilesmith_eigen_" + nameOf(R) + (IsFP ? "_f" : "_i") + Twine(Bits))
      .str();
}

/// void gemm(layout, transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C,
/// ldc), void syrk(layout, uplo, trans, N, K, alpha, A, lda, beta, C, ldc), and
/// syr2k as syrk, with B and ldb: all numbers are int.
FunctionType *typeOf(Routine R, Type *Element) {
  LLVMContext &Ctx = Element->getContext();
  Type *Int = Type::getInt32Ty(Ctx), *Ptr = PointerType::getUnqual(Ctx);
  SmallVector<Type *, 14> Types(R == Routine::GEMM ? 6 : 5, Int);
  Types.append({Element, Ptr, Int});
  if (R != Routine::SYRK)
    Types.append({Ptr, Int});
  Types.append({Element, Ptr, Int});
  return FunctionType::get(Type::getVoidTy(Ctx), Types, /*isVarArg=*/false);
}

/// Whether a call of \p Name may be put into \p Mod: what is compiled is not
/// the library itself, nor something else of this name.
bool isLibraryFunction(const Module &Mod, StringRef Name, FunctionType *Ty) {
  const GlobalValue *There = Mod.getNamedValue(Name);
  if (!There)
    return true;
  auto *F = dyn_cast<Function>(There);
  return F && F->isDeclaration() && F->getFunctionType() == Ty;
}

} // namespace

std::variant<LibraryCalls, Refusal> planLibrary(const Contraction &Op,
                                                const Options &Opts) {
  const DataLayout &DL = Op.UpdateStore->getDataLayout();
  auto No = [&](Reason Why) { return Refusal{Why, Op.UpdateStore}; };
  // Only a kernel looks at all elements first.
  if (any_of(Op.accesses(), [](const Access *X) { return X->Zeros; }))
    return No(Reason::LibraryArithmetic);
  if (any_of(Op.accesses(),
             [&](const Access *X) { return X->ElemTy != Op.SumTy; }) ||
      functionFor(Routine::GEMM, *Op.SumTy, Opts.Strategy).empty())
    return No(Reason::LibraryType);
  Arithmetic Scales(Op);
  if (Refused Not = Scales.run())
    return *Not;

  LibraryCalls Result;
  std::optional<Routine> Of = routineFor(Op);
  if (!Of || Op.ToScratch)
    return No(Reason::LibraryDomain);
  if (Op.hasRowTables())
    return No(Reason::LibraryStrides);
  Result.Of = *Of;
  Result.Function = functionFor(*Of, *Op.SumTy, Opts.Strategy);
  Result.Ty = typeOf(*Of, Op.SumTy);
  Result.Beta = std::move(Scales.Beta);
  Result.MayDropZeros = Scales.MayDropZeros;

  std::optional<Order> OrderC = orderOf(Op.C, M, N, DL);
  if (!OrderC)
    return No(Reason::LibraryStrides);
  Order Layout = Opts.Layout == Layout::OfC   ? *OrderC
                 : Opts.Layout == Layout::Row ? Order::RowMajor
                                              : Order::ColMajor;
  for (auto [T, Alpha] : zip(Op.Terms, Scales.Alpha)) {
    std::optional<Order> A = orderOf(T.A, M, K, DL), B = orderOf(T.B, K, N, DL);
    if (!A || !B)
      return No(Reason::LibraryStrides);
    if (*Of == Routine::GEMM) {
      Result.Calls.push_back({gemmFlags(*A, *B, *OrderC, Layout), Alpha});
      continue;
    }
    // B' is stored as A is.
    if (*A == *B)
      return No(Reason::LibraryStrides);
    if (!(Alpha == Scales.Alpha.front()))
      return No(Reason::LibraryArithmetic);
    if (Result.Calls.empty())
      Result.Calls.push_back(
          {rankUpdateFlags(*A, *OrderC,
                           Op.Domain->isLower() ? UpLo::Lower : UpLo::Upper,
                           Layout),
           Alpha});
  }
  if (!isLibraryFunction(*Op.UpdateStore->getModule(), Result.Function,
                         Result.Ty))
    return No(Reason::LibraryName);
  return Result;
}

std::string LibraryCalls::summary() const {
  std::string Text;
  raw_string_ostream OS(Text);
  ListSeparator Comma;
  for (const Call &C : Calls) {
    auto OpName = [](Trans T) { return T == Trans::No ? "NoTrans" : "Trans"; };
    OS << Comma << Function << '('
       << (C.With.Layout == Order::RowMajor ? "RowMajor" : "ColMajor");
    if (Of != Routine::GEMM)
      OS << (C.With.Half == UpLo::Lower ? ", Lower" : ", Upper");
    OS << ", " << OpName(C.With.First);
    if (Of == Routine::GEMM)
      OS << ", " << OpName(C.With.Second);
    OS << ')';
  }
  return Text;
}

} // namespace tilesmith
