//===- stream.c - plans for a matrix times a vector -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} -march=znver5 -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// Where 512 bits are two halves in turn, registers of the half for rows.
// RUN: %{source} -march=znver4 -o %t.halves.ll
// RUN: %{plan} %t.halves.ll 2>&1 | FileCheck %s --check-prefix=HALVES
// RUN: %{source} -march=haswell -o %t.avx2.ll
// RUN: %{plan} %t.avx2.ll 2>&1 | FileCheck %s --check-prefix=AVX2
// RUN: %{source} -o %t.sse.ll
// RUN: %{plan} %t.sse.ll 2>&1 | FileCheck %s --check-prefix=SSE
// What is asked for is done, or refused.
// RUN: %{plan} -tilesmith-plan="stream tile=32x4 min-work=1" %t.ll 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: %{plan} -tilesmith-plan="stream tile=12x4" %t.ll 2>&1 | FileCheck %s --check-prefix=RAGGED
// Of products of matrices only.
// RUN: %{plan} -tilesmith-plan="tile=24x8 min-work=500" %t.ll 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL:  function 'rows'
// CHECK:        GEMV f64 (A row-major), MxK at run time: streamed, 16x8 at a time, AVX-512
// CHECK-NEXT:   plan: stream tile=16x8 min-work=160 min-m=8 min-k=8
// CHECK-NEXT:   tile: 2 vectors of sums, 8 steps at a time
// CHECK-NEXT:   A: loaded along its rows, and transposed in registers
// CHECK-NEXT:   break-even: M*N*K >= 160, M >= 8, K >= 8
// HALVES-LABEL: function 'rows'
// HALVES:       plan: stream tile=16x8 min-work=160 min-m=4 min-k=8
// HALVES-NEXT:  tile: 4 vectors of sums, 8 steps at a time
// AVX2-LABEL:   function 'rows'
// AVX2:         plan: stream tile=16x2 min-work=160 min-m=4 min-k=8
// ASKED-LABEL:  function 'rows'
// ASKED:        plan: stream tile=32x4 min-work=1
// RAGGED-LABEL: function 'rows'
// RAGGED:       PlanTile
// OTHER-LABEL:  function 'rows'
// OTHER:        plan: stream tile=16x8 min-work=500
void rows(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL:  function 'columns'
// CHECK:        plan: stream tile=64x8 min-work=256 min-m=16 min-k=8
// CHECK:        A: loaded along its columns
// AVX2-LABEL:   function 'columns'
// AVX2:         plan: stream tile=16x8 min-work=160 min-m=8 min-k=8
void columns(long m, long n, const float *a, const float *x, float *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[k * m + i] * x[k];
}

// HALVES-LABEL: function 'columns'
// HALVES:       plan: stream tile=64x8 min-work=256 min-m=16 min-k=8
// CHECK-LABEL:  function 'strided'
// CHECK:        A: loaded element by element
void strided(long m, long n, const float *a, const float *x, float *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[(i * n + k) * 3] * x[k];
}

// Finding rows takes as long as some steps, where two are made at a time.
// CHECK-LABEL:  function 'table'
// CHECK:        GEMV f64 (A table of rows), MxK at run time: streamed, 16x8 at a time, AVX-512
// CHECK-NEXT:   plan: stream tile=16x8 min-work=160 min-m=8 min-k=8
// CHECK:        A: found through a table, loaded along its rows, and transposed in registers
// SSE-LABEL:    function 'table'
// SSE:          plan: stream tile=16x2 min-work=160 min-m=2 min-k=24
void table(long m, long n, double **a, const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[i][k] * x[k];
}

// CHECK-LABEL:  function 'table_of_columns'
// CHECK:        GEMV f64 (A table of columns), MxK at run time
// CHECK:        A: found through a table, loaded along its columns
void table_of_columns(long m, long n, double **a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[k][i] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL:  function 'table_and_rows'
// CHECK:        not replaced: RowTable
void table_and_rows(long m, long n, double **a, const double *b,
                    const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[k][i] * x[k] + b[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL:  function 'integers'
// CHECK:        not replaced: VectorizedSum
void integers(long m, long n, const int *a, const int *x, int *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL:  function 'integer_columns'
// CHECK:        plan: stream
void integer_columns(long m, long n, const int *a, const int *x, int *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[k * m + i] * x[k];
}

// clang loads and stores y for each column.
// CHECK-LABEL:  function 'by_columns'
// CHECK:        plan: stream tile={{[0-9]+x8}} {{.*}}min-k=16{{$}}
void by_columns(long m, long n, const double *restrict a,
                const double *restrict x, double *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < m; i++)
      y[i] += a[k * m + i] * x[k];
}

// CHECK-LABEL:  function 'few_columns'
// CHECK:        not replaced: TooSmall
void few_columns(long m, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < 12; k++)
      y[i] += a[i * 12 + k] * x[k];
}

// A product of matrices has no stream.
// ASKED-LABEL:  function 'matrices'
// ASKED:        PlanNoStream
void matrices(long n, double *restrict c, const double *restrict a,
              const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// What stays in registers is as fast.
// CHECK-LABEL:  function 'few_rows_by_columns'
// CHECK:        not replaced: VectorizedSum
void few_rows_by_columns(long n, const double *restrict a,
                         const double *restrict x, double *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < 256; i++)
      y[i] += a[k * 256 + i] * x[k];
}

// Rows that are used in both directions: half of them lag behind by as many steps as are
// made at a time, which are few.
// CHECK-LABEL:  function 'both_ways'
// CHECK:        tile: 2 vectors of sums, 16 steps at a time
// HALVES-LABEL: function 'both_ways'
// HALVES:       tile: 2 vectors of sums, 8 steps at a time
void both_ways(long n, const float *restrict a, const float *restrict x,
               float *restrict y) {
  for (long i = 0; i < n; i++) {
    float sum = 0;
    for (long k = 0; k < i; k++) {
      y[k] += x[i] * a[i * n + k];
      sum += a[i * n + k] * x[k];
    }
    y[i] += sum + a[i * n + i] * x[i];
  }
}
