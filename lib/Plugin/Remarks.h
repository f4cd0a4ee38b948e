//===- Remarks.h - what the user is told ------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remark stands at a line of the file that the function stands in, even where
// a library has been inlined there:
//
//   x.cpp:12:5: remark: matrix product not replaced: ... (in function
//   'operator[]', stl_vector.h:1142)
//
// LLVM may have made several copies of a loop; there is one remark for them.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_REMARKS_H
#define TILESMITH_LIB_PLUGIN_REMARKS_H

#include "tilesmith/Idiom/Reason.h"
#include "tilesmith/Planning/Options.h"
#include "llvm/IR/DebugLoc.h"
#include <set>
#include <string>
#include <tuple>

namespace llvm {
class DiagnosticInfoOptimizationBase;
class Function;
class Loop;
class OptimizationRemarkEmitter;
} // namespace llvm

namespace tilesmith {

/// A Refusal that outlives the IR.
struct WhyNot {
  Reason Why;
  llvm::DebugLoc Where;
  std::string Callee; ///< the function that is called, if that is why

  static WhyNot of(const Refusal &No);
};

/// Where a remark stands, and what it says of that.
struct RemarkPlace {
  llvm::DebugLoc Loc;
  std::string Inlined; ///< "" or " (in function 'f', stl_vector.h:1142)"

  /// That of \p Loc; if it has no line, or none is given, that of \p L.
  static RemarkPlace of(const llvm::DebugLoc &Loc, const llvm::Loop &L);
};

/// Adds to \p Remark where the loops from \p Root to \p Innermost stand. That is
/// for the optimization record only, which tools read: of all copies of a nest,
/// the places are the same.
void recordNest(llvm::DiagnosticInfoOptimizationBase &Remark,
                const llvm::Loop &Root, const llvm::Loop &Innermost);

/// The remarks of a module, each of which is made once: clang makes several
/// versions of a loop.
class RemarkLog {
public:
  /// The remark \p What on the loop at \p Loc is new. Without a place, every one
  /// is.
  bool insert(const llvm::DebugLoc &Loc, llvm::StringRef What);

private:
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> Made;
};

/// Tells the user why the nest that \p L ends is left alone. If it is no likely
/// product, only users who ask for all remarks are told.
void remarkMissed(const llvm::Loop &L, const WhyNot &No, const Options &Opts,
                  RemarkLog &Log, llvm::OptimizationRemarkEmitter &ORE);

/// Tells the user why the product that \p L ends is left alone, or, if
/// \p What says so, why something else was not done with it.
void remarkProductMissed(
    const llvm::Loop &L, const WhyNot &No, RemarkLog &Log,
    llvm::OptimizationRemarkEmitter &ORE,
    llvm::StringRef What = "matrix product not replaced: ");

} // namespace tilesmith

#endif
