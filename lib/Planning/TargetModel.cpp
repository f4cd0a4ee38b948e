//===- TargetModel.cpp - what planning knows of the machine ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/TargetModel.h"
#include "tilesmith/Idiom/Contraction.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

// LLVM's own figures (TargetTransformInfo::getCacheSize) are one pair for all
// x86 CPUs, none for others, and no third level. These are the vendors'.
CacheSizes cacheSizesOf(StringRef CPU) {
  constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;
  return StringSwitch<CacheSizes>(CPU)
      // Intel cores.
      .Cases({"haswell", "broadwell"}, {32 * KiB, 256 * KiB, 2 * MiB})
      .Case("skylake", {32 * KiB, 256 * KiB, 2 * MiB})
      .Cases({"skylake-avx512", "cascadelake", "cooperlake"},
             {32 * KiB, 1 * MiB, 1408 * KiB})
      .Cases({"icelake-client", "rocketlake", "tigerlake"},
             {48 * KiB, 512 * KiB, 2 * MiB})
      .Case("icelake-server", {48 * KiB, 1280 * KiB, 1536 * KiB})
      .Cases({"sapphirerapids", "emeraldrapids", "graniterapids"},
             {48 * KiB, 2 * MiB, 1920 * KiB})
      .Cases({"alderlake", "raptorlake", "meteorlake", "arrowlake"},
             {48 * KiB, 1280 * KiB, 3 * MiB})
      // AMD cores.
      .Cases({"znver1", "znver2"}, {32 * KiB, 512 * KiB, 4 * MiB})
      .Case("znver3", {32 * KiB, 512 * KiB, 4 * MiB})
      .Case("znver4", {32 * KiB, 1 * MiB, 4 * MiB})
      .Case("znver5", {48 * KiB, 1 * MiB, 4 * MiB})
      // IBM POWER.
      .Cases({"pwr8", "pwr9"}, {32 * KiB, 512 * KiB, 5 * MiB, 128})
      .Cases({"pwr10", "pwr11"}, {48 * KiB, 1 * MiB, 4 * MiB, 128})
      // Arm.
      .Cases({"neoverse-n1", "neoverse-v1"}, {64 * KiB, 1 * MiB, 1 * MiB})
      .Cases({"neoverse-n2", "neoverse-v2"}, {64 * KiB, 1 * MiB, 1536 * KiB})
      .Case("apple-m1", {128 * KiB, 3 * MiB, 2 * MiB})
      .Default({32 * KiB, 512 * KiB, 2 * MiB});
}

/// Some CPUs have a single unit for 512 bits, or take two cycles for them.
static unsigned multiplyAddsPerCycle(StringRef CPU, unsigned VectorBits) {
  bool HasOne =
      StringSwitch<bool>(CPU)
          .Cases({"icelake-client", "rocketlake", "tigerlake", "znver4"}, true)
          .Default(false);
  return VectorBits >= 512 && HasOne ? 1 : 2;
}

void setVectorWidth(Function &F, unsigned VectorBits) {
  std::string Bits = std::to_string(VectorBits);
  F.addFnAttr("prefer-vector-width", Bits);
  F.addFnAttr("min-legal-vector-width", Bits);
}

static std::string vectorName(const Triple &T, unsigned Bits) {
  if (T.isX86())
    return Bits >= 512 ? "AVX-512" : Bits >= 256 ? "AVX" : "SSE";
  if (T.isAArch64())
    return Bits > 128 ? "SVE" : "NEON";
  if (T.isPPC())
    return "VSX";
  if (T.isRISCV())
    return "RVV";
  if (T.isSystemZ())
    return "the vector facility";
  if (T.isWasm())
    return "SIMD128";
  if (T.isARM())
    return "NEON";
  return std::to_string(Bits) + "-bit vectors";
}

/// Whether a vector of \p Ty is added as a whole, not element by element: NEON
/// of 32 bits and AltiVec have registers for doubles only.
static bool hasVectorsOf(Type *Ty, const TargetModel &Model,
                         const TargetTransformInfo &TTI) {
  unsigned Lanes =
      std::max<unsigned>(2, Model.VectorBits / Ty->getScalarSizeInBits());
  auto CostOf = [&](Type *Of) {
    return TTI.getArithmeticInstrCost(Instruction::FAdd, Of,
                                      TargetTransformInfo::TCK_RecipThroughput);
  };
  return CostOf(FixedVectorType::get(Ty, Lanes)) <= CostOf(Ty) * Lanes;
}

/// Bits of the widest integers of which vectors are multiplied in one go, not
/// half by half.
static unsigned wholeProducts(const Function &F, const TargetModel &Model,
                              const TargetTransformInfo &TTI) {
  constexpr unsigned MaxCost = 4; // of an instruction that is slow
  for (unsigned Bits : {64, 32}) {
    Type *Ty = FixedVectorType::get(Type::getIntNTy(F.getContext(), Bits),
                                    std::max(2u, Model.VectorBits / Bits));
    if (TTI.getArithmeticInstrCost(Instruction::Mul, Ty) <= MaxCost)
      return Bits;
  }
  return 16;
}

TargetModel TargetModel::of(Function &F, FunctionAnalysisManager &FAM,
                            const Options &Opts) {
  // The subtarget is a function of attributes: ask for one that has those of F
  // and no preferred width.
  Module &M = *F.getParent();
  Function *Probe = Function::Create(
      FunctionType::get(Type::getVoidTy(M.getContext()), false),
      GlobalValue::ExternalLinkage, "tilesmith.probe", M);
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::VScaleRange))
      Probe->addFnAttr(A);
  // What is asked of F itself would be remembered, also when F is gone.
  unsigned Preferred =
      vectorBits(*Probe, FAM.getResult<TargetIRAnalysis>(*Probe));
  FAM.clear(*Probe, Probe->getName());
  constexpr unsigned Widest = 2048;
  setVectorWidth(*Probe, Widest);
  TargetModel Model = of(F, FAM.getResult<TargetIRAnalysis>(*Probe), Opts);
  Model.PreferredBits = Preferred;
  FAM.clear(*Probe, Probe->getName());
  Probe->eraseFromParent();
  return Model;
}

TargetModel TargetModel::of(const Function &F, const TargetTransformInfo &TTI,
                            const Options &Opts) {
  TargetModel Model;
  Model.AttributeSource = &F;
  Model.VectorBits = Model.PreferredBits = vectorBits(F, TTI);
  Type *Vector = FixedVectorType::get(Type::getInt32Ty(F.getContext()),
                                      std::max(2u, Model.VectorBits / 32));
  Model.VectorRegisters = TTI.getNumberOfRegisters(
      TTI.getRegisterClassForType(/*Vector=*/true, Vector));

  // LLVM counts all registers of VSX. Integers are computed in half of them,
  // and without VSX, there are no doubles in the others.
  const Triple &T = F.getParent()->getTargetTriple();
  constexpr unsigned AltiVec = 32;
  if (T.isPPC())
    Model.IntegerRegisters = AltiVec;

  for (unsigned Bits : {64, 32, 16, 8}) {
    Type *Ty = FixedVectorType::get(
        Type::getIntNTy(F.getContext(), Bits),
        std::max(2u, std::min(Model.VectorBits, 256u) / Bits));
    if (!TTI.isLegalMaskedLoad(Ty, Align(Bits / 8), /*AddressSpace=*/0) ||
        !TTI.isLegalMaskedStore(Ty, Align(Bits / 8), /*AddressSpace=*/0))
      break;
    Model.MaskedBits = Bits;
  }

  // ThreadSanitizer sees accesses of up to 16 bytes, and none under masks.
  if (F.hasFnAttribute(Attribute::SanitizeThread)) {
    Model.VectorBits = std::min(Model.VectorBits, 128u);
    Model.MaskedBits = 0;
  }
  if (Opts.VectorBits)
    Model.VectorBits = std::min<uint64_t>(Model.VectorBits, Opts.VectorBits);
  if (Model.VectorBits < 64)
    Model.VectorBits = 0;
  Model.TurnsSquares = T.isX86();
  // On x86, FMA came with AVX2.
  Model.HasFMA = T.isX86()    ? Model.VectorBits >= 256
                 : T.isWasm() ? hasFeature(F, "relaxed-simd")
                              : true;
  Model.HasDoubles =
      !(T.isPPC() && Model.VectorRegisters <= AltiVec) &&
      hasVectorsOf(Type::getDoubleTy(F.getContext()), Model, TTI);
  Model.HasHalves = computesHalves(F);
  Model.PrefersSmallCode = F.hasOptSize();
  Model.WholeProducts = wholeProducts(F, Model, TTI);

  // Virtual machines often show another CPU's name, but not its features:
  // whatever has AMX has the caches of a Sapphire Rapids at least.
  bool HasAMX = F.getFnAttribute("target-features")
                    .getValueAsString()
                    .contains("+amx-tile");
  StringRef CPU = F.getFnAttribute("target-cpu").getValueAsString();
  Model.Caches = cacheSizesOf(HasAMX ? "sapphirerapids" : CPU);
  Model.MultiplyAdds = multiplyAddsPerCycle(CPU, Model.VectorBits);
  if (Opts.L1)
    Model.Caches.L1 = Opts.L1;
  if (Opts.L2)
    Model.Caches.L2 = Opts.L2;
  if (Opts.L3)
    Model.Caches.L3 = Opts.L3;
  Model.VectorName = vectorName(T, Model.VectorBits);
  return Model;
}

bool dividesOneByOne(const Instruction &I) {
  auto *Division = dyn_cast<BinaryOperator>(&I);
  return Division && Division->isIntDivRem() &&
         (!isa<ConstantInt>(Division->getOperand(1)) ||
          Division->getType()->getScalarSizeInBits() > 32);
}

TargetModel TargetModel::forSums(const Contraction &Of) const {
  const Type &Ty = *Of.SumTy;
  TargetModel Model = *this;
  // Lanes that nothing is stored of take as long as others.
  if (Of.Update.contains(dividesOneByOne))
    Model.VectorBits = std::min(Model.VectorBits, 128u);
  if (Ty.isIntegerTy())
    Model.VectorRegisters = std::min(VectorRegisters, IntegerRegisters);
  if (Ty.isDoubleTy() && !HasDoubles)
    Model.VectorBits = 0;
  return Model;
}

} // namespace tilesmith
