//===- tested-paths.c - Floyd and Warshall, with tests --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Steps over one matrix that ask first whether there are paths, or read the element of the
// column once for a line, and closures: all bytes are those that clang gives.
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
// REDEFINE: %{flags} = -O3 -march=native -mno-avx512f -DT=long -fwrapv
// RUN: %{compare}
// CHECK-COUNT-26: replaced 3-loop nest {{.*}}by pairwise reduction
// CHECK-NOT:      replaced

#ifndef T
#define T float
#endif
#include "Inputs/paths.h"
#include <stdbool.h>

#define FAR 9999
#define PATHS(name) __attribute__((noinline)) void name(long n, long ld, T d[][ld])

PATHS(both_exist) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k] != FAR && d[k][j] != FAR && d[i][k] + d[k][j] < d[i][j])
      d[i][j] = d[i][k] + d[k][j];
}
PATHS(shorter_first) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][j] > d[i][k] + d[k][j] && d[k][j] != FAR && d[i][k] != FAR)
      d[i][j] = d[i][k] + d[k][j];
}
PATHS(both_near) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k] < FAR && d[k][j] < FAR) {
      T path = d[i][k] + d[k][j];
      d[i][j] = path < d[i][j] ? path : d[i][j];
    }
}
PATHS(kept) {
  FOR(k) FOR(i) {
    T first = d[i][k];
    FOR(j) if (first + d[k][j] < d[i][j])
      d[i][j] = first + d[k][j];
  }
}
PATHS(kept_minimum) {
  FOR(k) FOR(i) {
    T first = d[i][k];
    FOR(j) {
      T path = first + d[k][j];
      d[i][j] = path < d[i][j] ? path : d[i][j];
    }
  }
}
PATHS(kept_and_skipped) {
  FOR(k) FOR(i) {
    T first = d[i][k];
    if (first == FAR)
      continue;
    FOR(j) if (d[k][j] != FAR && first + d[k][j] < d[i][j])
      d[i][j] = first + d[k][j];
  }
}
PATHS(kept_row) {
  FOR(k) FOR(j) {
    T last = d[k][j];
    if (last != FAR)
      FOR(i) if (d[i][k] + last < d[i][j])
        d[i][j] = d[i][k] + last;
  }
}
PATHS(lines_skipped) {
  FOR(k) FOR(i) if (d[i][k] < FAR)
    FOR(j) if (d[i][k] + d[k][j] < d[i][j])
      d[i][j] = d[i][k] + d[k][j];
}
PATHS(lines_skipped_minimum) {
  FOR(k) FOR(i) {
    if (d[i][k] >= FAR)
      continue;
    FOR(j) {
      T path = d[i][k] + d[k][j];
      d[i][j] = path < d[i][j] ? path : d[i][j];
    }
  }
}
// The test comes out the same in all steps of a line if no element is farther than FAR,
// as infinity is: the source's loops run then.
PATHS(lines_not_far) {
  FOR(k) FOR(i) {
    if (d[i][k] == FAR)
      continue;
    FOR(j) if (d[i][k] + d[k][j] < d[i][j])
      d[i][j] = d[i][k] + d[k][j];
  }
}
PATHS(lines_and_steps_not_far) {
  FOR(k) FOR(i) if (d[i][k] != FAR)
    FOR(j) if (d[k][j] != FAR) {
      T path = d[i][k] + d[k][j];
      d[i][j] = path < d[i][j] ? path : d[i][j];
    }
}
#define CLOSURE(name, type) __attribute__((noinline)) void name(long n, long ld, type d[][ld])
CLOSURE(truths, bool) {
  FOR(k) FOR(i) FOR(j) d[i][j] = d[i][j] || (d[i][k] && d[k][j]);
}
CLOSURE(numbers, int) {
  FOR(k) FOR(i) FOR(j) d[i][j] = d[i][j] || (d[i][k] && d[k][j]);
}
CLOSURE(conjunctions, int) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k] && d[k][j])
      d[i][j] = 1;
}
CLOSURE(alternatives, unsigned char) {
  FOR(k) FOR(i) FOR(j) d[i][j] |= d[i][k] & d[k][j];
}
CLOSURE(joined, int) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k])
      d[i][j] |= d[k][j];
}
CLOSURE(lines_of_bytes, unsigned char) {
  FOR(k) FOR(i) if (d[i][k])
    FOR(j) if (d[k][j])
      d[i][j] = 1;
}
CLOSURE(lines_joined, int) {
  FOR(k) FOR(i) if (d[i][k])
    FOR(j) d[i][j] |= d[k][j];
}
CLOSURE(lines_of_truths, bool) {
  FOR(k) FOR(i) if (d[i][k])
    FOR(j) d[i][j] = d[i][j] | d[k][j];
}
CLOSURE(joined_conjunctions, unsigned char) {
  FOR(k) FOR(i) FOR(j) d[i][j] |= d[i][k] && d[k][j];
}
CLOSURE(conjunctions_of_truths, bool) {
  FOR(k) FOR(i) FOR(j)
    if (d[i][k] && d[k][j])
      d[i][j] = true;
}
CLOSURE(lines_set, bool) {
  FOR(k) FOR(i) if (d[i][k])
    FOR(j) if (d[k][j])
      d[i][j] = true;
}
CLOSURE(found_first, int) {
  FOR(k) FOR(i) FOR(j) d[i][j] = (d[i][k] && d[k][j]) || d[i][j];
}
CLOSURE(chosen, unsigned char) {
  FOR(k) FOR(i) FOR(j) d[i][j] = d[i][k] && d[k][j] ? 1 : d[i][j];
}
CLOSURE(lines_of_either, int) {
  FOR(k) FOR(i) if (d[i][k])
    FOR(j) d[i][j] = d[i][j] || d[k][j];
}
CLOSURE(either, int) {
  FOR(k) FOR(i) FOR(j) d[i][j] = d[i][j] | (d[i][k] && d[k][j]);
}

#define CLOSE(name, type)                                                                                              \
  {                                                                                                                    \
    type *d = malloc(elements * sizeof(type));                                                                         \
    unsigned long sum = 0;                                                                                             \
    for (long i = 0; i < elements; i++)                                                                                \
      d[i] = draw() % 100 < 3 * kind ? (type)(1 + draw() % 2) : 0;                                                   \
    name(n, ld, (void *)d);                                                                                            \
    for (long i = 0; i < elements; i++)                                                                                \
      sum = sum * 31 + d[i];                                                                                           \
    printf(#name " %lx\n", sum);                                                                                       \
    free(d);                                                                                                           \
  }

int main(void) {
  static const int Sizes[] = {1, 2, 7, 24, 33, 64, 65, 100, 130};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++)
    for (long more = 0; more < 8; more += 5)
      for (int kind = 0; kind < 6; kind++) {
        long n = Sizes[s], ld = n + more, elements = n * ld;
        T *d = malloc(elements * sizeof(T));
        printf("%ld %ld %d\n", n, ld, kind);
        RUN(both_exist) RUN(shorter_first) RUN(both_near) RUN(kept) RUN(kept_minimum)
        RUN(kept_and_skipped) RUN(kept_row) RUN(lines_skipped) RUN(lines_skipped_minimum)
        RUN(lines_not_far) RUN(lines_and_steps_not_far)
        free(d);
        CLOSE(truths, bool) CLOSE(numbers, int) CLOSE(conjunctions, int) CLOSE(alternatives, unsigned char)
        CLOSE(joined, int) CLOSE(lines_of_bytes, unsigned char)
        CLOSE(lines_joined, int) CLOSE(lines_of_truths, bool) CLOSE(joined_conjunctions, unsigned char)
        CLOSE(either, int) CLOSE(conjunctions_of_truths, bool) CLOSE(lines_set, bool) CLOSE(found_first, int)
        CLOSE(chosen, unsigned char) CLOSE(lines_of_either, int)
      }
  return 0;
}
