//===- vectors_eigen.h - matrices times vectors by Eigen ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_BENCHMARKS_VECTORS_EIGEN_H
#define TILESMITH_BENCHMARKS_VECTORS_EIGEN_H

#include <Eigen/Core>
#include <string>

/// What is computed: the loops of kernels/vectors.c, and the sizes.
struct Product {
  std::string Form;
  long M, N, Few;

  bool startsWith(const char *Word) const { return Form.rfind(Word, 0) == 0; }
  bool endsWith(const std::string &Word) const {
    return Form.size() >= Word.size() &&
           Form.compare(Form.size() - Word.size(), Word.size(), Word) == 0;
  }
  bool isTriangle() const { return Form == "lower" || Form == "upper"; }
  bool isHalf() const { return isTriangle() || Form == "symmetric"; }
  bool isThin() const { return startsWith("thin"); }
  bool isOfBLAS() const {
    return startsWith("scaled") || startsWith("strided");
  }
  /// Whether the columns of A lie in one piece.
  bool isByColumns() const {
    return endsWith("transposed") || endsWith("sweep") || Form == "thincolumns";
  }
  bool hasColumnsOutermost() const {
    return endsWith("columns") || endsWith("sweep");
  }
  long numLines() const { return isByColumns() ? N : M; }
  long line() const {
    return (isByColumns() ? M : N) + (startsWith("scaled") ? Few : 0);
  }
  long stride() const { return startsWith("strided") ? Few : 1; }
  /// Elements of vectors, or of what has few columns, for each row of A.
  long perElement() const { return isThin() ? Few : stride(); }
};

template <typename T, int Order>
using EigenMatrix =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, 0,
               Eigen::OuterStride<>>;

/// y = A * x, or what BLAS has, of vectors that are mapped.
template <typename T, typename Matrix, typename X, typename Y>
void productByEigen(const Product &P, const Matrix &A, const X &Of, Y &&To) {
  if (P.isOfBLAS()) {
    To *= T(0.5);
    To.noalias() += T(0.75) * A * Of;
  } else if (P.hasColumnsOutermost()) {
    To.noalias() += A * Of;
  } else {
    To.noalias() = A * Of;
  }
}

template <typename T, int Order>
void callEigen(const Product &P, const T *AData, const T *XData, T *YData) {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Stride = Eigen::InnerStride<>;
  EigenMatrix<T, Order> A(AData, P.M, P.N, Eigen::OuterStride<>(P.line()));
  if (P.stride() != 1)
    return productByEigen<T>(
        P, A, Eigen::Map<const Vector, 0, Stride>(XData, P.N, Stride(P.Few)),
        Eigen::Map<Vector, 0, Stride>(YData, P.M, Stride(P.Few)));
  Eigen::Map<const Vector> X(XData, P.N);
  Eigen::Map<Vector> Y(YData, P.M);
  if (P.Form == "lower")
    Y.noalias() = A.template triangularView<Eigen::Lower>() * X;
  else if (P.Form == "upper")
    Y.noalias() = A.template triangularView<Eigen::Upper>() * X;
  else if (P.Form == "symmetric")
    Y.noalias() = A.template selfadjointView<Eigen::Lower>() * X;
  else
    productByEigen<T>(P, A, X, Y);
}

/// C = A * B, of few columns, which are stored as \p Order says.
template <typename T, int OrderOfA, int Order>
void thinByEigen(const Product &P, const T *A, const T *B, T *C) {
  using Few = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>;
  EigenMatrix<T, OrderOfA> Left(A, P.M, P.N, Eigen::OuterStride<>(P.line()));
  Eigen::Map<Few>(C, P.M, P.Few).noalias() =
      Left * Eigen::Map<const Few>(B, P.N, P.Few);
}

template <typename T>
void callEigen(const Product &P, const T *A, const T *X, T *Y) {
  constexpr int Rows = Eigen::RowMajor, Columns = Eigen::ColMajor;
  if (P.Form == "thin")
    thinByEigen<T, Rows, Rows>(P, A, X, Y);
  else if (P.Form == "thinmixed")
    thinByEigen<T, Rows, Columns>(P, A, X, Y);
  else if (P.Form == "thincolumns")
    thinByEigen<T, Columns, Columns>(P, A, X, Y);
  else if (P.isByColumns())
    callEigen<T, Columns>(P, A, X, Y);
  else
    callEigen<T, Rows>(P, A, X, Y);
}

#endif
