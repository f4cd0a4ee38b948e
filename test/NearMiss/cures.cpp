//===- cures.cpp - near misses of C++, and their cures --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// See cures.c.

// RUN: %python %S/Inputs/cures.py "%clang --driver-mode=g++" %tilesmith %s -std=c++20

#include <algorithm>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <vector>

using std::vector;
using Rows = vector<vector<double>>;

// EXPECT Allocation: rows that grow
Rows grown(const Rows &a, const Rows &b, size_t n) {
  Rows c;
  for (size_t i = 0; i < n; i++) {
    vector<double> row;
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      row.push_back(s); // <-
    }
    c.push_back(row); // <-
  }
  return c;
}

Rows grown_cured(const Rows &a, const Rows &b, size_t n) {
  Rows c(n, vector<double>(n));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
  return c;
}

// EXPECT Allocation: a row that is made anew, and copied
void row_each(size_t n, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < n; i++) {
    vector<double> row(n); // <-
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++)
        row[j] += a[i * n + k] * b[k * n + j];
    std::copy(row.begin(), row.end(), c + i * n);
  }
}

void row_each_cured(size_t n, const double *a, const double *b, double *c) {
  vector<double> rows(n * n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++)
        rows[i * n + j] += a[i * n + k] * b[k * n + j];
  std::copy(rows.begin(), rows.end(), c);
}

// EXPECT EarlyExit: throws at a negative element
void throws(size_t n, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++) {
        if (a[i * n + k] < 0) // <-
          throw std::runtime_error("negative");
        s += a[i * n + k] * b[k * n + j];
      }
      c[i * n + j] = s;
    }
}

void throws_cured(size_t n, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < n * n; i++)
    if (a[i] < 0)
      throw std::runtime_error("negative");
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT EarlyExit: a handler for each element
void handled(size_t n, const vector<double> &a, const vector<double> &b, vector<double> &c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      try {
        double s = 0;
        for (size_t k = 0; k < n; k++)
          s += a.at(i * n + k) * b.at(k * n + j); // <-
        c.at(i * n + j) = s;
      } catch (const std::out_of_range &) {
        c[0] = -1;
      }
    }
}

void handled_cured(size_t n, const vector<double> &a, const vector<double> &b, vector<double> &c) {
  if (a.size() < n * n || b.size() < n * n || c.size() < n * n)
    return;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Call: each element is printed
void printed(size_t n, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
      std::cout << s << ' '; // <-
    }
    std::cout << '\n';
  }
}

void printed_cured(size_t n, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      std::cout << c[i * n + j] << ' ';
    std::cout << '\n';
  }
}

struct Sink {
  virtual void set(size_t i, size_t j, double value) = 0;
};

// EXPECT Call: a virtual function stores
void virtual_store(size_t n, const double *a, const double *b, Sink &c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c.set(i, j, s); // <-
    }
}

void virtual_store_cured(size_t n, const double *a, const double *b, Sink &c) {
  vector<double> sums(n * n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      sums[i * n + j] = s;
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      c.set(i, j, sums[i * n + j]);
}

// EXPECT Branch: steps of a mask of bits
void bit_mask(size_t n, const vector<bool> &use, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      if (use[k]) // <-
        for (size_t j = 0; j < n; j++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void bit_mask_cured(size_t n, const vector<bool> &use, const double *a, const double *b, double *c, double *used) {
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < n; j++)
      used[k * n + j] = use[k] ? b[k * n + j] : 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * used[k * n + j];
}
