//===- Forwarding.h - pieces of values that were joined ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_FORWARDING_H
#define TILESMITH_LIB_LOWERING_FORWARDING_H

namespace llvm {
class Function;
}

namespace tilesmith {

/// Where a piece is cut from a wide value that was put together from others,
/// takes it from these. So wide values that stand between groups vanish.
void forwardPieces(llvm::Function &F);

} // namespace tilesmith

#endif
