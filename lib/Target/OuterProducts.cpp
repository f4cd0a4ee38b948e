//===- OuterProducts.cpp - SME --------------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/OuterProducts.h"
#include "tilesmith/Target/Engine.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

bool hasOuterProducts(const Function &F, const Type *Ty) {
  const Triple &Target = F.getParent()->getTargetTriple();
  // With the mode or the array of a caller, it is the user's.
  bool IsOrdinary = none_of(F.getAttributes().getFnAttrs(), [](Attribute A) {
    return A.isStringAttribute() && A.getKindAsString().starts_with("aarch64_");
  });
  return Target.isAArch64() && Target.isLittleEndian() && IsOrdinary &&
         hasFeature(F, "sme") &&
         (Ty->isFloatTy() || (Ty->isDoubleTy() && hasFeature(F, "sme-f64f64")));
}

namespace {

/// The array holds sums that start from C or from zero. Narrow factors are
/// widened: it makes more products of those than registers of groups.
class SME final : public Engine {
public:
  SME()
      : Engine({"SME", /*GroupBits=*/0, /*PanelEdge=*/1,
                /*HasSumsInVectors=*/false, /*HasEdgeTiles=*/false}) {}

  bool suits(const EngineRequest &Of) const override {
    return Of.MayPack && Of.AreFused && Of.KeepsSums && Of.Terms == 1 &&
           hasOuterProducts(Of.F, Of.SumTy);
  }
  /// With vectors of 512 bits, all of the array's squares of floats.
  TileShape chooseTile(const RegisterBudget &Of, TileShape) const override {
    constexpr unsigned Edge = 32;
    return {unsigned(alignTo(Edge, Of.VL)), Edge};
  }
  bool holds(TileShape, const RegisterBudget &) const override { return true; }
  bool needsPackedB() const override { return true; }
  void explain(TileShape, const RegisterBudget &, unsigned,
               raw_ostream &OS) const override {
    OS << "the array of SME holds the sums, so B's rows are packed as vectors";
  }
};

} // namespace

const Engine &getSME() {
  static const SME Array;
  return Array;
}

} // namespace tilesmith
