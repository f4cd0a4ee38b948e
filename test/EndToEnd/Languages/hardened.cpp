//===- hardened.cpp - C++: containers that check their subscripts ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each form also gets vectors that are too short: it ends at the same element, and has
// stored the same until then.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native -D_GLIBCXX_ASSERTIONS
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=x86-64-v3 -ffp-contract=off -D_GLIBCXX_ASSERTIONS

#include "endings.inc"
#include <algorithm>
#include <cassert>

#define FORM __attribute__((noinline))

FORM void gemv(size_t m, size_t, size_t k, const Vector &A, const Vector &X, Vector &Y) { // REPLACED
  for (size_t i = 0; i < m; ++i) {
    double Sum = 0;
    for (size_t p = 0; p < k; ++p)
      Sum += A[i * k + p] * X[p];
    Y[i] = Sum;
  }
}

FORM void gemv_in_place(size_t m, size_t, size_t k, const Vector &A, const Vector &X, Vector &Y) { // REPLACED
  for (size_t i = 0; i < m; ++i) {
    Y[i] = 0;
    for (size_t p = 0; p < k; ++p)
      Y[i] += A[i * k + p] * X[p];
  }
}

FORM void gemm(size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double Sum = 0;
      for (size_t p = 0; p < k; ++p)
        Sum += A[i * k + p] * B[p * n + j];
      C[i * n + j] = Sum;
    }
}

FORM void by_rows(size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p)
      for (size_t j = 0; j < n; ++j)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void by_at(size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double Sum = 0;
      for (size_t p = 0; p < k; ++p)
        Sum += A.at(i * k + p) * B.at(p * n + j);
      C.at(i * n + j) = Sum;
    }
}

FORM void syrk(size_t m, size_t, size_t k, const Vector &A, const Vector &, Vector &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double Sum = 0;
      for (size_t p = 0; p < k; ++p)
        Sum += A[i * k + p] * A[j * k + p];
      C[i + j * m] = Sum;
    }
}

FORM void in_int(int m, int n, int k, const Vector &A, const Vector &B, Vector &C) { // REPLACED
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double Sum = 0;
      for (int p = 0; p < k; ++p)
        Sum += A[i * k + p] * B[p * n + j];
      C[i * n + j] = Sum;
    }
}

// A check where there are no steps is none of the product's.
FORM void on_other_side(size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) { // REPLACED or MISSED: EarlyExit
  const double *a = A.data(), *b = B.data();
  double *c = C.data();
  size_t Rows = std::min(std::min(m, k), B.size());
  if (Rows * k > A.size() || Rows > C.size())
    return;
  for (size_t i = 0; i < Rows; ++i)
    if (i > 0) {
      double Sum = 0;
      for (size_t p = 0; p < i; ++p)
        Sum += a[i * k + p] * b[p];
      c[i] = Sum;
    } else {
      C[n + k - 1] = c[i];
    }
}

// A check where a step is left out.
FORM void beside_zeros(size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) { // MISSED: Branch|EarlyExit
  const double *a = A.data(), *b = B.data();
  double *c = C.data();
  if (m * k > A.size() || k * n > B.size() || m * n > C.size())
    return;
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p) {
      double Factor = a[i * k + p] > 0.5 ? 0 : a[i * k + p];
      if (Factor != 0)
        for (size_t j = 0; j < n; ++j)
          c[i * n + j] += Factor * b[p * n + j];
      else
        assert(n + i < 2 * A.size() / 3);
    }
}

template <class T> struct Matrix {
  size_t Rows, Columns;
  T *Elements;
  T &operator()(size_t i, size_t j) const {
    assert(i < Rows && j < Columns);
    return Elements[i * Columns + j];
  }
};

FORM void asserted(const Matrix<const double> &A, const Matrix<const double> &B, const Matrix<double> &C) { // REPLACED
  for (size_t i = 0; i < C.Rows; ++i)
    for (size_t j = 0; j < C.Columns; ++j) {
      double Sum = 0;
      for (size_t p = 0; p < A.Columns; ++p)
        Sum += A(i, p) * B(p, j);
      C(i, j) = Sum;
    }
}

// --- Calls ---------------------------------------------------------------------------

int main(int argc, char **) {
  static const size_t Sizes[][3] = {{71, 93, 82}, {1, 1, 1}, {7, 1, 9}, {16, 5, 33}, {0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
  using Product = void (*)(size_t, size_t, size_t, const Vector &, const Vector &, Vector &);
  auto InInt = [](size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) {
    in_int(m, n, k, A, B, C);
  };
  auto Asserted = [](size_t m, size_t n, size_t k, const Vector &A, const Vector &B, Vector &C) {
    asserted({A.size() / (k ? k : 1), k, A.data()}, {B.size() / (n ? n : 1), n, B.data()}, {m, n, C.data()});
  };
  struct {
    const char *Name;
    Product Call;
  } Forms[] = {{"gemv", gemv}, {"gemv_in_place", gemv_in_place}, {"gemm", gemm}, {"by_rows", by_rows},
               {"by_at", by_at}, {"syrk", syrk}, {"on_other_side", on_other_side}, {"beside_zeros", beside_zeros}, {"in_int", InInt}, {"asserted", Asserted}};
  for (auto [m, n, k] : Sizes)
    for (auto [Name, Call] : Forms) {
      bool IsVector = !strncmp(Name, "gemv", 4), IsSyrk = !strcmp(Name, "syrk");
      Vector A = make(1, m * k), B = make(2, IsVector ? k : k * n),
             C = make(3, IsVector ? m : IsSyrk ? m * m : m * n);
      auto Of = [&, Name = Name](const char *How, size_t Short) {
        return std::string(Name) + "/" + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + How +
               std::to_string(Short);
      };
      for (size_t Short : {size_t(0), size_t(1), k + 1, m * k / 2})
        if (Vector Less(A.begin(), A.end() - (Short < A.size() ? Short : A.size())); true)
          run(Of("/a-", Short), C, [&] { Call(m * argc, n, k, Less, B, Result); });
      for (size_t Short : {size_t(1), n + 1, B.size() / 2})
        if (Vector Less(B.begin(), B.end() - (Short < B.size() ? Short : B.size())); true)
          run(Of("/b-", Short), C, [&] { Call(m * argc, n, k, A, Less, Result); });
      // Matrices that assert have no check of the last elements' address.
      for (size_t Short : {size_t(1), n + 1, C.size() / 2})
        if (Vector Less(C.begin(), C.end() - (Short < C.size() ? Short : C.size())); Call != Product(Asserted))
          run(Of("/c-", Short), Less, [&] { Call(m * argc, n, k, A, B, Result); });
    }
}
