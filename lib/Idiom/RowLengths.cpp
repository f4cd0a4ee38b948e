//===- RowLengths.cpp - rows that are as long as a table says -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table may say of each row how long it is: Rust's Vec<Vec<f64>>, or vectors
// of vectors with at():
//
//   struct { double *Row; size_t Length; } A[…]
//   if (k >= A[i].Length) panic();
//   … A[i].Row[k] …
//
// These checks are made where the pointers are read, row by row, with the
// greatest subscript. The tables must then be read as the nest reads them, so
// that no pointer is read that a failing check would have kept it from.
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// What the length of a row is computed from.
struct LengthLoads {
  const LoadInst *Length;          ///< or the pointer to the end
  const LoadInst *Begin = nullptr; ///< of the row
  std::optional<unsigned> Shift;   ///< see RowLength
};

std::optional<LengthLoads> loadsOf(const Value &V) {
  auto IsSimple = [](const Value *From) {
    auto *Load = dyn_cast<LoadInst>(From);
    return Load && Load->isSimple() ? Load : nullptr;
  };
  if (const LoadInst *Length = IsSimple(&V))
    return LengthLoads{Length, nullptr, std::nullopt};
  const Value *Bytes = &V, *Begin, *End;
  uint64_t Shift = 0;
  if (!match(&V, m_Exact(m_AShr(m_Value(Bytes), m_ConstantInt(Shift)))))
    Bytes = &V;
  if (!match(Bytes,
             m_Sub(m_PtrToInt(m_Value(End)), m_PtrToInt(m_Value(Begin)))))
    return std::nullopt;
  LengthLoads Result{IsSimple(End), IsSimple(Begin),
                     static_cast<unsigned>(Shift)};
  return Result.Length && Result.Begin ? std::optional(Result) : std::nullopt;
}

/// How far \p Load reads from the pointers of \p Table, in the record of each.
std::optional<int64_t> offsetIn(const RowTable &Table, const LoadInst &Load,
                                const Roles &By, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *Address = In.addressOf(Load);
  std::optional<AffineForm> Form;
  if (Address)
    Form = affineForm(Address, In, In.Chain);
  if (!Form || Form->Row || !Form->MustNotWrap.empty())
    return std::nullopt;
  for (auto [Loop, Step] : enumerate(Form->Step))
    if (Step !=
        (Loop == By.Axes[Table.PointerDim].back() ? Table.Distance : nullptr))
      return std::nullopt;
  auto *Offset =
      dyn_cast<SCEVConstant>(SE.getMinusSCEV(Form->Base, Table.Entry));
  auto *Record = dyn_cast<SCEVConstant>(Table.Distance);
  if (!Offset || !Record ||
      Offset->getAPInt().abs().uge(Record->getAPInt().abs().getZExtValue()))
    return std::nullopt;
  return Offset->getAPInt().getSExtValue();
}

} // namespace

/// Whether \p V may be the length of a row.
bool Recognizer::isRowLength(const Value &V) const {
  std::optional<LengthLoads> Loads = loadsOf(V);
  return Loads && In.root().contains(Loads->Length) &&
         !In.isInvariant(const_cast<LoadInst *>(Loads->Length));
}

/// Notes that \p Length must be greater than \p Greatest, in each row of its
/// table; false if it is not the length of rows.
bool Recognizer::addRowLength(Value &Length, const SCEV *Greatest) {
  std::optional<LengthLoads> Loads = loadsOf(Length);
  if (!Loads)
    return false;
  bool IsKnown = false;
  auto AddTo = [&](Access &X) {
    if (!X.Rows || By.Axes[X.Rows->PointerDim].size() != 1)
      return true;
    std::optional<int64_t> Offset = offsetIn(*X.Rows, *Loads->Length, By, In);
    if (!Offset)
      return true;
    if (Loads->Begin && offsetIn(*X.Rows, *Loads->Begin, By, In) != 0)
      return false;
    IsKnown = true;
    std::optional<RowLength> &Known = X.Rows->Length;
    if (Known && (Known->Offset != *Offset || Known->Shift != Loads->Shift))
      return false;
    if (Known)
      Greatest = In.Analyses->SE.getUMaxExpr(Greatest, Known->Greatest);
    Known = {*Offset, Loads->Shift, Greatest};
    FirstReads.insert({X.Rows->Load, Loads->Length});
    return true;
  };
  bool AllKnown = AddTo(Result.Op.C);
  for (Term &T : Result.Op.Terms)
    AllKnown = AllKnown && AddTo(T.A) && AddTo(T.B);
  return AllKnown && IsKnown;
}

/// Finds out in which order the nest reads the pointers of tables; false if that
/// cannot be said by rows.
bool Recognizer::orderTables() {
  if (!By.Space.isPlain() || Result.Op.Domain || !By.Outer.empty())
    return false;
  SmallVector<std::pair<const Instruction *, RowTable *>, 3> Tables;
  auto Add = [&](Access &X) {
    if (!X.Rows)
      return;
    const Instruction *First = FirstReads.lookup(X.Rows->Load);
    Tables.push_back({First ? First : X.Rows->Load, &*X.Rows});
  };
  for (Term &T : Result.Op.Terms) {
    Add(T.A);
    Add(T.B);
  }
  Add(Result.Op.C);
  // The lines of a table are read one after the other there.
  if (Result.Op.isMatrixVector() && Tables.size() > 1)
    return false;
  stable_sort(Tables, [&](const auto &X, const auto &Y) {
    return X.first != Y.first && In.precedes(*X.first, *Y.first);
  });
  for (auto [Number, Found] : enumerate(Tables)) {
    auto [First, Table] = Found;
    if (By.Axes[Table->PointerDim].size() != 1)
      return false;
    unsigned Loop = By.Axes[Table->PointerDim].front();
    unsigned LastAfter = Loop;
    for (unsigned Inner = Loop + 1; Inner < In.Chain.size(); ++Inner)
      if (In.Chain[Inner]->contains(First) ||
          In.precedes(*First, *In.Chain[Inner]->getHeader()->getTerminator()))
        LastAfter = Inner;
    Table->Turn = {Loop, LastAfter, static_cast<unsigned>(Number)};
  }
  return true;
}

} // namespace tilesmith
