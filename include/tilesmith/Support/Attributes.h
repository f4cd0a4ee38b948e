//===- Attributes.h - of a part of a function -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_ATTRIBUTES_H
#define TILESMITH_SUPPORT_ATTRIBUTES_H

#include "llvm/IR/Attributes.h"

namespace tilesmith {

/// A function attribute: it was built in the shape that it is to have, so
/// LLVM's passes find little to do in it.
inline constexpr char InFinalShape[] = "tilesmith-final";

/// The attributes of a new function that does a part of what \p F does: those
/// that describe the target and what the user asks for. What was inferred about
/// \p F, and what it alone is, do not carry over. It is not inlined, does not
/// unwind, and is none of Tilesmith's sources.
llvm::AttrBuilder attributesOfPart(const llvm::Function &F);

} // namespace tilesmith

#endif
