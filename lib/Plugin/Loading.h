//===- Loading.h - how the plugin is loaded ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_LOADING_H
#define TILESMITH_LIB_PLUGIN_LOADING_H

namespace llvm {
class Module;
}

namespace tilesmith {

/// Adds a line to what 'opt --version' prints.
void addVersion();

/// Notes in \p M, which full LTO will link to others, that the plugin has seen
/// it before loops were unrolled and vectorised. No code comes of the note.
void markCompiled(llvm::Module &M);

/// Warns if the plugin sees \p M, the program that full LTO links, too late.
void warnIfLate(const llvm::Module &M);

} // namespace tilesmith

#endif
