//===- views.cpp - C++: spans, lambdas, ranges, iterators, algorithms -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native -std=c++23
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=native -std=c++23 -ffp-contract=off

#include "forms.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

using Out = std::span<double>;
using In = std::span<const double>;

// --- Spans -------------------------------------------------------------------

FORM void span(size_t m, size_t n, size_t k, In A, In B, Out C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void span_constant(std::span<const double, M * K> A, std::span<const double, K * N> B, std::span<double, M * N> C) { // REPLACED
  for (size_t i = 0; i < M; ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t p = 0; p < K; ++p)
        C[i * N + j] += A[i * K + p] * B[p * N + j];
}

FORM void subspans(size_t m, size_t n, size_t k, In A, In B, Out C) { // REPLACED
  for (size_t i = 0; i < m; ++i) {
    In a = A.subspan(i * k, k);
    Out c = C.subspan(i * n, n);
    for (size_t p = 0; p < k; ++p) {
      In b = B.subspan(p * n, n);
      for (size_t j = 0; j < n; ++j)
        c[j] += a[p] * b[j];
    }
  }
}

FORM void subspans_range(size_t m, size_t n, size_t k, In A, In B, Out C) { // REPLACED, MISSED: BoundVaries
  for (size_t i = 0; i < m; ++i) {
    size_t j = 0;
    for (double &c : C.subspan(i * n, n)) {
      size_t p = 0;
      double s = 0;
      for (double a : A.subspan(i * k, k))
        s += a * B[p++ * n + j];
      c = s;
      ++j;
    }
  }
}

FORM void spans_of_spans(std::span<const In> A, std::span<const In> B, std::span<const Out> C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t j = 0; j < C[0].size(); ++j)
      for (size_t p = 0; p < B.size(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void spans_of_vectors(std::span<const std::vector<double>> A, std::span<const std::vector<double>> B, std::span<std::vector<double>> C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t p = 0; p < B.size(); ++p)
      for (size_t j = 0; j < C[i].size(); ++j)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void spans_of_arrays(std::span<const std::array<double, K>> A, std::span<const std::array<double, N>> B, std::span<std::array<double, N>> C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t p = 0; p < B.size(); ++p)
      for (size_t j = 0; j < N; ++j)
        C[i][j] += A[i][p] * B[p][j];
}

// What std::mdspan consists of; few standard libraries have it.
struct LayoutRight {
  static constexpr size_t offset(size_t, size_t Columns, size_t i, size_t j) { return i * Columns + j; }
};
struct LayoutLeft {
  static constexpr size_t offset(size_t Rows, size_t, size_t i, size_t j) { return i + j * Rows; }
};
struct DefaultAccessor {
  template <class T> static constexpr T &access(T *Data, size_t Offset) { return Data[Offset]; }
};
template <class T, class Layout = LayoutRight, class Accessor = DefaultAccessor> class Mdspan {
  T *Data;
  [[no_unique_address]] Accessor Access;
  std::array<size_t, 2> Extents;

public:
  constexpr Mdspan(T *Data, size_t Rows, size_t Columns) : Data(Data), Extents{Rows, Columns} {}
  constexpr size_t extent(size_t r) const { return Extents[r]; }
  constexpr T &operator[](size_t i, size_t j) const {
    return Access.access(Data, Layout::offset(Extents[0], Extents[1], i, j));
  }
};

FORM void mdspan(Mdspan<const double> A, Mdspan<const double> B, Mdspan<double> C) { // REPLACED
  for (size_t i = 0; i != C.extent(0); ++i)
    for (size_t j = 0; j != C.extent(1); ++j)
      for (size_t p = 0; p != A.extent(1); ++p)
        C[i, j] += A[i, p] * B[p, j];
}

FORM void mdspan_left(Mdspan<const double, LayoutLeft> A, Mdspan<const double, LayoutRight> B, Mdspan<double, LayoutLeft> C) { // REPLACED
  for (size_t j = 0; j != C.extent(1); ++j)
    for (size_t p = 0; p != A.extent(1); ++p)
      for (size_t i = 0; i != C.extent(0); ++i)
        C[i, j] += A[i, p] * B[p, j];
}

FORM void mdspan_reference(const Mdspan<const double> &A, const Mdspan<const double> &B, const Mdspan<double> &C) { // REPLACED
  for (size_t i = 0; i < C.extent(0); ++i)
    for (size_t j = 0; j < C.extent(1); ++j) {
      double s = 0;
      for (size_t p = 0; p < A.extent(1); ++p)
        s += A[i, p] * B[p, j];
      C[i, j] = s;
    }
}

// --- Lambdas and functions -----------------------------------------------------

FORM void lambda_body(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  auto Body = [&](int i, int j, int p) { C[i * n + j] += A[i * k + p] * B[p * n + j]; };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p)
        Body(i, j, p);
}

FORM void lambda_elements(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  auto a = [=](int i, int p) { return A[i * k + p]; };
  auto b = [=](int p, int j) { return B[p * n + j]; };
  auto c = [=](int i, int j) -> double & { return C[i * n + j]; };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p)
        c(i, j) += a(i, p) * b(p, j);
}

template <class Function> static void loop(int Count, const Function &Body) {
  for (int i = 0; i < Count; ++i)
    Body(i);
}

FORM void lambda_loops(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  loop(m, [&](int i) { loop(n, [&](int j) { loop(k, [&](int p) { C[i * n + j] += A[i * k + p] * B[p * n + j]; }); }); });
}

FORM void lambda_loops_sum(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  loop(m, [=](int i) {
    loop(n, [=](int j) {
      double s = 0;
      loop(k, [&](int p) { s += A[i * k + p] * B[p * n + j]; });
      C[i * n + j] = s;
    });
  });
}

FORM void std_function(int m, int n, int k, const double *A, const double *B, double *C) { // no remark
  std::function<void(int, int, int)> Body = [&](int i, int j, int p) { C[i * n + j] += A[i * k + p] * B[p * n + j]; };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p)
        Body(i, j, p);
}

template <class T, class Multiply, class Add> static T dot(int k, const T *X, int IncX, const T *Y, int IncY, Multiply Times, Add Plus) {
  T s{};
  for (int p = 0; p < k; ++p)
    s = Plus(s, Times(X[p * IncX], Y[p * IncY]));
  return s;
}

FORM void function_template(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      C[i * n + j] = dot(k, A + i * k, 1, B + j, n, std::multiplies<>(), std::plus<>());
}

// --- Iterators and algorithms ----------------------------------------------------

FORM void iterators(size_t m, size_t n, size_t k, const std::vector<double> &A, const std::vector<double> &B, std::vector<double> &C) { // MISSED: UnknownTripCount
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      auto a = A.begin() + i * k;
      double s = 0;
      for (auto b = B.begin() + j, End = b + k * n; b != End; b += n)
        s += *a++ * *b;
      C[i * n + j] = s;
    }
}

FORM void iterators_rows(size_t, size_t n, size_t k, const std::vector<double> &A, const std::vector<double> &B, std::vector<double> &C) { // MISSED: UnknownTripCount
  auto c = C.begin();
  for (auto a = A.begin(); a != A.end(); a += k, c += n) {
    auto b = B.begin();
    for (size_t p = 0; p < k; ++p, b += n)
      for (size_t j = 0; j < n; ++j)
        c[j] += a[p] * b[j];
  }
}

FORM void inner_product(size_t m, size_t n, size_t k, const double *A, const double *BT, double *C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      C[i * n + j] = std::inner_product(A + i * k, A + (i + 1) * k, BT + j * k, 0.0);
}

FORM void inner_product_vectors(const std::vector<std::vector<double>> &A, const std::vector<std::vector<double>> &BT, // REPLACED
                                std::vector<std::vector<double>> &C) {
  for (size_t i = 0; i < A.size(); ++i)
    for (size_t j = 0; j < BT.size(); ++j)
      C[i][j] = std::inner_product(A[i].begin(), A[i].end(), BT[j].begin(), 0.0);
}

// The standard library sums in another order, four at a time, if there are as many.
FORM void transform_reduce(size_t m, size_t n, size_t k, const double *A, const double *BT, double *C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      C[i * n + j] = std::transform_reduce(A + i * k, A + (i + 1) * k, BT + j * k, 0.0);
}

FORM void transform(size_t m, size_t n, size_t k, const double *A, const double *B, double *C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p)
      std::transform(B + p * n, B + (p + 1) * n, C + i * n, C + i * n, [a = A[i * k + p]](double b, double c) { return c + a * b; });
}

// --- Ranges --------------------------------------------------------------------

FORM void iota(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i : std::views::iota(0, m))
    for (int j : std::views::iota(0, n))
      for (int p : std::views::iota(0, k))
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void iota_sum(size_t m, size_t n, size_t k, const double *A, const double *B, double *C) { // REPLACED
  for (size_t i : std::views::iota(size_t(0), m))
    for (size_t j : std::views::iota(size_t(0), n)) {
      double s = 0;
      for (size_t p : std::views::iota(size_t(0), k))
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void iota_reverse(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i : std::views::iota(0, m) | std::views::reverse)
    for (int j : std::views::iota(0, n))
      for (int p : std::views::iota(0, k) | std::views::reverse)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void for_each(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  std::ranges::for_each(std::views::iota(0, m), [=](int i) {
    std::ranges::for_each(std::views::iota(0, n), [=](int j) {
      std::ranges::for_each(std::views::iota(0, k), [=](int p) { C[i * n + j] += A[i * k + p] * B[p * n + j]; });
    });
  });
}

using ArrayRows = std::vector<std::array<double, N>>;
FORM void range_of_arrays(const std::vector<std::array<double, K>> &A, const ArrayRows &B, ArrayRows &C) { // REPLACED
  auto a = A.begin();
  for (auto &c : C) {
    for (size_t p = 0; p < K; ++p)
      for (size_t j = 0; j < N; ++j)
        c[j] += (*a)[p] * B[p][j];
    ++a;
  }
}

FORM void range_of_vectors(const std::vector<std::vector<double>> &A, const std::vector<std::vector<double>> &B, // REPLACED
                           std::vector<std::vector<double>> &C) {
  size_t i = 0;
  for (auto &c : C) {
    size_t p = 0;
    for (double a : A[i]) {
      size_t j = 0;
      for (double b : B[p])
        c[j++] += a * b;
      ++p;
    }
    ++i;
  }
}

int main() {
  std::vector<double> A(M * K), B(K * N), C(M * N);
  fill(1, M, K, [&](int i, int j) -> auto & { return A[i * K + j]; });
  fill(2, K, N, [&](int i, int j) -> auto & { return B[i * N + j]; });
  auto Run = [&](const char *Name, auto Form, auto... Arguments) {
    fill(3, M, N, [&](int i, int j) -> auto & { return C[i * N + j]; });
    Form(Arguments...);
    show(Name, M, N, [&](int i, int j) -> auto & { return C[i * N + j]; });
  };
#define RUN(FORM, ...) Run(#FORM, FORM, M, N, K, __VA_ARGS__)
  const double *a = A.data(), *b = B.data();
  double *c = C.data();
  RUN(span, In(A), In(B), Out(C));
  Run("span_constant", span_constant, std::span<const double, M * K>(A), std::span<const double, K * N>(B), std::span<double, M * N>(C));
  RUN(subspans, In(A), In(B), Out(C));
  RUN(subspans_range, In(A), In(B), Out(C));
  Mdspan<const double> X(a, M, K), Y(b, K, N);
  Mdspan<double> Z(c, M, N);
  Run("mdspan", mdspan, X, Y, Z);
  Run("mdspan_left", mdspan_left, Mdspan<const double, LayoutLeft>(a, M, K), Y, Mdspan<double, LayoutLeft>(c, M, N));
  Run("mdspan_reference", mdspan_reference, X, Y, Z);
  RUN(lambda_body, a, b, c);
  RUN(lambda_elements, a, b, c);
  RUN(lambda_loops, a, b, c);
  RUN(lambda_loops_sum, a, b, c);
  RUN(std_function, a, b, c);
  RUN(function_template, a, b, c);
  RUN(iterators, std::cref(A), std::cref(B), std::ref(C));
  RUN(iterators_rows, std::cref(A), std::cref(B), std::ref(C));
  RUN(inner_product, a, b, c);
  RUN(transform_reduce, a, b, c);
  Run("transform_reduce/short", transform_reduce, M, N, 3, a, b, c);
  RUN(transform, a, b, c);
  RUN(iota, a, b, c);
  RUN(iota_sum, a, b, c);
  RUN(iota_reverse, a, b, c);
  RUN(for_each, a, b, c);

  // Rows of their own.
  std::vector<std::array<double, K>> AA(M);
  ArrayRows AB(K), AC(M);
  using Rows = std::vector<std::vector<double>>;
  Rows VA(M, std::vector<double>(K)), VB(K, std::vector<double>(N)), VT(N, std::vector<double>(K)), VC(M, std::vector<double>(N));
  fill(1, M, K, [&](int i, int j) -> auto & { return VA[i][j]; });
  fill(1, M, K, [&](int i, int j) -> auto & { return AA[i][j]; });
  fill(2, K, N, [&](int i, int j) -> auto & { return VB[i][j]; });
  fill(2, K, N, [&](int i, int j) -> auto & { return AB[i][j]; });
  fill(2, N, K, [&](int i, int j) -> auto & { return VT[i][j]; });
  std::vector<In> SA(VA.begin(), VA.end()), SB(VB.begin(), VB.end());
  std::vector<Out> SC(VC.begin(), VC.end());
  auto RunRows = [&](const char *Name, auto Form, auto &&A, auto &&B, auto &&C) {
    fill(3, M, N, [&](int i, int j) -> auto & { return C[i][j]; });
    Form(A, B, C);
    show(Name, M, N, [&](int i, int j) -> auto & { return C[i][j]; });
  };
  RunRows("spans_of_spans", spans_of_spans, SA, SB, SC);
  RunRows("spans_of_vectors", spans_of_vectors, VA, VB, VC);
  RunRows("spans_of_arrays", spans_of_arrays, AA, AB, AC);
  RunRows("inner_product_vectors", inner_product_vectors, VA, VT, VC);
  RunRows("range_of_arrays", range_of_arrays, AA, AB, AC);
  RunRows("range_of_vectors", range_of_vectors, VA, VB, VC);
}
