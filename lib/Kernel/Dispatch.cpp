//===- Dispatch.cpp - one of several kernels, by the CPU ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tilesmith.dispatch      calls the best kernel that the CPU runs, which
//                           CPULevel.h finds out
//
// How long vectors are is not kept, as threads may change that: it is asked for
// each time, which takes one instruction.
//
// There are branches instead of function pointers or ifuncs: a loader that
// knows ifuncs is not needed, nothing is called indirectly, and the order of
// constructors does not matter.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "KernelBuilder.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Target/CPULevel.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

class DispatchBuilder : private Emitter {
public:
  DispatchBuilder(const Function &AttributeSource, Module &Mod)
      : Emitter(AttributeSource.getContext()), AttributeSource(AttributeSource),
        Mod(Mod), I32(B.getInt32Ty()) {}

  BuiltKernel build(const Nest &View, const Plan &ThePlan,
                    ArrayRef<BuiltKernel> Kernels);

private:
  Function *create(FunctionType *Ty, const Twine &Name);
  BasicBlock *block(Function &F, const Twine &Name) {
    return BasicBlock::Create(Ctx, Name, &F);
  }
  Value *emitKnown(Function &F, Function *Detect);
  Value *lengthOfVectors();

  const Function &AttributeSource;
  Module &Mod;
  Type *I32;
};

Function *DispatchBuilder::create(FunctionType *Ty, const Twine &Name) {
  Function *F = Function::Create(Ty, GlobalValue::InternalLinkage, Name, Mod);
  F->addFnAttrs(attributesOfPart(AttributeSource));
  B.SetInsertPoint(block(*F, "entry"));
  return F;
}

/// The levels that the CPU has.
Value *DispatchBuilder::emitKnown(Function &F, Function *Detect) {
  BasicBlock *Entry = B.GetInsertBlock(), *Ask = block(F, "ask"),
             *Pick = block(F, "pick");
  LoadInst *Load =
      B.CreateAlignedLoad(I32, detectedLevels(Mod), Align(4), "known");
  Load->setAtomic(AtomicOrdering::Monotonic);
  B.CreateCondBr(B.CreateIsNull(Load), Ask, Pick,
                 MDBuilder(Ctx).createUnlikelyBranchWeights());
  B.SetInsertPoint(Ask);
  Value *Asked = B.CreateCall(Detect);
  B.CreateBr(Pick);
  B.SetInsertPoint(Pick);
  PHINode *CPU = B.CreatePHI(I32, 2, "cpu");
  CPU->addIncoming(Load, Entry);
  CPU->addIncoming(Asked, Ask);
  return CPU;
}

/// In units of 128 bits, on a CPU with SVE.
Value *DispatchBuilder::lengthOfVectors() {
  if (hasFeature(AttributeSource, "sve"))
    return B.CreateVScale(I64);
  constexpr char Name[] = "tilesmith.vscale";
  Function *Ask = Mod.getFunction(Name);
  if (!Ask) {
    IRBuilderBase::InsertPointGuard Guard(B);
    Ask = create(FunctionType::get(I64, /*isVarArg=*/false), Name);
    StringRef Features =
        AttributeSource.getFnAttribute("target-features").getValueAsString();
    Ask->addFnAttr("target-features",
                   (Features + (Features.empty() ? "+sve" : ",+sve")).str());
    B.CreateRet(B.CreateVScale(I64));
  }
  return B.CreateCall(Ask);
}

BuiltKernel DispatchBuilder::build(const Nest &View, const Plan &ThePlan,
                                   ArrayRef<BuiltKernel> Kernels) {
  // The CPU has what the function's own code may use.
  bool Asks = any_of(ThePlan.Dispatched, [&](const Plan &By) {
    return By.Level && !By.Level->isPartOf(AttributeSource);
  });
  Function *Detect = Asks ? levelDetection(Mod, AttributeSource) : nullptr;
  KernelInterface Interface =
      Kernels.front().Interface == KernelInterface::Macro
          ? KernelInterface::Closed
          : Kernels.front().Interface;
  KernelArguments Arguments;
  ParameterList Parameters = parametersOfKernel(Arguments, View, Interface);
  Function *F = create(FunctionType::get(B.getInt1Ty(), Parameters.types(),
                                         /*isVarArg=*/false),
                       "tilesmith.dispatch");
  Parameters.bind(*F);
  Value *CPU = Asks ? emitKnown(*F, Detect) : nullptr;

  BasicBlock *Small = block(*F, "small");
  auto Return = [&](const Plan &By, const BuiltKernel &Kernel) {
    // The guard has tested what is enough for one of them.
    Value *Size[] = {Arguments.M, Arguments.N, Arguments.K};
    Value *Enough = B.getTrue();
    auto Require = [&](Value *Number, uint64_t Min, uint64_t Tested) {
      if (Min > Tested)
        Enough = B.CreateAnd(Enough, B.CreateICmpUGE(Number, i64(Min)));
    };
    for (Dim D : {M, N, K})
      Require(Size[D], By.MinExtent[D], ThePlan.MinExtent[D]);
    Value *Elements = B.CreateMul(Size[M], Size[N]);
    Require(Elements, By.MinElements, ThePlan.MinElements);
    Value *Work = B.CreateMul(Elements, Size[K]);
    for (auto [I, Outer] : enumerate(Arguments.Outer))
      if (By.countsAsWork(View.Op, I))
        Work = B.CreateMul(Work, Outer.Extent);
    Require(Work, By.MinWork, ThePlan.MinWork);
    if (!isa<Constant>(Enough)) {
      BasicBlock *Large = block(*F, "large");
      B.CreateCondBr(Enough, Large, Small);
      B.SetInsertPoint(Large);
    }
    CallInst *Call = callKernel(B, Kernel, Arguments, View);
    Call->setTailCall();
    B.CreateRet(Call);
  };
  for (auto [By, Kernel] : zip_equal(ThePlan.Dispatched, Kernels)) {
    if (By.Level) {
      StringRef Name = By.Level->Name;
      BasicBlock *Here = block(*F, Name), *Next = block(*F, "below." + Name);
      auto GoOnIf = [&](Value *Condition, BasicBlock *Then) {
        B.CreateCondBr(Condition, Then, Next);
        B.SetInsertPoint(Then);
      };
      if (!By.Level->isPartOf(AttributeSource)) {
        uint32_t Bit = 1 << By.Level->number();
        GoOnIf(B.CreateIsNotNull(B.CreateAnd(CPU, B.getInt32(Bit))),
               By.Level->VScale ? block(*F, Name + ".has") : Here);
      }
      if (By.Level->VScale)
        GoOnIf(B.CreateICmpUGE(lengthOfVectors(), i64(By.Level->VScale)), Here);
      Return(By, Kernel);
      B.SetInsertPoint(Next);
    } else {
      Return(By, Kernel);
    }
  }
  B.SetInsertPoint(Small);
  B.CreateRet(B.getFalse());
  if (pred_empty(Small))
    Small->eraseFromParent();
  return {unified(F), Interface};
}

} // namespace

BuiltKernel createDispatch(const Nest &View, const Plan &ThePlan,
                           ArrayRef<BuiltKernel> Kernels) {
  Function &Caller = *View.Op.store()->getFunction();
  return DispatchBuilder(Caller, *Caller.getParent())
      .build(View, ThePlan, Kernels);
}

} // namespace tilesmith
