//===- predecessors.c - Floyd and Warshall, with a second matrix ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Steps over one matrix that store an element of another one, too: all bytes of both are
// those that clang gives. The second one is touched where the loops touch it only.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2> %t.remarks \
// DEFINE:   && FileCheck %s < %t.remarks && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=double -g
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int -fwrapv
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -mno-avx512f -DT=long -DP=int -fwrapv
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -ffp-contract=fast -march=native -DT=double -DP=long
// RUN: %{compare}
// CHECK-COUNT-9: replaced 3-loop nest by steps over one matrix with another beside it
// CHECK-NOT:     replaced

#ifndef T
#define T float
#endif
#ifndef P
#define P int
#endif
#include "Inputs/paths.h"
#include <sys/mman.h>

#define PATHS(name) __attribute__((noinline)) void name(long n, long ld, T d[][ld], P p[][ld + 3])
#define SHORTER(d, x, y, z) \
  if (x + y < z) { \
    z = x + y;
#define END }

PATHS(last) {
  FOR(k) FOR(i) FOR(j) SHORTER(d, d[i][k], d[k][j], d[i][j])
    p[i][j] = p[k][j];
  END
}
PATHS(next) {
  FOR(k) FOR(i) FOR(j) SHORTER(d, d[i][k], d[k][j], d[i][j])
    p[i][j] = p[i][k];
  END
}
PATHS(between) {
  FOR(k) FOR(i) FOR(j) SHORTER(d, d[i][k], d[k][j], d[i][j])
    p[i][j] = k + 1;
  END
}
PATHS(columns_outside) {
  FOR(k) FOR(j) FOR(i) if (d[i][j] > d[i][k] + d[k][j]) {
    p[i][j] = p[k][j];
    d[i][j] = d[i][k] + d[k][j];
  }
}
PATHS(column_major) {
  FOR(k) FOR(i) FOR(j) SHORTER(d, d[k][i], d[j][k], d[j][i])
    p[j][i] = p[k][i];
  END
}
PATHS(existing) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k] != 9999 && d[k][j] != 9999 && d[i][k] + d[k][j] < d[i][j]) {
      d[i][j] = d[i][k] + d[k][j];
      p[i][j] = p[i][k];
    }
}
PATHS(kept) {
  FOR(k) FOR(i) {
    T first = d[i][k];
    if (first == 9999)
      continue;
    FOR(j) SHORTER(d, first, d[k][j], d[i][j])
      p[i][j] = p[k][j];
    END
  }
}
PATHS(skipped) {
  FOR(k) FOR(i) if (d[i][k] < 9999)
    FOR(j) SHORTER(d, d[i][k], d[k][j], d[i][j])
      p[i][j] = p[k][j];
    END
}
PATHS(or_equal) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k] + d[k][j] <= d[i][j]) {
      d[i][j] = d[i][k] + d[k][j];
      p[i][j] = p[k][j];
    }
}

#define BOTH(name) \
  { \
    fill(d, elements, kind); \
    for (long i = 0; i < others; i++) \
      p[i] = i * 7 + kind; \
    name(n, ld, (void *)d, (void *)p); \
    unsigned long sum = 0; \
    for (long i = 0; i < others; i++) \
      sum = sum * 31 + (unsigned long)p[i]; \
    print(#name, d, elements); \
    printf("%lx\n", sum); \
  }

int main(void) {
  static const int Sizes[] = {1, 7, 24, 33, 64, 65, 130};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++)
    for (long more = 0; more < 8; more += 5)
      for (int kind = 0; kind < 5; kind++) {
        long n = Sizes[s], ld = n + more, elements = n * ld, others = n * (ld + 3);
        T *d = malloc(elements * sizeof(T));
        P *p = malloc(others * sizeof(P));
        printf("%ld %ld %d\n", n, ld, kind);
        BOTH(last) BOTH(next) BOTH(between) BOTH(columns_outside) BOTH(column_major)
        BOTH(existing) BOTH(kept) BOTH(skipped) BOTH(or_equal)
        free(d);
        free(p);
      }
  // Nothing becomes shorter, so that the second matrix need not exist.
  long n = 200;
  T *d = malloc(n * n * sizeof(T));
  for (long i = 0; i < n * n; i++)
    d[i] = 1;
  last(n, n, (void *)d, 0);
  next(n, n, (void *)d, 0);
  between(n, n, (void *)d, 0);
  // Only the upper half of the rows is found on new paths, and no row is behind it.
  P *half = mmap(0, 2 * n * (n + 3) * sizeof(P), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long kept = (n / 2 * (n + 3) * sizeof(P) + 4095) & ~4095l;
  mprotect((char *)half + kept, 2 * n * (n + 3) * sizeof(P) - kept, PROT_NONE);
  for (long i = 0; i < n / 2 * (n + 3); i++)
    half[i] = i;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      d[i * n + j] = i < n / 2 && j < n / 2 ? 1 + (i * 31 + j * 17) % 100 : 1000000;
  last(n, n, (void *)d, (void *)half);
  print("half", d, n * n);
  // The matrices overlap.
  T *both = malloc(3 * n * n * sizeof(long));
  fill(both, n * n, 1);
  last(n / 2, n / 2, (void *)both, (void *)(both + 7));
  print("overlap", both, n * n);
  return 0;
}
