//===- compare.c - kernels and loops, compared in the program -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernel comes between two calls, the loops follow, and a third call.
// RUN: %clang -O2 -gline-tables-only -S -emit-llvm -fpass-plugin=%tilesmith -mllvm -tilesmith-compare=1 %s -o - | FileCheck %s
// CHECK-LABEL: define {{.*}} @gemm(
// CHECK: %[[STATE:.*]] = {{.*}}call ptr @tilesmith_compare_save(ptr {{.*}}%{{.*}}, ptr {{.*}}, i64 2, i64 8)
// CHECK: %[[DONE:.*]] = {{.*}}call i1 @tilesmith.gemm(
// CHECK: %[[NUMBER:.*]] = zext i1 %[[DONE]] to i64
// CHECK: call ptr @tilesmith_compare_restore(ptr %[[STATE]], i64 %[[NUMBER]])
// CHECK: call void @tilesmith_compare_check(ptr {{.*}}, i64 52, ptr {{.*}})

// Executed: equal bits, in one and in several threads' places, for all that can be compared. What has other
// statements or a free order is computed as without the option.
// DEFINE: %{compare} = -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-compare=1 -DMAIN %S/../../runtime/Compare.c
// RUN: %clang -O2 -DMAIN %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 %{compare} %s -o %t && %t > %t.got 2> %t.messages
// RUN: cmp %t.expected %t.got
// RUN: FileCheck %s --check-prefix=EQUAL --input-file=%t.messages --match-full-lines --implicit-check-not={{.}}
// EQUAL:tilesmith: 411 products have the bits of their loops

// A kernel with a wrong result stops the program.
// RUN: %clang -O2 -gline-tables-only %{compare} -Wl,--wrap=tilesmith_compare_restore -DWRONG %s -o %t
// RUN: not --crash %t 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: tilesmith: {{.*}}compare.c:[[#@LINE + 4]]:3: gemm: GEMM f64 {{.*}}: C[5][3]: the loops make 0x{{.*}}, the kernel 0x1.8p+0


__attribute__((noinline)) void gemm(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

#ifdef MAIN
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) void small(const int (*a)[16], const int (*b)[16], int (*c)[16]) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 16; k++)
        c[i][j] += a[i][k] * b[k][j];
}

/// The other triangle is somebody else's.
__attribute__((noinline)) void syrk(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * a[j * n + k];
      c[i * n + j] = s + 2 * c[i * n + j];
    }
}

/// In place, every second column, with NaNs.
__attribute__((noinline)) void columns(int n, const float *a, const float *b, float *c) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++)
        c[2 * (j * n + i)] += a[k * n + i] * b[j * n + k];
}

__attribute__((noinline)) void batch(int n, const double *a, const double *b, double *c) {
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[(t * n + i) * n + j] += a[(t * n + i) * n + k] * b[(t * n + k) * n + j];
}

/// Rows are two indices, of which C and A have different orders.
__attribute__((noinline)) void tensor(int n, const double *a, const double *b, double *c) {
  for (int p = 0; p < n; p++)
    for (int q = 0; q < n; q++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[(p * n + q) * n + j] += a[(q * n + k) * n + p] * b[k * n + j];
}

/// Something else is stored.
__attribute__((noinline)) void others(int n, const double *restrict a, const double *restrict b, double *restrict c,
                                      double *restrict twice) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      twice[i * n + j] += c[i * n + j] + c[i * n + j];
    }
}

#ifdef WRONG
void *__real_tilesmith_compare_restore(void *state, int64_t done);
void *__wrap_tilesmith_compare_restore(void *state, int64_t done) {
  extern double C[];
  C[3 * 64 + 5] = C[5 * 64 + 3] = 1.5;
  return __real_tilesmith_compare_restore(state, done);
}
#endif

enum { N = 64 };
double A[3 * N * N], B[3 * N * N], C[3 * N * N], D[N * N];
float FA[N * N], FB[N * N], FC[2 * N * N];
int IA[16][16], IB[16][16], IC[16][16];

/// Each thread has every other column.
static void *every_other_column(void *c) {
  for (int t = 0; t < 200; t++)
    columns(16, FA, FB, c);
  return 0;
}

static void print(const void *x, size_t size) {
  uint32_t words[2], sum = 0;
  for (size_t i = 0; i + 8 <= size; i += 8) {
    memcpy(words, (const char *)x + i, 8);
    sum = sum * 31 + words[0] + 7 * words[1];
  }
  printf("%u\n", sum);
}

int main(void) {
  for (int i = 0; i < 3 * N * N; i++)
    A[i] = i % 17 * 0.3 - 1, B[i] = i % 13 * 0.7 - 3, C[i] = i % 11;
  for (int i = 0; i < N * N; i++)
    FA[i] = i % 19 * 0.3f, FB[i] = i % 23 * 0.7f;
  for (int i = 0; i < 16 * 16; i++)
    IA[i / 16][i % 16] = i * 77, IB[i / 16][i % 16] = i * i;
  for (int i = 0; i < 3; i++)
    gemm(N, A, B, C);
  gemm(2, A, B, C); // too small
  gemm(N, A, C, C); // overlaps
  small(IA, IB, IC);
  syrk(N, A, C);
  columns(N, FA, FB, FC);
  batch(N, A, B, C);
  tensor(16, A, B, C);
  others(N, A, B, C, D);
  print(C, sizeof C), print(D, sizeof D), print(FC, sizeof FC), print(IC, sizeof IC);
  pthread_t thread;
  pthread_create(&thread, 0, every_other_column, FC + 1);
  every_other_column(FC);
  pthread_join(thread, 0);
  print(FC, sizeof FC);
  FA[77] = __builtin_inff(), FB[100] = -__builtin_nanf("1");
  columns(N, FA, FB, FC);
  return 0;
}
#endif
