//===- tuning.c - plans from a table --------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{options} = -tilesmith-tuning=%S/Inputs/znver4.tuning
// DEFINE: %{print} = %opt -passes='print<tilesmith-plan>' -disable-output %{options} %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O1 -march=znver4 -S -emit-llvm %s -o %t.ll
// RUN: %{print}
// RUN: env TILESMITH='tuning=%S/Inputs/znver4.tuning' %opt -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s

// A plan that is given goes before the table, and that before other options.
// REDEFINE: %{options} = -tilesmith-tuning=%S/Inputs/znver4.tuning -tilesmith-plan=kc=77 -tilesmith-mr=8
// RUN: %{print} --check-prefix=GIVEN

// On another target, or without a table, nothing is tuned.
// RUN: %clang -O1 -march=haswell -S -emit-llvm %s -o %t.ll
// REDEFINE: %{options} = -tilesmith-tuning=%S/Inputs/znver4.tuning
// RUN: %{print} --check-prefix=OTHER
// REDEFINE: %{options} =
// RUN: %{print} --implicit-check-not=tuning --check-prefix=NONE

// As clang does it, with remarks.
// RUN: %clang -O3 -march=znver4 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-tuning=%S/Inputs/znver4.tuning -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=REMARK

#define FOR(i, n) for (long i = 0; i < n; i++)

void plain(long m, long n, long p, const double *a, const double *b,
           double *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, p)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
// CHECK-LABEL: function 'plain'
// CHECK-NEXT: MxNxK at run time: packed, 16x8 micro kernel, AVX-512, tuned, mirrored
// CHECK-NEXT: {{^}}  plan: packed tile=16x8 mc={{[0-9]+}} nc={{[0-9]+}} kc=100
// CHECK-NEXT: {{^}}  tuning: as for 'GEMM f64 512 *x*x* mmk'{{$}}
// CHECK-NEXT: {{^}}  tile (given): 16 sums
// CHECK:      {{^}}  kc (given):
// GIVEN-LABEL: function 'plain'
// GIVEN: plan: packed tile=16x8 mc={{[0-9]+}} nc={{[0-9]+}} kc=77
// GIVEN-NEXT: tuning: as for 'GEMM f64 512 *x*x* mmk'
// OTHER-LABEL: function 'plain'
// OTHER: plan: packed tile=12x4
// OTHER-NEXT: tuning: no entry for 'GEMM f64 256 *x*x* mmk'
// NONE-LABEL: function 'plain'
// NONE: plan: packed tile=12x4
// REMARK: tuning.c:[[@LINE-19]]:3: remark: replaced 3-loop nest by GEMM f64 {{.*}}: packed, 16x8 micro kernel, AVX-512, tuned

// A column-major product is the same one, once the other is mirrored.
void columns(long m, long n, long p, const double *a, const double *b,
             double *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, p)
        c[i + j * m] += a[i + k * m] * b[k + j * p];
}
// CHECK-LABEL: function 'columns'
// CHECK: tuning: as for 'GEMM f64 512 *x*x* mmk'

// The most specific entry wins.
void thin(long m, long n, const double *a, const double *b, double *c) {
  FOR(i, m)
    FOR(j, 8)
      FOR(k, n)
        c[i * 8 + j] += a[i * n + k] * b[k * 8 + j];
}
// CHECK-LABEL: function 'thin'
// CHECK: plan: packed tile=8x8
// CHECK-NEXT: tuning: as for 'GEMM f64 512 8x*x* mmk'

void large(const double *a, const double *b, double *c) {
  FOR(i, 100)
    FOR(j, 200)
      FOR(k, 300)
        c[i * 200 + j] += a[i * 300 + k] * b[k * 200 + j];
}
// CHECK-LABEL: function 'large'
// CHECK: plan: packed tile=24x4
// CHECK-NEXT: tuning: as for 'GEMM f64 512 200x100x300 mmk'

// A run-time plan is not for small constants.
void small(const double *a, const double *b, double *c) {
  FOR(i, 16)
    FOR(j, 32)
      FOR(k, 48)
        c[i * 32 + j] += a[i * 48 + k] * b[k * 32 + j];
}
// CHECK-LABEL: function 'small'
// CHECK: plan: small tile=8x8
// CHECK-NEXT: tuning: no entry for 'GEMM f64 512 32x16x48 mmk'

// What cannot be done here is not.
void unusable(long m, long n, long p, const float *a, const float *b,
              float *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, p)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
// CHECK-LABEL: function 'unusable'
// CHECK-NEXT: packed, 48x8 micro kernel, AVX-512, mirrored
// CHECK-NEXT: plan: packed tile=48x8
// CHECK-NEXT: tuning: not as for 'GEMM f32 512 *x*x* mmk': PlanTile: the tile
// REMARK: replaced 3-loop nest by GEMM f32 {{.*}}: packed, 48x8 micro kernel, AVX-512 [-Rpass
// REMARK: remark: tuning table not used: the tile
