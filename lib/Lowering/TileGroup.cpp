//===- TileGroup.cpp - connected tile-shaped values -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileGroup.h"
#include "tilesmith/Support/MatrixIR.h"
#include "tilesmith/Target/MatrixUnit.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace tilesmith;

static unsigned getConstantArg(const CallInst &Call, unsigned Index) {
  return cast<ConstantInt>(Call.getArgOperand(Index))->getZExtValue();
}

unsigned tilesmith::getNumElements(const Value *V) {
  auto *Ty = dyn_cast<FixedVectorType>(V->getType());
  return Ty ? Ty->getNumElements() : 0;
}

std::optional<MatrixProduct> MatrixProduct::match(Value *V) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call || Call->getIntrinsicID() != Intrinsic::matrix_multiply)
    return std::nullopt;
  return MatrixProduct{Call,
                       Call->getArgOperand(0),
                       Call->getArgOperand(1),
                       getConstantArg(*Call, 2),
                       getConstantArg(*Call, 3),
                       getConstantArg(*Call, 4)};
}

/// What \p V is the widening of, and how; null if it is none.
static Value *matchWidening(Value *V, NarrowType &Type) {
  auto *Cast = dyn_cast<CastInst>(V);
  if (!Cast || !isa<SExtInst, ZExtInst, FPExtInst>(Cast))
    return nullptr;
  Type = {Cast->getSrcTy()->getScalarType(), isa<SExtInst>(Cast)};
  return Cast->getOperand(0);
}

/// What \p V, of narrow elements, is as \p Count groups.
static Value *matchGroups(Value *V, unsigned Count) {
  auto *Cast = dyn_cast_or_null<BitCastInst>(V);
  return Cast && getNumElements(Cast->getOperand(0)) == Count
             ? Cast->getOperand(0)
             : nullptr;
}

/// The same for a right factor that is constant, of integers without a sign,
/// beside a left one of type \p Wanted: it is of whatever sign is of use.
static Value *matchConstant(Value *V, unsigned Count, const NarrowType &Wanted,
                            NarrowType &Type, const DataLayout &DL) {
  auto *Wide = dyn_cast<Constant>(V);
  unsigned Bits = Wanted.Ty->getScalarSizeInBits();
  unsigned NumElements = getNumElements(V);
  if (!Wide || !Wanted.Ty->isIntegerTy())
    return nullptr;
  for (unsigned I = 0; I != NumElements; ++I) {
    auto *Element = dyn_cast_or_null<ConstantInt>(Wide->getAggregateElement(I));
    if (!Element || !Element->getValue().isIntN(Bits - 1))
      return nullptr;
  }
  Type = {Wanted.Ty, Bits > 8 || !Wanted.IsSigned};
  Constant *Narrow =
      ConstantFoldCastOperand(Instruction::Trunc, Wide,
                              FixedVectorType::get(Wanted.Ty, NumElements), DL);
  return ConstantFoldCastOperand(
      Instruction::BitCast, Narrow,
      FixedVectorType::get(
          IntegerType::get(V->getContext(), Bits * (NumElements / Count)),
          Count),
      DL);
}

std::optional<GroupedFactors>
GroupedFactors::match(const MatrixProduct &Product) {
  GroupedFactors Result{};
  Result.Types.SumTy = Product.Call->getType()->getScalarType();
  MatrixProduct P = Product;
  auto *Turned =
      dyn_cast_or_null<IntrinsicInst>(matchWidening(P.A, Result.Types.A));
  if (!Turned || Turned->getIntrinsicID() != Intrinsic::matrix_transpose ||
      getConstantArg(*Turned, 1) != P.Inner)
    return std::nullopt;
  Result.A = matchGroups(Turned->getArgOperand(0), P.Rows);
  if (Value *Narrow = matchWidening(P.B, Result.Types.B))
    Result.B = matchGroups(Narrow, P.Columns);
  else
    Result.B = matchConstant(P.B, P.Columns, Result.Types.A, Result.Types.B,
                             P.Call->getDataLayout());
  if (!Result.A || !Result.B)
    return std::nullopt;
  Result.Types.GroupBits = P.Inner * Result.Types.A.Ty->getScalarSizeInBits();
  return Result;
}

std::optional<MatrixTransposition> MatrixTransposition::match(Value *V) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call || Call->getIntrinsicID() != Intrinsic::matrix_transpose)
    return std::nullopt;
  return MatrixTransposition{Call, Call->getArgOperand(0),
                             getConstantArg(*Call, 1),
                             getConstantArg(*Call, 2)};
}

static Value *getOperand(const CallInst &Call, StringRef Name) {
  auto Bundle = Call.getOperandBundle(Name);
  return Bundle ? Bundle->Inputs.front().get() : nullptr;
}

static std::optional<WantedSide> getWantedSide(const CallInst &Call) {
  auto Bundle = Call.getOperandBundle(WantedElements);
  if (!Bundle)
    return std::nullopt;
  return WantedSide{
      Bundle->Inputs[0], cast<ConstantInt>(Bundle->Inputs[1])->isOne(),
      unsigned(cast<ConstantInt>(Bundle->Inputs[2])->getZExtValue())};
}

static std::optional<ColumnsAtEnd> getMovedColumns(const CallInst &Call) {
  auto Bundle = Call.getOperandBundle(MovedColumns);
  if (!Bundle)
    return std::nullopt;
  return ColumnsAtEnd{
      Bundle->Inputs[0],
      unsigned(cast<ConstantInt>(Bundle->Inputs[1])->getZExtValue())};
}

/// Matches column.major.load (FirstArg 0) and column.major.store (FirstArg 1):
/// from FirstArg on, their arguments are the same.
static MatrixAccess matchColumnMajor(IntrinsicInst &Call, unsigned FirstArg) {
  Type *ElementTy =
      (FirstArg ? Call.getArgOperand(0)->getType() : Call.getType())
          ->getScalarType();
  return {FirstArg ? Call.getArgOperand(0) : nullptr,
          Call.getArgOperand(FirstArg),
          Call.getArgOperand(FirstArg + 1),
          getConstantArg(Call, FirstArg + 3),
          getConstantArg(Call, FirstArg + 4),
          Call.getDataLayout().getValueOrABITypeAlignment(
              Call.getParamAlign(FirstArg), ElementTy),
          getConstantArg(Call, FirstArg + 2) != 0,
          getOperand(Call, ExistingRows),
          getOperand(Call, ExistingColumns),
          getOperand(Call, SkippedRows),
          getWantedSide(Call),
          getMovedColumns(Call)};
}

std::optional<MatrixAccess> MatrixAccess::match(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
    return MatrixAccess{nullptr,
                        Load->getPointerOperand(),
                        nullptr,
                        getNumElements(Load),
                        /*Columns=*/1,
                        Load->getAlign(),
                        /*IsVolatile=*/false};
  if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
    return MatrixAccess{Store->getValueOperand(),
                        Store->getPointerOperand(),
                        nullptr,
                        getNumElements(Store->getValueOperand()),
                        /*Columns=*/1,
                        Store->getAlign(),
                        /*IsVolatile=*/false};
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (Call && Call->getIntrinsicID() == Intrinsic::matrix_column_major_load)
    return matchColumnMajor(*Call, 0);
  if (Call && Call->getIntrinsicID() == Intrinsic::matrix_column_major_store)
    return matchColumnMajor(*Call, 1);
  return std::nullopt;
}

bool MatrixAccess::isAdjacent() const {
  auto *Elements = dyn_cast_or_null<ConstantInt>(Stride);
  return !ExistingRows && !Wanted && !Moved &&
         (!Stride || (Elements && Elements->equalsInt(Rows)));
}

/// Whether the elements of type \p Ty lie in memory as in a vector, one after
/// the other without padding and each at its own address.
static bool isAddressable(Type *Ty, const DataLayout &DL) {
  return DL.getTypeSizeInBits(Ty) == DL.getTypeAllocSizeInBits(Ty);
}

/// Whether each element of the result of \p I depends only on the elements of
/// its wide operands at the same position, and on scalars that all share.
static bool isElementWise(const Instruction &I) {
  bool TakesScalars = false;
  if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
    if (!isTriviallyVectorizable(Call->getIntrinsicID()) &&
        Call->getIntrinsicID() != Intrinsic::arithmetic_fence)
      return false;
    TakesScalars = true;
  } else if (isa<SelectInst>(I)) {
    TakesScalars = true;
  } else if (!isa<PHINode, UnaryOperator, BinaryOperator, CastInst, CmpInst,
                  FreezeInst>(I)) {
    return false;
  }
  unsigned NumElements = getNumElements(&I);
  return NumElements && all_of(I.operand_values(), [&](const Value *V) {
           return getNumElements(V) == NumElements ||
                  (TakesScalars && !V->getType()->isVectorTy());
         });
}

/// Whether code that cuts the wide value \p V, or puts it together, finds a
/// place that dominates all uses of \p V.
static bool canInsertAfter(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  return !I || !getNumElements(I) ||
         (!I->isTerminator() && I->getInsertionPointAfterDef());
}

/// Whether \p Turn turns what is loaded, or stored, as lines of a tile.
static bool isTurnedLoad(const MatrixTransposition &Turn) {
  auto *I = dyn_cast<Instruction>(Turn.Operand);
  auto Access = I ? MatrixAccess::match(*I) : std::nullopt;
  return Access && Access->ExistingColumns && I->hasOneUse();
}
static bool isTurnedStore(const MatrixTransposition &Turn) {
  if (!Turn.Call->hasOneUse())
    return false;
  auto Access = MatrixAccess::match(*Turn.Call->user_back());
  return Access && Access->ExistingColumns;
}

bool TileGroup::canCut(Instruction &I, Cut C) const {
  if (!canInsertAfter(&I) || !all_of(I.operand_values(), canInsertAfter))
    return false;
  const DataLayout &DL = I.getDataLayout();
  if (std::optional<MatrixAccess> Access = MatrixAccess::match(I)) {
    if ((C == Cut::Lines) != (Access->ExistingColumns != nullptr))
      return false;
    Type *Ty = Access->Stored ? Access->Stored->getType() : I.getType();
    return isa<FixedVectorType>(Ty) && isAddressable(Ty->getScalarType(), DL) &&
           (C == Cut::Elements
                ? !Access->Wanted
                : C == Cut::Lines || !Access->Stride || Access->Rows == Rows);
  }
  if (std::optional<MatrixProduct> Product = MatrixProduct::match(&I))
    return C == Cut::Columns && Product->Rows == Rows &&
           isAddressable(I.getType()->getScalarType(), DL);
  if (auto Turn = MatrixTransposition::match(&I))
    return C == Cut::Columns ? Turn->Columns == Rows && isTurnedLoad(*Turn)
                             : C == Cut::Lines && Turn->Rows == Rows;
  return C != Cut::Lines && isElementWise(I);
}

/// How the wide operands of \p I are cut, which is cut as \p C.
static Cut cutOfOperands(Instruction &I, Cut C) {
  if (!MatrixTransposition::match(&I))
    return C;
  return C == Cut::Lines ? Cut::Columns : Cut::Lines;
}

/// How \p I is cut, of which an operand is cut as \p C.
static Cut cutOfUser(Instruction &I, Cut C) {
  auto Turn = MatrixTransposition::match(&I);
  return Turn && C == Cut::Columns && isTurnedStore(*Turn) ? Cut::Lines : C;
}

/// Adds \p From and what is connected to it. Elements are only wanted by the
/// multiplications that use them, so other users of theirs stay out.
void TileGroup::grow(Value *From, Cut As) {
  SmallVector<std::pair<Value *, Cut>> Worklist{{From, As}};
  while (!Worklist.empty()) {
    auto [V, C] = Worklist.pop_back_val();
    auto *I = dyn_cast<Instruction>(V);
    if (!I || contains(I) || !canCut(*I, C))
      continue;
    Members.insert({I, C});
    if (std::optional<MatrixProduct> Product = MatrixProduct::match(I)) {
      findGroups(*Product);
      auto It = InGroups.find(I);
      Worklist.push_back(
          {It == InGroups.end() ? Product->A : It->second.first.A, C});
    } else {
      for (Value *Operand : I->operand_values())
        if (getNumElements(Operand))
          Worklist.push_back({Operand, cutOfOperands(*I, C)});
    }
    if (C != Cut::Elements)
      for (User *U : I->users())
        Worklist.push_back({U, cutOfUser(*cast<Instruction>(U), C)});
  }
}

/// A product that may be made in groups. A narrow factor must not be one
/// of the tile's columns, too, as a group is not an element.
void TileGroup::findGroups(const MatrixProduct &Product) {
  auto Factors = GroupedFactors::match(Product);
  if (!Factors)
    return;
  FastMathFlags Flags = isa<FPMathOperator>(Product.Call)
                            ? Product.Call->getFastMathFlags()
                            : FastMathFlags();
  const Function &F = *Product.Call->getFunction();
  if (Unit) {
    if (Unit->multiplies(Factors->Types, F) &&
        Unit->isAllowed(Factors->Types, F, Flags))
      InGroups.insert({Product.Call, {*Factors, DotProduct()}});
    return;
  }
  if (auto Dot = findDotProduct(F, Factors->Types, Flags))
    InGroups.insert({Product.Call, {*Factors, *Dot}});
}

/// Finds which elements accesses leave out. Returns false if not all columns
/// have the same number of rows that exist, where it is said.
bool TileGroup::findPartialAccesses() {
  for (auto [I, C] : Members) {
    auto Access = MatrixAccess::match(*I);
    if (!Access || C == Cut::Elements)
      continue;
    IsPartial |= Access->Wanted.has_value();
    Value *Exist =
        C == Cut::Lines ? Access->ExistingColumns : Access->ExistingRows;
    HasLines |= C == Cut::Lines;
    if (!Exist || (C == Cut::Lines && isa<ConstantInt>(Exist)))
      continue;
    if (ExistingRows && ExistingRows != Exist)
      return false;
    ExistingRows = Exist;
    IsPartial = true;
  }
  return true;
}

std::optional<TileGroup> TileGroup::find(const MatrixProduct &Seed,
                                         const MatrixUnit *Unit) {
  return find(*Seed.Call, Seed.Rows, Unit);
}

std::optional<TileGroup> TileGroup::find(Instruction &Seed, unsigned Rows,
                                         const MatrixUnit *Unit) {
  TileGroup Group(Rows, Unit);
  Group.grow(&Seed, Cut::Columns);
  if (Group.Members.empty())
    return std::nullopt;
  // What is both a right-hand side and part of a tile has become the latter.
  for (unsigned I = 0, E = Group.Members.size(); I != E; ++I)
    if (auto Product = MatrixProduct::match(Group.Members.begin()[I].first)) {
      auto It = Group.InGroups.find(Product->Call);
      Group.grow(It == Group.InGroups.end() ? Product->B : It->second.first.B,
                 Cut::Elements);
    }
  if (!Group.findPartialAccesses())
    return std::nullopt;
  return Group;
}

Type *TileGroup::getElementType() const {
  Instruction &Seed = getSeed();
  Type *Ty = Seed.getType();
  if (Ty->isVoidTy())
    Ty = MatrixAccess::match(Seed)->Stored->getType();
  return Ty->getScalarType();
}

bool TileGroup::contains(Value *V) const {
  return Members.contains(dyn_cast<Instruction>(V));
}
