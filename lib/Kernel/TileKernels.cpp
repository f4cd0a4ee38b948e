//===- TileKernels.cpp - the micro kernels of a nest, and a step of theirs ===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileKernels.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MatrixBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

CallInst *TileKernels::emitMicroCall(MicroKind Kind, FunctionCallee Callee,
                                     MicroArguments Arguments) {
  if (resumesFromC())
    Arguments.First = B.getFalse();
  CallInst *Call = B.CreateCall(Callee, parametersOf(Arguments, Kind).values());
  Call->setCallingConv(microConvention());
  return Call;
}

void TileKernels::emitMicroCall(MicroKind Kind, Value *MicroKernels,
                                Value *Width, Value *Height,
                                MicroArguments Arguments) {
  Arguments.Columns = Height;
  Arguments.Slot = microSlot(Kind, Width, Height);
  emitMicroCall(
      Kind,
      kernelAt(MicroKernels, Arguments.Slot, kernelsOf(Kind).front().second),
      Arguments);
}

Value *TileKernels::microSlot(MicroKind Kind, Value *Rows, Value *Columns) {
  Value *Registers = B.CreateUDiv(Rows, i64(ThePlan.VL));
  // The first one is 1 x 1.
  unsigned Begin = FirstMicroSlot - ThePlan.NR - 1;
  if (Kind != MicroKind::Any)
    Begin += ThePlan.MR / ThePlan.VL * ThePlan.NR;
  if (isOfRuns(Kind) || Kind == MicroKind::Rest)
    Begin += ThePlan.MR / ThePlan.VL * ThePlan.NR;
  if (Kind == MicroKind::PackingRuns)
    Begin += ThePlan.MR / ThePlan.VL * ThePlan.NR;
  return B.CreateAdd(
      B.CreateAdd(B.CreateMul(Registers, i64(ThePlan.NR)), Columns),
      ConstantInt::getSigned(I64, int(Begin)));
}

FunctionCallee TileKernels::kernelAt(Value *Table, Value *Slot,
                                     Function *Sample) {
  return {Sample->getFunctionType(),
          B.CreateLoad(Ptr, B.CreateGEP(Ptr, Table, Slot))};
}

GlobalVariable *TileKernels::buildTable() {
  SmallVector<Constant *, 64> Kernels = {PackedMicro, Tile, CornerTile};
  auto Enter = [&](MicroKind Kind, const auto &Of) {
    for (auto [Shape, Kernel] : Of) {
      auto [Rows, Columns] = Shape;
      unsigned Fewest = asksForColumns(Kind) ? fewestColumns(Columns) : Columns;
      for (unsigned J = Fewest; J <= Columns; ++J) {
        Value *Slot = microSlot(Kind, i64(Rows), i64(J));
        uint64_t Number = cast<ConstantInt>(Slot)->getZExtValue();
        Kernels.resize(std::max<size_t>(Kernels.size(), Number + 1));
        Kernels[Number] = Kernel;
      }
    }
  };
  Enter(MicroKind::Any, Micro);
  Enter(cutsTiles() ? MicroKind::Cut : MicroKind::Corner, CornerMicro);
  Enter(MicroKind::Runs, RunMicro);
  Enter(MicroKind::PackingRuns, PackingMicro);
  Enter(MicroKind::Rest, RestMicro);
  append_range(Kernels, Turned);
  for (Constant *&Kernel : Kernels)
    if (!Kernel)
      Kernel = ConstantPointerNull::get(cast<PointerType>(Ptr));
  return tableOf(Kernels);
}

GlobalVariable *TileKernels::tableOf(ArrayRef<Constant *> Kernels) {
  Constant *Table =
      ConstantArray::get(ArrayType::get(Ptr, Kernels.size()), Kernels);
  for (GlobalVariable &Other : Mod.globals())
    if (Other.getName().starts_with(TableName) && Other.hasInitializer() &&
        Other.getInitializer() == Table)
      return &Other;
  auto *Result =
      new GlobalVariable(Mod, Table->getType(), /*isConstant=*/true,
                         GlobalValue::InternalLinkage, Table, TableName);
  Result->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return Result;
}

/// Whether general micro kernels are worth having: they are longer, but one set
/// serves all storage orders, and sums that start from C or from zero.
bool TileKernels::areGeneralKernelsShared() {
  if (ThePlan.Narrow)
    return false;
  if (none_of(Mod, [](const Function &F) {
        return F.getName().starts_with("tilesmith.micro");
      }))
    return ThePlan.SharesKernels;
  // Those that are there may be just what this nest needs.
  Function *Own = buildMicroKernel(cutsTiles() ? 2 * ThePlan.VL : ThePlan.VL,
                                   ThePlan.ColumnStep, MicroKind::Any);
  if (unify(Own) != Own)
    return false;
  Loaded.erase(Own);
  Own->eraseFromParent();
  return true;
}

/// The micro kernels for tiles of so many rows and columns. One register is
/// seldom beyond the reach of a diagonal, and fewer columns seldom have more.
void TileKernels::buildKernelsOf(unsigned Rows, unsigned Columns) {
  auto Build = [&](MicroKind Kind) {
    return unify(buildMicroKernel(Rows, Columns, Kind));
  };
  bool IsLow = Rows == ThePlan.VL;
  if (!cutsTiles() || !IsLow)
    Micro[{Rows, Columns}] = Build(MicroKind::Any);
  if (cutsTiles() && (IsLow || Columns == ThePlan.NR))
    CornerMicro[{Rows, Columns}] = Build(MicroKind::Cut);
  if (Op.Rest && IsLow)
    RestMicro[{Rows, Columns}] = Build(MicroKind::Rest);
}

bool TileKernels::hasColumns(unsigned Columns) const {
  if (!hasMasks())
    return isPowerOf2_32(Columns) && Columns >= ThePlan.ColumnStep;
  return Columns == ThePlan.NR ||
         (Columns <= edgeColumns() && Columns % ThePlan.ColumnStep == 0);
}

unsigned TileKernels::fewestColumns(unsigned Columns) const {
  while (Columns > 1 && !hasColumns(Columns - 1))
    --Columns;
  return Columns;
}

/// \p Sum after one more step by \p Update, with a column of A and a row of B for each
/// term.
Value *TileKernels::emitStep(const Expression &Update, Value *Scalars,
                             Value *Sum, ArrayRef<Value *> A,
                             ArrayRef<Value *> BRow, unsigned Rows,
                             unsigned Columns) {
  MatrixBuilder Matrix(B);
  auto Ones = [&](unsigned Count) -> Value * {
    Constant *One = Op.SumTy->isIntegerTy() ? ConstantInt::get(Op.SumTy, 1)
                                            : ConstantFP::get(Op.SumTy, 1.0);
    return ConstantVector::getSplat(ElementCount::getFixed(Count), One);
  };
  DenseMap<Value *, Value *> Products;
  Value *OfA = nullptr, *OfB = nullptr; ///< of pairs, for each element
  unsigned Depth = ThePlan.depthMultiple();
  for (auto [T, ColumnOfA, RowOfB] : zip_equal(Op.Terms, A, BRow)) {
    Value *Left = ColumnOfA, *Right = RowOfB;
    if (ThePlan.Narrow) {
      Left = widened(Left, ThePlan.Narrow->Packed.A, /*IsLeft=*/true);
      Right = widened(Right, ThePlan.Narrow->Packed.B, /*IsLeft=*/false);
    }
    if (T.Pairing) {
      // Products with ones spread a column, and a row, over the tile.
      OfA = Matrix.CreateMatrixMultiply(Left, Ones(Columns), Rows, 1, Columns);
      OfB = Matrix.CreateMatrixMultiply(Ones(Rows), Right, Rows, 1, Columns);
      Products[T.Product] = pairing(T, Scalars, OfA, OfB, Rows * Columns);
      continue;
    }
    CallInst *Product =
        Matrix.CreateMatrixMultiply(Left, Right, Rows, Depth, Columns);
    if (isa<FPMathOperator>(T.Product)) {
      FastMathFlags Flags = T.Product->getFastMathFlags();
      if (Update.Fused.contains(T.Product))
        Flags.setAllowContract();
      auto *Call = dyn_cast<IntrinsicInst>(T.Product);
      if (Call && Call->getIntrinsicID() == Intrinsic::fma)
        Product->addFnAttr(Attribute::get(Ctx, MustFuse));
      Product->setFastMathFlags(Flags);
      if (Update.Rounded.contains(T.Product))
        Product = cast<CallInst>(
            B.CreateArithmeticFence(Product, Product->getType()));
    }
    Products[T.Product] = Product;
  }
  if (ThePlan.Narrow) {
    // One after the other, so that each continues the sum.
    auto *Add = dyn_cast<FPMathOperator>(Update.Root);
    for (const Term &T : Op.Terms)
      Sum = Add ? B.CreateFAddFMF(Sum, Products.lookup(T.Product),
                                  Add->getFastMathFlags())
                : B.CreateAdd(Sum, Products.lookup(T.Product));
    return Sum;
  }
  return evaluate(Update, Scalars, Rows * Columns,
                  [&](Value *V, Leaf Kind) -> Value * {
                    if (Kind == Leaf::A || Kind == Leaf::B)
                      return leafOfPair(Kind == Leaf::A ? OfA : OfB, *V);
                    return Kind == Leaf::Sum ? Sum : Products.lookup(V);
                  });
}

/// Which elements of a tile are the second parts of numbers.
Constant *TileKernels::isSecondPart(unsigned Rows, unsigned Columns) {
  SmallVector<Constant *, 64> IsSecond;
  for (unsigned J = 0; J < Columns; ++J)
    IsSecond.append(Rows, B.getInt1(J % 2));
  return ConstantVector::get(IsSecond);
}

/// Whether each element of a tile takes part in a step.
Value *TileKernels::stepIsMade(unsigned Rows, unsigned Columns, Value *Step,
                               Value *Diagonal) {
  SmallVector<Constant *, 64> Index;
  unsigned PerStep = Op.Domain->elementsPerPlace(BoundOfK);
  for (unsigned J = 0; J < Columns; ++J)
    for (unsigned I = 0; I < Rows; ++I)
      Index.push_back(B.getInt32((BoundOfK == tilesmith::M ? I : J) / PerStep));
  // Of rows that are flipped, the diagonal is counted from lane zero, too.
  bool IsFlipped = FlipsRows && BoundOfK == tilesmith::M;
  Value *Last =
      IsFlipped ? B.CreateSub(Diagonal, Step) : B.CreateSub(Step, Diagonal);
  Value *Limit =
      B.CreateVectorSplat(Rows * Columns, B.CreateTrunc(Last, B.getInt32Ty()));
  return B.CreateICmp((Made == Steps::From) != IsFlipped ? ICmpInst::ICMP_SLE
                                                         : ICmpInst::ICMP_SGE,
                      ConstantVector::get(Index), Limit);
}

} // namespace tilesmith
