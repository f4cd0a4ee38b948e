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
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

DotProducts::DotProducts(StringRef Name, bool (*IsOn)(const Function &),
                         ArrayRef<Row> Rows, unsigned Deviations)
    : Engine(
          {Name, /*GroupBits=*/32, /*PanelEdge=*/1, /*HasSumsInVectors=*/true}),
      IsOn(IsOn), Rows(Rows), Does(Deviations) {}

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

static bool isFor(const DotProducts::Row &I, const NarrowProduct &Of) {
  for (const NarrowType &X : {Of.A, Of.B})
    if (X.Ty->getTypeID() != I.Elements ||
        X.Ty->getScalarSizeInBits() != I.Bits)
      return false;
  using Signs = DotProducts::Signs;
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

std::optional<DotProduct> DotProducts::find(const Function &F,
                                            const NarrowProduct &Of) const {
  const Triple &Target = F.getParent()->getTargetTriple();
  bool IsKnown = Of.SumTy->isIntegerTy(32) || Of.SumTy->isFloatTy();
  if (!IsKnown || Of.GroupBits != GroupBits || !IsOn(F) || isStreaming(F))
    return std::nullopt;
  for (const Row &I : Rows) {
    if (!isFor(I, Of))
      continue;
    DotProduct Result;
    for (auto [Feature, ID, Found] :
         zip_equal(I.Features, I.IntrinsicByWidth, Result.IntrinsicByWidth))
      Found = *Feature && hasFeatures(F, Feature) ? ID : 0;
    if (Target.isAArch64()) {
      Result.IsScalable = true;
      for (unsigned Width : {1, 2})
        if (scalableBits(F) < (128u << Width))
          Result.IntrinsicByWidth[Width] = 0;
    }
    Result.IsExchanged = I.Signed == Signs::One &&
                         Of.A.IsSigned != bool(Does & TakesSignedFirst);
    Result.IsSumLast = Does & TakesSumLast;
    Result.NeedsSeparateAdd = needsSeparateAdd();
    if (Result.widest())
      return Result;
  }
  return std::nullopt;
}

bool DotProducts::isAllowed(const NarrowProduct &Of, const Function &F,
                            FastMathFlags Flags) const {
  if (!Of.isReassociated())
    return true;
  return Flags.allowReassoc() && (!(Does & RoundsToOdd) || Flags.isFast()) &&
         (!(Does & FlushesDenormals) || flushesDenormals(F, Flags));
}

bool DotProducts::suits(const EngineRequest &Of) const {
  return Of.Narrow && find(Of.F, Of.inGroups(GroupBits)) &&
         isAllowed(*Of.Narrow, Of.F, Of.Flags);
}

unsigned DotProducts::registerBits(const EngineRequest &Of) const {
  return std::min(Of.VectorBits, find(Of.F, Of.inGroups(GroupBits))->widest());
}

std::optional<DotProduct> findDotProduct(const Function &F,
                                         const NarrowProduct &Of,
                                         FastMathFlags Flags) {
  for (const Engine *E : engines())
    if (const DotProducts *Dot = E->asDotProducts())
      if (auto Found = Dot->find(F, Of))
        return Dot->isAllowed(Of, F, Flags) ? Found : std::nullopt;
  return std::nullopt;
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
    if (IntrinsicByWidth[I])
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
  while (!IntrinsicByWidth[Width] || (128u << Width) < Lanes * Of.GroupBits)
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
  if (NeedsSeparateAdd) {
    Value *Products = Builder.CreateIntrinsic(Result->getType(),
                                              IntrinsicByWidth[Width], Args);
    Result = Builder.CreateAdd(Result, Products);
  } else {
    Args.insert(IsSumLast ? Args.end() : Args.begin(), Result);
    Result = Builder.CreateIntrinsic(Result->getType(), IntrinsicByWidth[Width],
                                     Args);
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
