//===- Language.h - what a function is written in ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_LANGUAGE_H
#define TILESMITH_SUPPORT_LANGUAGE_H

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace tilesmith {

/// Whether \p Of is written in Fortran, as far as debug information says so.
inline bool isFortran(const llvm::DISubprogram *Of) {
  if (!Of || !Of->getUnit())
    return false;
  llvm::DISourceLanguageName Language = Of->getUnit()->getSourceLanguage();
  return !Language.hasVersionedName() &&
         llvm::dwarf::isFortran(
             llvm::dwarf::SourceLanguage(Language.getName()));
}

} // namespace tilesmith

#endif
