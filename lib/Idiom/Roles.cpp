//===- Roles.cpp - which loop is which dimension --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each axis of the iteration space moves two of A, B and C, and that tells its
// dimension. Several axes of one dimension, as in a tensor contraction, are
// fused: where a step of the outer one is as long as all steps of the inner one
// together, for every operand, they are one.
//
//===----------------------------------------------------------------------===//

#include "RoleFinder.h"
#include "Update.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

bool RoleFinder::findForm(const Instruction &Access, AffineForm &OverLoops,
                          AffineForm &OverAxes, Reason &Why) {
  auto Source = In.Sources.find(&Access);
  const SCEV *Address = Source == In.Sources.end() ? In.addressOf(Access)
                                                   : Source->second.Address;
  std::optional<AffineForm> Form;
  Why = Reason::NotAffine;
  if (Address)
    Form = affineForm(Address, In, In.Chain);
  if (Address && !Form)
    Form = chosenForm(Address, In, In.Chain);
  if (Address && !Form && !isa<StoreInst>(Access))
    Form = groupedForm(Address, In, In.Chain);
  if (!Form || !addMarkedCheck(Access, *Form, SE))
    return false;
  for (const Requirement &R : Form->MustHold)
    if (!is_contained(Result.MustHold, R))
      Result.MustHold.push_back(R);
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap) {
    WrapCheck Check = Result.Space.wrapCheck(Sum);
    addPlaces(Access, Sum, Check);
    if (!is_contained(Result.WrapChecks, Check))
      Result.WrapChecks.push_back(Check);
  }
  OverLoops = OverAxes = *Form;
  Why = Reason::BoundVaries;
  return Result.Space.toAxes(OverAxes);
}

/// Whether, of \p Pairs of loops that move C together, the outer loop of the first
/// one is over places of an image, and the inner one over taps: these are fewer, if
/// that is known; or else their factor is the one that more loops move.
bool RoleFinder::placesAreOuter(ArrayRef<std::pair<unsigned, unsigned>> Pairs) {
  auto [Outer, Inner] = Pairs.front();
  auto &[A, B, AOverLoops, BOverLoops, Swapped] = Result.Products.front();
  bool OuterIsA = A.dependsOn(Outer);
  constexpr uint64_t Many = 1 << 16;
  uint64_t OfA = 1, OfB = 1;
  for (auto [X, Y] : Pairs) {
    unsigned Moving = A.dependsOn(X) ? X : Y;
    for (auto [Axis, Product] :
         {std::pair(Moving, &OfA), {Moving == X ? Y : X, &OfB}}) {
      auto *Last = dyn_cast<SCEVConstant>(Result.Space.Last[Axis]);
      *Product *= Last ? Last->getAPInt().getLimitedValue(Many) + 1 : Many;
      *Product = std::min(*Product, Many * Many);
    }
  }
  auto Moves = [](const AffineForm &Form) {
    return count_if(Form.Step, [](const SCEV *Step) { return Step; });
  };
  if (OfA != OfB)
    return OuterIsA == (OfA > OfB);
  return OuterIsA ? Moves(A) <= Moves(B) : Moves(B) <= Moves(A);
}

/// Makes axes of C and of steps of loops that scatter products, as steps of two
/// loops of which each moves another factor lead to the same element of C. False if
/// that is not possible.
bool RoleFinder::gatherScattered() {
  if (Result.Products.size() != 1 || !Result.Space.isPlain() || May.Apart ||
      May.Saved || Result.C.Row || Result.C.Chosen)
    return true;
  auto &F = Result.Products.front();
  SmallVector<std::pair<unsigned, unsigned>, 2> Pairs;
  SmallBitVector InPair(In.Chain.size());
  for (unsigned Inner = 0; Inner < In.Chain.size(); ++Inner)
    for (unsigned Outer = 0; Outer < Inner; ++Outer) {
      bool OfA = F.A.dependsOn(Outer), OfB = F.B.dependsOn(Outer);
      // As many places as taps are too few for a kernel.
      if (!Result.C.Step[Outer] ||
          Result.Space.Last[Outer] == Result.Space.Last[Inner] ||
          Result.C.Step[Outer] != Result.C.Step[Inner] || OfA == OfB ||
          F.A.dependsOn(Inner) != OfB || F.B.dependsOn(Inner) != OfA)
        continue;
      if (InPair.test(Outer) || InPair.test(Inner))
        return false;
      InPair.set(Outer);
      InPair.set(Inner);
      Pairs.push_back({Outer, Inner});
    }
  if (Pairs.empty())
    return true;
  bool ImageIsA = F.A.dependsOn(Pairs.front().first) == placesAreOuter(Pairs);
  for (auto [Outer, Inner] : Pairs)
    if (!Result.Space.gather(Outer, Inner, F.A.dependsOn(Outer) == ImageIsA,
                             !May.Vector, In))
      return false;
  Result.MustHold = Result.Space.MustHold;
  for (const WrapCheck &Check : Result.Space.WrapChecks)
    if (!is_contained(Result.WrapChecks, Check))
      Result.WrapChecks.push_back(Check);
  return changeForms();
}

/// All addresses over the axes, which have changed.
bool RoleFinder::changeForms() {
  Result.C = Result.COverLoops;
  for (Roles::Factors &F : Result.Products) {
    F.A = F.AOverLoops;
    F.B = F.BOverLoops;
  }
  return allForms([&](AffineForm &Form) { return Result.Space.toAxes(Form); });
}

/// Gives \p Axis to the dimension that its movements tell. In a product where
/// they fit only with the factors exchanged, these are.
bool RoleFinder::assign(unsigned Axis) {
  auto &First = Result.Products.front();
  bool InA = First.A.dependsOn(Axis), InB = First.B.dependsOn(Axis);
  bool InC = Result.C.dependsOn(Axis);
  if (May.Apart)
    InC = InA != InB;
  if (InC && InA && InB && May.Axes == Liberties::Batched &&
      allForms([&](AffineForm &Form) { return Form.dependsOn(Axis); })) {
    Result.Outer.push_back({Batch, Axis});
    return true;
  }
  if (InC && InA && InB && May.VectorMoves) {
    Result.Axes[M].push_back(Axis);
    return true;
  }
  if (InC + InA + InB != 2)
    return false;
  Dim D = !InC ? K : InA ? M : N;
  for (Roles::Factors &P : drop_begin(Result.Products)) {
    auto Fits = [&] {
      return P.A.dependsOn(Axis) == InA && P.B.dependsOn(Axis) == InB;
    };
    bool IsFirstOfC = InC && Result.Axes[M].empty() && Result.Axes[N].empty();
    if (!Fits() && IsFirstOfC) {
      std::swap(P.A, P.B);
      std::swap(P.AOverLoops, P.BOverLoops);
      P.Swapped = true;
    }
    if (!Fits())
      return false;
  }
  Result.Axes[D].push_back(Axis);
  return true;
}

/// Whether a step of \p Outer is as long in \p Sum as all of \p Inner, or a test
/// may tell.
bool RoleFinder::goesOn(const AffineSum &Sum, unsigned Outer, unsigned Inner,
                        bool MayTest,
                        SmallVectorImpl<Requirement> &Tests) const {
  const SCEV *Long = Sum.Step[Outer], *Short = Sum.Step[Inner];
  if (!Long && !Short)
    return true;
  if (!Long || !Short)
    return false;
  const SCEV *All = SE.getMulExpr(
      Short,
      SE.getTruncateOrZeroExtend(Result.Space.extent(Inner), Short->getType()));
  if (Long == All || SE.isKnownPredicate(ICmpInst::ICMP_EQ, Long, All))
    return true;
  if (!MayTest || SE.isKnownPredicate(ICmpInst::ICMP_NE, Long, All))
    return false;
  Tests.push_back({ICmpInst::ICMP_EQ, Long, All});
  return true;
}

/// Whether the axes, in this order, are one for every operand.
bool RoleFinder::canFuse(Dim D, ArrayRef<unsigned> Order, bool MayTest,
                         SmallVectorImpl<Requirement> &Tests) {
  return allForms([&](AffineForm &Form) {
           return !Form.Groups || !is_contained(Order, Form.Groups->Loop);
         }) &&
         all_of(zip(Order.drop_back(), Order.drop_front()), [&](auto Pair) {
           auto [Outer, Inner] = Pair;
           return allSums([&, Outer = Outer, Inner = Inner](AffineSum &Sum) {
             return goesOn(Sum, Outer, Inner, MayTest, Tests);
           });
         });
}

/// Fuses two axes of \p D that are one for all operands but factors that are
/// computed: in these, the outer one counts groups.
bool RoleFinder::fuseInGroups(Dim D) {
  ArrayRef<unsigned> Axes = Result.Axes[D];
  if (Axes.size() != 2 || !Result.Space.isPlain() ||
      !Result.Space.Borders.empty())
    return false;
  SmallVector<Requirement, 0> NoTests;
  auto Fits = [&](const AffineForm &Form) {
    return !Form.Row && !Form.Chosen && !Form.Groups &&
           goesOn(Form, Axes[0], Axes[1], /*MayTest=*/false, NoTests);
  };
  if (!Fits(Result.C))
    return false;
  SmallVector<AffineForm *, 2> InGroups;
  for (auto [F, P] : zip_equal(Result.Products, Of.Products))
    for (auto [Form, Map] : {std::pair(&F.A, F.Swapped ? &P.BMap : &P.AMap),
                             {&F.B, F.Swapped ? &P.AMap : &P.BMap}}) {
      if (Fits(*Form))
        continue;
      if (!Map->uses(Leaf::Further) || Form->Row || Form->Chosen ||
          Form->Groups || !Form->Step[Axes[0]])
        return false;
      InGroups.push_back(Form);
    }
  for (AffineForm *Form : InGroups)
    Form->Groups = {Axes[1], Result.Space.extent(Axes[1]), Form->Step[Axes[0]]};
  return true;
}

/// Keeps that axis of \p D whose elements are nearest in C, if it is known, or
/// else the innermost one, and those that are one with it: a tile's columns are
/// in few pages then. The order of a sum must stay.
void RoleFinder::keepInnermost(Dim D) {
  SmallVector<unsigned, 2> &Axes = Result.Axes[D];
  unsigned Last = Axes.back();
  // What selects a row in a table has no step.
  ArrayRef<const SCEV *> Steps = Result.C.Step;
  if (D != K && !May.Apart)
    for (unsigned Axis : reverse(Axes))
      if (Steps[Axis] && Steps[Last] &&
          isKnownShorter(Steps[Axis], Steps[Last]))
        Last = Axis;
  SmallVector<unsigned, 2> Kept = {Last};
  SmallVector<Requirement, 0> NoTests;
  bool InOrder = true;
  unsigned Before = Result.Outer.size();
  for (unsigned Axis : reverse(Axes)) {
    if (Axis == Last)
      continue;
    Kept.insert(Kept.begin(), Axis);
    if (InOrder && canFuse(D, Kept, /*MayTest=*/false, NoTests))
      continue;
    Kept.erase(Kept.begin());
    Result.Outer.insert(Result.Outer.begin() + Before, {D, Axis});
    InOrder = D != K;
  }
  Axes = Kept;
}

/// Whether only the matrix is in a table, and elements of its lines are adjacent:
/// a copy would take longer than what is done with them.
bool RoleFinder::isTableRead() {
  if (Result.C.Row)
    return false;
  for (auto [Factors, P] : zip_equal(Result.Products, Of.Products)) {
    if (Factors.B.Row)
      return false;
    if (!Factors.A.Row)
      continue;
    bool IsByRow = Result.stride(*Factors.A.Row, M);
    auto *Step = dyn_cast_or_null<SCEVConstant>(
        Result.stride(Factors.A, IsByRow ? K : M));
    Type *Ty = (Factors.Swapped ? P.LoadOfB : P.LoadOfA)->getType();
    TypeSize Size = Store.getDataLayout().getTypeStoreSize(Ty);
    if (!Step || (IsByRow ? Step->getAPInt().abs() : Step->getAPInt()) !=
                     Size.getFixedValue())
      return false;
  }
  return true;
}

/// Whether nothing is summed: every index moves C and one of the factors. More than
/// two products are an unrolled sum.
bool RoleFinder::isRankUpdate() const {
  return !May.Apart && Of.Products.size() <= 2 && Of.isInMemory() &&
         Result.Outer.empty() && Result.Axes[K].empty() &&
         !Result.Axes[M].empty() && !Result.Axes[N].empty();
}

static void exchange(Roles::Factors &P) {
  std::swap(P.A, P.B);
  std::swap(P.AOverLoops, P.BOverLoops);
  P.Swapped = !P.Swapped;
}

/// The matrix of a matrix times a vector is A. False if there are two matrices,
/// or none.
bool RoleFinder::turnToRows() {
  if (May.VectorMoves)
    return turnMovingVectors();
  if (Result.Axes[M].empty() == Result.Axes[N].empty())
    return false;
  if (!Result.Axes[M].empty())
    return true;
  std::swap(Result.Axes[M], Result.Axes[N]);
  for_each(Result.Products, exchange);
  return true;
}

/// The factor that goes on by rows as it does by steps is B.
bool RoleFinder::turnMovingVectors() {
  auto Moves = [&](const AffineForm &Form) {
    const SCEV *Row = Result.stride(Form, M), *Step = Result.stride(Form, K);
    return Row && Row == Step && !Form.Row && !Form.Chosen;
  };
  for (Roles::Factors &P : Result.Products) {
    if (Moves(P.A) == Moves(P.B))
      return false;
    if (Moves(P.A))
      exchange(P);
  }
  return Result.Axes[M].size() == 1 && Result.Axes[K].size() == 1 &&
         Result.Axes[N].empty() && !Result.Space.Domain;
}

bool RoleFinder::fuse(Dim D) {
  SmallVector<unsigned, 2> &Axes = Result.Axes[D];
  if (Axes.empty() && D == N && May.Vector) {
    Result.Last[N] = SE.getZero(Type::getInt64Ty(SE.getContext()));
    return true;
  }
  if (Axes.empty())
    return false;
  const IterationSpace &Space = Result.Space;
  if (D == K && May.Segmented) {
    if (Axes.size() != 2 || Axes.back() != In.Chain.size() - 1)
      return false;
    Result.Outer.push_back({K, Axes.front()});
    Axes.erase(Axes.begin());
  }
  if (Axes.size() > 1) {
    // A diagonal does not survive.
    if (Space.Domain && (is_contained(Axes, Space.Domain->X) ||
                         is_contained(Axes, Space.Domain->Y)))
      return false;
    // The order of a sum must stay, that of rows and columns is free.
    SmallVector<unsigned, 2> Order = Axes;
    SmallVector<Requirement, 2> Tests;
    bool Done = canFuse(D, Order, /*MayTest=*/false, Tests);
    if (!Done && D != K) {
      llvm::sort(Order);
      do
        Done = canFuse(D, Order, /*MayTest=*/false, Tests);
      while (!Done && std::next_permutation(Order.begin(), Order.end()));
    }
    if (!Done && May.TestStrides) {
      Order = Axes;
      Done = canFuse(D, Order, /*MayTest=*/true, Tests);
    }
    if (!Done && fuseInGroups(D)) {
      Order = Axes;
      Done = true;
    }
    if (Done) {
      Axes = Order;
      Result.MustHold.append(Tests);
    } else if (May.Axes != Liberties::Fused) {
      keepInnermost(D);
    } else {
      return false;
    }
  }
  // The index's last value, of moderate factors.
  const SCEV *Extent = nullptr;
  for (unsigned Axis : Axes) {
    const SCEV *Last = Space.Last[Axis];
    const SCEV *Limit = SE.getConstant(Last->getType(), uint64_t(1) << 31);
    if (Axes.size() > 1 &&
        !SE.isKnownPredicate(ICmpInst::ICMP_ULT, Last, Limit))
      Result.MustHold.push_back({ICmpInst::ICMP_ULT, Last, Limit});
    const SCEV *Count = Space.extent(Axis);
    Extent = Extent ? SE.getMulExpr(Extent, Count) : Count;
  }
  Result.Last[D] = SE.getMinusSCEV(Extent, SE.getOne(Extent->getType()));
  return true;
}

/// If rows are found through a table, one dimension must select the row, and
/// the other one move within it.
bool RoleFinder::movesByTableOrInRow(AffineForm &Form) {
  if (!Form.Row)
    return true;
  unsigned NumPointerAxes = 0, NumElementAxes = 0;
  for (Dim D : {M, N, K}) {
    bool Selects = Result.stride(*Form.Row, D),
         Moves = Result.stride(static_cast<AffineSum &>(Form), D);
    if (Selects && Moves)
      return false;
    NumPointerAxes += Selects;
    NumElementAxes += Moves;
  }
  return NumPointerAxes == 1 && NumElementAxes == 1;
}

/// Whether \p Form, over the axes, is that of a square matrix of which one half
/// is stored: element (p, k) and element (k, p) are one. Leaves the sum that
/// holds for k <= p.
bool RoleFinder::isSymmetric(AffineForm &Form, Dim P) {
  auto &[Side, OtherSide] = *Form.Chosen;
  if (Result.Axes[P].size() > 1 || Result.Axes[K].size() > 1)
    return false;
  unsigned Row = Result.Axes[P].front(), Step = Result.Axes[K].front();
  for (unsigned Axis = 0; Axis < In.Chain.size(); ++Axis)
    if (Axis != Row && Axis != Step &&
        (Side.Step[Axis] || OtherSide.Step[Axis]))
      return false;
  if (Form.Base != OtherSide.Base || Form.Step[Row] != OtherSide.Step[Step] ||
      Form.Step[Step] != OtherSide.Step[Row] || !Side.Step[Row] ||
      !Side.Step[Step])
    return false;
  // p >= k, or p > k, as elements of the diagonal are the same on both sides.
  auto Is = [](const SCEV *S, int64_t Value) {
    auto *C = dyn_cast<SCEVConstant>(S);
    return C && C->getAPInt().trySExtValue() == Value;
  };
  bool Below = Is(Side.Step[Row], 1) && Is(Side.Step[Step], -1);
  bool Above = Is(Side.Step[Row], -1) && Is(Side.Step[Step], 1);
  if (!(Below || Above) || !(Is(Side.Base, 0) || Is(Side.Base, -1)))
    return false;
  if (Above)
    std::swap(Form.Step[Row], Form.Step[Step]);
  return true;
}

/// The loops over k must form one sum.
Refused RoleFinder::checkSum() {
  Refusal No{Reason::IndexRoles, &Store};
  ArrayRef<unsigned> Sums = Result.Loops[K];
  if (Of.isInMemory())
    return std::nullopt;
  // A phi is carried around the innermost loop, which must be the sum's.
  if (Sums.back() != In.Chain.size() - 1)
    return No;
  return std::nullopt;
}

/// The addresses of C, but for sums that are not in memory yet, and of the factors.
Refused RoleFinder::findForms() {
  Reason Why;
  bool HasElement = !May.Apart || Of.isInMemory();
  if (HasElement && !findForm(Store, Result.COverLoops, Result.C, Why))
    return Refusal{Why, &Store};
  if (May.Apart) {
    Result.C = AffineForm();
    Result.C.Step.resize(In.Chain.size());
  }
  for (const Product &P : Of.Products) {
    Roles::Factors F;
    if (!findForm(*P.LoadOfA, F.AOverLoops, F.A, Why))
      return Refusal{Why, P.LoadOfA};
    if (!findForm(*P.LoadOfB, F.BOverLoops, F.B, Why))
      return Refusal{Why, P.LoadOfB};
    Result.Products.push_back(std::move(F));
  }
  return std::nullopt;
}

/// All addresses must be those of matrices, or of the halves of symmetric ones.
Refused RoleFinder::checkForms() {
  const IterationSpace &Space = Result.Space;
  if (!allForms([&](AffineForm &Form) { return movesByTableOrInRow(Form); }) ||
      Result.C.Chosen)
    return Refusal{Reason::NotAffine, &Store};
  for (auto [Factors, P] : zip_equal(Result.Products, Of.Products))
    for (auto [Form, D] : {std::pair(&Factors.A, M), {&Factors.B, N}})
      if (Form->Chosen &&
          (Space.Domain || May.Vector || !Result.Outer.empty() || May.Apart ||
           !isSymmetric(*Form, D)))
        return Refusal{Reason::NotAffine, P.LoadOfA};
  return std::nullopt;
}

/// Which of the chain's loops are over k.
void RoleFinder::findLoopsOverK() {
  for (unsigned Loop = 0; Loop < In.Chain.size(); ++Loop)
    if (Result.Space.Last[Loop]
            ? is_contained(Result.Axes[K], Loop) ||
                  is_contained(Result.Outer, std::pair(K, Loop))
            : !May.Apart && !Result.COverLoops.dependsOn(Loop))
      Result.Loops[K].push_back(Loop);
}

std::variant<Roles, Refusal> RoleFinder::run(const IterationSpace &Plain) {
  const Refusal No{Reason::IndexRoles, &Store};
  Result.Space = Plain;
  const IterationSpace &Space = Result.Space;
  Result.MustHold = Space.MustHold;
  Result.WrapChecks = Space.WrapChecks;
  if (Refused Unknown = findForms())
    return *Unknown;
  if (!gatherScattered())
    return No;
  for (unsigned Axis = 0; Axis < In.Chain.size(); ++Axis)
    if (Space.Last[Axis] && !assign(Axis))
      return No;
  if (May.Vector && isRankUpdate())
    return Refusal{Reason::RankUpdate, &Store};
  if (May.Vector && !turnToRows())
    return No;
  for (Dim D : {M, N, K})
    if (!fuse(D))
      return No;
  if (Refused Beyond = placeBorders())
    return *Beyond;
  if (Refused Other = checkForms())
    return *Other;
  if (Space.Reversed && is_contained(Result.Axes[K], *Space.Reversed))
    return Refusal{Reason::BoundVaries, &Store};
  findLoopsOverK();
  if (Refused NoSum = checkSum())
    return *NoSum;
  bool HasRows = !allForms([](AffineForm &Form) { return !Form.Row; });
  if (May.Vector && HasRows && !isTableRead())
    return Refusal{Reason::RowTable, &Store};
  if (!mayHaveOuter(HasRows) || (May.Apart && !mayBeApart()))
    return No;
  return std::move(Result);
}

std::variant<Roles, Refusal> findRoles(const LoopNest &In, StoreInst &Store,
                                       const Update &Of, Liberties May) {
  auto MaybeSpaces = IterationSpace::of(In);
  if (auto *No = std::get_if<Refusal>(&MaybeSpaces))
    return *No;
  std::optional<Refusal> Best;
  for (const IterationSpace &Space :
       std::get<SmallVector<IterationSpace, 1>>(MaybeSpaces)) {
    auto Found = RoleFinder(In, Store, Of, May).run(Space);
    auto *No = std::get_if<Refusal>(&Found);
    if (!No)
      return Found;
    if (!Best || Best->Why == Reason::IndexRoles)
      Best = *No;
  }
  return *Best;
}

} // namespace tilesmith
