//===- Blocks.h - what the size of blocks depends on ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_BLOCKS_H
#define TILESMITH_LIB_PLANNING_BLOCKS_H

#include "tilesmith/Idiom/Contraction.h"

namespace tilesmith {

/// Whether the sums of all rows are kept in a buffer: a diagonal bounds their
/// steps, and they do not rest in C.
inline bool keepsSumsOfRows(const Contraction &Op) {
  return Op.Domain && !Op.Domain->isOfC() && !Op.sumsRestInC();
}

} // namespace tilesmith

#endif
