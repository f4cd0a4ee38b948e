//===- UnstoredSum.h - sums that are only looked at -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i {                           for i {
//     s = 0;                            s = 0;
//     for k s += a[i][k] * x[k];        for k s += a[i][k] * x[k];
//     if (s > best) {            =>     place = s;
//       best = s;                       if (s > best) ...
//       at = i;                       }
//     }
//   }
//
// Recognition starts from stores. A sum that is compared, counted or added to
// others, but stored nowhere, gets a place on the stack, in copies of nests: so
// the sums are kept apart (Scratch), and the comparison is the rest. The place
// is removed afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_UNSTOREDSUM_H
#define TILESMITH_LIB_PLUGIN_UNSTOREDSUM_H

namespace llvm {
class DominatorTree;
class Function;
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether sums that the innermost loop \p L makes are used behind it, but not
/// stored in the loop around it.
bool hasUnstoredSum(const llvm::Loop &L);

/// Stores these sums, to places of their own.
void storeSums(llvm::Loop &L, const llvm::DominatorTree &DT);

/// Removes all such places of \p F.
void removePlaces(llvm::Function &F);

} // namespace tilesmith

#endif
