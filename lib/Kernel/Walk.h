//===- Walk.h - from number to number of a gathered factor ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_WALK_H
#define TILESMITH_LIB_KERNEL_WALK_H

#include "MacroKernel.h"

namespace tilesmith {

/// The place of a number in variables, for a loop over numbers: it takes no
/// divisions to go on.
class MacroKernel::Walk {
public:
  /// The variables are in \p F.
  Walk(MacroKernel &K, llvm::Function &F, const NumberedPlace &First,
       llvm::ArrayRef<Digit> Digits);

  /// Where it is, in each iteration.
  const NumberedPlace &load();
  /// To the number after the one that has been loaded.
  void goOn();

private:
  llvm::SmallVector<llvm::Value **, 8> values();
  void store();

  MacroKernel &K;
  NumberedPlace At;
  llvm::ArrayRef<Digit> Digits;
  llvm::SmallVector<llvm::Value *, 8>
      Variables; ///< of values(), in their order
};

} // namespace tilesmith

#endif
