//===- shortest-paths.c - Floyd and Warshall ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Steps over one matrix, in the spellings of real programs: all bytes are those that
// clang gives, for sizes around the edges of blocks, with positive and negative
// cycles, infinities, NaN, zeros of either sign, and integers that wrap.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=double -g
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int -fwrapv
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -mno-avx512f -DT=long -fwrapv
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -DT=unsigned
// RUN: %{compare}
// REDEFINE: %{flags} = -O1 -march=native
// RUN: %{compare}
// CHECK-COUNT-8: replaced 3-loop nest {{.*}}by pairwise reduction
// CHECK:         replaced 3-loop nest {{.*}}by GEMM
// CHECK:         replaced 3-loop nest {{.*}}by pairwise reduction

#ifndef T
#define T float
#endif
#include "Inputs/paths.h"
#include <sys/mman.h>

#define LEAST(x, y) \
  _Generic((T)0, float: fminf, double: fmin, default: least)(x, y)
static T least(T x, T y) { return x < y ? x : y; }

// The element is stored only where it changes.
void by_if(long n, long ld, T *d) {
  FOR(k) FOR(i) FOR(j)
    if (d[i * ld + j] > d[i * ld + k] + d[k * ld + j])
      d[i * ld + j] = d[i * ld + k] + d[k * ld + j];
}
// PolyBench's.
void by_choice(long n, long ld, T d[][ld]) {
  FOR(k) FOR(i) FOR(j)
    d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
void by_function(long n, long ld, T d[][ld]) {
  FOR(k) FOR(i) FOR(j) d[i][j] = LEAST(d[i][j], d[i][k] + d[k][j]);
}
void of_int(int n, int ld, T d[][ld]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        T path = d[i][k] + d[k][j];
        if (path < d[i][j])
          d[i][j] = path;
      }
}
void columns_outside(long n, long ld, T d[][ld]) {
  FOR(k) FOR(j) FOR(i)
    d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
void column_major(long n, long ld, T d[][ld]) {
  FOR(k) FOR(j) FOR(i)
    if (d[k][i] + d[j][k] < d[j][i])
      d[j][i] = d[k][i] + d[j][k];
}
void widest(long n, long ld, T d[][ld]) {
  FOR(k) FOR(i) FOR(j) {
    T width = d[i][k] < d[k][j] ? d[i][k] : d[k][j];
    d[i][j] = d[i][j] > width ? d[i][j] : width;
  }
}
// The order of the steps shows in each bit.
void any_function(long n, long ld, T d[][ld]) {
  FOR(k) FOR(i) FOR(j) {
    T path = d[i][k] - d[k][j];
    d[i][j] = path < d[i][j] ? path : d[i][j];
  }
}
void all_paths(long n, long ld, T d[][ld]) {
  FOR(k) FOR(i) FOR(j) d[i][j] += d[i][k] * d[k][j];
}
static T fixed[100][104];
void of_constant_size(T d[100][104]) {
  for (int k = 0; k < 100; k++)
    for (int i = 0; i < 100; i++)
      for (int j = 0; j < 100; j++)
        if (d[i][j] > d[i][k] + d[k][j])
          d[i][j] = d[i][k] + d[k][j];
}

int main(void) {
  static const int Sizes[] = {1, 2, 7, 23, 24, 31, 32, 33, 64, 65, 100, 129, 192, 200};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++)
    for (long more = 0; more < 8; more += 5)
      for (int kind = 0; kind < 5; kind++) {
        long n = Sizes[s], ld = n + more, elements = n * ld;
        T *d = malloc(elements * sizeof(T));
        printf("%ld %ld %d\n", n, ld, kind);
        RUN(by_if) RUN(by_choice) RUN(by_function) RUN(of_int) RUN(columns_outside)
        RUN(column_major) RUN(widest) RUN(any_function) RUN(all_paths)
        free(d);
      }
  // Rows that overlap.
  T d[70 * 70];
  for (long ld = 0; ld < 70; ld += 23) {
    fill(d, 70 * 70, 0);
    by_choice(70, ld, (void *)d);
    print("overlap", d, 70 * 70);
  }
  // Nothing becomes shorter, so nothing may be stored.
  T *constant = mmap(0, 200 * 200 * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(constant, 200 * 200 * sizeof(T), PROT_READ);
  by_if(200, 200, constant);
  of_int(200, 200, (void *)constant);
  for (int kind = 0; kind < 5; kind++) {
    fill(fixed[0], 100 * 104, kind);
    of_constant_size(fixed);
    print("fixed", fixed[0], 100 * 104);
  }
  return 0;
}
