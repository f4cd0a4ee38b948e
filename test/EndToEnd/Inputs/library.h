//===- library.h - products that a library can compute ----------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// library-products.c defines the table of products under two names: `stock`,
// compiled without the plugin, and `ours`. library-driver.c compares the two.
// Define T, the element type.
//
//===----------------------------------------------------------------------===//

typedef void Compute(long m, long n, long p, T alpha, T beta, const T *a,
                     long lda, const T *b, long ldb, T *c, long ldc);

// Which operands are M x K, K x N and M x N, and which of these are equal. If C
// is updated in place, or A is symmetric, A is a square, as long as a column of C
// or as a row, and B is as C.
enum Shape { Rectangle, Square, FromLeft, FromRight, RankK, Rank2K };

struct Product {
  const char *name;
  enum Shape shape;
  char orderA, orderB, orderC; // 'r' or 'c'
  Compute *compute;
};

// Ends with a null name.
extern const struct Product stock[], ours[];
