//===- RunTimeTests.cpp - what a guard tests, in plain words --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeTests.h"
#include "SourceNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include <set>

using namespace llvm;

namespace tilesmith {

namespace {

class Statements {
public:
  Statements(const Nest &Of, ScalarEvolution &SE)
      : Of(Of), Op(Of.Op), Names(Of, SE) {}

  std::vector<std::string> make() {
    overlap();
    others();
    wraps();
    branches();
    comparisons();
    return std::move(Result);
  }

private:
  /// "A" of "A[i*n + k]".
  std::string array(const Access &X, StringRef Else) {
    std::optional<std::string> Element = Names.element(X);
    return Element
               ? StringRef(*Element)
                     .take_until([](char C) { return C == '[' || C == '('; })
                     .str()
               : Else.str();
  }

  StringRef letter(const Access &X) const {
    for (const Term &T : Op.Terms) {
      if (&X == &T.A)
        return "A";
      if (&X == &T.B)
        return "B";
    }
    return "another operand";
  }

  void overlap() {
    if (Of.Source.ToScratch || Op.C.Rows)
      return;
    SmallVector<std::string, 4> Others;
    for (const Access *X : Op.apartFromC()) {
      std::string Name = array(*X, letter(*X));
      if (!is_contained(Others, Name))
        Others.push_back(Name);
    }
    if (Others.empty())
      return;
    std::string C = array(Op.C, "C");
    Result.push_back(Others.size() == 1
                         ? C + " does not overlap " + Others.front()
                         : C + " overlaps neither " + join(Others, " nor "));
  }

  /// What else the loops store, and what they load again and again.
  void others() {
    if (!Of.Tests.MustBeApart.empty())
      Result.push_back("what else the loops store overlaps no operand");
    std::set<std::string> Lines;
    bool IsAnywhere = false;
    for (const LoadInst *Load : Of.Tests.InvariantLoads)
      if (std::string Line = lineOf(*Load); !Line.empty())
        Lines.insert(Line);
      else
        IsAnywhere = true;
    if (IsAnywhere || Lines.size() > 1)
      Result.push_back("no store changes what the loops load again and again");
    else if (!Lines.empty())
      Result.push_back("no store changes what is loaded again and again in " +
                       *Lines.begin());
  }

  void wraps() {
    std::set<unsigned> Widths;
    for (const WrapCheck &Check : Of.Tests.WrapChecks)
      Widths.insert(Check.Bits);
    for (unsigned Bits : Widths)
      Result.push_back("indices of " + utostr(Bits) + " bits do not wrap");
  }

  void branches() {
    std::set<std::string> Told;
    for (const Assumption &A : Of.Tests.Assumptions) {
      auto *I = A.Entered ? nullptr : dyn_cast<Instruction>(A.Condition);
      std::string Line = I ? lineOf(*I) : "";
      Told.insert(
          Line.empty()
              ? "branches in the loops go the product's way"
              : "the condition in " + Line +
                    " is the same throughout, and leads to the product");
    }
    Result.insert(Result.end(), Told.begin(), Told.end());
  }

  void comparisons() {
    if (!Of.Tests.MustHold.empty())
      Result.push_back("bounds and strides are those of a product");
  }

  static std::string lineOf(const Instruction &I) {
    const DebugLoc &Loc = I.getDebugLoc();
    return Loc && Loc.getLine() ? "line " + utostr(Loc.getLine()) : "";
  }

  const Nest &Of;
  const Contraction &Op;
  SourceNames Names;
  std::vector<std::string> Result;
};

} // namespace

std::vector<std::string> runTimeTests(const Nest &Of, ScalarEvolution &SE) {
  return Statements(Of, SE).make();
}

} // namespace tilesmith
