//===- RoleFinder.h - which loop is which dimension -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ROLEFINDER_H
#define TILESMITH_LIB_IDIOM_ROLEFINDER_H

#include "Roles.h"
#include "llvm/ADT/STLExtras.h"

namespace tilesmith {

/// Finds the roles of a nest's loops in what \p Store computes, one step after the
/// other, in Result.
class RoleFinder {
public:
  RoleFinder(const LoopNest &In, llvm::StoreInst &Store, const Update &Of,
             Liberties May)
      : In(In), SE(In.Analyses->SE), Store(Store), Of(Of), May(May) {}

  std::variant<Roles, Refusal> run(const IterationSpace &Plain);

private:
  void addPlaces(const llvm::Instruction &Access,
                 const AffineForm::NarrowSum &Sum, WrapCheck &Check) const;
  bool findForm(const llvm::Instruction &Access, AffineForm &OverLoops,
                AffineForm &OverAxes, Reason &Why);
  bool gatherScattered();
  bool changeForms();
  bool placesAreOuter(llvm::ArrayRef<std::pair<unsigned, unsigned>> Pairs);
  bool assign(unsigned Axis);
  bool fuse(Dim D);
  bool isRankUpdate() const;
  bool turnToRows();
  bool turnMovingVectors();
  bool isTableRead();
  bool goesOn(const AffineSum &Sum, unsigned Outer, unsigned Inner,
              bool MayTest, llvm::SmallVectorImpl<Requirement> &Tests) const;
  bool fuseInGroups(Dim D);
  bool canFuse(Dim D, llvm::ArrayRef<unsigned> Order, bool MayTest,
               llvm::SmallVectorImpl<Requirement> &Tests);
  void keepInnermost(Dim D);
  bool movesByTableOrInRow(AffineForm &Form);
  bool isSymmetric(AffineForm &Form, Dim P);
  bool isRowOfSums();
  bool takeDiagonal();
  bool cutSteps(IterationSpace::Diagonal &Diagonal);
  bool isOfImage(const AffineSum &Position) const;
  Refused placeBorders();
  Refused checkSum();
  Refused findForms();
  Refused checkForms();
  void findLoopsOverK();
  bool mayHaveOuter(bool HasRows) const;
  bool mayBeApart();

  template <typename FnT> bool allForms(FnT Fn) {
    return Fn(Result.C) && llvm::all_of(Result.Products, [&](auto &P) {
             return Fn(P.A) && Fn(P.B);
           });
  }
  /// The same for all sums that make up addresses, and positions.
  template <typename FnT> bool allSums(FnT Fn) {
    return allForms([&](AffineForm &Form) {
             return Fn(Form) && (!Form.Row || Fn(*Form.Row));
           }) &&
           llvm::all_of(Result.Space.Borders,
                        [&](IterationSpace::Inside &Border) {
                          return Fn(Border.Position);
                        });
  }

  const LoopNest &In;
  llvm::ScalarEvolution &SE;
  llvm::StoreInst &Store;
  const Update &Of;
  Liberties May;
  Roles Result;
};

} // namespace tilesmith

#endif
