//===- LoopNestValues.cpp - what values are in a nest ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "tilesmith/Support/Freeze.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace tilesmith {

//===-- Phis and addresses ------------------------------------------------===//

std::optional<LoopNest::Reload> LoopNest::findReload(PHINode &Phi) const {
  if (!Phi.getType()->isIntegerTy() || Phi.getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  // Where the value comes from: in any iteration, or in the first one of each
  // loop.
  auto LeavesOf = [&](bool First) {
    SmallSetVector<Value *, 8> Web, Leaves;
    Web.insert(&Phi);
    for (unsigned I = 0; I < Web.size(); ++I) {
      auto *Part = dyn_cast<PHINode>(Web[I]);
      if (!Part || !root().contains(Part)) {
        Leaves.insert(Web[I]);
        continue;
      }
      const Loop *L = Analyses->LI.getLoopFor(Part->getParent());
      bool IsHeader = L->getHeader() == Part->getParent();
      for (auto [Incoming, Pred] : zip(Part->incoming_values(), Part->blocks()))
        if (!First || !IsHeader || !L->contains(Pred))
          Web.insert(Incoming);
    }
    return Leaves;
  };
  ScalarEvolution &SE = Analyses->SE;
  const SCEV *Address = nullptr;
  SmallVector<LoadInst *, 2> Inside;
  auto First = LeavesOf(/*First=*/true);
  if (First.size() != 1)
    return std::nullopt;
  for (Value *Leaf : LeavesOf(/*First=*/false)) {
    auto *Load = dyn_cast<LoadInst>(Leaf);
    if (!Load || !Load->isSimple() || Load->getType() != Phi.getType())
      return std::nullopt;
    const SCEV *From = SE.getSCEV(Load->getPointerOperand());
    if ((Address && From != Address) || !SE.isLoopInvariant(From, &root()))
      return std::nullopt;
    Address = From;
    if (!root().contains(Load)) {
      if (Load != First.front())
        return std::nullopt;
    } else {
      Inside.push_back(Load);
    }
  }
  if (Inside.empty())
    return std::nullopt;
  auto *Load = cast<LoadInst>(First.front());
  if (root().contains(Load))
    Inside.clear();
  return Reload{Load, Inside};
}

/// The load that may stand for \p Phi.
const std::optional<LoopNest::Reload> &LoopNest::reload(PHINode &Phi) const {
  auto [It, IsNew] = ReloadMemo.try_emplace(&Phi);
  if (IsNew && root().contains(&Phi))
    It->second = findReload(Phi);
  return It->second;
}

LoopNest::Reloads LoopNest::reloadsBehind(ArrayRef<Value *> Values) const {
  Reloads Result;
  SmallSetVector<Value *, 32> Seen(Values.begin(), Values.end());
  for (unsigned Next = 0; Next < Seen.size(); ++Next) {
    auto *I = dyn_cast<Instruction>(Seen[Next]);
    if (!I || !root().contains(I))
      continue;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      if (const auto &Found = reload(*Phi)) {
        Result.insert({Phi, *Found});
        Seen.insert(Found->Load);
        continue;
      }
      for (auto [Incoming, Pred] : zip(Phi->incoming_values(), Phi->blocks()))
        if (!root().contains(Pred) || mayRun(Pred, Phi->getParent()))
          Seen.insert(Incoming);
      continue;
    }
    Seen.insert_range(I->operand_values());
    if (auto *Load = dyn_cast<LoadInst>(I))
      if (Value *Stored = Forwards.lookup(Load))
        Seen.insert(Stored);
  }
  return Result;
}

/// The first load in the nest from the address of \p Load. If both are
/// invariant, they have the same value.
LoadInst *LoopNest::firstLoad(LoadInst &Load) const {
  if (!IsWalked || !root().contains(&Load) || !isInvariant(&Load))
    return &Load;
  auto [It, IsNew] = FirstLoadMemo.try_emplace(&Load, &Load);
  if (!IsNew)
    return It->second;
  LoadInst *First = mayLoadInFront(Load) ? &Load : readInFront(Load);
  for (User *U : Load.getPointerOperand()->users())
    if (auto *Other = dyn_cast<LoadInst>(U);
        Other && Other->getType() == Load.getType() &&
        Other->getPointerOperand() == Load.getPointerOperand() &&
        Live.contains(Other->getParent()) && isInvariant(Other) &&
        !readInFront(*Other) && precedes(*Other, *First))
      First = Other;
  return FirstLoadMemo[&Load] = First;
}

/// A load that may be made in front, of what \p Load reads, which may not: it may
/// never run.
LoadInst *LoopNest::readInFront(const LoadInst &Load) const {
  if (!IsWalked || !root().contains(&Load) || !Load.isSimple() ||
      Reached.contains(Load.getParent()))
    return nullptr;
  for (const User *U : Load.getPointerOperand()->users()) {
    auto *Other = dyn_cast<LoadInst>(const_cast<User *>(U));
    if (Other && Other->getType() == Load.getType() &&
        Other->getPointerOperand() == Load.getPointerOperand() &&
        Live.contains(Other->getParent()) &&
        Reached.contains(Other->getParent()) && isInvariant(Other))
      return Other;
  }
  return nullptr;
}

Value *LoopNest::resolve(Value *V) const {
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    if (auto It = Forwards.find(Load); It != Forwards.end())
      return resolve(It->second);
    if (LoadInst *Other = readInFront(*Load))
      return Other;
  }
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    if (const auto &Found = reload(*Phi))
      return Found->Load;
    BasicBlock *BB = Phi->getParent();
    if (!root().contains(BB) || Analyses->LI.isLoopHeader(BB))
      return V;
    Value *Only = nullptr;
    for (auto [Incoming, Pred] : zip(Phi->incoming_values(), Phi->blocks())) {
      if (!mayRun(Pred, BB))
        continue;
      if (Only && Only != Incoming)
        return V;
      Only = Incoming;
    }
    if (!Only)
      return V;
    return resolve(Only);
  }
  return V;
}

const SCEV *LoopNest::resolve(const SCEV *S) const {
  // Behind a phi may be another one.
  constexpr unsigned MaxPhis = 3;
  for (unsigned Phi = 0; Phi < MaxPhis; ++Phi)
    if (const SCEV *Before = std::exchange(S, resolveOnce(S)); S == Before)
      break;
  return S;
}

const SCEV *LoopNest::resolveOnce(const SCEV *S) const {
  ScalarEvolution &SE = Analyses->SE;
  ValueToSCEVMapTy Map;
  SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    if (!Unknown)
      return false;
    if (auto *Load = dyn_cast<LoadInst>(Unknown->getValue()))
      if (LoadInst *First = firstLoad(*Load); First != Load)
        Map[Load] = SE.getSCEV(First);
    auto *Freeze = dyn_cast<FreezeInst>(Unknown->getValue());
    if (Freeze && root().contains(Freeze))
      if (const SCEV *Frozen = beforeFreeze(*Freeze, SE, Analyses->DT))
        Map[Freeze] = resolve(Frozen);
    auto *Phi = dyn_cast<PHINode>(Unknown->getValue());
    if (!Phi)
      return false;
    auto *Of =
        find_if(AllChunks, [&](const Chunks &C) { return C.Phi == Phi; });
    // The value may come out of a loop.
    if (Of != AllChunks.end())
      Map[Phi] = Of->Rest;
    else if (Value *V = resolve(Phi); V != Phi)
      Map[Phi] =
          SE.getSCEVAtScope(V, Analyses->LI.getLoopFor(Phi->getParent()));
    else if (const SCEV *Steps = recurrence(*Phi))
      Map[Phi] = Steps;
    else if (const SCEV *Same = eitherWay(*Phi))
      Map[Phi] = Same;
    return false;
  });
  if (!Map.empty())
    S = SCEVParameterRewriter::rewrite(S, SE, Map);
  return withFullChunks(S);
}

namespace {

/// A value where \p L, the innermost loop, is entered, with casts pushed down to
/// bounds: what is tested in front of it says that these are not too small. So
/// what a loop inside has moved a pointer by, c * (1 + zext(n - 1)), is
/// c * sext(n), by which it is moved back.
struct WhereEntered : SCEVRewriteVisitor<WhereEntered> {
  const Loop &L;
  WhereEntered(ScalarEvolution &SE, const Loop &L)
      : SCEVRewriteVisitor(SE), L(L) {}
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *Cast) {
    const SCEV *Op = visit(Cast->getOperand());
    Type *Ty = Cast->getType();
    auto *Sum = dyn_cast<SCEVAddExpr>(Op);
    auto *Less = Sum ? dyn_cast<SCEVConstant>(Sum->getOperand(0)) : nullptr;
    if (Less && Less->getAPInt().isNegative()) {
      const SCEV *Bound = SE.getMinusSCEV(Op, Less);
      if (SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_UGE, Bound,
                                      SE.getNegativeSCEV(Less)))
        return SE.getAddExpr(extended(Bound, Ty),
                             SE.getSignExtendExpr(Less, Ty));
    }
    return extended(Op, Ty);
  }
  const SCEV *extended(const SCEV *S, Type *Ty) {
    return SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_SGE, S,
                                       SE.getZero(S->getType()))
               ? SE.getSignExtendExpr(S, Ty)
               : SE.getZeroExtendExpr(S, Ty);
  }
};

} // namespace

/// A counter or pointer that loops further in move, each time by the same.
const SCEV *LoopNest::recurrence(PHINode &Phi) const {
  Loop *L = Analyses->LI.getLoopFor(Phi.getParent());
  if (!L || !root().contains(L) || Phi.getParent() != L->getHeader() ||
      !Unresolved.insert(&Phi).second)
    return nullptr;
  ScalarEvolution &SE = Analyses->SE;
  const SCEV *Result = nullptr;
  Value *First = incomingFromOutside(Phi);
  const SCEV *Self = SE.getSCEV(&Phi);
  const SCEV *Next =
      SE.getSCEVAtScope(resolve(SE.getSCEV(incomingFromLatch(Phi))), L);
  // If there are two iterations, LLVM knows both values.
  bool KnowsBoth =
      First && isInvariant(Next) && SE.getSmallConstantTripCount(L) == 2;
  const SCEV *Step =
      SE.getMinusSCEV(Next, KnowsBoth ? resolve(SE.getSCEV(First)) : Self);
  if (First && !isa<SCEVCouldNotCompute>(Step) && isInvariant(Step)) {
    Step = WhereEntered(SE, *Chain.back()).visit(Step);
    Result = SE.getAddRecExpr(resolve(SE.getSCEV(First)), Step, L,
                              SCEV::FlagAnyWrap);
  }
  Unresolved.erase(&Phi);
  return Result;
}

Value *LoopNest::incomingFromOutside(PHINode &Phi) const {
  const Loop *L = Analyses->LI.getLoopFor(Phi.getParent());
  Value *Only = nullptr;
  for (auto [Incoming, Pred] : zip(Phi.incoming_values(), Phi.blocks())) {
    if (L->contains(Pred) || (L != &root() && !isLive(Pred, Phi.getParent())))
      continue;
    if (Only && Only != Incoming)
      return nullptr;
    Only = Incoming;
  }
  return Only ? resolve(Only) : nullptr;
}

Value *LoopNest::incomingFromLatch(const PHINode &Phi) const {
  const Loop *L = Analyses->LI.getLoopFor(Phi.getParent());
  return resolve(Phi.getIncomingValueForBlock(L->getLoopLatch()));
}

namespace {

/// What loops of a nest that are not around \p Scope leave values at.
struct AfterLoops : SCEVRewriteVisitor<AfterLoops> {
  const LoopNest &In;
  const Loop *Scope;
  AfterLoops(const LoopNest &In, const Loop *Scope)
      : SCEVRewriteVisitor(In.Analyses->SE), In(In), Scope(Scope) {}
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    const Loop *L = Rec->getLoop();
    if (L->contains(Scope) || !Rec->isAffine() || !is_contained(In.Chain, L))
      return SCEVRewriteVisitor::visitAddRecExpr(Rec);
    auto Count = tripCount(*L, In);
    auto *Known = std::get_if<TripCount>(&Count);
    if (!Known)
      return Rec;
    const SCEV *Step = visit(Rec->getStepRecurrence(SE)),
               *Times = SE.getTruncateOrZeroExtend(Known->Backedges,
                                                   Step->getType());
    return SE.getAddExpr(visit(Rec->getStart()), SE.getMulExpr(Step, Times));
  }
};

} // namespace

const SCEV *LoopNest::atScope(const SCEV *S, const Loop *Scope) const {
  S = Analyses->SE.getSCEVAtScope(S, Scope);
  bool HasEnded = SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(Part);
    return Rec && !Rec->getLoop()->contains(Scope);
  });
  return HasEnded ? AfterLoops(*this, Scope).visit(S) : S;
}

const SCEV *LoopNest::valueAfter(Instruction &I) const {
  ScalarEvolution &SE = Analyses->SE;
  if (!SE.isSCEVable(I.getType()))
    return nullptr;
  const SCEV *Value = atScope(SE.getSCEV(&I), root().getParentLoop());
  return isInvariant(Value) &&
                 !SCEVExprContains(
                     Value,
                     [&](const SCEV *Part) {
                       auto *Unknown = dyn_cast<SCEVUnknown>(Part);
                       auto *Inst =
                           Unknown ? dyn_cast<Instruction>(Unknown->getValue())
                                   : nullptr;
                       return Inst && root().contains(Inst);
                     })
             ? Value
             : nullptr;
}

const SCEV *LoopNest::addressOf(const Instruction &Access) const {
  return runsAlways(Access) ? addressWhereRun(Access) : nullptr;
}

const SCEV *LoopNest::addressWhereRun(const Instruction &Access) const {
  // Buffers are found one after the other, and each makes more values known.
  if (!IsComplete || !Forwards.empty())
    return findAddress(Access);
  auto [Known, IsNew] = AddressMemo.try_emplace(&Access);
  if (IsNew) {
    const SCEV *Address = findAddress(Access);
    return AddressMemo[&Access] = Address;
  }
  return Known->second;
}

const SCEV *LoopNest::findAddress(const Instruction &Access) const {
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  ScalarEvolution &SE = Analyses->SE;
  const SCEV *Address =
      SE.getSCEVAtScope(resolve(SE.getSCEV(const_cast<Value *>(Pointer))),
                        Analyses->LI.getLoopFor(Access.getParent()));
  return isMisplaced(Address, Access) ? nullptr
                                      : insideBorders(Address, Access);
}

bool LoopNest::isMisplaced(const SCEV *S, const Instruction &User) const {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    const Loop *L = nullptr;
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      L = Rec->getLoop();
    else if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      if (auto *I = dyn_cast<Instruction>(Unknown->getValue());
          I && !isInvariant(I))
        L = Analyses->LI.getLoopFor(I->getParent());
    return L && root().contains(L) && !L->contains(&User);
  });
}

bool LoopNest::isInvariant(Value *V) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !root().contains(I))
    return true;
  auto It = InvariantMemo.find(V);
  if (It != InvariantMemo.end())
    return It->second;
  InvariantMemo[V] = false; // Ends cycles through phis.
  bool Result = computeInvariant(*I);
  InvariantMemo[V] = Result;
  return Result;
}

bool LoopNest::computeInvariant(Instruction &I) const {
  if (auto *Phi = dyn_cast<PHINode>(&I))
    if (const auto &Found = reload(*Phi))
      return isInvariant(Found->Load);
  // Other phis cannot be moved in front; callers look through them first.
  if (isa<PHINode>(I) ||
      !all_of(I.operands(), [&](Value *Op) { return isInvariant(Op); }))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return mayLoadInFront(*Load) || readInFront(*Load);
  return !I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I);
}

//===-- Loads -------------------------------------------------------------===//

bool LoopNest::mayWrite(const Instruction &I, const LoadInst &Load) const {
  return I.mayWriteToMemory() &&
         (!Analyses->AA || isModSet(Analyses->AA->getModRefInfo(
                               &I, MemoryLocation::get(&Load))));
}

bool LoopNest::runsUnconditionally(const LoadInst &Load) const {
  auto It = Reached.find(Load.getParent());
  return It != Reached.end() && It->second == 0;
}

bool LoopNest::anyNeedsAssumptions(const SetVector<LoadInst *> &Loads) const {
  return any_of(Loads, [&](const LoadInst *Load) {
    return !runsUnconditionally(*Load) && !isSafeToSpeculativelyExecute(Load);
  });
}

/// Whether the nest may write what \p Load reads, at all or before it does so
/// first.
bool LoopNest::isWritten(const LoadInst &Load, bool Before) const {
  for (BasicBlock *BB : root().blocks())
    for (Instruction &I : *BB) {
      if (!mayWrite(I, Load))
        continue;
      if (!Before)
        return true;
      if (BB == Load.getParent() ? I.comesBefore(&Load)
                                 : reachesInNest(BB, Load.getParent()))
        return true;
    }
  return false;
}

/// Whether \p Load runs whenever the nest is entered and the assumptions hold,
/// or may be made to run.
bool LoopNest::mayLoadInFront(const LoadInst &Load) const {
  if (!Load.isSimple())
    return false;
  if (isSafeToSpeculativelyExecute(&Load))
    return true;
  auto It = Reached.find(Load.getParent());
  if (!BlocksRunToTheirEnd || It == Reached.end())
    return false;
  // It runs with the values that the nest finds, so they must be the same.
  SetVector<LoadInst *> Before;
  bool IsFirst = true;
  for (const Assumption &A : ArrayRef(Assumptions).take_front(It->second)) {
    if (!A.Entered) {
      collectLoads(A.Condition, Before);
      continue;
    }
    IsFirst &= !EnteredLast;
    collectLoads(A.Entered->X, Before);
    collectLoads(A.Entered->Y, Before);
  }
  collectLoads(const_cast<Value *>(Load.getPointerOperand()), Before);
  return none_of(Before, [&](const LoadInst *Other) {
    return Other != &Load && isWritten(*Other, IsFirst);
  });
}

bool LoopNest::needsStep(const LoadInst &Load) const {
  return BehindZeros.contains(Load.getParent()) &&
         !isSafeToSpeculativelyExecute(&Load);
}

bool LoopNest::needsAssumptions(Value *V) const {
  SetVector<LoadInst *> Loads;
  collectLoads(V, Loads);
  return anyNeedsAssumptions(Loads);
}

bool LoopNest::needsAssumptions(const SCEV *S) const {
  SetVector<LoadInst *> Loads;
  collectLoads(S, Loads);
  return anyNeedsAssumptions(Loads);
}

bool LoopNest::isInvariant(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      return root().contains(Rec->getLoop());
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      return !isInvariant(Unknown->getValue());
    return isa<SCEVCouldNotCompute>(Part);
  });
}

void LoopNest::collectLoads(Value *V, SetVector<LoadInst *> &Into) const {
  auto *I = dyn_cast<Instruction>(resolve(V));
  if (!I || !root().contains(I) || isa<PHINode>(I))
    return;
  for (Value *Op : I->operands())
    collectLoads(Op, Into);
  if (auto *Load = dyn_cast<LoadInst>(I))
    Into.insert(Load);
}

void LoopNest::collectLoads(const SCEV *S, SetVector<LoadInst *> &Into) const {
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      collectLoads(Unknown->getValue(), Into);
    return false;
  });
}

} // namespace tilesmith
