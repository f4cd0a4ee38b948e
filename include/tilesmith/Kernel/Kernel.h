//===- Kernel.h - the Kernel room's entry -----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_KERNEL_KERNEL_H
#define TILESMITH_KERNEL_KERNEL_H

#include "tilesmith/Kernel/Arguments.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugLoc.h"

namespace tilesmith {

/// The scalars the expressions of a contraction need, in the order in which its
/// kernel takes them.
llvm::SetVector<llvm::Value *> invariantsOf(const Contraction &Op);

/// The structure in which a kernel takes these scalars.
llvm::StructType *scalarsType(const llvm::SetVector<llvm::Value *> &Scalars,
                              llvm::LLVMContext &Ctx);

/// Where the source computes \p View.
llvm::DebugLoc lineOf(const Nest &View);

/// i1 tilesmith.gemm(KernelArguments): false, with nothing done, if there is no
/// memory for the packing buffers, or if rows of tables overlap.
struct BuiltKernel {
  llvm::Function *F = nullptr;
  KernelInterface Interface = KernelInterface::Closed;
  llvm::GlobalVariable *MicroKernels = nullptr; ///< of a macro kernel
};

/// The kernel of \p View, the nest as \p ThePlan sees it. An equal
/// function already in the module is reused; macro kernels can be equal that
/// differ in what they start from or in what they store, as only their micro
/// kernels differ.
BuiltKernel buildKernel(const Nest &View, const Plan &ThePlan);

/// i1 tilesmith.dispatch(KernelArguments): calls one of \p Kernels, which \p
/// ThePlan.Dispatched has planned; false if it is not worth it, or the kernel says
/// so.
BuiltKernel createDispatch(const Nest &View, const Plan &ThePlan,
                           llvm::ArrayRef<BuiltKernel> Kernels);

/// Calls \p Kernel, with its micro kernels.
llvm::CallInst *callKernel(llvm::IRBuilderBase &B, const BuiltKernel &Kernel,
                           KernelArguments Arguments, const Nest &View);

/// Makes one function of the micro kernels in each table that differ in rows and
/// columns only; these have their final shape, and are lowered. \p Forget is told
/// which functions go.
void mergeKernels(llvm::Module &M,
                  llvm::function_ref<void(llvm::Function &)> Forget);

/// malloc(\p Size), after which errno is what it was: the source calls nothing
/// that sets it.
llvm::Value *callMalloc(llvm::IRBuilderBase &B, llvm::Module &Mod,
                        llvm::Value *Size);
void callFree(llvm::IRBuilderBase &B, llvm::Module &Mod, llvm::Value *Memory);

} // namespace tilesmith

#endif
