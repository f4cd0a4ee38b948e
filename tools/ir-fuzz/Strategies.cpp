//===- Strategies.cpp - mutations beside LLVM's own -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"
#include "llvm/FuzzMutate/Random.h"
#include "llvm/FuzzMutate/RandomIRBuilder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

template <typename T> T pick(RandomIRBuilder &IB, ArrayRef<T> From) {
  return From[uniform<size_t>(IB.Rand, 0, From.size() - 1)];
}

/// A strategy that one of many instructions, which \p isFor, is changed by.
class InstructionStrategy : public IRMutationStrategy {
public:
  using IRMutationStrategy::mutate;

  uint64_t getWeight(size_t, size_t, uint64_t) override { return 20; }

  void mutate(Function &F, RandomIRBuilder &IB) override {
    auto Sampler = makeSampler<Instruction *>(IB.Rand);
    for (Instruction &I : instructions(F))
      if (isFor(I))
        Sampler.sample(&I, 1);
    if (Sampler)
      mutate(**Sampler, IB);
  }

protected:
  virtual bool isFor(const Instruction &I) const = 0;
};

class ExtremeConstants : public InstructionStrategy {
  static bool isFree(const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return isa<ConstantInt>(U) && !isa<SwitchInst>(U.getUser()) &&
           !isa<GetElementPtrInst>(U.getUser()) &&
           !(Call && (!Call->isArgOperand(&U) ||
                      Call->paramHasAttr(Call->getArgOperandNo(&U),
                                         Attribute::ImmArg)));
  }
  bool isFor(const Instruction &I) const override {
    return any_of(I.operands(), isFree) && !I.isEHPad() && !isa<AllocaInst>(I);
  }
  void mutate(Instruction &I, RandomIRBuilder &IB) override {
    auto Sampler = makeSampler<Use *>(IB.Rand);
    for (Use &U : I.operands())
      if (isFree(U))
        Sampler.sample(&U, 1);
    Use &U = **Sampler;
    unsigned Bits = U->getType()->getIntegerBitWidth();
    // 2^n, and beside it.
    APInt Value =
        APInt::getOneBitSet(Bits, uniform<unsigned>(IB.Rand, 0, Bits - 1));
    int64_t Beside = uniform<int>(IB.Rand, -1, 1);
    Value += APInt(Bits, Beside, /*isSigned=*/true, /*implicitTrunc=*/true);
    if (uniform<int>(IB.Rand, 0, 3) == 0)
      Value.negate();
    U.set(ConstantInt::get(U->getType(), Value));
  }
};

class OddAccesses : public InstructionStrategy {
  bool isFor(const Instruction &I) const override {
    return isa<LoadInst>(I) || isa<StoreInst>(I);
  }
  template <typename T>
  static void change(T &Access, Type *Ty, RandomIRBuilder &IB) {
    switch (uniform<int>(IB.Rand, 0, 2)) {
    case 0:
      Access.setVolatile(!Access.isVolatile());
      break;
    case 1:
      Access.setAlignment(Align(1));
      break;
    case 2:
      if (!Ty->isIntOrPtrTy() && !Ty->isFloatingPointTy())
        break;
      if (unsigned Bits = Ty->getPrimitiveSizeInBits();
          !Ty->isPointerTy() && (Bits < 8 || !isPowerOf2_32(Bits)))
        break;
      Access.setAlignment(Align(16));
      Access.setAtomic(pick<AtomicOrdering>(
          IB, {AtomicOrdering::Unordered, AtomicOrdering::Monotonic,
               AtomicOrdering::SequentiallyConsistent}));
    }
  }
  void mutate(Instruction &I, RandomIRBuilder &IB) override {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      change(*Load, Load->getType(), IB);
    else
      change(cast<StoreInst>(I),
             cast<StoreInst>(I).getValueOperand()->getType(), IB);
  }
};

class OtherOperands : public InstructionStrategy {
  bool isFor(const Instruction &I) const override {
    return isa<BinaryOperator>(I) || isa<CmpInst>(I) || isa<SelectInst>(I) ||
           isa<LoadInst>(I) || isa<StoreInst>(I) || isa<PHINode>(I) ||
           isa<GetElementPtrInst>(I) || isa<BranchInst>(I);
  }
  void mutate(Instruction &I, RandomIRBuilder &IB) override {
    if (auto *Branch = dyn_cast<BranchInst>(&I)) {
      if (Branch->isConditional() &&
          none_of(successors(Branch->getParent()),
                  [](BasicBlock *BB) { return BB->isEHPad(); }))
        Branch->swapSuccessors();
      return;
    }
    if (I.getNumOperands() == 0)
      return;
    Use &U =
        I.getOperandUse(uniform<unsigned>(IB.Rand, 0, I.getNumOperands() - 1));
    if (isa<GetElementPtrInst>(I) && isa<Constant>(U))
      return; // perhaps the number of a field
    DominatorTree DT(*I.getFunction());
    auto Sampler = makeSampler<Value *>(IB.Rand);
    auto Offer = [&](Value &V) {
      if (V.getType() == U->getType() && &V != &I)
        Sampler.sample(&V, 1);
    };
    for (Argument &A : I.getFunction()->args())
      Offer(A);
    for (Instruction &Other : instructions(*I.getFunction()))
      if (DT.dominates(&Other, U))
        Offer(Other);
    if (Sampler)
      U.set(*Sampler);
  }
};

class OddFunctions : public IRMutationStrategy {
public:
  using IRMutationStrategy::mutate;

  uint64_t getWeight(size_t, size_t, uint64_t) override { return 10; }

  void mutate(Function &F, RandomIRBuilder &IB) override {
    using A = Attribute;
    switch (uniform<int>(IB.Rand, 0, 6)) {
    case 0:
      F.addFnAttr(pick<A::AttrKind>(IB, {A::MinSize,
                                         A::OptimizeForSize,
                                         A::StrictFP,
                                         A::Convergent,
                                         A::NoImplicitFloat,
                                         A::NoReturn,
                                         A::NoUnwind,
                                         A::NoRecurse,
                                         A::MustProgress,
                                         A::WillReturn,
                                         A::NoSync,
                                         A::NoFree,
                                         A::Cold,
                                         A::SanitizeAddress,
                                         A::SanitizeMemory,
                                         A::SanitizeThread,
                                         A::StackProtectReq,
                                         A::SafeStack,
                                         A::NullPointerIsValid,
                                         A::ShadowCallStack,
                                         A::NoProfile,
                                         A::Hot,
                                         A::NoCallback,
                                         A::ReturnsTwice,
                                         A::Speculatable,
                                         A::PresplitCoroutine}));
      break;
    case 1:
      F.addFnAttr(A::NoInline);
      F.addFnAttr(A::OptimizeNone);
      break;
    case 2:
      F.setMemoryEffects(pick<MemoryEffects>(
          IB, {MemoryEffects::none(), MemoryEffects::readOnly(),
               MemoryEffects::writeOnly(), MemoryEffects::argMemOnly(),
               MemoryEffects::inaccessibleMemOnly()}));
      break;
    case 3: {
      auto Linkage = pick<GlobalValue::LinkageTypes>(
          IB, {GlobalValue::InternalLinkage, GlobalValue::WeakAnyLinkage,
               GlobalValue::AvailableExternallyLinkage,
               GlobalValue::LinkOnceODRLinkage});
      F.setVisibility(GlobalValue::DefaultVisibility);
      F.setDLLStorageClass(GlobalValue::DefaultStorageClass);
      if (Linkage == GlobalValue::AvailableExternallyLinkage)
        F.setComdat(nullptr);
      F.setLinkage(Linkage);
      break;
    }
    case 4:
      if (!F.hasAvailableExternallyLinkage())
        F.setComdat(F.getParent()->getOrInsertComdat(F.getName()));
      break;
    case 5:
      F.setGC("statepoint-example");
      break;
    case 6:
      if (!F.arg_empty()) {
        Argument &Arg =
            *F.getArg(uniform<unsigned>(IB.Rand, 0, F.arg_size() - 1));
        if (Arg.getType()->isPointerTy() &&
            F.getAttributes()
                    .getParamAttrs(Arg.getArgNo())
                    .getNumAttributes() == 0)
          Arg.addAttr(pick<A::AttrKind>(
              IB, {A::NoAlias, A::ReadOnly, A::WriteOnly, A::ReadNone,
                   A::NonNull, A::NoFree, A::NoUndef}));
      }
    }
  }
};

class CallsOnEdges : public InstructionStrategy {
  bool isFor(const Instruction &I) const override {
    return !isa<PHINode>(I) && !I.isEHPad() && !I.getPrevNode();
  }
  void mutate(Instruction &I, RandomIRBuilder &IB) override {
    IRBuilder<> B(&I);
    Module &M = *I.getModule();
    auto *Ty = FunctionType::get(B.getVoidTy(), false);
    switch (uniform<int>(IB.Rand, 0, 5)) {
    case 0:
      B.CreateCall(Ty, InlineAsm::get(Ty, "", "~{memory}", true));
      break;
    case 1:
      B.CreateCall(Ty, InlineAsm::get(Ty, "nop", "", false));
      break;
    case 2:
      B.CreateCall(M.getOrInsertFunction("something", Ty));
      break;
    case 3:
      B.CreateFence(AtomicOrdering::SequentiallyConsistent);
      break;
    case 4:
      B.CreateAlloca(B.getInt64Ty());
      break;
    case 5:
      B.CreateCall(M.getOrInsertFunction("something.pure", Ty))
          ->setMemoryEffects(MemoryEffects::none());
    }
  }
};

} // namespace

std::vector<std::unique_ptr<IRMutationStrategy>> allStrategies() {
  std::vector<std::unique_ptr<IRMutationStrategy>> All;
  All.push_back(std::make_unique<InjectorIRStrategy>());
  All.push_back(std::make_unique<InstDeleterIRStrategy>());
  All.push_back(std::make_unique<InstModificationIRStrategy>());
  All.push_back(std::make_unique<InsertFunctionStrategy>());
  All.push_back(std::make_unique<InsertCFGStrategy>());
  All.push_back(std::make_unique<InsertPHIStrategy>());
  All.push_back(std::make_unique<SinkInstructionStrategy>());
  All.push_back(std::make_unique<ShuffleBlockStrategy>());
  All.push_back(std::make_unique<ExtremeConstants>());
  All.push_back(std::make_unique<OddAccesses>());
  All.push_back(std::make_unique<OtherOperands>());
  All.push_back(std::make_unique<OddFunctions>());
  All.push_back(std::make_unique<CallsOnEdges>());
  return All;
}
