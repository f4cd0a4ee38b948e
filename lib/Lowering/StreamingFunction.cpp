//===- StreamingFunction.cpp - outer products of a tile -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamingFunction.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {
namespace {

/// Builds tilesmith.outer for elements of one type.
class StreamingFunction {
public:
  StreamingFunction(Module &Mod, Type *ElementTy)
      : B(Mod.getContext()), Mod(Mod), ElementTy(ElementTy),
        Size(ElementTy->getScalarSizeInBits() / 8) {}

  /// One with the attributes of a part of \p Caller.
  Function *get(const Function &Caller);

private:
  enum Operand {
    A,
    StepA,
    B0,
    StepB,
    K,
    From,
    FromLd,
    To,
    ToLd,
    Rows,
    Columns
  };

  void build();
  void takeArray();
  void saveArray(Value *Block);
  void emitLoop(Value *Begin, Value *End, Value *Step, const Twine &Name,
                function_ref<void(Value *)> Body);
  void emitSquares(Value *I, Value *J);
  void emitSteps(Value *I, Value *J);
  void move(Value *I, Value *J, Operand Pointer, Operand Ld, bool IsStore);
  Value *firstLanes(Value *Begin, Value *End);
  Value *arg(Operand Which) { return F->getArg(Which); }
  Value *i64(uint64_t V) { return B.getInt64(V); }
  Value *element(Value *Pointer, Value *Index) {
    return B.CreateGEP(ElementTy, Pointer, Index);
  }

  IRBuilder<> B;
  Module &Mod;
  Type *ElementTy;
  unsigned Size;
  Function *F = nullptr;
  Value *Lanes = nullptr; ///< of a vector
};

Function *StreamingFunction::get(const Function &Caller) {
  auto *Ptr = PointerType::get(Mod.getContext(), 0);
  Type *I64 = B.getInt64Ty();
  auto *Ty = FunctionType::get(
      B.getVoidTy(), {Ptr, I64, Ptr, I64, I64, Ptr, I64, Ptr, I64, I64, I64},
      /*isVarArg=*/false);
  AttrBuilder Attributes = attributesOfPart(Caller);
  // Sanitizers call functions that are none for streaming mode, in which
  // vectors have a length of their own.
  for (Attribute::AttrKind Kind :
       {Attribute::SanitizeAddress, Attribute::SanitizeHWAddress,
        Attribute::SanitizeMemory, Attribute::SanitizeThread,
        Attribute::VScaleRange})
    Attributes.removeAttribute(Kind);
  // Unwinders are told how long vectors were before. Without SVE, LLVM asks a
  // run-time library for that.
  if (!hasFeature(Caller, "sve"))
    Attributes.removeAttribute(Attribute::UWTable);
  Attributes.addAttribute("aarch64_pstate_sm_body");
  std::string Name =
      ElementTy->isDoubleTy() ? "tilesmith.outer.f64" : "tilesmith.outer.f32";
  AttributeList List = AttributeList::get(
      Mod.getContext(), AttributeList::FunctionIndex, Attributes);
  for (Function &Other : Mod)
    if (Other.getName().starts_with(Name) && !Other.isDeclaration() &&
        Other.getFunctionType() == Ty && Other.getAttributes() == List)
      return &Other;
  F = Function::Create(Ty, GlobalValue::InternalLinkage, Name, Mod);
  F->setAttributes(List);
  build();
  return F;
}

void StreamingFunction::emitLoop(Value *Begin, Value *End, Value *Step,
                                 const Twine &Name,
                                 function_ref<void(Value *)> Body) {
  LLVMContext &Ctx = Mod.getContext();
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Loop = BasicBlock::Create(Ctx, Name, F);
  BasicBlock *Done = BasicBlock::Create(Ctx, Name + ".done", F);
  B.CreateCondBr(B.CreateICmpULT(Begin, End), Loop, Done);
  B.SetInsertPoint(Loop);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, Name);
  Index->addIncoming(Begin, Before);
  Body(Index);
  Value *Next = B.CreateNUWAdd(Index, Step);
  Index->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpULT(Next, End), Loop, Done);
  B.SetInsertPoint(Done);
}

void StreamingFunction::build() {
  B.SetInsertPoint(BasicBlock::Create(Mod.getContext(), "entry", F));
  Lanes = B.CreateMul(B.CreateVScale(B.getInt64Ty()), i64(16 / Size), "lanes");
  Value *Two = B.CreateShl(Lanes, 1);
  takeArray();
  emitLoop(i64(0), arg(Columns), Two, "j", [&](Value *J) {
    emitLoop(i64(0), arg(Rows), Two, "i", [&](Value *I) { emitSquares(I, J); });
  });
  B.CreateIntrinsic(Intrinsic::aarch64_sme_za_disable, {});
  B.CreateRetVoid();
}

/// Switches the array on. A function that we are called from may have left
/// something in it, to be saved by whoever needs the array. LLVM does the same
/// for the attribute "aarch64_new_za", but with a call of a run-time library
/// that not every program is linked to.
void StreamingFunction::takeArray() {
  LLVMContext &Ctx = Mod.getContext();
  BasicBlock *Save = BasicBlock::Create(Ctx, "save", F);
  BasicBlock *Take = BasicBlock::Create(Ctx, "take", F);
  Value *Block = B.CreateIntrinsic(Intrinsic::aarch64_sme_get_tpidr2, {});
  B.CreateCondBr(B.CreateIsNull(Block), Take, Save);
  B.SetInsertPoint(Save);
  saveArray(B.CreateIntToPtr(Block, B.getPtrTy()));
  B.CreateBr(Take);
  B.SetInsertPoint(Take);
  B.CreateIntrinsic(Intrinsic::aarch64_sme_set_tpidr2, {i64(0)});
  B.CreateIntrinsic(Intrinsic::aarch64_sme_za_enable, {});
}

/// Stores the array where \p Block says (AAPCS64, "TPIDR2 block"): a pointer,
/// 16 bits that say how many rows, and bytes that must be zero.
void StreamingFunction::saveArray(Value *Block) {
  LLVMContext &Ctx = Mod.getContext();
  BasicBlock *Unknown = BasicBlock::Create(Ctx, "unknown", F);
  BasicBlock *Known = BasicBlock::Create(Ctx, "known", F);
  auto Load = [&](Type *Ty, uint64_t Offset) {
    return B.CreateLoad(Ty, B.CreatePtrAdd(Block, i64(Offset)));
  };
  Value *Count = Load(B.getInt64Ty(), 8);
  B.CreateCondBr(B.CreateIsNull(B.CreateLShr(Count, 16)), Known, Unknown);
  B.SetInsertPoint(Unknown);
  B.CreateIntrinsic(Intrinsic::trap, {});
  B.CreateUnreachable();
  B.SetInsertPoint(Known);
  Value *Buffer = Load(B.getPtrTy(), 0), *Bytes = B.CreateMul(Lanes, i64(Size));
  // Without a pointer, nobody wants it.
  Count = B.CreateSelect(B.CreateIsNull(Buffer), i64(0), Count);
  emitLoop(i64(0), Count, i64(1), "row", [&](Value *Row) {
    B.CreateIntrinsic(Intrinsic::aarch64_sme_str,
                      {B.CreateTrunc(Row, B.getInt32Ty()),
                       B.CreatePtrAdd(Buffer, B.CreateMul(Row, Bytes)),
                       B.getInt32(0)});
  });
}

/// The lanes of Begin, Begin + 1, … that come before \p End.
Value *StreamingFunction::firstLanes(Value *Begin, Value *End) {
  auto *Ty = ScalableVectorType::get(B.getInt1Ty(), 16 / Size);
  return B.CreateIntrinsic(Intrinsic::get_active_lane_mask,
                           {Ty, B.getInt64Ty()}, {Begin, End});
}

/// Two times two squares of the array, from row \p I and column \p J of the
/// tile on: a column of the tile is a row of a square.
void StreamingFunction::emitSquares(Value *I, Value *J) {
  LLVMContext &Ctx = Mod.getContext();
  BasicBlock *Zero = BasicBlock::Create(Ctx, "zero", F);
  BasicBlock *Load = BasicBlock::Create(Ctx, "load", F);
  BasicBlock *Add = BasicBlock::Create(Ctx, "add", F);
  B.CreateCondBr(B.CreateIsNull(arg(From)), Zero, Load);
  B.SetInsertPoint(Zero);
  B.CreateIntrinsic(Intrinsic::aarch64_sme_zero, {B.getInt32(255)});
  B.CreateBr(Add);
  B.SetInsertPoint(Load);
  move(I, J, From, FromLd, /*IsStore=*/false);
  B.CreateBr(Add);
  B.SetInsertPoint(Add);
  emitSteps(I, J);
  move(I, J, To, ToLd, /*IsStore=*/true);
}

/// Loads or stores the squares.
void StreamingFunction::move(Value *I, Value *J, Operand Pointer, Operand Ld,
                             bool IsStore) {
  Intrinsic::ID ID = Size == 8 ? (IsStore ? Intrinsic::aarch64_sme_st1d_horiz
                                          : Intrinsic::aarch64_sme_ld1d_horiz)
                               : (IsStore ? Intrinsic::aarch64_sme_st1w_horiz
                                          : Intrinsic::aarch64_sme_ld1w_horiz);
  for (unsigned Right : {0, 1}) {
    Value *First = Right ? B.CreateAdd(J, Lanes) : J;
    Value *Left =
        B.CreateBinaryIntrinsic(Intrinsic::usub_sat, arg(Columns), First);
    Value *End = B.CreateBinaryIntrinsic(Intrinsic::umin, Left, Lanes);
    emitLoop(i64(0), End, i64(1), IsStore ? "store" : "load", [&](Value *S) {
      Value *Column =
          element(arg(Pointer), B.CreateMul(B.CreateAdd(First, S), arg(Ld)));
      for (unsigned Below : {0, 1}) {
        Value *Begin = Below ? B.CreateAdd(I, Lanes) : I;
        B.CreateIntrinsic(ID,
                          {firstLanes(Begin, arg(Rows)), element(Column, Begin),
                           B.getInt32(2 * Right + Below),
                           B.CreateTrunc(S, B.getInt32Ty())});
      }
    });
  }
}

void StreamingFunction::emitSteps(Value *I, Value *J) {
  auto *Ty = ScalableVectorType::get(ElementTy, 16 / Size);
  Value *RowMask[2], *ColumnMask[2];
  for (unsigned Half : {0, 1}) {
    Value *Offset = Half ? Lanes : i64(0);
    RowMask[Half] = firstLanes(B.CreateAdd(I, Offset), arg(Rows));
    ColumnMask[Half] = firstLanes(B.CreateAdd(J, Offset), arg(Columns));
  }
  emitLoop(i64(0), arg(K), i64(1), "k", [&](Value *Step) {
    Value *FromA =
        element(B.CreatePtrAdd(arg(A), B.CreateMul(Step, arg(StepA))), I);
    Value *FromB =
        element(B.CreatePtrAdd(arg(B0), B.CreateMul(Step, arg(StepB))), J);
    Value *OfA[2], *OfB[2];
    auto Load = [&](Value *Pointer, Value *Mask) {
      return B.CreateMaskedLoad(Ty, Pointer, Align(Size), Mask,
                                Constant::getNullValue(Ty));
    };
    for (unsigned Half : {0, 1}) {
      Value *Offset = Half ? Lanes : i64(0);
      OfA[Half] = Load(element(FromA, Offset), RowMask[Half]);
      OfB[Half] = Load(element(FromB, Offset), ColumnMask[Half]);
    }
    for (unsigned Right : {0, 1})
      for (unsigned Below : {0, 1})
        B.CreateIntrinsic(Intrinsic::aarch64_sme_mopa, {Ty},
                          {B.getInt32(2 * Right + Below), ColumnMask[Right],
                           RowMask[Below], OfB[Right], OfA[Below]});
  });
}

} // namespace

Function *streamingFunction(Function &Caller, Type *ElementTy) {
  return StreamingFunction(*Caller.getParent(), ElementTy).get(Caller);
}

} // namespace tilesmith
