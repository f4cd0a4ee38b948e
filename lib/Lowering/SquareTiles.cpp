//===- SquareTiles.cpp - squares in AMX's registers -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each square (TileRegisters.h) has a register, and each operation on it is one
// instruction. A row of a register is a column of ours: so the first factor of an
// instruction, of which each row has 64 adjacent bytes, is B, and the second one,
// of which each row has a group for each of 16 columns, is A.
//
// The registers are numbered here, and configured by the caller (Engine). The
// backend can do both, but it configures them in each function: that took a third
// of the time of a micro kernel of 512 steps.
//
// bf16 and fp16: pairs of products are summed first, and denormal numbers are
// flushed to zero.
//
//===----------------------------------------------------------------------===//

#include "SquareTiles.h"
#include "TileGroup.h"
#include "tilesmith/Target/Subtarget.h"
#include "tilesmith/Target/TileRegisters.h"
#include "llvm/ADT/EquivalenceClasses.h"
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
  bool assignRegisters();
  Constant *registerOf(Value *V) const;
  void lowerZero(Value *Before, Instruction *Sum, Instruction *Where) const;
  void lowerAccess(Instruction *I, Value *Square, Intrinsic::ID Access) const;
  void lowerSum(Instruction *Sum) const;

  SetVector<Instruction *> Factors; ///< loads
  MapVector<Instruction *, Addition> Additions;
  SetVector<Instruction *> Sums; ///< additions, loads, phis
  SetVector<Instruction *> Stores;
  DenseMap<Value *, unsigned> Registers;
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
  if (!Found.assignRegisters())
    return std::nullopt;
  return Found;
}

/// Whether the register of \p Sum can be that of what it is added to: it is not
/// used any more by then. Stores may follow a loop of one block.
static bool isUsedUp(const Instruction *Sum) {
  SmallVector<const Instruction *, 2> Phis, Stores;
  for (const User *U : Sum->users()) {
    auto *I = cast<Instruction>(U);
    if (!isa<PHINode>(I) && !I->getType()->isVoidTy())
      return Sum->hasOneUse();
    (isa<PHINode>(I) ? Phis : Stores).push_back(I);
  }
  if (Phis.empty())
    return true;
  const BasicBlock *Loop = Sum->getParent();
  return Phis.size() == 1 &&
         (Stores.empty() || Phis.front()->getParent() == Loop) &&
         none_of(Stores, [&](const Instruction *Store) {
           return Store->getParent() == Loop;
         });
}

/// Gives each factor a register, and each sum that of what it is made of.
bool Squares::assignRegisters() {
  EquivalenceClasses<Value *> Chains;
  auto AddToChain = [&](Instruction *Sum, Value *Before) {
    if (isa<Instruction>(Before))
      Chains.unionSets(Sum, Before);
  };
  for (Instruction *Sum : Sums) {
    if (!isUsedUp(Sum))
      return false;
    Chains.insert(Sum);
    if (auto It = Additions.find(Sum); It != Additions.end())
      AddToChain(Sum, It->second.Before);
    else if (auto *Phi = dyn_cast<PHINode>(Sum))
      for (auto [In, From] : zip(Phi->incoming_values(), Phi->blocks())) {
        // Zero is made at the end of the block.
        if (!isa<Instruction>(In) && !From->getSingleSuccessor())
          return false;
        AddToChain(Sum, In);
      }
  }
  unsigned Used = 0;
  for (Instruction *Sum : Sums) {
    auto [Of, IsNew] = Registers.try_emplace(Chains.getLeaderValue(Sum), Used);
    Used += IsNew;
    unsigned Number = Of->second;
    Registers[Sum] = Number;
  }
  for (Instruction *Factor : Factors)
    Registers[Factor] = Used++;
  return Used <= NumTileRegisters;
}

Constant *Squares::registerOf(Value *V) const {
  return ConstantInt::get(Type::getInt8Ty(V->getContext()), Registers.at(V));
}

/// Sets the register of \p Sum to zero at \p Where, if \p Before is.
void Squares::lowerZero(Value *Before, Instruction *Sum,
                        Instruction *Where) const {
  if (!isa<Instruction>(Before))
    IRBuilder<>(Where).CreateIntrinsic(Intrinsic::x86_tilezero,
                                       {registerOf(Sum)});
}

/// The load or store \p I of \p Square.
void Squares::lowerAccess(Instruction *I, Value *Square,
                          Intrinsic::ID Access) const {
  IRBuilder<> B(I);
  auto Of = *matchSquare(I);
  B.CreateIntrinsic(Access, {registerOf(Square), Of.Pointer,
                             B.CreateMul(Of.Stride, B.getInt64(4))});
}

void Squares::lowerSum(Instruction *Sum) const {
  if (auto It = Additions.find(Sum); It != Additions.end()) {
    const Addition &X = It->second;
    lowerZero(X.Before, Sum, Sum);
    IRBuilder<>(Sum).CreateIntrinsic(
        X.By.Multiply, {registerOf(Sum), registerOf(X.B), registerOf(X.A)});
  } else if (auto *Phi = dyn_cast<PHINode>(Sum)) {
    for (auto [In, From] : zip(Phi->incoming_values(), Phi->blocks()))
      lowerZero(In, Sum, From->getTerminator());
  } else {
    lowerAccess(Sum, Sum, Intrinsic::x86_tileloadd64);
  }
}

void Squares::lower() {
  for (Instruction *Sum : Sums)
    lowerSum(Sum);
  for (Instruction *Factor : Factors)
    lowerAccess(Factor, Factor, Intrinsic::x86_tileloadd64);
  for (Instruction *Store : Stores) {
    lowerAccess(Store, matchSquare(Store)->Stored, Intrinsic::x86_tilestored64);
    Store->eraseFromParent();
  }
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
