//===- row-lengths.cpp - C++: rows that each say how long they are --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel runs if all rows are as long as the first one. If one is not, or has no
// elements, the source's loops do.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native -std=c++20
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=native -std=c++20 -ffp-contract=off

#include "forms.h"
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

// --- A matrix times a vector ---------------------------------------------------

FORM void indices(const Rows &A, const Vector &x, Vector &y) { // REPLACED
  for (size_t i = 0; i < A.size(); ++i)
    for (size_t k = 0; k < A[i].size(); ++k)
      y[i] += A[i][k] * x[k];
}

FORM void ranges(const Rows &A, const Vector &x, Vector &y) { // REPLACED
  size_t i = 0;
  for (const Vector &Row : A) {
    double Sum = 0;
    size_t k = 0;
    for (double a : Row)
      Sum += a * x[k++];
    y[i++] = Sum;
  }
}

FORM void iterators(const Rows &A, const Vector &x, Vector &y) { // REPLACED
  auto Sum = y.begin();
  for (auto Row = A.begin(); Row != A.end(); ++Row, ++Sum) {
    auto k = x.begin();
    for (auto a = Row->begin(); a != Row->end(); ++a, ++k)
      *Sum += *a * *k;
  }
}

FORM void layer(const Rows &A, const Vector &x, Vector &y) { // REPLACED
  for (size_t i = 0; i < A.size(); ++i) {
    double Sum = y[i];
    for (size_t k = 0; k < A[i].size(); ++k)
      Sum += A[i][k] * x[k];
    y[i] = Sum > 0 ? Sum : 0;
  }
}

FORM void transformed(const Rows &A, const Vector &x, Vector &y) { // REPLACED
  std::transform(A.begin(), A.end(), y.begin(), [&](const Vector &Row) { return std::inner_product(Row.begin(), Row.end(), x.begin(), 0.0); });
}

// --- A product of matrices -----------------------------------------------------

FORM void rows_of_a(const Rows &A, const Rows &B, Rows &C) { // REPLACED
  for (size_t i = 0; i < A.size(); ++i)
    for (size_t j = 0; j < B[0].size(); ++j)
      for (size_t k = 0; k < A[i].size(); ++k)
        C[i][j] += A[i][k] * B[k][j];
}

FORM void rows_of_b(const Rows &A, const Rows &B, Rows &C) { // REPLACED
  for (size_t i = 0; i < A.size(); ++i)
    for (size_t k = 0; k < B.size(); ++k)
      for (size_t j = 0; j < B[k].size(); ++j)
        C[i][j] += A[i][k] * B[k][j];
}

FORM void rows_of_c(const Rows &A, const Rows &B, Rows &C) { // REPLACED
  for (size_t i = 0; i < C.size(); ++i)
    for (size_t k = 0; k < B.size(); ++k)
      for (size_t j = 0; j < C[i].size(); ++j)
        C[i][j] += A[i][k] * B[k][j];
}

// --- Rows of which some are shorter ----------------------------------------------

enum Kind { Equal, LastIsShort, FirstIsShort, OneIsEmpty, AllAreEmpty, Growing, Few };

static Rows rows(int Matrix, int Count, int Length, Kind Is) {
  Rows Result(Is == Few ? std::min(Count, 3) : Count);
  for (int i = 0; i < (int)Result.size(); ++i) {
    int Own = Length;
    if ((Is == LastIsShort && i + 1 == Count) || (Is == FirstIsShort && i == 0))
      Own = Length - 1;
    if ((Is == OneIsEmpty && i == Count / 2) || Is == AllAreEmpty)
      Own = 0;
    if (Is == Growing)
      Own = std::min(i, Length);
    Result[i].resize(Own);
    for (int j = 0; j < Own; ++j)
      Result[i][j] = value(Matrix, i * Length + j);
  }
  return Result;
}

static void runVector(const char *Name, void (*Form)(const Rows &, const Vector &, Vector &)) {
  Vector x(K);
  for (int k = 0; k < K; ++k)
    x[k] = value(2, k);
  for (Kind Is : {Equal, LastIsShort, FirstIsShort, OneIsEmpty, AllAreEmpty, Growing, Few}) {
    Rows A = rows(1, M, K, Is);
    Vector y(M);
    for (int i = 0; i < M; ++i)
      y[i] = value(3, i);
    Form(A, x, y);
    for (int i = 0; i < M; ++i)
      show(Name, Is * M + i, &y[i], sizeof y[i]);
  }
}

static void runMatrix(const char *Name, void (*Form)(const Rows &, const Rows &, Rows &), int Varying) {
  for (Kind Is : {Equal, LastIsShort, FirstIsShort, OneIsEmpty, AllAreEmpty, Growing}) {
    Rows A = rows(1, M, K, Varying == 0 ? Is : Equal), B = rows(2, K, N, Varying == 1 ? Is : Equal), C = rows(3, M, N, Varying == 2 ? Is : Equal);
    Form(A, B, C);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < (int)C[i].size(); ++j)
        show(Name, (Is * M + i) * N + j, &C[i][j], sizeof C[i][j]);
  }
}

int main() {
  runVector("indices", indices);
  runVector("ranges", ranges);
  runVector("iterators", iterators);
  runVector("layer", layer);
  runVector("transformed", transformed);
  runMatrix("rows_of_a", rows_of_a, 0);
  runMatrix("rows_of_b", rows_of_b, 1);
  runMatrix("rows_of_c", rows_of_c, 2);
}
