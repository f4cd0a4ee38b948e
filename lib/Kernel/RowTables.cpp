//===- RowTables.cpp - matrices given by pointers to their rows -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around a kernel, which needs strides:
//
//   collect the pointers of each table
//   return false if a row of C overlaps another one, or anything that is read
//   copy the rows to dense matrices
//   kernel(...)
//   copy those of C back
//
// Nothing may be read that the source's loops would not. They read all pointers
// of a table, whatever becomes of C, unless they change where the table is. So
// the rows of C come first, and each is compared with what the addresses of
// tables are loaded from, before the next pointer is read.
//
// If tables say how long rows are, the source's loops end where one is too short.
// Then pointers are read in the order of these loops: the first one of each table,
// all of the tables that inner loops go through, the others. Each row is compared
// with its length at once; rows of C also with all tables, as storing to one might
// change a length.
//
// That two sets of rows do not overlap is mostly seen from the bounds of both,
// and of C's rows from their ascending order. Otherwise they are compared one
// by one.
//
//===----------------------------------------------------------------------===//

#include "ByteRange.h"
#include "KernelBuilder.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// What is known about the rows of a table, as words of memory.
enum Fact {
  Least,    ///< of the addresses
  Greatest, ///< likewise
  End,      ///< of the last row
  Disorder, ///< whether a row begins before the one in front of it ends
  NumFacts
};

Value *addressOf(IRBuilderBase &B, Value *Facts, Fact Which) {
  return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Facts, Which);
}

Value *load(IRBuilderBase &B, Value *Facts, Fact Which) {
  return B.CreateLoad(B.getInt64Ty(), addressOf(B, Facts, Which));
}

} // namespace

/// The function under way that copies rows around a kernel.
class KernelBuilder::RowKernel {
public:
  explicit RowKernel(KernelBuilder &K) : K(K), B(K.B), Op(K.Op) {}

  llvm::Function *build(const BuiltKernel &Kernel);

private:
  /// An operand of the kernel, and how it is passed: as the kernel takes it, or
  /// as a table.
  struct Operand {
    const Access &X;
    Dim First, Second; ///< whose strides the kernel takes
    KernelArguments::Operand Given;

    // Set for an operand in a table.
    Value *Count = nullptr, *Length = nullptr; ///< rows, and elements of each
    Value *LengthInBytes = nullptr;            ///< of a copied row
    Bytes Row{}; ///< what a row takes up, counted from its first element
    // Its parts of the buffer: the copy; the addresses of the rows' first
    // elements; what is found out about them.
    Value *Copy = nullptr, *Rows = nullptr, *Facts = nullptr;
  };
  /// From one number to another.
  using Range = std::pair<Value *, Value *>;

  void setOperands();
  Value *allocateCopies(BasicBlock *NoMemory);
  Value *rowOf(const Operand &T, Value *I);
  Range usedIn(const Operand &T, Value *I);
  Bytes bytesOfRow(const Operand &T, Value *I, Value *Address);
  Bytes bytesOf(const Operand &T);
  void collectRow(Operand &T, Value *I);
  void collectRows();
  void collectInTurn(MutableArrayRef<Operand *> Tables);
  void leaveIfMet(const Operand &T, Value *Begin, Bytes Where);
  void compareWithRest();
  void compareRowsOfC();
  void collectAndCompare();
  void copyRows(const Operand &T, bool Back);
  void passCopies();

  KernelBuilder &K;
  IRBuilder<> &B;
  const Contraction &Op;

  // In the order in which they come to be.
  Function *Meets = nullptr;
  KernelArguments Arguments;
  BasicBlock *Overlap = nullptr; ///< entered if rows overlap
  /// In the order of the kernel's arguments.
  SmallVector<Operand, 3> Operands;
  Value *Extent[NumDims] = {};
  /// What the addresses of tables are loaded from.
  SmallVector<Bytes, 2> Invariants;
};

/// i1 tilesmith.meets(ptr rows, i64 begin, i64 end, i64 low, i64 width):
/// whether one of these addresses is in [low, low + width).
Function *KernelBuilder::buildMeets() {
  MeetsArguments Arguments;
  Function *F = createFunction("meets", B.getInt1Ty(), parametersOf(Arguments));
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *Header = BasicBlock::Create(Ctx, "row", F);
  BasicBlock *Body = BasicBlock::Create(Ctx, "row.body", F);
  BasicBlock *Exit = BasicBlock::Create(Ctx, "row.end", F);
  B.CreateBr(Header);
  // A plain loop, for LLVM to vectorise.
  B.SetInsertPoint(Header);
  PHINode *Row = B.CreatePHI(I64, 2, "row.iv");
  PHINode *Found = B.CreatePHI(B.getInt1Ty(), 2, "found");
  Row->addIncoming(Arguments.Begin, Entry);
  Found->addIncoming(B.getFalse(), Entry);
  B.CreateCondBr(B.CreateICmpULT(Row, Arguments.End), Body, Exit);
  B.SetInsertPoint(Body);
  Value *Address =
      B.CreateLoad(I64, B.CreateInBoundsGEP(I64, Arguments.Rows, Row));
  Value *IsIn =
      B.CreateICmpULT(B.CreateSub(Address, Arguments.Low), Arguments.Width);
  Row->addIncoming(B.CreateNUWAdd(Row, i64(1)), Body);
  Found->addIncoming(B.CreateOr(Found, IsIn), Body);
  B.CreateBr(Header);
  B.SetInsertPoint(Exit);
  B.CreateRet(Found);
  return F;
}

void KernelFrame::leaveIf(Value *Condition, BasicBlock *To) {
  BasicBlock *Stay = BasicBlock::Create(Ctx, "stay", To->getParent());
  B.CreateCondBr(Condition, To, Stay);
  B.SetInsertPoint(Stay);
}

/// The pointer to the first element of row number \p I.
Value *KernelBuilder::RowKernel::rowOf(const Operand &T, Value *I) {
  Value *Entry = K.offset(T.Given.Entry, I, T.Given.Distance);
  return B.CreatePtrAdd(
      B.CreateAlignedLoad(K.Ptr, Entry, T.X.Rows->EntryAlignment),
      T.Given.Offset);
}

/// The elements of row number \p I that the source accesses: [first, second).
KernelBuilder::RowKernel::Range
KernelBuilder::RowKernel::usedIn(const Operand &T, Value *I) {
  if (&T.X != &Op.C || K.Wanted == Half::None)
    return {K.i64(0), T.Length};
  bool ByRow = T.X.Rows->PointerDim == tilesmith::M;
  Value *OnDiagonal = ByRow ? B.CreateAdd(I, Arguments.Diagonal)
                            : B.CreateSub(I, Arguments.Diagonal);
  if (ByRow == (K.Wanted == Half::Lower))
    return {K.i64(0), K.clamp(B.CreateAdd(OnDiagonal, K.i64(1)), T.Length)};
  return {K.clamp(OnDiagonal, T.Length), T.Length};
}

/// The bytes from the first to the last of these.
KernelBuilder::RowKernel::Range
KernelBuilder::RowKernel::bytesOfRow(const Operand &T, Value *I,
                                     Value *Address) {
  auto [Begin, End] = usedIn(T, I);
  Value *Steps = B.CreateSub(B.CreateSub(End, Begin), K.i64(1));
  Value *Step = T.Given.Step;
  Bytes Spanned =
      spanned(B, B.CreateMul(Steps, Step), K.DL.getTypeStoreSize(T.X.ElemTy));
  return moved(B, Spanned, B.CreateAdd(Address, B.CreateMul(Begin, Step)));
}

/// Leaves if row number \p I is not longer than the greatest subscript.
void KernelBuilder::leaveIfShort(Value *I, const Access &A,
                                 const KernelArguments::Operand &Table,
                                 BasicBlock *To) {
  const std::optional<RowLength> &Length = A.Rows->Length;
  if (!Length)
    return;
  Value *Entry = offset(Table.Entry, I, Table.Distance);
  auto Load = [&](int64_t Offset) {
    Align At = commonAlignment(A.Rows->EntryAlignment, Offset);
    return B.CreateAlignedLoad(I64, B.CreatePtrAdd(Entry, i64(Offset)), At);
  };
  Value *Elements = Load(Length->Offset);
  if (Length->Shift)
    Elements = B.CreateAShr(B.CreateSub(Elements, Load(0)), *Length->Shift);
  leaveIf(B.CreateICmpULE(Elements, Table.Greatest), To);
}

/// Loads pointer number \p I of \p T.
void KernelBuilder::RowKernel::collectRow(Operand &T, Value *I) {
  K.leaveIfShort(I, T.X, T.Given, Overlap);
  Value *Address = B.CreatePtrToInt(rowOf(T, I), K.I64);
  B.CreateStore(Address, B.CreateInBoundsGEP(K.I64, T.Rows, I));
  auto Update = [&](Fact Which, Intrinsic::ID By) {
    Value *New = B.CreateBinaryIntrinsic(By, load(B, T.Facts, Which), Address);
    B.CreateStore(New, addressOf(B, T.Facts, Which));
  };
  Update(Least, Intrinsic::umin);
  Update(Greatest, Intrinsic::umax);
  if (&T.X != &Op.C)
    return;
  Bytes Row = bytesOfRow(T, I, Address);
  for (Bytes Read : Invariants)
    K.leaveIf(overlap(B, Row, Read), Overlap);
  Value *IsEarly = B.CreateICmpULT(Row.first, load(B, T.Facts, End));
  Value *AnyEarly = load(B, T.Facts, Disorder);
  AnyEarly = B.CreateOr(AnyEarly, B.CreateZExt(IsEarly, K.I64));
  B.CreateStore(AnyEarly, addressOf(B, T.Facts, Disorder));
  B.CreateStore(Row.second, addressOf(B, T.Facts, End));
}

/// Loads the pointers of all tables. As long as nobody writes to \p X's
/// invariants, the source's loops load them, too.
void KernelBuilder::RowKernel::collectRows() {
  SmallVector<Operand *, 3> Tables;
  bool HasLengths = false;
  for (Operand &T : reverse(Operands)) {
    if (!T.X.Rows)
      continue;
    Tables.push_back(&T);
    HasLengths |= T.X.Rows->Length.has_value();
    B.CreateStore(K.i64(UINT64_MAX), addressOf(B, T.Facts, Least));
    for (Fact Which : {Greatest, End, Disorder})
      B.CreateStore(K.i64(0), addressOf(B, T.Facts, Which));
  }
  if (HasLengths)
    return collectInTurn(Tables);
  for (Operand *T : Tables)
    K.emitLoop(K.i64(0), T->Count, K.i64(1), "collect",
               [&](Value *I) { collectRow(*T, I); });
}

/// The same, as the source's loops do.
void KernelBuilder::RowKernel::collectInTurn(
    MutableArrayRef<Operand *> Tables) {
  auto TurnOf = [](const Operand *T) { return T->X.Rows->Turn; };
  sort(Tables, [&](const Operand *T, const Operand *U) {
    return TurnOf(T).Number < TurnOf(U).Number;
  });
  if (Op.C.Rows)
    for (const Operand *T : Tables)
      Invariants.push_back(bytesOf(*T));
  unsigned NumLoops = 0;
  for (const Operand *T : Tables)
    NumLoops = std::max(NumLoops, TurnOf(T).LastAfter + 1);
  for (unsigned Loop = NumLoops; Loop--;) {
    SmallVector<Operand *, 3> Moved;
    for (Operand *T : Tables) {
      if (TurnOf(T).LastAfter == Loop)
        collectRow(*T, K.i64(0));
      if (TurnOf(T).Loop == Loop)
        Moved.push_back(T);
    }
    if (!Moved.empty())
      K.emitLoop(K.i64(1), Moved.front()->Count, K.i64(1), "collect",
                 [&](Value *I) {
                   for (Operand *T : Moved)
                     collectRow(*T, I);
                 });
  }
}

/// Leaves if a row of \p T, from number \p Begin on, overlaps \p Where.
void KernelBuilder::RowKernel::leaveIfMet(const Operand &T, Value *Begin,
                                          Bytes Where) {
  Bytes Box{B.CreateAdd(T.Row.first, load(B, T.Facts, Least)),
            B.CreateAdd(T.Row.second, load(B, T.Facts, Greatest))};
  K.emitIf(overlap(B, Box, Where), "near", [&] {
    // The addresses of rows that overlap make up an interval.
    Value *Low = B.CreateAdd(B.CreateSub(Where.first, T.Row.second), K.i64(1));
    Value *Width = B.CreateSub(Where.second, Where.first);
    Width = B.CreateAdd(Width, B.CreateSub(T.Row.second, T.Row.first));
    Width = B.CreateSub(Width, K.i64(1));
    MeetsArguments Arguments{T.Rows, Begin, T.Count, Low, Width};
    K.leaveIf(B.CreateCall(Meets, K.parametersOf(Arguments).values()), Overlap);
  });
}

/// Leaves if C, in a table, overlaps anything that is read, or itself.
void KernelBuilder::RowKernel::compareRowsOfC() {
  const Operand &C = Operands.back();
  SmallVector<Bytes, 3> Others;
  for (const Operand &T : Operands)
    Others.push_back(bytesOf(T));
  auto ForEachRow = [&](function_ref<void(Value *, Bytes)> Body) {
    K.emitLoop(K.i64(0), C.Count, K.i64(1), "compare", [&](Value *I) {
      Value *Address =
          B.CreateLoad(K.I64, B.CreateInBoundsGEP(K.I64, C.Rows, I));
      Body(I, bytesOfRow(C, I, Address));
    });
  };
  ForEachRow([&](Value *, Bytes Row) {
    for (Bytes Other : Others)
      K.leaveIf(overlap(B, Row, Other), Overlap);
    for (const Operand &T : drop_end(Operands))
      if (T.X.Rows)
        leaveIfMet(T, K.i64(0), Row);
  });
  K.emitIf(B.CreateIsNotNull(load(B, C.Facts, Disorder)), "disorder", [&] {
    ForEachRow([&](Value *I, Bytes Row) {
      leaveIfMet(C, B.CreateNUWAdd(I, K.i64(1)), Row);
    });
  });
}

/// What a table of \p Count rows takes up, with the lengths in it.
Bytes KernelBuilder::bytesOfTable(const Access &A,
                                  const KernelArguments::Operand &Table,
                                  Value *Count) {
  int64_t Begin = 0, End = DL.getPointerSize();
  if (const auto &Length = A.Rows->Length) {
    Begin = std::min(Begin, Length->Offset);
    End = std::max(End, Length->Offset + int64_t(sizeof(uint64_t)));
  }
  Value *Steps = B.CreateSub(Count, i64(1));
  Bytes Spanned =
      spanned(B, B.CreateMul(Table.Distance, Steps), uint64_t(End - Begin));
  Value *Start = B.CreatePtrToInt(Table.Entry, I64);
  return moved(B, Spanned, B.CreateAdd(Start, i64(Begin)));
}

/// What an operand takes up that is not in a table; otherwise, its table.
Bytes KernelBuilder::RowKernel::bytesOf(const Operand &T) {
  auto Span = [&](Value *Step, Value *Count) {
    return B.CreateMul(Step, B.CreateSub(Count, K.i64(1)));
  };
  const KernelArguments::Operand &Given = T.Given;
  if (T.X.Rows)
    return K.bytesOfTable(T.X, Given, T.Count);
  Value *Start = B.CreatePtrToInt(Given.Base, K.I64);
  Bytes First = spanned(B, Span(Given.First, Extent[T.First]), 0);
  Bytes Second = spanned(B, Span(Given.Second, Extent[T.Second]),
                         K.DL.getTypeStoreSize(T.X.ElemTy));
  return moved(B,
               {B.CreateAdd(First.first, Second.first),
                B.CreateAdd(First.second, Second.second)},
               Start);
}

/// Copies the rows of \p T to its dense matrix, or back.
void KernelBuilder::RowKernel::copyRows(const Operand &T, bool Back) {
  uint64_t Size = K.DL.getTypeStoreSize(T.X.ElemTy);
  Align InTable = T.X.Rows->ElementAlignment, InCopy = T.X.Alignment;
  K.emitLoop(K.i64(0), T.Count, K.i64(1), "copy", [&](Value *I) {
    Value *Row = rowOf(T, I);
    Value *Dense = K.offset(T.Copy, I, T.LengthInBytes);
    auto [Begin, End] = usedIn(T, I);
    auto *Step = dyn_cast<SCEVConstant>(T.X.Rows->Step);
    if (Step && Step->getAPInt() == Size) {
      Value *InRow = K.offset(Row, Begin, K.i64(Size));
      Value *InDense = K.offset(Dense, Begin, K.i64(Size));
      B.CreateMemCpy(Back ? InRow : InDense, Back ? InTable : InCopy,
                     Back ? InDense : InRow, Back ? InCopy : InTable,
                     B.CreateMul(B.CreateSub(End, Begin), K.i64(Size)));
      return;
    }
    K.emitLoop(Begin, End, K.i64(1), "element", [&](Value *J) {
      Value *InRow = K.offset(Row, J, T.Given.Step);
      Value *InDense = K.offset(Dense, J, K.i64(Size));
      if (Back)
        B.CreateAlignedStore(B.CreateAlignedLoad(T.X.ElemTy, InDense, InCopy),
                             InRow, InTable);
      else
        B.CreateAlignedStore(B.CreateAlignedLoad(T.X.ElemTy, InRow, InTable),
                             InDense, InCopy);
    });
  });
}

/// Gives the operands in tables their parts of a buffer, which is returned;
/// goes to \p NoMemory if there is none.
Value *KernelBuilder::RowKernel::allocateCopies(BasicBlock *NoMemory) {
  constexpr uint64_t MaxElements = uint64_t(1) << 40, Word = 8;
  Value *Total = K.i64(0);
  SmallVector<std::pair<Value **, Value *>, 9> Parts; // with their offsets
  auto Reserve = [&](Value *&Part, Value *Bytes) {
    Parts.push_back({&Part, Total});
    Total = B.CreateAdd(Total, K.alignUp(Bytes, CacheLine));
  };
  for (Operand &T : Operands) {
    if (!T.X.Rows)
      continue;
    K.leaveIf(
        B.CreateICmpUGE(B.CreateMul(T.Count, T.Length), K.i64(MaxElements)),
        NoMemory);
    Reserve(T.Copy, B.CreateMul(T.Count, T.LengthInBytes));
    Reserve(T.Rows, B.CreateMul(T.Count, K.i64(Word)));
    Reserve(T.Facts, K.i64(NumFacts * Word));
  }
  Value *Memory = K.emitMalloc(Total);
  K.leaveIf(B.CreateIsNull(Memory), NoMemory);
  Value *First = K.cacheLineIn(Memory);
  for (auto [Part, Offset] : Parts)
    *Part = B.CreatePtrAdd(First, Offset);
  return Memory;
}

void KernelBuilder::RowKernel::setOperands() {
  SmallVector<const Access *, 3> Accesses(drop_begin(Op.accesses()));
  Accesses.push_back(&Op.C);
  for (auto [I, A] : enumerate(Accesses)) {
    bool IsC = A == &Op.C;
    Operand T{*A, IsC || I % 2 == 0 ? tilesmith::M : N, IsC ? N : tilesmith::K,
              Arguments.Operands[I]};
    if (A->Rows) {
      uint64_t Size = K.DL.getTypeStoreSize(A->ElemTy);
      T.Count = Extent[A->Rows->PointerDim];
      T.Length = Extent[A->Rows->ElementDim];
      T.LengthInBytes = B.CreateMul(T.Length, K.i64(Size));
      Value *Steps = B.CreateSub(T.Length, K.i64(1));
      T.Row = spanned(B, B.CreateMul(T.Given.Step, Steps), Size);
    }
    Operands.push_back(T);
  }
  if (Op.C.Rows)
    for (auto [Load, Address] :
         zip_equal(K.View.Tests.InvariantLoads, Arguments.Invariants)) {
      uint64_t Size = K.DL.getTypeStoreSize(Load->getType());
      Invariants.push_back(
          moved(B, {K.i64(0), K.i64(Size)}, B.CreatePtrToInt(Address, K.I64)));
    }
}

/// Leaves if what else the nest stores overlaps a table, or a row of it.
void KernelBuilder::RowKernel::compareWithRest() {
  for (auto [Pair, Where] :
       zip_equal(K.View.apartFromRows(), Arguments.Apart)) {
    // C is the last one here.
    const Operand &T =
        Pair->Operand ? Operands[Pair->Operand - 1] : Operands.back();
    K.leaveIf(overlap(B, bytesOf(T), Where), Overlap);
    leaveIfMet(T, K.i64(0), Where);
  }
}

/// Finds all rows; leaves if C overlaps anything that is read, or itself.
void KernelBuilder::RowKernel::collectAndCompare() {
  const Operand &C = Operands.back();
  if (!C.X.Rows)
    for (const Operand &T : Operands)
      if (T.X.Rows)
        K.leaveIf(overlap(B, bytesOf(T), bytesOf(C)), Overlap);
  collectRows();
  compareWithRest();
  if (C.X.Rows)
    return compareRowsOfC();
  for (const Operand &T : Operands)
    if (T.X.Rows)
      leaveIfMet(T, K.i64(0), bytesOf(C));
}

/// Fills the copies, which the kernel takes.
void KernelBuilder::RowKernel::passCopies() {
  for (auto [T, Passed] : zip_equal(Operands, Arguments.Operands)) {
    if (!T.X.Rows)
      continue;
    if (&T.X != &Op.C || Op.readsC())
      copyRows(T, /*Back=*/false);
    auto StrideOf = [&, &T = T](Dim D) -> Value * {
      return D == T.X.Rows->PointerDim
                 ? T.LengthInBytes
                 : K.i64(K.DL.getTypeStoreSize(T.X.ElemTy));
    };
    Passed.Base = T.Copy;
    Passed.First = StrideOf(T.First);
    Passed.Second = StrideOf(T.Second);
  }
}

Function *KernelBuilder::RowKernel::build(const BuiltKernel &Kernel) {
  Meets = K.unify(K.buildMeets());
  Function *F = K.createFunction(
      "rows", B.getInt1Ty(),
      parametersOfKernel(Arguments, K.View, KernelInterface::RowTables));
  Overlap = BasicBlock::Create(K.Ctx, "overlap", F);
  BasicBlock *NoMemory = BasicBlock::Create(K.Ctx, "no.memory", F);
  Extent[tilesmith::M] = Arguments.M;
  Extent[N] = Arguments.N;
  Extent[tilesmith::K] = Arguments.K;
  setOperands();
  Value *Memory = allocateCopies(NoMemory);
  collectAndCompare();
  passCopies();
  Value *Done = callKernel(B, Kernel, Arguments, K.View);
  if (Op.C.Rows)
    K.emitIf(Done, "done", [&] { copyRows(Operands.back(), /*Back=*/true); });
  K.emitFree(Memory);
  B.CreateRet(Done);

  B.SetInsertPoint(Overlap);
  K.emitFree(Memory);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(NoMemory);
  B.CreateRet(B.getFalse());
  return F;
}

Function *KernelBuilder::buildRowTables(const BuiltKernel &Kernel) {
  return RowKernel(*this).build(Kernel);
}

} // namespace tilesmith
