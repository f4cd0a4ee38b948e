//===- Profile.cpp - which path each nest takes, and for how long ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   @tilesmith.profile = { "gemm.c:7:3: gemm: GEMM f64", "GFLOP/s", 0, … },
//                        section "tilesmith_profile"
//
// A linker puts the records of a program, or of a shared library, into one
// array. The destructor that prints it is in each object file that has records;
// the linker keeps one of them.
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "Counter.h"
#include "Guard.h"
#include "tilesmith/Kernel/Kernel.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The words of a nest's record, all of 64 bits: two strings, and numbers.
namespace Word {
enum : unsigned {
  Name,
  Unit,
  Runs,                                             // one for each NestPath
  LoopTime = Runs + unsigned(NestPath::Kernel) + 1, // in ns
  KernelTime,
  Operations, // made by the kernel
  NumWords
};
} // namespace Word

constexpr char Section[] = "tilesmith_profile";
constexpr char PrintName[] = "tilesmith.profile.print";

// Of Linux.
constexpr int ClockMonotonic = 1, ClockProcessCPUTime = 2;

/// A function of the C library, of which parameters of type int are signed.
FunctionCallee libraryFunction(Module &Mod, StringRef Name, FunctionType *Ty) {
  FunctionCallee Result = Mod.getOrInsertFunction(Name, Ty);
  auto *F = dyn_cast<Function>(Result.getCallee());
  Attribute::AttrKind Extension = TargetLibraryInfo::getExtAttrForI32Param(
      Mod.getTargetTriple(), /*Signed=*/true);
  for (unsigned I = 0; F && Extension != Attribute::None && I < F->arg_size();
       ++I)
    if (F->getArg(I)->getType()->isIntegerTy(32))
      F->addParamAttr(I, Extension);
  return Result;
}

CallInst *callLibrary(IRBuilderBase &B, FunctionCallee F,
                      ArrayRef<Value *> Args) {
  CallInst *Call = B.CreateCall(F, Args);
  if (auto *Callee = dyn_cast<Function>(F.getCallee()))
    Call->setAttributes(Callee->getAttributes());
  return Call;
}

/// A function with one block, for \p B to fill.
Function *createFunction(Module &Mod, StringRef Name, FunctionType *Ty,
                         GlobalValue::LinkageTypes Linkage, IRBuilderBase &B) {
  Function *F = Function::Create(Ty, Linkage, Name, Mod);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr("tilesmith", "off");
  B.SetInsertPoint(BasicBlock::Create(Mod.getContext(), "entry", F));
  return F;
}

/// i64 tilesmith.clock(i32 clock): in ns
Function *clockFunction(Module &Mod) {
  constexpr char Name[] = "tilesmith.clock";
  if (Function *F = Mod.getFunction(Name))
    return F;
  IRBuilder<> B(Mod.getContext());
  Type *I64 = B.getInt64Ty(), *I32 = B.getInt32Ty();
  Function *F = createFunction(Mod, Name, FunctionType::get(I64, I32, false),
                               GlobalValue::InternalLinkage, B);
  auto *TimeSpec = StructType::get(I64, I64);
  AllocaInst *Time = B.CreateAlloca(TimeSpec);
  Value *Pointer = B.CreatePointerBitCastOrAddrSpaceCast(Time, B.getPtrTy());
  callLibrary(
      B,
      libraryFunction(Mod, "clock_gettime",
                      FunctionType::get(I32, {I32, B.getPtrTy()}, false)),
      {F->getArg(0), Pointer});
  Value *Seconds = B.CreateLoad(I64, B.CreateStructGEP(TimeSpec, Time, 0));
  Value *Rest = B.CreateLoad(I64, B.CreateStructGEP(TimeSpec, Time, 1));
  B.CreateRet(
      B.CreateAdd(B.CreateMul(Seconds, B.getInt64(1'000'000'000)), Rest));
  return F;
}

Value *now(IRBuilderBase &B, int Clock = ClockMonotonic) {
  Module &Mod = *B.GetInsertBlock()->getModule();
  return B.CreateCall(clockFunction(Mod), B.getInt32(Clock));
}

StructType *recordType(LLVMContext &Ctx) {
  SmallVector<Type *, Word::NumWords> Words(Word::NumWords,
                                            Type::getInt64Ty(Ctx));
  Words[Word::Name] = Words[Word::Unit] = PointerType::get(Ctx, 0);
  return StructType::get(Ctx, Words);
}

Value *load(IRBuilderBase &B, Value *Record, unsigned Number) {
  StructType *Ty = recordType(B.getContext());
  return B.CreateLoad(Ty->getElementType(Number),
                      B.CreateStructGEP(Ty, Record, Number));
}

/// i32 tilesmith.profile.compare(ptr, ptr): the longer time comes first.
Function *orderFunction(Module &Mod) {
  IRBuilder<> B(Mod.getContext());
  Type *Ptr = B.getPtrTy();
  Function *F = createFunction(
      Mod, "tilesmith.profile.compare",
      FunctionType::get(B.getInt32Ty(), {Ptr, Ptr}, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, B);
  F->addRetAttr(Attribute::SExt);
  auto TimeOf = [&](unsigned I) {
    return B.CreateAdd(load(B, F->getArg(I), Word::LoopTime),
                       load(B, F->getArg(I), Word::KernelTime));
  };
  Value *First = TimeOf(0), *Second = TimeOf(1);
  B.CreateRet(B.CreateSub(
      B.CreateZExt(B.CreateICmpULT(First, Second), B.getInt32Ty()),
      B.CreateZExt(B.CreateICmpUGT(First, Second), B.getInt32Ty())));
  return F;
}

/// Prints \p Record, if the nest ever ran.
void emitPrintRecord(IRBuilderBase &B, Value *Record, Value *ProcessTime) {
  Module &Mod = *B.GetInsertBlock()->getModule();
  Function *F = B.GetInsertBlock()->getParent();
  auto *Print = BasicBlock::Create(B.getContext(), "print", F);
  auto *Next = BasicBlock::Create(B.getContext(), "next", F);
  SmallVector<Value *, 4> Counts;
  for (unsigned I = 0; I <= unsigned(NestPath::Kernel); ++I)
    Counts.push_back(load(B, Record, Word::Runs + I));
  Value *Kernel = Counts.pop_back_val(), *Loops = B.getInt64(0);
  for (Value *Count : Counts)
    Loops = B.CreateAdd(Loops, Count);
  B.CreateCondBr(B.CreateIsNull(B.CreateOr(Kernel, Loops)), Next, Print);

  B.SetInsertPoint(Print);
  auto Divided = [&](Value *X, Value *By, double Factor) {
    Value *Number = B.CreateUIToFP(X, B.getDoubleTy());
    Value *Divisor = B.CreateUIToFP(
        B.CreateBinaryIntrinsic(Intrinsic::umax, By, B.getInt64(1)),
        B.getDoubleTy());
    return B.CreateFMul(B.CreateFDiv(Number, Divisor),
                        ConstantFP::get(B.getDoubleTy(), Factor));
  };
  auto Seconds = [&](Value *Time) {
    return Divided(Time, B.getInt64(1'000'000'000), 1);
  };
  Value *InKernel = load(B, Record, Word::KernelTime);
  Value *InLoops = load(B, Record, Word::LoopTime);
  SmallVector<Value *, 16> Args{
      B.getInt32(2),
      B.CreateGlobalString(
          "tilesmith: %s\n"
          "  kernel: %llu times, %.3f s, %.1f %% of the time, %.2f %s\n"
          "  loops: %llu times, %.3f s, %.1f %% of the time; %llu too small, "
          "%llu assumption failed, %llu not safe, %llu given up\n"),
      load(B, Record, Word::Name),
      Kernel,
      Seconds(InKernel),
      Divided(InKernel, ProcessTime, 100),
      Divided(load(B, Record, Word::Operations), InKernel, 1),
      load(B, Record, Word::Unit),
      Loops,
      Seconds(InLoops),
      Divided(InLoops, ProcessTime, 100)};
  Args.append(Counts);
  Type *I32 = B.getInt32Ty();
  callLibrary(B,
              libraryFunction(Mod, "dprintf",
                              FunctionType::get(I32, {I32, B.getPtrTy()},
                                                /*isVarArg=*/true)),
              Args);
  B.CreateBr(Next);
  B.SetInsertPoint(Next);
}

/// Sorts the records from \p Begin on, and prints them.
void emitPrintAll(IRBuilderBase &B, Value *Begin, Value *Bytes) {
  Module &Mod = *B.GetInsertBlock()->getModule();
  Function *F = B.GetInsertBlock()->getParent();
  Type *I64 = B.getInt64Ty(), *Ptr = B.getPtrTy();
  uint64_t Size =
      Mod.getDataLayout().getTypeAllocSize(recordType(B.getContext()));
  Value *Number = B.CreateUDiv(Bytes, B.getInt64(Size));
  callLibrary(
      B,
      libraryFunction(Mod, "qsort",
                      FunctionType::get(B.getVoidTy(), {Ptr, I64, I64, Ptr},
                                        /*isVarArg=*/false)),
      {Begin, Number, B.getInt64(Size), orderFunction(Mod)});
  Value *ProcessTime = now(B, ClockProcessCPUTime);
  BasicBlock *Before = B.GetInsertBlock();
  auto *Each = BasicBlock::Create(B.getContext(), "each", F);
  auto *End = BasicBlock::Create(B.getContext(), "end", F);
  B.CreateCondBr(B.CreateIsNull(Number), End, Each);
  B.SetInsertPoint(Each);
  PHINode *I = B.CreatePHI(I64, 2);
  I->addIncoming(B.getInt64(0), Before);
  emitPrintRecord(B, B.CreateGEP(recordType(B.getContext()), Begin, I),
                  ProcessTime);
  Value *Next = B.CreateAdd(I, B.getInt64(1));
  I->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpULT(Next, Number), Each, End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
}

/// Makes the program print its records when it ends: once, for all files.
void ensurePrinted(Module &Mod) {
  if (Mod.getFunction(PrintName))
    return;
  IRBuilder<> B(Mod.getContext());
  Function *F = createFunction(
      Mod, PrintName, FunctionType::get(B.getVoidTy(), /*isVarArg=*/false),
      GlobalValue::LinkOnceODRLinkage, B);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setComdat(Mod.getOrInsertComdat(PrintName));
  auto Bound = [&](const Twine &Prefix) {
    std::string Symbol = (Prefix + Section).str();
    if (GlobalVariable *Own = Mod.getNamedGlobal(Symbol))
      return Own;
    auto *G =
        new GlobalVariable(Mod, B.getInt8Ty(), /*isConstant=*/false,
                           GlobalValue::ExternalWeakLinkage, nullptr, Symbol);
    G->setVisibility(GlobalValue::HiddenVisibility);
    return G;
  };
  GlobalVariable *Begin = Bound("__start_"), *End = Bound("__stop_");
  Value *Bytes = B.CreateSub(B.CreatePtrToInt(End, B.getInt64Ty()),
                             B.CreatePtrToInt(Begin, B.getInt64Ty()));
  emitPrintAll(B, Begin, Bytes);
  appendToGlobalDtors(Mod, F, /*Priority=*/65535, F);
}

/// The record of a nest, one for all copies that LLVM made of it.
GlobalVariable *recordFor(Module &Mod, const PlannedNest &Planned) {
  const Contraction &Op = Planned.View.Op;
  std::string NestName = nameOf(Planned, Planned.ThePlan.ProfiledAs);
  for (GlobalVariable &G : Mod.globals()) {
    if (G.getSection() != Section || !G.hasInitializer())
      continue;
    auto *String =
        dyn_cast<GlobalVariable>(G.getInitializer()->getOperand(Word::Name));
    auto *Text = String ? dyn_cast<ConstantDataArray>(String->getInitializer())
                        : nullptr;
    if (Text && Text->isCString() && Text->getAsCString() == NestName)
      return &G;
  }
  IRBuilder<> B(Mod.getContext());
  StructType *Ty = recordType(Mod.getContext());
  SmallVector<Constant *, Word::NumWords> Words(Word::NumWords, B.getInt64(0));
  Words[Word::Name] = B.CreateGlobalString(NestName, "", 0, &Mod);
  Words[Word::Unit] = B.CreateGlobalString(
      Op.SumTy->isFloatingPointTy() ? "GFLOP/s" : "Gop/s", "", 0, &Mod);
  auto *Record = new GlobalVariable(
      Mod, Ty, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantStruct::get(Ty, Words), "tilesmith.profile");
  Record->setSection(Section);
  // No gaps in the array.
  Record->setAlignment(Mod.getDataLayout().getABITypeAlign(Ty));
  appendToCompilerUsed(Mod, Record);
  return Record;
}

/// Of the pairs (x, y) of two indices, how many are on the domain's side of its
/// diagonal, y - x <= Diagonal (Below) or >=.
Value *countPairs(IRBuilderBase &B, Value *X, Value *Y, Value *Diagonal,
                  bool Below) {
  // The sum of max(0, i) for all i <= V.
  auto SumTo = [&](Value *V) {
    V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, B.getInt64(0));
    return B.CreateLShr(B.CreateMul(V, B.CreateAdd(V, B.getInt64(1))), 1);
  };
  if (!Below)
    Diagonal = B.CreateSub(Diagonal, B.getInt64(1));
  // Row x has the columns below x + Diagonal + 1, and not more than Y.
  Value *First = B.CreateSub(SumTo(B.CreateAdd(X, Diagonal)), SumTo(Diagonal));
  Value *Beyond = B.CreateSub(Diagonal, Y);
  Beyond = B.CreateSub(SumTo(B.CreateAdd(X, Beyond)), SumTo(Beyond));
  Value *Count = B.CreateSub(First, Beyond);
  return Below ? Count : B.CreateSub(B.CreateMul(X, Y), Count);
}

} // namespace

bool canProfile(const Module &Mod) {
  const Triple &Target = Mod.getTargetTriple();
  return Target.isOSLinux() && Target.isOSBinFormatELF() &&
         Target.isArch64Bit() &&
         Mod.getDataLayout().getPointerSizeInBits() == 64;
}

Profile::Profile(const PlannedNest &Planned, Instruction *At)
    : Planned(Planned), Line(lineOf(Planned.View)) {
  Function &F = *At->getFunction();
  IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
  Path = Entry.CreateAlloca(Entry.getInt64Ty(), nullptr, "tilesmith.path");
  KernelTime =
      Entry.CreateAlloca(Entry.getInt64Ty(), nullptr, "tilesmith.time");
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(Line);
  Started = now(B);
  reach(NestPath::TooSmall, B);
}

void Profile::reach(NestPath To, IRBuilderBase &B) {
  B.CreateStore(B.getInt64(unsigned(To)), Path);
}

void Profile::reachSizeTest(Value *AssumptionsHold, IRBuilderBase &B) {
  B.CreateStore(
      B.CreateSelect(AssumptionsHold, B.getInt64(unsigned(NestPath::TooSmall)),
                     B.getInt64(unsigned(NestPath::AssumptionFailed))),
      Path);
}

void Profile::prepare(GuardBuilder &Guard) {
  const Contraction &Op = Planned.View.Op;
  IRBuilderBase &B = Guard.builder();
  // A multiplication and an addition.
  Operations = B.getInt64(2 * Op.Terms.size());
  if (const auto &Domain = Op.Domain) {
    Dim X = Domain->isOfC() ? M : Domain->boundOfK();
    Dim Y = Domain->isOfC() ? N : K;
    bool Below = Domain->isOfC() ? Domain->isLower() : !Domain->isFrom();
    Dim Other = Domain->isOfC() ? K : X == M ? N : M;
    Operations = B.CreateMul(Operations, Guard.extent(Other));
    auto Places = [&](Dim D) {
      return B.CreateLShr(Guard.extent(D), Domain->elementsPerPlace(D) - 1);
    };
    Value *Pairs = countPairs(B, Places(X), Places(Y), Guard.diagonal(), Below);
    Operations = B.CreateMul(Operations, Pairs);
    if (Domain->Parts)
      Operations = B.CreateShl(Operations, 1);
  } else {
    for (Dim D : {M, N, K})
      Operations = B.CreateMul(Operations, Guard.extent(D));
  }
  for (unsigned I = 0; I < Op.Outer.size(); ++I)
    Operations = B.CreateMul(Operations, Guard.outerExtent(I));
}

void Profile::startCall(IRBuilderBase &B) { Before = now(B); }

void Profile::endCall(IRBuilderBase &B, Value *Done) {
  B.CreateStore(B.CreateSub(now(B), Before), KernelTime);
  B.CreateStore(B.CreateSelect(Done, B.getInt64(unsigned(NestPath::Kernel)),
                               B.getInt64(unsigned(NestPath::GivenUp))),
                Path);
  Module &Mod = *B.GetInsertBlock()->getModule();
  B.CreateAtomicRMW(AtomicRMWInst::Add,
                    B.CreateStructGEP(recordType(B.getContext()),
                                      recordFor(Mod, Planned),
                                      Word::Operations),
                    B.CreateSelect(Done, Operations, B.getInt64(0)),
                    MaybeAlign(), AtomicOrdering::Monotonic);
}

void Profile::emitSum(BasicBlock *Exit) {
  Module &Mod = *Exit->getModule();
  ensurePrinted(Mod);
  GlobalVariable *Record = recordFor(Mod, Planned);
  IRBuilder<> B(Exit, Exit->getFirstInsertionPt());
  B.SetCurrentDebugLocation(Line);
  Value *Taken = B.CreateLoad(B.getInt64Ty(), Path);
  Value *ByKernel =
      B.CreateICmpEQ(Taken, B.getInt64(unsigned(NestPath::Kernel)));
  Value *Time =
      B.CreateSelect(ByKernel, B.CreateLoad(B.getInt64Ty(), KernelTime),
                     B.CreateSub(now(B), Started));
  auto Add = [&](Value *Place, Value *Number) {
    B.CreateAtomicRMW(AtomicRMWInst::Add,
                      B.CreateGEP(B.getInt64Ty(), Record, Place), Number,
                      MaybeAlign(), AtomicOrdering::Monotonic);
  };
  Add(B.CreateAdd(Taken, B.getInt64(Word::Runs)), B.getInt64(1));
  Add(B.CreateSelect(ByKernel, B.getInt64(Word::KernelTime),
                     B.getInt64(Word::LoopTime)),
      Time);
}

} // namespace tilesmith
