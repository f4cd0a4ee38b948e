//===- Nest.cpp - a recognised nest of loops ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Nest.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

SmallVector<const Conditions::Apart *, 2> Nest::apartFromRows() const {
  auto Operands = Op.testedAccesses();
  SmallVector<const Conditions::Apart *, 2> Result;
  for (const Conditions::Apart &Pair : Tests.MustBeApart)
    if (Operands[Pair.Operand]->Rows)
      Result.push_back(&Pair);
  return Result;
}

Nest Nest::mirrored() const {
  Nest Result{Op.mirrored(), Tests, Source};
  if (auto &Sums = Result.Source.ToScratch) {
    std::swap(Sums->Rows, Sums->Columns);
    Sums->Parts = tilesmith::mirrored(Sums->Parts);
  }
  for (std::optional<Dim> *End :
       {&Result.Source.Outermost, &Result.Source.Innermost})
    if (*End)
      *End = tilesmith::mirrored(**End);
  // A and B of a term stand side by side behind C, further operands behind them.
  for (Conditions::Apart &Pair : Result.Tests.MustBeApart)
    if (Pair.Operand && Pair.Operand < Op.accesses().size())
      Pair.Operand = ((Pair.Operand - 1) ^ 1) + 1;
  return Result;
}

void Access::visitSCEVs(SCEVVisitor Visit) const {
  Visit(Base);
  for_each(Stride, Visit);
  for_each(OuterStride, Visit);
  if (Saved)
    Visit(Saved->Last);
  if (Grouped) {
    Visit(Grouped->Length);
    Visit(Grouped->Step);
  }
  for (const Border &B : Borders) {
    Visit(B.Start);
    for_each(B.Stride, Visit);
    for_each(B.OuterStride, Visit);
    Visit(B.Extent);
  }
  if (Rows)
    for (const SCEV *S :
         {Rows->Entry, Rows->Distance, Rows->Offset, Rows->Step})
      Visit(S);
  if (Rows && Rows->Length)
    Visit(Rows->Length->Greatest);
}

void Contraction::visitSCEVs(SCEVVisitor Visit) const {
  for_each(BackedgeCount, Visit);
  for (const Access *X : allAccesses())
    X->visitSCEVs(Visit);
  if (Transposed)
    for (const Access *X : Transposed->accesses())
      X->visitSCEVs(Visit);
  for (const Index &I : Outer)
    Visit(I.BackedgeCount);
  if (Domain)
    Visit(Domain->Offset);
}

static void visit(ArrayRef<Sweep> Sweeps, SCEVVisitor Visit) {
  for (const Sweep &Part : Sweeps) {
    Visit(Part.Step);
    Visit(Part.Last);
  }
}

static void visit(const Requirement &R, SCEVVisitor Visit) {
  Visit(R.X);
  Visit(R.Y);
}

void MemoryRegion::visitSCEVs(SCEVVisitor Visit) const {
  Visit(Base);
  visit(Span, Visit);
}

void Conditions::visitSCEVs(SCEVVisitor Visit) const {
  for (const Apart &Pair : MustBeApart)
    Pair.Region.visitSCEVs(Visit);
  for (const MemoryRegion &Region : RestWritten)
    Region.visitSCEVs(Visit);
  for (const Requirement &R : MustHold)
    visit(R, Visit);
  for (const Assumption &A : Assumptions)
    if (A.Entered)
      visit(*A.Entered, Visit);
  for (const WrapCheck &Check : WrapChecks) {
    Visit(Check.Start);
    visit(Check.Terms, Visit);
    for (const WrapCheck::Place &Place : Check.Places) {
      Visit(Place.Times);
      Visit(Place.Start);
      for_each(Place.Steps, Visit);
    }
  }
}

void Surroundings::visitSCEVs(SCEVVisitor Visit) const {
  if (ToScratch)
    for (const auto *Counters : {&ToScratch->Rows, &ToScratch->Columns})
      for (const Scratch::Counter &C : *Counters)
        Visit(C.Last);
  for (const ValueAfter &R : Results)
    Visit(R.After);
}

void Nest::visitSCEVs(SCEVVisitor Visit) const {
  Op.visitSCEVs(Visit);
  Tests.visitSCEVs(Visit);
  Source.visitSCEVs(Visit);
}

namespace {

/// What `print<tilesmith-idioms>` shows of a nest.
class Printer {
public:
  Printer(const Nest &N, raw_ostream &OS)
      : Op(N.Op), Tests(N.Tests), Source(N.Source), OS(OS) {}

  void print() {
    OS << Op.summary() << '\n';
    OS << "  " << Source.Loops.size() << " loops from depth "
       << Source.Loops.front()->getLoopDepth() << '\n';
    indices();
    operand("C", Op.C);
    for (const Term &T : Op.Terms) {
      operand("A", T.A);
      operand("B", T.B);
    }
    for (const FurtherOperand *Further : Op.further())
      operand("X", Further->X);
    if (const auto &Other = Op.Transposed) {
      operand(Other->AfterSums ? "transposed, of the sums: C" : "transposed: C",
              Other->C);
      if (!Other->AfterSums)
        operand("transposed: B", Other->Of.B);
    }
    expressions();
    conditions();
    overlaps();
  }

private:
  static StringRef nameOf(const Index &I) {
    return I.isBatch() ? StringRef("batch")
                       : StringRef("MNK").substr(I.Bundle, 1);
  }

  void indices() {
    for (Dim D : {M, N, K})
      OS << "  " << "MNK"[D] << ": extent 1 + " << *Op.BackedgeCount[D] << '\n';
    for (const Index &I : Op.Outer)
      OS << "  outer " << nameOf(I) << ": extent 1 + " << *I.BackedgeCount
         << '\n';
    if (const auto &Domain = Op.Domain)
      OS << "  domain: " << "mnk"[Domain->Y]
         << (Domain->Below ? " <= " : " >= ") << "mnk"[Domain->X] << " + "
         << *Domain->Offset
         << (Domain->StoresEmpty ? ", stored where empty\n" : "\n");
  }

  void operand(StringRef Name, const Access &X) {
    OS << "  " << Name << ": ";
    if (const auto &Rows = X.Rows) {
      OS << "rows from " << *Rows->Entry << ", by " << *Rows->Distance
         << " with " << "MNK"[Rows->PointerDim] << "; in each from "
         << *Rows->Offset << ", by " << *Rows->Step << " with "
         << "MNK"[Rows->ElementDim];
      if (const auto &Length = Rows->Length)
        OS << "; longer than " << *Length->Greatest << ", by what is "
           << Length->Offset << " bytes on";
      OS << '\n';
      return;
    }
    if (X.Saved)
      OS << "of C before the nest, from row " << X.Saved->Shift << ", of rows "
         << X.Saved->First << " to " << *X.Saved->Last
         << (X.isPackedFirst() ? ", packed first" : "");
    else if (X.IsMade)
      OS << "made";
    else
      OS << "base " << *X.Base;
    for (Dim D : {M, N, K})
      if (!X.Stride[D]->isZero())
        OS << ", stride " << "MNK"[D] << ' ' << *X.Stride[D];
    if (X.Grouped)
      OS << ", groups of " << *X.Grouped->Length << " along "
         << "MNK"[X.Grouped->Of] << ' ' << *X.Grouped->Step;
    for (auto [I, Stride] : zip_equal(Op.Outer, X.OuterStride))
      if (!Stride->isZero())
        OS << ", outer " << nameOf(I) << ' ' << *Stride;
    if (X.Zeros)
      OS << (X.Zeros->SkippedAreIdle ? ", not all zero in a row or column"
                                     : ", not zero");
    if (X.Moderate != Magnitudes::Any)
      OS << (X.Moderate == Magnitudes::OfPairs ? ", moderate pairs"
                                               : ", moderate");
    if (X.IsSymmetric)
      OS << ", symmetric";
    if (const auto &Parts = X.Parts) {
      auto [First, Second] = Parts->IsNegated;
      OS << ", parts of complex numbers along " << "MN"[Parts->Along]
         << (Parts->AreExchanged ? ", exchanged" : "")
         << (First ? ", first negated" : "")
         << (Second ? ", second negated" : "");
    }
    OS << '\n';
    for (const Border &B : X.Borders)
      border(B, X.BeyondBorders);
  }

  void border(const Border &B, Beyond What) {
    OS << "    where " << *B.Start;
    for (Dim D : {M, N, K})
      if (!B.Stride[D]->isZero())
        OS << " + " << "mnk"[D] << " * " << *B.Stride[D];
    for (auto [I, Stride] : zip_equal(Op.Outer, B.OuterStride))
      if (!Stride->isZero())
        OS << " + outer " << nameOf(I) << " * " << *Stride;
    OS << " is in [0, " << *B.Extent
       << (What == Beyond::ZeroElement   ? "), else zero\n"
           : What == Beyond::ZeroLoaded  ? "), else zero is loaded\n"
           : What == Beyond::ZeroProduct ? "), else the product is zero\n"
                                         : ")\n");
  }

  void expressions() {
    OS << "  start: ";
    Op.Start.print(OS);
    if (!Op.StartOperands.empty())
      OS << ", with further operands";
    if (!Source.Initials.empty())
      OS << ", set by the loops before";
    if (Source.ToScratch)
      OS << "\n  sums are kept apart";
    OS << "\n  update: ";
    Op.Update.print(OS);
    for (const Term &T : Op.Terms) {
      OS << (&T == Op.Terms.begin() ? " with a := " : "; a := ");
      T.AMap.print(OS);
      OS << ", b := ";
      T.BMap.print(OS);
      if (!T.Pairing)
        continue;
      OS << ", for a*b ";
      T.Pairing->print(OS);
    }
    if (Op.Segments) {
      OS << "\n  update of a segment's part, which a*b stands for: ";
      Op.Segments->Update.print(OS);
    }
    if (Op.Rest)
      OS << "\n  other products are rounded at the end of each line along "
         << (Op.Rest->Along == M ? 'm' : 'n') << ", in what is left over of "
         << Op.Rest->Step;
    for (const Making *Of : Op.makings())
      if (Of) {
        OS << "\n  made: ";
        Of->Value.print(OS);
        if (Of->Second) {
          OS << "; ";
          Of->Second->print(OS);
        }
      }
    OS << "\n  finish: ";
    Op.Finish.print(OS);
    OS << '\n';
    if (!Op.After)
      return;
    OS << "  epilogue: ";
    for (const Expression *E :
         {&Op.After->Value, Op.After->Second ? &*Op.After->Second : nullptr})
      if (E) {
        OS << (E == &Op.After->Value ? "" : "; ");
        E->print(OS);
      }
    OS << '\n';
  }

  void conditions() {
    for (const WrapCheck &Check : Tests.WrapChecks) {
      OS << "  guard: " << Check.Bits << "-bit "
         << (Check.Signed ? "signed" : "unsigned") << " index from "
         << *Check.Start << " does not wrap";
      if (Check.Factor > 1)
        OS << ", and steps by multiples of " << Check.Factor;
      for (const WrapCheck::Place &Place : Check.Places)
        OS << ", where " << *Place.Start << " on, times " << *Place.Times
           << ", is not negative";
      OS << '\n';
    }
    for (const Assumption &A : Tests.Assumptions) {
      if (A.Entered)
        continue;
      OS << "  guard: ";
      A.Condition->printAsOperand(OS, /*PrintType=*/false);
      OS << " is " << (A.Value ? "true" : "false") << '\n';
    }
    for (const Requirement &R : Tests.MustHold)
      OS << "  guard: " << *R.X << ' ' << CmpInst::getPredicateName(R.Predicate)
         << ' ' << *R.Y << '\n';
  }

  /// What the rest does, and what must not overlap.
  void overlaps() {
    bool IsBefore = Source.Rest == Surroundings::RestRuns::Before;
    for (Instruction *Write : Source.RestWrites)
      OS << "  " << (IsBefore ? "before" : "after") << ':' << *Write << '\n';
    for (Instruction *Result : Source.RestResults)
      OS << "  after, for what follows:" << *Result << '\n';
    for (const Conditions::Apart &Pair : Tests.MustBeApart)
      OS << "  guard: memory from " << *Pair.Region.Base
         << " does not overlap operand " << Pair.Operand << '\n';
    for (LoadInst *Load : Tests.InvariantLoads) {
      OS << "  guard: C does not overlap what is loaded by ";
      Load->printAsOperand(OS, /*PrintType=*/false);
      OS << '\n';
    }
    if (Op.hasRowTables())
      OS << "  guard: rows of C overlap neither each other nor a table\n";
    for (const Term &T : Op.Terms) {
      if (T.CMayAliasA)
        OS << "  guard: C does not overlap A\n";
      if (T.CMayAliasB)
        OS << "  guard: C does not overlap B\n";
    }
    for (const FurtherOperand *Further : Op.further())
      if (Further->CMayAlias)
        OS << "  guard: C does not overlap X\n";
  }

  const Contraction &Op;
  const Conditions &Tests;
  const Surroundings &Source;
  raw_ostream &OS;
};

} // namespace

void Nest::print(raw_ostream &OS) const { Printer(*this, OS).print(); }

} // namespace tilesmith
