//===- Buffers.cpp - what a nest copies to read it again ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for j {
//     for k' column[k'] = b[k'][j];
//     for i for k ... column[k] ...        stands for b[k][j]
//   }
//
// That is so if the buffer's address is the same expression in k' and in k, if
// all of its elements are distinct, and if nothing else is stored there. The
// source of the copy is an operand, so nothing may overlap it.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Address.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Lets loops of the chain take the place of others.
struct LoopReplacer : SCEVRewriteVisitor<LoopReplacer> {
  SmallVector<std::pair<const Loop *, const Loop *>, 2> Pairs;
  explicit LoopReplacer(ScalarEvolution &SE) : SCEVRewriteVisitor(SE) {}

  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    SmallVector<const SCEV *, 2> Operands;
    for (const SCEV *Op : Rec->operands())
      Operands.push_back(visit(Op));
    const Loop *L = Rec->getLoop();
    for (auto [Old, New] : Pairs)
      if (L == Old)
        L = New;
    return SE.getAddRecExpr(Operands, L, SCEV::FlagAnyWrap);
  }
};

class BufferFinder {
public:
  BufferFinder(LoopNest &In, const Effects &All)
      : In(In), All(All), SE(In.Analyses->SE) {}

  bool run();

private:
  const SCEV *baseOf(Value *Pointer) const {
    return SE.getPointerBase(SE.getSCEV(Pointer));
  }
  Instruction *onlyWriteTo(const SCEV *Buffer) const;
  LoopChain chainAround(const Instruction &I) const;
  bool forward(LoadInst &Load, StoreInst &Store);
  bool forward(LoadInst &Load, MemCpyInst &MemCpy);
  std::optional<LoopChain> match(const SCEV *Loaded, const SCEV *Stored,
                                 LoopChain Loops, ArrayRef<Loop *> Own) const;
  bool runsAsOften(Loop &Own, unsigned Position);
  bool require(CmpInst::Predicate Predicate, const SCEV *X, const SCEV *Y);
  bool isDistinct(const SCEV *Address, ArrayRef<Loop *> Own,
                  uint64_t Size) const;
  bool moveLoads(Value *V, Loop &Outermost, const LoopChain &Loops);
  bool attempt(LoadInst &Load, Instruction &Write);

  /// What the attempt under way needs to be true.
  struct Needs {
    SmallVector<Assumption, 2> Assumptions;
    SmallVector<Requirement, 2> MustHold;
    SmallMapVector<Instruction *, LoopNest::Source, 2> Sources;
  } Needed;

  LoopNest &In;
  const Effects &All;
  ScalarEvolution &SE;
};

/// What fills \p Buffer; null if there is more than one write, or none.
Instruction *BufferFinder::onlyWriteTo(const SCEV *Buffer) const {
  Instruction *Only = nullptr;
  for (Instruction *Write : All.writes()) {
    auto *Store = dyn_cast<StoreInst>(Write);
    if (baseOf(Store ? Store->getPointerOperand()
                     : cast<MemIntrinsic>(Write)->getDest()) != Buffer)
      continue;
    if (Only)
      return nullptr;
    Only = Write;
  }
  return Only;
}

/// The loops of the chain around \p I, in their places.
LoopChain BufferFinder::chainAround(const Instruction &I) const {
  LoopChain Loops(In.Chain.size());
  for (auto [Position, L] : enumerate(In.Chain))
    if (L->contains(&I))
      Loops[Position] = L;
  return Loops;
}

/// The guard tests what is not known; false if it cannot be.
bool BufferFinder::require(CmpInst::Predicate Predicate, const SCEV *X,
                           const SCEV *Y) {
  if (X == Y || SE.isKnownPredicate(Predicate, X, Y))
    return true;
  if (!In.isInvariant(X) || !In.isInvariant(Y) ||
      SE.isKnownPredicate(CmpInst::getInversePredicate(Predicate), X, Y))
    return false;
  Needed.MustHold.push_back({Predicate, X, Y});
  return true;
}

/// The places in the chain that the loops \p Own take; \p Loops has those
/// around both in theirs.
std::optional<LoopChain> BufferFinder::match(const SCEV *Loaded,
                                             const SCEV *Stored,
                                             LoopChain Loops,
                                             ArrayRef<Loop *> Own) const {
  if (Own.empty())
    return Loaded == Stored ? std::optional(Loops) : std::nullopt;
  for (unsigned Position = 0; Position < Loops.size(); ++Position) {
    if (Loops[Position])
      continue;
    LoopReplacer Replacer(SE);
    Replacer.Pairs.push_back({Own.front(), In.Chain[Position]});
    LoopChain With = Loops;
    With[Position] = Own.front();
    if (auto Found =
            match(Loaded, Replacer.visit(Stored), With, Own.drop_front()))
      return Found;
  }
  return std::nullopt;
}

/// Whether \p Own makes all the steps of the loop of the chain that it stands
/// for, which the guard may test.
bool BufferFinder::runsAsOften(Loop &Own, unsigned Position) {
  auto MaybeCount = tripCount(Own, In);
  if (std::holds_alternative<Refusal>(MaybeCount))
    return false;
  const TripCount &Count = std::get<TripCount>(MaybeCount);
  const SCEV *Is = Count.Backedges, *Wanted = In.Counts[Position].Backedges;
  Type *Wide = SE.getWiderType(Is->getType(), Wanted->getType());
  if (!require(ICmpInst::ICMP_UGE, SE.getNoopOrZeroExtend(Is, Wide),
               SE.getNoopOrZeroExtend(Wanted, Wide)))
    return false;
  if (Count.ValidIf)
    Needed.MustHold.push_back(*Count.ValidIf);
  return true;
}

/// Whether no element is stored twice while \p Own run.
bool BufferFinder::isDistinct(const SCEV *Address, ArrayRef<Loop *> Own,
                              uint64_t Size) const {
  LoopChain Loops(In.Chain);
  append_range(Loops, Own);
  std::optional<AffineForm> Form = affineForm(Address, In, Loops);
  if (!Form || Form->Row)
    return false;
  ArrayRef<const SCEV *> Steps =
      ArrayRef(Form->Step).drop_front(In.Chain.size());
  // A narrow counter comes to each value once.
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    if (Own.size() > 1 || !Sum.Step.back() ||
        !(Sum.Step.back()->isOne() || Sum.Step.back()->isAllOnesValue()))
      return false;
  // Each step is as long as all steps of the loop inside.
  const SCEV *Least = SE.getConstant(Type::getInt64Ty(SE.getContext()), Size);
  for (unsigned I = Own.size(); I-- > 0;) {
    auto *Step = dyn_cast_or_null<SCEVConstant>(Steps[I]);
    if (!Step)
      return false;
    const SCEV *Length = SE.getConstant(Step->getAPInt().abs().sextOrTrunc(64));
    if (!SE.isKnownPredicate(ICmpInst::ICMP_UGE, Length, Least))
      return false;
    if (I == 0)
      return true;
    auto *Count = dyn_cast<SCEVConstant>(SE.getBackedgeTakenCount(Own[I]));
    if (!Count || Count->getAPInt().getActiveBits() > 20 ||
        Step->getAPInt().abs().getActiveBits() > 20)
      return false;
    Least = SE.getMulExpr(
        Length, SE.getConstant(Count->getAPInt().zextOrTrunc(64) + 1));
  }
  return true;
}

/// The loads that \p V is computed from read what they would with the loops of
/// the chain in place of those around them.
bool BufferFinder::moveLoads(Value *V, Loop &Outermost,
                             const LoopChain &Loops) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Outermost.contains(I) || isa<PHINode>(I))
    return true;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    const SCEV *Address = In.addressOf(*Load);
    if (!Address)
      return false;
    LoopReplacer Replacer(SE);
    for (auto [L, Of] : zip(Loops, In.Chain))
      if (L && L != Of)
        Replacer.Pairs.push_back({L, Of});
    Address = Replacer.visit(Address);
    if (auto Known = In.Sources.find(Load); Known != In.Sources.end())
      return Known->second.Address == Address;
    auto [Known, IsNew] = Needed.Sources.try_emplace(
        Load, LoopNest::Source{Address, Load, Load->getPointerOperand(),
                               Load->getAlign()});
    return IsNew || Known->second.Address == Address;
  }
  return all_of(I->operands(),
                [&](Value *Op) { return moveLoads(Op, Outermost, Loops); });
}

bool BufferFinder::forward(LoadInst &Load, StoreInst &Store) {
  LoopChain Around = chainAround(Store);
  SmallVector<Loop *, 2> Own;
  for (Loop *L = In.Analyses->LI.getLoopFor(Store.getParent());
       !is_contained(In.Chain, L); L = L->getParentLoop())
    Own.insert(Own.begin(), L);
  const SCEV *Loaded = In.addressOf(Load), *Stored = In.addressOf(Store);
  if (Own.empty() || !Loaded || !Stored || !Store.isSimple() ||
      !Load.isSimple() ||
      Load.getType() != Store.getValueOperand()->getType() ||
      !In.precedes(Store, Load) ||
      !isDistinct(Stored, Own,
                  Load.getDataLayout().getTypeStoreSize(Load.getType())))
    return false;
  std::optional<LoopChain> Loops = match(Loaded, Stored, Around, Own);
  if (!Loops)
    return false;
  for (auto [Position, L] : enumerate(*Loops))
    if (L && L != In.Chain[Position] && !runsAsOften(*L, Position))
      return false;
  if (!In.addEntryConditions(Store, Needed.Assumptions, Needed.MustHold) ||
      !moveLoads(Store.getValueOperand(), *Own.front(), *Loops))
    return false;
  In.Forwards[&Load] = Store.getValueOperand();
  return true;
}

/// A copy of adjacent elements, one for each step of a loop around the load.
bool BufferFinder::forward(LoadInst &Load, MemCpyInst &MemCpy) {
  const SCEV *Loaded = In.addressOf(Load);
  if (!Loaded || !Load.isSimple() || !In.runsAlways(MemCpy) ||
      !In.precedes(MemCpy, Load))
    return false;
  const Loop *Scope = In.Analyses->LI.getLoopFor(MemCpy.getParent());
  auto AddressOf = [&](Value *Pointer) {
    return SE.getSCEVAtScope(In.resolve(SE.getSCEV(Pointer)), Scope);
  };
  const SCEV *Offset = SE.getMinusSCEV(Loaded, AddressOf(MemCpy.getDest()));
  const SCEV *From = AddressOf(MemCpy.getSource());
  auto *Rec = dyn_cast<SCEVAddRecExpr>(Offset);
  uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
  if (!Rec || !Rec->isAffine() || !Rec->getStart()->isZero() ||
      Rec->getStepRecurrence(SE) != SE.getConstant(Rec->getType(), Size) ||
      Rec->getLoop()->contains(&MemCpy) || In.isMisplaced(From, MemCpy))
    return false;
  auto *Position = find(In.Chain, Rec->getLoop());
  const SCEV *Length = SE.getSCEV(MemCpy.getLength());
  if (Position == In.Chain.end() || Length->getType() != Rec->getType())
    return false;
  const SCEV *Count = SE.getAddExpr(
      SE.getTruncateOrZeroExtend(
          In.Counts[Position - In.Chain.begin()].Backedges, Rec->getType()),
      SE.getOne(Rec->getType()));
  if (!require(ICmpInst::ICMP_EQ,
               SE.getMulExpr(Count, SE.getConstant(Rec->getType(), Size)),
               Length))
    return false;
  Needed.Sources.try_emplace(
      &Load, LoopNest::Source{
                 SE.getAddExpr(From, Offset), &MemCpy, MemCpy.getSource(),
                 commonAlignment(MemCpy.getSourceAlign().valueOrOne(), Size)});
  return true;
}

/// Whether \p Load reads what \p Write has put there.
bool BufferFinder::attempt(LoadInst &Load, Instruction &Write) {
  Needed = Needs();
  auto *Store = dyn_cast<StoreInst>(&Write);
  auto *MemCpy = dyn_cast<MemCpyInst>(&Write);
  if (!(Store && forward(Load, *Store)) && !(MemCpy && forward(Load, *MemCpy)))
    return false;
  In.Assumptions.append(Needed.Assumptions);
  In.MustHold.append(Needed.MustHold);
  In.Sources.insert(Needed.Sources.begin(), Needed.Sources.end());
  return true;
}

bool BufferFinder::run() {
  bool Any = false;
  for (BasicBlock *BB : In.Live)
    for (Instruction &I : *BB) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !is_contained(In.Chain, In.Analyses->LI.getLoopFor(BB)))
        continue;
      Instruction *Write = onlyWriteTo(baseOf(Load->getPointerOperand()));
      // It must be filled anew in each iteration of the loops around both.
      if (!Write || any_of(In.Chain, [&](const Loop *L) {
            return L->contains(Write) && !L->contains(Load);
          }))
        continue;
      if (!attempt(*Load, *Write))
        continue;
      Any = true;
      // C may be there, unless the guard finds that out.
      for (Instruction *Other : All.writes())
        if (Other != Write &&
            (!In.Analyses->AA || isModSet(In.Analyses->AA->getModRefInfo(
                                     Other, MemoryLocation::getBeforeOrAfter(
                                                Load->getPointerOperand())))))
          In.MayBreakBuffers.insert(Other);
    }
  return Any;
}

} // namespace

bool seeThroughBuffers(LoopNest &In, const Effects &All) {
  return BufferFinder(In, All).run();
}

bool isForgotten(const Instruction &Write, const LoopNest &In) {
  const Value *Pointer = getLoadStorePointerOperand(&Write);
  if (auto *Call = dyn_cast<IntrinsicInst>(&Write))
    Pointer = Call->getArgOperand(0);
  auto *Buffer = dyn_cast<AllocaInst>(getUnderlyingObject(Pointer));
  if (!Buffer)
    return false;
  SmallVector<const Value *, 8> Work{Buffer};
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (auto *Load = dyn_cast<LoadInst>(User)) {
        if (!In.Forwards.contains(Load) && !In.Sources.contains(Load))
          return false;
      } else if (isa<GetElementPtrInst>(User)) {
        Work.push_back(User);
      } else if (auto *Other = dyn_cast<StoreInst>(User)) {
        if (U.getOperandNo() != Other->getPointerOperandIndex())
          return false;
      } else if (isa<MemIntrinsic>(User)) {
        if (U.getOperandNo() != 0)
          return false;
      } else if (!User->isLifetimeStartOrEnd()) {
        return false;
      }
    }
  return true;
}

} // namespace tilesmith
