//===- Reroll.cpp - loops unrolled by hand --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// U copies of a statement, whose operands lie d bytes apart from copy to copy
// and which all move by U * d with the loop, are U times as many iterations of
// one statement.
//
//===----------------------------------------------------------------------===//

#include "Reroll.h"
#include "Arithmetic.h"
#include "Patterns.h"
#include "llvm/Analysis/ScalarEvolution.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// Whether two trees are the same but for the elements and products they are
/// over.
class Comparison {
public:
  Comparison(const Expression &X, const Expression &Y) : X(X), Y(Y) {}

  bool equal(Value *V, Value *W) {
    V = X.resolve(V);
    W = Y.resolve(W);
    // A part may be used more than once.
    if (auto It = Known.find({V, W}); It != Known.end())
      return It->second;
    bool IsEqual = compare(V, W);
    Known[{V, W}] = IsEqual;
    return IsEqual;
  }

private:
  bool compare(Value *V, Value *W) {
    if (X.Rounded.contains(V) != Y.Rounded.contains(W))
      return false;
    auto LeafV = X.Leaves.find(V), LeafW = Y.Leaves.find(W);
    if ((LeafV == X.Leaves.end()) != (LeafW == Y.Leaves.end()))
      return false;
    if (LeafV != X.Leaves.end())
      return element(LeafV->second) == element(LeafW->second) &&
             (LeafV->second != Leaf::Invariant || V == W);
    auto *I = dyn_cast<Instruction>(V), *J = dyn_cast<Instruction>(W);
    if (!I || !J)
      return V == W;
    if (!I->isSameOperationAs(J) || !I->hasSameSubclassOptionalData(J) ||
        X.Fused.contains(V) != Y.Fused.contains(W))
      return false;
    if (X.Fused.contains(V))
      return equal(I->getOperand(2), J->getOperand(2));
    auto All = [&](unsigned First, unsigned Second) {
      return equal(I->getOperand(0), J->getOperand(First)) &&
             (I->getNumOperands() < 2 ||
              equal(I->getOperand(1), J->getOperand(Second)));
    };
    for (unsigned Op = 2; Op < I->getNumOperands(); ++Op)
      if (!equal(I->getOperand(Op), J->getOperand(Op)))
        return false;
    return All(0, 1) || (I->isCommutative() && All(1, 0));
  }

  /// Factors may be exchanged.
  static Leaf element(Leaf Kind) { return Kind == Leaf::B ? Leaf::A : Kind; }

  const Expression &X, &Y;
  DenseMap<std::pair<Value *, Value *>, bool> Known;
};

} // namespace

bool areEqual(const Expression &X, const Expression &Y) {
  return Comparison(X, Y).equal(X.Root, Y.Root);
}

namespace {

bool sameMaps(const Term &X, const Term &Y) {
  return X.A.ElemTy == Y.A.ElemTy && X.B.ElemTy == Y.B.ElemTy &&
         areEqual(X.AMap, Y.AMap) && areEqual(X.BMap, Y.BMap) &&
         X.Product->hasSameSubclassOptionalData(Y.Product);
}

const SCEV *times(uint64_t Count, const SCEV *S, ScalarEvolution &SE) {
  return SE.getMulExpr(S, SE.getConstant(S->getType(), Count));
}

/// Distances and strides in memory, which are equal wherever in them narrow
/// index arithmetic is extended, unless it wraps.
class Distances {
public:
  explicit Distances(ScalarEvolution &SE) : SE(SE) {}

  bool equal(const SCEV *X, const SCEV *Y) {
    return X == Y || (X->getType() == Y->getType() && plain(X) == plain(Y));
  }

  /// How far \p Y lies from \p X, in the same row if there is a table; null if
  /// that is unknown.
  const SCEV *between(const Access &X, const Access &Y) {
    if (X.Rows.has_value() != Y.Rows.has_value() ||
        !all_of(zip(X.Stride, Y.Stride), [&](auto Of) {
          return equal(std::get<0>(Of), std::get<1>(Of));
        }))
      return nullptr;
    if (const auto &Rows = X.Rows)
      return Rows->Entry == Y.Rows->Entry &&
                     Rows->PointerDim == Y.Rows->PointerDim &&
                     Rows->Distance == Y.Rows->Distance &&
                     Rows->Step == Y.Rows->Step
                 ? SE.getMinusSCEV(Y.Rows->Offset, Rows->Offset)
                 : nullptr;
    const SCEV *D = SE.getMinusSCEV(Y.Base, X.Base);
    return isa<SCEVCouldNotCompute>(D) ? nullptr : D;
  }

  /// What must not wrap for all that was compared.
  void addTo(Conditions &Tests) const {
    for (const WrapCheck &Check : Checks)
      if (!is_contained(Tests.WrapChecks, Check))
        Tests.WrapChecks.push_back(Check);
  }

private:
  const SCEV *plain(const SCEV *S) {
    const SCEV *&Result = Plain[S];
    if (!Result)
      Result = withoutCasts(S, SE, Checks);
    return Result;
  }

  ScalarEvolution &SE;
  DenseMap<const SCEV *, const SCEV *> Plain;
  SmallVector<WrapCheck, 4> Checks;
};

/// How far a step of \p D moves \p X in the source's memory.
const SCEV *stride(const Access &X, Dim D) {
  return X.Rows && D == X.Rows->ElementDim ? X.Rows->Step : X.Stride[D];
}

/// \p D has \p Count times as many steps, \p Step bytes long for \p X.
void refine(Access &X, Dim D, uint64_t Count, const SCEV *Step,
            ScalarEvolution &SE) {
  if (Step->isZero())
    return;
  // Copies need not be aligned as the first one is.
  uint64_t Multiple = SE.getConstantMultiple(Step).getLimitedValue();
  if (X.Rows) {
    X.Rows->Step = Step;
    X.Rows->ElementAlignment =
        commonAlignment(X.Rows->ElementAlignment, Multiple);
    return;
  }
  X.Alignment = commonAlignment(X.Alignment, Multiple);
  X.Stride[D] = Step;
  X.Copies.push_back(
      {Step, SE.getConstant(Type::getInt64Ty(SE.getContext()), Count - 1)});
}

} // namespace

void refineExtent(Nest &Result, Dim D, uint64_t Count, ScalarEvolution &SE) {
  Contraction &Op = Result.Op;
  const SCEV *&Last = Op.BackedgeCount[D];
  const SCEV *One = SE.getOne(Last->getType());
  const SCEV *Limit = SE.getConstant(Last->getType(), uint64_t(1) << 31);
  if (!SE.isKnownPredicate(ICmpInst::ICMP_ULT, Last, Limit))
    Result.Tests.MustHold.push_back({ICmpInst::ICMP_ULT, Last, Limit});
  const SCEV *Extent = times(Count, SE.getAddExpr(Last, One), SE);
  Last = SE.getMinusSCEV(Extent, One);
  // The copies of rows become longer.
  auto Widen = [&](Access &X) {
    if (X.Rows && X.Rows->ElementDim == D)
      X.Stride[X.Rows->PointerDim] = SE.getMulExpr(
          X.Stride[D],
          SE.getTruncateOrZeroExtend(Extent, X.Stride[D]->getType()));
  };
  Widen(Op.C);
  for (Term &T : Op.Terms) {
    Widen(T.A);
    Widen(T.B);
  }
}

//===-- Steps over k ------------------------------------------------------===//

namespace {

/// One addition of a chain: Lower is the sum before.
struct Link {
  Instruction *Add;
  Value *Lower;
  Instruction *Product;
};

class Chain {
public:
  explicit Chain(const Contraction &Op) : E(Op.Update) {}

  /// The links, the first addition first; empty if it is no chain.
  SmallVector<Link, 8> links() const {
    SmallVector<Link, 8> Result;
    auto Sum = m_Leaf(E, Leaf::Sum);
    Value *V = E.resolve(E.Root), *Rest;
    while (!match(V, Sum)) {
      Link L{dyn_cast<Instruction>(V), nullptr, nullptr};
      SmallVector<Instruction *, 2> Products;
      if (E.Fused.contains(V)) {
        Products.push_back(L.Add);
        L.Lower = L.Add->getOperand(2);
      } else {
        if (!match(V, m_c_BinOp(m_Value(L.Lower, m_Contains(E, Sum)),
                                m_Value(Rest, m_Unless(m_Contains(E, Sum))))))
          return {};
        collectProducts(Rest, Products);
      }
      if (Products.size() != 1)
        return {};
      L.Product = Products.front();
      Result.push_back(L);
      V = E.resolve(L.Lower);
    }
    std::reverse(Result.begin(), Result.end());
    return Result;
  }

  /// Whether two links add in the same way, whatever the sums before.
  bool equal(const Link &X, const Link &Y) const {
    if (!X.Add->isSameOperationAs(Y.Add) ||
        !X.Add->hasSameSubclassOptionalData(Y.Add) ||
        E.Fused.contains(X.Add) != E.Fused.contains(Y.Add))
      return false;
    if (E.Fused.contains(X.Add))
      return true;
    unsigned SideX = X.Add->getOperand(0) == X.Lower,
             SideY = Y.Add->getOperand(0) == Y.Lower;
    return (SideX == SideY || X.Add->isCommutative()) &&
           Comparison(E, E).equal(X.Add->getOperand(SideX),
                                  Y.Add->getOperand(SideY));
  }

private:
  void collectProducts(Value *V, SmallVectorImpl<Instruction *> &Into) const {
    V = E.resolve(V);
    auto It = E.Leaves.find(V);
    if (It != E.Leaves.end()) {
      if (It->second == Leaf::Product)
        Into.push_back(cast<Instruction>(V));
      return;
    }
    if (auto *I = dyn_cast<Instruction>(V)) {
      if (E.Fused.contains(V))
        Into.push_back(I);
      for (Value *Op : operandsIn(E, *I))
        collectProducts(Op, Into);
    }
  }

  const Expression &E;
};

} // namespace

void rollSteps(Nest &Result, ScalarEvolution &SE) {
  Contraction &Op = Result.Op;
  unsigned Count = Op.Terms.size();
  // A diagonal through k does not survive.
  if (Count < 2 || (Op.Domain && !Op.Domain->isOfC()))
    return;
  Chain Additions(Op);
  SmallVector<Link, 8> Links = Additions.links();
  if (Links.size() != Count)
    return;
  SmallVector<const Term *, 8> Steps;
  for (const Link &L : Links)
    Steps.push_back(find_if(
        Op.Terms, [&](const Term &T) { return T.Product == L.Product; }));
  const Term &First = *Steps.front();
  Distances Of(SE);
  const SCEV *StepA = Of.between(First.A, Steps[1]->A),
             *StepB = Of.between(First.B, Steps[1]->B);
  if (!StepA || !StepB ||
      !Of.equal(times(Count, StepA, SE), stride(First.A, K)) ||
      !Of.equal(times(Count, StepB, SE), stride(First.B, K)))
    return;
  auto IsStep = [&](const Access &X, const Access &Y, unsigned I,
                    const SCEV *Step) {
    const SCEV *D = Of.between(X, Y);
    return D && Of.equal(D, times(I, Step, SE));
  };
  for (unsigned I = 1; I < Count; ++I)
    if (!Additions.equal(Links[0], Links[I]) || !sameMaps(First, *Steps[I]) ||
        !IsStep(First.A, Steps[I]->A, I, StepA) ||
        !IsStep(First.B, Steps[I]->B, I, StepB))
      return;
  Of.addTo(Result.Tests);

  Term Only = First;
  refine(Only.A, K, Count, StepA, SE);
  refine(Only.B, K, Count, StepB, SE);
  for (const Link &L : drop_begin(Links)) {
    Op.Update.Leaves.erase(L.Product);
    Op.Update.Fused.remove(L.Product);
  }
  Op.Update.Root = Links.front().Add;
  Op.Terms.assign(1, Only);
  refineExtent(Result, K, Count, SE);
}

//===-- Rows and columns --------------------------------------------------===//

namespace {

/// How far the operands of a copy are from those of the first one.
struct Offset {
  const Nest *Copy;
  SmallVector<const SCEV *, 5> Of; ///< in the order of accesses()
};

class Copies {
public:
  Copies(Nest &Result, ArrayRef<Nest> Others, ScalarEvolution &SE)
      : Result(Result), Op(Result.Op), SE(SE), Apart(SE) {
    for (const Nest &Other : Others) {
      if (Other.Source.UpdateStore == Result.Source.UpdateStore || add(Other))
        continue;
      // The factors may stand in the other order.
      Mirrored.push_back(std::make_unique<Nest>(Other.mirrored()));
      add(*Mirrored.back());
    }
  }

  void roll();

private:
  bool add(const Nest &Copy);
  SmallVector<const Offset *, 8> along(Dim D) const;
  bool isMultiple(const Offset &O, uint64_t I, const Offset *StepM, uint64_t J,
                  const Offset *StepN);
  const Offset *stepOf(Dim D, ArrayRef<const Offset *> Line);

  Nest &Result;
  Contraction &Op;
  ScalarEvolution &SE;
  Distances Apart;
  SmallVector<Offset, 8> Found;
  SmallVector<std::unique_ptr<Nest>, 4> Mirrored;
};

bool Copies::add(const Nest &Copy) {
  const Contraction &Other = Copy.Op;
  if (Copy.Source.Loops != Result.Source.Loops || Other.SumTy != Op.SumTy ||
      Other.BackedgeCount != Op.BackedgeCount ||
      Other.Terms.size() != Op.Terms.size() || Other.Domain || Other.After ||
      Result.Source.Initials.empty() != Copy.Source.Initials.empty() ||
      !areEqual(Op.Update, Other.Update) || !areEqual(Op.Start, Other.Start) ||
      !areEqual(Op.Finish, Other.Finish))
    return false;
  for (auto [X, Y] : zip(Op.Terms, Other.Terms))
    if (!sameMaps(X, Y))
      return false;
  Offset O{&Copy, {}};
  for (auto [X, Y] : zip(Op.accesses(), Other.accesses())) {
    O.Of.push_back(Apart.between(*X, *Y));
    if (!O.Of.back())
      return false;
  }
  Found.push_back(std::move(O));
  return true;
}

/// The copies along rows or columns: those whose other factors are the same.
SmallVector<const Offset *, 8> Copies::along(Dim D) const {
  SmallVector<const Offset *, 8> Result;
  for (const Offset &O : Found) {
    bool OnLine = true;
    for (unsigned I = 1; I < O.Of.size(); ++I)
      OnLine &= O.Of[I]->isZero() == ((I % 2 == 1) == (D == N));
    if (OnLine)
      Result.push_back(&O);
  }
  return Result;
}

/// The copy that is the first one moved by one step of \p D.
const Offset *Copies::stepOf(Dim D, ArrayRef<const Offset *> Line) {
  uint64_t Count = Line.size() + 1;
  for (const Offset *O : Line) {
    bool Fits = true;
    for (auto [X, Step] : zip(Op.accesses(), O->Of))
      Fits = Fits && Apart.equal(times(Count, Step, SE), stride(*X, D));
    if (Fits)
      return O;
  }
  return nullptr;
}

bool Copies::isMultiple(const Offset &O, uint64_t I, const Offset *StepM,
                        uint64_t J, const Offset *StepN) {
  for (unsigned Operand = 0; Operand < O.Of.size(); ++Operand) {
    const SCEV *Sum = SE.getZero(O.Of[Operand]->getType());
    if (StepM)
      Sum = SE.getAddExpr(Sum, times(I, StepM->Of[Operand], SE));
    if (StepN)
      Sum = SE.getAddExpr(Sum, times(J, StepN->Of[Operand], SE));
    if (!Apart.equal(O.Of[Operand], Sum))
      return false;
  }
  return true;
}

void Copies::roll() {
  auto LineM = along(M), LineN = along(N);
  const Offset *StepM = stepOf(M, LineM), *StepN = stepOf(N, LineN);
  uint64_t CountM = StepM ? LineM.size() + 1 : 1;
  uint64_t CountN = StepN ? LineN.size() + 1 : 1;
  SmallVector<const Nest *, 16> Grid;
  for (uint64_t I = 0; I < CountM; ++I)
    for (uint64_t J = 0; J < CountN; ++J) {
      if (I == 0 && J == 0)
        continue;
      const Offset *Copy = find_if(Found, [&](const Offset &O) {
        return isMultiple(O, I, StepM, J, StepN);
      });
      if (Copy == Found.end())
        return;
      Grid.push_back(Copy->Copy);
    }

  if (!Grid.empty())
    Apart.addTo(Result.Tests);
  for (const Nest *Copy : Grid) {
    Result.Source.Absorbed.push_back(Copy->Source.UpdateStore);
    Result.Source.Absorbed.append(Copy->Source.Absorbed);
    Result.Source.Initials.append(Copy->Source.Initials);
    Result.Tests.WrapChecks.append(Copy->Tests.WrapChecks);
    Result.Tests.MustHold.append(Copy->Tests.MustHold);
  }
  for (auto [D, Count, Step] :
       {std::tuple(M, CountM, StepM), {N, CountN, StepN}}) {
    if (!Step)
      continue;
    refine(Op.C, D, Count, Step->Of[0], SE);
    for (auto [I, T] : enumerate(Op.Terms)) {
      refine(T.A, D, Count, Step->Of[1 + 2 * I], SE);
      refine(T.B, D, Count, Step->Of[2 + 2 * I], SE);
    }
    refineExtent(Result, D, Count, SE);
  }
}

} // namespace

void rollCopies(Nest &Result, ArrayRef<Nest> Others, ScalarEvolution &SE) {
  if (!Result.Op.Domain)
    Copies(Result, Others, SE).roll();
}

} // namespace tilesmith
