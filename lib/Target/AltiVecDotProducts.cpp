//===- AltiVecDotProducts.cpp - vmsum -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POWER's vmsum*m add four products of bytes, or two of 16 bits, to each sum,
// modulo 2^32. POWER10 has accumulators for that, which are faster.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/DotProduct.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/IntrinsicsPowerPC.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

static bool isWithoutMMA(const Function &F) {
  const Triple &Target = F.getParent()->getTargetTriple();
  return Target.isPPC64() && Target.isLittleEndian() && !hasFeature(F, "mma");
}

const Engine &getAltiVecSum() {
  using Signs = DotProducts::Signs;
  static constexpr DotProducts::Row Rows[] = {
      {Type::IntegerTyID,
       8,
       Signs::One,
       {Intrinsic::ppc_altivec_vmsummbm, 0, 0},
       {"altivec", "", ""}},
      {Type::IntegerTyID,
       8,
       Signs::None,
       {Intrinsic::ppc_altivec_vmsumubm, 0, 0},
       {"altivec", "", ""}},
      {Type::IntegerTyID,
       16,
       Signs::Both,
       {Intrinsic::ppc_altivec_vmsumshm, 0, 0},
       {"altivec", "", ""}},
      {Type::IntegerTyID,
       16,
       Signs::None,
       {Intrinsic::ppc_altivec_vmsumuhm, 0, 0},
       {"altivec", "", ""}},
  };
  static const DotProducts Sum("vmsum", isWithoutMMA, Rows,
                               DotProducts::TakesSignedFirst |
                                   DotProducts::TakesSumLast);
  return Sum;
}

} // namespace tilesmith
