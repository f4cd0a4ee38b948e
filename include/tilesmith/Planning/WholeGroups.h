//===- WholeGroups.h - windows that are copied with more channels *- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_WHOLEGROUPS_H
#define TILESMITH_PLANNING_WHOLEGROUPS_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// The directions of an image that is gathered, whose places have adjacent steps.
struct Directions {
  /// The index of windows along one, that of the steps within a window, which is an
  /// outer one, and the border. Nullopt is that of the lines itself.
  struct Pair {
    std::optional<unsigned> Line;
    unsigned Step = 0;
    std::optional<unsigned> Border;
  };
  Dim Image = N;                    ///< its lines
  llvm::SmallVector<Pair, 2> Pairs; ///< the nearest first
  /// Indices of lines that are none, as of several images.
  llvm::SmallVector<std::optional<unsigned>, 2> Others;
};

/// Those of the factor that is gathered, if both factors of \p Op can be copied with
/// zeros behind the steps of a place. Which lines belong to which steps is a guess
/// where there is no border.
std::optional<Directions> directionsOf(const Contraction &Op,
                                       const Gathering &Found);

} // namespace tilesmith

#endif
