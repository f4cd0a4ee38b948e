//===- Initialisation.h - values given to C inside the nest -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_INITIALISATION_H
#define TILESMITH_LIB_IDIOM_INITIALISATION_H

#include "Effects.h"
#include "Roles.h"

namespace tilesmith {

/// Finds the write, if there is one, that sets each element of C before the sum
/// reads it; changes the start of \p Of, and adds what the guard has to test.
/// All other writes besides the update are added to \p Rest, and the reason is
/// returned why the first of them is no initialisation.
Refused matchInitialisation(const LoopNest &In, const Effects &All,
                            const Roles &By, Nest &Of,
                            llvm::SmallVectorImpl<llvm::Instruction *> &Rest);

/// Whether \p Access, in a loop beside the chain, goes through the elements of
/// C that the loops of the chain go through in the same iteration of the loops
/// around both. Adds the conditions to \p Of.
bool hasSameElements(const LoopNest &In, llvm::Instruction &Access,
                     const Roles &By, Nest &Of);

} // namespace tilesmith

#endif
