//===- Reason.h - why a nest is left alone ----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_REASON_H
#define TILESMITH_IDIOM_REASON_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class Instruction;
}

namespace tilesmith {

/// One enumerator per row of Reason.def.
enum class Reason {
#define TILESMITH_REASON(Name, Text) Name,
#include "tilesmith/Idiom/Reason.def"
};

/// The enumerator's name, as remarks and tests show it.
llvm::StringRef name(Reason R);
/// The sentence a user reads.
llvm::StringRef describe(Reason R);

/// Why something was not done, and the instruction that stands in the way (or
/// null if it is the loop as a whole).
struct Refusal {
  Reason Why;
  const llvm::Instruction *Where = nullptr;
};

/// The result of a step that may be refused.
using Refused = std::optional<Refusal>;

} // namespace tilesmith

#endif
