//===- DotProduct.cpp - instructions that add several products ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/DotProduct.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

namespace {

enum class Signs { Both, None, Either, One };

/// What an instruction does otherwise than the source's arithmetic.
enum Deviations { AddsApart = 1, FlushesDenormals = 2, RoundsToOdd = 4 };

/// An instruction, and what it is for. A feature of a width that is empty: it
/// has none.
struct Row {
  const char *Name;
  Type::TypeID Elements;
  unsigned Bits;
  Signs Signed; ///< which of the integer factors are
  Intrinsic::ID OfWidth[3];
  const char *Features[3];
  unsigned Does; ///< of Deviations
};

} // namespace

// The fastest of those for the same factors comes first. VNNI multiplies an
// unsigned factor, which comes first, by a signed one.
static constexpr Row X86[] = {
    {"VNNI",
     Type::IntegerTyID,
     8,
     Signs::One,
     {Intrinsic::x86_avx512_vpdpbusd_128, Intrinsic::x86_avx512_vpdpbusd_256,
      Intrinsic::x86_avx512_vpdpbusd_512},
     {"avx512vnni+avx512vl|avxvnni", "avx512vnni+avx512vl|avxvnni",
      "avx512vnni"},
     0},
    {"VNNI",
     Type::IntegerTyID,
     16,
     Signs::Both,
     {Intrinsic::x86_avx512_vpdpwssd_128, Intrinsic::x86_avx512_vpdpwssd_256,
      Intrinsic::x86_avx512_vpdpwssd_512},
     {"avx512vnni+avx512vl|avxvnni", "avx512vnni+avx512vl|avxvnni",
      "avx512vnni"},
     0},
    {"VNNI-INT8",
     Type::IntegerTyID,
     8,
     Signs::Both,
     {Intrinsic::x86_avx2_vpdpbssd_128, Intrinsic::x86_avx2_vpdpbssd_256, 0},
     {"avxvnniint8", "avxvnniint8", ""},
     0},
    {"VNNI-INT8",
     Type::IntegerTyID,
     8,
     Signs::None,
     {Intrinsic::x86_avx2_vpdpbuud_128, Intrinsic::x86_avx2_vpdpbuud_256, 0},
     {"avxvnniint8", "avxvnniint8", ""},
     0},
    {"BF16",
     Type::BFloatTyID,
     16,
     Signs::Either,
     {Intrinsic::x86_avx512bf16_dpbf16ps_128,
      Intrinsic::x86_avx512bf16_dpbf16ps_256,
      Intrinsic::x86_avx512bf16_dpbf16ps_512},
     {"avx512bf16+avx512vl", "avx512bf16+avx512vl", "avx512bf16"},
     FlushesDenormals},
    {"pmaddwd",
     Type::IntegerTyID,
     16,
     Signs::Both,
     {Intrinsic::x86_sse2_pmadd_wd, Intrinsic::x86_avx2_pmadd_wd,
      Intrinsic::x86_avx512_pmaddw_d_512},
     {"sse2", "avx2", "avx512bw"},
     AddsApart},
};

// If one factor is signed, and one is not, that one comes first; if it
// is B, taken from a lane, sudot does the same. NEON's registers have 128 bits;
// SVE's have as many as vscale_range says, at least. The rounding of bfdot is
// fixed, too.
static constexpr Row AArch64[] = {
    {"dot product",
     Type::IntegerTyID,
     8,
     Signs::Both,
     {Intrinsic::aarch64_neon_sdot, Intrinsic::aarch64_sve_sdot,
      Intrinsic::aarch64_sve_sdot},
     {"dotprod", "sve", "sve"},
     0},
    {"dot product",
     Type::IntegerTyID,
     8,
     Signs::None,
     {Intrinsic::aarch64_neon_udot, Intrinsic::aarch64_sve_udot,
      Intrinsic::aarch64_sve_udot},
     {"dotprod", "sve", "sve"},
     0},
    {"dot product",
     Type::IntegerTyID,
     8,
     Signs::One,
     {Intrinsic::aarch64_neon_usdot, Intrinsic::aarch64_sve_usdot,
      Intrinsic::aarch64_sve_usdot},
     {"i8mm", "sve+i8mm", "sve+i8mm"},
     0},
    {"BF16",
     Type::BFloatTyID,
     16,
     Signs::Either,
     {Intrinsic::aarch64_neon_bfdot, Intrinsic::aarch64_sve_bfdot,
      Intrinsic::aarch64_sve_bfdot},
     {"bf16", "sve+bf16", "sve+bf16"},
     FlushesDenormals | RoundsToOdd},
};

static ArrayRef<Row> tableOf(const Triple &Target) {
  if (Target.isX86())
    return X86;
  if (Target.isAArch64() && Target.isLittleEndian())
    return AArch64;
  return {};
}

/// How long registers of \p F are, of instructions for any length.
static unsigned scalableBits(const Function &F) {
  Attribute Range = F.getFnAttribute(Attribute::VScaleRange);
  return Range.isValid() ? 128 * Range.getVScaleRangeMin() : 128;
}

/// Whether \p F has all of "feature+feature", or all of what follows a "|".
static bool hasFeatures(const Function &F, StringRef Features) {
  SmallVector<StringRef, 2> Ways;
  Features.split(Ways, '|');
  return any_of(Ways, [&](StringRef Way) {
    SmallVector<StringRef, 2> Names;
    Way.split(Names, '+');
    return all_of(Names, [&](StringRef Name) { return hasFeature(F, Name); });
  });
}

static bool isFor(const Row &I, const NarrowProduct &Of) {
  for (const NarrowType &X : {Of.A, Of.B})
    if (X.Ty->getTypeID() != I.Elements ||
        X.Ty->getScalarSizeInBits() != I.Bits)
      return false;
  switch (I.Signed) {
  case Signs::Both:
    return Of.A.IsSigned && Of.B.IsSigned;
  case Signs::None:
    return !Of.A.IsSigned && !Of.B.IsSigned;
  case Signs::One:
    return Of.A.IsSigned != Of.B.IsSigned;
  case Signs::Either:
    return true;
  }
  llvm_unreachable("all cases are listed");
}

std::optional<DotProduct> findDotProduct(const Function &F,
                                         const NarrowProduct &Of) {
  const Triple &Target = F.getParent()->getTargetTriple();
  bool IsKnown = Of.SumTy->isIntegerTy(32) || Of.SumTy->isFloatTy();
  if (!IsKnown || Of.GroupBits != 32 || isStreaming(F))
    return std::nullopt;
  for (const Row &I : tableOf(Target)) {
    if (!isFor(I, Of))
      continue;
    DotProduct Result;
    Result.Name = I.Name;
    for (auto [Feature, ID, Found] :
         zip_equal(I.Features, I.OfWidth, Result.OfWidth))
      Found = *Feature && hasFeatures(F, Feature) ? ID : 0;
    if (Target.isAArch64()) {
      Result.IsScalable = true;
      for (unsigned Width : {1, 2})
        if (scalableBits(F) < (128u << Width))
          Result.OfWidth[Width] = 0;
    }
    Result.IsExchanged = I.Signed == Signs::One && Of.A.IsSigned;
    Result.AddsApart = I.Does & AddsApart;
    Result.FlushesDenormals = I.Does & FlushesDenormals;
    Result.RoundsToOdd = I.Does & RoundsToOdd;
    if (Result.widest())
      return Result;
  }
  return std::nullopt;
}

bool DotProduct::isAllowed(const NarrowProduct &Of, const Function &F,
                           FastMathFlags Flags) const {
  if (!Of.isReassociated())
    return true;
  return Flags.allowReassoc() && (!RoundsToOdd || Flags.isFast()) &&
         (!FlushesDenormals || flushesDenormals(F, Flags));
}

bool flushesDenormals(const Function &F, FastMathFlags Flags) {
  DenormalMode Mode = F.getDenormalMode(APFloat::IEEEsingle());
  auto IsZero = [](DenormalMode::DenormalModeKind Kind) {
    return Kind == DenormalMode::PreserveSign ||
           Kind == DenormalMode::PositiveZero;
  };
  return (IsZero(Mode.Input) && IsZero(Mode.Output)) || Flags.isFast();
}

unsigned DotProduct::widest() const {
  for (unsigned I : {2, 1, 0})
    if (OfWidth[I])
      return 128 << I;
  return 0;
}

Value *DotProduct::emit(IRBuilderBase &Builder, const NarrowProduct &Of,
                        Value *Sum, Value *A, Value *B) const {
  auto *Ty = dyn_cast<FixedVectorType>(Sum->getType());
  unsigned Lanes = Ty ? Ty->getNumElements() : 1;
  if (Lanes * Of.GroupBits > widest()) {
    auto Half = [&](unsigned I) {
      auto Part = [&](Value *V) {
        return Builder.CreateShuffleVector(
            V, createSequentialMask(I * Lanes / 2, Lanes / 2, 0));
      };
      Value *PartOfSum = Part(Sum), *PartOfA = Part(A);
      return emit(Builder, Of, PartOfSum, PartOfA, Part(B));
    };
    return concatenateVectors(Builder, {Half(0), Half(1)});
  }
  // The narrowest instruction that is wide enough.
  unsigned Width = 0;
  while (!OfWidth[Width] || (128u << Width) < Lanes * Of.GroupBits)
    ++Width;
  unsigned AllLanes = (128u << Width) / Of.GroupBits;
  auto Widen = [&](Value *V) -> Value * {
    if (Lanes == AllLanes)
      return V;
    if (!Ty)
      return Builder.CreateInsertElement(
          PoisonValue::get(FixedVectorType::get(V->getType(), AllLanes)), V,
          uint64_t(0));
    return Builder.CreateShuffleVector(
        V, createSequentialMask(0, Lanes, AllLanes - Lanes));
  };
  // What the instruction takes: SVE's are of any length.
  unsigned MinLanes = AllLanes;
  bool IsOfAnyLength = IsScalable && Width > 0;
  if (IsOfAnyLength)
    MinLanes >>= Width;
  auto Register = [&](Value *V) -> Value * {
    V = Widen(V);
    if (!IsOfAnyLength)
      return V;
    auto *Scalable =
        ScalableVectorType::get(V->getType()->getScalarType(), MinLanes);
    return Builder.CreateInsertVector(Scalable, PoisonValue::get(Scalable), V,
                                      uint64_t(0));
  };
  auto *NarrowTy =
      VectorType::get(Of.A.Ty, MinLanes * Of.steps(), IsOfAnyLength);
  SmallVector<Value *, 3> Args = {Builder.CreateBitCast(Register(A), NarrowTy),
                                  Builder.CreateBitCast(Register(B), NarrowTy)};
  if (IsExchanged)
    std::swap(Args[0], Args[1]);
  Value *Result = Register(Sum);
  if (AddsApart) {
    Value *Products =
        Builder.CreateIntrinsic(Result->getType(), OfWidth[Width], Args);
    Result = Builder.CreateAdd(Result, Products);
  } else {
    Args.insert(Args.begin(), Result);
    Result = Builder.CreateIntrinsic(Result->getType(), OfWidth[Width], Args);
  }
  if (IsOfAnyLength)
    Result = Builder.CreateExtractVector(
        FixedVectorType::get(Of.SumTy, AllLanes), Result, uint64_t(0));
  if (Lanes == AllLanes)
    return Result;
  if (!Ty)
    return Builder.CreateExtractElement(Result, uint64_t(0));
  return Builder.CreateShuffleVector(Result, createSequentialMask(0, Lanes, 0));
}

} // namespace tilesmith
