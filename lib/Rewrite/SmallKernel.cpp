//===- SmallKernel.cpp - products of small constant sizes -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If all extents are small constants, there are no blocks, and nothing is
// packed: C is cut into tiles of two neighbouring sizes, as equal as they can
// be, and the micro kernels of these sizes become parts of one function.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// \p Count tiles of \p Size rows or columns, from \p Begin on.
struct Run {
  uint64_t Begin, Count, Size;
};

} // namespace

/// Cuts \p Extent into as few tiles of up to \p Max units as possible. Their
/// sizes differ by a unit at most, but for the last one, which may be ragged.
static SmallVector<Run, 3> cover(uint64_t Extent, uint64_t Unit, uint64_t Max) {
  uint64_t Units = divideCeil(Extent, Unit);
  uint64_t Tiles = divideCeil(Units, Max / Unit);
  uint64_t Larger = Units % Tiles ? Units % Tiles : Tiles;
  SmallVector<Run, 3> Runs;
  uint64_t Begin = 0;
  auto Add = [&](uint64_t Count, uint64_t Size) {
    if (Count)
      Runs.push_back({Begin, Count, Size});
    Begin += Count * Size;
  };
  uint64_t Size = divideCeil(Units, Tiles) * Unit;
  Add(Larger, Size);
  Add(Tiles - Larger, Size - Unit);
  if (Begin != Extent) {
    Run &Last = Runs.back();
    uint64_t Ragged = Last.Size - (Begin - Extent);
    Begin = Extent - Ragged;
    if (--Last.Count == 0)
      Runs.pop_back();
    Runs.push_back({Begin, 1, Ragged});
  }
  return Runs;
}

Function *KernelBuilder::buildSmallKernel() {
  uint64_t Rows = *Op.constantExtent(tilesmith::M),
           Columns = *Op.constantExtent(tilesmith::N),
           Steps = *Op.constantExtent(tilesmith::K);
  auto RowRuns = cover(Rows, How.VL, How.MR);
  auto ColumnRuns = cover(Columns, 1, How.NR);
  for (const Run &R : RowRuns)
    for (const Run &C : ColumnRuns)
      Micro[{R.Size, C.Size}] =
          buildMicroKernel(R.Size, C.Size, MicroKind::Small);

  Function *F = createFunction("gemm", B.getInt1Ty(), macroParameters());
  SmallVector<CallInst *, 6> Calls;
  auto Arg = [&](const Twine &Name) -> Value * { return arg(*F, Name); };
  auto EmitRun = [&](const Run &R, StringRef Name,
                     function_ref<void(Value *)> Body) {
    if (R.Count == 1)
      return Body(i64(R.Begin));
    emitLoop(i64(R.Begin), i64(R.Begin + R.Count * R.Size), i64(R.Size), Name,
             Body);
  };
  auto EmitTile = [&](const Run &R, const Run &C, Value *I, Value *J) {
    SmallVector<Value *, 24> Args;
    for (unsigned T = 0; T < Terms.size(); ++T)
      Args.append({offset(Arg("A" + Twine(T)), I, Arg("sAm" + Twine(T))),
                   Arg("sAk" + Twine(T)),
                   offset(Arg("B" + Twine(T)), J, Arg("sBn" + Twine(T))),
                   Arg("sBk" + Twine(T)),
                   B.CreateExactSDiv(Arg("sBn" + Twine(T)), i64(Size))});
    Value *TileC = offset(offset(Arg("C"), I, Arg("sCm")), J, Arg("sCn"));
    Value *LdC = B.CreateExactSDiv(Arg("sCn"), i64(Size));
    Args.append({i64(Steps), TileC, LdC, TileC, LdC, B.getTrue(), B.getTrue()});
    Calls.push_back(
        cast<CallInst>(callWithScalars(*F, Micro[{R.Size, C.Size}], Args)));
  };
  for (const Run &C : ColumnRuns)
    EmitRun(C, "j", [&](Value *J) {
      for (const Run &R : RowRuns)
        EmitRun(R, "i", [&](Value *I) { EmitTile(R, C, I, J); });
    });
  B.CreateRet(B.getTrue());

  for (CallInst *Call : Calls) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
  for (auto &[Shape, Kernel] : Micro)
    Kernel->eraseFromParent();
  return unify(F);
}

} // namespace tilesmith
