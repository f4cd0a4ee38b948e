//===- Fusion.h - what is fused, where it may or may not be -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -ffp-contract=fast, a multiplication and an addition may be fused, and
// need not be. LLVM decides that when it selects instructions, block by block:
//
//   x + a * b             fused, if both stand in one block
//   a * b + c * d         the first of them is fused, and the second rounded
//   v = <a1, a2> * <b1, b2>
//   (x + v[0]) + v[1]     none: the products were made as one vector before
//
// Kernels and copies of loops do what the first two lines say. The third is the
// work of the SLP vectoriser, whose cost model nobody can follow: where it may
// find such products, a nest is refused, unless a trial of the passes to come has
// shown what is fused: see FusionNotes.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_FUSION_H
#define TILESMITH_IDIOM_FUSION_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class BranchInst;
class Instruction;
class Loop;
class Use;
class Value;
} // namespace llvm

namespace tilesmith {

/// Whether \p I is llvm.fmuladd or llvm.fma.
bool isFusedMultiplyAdd(const llvm::Instruction &I);

/// Whether \p I is a multiplication of which the code generator decides whether
/// it is fused with an addition.
bool isContractable(const llvm::Instruction &I);

/// The multiplication that \p V is, but for its sign and width, if it may be
/// fused where it is added.
const llvm::Instruction *contractable(const llvm::Value *V);

/// Whether \p Product, a multiplication, has one use when code is generated:
/// equal ones of a block are one.
bool isUsedOnce(const llvm::Instruction &Product);

/// Whether \p X and \p Y will be in one block when code is generated.
bool inOneBlock(const llvm::Instruction &X, const llvm::Instruction &Y);

/// Whether a product that is added in one arm of \p Br is computed in the other
/// one as well: LLVM moves it in front of the branch, to another block.
bool mayLeaveArm(const llvm::BranchInst &Br);

/// Whether \p V is such a multiplication on one of the ways that lead to it.
bool mayBeProduct(const llvm::Value *V);

/// Whether two products are added in \p L, either of which may be fused.
bool addsTwoProducts(const llvm::Loop &L);

/// Whether \p L, an innermost loop, adds one product after the other to an element:
/// vectors may fuse them otherwise than what these leave over.
bool addsProductsInTurn(const llvm::Loop &L);

/// The uses, by additions in \p L, of multiplications that are not fused with
/// them although they may be.
llvm::SmallVector<const llvm::Use *, 4> roundedUses(const llvm::Loop &L);

/// Fences these uses in \p Copies of the loop's instructions: where blocks become one
/// that are several in the loop, no more must be fused.
void keepRounded(const llvm::Loop &L, llvm::ValueToValueMapTy &Copies);

} // namespace tilesmith

#endif
