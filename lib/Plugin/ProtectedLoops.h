//===- ProtectedLoops.h - loops that LLVM leaves alone ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The marks of a loop between its protection and its release.
///
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_PROTECTEDLOOPS_H
#define TILESMITH_LIB_PLUGIN_PROTECTEDLOOPS_H

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// On loops that LLVM would not unroll if there were no protection.
extern const char StaysMark[];

bool isProtected(const llvm::Loop &L);
bool staysLoop(const llvm::Loop &L);
void protect(llvm::Loop &L);
/// Removes all marks.
void release(llvm::Loop &L);

/// Marks the loops around \p Innermost, of which the user has been told: once that one
/// is unrolled, another ends the nest.
void markTold(llvm::Loop &Innermost);
/// Whether the user has been told of a nest that \p L has been around.
bool isTold(const llvm::Loop &L);
/// Whether the user has been told of another version of \p Innermost.
bool isVersionTold(const llvm::Loop &Innermost);

} // namespace tilesmith

#endif
