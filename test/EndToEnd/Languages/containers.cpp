//===- containers.cpp - C++: the standard library's containers ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=native -ffp-contract=off

#include "forms.h"
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <valarray>
#include <vector>

template <class T> using Rows = std::vector<std::vector<T>>;

// A vector for each row.
FORM void rows(const Rows<double> &A, const Rows<double> &B, Rows<double> &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[0].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void rows_sum(const Rows<double> &A, const Rows<double> &B, Rows<double> &C) { // REPLACED
  size_t m = A.size(), n = B[0].size(), k = B.size();
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double s = 0;
      for (size_t p = 0; p < k; ++p)
        s += A[i][p] * B[p][j];
      C[i][j] = s;
    }
}

FORM void rows_ikj(int m, int n, int k, const Rows<double> &A, const Rows<double> &B, Rows<double> &C) { // REPLACED
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < n; ++j)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void rows_references(const Rows<double> &A, const Rows<double> &B, Rows<double> &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i) {
    auto &c = C[i];
    auto &a = A[i];
    for (size_t p = 0; p < a.size(); ++p) {
      auto &b = B[p];
      for (size_t j = 0; j < c.size(); ++j)
        c[j] += a[p] * b[j];
    }
  }
}

FORM void rows_float(const Rows<float> &A, const Rows<float> &B, Rows<float> &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[0].size(); ++j) {
      float s = 0;
      for (size_t p = 0; p < B.size(); ++p)
        s += A[i][p] * B[p][j];
      C[i][j] = s;
    }
}

FORM void rows_int(const Rows<int> &A, const Rows<int> &B, Rows<int> &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[i].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

// As it is written most often: the result is made here.
FORM Rows<double> rows_returned(const Rows<double> &A, const Rows<double> &B) { // REPLACED
  Rows<double> C(A.size(), std::vector<double>(B[0].size(), 0));
  for (size_t i = 0; i < A.size(); ++i)
    for (size_t j = 0; j < B[0].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
  return C;
}

FORM void rows_at(const Rows<double> &A, const Rows<double> &B, Rows<double> &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[0].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C.at(i).at(j) += A.at(i).at(p) * B.at(p).at(j);
}

// One vector for all.
FORM void flat(size_t m, size_t n, size_t k, const std::vector<double> &A, const std::vector<double> &B, std::vector<double> &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void flat_ikj(int m, int n, int k, const std::vector<float> &A, const std::vector<float> &B, std::vector<float> &C) { // REPLACED
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < n; ++j)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void flat_long(size_t m, size_t n, size_t k, const std::vector<long> &A, const std::vector<long> &B, std::vector<long> &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM std::vector<double> flat_returned(size_t m, size_t n, size_t k, const std::vector<double> &A, const std::vector<double> &B) { // REPLACED
  std::vector<double> C(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double s = 0;
      for (size_t p = 0; p < k; ++p)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
  return C;
}

FORM void flat_at(size_t m, size_t n, size_t k, const std::vector<double> &A, const std::vector<double> &B, std::vector<double> &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C.at(i * n + j) += A.at(i * k + p) * B.at(p * n + j);
}

// Arrays in arrays.
template <class T, size_t R, size_t S> using Array = std::array<std::array<T, S>, R>;

FORM void arrays(const Array<double, M, K> &A, const Array<double, K, N> &B, Array<double, M, N> &C) { // REPLACED
  for (size_t i = 0; i < M; ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t p = 0; p < K; ++p)
        C[i][j] += A[i][p] * B[p][j];
}

template <class T, size_t m, size_t n, size_t k>
FORM void arrays_any(const Array<T, m, k> &A, const Array<T, k, n> &B, Array<T, m, n> &C) { // REPLACED: 2
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p)
      for (size_t j = 0; j < n; ++j)
        C[i][j] += A[i][p] * B[p][j];
}

FORM Array<double, M, N> arrays_returned(const Array<double, M, K> &A, const Array<double, K, N> &B) { // REPLACED
  Array<double, M, N> C{};
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[i].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
  return C;
}

FORM void array_flat(const std::array<double, M * K> &A, const std::array<double, K * N> &B, std::array<double, M * N> &C) { // REPLACED
  for (size_t i = 0; i < M; ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t p = 0; p < K; ++p)
        C[i * N + j] += A[i * K + p] * B[p * N + j];
}

template <size_t S> using ArrayRows = std::vector<std::array<double, S>>;
FORM void vector_of_arrays(const ArrayRows<K> &A, const ArrayRows<N> &B, ArrayRows<N> &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void array_of_vectors(const std::array<std::vector<double>, M> &A, const std::array<std::vector<double>, K> &B, // REPLACED
                           std::array<std::vector<double>, M> &C) {
  for (size_t i = 0; i < M; ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t p = 0; p < K; ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void valarray(size_t m, size_t n, size_t k, const std::valarray<double> &A, const std::valarray<double> &B, std::valarray<double> &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void valarray_rows(const std::valarray<std::valarray<double>> &A, const std::valarray<std::valarray<double>> &B, // REPLACED
                        std::valarray<std::valarray<double>> &C) {
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[0].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void unique(size_t m, size_t n, size_t k, const std::unique_ptr<double[]> &A, const std::unique_ptr<double[]> &B, // REPLACED
                 const std::unique_ptr<double[]> &C) {
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

using UniqueRows = std::vector<std::unique_ptr<double[]>>;
FORM void unique_rows(size_t m, size_t n, size_t k, const UniqueRows &A, const UniqueRows &B, UniqueRows &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void deque(size_t m, size_t n, size_t k, const std::deque<double> &A, const std::deque<double> &B, std::vector<double> &C) { // MISSED: Branch
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

template <class Matrix> static void show_rows(const char *Form, const Matrix &X) {
  show(Form, M, N, [&](int i, int j) -> auto & { return X[i][j]; });
}
template <class Matrix> static void show_flat(const char *Form, const Matrix &X) {
  show(Form, M, N, [&](int i, int j) -> auto & { return X[i * N + j]; });
}

template <class Matrix> static Matrix make_rows(int Number, int Rows, int Columns, Matrix X) {
  fill(Number, Rows, Columns, [&](int i, int j) -> auto & { return X[i][j]; });
  return X;
}
template <class T> static Rows<T> make(int Number, int m, int n) {
  return make_rows(Number, m, n, Rows<T>(m, std::vector<T>(n)));
}
template <class Matrix> static Matrix make_flat(int Number, int Rows, int Columns, Matrix X) {
  fill(Number, Rows, Columns, [&](int i, int j) -> auto & { return X[i * Columns + j]; });
  return X;
}

int main() {
  {
    auto A = make<double>(1, M, K), B = make<double>(2, K, N), Start = make<double>(3, M, N), C = Start;
    rows(A, B, C), show_rows("rows", C), C = Start;
    rows_sum(A, B, C), show_rows("rows_sum", C), C = Start;
    rows_ikj(M, N, K, A, B, C), show_rows("rows_ikj", C), C = Start;
    rows_references(A, B, C), show_rows("rows_references", C), C = Start;
    rows_at(A, B, C), show_rows("rows_at", C), C = Start;
    show_rows("rows_returned", rows_returned(A, B));
    std::swap(C[3], C[50]), std::swap(A[3], A[51]), std::swap(B[3], B[52]);
    rows(A, B, C), show_rows("rows/swapped", C);
    std::array<std::vector<double>, M> X, Z;
    std::array<std::vector<double>, K> Y;
    for (int i = 0; i < M; ++i)
      X[i] = A[i], Z[i] = C[i];
    for (int i = 0; i < K; ++i)
      Y[i] = B[i];
    array_of_vectors(X, Y, Z), show_rows("array_of_vectors", Z);
  }
  {
    auto A = make<float>(1, M, K), B = make<float>(2, K, N), C = make<float>(3, M, N);
    rows_float(A, B, C), show_rows("rows_float", C);
  }
  {
    auto A = make<int>(1, M, K), B = make<int>(2, K, N), C = make<int>(3, M, N);
    rows_int(A, B, C), show_rows("rows_int", C);
  }
  {
    using V = std::vector<double>;
    V A = make_flat(1, M, K, V(M * K)), B = make_flat(2, K, N, V(K * N)), Start = make_flat(3, M, N, V(M * N)), C = Start;
    flat(M, N, K, A, B, C), show_flat("flat", C), C = Start;
    flat_at(M, N, K, A, B, C), show_flat("flat_at", C), C = Start;
    show_flat("flat_returned", flat_returned(M, N, K, A, B));
    std::deque<double> X(A.begin(), A.end()), Y(B.begin(), B.end());
    deque(M, N, K, X, Y, C), show_flat("deque", C);
  }
  {
    using V = std::vector<float>;
    V A = make_flat(1, M, K, V(M * K)), B = make_flat(2, K, N, V(K * N)), C = make_flat(3, M, N, V(M * N));
    flat_ikj(M, N, K, A, B, C), show_flat("flat_ikj", C);
  }
  {
    using V = std::vector<long>;
    V A = make_flat(1, M, K, V(M * K)), B = make_flat(2, K, N, V(K * N)), C = make_flat(3, M, N, V(M * N));
    flat_long(M, N, K, A, B, C), show_flat("flat_long", C);
  }
  {
    using V = std::valarray<double>;
    V A = make_flat(1, M, K, V(M * K)), B = make_flat(2, K, N, V(K * N)), C = make_flat(3, M, N, V(M * N));
    valarray(M, N, K, A, B, C), show_flat("valarray", C);
    using W = std::valarray<V>;
    W X = make_rows(1, M, K, W(V(K), M)), Y = make_rows(2, K, N, W(V(N), K)), Z = make_rows(3, M, N, W(V(N), M));
    valarray_rows(X, Y, Z), show_rows("valarray_rows", Z);
  }
  {
    static auto A = make_rows(1, M, K, Array<double, M, K>()), C = make_rows(3, M, K, Array<double, M, K>());
    static auto B = make_rows(2, K, N, Array<double, K, N>());
    static auto D = make_rows(4, M, N, Array<double, M, N>());
    arrays(A, B, D), show_rows("arrays", D);
    arrays_any(C, B, D), show_rows("arrays_any/double", D);
    show_rows("arrays_returned", arrays_returned(A, B));
    static auto X = make_rows(1, M, K, Array<float, M, K>());
    static auto Y = make_rows(2, K, N, Array<float, K, N>());
    static auto Z = make_rows(3, M, N, Array<float, M, N>());
    arrays_any(X, Y, Z), show_rows("arrays_any/float", Z);
  }
  {
    static auto A = make_flat(1, M, K, std::array<double, M * K>());
    static auto B = make_flat(2, K, N, std::array<double, K * N>());
    static auto C = make_flat(3, M, N, std::array<double, M * N>());
    array_flat(A, B, C), show_flat("array_flat", C);
  }
  {
    auto A = make_rows(1, M, K, ArrayRows<K>(M));
    auto B = make_rows(2, K, N, ArrayRows<N>(K)), C = make_rows(3, M, N, ArrayRows<N>(M));
    vector_of_arrays(A, B, C), show_rows("vector_of_arrays", C);
  }
  {
    using P = std::unique_ptr<double[]>;
    P A = make_flat(1, M, K, P(new double[M * K])), B = make_flat(2, K, N, P(new double[K * N])),
      C = make_flat(3, M, N, P(new double[M * N]));
    unique(M, N, K, A, B, C), show_flat("unique", C);
    auto Make = [](int Number, int m, int n) {
      UniqueRows X(m);
      for (auto &Row : X)
        Row.reset(new double[n]);
      return make_rows(Number, m, n, std::move(X));
    };
    UniqueRows X = Make(1, M, K), Y = Make(2, K, N), Z = Make(3, M, N);
    unique_rows(M, N, K, X, Y, Z), show_rows("unique_rows", Z);
  }
}
