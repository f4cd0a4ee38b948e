//===- OuterTiles.cpp - a tile group in SME's array -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AArch64's SME adds outer products of two vectors to the squares of an array,
// in a mode of its own, streaming mode, in which vectors have another length,
// known at run time only, and NEON does not work. The array is state of the
// CPU, not a value. So a loop over k is replaced as a whole,
//
//   entry:
//     %c = call @llvm.matrix.column.major.load(%C, %ldc, false, 32, 32)
//   loop:
//     %sum = phi <1024 x float> [ %c, %entry ], [ %next, %loop ]
//     %a = load <32 x float>, ptr %pa
//     %b = load <32 x float>, ptr %pb
//     %ab = call contract @llvm.matrix.multiply(%a, %b, 32, 1, 32)
//     %next = fadd contract %sum, %ab
//     ...
//   exit:
//     call @llvm.matrix.column.major.store(%next, %C, %ldc, false, 32, 32)
//
// with what is in front of it and behind it, by the call of a function that is
// in streaming mode (StreamingFunction.h).
//
// fmopa is fused, so multiply and addition must permit that. It gives default
// NaNs; all other results are those of fmla. Entering streaming mode takes as
// long as some hundred multiply-adds, so tiles that vector registers hold are
// left to them.
//
//===----------------------------------------------------------------------===//

#include "OuterTiles.h"
#include "Pieces.h"
#include "StreamingFunction.h"
#include "TileGroup.h"
#include "tilesmith/Support/Motion.h"
#include "tilesmith/Target/OuterProducts.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {
namespace {

/// A place of columns in memory; none if they are zero.
struct Columns {
  Value *Pointer, *Stride;
};

/// A factor of a loop over k, which moves by as many bytes with each step.
struct Factor {
  Value *Start, *Step;
};

class OuterProducts {
public:
  OuterProducts(TileGroup &Group)
      : Group(Group), F(*Group.getSeed().getFunction()), DT(F) {}

  /// Whether the group is such a loop, and nothing else.
  bool matches();
  void run();

private:
  bool matchLoop();
  bool matchFactor(Value *V, unsigned Count, Factor &Result);
  bool matchStart(Value *V);
  bool matchStores();
  bool isKnown(Value *V) const {
    return DT.dominates(V, Preheader->getTerminator());
  }
  Columns startAt(Value *V);

  TileGroup &Group;
  Function &F;
  DominatorTree DT;
  MatrixProduct Product{};
  BasicBlock *Loop = nullptr, *Preheader = nullptr, *Exit = nullptr;
  PHINode *Sum = nullptr;
  Instruction *Next = nullptr;
  Value *Start = nullptr, *Steps = nullptr;
  Factor A{}, B{};
  Columns To{};
  SmallPtrSet<Instruction *, 16> Known; ///< members that have a part in it
};

/// Steps = 0; do { ... } while (++step < Steps).
bool OuterProducts::matchLoop() {
  auto *Branch = dyn_cast<BranchInst>(Loop->getTerminator());
  Value *Step = nullptr, *Before = nullptr;
  if (!Branch || Branch->isUnconditional() || Branch->getSuccessor(0) != Loop ||
      Branch->getSuccessor(1) == Loop ||
      !match(
          Branch->getCondition(),
          m_SpecificICmp(ICmpInst::ICMP_ULT, m_Value(Step), m_Value(Steps))) ||
      !match(Step, m_Add(m_Value(Before), m_One())))
    return false;
  auto *Phi = dyn_cast<PHINode>(Before);
  if (!Phi || Phi->getParent() != Loop || Phi->getNumIncomingValues() != 2 ||
      !Phi->getType()->isIntegerTy(64))
    return false;
  unsigned Back = Phi->getIncomingBlock(0) != Loop;
  Preheader = Phi->getIncomingBlock(1 - Back);
  Exit = Branch->getSuccessor(1);
  return Phi->getIncomingBlock(Back) == Loop &&
         Phi->getIncomingValue(Back) == Step &&
         match(Phi->getIncomingValue(1 - Back), m_Zero()) && isKnown(Steps) &&
         Exit->getSinglePredecessor() == Loop;
}

bool OuterProducts::matchFactor(Value *V, unsigned Count, Factor &Result) {
  auto *Load = dyn_cast<Instruction>(V);
  if (!Load || !Group.contains(Load) || Load->getParent() != Loop ||
      !Load->hasOneUse())
    return false;
  auto Access = MatrixAccess::match(*Load);
  if (!Access || Access->Stored || Access->IsVolatile ||
      Access->Pointer->getType()->getPointerAddressSpace() != 0 ||
      getNumElements(Load) != Count)
    return false;
  // A column that not all rows of exist is adjacent as well.
  bool IsColumn = Access->Rows == Count;
  if (!IsColumn && !Access->isAdjacent())
    return false;
  auto *Phi = dyn_cast<PHINode>(Access->Pointer);
  if (!Phi || Phi->getParent() != Loop)
    return false;
  Result.Start = Phi->getIncomingValueForBlock(Preheader);
  Value *Moved = Phi->getIncomingValueForBlock(Loop);
  if (!match(Moved, m_PtrAdd(m_Specific(Phi), m_Value(Result.Step))) ||
      !isKnown(Result.Step))
    return false;
  Known.insert(Load);
  return true;
}

/// Whether \p V is a tile in memory, or zero, or a choice between such.
bool OuterProducts::matchStart(Value *V) {
  if (auto *C = dyn_cast<Constant>(V))
    return C->isNullValue();
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Group.contains(I) || !I->hasOneUse() || I->getParent() == Loop ||
      Group.Members.lookup(I) != Cut::Columns)
    return false;
  Known.insert(I);
  if (auto *Phi = dyn_cast<PHINode>(I))
    return none_of(Phi->incoming_values(),
                   [&](Value *In) { return isa<PHINode>(In); }) &&
           all_of(Phi->incoming_values(),
                  [&](Value *In) { return matchStart(In); });
  auto Access = MatrixAccess::match(*I);
  return Access && !Access->Stored && !Access->IsVolatile &&
         Access->Rows == Group.Rows && Access->Stride &&
         Access->Stride->getType()->isIntegerTy(64) &&
         Access->Pointer->getType()->getPointerAddressSpace() == 0;
}

/// Whether the sum is stored whichever way is taken behind the loop, always to
/// the same place.
bool OuterProducts::matchStores() {
  SmallPtrSet<BasicBlock *, 2> Blocks;
  for (User *U : Next->users()) {
    auto *Store = cast<Instruction>(U);
    if (Store == Sum)
      continue;
    auto Access = MatrixAccess::match(*Store);
    if (!Access || !Access->Stored || Access->IsVolatile || !Access->Stride ||
        !Access->Stride->getType()->isIntegerTy(64) || !Group.contains(Store) ||
        !canComputeBefore(*Access->Pointer, *Preheader->getTerminator(), DT) ||
        !canComputeBefore(*Access->Stride, *Preheader->getTerminator(), DT) ||
        Access->Pointer->getType()->getPointerAddressSpace() != 0 ||
        !Blocks.insert(Store->getParent()).second)
      return false;
    if (To.Pointer &&
        (To.Pointer != Access->Pointer || To.Stride != Access->Stride))
      return false;
    To = {Access->Pointer, Access->Stride};
    Known.insert(Store);
  }
  if (Blocks.size() == 1)
    return Blocks.contains(Exit);
  return !Blocks.contains(Exit) && Blocks.size() == succ_size(Exit) &&
         all_of(successors(Exit), [&](BasicBlock *BB) {
           return Blocks.contains(BB) && BB->getSinglePredecessor() == Exit;
         });
}

bool OuterProducts::matches() {
  Product = *MatrixProduct::match(&Group.getSeed());
  Instruction *Call = Product.Call;
  Loop = Call->getParent();
  if (Product.Inner != 1 || !Call->hasOneUse() || !Call->hasAllowContract() ||
      Group.InGroups.contains(Call) || !matchLoop())
    return false;
  Next = Call->user_back();
  if (Next->getOpcode() != Instruction::FAdd || !Next->hasAllowContract() ||
      Next->getParent() != Loop || !Group.contains(Next))
    return false;
  Sum = dyn_cast<PHINode>(Next->getOperand(Next->getOperand(0) == Call));
  if (!Sum || Sum->getParent() != Loop || !Sum->hasOneUse() ||
      Sum->getIncomingValueForBlock(Loop) != Next)
    return false;
  Start = Sum->getIncomingValueForBlock(Preheader);
  Known.insert({Call, Next, Sum});
  if (!matchFactor(Product.A, Product.Rows, A) ||
      !matchFactor(Product.B, Product.Columns, B) || !matchStart(Start) ||
      !matchStores() || Group.Members.size() != Known.size())
    return false;
  if (Group.ExistingRows && !isKnown(Group.ExistingRows))
    return false;
  if (any_of(Known, [](Instruction *I) {
        auto Access = MatrixAccess::match(*I);
        return Access && (Access->Wanted || Access->Moved);
      }))
    return false;
  // The tile is read later than it was, and written earlier.
  for (BasicBlock &BB : F)
    for (Instruction &I : BB) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      bool IsPrefetch =
          Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::prefetch;
      if (!IsPrefetch && !Known.contains(&I) &&
          (I.mayHaveSideEffects() || I.mayReadFromMemory()))
        return false;
      // What the loop computes is used in it only.
      if (&BB == Loop && &I != Next && any_of(I.users(), [&](User *U) {
            return cast<Instruction>(U)->getParent() != Loop;
          }))
        return false;
    }
  return true;
}

/// Where the sums start: for a phi of tiles, a phi of their places.
Columns OuterProducts::startAt(Value *V) {
  LLVMContext &Ctx = F.getContext();
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  if (isa<Constant>(V))
    return {Constant::getNullValue(Ptr), ConstantInt::get(I64, 0)};
  if (auto Access = MatrixAccess::match(*cast<Instruction>(V)))
    return {Access->Pointer, Access->Stride};
  auto *Phi = cast<PHINode>(V);
  IRBuilder<> Builder(Phi);
  PHINode *Pointer = Builder.CreatePHI(Ptr, Phi->getNumIncomingValues());
  PHINode *Stride = Builder.CreatePHI(I64, Phi->getNumIncomingValues());
  for (auto [In, BB] : zip(Phi->incoming_values(), Phi->blocks())) {
    Columns Place = startAt(In);
    Pointer->addIncoming(Place.Pointer, BB);
    Stride->addIncoming(Place.Stride, BB);
  }
  return {Pointer, Stride};
}

void OuterProducts::run() {
  Function *Outer =
      streamingFunction(F, Product.Call->getType()->getScalarType());
  Columns From = startAt(Start);
  IRBuilder<> Builder(Preheader->getTerminator());
  for (Value **V : {&To.Pointer, &To.Stride})
    *V = computeBefore(**V, *Preheader->getTerminator(), DT);
  auto Wide = [&](Value *V) {
    return Builder.CreateSExtOrTrunc(V, Builder.getInt64Ty());
  };
  Value *All = Builder.getInt64(Product.Rows);
  Value *Count = Builder.CreateBinaryIntrinsic(Intrinsic::umax, Steps,
                                               Builder.getInt64(1));
  Builder.CreateCall(Outer,
                     {A.Start, Wide(A.Step), B.Start, Wide(B.Step), Count,
                      From.Pointer, From.Stride, To.Pointer, To.Stride,
                      Group.ExistingRows ? Wide(Group.ExistingRows) : All,
                      Builder.getInt64(Product.Columns)});
  // Nothing is left of the loop.
  auto *Branch = cast<BranchInst>(Loop->getTerminator());
  SmallVector<WeakTrackingVH> Dead;
  for (Instruction &I : *Loop)
    if (&I != Branch)
      Dead.push_back(&I);
  for (Instruction *I : Known) {
    Dead.push_back(I);
    for (Value *V : I->operand_values())
      Dead.push_back(V);
  }
  Preheader->getTerminator()->replaceSuccessorWith(Loop, Exit);
  for (Instruction *I : Known)
    if (!I->getType()->isVoidTy())
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Known)
    I->eraseFromParent();
  DeleteDeadBlock(Loop);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
}

} // namespace

bool lowerToOuterProducts(const MatrixProduct &Seed,
                          const TargetTransformInfo &TTI) {
  Type *Ty = Seed.Call->getType();
  if (!hasOuterProducts(*Seed.Call->getFunction(), Ty->getScalarType()))
    return false;
  auto Found = TileGroup::find(Seed);
  if (!Found)
    return false;
  TileGroup &Group = *Found;
  constexpr unsigned Registers = 24;
  unsigned Columns = getNumElements(&Group.getSeed()) / Group.Rows;
  if (cutColumn(Group, TTI).size() * Columns <= Registers)
    return false;
  OuterProducts Products(Group);
  if (!Products.matches())
    return false;
  Products.run();
  return true;
}

} // namespace tilesmith
