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

} // namespace

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

/// Builds the function, and what its parts have in common.
class KernelBuilder::SmallKernel {
public:
  explicit SmallKernel(KernelBuilder &K)
      : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan),
        Rows(*Op.constantExtent(tilesmith::M)),
        Columns(*Op.constantExtent(tilesmith::N)),
        Steps(*Op.constantExtent(tilesmith::K)),
        RowRuns(runsOf(Rows, ThePlan.MR, ThePlan.VL)),
        ColumnRuns(runsOf(Columns, ThePlan.NR, 1)) {}

  Function *build();

private:
  /// Count tiles of Size rows or columns, from Begin on.
  struct Run {
    uint64_t Begin, Count, Size;
  };
  static SmallVector<Run, 3> runsOf(uint64_t Extent, unsigned Max,
                                    unsigned Granule);
  /// Rows and columns of a tile: the first of \p I and \p J, and how many.
  struct Tile {
    Value *I, *J;
    uint64_t Rows, Columns;
  };
  void begin();
  Function *end();
  void emitRun(const Run &R, bool IsStraight, StringRef Name,
               function_ref<void(Value *)> Body);
  void emitTiles(bool IsStraight, function_ref<void(const Run &, Value *)> Row,
                 function_ref<void(const Tile &)> Body);
  Value *placeInC(const Tile &Of);

  // A in registers.
  using ColumnsOfA = SmallVector<SmallVector<Value *, 0>, 1>; ///< by term
  void loadA(const Run &R, Value *I);
  Value *emitStep(const Tile &Of, uint64_t Step, Value *Sum);
  void emitResidentTile(const Tile &Of);
  Function *buildResident();

  // A packed where it must be.
  bool isPacked(const TermOperands &T) const {
    return !T.A.X.isUnit(tilesmith::M, K.DL);
  }
  void buildParts();
  void allocatePanels();
  void emitPanels(const Run &R, Value *I);
  void emitTile(const Tile &Of);
  Function *buildFromParts();

  KernelBuilder &K;
  IRBuilder<> &B;
  const Contraction &Op;
  const Plan &ThePlan;
  const uint64_t Rows, Columns, Steps;
  const SmallVector<Run, 3> RowRuns, ColumnRuns;
  KernelArguments Arguments;
  Function *F = nullptr;
  std::optional<Macro> X;
  std::optional<FurtherPlace> OfC; ///< where sums are
  ColumnsOfA A;                    ///< of the row of tiles
  SmallVector<Value *, 1> Panels;  ///< by term, null if A is read in place
  SmallVector<CallInst *, 6> Calls;
};

/// The tiles of up to \p Max that \p Extent is cut into: multiples of \p
/// Granule, but for the last one, which may be ragged.
SmallVector<KernelBuilder::SmallKernel::Run, 3>
KernelBuilder::SmallKernel::runsOf(uint64_t Extent, unsigned Max,
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

void KernelBuilder::SmallKernel::begin() {
  F = K.createFunction(
      "gemm", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::Closed));
  X.emplace(K.macroOf(*F, Arguments));
  OfC.emplace(K.emitSmallSums(*X, Rows, Columns));
}

Function *KernelBuilder::SmallKernel::end() {
  K.emitEpilogue(*X, {K.i64(0), K.i64(0), K.i64(Rows), K.i64(Columns),
                      /*Diagonal=*/nullptr, *OfC});
  B.CreateRet(B.getTrue());
  for (CallInst *Call : Calls) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
  for (auto &[Shape, Part] : K.Micro)
    Part->eraseFromParent();
  return K.unify(F);
}

void KernelBuilder::SmallKernel::emitRun(const Run &R, bool IsStraight,
                                         StringRef Name,
                                         function_ref<void(Value *)> Body) {
  if (R.Count > 1 && !IsStraight) {
    K.emitLoop(K.i64(R.Begin), K.i64(R.Begin + R.Count * R.Size), K.i64(R.Size),
               Name, Body);
    return;
  }
  for (uint64_t I = 0; I < R.Count; ++I)
    Body(K.i64(R.Begin + I * R.Size));
}

/// \p Row begins a row of tiles, \p Body makes one of them.
void KernelBuilder::SmallKernel::emitTiles(
    bool IsStraight, function_ref<void(const Run &, Value *)> Row,
    function_ref<void(const Tile &)> Body) {
  for (const Run &R : RowRuns)
    emitRun(R, IsStraight, "i", [&](Value *I) {
      Row(R, I);
      for (const Run &C : ColumnRuns)
        emitRun(C, IsStraight, "j",
                [&](Value *J) { Body({I, J, R.Size, C.Size}); });
    });
}

Value *KernelBuilder::SmallKernel::placeInC(const Tile &Of) {
  Value *Row = K.offset(OfC->Base, Of.I, OfC->StrideM);
  return K.offset(Row, Of.J, OfC->StrideN);
}

void KernelBuilder::SmallKernel::loadA(const Run &R, Value *I) {
  A.clear();
  for (auto [T, X] : enumerate(K.Terms)) {
    const KernelArguments::Operand &From = Arguments.a(T);
    A.push_back(K.loadColumns(X.A, K.offset(From.Base, I, From.First),
                              From.First, From.Second, R.Size, Steps));
  }
}

Value *KernelBuilder::SmallKernel::emitStep(const Tile &Of, uint64_t Step,
                                            Value *Sum) {
  MatrixBuilder Matrix(B);
  SmallVector<Value *, 1> Left, Right;
  for (unsigned T = 0; T < K.Terms.size(); ++T) {
    Left.push_back(A[T][Step]);
    const KernelArguments::Operand &From = Arguments.b(T);
    Value *Row = K.offset(K.offset(From.Base, Of.J, From.First), K.i64(Step),
                          From.Second);
    Right.push_back(Matrix.CreateColumnMajorLoad(
        Op.SumTy, Row, K.ElemAlign,
        B.CreateExactSDiv(From.First, K.i64(K.Size)),
        /*IsVolatile=*/false, 1, Of.Columns));
  }
  return K.emitStep(K.Op.Update, Arguments.Scalars, Sum, Left, Right, Of.Rows,
                    Of.Columns);
}

void KernelBuilder::SmallKernel::emitResidentTile(const Tile &Of) {
  MatrixBuilder Matrix(B);
  Value *TileC = placeInC(Of);
  Value *LdC = B.CreateExactSDiv(OfC->StrideN, K.i64(K.Size));
  auto LoadC = [&]() -> Value * {
    return Matrix.CreateColumnMajorLoad(Op.SumTy, TileC, K.ElemAlign, LdC,
                                        /*IsVolatile=*/false, Of.Rows,
                                        Of.Columns);
  };
  auto Evaluate = [&](const Expression &E, Value *Sum) {
    return K.evaluate(
        E, Arguments.Scalars, Of.Rows * Of.Columns,
        [&](Value *, Leaf Kind) { return Kind == Leaf::Sum ? Sum : LoadC(); });
  };
  Value *Sum = K.resumesFromC() ? LoadC() : Evaluate(Op.Start, nullptr);
  for (uint64_t Step = 0; Step < Steps; ++Step)
    Sum = emitStep(Of, Step, Sum);
  Matrix.CreateColumnMajorStore(Evaluate(Op.Finish, Sum), TileC, K.ElemAlign,
                                LdC, /*IsVolatile=*/false, Of.Rows, Of.Columns);
}

/// The columns of A for all steps are loaded once for each row of tiles, and
/// stay in registers. Only C and elements of B go by.
Function *KernelBuilder::SmallKernel::buildResident() {
  begin();
  bool IsStraight =
      divideCeil(Rows, ThePlan.VL) * Columns * Steps * K.Terms.size() <=
      MaxStraight;
  emitTiles(
      IsStraight, [&](const Run &R, Value *I) { loadA(R, I); },
      [&](const Tile &Of) { emitResidentTile(Of); });
  return end();
}

/// The functions that become parts of the kernel.
void KernelBuilder::SmallKernel::buildParts() {
  for (auto [T, Of] : zip_equal(K.Terms, Op.Terms))
    if (isPacked(T) && !ThePlan.isTransposedInRegisters(Op, Of))
      T.A.Pack = K.unify(K.buildPack(T.A));
  for (const Run &R : RowRuns)
    for (const Run &C : ColumnRuns)
      K.Micro[{R.Size, C.Size}] =
          K.buildMicroKernel(R.Size, C.Size, MicroKind::Small);
}

/// A panel of A for each term that needs one, as large as the largest.
void KernelBuilder::SmallKernel::allocatePanels() {
  uint64_t Width = alignTo(RowRuns.back().Size, ThePlan.VL);
  for (const TermOperands &T : K.Terms) {
    AllocaInst *Panel = nullptr;
    if (isPacked(T)) {
      uint64_t Slack = T.A.Pack ? K.slack(T.A) / K.Size : 0;
      Panel = B.CreateAlloca(ArrayType::get(Op.SumTy, Width * Steps + Slack),
                             nullptr, "panel");
      Panel->setAlignment(Align(CacheLine));
    }
    Panels.push_back(Panel);
  }
}

void KernelBuilder::SmallKernel::emitPanels(const Run &R, Value *I) {
  for (auto [T, Panel] : enumerate(Panels)) {
    if (!Panel)
      continue;
    const Operand &Of = K.Terms[T].A;
    Value *StrideAm = Arguments.a(T).First,
          *From = K.offset(Arguments.a(T).Base, I, StrideAm);
    if (!Of.Pack)
      K.emitTransposedPanel(Of, Panel, From, StrideAm, R.Size, Steps);
    else
      K.callPack(Of, {Panel, From, StrideAm, Arguments.a(T).Second,
                      K.i64(R.Size), K.i64(Steps), /*IsFar=*/B.getFalse(),
                      nullptr, nullptr, Arguments.Scalars});
  }
}

void KernelBuilder::SmallKernel::emitTile(const Tile &Of) {
  MicroArguments Call;
  for (auto [T, Panel] : enumerate(Panels)) {
    const KernelArguments::Operand &OfA = Arguments.a(T), &OfB = Arguments.b(T);
    MicroArguments::Factors Factors;
    Factors.A = Panel ? Panel : K.offset(OfA.Base, Of.I, OfA.First);
    Factors.StrideAk =
        Panel ? K.i64(alignTo(Of.Rows, ThePlan.VL) * K.Size) : OfA.Second;
    Factors.B = K.offset(OfB.Base, Of.J, OfB.First);
    Factors.StrideBk = OfB.Second;
    Factors.StrideBn = OfB.First;
    Call.Terms.push_back(Factors);
  }
  Call.Groups = K.i64(Steps);
  Call.StrideCn = Call.StridePn = OfC->StrideN;
  Call.C = Call.P = placeInC(Of);
  Call.First = Call.Last = B.getTrue();
  Call.Scalars = Arguments.Scalars;
  Calls.push_back(
      K.emitMicroCall(MicroKind::Small, K.Micro[{Of.Rows, Of.Columns}], Call));
}

Function *KernelBuilder::SmallKernel::buildFromParts() {
  buildParts();
  begin();
  allocatePanels();
  emitTiles(
      /*IsStraight=*/false, [&](const Run &R, Value *I) { emitPanels(R, I); },
      [&](const Tile &Of) { emitTile(Of); });
  return end();
}

Function *KernelBuilder::SmallKernel::build() {
  return ThePlan.keepsA(Op) ? buildResident() : buildFromParts();
}

Function *KernelBuilder::buildSmallKernel() {
  return SmallKernel(*this).build();
}

} // namespace tilesmith
