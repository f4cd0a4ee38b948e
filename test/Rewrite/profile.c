//===- profile.c - which path each nest took, and for how long ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Nothing is there unless it is asked for.
// RUN: %clang -O2 -S -emit-llvm -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=NONE
// NONE-NOT: tilesmith.profile
// NONE-NOT: clock_gettime

// A record for each nest, in one section; a destructor that the linker keeps once.
// RUN: %clang -O2 -S -emit-llvm -gline-tables-only -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-profile=1 %s -o - | FileCheck %s
// CHECK: $tilesmith.profile.print = comdat any
// CHECK: = private unnamed_addr constant {{.*}} c"{{.*}}profile.c:[[#@LINE + 32]]:3: gemm: GEMM f64 {{.*}}\00"
// CHECK: @tilesmith.profile = internal global { ptr, ptr, i64, {{.*}} section "tilesmith_profile", align 8
// CHECK: @__start_tilesmith_profile = extern_weak hidden global i8
// CHECK: @llvm.global_dtors = {{.*}} @tilesmith.profile.print, ptr @tilesmith.profile.print
// CHECK: define {{.*}} @gemm(
// CHECK: define linkonce_odr hidden void @tilesmith.profile.print() {{.*}}comdat

// Numbers of type int are extended as the ABI wants it.
// RUN: %clang --target=powerpc64le-linux-gnu -O2 -S -emit-llvm -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-profile=1 %s -o - | FileCheck %s --check-prefix=EXTENDED
// EXTENDED-DAG: call i32 @clock_gettime(i32 signext
// EXTENDED-DAG: call i32 (i32, ptr, ...) @dprintf(i32 signext 2,

// Where a program could not print, that is said.
// RUN: %clang --target=i686-linux-gnu -O2 -S -emit-llvm -fpass-plugin=%tilesmith \
// RUN:   -mllvm -tilesmith-profile=1 %s -o %t.ll 2>&1 | FileCheck %s --check-prefix=CANNOT
// RUN: FileCheck %s --check-prefix=NONE < %t.ll
// CANNOT: warning: tilesmith: option 'profile' does nothing for this target; it needs Linux with 64 bits

// Executed: two files, all kinds of paths, and the same results.
// DEFINE: %{profile} = %clang -O2 -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-profile=1
// RUN: %clang -O2 -c %s -o %t.stock.o
// RUN: %clang -O2 -DMAIN %s %t.stock.o -Wl,--wrap=malloc -o %t.stock && %t.stock > %t.expected
// RUN: %{profile} -c %s -o %t.o
// RUN: %{profile} -DMAIN %s %t.o -Wl,--wrap=malloc -o %t && %t > %t.got 2> %t.messages
// RUN: cmp %t.expected %t.got
// RUN: FileCheck %s --check-prefix=RUNS --input-file=%t.messages --implicit-check-not='never: GEMM'
// RUN: FileCheck %s --check-prefix=OPERATIONS --input-file=%t.messages
// RUN: grep -c 'tilesmith:' %t.messages | grep -x 9

#ifndef MAIN
__attribute__((noinline)) void gemm(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// RUNS-DAG: profile.c:[[#@LINE - 5]]:3: gemm: GEMM f64 {{.*}}{{[[:space:]]}}  kernel: 4 times, {{.*}} GFLOP/s{{[[:space:]]}}  loops: 5 times, {{.*}}; 4 too small, 0 assumption failed, 1 not safe, 0 given up
// OPERATIONS-DAG: 2097152 gemm
#else
#include "Inputs/paths.h"
#include <stdint.h>
#include <stdio.h>

enum { N = 64 };

void gemm(int n, const double *a, const double *b, double *c);

// RUNS-DAG: small: GEMM i32 {{.*}}{{[[:space:]]}}  kernel: 1 times, {{.*}} Gop/s{{[[:space:]]}}  loops: 0 times, {{.*}}; 0 too small, 0 assumption failed, 0 not safe, 0 given up
// OPERATIONS-DAG: 8192 small
__attribute__((noinline)) void small(const int (*a)[16], const int (*b)[16], int (*c)[16]) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 16; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// The second time, there is no memory.
// RUNS-DAG: apart: GEMM f64 {{.*}}{{[[:space:]]}}  kernel: 1 times, {{.*}}{{[[:space:]]}}  loops: 1 times, {{.*}}; 0 too small, 0 assumption failed, 0 not safe, 1 given up
// OPERATIONS-DAG: 524288 apart
// RUNS-DAG: after: GEMM f64 {{.*}}{{[[:space:]]}}  kernel: 1 times, {{.*}}{{[[:space:]]}}  loops: 0 times,
// OPERATIONS-DAG: 524288 after

/// 64 * 65 / 2 elements.
// RUNS-DAG: syrk: SYRK f64 {{.*}}{{[[:space:]]}}  kernel: 1 times,
// OPERATIONS-DAG: 266240 syrk
__attribute__((noinline)) void syrk(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * a[j * n + k];
}

/// As many steps as C has elements in the other triangle.
// RUNS-DAG: trmm: TRMM f64 {{.*}}{{[[:space:]]}}  kernel: 1 times,
// OPERATIONS-DAG: 266240 trmm
__attribute__((noinline)) void trmm(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = i; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/// Rows of 33 to 64 elements: 32 * 48.5.
// RUNS-DAG: strip: triangular GEMM f64 {{.*}}{{[[:space:]]}}  kernel: 1 times,
// OPERATIONS-DAG: 198656 strip
__attribute__((noinline)) void strip(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j <= i + 32; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/// The outer loop is none of the product: it runs three times.
// RUNS-DAG: batch: GEMM f64 {{.*}}{{[[:space:]]}}  kernel: 3 times,
// OPERATIONS-DAG: 1572864 batch
__attribute__((noinline)) void batch(int n, const double *a, const double *b, double *c) {
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[(t * n + i) * n + j] += a[(t * n + i) * n + k] * b[(t * n + k) * n + j];
}

/// A test in the source leads past the sums the second time.
// RUNS-DAG: chosen: GEMM f64 {{.*}}{{[[:space:]]}}  kernel: 1 times, {{.*}}{{[[:space:]]}}  loops: 2 times, {{.*}}; 1 too small, 1 assumption failed, 0 not safe, 0 given up
__attribute__((noinline)) void chosen(int n, int add, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] *= 0.5;
      if (add)
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/// As Profile.cpp lays it out.
struct Record {
  const char *name, *unit;
  uint64_t runs[5], loop_time, kernel_time, operations;
};
extern struct Record __start_tilesmith_profile[] __attribute__((weak, visibility("hidden")));
extern struct Record __stop_tilesmith_profile[] __attribute__((weak, visibility("hidden")));

static const char *function_of(const char *name) {
  for (int colons = 0; colons < 3; name++)
    colons += *name == ':';
  return name + 1;
}

int main(int argc, char **argv) {
  static double A[3 * N * N], B[3 * N * N], C[3 * N * N], D[N * N];
  static int Signs[N * N], IA[16][16], IB[16][16], IC[16][16];
  for (int i = 0; i < 3 * N * N; i++)
    A[i] = i % 17 * 0.3 - 1, B[i] = i % 13 * 0.7 - 3, C[i] = i % 11;
  for (int i = 0; i < 16 * 16; i++)
    IA[i / 16][i % 16] = i * 77, IB[i / 16][i % 16] = i * i;
  for (int n = 1; n < 5; n++)
    gemm(n, A, B, C); // too small
  for (int i = 0; i < 4; i++)
    gemm(N, A, B, C);
  gemm(N, C, B, C); // overlaps
  small(IA, IB, IC);
  apart(N, A, B, C, Signs);
  after(N, A, B, C, D);
  syrk(N, A, C);
  trmm(N, A, B, C);
  strip(N, A, B, C);
  batch(N, A, B, C);
  chosen(N, 1, A, B, C);
  chosen(N, 0, A, B, C);
  chosen(2, 1, A, B, C);
  if (argc > 1)
    never(N, A, B, C);
  Fails = 1;
  apart(N, A, B, C, Signs);
  Fails = 0;
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum = sum * 0.99 + C[i] + D[i] + Signs[i] + IC[i / 16 % 16][i % 16];
  printf("%a\n", sum);
  for (const struct Record *r = __start_tilesmith_profile; r != __stop_tilesmith_profile; r++)
    fprintf(stderr, "%llu %.6s\n", (unsigned long long)r->operations, function_of(r->name));
}
#endif
