//===- Epilogue.cpp - what becomes of sums, with further operands ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s = s + bias[j];  c[i][j] = s > 0 ? s : 0;
//   c[i][j] = tanh(s);
//   c[i][j] = residual[i][j] + scale[i] * s;
//
// The kernel stores sums to C, and applies the epilogue to each tile while that
// is in the nearest cache. If the epilogue needs what C was before, or if C's
// elements have another type than the sums, these rest in a buffer:
//
//   c[i][j] = (int8_t)clamp((s + bias[j]) * scale >> shift);
//   if (s < c[i][j]) c[i][j] = s;
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p Form, over the axes, is affine in the index that the axes of \p D
/// are fused to.
bool Recognizer::isFused(const AffineForm &Form, Dim D) const {
  ScalarEvolution &SE = In.Analyses->SE;
  ArrayRef<unsigned> Axes = By.Axes[D];
  // A vector has no axis along N.
  return Axes.empty() || all_of(seq<size_t>(1, Axes.size()), [&](size_t I) {
           unsigned Outer = Axes[I - 1], Inner = Axes[I];
           const SCEV *Long = Form.Step[Outer], *Short = Form.Step[Inner];
           if (!Long || !Short)
             return Long == Short;
           return Long == SE.getMulExpr(Short, SE.getTruncateOrZeroExtend(
                                                   By.Space.extent(Inner),
                                                   Short->getType()));
         });
}

/// Makes the axes of \p D one in \p Form, over the axes; false if they are not. Of two,
/// the outer one may count groups.
bool Recognizer::fuseFurther(AffineForm &Form, Dim D, bool MayGroup) const {
  ArrayRef<unsigned> Axes = By.Axes[D];
  auto &Groups = Form.Groups;
  if (Groups && is_contained(Axes, Groups->Loop)) {
    // There is one group only.
    auto *Last = dyn_cast<SCEVConstant>(By.Space.Last[Groups->Loop]),
         *Length = dyn_cast<SCEVConstant>(Groups->Length);
    if (Last && Length && Last->getAPInt().ult(Length->getAPInt()))
      Groups.reset();
    else
      return Axes.size() == 1;
  }
  if (isFused(Form, D))
    return true;
  if (!MayGroup || Groups || Axes.size() != 2 || !By.Space.isPlain())
    return false;
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *Step = Form.Step[Axes[0]];
  Groups = {Axes[1], By.Space.extent(Axes[1]),
            Step ? Step : SE.getZero(Form.Step[Axes[1]]->getType())};
  return true;
}

/// \p Load, inside \p Loops, as a further operand, which \p Still does not move.
/// \p Checks: what must hold for that. \p OfGroups: likewise, if it may be in groups.
std::optional<Access>
Recognizer::furtherOperand(LoadInst &Load, const LoopChain &Loops, Dim Still,
                           SmallVectorImpl<WrapCheck> &Checks,
                           SmallVectorImpl<Requirement> *OfGroups) const {
  if (!Load.isSimple() || !In.root().contains(&Load) || In.isInvariant(&Load))
    return std::nullopt;
  const SCEV *Address = In.addressOf(Load);
  std::optional<AffineForm> Form;
  if (Address)
    Form = OfGroups ? groupedForm(Address, In, Loops)
                    : affineForm(Address, In, Loops);
  if (!Form || Form->Row || Form->Chosen)
    return std::nullopt;
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Checks.push_back(By.Space.wrapCheck(Sum));
  if (OfGroups)
    OfGroups->append(Form->MustHold);
  if (!By.Space.toAxes(*Form) || !all_of(PerDim<Dim>{M, N, K}, [&](Dim D) {
        return fuseFurther(*Form, D, OfGroups != nullptr);
      }))
    return std::nullopt;
  for (unsigned Axis = 0; Axis < In.Chain.size(); ++Axis)
    if (Form->dependsOn(Axis) && By.dimensionOf(Axis).value_or(Still) == Still)
      return std::nullopt;
  return accessBy(Load, *Form);
}

void Recognizer::requireNoWraps(ArrayRef<WrapCheck> Checks) {
  for (const WrapCheck &Check : Checks)
    if (!is_contained(Result.Tests.WrapChecks, Check))
      Result.Tests.WrapChecks.push_back(Check);
}

void Recognizer::requireAll(ArrayRef<Requirement> Needed) {
  for (const Requirement &R : Needed)
    if (!is_contained(Result.Tests.MustHold, R))
      Result.Tests.MustHold.push_back(R);
}

/// Whether kernels go through the elements of C once their sums are complete. Those
/// of matrices are copied row by row if they are found through tables.
bool Recognizer::mayHaveEpilogue() const {
  const Contraction &Op = Result.Op;
  return !May.Apart && !In.Zeros && (!Op.hasRowTables() || May.Vector) &&
         (!Op.Domain || Op.Domain->isOfC() || !May.Vector);
}

/// What \p V is, of C as it was and of elements of further operands. Elements that
/// are loaded in a loop over k might not be.
std::optional<Leaf>
Recognizer::leafOfOthers(const Value &V, const LoopChain &Loops,
                         SmallVectorImpl<FurtherOperand> &Operands,
                         SmallVectorImpl<WrapCheck> &Checks) const {
  const Loop &Sum = *In.Chain[By.Loops[K].front()];
  // LeafOf takes constants, and nothing is changed here.
  auto *Load = dyn_cast<LoadInst>(const_cast<Value *>(&V));
  if (!Load || Sum.contains(Load))
    return std::nullopt;
  if (Element.isReadBy(V, In))
    return Leaf::C;
  std::optional<Access> X = furtherOperand(*Load, Loops, K, Checks);
  if (!X)
    return std::nullopt;
  if (none_of(Operands,
              [&](const FurtherOperand &Of) { return Of.Load == Load; }))
    Operands.push_back({Load, std::move(*X)});
  return Leaf::Further;
}

/// What is stored, of the sum and of elements of further operands, as an
/// epilogue.
bool Recognizer::liftEpilogue(const Update &From) {
  Type *SumTy = Result.Op.SumTy;
  const Loop &Sum = *In.Chain[By.Loops[K].front()];
  if (!mayHaveEpilogue() || From.isInMemory() || storesChangesOnly(Store) ||
      Sum.contains(&Store) || !OuterSums.empty())
    return false;
  Epilogue Found;
  SmallVector<WrapCheck, 2> Checks;
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    if (isStoredSum(V, From))
      return Leaf::Sum;
    auto *I = dyn_cast<Instruction>(&V);
    if (I && isSumOfOther(*I, Found))
      return Leaf::SumOfOther;
    return leafOfOthers(V, In.Chain, Found.Operands, Checks);
  };
  if (lift(Store.getValueOperand(), In, Known, Found.Value, isScalarArithmetic))
    return false;
  bool HasEmptyRows = Result.Op.Domain && !Result.Op.Domain->isOfC();
  if (Found.isOfNumbers() &&
      (May.Vector || HasEmptyRows || !liftProducts(Known, Found)))
    return false;
  // Vectors have no buffers, and zeros at borders are made again in C.
  bool IsApart = Result.Op.C.ElemTy != SumTy || Found.uses(Leaf::C);
  if (IsApart && (May.Vector || (By.Bordered && !SumTy->isIntegerTy())))
    return false;
  requireNoWraps(Checks);
  finishLater(From, std::move(Found));
  return true;
}

/// Sums are stored as they are, for an epilogue.
void Recognizer::finishLater(const Update &From, Epilogue Last) {
  Result.Op.Finish = Expression();
  Result.Op.Finish.Root = From.Sum;
  Result.Op.Finish.Leaves[From.Sum] = Leaf::Sum;
  Result.Op.After = std::move(Last);
}

/// Whether the nest stores nothing but elements of C, and partial sums of them.
bool Recognizer::isStoredAlone() const {
  return all_of(All.writes(), [&](const Instruction *Write) {
    return Write == &Store ||
           (isa<StoreInst>(Write) && In.addressOf(*Write) == Element.Address);
  });
}

/// Whether the nest does something else, and stores nothing else to the array of C.
bool Recognizer::isStoredBesideOthers() const {
  if (!Element.Address)
    return false;
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *Array = SE.getPointerBase(Element.Address);
  SmallVector<Instruction *, 4> Others = All.writes();
  erase(Others, &Store);
  if (Others.empty())
    return !All.ComputedResults.empty();
  return all_of(Others, [&](const Instruction *Write) {
    auto *Other = dyn_cast<StoreInst>(Write);
    const SCEV *Address = Other ? In.addressOf(*Other) : nullptr;
    return Address && SE.getPointerBase(Address) != Array;
  });
}

/// Whether a kernel may give C what sums start from: where a diagonal bounds k, where
/// the nest does something else, too, where sums are kept apart, or where lines of a
/// matrix that meets a vector are found through a table, as it looks through that first.
/// Elsewhere the nest itself sets C (startElsewhere).
bool Recognizer::mayStartInKernel() const {
  const Contraction &Op = Result.Op;
  if (In.Zeros || exitOffPath() || !OuterSums.empty() || !Op.Outer.empty() ||
      Op.C.ElemTy != Op.SumTy || storesChangesOnly(Store))
    return false;
  if (May.Vector && Op.Finish.uses(Leaf::C))
    return false;
  if (Op.hasRowTables())
    return May.Vector && !Op.Domain && !May.Saved &&
           (May.Apart || isStoredAlone() || isStoredBesideOthers());
  if (Op.Domain)
    return !May.Vector && !May.Apart && !Op.Domain->isOfC() && isStoredAlone();
  return (May.Apart || isStoredBesideOthers()) && !By.Bordered && !May.Saved &&
         Op.SumTy->isFloatingPointTy();
}

/// What sums start from, \p First, of C and of elements of further operands.
bool Recognizer::liftStartOfOthers(Value &First, const Update &From) {
  Contraction &Op = Result.Op;
  if (!mayStartInKernel() || From.isInMemory())
    return false;
  Expression Start;
  SmallVector<FurtherOperand, 1> Operands;
  SmallVector<WrapCheck, 2> Checks;
  auto Known = [&](const Value &V) {
    return leafOfOthers(V, In.Chain, Operands, Checks);
  };
  if (lift(&First, In, Known, Start, isScalarArithmetic) || Operands.empty())
    return false;
  requireNoWraps(Checks);
  Op.Start = std::move(Start);
  Op.StartOperands = std::move(Operands);
  if (!Op.storesSum()) {
    Epilogue Last;
    Last.Value = Op.Finish;
    finishLater(From, std::move(Last));
  }
  return true;
}

const char StoresChangesMark[] = "tilesmith.stores-changes";

bool storesChangesOnly(const Instruction &Write) {
  return Write.hasMetadata(StoresChangesMark);
}

/// A store that was made under a condition, in a step that changes the sum, is
/// made again where the last sum is not the element from which the first step
/// started.
Refused Recognizer::describeChanges() {
  if (!storesChangesOnly(Store))
    return std::nullopt;
  const Contraction &Op = Result.Op;
  if (!mayHaveEpilogue() || May.Vector || By.Bordered || !Op.storesSum() ||
      !Op.Start.isLeaf(Leaf::C))
    return Refusal{Reason::Branch, &Store};
  Epilogue Changes;
  Changes.Value = Op.Finish;
  Changes.StoresChangesOnly = true;
  Result.Op.After = std::move(Changes);
  return std::nullopt;
}

/// Sums of which all that counts is whether a step has stored start from another constant
/// than that: C need not exist where none has.
Refused Recognizer::startBesideStored(const Update &From) {
  Contraction &Op = Result.Op;
  auto *Element = dyn_cast<LoadInst>(From.Carried);
  if (!Element || !Element->hasMetadata(NotLoadedMark) ||
      !Op.Start.isLeaf(Leaf::C))
    return std::nullopt;
  auto *Step = dyn_cast<SelectInst>(Op.Update.resolve(Op.Update.Root));
  Value *Other = Step ? Step->getTrueValue() : nullptr;
  auto *Stored = Step ? dyn_cast<ConstantInt>(Step->getFalseValue()) : nullptr;
  if (Step && !Stored) {
    Other = Step->getFalseValue();
    Stored = dyn_cast<ConstantInt>(Step->getTrueValue());
  }
  if (!Stored || Op.Update.resolve(Other) != Element || !Op.After ||
      !Op.After->StoresChangesOnly)
    return Refusal{Reason::Branch, &Store};
  Op.Start = Expression();
  Op.Start.Root = ConstantInt::get(Stored->getContext(), ~Stored->getValue());
  return std::nullopt;
}

/// What sets errno is done as often as in the source: by the epilogue, or in a
/// copy of the nest.
Refused Recognizer::checkCalls(bool HasRest) const {
  const Loop &Sum = *In.Chain[By.Loops[K].front()];
  auto IsInEpilogue = m_If([this](Value &V) {
    const auto &After = Result.Op.After;
    return After &&
           match(After->Value.Root, m_Contains(After->Value, m_Specific(&V)));
  });
  for (Instruction *Call : All.Calls)
    if (!IsInEpilogue.match(Call) && (!HasRest || Sum.contains(Call)))
      return Refusal{Reason::Call, Call};
  return std::nullopt;
}

} // namespace tilesmith
