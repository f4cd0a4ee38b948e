//===- turned-tiles.c - which nests have turned tiles ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Of C = A' B', with all three column-major, A is adjacent along k and B along
// n. The mirrored product reads both in place, and turns tiles of C.

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} -march=znver4 -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// RUN: %{source} -march=haswell -o %t.avx2.ll
// RUN: %{plan} %t.avx2.ll 2>&1 | FileCheck %s
// Without masks, there is no path for small products.
// RUN: %{source} -march=nehalem -o %t.sse.ll
// RUN: %{plan} %t.sse.ll 2>&1 | FileCheck %s --check-prefix=NO
// AArch64 has no shuffles for it: tables of lanes would be loaded.
// RUN: %if aarch64-registered-target %{ %clang --target=aarch64-linux-gnu -O1 -S -emit-llvm %s -march=armv9-a -msve-vector-bits=512 -o %t.sve.ll && %{plan} %t.sve.ll 2>&1 | FileCheck %s --check-prefix=NO %}
// What is asked for is done.
// RUN: %{plan} -tilesmith-read-b=1 %t.ll 2>&1 | FileCheck %s --check-prefix=NO
// Tiles of a single column have no half.
// RUN: %{plan} -tilesmith-plan="packed tile=16x1" %t.ll 2>&1 | FileCheck %s --check-prefix=NO
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --check-prefix=KERNEL

#define NEST(c, a, b)                                                          \
  for (long j = 0; j < n; j++)                                                 \
    for (long i = 0; i < m; i++)                                               \
      for (long k = 0; k < p; k++)                                             \
        c += a * b

// NO-NOT:       turned tiles:
// CHECK-LABEL:  function 'transposed'
// CHECK:        turned tiles: if N is small, tiles are transposed in registers, as that spares packing A
// KERNEL-LABEL: define internal {{.*}}void @tilesmith.micro.8x4
// KERNEL-NOT:   tilesmith.columns
// KERNEL-LABEL: define internal {{.*}}void @tilesmith.micro.8x4.{{.*}}(ptr noalias readonly %A0, {{.*}}, i64 %rows, i64 %shared)
// KERNEL:       %[[LINES:.*]] = call <32 x double> @llvm.matrix.column.major.load.v32f64.i64({{.*}}, i32 4, i32 8) [ "tilesmith.columns"(i64 8) ]
// KERNEL-NEXT:  call <32 x double> @llvm.matrix.transpose.v32f64(<32 x double> %[[LINES]], i32 4, i32 8)
// KERNEL:       %[[TURNED:.*]] = call <32 x double> @llvm.matrix.transpose.v32f64(<32 x double> %{{.*}}, i32 8, i32 4)
// KERNEL:       call void @llvm.matrix.column.major.store.v32f64.i64(<32 x double> %[[TURNED]], {{.*}}, i32 4, i32 8) [ "tilesmith.columns"(i64 8), "tilesmith.skipped"(i64 %shared) ]
// KERNEL-LABEL: define internal {{.*}}void @tilesmith.micro.24x8.{{.*}}, i64 %rows, i64 %shared)
// KERNEL:       call <192 x double> @llvm.matrix.column.major.load.v192f64.i64({{.*}}, i32 8, i32 24) [ "tilesmith.columns"(i64 %rows) ]
// KERNEL:       call void @llvm.matrix.column.major.store.v192f64.i64({{.*}}, i32 8, i32 24) [ "tilesmith.columns"(i64 %rows) ]
// KERNEL-LABEL: define internal i1 @tilesmith.gemm(
// KERNEL:       turned:
// KERNEL:       br label %m
// KERNEL:       ret i1 true
// KERNEL:       direct:
void transposed(long m, long n, long p, const double *restrict a,
                const double *restrict b, double *restrict c) {
  NEST(c[j * m + i], a[i * p + k], b[k * n + j]);
}

// The same, seen from the other side: all are row-major.
// CHECK-LABEL:  function 'rows'
// CHECK:        turned tiles:
void rows(long m, long n, long p, const double *restrict a,
          const double *restrict b, double *restrict c) {
  NEST(c[i * n + j], a[k * m + i], b[j * p + k]);
}

// One of them is read in place already.
// CHECK-LABEL: function 'half'
// CHECK-NOT:   turned tiles:
void half(long m, long n, long p, const double *restrict a,
          const double *restrict b, double *restrict c) {
  NEST(c[j * m + i], a[k * m + i], b[k * n + j]);
}

// B is not adjacent along the rows of the mirrored tiles.
// CHECK-LABEL: function 'other'
// CHECK-NOT:   turned tiles:
void other(long m, long n, long p, const double *restrict a,
           const double *restrict b, double *restrict c) {
  NEST(c[j * m + i], a[i * p + k], b[j * p + k]);
}

// A must be packed, as its elements are computed.
// CHECK-LABEL: function 'scaled'
// CHECK-NOT:   turned tiles:
void scaled(long m, long n, long p, double alpha, const double *restrict a,
            const double *restrict b, double *restrict c) {
  NEST(c[j * m + i], (alpha * a[i * p + k]), b[k * n + j]);
}
