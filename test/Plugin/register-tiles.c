//===- register-tiles.c - tiles of sums written by hand -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The rows and columns of a tile are rows and columns of one product, whatever
// the subscripts' type, and wherever they are extended to 64 bits. What is left
// over of a row stands beside the tile, and runs in a copy of the loops.
//
// DEFINE: %{opt} = -O2
// DEFINE: %{stock} = %clang %{opt} %s -o %t.stock && %t.stock > %t.expected
// DEFINE: %{ours} = %clang %{opt} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// DEFINE:   -mllvm -tilesmith-count=1 -Rpass=tilesmith %s %S/../../runtime/Counts.c -o %t.ours 2> %t.remarks
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.got && cmp %t.expected %t.got
// DEFINE: %{compare} = %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{compare}
// REDEFINE: %{opt} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{opt} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}
// REDEFINE: %{opt} = -O3 -march=native -ffp-contract=off
// RUN: %{compare}
//
// CHECK-DAG: {{^[1-9].*}}: rows_of_pointers_i: GEMM f64 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major)
// CHECK-DAG: {{^[1-9].*}}: rows_of_pointers_u: GEMM f64 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major)
// CHECK-DAG: {{^[1-9].*}}: rows_of_pointers_l: GEMM f64 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major)
// CHECK-DAG: {{^[1-9].*}}: with_rests_i: GEMM f32 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major)
// CHECK-DAG: {{^[1-9].*}}: with_rests_u: GEMM f32 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major)
// CHECK-DAG: {{^[1-9].*}}: with_rests_z: GEMM f32 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major)
// CHECK-DAG: {{^[1-9].*}}: columns: GEMM i32
// CHECK-DAG: {{^[1-9].*}}: columns_of_block: GEMM i32
// CHECK-DAG: {{^[1-9].*}}: constant: GEMM f64 (A {{.*}}-major, B {{.*}}-major, C {{.*}}-major), 32x32x32
#include <stddef.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

// Each row of A and C has a pointer.
#define ROWS_OF_POINTERS(NAME, INDEX)                                                                   \
  NOINLINE void NAME(INDEX m, INDEX n, INDEX l, INDEX ld, const double *a, const double *b,             \
                     double *c) {                                                                       \
    for (INDEX i = 0; i + 3 < m; i += 4)                                                                \
      for (INDEX j = 0; j + 1 < n; j += 2) {                                                            \
        const double *a0 = a + i * ld, *a1 = a0 + ld, *a2 = a1 + ld, *a3 = a2 + ld;                     \
        double c00 = 0, c01 = 0, c10 = 0, c11 = 0, c20 = 0, c21 = 0, c30 = 0, c31 = 0;                  \
        for (INDEX k = 0; k < l; k++) {                                                                 \
          double b0 = b[k * ld + j], b1 = b[k * ld + j + 1];                                            \
          c00 += a0[k] * b0, c01 += a0[k] * b1;                                                         \
          c10 += a1[k] * b0, c11 += a1[k] * b1;                                                         \
          c20 += a2[k] * b0, c21 += a2[k] * b1;                                                         \
          c30 += a3[k] * b0, c31 += a3[k] * b1;                                                         \
        }                                                                                               \
        double *c0 = c + i * ld + j, *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;                       \
        c0[0] += c00, c0[1] += c01;                                                                     \
        c1[0] += c10, c1[1] += c11;                                                                     \
        c2[0] += c20, c2[1] += c21;                                                                     \
        c3[0] += c30, c3[1] += c31;                                                                     \
      }                                                                                                 \
  }
ROWS_OF_POINTERS(rows_of_pointers_i, int)
ROWS_OF_POINTERS(rows_of_pointers_u, unsigned)
ROWS_OF_POINTERS(rows_of_pointers_l, long)

// The loops for the last columns and rows go on with the counters.
#define WITH_RESTS(NAME, INDEX, STORE)                                                                  \
  NOINLINE void NAME(INDEX m, INDEX n, INDEX l, INDEX ld, const float *a, const float *b, float *c) {   \
    INDEX i = 0, j, k;                                                                                  \
    for (; i + 2 <= m; i += 2) {                                                                        \
      for (j = 0; j + 2 <= n; j += 2) {                                                                 \
        float s00 = 0, s01 = 0, s10 = 0, s11 = 0;                                                       \
        for (k = 0; k < l; k++) {                                                                       \
          s00 += a[i * ld + k] * b[k * ld + j];                                                         \
          s01 += a[i * ld + k] * b[k * ld + j + 1];                                                     \
          s10 += a[(i + 1) * ld + k] * b[k * ld + j];                                                   \
          s11 += a[(i + 1) * ld + k] * b[k * ld + j + 1];                                               \
        }                                                                                               \
        c[i * ld + j] STORE s00;                                                                        \
        c[i * ld + j + 1] STORE s01;                                                                    \
        c[(i + 1) * ld + j] STORE s10;                                                                  \
        c[(i + 1) * ld + j + 1] STORE s11;                                                              \
      }                                                                                                 \
      for (; j < n; j++) {                                                                              \
        float s0 = 0, s1 = 0;                                                                           \
        for (k = 0; k < l; k++) {                                                                       \
          s0 += a[i * ld + k] * b[k * ld + j];                                                          \
          s1 += a[(i + 1) * ld + k] * b[k * ld + j];                                                    \
        }                                                                                               \
        c[i * ld + j] STORE s0;                                                                         \
        c[(i + 1) * ld + j] STORE s1;                                                                   \
      }                                                                                                 \
    }                                                                                                   \
    for (; i < m; i++)                                                                                  \
      for (j = 0; j < n; j++) {                                                                         \
        float s = 0;                                                                                    \
        for (k = 0; k < l; k++)                                                                         \
          s += a[i * ld + k] * b[k * ld + j];                                                           \
        c[i * ld + j] STORE s;                                                                          \
      }                                                                                                 \
  }
WITH_RESTS(with_rests_i, int, =)
WITH_RESTS(with_rests_u, unsigned, +=)
WITH_RESTS(with_rests_z, size_t, -=)

// Four columns at once, in a function of its own, with pointers that walk.
static void four_columns(int l, const signed char *a, const signed char *b, int ld, int *c) {
  int c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  const signed char *b0 = b, *b1 = b + ld, *b2 = b + 2 * ld, *b3 = b + 3 * ld;
  for (int k = 0; k < l; k++) {
    int x = a[k * ld];
    c0 += x * *b0++;
    c1 += x * *b1++;
    c2 += x * *b2++;
    c3 += x * *b3++;
  }
  c[0] += c0;
  c[ld] += c1;
  c[2 * ld] += c2;
  c[3 * ld] += c3;
}

NOINLINE void columns(int m, int n, int l, int ld, const signed char *a, const signed char *b, int *c) {
  for (int j = 0; j < n; j += 4)
    for (int i = 0; i < m; i++)
      four_columns(l, &a[i], &b[j * ld], ld, &c[j * ld + i]);
}

// Tiles inside blocks.
NOINLINE void columns_of_block(int m, int n, int l, int ld, const signed char *a, const signed char *b,
                               int *c) {
  for (int ii = 0; ii < m; ii += 16)
    for (int j = 0; j < n; j += 4)
      for (int i = ii; i < (ii + 16 < m ? ii + 16 : m); i++)
        four_columns(l, &a[i], &b[j * ld], ld, &c[j * ld + i]);
}

NOINLINE void constant(const double a[32][32], const double b[32][32], double c[32][32]) {
  for (int i = 0; i < 32; i += 4)
    for (int j = 0; j < 32; j += 4) {
      double r[4][4] = {{0}};
      for (int k = 0; k < 32; k++)
        for (int x = 0; x < 4; x++)
          for (int y = 0; y < 4; y++)
            r[x][y] += a[i + x][k] * b[k][j + y];
      for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
          c[i + x][j + y] = r[x][y];
    }
}

enum { Ld = 36, Size = Ld * Ld };
static double a[Size], b[Size], c[Size];
static float af[Size], bf[Size], cf[Size];
static signed char ac[Size], bc[Size];
static int ci[Size];

static void fill(void) {
  for (int i = 0; i < Size; i++) {
    af[i] = a[i] = (i * 37 % 101 - 50) * 0.1;
    bf[i] = b[i] = (i * 53 % 97 - 48) * 0.3;
    cf[i] = c[i] = ci[i] = i % 7 * 0.7;
    ac[i] = i * 37 % 255 - 128, bc[i] = i * 53 % 255 - 127;
  }
  a[77] = -0.0, bf[70] = 0;
}

#define SHOW(CALL)                                                                                      \
  fill();                                                                                               \
  CALL;                                                                                                 \
  fwrite(a, sizeof a, 1, stdout);                                                                       \
  fwrite(c, sizeof c, 1, stdout);                                                                       \
  fwrite(cf, sizeof cf, 1, stdout);                                                                     \
  fwrite(ci, sizeof ci, 1, stdout)

int main(void) {
  for (int m = 0; m < 36; m += m < 5 ? 1 : 7)
    for (int n = 0; n < 36; n += n < 5 ? 1 : 6)
      for (int l = 0; l < 36; l = 3 * l + 1) {
        SHOW(rows_of_pointers_i(m, n, l, Ld, a, b, c));
        SHOW(rows_of_pointers_u(m, n, l, Ld, a, b, c));
        SHOW(rows_of_pointers_l(m, n, l, Ld, a, b, c));
        // From the last row to the first; over one of its factors.
        SHOW(rows_of_pointers_i(m, n, l, -Ld, a + Size - Ld, b + Size - Ld, c + Size - Ld));
        SHOW(rows_of_pointers_i(m, n / 2, l, Ld, a, b, a + Ld / 2));
        SHOW(with_rests_i(m, n, l, Ld, af, bf, cf));
        SHOW(with_rests_u(m, n, l, Ld, af, bf, cf));
        SHOW(with_rests_z(m, n, l, Ld, af, bf, cf));
        SHOW(with_rests_i(m, n, l, -Ld, af + Size - Ld, bf + Size - Ld, cf + Size - Ld));
        // Rows that overlap the next ones.
        SHOW(with_rests_i(m, n, l, 7, af, bf, cf));
        SHOW(with_rests_u(m, n, l, 1, af, bf, cf));
        SHOW(columns(m, n / 4 * 4, l, Ld, ac, bc, ci));
        SHOW(columns_of_block(m, n / 4 * 4, l, Ld, ac, bc, ci));
      }
  SHOW(constant((void *)a, (void *)b, (void *)c));
}
