//===- SpaceBuilder.h - finds the axes of a nest ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_SPACEBUILDER_H
#define TILESMITH_LIB_IDIOM_SPACEBUILDER_H

#include "IterationSpace.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace tilesmith {

class SpaceBuilder {
public:
  explicit SpaceBuilder(const LoopNest &In)
      : In(In), SE(In.Analyses->SE),
        I64(llvm::Type::getInt64Ty(SE.getContext())) {
    Space.SE = &SE;
  }

  std::variant<llvm::SmallVector<IterationSpace, 1>, Refusal> run();

private:
  friend class IterationSpace;
  bool addLoop(unsigned Position);
  bool addMoving(const llvm::SCEV *Backedges);
  bool addTile(unsigned Position, const llvm::SCEV *Backedges);
  bool addTriangle(unsigned Position, const llvm::SCEV *Backedges);
  bool implyGuards();
  // Positions.cpp
  std::optional<AffineSum> positionOf(const llvm::SCEV *S, bool Signed);
  bool addComparison(const BorderGuard &Guard,
                     BorderGuard::Comparison Comparison);
  bool requireCertain();
  bool addOrder(const BorderGuard &Guard, llvm::CmpInst::Predicate P,
                const llvm::SCEV *Low, const llvm::SCEV *High);
  bool isImplied(const AffineSum &Half) const;
  bool beginsLater(IterationSpace::Inside &Border,
                   const AffineSum &Position) const;
  void addHalf(AffineSum Position, const llvm::BranchInst &Branch);
  void requireMostInside(const IterationSpace::Inside &Border);
  Refused addBorders();
  const llvm::SCEV *greaterWhereRun(const llvm::SCEVMinMaxExpr &MinMax);

  llvm::SmallVector<IterationSpace, 1> layOutTriangle() const;

  std::optional<AffineForm> formOf(const llvm::SCEV *S);
  bool addChecks(const AffineForm &Form);
  std::optional<unsigned> onlyAxis(const AffineForm &Form) const;
  const llvm::SCEV *withoutClamp(const llvm::SCEV *S, const llvm::APInt &Below);
  const llvm::SCEV *distance(const llvm::SCEV *Backedges);
  const llvm::SCEV *withoutCut(const llvm::SCEV *Backedges,
                               const llvm::SCEV *&Cut);
  const llvm::SCEV *withoutNarrowSum(const llvm::SCEV *S);
  const llvm::SCEVMinMaxExpr *findMinMax(const llvm::SCEV *S, bool Max) const;
  bool boundsOperand(const llvm::SCEV *S, bool Signed);
  /// The operands of min(t - 1, n - 1 - t*x, ...).
  struct TileBounds {
    llvm::APInt Last; ///< t - 1, 64 bits wide
    llvm::SmallVector<AffineForm, 2> Others;
  };
  std::optional<TileBounds> boundsOfTile(const llvm::SCEV *Distance);
  bool isAtLeast(const AffineForm &Form, const llvm::APInt &Least) const;
  std::optional<AffineForm> restOfTiles(const TileBounds &Bounds);
  const llvm::SCEV *exactly(const llvm::SCEV *S, bool Signed);
  bool isCount(const llvm::SCEV *Excess, const llvm::BranchInst &Branch);
  void requireRuns();
  void require(llvm::CmpInst::Predicate Predicate, const llvm::SCEV *X,
               const llvm::SCEV *Y);
  const llvm::SCEV *atEnd(const AffineForm &Form, unsigned Axis) const;
  const llvm::SCEV *constant(int64_t V) const {
    return SE.getConstant(I64, V, /*isSigned=*/true);
  }

  bool isNeverNegative(const AffineSum &Sum) const;
  AffineSum difference(const AffineSum &X, const AffineSum &Y) const;

  const LoopNest &In;
  llvm::ScalarEvolution &SE;
  llvm::Type *I64;
  IterationSpace Space;

  /// A loop that runs Start + Slope * x times, x being the counter of axis X.
  struct Varying {
    unsigned X, Y;
    const llvm::SCEV *Start;
    int Slope;
    bool IsCut; ///< and no more often than a bound that does not vary permits
  };
  std::optional<Varying> Triangle;
  /// What must not be negative where a step is made, and a branch that tests it.
  llvm::SmallVector<std::pair<AffineSum, const llvm::BranchInst *>, 4> Halves;
  /// How often each loop runs, as far as it varies.
  llvm::SmallVector<const llvm::SCEV *, 4> Counts;
};

} // namespace tilesmith

#endif
