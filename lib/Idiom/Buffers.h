//===- Buffers.h - what a nest copies to read it again ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_BUFFERS_H
#define TILESMITH_LIB_IDIOM_BUFFERS_H

#include "Effects.h"

namespace tilesmith {

/// Finds the loads of \p In that read what the nest has stored to a buffer, and
/// makes them stand for the values stored. Returns whether there are any.
bool seeThroughBuffers(LoopNest &In, const Effects &All);

/// Whether nothing but loads that have been seen through reads what \p Write
/// stores.
bool isForgotten(const llvm::Instruction &Write, const LoopNest &In);

} // namespace tilesmith

#endif
