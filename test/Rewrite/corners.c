//===- corners.c - tiles at the diagonal that bounds steps ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The corner of a whole tile is made by a loop for each register of rows that the
// diagonal cuts. If steps are made from the diagonal on, there are more and more
// registers; if they are made to the diagonal, fewer and fewer. Where rows come from the
// last one, it is the other way round.

// REQUIRES: x86-registered-target
// DEFINE: %{flags} =
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -march=haswell -O1 -S -emit-llvm %s %{flags} -o %t.ll
// DEFINE: %{rewritten} = %opt -passes='tilesmith-rewrite<verify>' -tilesmith-code=fast -S %t.ll
// RUN: %{source} && %{rewritten} | FileCheck %s --check-prefixes=CUT,MORE
// REDEFINE: %{flags} = -DTO
// RUN: %{source} && %{rewritten} | FileCheck %s --check-prefixes=CUT,FEWER
// REDEFINE: %{flags} = -DDOWN
// RUN: %{source} && %{rewritten} | FileCheck %s --check-prefixes=CUT,MOREDOWN
// REDEFINE: %{flags} = -DTO -DDOWN
// RUN: %{source} && %{rewritten} | FileCheck %s --check-prefixes=CUT,FEWERDOWN

// CUT:            define internal {{.*}}@tilesmith.micro.8x4{{.*}}i64 %diagonal
// CUT:            define internal {{.*}}@tilesmith.micro.12x4{{.*}}i64 %diagonal
// MORE:           select <48 x i1> <{{((i1 true, ){4}(i1 false, ){8})}}i1 true
// MORE:           or <48 x i1> {{.*}} <{{((i1 false, ){4}(i1 true, ){8})}}i1 false
// MORE:           select <48 x i1> <{{((i1 true, ){8}(i1 false, ){4})}}i1 true
// MORE:           or <48 x i1> {{.*}} <{{((i1 true, ){4}(i1 false, ){4}(i1 true, ){4})}}
// MORE:           select <48 x i1> splat (i1 true)
// MORE:           or <48 x i1> {{.*}} <{{((i1 true, ){8}(i1 false, ){4})}}
// FEWER:          select <48 x i1> splat (i1 true)
// FEWER:          or <48 x i1> {{.*}} <{{((i1 false, ){4}(i1 true, ){8})}}
// FEWER:          select <48 x i1> <{{((i1 false, ){4}(i1 true, ){8})}}i1 false
// FEWER:          or <48 x i1> {{.*}} <{{((i1 true, ){4}(i1 false, ){4}(i1 true, ){4})}}
// FEWER:          select <48 x i1> <{{((i1 false, ){8}(i1 true, ){4})}}i1 false
// FEWER:          or <48 x i1> {{.*}} <{{((i1 true, ){8}(i1 false, ){4})}}
// MOREDOWN:       select <48 x i1> <{{((i1 false, ){8}(i1 true, ){4})}}i1 false
// MOREDOWN:       select <48 x i1> <{{((i1 false, ){4}(i1 true, ){8})}}i1 false
// MOREDOWN:       select <48 x i1> splat (i1 true)
// FEWERDOWN:      select <48 x i1> splat (i1 true)
// FEWERDOWN:      select <48 x i1> <{{((i1 true, ){8}(i1 false, ){4})}}i1 true
// FEWERDOWN:      select <48 x i1> <{{((i1 true, ){4}(i1 false, ){8})}}i1 true
// CUT:            ret void

#ifdef DOWN
#define ROWS long i = m - 1; i >= 0; i--
#else
#define ROWS long i = 0; i < m; i++
#endif
// Steps from the diagonal on, as rows are counted, which begin with the last one if they
// come from there.
#if defined(TO) && !defined(DOWN)
#define STEPS long k = 0; k < i; k++
#elif defined(TO)
#define STEPS long k = m - 1; k > i; k--
#elif defined(DOWN)
#define STEPS long k = i - 1; k >= 0; k--
#else
#define STEPS long k = i + 1; k < m; k++
#endif

void product(long m, long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long j = 0; j < n; j++)
    for (ROWS)
      for (STEPS)
        c[i + j * m] += a[i * m + k] * b[k + j * m];
}
