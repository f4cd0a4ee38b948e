//===- wrapping-tiles.c - rows of a tile that are 4 GiB apart -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rows are found with 32 bits, so rows 4 to 7 of C are rows 0 to 3 again, and
// sums in them go on. For clang, an even multiple is `x & 0xfffffffe`. Whether
// subscripts wrap is tested in front of the loops.
//
// REQUIRES: x86
// RUN: %clang -O2 -DPRODUCT=ours -c %s -o %t.ours.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %clang -O2 -DPRODUCT=stock -c %s -o %t.stock.o
// RUN: %clang -DMAIN %s %t.ours.o %t.stock.o -o %t
// RUN: %t
// CHECK-COUNT-3: replaced 3-loop nest by GEMM f32

#include <stddef.h>
#include <stdint.h>

#define PASTE(X, Y) X##Y
#define NAME(X, Y) PASTE(X, Y)

#ifdef PRODUCT
#define TILES(NAME, INDEX, ROW)                                                                         \
  void NAME(INDEX n, uint32_t ld, const float *restrict a, const float *restrict b,                     \
            float *restrict c) {                                                                        \
    for (INDEX i = 0; i + 2 <= n; i += 2)                                                               \
      for (INDEX j = 0; j + 2 <= n; j += 2) {                                                           \
        float s00 = 0, s01 = 0, s10 = 0, s11 = 0;                                                       \
        for (INDEX k = 0; k < n; k++) {                                                                 \
          s00 += a[i * n + k] * b[k * n + j], s01 += a[i * n + k] * b[k * n + j + 1];                   \
          s10 += a[(i + 1) * n + k] * b[k * n + j], s11 += a[(i + 1) * n + k] * b[k * n + j + 1];       \
        }                                                                                               \
        c[ROW(i) + j] += s00, c[ROW(i) + j + 1] += s01;                                                 \
        c[ROW(i + 1) + j] += s10, c[ROW(i + 1) + j + 1] += s11;                                         \
      }                                                                                                 \
  }
#define OF_32_BITS(I) (I) * ld
TILES(NAME(PRODUCT, _of_32_bits), uint32_t, OF_32_BITS)
#define CUT(I) (uint32_t)((I) * ld)
TILES(NAME(PRODUCT, _cut), size_t, CUT)

void NAME(PRODUCT, _even_rows)(size_t n, size_t ld, const float *restrict a, const float *restrict b,
                               float *restrict c) {
  for (size_t i = 0; i < n; i += 2)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        c[(uint32_t)(i * ld) + j] += a[i * n + k] * b[k * n + j];
}
#endif

#ifdef MAIN
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 8, Rows = 4 };
#define DECLARE(NAME, INDEX) void NAME(INDEX, uint32_t, const float *, const float *, float *)
DECLARE(ours_of_32_bits, uint32_t);
DECLARE(stock_of_32_bits, uint32_t);
DECLARE(ours_cut, size_t);
DECLARE(stock_cut, size_t);
void ours_even_rows(size_t, size_t, const float *, const float *, float *);
void stock_even_rows(size_t, size_t, const float *, const float *, float *);

static const size_t Row = (size_t)1 << 30; // 4 GiB
static float a[N * N], b[N * N], *c;

static void fill(void) {
  for (int row = 0; row < Rows; row++)
    for (int j = 0; j < N; j++)
      c[row * Row + j] = row + j;
}

static void read_out(float out[Rows][N]) {
  for (int row = 0; row < Rows; row++)
    memcpy(out[row], c + row * Row, sizeof out[row]);
}

#define COMPARE(CALL)                                                                                   \
  do {                                                                                                  \
    float expected[Rows][N], got[Rows][N];                                                              \
    fill(), stock_##CALL, read_out(expected);                                                           \
    fill(), ours_##CALL, read_out(got);                                                                 \
    if (memcmp(expected, got, sizeof got))                                                              \
      return puts("differ: " #CALL), 1;                                                                 \
  } while (0)

int main(void) {
  for (int i = 0; i < N * N; i++)
    a[i] = i % 7 * 0.3f, b[i] = i % 5 * 0.7f;
  char *memory = mmap(0, Rows * Row * sizeof(float), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return puts("no address space"), 0;
  c = (float *)memory;
  for (int row = 0; row < Rows; row++)
    if (mprotect(c + row * Row, 4096, PROT_READ | PROT_WRITE))
      return puts("no memory"), 0;
  COMPARE(of_32_bits(N, Row, a, b, c));
  COMPARE(cut(N, Row, a, b, c));
  COMPARE(even_rows(N, Row, a, b, c));
}
#endif
