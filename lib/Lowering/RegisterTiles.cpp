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
//      are; and where sums with and without a step are chosen, element by element.
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
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
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
  SmallPtrSet<BasicBlock *, 4> Chosen = blocksWithChoices();
  eraseGroup();
  for (BasicBlock *BB : Chosen)
    sinkToFirstUse(*BB);
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
      HasProducts |=
          (isa<BinaryOperator>(I.user_back()) ||
           match(I.user_back(), m_Intrinsic<Intrinsic::arithmetic_fence>())) &&
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

/// The blocks in which sums are chosen, element by element, of those with a step
/// and those without: choices come behind all products there, and column by column
/// they take fewer registers.
SmallPtrSet<BasicBlock *, 4> RegisterTiles::blocksWithChoices() const {
  SmallPtrSet<BasicBlock *, 4> Steps, Result;
  for (auto [I, C] : Group.Members)
    if (getJoinedProduct(*I))
      Steps.insert(I->getParent());
  for (auto [I, C] : Group.Members)
    if (auto *Choice = dyn_cast<SelectInst>(I);
        Choice && Steps.contains(I->getParent()) &&
        getNumElements(Choice->getCondition()) &&
        !isa<Constant>(Choice->getCondition()))
      Result.insert(I->getParent());
  return Result;
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
