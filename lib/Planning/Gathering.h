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

/// Whether groups of \p Steps may be elements of what is gathered in \p Op: the
/// steps of a group are adjacent, and on the same sides of all borders. Whether
/// rows of so many steps are whole groups is known at run time, if it is not here.
bool mayGatherGroups(const Contraction &Op, unsigned Steps);

/// The least size that is worth a kernel which gathers.
void setBreakEvenOfGathered(Plan &P, const Nest &View);

/// Whether the indices that are seen as one are known to have too few values for \p P.
bool hasFewJoined(const Plan &P, const Contraction &View);

} // namespace tilesmith

#endif
