//===- X86DotProducts.cpp - VNNI and its kin ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VNNI multiplies an unsigned factor, which comes first, by a signed one;
// AVX-VNNI-INT8 has the other signs. pmaddwd only multiplies pairs.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/DotProduct.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

using Signs = DotProducts::Signs;

static bool isX86(const Function &F) {
  return F.getParent()->getTargetTriple().isX86();
}

const Engine &getVNNI() {
  static constexpr DotProducts::Row Rows[] = {
      {Type::IntegerTyID,
       8,
       Signs::One,
       {Intrinsic::x86_avx512_vpdpbusd_128, Intrinsic::x86_avx512_vpdpbusd_256,
        Intrinsic::x86_avx512_vpdpbusd_512},
       {"avx512vnni+avx512vl|avxvnni", "avx512vnni+avx512vl|avxvnni",
        "avx512vnni"}},
      {Type::IntegerTyID,
       16,
       Signs::Both,
       {Intrinsic::x86_avx512_vpdpwssd_128, Intrinsic::x86_avx512_vpdpwssd_256,
        Intrinsic::x86_avx512_vpdpwssd_512},
       {"avx512vnni+avx512vl|avxvnni", "avx512vnni+avx512vl|avxvnni",
        "avx512vnni"}},
  };
  static const DotProducts VNNI("VNNI", isX86, Rows);
  return VNNI;
}

const Engine &getVNNIInt8() {
  static constexpr DotProducts::Row Rows[] = {
      {Type::IntegerTyID,
       8,
       Signs::Both,
       {Intrinsic::x86_avx2_vpdpbssd_128, Intrinsic::x86_avx2_vpdpbssd_256, 0},
       {"avxvnniint8", "avxvnniint8", ""}},
      {Type::IntegerTyID,
       8,
       Signs::None,
       {Intrinsic::x86_avx2_vpdpbuud_128, Intrinsic::x86_avx2_vpdpbuud_256, 0},
       {"avxvnniint8", "avxvnniint8", ""}},
  };
  static const DotProducts VNNIInt8("VNNI-INT8", isX86, Rows);
  return VNNIInt8;
}

const Engine &getAVX512BF16() {
  static constexpr DotProducts::Row Rows[] = {
      {Type::BFloatTyID,
       16,
       Signs::Either,
       {Intrinsic::x86_avx512bf16_dpbf16ps_128,
        Intrinsic::x86_avx512bf16_dpbf16ps_256,
        Intrinsic::x86_avx512bf16_dpbf16ps_512},
       {"avx512bf16+avx512vl", "avx512bf16+avx512vl", "avx512bf16"}},
  };
  static const DotProducts BF16("BF16", isX86, Rows,
                                DotProducts::FlushesDenormals);
  return BF16;
}

const Engine &getPMADDWD() {
  static constexpr DotProducts::Row Rows[] = {
      {Type::IntegerTyID,
       16,
       Signs::Both,
       {Intrinsic::x86_sse2_pmadd_wd, Intrinsic::x86_avx2_pmadd_wd,
        Intrinsic::x86_avx512_pmaddw_d_512},
       {"sse2", "avx2", "avx512bw"}},
  };
  static const DotProducts PMADDWD("pmaddwd", isX86, Rows,
                                   DotProducts::NeedsSeparateAdd);
  return PMADDWD;
}

} // namespace tilesmith
