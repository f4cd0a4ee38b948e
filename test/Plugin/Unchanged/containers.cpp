//===- containers.cpp - C++ library code is left alone --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

std::map<std::string, int> count(const std::vector<std::string> &words) {
  std::map<std::string, int> result;
  for (const std::string &word : words)
    ++result[word];
  return result;
}

void sort_rows(std::vector<std::vector<double>> &rows) {
  for (auto &row : rows)
    std::sort(row.begin(), row.end());
}

double mean(const std::vector<float> &x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / x.size();
}

template <typename T> struct Grid {
  std::vector<T> data;
  size_t columns;
  T &operator()(size_t i, size_t j) { return data[i * columns + j]; }
};

void smooth(Grid<float> &g, size_t rows) {
  for (size_t i = 1; i + 1 < rows; i++)
    for (size_t j = 1; j + 1 < g.columns; j++)
      g(i, j) = (g(i - 1, j) + g(i + 1, j) + g(i, j - 1) + g(i, j + 1)) / 4;
}
