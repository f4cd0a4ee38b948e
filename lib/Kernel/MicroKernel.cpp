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

/// \p Call with more operands, in a bundle.
static CallInst *withOperands(CallInst *Call, StringRef Bundle,
                              ArrayRef<Value *> Operands) {
  auto *Result = cast<CallInst>(CallBase::addOperandBundle(
      Call, /*ID=*/0, OperandBundleDef(Bundle.str(), Operands),
      Call->getIterator()));
  Call->eraseFromParent();
  return Result;
}

CallInst *KernelBuilder::emitMicroCall(MicroKind Kind, FunctionCallee Callee,
                                       MicroArguments Arguments) {
  if (resumesFromC())
    Arguments.First = B.getFalse();
  CallInst *Call = B.CreateCall(Callee, parametersOf(Arguments, Kind).values());
  Call->setCallingConv(microConvention());
  return Call;
}

void KernelBuilder::emitMicroCall(MicroKind Kind, Value *MicroKernels,
                                  Value *Width, Value *Height,
                                  MicroArguments Arguments) {
  Arguments.Columns = Height;
  Arguments.Slot = microSlot(Kind, Width, Height);
  emitMicroCall(
      Kind,
      kernelAt(MicroKernels, Arguments.Slot, kernelsOf(Kind).front().second),
      Arguments);
}

Value *KernelBuilder::microSlot(MicroKind Kind, Value *Rows, Value *Columns) {
  Value *Registers = B.CreateUDiv(Rows, i64(ThePlan.VL));
  // The first one is 1 x 1.
  unsigned Begin = FirstMicroSlot - ThePlan.NR - 1;
  if (Kind != MicroKind::Any)
    Begin += ThePlan.MR / ThePlan.VL * ThePlan.NR;
  if (Kind == MicroKind::Runs)
    Begin += ThePlan.MR / ThePlan.VL * ThePlan.NR;
  return B.CreateAdd(
      B.CreateAdd(B.CreateMul(Registers, i64(ThePlan.NR)), Columns),
      ConstantInt::getSigned(I64, int(Begin)));
}

FunctionCallee KernelBuilder::kernelAt(Value *Table, Value *Slot,
                                       Function *Sample) {
  return {Sample->getFunctionType(),
          B.CreateLoad(Ptr, B.CreateGEP(Ptr, Table, Slot))};
}

GlobalVariable *KernelBuilder::buildTable() {
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
  append_range(Kernels, Turned);
  for (Constant *&Kernel : Kernels)
    if (!Kernel)
      Kernel = ConstantPointerNull::get(cast<PointerType>(Ptr));
  return tableOf(Kernels);
}

GlobalVariable *KernelBuilder::tableOf(ArrayRef<Constant *> Kernels) {
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

/// A micro kernel under way, phase by phase.
struct KernelBuilder::MicroKernel {
  MicroKernel(KernelBuilder &K, Function &F, const MicroArguments &Arguments,
              unsigned Rows, unsigned Columns, MicroKind Kind)
      : K(K), B(K.B), F(F), Arguments(Arguments), Rows(Rows), Columns(Columns),
        Kind(Kind), TileTy(FixedVectorType::get(K.Op.SumTy, Rows * Columns)) {}

  void build();

private:
  /// The factors of a term, step by step.
  struct Stream {
    Value *StrideA, *StrideB, *LdB, *AheadA, *AheadB, *IsFarA = nullptr;
    PHINode *PtrA = nullptr, *PtrB = nullptr;
  };

  static constexpr unsigned StepsAhead = 16; ///< that are prefetched

  bool isPacked() const { return Kind == MicroKind::Packed; }
  bool isSmall() const { return Kind == MicroKind::Small; }
  bool isOfWindows() const { return Kind == MicroKind::Windows; }
  bool isOfRuns() const { return Kind == MicroKind::Runs; }
  /// Integers may be added in any order: so in the end, when there has been
  /// time for C to come from memory.
  bool startsLate() const {
    return isPacked() && K.Op.SumTy->isIntegerTy() && !K.Op.hasPairings();
  }
  bool prefetches() const { return K.isToldAhead(Kind); }
  bool prefetchesInLoop() const {
    return prefetches() && K.ThePlan.prefetchesInLoop();
  }
  /// Rows of the tile are adjacent in C, and not its columns.
  bool isTurned() const { return Kind == MicroKind::Turned; }
  /// Turned tiles have a register of rows at least.
  bool mayLackRows() const {
    return K.asksForRows(Kind) && !(isTurned() && Rows == K.ThePlan.VL);
  }
  Value *elements(Value *Stride) {
    return B.CreateExactSDiv(Stride, K.i64(K.Size));
  }
  BasicBlock *block(const Twine &Name, BasicBlock *Before = nullptr) {
    return BasicBlock::Create(K.Ctx, Name, &F, Before);
  }

  /// Of an element of windows, or of a group.
  Align alignmentInPlace() const {
    return K.ThePlan.Narrow ? K.Terms.front().B.X.Alignment : K.ElemAlign;
  }
  CallInst *existing(CallInst *Access);
  Value *existingLines() {
    return mayLackRows() ? Arguments.Rows : K.i64(Rows);
  }
  Value *loadTurned();
  void storeTurned(Value *Sum);
  CallInst *inColumns(CallInst *Access);
  CallInst *wanted(CallInst *Access);
  Value *loadTile(Value *Base, Value *Stride);
  Value *loadC() {
    return isTurned() ? loadTurned()
                      : loadTile(Arguments.C, Arguments.StrideCn);
  }
  void storeTile(Value *Sum, Value *Base, Value *Stride);
  Value *emitStart(Value *Sums, BasicBlock *Before);
  Value *corrected(Value *Sums);
  bool mayReadFar(const Operand &A) const;
  Value *isFar(Value *Stride);
  void prefetchA(const Stream &S);
  void prefetchLaterA(Value *A);
  void prefetchColumn(Value *J, Value *Sums = nullptr);
  void prefetchInLoop(Value *Step);
  void prefetchTile();
  Stream streamOf(unsigned T);
  Value *rowOfWindows(Value *Step);
  Value *emitLoop(Value *Initial, BasicBlock *Loop);
  SmallVector<Value *, 8> columnsOfRun(Value *Run);
  Value *emitRuns(Value *Initial, BasicBlock *Loop);
  unsigned copiesOfLoop() const;
  void emitFinish(Value *Sums);

  KernelBuilder &K;
  IRBuilder<> &B;
  Function &F;
  const MicroArguments &Arguments;
  unsigned Rows, Columns;
  MicroKind Kind;
  FixedVectorType *TileTy;
};

/// Nothing else points to the factors.
void KernelBuilder::setReadOnly(const MicroArguments &Arguments) {
  if (Arguments.Table)
    cast<Argument>(Arguments.Table)->addAttr(Attribute::NoAlias);
  for (const MicroArguments::Factors &T : Arguments.Terms)
    for (Value *Factor : {T.A, T.B}) {
      cast<Argument>(Factor)->addAttr(Attribute::NoAlias);
      cast<Argument>(Factor)->addAttr(Attribute::ReadOnly);
    }
}

Function *KernelBuilder::buildMicroKernel(unsigned Rows, unsigned Columns,
                                          MicroKind Kind) {
  if (ThePlan.inSquares())
    return buildSquareKernel(Rows, Columns, Kind);
  MicroArguments Arguments;
  Function *F =
      createFunction(("micro." + Twine(Rows) + "x" + Twine(Columns)).str(),
                     B.getVoidTy(), parametersOf(Arguments, Kind));
  // The products of a step, of all terms, are more than registers hold. Spilled
  // vectors must not cross cache lines.
  if (Terms.size() > 1)
    F->addFnAttr(Attribute::getWithStackAlignment(
        Ctx, Align(PowerOf2Ceil(ThePlan.VectorBits / 8))));
  setReadOnly(Arguments);
  if (Arguments.Slot)
    cast<Argument>(Arguments.Slot)->addAttr(Attribute::get(Ctx, SlotAttribute));
  MicroKernel(*this, *F, Arguments, Rows, Columns, Kind).build();
  return F;
}

void KernelBuilder::MicroKernel::build() {
  BasicBlock *Loop = block("k");
  Value *Initial = Constant::getNullValue(TileTy);
  if (!startsLate())
    Initial = K.negatedIfSubtracted(emitStart(nullptr, Loop));
  Initial = corrected(Initial);
  if (prefetchesInLoop())
    K.emitIf(B.CreateICmpULT(Arguments.Groups, K.i64(Columns)), "short",
             [&] { prefetchTile(); });
  else if (prefetches())
    prefetchTile();
  Value *Sums = K.negatedIfSubtracted(isOfRuns() ? emitRuns(Initial, Loop)
                                                 : emitLoop(Initial, Loop));
  if (startsLate())
    Sums = emitStart(Sums, /*Before=*/nullptr);
  emitFinish(Sums);
}

/// \p Access, of the rows that exist.
CallInst *KernelBuilder::MicroKernel::existing(CallInst *Access) {
  return mayLackRows() ? withOperands(Access, ExistingRows, Arguments.Rows)
                       : Access;
}

/// \p Access, of the columns that exist.
CallInst *KernelBuilder::MicroKernel::inColumns(CallInst *Access) {
  if (!K.asksForColumns(Kind))
    return Access;
  return withOperands(Access, MovedColumns,
                      {Arguments.Columns, K.i64(Columns / 2)});
}

/// \p Access, of the wanted half.
CallInst *KernelBuilder::MicroKernel::wanted(CallInst *Access) {
  return Kind == MicroKind::Cut
             ? withOperands(Access, WantedElements,
                            {Arguments.Diagonal,
                             B.getInt1(K.Wanted == Half::Lower),
                             K.i64(K.ThePlan.VL)})
             : Access;
}

/// C of a tile that is turned: its rows are loaded as lines.
Value *KernelBuilder::MicroKernel::loadTurned() {
  MatrixBuilder Matrix(B);
  CallInst *Lines = Matrix.CreateColumnMajorLoad(
      K.Op.SumTy, Arguments.C, K.ElemAlign, elements(Arguments.StrideCn),
      /*IsVolatile=*/false, Columns, Rows);
  return Matrix.CreateMatrixTranspose(
      withOperands(Lines, ExistingColumns, existingLines()), Columns, Rows);
}

void KernelBuilder::MicroKernel::storeTurned(Value *Sum) {
  MatrixBuilder Matrix(B);
  Value *Lines = Matrix.CreateMatrixTranspose(Sum, Rows, Columns);
  CallInst *Store = Matrix.CreateColumnMajorStore(
      Lines, Arguments.C, K.ElemAlign, elements(Arguments.StrideCn),
      /*IsVolatile=*/false, Columns, Rows);
  Store = withOperands(Store, ExistingColumns, existingLines());
  if (Columns != K.ThePlan.NR)
    withOperands(Store, SkippedRows, Arguments.Shared);
}

Value *KernelBuilder::MicroKernel::loadTile(Value *Base, Value *Stride) {
  return wanted(existing(inColumns(MatrixBuilder(B).CreateColumnMajorLoad(
      K.Op.SumTy, Base, K.ElemAlign, elements(Stride),
      /*IsVolatile=*/false, Rows, Columns))));
}

void KernelBuilder::MicroKernel::storeTile(Value *Sum, Value *Base,
                                           Value *Stride) {
  auto Store = [&] {
    return inColumns(MatrixBuilder(B).CreateColumnMajorStore(
        Sum, Base, K.ElemAlign, elements(Stride), /*IsVolatile=*/false, Rows,
        Columns));
  };
  // Stores under a mask are slow on some CPUs, and keep later loads waiting.
  if (Kind == MicroKind::Any && K.hasMasks() && Rows == K.ThePlan.VL)
    K.emitIf(
        B.CreateICmpEQ(Arguments.Rows, K.i64(Rows)), "whole", [&] { Store(); },
        [&] { existing(Store()); });
  else
    wanted(existing(Store()));
}

/// What sums start from, or \p Sums and that; in blocks in front of \p Before.
Value *KernelBuilder::MicroKernel::emitStart(Value *Sums, BasicBlock *Before) {
  auto Added = [&](Value *Start) {
    return Sums ? B.CreateAdd(Start, Sums) : Start;
  };
  if (isTurned())
    return K.evaluate(K.Op.Start, Arguments.Scalars, Rows * Columns,
                      [&](Value *, Leaf) { return loadC(); });
  if (!K.asksForStart(Kind))
    return Added(loadC());
  BasicBlock *StartBB = block("start", Before);
  BasicBlock *ResumeBB = block("resume", Before);
  BasicBlock *EnterBB = block("enter", Before);
  Value *OldC = nullptr; // both start and resume from it
  if (K.SumsInC && !K.resumesFromC() && K.Op.Start.uses(Leaf::C))
    OldC = loadC();
  B.CreateCondBr(Arguments.First, StartBB, ResumeBB);
  B.SetInsertPoint(StartBB);
  Value *Started = Constant::getNullValue(TileTy);
  if (!K.resumesFromC())
    Started = K.evaluate(K.Op.Start, Arguments.Scalars, Rows * Columns,
                         [&](Value *, Leaf) { return OldC ? OldC : loadC(); });
  Started = Added(Started);
  B.CreateBr(EnterBB);
  B.SetInsertPoint(ResumeBB);
  Value *Resumed = OldC;
  if (!Resumed)
    Resumed = K.SumsInC ? loadC() : loadTile(Arguments.P, Arguments.StridePn);
  Resumed = Added(Resumed);
  B.CreateBr(EnterBB);
  B.SetInsertPoint(EnterBB);
  PHINode *Either = B.CreatePHI(TileTy, 2, "initial");
  Either->addIncoming(Started, StartBB);
  Either->addIncoming(Resumed, ResumeBB);
  return Either;
}

/// \p Sums plus what flipping the signs of A adds to each column, if they are.
Value *KernelBuilder::MicroKernel::corrected(Value *Sums) {
  if (!K.Correction)
    return Sums;
  auto Load = [&](Value *From, unsigned Count) -> Value * {
    return B.CreateAlignedLoad(FixedVectorType::get(K.Op.SumTy, Count), From,
                               Align(K.Size));
  };
  unsigned Moved = K.asksForColumns(Kind) ? Columns / 2 : 0;
  Value *OfColumns = Load(Arguments.Corrections, Columns - Moved);
  if (Moved) {
    Value *First = B.CreateSub(Arguments.Columns, K.i64(Moved));
    Value *OfMoved =
        Load(K.offset(Arguments.Corrections, First, K.i64(K.Size)), Moved);
    OfColumns = concatenateVectors(B, {OfColumns, OfMoved});
  }
  return B.CreateAdd(Sums, B.CreateShuffleVector(
                               OfColumns, createReplicatedMask(Rows, Columns)));
}

/// Column number \p J of the later tile of C that is prefetched. Sums that are
/// kept beside C are in memory as well: before the last block of K only they are,
/// and in that one they are prefetched if \p Sums, where C is in other steps.
Value *KernelBuilder::laterColumn(const MicroArguments &Arguments, Value *J,
                                  Value *Sums) {
  Value *Base = Arguments.C, *Stride = Arguments.StrideCn;
  if (Sums) {
    Base = B.CreateSelect(Sums, Arguments.P, Base);
    Stride = B.CreateSelect(Sums, Arguments.StridePn, Stride);
  }
  return offset(Base, B.CreateAdd(J, Arguments.Ahead), Stride);
}

/// Prefetches a column of a later tile of C. Many prefetches at once are dropped
/// if what is loaded here misses the caches, too, so the loop makes them where
/// it can.
void KernelBuilder::MicroKernel::prefetchColumn(Value *J, Value *Sums) {
  K.prefetch(K.laterColumn(Arguments, J, Sums), Rows * K.Size,
             K.ThePlan.CacheLine);
}

/// Prefetches one column in each step of the loop: all of them again and again,
/// as that costs less than a test.
void KernelBuilder::MicroKernel::prefetchInLoop(Value *Step) {
  uint64_t Period = bit_ceil(Columns);
  Value *Sums = nullptr;
  if (!K.SumsInC)
    Sums = B.CreateOr(
        B.CreateNot(Arguments.Last),
        B.CreateAnd(B.CreateNot(Arguments.First),
                    B.CreateIsNull(B.CreateAnd(Step, K.i64(Period)))));
  prefetchColumn(B.CreateAnd(Step, K.i64(Period - 1)), Sums);
}

void KernelBuilder::MicroKernel::prefetchTile() {
  for (unsigned J = 0; J < Columns; ++J)
    prefetchColumn(K.i64(J));
}

/// Whether A may be read in place from behind L2. Kernels for few rows or columns
/// are not worth the code.
bool KernelBuilder::MicroKernel::mayReadFar(const Operand &A) const {
  return Kind == MicroKind::Any && Rows == K.ThePlan.MR &&
         Columns > K.ThePlan.NR / 2 && K.mayReadInPlace(A) &&
         K.ThePlan.PackA->SpanAbove != PackingRule::Unlimited;
}

/// Whether what is read in steps of \p Stride bytes comes from behind L2: hardware
/// does not guess where the next column begins. Prefetches of what is nearer cost
/// more than they gain, and so do those that share a few sets of L1.
Value *KernelBuilder::MicroKernel::isFar(Value *Stride) {
  Value *Span = B.CreateMul(Stride, Arguments.Groups);
  Value *IsLarge = B.CreateICmpUGT(Span, K.i64(2 * K.ThePlan.PackA->SpanAbove));
  return B.CreateAnd(IsLarge, B.CreateNot(K.isMultipleOf(Stride, Page)));
}

/// The factors of term number \p T.
KernelBuilder::MicroKernel::Stream
KernelBuilder::MicroKernel::streamOf(unsigned T) {
  const MicroArguments::Factors &Given = Arguments.Terms[T];
  Stream S;
  S.StrideA = Given.StrideAk;
  S.StrideB = Given.StrideBk;
  // As slivers are, so may be what is read in place.
  const Operand &Of = K.Terms[T].B;
  bool IsAdjacent = isPacked() || K.ThePlan.Engine->needsPackedB() ||
                    (!(Kind == MicroKind::Any && K.AreGeneral) &&
                     (Of.X.isUnit(tilesmith::N, K.DL) ||
                      !(isSmall() || isOfWindows() || K.mayReadInPlace(Of))));
  S.LdB = IsAdjacent ? K.i64(1) : elements(Given.StrideBn);
  if (isPacked()) {
    S.StrideA = K.i64(Rows * K.PanelSize);
    S.StrideB = K.i64(Columns * K.PanelSize);
  }
  S.AheadA = B.CreateMul(S.StrideA, K.i64(StepsAhead));
  // Other engines take a loop of one block.
  if (K.ThePlan.Engine->HasSumsInVectors && mayReadFar(K.Terms[T].A))
    S.IsFarA = isFar(S.StrideA);
  S.AheadB = B.CreateMul(S.StrideB, K.i64(StepsAhead));
  return S;
}

void KernelBuilder::MicroKernel::prefetchA(const Stream &S) {
  K.prefetch(B.CreatePtrAdd(S.PtrA, S.AheadA), Rows * K.PanelSize,
             K.ThePlan.CacheLine);
}

/// To the second-level cache.
void KernelBuilder::MicroKernel::prefetchLaterA(Value *A) {
  if (K.prefetchesLaterA(Kind))
    K.prefetch(B.CreatePtrAdd(A, Arguments.LaterA), /*Bytes=*/1,
               K.ThePlan.CacheLine, /*Locality=*/2);
}

/// Where the elements of \p Step are in B, as the table tells. There is one term.
Value *KernelBuilder::MicroKernel::rowOfWindows(Value *Step) {
  return B.CreatePtrAdd(
      Arguments.Terms.front().B,
      K.distanceOfStep(Arguments.Table, Step, K.Terms.front().B));
}

/// The loop over k: the sums after it, in a block of their own.
Value *KernelBuilder::MicroKernel::emitLoop(Value *Initial, BasicBlock *Loop) {
  SmallVector<Stream, 1> Streams;
  for (unsigned T = 0; T < K.Terms.size(); ++T)
    Streams.push_back(streamOf(T));
  BasicBlock *Entry = B.GetInsertBlock();
  Value *FirstOfB = isOfWindows() ? rowOfWindows(K.i64(0)) : nullptr;
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Step = B.CreatePHI(K.I64, 2, "step");
  PHINode *Sum = B.CreatePHI(TileTy, 2, "sum");
  for (auto [T, S] : zip_equal(Arguments.Terms, Streams)) {
    S.PtrA = B.CreatePHI(K.Ptr, 2, "a.ptr");
    S.PtrA->addIncoming(T.A, Entry);
    S.PtrB = B.CreatePHI(K.Ptr, 2, "b.ptr");
    S.PtrB->addIncoming(FirstOfB ? FirstOfB : T.B, Entry);
  }
  Step->addIncoming(K.i64(0), Entry);
  Sum->addIncoming(Initial, Entry);

  for (const Stream &S : Streams)
    if (S.IsFarA)
      K.emitIf(S.IsFarA, "far", [&] { prefetchA(S); });

  MatrixBuilder Matrix(B);
  // Groups are packed, but for those of windows.
  Align PanelAlign = K.ThePlan.Narrow ? Align(K.PanelSize) : K.ElemAlign;
  Align AlignOfB = isOfWindows() ? alignmentInPlace() : PanelAlign;
  SmallVector<Value *, 1> A, BRow;
  for (Stream &S : Streams) {
    A.push_back(existing(
        Matrix.CreateColumnMajorLoad(K.PanelTy, S.PtrA, PanelAlign, K.i64(Rows),
                                     /*IsVolatile=*/false, Rows, 1)));
    BRow.push_back(inColumns(
        Matrix.CreateColumnMajorLoad(K.PanelTy, S.PtrB, AlignOfB, S.LdB,
                                     /*IsVolatile=*/false, 1, Columns)));
    if (isPacked() || isOfWindows())
      prefetchA(S);
    prefetchLaterA(S.PtrA);
    if (Columns * K.PanelSize >= K.ThePlan.CacheLine && isPacked())
      K.prefetch(B.CreatePtrAdd(S.PtrB, S.AheadB), Columns * K.PanelSize,
                 K.ThePlan.CacheLine);
  }
  if (prefetchesInLoop())
    prefetchInLoop(Step);
  Value *Next = K.emitStep(Arguments.Scalars, Sum, A, BRow, Rows, Columns);
  if (Kind == MicroKind::Corner)
    Next = B.CreateSelect(K.stepIsMade(Rows, Columns, Step, Arguments.Diagonal),
                          Next, Sum);

  Value *NextStep = B.CreateNUWAdd(Step, K.i64(1));
  BasicBlock *End = B.GetInsertBlock();
  Step->addIncoming(NextStep, End);
  Sum->addIncoming(Next, End);
  // Of an engine's own tiles, lowering looks at how pointers move.
  const bool Hides = !isSmall() && K.ThePlan.Engine == &getVectorRegisters();
  auto Move = [&](PHINode *Pointer, Value *Stride) {
    Value *Moved = B.CreatePtrAdd(Pointer, Stride);
    Pointer->addIncoming(Hides ? K.hidden(Moved) : Moved, End);
  };
  for (Stream &S : Streams) {
    Move(S.PtrA, S.StrideA);
    // The table is read a step ahead: rows would begin late, or elements be loaded
    // all at once.
    if (isOfWindows())
      S.PtrB->addIncoming(K.hidden(rowOfWindows(NextStep)), End);
    else
      Move(S.PtrB, S.StrideB);
  }
  BasicBlock *Done = block("done");
  BranchInst *Latch =
      B.CreateCondBr(B.CreateICmpULT(NextStep, Arguments.Groups), Loop, Done);
  K.setLoopHints(*Latch, copiesOfLoop());
  B.SetInsertPoint(Done);
  return Next;
}

/// Where the columns' elements are in the steps of \p Run: zeros beyond a border.
SmallVector<Value *, 8> KernelBuilder::MicroKernel::columnsOfRun(Value *Run) {
  auto Field = [&](Value *Of, unsigned Number) {
    return B.CreateAlignedLoad(K.I64, B.CreatePtrAdd(Of, K.i64(8 * Number)),
                               Align(8));
  };
  Value *Distance = Field(Run, 1);
  SmallVector<Value *, 8> Result;
  for (unsigned J = 0; J < Columns; ++J) {
    Value *Window = B.CreatePtrAdd(
        Arguments.Windows, K.i64(J * bytesOfStep(Arguments.Extents.size())));
    Value *From =
        B.CreatePtrAdd(B.CreateAlignedLoad(K.Ptr, Window, Align(8)), Distance);
    for (auto [I, Extent] : enumerate(Arguments.Extents)) {
      Value *Position = B.CreateAdd(Field(Window, I + 1), Field(Run, I + 2));
      From = B.CreateSelect(B.CreateICmpULT(Position, Extent), From,
                            Arguments.Zeros);
    }
    Result.push_back(From);
  }
  return Result;
}

/// The loops over runs and over the steps of each: the sums after them. There is
/// one term.
Value *KernelBuilder::MicroKernel::emitRuns(Value *Initial, BasicBlock *Loop) {
  const MicroArguments::Factors &T = Arguments.Terms.front();
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *StepBB = block("run.step"), *NextBB = block("run.next");
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Number = B.CreatePHI(K.I64, 2, "run");
  PHINode *SumOfRuns = B.CreatePHI(TileTy, 2, "sum.runs");
  PHINode *AOfRun = B.CreatePHI(K.Ptr, 2, "a.run");
  Value *Run = K.offset(Arguments.Runs, Number, K.i64(K.bytesOfRun()));
  Value *Length = B.CreateAlignedLoad(K.I64, Run, Align(8), "length");
  SmallVector<Value *, 8> Elements = columnsOfRun(Run);
  B.CreateBr(StepBB);
  B.SetInsertPoint(StepBB);
  PHINode *Step = B.CreatePHI(K.I64, 2, "step");
  PHINode *Sum = B.CreatePHI(TileTy, 2, "sum");
  PHINode *PtrA = B.CreatePHI(K.Ptr, 2, "a.ptr");
  MatrixBuilder Matrix(B);
  Value *A = existing(
      Matrix.CreateColumnMajorLoad(K.PanelTy, PtrA, K.ElemAlign, K.i64(Rows),
                                   /*IsVolatile=*/false, Rows, 1));
  Value *BRow = PoisonValue::get(FixedVectorType::get(K.PanelTy, Columns));
  for (auto [J, From] : enumerate(Elements))
    BRow = B.CreateInsertElement(BRow,
                                 B.CreateAlignedLoad(K.PanelTy,
                                                     K.element(From, Step),
                                                     alignmentInPlace()),
                                 J);
  prefetchLaterA(PtrA);
  Value *AheadA = B.CreateMul(T.StrideAk, K.i64(StepsAhead));
  K.prefetch(B.CreatePtrAdd(PtrA, AheadA), Rows * K.PanelSize,
             K.ThePlan.CacheLine);
  if (prefetchesInLoop())
    prefetchInLoop(Step);
  Value *Next = K.emitStep(Arguments.Scalars, Sum, A, BRow, Rows, Columns);
  Value *NextA = B.CreatePtrAdd(PtrA, T.StrideAk);
  Value *NextStep = B.CreateNUWAdd(Step, K.i64(1));
  K.setLoopHints(
      *B.CreateCondBr(B.CreateICmpULT(NextStep, Length), StepBB, NextBB), 1);
  B.SetInsertPoint(NextBB);
  Value *NextNumber = B.CreateNUWAdd(Number, K.i64(1));
  BasicBlock *Done = block("done");
  K.setLoopHints(*B.CreateCondBr(B.CreateICmpULT(NextNumber, Arguments.NumRuns),
                                 Loop, Done),
                 1);
  for (auto [Phi, First, Then] :
       {std::tuple(Number, (Value *)K.i64(0), NextNumber),
        {SumOfRuns, Initial, Next},
        {AOfRun, T.A, NextA}}) {
    Phi->addIncoming(First, Entry);
    Phi->addIncoming(Then, NextBB);
  }
  for (auto [Phi, First, Then] : {std::tuple(Step, (Value *)K.i64(0), NextStep),
                                  {Sum, (Value *)SumOfRuns, Next},
                                  {PtrA, (Value *)AOfRun, NextA}}) {
    Phi->addIncoming(First, Loop);
    Phi->addIncoming(Then, StepBB);
  }
  B.SetInsertPoint(Done);
  return Next;
}

/// So many steps are made in an iteration.
unsigned KernelBuilder::MicroKernel::copiesOfLoop() const {
  if (!isPacked() && !isSmall())
    return 1;
  // Some 48 multiply-adds hide the loop's own instructions. More would invite
  // the scheduler to hoist loads until registers spill.
  constexpr unsigned MultiplyAdds = 48;
  const Contraction &Op = K.Op;
  unsigned InStep =
      K.ThePlan.Engine->multiplyAdds({Rows, Columns}, K.ThePlan.VL) *
      K.Terms.size();
  unsigned Copies = std::min(std::max(1u, MultiplyAdds / InStep),
                             K.ThePlan.stepsAtOnce(Op, Rows, Columns));
  if (isPacked())
    return Copies;
  // Straight code beside other tiles would share loads with them, and spill.
  bool IsAlone = Rows == Op.constantExtent(tilesmith::M) &&
                 Columns == Op.constantExtent(tilesmith::N);
  uint64_t Steps = *Op.constantExtent(tilesmith::K);
  uint64_t Rounds = divideCeil(Steps, Copies);
  if (IsAlone && Steps * InStep <= 2 * MultiplyAdds)
    Rounds = 1;
  else if (!IsAlone && Rounds == 1)
    Rounds = 2;
  return divideCeil(Steps, Rounds);
}

/// Stores what is made of \p Sums after the last block of K, and the sums
/// themselves after the others.
void KernelBuilder::MicroKernel::emitFinish(Value *Sums) {
  Value *Target = Arguments.C, *Stride = Arguments.StrideCn;
  auto Finished = [&] {
    return K.evaluate(
        K.Op.Finish, Arguments.Scalars, Rows * Columns,
        [&](Value *, Leaf Kind) { return Kind == Leaf::Sum ? Sums : loadC(); });
  };
  if (isTurned()) {
    storeTurned(K.SumsInC ? Sums : Finished());
    B.CreateRetVoid();
    return;
  }
  if (!K.SumsInC) {
    BasicBlock *SumsBB = B.GetInsertBlock();
    Value *Last = Arguments.Last;
    BasicBlock *FinishBB = block("finish"), *StoreBB = block("store");
    B.CreateCondBr(Last, FinishBB, StoreBB);
    B.SetInsertPoint(FinishBB);
    Value *Final = Finished();
    B.CreateBr(StoreBB);
    B.SetInsertPoint(StoreBB);
    PHINode *Either = B.CreatePHI(TileTy, 2, "result");
    Either->addIncoming(Final, FinishBB);
    Either->addIncoming(Sums, SumsBB);
    Sums = Either;
    Target = B.CreateSelect(Last, Target, Arguments.P);
    Stride = B.CreateSelect(Last, Stride, Arguments.StridePn);
  }
  storeTile(Sums, Target, Stride);
  B.CreateRetVoid();
}

/// \p Sum after one more step, with a column of A and a row of B for each term.
Value *KernelBuilder::emitStep(Value *Scalars, Value *Sum, ArrayRef<Value *> A,
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
      if (Op.Update.Fused.contains(T.Product))
        Flags.setAllowContract();
      auto *Call = dyn_cast<IntrinsicInst>(T.Product);
      if (Call && Call->getIntrinsicID() == Intrinsic::fma)
        Product->addFnAttr(Attribute::get(Ctx, MustFuse));
      Product->setFastMathFlags(Flags);
    }
    Products[T.Product] = Product;
  }
  if (ThePlan.Narrow) {
    // One after the other, so that each continues the sum.
    auto *Add = dyn_cast<FPMathOperator>(Op.Update.Root);
    for (const Term &T : Op.Terms)
      Sum = Add ? B.CreateFAddFMF(Sum, Products.lookup(T.Product),
                                  Add->getFastMathFlags())
                : B.CreateAdd(Sum, Products.lookup(T.Product));
    return Sum;
  }
  return evaluate(Op.Update, Scalars, Rows * Columns,
                  [&](Value *V, Leaf Kind) -> Value * {
                    if (Kind == Leaf::A || Kind == Leaf::B)
                      return leafOfPair(Kind == Leaf::A ? OfA : OfB, *V);
                    return Kind == Leaf::Sum ? Sum : Products.lookup(V);
                  });
}

/// Whether each element of a tile takes part in a step.
Value *KernelBuilder::stepIsMade(unsigned Rows, unsigned Columns, Value *Step,
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
