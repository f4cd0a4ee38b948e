//===- CPULevel.h - what CPUs of a target may have besides ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_CPULEVEL_H
#define TILESMITH_TARGET_CPULEVEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/TargetParser/Triple.h"
#include <array>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace tilesmith {

/// A word of bits that tells, at run time, what the CPU has and the system
/// permits.
enum class CPUWord {
  Leaf1ECX, ///< of x86's cpuid
  Leaf7EBX,
  Leaf7ECX,
  Leaf7EDX,
  Leaf7Sub1EAX,
  LeafExt1ECX, ///< leaf 0x80000001
  XCR0,        ///< which registers the system saves
  HWCAP,       ///< of Linux's auxiliary vector
  HWCAP2,
};
constexpr unsigned NumCPUWords = 9;

/// Features that CPUs of one target have together, beyond those that all of
/// them have.
struct CPULevel {
  llvm::StringRef Name;
  llvm::Triple::ArchType Arch;
  llvm::StringRef CPU;      ///< "target-cpu"; the function's own if empty
  llvm::StringRef Features; ///< LLVM's names, joined by '+'
  llvm::StringRef
      ForbiddenFeature; ///< one that the CPU has, and code must not use
  unsigned VScale = 0;  ///< vectors have 128 bits times this at least; or any

  /// The names of the features.
  llvm::SmallVector<llvm::StringRef, 32> names() const;
  /// Whether code of \p F may use all features.
  bool isPartOf(const llvm::Function &F) const;
  /// Whether there is code for this level in programs for \p Target.
  bool isOf(const llvm::Triple &Target) const;
  /// The bits that must be set in each word.
  std::array<uint64_t, NumCPUWords> bits() const;
  /// From one on: a number of its own.
  unsigned number() const;
};

/// Those with fewer features first.
llvm::ArrayRef<CPULevel> cpuLevels();

/// Whether every CPU of \p Level is one of \p Lower.
bool includes(const CPULevel &Level, const CPULevel &Lower);

/// The function i32 tilesmith.cpu.detect() of \p Mod: what the CPU that it runs
/// on has, as bit number() of each level, and bit 0. It keeps that in the
/// variable that detectedLevels() gives, which is zero before. A function that
/// calls it is \p AttributeSource.
llvm::Function *levelDetection(llvm::Module &Mod,
                               const llvm::Function &AttributeSource);
llvm::GlobalVariable *detectedLevels(llvm::Module &Mod);

} // namespace tilesmith

#endif
