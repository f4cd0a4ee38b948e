//===- formula.cpp - remarks name the operands of C++ ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{compile} = %clangxx -O2 -mavx2 -mfma -g -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith
// RUN: %{compile} 2>&1 | FileCheck %s --check-prefixes=CHECK,PART --implicit-check-not=replaced
// RUN: %{compile} -fstandalone-debug 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL --implicit-check-not=replaced

#include <cstddef>
#include <vector>

struct Matrix {
  int n;
  double *d;
  double &operator()(int i, int j) { return d[i * n + j]; }
  double operator()(int i, int j) const { return d[i * n + j]; }
};

// CHECK: replaced 3-loop nest 'c.d[i*c.n + j] += a.d[i*a.n + k] * b.d[k*b.n + j]' by GEMM f64 (A row-major
void objects(const Matrix &a, const Matrix &b, Matrix &c) {
  for (int i = 0; i < c.n; i++)
    for (int j = 0; j < c.n; j++)
      for (int k = 0; k < c.n; k++)
        c(i, j) += a(i, k) * b(k, j);
}

// CHECK: replaced 3-loop nest 'c[i*n + j] = sum(a[i*n + k] * b[k*n + j])' by
void vectors(size_t n, const std::vector<double> &a, const std::vector<double> &b, std::vector<double> &c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// The distance of two rows is that of two std::vector: of which size, debug information of this file need not say.
// PART: replaced 3-loop nest by
// ALL: replaced 3-loop nest 'c[i][j] += a[i][k] * b[k][j]' by
using Rows = std::vector<std::vector<double>>;
void rows(size_t n, const Rows &a, const Rows &b, Rows &c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

struct Layer {
  float w[64][32];
  int n;
  float x[100][64];
  void run(float (*out)[32]) const {
    for (int i = 0; i < n; i++)
      for (int o = 0; o < 32; o++)
        for (int k = 0; k < 64; k++)
          out[i][o] += x[i][k] * w[k][o];
  }
};

// The names are those of the function in which the loops are written.
// CHECK: replaced 3-loop nest 'out[i][o] += this->x[i][k] * this->w[k][o]' by
void inlined(const Layer &layer, float (*result)[32]) { layer.run(result); }
