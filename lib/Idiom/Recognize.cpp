//===- Recognize.cpp - the Idiom room's entry -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the store of C backwards. In a nest of three loops, in any order,
//
//   c[i][j] = ... sum ...          sum = sum + a*b, with sum a phi, or
//   c[i][j] = c[i][j] + a*b        the element itself, loaded and stored
//
// the loop that does not move C's address is k; the other two index one
// of the factors each. The value that the sum starts from is looked up
// outside the k loop, and an earlier store to the same element (an
// initialisation, perhaps in a loop of its own) replaces the element there.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Recognize.h"
#include "Address.h"
#include "Nest.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

namespace {

bool isFusedMultiplyAdd(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::fmuladd ||
                  Call->getIntrinsicID() == Intrinsic::fma);
}

/// Whether \p I may be part of an Expression: it can be cloned on vectors, and
/// then gives the same bits in every lane.
bool isElementwise(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
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

/// The operands of \p I that a running sum may come in by.
SmallVector<unsigned, 2> addends(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
    return {0, 1};
  case Instruction::FSub:
  case Instruction::Sub:
    return {0};
  default:
    return isFusedMultiplyAdd(I) ? SmallVector<unsigned, 2>{2}
                                 : SmallVector<unsigned, 2>{};
  }
}

/// The instructions of a nest that write memory.
struct Effects {
  SmallVector<StoreInst *, 4> Stores;
  SmallVector<MemSetInst *, 2> MemSets;
};

/// Looks at every instruction that runs: what is stored, and is there anything
/// that a product does not do?
std::variant<Effects, Refusal> collectEffects(const Nest &In) {
  Effects Result;
  for (BasicBlock *BB : In.root().blocks())
    for (Instruction &I : *BB)
      for (User *U : I.users())
        if (!In.root().contains(cast<Instruction>(U)))
          return Refusal{Reason::UsedAfter, &I};

  for (BasicBlock *BB : In.Live)
    for (Instruction &I : *BB) {
      if (I.isVolatile() || I.isAtomic())
        return Refusal{Reason::Volatile, &I};
      if (auto *Store = dyn_cast<StoreInst>(&I))
        Result.Stores.push_back(Store);
      else if (auto *MemSet = dyn_cast<MemSetInst>(&I))
        Result.MemSets.push_back(MemSet);
      else if (auto *Call = dyn_cast<IntrinsicInst>(&I);
               Call && (Call->isAssumeLikeIntrinsic() ||
                        Call->getIntrinsicID() ==
                            Intrinsic::experimental_noalias_scope_decl))
        continue;
      else if (isa<CallBase>(I) && I.mayReadOrWriteMemory())
        return Refusal{isa<MemIntrinsic>(I) ? Reason::OtherStore : Reason::Call,
                       &I};
      else if (I.mayHaveSideEffects())
        return Refusal{Reason::Call, &I};
    }
  return Result;
}

std::optional<Refusal> checkBounds(const Nest &In) {
  for (Loop *L : In.Chain) {
    const SCEV *Count = In.Analyses->SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Count))
      return Refusal{Reason::UnknownTripCount, L->getLoopLatch()->getTerminator()};
    if (!In.isInvariant(Count))
      return Refusal{Reason::BoundVaries, L->getLoopLatch()->getTerminator()};
  }
  return std::nullopt;
}

class Recognizer {
public:
  Recognizer(const Nest &In, const Effects &All, StoreInst &UpdateStore)
      : In(In), SE(In.Analyses->SE), LI(In.Analyses->LI),
        DL(In.root().getHeader()->getDataLayout()), All(All) {
    Result.Root = &In.root();
    Result.UpdateStore = &UpdateStore;
  }

  std::optional<Refusal> run();
  Contraction Result;

private:
  using Refused = std::optional<Refusal>;
  using LoadSet = SmallSetVector<LoadInst *, 4>;

  /// `I = Carried + product`, once per iteration.
  struct Accumulation {
    Instruction *I = nullptr;
    Value *Carried = nullptr; ///< a header phi, or a load of C
    unsigned CarriedOperand = 0;
  };

  Refused matchUpdate();
  Refused matchProduct(const Accumulation &Acc);
  Refused matchFactors(Value *X, Value *Y);
  Refused matchAccesses();
  Refused matchStart(const Accumulation &Acc);
  Refused matchInitialisation();
  Refused matchInitialValue(StoreInst &Store);
  Refused applyInitialisation(Instruction &Init, Expression Value);
  void finishGuards();

  std::optional<Accumulation> findAccumulation(Value *V);
  std::variant<Instruction *, Refusal> findJoin(Value *V);
  std::optional<LoadSet> elementLoads(Value *V);
  Refused buildExpression(Value *V, ArrayRef<std::pair<Value *, Leaf>> Known,
                          const SCEV *AddressOfC, Expression &Into);
  Refused requireEqual(const SCEV *X, const SCEV *Y, Instruction &Where);
  void setAccess(Access &To, const AffineForm &Form, Value *Pointer,
                 Type *ElemTy, Align Alignment);
  bool inInnermost(const Instruction &I) const {
    return In.innermost().contains(&I);
  }

  const Nest &In;
  ScalarEvolution &SE;
  LoopInfo &LI;
  const DataLayout &DL;
  const Effects &All;
  LoadInst *LoadOfA = nullptr, *LoadOfB = nullptr;
  Accumulation Update;
  AffineForm FormOfC;
  PerDim<unsigned> Position{}; ///< of each dimension in the chain
};

/// Searches the value \p V of the update for an accumulation carried around the
/// innermost loop by a phi, or around a loop by the stored element itself.
std::optional<Recognizer::Accumulation>
Recognizer::findAccumulation(Value *V) {
  StoreInst &Store = *Result.UpdateStore;
  auto *I = dyn_cast<Instruction>(In.resolve(V));
  if (!I || !In.Live.contains(I->getParent()) || !isElementwise(*I))
    return std::nullopt;
  for (unsigned Op : addends(*I)) {
    Value *Carried = In.resolve(I->getOperand(Op));
    if (auto *Phi = dyn_cast<PHINode>(Carried))
      if (Phi->getParent() == In.innermost().getHeader() &&
          In.incomingFromLatch(*Phi) == I)
        return Accumulation{I, Phi, Op};
    if (auto *Load = dyn_cast<LoadInst>(Carried))
      if (inInnermost(Store) && In.root().contains(Load) &&
          Load->getType() == Store.getValueOperand()->getType() &&
          SE.getSCEV(Load->getPointerOperand()) ==
              SE.getSCEV(Store.getPointerOperand()))
        return Accumulation{I, Load, Op};
  }
  for (Value *Op : I->operands())
    if (std::optional<Accumulation> Found = findAccumulation(Op))
      return Found;
  return std::nullopt;
}

Recognizer::Refused Recognizer::matchUpdate() {
  StoreInst &Store = *Result.UpdateStore;
  std::optional<Accumulation> Acc = findAccumulation(Store.getValueOperand());
  if (!Acc)
    return Refusal{Reason::NoUpdate, &Store};
  bool InMemory = isa<LoadInst>(Acc->Carried);
  if (InMemory && In.resolve(Store.getValueOperand()) != Acc->I)
    return Refusal{Reason::ScaledSum, &Store};
  Type *Ty = Acc->I->getType();
  if (!Ty->isFloatTy() && !Ty->isDoubleTy() && !Ty->isIntegerTy(32) &&
      !Ty->isIntegerTy(64))
    return Refusal{Reason::ElementType, &Store};

  Result.SumTy = Ty;
  Update = *Acc;
  if (Refused No = matchProduct(*Acc))
    return No;
  if (Refused No = matchAccesses())
    return No;
  if (Store.getValueOperand()->getType() != Ty)
    return Refusal{Reason::ElementType, &Store};

  const SCEV *Address = SE.getSCEV(Store.getPointerOperand());
  if (Refused No = buildExpression(Store.getValueOperand(),
                                   {{Acc->I, Leaf::Sum}}, Address,
                                   Result.Finish))
    return No;
  if (inInnermost(Store) && Result.Finish.uses(Leaf::C))
    return Refusal{Reason::ScaledSum, &Store};
  return matchStart(*Acc);
}

/// The distinct loads of elements in the tree of \p V; nothing if something
/// else in it varies.
std::optional<Recognizer::LoadSet> Recognizer::elementLoads(Value *V) {
  V = In.resolve(V);
  if (In.isInvariant(V))
    return LoadSet();
  auto *I = cast<Instruction>(V);
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    LoadSet Set;
    Set.insert(Load);
    return Set;
  }
  if (!isElementwise(*I))
    return std::nullopt;
  LoadSet Union;
  for (Value *Op : I->operands()) {
    if (isa<Function>(Op))
      continue;
    std::optional<LoadSet> Loads = elementLoads(Op);
    if (!Loads)
      return std::nullopt;
    Union.insert_range(*Loads);
  }
  return Union;
}

/// The multiplication in the tree of \p V that brings the elements of A and B
/// together, below scaling by invariants.
std::variant<Instruction *, Refusal> Recognizer::findJoin(Value *V) {
  auto *I = dyn_cast<Instruction>(In.resolve(V));
  if (!I || !isElementwise(*I))
    return Refusal{Reason::NotProduct, I ? I : Update.I};
  unsigned Opcode = I->getOpcode();
  if (Opcode == Instruction::FNeg)
    return findJoin(I->getOperand(0));
  if (Opcode != Instruction::Mul && Opcode != Instruction::FMul &&
      Opcode != Instruction::Shl)
    return Refusal{Reason::NotProduct, I};
  std::optional<LoadSet> X = elementLoads(I->getOperand(0));
  std::optional<LoadSet> Y = elementLoads(I->getOperand(1));
  if (!X || !Y)
    return Refusal{Reason::VaryingScalar, I};
  if (X->size() == 1 && Y->size() == 1 && Opcode != Instruction::Shl)
    return I;
  if (Y->empty())
    return findJoin(I->getOperand(0));
  if (X->empty() && Opcode != Instruction::Shl)
    return findJoin(I->getOperand(1));
  return Refusal{Reason::NotProduct, I};
}

Recognizer::Refused Recognizer::matchProduct(const Accumulation &Acc) {
  Value *Scaled = nullptr;
  if (isFusedMultiplyAdd(*Acc.I)) {
    Value *X = Acc.I->getOperand(0), *Y = Acc.I->getOperand(1);
    std::optional<LoadSet> LoadsX = elementLoads(X), LoadsY = elementLoads(Y);
    if (!LoadsX || !LoadsY)
      return Refusal{Reason::VaryingScalar, Acc.I};
    if (LoadsX->size() == 1 && LoadsY->size() == 1) {
      Result.FusedProduct = true;
      Result.ProductInst = Acc.I;
      return matchFactors(X, Y);
    }
    if (!LoadsX->empty() && !LoadsY->empty())
      return Refusal{Reason::NotProduct, Acc.I};
    Scaled = LoadsX->empty() ? Y : X;
  } else {
    Scaled = Acc.I->getOperand(1 - Acc.CarriedOperand);
  }

  auto Join = findJoin(Scaled);
  if (auto *No = std::get_if<Refusal>(&Join))
    return *No;
  Result.ProductInst = std::get<Instruction *>(Join);
  if (Result.ProductInst->getType() != Result.SumTy)
    return Refusal{Reason::OtherOperation, Result.ProductInst};
  if (Refused No = matchFactors(Result.ProductInst->getOperand(0),
                                Result.ProductInst->getOperand(1)))
    return No;
  Value *Carried = Acc.Carried;
  Refused No = buildExpression(
      Acc.I,
      {{Carried, Leaf::Sum}, {Result.ProductInst, Leaf::Product}},
      /*AddressOfC=*/nullptr, Result.Update);
  return No;
}

Recognizer::Refused Recognizer::matchFactors(Value *X, Value *Y) {
  LoadOfA = elementLoads(X)->front();
  LoadOfB = elementLoads(Y)->front();
  if (LoadOfA == LoadOfB)
    return Refusal{Reason::NotProduct, Update.I};
  if (Refused No = buildExpression(X, {{LoadOfA, Leaf::A}}, nullptr, Result.AMap))
    return No;
  return buildExpression(Y, {{LoadOfB, Leaf::B}}, nullptr, Result.BMap);
}

/// Lifts the tree of \p V. Its leaves are the values in \p Known, loads from
/// \p AddressOfC, and invariants.
Recognizer::Refused
Recognizer::buildExpression(Value *V, ArrayRef<std::pair<Value *, Leaf>> Known,
                            const SCEV *AddressOfC, Expression &Into) {
  if (!Into.Root)
    Into.Root = V;
  for (auto [Value, Kind] : Known)
    if (Value == V) {
      Into.Leaves[V] = Kind;
      return std::nullopt;
    }
  if (isa<Constant>(V))
    return std::nullopt;
  if (Value *Only = In.resolve(V); Only != V) {
    Into.Forwards[V] = Only;
    return buildExpression(Only, Known, AddressOfC, Into);
  }
  auto *I = dyn_cast<Instruction>(V);
  if (auto *Load = dyn_cast<LoadInst>(V);
      Load && AddressOfC && In.root().contains(Load) &&
      SE.getSCEV(Load->getPointerOperand()) == AddressOfC) {
    Into.Leaves[V] = Leaf::C;
    return std::nullopt;
  }
  if (In.isInvariant(V)) {
    Into.Leaves[V] = Leaf::Invariant;
    return std::nullopt;
  }
  if (!I || isa<PHINode>(I) || isa<LoadInst>(I))
    return Refusal{Reason::VaryingScalar, I ? I : Update.I};
  if (!isElementwise(*I))
    return Refusal{Reason::OtherOperation, I};
  for (Value *Op : I->operands())
    if (!isa<Function>(Op))
      if (Refused No = buildExpression(Op, Known, AddressOfC, Into))
        return No;
  return std::nullopt;
}

void Recognizer::setAccess(Access &To, const AffineForm &Form, Value *Pointer,
                           Type *ElemTy, Align Alignment) {
  const SCEV *Zero = SE.getZero(DL.getIndexType(Pointer->getType()));
  To.Base = Form.Base;
  To.ElemTy = ElemTy;
  To.Alignment = Alignment;
  To.Pointer = Pointer;
  for (Dim D : {M, N, K}) {
    const SCEV *Step = Form.Step[Position[D]];
    To.Stride[D] = Step ? Step : Zero;
  }
  for (const AffineForm::NarrowSum &Sum : Form.MustNotWrap) {
    WrapCheck Check;
    Check.Start = Sum.Start;
    Check.Bits = SE.getTypeSizeInBits(Sum.Start->getType());
    Check.Signed = Sum.Signed;
    for (Dim D : {M, N, K})
      Check.Step[D] = Sum.Step[Position[D]];
    Result.WrapChecks.push_back(Check);
  }
}

/// Which loop is which dimension: k does not move C; M is the loop that moves C
/// and A, N the one that moves C and B.
Recognizer::Refused Recognizer::matchAccesses() {
  auto FormOf = [&](Instruction &I) {
    return affineForm(SE.getSCEV(getLoadStorePointerOperand(&I)), In, In.Chain);
  };
  std::optional<AffineForm> FormC = FormOf(*Result.UpdateStore);
  std::optional<AffineForm> FormA = FormOf(*LoadOfA), FormB = FormOf(*LoadOfB);
  if (!FormC)
    return Refusal{Reason::NotAffine, Result.UpdateStore};
  if (!FormA || !FormB)
    return Refusal{Reason::NotAffine, FormA ? LoadOfB : LoadOfA};

  std::optional<unsigned> At[NumDims];
  for (unsigned P = 0; P < ChainLength; ++P) {
    bool InC = FormC->dependsOn(P), InA = FormA->dependsOn(P),
         InB = FormB->dependsOn(P);
    if (InC + InA + InB != 2)
      return Refusal{Reason::IndexRoles, Result.UpdateStore};
    At[!InC ? K : InA ? M : N] = P;
  }
  for (Dim D : {M, N, K}) {
    if (!At[D])
      return Refusal{Reason::IndexRoles, Result.UpdateStore};
    Position[D] = *At[D];
    Result.Loops[D] = In.Chain[Position[D]];
    Result.BackedgeCount[D] = SE.getBackedgeTakenCount(Result.Loops[D]);
  }
  // A phi is carried around the innermost loop, which must be the sum's.
  if (isa<PHINode>(Update.Carried) && Position[K] != ChainLength - 1)
    return Refusal{Reason::IndexRoles, Result.UpdateStore};

  FormOfC = *FormC;
  StoreInst &Store = *Result.UpdateStore;
  setAccess(Result.C, *FormC, Store.getPointerOperand(),
            Store.getValueOperand()->getType(), Store.getAlign());
  setAccess(Result.A, *FormA, LoadOfA->getPointerOperand(), LoadOfA->getType(),
            LoadOfA->getAlign());
  setAccess(Result.B, *FormB, LoadOfB->getPointerOperand(), LoadOfB->getType(),
            LoadOfB->getAlign());
  return std::nullopt;
}

Recognizer::Refused Recognizer::matchStart(const Accumulation &Acc) {
  const SCEV *Address = SE.getSCEV(Result.UpdateStore->getPointerOperand());
  Value *From = Acc.Carried;
  if (auto *Phi = dyn_cast<PHINode>(Acc.Carried))
    From = In.incomingFromOutside(*Phi);
  if (!From)
    return Refusal{Reason::VaryingScalar, Acc.I};
  return buildExpression(From, {}, Address, Result.Start);
}

/// \p X and \p Y must be equal: known now, or tested by the guard.
Recognizer::Refused Recognizer::requireEqual(const SCEV *X, const SCEV *Y,
                                             Instruction &Where) {
  if (!X != !Y)
    return Refusal{Reason::InitMismatch, &Where};
  if (X == Y)
    return std::nullopt;
  if (X->getType()->isPointerTy() != Y->getType()->isPointerTy())
    return Refusal{Reason::InitMismatch, &Where};
  if (!X->getType()->isPointerTy()) {
    Type *Wide = SE.getWiderType(X->getType(), Y->getType());
    X = SE.getNoopOrZeroExtend(X, Wide);
    Y = SE.getNoopOrZeroExtend(Y, Wide);
  }
  if (SE.isKnownPredicate(ICmpInst::ICMP_NE, X, Y))
    return Refusal{Reason::InitMismatch, &Where};
  if (!SE.isKnownPredicate(ICmpInst::ICMP_EQ, X, Y))
    Result.MustBeEqual.push_back({X, Y});
  return std::nullopt;
}

/// Every store besides the update must set each element of C, before the sum
/// reads it.
Recognizer::Refused Recognizer::matchInitialisation() {
  Instruction *Init = nullptr;
  for (StoreInst *Store : All.Stores) {
    if (Store == Result.UpdateStore)
      continue;
    if (Init)
      return Refusal{Reason::OtherStore, Store};
    Init = Store;
    if (Refused No = matchInitialValue(*Store))
      return No;
  }
  for (MemSetInst *MemSet : All.MemSets) {
    if (Init)
      return Refusal{Reason::OtherStore, MemSet};
    Init = MemSet;
    // for i { memset(&c[i][0], 0, n * sizeof); ... }
    auto *Byte = dyn_cast<ConstantInt>(MemSet->getValue());
    unsigned Row = 0, Column = 3 - Position[K] - Row;
    std::optional<AffineForm> Form =
        affineForm(SE.getSCEV(MemSet->getDest()), In,
                   {In.Chain[Row], nullptr, nullptr});
    if (!Byte || !Byte->isZero() || Position[K] == Row || !Form ||
        LI.getLoopFor(MemSet->getParent()) != In.Chain[Row] ||
        !Form->MustNotWrap.empty())
      return Refusal{Reason::InitMismatch, MemSet};
    uint64_t Size = DL.getTypeStoreSize(Result.C.ElemTy);
    Type *IndexTy = DL.getIndexType(MemSet->getDest()->getType());
    const SCEV *Extent = SE.getAddExpr(
        SE.getTruncateOrZeroExtend(
            SE.getBackedgeTakenCount(In.Chain[Column]), IndexTy),
        SE.getOne(IndexTy));
    const SCEV *Bytes =
        SE.getMulExpr(Extent, SE.getConstant(IndexTy, Size));
    const SCEV *ElementSize = SE.getConstant(IndexTy, Size);
    for (auto [X, Y] :
         {std::pair(Form->Base, FormOfC.Base),
          std::pair(Form->Step[0], FormOfC.Step[Row]),
          std::pair(ElementSize, FormOfC.Step[Column]),
          std::pair(Bytes, SE.getSCEV(MemSet->getLength()))})
      if (Refused No = requireEqual(X, Y, *MemSet))
        return No;
    Expression Zero;
    Zero.Root = Constant::getNullValue(Result.C.ElemTy);
    if (Refused No = applyInitialisation(*MemSet, Zero))
      return No;
  }
  return std::nullopt;
}

/// An initialising store stands in the loop over rows and columns itself, or in
/// a sibling of the chain that takes the place of one of them.
Recognizer::Refused Recognizer::matchInitialValue(StoreInst &Store) {
  Loop *Around = LI.getLoopFor(Store.getParent());
  std::array<Loop *, ChainLength> Loops = In.Chain;
  if (is_contained(In.Siblings, Around)) {
    // for i { for j' c[i][j'] = …; … for j … }: one loop of the chain encloses
    // the sibling, and is not k.
    if (Around->getParentLoop() != In.Chain[0] || Position[K] == 0)
      return Refusal{Reason::InitMismatch, &Store};
    unsigned Column = 3 - Position[K];
    const SCEV *Count = SE.getBackedgeTakenCount(Around);
    if (isa<SCEVCouldNotCompute>(Count) || !In.isInvariant(Count))
      return Refusal{Reason::InitMismatch, &Store};
    if (Refused No = requireEqual(
            Count, SE.getBackedgeTakenCount(In.Chain[Column]), Store))
      return No;
    Loops = {In.Chain[0], nullptr, nullptr};
    Loops[Column] = Around;
  } else if (Around != In.Chain[1] || Position[K] != 2) {
    return Refusal{is_contained(In.Chain, Around) ? Reason::OtherStore
                                                  : Reason::InitMismatch,
                   &Store};
  }
  const SCEV *Address = SE.getSCEV(Store.getPointerOperand());
  std::optional<AffineForm> Form = affineForm(Address, In, Loops);
  if (!Form || Store.getValueOperand()->getType() != Result.C.ElemTy)
    return Refusal{Reason::OtherStore, &Store};
  if (Form->MustNotWrap.size() != FormOfC.MustNotWrap.size())
    return Refusal{Reason::InitMismatch, &Store};
  if (Refused No = requireEqual(Form->Base, FormOfC.Base, Store))
    return Refusal{Reason::OtherStore, &Store};
  for (unsigned P = 0; P < ChainLength; ++P)
    if (Refused No = requireEqual(Form->Step[P], FormOfC.Step[P], Store))
      return Refusal{Reason::OtherStore, &Store};

  Expression Value;
  if (Refused No = buildExpression(Store.getValueOperand(), {}, Address, Value))
    return No;
  return applyInitialisation(Store, Value);
}

/// \p Init gives each element of C \p Value. A sum that starts from the element
/// starts from that value.
Recognizer::Refused Recognizer::applyInitialisation(Instruction &Init,
                                                    Expression Value) {
  if (!In.precedes(Init, *Result.UpdateStore))
    return Refusal{Reason::OtherStore, &Init};
  if (Result.Finish.uses(Leaf::C))
    return Refusal{Reason::InitMismatch, &Init};
  for (const auto &[Element, Kind] : Result.Start.Leaves) {
    if (Kind != Leaf::C || !In.precedes(Init, *cast<LoadInst>(Element)))
      continue;
    if (Element != Result.Start.Root)
      return Refusal{Reason::InitMismatch, &Init};
    Result.Start = std::move(Value);
    return std::nullopt;
  }
  // The initial value is overwritten unread, since k runs at least once.
  return std::nullopt;
}

/// Gathers what the guard has to load.
void Recognizer::finishGuards() {
  SetVector<LoadInst *> Loads;
  Result.Assumptions = In.Assumptions;
  for (const Assumption &A : Result.Assumptions)
    In.collectLoads(A.Condition, Loads);
  SetVector<Value *> Scalars;
  for (const Expression *E : {&Result.AMap, &Result.BMap, &Result.Update,
                              &Result.Start, &Result.Finish})
    E->collectInvariants(Scalars);
  for (Value *V : Scalars)
    In.collectLoads(V, Loads);
  for (const Access *X : {&Result.C, &Result.A, &Result.B}) {
    In.collectLoads(X->Base, Loads);
    for (const SCEV *Stride : X->Stride)
      In.collectLoads(Stride, Loads);
  }
  for (const SCEV *Count : Result.BackedgeCount)
    In.collectLoads(Count, Loads);
  for (auto [X, Y] : Result.MustBeEqual) {
    In.collectLoads(X, Loads);
    In.collectLoads(Y, Loads);
  }
  Result.InvariantLoads.append(Loads.begin(), Loads.end());

  if (AAResults *AA = In.Analyses->AA) {
    auto MayAlias = [&](const Access &X) {
      return !AA->isNoAlias(
          MemoryLocation::getBeforeOrAfter(Result.C.Pointer),
          MemoryLocation::getBeforeOrAfter(X.Pointer));
    };
    Result.CMayAliasA = MayAlias(Result.A);
    Result.CMayAliasB = MayAlias(Result.B);
  }
}

std::optional<Refusal> Recognizer::run() {
  if (Refused No = matchUpdate())
    return No;
  if (Refused No = matchInitialisation())
    return No;
  finishGuards();
  return std::nullopt;
}

} // namespace

bool looksLikeProduct(const Loop &Innermost) {
  const Loop *Parent = Innermost.getParentLoop();
  if (!Innermost.isInnermost() || !Parent || !Parent->getParentLoop())
    return false;
  auto IsProduct = [](const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I && (I->getOpcode() == Instruction::Mul ||
                 I->getOpcode() == Instruction::FMul ||
                 I->getOpcode() == Instruction::Shl);
  };
  bool HasLoad = false, HasMultiplyAdd = false;
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB) {
      HasLoad |= isa<LoadInst>(I);
      if (isFusedMultiplyAdd(I))
        HasMultiplyAdd = true;
      else if (!addends(I).empty() && any_of(I.operands(), IsProduct))
        HasMultiplyAdd = true;
    }
  return HasLoad && HasMultiplyAdd;
}

std::variant<Contraction, Refusal> recognize(Loop &Innermost,
                                             const NestAnalyses &Analyses) {
  auto MaybeNest = Nest::create(Innermost, Analyses);
  if (auto *No = std::get_if<Refusal>(&MaybeNest))
    return *No;
  const Nest &In = std::get<Nest>(MaybeNest);
  auto MaybeEffects = collectEffects(In);
  if (auto *No = std::get_if<Refusal>(&MaybeEffects))
    return *No;
  if (std::optional<Refusal> No = checkBounds(In))
    return *No;

  Refusal Best{Reason::NoUpdate, Innermost.getHeader()->getTerminator()};
  const Effects &All = std::get<Effects>(MaybeEffects);
  for (StoreInst *Store : All.Stores) {
    Recognizer R(In, All, *Store);
    std::optional<Refusal> No = R.run();
    if (!No)
      return std::move(R.Result);
    if (Best.Why == Reason::NoUpdate)
      Best = *No;
  }
  return Best;
}

} // namespace tilesmith
