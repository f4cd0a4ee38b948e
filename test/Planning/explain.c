//===- explain.c - why a plan is as it is, a line for each choice ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{options} =
// DEFINE: %{print} = %opt -passes='print<tilesmith-plan>' -disable-output %{options} %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O1 -march=znver4 -S -emit-llvm %s -o %t.ll
// RUN: %{print}
// REDEFINE: %{options} = -tilesmith-plan='tile=16x4 kc=64 pack-b=always min-work=8'
// RUN: %{print} --check-prefix=GIVEN
// REDEFINE: %{options} = -tilesmith-mr=8 -tilesmith-mc=8 -tilesmith-read-a=1
// RUN: %{print} --check-prefix=OPTIONS
// REDEFINE: %{options} = -tilesmith-plan=unpacked
// RUN: %{print} --check-prefix=UNPACKED
// REDEFINE: %{options} = -tilesmith-plan='pack-a=n>5 pack-b=m>5000'
// RUN: %{print} --check-prefix=KNOWN

#define FOR(i, n) for (long i = 0; i < n; i++)

// The kernel computes a row-major C as the columns of its transpose, so this
// matrix a is the kernel's B.
void plain(long m, long n, long p, const double *a, const double *b,
           double *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, p)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
// CHECK-LABEL: function 'plain'
// CHECK-NEXT: packed, 24x8 micro kernel, AVX-512, mirrored
// CHECK-NEXT: {{^}}  plan: packed tile=24x8+16x8 mc=168 nc=2048 kc=256
// CHECK-NEXT: {{^}}  tile: 24 sums, 3 of A and 1 more take 28 of 32 registers; 24 multiply-adds for 11 loads{{$}}
// CHECK-NEXT: {{^}}  second tile: 16 rows, where 24 would leave a last panel of one vector{{$}}
// CHECK-NEXT: {{^}}  edge: nothing is padded: vectors overlap or are masked{{$}}
// CHECK-NEXT: {{^}} thin kernels: for M <= 4 if K >= 64, and N >= 64: rows of the other factor are transposed in registers{{$}}
// CHECK-NEXT: {{^}}  direct path: without blocks, if there is one only, and operands are read in place or small{{$}}
// CHECK-NEXT: {{^}}  kc: a sliver of B takes 16 KiB, 50 % of L1 (aim: 50 %, but at most 2 KiB of a column){{$}}
// CHECK-NEXT: {{^}}  mc: a block of A takes 336 KiB, 32 % of L2 (aim: 33 %, but at most 2048 rows){{$}}
// CHECK-NEXT: {{^}}  nc: a panel of B takes 4096 KiB, 100 % of L3 (aim: 50 %, but 2048 to 8192 columns){{$}}
// CHECK-NEXT: {{^}}  A: packed if N > 240, as a copy then costs less than the uses; or if more than a few tiles need it and a block's steps are spread over more than 786432 bytes, as caches and the TLB have an end{{$}}
// CHECK-NEXT: {{^}}  B: packed if M > 384, as a copy then costs less than the uses; or
// CHECK-NEXT: {{^}}  break-even: M*N*K >= 125, M >= 2; below, clang's loops are as fast{{$}}

// GIVEN-LABEL: function 'plain'
// GIVEN: {{^}}  tile (given): 8 sums, 2 of A and 1 more take 11 of 32 registers
// GIVEN: {{^}}  kc (given): a sliver of B takes 2 KiB
// GIVEN-NEXT: {{^}}  mc: a block of A
// GIVEN-NEXT: {{^}}  nc: a panel of B
// GIVEN-NEXT: {{^}}  A: packed if N > 120
// GIVEN-NEXT: {{^}}  B (given): packed{{$}}
// GIVEN-NEXT: {{^}}  break-even (given): M*N*K >= 8{{$}}

// OPTIONS-LABEL: function 'plain'
// OPTIONS: {{^}}  tile (given): 8 sums
// OPTIONS: {{^}}  kc: a sliver
// OPTIONS-NEXT: {{^}}  mc (given): a block of A takes 16 KiB
// OPTIONS-NEXT: {{^}}  nc: a panel
// OPTIONS-NEXT: {{^}}  A (given): packed{{$}}
// OPTIONS-NEXT: {{^}}  B: packed if M > 128

// UNPACKED-LABEL: function 'plain'
// UNPACKED: {{^}}  A (given): read in place{{$}}
// UNPACKED-NEXT: {{^}}  B (given): read in place{{$}}

// What cannot be read in place is packed, whatever is asked for.
void scaled(long m, long n, long p, double alpha, const double *a,
            const double *b, double *c) {
  FOR(i, m)
    FOR(j, n)
      FOR(k, p)
        c[i * n + j] += alpha * a[i * p + k] * b[j * p + k];
}
// UNPACKED-LABEL: function 'scaled'
// UNPACKED: {{^}}  A: packed, as it is not adjacent along the tile's rows{{$}}
// UNPACKED-NEXT: {{^}}  B: packed, as its elements are computed{{$}}

void known(long p, const double *a, const double *b, double *c) {
  FOR(i, 600)
    FOR(j, 200)
      FOR(k, p)
        c[i * 200 + j] += a[i * p + k] * b[k * 200 + j];
}
// CHECK-LABEL: function 'known'
// CHECK: {{^}}  A: packed, as N is more than 240{{$}}
// CHECK-NEXT: {{^}}  B: packed if more than a few tiles need it and a block's steps are spread over more than 786432 bytes, as caches and the TLB have an end{{$}}
// KNOWN-LABEL: function 'known'
// KNOWN: {{^}}  A (given): packed, as N is more than 5{{$}}
// KNOWN-NEXT: {{^}}  B (given): read in place, as M is at most 5000{{$}}

// A diagonal that bounds the steps leaves no masks.
void triangle(long n, const double *a, const double *b, double *c) {
  FOR(i, n)
    FOR(j, n)
      FOR(k, i)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CHECK-LABEL: function 'triangle'
// CHECK:      {{^}}  edge: panels are padded, as elements are too small for masks, or a diagonal bounds the steps{{$}}
// CHECK-NEXT: {{^}}  kc:

// Sums of all rows are kept, as C is needed behind them.
void bounded(long m, long n, double x, const double *a, const double *b, double *c) {
  FOR(i, m)
    FOR(j, n) {
      double s = 0;
      FOR(k, i)
        s += a[i * m + k] * b[k * n + j];
      c[i * n + j] = x * c[i * n + j] + b[i * n + j] * a[i * m + i] + s;
    }
}
// CHECK-LABEL: function 'bounded'
// CHECK:       plan: packed {{.*}} nc=512 kc=256
// CHECK:       {{^}}  nc: {{.*}} (aim: 512 columns, as sums of all rows are kept){{$}}
