//===- CounterDigits.cpp - what loops a counter stands for ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CounterDigits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// More digits than nests have loops.
static constexpr unsigned MaxDigits = 6;

/// The number that \p Size is, in any type.
static std::optional<uint64_t> constantOf(const SCEV *Size) {
  auto *Constant = dyn_cast<SCEVConstant>(Size);
  return Constant ? Constant->getAPInt().tryZExtValue() : std::nullopt;
}

static bool areSame(const SCEV *A, const SCEV *B) {
  auto Number = constantOf(A);
  return A == B || (Number && Number == constantOf(B));
}

/// Whether all factors of \p A are factors of \p B.
static bool divides(const SCEV *A, const SCEV *B) {
  auto NumberA = constantOf(A), NumberB = constantOf(B);
  if (NumberA && NumberB)
    return *NumberA != 0 && *NumberB % *NumberA == 0;
  auto Factors = [](const SCEV *Product) {
    auto *Mul = dyn_cast<SCEVMulExpr>(Product);
    return Mul ? SmallVector<const SCEV *, 4>(Mul->operands())
               : SmallVector<const SCEV *, 4>{Product};
  };
  SmallVector<const SCEV *, 4> Others = Factors(B);
  return all_of(Factors(A), [&](const SCEV *Factor) {
    auto *At = find(Others, Factor);
    if (At == Others.end())
      return false;
    Others.erase(At);
    return true;
  });
}

CounterDigits::CounterDigits(const Loop &L, Instruction &Counter,
                             ScalarEvolution &SE) {
  Units.push_back({SE.getOne(Counter.getType())});
  Order.push_back(0);
  Ranges.push_back({&Counter, std::nullopt, /*Last=*/0, /*Divisor=*/nullptr,
                    /*IsUnsigned=*/false});
  for (unsigned I = 0; I < Ranges.size(); I++)
    split(Range(Ranges[I]), L, SE);
}

/// Adds the quotients and remainders of \p R.
void CounterDigits::split(const Range &R, const Loop &L, ScalarEvolution &SE) {
  for (const CounterPart &Part : counterParts(*R.Inst)) {
    if (!L.isLoopInvariant(Part.Divisor))
      continue;
    auto Number = unitOf(R, *Part.Divisor, SE);
    if (!Number)
      continue;
    const bool IsUnsigned = R.IsUnsigned || Part.IsUnsigned;
    if (Part.IsQuotient)
      Ranges.push_back(
          {Part.Inst, R.Before, *Number, Part.Divisor, IsUnsigned});
    else
      Ranges.push_back({Part.Inst, *Number, R.Last, Part.Divisor, IsUnsigned});
  }
}

/// The unit at which \p Divisor parts \p R; a new one, if need be.
std::optional<unsigned> CounterDigits::unitOf(const Range &R, Value &Divisor,
                                              ScalarEvolution &SE) {
  const SCEV *Size = SE.getSCEV(&Divisor);
  if (const SCEV *Last = Units[R.Last].Size; !Last->isOne()) {
    if (auto Number = constantOf(Last))
      Last = SE.getConstant(Size->getType(), *Number);
    if (Last->getType() != Size->getType())
      return std::nullopt;
    Size = SE.getMulExpr(Last, Size);
  }
  const unsigned First = firstOf(R), End = placeOf(R.Last);
  unsigned Place = First;
  for (unsigned I = First; I < End; I++) {
    const SCEV *Other = Units[Order[I]].Size;
    if (areSame(Other, Size)) {
      Agains.push_back({&Divisor, R.Last, Order[I]});
      return Order[I];
    }
    if (divides(Size, Other))
      Place = I + 1;
    else if (!divides(Other, Size))
      return std::nullopt;
  }
  // The last row would be a part of one.
  if (R.Before)
    if (auto *Whole = dyn_cast<SCEVConstant>(Units[*R.Before].Size);
        Whole && isa<SCEVConstant>(Size) && !divides(Size, Whole))
      return std::nullopt;
  if (Size->isOne() || Size->isZero() || Order.size() == MaxDigits)
    return std::nullopt;
  Units.push_back({Size, &Divisor, R.Last});
  Order.insert(Order.begin() + Place, Units.size() - 1);
  return Units.size() - 1;
}

unsigned CounterDigits::placeOf(unsigned Number) const {
  return find(Order, Number) - Order.begin();
}

unsigned CounterDigits::firstOf(const Range &R) const {
  return R.Before ? placeOf(*R.Before) + 1 : 0;
}

SmallVector<CounterDigits::Part, 8> CounterDigits::parts() const {
  SmallVector<Part, 8> Result;
  for (const Range &R : Ranges)
    Result.push_back({R.Inst, firstOf(R), placeOf(R.Last) + 1, R.IsUnsigned});
  return Result;
}

SmallVector<Value *, 8> CounterDigits::divisors() const {
  SmallVector<Value *, 8> Result;
  for (const Range &R : drop_begin(Ranges))
    if (!is_contained(Result, R.Divisor))
      Result.push_back(R.Divisor);
  return Result;
}

} // namespace tilesmith
