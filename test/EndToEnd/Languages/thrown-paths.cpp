//===- thrown-paths.cpp - C++: Floyd and Warshall with checks that throw --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a form has made itself is destroyed where a check throws. Each form also gets matrices
// that are too short: it throws at the same element, and has stored the same until then.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=x86-64-v3

#include "endings.inc"
#include <cmath>

#define FORM __attribute__((noinline))
#define STEPS                                                                  \
  for (size_t k = 0; k < n; ++k)                                               \
    for (size_t i = 0; i < n; ++i)                                             \
      for (size_t j = 0; j < n; ++j)

static size_t Alive;
struct Guard {
  Guard() { ++Alive; }
  ~Guard() { --Alive; }
};

FORM void cleaned_up(size_t n, Vector &D) { // REPLACED
  std::string Name(n + 20, 'x');
  STEPS {
    double t = D.at(i * n + k) + D.at(k * n + j);
    if (t < D.at(i * n + j))
      D.at(i * n + j) = t;
  }
  Alive += Name.size() - n - 20;
}

FORM void owned(size_t n, Vector &D) { // REPLACED
  Guard Own;
  STEPS {
    double t = D.at(i * n + k) + D.at(k * n + j), d = D.at(i * n + j);
    if (d > t)
      D.at(i * n + j) = t;
  }
}

// The program goes on behind a check that fails.
FORM void caught(size_t n, Vector &D) { // MISSED: EarlyExit
  try {
    STEPS D.at(i * n + j) = fmin(D.at(i * n + j), D.at(i * n + k) + D.at(k * n + j));
  } catch (const std::exception &) {
    D[0] = -1;
  }
}

int main(int argc, char **) {
  struct {
    const char *Name;
    void (*Call)(size_t, Vector &);
  } Forms[] = {{"cleaned_up", cleaned_up}, {"owned", owned}, {"caught", caught}};
  for (size_t n : {0, 1, 2, 7, 31, 97})
    for (auto [Name, Call] : Forms)
      for (size_t Short : {size_t(0), size_t(1), n, n * n / 2}) {
        Vector D = make(n, n * n);
        if (Short >= D.size() && Short)
          continue;
        D.resize(D.size() - Short);
        run(std::string(Name) + "/" + std::to_string(n) + "-" + std::to_string(Short), D, [&, Call = Call] {
          Call(n * argc, Result);
          Result.push_back(double(Alive));
        });
      }
}
