//===- Arguments.cpp - what a kernel's functions are called with ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "KernelBuilder.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace tilesmith {

SmallVector<Type *, 24> ParameterList::types() const {
  return map_to_vector<24>(Parameters, [](const Parameter &P) { return P.Ty; });
}

void ParameterList::bind(Function &F) const {
  for (auto [P, Arg] : zip_equal(Parameters, make_pointer_range(F.args()))) {
    Arg->setName(P.Name);
    *P.Argument = Arg;
  }
}

SmallVector<Value *, 24> ParameterList::values() const {
  return map_to_vector<24>(Parameters, [](const Parameter &P) {
    assert(*P.Argument && "an argument is missing");
    return *P.Argument;
  });
}

namespace {

const RowTable *tableOf(const Access &X) { return X.Rows ? &*X.Rows : nullptr; }

/// The parameters of one kernel, in their order.
class ParameterBuilder {
public:
  ParameterBuilder(KernelArguments &Arguments, const Nest &View,
                   KernelInterface Interface)
      : Arguments(Arguments), View(View), Op(View.Op), Interface(Interface),
        Ptr(PointerType::getUnqual(Op.SumTy->getContext())),
        I64(Type::getInt64Ty(Op.SumTy->getContext())) {}

  ParameterList build();

private:
  void add(KernelArguments::Operand &X, const RowTable *Table,
           const Twine &Name, const Twine &First, const Twine &Second);
  void addOperands();
  void addExtents();
  void addBorders();
  void addTransposed();
  void addMemory();

  KernelArguments &Arguments;
  const Nest &View;
  const Contraction &Op;
  KernelInterface Interface;
  Type *Ptr, *I64;
  ParameterList List;
};

void ParameterBuilder::add(KernelArguments::Operand &X, const RowTable *Table,
                           const Twine &Name, const Twine &First,
                           const Twine &Second) {
  if (Table && Interface == KernelInterface::RowTables) {
    List.add(X.Entry, Ptr, Name + ".table");
    List.add(X.Distance, I64, Name + ".distance");
    List.add(X.Offset, I64, Name + ".offset");
    List.add(X.Step, I64, Name + ".step");
    if (Table->Length)
      List.add(X.Greatest, I64, Name + ".greatest");
    return;
  }
  List.add(X.Base, Ptr, Name);
  List.add(X.First, I64, First);
  List.add(X.Second, I64, Second);
}

void ParameterBuilder::addOperands() {
  Arguments.Operands.resize(2 * Op.Terms.size() + 1);
  auto *Next = Arguments.Operands.begin();
  bool IsMaking = Interface == KernelInterface::Making;
  for (auto [I, T] : enumerate(Op.Terms)) {
    KernelArguments::Operand &A = *Next++, &B = *Next++;
    if (!IsMaking || !T.MadeA)
      add(A, tableOf(T.A), "A" + Twine(I), "sAm" + Twine(I), "sAk" + Twine(I));
    if (!IsMaking || !T.MadeB)
      add(B, tableOf(T.B), "B" + Twine(I), "sBn" + Twine(I), "sBk" + Twine(I));
  }
  if (IsMaking) {
    const auto All = Op.further();
    ArrayRef<const FurtherOperand *> MadeOf =
        ArrayRef(All).drop_front(Op.alongC().size());
    Arguments.Made.resize(MadeOf.size());
    for (auto [I, X] : enumerate(Arguments.Made)) {
      add(X, /*Table=*/nullptr, "F" + Twine(I), "sF" + Twine(I) + ".line",
          "sF" + Twine(I) + ".k");
      if (!MadeOf[I]->X.Grouped)
        continue;
      List.add(X.Length, I64, "F" + Twine(I) + ".length");
      List.add(X.OfGroup, I64, "sF" + Twine(I) + ".group");
    }
  }
  add(*Next, tableOf(Op.C), "C", "sCm", "sCn");
  Arguments.Further.resize(Op.alongC().size());
  for (auto [I, X] : enumerate(Arguments.Further))
    add(X, /*Table=*/nullptr, "X" + Twine(I), "sXm" + Twine(I),
        "sXn" + Twine(I));
}

void ParameterBuilder::addExtents() {
  List.add(Arguments.M, I64, "M");
  List.add(Arguments.N, I64, "N");
  List.add(Arguments.K, I64, "K");
  Arguments.Outer.resize(Op.Outer.size());
  for (auto [I, Outer] : enumerate(Arguments.Outer)) {
    List.add(Outer.Extent, I64, "outer" + Twine(I));
    Outer.Strides.resize(Op.allAccesses().size());
    for (auto [Operand, Stride] : enumerate(Outer.Strides))
      List.add(Stride, I64, "outer" + Twine(I) + "." + Twine(Operand));
  }
}

void ParameterBuilder::addBorders() {
  if (const Access *Image = Op.borderedFactor())
    Arguments.Borders.resize(Image->Borders.size());
  for (auto [I, Border] : enumerate(Arguments.Borders)) {
    std::string Name = "border" + std::to_string(I);
    List.add(Border.Start, I64, Name);
    List.add(Border.Extent, I64, Name + ".extent");
    List.add(Border.OfLine, I64, Name + ".line");
    List.add(Border.OfStep, I64, Name + ".step");
    Border.Outer.resize(Op.Outer.size());
    for (auto [Outer, Stride] : enumerate(Border.Outer))
      List.add(Stride, I64, Name + ".outer" + Twine(Outer));
  }
}

void ParameterBuilder::addTransposed() {
  if (!Op.Transposed)
    return;
  List.add(Arguments.Transposed.C, Ptr, "transposed.C");
  bool HasVector = !Op.Transposed->AfterSums;
  if (HasVector) {
    List.add(Arguments.Transposed.B, Ptr, "transposed.B");
    List.add(Arguments.Transposed.StrideB, I64, "transposed.sB");
  }
  List.add(Arguments.Transposed.Steps, I64, "transposed.steps");
  if (HasVector)
    List.add(Arguments.Transposed.Corner, I64, "transposed.corner");
}

/// What rows are compared with.
void ParameterBuilder::addMemory() {
  if (Op.C.Rows)
    Arguments.Invariants.resize(View.Tests.InvariantLoads.size());
  for (Value *&Address : Arguments.Invariants)
    List.add(Address, Ptr, "invariant");
  Arguments.Apart.resize(View.apartFromRows().size());
  for (auto &[Begin, End] : Arguments.Apart) {
    List.add(Begin, I64, "apart");
    List.add(End, I64, "apart.end");
  }
}

ParameterList ParameterBuilder::build() {
  addOperands();
  addExtents();
  addBorders();
  if (Op.Domain)
    List.add(Arguments.Diagonal, I64, "diagonal");
  addTransposed();
  if (Interface == KernelInterface::RowTables)
    addMemory();
  if (!invariantsOf(Op).empty())
    List.add(Arguments.Scalars, Ptr, "scalars");
  if (Interface == KernelInterface::Macro)
    List.add(Arguments.MicroKernels, Ptr, "micro.kernels");
  return std::move(List);
}

} // namespace

ParameterList parametersOfKernel(KernelArguments &Arguments, const Nest &View,
                                 KernelInterface Interface) {
  return ParameterBuilder(Arguments, View, Interface).build();
}

CallInst *callKernel(IRBuilderBase &B, const BuiltKernel &Kernel,
                     KernelArguments Arguments, const Nest &View) {
  Arguments.MicroKernels = Kernel.MicroKernels;
  return B.CreateCall(
      Kernel.F, parametersOfKernel(Arguments, View, Kernel.Interface).values());
}

ParameterList MacroKernel::parametersOf(PackArguments &Arguments,
                                        const Operand &X) const {
  ParameterList List;
  List.add(Arguments.Dst, Ptr, "dst");
  List.add(Arguments.Src, Ptr, "src");
  List.add(Arguments.StrideP, I64, "sP");
  List.add(Arguments.StrideK, I64, "sK");
  List.add(Arguments.Count, I64, "count");
  List.add(Arguments.Steps, I64, "K");
  List.add(Arguments.IsFar, Type::getInt1Ty(Ctx), "isFar");
  if (ThePlan.Bundled[K]) {
    List.add(Arguments.Chunks, I64, "chunks");
    List.add(Arguments.StrideChunk, I64, "sChunk");
  }
  if (isAdjacentInBundle(X)) {
    List.add(Arguments.Lines, I64, "lines");
    List.add(Arguments.PanelsOfLine, I64, "panelsOfLine");
  }
  if (X.X.IsSymmetric) {
    List.add(Arguments.Mirror, Ptr, "mirror");
    List.add(Arguments.Diagonal, I64, "diagonal");
  }
  if (!invariantsOf(&X.Map).empty())
    List.add(Arguments.Scalars, Ptr, "scalars");
  return List;
}

ParameterList MacroKernel::parametersOf(GatherArguments &Arguments,
                                        const Operand &X) const {
  ParameterList List;
  List.add(Arguments.Dst, Ptr, "dst");
  List.add(Arguments.Src, Ptr, "src");
  List.add(Arguments.First, I64, "first");
  List.add(Arguments.Count, I64, "count");
  List.add(Arguments.Steps, I64, "K");
  List.add(Arguments.Table, Ptr, "steps");
  Arguments.Digits.resize(ThePlan.Gathered->Chains[X.P].size() + 1);
  for (auto [I, D] : enumerate(Arguments.Digits)) {
    List.add(D.Extent, I64, "extent" + Twine(I));
    List.add(D.Stride, I64, "stride" + Twine(I));
    D.Moves.resize(X.X.Borders.size());
    for (Value *&Move : D.Moves)
      List.add(Move, I64, "move" + Twine(I));
  }
  Arguments.Borders.resize(X.X.Borders.size());
  for (auto [I, Of] : enumerate(Arguments.Borders)) {
    std::string Name = "border" + std::to_string(I);
    List.add(Of.Start, I64, Name);
    List.add(Of.Extent, I64, Name + ".extent");
    List.add(Of.Least, I64, Name + ".least");
    List.add(Of.Most, I64, Name + ".most");
  }
  if (adjacentStep(X)) {
    List.add(Arguments.Period, I64, "period");
    List.add(Arguments.Adjacent, I64, "adjacent");
  }
  if (!invariantsOf(&X.Map).empty())
    List.add(Arguments.Scalars, Ptr, "scalars");
  return List;
}

/// The factors and the corrections.
void TileKernels::addFactors(ParameterList &List,
                             MicroArguments &Arguments) const {
  Arguments.Terms.resize(Terms.size());
  for (auto [I, T] : enumerate(Arguments.Terms)) {
    List.add(T.A, Ptr, "A" + Twine(I));
    List.add(T.StrideAk, I64, "sAk" + Twine(I));
    List.add(T.B, Ptr, "B" + Twine(I));
    List.add(T.StrideBk, I64, "sBk" + Twine(I));
    List.add(T.StrideBn, I64, "sBn" + Twine(I));
  }
  List.add(Arguments.Groups, I64, "K");
  if (Correction)
    List.add(Arguments.Corrections, Ptr, "corrections");
}

ParameterList TileKernels::parametersOf(MicroArguments &Arguments,
                                        MicroKind Kind) const {
  Type *I1 = Type::getInt1Ty(Ctx);
  ParameterList List;
  addFactors(List, Arguments);
  List.add(Arguments.C, Ptr, "C");
  List.add(Arguments.StrideCn, I64, "sCn");
  if (Kind == MicroKind::Windows)
    List.add(Arguments.Table, Ptr, "steps");
  if (isOfRuns(Kind)) {
    List.add(Arguments.Runs, Ptr, "runs");
    List.add(Arguments.NumRuns, I64, "num.runs");
  }
  if (Kind == MicroKind::PackingRuns) {
    List.add(Arguments.SourceA, Ptr, "source.a");
    List.add(Arguments.StrideSource, I64, "s.source.a");
  }
  if (prefetchesLaterA(Kind)) {
    List.add(Arguments.LaterA, Ptr, "later.a");
    List.add(Arguments.StrideLater, I64, "s.later.a");
  }
  if (isToldAhead(Kind))
    List.add(Arguments.Ahead, I64, "ahead");
  if (Kind != MicroKind::Turned && asksForStart(Kind))
    List.add(Arguments.First, I1, "first");
  if (Kind != MicroKind::Turned && !SumsInC) {
    List.add(Arguments.Last, I1, "last");
    List.add(Arguments.P, Ptr, "P");
    List.add(Arguments.StridePn, I64, "sPn");
  }
  if (asksForRows(Kind))
    List.add(Arguments.Rows, I64, "rows");
  if (asksForColumns(Kind))
    List.add(Arguments.Columns, I64, "columns");
  if (Kind == MicroKind::Turned)
    List.add(Arguments.Shared, I64, "shared");
  if (Kind == MicroKind::Corner || Kind == MicroKind::Cut)
    List.add(Arguments.Diagonal, I64, "diagonal");
  if (!Invariants.empty())
    List.add(Arguments.Scalars, Ptr, "scalars");
  if (isToldSlot(Kind))
    List.add(Arguments.Slot, I64, "slot");
  return List;
}

ParameterList TileKernels::parametersOf(TileArguments &Arguments,
                                        bool IsCorner) const {
  Type *I1 = Type::getInt1Ty(Ctx);
  MicroArguments &Micro = Arguments.Micro;
  ParameterList List;
  addFactors(List, Micro);
  List.add(Micro.C, Ptr, "C");
  List.add(Arguments.StrideCm, I64, "sCm");
  List.add(Micro.StrideCn, I64, "sCn");
  List.add(Micro.Rows, I64, "rows");
  List.add(Arguments.Columns, I64, "columns");
  if (edgesPrefetch())
    List.add(Micro.Ahead, I64, "ahead");
  List.add(Micro.First, I1, "first");
  List.add(Micro.Last, I1, "last");
  if (!SumsInC) {
    List.add(Micro.P, Ptr, "P");
    List.add(Micro.StridePn, I64, "sPn");
  }
  if (IsCorner || Wanted != Half::None)
    List.add(Micro.Diagonal, I64, "diagonal");
  if (!Invariants.empty())
    List.add(Micro.Scalars, Ptr, "scalars");
  List.add(Arguments.MicroKernels, Ptr, "micro.kernels");
  return List;
}

ParameterList TileKernels::parametersOf(CopyArguments &Arguments) const {
  ParameterList List;
  auto Add = [&](CopyArguments::Place &P, StringRef Name) {
    List.add(P.Base, Ptr, Name);
    List.add(P.StrideRow, I64, Name + ".row");
    List.add(P.StrideColumn, I64, Name + ".col");
  };
  Add(Arguments.Dst, "dst");
  Add(Arguments.Src, "src");
  List.add(Arguments.Rows, I64, "rows");
  List.add(Arguments.Columns, I64, "columns");
  if (Wanted != Half::None)
    List.add(Arguments.Diagonal, I64, "diagonal");
  return List;
}

ParameterList TileKernels::parametersOf(CorrectionArguments &Arguments) const {
  ParameterList List;
  List.add(Arguments.Sliver, Ptr, "sliver");
  List.add(Arguments.Stride, I64, "stride");
  List.add(Arguments.Groups, I64, "groups");
  List.add(Arguments.Corrections, Ptr, "to");
  return List;
}

ParameterList KernelBuilder::parametersOf(ZerosArguments &Arguments,
                                          const Expression &Tested) const {
  ParameterList List;
  List.add(Arguments.X, Ptr, "X");
  List.add(Arguments.StrideLine, I64, "sx");
  List.add(Arguments.StrideElement, I64, "sy");
  List.add(Arguments.Lines, I64, "x");
  List.add(Arguments.Elements, I64, "y");
  if (!invariantsOf(&Tested).empty())
    List.add(Arguments.Scalars, Ptr, "scalars");
  return List;
}

ParameterList KernelBuilder::parametersOf(MeetsArguments &Arguments) const {
  ParameterList List;
  List.add(Arguments.Rows, Ptr, "rows");
  List.add(Arguments.Begin, I64, "begin");
  List.add(Arguments.End, I64, "end");
  List.add(Arguments.Low, I64, "low");
  List.add(Arguments.Width, I64, "width");
  return List;
}

} // namespace tilesmith
