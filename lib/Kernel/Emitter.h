//===- Emitter.h - pieces of IR that kernels are made of --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_EMITTER_H
#define TILESMITH_LIB_KERNEL_EMITTER_H

#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

constexpr uint64_t CacheLine = 64; ///< in bytes

/// Loops, branches and address arithmetic at the builder's place, which moves
/// on behind what is emitted. All numbers are i64.
class Emitter {
protected:
  explicit Emitter(llvm::LLVMContext &Ctx)
      : Ctx(Ctx), B(Ctx), Ptr(B.getPtrTy()), I64(B.getInt64Ty()) {}

  /// Bytes: lines so far apart are in the same set of a first-level cache.
  static constexpr uint64_t Page = 4096;

  /// for (iv = Begin; iv < End; iv += Step) Body(iv), unsigned.
  void emitLoop(llvm::Value *Begin, llvm::Value *End, llvm::Value *Step,
                llvm::StringRef Name,
                llvm::function_ref<void(llvm::Value *)> Body);
  /// for (iv = Begin; iv < End; iv += Body(iv)), unsigned.
  void emitLoop(llvm::Value *Begin, llvm::Value *End, llvm::StringRef Name,
                llvm::function_ref<llvm::Value *(llvm::Value *)> Body);
  /// The first loop in vectors of \p Width elements, and what is left over one by
  /// one: Body(iv, Width), then Body(iv, 0). The width may be 0.
  void emitVectors(llvm::Value *Begin, llvm::Value *End, unsigned Width,
                   llvm::StringRef Name,
                   llvm::function_ref<void(llvm::Value *, unsigned)> Body);
  /// Loops of a kernel are as we want them: LLVM is to make \p UnrollCount
  /// copies and leave it at that, which also saves much compile time.
  void setLoopHints(llvm::BranchInst &Latch, unsigned UnrollCount);
  /// if (Condition) Then() else Else()
  void emitIf(llvm::Value *Condition, llvm::StringRef Name,
              llvm::function_ref<void()> Then,
              llvm::function_ref<void()> Else = nullptr);
  /// Brings the \p Bytes from \p Base on, in lines of \p Line, into the first-level
  /// cache, or one of lower locality.
  void prefetch(llvm::Value *Base, uint64_t Bytes, uint64_t Line,
                unsigned Locality = 3);

  /// \p Count elements on the stack of \p F, for as long as it runs.
  static llvm::AllocaInst *variableIn(llvm::Function &F, llvm::Type *Ty,
                                      const llvm::Twine &Name = "",
                                      llvm::Value *Count = nullptr);

  /// Base + Index * Stride, the stride in bytes.
  llvm::Value *offset(llvm::Value *Base, llvm::Value *Index,
                      llvm::Value *Stride);
  /// \p Moved, a pointer that a loop goes on with. That it moves steadily is
  /// hidden from LLVM's loop strength reduction: loops of a kernel have the
  /// addresses that we want, and to look for other ones takes long.
  llvm::Value *hidden(llvm::Value *Moved);
  /// Of a power of two.
  llvm::Value *isMultipleOf(llvm::Value *X, uint64_t Power);
  llvm::Value *umin(llvm::Value *X, llvm::Value *Y);
  llvm::Value *ceilDiv(llvm::Value *X, llvm::Value *Y);
  llvm::Value *alignUp(llvm::Value *X, uint64_t Multiple);
  llvm::Value *alignDown(llvm::Value *X, uint64_t Multiple);
  llvm::ConstantInt *i64(uint64_t V) { return B.getInt64(V); }

  llvm::LLVMContext &Ctx;
  llvm::IRBuilder<> B;
  llvm::Type *Ptr, *I64;
};

} // namespace tilesmith

#endif
