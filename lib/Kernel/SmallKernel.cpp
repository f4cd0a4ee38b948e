//===- SmallKernel.cpp - products of small constant sizes -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If all extents are small constants, there are no blocks. C is cut into tiles
// of two neighbouring sizes, as equal as they can be, and the micro kernels of
// these sizes become parts of one function. A is packed only if its elements
// are not adjacent along the rows of a tile, one panel at a time on the stack.
// If there are few steps, all columns of A are kept in registers.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Planning/Covering.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MatrixBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// So many multiply-adds are made without loops.
constexpr uint64_t MaxStraight = 256;

/// \p Count tiles of \p Size rows or columns, from \p Begin on.
struct Run {
  uint64_t Begin, Count, Size;
};

} // namespace

/// The tiles of up to \p Max that \p Extent is cut into: multiples of \p
/// Granule, but for the last one, which may be ragged.
static SmallVector<Run, 3> runsOf(uint64_t Extent, unsigned Max,
                                  unsigned Granule) {
  Covering Tiles = balancedSplit(Extent, Max, Granule);
  // A ragged tile is better a large one.
  SmallVector<Run, 3> Runs;
  if (Tiles.NumSmall)
    Runs.push_back({0, Tiles.NumSmall, Tiles.Small});
  Runs.push_back({Tiles.NumSmall * Tiles.Small, Tiles.NumLarge, Tiles.Large});
  if (uint64_t Beyond = Tiles.covered() - Extent) {
    Run &Last = Runs.back();
    Run Ragged{Last.Begin + --Last.Count * Last.Size, 1, Last.Size - Beyond};
    if (!Last.Count)
      Runs.pop_back();
    Runs.push_back(Ragged);
  }
  return Runs;
}

/// The columns of a block of at most a register's width of rows and steps,
/// adjacent along k in the source. Lanes beyond the rows mean nothing.
SmallVector<Value *, 16> KernelFrame::loadTransposed(const Operand &X,
                                                     Value *Src, Value *StrideP,
                                                     unsigned Rows,
                                                     unsigned Steps) {
  unsigned Lanes = bit_ceil(Steps), Edge = std::max(bit_ceil(Rows), Lanes);
  auto *Ty = FixedVectorType::get(Op.SumTy, Lanes);
  SmallVector<Constant *, 16> Exists;
  for (unsigned I = 0; I < Lanes; ++I)
    Exists.push_back(B.getInt1(I < Steps));
  SmallVector<Value *, 16> Square(
      Edge, PoisonValue::get(FixedVectorType::get(Op.SumTy, Edge)));
  for (unsigned I = 0; I < Rows; ++I) {
    Value *From = offset(Src, i64(I), StrideP);
    Value *Row =
        Steps == Lanes
            ? static_cast<Value *>(B.CreateAlignedLoad(Ty, From, X.X.Alignment))
            : loadMasked(B, Ty, From, X.X.Alignment,
                         ConstantVector::get(Exists));
    Square[I] = Lanes == Edge
                    ? Row
                    : B.CreateShuffleVector(
                          Row, createSequentialMask(0, Lanes, Edge - Lanes));
  }
  transposeSquare(B, Square);
  Square.truncate(Steps);
  return Square;
}

/// A panel of a few elements, adjacent along k in the source, without loops.
void KernelFrame::emitTransposedPanel(const Operand &X, Value *Dst, Value *Src,
                                      Value *StrideP, uint64_t Rows,
                                      uint64_t Steps) {
  uint64_t Width = alignTo(Rows, ThePlan.VL);
  for (uint64_t Row = 0; Row < Rows; Row += ThePlan.VL)
    for (uint64_t Step = 0; Step < Steps; Step += ThePlan.VL) {
      Value *From =
          B.CreatePtrAdd(offset(Src, i64(Row), StrideP), i64(Step * Size));
      auto Columns = loadTransposed(
          X, From, StrideP, std::min<uint64_t>(ThePlan.VL, Rows - Row),
          std::min<uint64_t>(ThePlan.VL, Steps - Step));
      for (auto [I, Column] : enumerate(Columns))
        B.CreateAlignedStore(Column,
                             element(Dst, i64((Step + I) * Width + Row)),
                             Align(PanelSize));
    }
}

/// All columns of a panel of a few elements, as values of \p Rows elements.
SmallVector<Value *, 0> KernelFrame::loadColumns(const Operand &X, Value *Src,
                                                 Value *StrideP, Value *StrideK,
                                                 uint64_t Rows,
                                                 uint64_t Steps) {
  SmallVector<Value *, 0> Columns;
  if (X.X.isUnit(X.P, DL)) {
    auto *Ty = FixedVectorType::get(Op.SumTy, Rows);
    for (uint64_t Step = 0; Step < Steps; ++Step)
      Columns.push_back(B.CreateAlignedLoad(Ty, offset(Src, i64(Step), StrideK),
                                            X.X.Alignment, "a"));
    return Columns;
  }
  // Rows of so few elements, one after the other, are loaded together.
  constexpr uint64_t Few = 3;
  auto *Distance = dyn_cast<SCEVConstant>(X.X.Stride[X.P]);
  if (Steps <= Few && Distance && Distance->getAPInt() == Steps * Size) {
    // By step, the pieces from top to bottom.
    SmallVector<Value *, 4> Pieces[Few];
    for (uint64_t Row = 0; Row < Rows; Row += ThePlan.VL) {
      unsigned NumRows = std::min<uint64_t>(ThePlan.VL, Rows - Row);
      Value *All =
          B.CreateAlignedLoad(FixedVectorType::get(Op.SumTy, NumRows * Steps),
                              offset(Src, i64(Row), StrideP), X.X.Alignment);
      for (uint64_t Step = 0; Step < Steps; ++Step)
        Pieces[Step].push_back(
            B.CreateShuffleVector(All, createStrideMask(Step, Steps, NumRows)));
    }
    for (uint64_t Step = 0; Step < Steps; ++Step)
      Columns.push_back(concatenateVectors(B, Pieces[Step]));
    return Columns;
  }
  for (uint64_t Step = 0; Step < Steps; Step += ThePlan.VL) {
    unsigned NumSteps = std::min<uint64_t>(ThePlan.VL, Steps - Step);
    SmallVector<SmallVector<Value *, 4>, 16> Pieces(NumSteps);
    for (uint64_t Row = 0; Row < Rows; Row += ThePlan.VL) {
      Value *From =
          B.CreatePtrAdd(offset(Src, i64(Row), StrideP), i64(Step * Size));
      unsigned NumRows = std::min<uint64_t>(ThePlan.VL, Rows - Row);
      for (auto [I, Piece] :
           enumerate(loadTransposed(X, From, StrideP, NumRows, NumSteps)))
        Pieces[I].push_back(
            B.CreateShuffleVector(Piece, createSequentialMask(0, NumRows, 0)));
    }
    for (ArrayRef<Value *> Of : Pieces)
      Columns.push_back(concatenateVectors(B, Of));
  }
  return Columns;
}

/// The columns of A for all steps are loaded once for each row of tiles, and
/// stay in registers. Only C and elements of B go by.
Function *KernelBuilder::buildResidentKernel() {
  uint64_t Rows = *Op.constantExtent(tilesmith::M),
           Columns = *Op.constantExtent(tilesmith::N),
           Steps = *Op.constantExtent(tilesmith::K);
  KernelArguments Arguments;
  Function *F = createFunction(
      "gemm", B.getInt1Ty(),
      parametersOfKernel(Arguments, View, KernelInterface::Closed));
  const Macro X = macroOf(*F, Arguments);
  const FurtherPlace OfC = emitSmallSums(X, Rows, Columns);
  bool IsStraight =
      divideCeil(Rows, ThePlan.VL) * Columns * Steps * Terms.size() <=
      MaxStraight;
  auto EmitRun = [&](const Run &R, StringRef Name,
                     function_ref<void(Value *)> Body) {
    if (R.Count > 1 && !IsStraight)
      return emitLoop(i64(R.Begin), i64(R.Begin + R.Count * R.Size),
                      i64(R.Size), Name, Body);
    for (uint64_t I = 0; I < R.Count; ++I)
      Body(i64(R.Begin + I * R.Size));
  };
  MatrixBuilder Matrix(B);
  auto EmitTile = [&](ArrayRef<SmallVector<Value *, 0>> A, const Run &R,
                      const Run &C, Value *I, Value *J) {
    Value *StrideCn = OfC.StrideN;
    Value *TileC = offset(offset(OfC.Base, I, OfC.StrideM), J, StrideCn);
    Value *LdC = B.CreateExactSDiv(StrideCn, i64(Size));
    auto LoadC = [&]() -> Value * {
      return Matrix.CreateColumnMajorLoad(Op.SumTy, TileC, ElemAlign, LdC,
                                          /*IsVolatile=*/false, R.Size, C.Size);
    };
    auto Evaluate = [&](const Expression &E, Value *Sum) {
      return evaluate(E, Arguments.Scalars, R.Size * C.Size,
                      [&](Value *, Leaf Kind) {
                        return Kind == Leaf::Sum ? Sum : LoadC();
                      });
    };
    Value *Sum = resumesFromC() ? LoadC() : Evaluate(Op.Start, nullptr);
    for (uint64_t Step = 0; Step < Steps; ++Step) {
      SmallVector<Value *, 1> Left, Right;
      for (unsigned T = 0; T < Terms.size(); ++T) {
        Left.push_back(A[T][Step]);
        Value *Row =
            offset(offset(Arguments.b(T).Base, J, Arguments.b(T).First),
                   i64(Step), Arguments.b(T).Second);
        Right.push_back(Matrix.CreateColumnMajorLoad(
            Op.SumTy, Row, ElemAlign,
            B.CreateExactSDiv(Arguments.b(T).First, i64(Size)),
            /*IsVolatile=*/false, 1, C.Size));
      }
      Sum = emitStep(Arguments.Scalars, Sum, Left, Right, R.Size, C.Size);
    }
    Matrix.CreateColumnMajorStore(Evaluate(Op.Finish, Sum), TileC, ElemAlign,
                                  LdC, /*IsVolatile=*/false, R.Size, C.Size);
  };
  for (const Run &R : runsOf(Rows, ThePlan.MR, ThePlan.VL))
    EmitRun(R, "i", [&](Value *I) {
      SmallVector<SmallVector<Value *, 0>, 1> A;
      for (auto [T, X] : enumerate(Terms))
        A.push_back(loadColumns(
            X.A, offset(Arguments.a(T).Base, I, Arguments.a(T).First),
            Arguments.a(T).First, Arguments.a(T).Second, R.Size, Steps));
      for (const Run &C : runsOf(Columns, ThePlan.NR, 1))
        EmitRun(C, "j", [&](Value *J) { EmitTile(A, R, C, I, J); });
    });
  emitEpilogue(X, {i64(0), i64(0), i64(Rows), i64(Columns),
                   /*Diagonal=*/nullptr, OfC});
  B.CreateRet(B.getTrue());
  return unify(F);
}

Function *KernelBuilder::buildSmallKernel() {
  if (ThePlan.keepsA(Op))
    return buildResidentKernel();
  uint64_t Rows = *Op.constantExtent(tilesmith::M),
           Columns = *Op.constantExtent(tilesmith::N),
           Steps = *Op.constantExtent(tilesmith::K);
  auto RowRuns = runsOf(Rows, ThePlan.MR, ThePlan.VL);
  auto ColumnRuns = runsOf(Columns, ThePlan.NR, 1);
  auto IsPacked = [&](const TermOperands &T) {
    return !T.A.X.isUnit(tilesmith::M, DL);
  };
  for (auto [T, Of] : zip_equal(Terms, Op.Terms))
    if (IsPacked(T) && !ThePlan.isTransposedInRegisters(Op, Of))
      T.A.Pack = unify(buildPack(T.A));
  for (const Run &R : RowRuns)
    for (const Run &C : ColumnRuns)
      Micro[{R.Size, C.Size}] =
          buildMicroKernel(R.Size, C.Size, MicroKind::Small);

  KernelArguments Arguments;
  Function *F = createFunction(
      "gemm", B.getInt1Ty(),
      parametersOfKernel(Arguments, View, KernelInterface::Closed));
  const Macro X = macroOf(*F, Arguments);
  const FurtherPlace OfC = emitSmallSums(X, Rows, Columns);
  // A panel of A for each term that needs one.
  SmallVector<Value *, 1> Panels;
  uint64_t Width = alignTo(RowRuns.back().Size, ThePlan.VL); // of the largest
  for (const TermOperands &T : Terms) {
    AllocaInst *Panel = nullptr;
    if (IsPacked(T)) {
      Panel = B.CreateAlloca(
          ArrayType::get(Op.SumTy,
                         Width * Steps + (T.A.Pack ? slack(T.A) / Size : 0)),
          nullptr, "panel");
      Panel->setAlignment(Align(CacheLine));
    }
    Panels.push_back(Panel);
  }

  SmallVector<CallInst *, 6> Calls;
  auto EmitRun = [&](const Run &R, StringRef Name,
                     function_ref<void(Value *)> Body) {
    if (R.Count == 1)
      return Body(i64(R.Begin));
    emitLoop(i64(R.Begin), i64(R.Begin + R.Count * R.Size), i64(R.Size), Name,
             Body);
  };
  auto EmitPanel = [&](const Run &R, Value *I) {
    for (auto [T, Panel] : enumerate(Panels)) {
      if (!Panel)
        continue;
      Value *StrideAm = Arguments.a(T).First,
            *From = offset(Arguments.a(T).Base, I, StrideAm);
      if (!Terms[T].A.Pack)
        emitTransposedPanel(Terms[T].A, Panel, From, StrideAm, R.Size, Steps);
      else
        callPack(Terms[T].A, {Panel, From, StrideAm, Arguments.a(T).Second,
                              i64(R.Size), i64(Steps), /*IsFar=*/B.getFalse(),
                              nullptr, nullptr, Arguments.Scalars});
    }
  };
  auto EmitTile = [&](const Run &R, const Run &C, Value *I, Value *J) {
    MicroArguments Call;
    for (auto [T, Panel] : enumerate(Panels)) {
      const KernelArguments::Operand &OfA = Arguments.a(T),
                                     &OfB = Arguments.b(T);
      MicroArguments::Factors Factors;
      Factors.A = Panel ? Panel : offset(OfA.Base, I, OfA.First);
      Factors.StrideAk =
          Panel ? i64(alignTo(R.Size, ThePlan.VL) * Size) : OfA.Second;
      Factors.B = offset(OfB.Base, J, OfB.First);
      Factors.StrideBk = OfB.Second;
      Factors.StrideBn = OfB.First;
      Call.Terms.push_back(Factors);
    }
    Call.Groups = i64(Steps);
    Call.StrideCn = Call.StridePn = OfC.StrideN;
    Call.C = Call.P =
        offset(offset(OfC.Base, I, OfC.StrideM), J, Call.StrideCn);
    Call.First = Call.Last = B.getTrue();
    Call.Scalars = Arguments.Scalars;
    Calls.push_back(
        emitMicroCall(MicroKind::Small, Micro[{R.Size, C.Size}], Call));
  };
  for (const Run &R : RowRuns)
    EmitRun(R, "i", [&](Value *I) {
      EmitPanel(R, I);
      for (const Run &C : ColumnRuns)
        EmitRun(C, "j", [&](Value *J) { EmitTile(R, C, I, J); });
    });
  emitEpilogue(X, {i64(0), i64(0), i64(Rows), i64(Columns),
                   /*Diagonal=*/nullptr, OfC});
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
