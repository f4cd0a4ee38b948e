//===- Gathering.h - factors whose rows are gathered ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_GATHERING_H
#define TILESMITH_LIB_PLANNING_GATHERING_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// What can be gathered in \p Op, if C is one matrix along several indices, or
/// seems to be, and a factor is an image that windows go over.
std::optional<Gathering> gatheringOf(const Contraction &Op);

} // namespace tilesmith

#endif
