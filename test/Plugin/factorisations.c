//===- factorisations.c - LU and Cholesky in place ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums of a column or row of the matrix itself, and blocks of it: all bytes are those
// that clang gives.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -g -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -ffp-contract=off -DT=float
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -mprefer-vector-width=256 -DT=float
// RUN: %{compare}
// REDEFINE: %{flags} = -O2
// RUN: %{compare}

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef T
#define T double
#endif

#define FROM(i, first, end) for (long i = (first); i < (end); i++)
#define A(i, j) a[(i) * ld + (j)]
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(long n, long ld, T *a) {          \
    __VA_ARGS__                                                                \
  }
#define IN_BLOCKS                                                              \
  for (long b = 0, e; e = b + Block < n ? b + Block : n, b < n; b = e)
enum { Block = 16, Most = 100 };

// CHECK-DAG: factorisations.c:[[#@LINE + 2]]:{{.*}} by GEMV
NEST(cholesky, FROM(j, 0, n) {
  FROM(i, j, n) FROM(k, 0, j) A(i, j) -= A(i, k) * A(j, k);
  A(j, j) = sqrt(A(j, j));
  FROM(i, j + 1, n) A(i, j) /= A(j, j);
})

NEST(cholesky_in_memory, FROM(j, 0, n) {
  FROM(k, 0, j) A(j, j) -= A(j, k) * A(j, k);
  A(j, j) = sqrt(A(j, j));
  FROM(i, j + 1, n) {
    FROM(k, 0, j) A(i, j) -= A(i, k) * A(j, k);
    A(i, j) /= A(j, j);
  }
})

NEST(lu_by_rows, FROM(i, 0, n) {
  FROM(j, 0, i) {
    FROM(k, 0, j) A(i, j) -= A(i, k) * A(k, j);
    A(i, j) /= A(j, j);
  }
  FROM(j, i, n) FROM(k, 0, i) A(i, j) -= A(i, k) * A(k, j);
})

NEST(lu_by_columns, FROM(j, 0, n) {
  FROM(i, 0, j + 1) FROM(k, 0, i) A(i, j) -= A(i, k) * A(k, j);
  FROM(i, j + 1, n) {
    FROM(k, 0, j) A(i, j) -= A(i, k) * A(k, j);
    A(i, j) /= A(j, j);
  }
})

// CHECK-DAG: factorisations.c:[[#@LINE + 7]]:{{.*}} by GEMM
NEST(lu_in_blocks, IN_BLOCKS {
  FROM(k, b, e) FROM(i, k + 1, n) {
    A(i, k) /= A(k, k);
    FROM(j, k + 1, e) A(i, j) -= A(i, k) * A(k, j);
  }
  FROM(i, b + 1, e) FROM(k, b, i) FROM(j, e, n) A(i, j) -= A(i, k) * A(k, j);
  FROM(i, e, n) FROM(j, e, n) FROM(k, b, e) A(i, j) -= A(i, k) * A(k, j);
})

// CHECK-DAG: factorisations.c:[[#@LINE + 8]]:{{.*}} by SYRK
NEST(cholesky_in_blocks, IN_BLOCKS {
  FROM(j, b, e) {
    A(j, j) = sqrt(A(j, j));
    FROM(i, j + 1, n) A(i, j) /= A(j, j);
    FROM(i, j + 1, n) FROM(k, j + 1, i + 1 < e ? i + 1 : e)
      A(i, k) -= A(i, j) * A(k, j);
  }
  FROM(i, e, n) FROM(j, e, i + 1) FROM(k, b, e) A(i, j) -= A(i, k) * A(j, k);
})

typedef void Nest(long n, long ld, T *a);
static Nest *const nests[] = {cholesky,      cholesky_in_memory, lu_by_rows,
                              lu_by_columns, lu_in_blocks,       cholesky_in_blocks};

int main(void) {
  static const long sizes[] = {1, 2, 3, 5, 8, 13, 16, 17, 31, 33, 64, 77, Most};
  T *a = malloc((Most + 3) * (Most + 3) * sizeof(T));
  for (unsigned f = 0; f < sizeof nests / sizeof *nests; f++)
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (long more = 0; more < 4; more += 3) {
        long n = sizes[s], ld = n + more, count = n * ld;
        for (long i = 0; i < count; i++)
          a[i] = (i % (ld + 1) == 0 ? n : 0) + (T)(i * 7919 % 1009) / 1009;
        nests[f](n, ld, a);
        fwrite(a, sizeof(T), count, stdout);
      }
}
