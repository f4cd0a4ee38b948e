//===- Explain.cpp - why a plan is as it is -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tile: 24 sums, 3 of A and 1 more take 28 of 32 registers; ...
//   kc: a sliver of B takes 16 KiB, 50 % of L1 (aim: 50 %, ...)
//   A: packed if N > 64, as a copy then costs less than the uses; ...
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "tilesmith/Planning/Covering.h"
#include "tilesmith/Planning/Plan.h"
#include "tilesmith/Target/CPULevel.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

std::string Plan::instructions() const {
  std::string Name = Engine->Name.str();
  if (!Engine->HasSumsInVectors)
    return Name;
  return Name.empty() ? VectorName : VectorName + " " + Name;
}

std::string Plan::summary() const {
  if (Library)
    return Library->summary();
  std::string Others;
  for (const Plan &P : Dispatched)
    Others +=
        (Others.empty() ? ", dispatched: " : ", ") + P.instructions() +
        (P.Level && (P.Level->VScale || P.instructions() == instructions())
             ? " (" + P.Level->Name.str() + ")"
             : "");
  return (Twine(isSmall()      ? "in place, "
                : hasLanes()   ? "a batch in lanes, "
                : isGathered() ? "gathered, "
                : isStreamed() ? "streamed, "
                : isFilter()   ? "a filter, "
                : isUnpacked() ? "unpacked, "
                               : "packed, ") +
          Twine(MR) + "x" + Twine(NR) +
          (isStreamed() || isFilter() ? " at a time, " : " micro kernel, ") +
          instructions() + (isTuned() ? ", tuned" : "") + Others)
      .str();
}

void Plan::print(raw_ostream &OS) const {
  OS << summary();
  if (Library)
    OS << ", from M*N*K = " << MinWork;
  if (Mirrored)
    OS << ", mirrored";
  if (NoLibrary)
    OS << "\n  no library: " << name(NoLibrary->Why) << ": "
       << describe(NoLibrary->Why);
  if (!Library)
    OS << "\n  plan: " << str();
  if (!NestKey.empty())
    OS << "\n  tuning: ";
  if (!EntryKey.empty())
    OS << (NotTuned ? "not " : "") << "as for '" << EntryKey << "'";
  else if (!NestKey.empty())
    OS << "no entry for '" << NestKey << "'";
  if (NotTuned)
    OS << ": " << name(NotTuned->Why) << ": " << describe(NotTuned->Why);
  OS << '\n';
}

namespace {

class Explanation {
public:
  Explanation(const PlannedNest &Planned, const TargetModel &Target,
              const Options &Opts, raw_ostream &OS)
      : P(Planned.ThePlan), Op(Planned.View.Op), Target(Target), Opts(Opts),
        OS(OS), Size(DL().getTypeStoreSize(Op.SumTy)) {}

  void print() {
    if (P.isStreamed())
      return stream();
    if (P.isFilter())
      return filter();
    tile();
    if (P.isSmall()) {
      covering("rows", M, P.MR, P.VL);
      covering("columns", N, P.NR, 1);
      for (const Term &T : Op.Terms)
        line("A", false) << (P.keepsA(Op)
                                 ? "all columns are kept in registers\n"
                             : T.A.isUnit(M, DL()) ? "read in place\n"
                             : P.isTransposedInRegisters(Op, T)
                                 ? "transposed in registers\n"
                                 : "packed, one panel at a time on the stack, "
                                   "as it is not adjacent along the tile's "
                                   "rows\n");
      return breakEven();
    }
    if (P.hasLanes())
      return lanes();
    groups();
    bundles();
    gathering();
    edges();
    blocks();
    for (auto [I, T] : enumerate(Op.Terms)) {
      std::string Number = Op.Terms.size() > 1 ? std::to_string(I) : "";
      bool IsAdjacent = T.A.isUnit(M, DL());
      packing("A" + Number, *P.PackA, N,
              mustBePacked(T.A, T.AIsC, T.AMap, IsAdjacent),
              P.Requested.PackA || Opts.ReadA);
      packing("B" + Number, *P.PackB, M,
              mustBePacked(T.B, T.BIsC, T.BMap, /*IsAdjacent=*/true),
              P.Requested.PackB || Opts.ReadB);
    }
    breakEven();
  }

private:
  const DataLayout &DL() const { return Op.getDataLayout(); }

  raw_ostream &line(const Twine &Name, bool IsGiven) {
    return OS << "  " << Name << (IsGiven ? " (given): " : ": ");
  }

  void tile() {
    unsigned RowsOfRegister = P.hasLanes() ? 1 : P.VL;
    RegisterBudget Registers{RowsOfRegister, Target.VectorRegisters, P.Needs};
    unsigned LoadsOfA = P.MR / RowsOfRegister;
    if (P.isSmall() && P.keepsA(Op)) {
      Registers.Needs.ColumnsOfA *= *Op.constantExtent(K);
      LoadsOfA = 0;
    }
    raw_ostream &Line = line("tile", P.Requested.MR || Opts.MR || Opts.NR);
    P.Engine->explain({P.MR, P.NR}, Registers, LoadsOfA, Line);
    Line << '\n';
  }

  void stream() {
    if (Op.Segments) {
      line("tile", P.Requested.MR)
          << P.MR << " rows, " << P.NR
          << " steps of each at a time; their parts are joined after each "
             "segment\n";
      return breakEven();
    }
    line("tile", P.Requested.MR)
        << P.MR / P.VL << " vectors of sums, " << P.NR << " steps at a time\n";
    for (auto [I, T] : enumerate(Op.Terms))
      line("A" + (Op.Terms.size() > 1 ? std::to_string(I) : ""),
           /*IsGiven=*/false)
          << (T.A.Rows ? "found through a table, " : "")
          << (T.A.isUnit(M, DL()) ? "loaded along its columns\n"
              : T.A.isAdjacent(K, DL())
                  ? "loaded along its rows, and transposed "
                    "in registers\n"
                  : "loaded element by element\n");
    breakEven();
  }

  void filter() {
    line("tile", P.Requested.MR)
        << P.MR / P.VL << " vectors of sums in " << P.NR
        << (P.NR > 1 ? " rows" : " row") << '\n';
    raw_ostream &Lanes = line("lanes", /*IsGiven=*/false);
    if (P.LaneIndex)
      Lanes << "along outer dimension " << *P.LaneIndex + 1 << " of "
            << Op.Outer.size() << ", with taps of their own\n";
    else
      Lanes << (P.JoinsRows ? "along M, and on in the next row\n"
                            : "along M\n");
    breakEven();
  }

  void lanes() {
    line("lanes", /*IsGiven=*/false)
        << P.VL << " values of outer dimension " << *P.LaneIndex + 1 << " of "
        << Op.Outer.size() << ", along which all operands are adjacent\n";
    if (P.Fallback)
      line("otherwise", /*IsGiven=*/false)
          << P.Fallback->summary() << ": if there are fewer\n";
    uint64_t OfStep = P.VL * Size * Op.Terms.size();
    line("blocks", P.Requested.MC || P.Requested.NC || P.Requested.KC)
        << "a block of A takes "
        << share(OfStep * P.KC * P.MC, Target.Caches.L2)
        << " of L2 for each vector\n";
    breakEven();
  }

  /// The tiles along \p D.
  void covering(StringRef Name, Dim D, unsigned Max, unsigned Granule) {
    uint64_t Extent = *Op.constantExtent(D);
    Covering Tiles = balancedSplit(Extent, Max, Granule);
    raw_ostream &Line = line(Name, false);
    Line << Extent << " as " << Tiles.NumLarge << " * " << Tiles.Large;
    if (Tiles.NumSmall)
      Line << " + " << Tiles.NumSmall << " * " << Tiles.Small;
    if (uint64_t Beyond = Tiles.covered() - Extent)
      Line << ", of which the last " << Beyond << " are not";
    OS << '\n';
  }

  void groups() {
    if (!P.Narrow)
      return;
    const NarrowProduct &Packed = P.Narrow->Packed;
    raw_ostream &Line = line("group", P.Requested.Group)
                        << P.depthMultiple() << " steps, as " << P.Engine->Name
                        << " adds so many products of ";
    Packed.A.Ty->print(Line);
    if (Packed.A.Ty->isIntegerTy())
      Line << " (A " << (Packed.A.IsSigned ? "" : "un") << "signed, B "
           << (Packed.B.IsSigned ? "" : "un") << "signed)";
    Line << " at once"
         << (P.Narrow->FlipsA
                 ? "; the sign bit of A's elements is flipped for that, and "
                   "sums are corrected\n"
                 : "\n");
    if (P.Fallback && P.Engine->needsPermission())
      line("otherwise", false)
          << P.Fallback->summary() << ": if the system does not permit "
          << P.Engine->Name << ", or M or N < " << P.Engine->PanelEdge
          << ", or K < " << P.depthMultiple()
          << ", or squares are few or ragged\n";
  }

  void bundles() {
    for (Dim D : {M, N, K})
      if (std::optional<unsigned> I = P.Bundled[D])
        line(Twine("bundle of ") + Twine("MNK"[D]), /*IsGiven=*/false)
            << "several values of outer dimension " << *I + 1 << " of "
            << Op.Outer.size() << " are in a block" << whyBundled(D, *I)
            << '\n';
  }

  void gathering() {
    if (!P.Gathered)
      return;
    line("gathered", /*IsGiven=*/false)
        << (!P.Gathered->OfB   ? "A is packed as one matrix"
            : !P.Gathered->OfA ? "B is packed as one matrix"
                               : "A and B are packed as one matrix each")
        << ", along all indices\n";
    if (!P.Fallback)
      return;
    raw_ostream &Line = line("otherwise", /*IsGiven=*/false)
                        << P.Fallback->summary()
                        << ": if what should be one matrix is none at run time";
    if (!P.Fallback->Gathered)
      Line << ", or K >= " << P.manySteps();
    if (P.mayHaveRaggedGroups(Op))
      Line << ", or K is no multiple of " << P.groupSteps();
    Line << '\n';
  }

  /// Why outer index \p Bundled is the one that is bundled with \p D.
  StringRef whyBundled(Dim D, unsigned Bundled) const {
    const Term &T = Op.Terms.front();
    if (D != K && (D == M ? T.A : T.B).isUnitInOuter(Bundled, DL()))
      return D == M ? ", as A is adjacent along it"
                    : ", as B is adjacent along it";
    const auto &StrideOfC = Op.C.OuterStride;
    for (unsigned I = 0; I < Op.Outer.size(); ++I)
      if (D != K && Op.Outer[I].Bundle == D &&
          isKnownShorter(StrideOfC[Bundled], StrideOfC[I]))
        return ", as its elements are nearest in C";
    return ", as it is the innermost";
  }

  void edges() {
    bool IsGiven = P.Requested.Edge != EdgeKind::Undecided;
    if (P.SecondMR)
      line("second tile", P.Requested.SecondMR)
          << P.SecondMR << " rows, where " << P.MR
          << " would leave a last panel of one vector\n";
    line("edge", IsGiven)
        << (P.Edge == EdgeKind::Mask
                ? "nothing is padded: vectors overlap or are masked"
            : IsGiven       ? "panels are padded"
            : P.inSquares() ? "panels are padded to whole squares"
            : !Target.MaskedBits
                ? "panels are padded, as the target has no masks"
                : "panels are padded, as elements are too small "
                  "for masks, or a diagonal bounds the steps")
        << '\n';
    if (P.TurnsTiles)
      line("turned tiles", /*IsGiven=*/false)
          << "if N is small, tiles are transposed in registers, as that spares "
             "packing A\n";
    if (!P.Thin.empty())
      thinKernels();
    if (P.hasDirectPath(Op))
      line("direct path", false)
          << "without blocks, if there is one only, and operands are read in "
             "place or small\n";
  }

  void thinKernels() {
    for (bool OfN : {true, false}) {
      auto Suits = [&](const auto &Thin) {
        return (Thin->Mirrored == P.Mirrored) == OfN;
      };
      auto Own = make_filter_range(P.Thin, Suits);
      if (Own.empty())
        continue;
      raw_ostream &Line = line("thin kernels", /*IsGiven=*/false);
      Line << "for " << (OfN ? "N" : "M") << " <= ";
      interleave(
          Own, Line,
          [&](const auto &Thin) {
            Line << Thin->Width << " if K >= " << Thin->MinExtent[K];
          },
          ", ");
      Line << ", and " << (OfN ? "M" : "N")
           << " >= " << (*Own.begin())->MinExtent[M]
           << ": rows of the other factor are transposed in registers\n";
    }
  }

  void blocks() {
    uint64_t Depth = P.KC / P.groupSteps() * Size,
             AllTerms = Depth * Op.Terms.size();
    const bool HasWindows = P.Gathered && P.Gathered->OfB;
    line("kc", P.Requested.KC || Opts.KC)
        << "a sliver of B takes " << share(Depth * P.NR, Target.Caches.L1)
        << " of L1 (aim: 50 %, but at most " << (HasWindows ? 3 : 2)
        << " KiB of a column)\n";
    line("mc", P.Requested.MC || Opts.MC)
        << "a block of A takes " << share(AllTerms * P.MC, Target.Caches.L2)
        << " of L2 (aim: " << (HasWindows ? 50 : 33)
        << " %, but at most 2048 rows)\n";
    line("nc", P.Requested.NC || Opts.NC)
        << "a panel of B takes " << share(AllTerms * P.NC, Target.Caches.L3)
        << " of L3 (aim: "
        << (keepsSumsOfRows(Op) ? "512 columns, as sums of all rows are kept"
                                : "50 %, but 2048 to 8192 columns")
        << ")\n";
  }

  static std::string share(uint64_t Bytes, uint64_t Cache) {
    return (Twine(Bytes >> 10) + " KiB, " + Twine(100 * Bytes / Cache) + " %")
        .str();
  }

  /// Why an operand cannot be read in place, or "".
  StringRef mustBePacked(const Access &X, bool IsC, const Expression &Map,
                         bool IsAdjacent) const {
    if (IsC || X.isPackedFirst())
      return "as it is C";
    if (X.IsSymmetric)
      return "as one half of it is stored";
    if (&X == &Op.Terms.front().B && P.keepsGroups(X))
      return "";
    if (!Op.keepsElements(X, Map))
      return "as its elements are computed";
    return IsAdjacent ? "" : "as it is not adjacent along the tile's rows";
  }

  void packing(const Twine &Name, const PackingRule &Rule, Dim Across,
               StringRef MustBe, bool IsGiven) {
    StringRef Extent = Across == M ? "M" : "N";
    std::optional<uint64_t> Known = Op.constantExtent(Across);
    raw_ostream &Line = line(Name, IsGiven && MustBe.empty());
    if (!MustBe.empty())
      Line << "packed, " << MustBe;
    else if (Rule.isAlways() || Rule.isNever())
      Line << (Rule.isAlways() ? "packed" : "read in place");
    else if (Known && *Known > Rule.ExtentAbove)
      Line << "packed, as " << Extent << " is more than " << Rule.ExtentAbove;
    else if (Known && Rule.SpanAbove == PackingRule::Unlimited)
      Line << "read in place, as " << Extent << " is at most "
           << Rule.ExtentAbove;
    else
      condition(Line, Rule, Known ? "" : Extent);
    OS << '\n';
  }

  /// \p Extent is "" if it is not above the limit.
  static void condition(raw_ostream &Line, const PackingRule &Rule,
                        StringRef Extent) {
    bool HasExtent =
        !Extent.empty() && Rule.ExtentAbove != PackingRule::Unlimited;
    Line << "packed if ";
    if (HasExtent)
      Line << Extent << " > " << Rule.ExtentAbove
           << ", as a copy then costs less than the uses";
    if (Rule.SpanAbove != PackingRule::Unlimited)
      Line << (HasExtent ? "; or if " : "")
           << "more than a few tiles need it and a block's steps are spread "
              "over "
              "more than "
           << Rule.SpanAbove << " bytes, as caches and the TLB have an end";
  }

  void breakEven() {
    bool IsGiven = P.Requested.MinWork || Opts.MinWork;
    raw_ostream &Line = line("break-even", IsGiven);
    Line << "M*N*K >= " << P.MinWork;
    if (P.MinElements > 1)
      Line << ", M*N >= " << P.MinElements;
    for (Dim D : {M, N, K})
      if (P.MinExtent[D] > 1)
        Line << ", " << "MNK"[D] << " >= " << P.MinExtent[D];
    if (P.MinLanes > 1)
      Line << ", at least " << P.MinLanes << " in a register";
    if (P.MinApart > 1)
      Line << ", M >= " << P.MinApart << " if windows are apart";
    if (P.Adjacent.Sixteenths)
      Line << ", and rows that fill their registers";
    OS << (IsGiven ? "\n" : "; below, clang's loops are as fast\n");
  }

  const Plan &P;
  const Contraction &Op;
  const TargetModel &Target;
  const Options &Opts;
  raw_ostream &OS;
  const uint64_t Size; ///< of an element
};

} // namespace

void explain(const PlannedNest &Planned, const TargetModel &Target,
             const Options &Opts, raw_ostream &OS) {
  if (Planned.ThePlan.Library)
    return;
  const TargetModel Own = Target.forSums(Planned.View.Op);
  Explanation(Planned, Own, Opts, OS).print();
}

} // namespace tilesmith
