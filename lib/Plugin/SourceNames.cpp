//===- SourceNames.cpp - what the source calls values ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceNames.h"
#include "tilesmith/Support/Language.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

constexpr unsigned MaxPointers = 4; ///< that are followed

SourceNames::SourceNames(const Nest &Of, ScalarEvolution &SE) : Of(Of), SE(SE) {
  if (const DebugLoc &Loc = Of.Op.store()->getDebugLoc())
    Scope = Loc->getScope()->getSubprogram();
  IsFortran =
      isFortran(Scope ? Scope : Of.Op.store()->getFunction()->getSubprogram());
}

/// Without typedefs and qualifiers.
static const DIType *plain(const DIType *Type) {
  using namespace dwarf;
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    if (!is_contained({DW_TAG_typedef, DW_TAG_const_type, DW_TAG_volatile_type,
                       DW_TAG_restrict_type, DW_TAG_atomic_type},
                      Derived->getTag()))
      break;
    Type = Derived->getBaseType();
  }
  return Type;
}

static bool isPointer(const DIType &Type) {
  return Type.getTag() == dwarf::DW_TAG_pointer_type;
}
static bool isReference(const DIType &Type) {
  return Type.getTag() == dwarf::DW_TAG_reference_type ||
         Type.getTag() == dwarf::DW_TAG_rvalue_reference_type;
}
static bool isArray(const DIType &Type) {
  return Type.getTag() == dwarf::DW_TAG_array_type;
}
static bool isRecord(const DIType &Type) {
  return Type.getTag() == dwarf::DW_TAG_structure_type ||
         Type.getTag() == dwarf::DW_TAG_class_type;
}

/// What a pointer or a reference is to; null if \p Type is none.
static const DIType *pointee(const DIType *Type) {
  Type = plain(Type);
  if (!Type || (!isPointer(*Type) && !isReference(*Type)))
    return nullptr;
  return plain(cast<DIDerivedType>(Type)->getBaseType());
}

/// The variable whose value \p V is: of the function in which the nest is
/// written if there is one, and rather a parameter.
const DILocalVariable *SourceNames::variable(Value *V) const {
  if (isa<Constant>(V))
    return nullptr;
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgValues(V, Records);
  auto Rank = [&](const DILocalVariable &Var) {
    return std::tuple(Var.getScope()->getSubprogram() != Scope,
                      Var.getArg() == 0, Var.getLine(), Var.getName());
  };
  const DILocalVariable *Best = nullptr;
  for (const DbgVariableRecord *R : Records) {
    const DILocalVariable *Var = R->getVariable();
    if (R->getNumVariableLocationOps() == 1 && !R->hasArgList() &&
        R->getExpression()->getNumElements() == 0 && !Var->isArtificial() &&
        !Var->getName().empty() && (!Best || Rank(*Var) < Rank(*Best)))
      Best = Var;
    // The object whose member was called is artificial.
    if (!Best && Var->getName() == "this")
      Best = Var;
  }
  return Best;
}

std::optional<std::string> SourceNames::scalar(Value *V) {
  if (const DILocalVariable *Var = variable(V))
    return Var->getName().str();
  if (auto *Load = dyn_cast<LoadInst>(V))
    return loaded(*Load);
  if (isa<CastInst, FreezeInst>(V))
    return scalar(cast<Instruction>(V)->getOperand(0));
  if (isa<Argument>(V) && V->hasName())
    return V->getName().str();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

std::optional<SourceNames::Counter> SourceNames::findCounter(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (!Phi.getType()->isIntegerTy() || !Latch)
      continue;
    const DILocalVariable *Var = variable(&Phi);
    if (!Var)
      Var = variable(Phi.getIncomingValueForBlock(Latch));
    if (!Var && IsFortran)
      Var = variableOfDo(L);
    auto *AddRec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (!Var || !AddRec || AddRec->getLoop() != &L || !AddRec->isAffine())
      continue;
    auto Start = subscript(AddRec->getStart());
    auto Step = subscript(AddRec->getStepRecurrence(SE));
    if (Start && Step && Step->isConstant() && !Step->isZero())
      return Counter{Var->getName().str(), *Start, Step->constant()};
  }
  return std::nullopt;
}

const std::optional<SourceNames::Counter> &SourceNames::counter(const Loop &L) {
  if (auto It = Counters.find(&L); It != Counters.end())
    return It->second;
  auto Found = findCounter(L);
  return Counters[&L] = std::move(Found);
}

/// Start + Step * count, where the count is (variable - its start) / its step.
/// In Fortran, where no index is zero, variables stand for what they are above
/// a constant start (see inNames): then constants are those of the first element.
std::optional<Subscript> SourceNames::subscript(const SCEVAddRecExpr &S) {
  if (!S.isAffine())
    return std::nullopt;
  auto Result = subscript(S.getStart());
  auto Step = subscript(S.getStepRecurrence(SE));
  const std::optional<Counter> &By = counter(*S.getLoop());
  if (!Result || !Step || !By)
    return std::nullopt;
  auto PerUnit = Step->dividedBy(Subscript(By->Step));
  if (!PerUnit)
    return std::nullopt;
  Subscript Variable({S.getLoop()->getLoopDepth(), By->Name});
  if (IsFortran)
    Variable += Subscript(By->Start.constant());
  *Result += *PerUnit * (Variable - By->Start);
  return Result;
}

/// What the source says where flang computes \p S; null if it is the same.
const SCEV *SourceNames::meantInFortran(const SCEV &S) {
  // An array that would have less than no elements has none.
  if (auto *Max = dyn_cast<SCEVSMaxExpr>(&S))
    return Max->getNumOperands() == 2 && isa<SCEVConstant>(Max->getOperand(0))
               ? Max->getOperand(1)
               : nullptr;
  // A stride in bytes is one in elements, too: 8 * (stride >> 3).
  auto *Product = dyn_cast<SCEVMulExpr>(&S);
  if (!Product || Product->getNumOperands() != 2)
    return nullptr;
  auto *Size = dyn_cast<SCEVConstant>(Product->getOperand(0));
  auto *Elements = dyn_cast<SCEVUnknown>(Product->getOperand(1));
  Value *Bytes;
  const APInt *Log2;
  if (Size && Elements &&
      match(Elements->getValue(), m_AShr(m_Value(Bytes), m_APInt(Log2))) &&
      Size->getAPInt().exactLogBase2() == int64_t(Log2->getLimitedValue()))
    return SE.getSCEV(Bytes);
  return nullptr;
}

/// Casts are left out, as C makes them without saying so.
std::optional<Subscript> SourceNames::subscript(const SCEV *S) {
  if (auto *C = dyn_cast<SCEVConstant>(S)) {
    if (!C->getAPInt().isSignedIntN(64))
      return std::nullopt;
    return Subscript(C->getAPInt().getSExtValue());
  }
  if (auto *AddRec = dyn_cast<SCEVAddRecExpr>(S))
    return subscript(*AddRec);
  if (auto *U = dyn_cast<SCEVUnknown>(S)) {
    auto Name = scalar(U->getValue());
    if (!Name)
      return std::nullopt;
    return Subscript({Subscript::SizeRank, *Name});
  }
  if (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
    return subscript(Cast->getOperand());
  if (const SCEV *Meant = IsFortran ? meantInFortran(*S) : nullptr)
    return subscript(Meant);
  if (!isa<SCEVAddExpr, SCEVMulExpr>(S))
    return std::nullopt;
  constexpr size_t MaxTerms = 12;
  bool IsSum = isa<SCEVAddExpr>(S);
  Subscript Result(IsSum ? 0 : 1);
  for (const SCEV *Operand : S->operands()) {
    auto P = subscript(Operand);
    if (!P || Result.size() > MaxTerms)
      return std::nullopt;
    if (IsSum)
      Result += *P;
    else
      Result = Result * *P;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// What \p Pointer points to.
std::optional<SourceNames::Place> SourceNames::placeAt(Value *Pointer) {
  if (auto *G = dyn_cast<GlobalVariable>(Pointer)) {
    SmallVector<DIGlobalVariableExpression *, 1> Infos;
    G->getDebugInfo(Infos);
    if (Infos.empty())
      return std::nullopt;
    const DIGlobalVariable *Var = Infos.front()->getVariable();
    return Place{Var->getName().str(), plain(Var->getType()), false};
  }
  for (const DbgVariableRecord *R : findDVRDeclares(Pointer))
    if (R->getExpression()->getNumElements() == 0)
      return Place{R->getVariable()->getName().str(),
                   plain(R->getVariable()->getType()), false};
  if (isa<AllocaInst>(Pointer))
    return std::nullopt;
  auto *I = dyn_cast<Instruction>(Pointer);
  // What it is called here and there in the nest says nothing of where it is.
  if (I && !isa<LoadInst>(I) && Of.Source.Root->contains(I))
    return std::nullopt;
  if (const DILocalVariable *Var = variable(Pointer)) {
    const DIType *Type = plain(Var->getType());
    return Place{Var->getName().str(), pointee(Type),
                 !Type || !isReference(*Type)};
  }
  if (auto *Load = dyn_cast<LoadInst>(Pointer)) {
    uint64_t Bytes = Load->getDataLayout().getTypeStoreSize(Load->getType());
    auto At = placeAt(SE.getSCEV(Load->getPointerOperand()), Bytes);
    if (!At || At->IsDescribed)
      return At;
    const DIType *Type = plain(At->Type);
    return Place{At->Text, pointee(Type), !Type || !isReference(*Type)};
  }
  if (isa<Argument>(Pointer) && Pointer->hasName())
    return Place{Pointer->getName().str(), nullptr, true};
  return std::nullopt;
}

std::optional<SourceNames::Place> SourceNames::placeAt(const SCEV *Address,
                                                       uint64_t Bytes) {
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base || Depth == MaxPointers)
    return std::nullopt;
  ++Depth;
  auto Offset = subscript(SE.removePointerBase(Address));
  auto *G = dyn_cast<GlobalVariable>(Base->getValue());
  auto From = IsFortran && G && Offset ? placeInBlock(*G, *Offset)
                                       : placeAt(Base->getValue());
  --Depth;
  if (!From || !Offset)
    return std::nullopt;
  return walk(*From, *Offset, Bytes);
}

/// How many elements \p Dim has.
std::optional<Subscript> SourceNames::count(const DISubrange &Dim) {
  auto Count = Dim.getCount();
  if (auto *C = dyn_cast_if_present<ConstantInt *>(Count))
    return C->isMinusOne() ? std::nullopt
                           : std::optional(Subscript(C->getSExtValue()));
  auto *Var = dyn_cast_if_present<DIVariable *>(Count);
  return Var ? valueOf(*Var) : std::nullopt;
}

std::optional<Subscript> SourceNames::valueOf(const DIVariable &Var) {
  for (Instruction &I : instructions(*Of.Op.store()->getFunction()))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      if (R.getVariable() == &Var && !R.isKillLocation() &&
          R.getNumVariableLocationOps() == 1 &&
          R.getExpression()->getNumElements() == 0 && R.getValue() &&
          R.getValue()->getType()->isIntegerTy())
        return subscript(SE.getSCEV(R.getValue()));
  return std::nullopt;
}

/// The bytes from one element to the next, of each dimension. Of a parameter,
/// debug information does not give an extent that varies: the second dimension's
/// is then taken from the terms of \p Offset.
std::optional<std::vector<Subscript>>
SourceNames::strides(ArrayRef<const DISubrange *> Dims, bool IsPointer,
                     uint64_t Bytes, const Subscript &Offset) {
  std::vector<Subscript> Result;
  Subscript Stride{int64_t(Bytes)};
  if (IsPointer || !Dims.empty())
    Result.push_back(Stride);
  // Nobody asks for the first extent of an array.
  for (const DISubrange *Dim :
       reverse(IsPointer || Dims.empty() ? Dims : Dims.drop_front())) {
    auto Extent = count(*Dim);
    if (!Extent && Dims.size() + IsPointer == 2)
      Extent = Offset.sizes();
    if (!Extent || !Extent->isTerm() || Extent->isZero())
      return std::nullopt;
    Stride = Stride * *Extent;
    Result.insert(Result.begin(), Stride);
  }
  return Result;
}

/// The part of the object \p Prefix, without an index, that is at \p Offset.
std::optional<SourceNames::Place>
SourceNames::walkObject(const std::string &Prefix, const DIType &Type,
                        Subscript Offset, uint64_t Bytes) {
  if (!isRecord(Type)) {
    if (!Offset.isZero() || Type.getSizeInBits() != 8 * Bytes)
      return std::nullopt;
    return Place{Prefix, &Type, false};
  }
  // std::vector, if debug information does not say what is in it.
  if (Type.isForwardDecl() && Offset.isZero())
    return Place{Prefix, nullptr, false};
  for (const DINode *Element : cast<DICompositeType>(Type).getElements()) {
    auto *Member = dyn_cast<DIDerivedType>(Element);
    if (!Member || Member->isStaticMember() || Member->isBitField())
      continue;
    int64_t Begin = Member->getOffsetInBits() / 8;
    const DIType *MemberType = plain(Member->getBaseType());
    if (!MemberType)
      continue;
    // Base classes have the second only, arrays of Fortran the first.
    int64_t Size =
        std::max(Member->getSizeInBits(), MemberType->getSizeInBits()) / 8;
    if (Offset.constant() < Begin || Offset.constant() >= Begin + Size)
      continue;
    // What the library calls its members, and base classes, nobody writes.
    StringRef Name = Member->getName();
    bool IsShown = Member->getTag() == dwarf::DW_TAG_member && !Name.empty() &&
                   !Name.starts_with("_");
    std::string Text =
        IsShown ? Prefix + (IsFortran ? "%" : ".") + Name.str() : Prefix;
    if (auto Found =
            walk({Text, MemberType, false}, Offset - Subscript(Begin), Bytes))
      return Found;
  }
  return std::nullopt;
}

/// The part of \p From that is \p Offset bytes behind its beginning, and has so
/// many \p Bytes.
std::optional<SourceNames::Place>
SourceNames::walk(Place From, Subscript Offset, uint64_t Bytes) {
  if (IsFortran && From.Type)
    return walkFortran(std::move(From), std::move(Offset), Bytes);
  if (!From.Type) {
    // How far apart pointers are that are followed, only their type says.
    auto Index = Offset.dividedBy(Subscript(int64_t(Bytes)));
    if (!From.IsPointer || !Index || Depth > 0)
      return std::nullopt;
    return Place{From.Text + "[" + Index->str() + "]", nullptr, false};
  }
  SmallVector<const DISubrange *, 3> Dims;
  const DIType *Element = From.Type;
  while (Element && isArray(*Element)) {
    for (const DINode *Range : cast<DICompositeType>(Element)->getElements())
      if (auto *Dim = dyn_cast<DISubrange>(Range))
        Dims.push_back(Dim);
    Element = plain(cast<DICompositeType>(Element)->getBaseType());
  }
  uint64_t Size = Element ? Element->getSizeInBits() / 8 : 0;
  if (Size == 0)
    return std::nullopt;
  auto Strides = strides(Dims, From.IsPointer, Size, Offset);
  if (!Strides)
    return std::nullopt;
  std::string Text = From.Text;
  for (const Subscript &Stride : *Strides)
    Text += "[" + Offset.takeMultiplesOf(Stride).str() + "]";
  bool IsArrow = From.IsPointer && Dims.empty() && isRecord(*Element) &&
                 Text == From.Text + "[0]";
  auto Found = walkObject(IsArrow ? From.Text : Text, *Element, Offset, Bytes);
  if (Found && IsArrow &&
      StringRef(Found->Text).drop_front(From.Text.size()).starts_with("."))
    Found->Text.replace(From.Text.size(), 1, "->");
  return Found;
}

std::optional<std::string> SourceNames::loaded(const LoadInst &Load) {
  uint64_t Bytes = Load.getDataLayout().getTypeStoreSize(Load.getType());
  auto At =
      placeAt(SE.getSCEV(const_cast<Value *>(Load.getPointerOperand())), Bytes);
  if (!At)
    return std::nullopt;
  return At->Text;
}

std::optional<std::string> SourceNames::element(const Access &X) {
  uint64_t Bytes = X.Inst->getDataLayout().getTypeStoreSize(X.ElemTy);
  auto At = placeAt(SE.getSCEV(X.Pointer), Bytes);
  if (!At)
    return std::nullopt;
  return At->Text;
}

} // namespace tilesmith
