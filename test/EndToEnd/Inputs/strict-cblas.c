//===- strict-cblas.c - a CBLAS that checks its arguments -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By definition, element by element; counts its calls, by routine. Compile it
// once for each type: with -DT=float -DNAME=s, and with -DT=double -DNAME=d.
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <stdlib.h>

enum {
  RowMajor = 101,
  ColMajor,
  NoTrans = 111,
  Trans,
  Upper = 121,
  Lower,
  NonUnit = 131,
  Unit,
  Left = 141,
  Right
};

#define REQUIRE(X)                                                             \
  do                                                                           \
    if (!(X)) {                                                                \
      printf("%s: not true: %s\n", __func__, #X);                              \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

#define CAT_(A, B, C) A##B##C
#define CAT(A, B, C) CAT_(A, B, C)

static long calls[5];
__attribute__((destructor)) static void report(void) {
  const char *names[] = {"gemm", "syrk", "syr2k", "trmm", "symm"};
  for (int i = 0; i < 5; i++)
    printf("%s: %s\n", names[i], calls[i] ? "called" : "never called");
}

static long at(int order, long ld, long row, long column) {
  return order == RowMajor ? row * ld + column : column * ld + row;
}

// Element (row, column) of op(X).
static T get(int order, int trans, const T *x, long ld, long row, long column) {
  return trans == NoTrans ? x[at(order, ld, row, column)]
                          : x[at(order, ld, column, row)];
}

static void update(T *c, T beta, T product) {
  *c = beta == 0 ? product : beta * *c + product;
}

// ld of op(X) with the given rows and columns.
static int isLd(int order, int trans, int ld, int rows, int columns) {
  int length = (order == RowMajor) == (trans == NoTrans) ? columns : rows;
  return ld >= (length > 1 ? length : 1);
}

void CAT(cblas_, NAME, gemm)(int order, int transA, int transB, int m, int n,
                             int k, T alpha, const T *a, int lda, const T *b,
                             int ldb, T beta, T *c, int ldc) {
  REQUIRE(order == RowMajor || order == ColMajor);
  REQUIRE(transA == NoTrans || transA == Trans);
  REQUIRE(transB == NoTrans || transB == Trans);
  REQUIRE(m >= 0 && n >= 0 && k >= 0);
  REQUIRE(isLd(order, transA, lda, m, k));
  REQUIRE(isLd(order, transB, ldb, k, n));
  REQUIRE(isLd(order, NoTrans, ldc, m, n));
  calls[0]++;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      T sum = 0;
      for (int p = 0; p < k; p++)
        sum +=
            get(order, transA, a, lda, i, p) * get(order, transB, b, ldb, p, j);
      update(&c[at(order, ldc, i, j)], beta, alpha * sum);
    }
}

static void rank(int order, int uplo, int trans, int n, int k, T alpha,
                 const T *a, int lda, const T *b, int ldb, T beta, T *c,
                 int ldc) {
  REQUIRE(order == RowMajor || order == ColMajor);
  REQUIRE(uplo == Upper || uplo == Lower);
  REQUIRE(trans == NoTrans || trans == Trans);
  REQUIRE(n >= 0 && k >= 0);
  REQUIRE(isLd(order, trans, lda, n, k));
  REQUIRE(!b || isLd(order, trans, ldb, n, k));
  REQUIRE(isLd(order, NoTrans, ldc, n, n));
  calls[1 + !!b]++;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (uplo == Lower ? j > i : j < i)
        continue;
      T sum = 0;
      for (int p = 0; p < k; p++) {
        T ai = get(order, trans, a, lda, i, p);
        T aj = get(order, trans, a, lda, j, p);
        sum += b ? ai * get(order, trans, b, ldb, j, p) +
                       get(order, trans, b, ldb, i, p) * aj
                 : ai * aj;
      }
      update(&c[at(order, ldc, i, j)], beta, alpha * sum);
    }
}

void CAT(cblas_, NAME, syrk)(int order, int uplo, int trans, int n, int k,
                             T alpha, const T *a, int lda, T beta, T *c,
                             int ldc) {
  rank(order, uplo, trans, n, k, alpha, a, lda, 0, 0, beta, c, ldc);
}

void CAT(cblas_, NAME, syr2k)(int order, int uplo, int trans, int n, int k,
                              T alpha, const T *a, int lda, const T *b, int ldb,
                              T beta, T *c, int ldc) {
  rank(order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void CAT(cblas_, NAME, symm)(int order, int side, int uplo, int m, int n,
                             T alpha, const T *a, int lda, const T *b, int ldb,
                             T beta, T *c, int ldc) {
  REQUIRE(order == RowMajor || order == ColMajor);
  REQUIRE(side == Left || side == Right);
  REQUIRE(uplo == Upper || uplo == Lower);
  REQUIRE(m >= 0 && n >= 0);
  int size = side == Left ? m : n;
  REQUIRE(isLd(order, NoTrans, lda, size, size));
  REQUIRE(isLd(order, NoTrans, ldb, m, n));
  REQUIRE(isLd(order, NoTrans, ldc, m, n));
  calls[4]++;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      T sum = 0;
      for (int k = 0; k < size; k++) {
        int row = side == Left ? i : k, column = side == Left ? k : j;
        if (uplo == Lower ? column > row : column < row) {
          int swapped = row;
          row = column;
          column = swapped;
        }
        sum += a[at(order, lda, row, column)] *
               (side == Left ? b[at(order, ldb, k, j)]
                             : b[at(order, ldb, i, k)]);
      }
      update(&c[at(order, ldc, i, j)], beta, alpha * sum);
    }
}

void CAT(cblas_, NAME, trmm)(int order, int side, int uplo, int trans, int diag,
                             int m, int n, T alpha, const T *a, int lda, T *b,
                             int ldb) {
  REQUIRE(order == RowMajor || order == ColMajor);
  REQUIRE(side == Left || side == Right);
  REQUIRE(uplo == Upper || uplo == Lower);
  REQUIRE(trans == NoTrans || trans == Trans);
  REQUIRE(diag == NonUnit || diag == Unit);
  REQUIRE(m >= 0 && n >= 0);
  int size = side == Left ? m : n, lines = side == Left ? n : m;
  REQUIRE(isLd(order, trans, lda, size, size));
  REQUIRE(isLd(order, NoTrans, ldb, m, n));
  calls[3]++;
  // Each row or column of b is a vector. Those of op(A)' are wanted on the
  // right.
  T sums[64];
  REQUIRE(size <= 64);
  for (int line = 0; line < lines; line++) {
    for (int i = 0; i < size; i++) {
      sums[i] = 0;
      for (int k = 0; k < size; k++) {
        int row = side == Left ? i : k, column = side == Left ? k : i;
        int storedRow = trans == NoTrans ? row : column;
        int storedColumn = trans == NoTrans ? column : row;
        if (uplo == Lower ? storedColumn > storedRow : storedColumn < storedRow)
          continue;
        T factor = diag == Unit && i == k
                       ? 1
                       : a[at(order, lda, storedRow, storedColumn)];
        sums[i] += factor * (side == Left ? b[at(order, ldb, k, line)]
                                          : b[at(order, ldb, line, k)]);
      }
    }
    for (int i = 0; i < size; i++)
      b[side == Left ? at(order, ldb, i, line) : at(order, ldb, line, i)] =
          alpha * sums[i];
  }
}
