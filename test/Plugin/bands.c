//===- bands.c - rows of a band, by thirds ----------------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The middle rows of a band are a product, or, if they make few steps, vectors of
// clang's own. The others are loops, and so are all rows if there are few.

// DEFINE: %{compile} = %clang --target=x86_64-linux-gnu -march=x86-64-v4 -O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -S -emit-llvm %s
// RUN: %{compile} -Rpass=tilesmith -Rpass-missed=tilesmith -o %t.ll 2> %t.remarks
// RUN: FileCheck %s < %t.ll
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %{compile} -ffp-contract=fast -Rpass-missed=tilesmith -o - 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %{compile} -Os -Rpass-missed=tilesmith -o - 2>&1 | FileCheck %s --check-prefix=FAST

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

// CHECK-LABEL: define {{.*}}@wide(
// CHECK:       icmp ult i64 %{{.*}}, 2147483648
// CHECK:       call i1 @wide.tilesmith(
// REMARK:      replaced 2-loop nest by GEMV f64 (A row-major, x moves along), MxK at run time
void wide(int n, int w, const double *a, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = MAX(0, i - w); k < MIN(n, i + w + 1); k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// One bound is enough.
// CHECK-LABEL: define {{.*}}@lower(
// CHECK:       call i1 @lower.tilesmith(
// REMARK:      replaced 2-loop nest by GEMV f32 (A row-major, x moves along), MxK at run time
void lower(long n, long w, const float *a, const float *x, float *y) {
  for (long i = 0; i < n; i++) {
    float s = 0;
    for (long k = MAX(0, i - w); k <= i; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// The matrix goes down a column, so addresses are no counters of the loop.
// REMARK:      replaced 2-loop nest by band of 3
void down_a_column(long n, long ld, const double *a, const double *x, double *y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = i > 1 ? i - 1 : 0; k < (i + 1 < n ? i + 2 : n); k++)
      s += a[(k - i + 1) * ld + i] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: define {{.*}}@three(
// CHECK:       @llvm.fmuladd.v4f64(
// REMARK:      replaced 2-loop nest by band of 3: first, middle and last rows apart, clang's vectors of rows
// FAST:        not replaced: each row has a few steps about a diagonal (a band)
void three(long n, const double *restrict a, const double *restrict x,
           double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = MAX(0, i - 1); k < MIN(n, i + 2); k++)
      s += a[i * 3 + 1 - i + k] * x[k];
    y[i] = s;
  }
}

// Columns go by: clang's loop over them is one of vectors.
// CHECK-LABEL: define {{.*}}@columns(
// CHECK-NOT:   .tilesmith
// REMARK:      not replaced: each row has a few steps about a diagonal (a band)
void columns(long n, long w, const double *restrict a, const double *restrict x,
             double *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = MAX(0, k - w); i < MIN(n, k + w + 1); i++)
      y[i] += a[k * (2 * w + 1) + w + i - k] * x[k];
}

// Elements of the vector are not adjacent.
// CHECK-LABEL: define {{.*}}@strided(
// CHECK-NOT:   .tilesmith
// REMARK:      not replaced: each row has a few steps about a diagonal (a band)
void strided(long n, long w, const double *restrict a, const double *restrict x,
             double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = MAX(0, i - w); k < MIN(n, i + w + 1); k++)
      s += a[i * n + k] * x[2 * k];
    y[i] = s;
  }
}

// The vector moves along without a bound: windows with weights of their own.
// CHECK-LABEL: define {{.*}}@weights(
// CHECK:       call i1 @weights.tilesmith(
// REMARK:      replaced 2-loop nest by GEMV f64 (A row-major, x moves along)
void weights(long n, long taps, const double *w, const double *x, double *y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < taps; k++)
      s += w[i * taps + k] * x[i + k];
    y[i] = s;
  }
}
