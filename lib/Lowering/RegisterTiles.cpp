//===- RegisterTiles.cpp - a tile group in vector registers ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts each column of a tile into pieces of one native register, and the
// right-hand sides of multiplications into scalars. The rest of a column is one
// more register, of which some lanes mean nothing, where the target can load
// that, and otherwise pieces of decreasing powers of two. With registers of 8
// doubles,
//
//   %acc  = phi <192 x double> [ %c, %entry ], [ %next, %loop ]
//   %a    = load <24 x double>, ptr %pa
//   %b    = load <8 x double>, ptr %pb
//   %ab   = call contract @llvm.matrix.multiply(%a, %b, 24, 1, 8)
//   %next = fadd contract %acc, %ab
//
// becomes 24 accumulators, column after column,
//
//   %acc0   = phi <8 x double> [ %c0, %entry ], [ %next0, %loop ]
//   ...
//   %a0     = load <8 x double>, ptr %pa               ; 3 of them
//   %b0     = load double, ptr %pb                     ; 8 of them
//   %splat0 = splat of %b0
//   %next0  = call contract @llvm.fmuladd(%a0, %splat0, %acc0)
//   ...
//
// The algorithm:
//   1. Visit the group in reverse post-order; each instruction is repeated on
//      the pieces of its operands. Phis get their incoming pieces at the end.
//   2. An operand from outside the group is cut where it is defined. A member
//      with users outside is put together again after its pieces.
//   3. Delete the group.
//   4. If a product is a tile of its own, apart from the sum, move all that is
//      computed down to where it is first needed. So a few registers of it are
//      under way at a time; a whole tile would not fit beside the sum. The same
//      is done for AArch64, and for dot products of groups: schedulers would
//      load all factors of a step first, which take more registers than there
//      are.
//
// The numerics are those of the source. A product is summed up in the order of
// its inner dimension. It joins a following addition only as the flags permit:
// as a fused multiply-add if both have `contract` and the product has a single
// term, as the continuation of one longer sum if both have `reassoc`. A product
// called with the attribute "tilesmith-fma" is fused on targets without such an
// instruction, too.
//
// If not all rows of a column exist, its last register is moved up, so that it
// ends where the rows do. The rows that it shares with the one above are
// computed twice, to the same bits, from what was loaded before anything is
// stored. A column of a single register is accessed under a mask. So are columns
// that a diagonal cuts, register by register.
// If not all columns exist, the last ones are moved up in the same way
// (MovedColumns).
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "Sinking.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

static FastMathFlags getFlags(const Instruction &I) {
  return isa<FPMathOperator>(I) ? I.getFastMathFlags() : FastMathFlags();
}

RegisterTiles::RegisterTiles(TileGroup &Group, const TargetTransformInfo &TTI)
    : Group(Group), TTI(TTI), F(*Group.getSeed().getFunction()),
      Builder(F.getContext()), Column(cutColumn(Group, TTI)) {}

/// Elements are left out of whole registers only, and lines are made of them.
bool RegisterTiles::isPossible() const {
  return !(Group.IsPartial || Group.HasLines) || all_of(Column, [&](Piece P) {
    return P.Lanes > 1 && !P.isPadded() && P.Lanes == Column.front().Lanes;
  });
}

void RegisterTiles::run() {
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F))
    for (Instruction &I : *BB) {
      auto Member = Group.Members.find(&I);
      if (Member == Group.Members.end())
        continue;
      Builder.SetInsertPoint(&I);
      Cut C = Member->second;
      PiecesOf[{&I, C}] = cutMember(I, C);
    }
  completePhis();
  BasicBlock &Body = *Group.getSeed().getParent();
  eraseGroup();
  if (HasProducts || HasGroups || F.getParent()->getTargetTriple().isAArch64())
    sinkToFirstUse(Body);
}

//===-- Pieces ------------------------------------------------------------===//

SmallVector<Piece, 0> RegisterTiles::getLayout(Type *Ty, Cut C) const {
  static constexpr Piece OneElement[] = {{0, 1, 1}};
  unsigned NumElements = cast<FixedVectorType>(Ty)->getNumElements();
  SmallVector<Piece, 4> Line;
  ArrayRef<Piece> Pattern = Column;
  if (C == Cut::Elements)
    Pattern = OneElement;
  if (C == Cut::Lines)
    Pattern = Line = cutLine(NumElements / Group.Rows);
  SmallVector<Piece, 0> Layout;
  for (unsigned Start = 0; Start != NumElements; Start = Layout.back().end())
    for (Piece P : Pattern)
      Layout.push_back({Start + P.Offset, P.Width, P.Lanes});
  return Layout;
}

const RegisterTiles::Pieces &RegisterTiles::getPieces(Value *V, Cut C) {
  auto [Entry, IsNew] = PiecesOf.try_emplace({V, C});
  if (IsNew) {
    IRBuilderBase::InsertPointGuard Guard(Builder);
    Entry->second =
        cutOutsider(Group.contains(V) ? getWhole(cast<Instruction>(V)) : V, C);
  }
  return Entry->second;
}

/// Cuts a value that is not a member, where it is defined.
RegisterTiles::Pieces RegisterTiles::cutOutsider(Value *V, Cut C) {
  setInsertPointAfter(V);
  SmallVector<Piece, 0> Layout = getLayout(V->getType(), C);
  if (Value *Scalar = getSplatValue(V))
    return splat(Scalar, Layout);
  Pieces Result;
  for (Piece P : Layout)
    Result.push_back(cutPiece(Builder, P, V));
  return Result;
}

/// The wide value of a member, put together from its pieces.
Value *RegisterTiles::getWhole(Instruction *I) {
  auto [Entry, IsNew] = WholeOf.try_emplace(I);
  if (!IsNew)
    return Entry->second;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  setInsertPointAfter(I);
  Cut C = Group.Members.lookup(I);
  Value *Whole = PoisonValue::get(I->getType());
  for (auto [P, V] : zip_equal(getLayout(I->getType(), C), getPieces(I, C)))
    Whole = joinPiece(Builder, P, V, Whole);
  return WholeOf[I] = Whole;
}

/// The pieces of a wide splat of \p Scalar; those of equal size are the same.
RegisterTiles::Pieces RegisterTiles::splat(Value *Scalar,
                                           ArrayRef<Piece> Layout) {
  SmallDenseMap<unsigned, Value *> SplatOf{{1, Scalar}};
  Pieces Result;
  for (Piece P : Layout) {
    Value *&Splat = SplatOf[P.Lanes];
    if (!Splat)
      Splat = Builder.CreateVectorSplat(P.Lanes, Scalar);
    Result.push_back(Splat);
  }
  return Result;
}

void RegisterTiles::setInsertPointAfter(Value *V) {
  if (auto *I = dyn_cast<Instruction>(V))
    Builder.SetInsertPoint(*I->getInsertionPointAfterDef());
  else
    Builder.SetInsertPoint(F.getEntryBlock().getFirstInsertionPt());
}

//===-- Members -----------------------------------------------------------===//

RegisterTiles::Pieces RegisterTiles::cutMember(Instruction &I, Cut C) {
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return cutPhi(*Phi, C);
  if (std::optional<MatrixAccess> Access = MatrixAccess::match(I))
    return C == Cut::Lines ? cutLines(I, *Access) : cutAccess(I, *Access, C);
  if (std::optional<MatrixTransposition> Turn = MatrixTransposition::match(&I))
    return C == Cut::Lines ? turnColumns(*Turn) : turnLines(*Turn);
  if (std::optional<MatrixProduct> Product = MatrixProduct::match(&I)) {
    if (I.hasOneUse() && Group.contains(I.user_back())) {
      if (auto Joined = getJoinedProduct(*I.user_back());
          Joined && Joined->Call == &I)
        return {}; // The addition multiplies.
      HasProducts |= isa<BinaryOperator>(I.user_back()) &&
                     I.user_back()->getParent() == I.getParent();
    }
    return multiply(*Product, getFlags(I), {});
  }
  if (std::optional<MatrixProduct> Product = getJoinedProduct(I)) {
    Value *Start = I.getOperand(I.getOperand(0) == Product->Call);
    return multiply(*Product, getFlags(I) & getFlags(*Product->Call),
                    getPieces(Start, C));
  }
  return cutElementWise(I, C);
}

/// The phis of the pieces, yet without incoming values.
RegisterTiles::Pieces RegisterTiles::cutPhi(PHINode &Phi, Cut C) {
  Pieces Result;
  for (Piece P : getLayout(Phi.getType(), C)) {
    PHINode *New = Builder.CreatePHI(getPieceType(Phi.getType(), P.Lanes),
                                     Phi.getNumIncomingValues(), Phi.getName());
    New->copyIRFlags(&Phi);
    Result.push_back(New);
  }
  return Result;
}

void RegisterTiles::completePhis() {
  for (auto [I, C] : Group.Members)
    if (auto *Phi = dyn_cast<PHINode>(I))
      completePhi(*Phi, C);
}

void RegisterTiles::completePhi(PHINode &Phi, Cut C) {
  const Pieces &Phis = getPieces(&Phi, C);
  for (auto [Incoming, BB] : zip(Phi.incoming_values(), Phi.blocks()))
    for (auto [New, V] : zip_equal(Phis, getPieces(Incoming, C)))
      cast<PHINode>(New)->addIncoming(V, BB);
}

/// Whether the group loads from \p Pointer what it stores there, as of sums
/// that go on: a later product is likely to do so again.
bool RegisterTiles::isLoadedAndStored(Value *Pointer) const {
  bool IsLoaded = false, IsStored = false;
  for (User *U : Pointer->users())
    if (auto *I = dyn_cast<Instruction>(U); I && Group.contains(I))
      if (auto Access = MatrixAccess::match(*I))
        (Access->Stored ? IsStored : IsLoaded) = true;
  return IsLoaded && IsStored;
}

RegisterTiles::Pieces
RegisterTiles::cutAccess(Instruction &I, const MatrixAccess &Access, Cut C) {
  Type *Ty = Access.Stored ? Access.Stored->getType() : I.getType();
  Type *ElementTy = Ty->getScalarType();
  uint64_t ElementSize = F.getDataLayout().getTypeStoreSize(ElementTy);
  bool InParts = isLoadedAndStored(Access.Pointer);
  if (C == Cut::Elements && Access.isAdjacent() && !Access.IsVolatile &&
      multipliesByLane(F, TTI))
    return loadElements(Builder, Ty,
                        {Access.Pointer, Access.Alignment, /*IsVolatile=*/false,
                         I.getAAMetadata(), InParts},
                        TTI, I.getName());
  Pieces Result;
  // Built once for all columns, and once for all rows.
  SmallDenseMap<unsigned, Value *> DistanceOfColumn, PlaceOfRow;
  SmallDenseMap<std::pair<unsigned, unsigned>, Value *> PointerToRow;
  Value *FirstMoved = Access.Moved ? firstMoved(Access, ElementSize) : nullptr;
  for (auto [Index, P] : enumerate(getLayout(Ty, C))) {
    unsigned J = P.Offset / Access.Rows, Row = P.Offset % Access.Rows;
    PieceAccess At{Access.Pointer, Access.Alignment, Access.IsVolatile,
                   I.getAAMetadata(), InParts};
    bool IsMoved = FirstMoved && J >= Access.Columns - Access.Moved->Count;
    if (IsMoved) {
      J -= Access.Columns - Access.Moved->Count;
      At.Pointer = FirstMoved;
      At.Alignment = commonAlignment(At.Alignment, ElementSize);
    }
    Value *&Pointer = PointerToRow[{Row, IsMoved}];
    uint64_t Known = Row; // of the distance, in elements
    if (Access.ExistingRows && Column.size() == 1) {
      At.Mask = maskOfColumn();
    } else if (Access.ExistingRows && Row == Column.back().Offset) {
      if (!Pointer)
        Pointer = Builder.CreateGEP(
            ElementTy, At.Pointer,
            Builder.CreateSub(
                Access.ExistingRows,
                ConstantInt::get(Access.ExistingRows->getType(), P.Lanes)));
      Known = 1;
    } else if (Row && !Pointer) {
      Pointer = Builder.CreateConstGEP1_64(ElementTy, At.Pointer, Row);
    }
    if (Pointer)
      At.Pointer = Pointer;
    At.Alignment = commonAlignment(At.Alignment, Known * ElementSize);
    if (J) {
      Value *&Distance = DistanceOfColumn[J];
      if (!Distance)
        Distance = multipleOf(Access.Stride, ElementSize, J);
      At.Pointer = Builder.CreatePtrAdd(At.Pointer, Distance);
      auto *Constant = dyn_cast<ConstantInt>(Distance);
      At.Alignment = commonAlignment(
          At.Alignment, Constant ? Constant->getZExtValue() : ElementSize);
    }
    if (Access.Wanted && isCut(Access, P, Row)) {
      Value *&Place = PlaceOfRow[Row];
      if (!Place)
        Place = placeAtDiagonal(Access, P, Row);
      Value *IsWanted =
          isOnSide(*Access.Wanted, Place, columnAt(Access, J, IsMoved, Place));
      At.Mask = At.Mask ? Builder.CreateAnd(At.Mask, IsWanted) : IsWanted;
    }
    if (Access.Stored)
      storePiece(Builder, P, getPieces(Access.Stored, C)[Index], At, TTI);
    else
      Result.push_back(loadPiece(Builder, P, Ty, At, I.getName()));
  }
  return Result;
}

/// \p Count times \p Stride, of elements of \p Size bytes, in bytes, where
/// code is inserted.
static Value *timesStride(IRBuilderBase &B, Value *Stride, uint64_t Size,
                          uint64_t Count) {
  // Kernels know strides in bytes, and divide them for llvm.matrix.*.
  Value *Bytes;
  if (match(Stride, m_Exact(m_SDiv(m_Value(Bytes), m_SpecificInt(Size)))))
    return Count == 1
               ? Bytes
               : B.CreateMul(Bytes, ConstantInt::get(Bytes->getType(), Count));
  return B.CreateMul(Stride, ConstantInt::get(Stride->getType(), Count * Size));
}

/// Where the columns begin that are moved up. How far that is does not depend on
/// where the access is made, so it is computed in front of any loop.
Value *RegisterTiles::firstMoved(const MatrixAccess &Access, uint64_t Size) {
  auto [Existing, Count] = *Access.Moved;
  Value *&Distance = DistanceOfMoved[{Access.Stride, Count}];
  if (!Distance) {
    IRBuilderBase::InsertPointGuard Guard(Builder);
    setInsertPointAfter(isa<Instruction>(Access.Stride) ? Access.Stride
                                                        : Existing);
    Type *Ty = Existing->getType();
    Value *First = Builder.CreateSub(Existing, ConstantInt::get(Ty, Count));
    Distance =
        Builder.CreateMul(First, timesStride(Builder, Access.Stride, Size, 1));
  }
  return Builder.CreatePtrAdd(Access.Pointer, Distance);
}

/// \p Count times \p Stride, of elements of \p Size bytes, in bytes; computed
/// once, in front of any loop. Loop strength reduction would add up strides, one
/// after the other, in each step of a loop, to reach the elements of a row, and
/// that takes longer than to multiply them. So odd multiples are hidden from it;
/// even ones are left to addressing modes.
Value *RegisterTiles::multipleOf(Value *Stride, uint64_t Size, unsigned Count) {
  Type *Ty = Stride->getType();
  if (Count == 0)
    return Constant::getNullValue(Ty);
  if (Value *Known = Multiples.lookup({Stride, unsigned(Count * Size)}))
    return Known;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  setInsertPointAfter(Stride);
  unsigned Even = 1u << countr_zero(Count), Odd = Count / Even;
  bool IsInRegister =
      Ty->getScalarSizeInBits() <= F.getDataLayout().getPointerSizeInBits();
  Value *Result;
  if (Odd == 1 || isa<ConstantInt>(Stride) || !IsInRegister) {
    Result = timesStride(Builder, Stride, Size, Count);
  } else if (Even != 1) {
    Value *Hidden = multipleOf(Stride, Size, Odd);
    setInsertPointAfter(Hidden);
    Result = Builder.CreateMul(Hidden, ConstantInt::get(Ty, Even));
  } else {
    auto *Nothing = InlineAsm::get(FunctionType::get(Ty, {Ty}, false), "",
                                   "=r,0", /*hasSideEffects=*/false);
    CallInst *Call =
        Builder.CreateCall(Nothing, {timesStride(Builder, Stride, Size, Odd)});
    Call->setDoesNotAccessMemory();
    Call->setDoesNotThrow();
    Result = Call;
  }
  return Multiples[{Stride, unsigned(Count * Size)}] = Result;
}

/// The lanes that exist of columns that are one register.
Value *RegisterTiles::maskOfColumn() {
  if (ColumnMask)
    return ColumnMask;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  setInsertPointAfter(Group.ExistingRows);
  unsigned Lanes = Column.front().Lanes;
  Type *Ty = FixedVectorType::get(
      Builder.getIntNTy(Group.getElementType()->getScalarSizeInBits()), Lanes);
  Value *Count = Builder.CreateVectorSplat(
      Lanes,
      Builder.CreateZExtOrTrunc(Group.ExistingRows, Ty->getScalarType()));
  return ColumnMask =
             Builder.CreateICmpULT(Builder.CreateStepVector(Ty), Count);
}

/// Whether not all rows of a register \p P, the one from row \p Row on in its
/// column, may be wanted. The last one may be moved up.
bool RegisterTiles::isCut(const MatrixAccess &Access, Piece P,
                          unsigned Row) const {
  const WantedSide &Side = *Access.Wanted;
  if (!Side.IsLower)
    return Row + P.Lanes + Side.CutRows > Access.Rows;
  return Row < Side.CutRows ||
         (Access.ExistingRows && Row == Column.back().Offset);
}

/// How far the rows of a register \p P, the one from row \p Row on in its column,
/// are below the diagonal in column 0.
Value *RegisterTiles::placeAtDiagonal(const MatrixAccess &Access, Piece P,
                                      unsigned Row) {
  // Diagonals beyond the tile are all the same, and fit the lanes.
  unsigned Bits = std::max(16u, Group.getElementType()->getScalarSizeInBits());
  Value *Diagonal = Access.Wanted->Diagonal;
  Type *Ty = Diagonal->getType();
  auto Limit = [&](int64_t By) { return ConstantInt::getSigned(Ty, By); };
  Value *First = Builder.CreateBinaryIntrinsic(
      Intrinsic::smin,
      Builder.CreateBinaryIntrinsic(Intrinsic::smax, Diagonal,
                                    Limit(-int64_t(Access.Rows))),
      Limit(Access.Columns));
  Value *Begin = Limit(Row);
  if (Access.ExistingRows && Column.size() > 1 && Row == Column.back().Offset)
    Begin = Builder.CreateSub(Access.ExistingRows, Limit(P.Lanes));
  First = Builder.CreateAdd(First, Begin);
  First = Builder.CreateSExtOrTrunc(First, Builder.getIntNTy(Bits));
  auto *LanesTy = FixedVectorType::get(First->getType(), P.Lanes);
  Value *Splat = Builder.CreateVectorSplat(P.Lanes, First);
  return Builder.CreateAdd(Splat, Builder.CreateStepVector(LanesTy));
}

/// The number of column \p J, or of the one that is number \p J of those that are
/// moved up, in each lane of \p Place.
Value *RegisterTiles::columnAt(const MatrixAccess &Access, unsigned J,
                               bool IsMoved, Value *Place) {
  auto *Ty = cast<FixedVectorType>(Place->getType());
  if (!IsMoved)
    return ConstantInt::get(Ty, J);
  auto [Existing, Count] = *Access.Moved;
  Value *Column = Builder.CreateAdd(
      Existing,
      ConstantInt::getSigned(Existing->getType(), int64_t(J) - int64_t(Count)));
  return Builder.CreateVectorSplat(
      Ty->getNumElements(),
      Builder.CreateSExtOrTrunc(Column, Ty->getElementType()));
}

/// Which rows at \p Place are wanted in columns \p OfColumn.
Value *RegisterTiles::isOnSide(const WantedSide &Side, Value *Place,
                               Value *OfColumn) {
  return Side.IsLower ? Builder.CreateICmpSGE(Place, OfColumn)
                      : Builder.CreateICmpSLE(Place, OfColumn);
}

/// Repeats \p I on each piece of its wide operands.
RegisterTiles::Pieces RegisterTiles::cutElementWise(Instruction &I, Cut C) {
  Pieces Result;
  for (auto [Index, P] : enumerate(getLayout(I.getType(), C))) {
    Type *Ty = getPieceType(I.getType(), P.Lanes);
    SmallVector<Value *> Operands;
    for (Value *V : I.operand_values())
      Operands.push_back(getNumElements(V) ? getPieces(V, C)[Index] : V);
    Instruction *New;
    if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
      Operands.pop_back(); // The callee.
      New = Builder.CreateIntrinsic(Ty, Call->getIntrinsicID(), Operands);
      New->copyIRFlags(&I);
      New->copyMetadata(I);
    } else {
      New = Builder.Insert(I.clone());
      New->mutateType(Ty);
      for (auto [Slot, V] : enumerate(Operands))
        New->setOperand(Slot, V);
    }
    New->setName(I.getName());
    Result.push_back(New);
  }
  return Result;
}

//===-- Multiplications ---------------------------------------------------===//

/// The product that \p Add may continue its sum with, instead of adding it as
/// a whole.
std::optional<MatrixProduct>
RegisterTiles::getJoinedProduct(Instruction &Add) const {
  if (Add.getOpcode() != Instruction::FAdd &&
      Add.getOpcode() != Instruction::Add)
    return std::nullopt;
  for (Value *V : Add.operand_values()) {
    std::optional<MatrixProduct> Product = MatrixProduct::match(V);
    if (!Product || !Group.contains(V) || !V->hasOneUse() ||
        Product->Call->getParent() != Add.getParent())
      continue;
    FastMathFlags Flags = getFlags(Add) & getFlags(*Product->Call);
    if (Add.getOpcode() == Instruction::Add || Flags.allowReassoc() ||
        (Flags.allowContract() && Product->Inner == 1))
      return Product;
  }
  return std::nullopt;
}

/// Adds the terms of \p Product to \p Sum in the order of the inner dimension;
/// without a sum, the first term starts it.
RegisterTiles::Pieces RegisterTiles::multiply(const MatrixProduct &Product,
                                              FastMathFlags Flags, Pieces Sum) {
  if (Group.InGroups.contains(Product.Call))
    return multiplyGroups(Product, std::move(Sum));
  // The order of the sum is decided now. Were it left open, the backend would
  // add the products of several steps first, and run out of registers.
  Flags.setAllowReassoc(false);
  IRBuilderBase::FastMathFlagGuard Guard(Builder);
  Builder.setFastMathFlags(Flags);
  Intrinsic::ID Fused =
      Product.Call->hasFnAttr(MustFuse) ? Intrinsic::fma : Intrinsic::fmuladd;
  unsigned Height = Column.size();
  const Pieces &A = getPieces(Product.A, Cut::Columns);
  const Pieces &B = getPieces(Product.B, Cut::Elements);
  Sum.resize(Product.Columns * Height);
  for (unsigned J = 0; J != Product.Columns; ++J)
    for (unsigned K = 0; K != Product.Inner; ++K) {
      Pieces Factor = splat(B[J * Product.Inner + K], Column);
      for (unsigned I = 0; I != Height; ++I) {
        Value *&Result = Sum[J * Height + I];
        Result = multiplyAdd(A[K * Height + I], Factor[I], Result, Fused);
      }
    }
  return Sum;
}

/// The same with dot products of groups of the inner dimension.
RegisterTiles::Pieces
RegisterTiles::multiplyGroups(const MatrixProduct &Product, Pieces Sum) {
  const auto &[Factors, Dot] = Group.InGroups.find(Product.Call)->second;
  unsigned Height = Column.size();
  const Pieces &A = getPieces(Factors.A, Cut::Columns);
  const Pieces &B = getPieces(Factors.B, Cut::Elements);
  HasGroups = true;
  bool Starts = Sum.empty();
  Sum.resize(Product.Columns * Height);
  for (unsigned J = 0; J != Product.Columns; ++J) {
    Pieces Factor = splat(B[J], Column);
    for (unsigned I = 0; I != Height; ++I) {
      Value *&Result = Sum[J * Height + I];
      if (Starts)
        Result = Constant::getNullValue(
            getPieceType(Product.Call->getType(), Column[I].Lanes));
      Result = Dot.emit(Builder, Factors.Types, Result, A[I], Factor[I]);
    }
  }
  return Sum;
}

/// Sum + A * B, or A * B without a sum.
Value *RegisterTiles::multiplyAdd(Value *A, Value *B, Value *Sum,
                                  Intrinsic::ID Fused) {
  if (A->getType()->isIntOrIntVectorTy()) {
    Value *Product = Builder.CreateMul(A, B);
    return Sum ? Builder.CreateAdd(Sum, Product) : Product;
  }
  if (Sum && Builder.getFastMathFlags().allowContract())
    return Builder.CreateIntrinsic(Fused, {A->getType()}, {A, B, Sum});
  Value *Product = Builder.CreateFMul(A, B);
  return Sum ? Builder.CreateFAdd(Sum, Product) : Product;
}

//===-- The end of the wide values ----------------------------------------===//

void RegisterTiles::eraseGroup() {
  // What widens groups is not of the group, and would want them whole.
  for (auto &[Call, Of] : Group.InGroups)
    for (auto [Slot, Last] : {std::pair(0u, Of.first.A), {1u, Of.first.B}}) {
      Value *V = Call->getOperand(Slot);
      Call->setOperand(Slot, PoisonValue::get(V->getType()));
      while (V != Last && V->use_empty() && isa<Instruction>(V)) {
        auto *Dead = cast<Instruction>(V);
        V = Dead->getOperand(0);
        Dead->eraseFromParent();
      }
    }
  auto IsOutside = [&](Use &U) { return !Group.contains(U.getUser()); };
  SmallVector<WeakTrackingVH> Operands;
  for (auto [I, C] : Group.Members) {
    if (any_of(I->uses(), IsOutside))
      I->replaceUsesWithIf(getWhole(I), IsOutside);
    append_range(Operands, I->operand_values());
  }
  for (auto [I, C] : Group.Members) {
    if (!I->getType()->isVoidTy())
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
    I->eraseFromParent();
  }
  append_range(Operands, Extracted);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Operands);
}

bool lowerToRegisterTiles(const MatrixProduct &Seed,
                          const TargetTransformInfo &TTI) {
  auto Group = TileGroup::find(Seed);
  return Group && lowerToRegisterTiles(*Group, TTI);
}

bool lowerToRegisterTiles(TileGroup &Group, const TargetTransformInfo &TTI) {
  RegisterTiles Tiles(Group, TTI);
  if (!Tiles.isPossible())
    return false;
  Tiles.run();
  return true;
}

} // namespace tilesmith
