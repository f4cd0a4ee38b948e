//===- lanes.c - batches that are in lanes --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// If C and both factors are adjacent along a batch, registers extend over it.

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} -march=znver4 -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// RUN: %{source} -march=haswell -o %t.avx2.ll
// RUN: %{plan} %t.avx2.ll 2>&1 | FileCheck %s --check-prefix=AVX2
// What is asked for is done, or refused.
// RUN: %{plan} -tilesmith-plan="lanes tile=2x4 pack-a=never min-work=1" %t.ll 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: %{plan} -tilesmith-plan="lanes tile=8x8" %t.ll 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %{plan} -tilesmith-plan=packed %t.ll 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --check-prefix=KERNEL

#define AT(x, i, j) x[((i) * n + (j)) * batch + l]

// CHECK-LABEL:  function 'innermost'
// CHECK:        a batch in lanes, 4x4 micro kernel, AVX-512
// CHECK-NEXT:   plan: lanes tile=4x4 mc={{[0-9]+}} nc=512 kc=128 pack-a=n>8|span>786432 pack-b=m>8|span>786432 min-work=2048 min-mn=9 min-k=2
// CHECK-NEXT:   tile: 16 sums, 4 of A and 1 more take 21 of 32 registers; 16 multiply-adds for 8 loads
// CHECK-NEXT:   lanes: 8 values of outer dimension 1 of 1, along which all operands are adjacent
// CHECK-NEXT:   otherwise: packed, 24x8 micro kernel, AVX-512: if there are fewer
// CHECK-NEXT:   blocks: a block of A takes
// CHECK-NEXT:   break-even:
// AVX2-LABEL:   function 'innermost'
// AVX2:         plan: lanes tile=3x4
// AVX2:         lanes: 4 values
// ASKED-LABEL:  function 'innermost'
// ASKED:        plan: lanes tile=2x4 {{.*}}pack-a=never
// LARGE-LABEL:  function 'innermost'
// LARGE:        PlanRegisters
// PACKED-LABEL: function 'innermost'
// PACKED:       plan: packed
// KERNEL-LABEL: define internal void @tilesmith.lanes.4x4(
// KERNEL-COUNT-16: call contract <8 x double> @llvm.fmuladd.v8f64(
// KERNEL-NOT:   @llvm.fmuladd
// KERNEL-LABEL: define internal i1 @tilesmith.gemm
// KERNEL:       few.lanes:
// KERNEL-NEXT:  call i1 @tilesmith.gemm
void innermost(long n, long batch, double *restrict c, const double *restrict a,
               const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        for (long l = 0; l < batch; l++)
          AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
}

// The product alone would be found, too: but its elements are far apart.
// CHECK-LABEL:  function 'outermost'
// CHECK:        plan: lanes
void outermost(long n, long batch, double *restrict c, const double *restrict a,
               const double *restrict b) {
  for (long l = 0; l < batch; l++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) {
        double s = 0;
        for (long k = 0; k < n; k++)
          s += AT(a, i, k) * AT(b, k, j);
        AT(c, i, j) = s;
      }
}

// The steps of the inner loop of a sum are side by side in a panel with those of
// the next one.
// CHECK-LABEL:  function 'sums'
// CHECK:        plan: lanes
// CHECK:        lanes: 8 values of outer dimension 1 of 2
void sums(long n, long width, long batch, double *restrict c,
          const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long q = 0; q < n; q++)
        for (long k = 0; k < width; k++)
          for (long l = 0; l < batch; l++)
            AT(c, i, j) += a[((i * n + q) * n + k) * batch + l] *
                           b[((q * n + k) * n + j) * batch + l];
}

// Eight values fill the registers: there is nothing else to be done.
// CHECK-LABEL:  function 'interleaved'
// CHECK:        plan: lanes
// CHECK-NOT:    otherwise:
// CHECK:        break-even:
void interleaved(long blocks, double (*restrict c)[9][9][8],
                 double (*restrict a)[9][9][8], double (*restrict b)[9][9][8]) {
  for (long q = 0; q < blocks; q++)
    for (long i = 0; i < 9; i++)
      for (long j = 0; j < 9; j++)
        for (long k = 0; k < 9; k++)
          for (long l = 0; l < 8; l++)
            c[q][i][j][l] += a[q][i][k][l] * b[q][k][j][l];
}

// Two do not.
// CHECK-LABEL:  function 'pairs'
// CHECK:        plan: packed
// AVX2-LABEL:   function 'pairs'
// AVX2:         plan: packed
void pairs(long n, double *restrict c, const double *restrict a,
           const double *restrict b) {
  const long batch = 2;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        for (long l = 0; l < batch; l++)
          AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
}

// Tiles of few elements move C for little.
// CHECK-LABEL:  function 'tiny'
// CHECK:        TooSmall
void tiny(long batch, double *restrict c, const double *restrict a,
          const double *restrict b) {
  const long n = 2;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        for (long l = 0; l < batch; l++)
          AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
}

// No batch is adjacent.
// CHECK-LABEL:  function 'rows'
// CHECK:        plan: packed
// ASKED-LABEL:  function 'rows'
// ASKED:        PlanNoLanes
void rows(long n, double *restrict c, const double *restrict a,
          const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
