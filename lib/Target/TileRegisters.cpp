//===- TileRegisters.cpp - AMX --------------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux gives the registers to a process that has asked for them. Signal
// handlers then need larger stacks.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/TileRegisters.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Target/Engine.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

std::optional<SquareProduct> findSquareProduct(const Function &F,
                                               const NarrowProduct &Of) {
  const Triple &Target = F.getParent()->getTargetTriple();
  if (Target.getArch() != Triple::x86_64 || Target.isX32() ||
      !Target.isOSLinux() || Of.A.Ty != Of.B.Ty || !hasFeature(F, "amx-tile"))
    return std::nullopt;
  // That sanitizer does not see what is stored from the registers.
  if (F.hasFnAttribute(Attribute::SanitizeMemory))
    return std::nullopt;
  // The first factor is B.
  static constexpr Intrinsic::ID OfSigns[2][2] = {
      {Intrinsic::x86_tdpbuud, Intrinsic::x86_tdpbusd},
      {Intrinsic::x86_tdpbsud, Intrinsic::x86_tdpbssd}};
  if (Of.A.Ty->isIntegerTy(8) && Of.SumTy->isIntegerTy(32) &&
      hasFeature(F, "amx-int8"))
    return SquareProduct{OfSigns[Of.B.IsSigned][Of.A.IsSigned]};
  if (Of.A.Ty->isBFloatTy() && Of.SumTy->isFloatTy() &&
      hasFeature(F, "amx-bf16"))
    return SquareProduct{Intrinsic::x86_tdpbf16ps};
  if (Of.A.Ty->isHalfTy() && Of.SumTy->isFloatTy() && hasFeature(F, "amx-fp16"))
    return SquareProduct{Intrinsic::x86_tdpfp16ps};
  return std::nullopt;
}

bool SquareProduct::isAllowed(const NarrowProduct &Of, const Function &F,
                              FastMathFlags Flags) const {
  return !Of.isReassociated() ||
         (Flags.allowReassoc() && flushesDenormals(F, Flags));
}

/// Whether \p F itself uses the registers: what is in them, and how they are
/// configured, need not outlast a call.
static bool usesTileRegisters(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call)
      return false;
    StringRef Name = Call->getCalledFunction()->getName();
    return Name.consume_front("llvm.x86.") &&
           (Name.contains("tile") || Name.starts_with("tdp") ||
            Name.starts_with("tcmm") || Name.starts_with("tmm"));
  });
}

SmallVector<int, 0> stepwiseMask(unsigned Rows, unsigned Steps,
                                 unsigned Columns) {
  SmallVector<int, 0> Mask;
  for (unsigned Column = 0; Column < Columns; ++Column)
    for (unsigned Step = 0; Step < Steps; ++Step)
      for (unsigned Row = 0; Row < Rows; ++Row)
        Mask.push_back((Column * Rows + Row) * Steps + Step);
  return Mask;
}

/// i1 tilesmith.amx(): whether the process may use the registers. It asks once:
/// arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA), which has no effect if
/// the answer is known. All threads get the same answer.
static Function *tilePermission(Module &Mod, const Function &AttributeSource) {
  constexpr char Name[] = "tilesmith.amx";
  if (Function *Made = Mod.getFunction(Name))
    return Made;
  IRBuilder<> B(Mod.getContext());
  Type *I1 = B.getInt1Ty(), *I8 = B.getInt8Ty(), *I64 = B.getInt64Ty();
  constexpr uint64_t Unknown = 0, Permitted = 1, Refused = 2;
  auto *State = new GlobalVariable(Mod, I8, /*isConstant=*/false,
                                   GlobalValue::InternalLinkage,
                                   B.getInt8(Unknown), "tilesmith.amx.state");
  Function *F = Function::Create(FunctionType::get(I1, /*isVarArg=*/false),
                                 GlobalValue::InternalLinkage, Name, Mod);
  F->addFnAttrs(attributesOfPart(AttributeSource));
  auto Block = [&](const Twine &Label) {
    return BasicBlock::Create(Mod.getContext(), Label, F);
  };
  BasicBlock *Entry = Block("entry"), *Ask = Block("ask"),
             *Known = Block("known");
  B.SetInsertPoint(Entry);
  LoadInst *Load = B.CreateAlignedLoad(I8, State, Align(1));
  Load->setAtomic(AtomicOrdering::Monotonic);
  B.CreateCondBr(B.CreateICmpEQ(Load, B.getInt8(Unknown)), Ask, Known);
  B.SetInsertPoint(Known);
  B.CreateRet(B.CreateICmpEQ(Load, B.getInt8(Permitted)));
  B.SetInsertPoint(Ask);
  constexpr uint64_t ArchPrctl = 158, RequestPermission = 0x1023, TileData = 18;
  InlineAsm *Call = InlineAsm::get(
      FunctionType::get(I64, {I64, I64, I64}, /*isVarArg=*/false), "syscall",
      "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory},~{flags}",
      /*hasSideEffects=*/true);
  Value *IsPermitted = B.CreateIsNull(
      B.CreateCall(Call, {B.getInt64(ArchPrctl), B.getInt64(RequestPermission),
                          B.getInt64(TileData)}));
  B.CreateAlignedStore(
       B.CreateSelect(IsPermitted, B.getInt8(Permitted), B.getInt8(Refused)),
       State, Align(1))
      ->setAtomic(AtomicOrdering::Monotonic);
  B.CreateRet(IsPermitted);
  return F;
}

/// What ldtilecfg reads: each register has 16 rows of 64 bytes.
static GlobalVariable *tileConfiguration(Module &Mod) {
  constexpr char Name[] = "tilesmith.amx.configuration";
  if (GlobalVariable *Made = Mod.getNamedGlobal(Name))
    return Made;
  struct {
    uint8_t Palette = 1, FirstRow = 0, Reserved[14] = {};
    support::ulittle16_t BytesOfRow[16] = {};
    uint8_t Rows[16] = {};
  } Layout;
  static_assert(sizeof Layout == 64, "as the CPU reads it");
  for (unsigned I = 0; I < NumTileRegisters; ++I) {
    Layout.BytesOfRow[I] = 4 * SquareEdge;
    Layout.Rows[I] = SquareEdge;
  }
  Constant *Bytes = ConstantDataArray::getRaw(
      StringRef(reinterpret_cast<const char *>(&Layout), sizeof Layout),
      sizeof Layout, Type::getInt8Ty(Mod.getContext()));
  auto *Made = new GlobalVariable(Mod, Bytes->getType(), /*isConstant=*/true,
                                  GlobalValue::InternalLinkage, Bytes, Name);
  Made->setAlignment(Align(sizeof Layout));
  return Made;
}

namespace {

class AMX final : public Engine {
public:
  AMX()
      : Engine({"AMX", /*GroupBits=*/32, /*PanelEdge=*/SquareEdge,
                /*HasSumsInVectors=*/false, /*HasEdgeTiles=*/false,
                /*NeedsPermission=*/true}) {}

  bool suits(const EngineRequest &Of) const override {
    if (!Of.Narrow || Of.Terms != 1 || Of.FlipsA || Of.VectorBits < RowBits ||
        usesTileRegisters(Of.F))
      return false;
    NarrowProduct Groups = Of.inGroups(GroupBits);
    auto Found = findSquareProduct(Of.F, Groups);
    return Found && Found->isAllowed(Groups, Of.F, Of.Flags);
  }
  unsigned registerBits(const EngineRequest &) const override {
    return RowBits;
  }
  /// Four squares of sums, which take all registers together with two of each
  /// factor.
  TileShape chooseTile(const RegisterBudget &,
                       TileShape Wanted) const override {
    auto EdgeFor = [](unsigned Edge) {
      return Edge ? std::min<unsigned>(alignTo(Edge, SquareEdge), MaxEdge)
                  : MaxEdge;
    };
    return {EdgeFor(Wanted.Rows), EdgeFor(Wanted.Columns)};
  }
  bool holds(TileShape Tile, const RegisterBudget &) const override {
    return Tile.Rows % SquareEdge == 0 && Tile.Rows <= MaxEdge &&
           Tile.Columns >= SquareEdge && Tile.Columns <= MaxEdge;
  }
  Function *permission(Module &Mod,
                       const Function &AttributeSource) const override {
    return tilePermission(Mod, AttributeSource);
  }
  void emitConfiguration(IRBuilderBase &B) const override {
    B.CreateIntrinsic(Intrinsic::x86_ldtilecfg,
                      {tileConfiguration(*B.GetInsertBlock()->getModule())});
  }
  void emitRelease(IRBuilderBase &B) const override {
    B.CreateIntrinsic(Intrinsic::x86_tilerelease, ArrayRef<Value *>());
  }
  void explain(TileShape Tile, const RegisterBudget &, unsigned,
               raw_ostream &OS) const override {
    unsigned OfA = Tile.Rows / SquareEdge, OfB = Tile.Columns / SquareEdge;
    OS << OfA * OfB << " squares of sums, " << OfA << " of A and " << OfB
       << " of B in 8 registers; " << OfA * OfB << " multiply-adds for "
       << OfA + OfB << " loads";
  }

private:
  static constexpr unsigned RowBits = 512, MaxEdge = 2 * SquareEdge;
};

} // namespace

const Engine &getAMX() {
  static const AMX Squares;
  return Squares;
}

} // namespace tilesmith
