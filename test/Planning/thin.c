//===- thin.c - which nests have a kernel for few columns -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A factor whose rows are adjacent along k is not packed for a few columns of
// the other one: its rows are transposed in registers.

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} -march=znver5 -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s --check-prefixes=CHECK,LONG
// RUN: %{source} -march=haswell -o %t.avx2.ll
// RUN: %{plan} %t.avx2.ll 2>&1 | FileCheck %s --check-prefixes=CHECK,SHORT
// RUN: %opt -passes=tilesmith-rewrite -S %t.avx2.ll | FileCheck %s --check-prefix=FEW
// Without an instruction that multiplies and adds, registers of 256 bits have floats only.
// RUN: %{source} -march=sandybridge -o %t.avx.ll
// RUN: %{plan} %t.avx.ll 2>&1 | FileCheck %s --check-prefix=AVX
// RUN: %{plan} -tilesmith-code=small %t.avx2.ll 2>&1 | FileCheck %s --check-prefix=SMALL
// What is asked for is done.
// RUN: %{plan} -tilesmith-read-a=1 -tilesmith-read-b=1 %t.ll 2>&1 | FileCheck %s --check-prefix=NO
// Without masks, there is no path for small products.
// RUN: %{source} -march=nehalem -o %t.sse.ll
// RUN: %{plan} %t.sse.ll 2>&1 | FileCheck %s --check-prefix=NO
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --check-prefix=KERNEL
// RUN: %{source} -march=znver4 -o %t.zen4.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.zen4.ll | FileCheck %s --check-prefix=HALVES
// RUN: %{plan} %t.zen4.ll 2>&1 | FileCheck %s --check-prefix=ZEN4

#define NEST(c, a, b)                                                          \
  for (long i = 0; i < m; i++)                                                 \
    for (long j = 0; j < n; j++)                                               \
      for (long k = 0; k < p; k++)                                             \
        c += a * b

// NO-NOT:       thin kernels:
// CHECK-LABEL:  function 'rows'
// CHECK:        thin kernels: for M <= 4 if K >= 64, 8 if K >= {{64|128}}, and N >= 64: rows of the other factor are transposed in registers
// B is copied, a step's elements side by side.
// KERNEL-LABEL: define internal i1 @tilesmith.thin(
// KERNEL:         step.body:
// KERNEL-COUNT-4:   store float
// KERNEL:         k.body:
// KERNEL-COUNT-32:  load <8 x float>
// KERNEL-COUNT-64:  call contract <16 x float> @llvm.fmuladd.v16f32(
// With many columns, one vector of rows at a time has as many sums.
// KERNEL-LABEL: define internal i1 @tilesmith.thin.{{[0-9]+}}(
// KERNEL-COUNT-8:   store float
// KERNEL:         k.body:
// KERNEL-COUNT-16:  load <8 x float>
// KERNEL-COUNT-64:  call contract <16 x float> @llvm.fmuladd.v16f32(
// Where 512 bits are two halves in turn, few columns have registers of 256. So few steps are made
// at a time that there is room for panels of two columns, with four vectors of rows.
// HALVES-LABEL: define internal i1 @tilesmith.thin(
// HALVES:         [[TWO:%.*]] = icmp ule i64 %N, 2
// HALVES-NEXT:    br i1 [[TWO]], label %narrow, label %narrow.else
// HALVES:       {{^}}k.body:
// HALVES-COUNT-32:  load <4 x float>
// HALVES-COUNT-32:  call contract <8 x float> @llvm.fmuladd.v8f32(
// HALVES-NOT:       call contract
// HALVES:       {{^}}k.end:
// HALVES:       {{^}}panel{{[0-9]+}}:
// HALVES:       {{^}}k.body{{[0-9]+}}:
// HALVES-COUNT-16:  load <4 x float>
// HALVES-COUNT-32:  call contract <8 x float> @llvm.fmuladd.v8f32(
// HALVES-NOT:       call contract
// HALVES:       {{^}}k.end{{[0-9]+}}:
// HALVES-LABEL: define internal i1 @tilesmith.thin.{{[0-9]+}}(
// HALVES-NOT:     narrow
// HALVES:         call contract <16 x float> @llvm.fmuladd.v16f32(
// KERNEL-LABEL: define internal i1 @tilesmith.gemm(
// KERNEL:         br i1 %{{.*}}, label %thin, label %not.thin
// KERNEL:       thin:
// KERNEL-NEXT:    [[NARROW:%.*]] = icmp ule i64 %M, 4
// KERNEL-NEXT:    br i1 [[NARROW]], label %[[SUITS:.*]], label %{{.*}}
// KERNEL:       [[SUITS]]:
// KERNEL-NEXT:    call i1 @tilesmith.thin(
// With many columns, tiles of 512 bits are as fast up to 127 steps, but not where these are halves.
// KERNEL:         icmp uge i64 %K, 128
// KERNEL:         call i1 @tilesmith.thin.{{[0-9]+}}(
// HALVES-LABEL: define internal i1 @tilesmith.gemm(
// HALVES-NOT:     icmp uge i64 %K, 128
// HALVES:         call i1 @tilesmith.thin.{{[0-9]+}}(
void rows(long m, long n, long p, const float *restrict a,
          const float *restrict b, float *restrict c) {
  NEST(c[i * n + j], a[i * p + k], b[k * n + j]);
}

// AVX:          thin kernels: for M <= 4 if
// CHECK-LABEL:  function 'doubles'
// AVX-LABEL:    function 'doubles'
// AVX-NOT:      thin kernels:
// AVX-LABEL:    function 'mixed'
// Two registers of four doubles hold a row of eight columns of C.
// CHECK:        thin kernels: for M <= 4 if
// With 16 registers, two and four columns have two vectors of rows under way.
// FEW-LABEL:    define internal i1 @tilesmith.gemm{{.*}}(
// FEW-LABEL:    define internal i1 @tilesmith.thin{{.*}}(
// FEW:            [[TWO:%.*]] = icmp ule i64 %N, 2
// FEW-NEXT:       br i1 [[TWO]], label %narrow, label %narrow.else
// FEW:          {{^}}k.body:
// FEW-COUNT-8:      load <2 x double>
// FEW-NOT:          load <2 x double>
// FEW-COUNT-8:      call contract <4 x double> @llvm.fmuladd.v4f64(
// FEW:          {{^}}panel{{[0-9]+}}:
// FEW:          {{^}}k.body{{[0-9]+}}:
// FEW-COUNT-8:      load <2 x double>
// FEW-NOT:          load <2 x double>
// FEW-COUNT-16:     call contract <4 x double> @llvm.fmuladd.v4f64(
// FEW-NOT:          call contract
// FEW:          {{^}}k.end{{[0-9]+}}:
void doubles(long m, long n, long p, const double *restrict a,
             const double *restrict b, double *restrict c) {
  NEST(c[i * n + j], a[i * p + k], b[k * n + j]);
}

// Both factors are adjacent along k, and columns of C are vectors.
// CHECK-LABEL:  function 'mixed'
// CHECK:        thin kernels: for N <= 4 if K >= {{[0-9]+}}, 8 if
// Few rows of floats leave registers of C empty as well.
// CHECK-NEXT:   thin kernels: for M <= 4 if
// Panels of the kernel for eight columns have six of them, or all.
// FEW-LABEL:    define internal i1 @tilesmith.thin.
// FEW-LABEL:    define internal i1 @tilesmith.thin.
// FEW:            [[SIX:%.*]] = icmp ule i64 %N, 6
// FEW-NEXT:       br i1 [[SIX]], label %narrow, label %narrow.else
// FEW-LABEL:    define internal i1 @tilesmith.gemm
// FEW:            icmp uge i64 %K, 80
// FEW:            br i1 %{{.*}}, label %thin, label %not.thin
// FEW:          {{^}}not.thin:
// FEW-NEXT:       icmp ule i64 %M, 4
// FEW:            br i1 %{{.*}}, label %thin{{[0-9]+}}, label %not.thin{{[0-9]+}}
// Small code has one vector of rows under way, or two of doubles.
// SMALL-LABEL:  function 'mixed'
// SMALL-NOT:    thin kernels: for N
// SMALL-LABEL:  function 'mixed_doubles'
// SMALL:        thin kernels: for N <= 4 if
void mixed(long m, long n, long p, const float *restrict a,
           const float *restrict b, float *restrict c) {
  NEST(c[j * m + i], a[i * p + k], b[j * p + k]);
}

// No row of C is in registers.
// CHECK-LABEL:  function 'mixed_doubles'
// AVX-LABEL:    function 'mixed_doubles'
// AVX-NOT:      thin kernels:
// AVX-LABEL:    function 'three'
// LONG:         thin kernels: for N <= 4 if
// SHORT:        thin kernels: for N <= 4 if K >= {{[0-9]+}}, 8 if
// ZEN4-LABEL:   function 'mixed_doubles'
// ZEN4:         thin kernels: for N <= 4 if
void mixed_doubles(long m, long n, long p, const double *restrict a,
                   const double *restrict b, double *restrict c) {
  NEST(c[j * m + i], a[i * p + k], b[j * p + k]);
}

// CHECK-LABEL:  function 'three'
// CHECK:        thin kernels: for M <= 4 if
void three(long m, long p, const float *restrict a, const float *restrict b,
           float *restrict c) {
  enum { n = 3 };
  NEST(c[i * n + j], a[i * p + k], b[k * n + j]);
}

// Columns of A are vectors, and read in place.
// CHECK-LABEL:  function 'columns'
// CHECK-NOT:    thin kernels:
void columns(long m, long n, long p, const float *restrict a,
             const float *restrict b, float *restrict c) {
  NEST(c[j * m + i], a[k * m + i], b[k * n + j]);
}

// Many columns are known.
// CHECK-LABEL:  function 'many'
// CHECK-NOT:    thin kernels:
void many(long m, long p, const float *restrict a, const float *restrict b,
          float *restrict c) {
  enum { n = 100 };
  NEST(c[i * n + j], a[i * p + k], b[k * n + j]);
}

// As many columns as steps.
// CHECK-LABEL:  function 'square'
// CHECK-NOT:    thin kernels:
void square(long m, long n, const float *restrict a, const float *restrict b,
            float *restrict c) {
  const long p = n;
  NEST(c[i * n + j], a[i * p + k], b[k * n + j]);
}

// Few steps are known.
// CHECK-LABEL:  function 'short_sums'
// CHECK-NOT:    thin kernels:
void short_sums(long m, long n, const float *restrict a,
                const float *restrict b, float *restrict c) {
  enum { p = 32 };
  NEST(c[i * n + j], a[i * p + k], b[k * n + j]);
}

// A factor is scaled.
// CHECK-LABEL:  function 'scaled'
// CHECK-NOT:    thin kernels:
void scaled(long m, long n, long p, float alpha, const float *restrict a,
            const float *restrict b, float *restrict c) {
  NEST(c[i * n + j], (alpha * a[i * p + k]), b[k * n + j]);
}

// Of three known columns of C, clang makes one chain after the other; of two, vectors.
// CHECK-LABEL:  function 'known_three'
// CHECK:        thin kernels: for M <= 4 if
// CHECK:        break-even: M*N*K >= 216, M*N >= 6, M >= 2
void known_three(long m, long p, const float *restrict a,
                 const float *restrict b, float *restrict c) {
  const long n = 3;
  NEST(c[i * n + j], a[i * p + k], b[j * p + k]);
}

// CHECK-LABEL:  function 'known_two'
// CHECK-NEXT:   not replaced: TooSmall
void known_two(long m, long p, const float *restrict a, const float *restrict b,
               float *restrict c) {
  const long n = 2;
  NEST(c[i * n + j], a[i * p + k], b[j * p + k]);
}
