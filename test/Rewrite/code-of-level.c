//===- code-of-level.c - small kernels at -O2, fast ones at -O3 -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86-registered-target
// DEFINE: %{compile} = %clang --target=x86_64-linux-gnu -march=skylake-avx512 -S -emit-llvm -fpass-plugin=%tilesmith %s -o -

// Two registers of rows, and two, four, six or eight columns; nothing for whole
// tiles, or strided ones. LLVM's passes are kept out of kernels, and code generation
// is not.
// RUN: %{compile} -O2 | FileCheck %s --check-prefix=SMALL --implicit-check-not='define internal {{.*}}x{{[1357]}}(' --implicit-check-not='define internal {{.*}}@tilesmith.{{(tile|copy|micro.16x8.1)\(}}' --implicit-check-not=optnone --implicit-check-not=shielded
// RUN: %{compile} -O3 -mllvm -tilesmith-code=small | FileCheck %s --check-prefix=SMALL
// SMALL: define internal {{.*}} @tilesmith.thin(
// SMALL: define internal preserve_nonecc void @tilesmith.micro(
// SMALL-NEXT: switch i64 %{{.*}} [
// SMALL-NEXT: i64 3, label %[[LOW:.*]]
// SMALL-NEXT: i64 4, label %[[LOW]]
// SMALL-COUNT-12: i64
// SMALL-NEXT: i64 17, label %[[WHOLE:.*]]
// SMALL-NEXT: i64 18, label %[[WHOLE]]
// SMALL-NEXT: ]

// As many kernels as there are tiles, and one for whole ones that are packed.
// RUN: %{compile} -O3 | FileCheck %s --check-prefix=FAST --implicit-check-not=optnone --implicit-check-not=shielded --implicit-check-not='define internal {{.*}}@tilesmith.{{(tile|copy)\(}}'
// RUN: %{compile} -O2 -mllvm -tilesmith-code=fast | FileCheck %s --check-prefix=FAST
// FAST: define internal preserve_nonecc void @tilesmith.micro.24x8.1(
// FAST: define internal {{.*}} @tilesmith.thin(
// FAST: define internal preserve_nonecc void @tilesmith.micro(
// FAST-NEXT: switch i64 %{{.*}} [
// FAST-NEXT: i64 3, label %[[LOW:.*]]
// FAST-NOT: label %[[LOW]]
// FAST: i64 26, label
// FAST-NEXT: ]

// Tiles of which C's columns may begin between elements are made in a buffer.
// RUN: %{compile} -O2 -DODD | FileCheck %s --check-prefix=ODD
// RUN: %{compile} -O3 -DODD | FileCheck %s --check-prefix=ODD
// ODD: define internal void @tilesmith.tile(
void f(long m, long n, long p, const double *a, const double *b,
#ifdef ODD
       char *c, long row) {
#define C(i, j) *(double *)(c + (i) * row + (j) * 8)
#else
       double *c) {
#define C(i, j) c[(i) * n + (j)]
#endif
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        C(i, j) += a[i * p + k] * b[k * n + j];
}
