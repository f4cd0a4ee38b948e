//===- Subtarget.cpp - what a function's target has -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/PPCTargetParser.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

bool tilesmith::hasFeature(const Function &F, StringRef Name) {
  SmallVector<StringRef, 64> Features;
  F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
  for (StringRef Feature : reverse(Features))
    if (Feature.size() > 1 && Feature.drop_front() == Name)
      return Feature.front() == '+';
  StringRef CPU = F.getFnAttribute("target-cpu").getValueAsString();
  const Triple &Target = F.getParent()->getTargetTriple();
  if (Target.isAArch64()) {
    std::optional<AArch64::CpuInfo> Info = AArch64::parseCpu(CPU);
    if (!Info)
      return false;
    AArch64::ExtensionSet Extensions;
    Extensions.addCPUDefaults(*Info);
    std::vector<StringRef> OfCPU;
    Extensions.toLLVMFeatureList(OfCPU);
    return is_contained(OfCPU, ("+" + Name).str());
  }
  if (Target.isPPC()) {
    auto OfCPU =
        PPC::getPPCDefaultTargetFeatures(Target, PPC::normalizeCPUName(CPU));
    return OfCPU && OfCPU->lookup(Name);
  }
  if (!Target.isX86() || X86::parseArchX86(CPU) == X86::CK_None)
    return false;
  SmallVector<StringRef, 64> OfCPU;
  X86::getFeaturesForCPU(CPU, OfCPU);
  return is_contained(OfCPU, Name);
}

bool tilesmith::mayFuseProducts(const Function &F) {
  if (!F.getParent()->getTargetTriple().isX86())
    return true;
  // Of functions without attributes, the code generator's options decide.
  StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  bool IsKnown = F.hasFnAttribute("target-cpu") || !Features.empty();
  return !IsKnown || Features.contains("+fma") ||
         any_of(ArrayRef<StringRef>{"fma", "fma4", "avx512f"},
                [&](StringRef Name) { return hasFeature(F, Name); });
}

bool tilesmith::computesHalves(const Function &F) {
  const Triple &Target = F.getParent()->getTargetTriple();
  auto Has = [&](StringRef Name) { return hasFeature(F, Name); };
  if (Target.isX86())
    return Has("avx512fp16") && Has("avx512vl");
  if (Target.isAArch64())
    return Has("fullfp16");
  // Scalars must be fused where vectors are.
  return Target.isRISCV() && Has("zvfh") && Has("zfh");
}

bool tilesmith::isStreaming(const Function &F) {
  return any_of(ArrayRef<StringRef>{"aarch64_pstate_sm_enabled",
                                    "aarch64_pstate_sm_body",
                                    "aarch64_pstate_sm_compatible"},
                [&](StringRef Name) { return F.hasFnAttribute(Name); });
}

unsigned tilesmith::vectorBits(const Function &F,
                               const TargetTransformInfo &TTI) {
  unsigned Bits =
      TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  // LLVM's figure is that of the group of registers that its vectoriser
  // prefers.
  constexpr unsigned BitsPerScale = 64;
  if (F.getParent()->getTargetTriple().isRISCV())
    Bits = std::min(Bits, BitsPerScale * TTI.getVScaleForTuning().value_or(1));
  // Our kernels may have shorter ones than the target: x86 knows of that.
  unsigned Preferred = Bits;
  if (!F.getFnAttribute("prefer-vector-width")
           .getValueAsString()
           .getAsInteger(10, Preferred))
    Bits = std::min(Bits, Preferred);
  return Bits;
}
