//===- Choice.h - one of two numbers ----------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   float tilesmith.choice(float s) { return s > 0 ? s : expm1f(s); }
//
// Where a nest calls other functions under a condition, the condition and the
// calls are such a function while the nest is looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_CHOICE_H
#define TILESMITH_SUPPORT_CHOICE_H

namespace llvm {
class Function;
}

namespace tilesmith {

/// The attribute, and the name, of these functions.
inline constexpr char ChoiceMark[] = "tilesmith.choice";

/// Inlines what \p F calls of them.
void inlineChoices(llvm::Function &F);

} // namespace tilesmith

#endif
