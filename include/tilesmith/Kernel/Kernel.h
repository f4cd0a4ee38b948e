//===- Kernel.h - the Kernel room's entry -----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_KERNEL_KERNEL_H
#define TILESMITH_KERNEL_KERNEL_H

#include "tilesmith/Idiom/Contraction.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugLoc.h"

namespace tilesmith {

/// The scalars the expressions of a contraction need, in the order in which its
/// kernel takes them.
llvm::SetVector<llvm::Value *> invariantsOf(const Contraction &Op);

/// The structure in which a kernel takes these scalars.
llvm::StructType *scalarsType(const llvm::SetVector<llvm::Value *> &Scalars,
                              llvm::LLVMContext &Ctx);

/// Where the source computes \p Op.
llvm::DebugLoc lineOf(const Contraction &Op);

/// A kernel's function and, where its micro kernels are an argument, what this
/// last argument is.
struct BuiltKernel {
  llvm::Function *F;
  llvm::GlobalVariable *MicroKernels = nullptr;
};

/// The kernel of \p Op, which is mirrored already if \p How says so:
/// i1 tilesmith.gemm(ptr A, i64 sAm, i64 sAk, ptr B, i64 sBn, i64 sBk (for
/// each term), ptr C, i64 sCm, i64 sCn, i64 M, i64 N, i64 K, ptr scalars (if
/// there are any), ptr micro kernels): false, with nothing done, if there is no
/// memory for the packing buffers. Strides are in bytes, extents at least one.
/// If only one side of a diagonal is wanted, i64 diagonal follows K. An equal
/// function already in the module is reused; kernels that differ in what they
/// start from or in what they store can be equal, as only their micro kernels
/// differ.
///
/// An operand in a table of rows is passed as ptr Entry, i64 Distance, i64
/// Offset, i64 Step (see RowTable) instead. Then false also means that rows
/// overlap. If C is in one, the addresses of what invariant loads read follow
/// the extents.
BuiltKernel buildKernel(const Contraction &Op, const Plan &How);

/// i1 tilesmith.dispatch(...): calls one of \p Kernels, which \p How.Dispatched
/// has planned; false if it is not worth it, or the kernel says so. \p Extents:
/// the number of the parameter M, before N and K.
llvm::Function *createDispatch(const Plan &How,
                               llvm::ArrayRef<BuiltKernel> Kernels,
                               const llvm::Function &Like, llvm::Module &Mod,
                               unsigned Extents);

/// malloc(\p Size), after which errno is what it was: the source calls nothing
/// that sets it.
llvm::Value *callMalloc(llvm::IRBuilderBase &B, llvm::Module &Mod,
                        llvm::Value *Size);
void callFree(llvm::IRBuilderBase &B, llvm::Module &Mod, llvm::Value *Memory);

} // namespace tilesmith

#endif
