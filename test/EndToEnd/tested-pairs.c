//===- tested-pairs.c - steps that are made where two elements let them ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// `if (a && b) c = 1` loads b only where a is not zero, and does not even load c: lines of
// B, and of C, may not exist. A test of a may stand in front of the loop over j. All bytes
// are those that clang gives, and nothing else is read.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 \
// DEFINE:     -Rpass=tilesmith %s -o %t.ours 2> %t.remarks \
// DEFINE:   && FileCheck %s < %t.remarks && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}

#include "../guarded.h"
#include <stdbool.h>
#include <stdio.h>

#define A a[i * n + k]
#define B b[k * n + j]
#define C c[i * n + j]
#define FOR(x) for (int x = 0; x < n; x++)

#define NEST(name, type, ...)                                                                                          \
  static __attribute__((noinline)) void name(int n, const type *restrict a, const type *restrict b,                    \
                                             type *restrict c) {                                                       \
    __VA_ARGS__                                                                                                        \
  }

// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i32
NEST(dots, int, FOR(i) FOR(j) FOR(k) if (A && B) C = 1;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i8
NEST(dots_of_bytes, char, FOR(i) FOR(j) FOR(k) if (A && B) C = 1;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i8
NEST(dots_of_bools, bool, FOR(i) FOR(j) FOR(k) if (A && B) C = true;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i32
NEST(set_first, int, FOR(i) FOR(j) { C = 0; FOR(k) if (A && B) C = 1; })
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i32
NEST(in_register, int, FOR(i) FOR(j) { int s = 0; FOR(k) if (A && B) s = 1; C = s; })
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i32
NEST(rows, int, FOR(i) FOR(k) FOR(j) if (A && B) C = 3;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i8
NEST(outer, bool, FOR(k) FOR(i) FOR(j) if (A && B) C = true;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i8
NEST(lines, char, FOR(i) FOR(k) if (A) FOR(j) C |= B;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i32
NEST(lines_left_out, int, FOR(i) FOR(k) { if (!A) continue; FOR(j) if (B) C = 1; })
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction i32
NEST(lines_added, int, FOR(i) FOR(k) if (A) FOR(j) C += B;)
// Left alone: C is only loaded where an element of B lets it.
NEST(paths, int, FOR(i) FOR(j) FOR(k) if (A != 9 && B != 9 && A + B < C) C = A + B;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction f32
NEST(lines_of_paths, float, FOR(i) FOR(k) { if (A == 9) continue; FOR(j) if (A + B < C) C = A + B; })
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction f32
NEST(lines_of_numbers, float, FOR(i) FOR(k) if (A) FOR(j) C += B;)
// CHECK-DAG: [[@LINE+1]]:{{.*}} replaced 3-loop nest {{.*}}by pairwise reduction f32
NEST(masked, float, FOR(i) FOR(j) { float s = 0; FOR(k) s += A != 0 ? 3 * B : 0; C = s; })

static unsigned Seed = 1;
static int draw(void) {
  Seed = Seed * 1664525 + 1013904223;
  return (Seed >> 16) % 100;
}

// The last rows of B are missing, which no row of A asks for; and the last ones of C,
// where all that A asks for is zero.
#define RUN(name, type, of_b, of_c, none)                                                                              \
  {                                                                                                                    \
    type *a = guarded(n * n * sizeof(type), 1), *b = guarded((n - of_b) * n * sizeof(type), 1),                        \
         *c = guarded((n - of_c) * n * sizeof(type), 1);                                                               \
    unsigned long sum = 0;                                                                                             \
    for (int i = 0; i < n * n; i++) {                                                                                  \
      bool is_there = i % n < n - of_b && draw() < density;                                                            \
      if (i >= (n - of_c) * n)                                                                                         \
        is_there = i % n == 0;                                                                                         \
      a[i] = is_there ? (type)(draw() % 8 + 1) : (type)none;                                                           \
    }                                                                                                                  \
    for (int i = 0; i < (n - of_b) * n; i++)                                                                           \
      b[i] = (i >= n || !of_c) && draw() < density ? (type)(draw() % 8) : (type)none;                                  \
    for (int i = 0; i < (n - of_c) * n; i++)                                                                           \
      c[i] = (type)(draw() % 20);                                                                                      \
    name(n, a, b, c);                                                                                                  \
    for (unsigned i = 0; i < (n - of_c) * n * sizeof(type); i++)                                                       \
      sum = sum * 31 + ((unsigned char *)c)[i];                                                                        \
    printf(#name " %d %d %lx\n", n, density, sum);                                                                     \
  }

int main(void) {
  static const int Sizes[] = {1, 2, 7, 16, 33, 64, 100};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; s++)
    for (int density = 5; density <= 100; density += 30) {
      int n = Sizes[s];
      RUN(dots, int, 0, 0, 0) RUN(dots_of_bytes, char, 0, 0, 0) RUN(dots_of_bools, bool, 0, 0, 0)
      RUN(set_first, int, 0, 0, 0) RUN(in_register, int, 0, 0, 0) RUN(rows, int, 0, 0, 0) RUN(outer, bool, 0, 0, 0)
      RUN(lines, char, 0, 0, 0) RUN(lines_left_out, int, 0, 0, 0) RUN(lines_added, int, 0, 0, 0)
      RUN(paths, int, 0, 0, 9) RUN(lines_of_paths, float, 0, 0, 9) RUN(lines_of_numbers, float, 0, 0, 0)
      RUN(masked, float, 0, 0, 0)
      if (n > 3) {
        RUN(dots, int, 2, 0, 0) RUN(dots_of_bools, bool, 1, 0, 0) RUN(lines, char, 2, 0, 0) RUN(paths, int, 2, 0, 9)
        RUN(dots, int, 0, 2, 0) RUN(dots_of_bytes, char, 0, 1, 0) RUN(rows, int, 0, 2, 0) RUN(outer, bool, 0, 1, 0)
        RUN(lines_left_out, int, 0, 2, 0)
      }
    }
  return 0;
}
