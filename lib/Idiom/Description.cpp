//===- Description.cpp - loops, terms and operands of a contraction -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "tilesmith/Support/Language.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

const char WrittenOutMark[] = "tilesmith.written-out";
const char ScalarMark[] = "tilesmith.scalar";
const char ProtectedMark[] = "tilesmith.protected";

/// C becomes a new row-major matrix, which receives the sums as they are.
void Recognizer::describeScratch(const Update &From) {
  ScalarEvolution &SE = In.Analyses->SE;
  Type *PtrTy = Store.getPointerOperand()->getType();
  Type *IndexTy = Store.getDataLayout().getIndexType(PtrTy);
  Access &C = Result.Op.C;
  C.ElemTy = Result.Op.SumTy;
  C.Alignment = Store.getDataLayout().getABITypeAlign(C.ElemTy);
  C.Inst = &Store;
  C.Pointer = Store.getPointerOperand();
  C.Base = SE.getSCEV(Constant::getNullValue(PtrTy));
  const SCEV *Size =
      SE.getConstant(IndexTy, Store.getDataLayout().getTypeStoreSize(C.ElemTy));
  const SCEV *Zero = SE.getZero(IndexTy);
  C.Stride = {SE.getMulExpr(Size, extent(N, IndexTy)),
              By.Axes[N].empty() ? Zero : Size, Zero};
  Scratch Sums;
  Sums.Sum = From.Sum;
  for (auto [D, Index] : {std::pair(M, &Sums.Rows), {N, &Sums.Columns}})
    for (unsigned Axis : By.Axes[D]) {
      std::optional<unsigned> Mover = By.Space.moverOf(Axis);
      Index->push_back({In.Chain[Axis], By.Space.Last[Axis],
                        By.Space.Reversed == Axis,
                        Mover ? In.Chain[*Mover] : nullptr});
    }
  if (From.isInMemory())
    Sums.Once = In.Chain[By.Loops[K].front()];
  Result.Source.ToScratch = std::move(Sums);
  Result.Op.Finish.Root = From.Sum;
  Result.Op.Finish.Leaves[From.Sum] = Leaf::Sum;
}

void Recognizer::describeUpdate(const Update &From) {
  Result.Source.UpdateStore = &Store;
  Result.Op.SumTy = From.Sum->getType();
  Result.Op.Update = From.Tree;
  ScalarEvolution &SE = In.Analyses->SE;
  for (const Update::Divisor &By : From.Divisors) {
    const SCEV *Zero = SE.getZero(By.V->getType());
    Result.Tests.MustHold.push_back(
        {By.IsSigned ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_NE, Zero,
         SE.getSCEV(By.V)});
  }
}

/// Whether LLVM may have exchanged the factors of \p Product: it does not keep their
/// order where the order of operations is open.
static bool mayBeExchanged(const Instruction &Product) {
  return Product.getType()->isIntegerTy() ||
         (isa<FPMathOperator>(Product) && Product.hasAllowReassoc());
}

/// Whether, in the source, B comes first: it is loaded first then. Where LLVM has moved
/// one of the loads in front of a loop, this is not known, and the order is taken in
/// which C is as matrices usually are.
bool Recognizer::areExchanged(const Term &T) const {
  const Contraction &Op = Result.Op;
  bool MayBe = T.Pairing ? T.A.Inst->getType()->isIntegerTy()
                         : T.Product && mayBeExchanged(*T.Product);
  if (!MayBe)
    return false;
  if (T.A.Inst->getParent() == T.B.Inst->getParent())
    return T.B.Inst->comesBefore(T.A.Inst);
  const DataLayout &DL = Store.getDataLayout();
  Dim Usual = isFortran(Store.getFunction()->getSubprogram()) ? N : M;
  return Op.C.isUnit(Usual, DL);
}

Refused Recognizer::describeTerms(Update &From) {
  for (auto [P, Forms] : zip(From.Products, By.Products)) {
    Term T;
    T.Product = P.Multiply;
    bool Swapped = Forms.Swapped;
    T.A = accessBy(Swapped ? *P.LoadOfB : *P.LoadOfA, Forms.A);
    T.B = accessBy(Swapped ? *P.LoadOfA : *P.LoadOfB, Forms.B);
    if (By.Bordered)
      describeBorders(*By.Bordered == M ? T.A : T.B);
    T.AMap = std::move(Swapped ? P.BMap : P.AMap);
    T.BMap = std::move(Swapped ? P.AMap : P.BMap);
    T.Pairing = std::move(P.Pairing);
    if (Swapped && T.Pairing) {
      T.Pairing->exchangeFactors();
      Result.Op.Update.exchangeFactors();
    }
    if (Refused No = describeMaking(T.A, T.AMap, M, T.MadeA))
      return No;
    if (Refused No = describeMaking(T.B, T.BMap, N, T.MadeB))
      return No;
    Result.Op.Terms.push_back(std::move(T));
  }
  return std::nullopt;
}

/// What the loop with this number goes along: nothing if both factors move, as in a
/// batch.
std::optional<Dim> Recognizer::dimOf(unsigned Loop) const {
  if (is_contained(By.Loops[K], Loop))
    return K;
  const auto &Factors = By.Products.front();
  bool MovesA = Factors.AOverLoops.dependsOn(Loop),
       MovesB = Factors.BOverLoops.dependsOn(Loop);
  if (MovesA == MovesB)
    return std::nullopt;
  return MovesA ? M : N;
}

void Recognizer::describeLoops() {
  Result.Source.Root = &In.root();
  Result.Source.Loops = In.Chain;
  Result.Tests.Assumptions = In.Assumptions;
  Result.Source.Results = All.Results;
  Result.Source.IsScatter = By.Space.IsGathered;
  Result.Source.ScattersTaps = By.Space.ScattersTaps;
  Result.Source.Outermost = dimOf(0);
  Result.Source.Innermost = dimOf(In.Chain.size() - 1);
  Result.Source.MayReorder =
      Result.Source.sumsInnermost() &&
      getBooleanLoopAttribute(&In.innermost(), "llvm.loop.vectorize.enable");
  Result.Source.IsWrittenOut =
      findOptionMDForLoop(&In.innermost(), WrittenOutMark) != nullptr;
  Result.Source.IsUnrolledElse =
      findOptionMDForLoop(&In.innermost(), ProtectedMark) != nullptr;
  Result.Source.UnrollsRows =
      findOptionMDForLoop(&In.innermost(), UnrollsRowsMark) != nullptr;
  for (Dim D : {M, N, K})
    Result.Op.BackedgeCount[D] = By.Last[D];
  for (auto [D, Axis] : By.Outer)
    Result.Op.Outer.push_back({D, By.Space.Last[Axis]});
  Result.Tests.MustHold.append(In.MustHold);
  Result.Tests.MustHold.append(By.MustHold);
  Result.Tests.WrapChecks.append(By.WrapChecks);
  if (const auto &Diagonal = By.Space.Domain) {
    auto DimensionOf = [&](unsigned Axis) {
      return *find_if(ArrayRef<Dim>({M, N, K}),
                      [&](Dim D) { return is_contained(By.Axes[D], Axis); });
    };
    Result.Op.Domain = Triangle{
        DimensionOf(Diagonal->X), DimensionOf(Diagonal->Y), Diagonal->Below,
        Diagonal->Offset,         /*StoresEmpty=*/false,
        /*Parts=*/std::nullopt};
  }
}

Access Recognizer::accessBy(Instruction &I, const AffineForm &Form) const {
  ScalarEvolution &SE = In.Analyses->SE;
  Access Result;
  Result.Base = Form.Base;
  Result.ElemTy = getLoadStoreType(&I);
  Result.Alignment = alignmentOfElement(I);
  Result.Inst = &I;
  Result.Pointer = getLoadStorePointerOperand(&I);
  if (auto It = In.Sources.find(&I); It != In.Sources.end()) {
    Result.Alignment = It->second.Alignment;
    Result.Inst = It->second.Inst;
    Result.Pointer = It->second.Pointer;
  }
  Type *IndexTy = I.getDataLayout().getIndexType(Result.Pointer->getType());
  for (Dim D : {M, N, K}) {
    const SCEV *Step = By.stride(Form, D);
    Result.Stride[D] = Step ? Step : SE.getZero(IndexTy);
  }
  for (auto [D, Axis] : By.Outer)
    Result.OuterStride.push_back(Form.Step[Axis] ? Form.Step[Axis]
                                                 : SE.getZero(IndexTy));
  Result.IsSymmetric = Form.Chosen.has_value();
  if (const auto &In = Form.Groups)
    Result.Grouped = {By.dimensionOf(In->Loop).value_or(K), In->Length,
                      In->Step};
  if (Form.Row)
    describeRows(Result, Form);
  return Result;
}

/// The borders of \p X.
void Recognizer::describeBorders(Access &X) const {
  auto OrZero = [&](const SCEV *Step) {
    ScalarEvolution &SE = In.Analyses->SE;
    return Step ? Step : SE.getZero(Type::getInt64Ty(SE.getContext()));
  };
  for (const IterationSpace::Inside &Inside : By.Space.Borders) {
    Border &B = X.Borders.emplace_back();
    B.Start = Inside.Position.Base;
    B.Extent = Inside.Extent;
    for (Dim D : {M, N, K})
      B.Stride[D] = OrZero(By.stride(Inside.Position, D));
    for (auto [D, Axis] : By.Outer)
      B.OuterStride.push_back(OrZero(Inside.Position.Step[Axis]));
  }
}

const SCEV *Recognizer::extent(Dim D, Type *Ty) const {
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *Last = Result.Op.BackedgeCount[D];
  return SE.getTruncateOrZeroExtend(
      SE.getAddExpr(Last, SE.getOne(Last->getType())), Ty);
}

/// The table of \p X, which itself becomes the dense copy of the rows; where a
/// matrix times a vector reads them in place, they may run backwards.
void Recognizer::describeRows(Access &X, const AffineForm &Form) const {
  ScalarEvolution &SE = In.Analyses->SE;
  const AffineForm::RowPointer &Row = *Form.Row;
  RowTable Table;
  for (Dim D : {M, N, K}) {
    if (By.stride(Row, D))
      Table.PointerDim = D;
    else if (By.stride(Form, D))
      Table.ElementDim = D;
  }
  Table.Entry = Row.Base;
  Table.Distance = By.stride(Row, Table.PointerDim);
  Table.Offset = Form.Base;
  Table.Step = By.stride(Form, Table.ElementDim);
  Table.EntryAlignment = Row.Load->getAlign();
  Table.ElementAlignment = X.Alignment;
  Table.Load = Row.Load;

  uint64_t Bytes = X.Inst->getDataLayout().getTypeStoreSize(X.ElemTy);
  const SCEV *Size = SE.getConstant(Table.Step->getType(), Bytes);
  X.Base = SE.getSCEV(Constant::getNullValue(X.Pointer->getType()));
  X.Stride[Table.ElementDim] = May.Vector ? Table.Step : Size;
  X.Stride[Table.PointerDim] =
      SE.getMulExpr(Size, extent(Table.ElementDim, Size->getType()));
  X.Alignment = commonAlignment(X.Alignment, Bytes);
  X.Rows = Table;
}

} // namespace tilesmith
