//===- Profile.h - which path each nest takes, and for how long -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   preheader:
//     path = assumptions hold ? TooSmall : AssumptionFailed; started = now()
//     br large enough, check, nest
//   check:
//     path = Unsafe
//     br safe, fast, nest
//   fast:
//     path = GivenUp
//     before = now()
//     done = kernel(...)
//     time = now() - before; path = done ? Kernel : GivenUp
//   nest:
//     ... br exit
//   exit:
//     atomically, of this nest: runs[path] += 1, and the time of the kernel, or
//     of the loops, now() - started
//
// When the program ends, it prints what it has counted.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_PROFILE_H
#define TILESMITH_LIB_REWRITE_PROFILE_H

#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

struct PlannedNest;
class GuardBuilder;

/// What a nest went through, when it ends.
enum class NestPath { TooSmall, AssumptionFailed, Unsafe, GivenUp, Kernel };

/// Emits the code that counts for one nest.
class Profile {
public:
  /// Code that starts the clock is inserted before \p At, in front of all tests.
  Profile(const PlannedNest &Planned, llvm::Instruction *At);

  /// A nest that ends has come this far.
  void reach(NestPath To, llvm::IRBuilderBase &B);
  /// The same, of the size tests: it goes on from there only if it is large
  /// enough, and if \p AssumptionsHold (i1).
  void reachSizeTest(llvm::Value *AssumptionsHold, llvm::IRBuilderBase &B);
  /// How many operations the kernel makes is computed by \p Guard.
  void prepare(GuardBuilder &Guard);
  /// Around the call: the kernel's time starts, and ends; \p Done (i1) is its
  /// result.
  void startCall(llvm::IRBuilderBase &B);
  void endCall(llvm::IRBuilderBase &B, llvm::Value *Done);
  /// In \p Exit, where all paths meet.
  void emitSum(llvm::BasicBlock *Exit);

private:
  const PlannedNest &Planned;
  llvm::AllocaInst *Path, *KernelTime;
  llvm::Value *Started, *Operations = nullptr, *Before = nullptr;
  llvm::DebugLoc Line;
};

} // namespace tilesmith

#endif
