//===- FusionReader.cpp - which products are fused ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionReader.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

static uint64_t mix(ArrayRef<uint64_t> Values) {
  return xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Values.data()),
                              Values.size() * sizeof(uint64_t)));
}

namespace {

/// What a hash is of.
enum Kind : uint64_t { Constants, Parameters, Elements, Products, Signs, Sums };

bool isAddition(const Instruction &I) {
  return I.getOpcode() == Instruction::FAdd ||
         I.getOpcode() == Instruction::FSub;
}

/// Where a lane comes from that only vectors move.
std::optional<Lane> moved(Lane Of) {
  constexpr unsigned MaxMoves = 64;
  for (unsigned Move = 0; Move < MaxMoves; ++Move) {
    Value *Vector, *Scalar;
    uint64_t Index;
    auto *I = dyn_cast<Instruction>(Of.V);
    if (!I)
      return Of;
    if (match(I, m_ExtractElt(m_Value(Vector), m_ConstantInt(Index)))) {
      Of = {Vector, unsigned(Index)};
    } else if (match(I, m_InsertElt(m_Value(Vector), m_Value(Scalar),
                                    m_ConstantInt(Index)))) {
      Of = Index == Of.Number ? Lane{Scalar, 0} : Lane{Vector, Of.Number};
    } else if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(I)) {
      int From = Shuffle->getMaskValue(Of.Number);
      auto *Ty = dyn_cast<FixedVectorType>(Shuffle->getOperand(0)->getType());
      if (!Ty || From < 0)
        return std::nullopt;
      unsigned Width = Ty->getNumElements();
      Of = {Shuffle->getOperand(unsigned(From) / Width),
            unsigned(From) % Width};
    } else if (isa<FreezeInst>(I) ||
               (isa<PHINode>(I) && I->getNumOperands() == 1)) {
      Of.V = I->getOperand(0);
    } else {
      return isa<ExtractElementInst, InsertElementInst>(I) ? std::nullopt
                                                           : std::optional(Of);
    }
  }
  return std::nullopt;
}

/// Whether \p V, which is moved, was a multiplication that may be fused, or a
/// change of one.
bool leadsToProduct(Lane Of) {
  std::optional<Lane> From = moved(Of);
  auto *I = From ? dyn_cast<Instruction>(From->V) : nullptr;
  if (!I)
    return false;
  if (I->getOpcode() == Instruction::FNeg || isa<FPExtInst, FPTruncInst>(I))
    return leadsToProduct({I->getOperand(0), From->Number});
  return isContractable(*I);
}

/// Whether \p V, which is moved, is a product that is exact: it does not matter whether
/// that is fused.
bool leadsToExactProduct(Lane Of) {
  std::optional<Lane> From = moved(Of);
  auto *Product = From ? dyn_cast<BinaryOperator>(From->V) : nullptr;
  if (!Product || Product->getOpcode() != Instruction::FMul)
    return false;
  return any_of(Product->operands(), [&](Value *Op) {
    std::optional<Lane> Factor = moved({Op, From->Number});
    auto *C = Factor ? dyn_cast<Constant>(Factor->V) : nullptr;
    if (C && C->getType()->isVectorTy())
      C = C->getAggregateElement(Factor->Number);
    auto *Number = dyn_cast_or_null<ConstantFP>(C);
    return Number && (Number->isZero() || Number->isExactlyValue(1.0) ||
                      Number->isExactlyValue(-1.0));
  });
}

unsigned lanesOf(const Type &Ty) {
  auto *Vector = dyn_cast<FixedVectorType>(&Ty);
  return Vector ? Vector->getNumElements() : 1;
}

/// The lanes of \p I that anything is made of.
SmallBitVector lanesUsed(const Instruction &I) {
  unsigned Width = lanesOf(*I.getType());
  SmallBitVector Used(Width);
  for (const User *U : I.users()) {
    uint64_t Index;
    auto *Shuffle = dyn_cast<ShuffleVectorInst>(U);
    if (match(U, m_ExtractElt(m_Specific(&I), m_ConstantInt(Index))) &&
        Index < Width)
      Used.set(Index);
    else if (Shuffle)
      for (int From : Shuffle->getShuffleMask()) {
        if (From >= 0 && Shuffle->getOperand(unsigned(From) / Width) == &I)
          Used.set(unsigned(From) % Width);
      }
    else
      Used.set();
  }
  return Used;
}

/// Vectors that all CPUs that fuse have.
constexpr unsigned MaxBits = 256;

/// Whether all that \p V is used for in its block is made of all of its lanes. What is
/// made of some of them only may be made of what they come from.
bool isUsedWhole(const Instruction &V, unsigned MaxDepth = 4) {
  return all_of(V.users(), [&](const User *U) {
    auto *By = cast<Instruction>(U);
    if (isa<StoreInst, PHINode>(By) || By->getParent() != V.getParent())
      return true;
    return MaxDepth && isa<BinaryOperator, UnaryOperator>(By) &&
           isUsedWhole(*By, MaxDepth - 1);
  });
}

/// If the lanes of \p Add and of another addition of the same products, one of
/// which subtracts, are taken in turn: which product is fused, as an operand.
std::optional<unsigned> fusedInTurn(const Instruction &Add) {
  auto *Ty = dyn_cast<FixedVectorType>(Add.getType());
  if (!Ty || !Add.hasOneUse() || !isPowerOf2_32(Ty->getNumElements()) ||
      Ty->getPrimitiveSizeInBits() > MaxBits)
    return std::nullopt;
  auto *Shuffle = dyn_cast<ShuffleVectorInst>(*Add.user_begin());
  if (!Shuffle || Shuffle->getParent() != Add.getParent() ||
      Shuffle->getType() != Ty || !isUsedWhole(*Shuffle))
    return std::nullopt;
  auto *X = dyn_cast<Instruction>(Shuffle->getOperand(0)),
       *Y = dyn_cast<Instruction>(Shuffle->getOperand(1));
  if (!X || !Y || X == Y || !isAddition(*X) || !isAddition(*Y) ||
      X->getOpcode() == Y->getOpcode() || !X->hasOneUse() || !Y->hasOneUse() ||
      X->getParent() != Y->getParent() ||
      X->hasAllowContract() != Y->hasAllowContract())
    return std::nullopt;
  unsigned Width = Ty->getNumElements();
  bool IsFirst = Shuffle->getMaskValue(0) == 0;
  for (unsigned I = 0; I < Width; ++I)
    if (Shuffle->getMaskValue(I) !=
        int(I + (IsFirst == (I % 2 == 0) ? 0 : Width)))
      return std::nullopt;
  auto *Minus = X->getOpcode() == Instruction::FSub ? X : Y;
  auto *Plus = Minus == X ? Y : X;
  auto *T = dyn_cast<Instruction>(Minus->getOperand(0)),
       *U = dyn_cast<Instruction>(Minus->getOperand(1));
  if (!T || !U || T == U || !isContractable(*T) || !T->hasNUses(2) ||
      T->getParent() != Add.getParent() ||
      !match(Plus, m_c_FAdd(m_Specific(T), m_Specific(U))))
    return std::nullopt;
  return Add.getOperand(0) == T ? 0 : 1;
}

/// Whether a product that leads to an operand is rounded for certain: it is in
/// another block, or a lane of a vector that is taken apart.
bool isRounded(Value &Operand, const Instruction &Add) {
  auto *I = dyn_cast<Instruction>(&Operand);
  if (!I || isa<PHINode>(I) || I->getParent() != Add.getParent())
    return true;
  // Longer vectors than the target's are split, and a half may be used once.
  Value *Vector;
  return match(I, m_ExtractElt(m_Value(Vector), m_ConstantInt())) &&
         !Vector->hasOneUse() &&
         Vector->getType()->getPrimitiveSizeInBits() <= MaxBits;
}

enum class Outcome { Fused, Rounded, Unknown };

/// What becomes of operand \p Op of \p Add, a product, where it is the first choice.
Outcome outcome(const Instruction &Add, unsigned Op) {
  auto *I = dyn_cast<Instruction>(Add.getOperand(Op));
  if (!I || !isContractable(*I))
    return isRounded(*Add.getOperand(Op), Add) ? Outcome::Rounded
                                               : Outcome::Unknown;
  if (I->getParent() != Add.getParent())
    return Outcome::Rounded;
  if (isUsedOnce(*I))
    return Outcome::Fused;
  // Vectors that are used twice may be a pattern of the target.
  return I->getType()->isVectorTy() ? Outcome::Unknown : Outcome::Rounded;
}

/// Whether \p Select is "and" or "or" of conditions that take little time, which no
/// pass makes a branch of, if nothing is known of how often it holds.
bool isLogical(const SelectInst &Select) {
  auto IsCheap = [](const Value *V) {
    return !isa<Instruction>(V) || isa<ICmpInst, PHINode, SelectInst>(V) ||
           match(V, m_CombineOr(m_And(m_Value(), m_Value()),
                                m_Or(m_Value(), m_Value())));
  };
  return match(&Select, m_CombineOr(m_LogicalAnd(m_Value(), m_Value()),
                                    m_LogicalOr(m_Value(), m_Value()))) &&
         !Select.hasMetadata(LLVMContext::MD_prof) &&
         IsCheap(Select.getTrueValue()) && IsCheap(Select.getFalseValue());
}

/// Whether the block of \p Add may be parted before code is generated.
bool mayBeParted(const Instruction &Add) {
  return any_of(*Add.getParent(), [](const Instruction &I) {
    auto *Select = dyn_cast<SelectInst>(&I);
    return Select && !Select->getCondition()->getType()->isVectorTy() &&
           !isLogical(*Select);
  });
}

} // namespace

//===-- What a value is made of -------------------------------------------===//

/// The element of its pair that an offset leads to, if all that moves it moves it
/// by whole pairs.
std::optional<unsigned> FusionReader::partOf(const SCEV *Offset,
                                             unsigned Size) {
  uint64_t Pair = 2 * Size;
  if (auto *C = dyn_cast<SCEVConstant>(Offset)) {
    int64_t Bytes = C->getAPInt().getSExtValue() % int64_t(Pair);
    uint64_t Rest = Bytes < 0 ? Bytes + Pair : Bytes;
    return Rest % Size ? std::nullopt : std::optional<unsigned>(Rest / Size);
  }
  auto IsWhole = [&](const SCEV *S) {
    return SE.getConstantMultiple(S).urem(Pair) == 0;
  };
  if (auto *Add = dyn_cast<SCEVAddExpr>(Offset)) {
    unsigned Sum = 0;
    for (const SCEV *Op : Add->operands()) {
      std::optional<unsigned> Part = partOf(Op, Size);
      if (!Part)
        return std::nullopt;
      Sum += *Part;
    }
    return Sum % 2;
  }
  if (auto *Moving = dyn_cast<SCEVAddRecExpr>(Offset))
    return Moving->isAffine() && IsWhole(Moving->getOperand(1))
               ? partOf(Moving->getStart(), Size)
               : std::nullopt;
  return IsWhole(Offset) ? std::optional(0u) : std::nullopt;
}

/// The depth of a loop further in that goes on from \p Start; 0 if there is none.
static unsigned depthOfNext(const PHINode &Start, const LoopInfo &LI) {
  constexpr unsigned MaxUsers = 32;
  unsigned Depth = LI.getLoopDepth(Start.getParent());
  SmallSetVector<const Instruction *, 8> Users;
  Users.insert(&Start);
  for (unsigned I = 0; I < Users.size() && I < MaxUsers; ++I) {
    const BasicBlock *BB = Users[I]->getParent();
    if (isa<PHINode>(Users[I]) && LI.isLoopHeader(BB) &&
        LI.getLoopDepth(BB) > Depth)
      return LI.getLoopDepth(BB);
    for (const User *U : Users[I]->users())
      if (isa<PHINode>(U) || match(U, m_Add(m_Value(), m_ConstantInt())))
        Users.insert(cast<Instruction>(U));
  }
  return 0;
}

/// Visit() for what \p Address is made of. Quotients are left out: where vectors end, the
/// number of iterations is rounded.
template <typename F> static void visitParts(const SCEV *Address, F Visit) {
  struct Visitor {
    F &Visit;
    bool follow(const SCEV *S) {
      if (!isa<SCEVUDivExpr>(S))
        Visit(S);
      return !isa<SCEVUDivExpr>(S);
    }
    bool isDone() const { return false; }
  } V{Visit};
  visitAll(Address, V);
}

/// Adds to \p Depths those of the loops that move \p Address. Where a rest goes on from
/// a loop, or in front of one, that is what leads to its phi, or what comes of it.
void FusionReader::addDepths(const SCEV *Address,
                             SmallPtrSetImpl<const SCEV *> &Seen,
                             uint64_t &Depths) {
  if (!Seen.insert(Address).second)
    return;
  auto Add = [&](unsigned Depth) {
    if (Depth)
      Depths |= uint64_t(1) << std::min(Depth, 63u);
  };
  visitParts(Address, [&](const SCEV *S) {
    if (auto *Moving = dyn_cast<SCEVAddRecExpr>(S))
      Add(Moving->getLoop()->getLoopDepth());
    auto *Other = dyn_cast<SCEVUnknown>(S);
    if (auto *Load =
            dyn_cast_or_null<LoadInst>(Other ? Other->getValue() : nullptr))
      Add(LI.getLoopDepth(Load->getParent()));
    if (auto *Phi =
            dyn_cast_or_null<PHINode>(Other ? Other->getValue() : nullptr)) {
      Add(depthOfNext(*Phi, LI));
      for (Value *In : Phi->incoming_values())
        addDepths(SE.getSCEV(In), Seen, Depths);
    }
  });
}

FusionReader::Hash FusionReader::hashLoad(Value &Pointer, Type &ElementTy,
                                          unsigned Number) {
  constexpr unsigned NoPart = 2;
  if (!SE.isSCEVable(Pointer.getType()))
    return std::nullopt;
  const SCEV *Address = SE.getSCEV(&Pointer);
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base)
    return std::nullopt;
  uint64_t Array = 0;
  if (auto *Given = dyn_cast<Argument>(Base->getValue()))
    Array = 1 + Given->getArgNo();
  else if (auto *Global = dyn_cast<GlobalValue>(Base->getValue()))
    Array = xxh3_64bits(Global->getName());
  uint64_t Depths = 0;
  SmallPtrSet<const SCEV *, 8> Seen;
  addDepths(Address, Seen, Depths);
  unsigned Size = SE.getDataLayout().getTypeStoreSize(&ElementTy);
  const SCEV *Offset = SE.getMinusSCEV(Address, Base);
  std::optional<unsigned> Part;
  if (!isa<SCEVCouldNotCompute>(Offset))
    Part = partOf(Offset, Size);
  return mix(
      {Elements, Array, Depths, Size, Part ? (*Part + Number) % 2 : NoPart});
}

FusionReader::Hash FusionReader::hash(Lane Of) {
  std::pair Where(Of.V, Of.Number);
  if (auto It = Known.find(Where); It != Known.end())
    return It->second;
  if (!UnderWay.insert(Where).second)
    return std::nullopt;
  Hash Result = compute(Of);
  UnderWay.erase(Where);
  return Known[Where] = Result;
}

FusionReader::Hash FusionReader::compute(Lane Of) {
  std::optional<Lane> From = moved(Of);
  if (!From)
    return std::nullopt;
  Value *V = From->V;
  if (auto *C = dyn_cast<Constant>(V)) {
    Constant *Element =
        C->getType()->isVectorTy() ? C->getAggregateElement(From->Number) : C;
    auto *Number = dyn_cast_or_null<ConstantFP>(Element);
    if (!Number)
      return std::nullopt;
    return mix(
        {Constants, Number->getValueAPF().bitcastToAPInt().getZExtValue()});
  }
  if (auto *Given = dyn_cast<Argument>(V))
    return mix({Parameters, Given->getArgNo()});
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !I->getType()->isFPOrFPVectorTy())
    return std::nullopt;
  if (auto *Load = dyn_cast<LoadInst>(I))
    return hashLoad(*Load->getPointerOperand(), *I->getType()->getScalarType(),
                    From->Number);
  if (auto *Call = dyn_cast<IntrinsicInst>(I);
      Call && Call->getIntrinsicID() == Intrinsic::masked_load)
    return hashLoad(*Call->getArgOperand(0), *I->getType()->getScalarType(),
                    From->Number);
  auto Operand = [&](unsigned Op) {
    return hash({I->getOperand(Op), From->Number});
  };
  switch (I->getOpcode()) {
  case Instruction::FMul: {
    Hash X = Operand(0), Y = Operand(1);
    if (!X || !Y)
      return std::nullopt;
    return mix({Products, std::min(*X, *Y), std::max(*X, *Y)});
  }
  case Instruction::FNeg: {
    Hash X = Operand(0);
    return X ? Hash(mix({Signs, *X})) : std::nullopt;
  }
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::PHI:
  case Instruction::Select:
    return hashSum(*From);
  default:
    return std::nullopt;
  }
}

/// Collects what \p Of is a sum of, but for constants. However often a loop is
/// unrolled, that is the same.
bool FusionReader::addends(Lane Of,
                           DenseSet<std::pair<Value *, unsigned>> &Seen,
                           SmallVectorImpl<uint64_t> &Into) {
  std::optional<Lane> From = moved(Of);
  if (!From)
    return false;
  if (isa<Constant>(From->V) || !Seen.insert({From->V, From->Number}).second)
    return true;
  auto Add = [&](Value *V) { return addends({V, From->Number}, Seen, Into); };
  auto *I = dyn_cast<Instruction>(From->V);
  if (auto *Phi = dyn_cast_or_null<PHINode>(I))
    return all_of(Phi->incoming_values(), Add);
  if (auto *Select = dyn_cast_or_null<SelectInst>(I))
    return Add(Select->getTrueValue()) && Add(Select->getFalseValue());
  if (I && I->getOpcode() == Instruction::FAdd)
    return Add(I->getOperand(0)) && Add(I->getOperand(1));
  if (I && I->getOpcode() == Instruction::FSub) {
    Hash Minus = hash({I->getOperand(1), From->Number});
    if (!Minus)
      return false;
    Into.push_back(mix({Signs, *Minus}));
    return Add(I->getOperand(0));
  }
  Hash Of1 = hash(*From);
  if (!Of1)
    return false;
  Into.push_back(*Of1);
  return true;
}

FusionReader::Hash FusionReader::hashSum(Lane Of) {
  DenseSet<std::pair<Value *, unsigned>> Seen;
  SmallVector<uint64_t, 8> Found;
  if (!addends(Of, Seen, Found))
    return std::nullopt;
  sort(Found);
  Found.erase(llvm::unique(Found), Found.end());
  Found.insert(Found.begin(), Sums);
  return mix(Found);
}

/// Whether it matters if a product is fused in a lane of \p Add.
static bool mayBeFused(const Instruction &Add, unsigned Number) {
  return any_of(Add.operands(), [&](Value *Op) {
    return leadsToProduct({Op, Number}) && !leadsToExactProduct({Op, Number});
  });
}

//===-- Additions ---------------------------------------------------------===//

std::optional<Lane> FusionReader::origin(Lane Of) { return moved(Of); }

bool FusionReader::addsProduct(const Instruction &I) {
  if (auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && Call->getIntrinsicID() == Intrinsic::vector_reduce_fadd)
    return Call->hasAllowContract();
  if (!isAddition(I) || isa<ScalableVectorType>(I.getType()))
    return false;
  return any_of(seq(lanesOf(*I.getType())),
                [&](unsigned Number) { return mayBeFused(I, Number); });
}

std::optional<SmallVector<LaneOfAddition, 4>>
FusionReader::read(Instruction &Add) {
  if (!isAddition(Add))
    return std::nullopt;
  SmallVector<LaneOfAddition, 4> Result;
  const SmallBitVector Used = lanesUsed(Add);
  for (unsigned Number : Used.set_bits()) {
    if (!mayBeFused(Add, Number))
      continue;
    LaneOfAddition Of{&Add, Number, {}, std::nullopt, 0};
    uint64_t Made[2] = {0, 0};
    for (unsigned Op : {0, 1}) {
      Lane Operand{Add.getOperand(Op), Number};
      if (!leadsToProduct(Operand))
        continue;
      std::optional<Lane> From = moved(Operand);
      if (!From || !isContractable(*cast<Instruction>(From->V)) ||
          !Add.hasAllowContract())
        return std::nullopt;
      Of.Products[Op] = hash(*From);
      if (!Of.Products[Op])
        return std::nullopt;
      Made[Op] = *Of.Products[Op];
    }
    if (Made[0] && Made[0] == Made[1])
      return std::nullopt;
    if (Add.getOpcode() == Instruction::FAdd && Made[0] > Made[1])
      std::swap(Made[0], Made[1]);
    Of.Key = mix({Add.getOpcode(), Made[0], Made[1]});
    if (Of.Products[0] || Of.Products[1])
      Result.push_back(Of);
  }
  return Result;
}

std::optional<SmallVector<LaneOfAddition, 4>>
FusionReader::readFused(Instruction &Add) {
  auto Lanes = read(Add);
  if (!Lanes || Lanes->empty() || mayBeParted(Add))
    return Lanes && Lanes->empty() ? Lanes : std::nullopt;
  std::optional<unsigned> InTurn = fusedInTurn(Add);
  for (LaneOfAddition &Of : *Lanes) {
    if (InTurn) {
      Of.Fused = InTurn;
      continue;
    }
    for (unsigned Op : {0, 1}) {
      if (!Of.Products[Op] || Of.Fused)
        continue;
      switch (outcome(Add, Op)) {
      case Outcome::Fused:
        Of.Fused = Op;
        break;
      case Outcome::Rounded:
        break;
      case Outcome::Unknown:
        return std::nullopt;
      }
    }
  }
  return Lanes;
}

} // namespace tilesmith
