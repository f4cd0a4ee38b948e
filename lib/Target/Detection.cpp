//===- Detection.cpp - what the CPU has, at run time ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tilesmith.cpu           what the CPU has: bit 0, and one for each level;
//                           zero until somebody has asked
//   tilesmith.cpu.detect    asks
//
// Two threads that ask at a time store the same. x86 asks the CPU itself: not
// every linker has libgcc's symbols at hand, as rustc's has not.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Target/CPULevel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

class Detection {
public:
  explicit Detection(Module &Mod)
      : Mod(Mod), B(Mod.getContext()), I32(B.getInt32Ty()) {}

  Function *build(const Function &AttributeSource, StringRef Name);

private:
  Value *callAsm(StringRef Text, StringRef Constraints, unsigned Results,
                 ArrayRef<Value *> Args);
  SmallVector<Value *, 4> cpuid(unsigned Leaf, unsigned Sub);
  void askX86(Function &F, BasicBlock *None);
  void askLinux();
  Value *levelsFound();

  Module &Mod;
  IRBuilder<> B;
  Type *I32;
  std::array<Value *, NumCPUWords> Words{};
};

Value *Detection::callAsm(StringRef Text, StringRef Constraints,
                          unsigned Results, ArrayRef<Value *> Args) {
  SmallVector<Type *, 4> Types(Args.size(), I32);
  auto *Ty = FunctionType::get(
      StructType::get(B.getContext(), SmallVector<Type *, 4>(Results, I32)),
      Types,
      /*isVarArg=*/false);
  CallInst *Call = B.CreateCall(
      Ty, InlineAsm::get(Ty, Text, Constraints, /*hasSideEffects=*/true), Args);
  Call->setDoesNotThrow();
  Call->setDoesNotAccessMemory();
  return Call;
}

/// EAX, EBX, ECX, EDX.
SmallVector<Value *, 4> Detection::cpuid(unsigned Leaf, unsigned Sub) {
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
void Detection::askX86(Function &F, BasicBlock *None) {
  auto GoOnIf = [&](Value *Condition, const Twine &Name) {
    BasicBlock *Next = BasicBlock::Create(B.getContext(), Name, &F);
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

void Detection::askLinux() {
  FunctionCallee Ask =
      Mod.getOrInsertFunction("getauxval", B.getInt64Ty(), B.getInt64Ty());
  constexpr unsigned AT_HWCAP = 16, AT_HWCAP2 = 26;
  Words[unsigned(CPUWord::HWCAP)] = B.CreateCall(Ask, {B.getInt64(AT_HWCAP)});
  Words[unsigned(CPUWord::HWCAP2)] = B.CreateCall(Ask, {B.getInt64(AT_HWCAP2)});
}

/// The bits of the levels whose features are all there.
Value *Detection::levelsFound() {
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

Function *Detection::build(const Function &AttributeSource, StringRef Name) {
  Function *F = Function::Create(FunctionType::get(I32, /*isVarArg=*/false),
                                 GlobalValue::InternalLinkage, Name, Mod);
  F->addFnAttrs(attributesOfPart(AttributeSource));
  B.SetInsertPoint(BasicBlock::Create(B.getContext(), "entry", F));
  BasicBlock *None = BasicBlock::Create(B.getContext(), "none", F);
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
  B.CreateAlignedStore(Known, detectedLevels(Mod), Align(4))
      ->setAtomic(AtomicOrdering::Monotonic);
  B.CreateRet(Known);
  return F;
}

} // namespace

GlobalVariable *detectedLevels(Module &Mod) {
  constexpr char Name[] = "tilesmith.cpu";
  if (GlobalVariable *Known = Mod.getGlobalVariable(Name, /*AllowLocal=*/true))
    return Known;
  Type *I32 = Type::getInt32Ty(Mod.getContext());
  return new GlobalVariable(Mod, I32, /*isConstant=*/false,
                            GlobalValue::InternalLinkage,
                            ConstantInt::get(I32, 0), Name);
}

Function *levelDetection(Module &Mod, const Function &AttributeSource) {
  constexpr char Name[] = "tilesmith.cpu.detect";
  Function *Made = Mod.getFunction(Name);
  return Made ? Made : Detection(Mod).build(AttributeSource, Name);
}

} // namespace tilesmith
