//===- ConditionalCall.h - c = s > 0 ? s : expm1f(s) ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (s > 0)                       float tilesmith.choice(float s) {
//     t = s;                           return s > 0 ? s : expm1f(s);
//   else                       =>    }
//     t = expm1f(s);
//   c[i][j] = t;                     c[i][j] = tilesmith.choice(s);
//
// LLVM keeps the branch: the call takes time, and may set errno. Recognition
// wants none that vary, but takes functions of numbers. So what becomes of a sum
// on one of two ways is moved to a function, in copies of nests that never run as
// they are. The kernel's epilogue has its body again (inlineChoices).
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_CONDITIONALCALL_H
#define TILESMITH_LIB_PLUGIN_CONDITIONALCALL_H

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
class Module;
} // namespace llvm

namespace tilesmith {

/// Whether a loop around the innermost loop \p L chooses between two ways to
/// compute a number, on one of which a function is called.
bool hasConditionalCall(const llvm::Loop &L);

/// Moves such choices in \p Root, innermost first, to functions.
void outlineChoices(llvm::Loop &Root, llvm::DominatorTree &DT,
                    llvm::LoopInfo &LI);

/// Deletes the functions that are not called any longer.
void removeChoices(llvm::Module &M);

} // namespace tilesmith

#endif
