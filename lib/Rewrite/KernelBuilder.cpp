//===- KernelBuilder.cpp - emitting the kernel's functions ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace llvm;

namespace tilesmith {

SetVector<Value *> invariantsOf(const Contraction &Op) {
  SetVector<Value *> Scalars;
  for (const Expression *E :
       {&Op.AMap, &Op.BMap, &Op.Update, &Op.Start, &Op.Finish})
    E->collectInvariants(Scalars);
  return Scalars;
}

KernelBuilder::KernelBuilder(const Contraction &Op, const Plan &How)
    : Emitter(Op.UpdateStore->getContext()), Op(Op), How(How),
      Caller(*Op.UpdateStore->getFunction()), Mod(*Op.UpdateStore->getModule()),
      DL(Mod.getDataLayout()), OpA{Op.A, Op.AMap, M, How.MR, "pack.a"},
      OpB{Op.B, Op.BMap, N, How.NR, "pack.b"}, Scalars(invariantsOf(Op)),
      Size(DL.getTypeStoreSize(Op.SumTy)),
      ElemAlign(std::min({Op.A.Alignment, Op.B.Alignment, Op.C.Alignment})),
      AdjacentRowsOfC(Op.C.isUnit(M, DL)) {}

/// What a user asks for with compiler flags, rather than what LLVM infers.
static constexpr Attribute::AttrKind InheritedAttributes[] = {
    Attribute::UWTable,         Attribute::NoRedZone,
    Attribute::MustProgress,    Attribute::NullPointerIsValid,
    Attribute::StackProtect,    Attribute::StackProtectStrong,
    Attribute::StackProtectReq, Attribute::SafeStack,
    Attribute::ShadowCallStack, Attribute::SpeculativeLoadHardening,
    Attribute::SanitizeAddress, Attribute::SanitizeHWAddress,
    Attribute::SanitizeMemory,  Attribute::SanitizeThread,
};

Function *
KernelBuilder::createFunction(StringRef Name, Type *Result,
                              ArrayRef<std::pair<StringRef, Type *>> Args) {
  SmallVector<Type *, 16> Types;
  for (auto [ArgName, Ty] : Args)
    Types.push_back(Ty);
  for (Value *Scalar : Scalars)
    Types.push_back(Scalar->getType());
  Function *F =
      Function::Create(FunctionType::get(Result, Types, /*isVarArg=*/false),
                       GlobalValue::InternalLinkage, "tilesmith." + Name, Mod);
  for (auto [I, Arg] : enumerate(F->args()))
    Arg.setName(I < Args.size() ? Args[I].first : StringRef("scalar"));
  for (auto [ArgName, Ty] : Args)
    ArgNames[F].push_back(ArgName);

  // Everything that describes the target and the user's wishes for all code
  // carries over; what was inferred about the caller does not.
  for (Attribute A : Caller.getAttributes().getFnAttrs())
    if (A.isStringAttribute()
            ? A.getKindAsString() != "tilesmith"
            : is_contained(InheritedAttributes, A.getKindAsEnum()))
      F->addFnAttr(A);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr("tilesmith", "off");
  setVectorWidth(*F, How.VectorBits);
  B.SetInsertPoint(BasicBlock::Create(Ctx, "entry", F));
  return F;
}

Argument *KernelBuilder::arg(Function &F, StringRef Name) const {
  const auto &Names = ArgNames.find(&F)->second;
  return F.getArg(find(Names, Name) - Names.begin());
}

SmallVector<Value *, 4> KernelBuilder::scalarArgs(Function &F) {
  SmallVector<Value *, 4> Result;
  for (Argument &A : drop_begin(F.args(), F.arg_size() - Scalars.size()))
    Result.push_back(&A);
  return Result;
}

Value *KernelBuilder::evaluate(const Expression &E, Function &F, unsigned Width,
                               function_ref<Value *(Leaf)> ValueOf) {
  return E.build(B, Width, [&](Value *V, Leaf Kind) -> Value * {
    if (Kind != Leaf::Invariant)
      return ValueOf(Kind);
    unsigned Index = std::distance(Scalars.begin(), find(Scalars, V));
    Value *Scalar = scalarArgs(F)[Index];
    return Width ? B.CreateVectorSplat(Width, Scalar) : Scalar;
  });
}

Value *KernelBuilder::element(Value *Base, Value *Index) {
  return offset(Base, Index, i64(Size));
}

Value *KernelBuilder::isWholeElements(Value *Bytes) {
  return B.CreateIsNull(B.CreateURem(Bytes, i64(Size)));
}

KernelBuilder::Split KernelBuilder::splitRows(Value *Rows) {
  Value *MR = i64(How.MR);
  Value *Regular = alignDown(Rows, How.MR);
  if (How.MR < 3 * How.VL)
    return {Regular, MR};
  // 24 + 24 + 5 becomes 24 + 16 + 13.
  Value *Rest = B.CreateSub(Rows, Regular);
  Value *Thin =
      B.CreateAnd(B.CreateICmpULT(B.CreateSub(Rest, i64(1)), i64(How.VL)),
                  B.CreateICmpUGT(Rows, MR));
  return {B.CreateSelect(Thin, B.CreateSub(Regular, MR), Regular),
          B.CreateSelect(Thin, i64(How.MR - How.VL), MR)};
}

Value *KernelBuilder::paddedRows(Value *Valid) {
  return umin(alignUp(Valid, How.VL), i64(How.MR));
}

/// The next power of two.
Value *KernelBuilder::paddedColumns(Value *Valid) {
  Value *Zeros = B.CreateIntrinsic(Intrinsic::ctlz, {I64},
                                   {B.CreateSub(Valid, i64(1)), B.getFalse()});
  Value *Shift = B.CreateSub(i64(64), umin(Zeros, i64(64)));
  return umin(B.CreateShl(i64(1), B.CreateAnd(Shift, i64(63))), i64(How.NR));
}

Function *KernelBuilder::unify(Function *F) {
  StringRef Stem = F->getName();
  Stem = Stem.take_front(Stem.find_last_not_of("0123456789.") + 1);
  for (Function &Other : Mod) {
    if (&Other == F || !Other.getName().starts_with(Stem) ||
        Other.isDeclaration())
      continue;
    GlobalNumberState Numbers;
    if (FunctionComparator(F, &Other, &Numbers).compare() == 0) {
      ArgNames.erase(F);
      F->eraseFromParent();
      return &Other;
    }
  }
  return F;
}

Function *KernelBuilder::build() {
  Copy = unify(buildCopy());
  PackA = unify(buildPack(OpA));
  PackB = unify(buildPack(OpB));
  for (unsigned Rows = How.VL; Rows <= How.MR; Rows += How.VL)
    for (unsigned Columns = 1; Columns <= How.NR; Columns *= 2)
      Micro[{Rows, Columns}] =
          unify(buildMicroKernel(Rows, Columns, /*Packed=*/false));
  PackedMicro = unify(buildMicroKernel(How.MR, How.NR, /*Packed=*/true));
  Tile = unify(buildTile());
  return unify(buildMacroKernel());
}

} // namespace tilesmith
