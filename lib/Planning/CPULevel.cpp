//===- CPULevel.cpp - what CPUs of a target may have besides --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/CPULevel.h"
#include "tilesmith/Support/Subtarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

#define X86_64_V3                                                              \
  "sse3+ssse3+sse4.1+sse4.2+popcnt+avx+avx2+bmi+bmi2+f16c+fma+lzcnt+movbe"
#define X86_64_V4 X86_64_V3 "+avx512f+avx512bw+avx512cd+avx512dq+avx512vl"

// POWER10's calls relative to the program counter give up the register that
// callers for an older CPU rely on.
static constexpr CPULevel Levels[] = {
    {"x86-64-v3", Triple::x86_64, "", X86_64_V3, ""},
    {"x86-64-v3-avxvnni", Triple::x86_64, "", X86_64_V3 "+avxvnni", ""},
    {"x86-64-v4", Triple::x86_64, "", X86_64_V4, ""},
    {"x86-64-v4-vnni", Triple::x86_64, "", X86_64_V4 "+avx512vnni", ""},
    {"x86-64-v4-bf16", Triple::x86_64, "", X86_64_V4 "+avx512vnni+avx512bf16",
     ""},
    {"x86-64-v4-amx", Triple::x86_64, "",
     X86_64_V4 "+avx512vnni+avx512bf16+amx-tile+amx-int8+amx-bf16", ""},
    {"pwr9", Triple::ppc64le, "pwr9", "power9-vector", ""},
    {"pwr10", Triple::ppc64le, "pwr10", "power9-vector+power10-vector+mma",
     "pcrelative-memops"},
    {"dotprod", Triple::aarch64, "", "dotprod", ""},
    {"sve256", Triple::aarch64, "", "sve", "", 2},
    {"sve512", Triple::aarch64, "", "sve", "", 4},
    {"i8mm", Triple::aarch64, "", "dotprod+i8mm", ""},
    {"bf16", Triple::aarch64, "", "bf16", ""},
    {"sme", Triple::aarch64, "", "sme", ""},
    {"sme-f64f64", Triple::aarch64, "", "sme+sme-f64f64", ""},
};

#undef X86_64_V3
#undef X86_64_V4

namespace {

/// How a program sees a feature; several rows must all be true.
struct FeatureBits {
  StringLiteral Name;
  CPUWord Word;
  uint64_t Bits;
};

} // namespace

static constexpr FeatureBits AllFeatures[] = {
    {"sse3", CPUWord::Leaf1ECX, 1 << 0},
    {"ssse3", CPUWord::Leaf1ECX, 1 << 9},
    {"fma", CPUWord::Leaf1ECX, 1 << 12},
    {"sse4.1", CPUWord::Leaf1ECX, 1 << 19},
    {"sse4.2", CPUWord::Leaf1ECX, 1 << 20},
    {"movbe", CPUWord::Leaf1ECX, 1 << 22},
    {"popcnt", CPUWord::Leaf1ECX, 1 << 23},
    {"avx", CPUWord::Leaf1ECX, 1 << 28},
    {"avx", CPUWord::XCR0, 0x06},
    {"f16c", CPUWord::Leaf1ECX, 1 << 29},
    {"bmi", CPUWord::Leaf7EBX, 1 << 3},
    {"avx2", CPUWord::Leaf7EBX, 1 << 5},
    {"bmi2", CPUWord::Leaf7EBX, 1 << 8},
    {"avx512f", CPUWord::Leaf7EBX, 1 << 16},
    {"avx512f", CPUWord::XCR0, 0xe0},
    {"avx512dq", CPUWord::Leaf7EBX, 1 << 17},
    {"avx512cd", CPUWord::Leaf7EBX, 1 << 28},
    {"avx512bw", CPUWord::Leaf7EBX, 1 << 30},
    {"avx512vl", CPUWord::Leaf7EBX, uint64_t(1) << 31},
    {"avx512vnni", CPUWord::Leaf7ECX, 1 << 11},
    {"amx-bf16", CPUWord::Leaf7EDX, 1 << 22},
    {"amx-tile", CPUWord::Leaf7EDX, 1 << 24},
    {"amx-tile", CPUWord::XCR0, 0x60000},
    {"amx-int8", CPUWord::Leaf7EDX, 1 << 25},
    {"avxvnni", CPUWord::Leaf7Sub1EAX, 1 << 4},
    {"avx512bf16", CPUWord::Leaf7Sub1EAX, 1 << 5},
    {"lzcnt", CPUWord::LeafExt1ECX, 1 << 5},
    {"power9-vector", CPUWord::HWCAP2, 0x00800000},  // ISA 3.0
    {"power10-vector", CPUWord::HWCAP2, 0x00040000}, // ISA 3.1
    {"mma", CPUWord::HWCAP2, 0x00020000},
    {"dotprod", CPUWord::HWCAP, 1 << 20},
    {"sve", CPUWord::HWCAP, 1 << 22},
    {"i8mm", CPUWord::HWCAP2, 1 << 13},
    {"bf16", CPUWord::HWCAP2, 1 << 14},
    {"sme", CPUWord::HWCAP2, 1 << 23},
    {"sme-f64f64", CPUWord::HWCAP2, 1 << 25},
};

static SmallVector<StringRef, 32> split(StringRef Features) {
  SmallVector<StringRef, 32> Names;
  Features.split(Names, '+', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return Names;
}

ArrayRef<CPULevel> cpuLevels() { return Levels; }

bool CPULevel::isOf(const Triple &Target) const {
  return Target.getArch() == Arch && (Target.isX86() || Target.isOSLinux());
}

std::array<uint64_t, NumCPUWords> CPULevel::bits() const {
  std::array<uint64_t, NumCPUWords> Bits{};
  for (StringRef Name : split(Features))
    for (const FeatureBits &F : AllFeatures)
      if (F.Name == Name)
        Bits[unsigned(F.Word)] |= F.Bits;
  return Bits;
}

unsigned CPULevel::number() const { return this - Levels + 1; }

/// Whether every CPU of \p Level is one of \p Lower.
static bool includes(const CPULevel &Level, const CPULevel &Lower) {
  if (Level.VScale < Lower.VScale)
    return false;
  auto Names = split(Level.Features);
  return all_of(split(Lower.Features),
                [&](StringRef Name) { return is_contained(Names, Name); });
}

/// Whether the user has said that \p F must not use something of \p Level.
static bool isForbidden(const Function &F, const CPULevel &Level) {
  SmallVector<StringRef, 64> Said;
  F.getFnAttribute("target-features").getValueAsString().split(Said, ',');
  return any_of(split(Level.Features), [&](StringRef Name) {
    return is_contained(Said, ("-" + Name).str());
  });
}

bool CPULevel::isPartOf(const Function &F) const {
  return all_of(split(Features),
                [&](StringRef Name) { return hasFeature(F, Name); });
}

/// Whether the vectors of \p Level are longer than those of all CPUs that \p F
/// is for, and some may have them. \p Tuned: those of the CPU that it is
/// compiled for, if that is known.
static bool mayBeLonger(const Function &F, const CPULevel &Level,
                        std::optional<unsigned> Tuned) {
  if (!Level.VScale)
    return false;
  unsigned Least = 1, Most = ~0u;
  if (Attribute Range = F.getFnAttribute(Attribute::VScaleRange);
      Range.isValid()) {
    Least = Range.getVScaleRangeMin();
    Most = Range.getVScaleRangeMax().value_or(Most);
  }
  StringRef CPU = F.getFnAttribute("target-cpu").getValueAsString();
  bool IsNamed = !CPU.empty() && CPU != "generic";
  return Least < Level.VScale && Level.VScale <= Most &&
         (!IsNamed || !Tuned || *Tuned == Level.VScale);
}

/// A declaration with the attributes of \p F, at \p Level.
static Function *createLike(Function &F, const CPULevel &Level) {
  Function *Like = Function::Create(
      FunctionType::get(Type::getVoidTy(F.getContext()), false),
      GlobalValue::ExternalLinkage, "tilesmith.level", *F.getParent());
  for (Attribute A : F.getAttributes().getFnAttrs())
    Like->addFnAttr(A);
  std::string Features =
      F.getFnAttribute("target-features").getValueAsString().str();
  auto Add = [&](const Twine &Feature) {
    Features += (Features.empty() ? "" : ",") + Feature.str();
  };
  for (StringRef Name : split(Level.Features))
    Add("+" + Name);
  if (!Level.Without.empty())
    Add("-" + Level.Without);
  Like->addFnAttr("target-features", Features);
  if (!Level.CPU.empty())
    Like->addFnAttr("target-cpu", Level.CPU);
  if (Level.VScale) {
    constexpr unsigned Longest = 16;
    Attribute Range = F.getFnAttribute(Attribute::VScaleRange);
    Like->addFnAttr(Attribute::getWithVScaleRangeArgs(
        F.getContext(), Level.VScale,
        Range.isValid() ? Range.getVScaleRangeMax().value_or(Longest)
                        : Longest));
  }
  return Like;
}

BetterTargets::BetterTargets(Function &F, const TargetModel &Own,
                             FunctionAnalysisManager &FAM,
                             const Options &Opts) {
  auto Tuned = FAM.getResult<TargetIRAnalysis>(F).getVScaleForTuning();
  for (const CPULevel &Level : Levels) {
    if (!Level.isOf(F.getParent()->getTargetTriple()) ||
        isForbidden(F, Level) || (Level.VScale && isStreaming(F)))
      continue;
    if (Level.isPartOf(F) ? !mayBeLonger(F, Level, Tuned)
                          : Opts.Dispatch == Dispatch::None)
      continue;
    Function *Like = createLike(F, Level);
    TargetModel Target = TargetModel::of(*Like, FAM, Opts);
    // Features alone say nothing of caches.
    if (Level.CPU.empty())
      Target.Caches = Own.Caches;
    Entries.push_back({Level, Like, std::move(Target)});
  }
}

BetterTargets::~BetterTargets() {
  for (Entry &E : Entries)
    E.Like->eraseFromParent();
}

void BetterTargets::addTo(Plan &How, const Contraction &Op,
                          const Options &Opts) const {
  if (How.Library)
    return;
  auto Text = [](const Plan &P) {
    std::string Result;
    raw_string_ostream OS(Result);
    P.print(OS);
    return Result;
  };
  std::vector<Plan> Plans{How};
  for (const Entry &E : Entries) {
    auto Better = makePlan(Op, E.Target, Opts);
    auto *P = std::get_if<Plan>(&Better);
    // What a lower level does as well is left to that. Longer vectors make no
    // difference to an array.
    if (!P || P->Mirrored != How.Mirrored || any_of(Plans, [&](const Plan &X) {
          return (!X.Level || includes(E.Level, *X.Level)) &&
                 ((X.InArray && P->InArray) || Text(X) == Text(*P));
        }))
      continue;
    P->Level = &E.Level;
    if (P->Otherwise) {
      auto Other = std::make_shared<Plan>(*P->Otherwise);
      Other->Level = P->Level;
      P->Otherwise = std::move(Other);
    }
    Plans.push_back(*P);
  }
  if (Plans.size() == 1)
    return;
  for (const Plan &P : Plans) {
    How.MinWork = std::min(How.MinWork, P.MinWork);
    How.MinElements = std::min(How.MinElements, P.MinElements);
    for (Dim D : {M, N, K})
      How.MinExtent[D] = std::min(How.MinExtent[D], P.MinExtent[D]);
  }
  How.Dispatched.assign(Plans.rbegin(), Plans.rend());
}

} // namespace tilesmith
