//===- KernelBuilder.h - emitting the kernel's functions --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a small family of internal functions:
//
//   tilesmith.gemm     the loops over blocks; allocates the packing buffers
//   tilesmith.pack.a   copies a block of A into panels of MR rows
//   tilesmith.pack.b   copies a panel of B into slivers of NR columns
//   tilesmith.tile     one register tile at an edge of C, or of a strided C
//   tilesmith.copy     moves a tile between C and a contiguous buffer
//   tilesmith.micro    the micro kernel, one per register tile in use
//   tilesmith.correct  what flipping the signs of A adds to the sums
//   tilesmith.zeros    whether an operand has elements that the nest skips
//   tilesmith.lanes    a tile of vectors of products (LaneKernel.h)
//   tilesmith.gemv     a matrix times a vector (StreamKernel.h)
//   tilesmith.segments the same, with sums of segments (StreamSegments.cpp)
//   tilesmith.thin     a matrix times a few vectors (ThinKernel.cpp)
//   tilesmith.filter   windows that go over an image (FilterKernel.h)
//
// and, if rows are found through tables, around it:
//
//   tilesmith.rows     compares and copies the rows
//   tilesmith.meets    whether any of many rows overlaps a piece of memory
//
// or if factors are computed of several elements each,
//
//   tilesmith.make     makes matrices of them
//
// or if steps may be no whole groups,
//
//   tilesmith.fill     fills them up
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_KERNELBUILDER_H
#define TILESMITH_LIB_KERNEL_KERNELBUILDER_H

#include "MacroKernel.h"

namespace tilesmith {

class KernelBuilder : private MacroKernel {
public:
  /// \p View is the nest as \p ThePlan sees it.
  KernelBuilder(const Nest &View, const Plan &ThePlan)
      : MacroKernel(View, ThePlan) {}

  /// See buildKernel().
  BuiltKernel build();

private:
  // Each in the file of its concept.
  class LaneKernel;
  class SmallKernel;
  class StreamKernel;
  class SegmentKernel;
  class FilterKernel;
  class RowKernel;
  class ElementTests;
  class MakingKernel;
  class WholeGroupsKernel;

  ParameterList parametersOf(ZerosArguments &Arguments,
                             const Expression &Tested) const;
  ParameterList parametersOf(MeetsArguments &Arguments) const;
  using MacroKernel::parametersOf;

  llvm::Function *buildMacroKernel();
  bool isFlipped(const Plan &Thin) const;
  BuiltKernel buildThinKernel(const Plan &Of);
  void emitThin(const Macro &X);
  void emitThinOf(const Macro &X,
                  llvm::ArrayRef<std::shared_ptr<const Plan>> Plans,
                  llvm::ArrayRef<BuiltKernel> Kernels);
  llvm::Function *buildSmallKernel();
  llvm::Function *buildLaneKernel();
  llvm::Function *buildStreamKernel();
  llvm::Function *buildSegmentKernel();
  /// How a kernel is called that reads the lines of tables itself.
  KernelInterface interface() const {
    return Op.hasRowTables() ? KernelInterface::RowTables
                             : KernelInterface::Closed;
  }
  llvm::Function *buildFilterKernel();
  llvm::Function *buildRowTables(const BuiltKernel &Kernel);
  llvm::Function *buildMaking(const BuiltKernel &Kernel);
  llvm::Function *buildWholeGroups(const BuiltKernel &Kernel);
  llvm::Function *buildMeets();
  llvm::Value *bytesToAskFor(llvm::Value *Bytes);

  // RowTables.cpp
  void leaveIfShort(llvm::Value *I, const Access &A,
                    const KernelArguments::Operand &Table,
                    llvm::BasicBlock *To);
  std::pair<llvm::Value *, llvm::Value *>
  bytesOfTable(const Access &A, const KernelArguments::Operand &Table,
               llvm::Value *Count);

  /// For products with few columns, as in the plan.
  llvm::SmallVector<BuiltKernel, 4> Thin;
};

} // namespace tilesmith

#endif
