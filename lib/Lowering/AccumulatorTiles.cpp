//===- AccumulatorTiles.cpp - a tile group in accumulators ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns are cut into registers as RegisterTiles does it, but what multiplies
// is a matrix unit (MatrixUnit.h), and sums are held by its accumulators: each
// a piece of a few neighbouring columns. With pieces of 4 floats and 4 columns,
//
//   %sum  = phi <128 x float> [ %c, %entry ], [ %next, %loop ]     ; 16 x 8
//   %ab   = call contract @llvm.matrix.multiply(%a, %b, 16, 1, 8)
//   %next = fadd contract %sum, %ab
//
// becomes 8 accumulators, two for each 4 rows,
//
//   %sum0  = phi <512 x i1> [ %c0, %entry ], [ %next0, %loop ]
//   %next0 = call @llvm.ppc.mma.xvf32gerpp(%sum0, %b0, %a0)
//   ...
//
// A sum that comes from elsewhere is put into accumulators where the loop is
// entered; whoever else uses one gets it in pieces, in the block of the use.
// If either would have to be done in the loop itself, the group is left alone.
//
// For some groups of narrow elements, an accumulator holds rows instead of
// columns; the square is transposed whenever sums are moved.
//
// Multiply-adds of the unit are fused, so all of them must be permitted to be.
// What is missing of a register or of the columns is filled up with zeros.
//
//===----------------------------------------------------------------------===//

#include "AccumulatorTiles.h"
#include "RegisterTiles.h"
#include "tilesmith/Target/MatrixUnit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

//===-- Pieces and accumulators -------------------------------------------===//

/// What is missing of a register, or of as many groups as it has sums, is zero.
Value *AccumulatorTiles::widen(Value *V) {
  auto *Ty = FixedVectorType::get(V->getType()->getScalarType(), lanes());
  if (V->getType() == Ty)
    return V;
  Constant *Zero = Constant::getNullValue(Ty);
  unsigned Lanes = getNumElements(V);
  if (!Lanes)
    return Builder.CreateInsertElement(Zero, V, uint64_t(0));
  unsigned All = getNumElements(Zero);
  Value *Wide = Builder.CreateShuffleVector(
      V, createSequentialMask(0, Lanes, All - Lanes));
  SmallVector<int, 16> Blend = createSequentialMask(0, Lanes, 0);
  for (unsigned Lane = Lanes; Lane != All; ++Lane)
    Blend.push_back(All + Lane);
  return Builder.CreateShuffleVector(Wide, Zero, Blend);
}

/// Sets the pieces of \p Result that \p Accumulator holds: piece \p P of the
/// columns of group \p G.
void AccumulatorTiles::giveBack(Value *Accumulator, unsigned P, unsigned G,
                                Pieces &Result) {
  unsigned Lanes = Column[P].Lanes, J = G * Unit.Columns;
  Pieces Registers = Unit.take(Builder, Accumulator, RegisterTy);
  if (IsTransposed)
    Registers = transpose(Registers);
  for (Value *V : Registers) {
    if (J == Columns)
      break;
    if (Lanes == 1)
      V = Builder.CreateExtractElement(V, uint64_t(0));
    else if (Lanes != getNumElements(V))
      V = Builder.CreateShuffleVector(V, createSequentialMask(0, Lanes, 0));
    Result[J++ * Column.size() + P] = V;
  }
}

/// The registers of the rows of a square, of its columns.
AccumulatorTiles::Pieces AccumulatorTiles::transpose(const Pieces &Square) {
  Pieces Result = Square;
  // Elements whose numbers differ in one bit change places with those that do
  // so across registers.
  for (unsigned Bit = 1; Bit != Result.size(); Bit *= 2)
    for (unsigned I = 0; I != Result.size(); ++I) {
      if (I & Bit)
        continue;
      SmallVector<int, 8> Low, High;
      for (unsigned Lane = 0; Lane != lanes(); ++Lane) {
        Low.push_back(Lane & Bit ? lanes() + (Lane ^ Bit) : Lane);
        High.push_back(Lane & Bit ? lanes() + Lane : Lane ^ Bit);
      }
      Value *&First = Result[I], *&Second = Result[I | Bit];
      Value *NewFirst = Builder.CreateShuffleVector(First, Second, Low);
      Second = Builder.CreateShuffleVector(First, Second, High);
      First = NewFirst;
    }
  return Result;
}

/// Those of a sum that is held are taken in the block of the use.
const AccumulatorTiles::Pieces &AccumulatorTiles::getPieces(Value *V, Cut C) {
  if (!isHeld(V) || C != Cut::Columns)
    return RegisterTiles::getPieces(V, C);
  BasicBlock *BB = Builder.GetInsertBlock();
  auto [Entry, IsNew] = GivenBack.try_emplace({V, BB});
  Pieces &Result = Entry->second;
  if (IsNew) {
    IRBuilderBase::InsertPointGuard Guard(Builder);
    if (cast<Instruction>(V)->getParent() == BB)
      setInsertPointAfter(V);
    else
      Builder.SetInsertPoint(BB, BB->getFirstInsertionPt());
    Result.resize(Column.size() * Columns);
    for (auto [Index, Accumulator] : enumerate(AccumulatorsOf.at(V)))
      giveBack(Accumulator, Index / columnGroups(), Index % columnGroups(),
               Result);
  }
  return Result;
}

/// The accumulator of a sum for piece \p P of the columns of group \p G. A sum
/// that is not held is put into it here.
Value *AccumulatorTiles::getAccumulator(Value *V, unsigned P, unsigned G) {
  if (isHeld(V))
    return AccumulatorsOf.at(V)[P * columnGroups() + G];
  const Pieces &From = getPieces(V, Cut::Columns);
  Pieces Registers(Unit.Columns, Constant::getNullValue(RegisterTy));
  unsigned J = G * Unit.Columns;
  for (Value *&Register : Registers)
    if (J < Columns)
      Register = widen(From[J++ * Column.size() + P]);
  return Unit.make(Builder, IsTransposed ? transpose(Registers) : Registers);
}

//===-- Members -----------------------------------------------------------===//

AccumulatorTiles::Pieces AccumulatorTiles::cutMember(Instruction &I, Cut C) {
  if (auto Found = Products.find(&I); Found != Products.end())
    return multiply(I, Found->second);
  if (isHeld(&I)) {
    auto &Phi = cast<PHINode>(I);
    Pieces &Result = AccumulatorsOf[&I];
    for (unsigned Count = Column.size() * columnGroups(); Count; --Count)
      Result.push_back(Builder.CreatePHI(
          Unit.getType(RegisterTy), Phi.getNumIncomingValues(), I.getName()));
    return {};
  }
  auto Access = MatrixAccess::match(I);
  if (Access && !Access->Stored && Access->isAdjacent() &&
      !Access->IsVolatile && Unit.LoadsPairs &&
      Access->Pointer->getType()->getPointerAddressSpace() == 0 &&
      registerOf(I.getType())->getNumElements() == lanes()) {
    if (C == Cut::Elements)
      return extractElements(loadRegisters(I, *Access));
    // Registers of a tile's columns go to different accumulators.
    if (Factors.contains(&I) && Group.Rows % lanes() == 0)
      return loadRegisters(I, *Access);
  }
  Pieces Result = RegisterTiles::cutMember(I, C);
  if (C == Cut::Elements)
    append_range(Extracted, Result);
  return Result;
}

void AccumulatorTiles::completePhi(PHINode &Phi, Cut C) {
  if (!isHeld(&Phi))
    return RegisterTiles::completePhi(Phi, C);
  for (auto [Incoming, BB] : zip(Phi.incoming_values(), Phi.blocks())) {
    Builder.SetInsertPoint(BB->getTerminator());
    for (auto [Index, New] : enumerate(AccumulatorsOf.at(&Phi)))
      cast<PHINode>(New)->addIncoming(getAccumulator(Incoming,
                                                     Index / columnGroups(),
                                                     Index % columnGroups()),
                                      BB);
  }
}

/// Whole registers of a factor that is adjacent in memory; elements follow as
/// they are.
AccumulatorTiles::Pieces
AccumulatorTiles::loadRegisters(Instruction &I, const MatrixAccess &Access) {
  Type *ElementTy = I.getType()->getScalarType();
  uint64_t Size = F.getDataLayout().getTypeStoreSize(ElementTy);
  AAMDNodes AA = I.getAAMetadata();
  Pieces Result;
  for (unsigned First = 0, E = getNumElements(&I); First != E;) {
    Value *Pointer = Access.Pointer;
    if (First)
      Pointer = Builder.CreateConstGEP1_64(ElementTy, Pointer, First);
    if (E - First >= 2 * lanes()) {
      auto [Front, Back] =
          Unit.loadPair(Builder, Pointer, registerOf(ElementTy), AA);
      Result.append({Front, Back});
      First += 2 * lanes();
      continue;
    }
    unsigned Lanes = E - First >= lanes() ? lanes() : 1;
    Align Alignment = commonAlignment(Access.Alignment, First * Size);
    Result.push_back(loadPiece(
        Builder, {First, Lanes, Lanes}, I.getType(),
        {Pointer, Alignment, /*IsVolatile=*/false, AA, /*InParts=*/false},
        I.getName()));
    First += Lanes;
  }
  return Result;
}

/// The elements of \p Registers.
AccumulatorTiles::Pieces
AccumulatorTiles::extractElements(const Pieces &Registers) {
  Pieces Result;
  for (Value *V : Registers)
    if (!getNumElements(V))
      Result.push_back(V);
    else
      for (unsigned Lane = 0; Lane != lanes(); ++Lane)
        Result.push_back(Builder.CreateExtractElement(V, Lane));
  append_range(Extracted, Result);
  return Result;
}

/// The elements of step \p K of a right-hand side, from column \p First on, as
/// many as an accumulator has columns.
SmallVector<Value *, 4> AccumulatorTiles::toRegisters(const Pieces &Elements,
                                                      const MatrixProduct &Of,
                                                      unsigned K,
                                                      unsigned First) {
  SmallVector<Value *, 8> Row;
  for (unsigned J = First; J != First + Unit.Columns; ++J)
    Row.push_back(J < Columns ? Elements[J * Of.Inner + K]
                              : Constant::getNullValue(Elements[0]->getType()));
  SmallVector<Value *, 4> Registers;
  unsigned Lanes = registerOf(Elements[0]->getType())->getNumElements();
  for (unsigned J = 0; J != Unit.Columns; J += Lanes)
    Registers.push_back(toRegister(ArrayRef(Row).slice(J, Lanes)));
  return Registers;
}

/// A register of \p Elements.
Value *AccumulatorTiles::toRegister(ArrayRef<Value *> Elements) {
  // Those of loadRegisters come from one.
  if (auto *First = dyn_cast<ExtractElementInst>(Elements.front()))
    if (Value *V = First->getVectorOperand();
        getNumElements(V) == Elements.size() &&
        all_of(enumerate(Elements), [&](auto E) {
          return match(E.value(),
                       m_ExtractElt(m_Specific(V), m_SpecificInt(E.index())));
        }))
      return V;
  // As integers: a scalar float is not kept like a lane on all targets.
  auto *Ty = FixedVectorType::get(Elements[0]->getType(), Elements.size());
  Type *BitsTy = VectorType::getInteger(Ty);
  Value *Result = PoisonValue::get(BitsTy);
  for (auto [Lane, Element] : enumerate(Elements))
    Result = Builder.CreateInsertElement(
        Result, Builder.CreateBitCast(Element, BitsTy->getScalarType()), Lane);
  return Builder.CreateBitCast(Result, Ty);
}

/// The products that \p I is, or that it adds to a sum, a few accumulators
/// after the other.
AccumulatorTiles::Pieces
AccumulatorTiles::multiply(Instruction &I, const MatrixProduct &Product) {
  Value *Start = nullptr;
  if (Product.Call != &I)
    Start = I.getOperand(I.getOperand(0) == Product.Call);
  // A group is one element.
  std::optional<NarrowProduct> InGroups = getGroups(Product);
  MatrixProduct Factors = Product;
  if (InGroups) {
    const GroupedFactors &Of = Group.InGroups.find(Product.Call)->second.first;
    Factors = {Product.Call, Of.A, Of.B, Product.Rows, 1, Product.Columns};
  }
  const Pieces &A = getPieces(Factors.A, Cut::Columns);
  const Pieces &B = getPieces(Factors.B, Cut::Elements);
  unsigned Height = Column.size(), Groups = columnGroups();
  SmallVector<Value *> Left;
  for (Value *V : A)
    Left.push_back(widen(V));
  SmallVector<SmallVector<Value *, 4>>
      Right; // of a step, of a group of columns
  for (unsigned K = 0; K != Factors.Inner; ++K)
    for (unsigned G = 0; G != Groups; ++G)
      Right.push_back(toRegisters(B, Factors, K, G * Unit.Columns));

  bool IsHeld = isHeld(&I);
  Pieces Result(IsHeld ? Height * Groups : Height * Columns);
  unsigned HeightAtOnce = std::min(Height, Unit.Accumulators / 2),
           GroupsAtOnce = Unit.Accumulators / HeightAtOnce;
  for (unsigned FirstG = 0; FirstG < Groups; FirstG += GroupsAtOnce)
    for (unsigned FirstP = 0; FirstP < Height; FirstP += HeightAtOnce) {
      auto ForEach = [&](function_ref<void(unsigned, unsigned)> Do) {
        for (unsigned P = FirstP, E = std::min(Height, P + HeightAtOnce);
             P != E; ++P)
          for (unsigned G = FirstG, E = std::min(Groups, G + GroupsAtOnce);
               G != E; ++G)
            Do(P, G);
      };
      DenseMap<std::pair<unsigned, unsigned>, Value *> Sums;
      if (Start)
        ForEach([&](unsigned P, unsigned G) {
          Sums[{P, G}] = getAccumulator(Start, P, G);
        });
      for (unsigned K = 0; K != Factors.Inner; ++K)
        ForEach([&](unsigned P, unsigned G) {
          Value *&Sum = Sums[{P, G}];
          Sum = Unit.multiplyAdd(Builder, Sum, Left[K * Height + P],
                                 Right[K * Groups + G], InGroups);
        });
      ForEach([&](unsigned P, unsigned G) {
        if (IsHeld)
          Result[P * Groups + G] = Sums[{P, G}];
        else
          giveBack(Sums[{P, G}], P, G, Result);
      });
    }
  if (!IsHeld)
    return Result;
  AccumulatorsOf[&I] = std::move(Result);
  return {};
}

bool lowerToAccumulators(const MatrixProduct &Seed,
                         const TargetTransformInfo &TTI) {
  const MatrixUnit *Unit = findMatrixUnit(*Seed.Call->getFunction());
  if (!Unit)
    return false;
  auto Group = TileGroup::find(Seed, Unit);
  if (!Group)
    return false;
  AccumulatorTiles Tiles(*Group, TTI, *Unit);
  if (!Tiles.isPossible() || !Tiles.isSuited())
    return false;
  Tiles.run();
  return true;
}

} // namespace tilesmith
