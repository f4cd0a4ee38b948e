//===- Options.h - what a user can set --------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value holds every option. It is assembled from four places, each
// overriding the one before it:
//
//   the environment   TILESMITH="mr=16;nr=6"
//   the command line  -mllvm -tilesmith-mr=16
//   pass parameters   opt -passes='tilesmith<mr=16;nr=4>'
//   the function      attribute "tilesmith"="mr=16;nr=6" or "tilesmith"="off"
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_OPTIONS_H
#define TILESMITH_PLANNING_OPTIONS_H

#include "tilesmith/Planning/Scheme.h"
#include "tilesmith/Planning/Tuning.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace llvm {
class Function;
}

namespace tilesmith {

/// What computes a product.
enum class Strategy {
  Packed, ///< a kernel of our own
  BLAS,   ///< a library with the CBLAS interface
  Eigen,  ///< our wrapper library around Eigen
};

/// The storage order that a library is told to compute in.
enum class Layout { OfC, Row, Column };

/// Whether kernels for several CPUs are made, of which the program takes one.
enum class Dispatch { None, CPU };

/// Whether kernels are small where that costs little speed.
enum class CodeSize { OfLevel, Fast, Small };

/// The nests that are left alone of which the user is told.
enum class RemarkLevel {
  Likely, ///< see Likeness
  All,
};

struct Options {
#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  uint64_t Field = Default;
#define TILESMITH_WIDTH(Field, Name, Min, Max, Description) uint64_t Field = 0;
#define TILESMITH_CHOICE(Field, Name, Type, Values, Description)               \
  tilesmith::Type Field{};
#define TILESMITH_SCHEME(Field, Name, Description) Scheme Field;
#define TILESMITH_TABLE(Field, Name, Description)                              \
  std::shared_ptr<const TuningTable> Field;
#include "tilesmith/Planning/Options.def"

  /// The environment variable TILESMITH, then the command line.
  /// Fails with a message that names the option if the environment is
  /// malformed.
  static llvm::Expected<Options> fromProcess();

  /// These options, overridden by a list `name=value;name=value`. `name` alone
  /// means `name=1`; `off`, `OFF` and `0` mean `enable=0`. Fails on an unknown
  /// name or on a value that is not one of the option's.
  llvm::Expected<Options> with(llvm::StringRef List) const;

  /// These options, overridden by the attribute "tilesmith" of \p F.
  llvm::Expected<Options> forFunction(const llvm::Function &F) const;
};

} // namespace tilesmith

#endif
