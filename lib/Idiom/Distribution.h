//===- Distribution.h - a nest in two parts ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_DISTRIBUTION_H
#define TILESMITH_LIB_IDIOM_DISTRIBUTION_H

#include "Rest.h"
#include "Roles.h"
#include "Witness.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tilesmith {

/// Where the rest may run.
struct Places {
  bool Before = true, After = true;

  void restrictTo(const Places &Other) {
    Before &= Other.Before;
    After &= Other.After;
  }
};

/// Parts a nest into its product and a copy with everything else.
class Distribution {
public:
  Distribution(const LoopNest &In, const Roles &By, Nest &Result)
      : In(In), SE(In.Analyses->SE), By(By), Result(Result), Of(Result.Op),
        Tests(Result.Tests), Source(Result.Source),
        I64(llvm::Type::getInt64Ty(SE.getContext())), Sizes(By.Space.Last, SE) {
  }

  Refused run(const RestOfNest &Rest, const Refusal &Why);

private:
  /// An access of the rest.
  struct Touch {
    llvm::Instruction *I;
    llvm::Type *Ty; ///< of an element: of a memset, bytes
    bool Writes;
    llvm::Value *Pointer;
    MemoryRegion Region;
    std::optional<AffineForm> Form; ///< over the chain's loops, then its own
    llvm::SmallVector<const llvm::SCEV *, 4> Last; ///< of each loop's counter
    /// Each is one if a loop around the access is entered, and zero if not.
    llvm::SmallVector<const llvm::SCEV *, 1> Entered;
  };

  /// How many steps a loop beside the chain goes on, over the counters of the
  /// chain, and the most of them.
  struct OwnCount {
    std::optional<AffineForm> Form; ///< if it varies
    const llvm::SCEV *Greatest;
  };

  /// What an operand covers, and what an access does, from low to high, while
  /// some of the loops stand still; the distance is that of their bases.
  struct Cover {
    const llvm::SCEV *LowX, *HighX, *LowT, *HighT, *Distance;
  };

  // Rest.cpp: what is needed, and the verdict.
  bool collect(llvm::Value *V, const llvm::Instruction &User);
  bool isInSum(const llvm::Instruction &I) const;
  bool isStored(llvm::Value *V) const;
  bool isMadeOnce(const llvm::Instruction &I) const;
  bool mayLoadStored(const llvm::Instruction &Stored,
                     const llvm::Instruction &User) const;
  Refused checkOtherUpdate(llvm::StoreInst &Store) const;
  bool addInitials();
  Refused addWrite(llvm::Instruction &Write, const Refusal &Why);
  bool addOthers(const RestOfNest &Rest);
  bool place(const Touch &T);
  bool placeBeside(const Touch &T, unsigned Operand);
  bool placeOtherSide();
  Places byOrder(const llvm::Instruction &I,
                 const llvm::Instruction &Other) const;

  // Transposed.cpp
  bool isBeyondSteps(const Touch &T, const Access &X) const;
  bool separateTransposed();
  bool isRowOfColumns(const Touch &T) const;
  std::optional<TransposedUse> useOfSums(const Touch &T) const;
  bool liftUseOfSums(llvm::StoreInst &Store, TransposedUse &Into) const;
  bool isFinishedSum(const llvm::Value &V) const;
  void findUseOfSums();

  // Touches.cpp: the accesses.
  LoopChain loopsAround(const llvm::Instruction &I) const;
  const llvm::SCEV *greatest(const AffineForm &Form) const;
  std::optional<AffineForm> formOf(const llvm::SCEV *S);
  std::optional<OwnCount> countOf(const llvm::Loop &L);
  const llvm::SCEV *excessBefore(const llvm::BasicBlock &BB,
                                 bool IsGreaterFirst);
  const llvm::SCEV *whereTested(const llvm::SCEV *Length,
                                const llvm::BasicBlock &BB);
  std::optional<OwnCount> lastByte(const llvm::MemSetInst &MemSet);
  const llvm::SCEV *isEntered(const LoopNest::EntryCondition &Entry);
  const llvm::SCEV *stepOfOperand(unsigned Loop, const llvm::SCEV *Step);
  void alignEnds(Touch &T, unsigned Own, const OwnCount &Count);
  std::optional<Touch> touch(llvm::Instruction &I, llvm::Type *Ty,
                             llvm::Value *Pointer);
  void complete(Touch &T, llvm::ArrayRef<OwnCount> Own);
  std::optional<llvm::SmallVector<OwnCount, 2>>
  ownCounts(const llvm::Instruction &I);
  bool addAccess(llvm::Instruction &I);
  bool addMemSet(llvm::MemSetInst &MemSet);

  // Meeting.cpp: an access and an operand of the product.
  bool isApart(const Touch &T, unsigned Operand,
               llvm::SmallVectorImpl<Conditions::Apart> &Checks) const;
  bool isApart(const Touch &T, unsigned Operand) {
    return isApart(T, Operand, Tests.MustBeApart);
  }
  bool isOtherMember(const Touch &T, unsigned Operand);
  bool isSameElement(const Touch &T) const;
  bool isColumnAsRow(const llvm::SCEV *Step, const Touch &T, unsigned Operand,
                     const llvm::SmallBitVector &Still) const;
  bool staysInRow(const Touch &T, unsigned Operand);
  bool isMirrored(const Touch &T);
  bool isOffDiagonal(const Touch &T);
  bool isOnDiagonalOfRow(const Touch &T);
  bool isBeside(const Touch &T, unsigned Operand);
  bool isReadBefore(const Touch &T, unsigned Operand);
  std::optional<Places> byDiagonal(const Touch &T);
  bool isBeyondDiagonal(int Distance);
  std::optional<AffineForm> overAxes(const Touch &T) const;
  bool isAs(const llvm::SCEV *Step, const llvm::SCEV *Expected);
  std::optional<int> stepsFromC(const AffineForm &Form, const llvm::SCEV *Step);
  std::optional<int> stepsFrom(const llvm::SCEV *Base, const AffineForm &Form,
                               const llvm::SCEV *Step);
  std::optional<Cover> cover(const Touch &T, unsigned Operand,
                             const llvm::SmallBitVector &Still);
  bool isWithin(const Cover &Both, const llvm::SCEV *Step);
  [[nodiscard]] bool require(llvm::CmpInst::Predicate Predicate,
                             const llvm::SCEV *X, const llvm::SCEV *Y);
  [[nodiscard]] bool requireLongRows(const llvm::SCEV *Row,
                                     const llvm::SCEV *Column,
                                     const llvm::SCEV *Last, unsigned Margin);
  [[nodiscard]] bool requireDistinctRows(const llvm::SCEV *Row,
                                         const llvm::SCEV *LastRow,
                                         unsigned RowsInFront,
                                         const llvm::SCEV *Column,
                                         const llvm::SCEV *LastColumn);

  // SavedRows.cpp
  std::optional<AffineForm> overColumns(const Touch &T, Dim Q);
  std::optional<Places> placeInRows(const Touch &T);

  const LoopNest &In;
  llvm::ScalarEvolution &SE;
  const Roles &By;
  Nest &Result;
  Contraction &Of;
  Conditions &Tests;
  Surroundings &Source;
  llvm::Type *I64;
  Witness Sizes; ///< for which all that is required holds
  Places Possible;
  llvm::SmallVector<Touch, 4> Touches;
  llvm::SmallPtrSet<llvm::Value *, 16> Seen;
};

} // namespace tilesmith

#endif
