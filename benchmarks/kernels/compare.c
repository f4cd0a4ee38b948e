//===- compare.c - nests by which two plugins are compared ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each way in which sums start and end, storage order and
// kind of product. compare.py compiles this file with each plugin to a shared
// object; compare_main.c calls both.
//
//===----------------------------------------------------------------------===//

#include "compare.h"

#define ALPHA 0.75
#define BETA -1.25

// clang-format off
#define NEST(Name, Type, T, ...)                                               \
  static void Name##_##Type(long M, long N, long K, const void *a,             \
                            const void *b, void *c) {                          \
    const T *restrict A = a, *restrict B = b;                                  \
    T *restrict C = c;                                                         \
    T alpha = ALPHA, beta = BETA;                                              \
    (void)alpha, (void)beta;                                                   \
    __asm__("" : "+x"(alpha), "+x"(beta));                                     \
    __VA_ARGS__                                                                \
  }
#define FOR(I, End) for (long I = 0; I < End; I++)

#define NESTS(Do, Type, T)                                                     \
  /* C += A B, row-major; column-major; B and A transposed */                  \
  Do(gemm_rows, Type, T, FOR(i, M) FOR(j, N) FOR(k, K)                         \
       C[i * N + j] += A[i * K + k] * B[k * N + j];)                           \
  Do(gemm_columns, Type, T, FOR(j, N) FOR(k, K) FOR(i, M)                      \
       C[i + j * M] += A[i + k * M] * B[k + j * K];)                           \
  Do(gemm_nt, Type, T, FOR(i, M) FOR(j, N) FOR(k, K)                           \
       C[i * N + j] += A[i * K + k] * B[j * K + k];)                           \
  Do(gemm_tn, Type, T, FOR(k, K) FOR(i, M) FOR(j, N)                           \
       C[i * N + j] += A[k * M + i] * B[k * N + j];)                           \
  /* C = A B, the sum in a scalar, or in C */                                  \
  Do(zero_scalar, Type, T, FOR(i, M) FOR(j, N) {                               \
       T s = 0;                                                                \
       FOR(k, K) s += A[i * K + k] * B[k * N + j];                             \
       C[i * N + j] = s; })                                                    \
  Do(zero_sweep, Type, T, FOR(i, M) {                                          \
       FOR(j, N) C[i * N + j] = 0;                                             \
       FOR(k, K) FOR(j, N) C[i * N + j] += A[i * K + k] * B[k * N + j]; })     \
  /* C = alpha A B + beta C, the same */                                       \
  Do(scaled_scalar, Type, T, FOR(i, M) FOR(j, N) {                             \
       T s = 0;                                                                \
       FOR(k, K) s += A[i * K + k] * B[k * N + j];                             \
       C[i * N + j] = alpha * s + beta * C[i * N + j]; })                      \
  Do(scaled_sweep, Type, T, FOR(i, M) {                                        \
       FOR(j, N) C[i * N + j] *= beta;                                         \
       FOR(k, K) FOR(j, N)                                                     \
         C[i * N + j] += alpha * A[i * K + k] * B[k * N + j]; })               \
  /* C += A A', lower half; C += U C in place, strictly upper */               \
  Do(syrk, Type, T, FOR(i, M) for (long j = 0; j <= i; j++) FOR(k, K)          \
       C[i * M + j] += A[i * K + k] * A[j * K + k];)                           \
  Do(trmm, Type, T, FOR(i, M) FOR(j, N) for (long k = i + 1; k < M; k++)       \
       C[i * N + j] += A[i * M + k] * C[k * N + j];)

NESTS(NEST, d, double)
NESTS(NEST, f, float)

static void gemm_rows_i(long M, long N, long K, const void *a, const void *b,
                        void *c) {
  const unsigned char *restrict A = a;
  const signed char *restrict B = b;
  int *restrict C = c;
  FOR(i, M) FOR(j, N) FOR(k, K) C[i * N + j] += A[i * K + k] * B[k * N + j];
}

#define ENTRY(Name, Type, T, ...) {#Name, Name##_##Type, #Type[0]},
const struct Nest nests[] = {
    NESTS(ENTRY, d, double) NESTS(ENTRY, f, float)
    {"gemm_rows", gemm_rows_i, 'i'}, {0, 0, 0}};
// clang-format on
