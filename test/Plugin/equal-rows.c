//===- equal-rows.c - rows that each say how long they are ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -march=x86-64-v4 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s

struct Row {
  double *Begin, *End;
};

struct Counted {
  long Capacity;
  double *Elements;
  long Length;
};

// All rows must be as long as the first one, which is looked at if there are rows.
// CHECK-LABEL: @ends(
// CHECK: call i1 @{{.*}}.tilesmith(
void ends(const struct Row *a, long m, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    long k = 0;
    for (const double *p = a[i].Begin; p != a[i].End; p++)
      s += *p * x[k++];
    y[i] = s;
  }
}

// CHECK-LABEL: @counted(
// CHECK: call i1 @{{.*}}.tilesmith(
void counted(const struct Counted *a, long m, const double *restrict x, double *restrict y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < a[i].Length; k++)
      s += a[i].Elements[k] * x[k];
    y[i] = s;
  }
}

// The rows' own lengths may be changed by what is stored.
// CHECK-LABEL: @changed(
// CHECK-NOT: .tilesmith(
// CHECK: ret void
void changed(const struct Counted *a, long m, const long *x, long *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < a[i].Length; k++)
      s += a[i].Elements[k] * x[k];
    y[i] = s;
  }
}

// An array of lengths is made for rows of different lengths.
// CHECK-LABEL: @lengths(
// CHECK-NOT: .tilesmith(
// CHECK: ret void
void lengths(const long *length, long m, long n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < length[i]; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}
