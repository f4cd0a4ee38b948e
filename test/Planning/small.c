//===- small.c - plans for small constant sizes ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang -O1 -fno-unroll-loops -march=znver4 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s
// A plan that has been printed can be given.
// RUN: %opt -passes='print<tilesmith-plan>' -disable-output %t.ll -tilesmith-plan='small tile=4x8 min-work=64 min-mn=4 min-k=8' 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: function 'short_columns_many_steps'
// GIVEN: in place, 4x8 micro kernel
// GIVEN-NEXT: plan: small tile=4x8 min-work=64 min-mn=4 min-k=8
// RUN: %clang -O1 -fno-unroll-loops -march=haswell -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=AVX2

#define NEST(m, n, p, A)                                                       \
  for (int i = 0; i < m; i++)                                                  \
    for (int j = 0; j < n; j++)                                                \
      for (int k = 0; k < p; k++)                                              \
        c[i * n + j] += A * b[k * n + j]

typedef const double *restrict In;
typedef double *restrict InOut;

// Of few steps, A stays in registers (the matrix b here, as C is row-major).
// CHECK-LABEL: function 'few'
// CHECK:       in place, 16x2 micro kernel
// CHECK:       tile: 4 sums, 16 of A and 1 more take 21 of 32 registers
// CHECK:       A: all columns are kept in registers
void few(In a, In b, InOut c) { NEST(16, 16, 8, a[i * 8 + k]); }

// They would take all of the 16 registers that there are, or leave one row.
// AVX2-LABEL:  function 'few'
// AVX2:        in place, 12x4 micro kernel
// AVX2:        A: read in place

// A column of half a register needs no longer one.
// CHECK-LABEL: function 'half'
// CHECK:       in place, 4x2 micro kernel
void half(In a, In b, InOut c) { NEST(8, 4, 4, a[i * 4 + k]); }

// Storing C takes the time.
// CHECK-LABEL: function 'two_steps'
// CHECK:       in place, 16x1 micro kernel
void two_steps(In a, In b, InOut c) { NEST(64, 64, 2, a[i * 2 + k]); }

// Too little to do.
// CHECK-LABEL: function 'tiny'
// CHECK:       not replaced: TooSmall
void tiny(In a, In b, InOut c) { NEST(3, 3, 3, a[i * 3 + k]); }

// Columns of two elements are not worth it, unless there are many steps, and
// there is no other factor that is adjacent along the rows beside them.
// CHECK-LABEL: function 'short_columns'
// CHECK:       not replaced: TooSmall
void short_columns(In a, In b, InOut c) { NEST(16, 2, 4, a[i * 4 + k]); }
// CHECK-LABEL: function 'short_columns_many_steps'
// CHECK:       in place, 4x8 micro kernel
// CHECK-NEXT:  plan: small tile=4x8 min-work=64 min-mn=4 min-k=8
void short_columns_many_steps(In a, In b, InOut c) {
  NEST(16, 2, 16, a[i * 16 + k]);
}
// CHECK-LABEL: function 'short_columns_long_rows'
// CHECK:       not replaced: TooSmall
void short_columns_long_rows(In a, In b, InOut c) {
  NEST(16, 2, 16, a[k * 16 + i]);
}

// Few registers, a ragged column: worth it only if the operands may overlap.
// AVX2-LABEL:  function 'ragged'
// AVX2:        not replaced: TooSmall
// AVX2-LABEL:  function 'ragged_overlapping'
// AVX2:        in place
void ragged(In a, In b, InOut c) { NEST(5, 5, 5, a[i * 5 + k]); }
void ragged_overlapping(const double *a, const double *b, double *c) {
  NEST(5, 5, 5, a[i * 5 + k]);
}

// Three rows of three steps (C is row-major, so rows are columns here): clang
// keeps all of the other factor in its registers.
// AVX2-LABEL:  function 'few_rows_few_steps'
// AVX2:        not replaced: TooSmall
// AVX2-LABEL:  function 'few_rows'
// AVX2:        in place
void few_rows_few_steps(In a, In b, InOut c) { NEST(3, 64, 3, a[i * 3 + k]); }
void few_rows(In a, In b, InOut c) { NEST(3, 64, 8, a[i * 8 + k]); }

// Two columns, of rows at run time: masks take their time. With AVX2 even more.
// CHECK-LABEL: function 'two_columns'
// CHECK:       min-k=4{{$}}
// AVX2-LABEL:  function 'two_columns'
// AVX2:        min-k=16{{$}}
void two_columns(int m, int p, In a, In b, InOut c) {
  NEST(m, 2, p, a[i * p + k]);
}

// At run time, columns may be as short; but the chains of clang's sums take longer.
// CHECK-LABEL: function 'some_columns'
// CHECK:       min-m=2{{$}}
// AVX2-LABEL:  function 'some_columns'
// AVX2:        min-m=2 min-k=2{{$}}
void some_columns(int m, int n, int p, const double *restrict a,
                  const double *restrict b, double *restrict c) {
  NEST(m, n, p, a[i + k * m]);
}

// Where clang makes vectors along N, masks pay from four rows on.
// CHECK-LABEL: function 'some_columns_in_turn'
// CHECK:       min-m=2 min-n=2 min-k=4{{$}}
// AVX2-LABEL:  function 'some_columns_in_turn'
// AVX2:        min-m=4 min-n=2 min-k=6{{$}}
void some_columns_in_turn(int m, int n, int p, const double *restrict a,
                          const double *restrict b, double *restrict c) {
  for (int k = 0; k < p; k++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i + k * m] * b[k * n + j];
}
