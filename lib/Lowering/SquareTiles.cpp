//===- SquareTiles.cpp - squares in AMX's registers -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each square (TileRegisters.h) becomes a value of type x86_amx, and each
// operation on it one instruction. A row of a register is a column of ours: so
// the first factor of an instruction, of which each row has 64 adjacent bytes,
// is B, and the second one, of which each row has a group for each of 16
// columns, is A. The backend assigns the registers and configures them.
//
// bf16 and fp16: pairs of products are summed first, and denormal numbers are
// flushed to zero.
//
//===----------------------------------------------------------------------===//

#include "SquareTiles.h"
#include "TileGroup.h"
#include "tilesmith/Target/Subtarget.h"
#include "tilesmith/Target/TileRegisters.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// The sums of 16 x 16 elements that are connected by factors, and all that
/// makes them.
class Squares {
public:
  static std::optional<Squares> find(const MatrixProduct &Seed);
  void lower();

private:
  /// A sum that products are added to.
  struct Addition {
    Instruction *A, *B; ///< loads of the factors
    Value *Before;
    SquareProduct By;
    IntrinsicInst *Product;
  };

  bool addProduct(const MatrixProduct &P);
  bool addFactor(Value *V, SmallVectorImpl<Instruction *> &Products);
  bool addSum(Value *V);
  Value *tileOf(Value *V, Instruction *Where);

  SetVector<Instruction *> Factors; ///< loads
  MapVector<Instruction *, Addition> Additions;
  SetVector<Instruction *> Sums; ///< additions, loads, phis
  SetVector<Instruction *> Stores;
  DenseMap<Value *, Value *> Tiles;
};

} // namespace

/// A load or store of a square, of which all rows exist.
static std::optional<MatrixAccess> matchSquare(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return std::nullopt;
  auto Access = MatrixAccess::match(*I);
  if (!Access || Access->IsVolatile || Access->ExistingRows || Access->Wanted ||
      Access->Moved || Access->Rows != SquareEdge || !Access->Stride)
    return std::nullopt;
  Value *Square = Access->Stored ? Access->Stored : V;
  if (getNumElements(Square) != SquareEdge * SquareEdge ||
      Square->getType()->getScalarSizeInBits() != 32)
    return std::nullopt;
  return Access;
}

/// The groups that \p V, a factor of \p Depth steps, widens, and how it does.
static Value *matchFactor(Value *V, unsigned Depth, bool IsLeft,
                          NarrowType &Type) {
  auto *Cast = dyn_cast<CastInst>(V);
  if (!Cast || !isa<SExtInst, ZExtInst, FPExtInst>(Cast))
    return nullptr;
  Type = {Cast->getSrcTy()->getScalarType(), isa<SExtInst>(Cast)};
  V = Cast->getOperand(0);
  if (IsLeft) {
    auto *Shuffle = dyn_cast<ShuffleVectorInst>(V);
    unsigned Steps = Depth / SquareEdge;
    if (!Shuffle ||
        getNumElements(Shuffle->getOperand(0)) != Depth * SquareEdge ||
        Shuffle->getShuffleMask() !=
            ArrayRef<int>(stepwiseMask(SquareEdge, Steps, SquareEdge)))
      return nullptr;
    V = Shuffle->getOperand(0);
  }
  Value *Groups;
  if (!match(V, m_BitCast(m_Value(Groups))))
    return nullptr;
  auto Access = matchSquare(Groups);
  return Access && !Access->Stored ? Groups : nullptr;
}

/// Remembers the load \p V and finds what it is multiplied in.
bool Squares::addFactor(Value *V, SmallVectorImpl<Instruction *> &Products) {
  if (!Factors.insert(cast<Instruction>(V)))
    return true;
  SmallVector<Value *, 8> Worklist{V};
  while (!Worklist.empty())
    for (User *U : Worklist.pop_back_val()->users()) {
      if (MatrixProduct::match(U))
        Products.push_back(cast<Instruction>(U));
      else if (isa<CastInst, ShuffleVectorInst>(U))
        Worklist.push_back(U);
      else
        return false;
    }
  return true;
}

/// \p V is a sum, and with it what it is made of and what uses it.
bool Squares::addSum(Value *V) {
  if (match(V, m_Zero()))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (!Sums.insert(I))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (!all_of(Phi->incoming_values(), [&](Value *In) { return addSum(In); }))
      return false;
  } else if (!Additions.contains(I) && !matchSquare(I)) {
    return false;
  }
  return all_of(I->users(), [&](User *U) {
    if (auto Store = matchSquare(U); Store && Store->Stored == V)
      return Stores.insert(cast<Instruction>(U)), true;
    auto *User = cast<Instruction>(U);
    return (isa<PHINode>(User) || Additions.contains(User)) && addSum(User);
  });
}

/// Whether \p P is one of squares that is added to a sum and nothing else.
bool Squares::addProduct(const MatrixProduct &P) {
  constexpr unsigned Count = SquareEdge * SquareEdge;
  if (P.Rows != SquareEdge || P.Columns != SquareEdge || P.Inner % SquareEdge ||
      !P.Call->hasOneUse())
    return false;
  NarrowProduct Types;
  Types.SumTy = P.Call->getType()->getScalarType();
  Value *A = matchFactor(P.A, P.Inner, /*IsLeft=*/true, Types.A);
  Value *B = matchFactor(P.B, P.Inner, /*IsLeft=*/false, Types.B);
  if (!A || !B || getNumElements(P.Call) != Count ||
      Types.steps() * SquareEdge != P.Inner)
    return false;
  const Function &F = *P.Call->getFunction();
  auto By = findSquareProduct(F, Types);
  auto *Add = dyn_cast<BinaryOperator>(P.Call->user_back());
  bool IsFloat = Types.SumTy->isFloatTy();
  if (!By || !Add ||
      Add->getOpcode() != (IsFloat ? Instruction::FAdd : Instruction::Add) ||
      (IsFloat && (!By->isAllowed(Types, F, Add->getFastMathFlags()) ||
                   !By->isAllowed(Types, F, P.Call->getFastMathFlags()))))
    return false;
  Value *Before = Add->getOperand(Add->getOperand(0) == P.Call);
  Additions[Add] = {cast<Instruction>(A), cast<Instruction>(B), Before, *By,
                    P.Call};
  return true;
}

std::optional<Squares> Squares::find(const MatrixProduct &Seed) {
  Squares Found;
  SmallVector<Instruction *, 8> Products{Seed.Call};
  SmallPtrSet<Instruction *, 8> Seen;
  while (!Products.empty()) {
    Instruction *P = Products.pop_back_val();
    if (!Seen.insert(P).second)
      continue;
    if (!Found.addProduct(*MatrixProduct::match(P)))
      return std::nullopt;
    const Addition &Last = Found.Additions.back().second;
    for (Instruction *Factor : {Last.A, Last.B})
      if (!Found.addFactor(Factor, Products))
        return std::nullopt;
  }
  // (A sum of sums that other factors are added to is left alone.)
  for (auto &[Add, X] : Found.Additions)
    if (!Found.addSum(X.Before) || !Found.addSum(Add))
      return std::nullopt;
  return Found;
}

/// The register of \p V, made where \p V is, or at \p Where of a constant.
Value *Squares::tileOf(Value *V, Instruction *Where) {
  auto *I = dyn_cast<Instruction>(V);
  IRBuilder<> B(I ? I : Where);
  Value *Edge = B.getInt16(SquareEdge), *RowBytes = B.getInt16(SquareEdge * 4);
  if (!I)
    return B.CreateIntrinsic(Intrinsic::x86_tilezero_internal,
                             {Edge, RowBytes});
  if (Value *Known = Tiles.lookup(V))
    return Known;
  Value *Tile;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    PHINode *Merged = B.CreatePHI(Type::getX86_AMXTy(B.getContext()),
                                  Phi->getNumIncomingValues());
    Tiles[V] = Merged;
    for (auto [In, BB] : zip(Phi->incoming_values(), Phi->blocks()))
      Merged->addIncoming(tileOf(In, BB->getTerminator()), BB);
    return Merged;
  }
  if (auto It = Additions.find(I); It != Additions.end()) {
    const Addition &X = It->second;
    Value *Before = tileOf(X.Before, I);
    // By way of a loop.
    if (Value *Known = Tiles.lookup(V))
      return Known;
    Tile = B.CreateIntrinsic(X.By.Multiply, {Edge, RowBytes, RowBytes, Before,
                                             tileOf(X.B, I), tileOf(X.A, I)});
  } else {
    auto Load = *matchSquare(I);
    Tile = B.CreateIntrinsic(Intrinsic::x86_tileloadd64_internal,
                             {Edge, RowBytes, Load.Pointer,
                              B.CreateMul(Load.Stride, B.getInt64(4))});
  }
  return Tiles[V] = Tile;
}

void Squares::lower() {
  for (Instruction *I : Stores) {
    auto Store = *matchSquare(I);
    IRBuilder<> B(I);
    B.CreateIntrinsic(Intrinsic::x86_tilestored64_internal,
                      {B.getInt16(SquareEdge), B.getInt16(SquareEdge * 4),
                       Store.Pointer, B.CreateMul(Store.Stride, B.getInt64(4)),
                       tileOf(Store.Stored, I)});
  }
  for (Instruction *I : Stores)
    I->eraseFromParent();
  for (Instruction *I : Sums)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Sums)
    RecursivelyDeleteTriviallyDeadInstructions(I);
}

bool lowerToSquareTiles(const MatrixProduct &Seed,
                        const TargetTransformInfo &) {
  std::optional<Squares> Found = Squares::find(Seed);
  if (!Found)
    return false;
  Found->lower();
  return true;
}

} // namespace tilesmith
