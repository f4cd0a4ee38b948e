//===- CPULevel.h - what CPUs of a target may have besides ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_CPULEVEL_H
#define TILESMITH_PLANNING_CPULEVEL_H

#include "tilesmith/Planning/Plan.h"
#include "llvm/TargetParser/Triple.h"
#include <list>

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
  llvm::StringRef Without;  ///< one that the CPU has, and code must not use
  unsigned VScale = 0; ///< vectors have 128 bits times this at least; or any

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

/// The levels above a function's own, and what planning knows of them: those
/// with more features, if that is asked for, and those with longer vectors, if
/// the function does not say how long they are.
class BetterTargets {
public:
  /// \p Own is what is known of \p F itself.
  BetterTargets(llvm::Function &F, const TargetModel &Own,
                llvm::FunctionAnalysisManager &FAM, const Options &Opts);
  ~BetterTargets();
  BetterTargets(const BetterTargets &) = delete;
  BetterTargets &operator=(const BetterTargets &) = delete;

  /// Adds to \p How, for the function's own features, plans for the levels
  /// where there is a better one (Plan::Dispatched).
  void addTo(Plan &How, const Contraction &Op, const Options &Opts) const;

private:
  struct Entry {
    const CPULevel &Level;
    llvm::Function *Like; ///< a declaration with the level's attributes
    TargetModel Target;
  };
  std::list<Entry> Entries;
};

} // namespace tilesmith

#endif
