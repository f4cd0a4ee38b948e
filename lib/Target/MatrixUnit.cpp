//===- MatrixUnit.cpp - registers that hold squares of sums ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/MatrixUnit.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilesmith {

const MatrixUnit *findMatrixUnit(const Function &F) {
  for (const Engine *E : engines())
    if (const MatrixUnit *Unit = E->asMatrixUnit(); Unit && Unit->isOn(F))
      return Unit;
  return nullptr;
}

/// It must be worth moving the sums, and most of an accumulator must be in use.
bool MatrixUnit::suits(const EngineRequest &Of) const {
  constexpr unsigned FewSteps = 4;
  if (Of.VectorBits != RegisterBits || !isOn(Of.F))
    return false;
  if (Of.Narrow) {
    NarrowProduct Groups = Of.inGroups(GroupBits);
    return multiplies(Groups, Of.F) && isAllowed(Groups, Of.F, Of.Flags);
  }
  return Of.AreFused && multiplies(Of.SumTy) && Of.Steps >= FewSteps &&
         Of.Columns > Columns / 2;
}

TileShape MatrixUnit::chooseTile(const RegisterBudget &Of,
                                 TileShape Wanted) const {
  auto [Rows, Width] = chooseAccumulatorTile(Of.VL, Accumulators, Columns);
  return asWanted({Rows, Width}, Wanted, Of.VL);
}

void MatrixUnit::explain(TileShape Tile, const RegisterBudget &Of,
                         unsigned LoadsOfA, raw_ostream &OS) const {
  unsigned LoadsOfB = divideCeil(Tile.Columns, Of.VL),
           Products = multiplyAdds(Tile, Of.VL);
  OS << Products << " of " << Accumulators << " accumulators of " << Columns
     << " columns, " << LoadsOfA << " of A and " << LoadsOfB << " of B in "
     << Of.Registers - SharedRegisters << " other registers; " << Products
     << " multiply-adds for " << LoadsOfA + LoadsOfB << " loads";
}

std::pair<Value *, Value *> MatrixUnit::loadPair(IRBuilderBase &, Value *,
                                                 Type *,
                                                 const AAMDNodes &) const {
  llvm_unreachable("there are no pairs");
}

} // namespace tilesmith
