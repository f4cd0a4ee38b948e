//===- Arguments.h - what a kernel is called with ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_KERNEL_ARGUMENTS_H
#define TILESMITH_KERNEL_ARGUMENTS_H

#include "tilesmith/Idiom/Nest.h"
#include <string>

namespace tilesmith {

/// The parameters of a function of the kernel, in their order. A structure of
/// arguments lists itself here: that one list declares the function, finds its
/// arguments, and passes them.
class ParameterList {
public:
  void add(llvm::Value *&Argument, llvm::Type *Ty, const llvm::Twine &Name) {
    Parameters.push_back({&Argument, Ty, Name.str()});
  }

  llvm::SmallVector<llvm::Type *, 24> types() const;
  /// Makes the structure that of the arguments of \p F, which get their names.
  void bind(llvm::Function &F) const;
  /// The arguments that the structure holds, all of them.
  llvm::SmallVector<llvm::Value *, 24> values() const;

private:
  struct Parameter {
    llvm::Value **Argument;
    llvm::Type *Ty;
    std::string Name;
  };
  llvm::SmallVector<Parameter, 24> Parameters;
};

/// What tilesmith.gemm and what calls it are called with.
struct KernelArguments {
  /// ptr, i64, i64: where an operand is, and its strides in bytes, along m and
  /// k for A, n and k for B, m and n for C. Or a table of rows (see RowTable):
  /// ptr, i64, i64, i64, and an i64 if it has lengths.
  struct Operand {
    llvm::Value *Base = nullptr, *First = nullptr, *Second = nullptr;
    llvm::Value *Entry = nullptr, *Distance = nullptr, *Offset = nullptr,
                *Step = nullptr, *Greatest = nullptr;
    /// i64, i64: of Groups, if there are any.
    llvm::Value *Length = nullptr, *OfGroup = nullptr;
  };
  /// A and B of each term, then C.
  llvm::SmallVector<Operand, 3> Operands;
  const Operand &a(unsigned Term) const { return Operands[2 * Term]; }
  const Operand &b(unsigned Term) const { return Operands[2 * Term + 1]; }
  const Operand &c() const { return Operands.back(); }
  Operand &c() { return Operands.back(); }
  /// The operands of the epilogue, with strides along m and n.
  llvm::SmallVector<Operand, 1> Further;
  /// What factors are made of, with strides along m (or n) and k.
  llvm::SmallVector<Operand, 2> Made;

  llvm::Value *M = nullptr, *N = nullptr, *K = nullptr; ///< i64, at least one

  /// i64s: the extent of an outer dimension, and the strides of all accesses,
  /// as Contraction::allAccesses() has them.
  struct OuterArguments {
    llvm::Value *Extent = nullptr;
    llvm::SmallVector<llvm::Value *, 3> Strides;
  };
  llvm::SmallVector<OuterArguments, 1> Outer;

  /// i64s: those of the factor with borders, whose lines are rows (A) or columns
  /// (B).
  struct BorderArguments {
    llvm::Value *Start = nullptr, *Extent = nullptr;
    llvm::Value *OfLine = nullptr, *OfStep = nullptr; ///< strides
    llvm::SmallVector<llvm::Value *, 3> Outer;
  };
  llvm::SmallVector<BorderArguments, 2> Borders;

  llvm::Value *Diagonal = nullptr; ///< i64, where there is a domain
  /// ptr, ptr, i64, i64, i64: where C and B of the transposed use are, B's stride,
  /// and of how many steps the kernel makes it: the first ones, or the last ones of a
  /// triangle whose rows begin at its diagonal. Each row of A makes all of these.
  /// If B is the sums, there are but C, and Steps is not zero where it is to be made.
  /// If Corner is not zero, the kernel makes nothing but the transposed use of the
  /// steps that not all rows make, if it is to make any others (Steps).
  struct TransposedArguments {
    llvm::Value *C = nullptr, *B = nullptr, *StrideB = nullptr;
    llvm::Value *Steps = nullptr, *Corner = nullptr;
  } Transposed;
  /// ptr: what invariant loads read, if rows of C are in a table.
  llvm::SmallVector<llvm::Value *, 2> Invariants;
  /// i64, i64: what rows in a table must not overlap, as Nest::apartFromRows() has it.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>, 2> Apart;
  llvm::Value *Scalars = nullptr; ///< ptr to scalarsType(), if there are any
  /// ptr: the table of micro kernels.
  llvm::Value *MicroKernels = nullptr;
};

/// What takes the arguments.
enum class KernelInterface {
  Macro,     ///< gets its micro kernels in a table
  Closed,    ///< knows all that it calls
  RowTables, ///< copies rows of tables for a macro kernel
  Making,    ///< makes factors for a macro kernel
};

/// The parameters of a kernel of \p View.
ParameterList parametersOfKernel(KernelArguments &Arguments, const Nest &View,
                                 KernelInterface Interface);

} // namespace tilesmith

#endif
