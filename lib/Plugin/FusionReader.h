//===- FusionReader.h - which products are fused ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator for x86 fuses of a function that LLVM has finished,
// read from the additions in it, lane by lane:
//
//   fadd a * b, c * d               the first one, if nothing else uses it;
//                                   else the second one
//   t = a * b; u = c * d            t, as a vector of both parts, of which the
//   shuffle (fsub t, u), (fadd t, u)    lanes are taken in turn
//   fadd v[0], v[1]                 none, if v is one multiplication
//
// Additions are compared with those that the function had before by what their
// products are made of: elements of which array, which part of a number, and
// which loops move it. So they are known again in vectors, in copies of loops, and
// with their operands exchanged.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FUSIONREADER_H
#define TILESMITH_LIB_PLUGIN_FUSIONREADER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include <optional>

namespace tilesmith {

/// A lane of a value; scalars have one.
struct Lane {
  llvm::Value *V;
  unsigned Number;
};

/// One lane of an addition that has products to be fused.
struct LaneOfAddition {
  llvm::Instruction *Add;
  unsigned Number; ///< of the lane
  /// The products among the two operands: what each is made of, or nothing if
  /// that operand is no product.
  std::optional<uint64_t> Products[2];
  /// Which operand is fused, if one is.
  std::optional<unsigned> Fused;
  /// What is added, whatever the order.
  uint64_t Key;
};

/// Reads one function.
class FusionReader {
public:
  FusionReader(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE)
      : LI(LI), SE(SE) {}

  /// Where \p Of comes from, if only vectors move it.
  static std::optional<Lane> origin(Lane Of);

  /// Whether \p I adds a product that may be fused.
  static bool addsProduct(const llvm::Instruction &I);

  /// The lanes of \p Add that are used, without what is fused; nothing if one of
  /// them cannot be read.
  std::optional<llvm::SmallVector<LaneOfAddition, 4>>
  read(llvm::Instruction &Add);
  /// The same with what the code generator fuses.
  std::optional<llvm::SmallVector<LaneOfAddition, 4>>
  readFused(llvm::Instruction &Add);

private:
  using Hash = std::optional<uint64_t>;
  Hash hash(Lane Of);
  Hash compute(Lane Of);
  Hash hashLoad(llvm::Value &Pointer, llvm::Type &ElementTy, unsigned Number);
  void addDepths(const llvm::SCEV *Address,
                 llvm::SmallPtrSetImpl<const llvm::SCEV *> &Seen,
                 uint64_t &Depths);
  Hash hashSum(Lane Of);
  bool addends(Lane Of,
               llvm::DenseSet<std::pair<llvm::Value *, unsigned>> &Seen,
               llvm::SmallVectorImpl<uint64_t> &Into);
  std::optional<unsigned> partOf(const llvm::SCEV *Offset, unsigned Size);

  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, Hash> Known;
  llvm::DenseSet<std::pair<llvm::Value *, unsigned>> UnderWay;
};

} // namespace tilesmith

#endif
