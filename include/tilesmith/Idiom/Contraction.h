//===- Contraction.h - what a loop nest computes ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value describes what a nest computes:
//
//   for every (m, n) in the domain:
//     sum = Start(C[m,n], further operands)
//     for k in order:
//       sum = Update(sum, product of each term)
//     C[m,n] = Finish(sum, C[m,n]), or
//     C[m,n] = After(sum, C[m,n], further operands)
//
// where the product of a term is AMap(A[m,k]) * BMap(B[n,k]). C[m,n] on the
// right-hand sides is the element before the nest ran. GEMM has one term, SYR2K
// has two; the domain is a rectangle, or what lies on one side of a diagonal.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_CONTRACTION_H
#define TILESMITH_IDIOM_CONTRACTION_H

#include "tilesmith/Idiom/Access.h"
#include "tilesmith/Idiom/Expression.h"

namespace tilesmith {

/// The domain: all of the rectangle of extents, or its elements on one side of
/// a diagonal, Y <= X + Offset (Below) or Y >= X + Offset.
struct Triangle {
  Dim X = M, Y = N;
  bool Below = true;
  const llvm::SCEV *Offset = nullptr; ///< invariant
  /// Elements of C are also stored where no steps are made.
  bool StoresEmpty = false;
  /// If set, elements 2i and 2i + 1 along it are the parts of a complex number,
  /// which is in place i of the diagonal: M or N, and one of X and Y.
  std::optional<Dim> Parts;

  /// Whether one of the sides of a diagonal of C is left out.
  bool isOfC() const { return X != K && Y != K; }
  /// If so, whether it is n - m <= diagonal that is kept, or n - m >= diagonal.
  bool isLower() const { return Below == (Y == N); }
  /// If not, the dimension that bounds k, and whether k - it >= diagonal, or
  /// <=.
  Dim boundOfK() const { return X == K ? Y : X; }
  bool isFrom() const { return Below == (X == K); }
  /// Whether that diagonal is Offset, or its negative.
  bool isOffset() const { return isOfC() ? Y == N : Y == K; }
  /// How many elements along \p D go by in a place of the diagonal.
  unsigned elementsPerPlace(Dim D) const { return Parts == D ? 2 : 1; }
  bool operator==(const Triangle &O) const {
    return X == O.X && Y == O.Y && Below == O.Below && Offset == O.Offset &&
           StoresEmpty == O.StoresEmpty && Parts == O.Parts;
  }
};

/// An index beside M, N and K: the product is made for each of its values.
struct Index {
  Dim Bundle; ///< M, N, K, or Batch, which moves all operands
  const llvm::SCEV *BackedgeCount; ///< extent minus one, unsigned

  bool isBatch() const { return Bundle == Batch; }
  /// The extent if it is known at compile time.
  std::optional<uint64_t> constantExtent() const;
};

/// One more operand of an expression.
struct FurtherOperand {
  llvm::Value *Load = nullptr; ///< the leaf that it is
  Access X;
  bool CMayAlias = true;
};

/// An index of a factor, as its elements' values may depend on: k & 1 ? q >> 4 : q & 15.
struct IndexOfFactor {
  llvm::Value *Counter = nullptr; ///< the leaf that it is
  Dim Of = K;
  llvm::APInt First, Step; ///< of the counter's type
};

/// A factor that is computed of several elements, w[k] * x[k][m]. The matrix of
/// its values is made in front of the product.
struct Making {
  Expression Value;                              ///< leaves Further and Index
  llvm::SmallVector<FurtherOperand, 2> Operands; ///< without n, or without m
  llvm::SmallVector<IndexOfFactor, 0> Indices;
  /// If set, the matrix is one of complex numbers, with Value and this beside each
  /// other. Along the product's rows, which are parts, strides of operands are half of
  /// those from number to number.
  std::optional<Expression> Second;
};

/// One of the products that a step over k adds to the sum.
struct Term {
  Access A, B;
  Expression AMap, BMap; ///< leaf A or B, to SumTy
  /// The multiplication, or the fused multiply-add (see Expression::Fused).
  llvm::Instruction *Product = nullptr;
  /// If set, Product is no product, but this, of leaves A and B: a - b. Leaves
  /// may have another type than the sum. Panels hold them in the sum's type: an
  /// integer holds their bits, a floating-point number the same value.
  std::optional<Expression> Pairing;
  /// If set, the factor is made: its access is that of the matrix, whose base
  /// means nothing.
  std::optional<Making> MadeA, MadeB;
  bool CMayAliasA = true, CMayAliasB = true;
  /// The factor is C itself, and elements are read before they are stored
  /// (TRMM): those of each row's own one + Ahead, and of the rows from there
  /// on.
  bool AIsC = false, BIsC = false;
  unsigned Ahead = 1;
};

/// What a nest makes of the elements of a matrix besides the sums of its rows, where
/// that is the product of the transposed matrix and another vector,
///
///   for every m, for every step k of its row:
///     C[k] = Update(C[k], AMap(A[m,k]) * BMap(B[m]))
///
/// as of a symmetric matrix of which half is stored, or in BiCG; or where B[m] is the
/// sum of row m itself, as in A'(A x).
struct TransposedUse {
  Access C; ///< with a stride along K
  Term Of;  ///< whose A is the matrix, and whose B has a stride along M
  Expression Update; ///< leaves Sum and Product
  /// B is what the contraction stores, and Of.B means nothing. A kernel makes all of
  /// it then, or nothing.
  bool AfterSums = false;

  /// C, and B if it is an operand of its own.
  llvm::SmallVector<const Access *, 2> accesses() const;
};

/// A product of complex numbers behind the sums, as C and C++ define it: where
/// both parts are NaN, a function makes it again.
struct NumberProduct {
  const llvm::BranchInst *Test = nullptr; ///< the first one
  std::array<llvm::PHINode *, 2> Parts{}; ///< what comes out
  std::array<Expression, 2> Formulas;     ///< of both parts, in that order
  llvm::CallInst *Again = nullptr;
  llvm::SmallVector<Expression, 4> Factors; ///< its arguments
  /// What takes the parts out of the result of the call.
  std::array<llvm::Instruction *, 2> Taken{};
};

/// What is done with C, element by element, once its sums are complete:
///
///   C[m,n] = Value(sum, C[m,n], X[m,n] of each operand)
///
/// where C[m,n] on the right is the element before the nest ran.
struct Epilogue {
  Expression Value; ///< leaves Sum, C and Further
  /// Rows, columns or matrices, without k.
  llvm::SmallVector<FurtherOperand, 1> Operands;
  /// Elements whose bits are those that sums start from must not be stored.
  bool StoresChangesOnly = false;
  /// If set, each part of a number is made of both sums, and Value is the first
  /// part's. Leaves of what follows are named as those of the first part.
  std::optional<Expression> Second;
  /// Where a part of one of them is a leaf of another one, that comes later.
  llvm::SmallVector<NumberProduct, 2> Products;
  /// What leaf SumOfOther is.
  llvm::Value *SumOfOther = nullptr;

  bool isOfNumbers() const { return SumOfOther; }
  /// All expressions, in a fixed order.
  llvm::SmallVector<const Expression *, 2> expressions() const;
  bool uses(Leaf Kind) const;
};

/// What vectors leave over of a row of loops, where LLVM fuses other products there: of
/// each line of C along a dimension, of which the domain has L elements, the last L
/// mod Step ones are made by another update.
struct RestOfLines {
  Dim Along; ///< M or N
  unsigned Step;
  Expression Update; ///< the same tree, with other products rounded
  /// If set, Update makes the first parts of complex numbers, and this the others.
  std::optional<Expression> Second;
};

/// Steps in segments, each with a sum of integers of its own:
///
///   for every m:
///     sum = Start
///     for every segment, in order:
///       part = zero
///       for k in the segment: part = Update(part, product)
///       sum = the contraction's Update(sum, part, X[m, segment] of each operand)
///
/// Segments are the only one of Contraction::Outer.
struct SegmentedSum {
  llvm::Type *PartTy = nullptr; ///< of a segment's sum
  Expression Update;            ///< leaves Sum and Product
  /// Elements that a part meets: with a stride from segment to segment, without k.
  llvm::SmallVector<FurtherOperand, 2> Operands;
};

/// Products whose extents are constants, and no larger than this, may be made in
/// place, without blocks.
inline constexpr uint64_t MaxSmallExtent = 64;

/// What a nest of loops computes.
struct Contraction {
  PerDim<const llvm::SCEV *> BackedgeCount{}; ///< extent minus one, unsigned
  /// Further indices, outermost first. Those of K are summed over in this
  /// order.
  llvm::SmallVector<Index, 1> Outer;
  std::optional<Triangle> Domain; ///< unset: the whole rectangle

  Access C;
  llvm::SmallVector<Term, 1> Terms;
  /// LLVM has exchanged the factors: in the source, B comes first. It matters to
  /// what is said of the product only.
  bool IsExchanged = false;
  llvm::Type *SumTy = nullptr; ///< type of the running sum
  /// Leaves Sum, and Product for each term; A and B, too, where the Pairing of
  /// the only term is not all that is made of its elements. With segments, leaves Sum,
  /// Further and, for the sum of a segment, Product.
  Expression Update;
  std::optional<SegmentedSum> Segments;
  std::optional<RestOfLines> Rest;
  Expression Start; ///< leaves C and Further
  /// Rows, columns or matrices, without k. If there are any, the sum is what
  /// is stored, or After makes the element of it.
  llvm::SmallVector<FurtherOperand, 1> StartOperands;
  Expression Finish;             ///< leaves Sum and C
  std::optional<Epilogue> After; ///< if set, Finish stores the sum
  /// If set, the matrix is used in its other direction, too, which a kernel may do
  /// with rows whose sums it makes: the rest of the nest does it otherwise.
  std::optional<TransposedUse> Transposed;

  /// The store of C in the source: where a refusal points to.
  llvm::Instruction *store() const { return C.Inst; }
  const llvm::DataLayout &getDataLayout() const;

  /// The same contraction with M and N, A and B exchanged: C's transpose is B's
  /// transpose times A's transpose.
  Contraction mirrored() const;

  /// The sum of a segment, if there are any.
  Contraction ofSegment() const;

  /// The extent of \p D if it is known at compile time.
  std::optional<uint64_t> constantExtent(Dim D) const;
  /// C, and A and B of each term.
  llvm::SmallVector<const Access *, 3> accesses() const;
  /// These, then further().
  llvm::SmallVector<const Access *, 3> allAccesses() const;
  /// These, then C and B of the transposed use.
  llvm::SmallVector<const Access *, 5> testedAccesses() const;
  /// The operands of the epilogue, those of the start, those that segments meet, then
  /// those that factors are made of.
  llvm::SmallVector<const FurtherOperand *, 1> further() const;
  llvm::SmallVector<FurtherOperand *, 1> further();
  /// The operands that C may overlap as far as is known when compiling, but must not
  /// when the program runs. (Rows in a table are compared by the call.)
  llvm::SmallVector<const Access *, 4> apartFromC() const;
  /// The first ones of further(): those that are seen along C.
  llvm::SmallVector<const FurtherOperand *, 1> alongC() const;
  /// What factors are made of, A and B of each term; null if one is not made.
  llvm::SmallVector<const Making *, 2> makings() const;
  bool hasMadeFactors() const;
  /// Whether a matrix is filled in front of the product.
  bool fillsMatrices() const { return hasRowTables() || hasMadeFactors(); }
  /// Whether an operand is found through a table of rows. No row of C may
  /// overlap another one, a table, or anything else that is read.
  bool hasRowTables() const;
  /// All expressions, in a fixed order.
  llvm::SmallVector<const Expression *, 5> expressions() const;
  /// Whether the elements of C are needed before the nest overwrites them.
  bool readsC() const {
    return Start.uses(Leaf::C) || Finish.uses(Leaf::C) || !sumsRestInC();
  }
  /// Whether C may hold sums under way. It cannot if its elements have another
  /// type, if the parts of its numbers are rows or columns of sums, or if the
  /// epilogue needs what they were before.
  bool sumsRestInC() const {
    return !After ||
           (C.ElemTy == SumTy && !C.Parts && !After->StoresChangesOnly &&
            !After->uses(Leaf::C) && !After->uses(Leaf::COfOther));
  }
  /// The number, in Outer, of a batch along which all operands are adjacent.
  std::optional<unsigned> adjacentBatch() const;
  /// Whether elements make something else than products.
  bool hasPairings() const;
  /// Whether \p Map leaves elements of \p X, a factor, as they are, and these are
  /// as wide as sums.
  bool keepsElements(const Access &X, const Expression &Map) const;
  /// Whether each step adds one product, fused or fusable with the addition.
  bool isFusedChain() const;
  /// The factor that is read from a copy of C, if one is.
  const Access *savedFactor() const;
  bool isSaved() const { return savedFactor(); }
  /// Whether the nest needs that copy.
  bool isCopied() const { return isSaved() && !savedFactor()->isPackedFirst(); }
  /// The factor that is an image with borders, if one is.
  const Access *borderedFactor() const;
  /// The dimension along which C has the parts of complex numbers in turn, if it
  /// has.
  std::optional<Dim> dimOfParts() const;
  bool isComplex() const { return dimOfParts().has_value(); }
  /// Whether a factor is C itself.
  bool isInPlace() const;
  /// Whether it is a matrix times a vector: nothing moves along N, of which
  /// there is one value.
  bool isMatrixVector() const;
  /// If so, whether the part of the vector that a row meets goes on by an element
  /// with each row, as in a band: B[m,k] is element m + k.
  bool vectorMoves() const;
  /// Whether the nest tests products for NaN, so that a kernel has to find out
  /// whether there may be one.
  bool isTestedForNaN() const;
  /// Whether the stored value is the sum itself.
  bool storesSum() const { return Finish.isLeaf(Leaf::Sum); }

  void visitSCEVs(SCEVVisitor Visit) const;

  /// "GEMM", "SYRK", …: the operation's name in BLAS, or the nearest one.
  llvm::StringRef kind() const;
  /// All that kind() may say.
  static llvm::ArrayRef<llvm::StringLiteral> kinds();
  /// "GEMM f64 (A row-major, B row-major, C row-major), 64 x 64 x K at run
  /// time"
  std::string summary() const;
};

/// "f64", "i32"
std::string typeName(llvm::Type *Ty);

} // namespace tilesmith

#endif
