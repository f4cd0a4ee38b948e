//===- NestRun.cpp - which iterations loops make --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilesmith {

/// The bits of an integer of type \p Ty; 0 if it is none that is followed.
static unsigned bitsOfInteger(const Type &Ty) {
  return Ty.isIntegerTy() && Ty.getIntegerBitWidth() <= 64
             ? Ty.getIntegerBitWidth()
             : 0;
}

NestRun::Number NestRun::integer(uint64_t Value, uint64_t Sources,
                                 unsigned Bits) {
  return {Kind::Integer, 0, Value & maskTrailingOnes<uint64_t>(Bits), Sources};
}

/// A number that the function is given.
NestRun::Number NestRun::given(NumberSource From, unsigned Bits) {
  auto [It, IsNew] = Numbers.Of.try_emplace(
      From, GivenNumbers::Given{unsigned(Numbers.Of.size()), 0});
  if (IsNew)
    It->second = {unsigned(Numbers.Of.size()) - 1, Numbers.Otherwise};
  if (It->second.Place >= GivenNumbers::Max || !Bits)
    return {};
  return integer(It->second.Value, uint64_t(1) << It->second.Place, Bits);
}

NestRun::Number NestRun::of(const Value &V) {
  if (V.getType()->isFPOrFPVectorTy())
    return {Kind::Data};
  if (auto *C = dyn_cast<ConstantInt>(&V))
    return C->getBitWidth() <= 64
               ? integer(C->getZExtValue(), 0, C->getBitWidth())
               : Number();
  if (isa<ConstantPointerNull>(V))
    return {Kind::Pointer};
  if (auto *Global = dyn_cast<GlobalVariable>(&V))
    return {Kind::Pointer, xxh3_64bits(Global->getName())};
  if (auto *Given = dyn_cast<Argument>(&V)) {
    uint64_t Place = 1 + Given->getArgNo();
    if (Given->getType()->isPointerTy())
      return {Kind::Pointer, Place};
    return given({Place, 0, /*IsInMemory=*/false},
                 bitsOfInteger(*Given->getType()));
  }
  auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return {};
  if (Root.contains(I))
    return Values.lookup(I);
  // What leads to itself is not known.
  if (auto It = Outside.find(I); It != Outside.end())
    return It->second;
  Outside[I] = {};
  Number Result = computeOutside(*I);
  Outside[I] = Result;
  return Result;
}

/// In front of the loops, a phi is known if all that it may be is the same.
NestRun::Number NestRun::computeOutside(const Instruction &I) {
  auto *Phi = dyn_cast<PHINode>(&I);
  if (!Phi)
    return compute(I);
  Number Same = of(*Phi->getIncomingValue(0));
  for (const Value *In : drop_begin(Phi->incoming_values())) {
    Number Other = of(*In);
    if (Other.Is != Same.Is || Other.Base != Same.Base ||
        Other.Value != Same.Value)
      return {};
    Same.Sources |= Other.Sources;
  }
  return Same;
}

/// Lanes of conditions are only known to depend on floating-point numbers.
NestRun::Number NestRun::computeLanes(const Instruction &I) {
  bool IsOfData =
      I.getType()->getScalarType()->isIntegerTy(1) &&
      isa<BinaryOperator, ShuffleVectorInst, ExtractElementInst>(I) &&
      all_of(I.operands(), [&](const Use &Op) {
        return !Op->getType()->isVectorTy() || isa<UndefValue>(Op) ||
               of(*Op).Is == Kind::Data;
      });
  return {IsOfData ? Kind::Data : Kind::Unknown};
}

NestRun::Number NestRun::computeBinary(const BinaryOperator &I) {
  unsigned Bits = bitsOfInteger(*I.getType());
  if (!Bits)
    return computeLanes(I);
  Number X = of(*I.getOperand(0)), Y = of(*I.getOperand(1));
  uint64_t Sources = X.Sources | Y.Sources;
  // One of two conditions may decide.
  if (Bits == 1 &&
      (I.getOpcode() == Instruction::And || I.getOpcode() == Instruction::Or)) {
    uint64_t Decides = I.getOpcode() == Instruction::Or;
    for (const Number &Of : {X, Y})
      if (Of.Is == Kind::Integer && Of.Value == Decides)
        return integer(Decides, Sources, 1);
  }
  if (X.Is != Kind::Integer || Y.Is != Kind::Integer) {
    bool IsKnown = X.Is != Kind::Unknown && Y.Is != Kind::Unknown &&
                   X.Is != Kind::Pointer && Y.Is != Kind::Pointer;
    return {IsKnown ? Kind::Data : Kind::Unknown};
  }
  int64_t SX = SignExtend64(X.Value, Bits), SY = SignExtend64(Y.Value, Bits);
  auto Is = [&](uint64_t Value) { return integer(Value, Sources, Bits); };
  switch (I.getOpcode()) {
  case Instruction::Add:
    return Is(X.Value + Y.Value);
  case Instruction::Sub:
    return Is(X.Value - Y.Value);
  case Instruction::Mul:
    return Is(X.Value * Y.Value);
  case Instruction::And:
    return Is(X.Value & Y.Value);
  case Instruction::Or:
    return Is(X.Value | Y.Value);
  case Instruction::Xor:
    return Is(X.Value ^ Y.Value);
  case Instruction::Shl:
    return Y.Value < Bits ? Is(X.Value << Y.Value) : Number();
  case Instruction::LShr:
    return Y.Value < Bits ? Is(X.Value >> Y.Value) : Number();
  case Instruction::AShr:
    return Y.Value < Bits ? Is(uint64_t(SX >> Y.Value)) : Number();
  case Instruction::UDiv:
    return Y.Value ? Is(X.Value / Y.Value) : Number();
  case Instruction::URem:
    return Y.Value ? Is(X.Value % Y.Value) : Number();
  case Instruction::SDiv:
    return SY > 0 ? Is(uint64_t(SX / SY)) : Number();
  case Instruction::SRem:
    return SY > 0 ? Is(uint64_t(SX % SY)) : Number();
  default:
    return {};
  }
}

NestRun::Number NestRun::compare(const ICmpInst &I) {
  if (I.getType()->isVectorTy())
    return {};
  Number X = of(*I.getOperand(0)), Y = of(*I.getOperand(1));
  uint64_t Sources = X.Sources | Y.Sources;
  // How two arrays lie is not known.
  if (X.Is != Y.Is || X.Is == Kind::Unknown || X.Base != Y.Base)
    return {};
  if (X.Is == Kind::Data)
    return {Kind::Data};
  unsigned Bits =
      X.Is == Kind::Pointer ? 64 : bitsOfInteger(*I.getOperand(0)->getType());
  return integer(ICmpInst::compare(APInt(Bits, X.Value), APInt(Bits, Y.Value),
                                   I.getPredicate()),
                 Sources, 1);
}

NestRun::Number NestRun::address(const GetElementPtrInst &I) {
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Constant(64, 0);
  if (I.getType()->isVectorTy() ||
      !cast<GEPOperator>(I).collectOffset(DL, 64, Variable, Constant))
    return {};
  Number Result = of(*I.getPointerOperand());
  if (Result.Is != Kind::Pointer)
    return {};
  Result.Value += Constant.getZExtValue();
  for (const auto &[Index, Scale] : Variable) {
    Number By = of(*Index);
    if (By.Is != Kind::Integer)
      return {};
    Result.Value += SignExtend64(By.Value, bitsOfInteger(*Index->getType())) *
                    Scale.getZExtValue();
    Result.Sources |= By.Sources;
  }
  return Result;
}

NestRun::Number NestRun::load(const LoadInst &I) {
  Number From = of(*I.getPointerOperand());
  if (From.Is != Kind::Pointer || I.isVolatile() || I.isAtomic())
    return {};
  if (I.getType()->isPointerTy())
    return {Kind::Pointer, hash_combine(From.Base, From.Value)};
  return given({From.Base, From.Value, /*IsInMemory=*/true},
               bitsOfInteger(*I.getType()));
}

NestRun::Number NestRun::call(const CallBase &I) {
  auto *Call = dyn_cast<MinMaxIntrinsic>(&I);
  unsigned Bits = bitsOfInteger(*I.getType());
  if (!Call || !Bits)
    return {};
  Number X = of(*Call->getLHS()), Y = of(*Call->getRHS());
  if (X.Is != Kind::Integer || Y.Is != Kind::Integer)
    return {};
  bool IsX = ICmpInst::compare(APInt(Bits, X.Value), APInt(Bits, Y.Value),
                               Call->getPredicate());
  return integer(IsX ? X.Value : Y.Value, X.Sources | Y.Sources, Bits);
}

NestRun::Number NestRun::compute(const Instruction &I) {
  if (I.getType()->isFPOrFPVectorTy())
    return {Kind::Data};
  if (auto *Binary = dyn_cast<BinaryOperator>(&I))
    return computeBinary(*Binary);
  if (auto *Compare = dyn_cast<ICmpInst>(&I))
    return compare(*Compare);
  if (isa<FCmpInst>(I))
    return {Kind::Data};
  if (auto *GEP = dyn_cast<GetElementPtrInst>(&I))
    return address(*GEP);
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return load(*Load);
  if (isa<FreezeInst>(I))
    return of(*I.getOperand(0));
  if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Number Which = of(*Select->getCondition());
    if (Which.Is != Kind::Integer)
      return {};
    Number Result =
        of(Which.Value ? *Select->getTrueValue() : *Select->getFalseValue());
    Result.Sources |= Which.Sources;
    return Result;
  }
  if (isa<ZExtInst, SExtInst, TruncInst>(I)) {
    Number From = of(*I.getOperand(0));
    unsigned Bits = bitsOfInteger(*I.getType()),
             FromBits = bitsOfInteger(*I.getOperand(0)->getType());
    if (From.Is != Kind::Integer || !Bits || !FromBits)
      return {};
    return integer(isa<SExtInst>(I)
                       ? uint64_t(SignExtend64(From.Value, FromBits))
                       : From.Value,
                   From.Sources, Bits);
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return call(*Call);
  return computeLanes(I);
}

/// Runs an instruction that ends no block. False if it cannot be followed.
bool NestRun::execute(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Number To = of(*Store->getPointerOperand());
    return Store->getValueOperand()->getType()->isFPOrFPVectorTy() &&
           To.Is == Kind::Pointer &&
           Listener.store(*Store, {To.Base, To.Value});
  }
  // What is set to zero is no number that was given.
  if (I.mayWriteToMemory() &&
      !isa<MemSetInst, AssumeInst, NoAliasScopeDeclInst>(I))
    return false;
  if (!I.getType()->isFPOrFPVectorTy() && !I.getType()->isVectorTy() &&
      !I.getType()->isVoidTy())
    Values[&I] = compute(I);
  return true;
}

/// Where \p Terminator leads; null if that is not known.
const BasicBlock *NestRun::follow(const Instruction &Terminator) {
  auto *Br = dyn_cast<BranchInst>(&Terminator);
  if (!Br)
    return nullptr;
  if (!Br->isConditional())
    return Br->getSuccessor(0);
  Number Holds = of(*Br->getCondition());
  unsigned Successor = 0;
  if (Holds.Is == Kind::Integer) {
    Successor = !Holds.Value;
  } else if (Holds.Is == Kind::Data) {
    Random = Random * 6364136223846793005 + 1442695040888963407;
    Successor = Branches == DataBranches::First    ? 0
                : Branches == DataBranches::Second ? 1
                                                   : Random >> 63;
  } else {
    return nullptr;
  }
  Listener.branch(*Br, Successor, Holds.Sources);
  return Br->getSuccessor(Successor);
}

bool NestRun::run(uint64_t &MaxSteps) {
  const BasicBlock *Before = Root.getLoopPredecessor(), *BB = Root.getHeader();
  SmallVector<std::pair<const PHINode *, Number>, 8> Phis;
  while (Before) {
    if (LI.isLoopHeader(BB)) {
      const Loop &L = *LI.getLoopFor(BB);
      L.contains(Before) ? Listener.next(L) : Listener.enter(L);
    }
    Phis.clear();
    for (const PHINode &Phi : BB->phis())
      Phis.push_back({&Phi, of(*Phi.getIncomingValueForBlock(Before))});
    for (auto [Phi, Is] : Phis)
      Values[Phi] = Is;
    for (const Instruction &I : *BB) {
      if (MaxSteps-- == 0) {
        MaxSteps = 0;
        return false;
      }
      if (!isa<PHINode>(I) && !I.isTerminator() && !execute(I))
        return false;
    }
    const BasicBlock *Next = follow(*BB->getTerminator());
    if (!Next)
      return false;
    for (const Loop *L = LI.getLoopFor(BB); L && !L->contains(Next);
         L = L->getParentLoop())
      Listener.leave(*L);
    if (!Root.contains(Next))
      return true;
    Before = BB;
    BB = Next;
  }
  return false;
}

} // namespace tilesmith
