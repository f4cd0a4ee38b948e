//===- NumberEpilogue.cpp - what becomes of both parts of a sum -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   c = alpha * s + beta * c, of complex numbers
//
// Each part that is stored is made of both sums, and of both parts of c. In C and
// C++, each product also has a test, as in NaNTest.cpp:
//
//   re = alpha.re * s.re - alpha.im * s.im, im = ...
//   if (isnan(re) && isnan(im))
//     {re, im} = __mulsc3(alpha.re, alpha.im, s.re, s.im);
//
// Sums are not known in front of the nest, so the kernel makes that test where the
// loops make it. PartJoiner brings the epilogues of both parts together.
//
//===----------------------------------------------------------------------===//

#include "NaNTest.h"
#include "Recognizer.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p I may be the sum of the other part, of which there is one.
bool Recognizer::isSumOfOther(const Instruction &I, Epilogue &Found) const {
  Type *Ty = I.getType();
  if (!In.Chain[By.Loops[K].front()]->contains(&I) || isa<LoadInst>(I) ||
      Ty != Result.Op.SumTy || !(Ty->isFloatTy() || Ty->isDoubleTy()) ||
      (Found.SumOfOther && Found.SumOfOther != &I))
    return false;
  // Values in leaves are not constant.
  Found.SumOfOther = const_cast<Instruction *>(&I);
  return true;
}

namespace {

/// \p V, as it is on the only way to it.
Value *throughSinglePhis(Value *V) {
  for (auto *Phi = dyn_cast<PHINode>(V);
       Phi && Phi->getNumIncomingValues() == 1; Phi = dyn_cast<PHINode>(V))
    V = Phi->getIncomingValue(0);
  return V;
}

/// The two values of which \p Condition says that both are NaN (\p Is), or that
/// one is a number; or one value, if it says so of one.
SmallVector<Value *, 2> valuesTested(Value *Condition, bool Is) {
  Value *X = nullptr, *Y = nullptr;
  auto One = m_NaNComparison(Is, X), Other = m_NaNComparison(Is, Y);
  if (match(Condition, One))
    return {X};
  if (Is ? match(Condition, m_LogicalAnd(One, Other))
         : match(Condition, m_LogicalOr(One, Other)))
    return {X, Y};
  return {};
}

/// Reads what a test of parts leads to.
class ProductFinder {
public:
  ProductFinder(const LoopNest &In, const NaNTest &Test) : In(In), Test(Test) {}

  /// The product, but for its expressions.
  std::optional<NumberProduct> find();
  /// A part, as the formula makes it.
  Value *plain(const PHINode &Part) const {
    return In.resolve(Part.getIncomingValueForBlock(Test.Branch->getParent()));
  }

private:
  BasicBlock *blockOfCall();
  Instruction *taken(PHINode &Part, const BasicBlock &From,
                     const CallInst &Call, unsigned Number) const;

  const LoopNest &In;
  const NaNTest &Test;
  SmallVector<Value *, 2> Tested;
};

/// Where the function is called: behind one test of both parts, or two.
BasicBlock *ProductFinder::blockOfCall() {
  const BasicBlock *Join = Test.number();
  BranchInst *Branch = Test.Branch;
  bool Is = Test.IsNaN;
  while (Branch && Branch->isConditional() && Tested.size() < 2) {
    Is = Branch->getSuccessor(0) != Join;
    if (Branch->getSuccessor(Is) != Join)
      return nullptr;
    auto More = valuesTested(Branch->getCondition(), Is);
    if (More.empty())
      return nullptr;
    append_range(Tested, More);
    BasicBlock *Next = Branch->getSuccessor(!Is);
    if (Tested.size() == 2)
      return Next;
    Branch = dyn_cast<BranchInst>(Next->getTerminator());
    if (any_of(*Next,
               [&](const Instruction &I) { return I.mayReadOrWriteMemory(); }))
      return nullptr;
  }
  return nullptr;
}

/// What takes \p Part, which has that number, out of the result of \p Call.
Instruction *ProductFinder::taken(PHINode &Part, const BasicBlock &From,
                                  const CallInst &Call, unsigned Number) const {
  auto *I = dyn_cast<Instruction>(Part.getIncomingValueForBlock(&From));
  if (auto *Field = dyn_cast_or_null<ExtractValueInst>(I))
    return Field->getAggregateOperand() == &Call &&
                   Field->getIndices() == ArrayRef(Number)
               ? I
               : nullptr;
  return I && match(I, m_ExtractElt(m_Specific(&Call), m_SpecificInt(Number)))
             ? I
             : nullptr;
}

std::optional<NumberProduct> ProductFinder::find() {
  BasicBlock *From = blockOfCall(), *Join = Test.number();
  if (!From || From->getSingleSuccessor() != Join)
    return std::nullopt;
  NumberProduct Found;
  Found.Test = Test.Branch;
  for (Instruction &I : *From)
    if (auto *Call = dyn_cast<CallInst>(&I); Call && isComplexProduct(*Call))
      Found.Again = Found.Again ? nullptr : Call;
    else if (I.mayReadOrWriteMemory())
      return std::nullopt;
  if (!Found.Again || Found.Again->arg_size() != 4)
    return std::nullopt;
  for (PHINode &Phi : Join->phis())
    for (unsigned Number : {0, 1})
      if (Instruction *Taken = taken(Phi, *From, *Found.Again, Number)) {
        if (Found.Parts[Number])
          return std::nullopt;
        Found.Parts[Number] = &Phi;
        Found.Taken[Number] = Taken;
      }
  auto [First, Second] = Found.Parts;
  if (!First || !Second)
    return std::nullopt;
  // On all other ways, the parts are as the formulas make them.
  for (PHINode *Part : Found.Parts)
    for (auto [V, BB] : zip_equal(Part->incoming_values(), Part->blocks()))
      if (BB != From && In.resolve(V) != plain(*Part))
        return std::nullopt;
  for (PHINode *Part : Found.Parts)
    if (none_of(Tested,
                [&](Value *V) { return In.resolve(V) == plain(*Part); }))
      return std::nullopt;
  return Found;
}

/// Replaces what the parts of \p Products forward by leaves.
void useParts(Expression &E, ArrayRef<NumberProduct> Products) {
  for (const NumberProduct &Product : Products)
    for (PHINode *Part : Product.Parts)
      if (E.Forwards.erase(Part))
        E.Leaves[Part] = Leaf::Part;
}

} // namespace

/// Lifts the products of complex numbers that \p Into is made of. What may be
/// fused otherwise on vectors is not lifted.
bool Recognizer::liftProducts(LeafOf Known, Epilogue &Into) const {
  auto LiftValue = [&](Value *V, Expression &E) {
    V = throughSinglePhis(V);
    for (const NumberProduct &Product : Into.Products)
      if (is_contained(Product.Parts, V)) {
        E = Expression();
        E.Root = V;
        E.Leaves[V] = Leaf::Part;
        return true;
      }
    E = Expression();
    if (lift(V, In, Known, E, isScalarArithmetic))
      return false;
    useParts(E, Into.Products);
    return true;
  };
  for (const NaNTest &Test : In.NaNTests) {
    if (Test.IsOfElements)
      continue;
    ProductFinder Finder(In, Test);
    std::optional<NumberProduct> Found = Finder.find();
    if (!Found)
      return false;
    for (auto [Part, Formula] : zip_equal(Found->Parts, Found->Formulas))
      if (!LiftValue(Finder.plain(*Part), Formula))
        return false;
    for (Value *Factor : Found->Again->args())
      if (!LiftValue(Factor, Found->Factors.emplace_back()))
        return false;
    Into.Products.push_back(std::move(*Found));
  }
  if (!LiftValue(Store.getValueOperand(), Into.Value))
    return false;
  bool IsOpen = !isFusionNoted(In.root());
  return none_of(Into.expressions(), [&](const Expression *E) {
    return E->contains([&](const Instruction &I) {
      return !isLanewise(I) ||
             (isa<FPMathOperator>(I) && I.hasAllowContract() && IsOpen &&
              mayFuseProducts(*I.getFunction()));
    });
  });
}

/// An epilogue of both parts is one if the other part has been found, and both
/// are read before either is stored.
Refused Recognizer::checkNumbers() const {
  const auto &After = Result.Op.After;
  if (!After || !After->isOfNumbers())
    return std::nullopt;
  if (!After->Second)
    return WithoutEpilogue;
  SmallVector<const Instruction *, 2> Stores(Result.Source.Absorbed.begin(),
                                             Result.Source.Absorbed.end());
  Stores.push_back(&Store);
  for (const Expression *E : After->expressions())
    for (const auto &[V, Kind] : E->Leaves)
      if (Kind == Leaf::C || Kind == Leaf::COfOther)
        for (const Instruction *Other : Stores)
          if (!In.precedes(*cast<LoadInst>(V), *Other))
            return Refusal{Reason::Recurrence, Other};
  return std::nullopt;
}

} // namespace tilesmith
