//===- Roles.cpp - which loop is which dimension --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roles.h"
#include "Update.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

std::optional<AffineForm> formOf(const Instruction &Access, const Nest &In) {
  const SCEV *Address = In.addressOf(Access);
  return Address ? affineForm(Address, In, In.Chain) : std::nullopt;
}

/// The dimension of the loop at \p Position: each indexes two operands.
std::optional<Dim> dimensionAt(unsigned Position, const Roles &Forms) {
  bool InC = Forms.C.dependsOn(Position), InA = Forms.A.dependsOn(Position),
       InB = Forms.B.dependsOn(Position);
  if (InC + InA + InB != 2)
    return std::nullopt;
  return !InC ? K : InA ? M : N;
}

} // namespace

std::variant<Roles, Refusal> findRoles(const Nest &In, StoreInst &Store,
                                       const Update &Of) {
  std::optional<AffineForm> C = formOf(Store, In), A = formOf(*Of.LoadOfA, In),
                            B = formOf(*Of.LoadOfB, In);
  if (!C)
    return Refusal{Reason::NotAffine, &Store};
  if (!A || !B)
    return Refusal{Reason::NotAffine, A ? Of.LoadOfB : Of.LoadOfA};

  Roles Result{{}, *C, *A, *B};
  PerDim<unsigned> Found{};
  for (unsigned Position = 0; Position < ChainLength; ++Position) {
    std::optional<Dim> D = dimensionAt(Position, Result);
    if (!D || Found[*D]++)
      return Refusal{Reason::IndexRoles, &Store};
    Result.Position[*D] = Position;
  }
  // A phi is carried around the innermost loop, which must be the sum's.
  if (!Of.isInMemory() && Result.Position[K] != ChainLength - 1)
    return Refusal{Reason::IndexRoles, &Store};
  return Result;
}

void requireNoWrap(const AffineForm &Form, const Roles &By, Contraction &Of) {
  for (const AffineForm::NarrowSum &Sum : Form.MustNotWrap) {
    WrapCheck Check{Sum.Start, {}, Sum.Bits, Sum.Signed};
    for (Dim D : {M, N, K})
      Check.Step[D] = Sum.Step[By.Position[D]];
    if (!is_contained(Of.WrapChecks, Check))
      Of.WrapChecks.push_back(Check);
  }
}

} // namespace tilesmith
