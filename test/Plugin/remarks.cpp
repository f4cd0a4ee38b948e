//===- remarks.cpp - which remarks there are, and where they stand --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{compile} = %clangxx -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith
// RUN: %{compile} 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %{compile} -mllvm -tilesmith-remarks=all 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL --implicit-check-not=remark:
// RUN: env TILESMITH='remarks=all' %{compile} 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL --implicit-check-not=remark:
// RUN: not %{compile} -mllvm -tilesmith-remarks=none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: tilesmith: value 'none' of Tilesmith option 'remarks' is not one of likely, all

#include "Inputs/library.h"

// A likely product stands at its own line.
void branch(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        // CHECK: :[[@LINE+1]]:{{.*}}: remark: matrix product not replaced: there is an 'if' inside the loops that changes what is computed; write a whole nest for each of its sides, or loops of its own in front of the product or behind it, with an array in between [-Rpass-missed=tilesmith]
        if (a[i * n + k] > 100)
          continue;
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
}

// The function that is called is named.
void progress(long);
void call(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++) {
    // CHECK: :[[@LINE+1]]:5: remark: matrix product not replaced: a function is called inside the loops ('progress(long)'); move it out, or make it inlinable [-Rpass-missed=tilesmith]
    progress(i);
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// No function is called, as far as the user sees.
void row_on_stack(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++) {
    double row[n];
    for (long j = 0; j < n; j++)
      row[j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        // CHECK: :[[@LINE+1]]:16: remark: matrix product not replaced: each row is summed in a buffer that is filled again for the next one; sum in a matrix that has a row for each (C itself, if it is no factor), and do what else is done with the rows in loops behind these [-Rpass-missed=tilesmith]
        row[j] += a[i * n + k] * b[k * n + j];
    for (long j = 0; j < n; j++)
      c[i * n + j] = row[j];
  }
}

// A loop over k that does not start at 0, and one that LLVM cannot rotate.
void triangle(long n, double *c, const double *a, const double *b, const long *end) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      // CHECK: :[[@LINE+1]]:{{.*}}: remark: matrix product not replaced:
      for (long k = i + j; k < end[i]; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// A matrix times a vector may stand in other loops.
void many_vectors(long m, long n, double *y, const double *a, const double *x) {
  for (long t = 0; t < m; t++)
    // CHECK: :[[@LINE+1]]:{{.*}}: remark: replaced 2-loop nest by GEMV f64 (A row-major), MxK
    for (long i = 0; i < n; i++)
      for (long k = 0; k < n; k++)
        y[i] += a[i * n + k] * x[k];
}

// Filters are no products of matrices, but they are replaced.
void filter(long n, long size, float *out, const float *image, const float *weights) {
  // CHECK: :[[@LINE+1]]:{{.*}}: remark: replaced 4-loop nest by filter f32
  for (long y = 0; y < n; y++)
    for (long x = 0; x < n; x++)
      for (long r = 0; r < size; r++)
        for (long s = 0; s < size; s++)
          out[y * n + x] += image[(y + r) * n + x + s] * weights[r * size + s];
}

void average(long n, long size, float scale, float *out, const float *image) {
  for (long y = 0; y < n; y++)
    for (long x = 0; x < n; x++)
      for (long r = 0; r < size; r++)
        // ALL: :[[@LINE+1]]:{{.*}}: remark: sum of products not replaced:
        out[y * n + x] += scale * image[(y + r) * n + x];
}

// What is inlined from another file stands where it is called.
void inlined(long n, double *c, const double *a, const double *b) {
  // CHECK: :[[@LINE+1]]:3: remark: matrix product not replaced: there is an 'if' {{.*}} (in function 'skipping', library.h:[[#]]) [-Rpass-missed=tilesmith]
  skipping(n, c, a, b);
  // CHECK: :[[@LINE+1]]:3: remark: replaced 3-loop nest {{.*}} (in function 'product', library.h:[[#]]) [-Rpass=tilesmith]
  product(n, c, a, b);
}

// Loops of one's own stand at their own lines, if only a part is inlined.
void accessors(long n, Rows c, Rows a, Rows b) {
  // CHECK: :[[@LINE+1]]:3: remark: replaced 3-loop nest by GEMM {{.*}}SSE [-Rpass=tilesmith]
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c.at(i, j) += a.at(i, k) * b.at(k, j);
}

void checked(long n, Rows c, Rows a, Rows b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        // CHECK: :[[@LINE+1]]:[[#]]: remark: matrix product not replaced: {{.*}} (in function 'log_at', library.h:[[#]]) [-Rpass-missed=tilesmith]
        c.at(i, j) += a.at(i, k) * b.log_at(k, j);
}

// Two copies of a function in this file have one remark, if not all are wanted.
static inline void copied(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++) {
    // CHECK: :[[@LINE+2]]:5: remark: matrix product not replaced: a function is called
    // ALL: :[[@LINE+1]]:5: remark: matrix product not replaced: a function is called
    progress(i);
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
void copy_1(long n, double *c, const double *a, const double *b) { copied(n, c, a, b); }
void copy_2(long n, double *c, const double *a, const double *b) { copied(n, c, b, a); }
