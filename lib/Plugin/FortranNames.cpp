//===- FortranNames.cpp - arrays and loops of Fortran ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are addresses. An array whose shape its own declaration does not
// give, has a descriptor: the address of its first element, and for each
// dimension the lower bound, the extent and the stride in bytes. Debug
// information says at which byte of the descriptor each of them is:
//
//   real(8), allocatable :: a(:,:)
//   *a + 8*(i - *(a+24)) + 8 * *(a+32) * (k - *(a+48))       a(i,k)
//
//===----------------------------------------------------------------------===//

#include "SourceNames.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The byte of a descriptor that \p E reads.
std::optional<uint64_t> byteRead(const DIExpression &E) {
  using namespace dwarf;
  ArrayRef<uint64_t> Ops = E.getElements();
  if (Ops.size() == 4 && Ops[0] == DW_OP_push_object_address &&
      Ops[1] == DW_OP_plus_uconst && Ops[3] == DW_OP_deref)
    return Ops[2];
  return std::nullopt;
}

/// What a part of a descriptor is called in here.
std::string part(const std::string &Array, uint64_t Byte) {
  return Array + "@" + std::to_string(Byte);
}
Subscript symbol(std::string Name) {
  return Subscript({Subscript::SizeRank, std::move(Name)});
}

SmallVector<const DISubrange *, 3> dimensionsOf(const DICompositeType &Array) {
  SmallVector<const DISubrange *, 3> Dims;
  for (const DINode *Range : Array.getElements())
    if (auto *Dim = dyn_cast<DISubrange>(Range))
      Dims.push_back(Dim);
  return Dims;
}

/// The part of a descriptor that \p Bound is, if it is one.
std::optional<Subscript> described(DISubrange::BoundType Bound,
                                   const std::string &Array) {
  auto *E = dyn_cast_if_present<DIExpression *>(Bound);
  auto Byte = E ? byteRead(*E) : std::nullopt;
  if (!Byte)
    return std::nullopt;
  return symbol(part(Array, *Byte));
}

} // namespace

/// The first index of \p Dim.
std::optional<Subscript> SourceNames::lowerBound(const DISubrange &Dim,
                                                 const std::string &Array) {
  auto Bound = Dim.getLowerBound();
  if (!Bound)
    return Subscript(1);
  if (auto *C = dyn_cast<ConstantInt *>(Bound))
    return Subscript(C->getSExtValue());
  if (auto *Var = dyn_cast<DIVariable *>(Bound))
    return valueOf(*Var);
  return described(Bound, Array);
}

/// The bytes from one element of \p Array to the next, of each dimension. A
/// descriptor's strides are read only where elements may be apart.
std::optional<std::vector<Subscript>>
SourceNames::stridesInFortran(ArrayRef<const DISubrange *> Dims,
                              const Place &Array, uint64_t Bytes,
                              const Subscript &Offset) {
  std::vector<Subscript> Result;
  Subscript Contiguous{int64_t(Bytes)};
  for (auto [I, Dim] : enumerate(Dims)) {
    auto Stride = described(Dim->getStride(), Array.Text);
    Result.push_back(Stride && Offset.contains(*Stride) ? *Stride : Contiguous);
    if (I + 1 == Dims.size())
      break;
    auto Extent = Array.IsDescribed ? described(Dim->getCount(), Array.Text)
                                    : count(*Dim);
    if (!Extent && Dims.size() == 2)
      Extent = Offset.sizes();
    if (!Extent || Extent->isZero())
      return std::nullopt;
    Contiguous = Result.back() * *Extent;
  }
  return Result;
}

/// The variable of a COMMON block, or the block's only one, that \p Offset lies
/// in: counted from its own beginning then.
std::optional<SourceNames::Place>
SourceNames::placeInBlock(const GlobalVariable &G, Subscript &Offset) {
  SmallVector<DIGlobalVariableExpression *, 1> Infos;
  G.getDebugInfo(Infos);
  const DIGlobalVariable *Var = nullptr;
  int64_t Begin = -1;
  for (const DIGlobalVariableExpression *Info : Infos) {
    ArrayRef<uint64_t> Ops = Info->getExpression()->getElements();
    bool IsPart = Ops.size() == 2 && Ops[0] == dwarf::DW_OP_plus_uconst;
    if (!Ops.empty() && !IsPart)
      return std::nullopt;
    int64_t From = IsPart ? Ops[1] : 0;
    if (From > Offset.constant() || From <= Begin)
      continue;
    Begin = From;
    Var = Info->getVariable();
  }
  if (!Var)
    return std::nullopt;
  Offset = Offset - Subscript(Begin);
  return Place{Var->getName().str(), Var->getType()};
}

/// \p S with the variables' own values in it.
Subscript SourceNames::inNames(Subscript S) const {
  for (const auto &[L, C] : Counters) {
    if (!C)
      continue;
    Subscript Rest = S;
    Subscript Factor =
        Rest.takeMultiplesOf(Subscript({L->getLoopDepth(), C->Name}));
    S = S - Factor * Subscript(C->Start.constant());
  }
  return S;
}

/// As walk: a descriptor, or an element of an array, or a scalar.
std::optional<SourceNames::Place>
SourceNames::walkFortran(Place From, Subscript Offset, uint64_t Bytes) {
  auto *Array = dyn_cast<DICompositeType>(From.Type);
  if (!Array || Array->getTag() != dwarf::DW_TAG_array_type)
    return walkObject(From.Text, *From.Type, Offset, Bytes);
  if (Array->getRawDataLocation() && !From.IsDescribed) {
    if (!Offset.isConstant())
      return std::nullopt;
    if (!Offset.isZero())
      return Place{part(From.Text, Offset.constant())};
    From.IsDescribed = true;
    return From;
  }
  const DIType *Element = Array->getBaseType();
  uint64_t Size = Element ? Element->getSizeInBits() / 8 : 0;
  auto Dims = dimensionsOf(*Array);
  if (Size == 0 || Dims.empty())
    return std::nullopt;
  auto Strides = stridesInFortran(Dims, From, Size, Offset);
  if (!Strides)
    return std::nullopt;
  std::string Indices;
  for (auto [Dim, Stride] : reverse(zip_equal(Dims, *Strides))) {
    auto Lower = lowerBound(*Dim, From.Text);
    if (!Lower)
      return std::nullopt;
    *Lower += Offset.takeMultiplesOf(Stride);
    Indices = inNames(*Lower).str() + (Indices.empty() ? "" : ",") + Indices;
  }
  // What a descriptor says has no name in the source.
  if (StringRef(Indices).contains('@'))
    return std::nullopt;
  return walkObject(From.Text + "(" + Indices + ")", *Element, Offset, Bytes);
}

/// Whether \p Var has a known value before \p L: the number of an outer loop's
/// copy.
static bool isKnownBefore(const DILocalVariable &Var, const Loop &L) {
  constexpr unsigned MaxBlocks = 16;
  const BasicBlock *Before = L.getLoopPredecessor();
  for (unsigned N = 0; Before && N < MaxBlocks; ++N) {
    for (const Instruction &I : *Before)
      for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
        if (R.getVariable() == &Var && !R.isKillLocation())
          return true;
    Before = Before->getSinglePredecessor();
  }
  return false;
}

/// The variable of a DO loop whose values LLVM has lost: flang gives it a last
/// value behind the loop.
const DILocalVariable *SourceNames::variableOfDo(const Loop &L) const {
  const BasicBlock *Behind = L.getUniqueExitBlock();
  const DILocalVariable *Found = nullptr;
  // Behind an inner loop, a block may come in between that only branches.
  while (Behind && !Found) {
    for (const Instruction &I : *Behind)
      for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
        const DILocalVariable *Var = R.getVariable();
        auto *Type = dyn_cast_or_null<DIBasicType>(Var->getType());
        if (!Type || Type->getEncoding() != dwarf::DW_ATE_signed ||
            Var == Found)
          continue;
        if (Found || !R.isKillLocation() || isKnownBefore(*Var, L))
          return nullptr;
        Found = Var;
      }
    Behind = Behind->size() == 1 ? Behind->getSingleSuccessor() : nullptr;
  }
  return Found;
}

} // namespace tilesmith
