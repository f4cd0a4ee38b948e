//===- AArch64DotProducts.cpp - sdot, udot, usdot and bfdot ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NEON's registers have 128 bits; SVE's have as many as vscale_range says, at
// least. If one factor is signed, and one is not, that one comes first; if it
// is B, taken from a lane, sudot does the same. The rounding of bfdot is fixed.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/DotProduct.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

using Signs = DotProducts::Signs;

static bool isAArch64(const Function &F) {
  const Triple &Target = F.getParent()->getTargetTriple();
  return Target.isAArch64() && Target.isLittleEndian();
}

const Engine &getNEONDot() {
  static constexpr DotProducts::Row Rows[] = {
      {Type::IntegerTyID,
       8,
       Signs::Both,
       {Intrinsic::aarch64_neon_sdot, Intrinsic::aarch64_sve_sdot,
        Intrinsic::aarch64_sve_sdot},
       {"dotprod", "sve", "sve"}},
      {Type::IntegerTyID,
       8,
       Signs::None,
       {Intrinsic::aarch64_neon_udot, Intrinsic::aarch64_sve_udot,
        Intrinsic::aarch64_sve_udot},
       {"dotprod", "sve", "sve"}},
      {Type::IntegerTyID,
       8,
       Signs::One,
       {Intrinsic::aarch64_neon_usdot, Intrinsic::aarch64_sve_usdot,
        Intrinsic::aarch64_sve_usdot},
       {"i8mm", "sve+i8mm", "sve+i8mm"}},
  };
  static const DotProducts Dot("dot product", isAArch64, Rows);
  return Dot;
}

const Engine &getNEONBF16() {
  static constexpr DotProducts::Row Rows[] = {
      {Type::BFloatTyID,
       16,
       Signs::Either,
       {Intrinsic::aarch64_neon_bfdot, Intrinsic::aarch64_sve_bfdot,
        Intrinsic::aarch64_sve_bfdot},
       {"bf16", "sve+bf16", "sve+bf16"}},
  };
  static const DotProducts BF16("BF16", isAArch64, Rows,
                                DotProducts::FlushesDenormals |
                                    DotProducts::RoundsToOdd);
  return BF16;
}

} // namespace tilesmith
