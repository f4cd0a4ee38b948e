//===- ElementTests.h - what a macro kernel looks at first ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some nests are what the kernel computes only if their elements permit it: zeros
// that the nest skips (ZeroTest.cpp, IdleSteps.cpp), complex products that could
// become NaN (Magnitudes.cpp). The macro kernel searches the operands before it
// stores anything, and leaves if it finds such an element.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_ELEMENTTESTS_H
#define TILESMITH_LIB_KERNEL_ELEMENTTESTS_H

#include "KernelBuilder.h"

namespace tilesmith {

/// The tests of a macro kernel, and the functions that search.
class KernelBuilder::ElementTests {
public:
  ElementTests(KernelBuilder &K, const Macro &Kernel)
      : K(K), B(K.B), Kernel(Kernel) {}

  void emitZeroTests();
  void emitMagnitudeTests();

private:
  /// An operand, and how a search goes through it.
  struct Tested {
    const Operand *Of;
    llvm::Value *From, *StrideP, *StrideK, *Extent;
  };
  /// A and B of all terms.
  llvm::SmallVector<Tested, 4> operands() const;
  using IsFn = llvm::function_ref<llvm::Value *(llvm::Value *)>;

  // ZeroTest.cpp
  llvm::Function *buildZeros(const Operand &Of, bool BadIfNone,
                             bool IsAdjacent);
  llvm::BasicBlock *emitSearch(const ZerosArguments &Arguments,
                               llvm::Value *Apart, bool BadIfNone, IsFn Is);
  llvm::Value *loadElement(const Access &X, llvm::Value *Address);
  llvm::Value *emitAny(llvm::Value *Count, bool StopsEarly, IsFn Is);
  llvm::Value *emitPasses(const ZeroTest &Test, llvm::Value *Element,
                          llvm::Value *Scalars);
  ZerosArguments linesOf(const Tested &T, bool AlongP) const;
  void callZeros(const Tested &T, bool BadIfNone, bool AlongP,
                 llvm::BasicBlock *Found);
  void emitZeroTest(const Tested &T, llvm::BasicBlock *Found);

  // IdleSteps.cpp
  llvm::Function *buildUnfit(const Access &Of, const Expression &Map, IsFn Is,
                             llvm::StringRef Name);
  llvm::Function *buildNumPassing(const Operand &Of);
  bool mayMakeSkippedSteps(const Tested &T) const;
  void emitDensityTest(const Tested &T, llvm::BasicBlock *Leave);
  void emitIdleTests(const Tested &T, llvm::BasicBlock *Leave);

  // Magnitudes.cpp
  llvm::Function *buildExcess(const Operand &Of, bool IsAdjacent);
  ZerosArguments linesOfNumbers(const Tested &T, llvm::Value *Steps);
  bool isNumberAlong(const Operand &Of, Dim D) const;
  void emitMagnitudeTest(const Tested &T, llvm::BasicBlock *Leave);
  void emitSearchOfTriangle(
      const Tested &T,
      llvm::function_ref<void(const Tested &, llvm::Value *)> Search);

  KernelBuilder &K;
  llvm::IRBuilder<> &B;
  const Macro &Kernel;
};

} // namespace tilesmith

#endif
