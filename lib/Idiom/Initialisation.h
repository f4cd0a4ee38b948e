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

/// Accounts for every write besides the update: at most one, which sets each
/// element of C before the sum reads it. Changes the start of \p Of, and adds
/// what the guard has to test.
Refused matchInitialisation(const Nest &In, const Effects &All, const Roles &By,
                            Contraction &Of);

} // namespace tilesmith

#endif
