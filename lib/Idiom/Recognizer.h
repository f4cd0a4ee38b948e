//===- Recognizer.h - what one store computes -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_RECOGNIZER_H
#define TILESMITH_LIB_IDIOM_RECOGNIZER_H

#include "Effects.h"
#include "Initialisation.h"
#include "Lift.h"
#include "Roles.h"
#include "Update.h"

namespace tilesmith {

struct RestOfNest;

/// Assembles the contraction whose elements one store updates.
class Recognizer {
public:
  /// \p Except is no sum that is kept apart.
  Recognizer(const LoopNest &In, const Effects &All,
             llvm::StoreInst &UpdateStore, Liberties May,
             const llvm::Instruction *Except = nullptr)
      : In(In), All(All), Store(UpdateStore), May(May), Except(Except),
        Element{In.addressOf(Store), Store.getValueOperand()->getType()} {}

  /// What \p UpdateStore computes, looked at alone.
  std::variant<Nest, Refusal> describe();
  /// Takes in \p Copies of the update, and accounts for everything else that
  /// the nest does.
  std::variant<Nest, Refusal> complete(llvm::ArrayRef<Nest> Copies);

  /// The sum that describe() has found.
  const llvm::Instruction &sum() const { return *Sum; }

private:
  // Description.cpp and Recognizer.cpp: the parts of the descriptor.
  std::variant<Update, Refusal> update() const;
  Refused describeOperands(Update &From);
  Refused describeSums(const Update &From);
  Refused describeSumsApart(const Update &From);
  Refused checkEmptySums();
  void describeUpdate(const Update &From);
  std::optional<Dim> dimOf(unsigned Loop) const;
  void describeLoops();
  Refused describeTerms(Update &From);
  bool areExchanged(const Term &T) const;
  void describeScratch(const Update &From);
  Refused describeSaved();
  void packSavedFirst();
  Access accessBy(llvm::Instruction &I, const AffineForm &Form) const;
  void describeRows(Access &X, const AffineForm &Form) const;
  void describeBorders(Access &X) const;
  const llvm::SCEV *extent(Dim D, llvm::Type *Ty) const;
  bool isSumOrStart(const llvm::Value &V, const Update &From) const;
  bool isStoredSum(const llvm::Value &V, const Update &From) const;
  Refused liftFinish(const Update &From);
  Refused liftStart(const Update &From);
  bool startElsewhere(llvm::Value &First);
  void startFromC(llvm::StoreInst &By, llvm::Value &First);
  llvm::StoreInst *storeBeforeSums(llvm::Value &First) const;
  bool isAroundSum(const VaryingGuard &Guard) const;
  bool storeEmpty(const VaryingGuard &Guard);
  bool finishElsewhere(const VaryingGuard &Guard);
  llvm::Value *knownAtStore(llvm::Value &V) const;
  Refused findPartialSums(const Update &From);
  void startRowOfSums(const Update &From);
  std::variant<Nest, Refusal> completeApart();
  Refused requireReloads();
  Refused collectInvariantLoads();
  Refused requireStep(const llvm::SetVector<llvm::LoadInst *> &Loads,
                      llvm::ArrayRef<const llvm::SCEV *> Terms);
  llvm::SetVector<llvm::Value *> scalars() const;
  bool storesBehindSum() const;
  Refused findInPlace();
  void queryAliases();

  bool mayRoll() const;
  bool isOnceInStep(const llvm::Instruction &Write) const;
  bool isAlongNumbers(const llvm::Instruction &Write) const;
  bool mayJoinParts(llvm::ArrayRef<Nest> Copies) const;

  // RecognizerRest.cpp
  bool isOutsideSteps(const RestOfNest &Rest) const;
  bool isToldByFactors(const ZeroGuard &Zeros) const;
  bool isForOperand(const llvm::Instruction &Write) const;
  Refused joinCopies(llvm::ArrayRef<Nest> Copies);
  Refused checkWrites(llvm::ArrayRef<llvm::Instruction *> Writes) const;
  std::variant<RestOfNest, Refusal> findRest();
  Refused checkBesideRest(const RestOfNest &Rest) const;
  Refusal whyRestMatters(const RestOfNest &Rest) const;
  Refused checkSavedRows(const RestOfNest &Rest) const;
  Refused place(const RestOfNest &Rest, const Refusal &Why);

  // Epilogue.cpp
  bool isFused(const AffineForm &Form, Dim D) const;
  bool fuseFurther(AffineForm &Form, Dim D, bool MayGroup) const;
  std::optional<Access>
  furtherOperand(llvm::LoadInst &Load, const LoopChain &Loops, Dim Still,
                 llvm::SmallVectorImpl<WrapCheck> &Checks,
                 llvm::SmallVectorImpl<Requirement> *OfGroups = nullptr) const;
  void requireNoWraps(llvm::ArrayRef<WrapCheck> Checks);
  void requireAll(llvm::ArrayRef<Requirement> Needed);
  bool mayHaveEpilogue() const;
  std::optional<Leaf>
  leafOfOthers(const llvm::Value &V, const LoopChain &Loops,
               llvm::SmallVectorImpl<FurtherOperand> &Operands,
               llvm::SmallVectorImpl<WrapCheck> &Checks) const;
  bool liftEpilogue(const Update &From);
  void finishLater(const Update &From, Epilogue Last);
  bool isStoredAlone() const;
  bool isStoredBesideOthers() const;
  bool mayStartInKernel() const;
  bool liftStartOfOthers(llvm::Value &First, const Update &From);
  Refused describeChanges();
  const llvm::Instruction *exitOffPath() const;
  Refused checkCopiedExits() const;
  Refused startBesideStored(const Update &From);
  // StepRows.cpp
  bool mayStartSumsInMemory() const;
  bool mayStartInSteps() const;
  bool isEnteredInEachStep(const llvm::StoreInst &Init,
                           Conditions &Needed) const;
  std::optional<LoopChain> loopsInStep(const llvm::StoreInst &Init,
                                       Conditions &Needed) const;
  std::optional<int64_t>
  firstStepBehind(const llvm::StoreInst &Init, const LoopChain &Loops,
                  llvm::SmallVectorImpl<WrapCheck> &Checks) const;
  bool isNotReadBefore(const llvm::StoreInst &Init,
                       const llvm::StoreInst *Early,
                       llvm::ArrayRef<FurtherOperand> Operands) const;
  bool liftStartOfStep(llvm::StoreInst &Init, const llvm::StoreInst *Early,
                       llvm::SmallVectorImpl<WrapCheck> &Checks);
  bool readsOtherRows(const llvm::StoreInst &Init) const;
  llvm::StoreInst *startOfRows(llvm::ArrayRef<llvm::Instruction *> Rest) const;
  LoopChain loopsOfRows(const llvm::StoreInst &Init) const;
  bool startInRows(llvm::ArrayRef<llvm::Instruction *> Rest);
  bool startInSteps(llvm::ArrayRef<llvm::Instruction *> Rest);
  // NumberEpilogue.cpp
  bool isSumOfOther(const llvm::Instruction &I, Epilogue &Found) const;
  bool liftProducts(LeafOf Known, Epilogue &Into) const;
  Refused checkNumbers() const;
  Refused checkCalls(bool HasRest) const;

  // Making.cpp
  bool mayMakeFactors(Dim P) const;
  std::optional<IndexOfFactor> indexOfFactor(llvm::Value &Counter, Dim P) const;
  Refused describeMaking(Access &X, Expression &Map, Dim P,
                         std::optional<Making> &Into);

  // Segments.cpp
  std::optional<Access>
  operandOfSegments(llvm::LoadInst &Load,
                    llvm::SmallVectorImpl<WrapCheck> &Checks,
                    llvm::SmallVectorImpl<Requirement> &Needed) const;
  bool liftRowOfSegments(llvm::Value &Start, const llvm::Value &Sum,
                         llvm::SmallVectorImpl<WrapCheck> &Checks);
  Refused describeSegments(const Update &From);

  // Transposed.cpp
  llvm::StoreInst *otherStoreOfRow() const;
  void describeTransposed();

  // Checks.cpp: what would not be exact, or not be wanted.
  Refused requireChecks();
  bool requireCheck(const Check &C, llvm::ICmpInst &Compare, bool Holds,
                    bool &AnyOfRow);
  const llvm::SCEV *withoutFreezes(const llvm::SCEV *S) const;
  const llvm::SCEV *withoutMinimum(const llvm::SCEV *S) const;
  const llvm::SCEV *withoutMaximum(const llvm::SCEV *S);
  bool requireOrder(const llvm::SCEV *Low, const llvm::SCEV *High, bool Signed,
                    bool MayBeEqual);
  void requireDifference(const AffineSum &Less, const AffineSum &More,
                         const llvm::SCEV *Needed);
  const llvm::SCEV *lastOfOther(const llvm::Loop &L);
  void requireBits(const llvm::SCEV *S, unsigned Bits);
  const llvm::SCEV *takePlaces(AffineSum &Sum, const llvm::Instruction &At);
  const llvm::SCEV *greatestOf(const llvm::SCEV *S,
                               const llvm::Instruction &At);
  std::optional<AffineForm> exactForm(const llvm::SCEV *S, bool Signed,
                                      const LoopChain &Loops);
  // RowLengths.cpp
  bool isRowLength(const llvm::Value &V) const;
  bool addRowLength(llvm::Value &Length, const llvm::SCEV *Greatest);
  bool orderTables();
  Refused checkTypes() const;
  Refused checkRowTables() const;
  Refused checkOuterSums() const;
  // BorderValues.cpp
  Refused checkBorders(const Update &From);
  std::optional<Beyond> beyond(const BorderGuard &Border,
                               const Update &From) const;
  Refused checkWritesAtBorders(llvm::ArrayRef<llvm::Instruction *> Rest) const;
  // HandTuned.cpp
  Refused checkOtherSums(llvm::ArrayRef<Nest> Copies) const;
  // Fusion.cpp
  Refused checkFusion() const;
  Refused describeRestOfLines();
  void findScalarLoopsOfRest();
  bool isComplex() const;
  bool isNeighbour(const llvm::StoreInst &Other) const;
  std::optional<AffineForm> formOf(const llvm::StoreInst &Of) const;

  const LoopNest &In;
  const Effects &All;
  llvm::StoreInst &Store;
  Liberties May;
  const llvm::Instruction *Except;
  ElementOfC Element;
  Roles By;
  /// The loops over k, as positions, that the sum is not carried through.
  llvm::SmallVector<unsigned, 2> OuterSums;
  const llvm::Instruction *Sum = nullptr;
  llvm::Value *Started = nullptr; ///< what the sum starts from
  /// A factor that is saved has the row itself: nothing may be stored to it
  /// before the sum is over.
  bool ReadsOwnRow = false;
  /// Each row of C starts in front of its steps, which do not read it.
  bool StartsInRows = false;
  /// Each row of C starts in the step of its number.
  bool StartsInSteps = false;
  /// Loads of pointers in tables, and what is read first of each row.
  llvm::SmallDenseMap<const llvm::LoadInst *, const llvm::LoadInst *, 4>
      FirstReads;
  /// Why there would be no contraction without an epilogue.
  Refused WithoutEpilogue;
  /// Why the first of the other writes is no initialisation.
  Refused InitMismatch;
  Nest Result;
};

} // namespace tilesmith

#endif
