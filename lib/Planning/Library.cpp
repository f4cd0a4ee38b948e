//===- Library.cpp - a contraction as calls of a library ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Library.h"
#include "Arithmetic.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

//===-- Enumerated arguments ----------------------------------------------===//

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

CallFlags triangularFlags(Order A, Order C, UpLo Half, Side Of, Diag Diagonal,
                          Order Layout) {
  // Both a transposition and a mirror image exchange the halves, and the latter
  // the sides.
  CallFlags Result;
  Result.Layout = Layout;
  Result.Mirrored = Layout != C;
  Result.First = (A == Layout) != Result.Mirrored ? Trans::No : Trans::Yes;
  bool Exchanged = Result.Mirrored != (Result.First == Trans::Yes);
  Result.Half = (Half == UpLo::Lower) != Exchanged ? UpLo::Lower : UpLo::Upper;
  Result.Of = (Of == Side::Left) != Result.Mirrored ? Side::Left : Side::Right;
  Result.Diagonal = Diagonal;
  return Result;
}

CallFlags symmetricFlags(Order A, Order C, Side Of, Order Layout) {
  // A mirror image of the product exchanges the sides. The symmetric matrix has
  // the call's layout, which may be that of its transpose.
  CallFlags Result;
  Result.Layout = Layout;
  Result.Mirrored = Layout != C;
  Result.Half = A == Layout ? UpLo::Lower : UpLo::Upper;
  Result.Of = (Of == Side::Left) != Result.Mirrored ? Side::Left : Side::Right;
  return Result;
}

namespace {

//===-- Routines ----------------------------------------------------------===//

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
  ArrayRef<Term> Terms = Op.Terms;
  if (Terms.size() == 1 && (Terms[0].AIsC || Terms[0].BIsC) &&
      Terms[0].Ahead <= 1)
    return Routine::TRMM;
  if (!Op.Domain->isOfC() || !Op.Domain->Offset->isZero())
    return std::nullopt;
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
  case Routine::SYMM:
    return "symm";
  case Routine::TRMM:
    return "trmm";
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
  return IsFP || Bits >= 32 ? ("tilesmith_eigen_" + nameOf(R) +
                               (IsFP ? "_f" : "_i") + Twine(Bits))
                                  .str()
                            : "";
}

/// void gemm(layout, transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C,
/// ldc), void syrk(layout, uplo, trans, N, K, alpha, A, lda, beta, C, ldc),
/// syr2k as syrk, with B and ldb, void symm(layout, side, uplo, M, N, alpha, A,
/// lda, B, ldb, beta, C, ldc), and void trmm(layout, side, uplo, trans, diag,
/// M, N, alpha, A, lda, C, ldc): all numbers are int.
FunctionType *typeOf(Routine R, Type *Element) {
  LLVMContext &Ctx = Element->getContext();
  Type *Int = Type::getInt32Ty(Ctx), *Ptr = PointerType::getUnqual(Ctx);
  unsigned Numbers = R == Routine::GEMM ? 6 : R == Routine::TRMM ? 7 : 5;
  SmallVector<Type *, 14> Types(Numbers, Int);
  Types.append({Element, Ptr, Int});
  if (R != Routine::SYRK)
    Types.append({Ptr, Int});
  if (R != Routine::TRMM)
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

/// What no library computes.
std::optional<Reason> refuseOperation(const Nest &Found, const Options &Opts) {
  const Contraction &Op = Found.Op;
  // Only a kernel looks at all elements first.
  if (any_of(Op.accesses(),
             [](const Access *X) { return X->isSearched() || X->Saved; }) ||
      Op.borderedFactor() || Op.After || !Op.StartOperands.empty() ||
      Op.hasPairings() || Op.isComplex())
    return Reason::LibraryArithmetic;
  if (Op.isMatrixVector() ||
      (Op.Domain && (Op.Domain->StoresEmpty || Op.Domain->Parts)))
    return Reason::LibraryDomain;
  if (any_of(Op.accesses(),
             [&](const Access *X) { return X->ElemTy != Op.SumTy; }) ||
      functionFor(Routine::GEMM, *Op.SumTy, Opts.Strategy).empty())
    return Reason::LibraryType;
  return std::nullopt;
}

/// A contraction on its way to calls.
struct CallPlanner {
  const Contraction &Op;
  const Scales &By;
  Routine Of;
  Order OrderC, Layout;
  LibraryCalls Result;

  std::optional<Reason> addTerm(const Term &T, const Coefficient &Alpha);

private:
  std::optional<Reason> addSymmetric(const Term &T, Order A, Order B,
                                     const Coefficient &Alpha);
  std::optional<Reason> addTriangular(const Term &T, Order A, Order B,
                                      const Coefficient &Alpha);
  std::optional<Reason> addRankUpdate(Order A, Order B,
                                      const Coefficient &Alpha);
};

/// The library takes one of both matrices as symmetric, and no transpose of the
/// other one.
std::optional<Reason> CallPlanner::addSymmetric(const Term &T, Order A, Order B,
                                                const Coefficient &Alpha) {
  if ((T.A.IsSymmetric && T.B.IsSymmetric) ||
      (T.A.IsSymmetric ? B : A) != OrderC)
    return Reason::LibraryStrides;
  Order Stored = T.A.IsSymmetric ? A : *orderOf(T.B, N, K, Op.getDataLayout());
  Side On = T.A.IsSymmetric ? Side::Left : Side::Right;
  Result.Calls.push_back(
      {Routine::SYMM, symmetricFlags(Stored, OrderC, On, Layout), Alpha});
  return std::nullopt;
}

/// The element itself is the sum's first, with the factor one, or it is not.
std::optional<Reason> CallPlanner::addTriangular(const Term &T, Order A,
                                                 Order B,
                                                 const Coefficient &Alpha) {
  bool IsUnit = T.Ahead == 1;
  if (!(Result.Beta == (IsUnit ? Alpha : Coefficient())))
    return Reason::LibraryArithmetic;
  Result.Calls.push_back(
      {Routine::TRMM,
       triangularFlags(T.BIsC ? A : B, OrderC,
                       T.BIsC ? UpLo::Upper : UpLo::Lower,
                       T.BIsC ? Side::Left : Side::Right,
                       IsUnit ? Diag::Unit : Diag::NonUnit, Layout),
       Alpha});
  Result.Calls.push_back(
      {Routine::GEMM, gemmFlags(A, B, OrderC, Layout), Alpha});
  return std::nullopt;
}

/// One call makes all terms. B' is stored as A is.
std::optional<Reason> CallPlanner::addRankUpdate(Order A, Order B,
                                                 const Coefficient &Alpha) {
  if (A == B)
    return Reason::LibraryStrides;
  if (!(Alpha == By.Alpha.front()))
    return Reason::LibraryArithmetic;
  UpLo Half = Op.Domain->isLower() ? UpLo::Lower : UpLo::Upper;
  if (Result.Calls.empty())
    Result.Calls.push_back(
        {Of, rankUpdateFlags(A, OrderC, Half, Layout), Alpha});
  return std::nullopt;
}

std::optional<Reason> CallPlanner::addTerm(const Term &T,
                                           const Coefficient &Alpha) {
  const DataLayout &DL = Op.getDataLayout();
  std::optional<Order> A = orderOf(T.A, M, K, DL), B = orderOf(T.B, K, N, DL);
  if (!A || !B)
    return Reason::LibraryStrides;
  if (T.A.IsSymmetric || T.B.IsSymmetric)
    return addSymmetric(T, *A, *B, Alpha);
  if (Of == Routine::TRMM)
    return addTriangular(T, *A, *B, Alpha);
  if (Of != Routine::GEMM)
    return addRankUpdate(*A, *B, Alpha);
  Result.Calls.push_back(
      {Routine::GEMM, gemmFlags(*A, *B, OrderC, Layout), Alpha});
  return std::nullopt;
}

} // namespace

std::variant<LibraryCalls, Refusal> planLibrary(const Nest &Found,
                                                const Options &Opts) {
  const Contraction &Op = Found.Op;
  auto No = [&](Reason Why) { return Refusal{Why, Op.store()}; };
  if (std::optional<Reason> Why = refuseOperation(Found, Opts))
    return No(*Why);
  auto MaybeScales = scalesOf(Op);
  if (auto *Not = std::get_if<Refusal>(&MaybeScales))
    return *Not;
  const Scales &By = std::get<Scales>(MaybeScales);
  std::optional<Routine> Of = routineFor(Op);
  if (!Of || Found.Source.ToScratch || !Op.Outer.empty())
    return No(Reason::LibraryDomain);
  std::optional<Order> OrderC = orderOf(Op.C, M, N, Op.getDataLayout());
  if (Op.fillsMatrices() || !OrderC)
    return No(Reason::LibraryStrides);
  Order Layout = Opts.Layout == Layout::OfC   ? *OrderC
                 : Opts.Layout == Layout::Row ? Order::RowMajor
                                              : Order::ColMajor;
  CallPlanner Planner{Op, By, *Of, *OrderC, Layout, {}};
  LibraryCalls &Result = Planner.Result;
  Result.Of = *Of;
  Result.Beta = By.Beta;
  Result.MayDropZeros = By.MayDropZeros;
  for (auto [T, Alpha] : zip(Op.Terms, By.Alpha))
    if (std::optional<Reason> Why = Planner.addTerm(T, Alpha))
      return No(*Why);
  for (LibraryCalls::Call &C : Result.Calls) {
    C.Function = functionFor(C.Of, *Op.SumTy, Opts.Strategy);
    C.Ty = typeOf(C.Of, Op.SumTy);
    if (!isLibraryFunction(*Op.store()->getModule(), C.Function, C.Ty))
      return No(Reason::LibraryName);
  }
  return Result;
}

std::string LibraryCalls::summary() const {
  std::string Text;
  raw_string_ostream OS(Text);
  ListSeparator Comma;
  for (const Call &C : Calls) {
    auto OpName = [](Trans T) { return T == Trans::No ? "NoTrans" : "Trans"; };
    OS << Comma << C.Function << '('
       << (C.With.Layout == Order::RowMajor ? "RowMajor" : "ColMajor");
    if (C.Of == Routine::SYMM || C.Of == Routine::TRMM)
      OS << (C.With.Of == Side::Left ? ", Left" : ", Right");
    if (C.Of != Routine::GEMM)
      OS << (C.With.Half == UpLo::Lower ? ", Lower" : ", Upper");
    if (C.Of != Routine::SYMM)
      OS << ", " << OpName(C.With.First);
    if (C.Of == Routine::GEMM)
      OS << ", " << OpName(C.With.Second);
    if (C.Of == Routine::TRMM)
      OS << (C.With.Diagonal == Diag::Unit ? ", Unit" : ", NonUnit");
    OS << ')';
  }
  return Text;
}

} // namespace tilesmith
