//===- Quoted.h - a user's text in a message --------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_QUOTED_H
#define TILESMITH_SUPPORT_QUOTED_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tilesmith {

/// 'Text', one short line of it that can be printed, whatever it holds.
inline std::string quoted(llvm::StringRef Text) {
  constexpr size_t Longest = 100;
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  OS << '\'';
  llvm::printEscapedString(Text.take_front(Longest), OS);
  OS << (Text.size() > Longest ? "...'" : "'");
  return Result;
}

} // namespace tilesmith

#endif
