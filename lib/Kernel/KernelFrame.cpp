//===- KernelFrame.cpp - what all functions of a kernel share -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Target/CPULevel.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace llvm;

namespace tilesmith {

SetVector<Value *> invariantsOf(ArrayRef<const Expression *> Expressions) {
  SetVector<Value *> Result;
  for (const Expression *E : Expressions)
    E->collectInvariants(Result);
  return Result;
}

SetVector<Value *> invariantsOf(const Contraction &Op) {
  return invariantsOf(Op.expressions());
}

StructType *scalarsType(const SetVector<Value *> &Scalars, LLVMContext &Ctx) {
  return StructType::get(
      Ctx, map_to_vector(Scalars, [](Value *V) { return V->getType(); }));
}

KernelFrame::KernelFrame(const Nest &View, const Plan &ThePlan)
    : Emitter(View.Op.store()->getContext()), View(View), Op(View.Op),
      ThePlan(ThePlan),
      Caller(ThePlan.AttributeSource ? *ThePlan.AttributeSource
                                     : *Op.store()->getFunction()),
      Mod(*Op.store()->getModule()), DL(Mod.getDataLayout()),
      PanelTy(ThePlan.Narrow
                  ? Type::getIntNTy(Ctx, ThePlan.Narrow->Packed.GroupBits)
                  : Op.SumTy),
      PanelSize(DL.getTypeStoreSize(PanelTy)),
      Size(DL.getTypeStoreSize(Op.SumTy)), SumsApart(!Op.sumsRestInC()),
      FlipsRows(flipsRows(Op, ThePlan, DL)),
      AdjacentRowsOfC(SumsApart || isUnitInTile(Op.C, M)),
      SumsInC(Op.storesSum() &&
              (!Op.isInPlace() || startsApart() || Op.Start.isLeaf(Leaf::C))),
      Invariants(invariantsOf(Op)) {
  for (const Term &T : Op.Terms)
    Terms.push_back({{T.A, T.AMap, M, ThePlan.MR, "pack.a", T.AIsC},
                     {T.B, T.BMap, N, ThePlan.NR, "pack.b", T.BIsC}});
  ElemAlign = SumsApart ? Align(Size) : Op.C.Alignment;
  // Elements of other types are always packed.
  for (const Access *X : Op.accesses())
    if (X->ElemTy == Op.SumTy && !(SumsApart && X == &Op.C))
      ElemAlign = std::min(ElemAlign, X->Alignment);
  if (Op.Domain && Op.Domain->isOfC()) {
    Wanted = Op.Domain->isLower() ? Half::Lower : Half::Upper;
  } else if (Op.Domain) {
    Made = Op.Domain->isFrom() ? Steps::From : Steps::To;
    BoundOfK = Op.Domain->boundOfK();
  }
}

DebugLoc lineOf(const Nest &View) {
  // Loops may have lines in a function that has none.
  DISubprogram *User = View.Op.store()->getFunction()->getSubprogram();
  if (!User)
    return {};
  DebugLoc Store = View.Op.store()->getDebugLoc();
  if (Store && Store.getLine())
    return Store;
  if (DebugLoc Start = View.Source.Root->getStartLoc())
    return Start;
  // Calls need a place where functions have one.
  return DILocation::get(User->getContext(), 0, 0, User);
}

DebugLoc placeIn(Function &F, DICompileUnit *Unit, DIFile *File, unsigned Line,
                 unsigned Column) {
  DIBuilder DI(*F.getParent(), /*AllowUnresolved=*/false, Unit);
  DISubprogram *Kernel = DI.createFunction(
      File, F.getName(), F.getName(), File, Line,
      DI.createSubroutineType(DI.getOrCreateTypeArray({})), Line,
      DINode::FlagArtificial,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit |
          DISubprogram::SPFlagOptimized);
  DI.finalizeSubprogram(Kernel);
  F.setSubprogram(Kernel);
  return DILocation::get(F.getContext(), Line, Column, Kernel);
}

/// The line of the product: what a profiler or a sanitizer finds in a kernel is
/// told where the user can look.
static DebugLoc placeIn(Function &F, const Nest &View) {
  DebugLoc Line = lineOf(View);
  if (!Line)
    return {};
  return placeIn(F, View.Op.store()->getFunction()->getSubprogram()->getUnit(),
                 Line->getFile(), Line.getLine(), Line.getCol());
}

/// \p F, a kernel of one product, becomes that of \p Other as well: it belongs
/// to no line if theirs are not the same.
static void shareLines(Function &F, const Function &Other) {
  const DISubprogram *Mine = F.getSubprogram(), *Its = Other.getSubprogram();
  if (!Mine || !Its || Mine->getLine() == 0 ||
      (Mine->getLine() == Its->getLine() && Mine->getFile() == Its->getFile()))
    return;
  DebugLoc None = placeIn(F, Mine->getUnit(), Mine->getFile(), 0, 0);
  for (Instruction &I : instructions(F))
    if (I.getDebugLoc())
      I.setDebugLoc(None);
}

/// Whether LLVM finds little to do in this function of a kernel: it has the
/// shape that it is to have.
static bool isFinal(StringRef Name, const Plan &ThePlan) {
  if (ThePlan.isStreamed())
    return Name == "thin";
  return !ThePlan.isSmall() && !ThePlan.hasLanes() && !ThePlan.isFilter() &&
         !ThePlan.Gathered &&
         (Name.starts_with("micro") ||
          is_contained({"gemm", "pack.a", "pack.b", "tile", "copy"}, Name));
}

Function *KernelFrame::createFunction(StringRef Name, Type *Result,
                                      const ParameterList &Parameters) {
  std::string Level = ThePlan.Level ? ("." + ThePlan.Level->Name).str() : "";
  Function *F = Function::Create(
      FunctionType::get(Result, Parameters.types(), /*isVarArg=*/false),
      GlobalValue::InternalLinkage, "tilesmith." + Name + Level, Mod);
  Parameters.bind(*F);
  F->addFnAttrs(attributesOfPart(Caller));
  setVectorWidth(*F, ThePlan.VectorBits);
  if (Name.starts_with("micro"))
    F->setCallingConv(microConvention());
  if (isFinal(Name, ThePlan))
    F->addFnAttr(InFinalShape);
  // Keeps LLVM's vectorizers from looking for what is done already.
  if (!ThePlan.isSmall() && (Name.starts_with("micro") || Name == "gemm"))
    F->addFnAttr(Attribute::NoImplicitFloat);
  B.SetCurrentDebugLocation(placeIn(*F, View));
  B.SetInsertPoint(BasicBlock::Create(Ctx, "entry", F));
  return F;
}

Value *KernelFrame::scalar(Value *Scalars, Value *Invariant) {
  Function &F = *cast<Argument>(Scalars)->getParent();
  Value *&Known = Loaded[&F][Invariant];
  if (!Known) {
    BasicBlock &Entry = F.getEntryBlock();
    IRBuilder<> AtEntry(&Entry, Entry.begin());
    unsigned Number = find(Invariants, Invariant) - Invariants.begin();
    Value *Address =
        AtEntry.CreateStructGEP(scalarsType(Invariants, Ctx), Scalars, Number);
    LoadInst *Load =
        AtEntry.CreateLoad(Invariant->getType(), Address, "scalar");
    // What is left of a narrow integer where the kernel sees a wide one.
    if (isa<SExtInst, ZExtInst>(Invariant)) {
      auto *Cast = cast<CastInst>(Invariant);
      unsigned Bits = Load->getType()->getScalarSizeInBits();
      ConstantRange Narrow =
          ConstantRange::getFull(Cast->getSrcTy()->getScalarSizeInBits());
      ConstantRange Range = isa<SExtInst>(Cast) ? Narrow.signExtend(Bits)
                                                : Narrow.zeroExtend(Bits);
      Load->setMetadata(
          LLVMContext::MD_range,
          MDBuilder(Ctx).createRange(Range.getLower(), Range.getUpper()));
    }
    Known = Load;
  }
  return Known;
}

Value *KernelFrame::evaluate(const Expression &E, Value *Scalars,
                             unsigned Width,
                             function_ref<Value *(Value *, Leaf)> ValueOf) {
  return E.build(B, Width, [&](Value *V, Leaf Kind) -> Value * {
    if (Kind != Leaf::Invariant)
      return ValueOf(V, Kind);
    Value *Scalar = scalar(Scalars, V);
    return Width ? B.CreateVectorSplat(Width, Scalar) : Scalar;
  });
}

Value *KernelFrame::evaluate(const Expression &E, Value *Scalars,
                             unsigned Width, Value *C, Value *Sum) {
  return evaluate(E, Scalars, Width, [&](Value *, Leaf Kind) {
    return Kind == Leaf::Sum ? Sum : C;
  });
}

Value *bitsOf(IRBuilderBase &B, Value *V) {
  Type *Ty = V->getType();
  return B.CreateBitCast(
      V, Ty->getWithNewType(B.getIntNTy(Ty->getScalarSizeInBits())));
}

Value *loadElements(IRBuilderBase &B, Type *Ty, Value *From, Align Alignment,
                    bool IsAdjacent, unsigned Width) {
  bool IsVector = Width && IsAdjacent;
  Value *V = B.CreateAlignedLoad(
      IsVector ? FixedVectorType::get(Ty, Width) : Ty, From, Alignment);
  return Width && !IsVector ? B.CreateVectorSplat(Width, V) : V;
}

/// The elements of \p Ty under \p Mask, and zeros. Backends have such loads of
/// integers of 16 bits, but not all have them of floating-point numbers.
Value *loadMasked(IRBuilderBase &B, Type *Ty, Value *From, Align Alignment,
                  Value *Mask) {
  Type *LoadedTy = Ty;
  if (Ty->isFPOrFPVectorTy() && Ty->getScalarSizeInBits() == 16)
    LoadedTy = Ty->getWithNewType(B.getInt16Ty());
  return B.CreateBitCast(B.CreateMaskedLoad(LoadedTy, From, Alignment, Mask,
                                            Constant::getNullValue(LoadedTy)),
                         Ty);
}

/// Which of \p Lanes lanes of elements of \p X come before \p Count.
Value *KernelFrame::firstLanes(const Access &X, Value *Count, unsigned Lanes) {
  // Numbers as wide as the elements make the mask without a conversion.
  unsigned Bits = DL.getTypeSizeInBits(X.ElemTy);
  Type *Ty = FixedVectorType::get(B.getIntNTy(Bits), Lanes);
  Value *Limit =
      B.CreateZExtOrTrunc(umin(Count, i64(Lanes)), Ty->getScalarType());
  Value *Numbers = B.CreateStepVector(Ty);
  return B.CreateICmpULT(Numbers, B.CreateVectorSplat(Lanes, Limit));
}

/// \p Loaded, elements of a factor (one, if \p Width is 0), as panels hold them.
Value *KernelFrame::elements(const Expression &Map, Value *Scalars,
                             unsigned Width, Value *Loaded) {
  Value *V =
      evaluate(Map, Scalars, Width, [&](Value *, Leaf) { return Loaded; });
  if (V->getType()->getScalarType() == Op.SumTy)
    return V;
  if (!Op.SumTy->isIntegerTy())
    return B.CreateFPExt(V, V->getType()->getWithNewType(Op.SumTy));
  Value *Bits = bitsOf(B, V);
  return B.CreateZExt(Bits, Bits->getType()->getWithNewType(Op.SumTy));
}

/// \p V, an element of a factor from a panel, as \p Element, a leaf of a pairing.
Value *KernelFrame::leafOfPair(Value *V, const Value &Element) {
  Type *Ty = Element.getType();
  if (Ty == Op.SumTy)
    return V;
  Type *OfV = V->getType();
  if (!Op.SumTy->isIntegerTy())
    return B.CreateFPTrunc(V, OfV->getWithNewType(Ty));
  Type *BitsTy = B.getIntNTy(Ty->getScalarSizeInBits());
  return B.CreateBitCast(B.CreateTrunc(V, OfV->getWithNewType(BitsTy)),
                         OfV->getWithNewType(Ty));
}

/// What the elements of \p Left and \p Right, of panels, make in pairs.
Value *KernelFrame::pairing(const Term &T, Value *Scalars, Value *Left,
                            Value *Right, unsigned Width) {
  return evaluate(*T.Pairing, Scalars, Width, [&](Value *Element, Leaf Kind) {
    return leafOfPair(Kind == Leaf::A ? Left : Right, *Element);
  });
}

/// Adds the products of all \p Terms to \p Sum.
Value *KernelFrame::emitVectorStep(ArrayRef<Term> Terms,
                                   const Expression &Update, Value *Scalars,
                                   Value *Sum, ArrayRef<Value *> OfA,
                                   ArrayRef<Value *> OfB) {
  auto *VectorTy = cast<FixedVectorType>(Sum->getType());
  DenseMap<Value *, Instruction *> Products;
  for (auto [T, Left, Right] : zip_equal(Terms, OfA, OfB)) {
    if (T.Pairing) {
      Products[T.Product] = cast<Instruction>(
          pairing(T, Scalars, Left, Right, VectorTy->getNumElements()));
      continue;
    }
    bool IsFloat = isa<FPMathOperator>(T.Product);
    auto *Product = cast<Instruction>(IsFloat ? B.CreateFMul(Left, Right)
                                              : B.CreateMul(Left, Right));
    if (IsFloat) {
      FastMathFlags Flags = T.Product->getFastMathFlags();
      if (Update.Fused.contains(T.Product))
        Flags.setAllowContract();
      Product->setFastMathFlags(Flags);
      if (Update.Rounded.contains(T.Product))
        Product = cast<Instruction>(
            B.CreateArithmeticFence(Product, Product->getType()));
    }
    Products[T.Product] = Product;
  }
  WeakTrackingVH Next =
      evaluate(Update, Scalars, VectorTy->getNumElements(),
               [&](Value *V, Leaf Kind) -> Value * {
                 if (Kind == Leaf::A || Kind == Leaf::B)
                   return leafOfPair((Kind == Leaf::A ? OfA : OfB).front(), *V);
                 return Kind == Leaf::Sum ? Sum : Products.lookup(V);
               });
  // What the source fuses was built as an addition that may be fused.
  for (const Term &T : Terms) {
    if (!Update.Fused.contains(T.Product))
      continue;
    Instruction *Product = Products.lookup(T.Product);
    auto *Add = cast<Instruction>(*Product->user_begin());
    Value *Rest = Add->getOperand(Add->getOperand(0) == Product ? 1 : 0);
    auto ID = cast<IntrinsicInst>(T.Product)->getIntrinsicID();
    B.SetInsertPoint(Add);
    CallInst *Fused = B.CreateIntrinsic(
        ID, {VectorTy}, {Product->getOperand(0), Product->getOperand(1), Rest});
    Fused->copyFastMathFlags(Add);
    B.SetInsertPoint(Add->getParent());
    Add->replaceAllUsesWith(Fused);
    Add->eraseFromParent();
    Product->eraseFromParent();
  }
  return Next;
}

Value *KernelFrame::element(Value *Base, Value *Index) {
  return offset(Base, Index, i64(PanelSize));
}

Value *KernelFrame::isWholeElements(Value *Bytes) {
  return B.CreateIsNull(B.CreateURem(Bytes, i64(Size)));
}

Value *KernelFrame::clamp(Value *V, Value *Max) {
  return B.CreateBinaryIntrinsic(
      Intrinsic::smin, B.CreateBinaryIntrinsic(Intrinsic::smax, V, i64(0)),
      Max);
}

/// So many rows as \p Columns go by on the diagonal of the wanted half.
Value *KernelFrame::onDiagonal(Value *Columns) {
  if (!Op.Domain->Parts)
    return Columns;
  return hasPartsInColumns() ? B.CreateAShr(Columns, 1)
                             : B.CreateShl(Columns, 1);
}

/// So many steps as \p Rows (or columns) of C go by on the diagonal that bounds k.
Value *KernelFrame::inSteps(Value *Rows) {
  return Op.Domain->elementsPerPlace(BoundOfK) == 2 ? B.CreateAShr(Rows, 1)
                                                    : Rows;
}

/// So many rows (or columns) as go by in \p Steps.
Value *KernelFrame::ofSteps(Value *Steps) {
  return Op.Domain->elementsPerPlace(BoundOfK) == 2 ? B.CreateShl(Steps, 1)
                                                    : Steps;
}

Value *KernelFrame::isAllWanted(Value *Rows, Value *Columns, Value *Diagonal) {
  if (Wanted == Half::Lower)
    return B.CreateICmpSLE(onDiagonal(B.CreateSub(Columns, i64(1))), Diagonal);
  return B.CreateICmpSGE(B.CreateSub(i64(1), Rows), Diagonal);
}

Value *KernelFrame::isAnyWanted(Value *Rows, Value *Columns, Value *Diagonal) {
  if (Wanted == Half::Lower)
    return B.CreateICmpSLE(B.CreateSub(i64(1), Rows), Diagonal);
  return B.CreateICmpSGT(onDiagonal(Columns), Diagonal);
}

KernelFrame::Split KernelFrame::splitRows(Value *Rows) {
  Value *MR = i64(ThePlan.MR);
  Value *Regular = alignDown(Rows, ThePlan.MR);
  if (!ThePlan.SecondMR || startsWhatIsRead())
    return {Regular, MR};
  // 24 + 24 + 5 becomes 24 + 16 + 13.
  Value *Rest = B.CreateSub(Rows, Regular);
  Value *Thin = B.CreateICmpULT(B.CreateSub(Rest, i64(1)), i64(ThePlan.VL));
  Thin = B.CreateAnd(Thin, B.CreateICmpUGT(Rows, MR));
  return {B.CreateSelect(Thin, B.CreateSub(Regular, MR), Regular),
          B.CreateSelect(Thin, i64(ThePlan.SecondMR), MR)};
}

Value *KernelFrame::sizeAt(Value *Begin, Value *End, unsigned Width,
                           Split Panels) {
  Value *IsRegular = B.CreateICmpULT(Begin, Panels.Regular);
  return B.CreateSelect(IsRegular, i64(Width),
                        umin(B.CreateSub(End, Begin), Panels.Step));
}

/// Half of \p Columns, rounded down; of numbers' parts, so many are even.
Value *KernelFrame::halfOfColumns(Value *Columns) {
  Value *Half = B.CreateLShr(Columns, i64(1));
  return hasPartsInColumns() ? alignUp(Half, 2) : Half;
}

KernelFrame::Split KernelFrame::splitColumns(Value *Columns) {
  Value *Regular = alignDown(Columns, ThePlan.NR);
  if (!hasMasks())
    return {Regular, i64(ThePlan.NR)};
  Value *Rest = B.CreateSub(Columns, Regular);
  if (edgeColumns() < ThePlan.NR) {
    // 8 + 8 + 5 becomes 8 + 8 + 3 + 2.
    Value *HasNoKernel = B.CreateICmpUGT(Rest, i64(edgeColumns()));
    Value *Half = halfOfColumns(B.CreateAdd(Rest, i64(1)));
    return {Regular, B.CreateSelect(HasNoKernel, Half, i64(ThePlan.NR))};
  }
  // 8 + 8 + 1 becomes 8 + 5 + 4.
  Value *IsUneven = B.CreateIsNotNull(Rest);
  IsUneven = B.CreateAnd(IsUneven, B.CreateICmpUGT(Columns, i64(ThePlan.NR)));
  Value *Half = halfOfColumns(B.CreateAdd(Rest, i64(ThePlan.NR + 1)));
  return {
      B.CreateSelect(IsUneven, B.CreateSub(Regular, i64(ThePlan.NR)), Regular),
      B.CreateSelect(IsUneven, Half, i64(ThePlan.NR))};
}

KernelFrame::Split KernelFrame::splitPanels(const Operand &X, Value *Count) {
  return X.P == M ? splitRows(Count) : splitColumns(Count);
}

/// Panel(first row, rows that exist, rows) for each panel from \p From on.
void KernelFrame::emitPanels(
    const Operand &X, Value *From, Value *To, Split Panels,
    function_ref<void(Value *, Value *, Value *)> Panel) {
  emitLoop(From, To, "panel", [&](Value *Begin) {
    Value *Valid = sizeAt(Begin, To, X.PanelWidth, Panels);
    Panel(Begin, Valid, X.P == M ? paddedRows(Valid) : paddedColumns(Valid));
    return Valid;
  });
}

Value *KernelFrame::paddedRows(Value *Valid) {
  return umin(alignUp(Valid, ThePlan.VL), i64(ThePlan.MR));
}

Value *KernelFrame::paddedColumns(Value *Valid) {
  if (hasMasks())
    return Valid;
  // The next power of two.
  Value *Zeros = B.CreateIntrinsic(Intrinsic::ctlz, {I64},
                                   {B.CreateSub(Valid, i64(1)), B.getFalse()});
  Value *Shift = B.CreateSub(i64(64), umin(Zeros, i64(64)));
  Value *Power = B.CreateShl(i64(1), B.CreateAnd(Shift, i64(63)));
  if (unsigned Fewest = std::max(ThePlan.Engine->PanelEdge, ThePlan.ColumnStep);
      Fewest > 1)
    Power = B.CreateBinaryIntrinsic(Intrinsic::umax, Power, i64(Fewest));
  return umin(Power, i64(ThePlan.NR));
}

Function *unified(Function *F) {
  StringRef Stem = F->getName();
  Stem = Stem.take_front(Stem.find_last_not_of("0123456789.") + 1);
  for (Function &Other : *F->getParent()) {
    // The comparison takes pointers for integers.
    if (&Other == F || !Other.getName().starts_with(Stem) ||
        Other.isDeclaration() ||
        Other.getFunctionType() != F->getFunctionType())
      continue;
    GlobalNumberState Numbers;
    if (FunctionComparator(F, &Other, &Numbers).compare() == 0) {
      shareLines(Other, *F);
      F->eraseFromParent();
      return &Other;
    }
  }
  return F;
}

Function *KernelFrame::unify(Function *F) {
  Function *Kept = unified(F);
  if (Kept != F)
    Loaded.erase(F);
  return Kept;
}

} // namespace tilesmith
