//===- wrong.c - what is wrong in a product is reported ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Elements that do not exist, have been freed, were never set, or that another
// thread writes: all are reported, at the line of the product.
//
// REQUIRES: sanitizers
// DEFINE: %{build} = %clang -O2 -march=native -g -pthread %s -o %t -fpass-plugin=%tilesmith -Rpass=tilesmith
// RUN: %{build} -fsanitize=address 2>&1 | FileCheck %s --check-prefix=REPLACED
// RUN: env ASAN_OPTIONS=detect_leaks=0 %t 0
// RUN: env ASAN_OPTIONS=detect_leaks=0 not %t 1 2>&1 | FileCheck %s --check-prefix=READ
// RUN: env ASAN_OPTIONS=detect_leaks=0 not %t 2 2>&1 | FileCheck %s --check-prefix=READ
// RUN: env ASAN_OPTIONS=detect_leaks=0 not %t 3 2>&1 | FileCheck %s --check-prefix=C
// RUN: env ASAN_OPTIONS=detect_leaks=0 not %t 4 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %{build} -fsanitize=memory 2>&1 | FileCheck %s --check-prefix=REPLACED
// RUN: %t 0
// RUN: not %t 5 2>&1 | FileCheck %s --check-prefix=UNSET
// RUN: %{build} -fsanitize=thread 2>&1 | FileCheck %s --check-prefix=REPLACED
// RUN: %t 0
// RUN: not %t 6 2>&1 | FileCheck %s --check-prefix=RACE
//
// REPLACED: replaced 3-loop nest
// READ: AddressSanitizer: heap-buffer-overflow
// READ-NEXT: READ of size
// READ-NEXT: {{wrong.c:}}[[@LINE+19]]
// C: AddressSanitizer: heap-buffer-overflow
// C-NEXT: of size
// C-NEXT: {{wrong.c:}}[[@LINE+16]]
// FREED: AddressSanitizer: heap-use-after-free
// FREED-NEXT: READ of size
// FREED-NEXT: {{wrong.c:}}[[@LINE+13]]
// UNSET: MemorySanitizer: use-of-uninitialized-value
// RACE: ThreadSanitizer: data race
// RACE: {{wrong.c:}}[[@LINE+10]]

#include <pthread.h>
#include <stdlib.h>
#define N 41
__attribute__((noinline)) static void
product(long m, long n, long p, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < p; k++)
        c[i * n + j] += a[i * p + k] * b[k * n + j];
}
static double *A, *B, *C;
static void *run(void *X) {
  product(N, N, N, A, B, C);
  return X;
}
int main(int argc, char **argv) {
  int Which = atoi(argv[1]);
  A = calloc(N * N - (Which == 1), 8);
  B = calloc(N * N - (Which == 2), 8);
  C = calloc(N * N - (Which == 3), 8);
  if (Which == 4)
    free(B);
  if (Which == 5) {
    A = malloc(N * N * 8);
    for (int I = 0; I < N * N - 1; I++)
      A[I] = 0;
  }
  pthread_t Thread;
  if (Which == 6)
    pthread_create(&Thread, NULL, run, NULL);
  run(NULL);
  if (Which == 6)
    pthread_join(Thread, NULL);
  return C[N * N - 2] > 3 ? 2 : 0;
}
