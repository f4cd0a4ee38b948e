//===- next-nests-of-layers.c - rows by two loops --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The rows of C are those of several sequences, in both nests: the second one is an
// epilogue, with an operand along the columns, one along all rows, and a residual. What
// goes along one of the loops only is no operand of a row: the second nest stays.
//
// RUN: %clang -O3 -march=native %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -o %t.ours 2>&1 | FileCheck %s
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// CHECK-COUNT-3: with an epilogue
// CHECK-NOT:     with an epilogue

#include <stdio.h>
#include <stdlib.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define ROW (h * M + i)
#define LAYER(name, next)                                                      \
  __attribute__((noinline)) static void name(                                  \
      int H, int M, int N, int K, const float *a, const float *b,              \
      const float *x, float *c) {                                              \
    FOR(h, H) FOR(i, M) FOR(j, N) {                                            \
      float s = 0;                                                             \
      FOR(k, K) s += a[ROW * K + k] * b[k * N + j];                            \
      c[ROW * N + j] = s;                                                      \
    }                                                                          \
    FOR(h, H) FOR(i, M) FOR(j, N) next;                                        \
  }

LAYER(columns, c[ROW * N + j] += x[j])
LAYER(rows, c[ROW * N + j] = c[ROW * N + j] * x[ROW])
LAYER(residual, c[ROW * N + j] += x[ROW * N + j])
LAYER(one_loop, c[ROW * N + j] += x[i])

typedef void Layer(int, int, int, int, const float *, const float *,
                   const float *, float *);

static void run(const char *name, Layer *layer, int H, int M, int N, int K) {
  int Sizes[] = {H * M * K, K * N, H * M * (N + 1), H * M * N};
  float *p[4];
  FOR(o, 4) {
    p[o] = malloc(Sizes[o] * sizeof(float));
    FOR(e, Sizes[o]) p[o][e] = (e * 7919 % 23 - 11) * 0.37f;
  }
  layer(H, M, N, K, p[0], p[1], p[2], p[3]);
  printf("%s", name);
  FOR(e, Sizes[3]) printf(" %a", p[3][e]);
  printf("\n");
  FOR(o, 4) free(p[o]);
}

int main(void) {
  int Sizes[][4] = {{1, 1, 1, 1}, {3, 7, 9, 5}, {2, 33, 31, 40}, {5, 16, 48, 600}};
  FOR(s, 4) {
    int *z = Sizes[s];
    run("columns", columns, z[0], z[1], z[2], z[3]);
    run("rows", rows, z[0], z[1], z[2], z[3]);
    run("residual", residual, z[0], z[1], z[2], z[3]);
    run("one_loop", one_loop, z[0], z[1], z[2], z[3]);
  }
}
