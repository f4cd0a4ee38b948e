//===- library-products.c - products that a library can compute -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "library.h"

// Element (i, j) of a matrix stored by rows or by columns.
#define AT_r(x, i, j) x[(i) * ld##x + (j)]
#define AT_c(x, i, j) x[(j) * ld##x + (i)]

#define FOR(i, n) for (long i = 0; i < n; i++)

// Forms of C = alpha*A*B + beta*C. S is what a step over k adds.
#define add(C, S) FOR(k, p) C += S;
#define subtract(C, S) FOR(k, p) C -= S;
#define factor(C, S) FOR(k, p) C += alpha * S;
#define scaled(C, S)                                                           \
  C *= beta;                                                                   \
  FOR(k, p) C += alpha * S;
#define overwrite(C, S)                                                        \
  T sum = 0;                                                                   \
  FOR(k, p) sum += S;                                                          \
  C = sum;
#define both(C, S)                                                             \
  T sum = 0;                                                                   \
  FOR(k, p) sum += S;                                                          \
  C = alpha * sum + beta * C;
#define from_c(C, S)                                                           \
  T sum = beta * C;                                                            \
  FOR(k, p) sum += S;                                                          \
  C = alpha * sum - C;

#define HEAD(Name)                                                             \
  static void Name(long m, long n, long p, T alpha, T beta, const T *a,        \
                   long lda, const T *b, long ldb, T *c, long ldc)

#define FORMS(X, ...)                                                          \
  X(add, __VA_ARGS__)                                                          \
  X(subtract, __VA_ARGS__)                                                     \
  X(factor, __VA_ARGS__)                                                       \
  X(scaled, __VA_ARGS__)                                                       \
  X(overwrite, __VA_ARGS__) X(both, __VA_ARGS__) X(from_c, __VA_ARGS__)

// Form, orders of A, B and C.
#define FOR_GEMM(X)                                                            \
  FORMS(X, r, r, r)                                                            \
  FORMS(X, r, r, c)                                                            \
  FORMS(X, r, c, r)                                                            \
  FORMS(X, r, c, c)                                                            \
  FORMS(X, c, r, r) FORMS(X, c, r, c) FORMS(X, c, c, r) FORMS(X, c, c, c)
#define GEMM(Form, OA, OB, OC)                                                 \
  HEAD(gemm_##Form##_##OA##OB##OC) {                                           \
    FOR(i, m) FOR(j, n) {                                                      \
      Form(AT_##OC(c, i, j), AT_##OA(a, i, k) * AT_##OB(b, k, j))              \
    }                                                                          \
  }
FOR_GEMM(GEMM)

// Two products in one step, over a whole square.
#define FOR_TWO(X)                                                             \
  X(add, r, r, r) X(both, r, c, c) X(scaled, c, c, r) X(subtract, c, r, c)
#define TWO(Form, OA, OB, OC)                                                  \
  HEAD(two_##Form##_##OA##OB##OC) {                                            \
    FOR(i, m) FOR(j, n) {                                                      \
      Form(AT_##OC(c, i, j), (AT_##OA(a, i, k) * AT_##OB(b, k, j) +            \
                              AT_##OB(b, i, k) * AT_##OA(a, k, j)))            \
    }                                                                          \
  }
FOR_TWO(TWO)

// Form, order of A and B, order of C, triangle.
#define FOR_RANK(X)                                                            \
  FORMS(X, r, r, lower)                                                        \
  FORMS(X, r, c, lower)                                                        \
  FORMS(X, c, r, lower)                                                        \
  FORMS(X, c, c, lower)                                                        \
  FORMS(X, r, r, upper) FORMS(X, r, c, upper) FORMS(X, c, r, upper)            \
      FORMS(X, c, c, upper)
#define TRIANGLE_lower for (long j = 0; j <= i; j++)
#define TRIANGLE_upper for (long j = i; j < n; j++)
#define RANK(Form, OA, OC, Half)                                               \
  HEAD(syrk_##Form##_##OA##OC##_##Half) {                                      \
    FOR(i, n) TRIANGLE_##Half {                                                \
      Form(AT_##OC(c, i, j), AT_##OA(a, i, k) * AT_##OA(a, j, k))              \
    }                                                                          \
  }                                                                            \
  HEAD(syr2k_##Form##_##OA##OC##_##Half) {                                     \
    FOR(i, n) TRIANGLE_##Half {                                                \
      Form(AT_##OC(c, i, j), (AT_##OA(a, i, k) * AT_##OA(b, j, k) +            \
                              AT_##OA(b, i, k) * AT_##OA(a, j, k)))            \
    }                                                                          \
  }
FOR_RANK(RANK)

// In place: form, orders of A and C. The steps are From ... n - 1.
#define unit(C, From, n, S)                                                    \
  for (long k = From + 1; k < n; k++)                                          \
    C += S;
#define unit_scaled(C, From, n, S)                                             \
  for (long k = From + 1; k < n; k++)                                          \
    C += S;                                                                    \
  C *= alpha;
#define whole(C, From, n, S)                                                   \
  T sum = 0;                                                                   \
  for (long k = From; k < n; k++)                                              \
    sum += S;                                                                  \
  C = alpha * sum;
#define FOR_IN_PLACE(X)                                                        \
  X(unit, r, r)                                                                \
  X(unit, r, c)                                                                \
  X(unit, c, r) X(unit, c, c) X(unit_scaled, r, r) X(unit_scaled, r, c)        \
      X(unit_scaled, c, c) X(whole, r, r) X(whole, r, c) X(whole, c, r)        \
          X(whole, c, c)
#define IN_PLACE(Form, OA, OC)                                                 \
  HEAD(left_##Form##_##OA##OC) {                                               \
    FOR(i, m) FOR(j, n) {                                                      \
      Form(AT_##OC(c, i, j), i, m, AT_##OA(a, i, k) * AT_##OC(c, k, j))        \
    }                                                                          \
  }                                                                            \
  HEAD(right_##Form##_##OA##OC) {                                              \
    FOR(i, m) FOR(j, n) {                                                      \
      Form(AT_##OC(c, i, j), j, n, AT_##OC(c, i, k) * AT_##OA(a, k, j))        \
    }                                                                          \
  }
FOR_IN_PLACE(IN_PLACE)

// Form, order of A, order of B and C, the half of A that is stored.
#define FOR_SYMM(X)                                                            \
  FORMS(X, r, r, lower)                                                        \
  FORMS(X, r, c, upper) FORMS(X, c, r, upper) FORMS(X, c, c, lower)
#define HALF_lower(row, column) row >= column
#define HALF_upper(row, column) row <= column
#define EITHER(OA, Half, i, j)                                                 \
  (HALF_##Half(i, j) ? AT_##OA(a, i, j) : AT_##OA(a, j, i))
#define SYMM(Form, OA, OC, Half)                                               \
  HEAD(symm_left_##Form##_##OA##OC##_##Half) {                                 \
    FOR(i, m) FOR(j, n) {                                                      \
      Form(AT_##OC(c, i, j), EITHER(OA, Half, i, k) * AT_##OC(b, k, j))        \
    }                                                                          \
  }                                                                            \
  HEAD(symm_right_##Form##_##OA##OC##_##Half) {                                \
    FOR(i, m) FOR(j, n) {                                                      \
      Form(AT_##OC(c, i, j), AT_##OC(b, i, k) * EITHER(OA, Half, k, j))        \
    }                                                                          \
  }
FOR_SYMM(SYMM)

#define GEMM_ROW(Form, OA, OB, OC)                                             \
  {#Form " " #OA #OB #OC,     Rectangle, #OA[0], #OB[0], #OC[0],               \
   gemm_##Form##_##OA##OB##OC},
#define TWO_ROW(Form, OA, OB, OC)                                              \
  {"two " #Form " " #OA #OB #OC, Square, #OA[0], #OB[0], #OC[0],               \
   two_##Form##_##OA##OB##OC},
#define IN_PLACE_ROW(Form, OA, OC)                                             \
  {"left " #Form " " #OA #OC, FromLeft, #OA[0], 'r', #OC[0],                   \
   left_##Form##_##OA##OC},                                                    \
      {"right " #Form " " #OA #OC, FromRight, #OA[0], 'r', #OC[0],             \
       right_##Form##_##OA##OC},
#define SYMM_ROW(Form, OA, OC, Half)                                           \
  {"symm left " #Form " " #OA #OC " " #Half, FromLeft, #OA[0], #OC[0],         \
   #OC[0], symm_left_##Form##_##OA##OC##_##Half},                              \
      {"symm right " #Form " " #OA #OC " " #Half, FromRight, #OA[0], #OC[0],   \
       #OC[0], symm_right_##Form##_##OA##OC##_##Half},
#define RANK_ROW(Form, OA, OC, Half)                                           \
  {"syrk " #Form " " #OA #OC " " #Half, RankK, #OA[0], #OA[0], #OC[0],         \
   syrk_##Form##_##OA##OC##_##Half},                                           \
      {"syr2k " #Form " " #OA #OC " " #Half, Rank2K, #OA[0], #OA[0], #OC[0],   \
       syr2k_##Form##_##OA##OC##_##Half},

const struct Product NAME[] = {FOR_GEMM(GEMM_ROW) FOR_TWO(TWO_ROW) FOR_IN_PLACE(
    IN_PLACE_ROW) FOR_RANK(RANK_ROW) FOR_SYMM(SYMM_ROW){0}};
