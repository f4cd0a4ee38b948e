//===- Dispatch.cpp - one of several kernels, by the CPU ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tilesmith.cpu           what the CPU has: bit 0, and one for each level;
//                           zero until somebody has asked
//   tilesmith.cpu.detect    asks
//   tilesmith.dispatch      calls the best kernel that the CPU runs
//
// How long vectors are is not kept, as threads may change that: it is asked for
// each time, which takes one instruction.
//
// There are branches instead of function pointers or ifuncs: a loader that
// knows ifuncs is not needed, nothing is called indirectly, and the order of
// constructors does not matter. Two threads that ask at a time store the same.
// x86 asks the CPU itself: not every linker has libgcc's symbols at hand, as
// rustc's has not.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "KernelBuilder.h"
#include "tilesmith/Planning/CPULevel.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Support/Subtarget.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

class DispatchBuilder : private Emitter {
public:
  DispatchBuilder(const Function &Like, Module &Mod)
      : Emitter(Like.getContext()), Like(Like), Mod(Mod), I32(B.getInt32Ty()) {}

  Function *build(const Plan &How, ArrayRef<Function *> Kernels,
                  unsigned Extents);

private:
  Function *create(FunctionType *Ty, const Twine &Name);
  BasicBlock *block(Function &F, const Twine &Name) {
    return BasicBlock::Create(Ctx, Name, &F);
  }
  GlobalVariable *known();
  Function *detect();
  Value *callAsm(StringRef Text, StringRef Constraints, unsigned Results,
                 ArrayRef<Value *> Args);
  SmallVector<Value *, 4> cpuid(unsigned Leaf, unsigned Sub);
  void askX86(Function &F, BasicBlock *None);
  void askLinux();
  Value *levelsFound();
  Value *emitKnown(Function &F, Function *Detect);
  Value *lengthOfVectors();

  const Function &Like;
  Module &Mod;
  Type *I32;
  std::array<Value *, NumCPUWords> Words{};
};

Function *DispatchBuilder::create(FunctionType *Ty, const Twine &Name) {
  Function *F = Function::Create(Ty, GlobalValue::InternalLinkage, Name, Mod);
  F->addFnAttrs(attributesOfPart(Like));
  B.SetInsertPoint(block(*F, "entry"));
  return F;
}

GlobalVariable *DispatchBuilder::known() {
  constexpr char Name[] = "tilesmith.cpu";
  if (GlobalVariable *Known = Mod.getGlobalVariable(Name, /*AllowLocal=*/true))
    return Known;
  return new GlobalVariable(Mod, I32, /*isConstant=*/false,
                            GlobalValue::InternalLinkage, B.getInt32(0), Name);
}

Value *DispatchBuilder::callAsm(StringRef Text, StringRef Constraints,
                                unsigned Results, ArrayRef<Value *> Args) {
  SmallVector<Type *, 4> Types(Args.size(), I32);
  auto *Ty = FunctionType::get(
      StructType::get(Ctx, SmallVector<Type *, 4>(Results, I32)), Types,
      /*isVarArg=*/false);
  CallInst *Call = B.CreateCall(
      Ty, InlineAsm::get(Ty, Text, Constraints, /*hasSideEffects=*/true), Args);
  Call->setDoesNotThrow();
  Call->setDoesNotAccessMemory();
  return Call;
}

/// EAX, EBX, ECX, EDX.
SmallVector<Value *, 4> DispatchBuilder::cpuid(unsigned Leaf, unsigned Sub) {
  Value *Call = callAsm(
      "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}",
      4, {B.getInt32(Leaf), B.getInt32(Sub)});
  SmallVector<Value *, 4> Result;
  for (unsigned I = 0; I < 4; ++I)
    Result.push_back(B.CreateExtractValue(Call, I));
  return Result;
}

/// Goes on if the CPU has leaf 7, and the system saves registers with XSAVE,
/// and otherwise at \p None.
void DispatchBuilder::askX86(Function &F, BasicBlock *None) {
  auto GoOnIf = [&](Value *Condition, const Twine &Name) {
    BasicBlock *Next = block(F, Name);
    B.CreateCondBr(Condition, Next, None);
    B.SetInsertPoint(Next);
  };
  auto Word = [&](CPUWord W) -> Value *& { return Words[unsigned(W)]; };
  GoOnIf(B.CreateICmpUGE(cpuid(0, 0)[0], B.getInt32(7)), "modern");
  Word(CPUWord::Leaf1ECX) = cpuid(1, 0)[2];
  constexpr unsigned OSXSave = 1 << 27;
  GoOnIf(B.CreateIsNotNull(
             B.CreateAnd(Word(CPUWord::Leaf1ECX), B.getInt32(OSXSave))),
         "xsave");
  Word(CPUWord::XCR0) = B.CreateExtractValue(
      callAsm("xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}", 2,
              {B.getInt32(0)}),
      0);
  auto Leaf7 = cpuid(7, 0);
  Word(CPUWord::Leaf7EBX) = Leaf7[1];
  Word(CPUWord::Leaf7ECX) = Leaf7[2];
  Word(CPUWord::Leaf7EDX) = Leaf7[3];
  Value *HasSub1 = B.CreateIsNotNull(Leaf7[0]);
  Word(CPUWord::Leaf7Sub1EAX) =
      B.CreateSelect(HasSub1, cpuid(7, 1)[0], B.getInt32(0));
  Word(CPUWord::LeafExt1ECX) = cpuid(0x80000001, 0)[2];
}

void DispatchBuilder::askLinux() {
  FunctionCallee Ask = Mod.getOrInsertFunction("getauxval", I64, I64);
  constexpr unsigned AT_HWCAP = 16, AT_HWCAP2 = 26;
  Words[unsigned(CPUWord::HWCAP)] = B.CreateCall(Ask, {i64(AT_HWCAP)});
  Words[unsigned(CPUWord::HWCAP2)] = B.CreateCall(Ask, {i64(AT_HWCAP2)});
}

/// The bits of the levels whose features are all there.
Value *DispatchBuilder::levelsFound() {
  Value *Found = B.getInt32(0);
  for (const CPULevel &Level : cpuLevels()) {
    if (!Level.isOf(Mod.getTargetTriple()))
      continue;
    Value *HasAll = B.getTrue();
    for (auto [Word, Bits] : zip_equal(Words, Level.bits()))
      if (Bits) {
        Value *Mask = ConstantInt::get(Word->getType(), Bits);
        HasAll =
            B.CreateAnd(HasAll, B.CreateICmpEQ(B.CreateAnd(Word, Mask), Mask));
      }
    Found = B.CreateOr(
        Found,
        B.CreateSelect(HasAll, B.getInt32(1 << Level.number()), B.getInt32(0)));
  }
  return Found;
}

Function *DispatchBuilder::detect() {
  constexpr char Name[] = "tilesmith.cpu.detect";
  if (Function *Made = Mod.getFunction(Name))
    return Made;
  Function *F = create(FunctionType::get(I32, /*isVarArg=*/false), Name);
  BasicBlock *None = block(*F, "none");
  if (Mod.getTargetTriple().isX86())
    askX86(*F, None);
  else
    askLinux();
  Value *Found = levelsFound();
  BasicBlock *Asked = B.GetInsertBlock();
  B.CreateBr(None);
  SmallVector<BasicBlock *, 4> Unknown(predecessors(None));
  None->moveAfter(Asked);
  B.SetInsertPoint(None);
  PHINode *Levels = B.CreatePHI(I32, Unknown.size(), "levels");
  for (BasicBlock *BB : Unknown)
    Levels->addIncoming(BB == Asked ? Found : B.getInt32(0), BB);
  Value *Known = B.CreateOr(Levels, B.getInt32(1));
  B.CreateAlignedStore(Known, known(), Align(4))
      ->setAtomic(AtomicOrdering::Monotonic);
  B.CreateRet(Known);
  return F;
}

/// The levels that the CPU has.
Value *DispatchBuilder::emitKnown(Function &F, Function *Detect) {
  BasicBlock *Entry = B.GetInsertBlock(), *Ask = block(F, "ask"),
             *Pick = block(F, "pick");
  LoadInst *Load = B.CreateAlignedLoad(I32, known(), Align(4), "known");
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
  if (hasFeature(Like, "sve"))
    return B.CreateVScale(I64);
  constexpr char Name[] = "tilesmith.vscale";
  Function *Ask = Mod.getFunction(Name);
  if (!Ask) {
    IRBuilderBase::InsertPointGuard Guard(B);
    Ask = create(FunctionType::get(I64, /*isVarArg=*/false), Name);
    StringRef Features =
        Like.getFnAttribute("target-features").getValueAsString();
    Ask->addFnAttr("target-features",
                   (Features + (Features.empty() ? "+sve" : ",+sve")).str());
    B.CreateRet(B.CreateVScale(I64));
  }
  return B.CreateCall(Ask);
}

Function *DispatchBuilder::build(const Plan &How, ArrayRef<Function *> Kernels,
                                 unsigned Extents) {
  // Of what the function's own code may use, nobody needs to be asked.
  bool Asks = any_of(How.Dispatched, [&](const Plan &By) {
    return By.Level && !By.Level->isPartOf(Like);
  });
  Function *Detect = Asks ? detect() : nullptr;
  auto *Ty =
      FunctionType::get(B.getInt1Ty(), Kernels[0]->getFunctionType()->params(),
                        /*isVarArg=*/false);
  Function *F = create(Ty, "tilesmith.dispatch");
  Value *CPU = Asks ? emitKnown(*F, Detect) : nullptr;

  BasicBlock *Small = block(*F, "small");
  auto Return = [&](const Plan &By, Function *Kernel) {
    // The guard has tested what is enough for one of them.
    Value *Size[] = {F->getArg(Extents), F->getArg(Extents + 1),
                     F->getArg(Extents + 2)};
    Value *Enough = B.getTrue();
    auto Require = [&](Value *Number, uint64_t Min, uint64_t Tested) {
      if (Min > Tested)
        Enough = B.CreateAnd(Enough, B.CreateICmpUGE(Number, i64(Min)));
    };
    for (Dim D : {M, N, K})
      Require(Size[D], By.MinExtent[D], How.MinExtent[D]);
    Value *Elements = B.CreateMul(Size[M], Size[N]);
    Require(Elements, By.MinElements, How.MinElements);
    Require(B.CreateMul(Elements, Size[K]), By.MinWork, How.MinWork);
    if (!isa<Constant>(Enough)) {
      BasicBlock *Large = block(*F, "large");
      B.CreateCondBr(Enough, Large, Small);
      B.SetInsertPoint(Large);
    }
    SmallVector<Value *, 16> Args(make_pointer_range(F->args()));
    CallInst *Call = B.CreateCall(Kernel, Args);
    Call->setTailCall();
    B.CreateRet(Call);
  };
  for (auto [By, Kernel] : zip_equal(How.Dispatched, Kernels)) {
    if (By.Level) {
      StringRef Name = By.Level->Name;
      BasicBlock *Here = block(*F, Name), *Next = block(*F, "below." + Name);
      auto GoOnIf = [&](Value *Condition, BasicBlock *Then) {
        B.CreateCondBr(Condition, Then, Next);
        B.SetInsertPoint(Then);
      };
      if (!By.Level->isPartOf(Like)) {
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
  return unified(F);
}

} // namespace

Function *createDispatch(const Plan &How, ArrayRef<Function *> Kernels,
                         const Function &Like, Module &Mod, unsigned Extents) {
  return DispatchBuilder(Like, Mod).build(How, Kernels, Extents);
}

} // namespace tilesmith
