//===- StepTests.h - the elements that say if a step is made ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_STEPTESTS_H
#define TILESMITH_IDIOM_STEPTESTS_H

#include "tilesmith/Idiom/Contraction.h"

namespace tilesmith {

/// An element that is compared with zero: if it passes, its step is made.
struct StepTest {
  const Access *Element;
  llvm::CmpInst::Predicate Passes;
};

/// Those of the factors of \p Of, or of what they are made of.
llvm::SmallVector<StepTest, 2> stepTests(const Contraction &Of);

} // namespace tilesmith

#endif
