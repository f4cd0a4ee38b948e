//===- VectorRegisters.cpp - multiply-adds of vectors ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each column of a tile is a few vector registers. A step loads as many
// elements of A, and adds their products with each element of B.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/Engine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilesmith {

namespace {

class VectorRegisters final : public Engine {
public:
  VectorRegisters()
      : Engine({"", /*GroupBits=*/0, /*PanelEdge=*/1,
                /*HasSumsInVectors=*/true}) {}

  bool suits(const EngineRequest &Of) const override { return !Of.Narrow; }
  TileShape chooseTile(const RegisterBudget &Of,
                       TileShape Wanted) const override {
    auto [Rows, Columns] = chooseRegisterTile(
        Of.VL, Of.Registers, Of.Needs.Temporaries, Of.Needs.ColumnsOfA);
    return asWanted({Rows, Columns}, Wanted, Of.VL);
  }
  bool holds(TileShape Tile, const RegisterBudget &Of) const override {
    return registersOfTile(divideCeil(Tile.Rows, Of.VL), Tile.Columns,
                           Of.Needs) <= Of.Registers;
  }
  bool needsSeparateAdd() const override { return true; } // integers
  void explain(TileShape Tile, const RegisterBudget &Of, unsigned LoadsOfA,
               raw_ostream &OS) const override {
    unsigned Rows = divideCeil(Tile.Rows, Of.VL), Sums = Rows * Tile.Columns;
    OS << Sums << " sums, " << Rows * Of.Needs.ColumnsOfA << " of A and "
       << Of.Needs.Temporaries << " more take "
       << registersOfTile(Rows, Tile.Columns, Of.Needs) << " of "
       << Of.Registers << " registers; " << Sums << " multiply-adds for "
       << LoadsOfA + Tile.Columns << " loads";
  }
};

} // namespace

const Engine &getVectorRegisters() {
  static const VectorRegisters Registers;
  return Registers;
}

} // namespace tilesmith
