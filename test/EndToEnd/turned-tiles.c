//===- turned-tiles.c - tiles of C that are transposed in registers -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All sizes up to 40 x 40 with few steps, some with many, sums in C and beside it; leading
// dimensions are odd. What lies between the columns of C stays.

// REQUIRES: native-avx2
// DEFINE: %{flags} = -march=native
// DEFINE: %{loops} = %clang -O1 %{flags} -DNAME=expected -c %s -o %t.expected.o
// DEFINE: %{kernel} = %clang -O2 %{flags} -fpass-plugin=%tilesmith -DNAME=computed -c %s -o %t.computed.o -Rpass=tilesmith
// DEFINE: %{run} = %clang -O1 -w %{flags} -DDRIVER %s %t.expected.o %t.computed.o -o %t.run && %t.run
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -march=native -mno-avx512f
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -march=native -ffp-contract=fast
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -march=native -ffp-contract=off -DELEMENT=float
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// REDEFINE: %{flags} = -march=native -DELEMENT=long
// RUN: %{loops} && %{kernel} 2>&1 | FileCheck %s && %{run}
// CHECK-COUNT-4: remark: {{.*}}replaced

#include <stdlib.h>
#include <string.h>

#ifndef ELEMENT
#define ELEMENT double
#endif
typedef ELEMENT T;
typedef void Product(long M, long N, long K, const T *A, long Lda, const T *B,
                     long Ldb, T *C, long Ldc, T Alpha, T Beta);

#ifndef DRIVER
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define PRODUCT(Name)                                                          \
  void JOIN(NAME, Name)(long M, long N, long K, const T *restrict A, long Lda, \
                        const T *restrict B, long Ldb, T *restrict C,          \
                        long Ldc, T Alpha, T Beta)
#define FOR_ALL_OF_C                                                           \
  for (long J = 0; J < N; ++J)                                                 \
    for (long I = 0; I < M; ++I)
#define SUM                                                                    \
  T Sum = 0;                                                                   \
  for (long P = 0; P < K; ++P)                                                 \
  Sum += A[I * Lda + P] * B[P * Ldb + J]

PRODUCT(Added) {
  FOR_ALL_OF_C
  for (long P = 0; P < K; ++P)
    C[J * Ldc + I] += A[I * Lda + P] * B[P * Ldb + J];
}

PRODUCT(Overwritten) {
  FOR_ALL_OF_C {
    SUM;
    C[J * Ldc + I] = Sum;
  }
}

PRODUCT(Scaled) {
  FOR_ALL_OF_C {
    SUM;
    C[J * Ldc + I] += Alpha * Sum;
  }
}

PRODUCT(WithBeta) {
  FOR_ALL_OF_C {
    SUM;
    C[J * Ldc + I] = Alpha * Sum + Beta * C[J * Ldc + I];
  }
}
#else
Product expectedAdded, computedAdded, expectedOverwritten, computedOverwritten,
    expectedScaled, computedScaled, expectedWithBeta, computedWithBeta;
static Product *const Products[][2] = {
    {expectedAdded, computedAdded},
    {expectedOverwritten, computedOverwritten},
    {expectedScaled, computedScaled},
    {expectedWithBeta, computedWithBeta}};
static const long Steps[] = {1, 8, 40, 520};

enum { Max = 40, MaxSteps = 520, Gap = 3 };
static T A[Max * (MaxSteps + Gap)], B[MaxSteps * (Max + Gap)];
static T C[2][Max * (Max + Gap)], Old[Max * (Max + Gap)];

static void fill(T *X, long Count) {
  for (long I = 0; I < Count; ++I)
    X[I] = ((T)rand() - RAND_MAX / 2) / 3;
}

static int differs(Product *const Of[2], long M, long N, long K) {
  long Lda = (K + Gap) | 1, Ldb = (N + Gap) | 1, Ldc = (M + Gap) | 1;
  for (int Side = 0; Side < 2; ++Side) {
    memcpy(C[Side], Old, sizeof Old);
    Of[Side](M, N, K, A, Lda, B, Ldb, C[Side], Ldc, 3, 5);
  }
  return memcmp(C[0], C[1], sizeof Old);
}

int main(void) {
  fill(A, sizeof A / sizeof *A);
  fill(B, sizeof B / sizeof *B);
  fill(Old, sizeof Old / sizeof *Old);
  for (unsigned I = 0; I < sizeof Products / sizeof *Products; ++I)
    for (unsigned S = 0; S < sizeof Steps / sizeof *Steps; ++S) {
      const long Next = Steps[S] > Max ? 3 : 1;
      for (long M = 1; M <= Max; M += Next)
        for (long N = 1; N <= Max; N += Next)
          if (differs(Products[I], M, N, Steps[S]))
            return 1;
    }
  return 0;
}
#endif
