//===- CPULevel.cpp - what CPUs of a target may have besides --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/CPULevel.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/StringExtras.h"
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

SmallVector<StringRef, 32> CPULevel::names() const {
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
  for (StringRef Name : names())
    for (const FeatureBits &F : AllFeatures)
      if (F.Name == Name)
        Bits[unsigned(F.Word)] |= F.Bits;
  return Bits;
}

unsigned CPULevel::number() const { return this - Levels + 1; }

bool includes(const CPULevel &Level, const CPULevel &Lower) {
  if (Level.VScale < Lower.VScale)
    return false;
  auto Names = Level.names();
  return all_of(Lower.names(),
                [&](StringRef Name) { return is_contained(Names, Name); });
}

bool CPULevel::isPartOf(const Function &F) const {
  return all_of(names(), [&](StringRef Name) { return hasFeature(F, Name); });
}

} // namespace tilesmith
