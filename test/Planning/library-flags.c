//===- library-flags.c - when the flags allow a library's order -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{strategy} = blas
// DEFINE: %{compile} = %clang -O2 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-strategy=%{strategy} -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1
// DEFINE: %{reassociate} = -fassociative-math -fno-signed-zeros -fno-trapping-math

// RUN: %{compile} -ffast-math | FileCheck %s --check-prefixes=FIRST,SECOND --implicit-check-not='not used'
// RUN: %{compile} %{reassociate} -ffp-contract=fast | FileCheck %s --check-prefixes=FIRST,SECOND --implicit-check-not='not used'
// FIRST: replaced 3-loop nest by cblas_dgemm({{.*}}): GEMM f64
// SECOND: replaced 3-loop nest by cblas_dgemm({{.*}}): GEMM f64

// One statement may be fused without that flag, not alpha and what it scales.
// RUN: %{compile} %{reassociate} | FileCheck %s --check-prefixes=FIRST,FUSION
// RUN: %{compile} -ffast-math -ffp-contract=off | FileCheck %s --check-prefix=FUSION
// FUSION: library not used: the loops were compiled without -ffp-contract=fast (contract), and a library fuses multiplications and additions

// RUN: %{compile} -ffp-contract=fast | FileCheck %s --check-prefix=ORDER
// RUN: %{compile} | FileCheck %s --check-prefix=ORDER
// REDEFINE: %{strategy} = eigen
// RUN: %{compile} | FileCheck %s --check-prefix=ORDER
// ORDER: replaced 3-loop nest by GEMM f64 {{.*}}: packed,
// ORDER: library not used: the loops were compiled without -ffast-math (reassoc and nsz), and a library adds in another order
// ORDER: replaced 3-loop nest by GEMM f64 {{.*}}: packed,
// ORDER: library not used: the loops were compiled without -ffast-math

// Nothing is said of libraries unless one is asked for.
// REDEFINE: %{strategy} = packed
// RUN: %{compile} | FileCheck %s --check-prefix=PACKED --implicit-check-not='not used'
// PACKED-COUNT-2: replaced 3-loop nest by GEMM f64 {{.*}}: packed,

// The plan says it, too.
// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-plan>' -tilesmith-strategy=blas -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: %clang -O1 -ffast-math -S -emit-llvm %s -o %t.fast.ll
// RUN: %opt -passes='print<tilesmith-plan>' -tilesmith-strategy=blas -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=FAST
// PLAN: GEMM f64 {{.*}}: packed, {{.*}} micro kernel
// PLAN-NEXT: no library: LibraryOrder: the loops
// FAST: GEMM f64 {{.*}}: cblas_dgemm({{Row|Col}}Major, NoTrans, NoTrans), from M*N*K = 512

void product(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void factor(long n, double alpha, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}
