//===- MicroKernel.cpp - the register tile and its edges ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The micro kernel adds K products to each of Rows x Columns sums:
//
//   sum = first ? Start(C) : P              P: sums of the K blocks before
//   for k:  sum = Update(sum, a[k] * b[k])  an outer product of panels
//   last ? C = Finish(sum, C) : P = sum
//
// with sums as one value of Rows * Columns elements and the product as
// llvm.matrix.multiply; the Lowering room turns it into register tiles. If the
// sum itself is what is stored, P is C, and there are no arguments for it.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MatrixBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// \p Call with one operand more, in a bundle.
static CallInst *withOperand(CallInst *Call, StringRef Bundle, Value *Operand) {
  auto *Result = cast<CallInst>(CallBase::addOperandBundle(
      Call, /*ID=*/0, OperandBundleDef(Bundle.str(), Operand),
      Call->getIterator()));
  Call->eraseFromParent();
  return Result;
}

SmallVector<KernelBuilder::Parameter, 16>
KernelBuilder::factorParameters() const {
  SmallVector<Parameter, 16> Result;
  addPerTerm(
      Result,
      {{"A", Ptr}, {"sAk", I64}, {"B", Ptr}, {"sBk", I64}, {"sBn", I64}});
  Result.push_back({"K", I64});
  if (Correction)
    Result.push_back({"corrections", Ptr});
  return Result;
}

SmallVector<KernelBuilder::Parameter, 16>
KernelBuilder::microParameters(MicroKind Kind) const {
  SmallVector<Parameter, 16> Result = factorParameters();
  Result.append({{"C", Ptr}, {"sCn", I64}});
  Type *I1 = Type::getInt1Ty(Ctx);
  if (asksForStart(Kind))
    Result.push_back({"first", I1});
  if (!SumsInC)
    Result.append({{"last", I1}, {"P", Ptr}, {"sPn", I64}});
  if (asksForRows(Kind))
    Result.push_back({"rows", I64});
  if (Kind == MicroKind::Corner)
    Result.push_back({"diagonal", I64});
  return Result;
}

CallInst *KernelBuilder::emitMicroCall(Function &F, MicroKind Kind,
                                       Function *Kernel,
                                       const MicroCall &Call) {
  SmallVector<Value *, 24> Args(ArrayRef<Value *>(Call.Factors));
  Args.append({Call.C, Call.StrideCn});
  if (asksForStart(Kind))
    Args.push_back(resumesFromC() ? B.getFalse() : Call.First);
  if (!SumsInC)
    Args.append({Call.Last, Call.P, Call.StridePn});
  if (asksForRows(Kind))
    Args.push_back(Call.Rows);
  if (Kind == MicroKind::Corner)
    Args.push_back(Call.Diagonal);
  Args.append(scalarsFor(expressionsOfTile(), F));
  return B.CreateCall(Kernel, Args);
}

void KernelBuilder::emitMicroCall(Function &F, MicroKind Kind, Value *Width,
                                  Value *Height, const MicroCall &Call) {
  const auto &Kernels = Kind == MicroKind::Corner ? CornerMicro : Micro;
  BasicBlock *Found = BasicBlock::Create(Ctx, "found", &F);
  BasicBlock *Unreachable = BasicBlock::Create(Ctx, "none", &F, Found);
  auto KeyOf = [&](auto Rows, auto Columns) {
    return B.CreateAdd(
        B.CreateMul(B.CreateUDiv(Rows, i64(How.VL)), i64(How.NR)), Columns);
  };
  SwitchInst *Switch =
      B.CreateSwitch(KeyOf(Width, Height), Unreachable, Kernels.size());
  B.SetInsertPoint(Unreachable);
  B.CreateUnreachable();
  B.SetInsertPoint(Found);
  PHINode *Kernel = B.CreatePHI(Ptr, Kernels.size(), "kernel");
  for (auto [Shape, Which] : Kernels) {
    BasicBlock *Case = BasicBlock::Create(Ctx, "case", &F, Found);
    BranchInst::Create(Found, Case);
    Kernel->addIncoming(Which, Case);
    Switch->addCase(
        cast<ConstantInt>(KeyOf(i64(Shape.first), i64(Shape.second))), Case);
  }
  emitMicroCall(F, Kind, Kernels.front().second, Call)
      ->setCalledOperand(Kernel);
}

Function *KernelBuilder::buildMicroKernel(unsigned Rows, unsigned Columns,
                                          MicroKind Kind) {
  if (How.inSquares())
    return buildSquareKernel(Rows, Columns);
  bool Packed = Kind == MicroKind::Packed, IsCorner = Kind == MicroKind::Corner,
       Small = Kind == MicroKind::Small, HasRows = asksForRows(Kind);
  Function *F =
      createFunction(("micro." + Twine(Rows) + "x" + Twine(Columns)).str(),
                     B.getVoidTy(), microParameters(Kind), expressionsOfTile());
  // The products of a step, of all terms, are more than registers hold. Spilled
  // vectors must not cross cache lines.
  if (Terms.size() > 1)
    F->addFnAttr(Attribute::getWithStackAlignment(
        Ctx, Align(PowerOf2Ceil(How.VectorBits / 8))));
  for (unsigned T = 0; T < Terms.size(); ++T)
    for (StringRef Factor : {"A", "B"}) {
      arg(*F, Factor + Twine(T))->addAttr(Attribute::NoAlias);
      arg(*F, Factor + Twine(T))->addAttr(Attribute::ReadOnly);
    }
  unsigned Count = Rows * Columns;
  // Groups are always packed.
  Align PanelAlign = How.Narrow ? Align(PanelSize) : ElemAlign;
  auto *TileTy = FixedVectorType::get(Op.SumTy, Count);
  MatrixBuilder Matrix(B);
  auto Exists = [&](CallInst *Access) {
    return HasRows ? withOperand(Access, ExistingRows, arg(*F, "rows"))
                   : Access;
  };
  auto Elements = [&](Value *Stride) {
    return B.CreateExactSDiv(Stride, i64(Size));
  };
  auto LoadTile = [&](StringRef Base, StringRef Stride) -> Value * {
    return Exists(Matrix.CreateColumnMajorLoad(
        Op.SumTy, arg(*F, Base), ElemAlign, Elements(arg(*F, Stride)),
        /*IsVolatile=*/false, Rows, Columns));
  };
  auto StoreTile = [&](Value *Sum, Value *Base, Value *Stride) {
    auto Store = [&] {
      return Matrix.CreateColumnMajorStore(Sum, Base, ElemAlign,
                                           Elements(Stride),
                                           /*IsVolatile=*/false, Rows, Columns);
    };
    // Stores under a mask are slow on some CPUs, and keep later loads waiting.
    if (HasRows && Rows == How.VL)
      emitIf(
          B.CreateICmpEQ(arg(*F, "rows"), i64(Rows)), "whole", [&] { Store(); },
          [&] { Exists(Store()); });
    else
      Exists(Store());
  };
  auto Evaluate = [&](const Expression &E,
                      function_ref<Value *(Value *, Leaf)> ValueOf) {
    return evaluate(E, *F, Count, ValueOf);
  };

  // What sums start from, or Sums and that; in blocks in front of Before.
  auto EmitStart = [&](Value *Sums, BasicBlock *Before) -> Value * {
    auto Added = [&](Value *Start) {
      return Sums ? B.CreateAdd(Start, Sums) : Start;
    };
    if (!asksForStart(Kind))
      return Added(LoadTile("C", "sCn"));
    BasicBlock *StartBB = BasicBlock::Create(Ctx, "start", F, Before);
    BasicBlock *ResumeBB = BasicBlock::Create(Ctx, "resume", F, Before);
    BasicBlock *EnterBB = BasicBlock::Create(Ctx, "enter", F, Before);
    Value *OldC = nullptr; // both start and resume from it
    if (SumsInC && !resumesFromC() && Op.Start.uses(Leaf::C))
      OldC = LoadTile("C", "sCn");
    B.CreateCondBr(arg(*F, "first"), StartBB, ResumeBB);
    B.SetInsertPoint(StartBB);
    Value *Started = Constant::getNullValue(TileTy);
    if (!resumesFromC())
      Started = Evaluate(Op.Start, [&](Value *, Leaf) {
        return OldC ? OldC : LoadTile("C", "sCn");
      });
    Started = Added(Started);
    B.CreateBr(EnterBB);
    B.SetInsertPoint(ResumeBB);
    Value *Resumed = OldC;
    if (!Resumed)
      Resumed = SumsInC ? LoadTile("C", "sCn") : LoadTile("P", "sPn");
    Resumed = Added(Resumed);
    B.CreateBr(EnterBB);
    B.SetInsertPoint(EnterBB);
    PHINode *Either = B.CreatePHI(TileTy, 2, "initial");
    Either->addIncoming(Started, StartBB);
    Either->addIncoming(Resumed, ResumeBB);
    return Either;
  };
  // Integers may be added in any order: so in the end, when there has been time
  // for C to come from memory.
  bool StartsLate = Packed && Op.SumTy->isIntegerTy();
  BasicBlock *LoopBB = BasicBlock::Create(Ctx, "k", F);
  Value *Initial = StartsLate ? Constant::getNullValue(TileTy)
                              : negatedIfSubtracted(EmitStart(nullptr, LoopBB));
  if (Correction) {
    Value *OfColumns =
        B.CreateAlignedLoad(FixedVectorType::get(Op.SumTy, Columns),
                            arg(*F, "corrections"), Align(Size));
    Initial = B.CreateAdd(
        Initial,
        B.CreateShuffleVector(OfColumns, createReplicatedMask(Rows, Columns)));
  }
  // The next sliver's tile of C. Many prefetches at once are dropped if what is
  // loaded here misses the caches, too, so the loop makes them where it can.
  auto PrefetchColumn = [&](Value *J) {
    prefetch(offset(arg(*F, "C"), B.CreateAdd(J, i64(Columns)), arg(*F, "sCn")),
             Rows * Size, How.CacheLine);
  };
  auto PrefetchTile = [&] {
    for (unsigned J = 0; J < Columns; ++J)
      PrefetchColumn(i64(J));
  };
  bool InLoop = Packed && How.prefetchesInLoop();
  if (InLoop)
    emitIf(B.CreateICmpULT(arg(*F, "K"), i64(Columns)), "short", PrefetchTile);
  else if (Packed)
    PrefetchTile();
  struct Stream {
    Value *StrideA, *StrideB, *LdB, *AheadA, *AheadB;
    PHINode *PtrA = nullptr, *PtrB = nullptr;
  };
  SmallVector<Stream, 1> Streams;
  for (unsigned T = 0; T < Terms.size(); ++T) {
    Stream S;
    S.StrideA = arg(*F, "sAk" + Twine(T));
    S.StrideB = arg(*F, "sBk" + Twine(T));
    // As slivers are, so may be what is read in place.
    const Operand &Of = Terms[T].B;
    bool IsAdjacent =
        Packed || How.InArray ||
        (!(Kind == MicroKind::Any && AreGeneral) &&
         (Of.X.isUnit(tilesmith::N, DL) || !(Small || canReadInPlace(Of))));
    S.LdB = IsAdjacent ? i64(1) : Elements(arg(*F, "sBn" + Twine(T)));
    if (Packed) {
      S.StrideA = i64(Rows * PanelSize);
      S.StrideB = i64(Columns * PanelSize);
    }
    constexpr unsigned StepsAhead = 16;
    S.AheadA = B.CreateMul(S.StrideA, i64(StepsAhead));
    S.AheadB = B.CreateMul(S.StrideB, i64(StepsAhead));
    Streams.push_back(S);
  }
  BasicBlock *EnterBB = B.GetInsertBlock();
  B.CreateBr(LoopBB);

  // The k loop.
  B.SetInsertPoint(LoopBB);
  PHINode *Step = B.CreatePHI(I64, 2, "step");
  PHINode *Sum = B.CreatePHI(TileTy, 2, "sum");
  for (auto [T, S] : enumerate(Streams)) {
    S.PtrA = B.CreatePHI(Ptr, 2, "a.ptr");
    S.PtrB = B.CreatePHI(Ptr, 2, "b.ptr");
    S.PtrA->addIncoming(arg(*F, "A" + Twine(T)), EnterBB);
    S.PtrB->addIncoming(arg(*F, "B" + Twine(T)), EnterBB);
  }
  Step->addIncoming(i64(0), EnterBB);
  Sum->addIncoming(Initial, EnterBB);
  SmallVector<Value *, 1> A, BRow;
  for (Stream &S : Streams) {
    A.push_back(Exists(
        Matrix.CreateColumnMajorLoad(PanelTy, S.PtrA, PanelAlign, i64(Rows),
                                     /*IsVolatile=*/false, Rows, 1)));
    BRow.push_back(Matrix.CreateColumnMajorLoad(
        PanelTy, S.PtrB, PanelAlign, S.LdB, /*IsVolatile=*/false, 1, Columns));
    if (!Small)
      prefetch(B.CreatePtrAdd(S.PtrA, S.AheadA), Rows * PanelSize,
               How.CacheLine);
    if (Columns * PanelSize >= How.CacheLine && Packed)
      prefetch(B.CreatePtrAdd(S.PtrB, S.AheadB), Columns * PanelSize,
               How.CacheLine);
  }
  if (InLoop)
    PrefetchColumn(B.CreateAnd(Step, i64(bit_ceil(Columns) - 1)));
  Value *Next = emitStep(*F, Sum, A, BRow, Rows, Columns);
  if (IsCorner)
    Next = B.CreateSelect(stepIsMade(Rows, Columns, Step, arg(*F, "diagonal")),
                          Next, Sum);
  Value *NextStep = B.CreateNUWAdd(Step, i64(1));
  Step->addIncoming(NextStep, LoopBB);
  Sum->addIncoming(Next, LoopBB);
  for (Stream &S : Streams) {
    S.PtrA->addIncoming(B.CreatePtrAdd(S.PtrA, S.StrideA), LoopBB);
    S.PtrB->addIncoming(B.CreatePtrAdd(S.PtrB, S.StrideB), LoopBB);
  }
  BasicBlock *DoneBB = BasicBlock::Create(Ctx, "done", F);
  BranchInst *Latch =
      B.CreateCondBr(B.CreateICmpULT(NextStep, arg(*F, "K")), LoopBB, DoneBB);
  // Some 48 multiply-adds hide the loop's own instructions. More would invite
  // the scheduler to hoist loads until registers spill.
  constexpr unsigned MultiplyAdds = 48;
  unsigned InStep = How.multiplyAdds(Rows, Columns) * Terms.size();
  unsigned Copies = std::min(std::max(1u, MultiplyAdds / InStep),
                             How.stepsAtOnce(Op, Rows, Columns));
  if (Small) {
    // Straight code beside other tiles would share loads with them, and spill.
    bool IsAlone = Rows == Op.constantExtent(tilesmith::M) &&
                   Columns == Op.constantExtent(tilesmith::N);
    uint64_t Steps = *Op.constantExtent(tilesmith::K);
    uint64_t Rounds = divideCeil(Steps, Copies);
    if (IsAlone && Steps * InStep <= 2 * MultiplyAdds)
      Rounds = 1;
    else if (!IsAlone && Rounds == 1)
      Rounds = 2;
    Copies = divideCeil(Steps, Rounds);
  }
  setLoopHints(*Latch, Packed || Small ? Copies : 1);

  // The result.
  B.SetInsertPoint(DoneBB);
  Next = negatedIfSubtracted(Next);
  if (StartsLate)
    Next = EmitStart(Next, /*Before=*/nullptr);
  BasicBlock *SumBB = B.GetInsertBlock();
  Value *Target = arg(*F, "C"), *Stride = arg(*F, "sCn");
  if (!SumsInC) {
    Value *Last = arg(*F, "last");
    BasicBlock *FinishBB = BasicBlock::Create(Ctx, "finish", F);
    BasicBlock *StoreBB = BasicBlock::Create(Ctx, "store", F);
    B.CreateCondBr(Last, FinishBB, StoreBB);
    B.SetInsertPoint(FinishBB);
    Value *Final = Evaluate(Op.Finish, [&](Value *, Leaf Kind) {
      return Kind == Leaf::Sum ? Next : LoadTile("C", "sCn");
    });
    B.CreateBr(StoreBB);
    B.SetInsertPoint(StoreBB);
    PHINode *Either = B.CreatePHI(TileTy, 2, "result");
    Either->addIncoming(Final, FinishBB);
    Either->addIncoming(Next, SumBB);
    Next = Either;
    Target = B.CreateSelect(Last, Target, arg(*F, "P"));
    Stride = B.CreateSelect(Last, Stride, arg(*F, "sPn"));
  }
  StoreTile(Next, Target, Stride);
  B.CreateRetVoid();
  return F;
}

/// \p Sum after one more step, with a column of A and a row of B for each term.
Value *KernelBuilder::emitStep(Function &F, Value *Sum, ArrayRef<Value *> A,
                               ArrayRef<Value *> BRow, unsigned Rows,
                               unsigned Columns) {
  MatrixBuilder Matrix(B);
  DenseMap<Value *, Value *> Products;
  unsigned Depth = How.depthMultiple();
  for (auto [T, ColumnOfA, RowOfB] : zip_equal(Op.Terms, A, BRow)) {
    Value *Left = ColumnOfA, *Right = RowOfB;
    if (How.Narrow) {
      Left = widened(Left, How.Narrow->Packed.A, /*IsLeft=*/true);
      Right = widened(Right, How.Narrow->Packed.B, /*IsLeft=*/false);
    }
    CallInst *Product =
        Matrix.CreateMatrixMultiply(Left, Right, Rows, Depth, Columns);
    if (isa<FPMathOperator>(T.Product)) {
      FastMathFlags Flags = T.Product->getFastMathFlags();
      if (Op.Update.Fused.contains(T.Product))
        Flags.setAllowContract();
      auto *Call = dyn_cast<IntrinsicInst>(T.Product);
      if (Call && Call->getIntrinsicID() == Intrinsic::fma)
        Product->addFnAttr(Attribute::get(Ctx, MustFuse));
      Product->setFastMathFlags(Flags);
    }
    Products[T.Product] = Product;
  }
  if (How.Narrow) {
    // One after the other, so that each continues the sum.
    auto *Add = dyn_cast<FPMathOperator>(Op.Update.Root);
    for (const Term &T : Op.Terms)
      Sum = Add ? B.CreateFAddFMF(Sum, Products.lookup(T.Product),
                                  Add->getFastMathFlags())
                : B.CreateAdd(Sum, Products.lookup(T.Product));
    return Sum;
  }
  return evaluate(Op.Update, F, Rows * Columns,
                  [&](Value *V, Leaf Kind) -> Value * {
                    return Kind == Leaf::Sum ? Sum : Products.lookup(V);
                  });
}

/// Whether each element of a tile takes part in a step.
Value *KernelBuilder::stepIsMade(unsigned Rows, unsigned Columns, Value *Step,
                                 Value *Diagonal) {
  SmallVector<Constant *, 64> Index;
  for (unsigned J = 0; J < Columns; ++J)
    for (unsigned I = 0; I < Rows; ++I)
      Index.push_back(B.getInt32(BoundOfK == tilesmith::M ? I : J));
  Value *Limit = B.CreateVectorSplat(
      Rows * Columns,
      B.CreateTrunc(B.CreateSub(Step, Diagonal), B.getInt32Ty()));
  return B.CreateICmp(Made == Steps::From ? ICmpInst::ICMP_SLE
                                          : ICmpInst::ICMP_SGE,
                      ConstantVector::get(Index), Limit);
}

} // namespace tilesmith
