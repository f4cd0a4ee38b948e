//===- Blocks.h - tiles, blocks, and what of them is packed -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_BLOCKS_H
#define TILESMITH_LIB_PLANNING_BLOCKS_H

#include "tilesmith/Idiom/Contraction.h"

namespace tilesmith {

struct Options;
struct Plan;
struct TargetModel;

/// Whether the sums of all rows are kept in a buffer: a diagonal bounds their
/// steps, and they do not rest in C.
inline bool keepsSumsOfRows(const Contraction &Op) {
  return Op.Domain && !Op.Domain->isOfC() && !Op.sumsRestInC();
}

/// Decides the tile of \p P, where it is not said, and how long registers are.
void decideTile(Plan &P, const Contraction &View, const TargetModel &Target,
                const Options &Opts);

/// Decides blocks and packing, where they are not said. An element of a panel
/// has \p Size bytes.
void decideBlocks(Plan &P, const Contraction &View, const TargetModel &Target,
                  const Options &Opts, uint64_t Size);

} // namespace tilesmith

#endif
