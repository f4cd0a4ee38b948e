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
// sum itself is what is stored, P is C.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Lowering/Lowering.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MatrixBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

Function *KernelBuilder::buildMicroKernel(unsigned Rows, unsigned Columns,
                                          MicroKind Kind) {
  bool Packed = Kind == MicroKind::Packed, IsCorner = Kind == MicroKind::Corner,
       Small = Kind == MicroKind::Small;
  SmallVector<Parameter, 16> Parameters;
  addPerTerm(
      Parameters,
      {{"A", Ptr}, {"sAk", I64}, {"B", Ptr}, {"sBk", I64}, {"ldb", I64}});
  Parameters.append({{"K", I64},
                     {"C", Ptr},
                     {"ldc", I64},
                     {"P", Ptr},
                     {"ldp", I64},
                     {"first", B.getInt1Ty()},
                     {"last", B.getInt1Ty()}});
  if (IsCorner)
    Parameters.push_back({"diagonal", I64});
  Function *F =
      createFunction(("micro." + Twine(Rows) + "x" + Twine(Columns)).str(),
                     B.getVoidTy(), Parameters);
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
  auto *TileTy = FixedVectorType::get(Op.SumTy, Count);
  MatrixBuilder Matrix(B);
  auto LoadTile = [&](StringRef Base, StringRef Ld) -> Value * {
    return Matrix.CreateColumnMajorLoad(Op.SumTy, arg(*F, Base), ElemAlign,
                                        arg(*F, Ld), /*IsVolatile=*/false, Rows,
                                        Columns);
  };
  auto StoreTile = [&](Value *Sum, StringRef Base, StringRef Ld) {
    Matrix.CreateColumnMajorStore(Sum, arg(*F, Base), ElemAlign, arg(*F, Ld),
                                  /*IsVolatile=*/false, Rows, Columns);
  };
  auto Evaluate = [&](const Expression &E,
                      function_ref<Value *(Value *, Leaf)> ValueOf) {
    return evaluate(E, *F, Count, ValueOf);
  };

  // The sums to start from.
  BasicBlock *LoopBB = BasicBlock::Create(Ctx, "k", F);
  BasicBlock *StartBB = BasicBlock::Create(Ctx, "start", F, LoopBB);
  BasicBlock *ResumeBB = BasicBlock::Create(Ctx, "resume", F, LoopBB);
  BasicBlock *EnterBB = BasicBlock::Create(Ctx, "enter", F, LoopBB);
  B.CreateCondBr(arg(*F, "first"), StartBB, ResumeBB);
  B.SetInsertPoint(StartBB);
  Value *Started =
      Evaluate(Op.Start, [&](Value *, Leaf) { return LoadTile("C", "ldc"); });
  B.CreateBr(EnterBB);
  B.SetInsertPoint(ResumeBB);
  Value *Resumed = LoadTile("P", "ldp");
  B.CreateBr(EnterBB);
  B.SetInsertPoint(EnterBB);
  PHINode *Initial = B.CreatePHI(TileTy, 2, "initial");
  Initial->addIncoming(Started, StartBB);
  Initial->addIncoming(Resumed, ResumeBB);
  // The next tile of C is the one below.
  if (Rows == How.MR && !Small)
    for (unsigned J = 0; J < Columns; ++J)
      prefetch(element(B.CreatePtrAdd(arg(*F, "C"), i64(Rows * Size)),
                       B.CreateMul(arg(*F, "ldc"), i64(J))),
               Rows * Size);
  struct Stream {
    Value *StrideA, *StrideB, *LdB, *AheadA, *AheadB;
    PHINode *PtrA = nullptr, *PtrB = nullptr;
  };
  SmallVector<Stream, 1> Streams;
  for (unsigned T = 0; T < Terms.size(); ++T) {
    Stream S;
    S.StrideA = arg(*F, "sAk" + Twine(T));
    S.StrideB = arg(*F, "sBk" + Twine(T));
    S.LdB = arg(*F, "ldb" + Twine(T));
    if (Packed) {
      S.StrideA = i64(Rows * Size);
      S.StrideB = i64(Columns * Size);
      S.LdB = i64(1);
    }
    constexpr unsigned StepsAhead = 16;
    S.AheadA = B.CreateMul(S.StrideA, i64(StepsAhead));
    S.AheadB = B.CreateMul(S.StrideB, i64(StepsAhead));
    Streams.push_back(S);
  }
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
    A.push_back(B.CreateAlignedLoad(FixedVectorType::get(Op.SumTy, Rows),
                                    S.PtrA, ElemAlign, "a"));
    BRow.push_back(Matrix.CreateColumnMajorLoad(
        Op.SumTy, S.PtrB, ElemAlign, S.LdB, /*IsVolatile=*/false, 1, Columns));
    if (!Small)
      prefetch(B.CreatePtrAdd(S.PtrA, S.AheadA), Rows * Size);
    if (Columns * Size >= CacheLine && !Small)
      prefetch(B.CreatePtrAdd(S.PtrB, S.AheadB), Columns * Size);
  }
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
  unsigned Registers =
      divideCeil(Rows, How.VL) * Columns * unsigned(Terms.size());
  unsigned Copies = std::max(1u, MultiplyAdds / Registers);
  if (Small) {
    // Straight code beside other tiles would share loads with them, and spill.
    bool IsAlone = Rows == Op.constantExtent(tilesmith::M) &&
                   Columns == Op.constantExtent(tilesmith::N);
    uint64_t Steps = *Op.constantExtent(tilesmith::K);
    uint64_t Rounds = divideCeil(Steps, Copies);
    if (IsAlone && Steps * Registers <= 2 * MultiplyAdds)
      Rounds = 1;
    else if (!IsAlone && Rounds == 1)
      Rounds = 2;
    Copies = divideCeil(Steps, Rounds);
  }
  setLoopHints(*Latch, Packed || Small ? Copies : 1);

  // The result.
  B.SetInsertPoint(DoneBB);
  if (SumsInC) {
    StoreTile(Next, "C", "ldc");
  } else {
    emitIf(
        arg(*F, "last"), "finish",
        [&] {
          Value *Final = Evaluate(Op.Finish, [&](Value *, Leaf Kind) {
            return Kind == Leaf::Sum ? Next : LoadTile("C", "ldc");
          });
          StoreTile(Final, "C", "ldc");
        },
        [&] { StoreTile(Next, "P", "ldp"); });
  }
  B.CreateRetVoid();
  return F;
}

/// \p Sum after one more step, with a column of A and a row of B for each term.
Value *KernelBuilder::emitStep(Function &F, Value *Sum, ArrayRef<Value *> A,
                               ArrayRef<Value *> BRow, unsigned Rows,
                               unsigned Columns) {
  MatrixBuilder Matrix(B);
  DenseMap<Value *, Value *> Products;
  for (auto [T, Left, Right] : zip_equal(Op.Terms, A, BRow)) {
    CallInst *Product =
        Matrix.CreateMatrixMultiply(Left, Right, Rows, 1, Columns);
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

/// void copy(ptr dst, i64 dst row stride, i64 dst column stride, src likewise,
/// rows, columns): strides in bytes. Only the wanted half is copied.
Function *KernelBuilder::buildCopy() {
  SetVector<Value *> None;
  std::swap(Scalars, None);
  SmallVector<Parameter, 9> Parameters = {
      {"dst", Ptr},     {"dst.row", I64}, {"dst.col", I64}, {"src", Ptr},
      {"src.row", I64}, {"src.col", I64}, {"rows", I64},    {"columns", I64}};
  if (Wanted != Half::None)
    Parameters.push_back({"diagonal", I64});
  Function *F = createFunction("copy", B.getVoidTy(), Parameters);
  emitLoop(i64(0), arg(*F, "columns"), i64(1), "column", [&](Value *J) {
    Value *Dst = offset(arg(*F, "dst"), J, arg(*F, "dst.col"));
    Value *Src = offset(arg(*F, "src"), J, arg(*F, "src.col"));
    Value *Begin = i64(0), *End = arg(*F, "rows");
    if (Wanted == Half::Lower)
      Begin = clamp(B.CreateSub(J, arg(*F, "diagonal")), End);
    if (Wanted == Half::Upper)
      End =
          clamp(B.CreateAdd(B.CreateSub(J, arg(*F, "diagonal")), i64(1)), End);
    if (AdjacentRowsOfC) {
      B.CreateMemCpy(element(Dst, Begin), ElemAlign, element(Src, Begin),
                     ElemAlign,
                     B.CreateMul(B.CreateSub(End, Begin), i64(Size)));
      return;
    }
    emitLoop(Begin, End, i64(1), "row", [&](Value *I) {
      Value *V = B.CreateAlignedLoad(
          Op.SumTy, offset(Src, I, arg(*F, "src.row")), ElemAlign);
      B.CreateAlignedStore(V, offset(Dst, I, arg(*F, "dst.row")), ElemAlign);
    });
  });
  B.CreateRetVoid();
  std::swap(Scalars, None);
  return F;
}

/// A tile of which only rows x columns elements are C's, or whose C is strided:
/// it is computed in a contiguous buffer.
Function *KernelBuilder::buildTile(bool IsCorner) {
  SmallVector<Parameter, 20> Parameters;
  addPerTerm(
      Parameters,
      {{"A", Ptr}, {"sAk", I64}, {"B", Ptr}, {"sBk", I64}, {"ldb", I64}});
  Parameters.append({{"K", I64},
                     {"C", Ptr},
                     {"sCm", I64},
                     {"sCn", I64},
                     {"P", Ptr},
                     {"ldp", I64},
                     {"rows", I64},
                     {"columns", I64},
                     {"first", B.getInt1Ty()},
                     {"last", B.getInt1Ty()}});
  if (Wanted != Half::None || IsCorner)
    Parameters.push_back({"diagonal", I64});
  Function *F = createFunction("tile", B.getVoidTy(), Parameters);
  auto *BufferTy = ArrayType::get(Op.SumTy, uint64_t(How.MR) * How.NR);
  AllocaInst *Buffer = B.CreateAlloca(BufferTy, nullptr, "buffer");
  Buffer->setAlignment(Align(64));
  Value *First = arg(*F, "first"), *Last = arg(*F, "last");
  Value *Rows = arg(*F, "rows"), *Columns = arg(*F, "columns");
  Value *Width = paddedRows(Rows), *Height = paddedColumns(Columns);
  Value *ElementSize = i64(Size), *ColumnSize = B.CreateMul(Width, ElementSize);

  // A tile without padding needs no buffer if C is adjacent along its rows.
  Value *Buffered = B.getTrue();
  if (AdjacentRowsOfC) {
    SmallVector<Value *, 4> Direct = {B.CreateICmpEQ(Width, Rows),
                                      B.CreateICmpEQ(Height, Columns),
                                      isWholeElements(arg(*F, "sCn"))};
    if (Wanted != Half::None)
      Direct.push_back(isAllWanted(Rows, Columns, arg(*F, "diagonal")));
    Buffered = B.CreateNot(B.CreateAnd(Direct));
  }
  auto CopyTile = [&](ArrayRef<Value *> DstAndSrc) {
    SmallVector<Value *, 9> Args(DstAndSrc);
    Args.append({Rows, Columns});
    if (Wanted != Half::None)
      Args.push_back(arg(*F, "diagonal"));
    B.CreateCall(Copy, Args);
  };

  // C is read only where the source reads it, and for the sums of earlier K
  // blocks.
  Value *Reads = B.getInt1(false);
  if (Op.Start.uses(Leaf::C))
    Reads = First;
  if (SumsInC)
    Reads = B.CreateOr(Reads, B.CreateNot(First));
  if (Op.Finish.uses(Leaf::C))
    Reads = B.CreateOr(Reads, Last);
  emitIf(B.CreateAnd(Buffered, Reads), "read", [&] {
    B.CreateMemSet(Buffer, B.getInt8(0), DL.getTypeAllocSize(BufferTy),
                   Buffer->getAlign());
    CopyTile({Buffer, ElementSize, ColumnSize, arg(*F, "C"), arg(*F, "sCm"),
              arg(*F, "sCn")});
  });

  Value *Target = B.CreateSelect(Buffered, Buffer, arg(*F, "C"));
  Value *TargetLd = B.CreateSelect(Buffered, Width,
                                   B.CreateSDiv(arg(*F, "sCn"), ElementSize));
  SmallVector<Value *, 16> Args;
  for (Argument &A : F->args())
    if (Args.size() <= 5 * Terms.size())
      Args.push_back(&A); // The factors, and K.
  Args.append({Target, TargetLd});
  if (SumsInC)
    Args.append({Target, TargetLd});
  else
    Args.append({arg(*F, "P"), arg(*F, "ldp")});
  Args.append({First, Last});
  if (IsCorner)
    Args.push_back(arg(*F, "diagonal"));
  Args.append(scalarArgs(*F));

  // One case per register tile.
  BasicBlock *Done = BasicBlock::Create(Ctx, "computed", F);
  BasicBlock *Unreachable = BasicBlock::Create(Ctx, "none", F);
  Value *Key = B.CreateAdd(B.CreateMul(Width, i64(256)), Height);
  SwitchInst *Switch = B.CreateSwitch(Key, Unreachable, Micro.size());
  for (auto [Shape, Kernel] : IsCorner ? CornerMicro : Micro) {
    BasicBlock *Case = BasicBlock::Create(Ctx, "case", F, Done);
    Switch->addCase(i64(Shape.first * 256 + Shape.second), Case);
    B.SetInsertPoint(Case);
    B.CreateCall(Kernel, Args);
    B.CreateBr(Done);
  }
  B.SetInsertPoint(Unreachable);
  B.CreateUnreachable();
  B.SetInsertPoint(Done);
  Value *Writes = SumsInC ? B.getTrue() : Last;
  emitIf(B.CreateAnd(Buffered, Writes), "write", [&] {
    CopyTile({arg(*F, "C"), arg(*F, "sCm"), arg(*F, "sCn"), Buffer, ElementSize,
              ColumnSize});
  });
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
