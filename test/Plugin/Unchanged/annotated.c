//===- annotated.c - what opts out in the source is left alone ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -std=c99
//
// Without the plugin, the annotation and the pragma change nothing, but that clang keeps a static function
// that is annotated.
// RUN: %clang -O3 -march=native -c %s -o %t.with.o -Dstatic= -fno-addrsig
// RUN: %clang -O3 -march=native -c %s -o %t.without.o -Dstatic= -fno-addrsig -DWITHOUT
// RUN: cmp %t.with.o %t.without.o

#ifdef WITHOUT
#define OFF
#define PRAGMA
#else
#define OFF __attribute__((annotate("tilesmith=off")))
#define PRAGMA _Pragma("clang loop distribute(disable)")
#endif

// Sizes that LLVM unrolls, and others.
#define PRODUCT(NAME, N, BEFORE)                                               \
  void NAME(long n, const double *A, const double *B, double *C) {             \
    BEFORE                                                                     \
    for (long i = 0; i < N; i++)                                               \
      for (long j = 0; j < N; j++)                                             \
        for (long k = 0; k < N; k++)                                           \
          C[i * N + j] += A[i * N + k] * B[k * N + j];                         \
  }

OFF PRODUCT(any_size, n, )
OFF PRODUCT(eight, 8, )
OFF PRODUCT(four, 4, )
PRODUCT(loop_of_any_size, n, PRAGMA)
PRODUCT(loop_of_eight, 8, PRAGMA)

OFF static PRODUCT(inlined, n, )

void calls(long n, const double *A, const double *B, double *C) {
  inlined(n, A, B, C);
}

OFF void while_loops(long n, const double *A, const double *B, double *C) {
  long i = 0;
  while (i < n) {
    long j = 0;
    while (j < n) {
      long k = 0;
      do
        C[i * n + j] += A[i * n + k] * B[k * n + j];
      while (++k < n);
      j++;
    }
    i++;
  }
}
