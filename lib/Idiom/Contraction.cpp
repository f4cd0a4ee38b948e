//===- Contraction.cpp - what a loop nest computes ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Contraction.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

static bool isSizeOf(const SCEV *Stride, Type *Ty, const DataLayout &DL) {
  auto *Bytes = dyn_cast<SCEVConstant>(Stride);
  return Bytes && Bytes->getAPInt() == DL.getTypeStoreSize(Ty).getFixedValue();
}

bool Access::isUnit(Dim D, const DataLayout &DL) const {
  return isSizeOf(Stride[D], ElemTy, DL);
}

bool Access::isVectorAlong(Dim D, const DataLayout &DL) const {
  return isUnit(D, DL) || Stride[D]->isZero();
}

bool Access::isStep(Dim D, uint64_t Bytes) const {
  auto *Known = dyn_cast<SCEVConstant>(Stride[D]);
  return Known && Known->getAPInt() == Bytes;
}

bool Access::isReversed(Dim D, const DataLayout &DL) const {
  return isStep(D, -DL.getTypeStoreSize(ElemTy).getFixedValue());
}

bool Access::isUnitInOuter(unsigned Outer, const DataLayout &DL) const {
  return isSizeOf(OuterStride[Outer], ElemTy, DL);
}

/// \p Divisor: a power of two, so that it may wrap.
static bool isMultipleOf(const SCEV *S, uint64_t Divisor) {
  auto IsMultiple = [&](const SCEV *X) { return isMultipleOf(X, Divisor); };
  if (auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().countr_zero() >= Log2_64(Divisor);
  if (isa<SCEVMulExpr>(S))
    return any_of(S->operands(), IsMultiple);
  return isa<SCEVAddExpr>(S) && all_of(S->operands(), IsMultiple);
}

bool Access::isWhole(Dim D, const DataLayout &DL) const {
  uint64_t Size = DL.getTypeStoreSize(ElemTy).getFixedValue();
  return isPowerOf2_64(Size) && isMultipleOf(Stride[D], Size);
}

bool isKnownShorter(const SCEV *X, const SCEV *Y) {
  auto Factors = [](const SCEV *S) {
    std::pair<uint64_t, SmallVector<const SCEV *, 4>> Result = {1, {}};
    for (const SCEV *Factor :
         isa<SCEVMulExpr>(S) ? S->operands() : ArrayRef<const SCEV *>(S))
      if (auto *C = dyn_cast<SCEVConstant>(Factor))
        Result.first = C->getAPInt().abs().getLimitedValue();
      else
        Result.second.push_back(Factor);
    return Result;
  };
  auto [Number, Others] = Factors(X);
  auto [NumberOfY, OthersOfY] = Factors(Y);
  for (const SCEV *Factor : Others) {
    auto *Place = find(OthersOfY, Factor);
    if (Place == OthersOfY.end())
      return false;
    OthersOfY.erase(Place);
  }
  return OthersOfY.empty() ? Number < NumberOfY : Number <= NumberOfY;
}

bool Access::startsAt(const Access &Other) const {
  if (!Rows || !Other.Rows)
    return !Rows && !Other.Rows && Base == Other.Base;
  return Rows->Entry == Other.Rows->Entry && Rows->Offset == Other.Rows->Offset;
}

std::optional<uint64_t> Groups::constantLength() const {
  auto *Known = dyn_cast<SCEVConstant>(Length);
  return Known ? Known->getAPInt().tryZExtValue() : std::nullopt;
}

bool Groups::isStep(uint64_t Bytes) const {
  auto *Known = dyn_cast<SCEVConstant>(Step);
  return Known && Known->getAPInt() == Bytes;
}

static void mirror(Access &X) {
  std::swap(X.Stride[M], X.Stride[N]);
  for (Border &B : X.Borders)
    std::swap(B.Stride[M], B.Stride[N]);
  if (X.Parts)
    X.Parts->Along = mirrored(X.Parts->Along);
  if (X.Grouped)
    X.Grouped->Of = mirrored(X.Grouped->Of);
  if (X.Rows)
    for (Dim *D : {&X.Rows->PointerDim, &X.Rows->ElementDim})
      *D = mirrored(*D);
}

Contraction Contraction::mirrored() const {
  Contraction Result = *this;
  Result.IsExchanged = !IsExchanged;
  std::swap(Result.BackedgeCount[M], Result.BackedgeCount[N]);
  for (Index &I : Result.Outer)
    I.Bundle = tilesmith::mirrored(I.Bundle);
  mirror(Result.C);
  for (auto [T, Before] : zip_equal(Result.Terms, Terms)) {
    T.A = Before.B;
    T.B = Before.A;
    T.AMap = Before.BMap;
    T.BMap = Before.AMap;
    T.MadeA = Before.MadeB;
    T.MadeB = Before.MadeA;
    if (T.Pairing)
      T.Pairing->exchangeFactors();
    std::swap(T.CMayAliasA, T.CMayAliasB);
    std::swap(T.AIsC, T.BIsC);
    mirror(T.A);
    mirror(T.B);
  }
  Result.Update.exchangeFactors();
  if (Result.Rest) {
    Result.Rest->Along = tilesmith::mirrored(Result.Rest->Along);
    Result.Rest->Update.exchangeFactors();
    if (Result.Rest->Second)
      Result.Rest->Second->exchangeFactors();
  }
  for (FurtherOperand *Further : Result.further())
    mirror(Further->X);
  for (Term &T : Result.Terms)
    for (auto *Of : {&T.MadeA, &T.MadeB})
      if (*Of)
        for (IndexOfFactor &Each : (*Of)->Indices)
          Each.Of = tilesmith::mirrored(Each.Of);
  if (auto &Other = Result.Transposed)
    for (Access *X : {&Other->C, &Other->Of.A, &Other->Of.B})
      mirror(*X);
  if (Result.Domain) {
    for (Dim *D : {&Result.Domain->X, &Result.Domain->Y})
      *D = tilesmith::mirrored(*D);
    if (auto &Parts = Result.Domain->Parts)
      Parts = tilesmith::mirrored(*Parts);
  }
  return Result;
}

Contraction Contraction::ofSegment() const {
  Contraction Result = *this;
  Result.SumTy = Segments->PartTy;
  Result.Update = Segments->Update;
  Result.Segments.reset();
  return Result;
}

SmallVector<const Expression *, 2> Epilogue::expressions() const {
  SmallVector<const Expression *, 2> Result;
  for (const NumberProduct &Product : Products)
    for (ArrayRef<Expression> Parts :
         {ArrayRef(Product.Formulas), ArrayRef(Product.Factors)})
      append_range(Result, make_pointer_range(Parts));
  Result.push_back(&Value);
  if (Second)
    Result.push_back(&*Second);
  return Result;
}

bool Epilogue::uses(Leaf Kind) const {
  return any_of(expressions(),
                [&](const Expression *E) { return E->uses(Kind); });
}

const DataLayout &Contraction::getDataLayout() const {
  return C.Inst->getDataLayout();
}

SmallVector<const Access *, 3> Contraction::accesses() const {
  SmallVector<const Access *, 3> Result{&C};
  for (const Term &T : Terms)
    Result.append({&T.A, &T.B});
  return Result;
}

SmallVector<const Access *, 3> Contraction::allAccesses() const {
  auto Result = accesses();
  for (const FurtherOperand *Further : further())
    Result.push_back(&Further->X);
  return Result;
}

SmallVector<const Access *, 2> TransposedUse::accesses() const {
  SmallVector<const Access *, 2> Result{&C};
  if (!AfterSums)
    Result.push_back(&Of.B);
  return Result;
}

SmallVector<const Access *, 5> Contraction::testedAccesses() const {
  SmallVector<const Access *, 5> Result(allAccesses());
  if (Transposed)
    append_range(Result, Transposed->accesses());
  return Result;
}

SmallVector<const Making *, 2> Contraction::makings() const {
  SmallVector<const Making *, 2> Result;
  for (const Term &T : Terms)
    for (const auto *Of : {&T.MadeA, &T.MadeB})
      Result.push_back(*Of ? &**Of : nullptr);
  return Result;
}

bool Contraction::hasMadeFactors() const {
  return any_of(makings(), [](const Making *Of) { return Of; });
}

SmallVector<const FurtherOperand *, 1> Contraction::alongC() const {
  SmallVector<const FurtherOperand *, 1> Result;
  if (After)
    append_range(Result, make_pointer_range(After->Operands));
  append_range(Result, make_pointer_range(StartOperands));
  if (Segments)
    append_range(Result, make_pointer_range(Segments->Operands));
  return Result;
}

SmallVector<const FurtherOperand *, 1> Contraction::further() const {
  SmallVector<const FurtherOperand *, 1> Result = alongC();
  for (const Making *Of : makings())
    if (Of)
      append_range(Result, make_pointer_range(Of->Operands));
  return Result;
}

SmallVector<const Access *, 4> Contraction::apartFromC() const {
  SmallVector<const Access *, 4> Result;
  for (const Term &T : Terms) {
    if (T.CMayAliasA && !T.AIsC && !T.A.Rows)
      Result.push_back(&T.A);
    if (T.CMayAliasB && !T.BIsC && !T.B.Rows)
      Result.push_back(&T.B);
  }
  for (const FurtherOperand *Of : further())
    if (Of->CMayAlias)
      Result.push_back(&Of->X);
  if (Transposed && !Transposed->AfterSums && Transposed->Of.CMayAliasB)
    Result.push_back(&Transposed->Of.B);
  return Result;
}

SmallVector<FurtherOperand *, 1> Contraction::further() {
  const Contraction &Op = *this;
  return map_to_vector<1>(Op.further(), [](const FurtherOperand *Of) {
    return const_cast<FurtherOperand *>(Of);
  });
}

bool Contraction::hasRowTables() const {
  return any_of(accesses(), [](const Access *X) { return X->Rows; });
}

SmallVector<const Expression *, 5> Contraction::expressions() const {
  SmallVector<const Expression *, 5> Result;
  for (const Term &T : Terms) {
    Result.append({&T.AMap, &T.BMap});
    if (T.Pairing)
      Result.push_back(&*T.Pairing);
  }
  Result.append({&Update, &Start, &Finish});
  if (Segments)
    Result.push_back(&Segments->Update);
  if (After)
    append_range(Result, After->expressions());
  if (Transposed)
    Result.append(
        {&Transposed->Of.AMap, &Transposed->Of.BMap, &Transposed->Update});
  for (const Making *Of : makings()) {
    if (Of)
      Result.push_back(&Of->Value);
    if (Of && Of->Second)
      Result.push_back(&*Of->Second);
  }
  for (const Access *X : accesses())
    if (X->Zeros)
      Result.push_back(&X->Zeros->Tested);
  return Result;
}

static const Access *findAccess(const Contraction &Op,
                                function_ref<bool(const Access *)> Is) {
  auto All = Op.accesses();
  auto *Found = find_if(All, Is);
  return Found == All.end() ? nullptr : *Found;
}

const Access *Contraction::savedFactor() const {
  return findAccess(*this,
                    [](const Access *X) { return X->Saved.has_value(); });
}

std::optional<Dim> Contraction::dimOfParts() const {
  const Access *Found =
      findAccess(*this, [](const Access *X) { return X->Parts.has_value(); });
  return Found ? std::optional(Found->Parts->Along) : std::nullopt;
}

const Access *Contraction::borderedFactor() const {
  return findAccess(*this, [](const Access *X) { return !X->Borders.empty(); });
}

bool Contraction::isInPlace() const {
  return any_of(Terms, [](const Term &T) { return T.AIsC || T.BIsC; });
}

bool Contraction::isMatrixVector() const {
  return BackedgeCount[N]->isZero() && all_of(accesses(), [](const Access *X) {
           return X->Stride[N]->isZero();
         });
}

bool Contraction::vectorMoves() const {
  return isMatrixVector() &&
         any_of(Terms, [](const Term &T) { return !T.B.Stride[M]->isZero(); });
}

bool Contraction::isTestedForNaN() const {
  return any_of(accesses(),
                [](const Access *X) { return X->Moderate != Magnitudes::Any; });
}

std::optional<unsigned> Contraction::adjacentBatch() const {
  const DataLayout &DL = getDataLayout();
  for (auto [I, D] : enumerate(Outer))
    if (D.isBatch() && all_of(accesses(), [&, I = I](const Access *X) {
          return X->isUnitInOuter(I, DL);
        }))
      return I;
  return std::nullopt;
}

bool Contraction::hasPairings() const {
  return any_of(Terms, [](const Term &T) { return T.Pairing.has_value(); });
}

bool Contraction::keepsElements(const Access &X, const Expression &Map) const {
  return Map.isElement() &&
         X.ElemTy->getPrimitiveSizeInBits() == SumTy->getPrimitiveSizeInBits();
}

bool Contraction::isFusedChain() const {
  if (hasPairings())
    return false;
  // Every product goes straight into the sum so far.
  const Value *V = Update.Root;
  auto IsProduct = [&](const Value *Factor) {
    auto It = Update.Leaves.find(const_cast<Value *>(Factor));
    return It != Update.Leaves.end() && It->second == Leaf::Product;
  };
  while (true) {
    if (auto It = Update.Leaves.find(const_cast<Value *>(V));
        It != Update.Leaves.end())
      return It->second == Leaf::Sum;
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return false;
    if (Update.Fused.contains(const_cast<Value *>(V))) {
      V = I->getOperand(2);
      continue;
    }
    if (I->getOpcode() != Instruction::FAdd || !I->hasAllowContract())
      return false;
    unsigned Other = IsProduct(I->getOperand(0));
    auto *Product = dyn_cast<Instruction>(I->getOperand(1 - Other));
    if (!Product || !IsProduct(Product) || !Product->hasAllowContract())
      return false;
    V = I->getOperand(Other);
  }
}

static std::optional<uint64_t> extentOf(const SCEV *BackedgeCount) {
  auto *Count = dyn_cast<SCEVConstant>(BackedgeCount);
  if (!Count || Count->getAPInt().getActiveBits() > 62)
    return std::nullopt;
  return Count->getAPInt().getZExtValue() + 1;
}

std::optional<uint64_t> Index::constantExtent() const {
  return extentOf(BackedgeCount);
}

std::optional<uint64_t> Contraction::constantExtent(Dim D) const {
  return extentOf(BackedgeCount[D]);
}

std::string typeName(Type *Ty) {
  if (Ty->isIntegerTy())
    return "i" + std::to_string(Ty->getIntegerBitWidth());
  return "f" + std::to_string(Ty->getPrimitiveSizeInBits().getFixedValue());
}

namespace {

/// How an operand with row dimension \p Row and column dimension \p Column lies
/// in memory.
StringRef orderName(const Access &X, Dim Row, Dim Column,
                    const DataLayout &DL) {
  if (X.Rows)
    return X.Rows->PointerDim == Row ? "table of rows" : "table of columns";
  if (X.IsMade)
    return "computed";
  if (X.isUnit(Column, DL))
    return "row-major";
  return X.isUnit(Row, DL) ? "column-major" : "strided";
}

} // namespace

static constexpr StringLiteral KindNames[] = {"GEMM",
                                              "SYRK",
                                              "SYR2K",
                                              "SYMM",
                                              "TRMM",
                                              "triangular GEMM",
                                              "sum of GEMMs",
                                              "complex GEMM",
                                              "GEMV",
                                              "filter",
                                              "pairwise reduction",
                                              "complex triangular GEMM",
                                              "complex TRMM",
                                              "complex GEMV"};

ArrayRef<StringLiteral> Contraction::kinds() { return KindNames; }

StringRef Contraction::kind() const {
  bool OneTriangle = Domain && Domain->isOfC();
  bool BothSame = Terms.size() == 1 && Terms[0].A.startsAt(Terms[0].B) &&
                  Terms[0].A.Stride[M] == Terms[0].B.Stride[N] &&
                  Terms[0].A.Stride[K] == Terms[0].B.Stride[K];
  bool Exchanged = Terms.size() == 2 && Terms[0].A.startsAt(Terms[1].B) &&
                   Terms[0].B.startsAt(Terms[1].A);
  const auto &[GEMM, SYRK, SYR2K, SYMM, TRMM, Triangle, Sum, Complex, GEMV,
               Filter, Pairwise, ComplexTriangle, ComplexTRMM, ComplexGEMV] =
      KindNames;
  if (hasPairings())
    return Pairwise;
  // Only windows are worth more indices.
  if (isMatrixVector() && isComplex())
    return ComplexGEMV;
  if (isMatrixVector())
    return Outer.empty() || Segments ? GEMV : Filter;
  if (OneTriangle && isComplex())
    return ComplexTriangle;
  if (OneTriangle)
    return BothSame ? SYRK : Exchanged ? SYR2K : Triangle;
  if (Domain)
    return isComplex() ? ComplexTRMM : TRMM;
  if (isComplex())
    return Complex;
  if (Terms.size() > 1)
    return Sum;
  return Terms[0].A.IsSymmetric || Terms[0].B.IsSymmetric ? SYMM : GEMM;
}

std::string Contraction::summary() const {
  const DataLayout &DL = getDataLayout();
  std::string Text;
  raw_string_ostream OS(Text);
  bool IsTold = IsExchanged && !isMatrixVector();
  const auto &[A, B] = std::tie(Terms[0].A, Terms[0].B);
  Dim Rows = IsTold ? N : M, Columns = IsTold ? M : N;
  OS << kind() << ' ' << typeName(SumTy) << " (A "
     << orderName(IsTold ? B : A, Rows, K, DL);
  if (!isMatrixVector())
    OS << ", B " << orderName(IsTold ? A : B, K, Columns, DL) << ", C "
       << orderName(C, Rows, Columns, DL);
  OS << (vectorMoves() ? ", x moves along" : "");
  OS << "), " << (hasRowTables() && !isMatrixVector() ? "rows copied, " : "");
  SmallVector<Dim, 3> Dims{Rows, Columns, K};
  if (isMatrixVector())
    Dims = {M, K};
  if (none_of(Dims, [&](Dim D) { return constantExtent(D); }))
    OS << (isMatrixVector() ? "MxK at run time" : "MxNxK at run time");
  else
    for (auto [Place, D] : enumerate(Dims)) {
      if (Place)
        OS << 'x';
      if (std::optional<uint64_t> Extent = constantExtent(D))
        OS << (dimOfParts() == D ? *Extent / 2 : *Extent);
      else
        OS << (D == K ? 'K' : "MN"[Place]);
    }
  if (Segments)
    OS << " in segments";
  else if (!Outer.empty())
    OS << " in " << Outer.size() << " outer loop"
       << (Outer.size() == 1 ? "" : "s");
  if (After && !(C.Parts && After->Value.isLeaf(Leaf::Sum)))
    OS << ", with an epilogue";
  return Text;
}

} // namespace tilesmith
