//===- NestRun.h - which iterations loops make ------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of a function are run, instruction by instruction, with numbers for what the
// function is given. Nothing is known of floating-point numbers, so a branch that
// depends on them goes either way.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_NESTRUN_H
#define TILESMITH_LIB_PLUGIN_NESTRUN_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include <map>

namespace tilesmith {

/// Where a function finds a number: in a parameter, or in memory that one, or a
/// global variable, points to.
struct NumberSource {
  uint64_t Base, Offset;
  bool IsInMemory;

  bool operator<(const NumberSource &O) const {
    return std::tie(Base, Offset, IsInMemory) <
           std::tie(O.Base, O.Offset, O.IsInMemory);
  }
};

/// An address: bytes behind the beginning of something.
using RunAddress = std::pair<uint64_t, uint64_t>;

/// The numbers of some runs. Each source has a place in masks.
struct GivenNumbers {
  static constexpr unsigned Max = 64;
  struct Given {
    unsigned Place;
    uint64_t Value;
  };
  std::map<NumberSource, Given> Of;
  uint64_t Otherwise = 0; ///< of sources that are met for the first time
};

/// How branches go that depend on floating-point numbers.
enum class DataBranches { First, Second, Any };

/// Is told what happens in a run.
class RunListener {
public:
  virtual ~RunListener() = default;
  virtual void enter(const llvm::Loop &) {}
  virtual void next(const llvm::Loop &) {}
  virtual void leave(const llvm::Loop &) {}
  /// False ends the run.
  virtual bool store(const llvm::StoreInst &, RunAddress) = 0;
  /// \p Sources: what the condition is made of.
  virtual void branch(const llvm::BranchInst &, unsigned /*Successor*/,
                      uint64_t /*Sources*/) {}
};

/// One run.
class NestRun {
public:
  NestRun(const llvm::Loop &Root, const llvm::LoopInfo &LI,
          GivenNumbers &Numbers, DataBranches Branches, uint64_t Seed,
          RunListener &Listener)
      : Root(Root), LI(LI), Numbers(Numbers), Branches(Branches),
        Listener(Listener), DL(Root.getHeader()->getDataLayout()),
        Random(Seed) {}

  /// Makes the loops once. False if that cannot be followed, or takes more than
  /// \p MaxSteps instructions, which are counted down.
  bool run(uint64_t &MaxSteps);

private:
  enum class Kind : uint8_t { Unknown, Data, Integer, Pointer };
  struct Number {
    Kind Is = Kind::Unknown;
    uint64_t Base = 0, Value = 0, Sources = 0;
  };
  static Number integer(uint64_t Value, uint64_t Sources, unsigned Bits);
  Number of(const llvm::Value &V);
  Number given(NumberSource From, unsigned Bits);
  Number compute(const llvm::Instruction &I);
  Number computeLanes(const llvm::Instruction &I);
  Number computeBinary(const llvm::BinaryOperator &I);
  Number compare(const llvm::ICmpInst &I);
  Number computeOutside(const llvm::Instruction &I);
  Number address(const llvm::GetElementPtrInst &I);
  Number load(const llvm::LoadInst &I);
  Number call(const llvm::CallBase &I);
  bool execute(const llvm::Instruction &I);
  const llvm::BasicBlock *follow(const llvm::Instruction &Terminator);

  const llvm::Loop &Root;
  const llvm::LoopInfo &LI;
  GivenNumbers &Numbers;
  DataBranches Branches;
  RunListener &Listener;
  const llvm::DataLayout &DL;
  llvm::DenseMap<const llvm::Value *, Number> Values, Outside;
  uint64_t Random;
};

} // namespace tilesmith

#endif
