//===- ComplexParts.cpp - both parts of complex sums ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   c[m][n].re += a.re * b[n].re - a.im * b[n].im;
//   c[m][n].im += a.re * b[n].im + a.im * b[n].re;
//
// with c's numbers adjacent along n. Seen as real elements, twice as many, c is
//
//   c[m][n'] += a.re * b[n'] - a.im * x[n']
//
// where x are the same parts as b, in another order: b[n].im, -b[n].re, … So it
// is one contraction, whose second term has a factor that packing puts in order.
// No element of c is moved, and each is summed as in the source: the sign of a
// factor is that of its product, x - y is x + -y, and x + y is y + x.
//
// If clang fuses the products of b.re instead (c.im += a.im * b.re + a.re * b.im),
// it is the factor a whose parts are in turn:
//
//   c'[m'][n] += a[m'] * b[n].re - x[m'] * b[n].im       x = a.im, -a.re, …
//
// where rows 2i and 2i + 1 of c' are the parts of the numbers in row i of c (turn).
// Then a may be computed: the matrix of its values is one of numbers, too.
//
//===----------------------------------------------------------------------===//

#include "ComplexParts.h"
#include "Arithmetic.h"
#include "Reroll.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A factor as the element that it is, or as that negated; none if it is more.
struct SignedElement {
  bool IsNegated = false;
  Value *Element = nullptr;
};
std::optional<SignedElement> signedElement(const Expression &Map) {
  SignedElement Result{false, Map.resolve(Map.Root)};
  while (!Map.Leaves.contains(Result.Element)) {
    auto *Negation = dyn_cast<UnaryOperator>(Result.Element);
    if (!Negation || Negation->getOpcode() != Instruction::FNeg)
      return std::nullopt;
    Result.IsNegated ^= true;
    Result.Element = Map.resolve(Negation->getOperand(0));
  }
  Leaf Kind = Map.Leaves.find(Result.Element)->second;
  return Kind == Leaf::A || Kind == Leaf::B ? std::optional(Result)
                                            : std::nullopt;
}

/// Tries to see one contraction in those of two parts.
class PartJoiner {
public:
  PartJoiner(Nest &Result, const Nest &Other, ScalarEvolution &SE)
      : Result(Result), OtherNest(Other), Op(Result.Op), Other(Other.Op),
        SE(SE), Size(Op.getDataLayout().getTypeStoreSize(Op.SumTy)) {}

  bool join();

private:
  /// A term of ours, the other part's, and whether the signs of their products
  /// differ in the sums.
  struct Link {
    const Term *Ours, *Its;
    bool IsNegated;
  };
  struct Factor { ///< what takes the place of one along D
    Access X;
    std::optional<Making> By;
  };
  using Factors = SmallVector<Factor, 2>;

  bool isPlain(const Contraction &Of) const;
  bool areAlike() const;
  bool haveEpilogueOfBoth() const;
  void joinEpilogues();
  std::optional<int> partsApart(const Access &X, const Access &Y) const;
  bool isApart() const { return Result.Source.ToScratch.has_value(); }
  SmallVector<Dim, 2> dims();
  const Access &along(const Term &T) const { return D == M ? T.A : T.B; }
  const Access &across(const Term &T) const { return D == M ? T.B : T.A; }
  const Expression &mapAlong(const Term &T) const {
    return D == M ? T.AMap : T.BMap;
  }
  const Expression &mapAcross(const Term &T) const {
    return D == M ? T.BMap : T.AMap;
  }
  /// What makes the factor along D, or the other.
  const Making *making(const Term &T, bool IsAlong) const {
    const auto &Made = (D == M) == IsAlong ? T.MadeA : T.MadeB;
    return Made ? &*Made : nullptr;
  }
  bool isCommon(const Term &X, const Term &Y) const;
  const Term *termOf(const Contraction &Of, const Value *Product) const;
  bool link(Value *V, Value *W, bool IsNegated);
  bool linkTerms(Value *V, Value *W, bool IsNegated);
  bool linkOperation(Instruction &I, Instruction &J, bool IsNegated);
  bool linkRests();
  std::optional<std::array<bool, 2>> signsOf(const Link &L) const;
  std::optional<Factor> joinedElements(const Link &L, bool &IsSecond) const;
  std::optional<Factor> joinedMaking(const Link &L, bool &IsSecond);
  std::optional<Factor> joined(const Link &L);
  Factors factorsAlong(Dim Of);
  void replaceFactors(ArrayRef<Factor> Joined);
  void joinC();
  bool areFew(Dim Of) const;
  Factors turn(Dim Of);
  void turnC();
  void searchOnce();

  Nest &Result;
  const Nest &OtherNest;
  Contraction &Op;
  const Contraction &Other;
  ScalarEvolution &SE;
  uint64_t Size;
  Dim D = M;             ///< along which the parts follow each other in C
  bool IsFirst = true;   ///< ours is the first part
  bool IsTurned = false; ///< parts follow each other in C along the other one
  SmallVector<Link, 2> Links;
  SmallVector<Making, 2> Made; ///< of numbers along D
};

bool PartJoiner::isPlain(const Contraction &Of) const {
  return (Of.SumTy->isFloatTy() || Of.SumTy->isDoubleTy()) &&
         Of.Outer.empty() &&
         (!Of.Domain || (!Of.Domain->Parts && !Of.Domain->StoresEmpty)) &&
         (!Of.After || Of.After->isOfNumbers()) && !Of.hasRowTables() &&
         Of.StartOperands.empty() && !Of.isSaved() && !Of.Transposed &&
         (!Of.isMatrixVector() || (!Of.Domain && !Of.After)) &&
         !Of.borderedFactor() &&
         all_of(Of.accesses(),
                [&](const Access *X) {
                  return X->ElemTy == Of.SumTy && !X->IsSymmetric && !X->Parts;
                }) &&
         all_of(Of.Terms, [](const Term &T) { return !T.Pairing; });
}

bool PartJoiner::areAlike() const {
  const auto &Sums = Result.Source.ToScratch,
             &OtherSums = OtherNest.Source.ToScratch;
  if (Sums.has_value() != OtherSums.has_value())
    return false;
  // A matrix that goes by once is not searched: the sums tell.
  if (Op.isMatrixVector() &&
      !(Result.Source.TestsAddends || OtherNest.Source.TestsAddends))
    return false;
  bool AreApart =
      Sums ? Sums->Sum != OtherSums->Sum && !Sums->Once && !OtherSums->Once &&
                 Result.Source.Absorbed.empty() &&
                 OtherNest.Source.Absorbed.empty()
           : OtherNest.Source.UpdateStore != Result.Source.UpdateStore;
  return AreApart && OtherNest.Source.Loops == Result.Source.Loops &&
         isPlain(Op) && isPlain(Other) && Op.Domain == Other.Domain &&
         Op.SumTy == Other.SumTy && Op.BackedgeCount == Other.BackedgeCount &&
         Op.Rest.has_value() == Other.Rest.has_value() &&
         (!Op.Rest || (Op.Rest->Along == Other.Rest->Along &&
                       Op.Rest->Step == Other.Rest->Step)) &&
         Op.Terms.size() == Other.Terms.size() &&
         !Result.Source.HasStepBefore && !OtherNest.Source.HasStepBefore &&
         Result.Source.Initials.empty() == OtherNest.Source.Initials.empty() &&
         areEqual(Op.Start, Other.Start) && areEqual(Op.Finish, Other.Finish) &&
         haveEpilogueOfBoth();
}

/// Whether neither has an epilogue, or both have one of both sums and of both
/// parts of C's number, which nothing is stored to before.
bool PartJoiner::haveEpilogueOfBoth() const {
  if (!Op.After && !Other.After)
    return true;
  auto IsOfBoth = [&](const Nest &X, const Nest &Y) {
    return X.Op.After && X.Op.After->SumOfOther == Y.Op.Finish.Root &&
           X.Source.Absorbed.empty() && X.Source.Initials.empty() &&
           all_of(X.Op.After->Operands, [&](const FurtherOperand &Of) {
             return partsApart(Of.X, Y.Op.C) == 0;
           });
  };
  return IsOfBoth(Result, OtherNest) && IsOfBoth(OtherNest, Result);
}

void PartJoiner::joinEpilogues() {
  if (!Op.After)
    return;
  Epilogue Both = IsFirst ? *Op.After : *Other.After;
  Both.Second = IsFirst ? Other.After->Value : Op.After->Value;
  Both.Operands.clear();
  auto IsOfC = [](Expression &E) {
    for (auto &[V, Kind] : E.Leaves)
      if (Kind == Leaf::Further)
        Kind = Leaf::COfOther;
  };
  IsOfC(Both.Value);
  IsOfC(*Both.Second);
  for (NumberProduct &Product : Both.Products) {
    for_each(Product.Formulas, IsOfC);
    for_each(Product.Factors, IsOfC);
  }
  Op.After = std::move(Both);
}

/// How many elements \p Y, which moves as \p X does, is behind it.
std::optional<int> PartJoiner::partsApart(const Access &X,
                                          const Access &Y) const {
  if (X.Stride != Y.Stride)
    return std::nullopt;
  auto *Bytes = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Y.Base, X.Base));
  for (int Elements : {-1, 0, 1})
    if (Bytes && Bytes->getAPInt().getSExtValue() == Elements * int64_t(Size))
      return Elements;
  return std::nullopt;
}

/// Along which dimension parts may follow each other in C. A matrix of sums that
/// are kept apart may lie in either way: better as a factor does.
SmallVector<Dim, 2> PartJoiner::dims() {
  auto IsAdjacent = [&](const Access &X, Dim Of) {
    return X.isStep(Of, 2 * Size);
  };
  SmallVector<Dim, 2> Dims{N, M};
  if (Op.isMatrixVector() && isApart())
    return {M};
  if (isApart()) {
    if (IsAdjacent(Op.Terms[0].A, M) && !IsAdjacent(Op.Terms[0].B, N))
      std::swap(Dims[0], Dims[1]);
    return Dims;
  }
  std::optional<int> Apart = partsApart(Op.C, Other.C);
  erase_if(Dims, [&](Dim Of) { return !IsAdjacent(Op.C, Of); });
  if (!Apart || *Apart == 0 || Dims.size() != 1)
    return {};
  IsFirst = *Apart > 0;
  return Dims;
}

const Term *PartJoiner::termOf(const Contraction &Of,
                               const Value *Product) const {
  auto *Found =
      find_if(Of.Terms, [&](const Term &T) { return T.Product == Product; });
  return Found == Of.Terms.end() ? nullptr : Found;
}

/// Whether terms have the same factor beside the complex numbers, made or not.
bool PartJoiner::isCommon(const Term &X, const Term &Y) const {
  const Making *OfX = making(X, /*IsAlong=*/false),
               *OfY = making(Y, /*IsAlong=*/false);
  if (OfX || OfY)
    return OfX && OfY && OfX->Value.Root == OfY->Value.Root;
  return partsApart(across(X), across(Y)) == 0 &&
         (signedElement(mapAcross(X)) || areEqual(mapAcross(X), mapAcross(Y)));
}

/// Links terms with the same factor beside the complex numbers.
bool PartJoiner::linkTerms(Value *V, Value *W, bool IsNegated) {
  const Term *X = termOf(Op, V), *Y = termOf(Other, W);
  if (!X || !Y || !X->Product->hasSameSubclassOptionalData(Y->Product) ||
      !isCommon(*X, *Y))
    return false;
  Links.push_back({X, Y, IsNegated});
  return true;
}

/// Whether \p W, of the other part, is computed as \p V but for the elements,
/// and the signs of products; \p IsNegated: -W.
bool PartJoiner::link(Value *V, Value *W, bool IsNegated) {
  auto Strip = [&](const Expression &E, Value *&Of) {
    for (Of = E.resolve(Of); !E.Leaves.contains(Of); Of = E.resolve(Of)) {
      auto *I = dyn_cast<UnaryOperator>(Of);
      if (!I || I->getOpcode() != Instruction::FNeg)
        break;
      IsNegated ^= true;
      Of = I->getOperand(0);
    }
  };
  Strip(Op.Update, V);
  Strip(Other.Update, W);
  if (Op.Update.Rounded.contains(V) != Other.Update.Rounded.contains(W) ||
      Op.Update.Fused.contains(V) != Other.Update.Fused.contains(W))
    return false;
  auto OfV = Op.Update.Leaves.find(V);
  auto OfW = Other.Update.Leaves.find(W);
  bool IsLeaf = OfV != Op.Update.Leaves.end();
  if (IsLeaf != (OfW != Other.Update.Leaves.end()))
    return false;
  if (IsLeaf && OfV->second == Leaf::Product && OfW->second == Leaf::Product &&
      !Op.Update.Fused.contains(V))
    return linkTerms(V, W, IsNegated);
  // The sign of a sum that is zero is not that of its terms.
  if (IsNegated)
    return false;
  auto *I = dyn_cast<Instruction>(V), *J = dyn_cast<Instruction>(W);
  if (Op.Update.Fused.contains(V))
    return I->isSameOperationAs(J) && linkTerms(V, W, false) &&
           link(I->getOperand(2), J->getOperand(2), false);
  if (IsLeaf)
    return OfV->second == OfW->second &&
           (OfV->second != Leaf::Invariant || V == W);
  return I && J ? linkOperation(*I, *J, IsNegated) : V == W;
}

/// x + y as z + w or w + z, each with their signs.
bool PartJoiner::linkOperation(Instruction &I, Instruction &J, bool IsNegated) {
  auto IsSum = [](const Instruction &Of) {
    return is_contained({Instruction::FAdd, Instruction::FSub}, Of.getOpcode());
  };
  if (!IsSum(I) || !IsSum(J) || !I.hasSameSubclassOptionalData(&J))
    return false;
  bool Minus[] = {I.getOpcode() == Instruction::FSub,
                  J.getOpcode() == Instruction::FSub};
  size_t Before = Links.size();
  for (unsigned First : {0, 1}) {
    bool SignOfFirst = First && Minus[1], SignOfSecond = !First && Minus[1];
    if (link(I.getOperand(0), J.getOperand(First), SignOfFirst) &&
        link(I.getOperand(1), J.getOperand(1 - First),
             SignOfSecond != Minus[0]))
      return true;
    Links.truncate(Before);
  }
  return false;
}

/// Which parts of the factor along D are negated.
std::optional<std::array<bool, 2>> PartJoiner::signsOf(const Link &L) const {
  auto OfX = signedElement(mapAlong(*L.Ours)),
       OfY = signedElement(mapAlong(*L.Its)),
       AcrossX = signedElement(mapAcross(*L.Ours)),
       AcrossY = signedElement(mapAcross(*L.Its));
  if (!OfX || !OfY || AcrossX.has_value() != AcrossY.has_value())
    return std::nullopt;
  // What is made of the common factor is the same for both parts.
  if (!AcrossX)
    AcrossX = AcrossY = SignedElement();
  std::array<bool, 2> Result;
  Result[!IsFirst] = OfX->IsNegated != AcrossX->IsNegated;
  Result[IsFirst] = (OfY->IsNegated != AcrossY->IsNegated) != L.IsNegated;
  return Result;
}

/// The elements that are the factor of both parts. Sets \p IsSecond if ours is the
/// second part in memory.
std::optional<PartJoiner::Factor>
PartJoiner::joinedElements(const Link &L, bool &IsSecond) const {
  const Access &X = along(*L.Ours), &Y = along(*L.Its);
  std::optional<int> Apart = partsApart(X, Y);
  if (!Apart || *Apart == 0)
    return std::nullopt;
  Access Result = X;
  IsSecond = *Apart < 0;
  if (IsSecond)
    Result.Base = Y.Base;
  Result.Alignment = std::min(X.Alignment, Y.Alignment);
  Result.Stride[D] = halved(X.Stride[D], SE);
  if (!Result.Stride[D] || !(X.isStep(D, 2 * Size) || X.isStep(K, 2 * Size)))
    return std::nullopt;
  Type *IndexTy = X.Stride[D]->getType();
  Result.Copies.push_back(
      {SE.getConstant(IndexTy, *Apart * int64_t(Size), /*isSigned=*/true),
       SE.getOne(Type::getInt64Ty(SE.getContext()))});
  bool IsTested =
      X.Moderate != Magnitudes::Any || Y.Moderate != Magnitudes::Any;
  Result.Moderate = IsTested ? Magnitudes::OfElements : Magnitudes::Any;
  return Factor{std::move(Result), std::nullopt};
}

/// The same of factors that are made: several terms may read one matrix of numbers.
std::optional<PartJoiner::Factor> PartJoiner::joinedMaking(const Link &L,
                                                           bool &IsSecond) {
  const Access &X = along(*L.Ours), &Y = along(*L.Its);
  const Making *OfX = making(*L.Ours, /*IsAlong=*/true),
               *OfY = making(*L.Its, /*IsAlong=*/true);
  auto IsPlain = [](const Making &Of) {
    return Of.Indices.empty() && none_of(Of.Operands, [](auto &Element) {
             return Element.X.Grouped.has_value();
           });
  };
  if (!IsTurned || !OfX || !OfY || !IsPlain(*OfX) || !IsPlain(*OfY) ||
      X.Stride != Y.Stride || X.Moderate != Magnitudes::Any ||
      Y.Moderate != Magnitudes::Any)
    return std::nullopt;
  Access Matrix = X;
  Matrix.Stride[K] = SE.getAddExpr(X.Stride[K], X.Stride[K]);
  Value *Ours = OfX->Value.Root, *Its = OfY->Value.Root;
  for (const Making &Of : Made) {
    IsSecond = Of.Value.Root == Its && Of.Second->Root == Ours;
    if (IsSecond || (Of.Value.Root == Ours && Of.Second->Root == Its))
      return Factor{std::move(Matrix), Of};
  }
  IsSecond = !IsFirst;
  Making Both = IsFirst ? *OfX : *OfY;
  const Making &Then = IsFirst ? *OfY : *OfX;
  Both.Second = Then.Value;
  for (const FurtherOperand &Of : Then.Operands)
    if (none_of(Both.Operands, [&](const FurtherOperand &Known) {
          return Known.Load == Of.Load;
        }))
      Both.Operands.push_back(Of);
  for (FurtherOperand &Of : Both.Operands) {
    Of.X.Stride[D] = halved(Of.X.Stride[D], SE);
    if (!Of.X.Stride[D])
      return std::nullopt;
  }
  Made.push_back(Both);
  return Factor{std::move(Matrix), std::move(Both)};
}

/// Whether the nest compares both parts of numbers with zero, or neither of them.
static bool areTestedAlike(const Access &X, const Access &Y) {
  if (!X.Zeros || !Y.Zeros)
    return !X.Zeros && !Y.Zeros;
  return X.Zeros->Passes == Y.Zeros->Passes && X.Zeros->Tested.isElement() &&
         Y.Zeros->Tested.isElement();
}

/// The factor along D of both parts.
std::optional<PartJoiner::Factor> PartJoiner::joined(const Link &L) {
  const Access &X = along(*L.Ours), &Y = along(*L.Its);
  auto Signs = signsOf(L);
  if (!Signs || !areTestedAlike(X, Y))
    return std::nullopt;
  bool IsSecond = false;
  std::optional<Factor> Result = X.IsMade || Y.IsMade
                                     ? joinedMaking(L, IsSecond)
                                     : joinedElements(L, IsSecond);
  if (!Result)
    return std::nullopt;
  ComplexParts Parts, InOrder;
  Parts.Along = InOrder.Along = D;
  Parts.AreExchanged = IsSecond == IsFirst;
  Parts.IsNegated = *Signs;
  if (!Result->X.isStep(D, Size) || !(Parts == InOrder))
    Result->X.Parts = Parts;
  return Result;
}

/// Makes the last numbers of a line by both updates. False if they are not alike.
bool PartJoiner::linkRests() {
  if (!Op.Rest)
    return true;
  if (!IsTurned || Op.Rest->Along == D)
    return false;
  Expression Its = Op.Rest->Update;
  const auto &Rounded = Other.Rest->Update.Rounded;
  Its.Rounded.clear();
  for (const Link &L : Links)
    if (Rounded.contains(L.Its->Product))
      Its.Rounded.insert(L.Ours->Product);
  if (Its.Rounded.size() != Rounded.size())
    return false;
  Op.Rest->Second = std::move(Its);
  if (!IsFirst)
    std::swap(Op.Rest->Update, *Op.Rest->Second);
  return true;
}

void PartJoiner::joinC() {
  Access &C = Op.C;
  Type *IndexTy = C.Stride[D]->getType();
  const SCEV *Bytes = SE.getConstant(IndexTy, Size);
  if (isApart()) {
    const SCEV *Last = SE.getTruncateOrZeroExtend(Op.BackedgeCount[D], IndexTy);
    const SCEV *Numbers = SE.getAddExpr(Last, SE.getOne(IndexTy));
    if (!Op.isMatrixVector())
      C.Stride[mirrored(D)] =
          SE.getMulExpr(SE.getConstant(IndexTy, 2 * Size), Numbers);
    C.Stride[D] = Bytes;
    Result.Source.ToScratch->Second = OtherNest.Source.ToScratch->Sum;
    Result.Source.ToScratch->Parts = D;
    return;
  }
  if (!IsFirst)
    C.Base = Other.C.Base;
  C.Alignment = std::min(C.Alignment, Other.C.Alignment);
  if (IsTurned)
    turnC();
  else
    C.Stride[D] = Bytes;
  C.Copies.push_back({IsFirst ? Bytes : SE.getNegativeSCEV(Bytes),
                      SE.getOne(Type::getInt64Ty(SE.getContext()))});
}

/// Whether a row of C is known to have few numbers along \p Of: a kernel for each
/// part is faster then, or small kernels, or clang's loops. (Measured on Zen 5.)
bool PartJoiner::areFew(Dim Of) const {
  const uint64_t Few =
      Op.constantExtent(mirrored(Of)) && Op.constantExtent(K) ? 17 : 12;
  return Op.constantExtent(Of).value_or(Few) < Few;
}

/// The factors along \p Of of both parts, with C's numbers turned: its rows (or
/// columns) 2i and 2i + 1 are the parts of the numbers in row i.
PartJoiner::Factors PartJoiner::turn(Dim Of) {
  if (isApart() || (Op.Domain && !Op.Domain->isOfC()) || Op.isMatrixVector() ||
      !Op.storesSum() || areFew(mirrored(Of)) || !halved(Op.C.Stride[Of], SE))
    return {};
  IsTurned = true;
  return factorsAlong(Of);
}

/// Sums rest beside such a C, so what is stored is an epilogue of numbers.
void PartJoiner::turnC() {
  Op.C.Stride[D] = halved(Op.C.Stride[D], SE);
  Op.C.Parts = ComplexParts();
  Op.C.Parts->Along = D;
  if (Op.After)
    return;
  Op.After.emplace();
  Op.After->Value = Op.Finish;
  Op.After->Second = Op.Finish;
  Op.After->SumOfOther = Other.Finish.Root;
}

/// Numbers that several terms read are looked at once. Where one part has to be
/// other than zero, the factor with parts tells.
void PartJoiner::searchOnce() {
  SmallVector<const Access *, 2> Searched;
  for (Term &T : Op.Terms) {
    Access &X = D == M ? T.A : T.B;
    if (X.Zeros && !X.Parts && any_of(Op.Terms, [&](const Term &Other) {
          const Access &Y = along(Other);
          return Y.Zeros && Y.Parts && Y.Base == X.Base && Y.Stride == X.Stride;
        }))
      X.Zeros.reset();
    if (X.Moderate == Magnitudes::Any)
      continue;
    if (any_of(Searched, [&](const Access *Y) {
          return Y->Base == X.Base && Y->Stride == X.Stride;
        }))
      X.Moderate = Magnitudes::Any;
    else
      Searched.push_back(&X);
  }
}

/// The factors along \p Of of both parts, if it is there that they differ.
PartJoiner::Factors PartJoiner::factorsAlong(Dim Of) {
  D = Of;
  Links.clear();
  Made.clear();
  if (!link(Op.Update.Root, Other.Update.Root, /*IsNegated=*/false) ||
      Links.size() != Op.Terms.size())
    return {};
  Factors Result;
  for (const Link &L : Links)
    if (std::optional<Factor> Of = joined(L))
      Result.push_back(std::move(*Of));
  return Result.size() == Links.size() ? Result : Factors();
}

void PartJoiner::replaceFactors(ArrayRef<Factor> Joined) {
  // All signs are those of the factors along D.
  auto AsElement = [](Expression &Map) {
    if (!signedElement(Map))
      return;
    SignedElement Of = *signedElement(Map);
    Leaf Kind = Map.Leaves.find(Of.Element)->second;
    Map = Expression();
    Map.Root = Of.Element;
    Map.Leaves[Of.Element] = Kind;
  };
  for (auto [L, Of] : zip_equal(Links, Joined)) {
    Term &T = Op.Terms[L.Ours - Op.Terms.begin()];
    (D == M ? T.A : T.B) = Of.X;
    if (Of.By)
      (D == M ? T.MadeA : T.MadeB) = Of.By;
    AsElement(T.AMap);
    AsElement(T.BMap);
  }
}

bool PartJoiner::join() {
  if (!areAlike())
    return false;
  Factors Joined;
  SmallVector<Dim, 2> Dims = dims();
  for (Dim Of : Dims)
    if (Joined = factorsAlong(Of); !Joined.empty())
      break;
  if (Joined.empty() && Dims.size() == 1)
    Joined = turn(mirrored(Dims.front()));
  if (Joined.empty() || !linkRests())
    return false;
  replaceFactors(Joined);
  joinEpilogues();
  joinC();
  searchOnce();
  Surroundings &Source = Result.Source;
  if (!isApart()) {
    Source.Absorbed.push_back(OtherNest.Source.UpdateStore);
    Source.Absorbed.append(OtherNest.Source.Absorbed);
    Source.Initials.append(OtherNest.Source.Initials);
  }
  Result.Tests.WrapChecks.append(OtherNest.Tests.WrapChecks);
  Result.Tests.MustHold.append(OtherNest.Tests.MustHold);
  refineExtent(Result, D, 2, SE);
  if (Op.Domain && (Op.Domain->X == D || Op.Domain->Y == D))
    Op.Domain->Parts = D;
  return true;
}

} // namespace

void joinParts(Nest &Result, ArrayRef<Nest> Others, ScalarEvolution &SE) {
  for (const Nest &Other : Others)
    if (PartJoiner(Result, Other, SE).join() ||
        PartJoiner(Result, Other.mirrored(), SE).join())
      return;
}

} // namespace tilesmith
