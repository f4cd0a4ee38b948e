//===- row-tables.c - C: arrays of pointers to rows -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each form runs with rows in order, apart, backwards, with one row twice, with
// overlapping rows, and with rows of C in the tables of A and B.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -march=native -ffp-contract=off

#include "forms.h"
#include <stdlib.h>

FORM void ijk(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void ikj(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void jki(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int j = 0; j < n; j++)
    for (int p = 0; p < k; p++)
      for (int i = 0; i < m; i++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void kij(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int p = 0; p < k; p++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void sum(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i][p] * B[p][j];
      C[i][j] = s;
    }
}

FORM void zeroed(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
    }
}

FORM void row_variables(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++) {
    double *a = A[i], *c = C[i];
    for (int p = 0; p < k; p++) {
      double *b = B[p];
      for (int j = 0; j < n; j++)
        c[j] += a[p] * b[j];
    }
  }
}

FORM void const_rows(int m, int n, int k, const double *const *A, const double *const *B, double *const *restrict C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = C[i][j];
      for (int p = 0; p < k; p++)
        s += A[i][p] * B[p][j];
      C[i][j] = s;
    }
}

// B's table holds columns: both factors are read along k.
FORM void transposed(int m, int n, int k, double **A, double **BT, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i][p] * BT[j][p];
      C[i][j] = s;
    }
}

// Only one of the three is a table.
FORM void only_a(int m, int n, int k, double **A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += A[i][p] * B[p * n + j];
}

FORM void only_b(int m, int n, int k, const double *A, double **B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += A[i * k + p] * B[p][j];
}

FORM void only_c(int m, int n, int k, const double *A, const double *B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i * k + p] * B[p * n + j];
}

// Tables in structs.
struct Matrix {
  int Rows, Columns;
  double **Row;
};

FORM void in_structs(const struct Matrix *A, const struct Matrix *B, struct Matrix *C) { // REPLACED
  for (int i = 0; i < C->Rows; i++)
    for (int j = 0; j < C->Columns; j++)
      for (int p = 0; p < A->Columns; p++)
        C->Row[i][j] += A->Row[i][p] * B->Row[p][j];
}

struct Row {
  int Size;
  double *Data;
};

FORM void structs_of_rows(int m, int n, int k, struct Row *A, struct Row *B, struct Row *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i].Data[j] += A[i].Data[p] * B[p].Data[j];
}

// Rows of constant length.
FORM void constant_rows(double (**A)[K], double (**B)[N], double (**C)[N]) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int p = 0; p < K; p++)
      for (int j = 0; j < N; j++)
        (*C[i])[j] += (*A[i])[p] * (*B[p])[j];
}

static double *GlobalA[M], *GlobalB[K], *GlobalC[M];
FORM void global_tables(void) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        GlobalC[i][j] += GlobalA[i][p] * GlobalB[p][j];
}

// Scalars, unrolling, tiles.
FORM void scaled(int m, int n, int k, double f, double **A, double **B, double g, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i][p] * B[p][j];
      C[i][j] = f * s + g * C[i][j];
    }
}

FORM void scaled_rows(int m, int n, int k, double f, double **A, double **B, double g, double **C) { // REPLACED
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      C[i][j] *= g;
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i][j] += f * A[i][p] * B[p][j];
  }
}

FORM void unrolled(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p + 1 < k; p += 2) {
        s += A[i][p] * B[p][j];
        s += A[i][p + 1] * B[p + 1][j];
      }
      C[i][j] = s;
    }
}

FORM void unrolled_columns(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j + 2 < n; j += 3) {
        C[i][j] += A[i][p] * B[p][j];
        C[i][j + 1] += A[i][p] * B[p][j + 1];
        C[i][j + 2] += A[i][p] * B[p][j + 2];
      }
}

FORM void unrolled_sums(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j + 1 < n; j += 2) {
      double s = 0, t = 0;
      for (int p = 0; p < k; p++) {
        s += A[i][p] * B[p][j];
        t += A[i][p] * B[p][j + 1];
      }
      C[i][j] = s;
      C[i][j + 1] = t;
    }
}

FORM void unrolled_of_transposed(int m, int n, int k, double **A, double **BT, double **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p + 1 < k; p += 2) {
        s += A[i][p] * BT[j][p];
        s += A[i][p + 1] * BT[j][p + 1];
      }
      C[i][j] = s;
    }
}

// Steps from one row to the next are not put together again.
FORM void unrolled_rows(int m, int n, int k, double **A, double **B, double **C) { // MISSED: RowTable
  for (int i = 0; i + 1 < m; i += 2)
    for (int j = 0; j < n; j++) {
      double s = 0, t = 0;
      for (int p = 0; p < k; p++) {
        s += A[i][p] * B[p][j];
        t += A[i + 1][p] * B[p][j];
      }
      C[i][j] = s;
      C[i + 1][j] = t;
    }
}

FORM void tiled(int m, int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int ii = 0; ii < m; ii += 16)
    for (int pp = 0; pp < k; pp += 16)
      for (int i = ii; i < (ii + 16 < m ? ii + 16 : m); i++)
        for (int p = pp; p < (pp + 16 < k ? pp + 16 : k); p++)
          for (int j = 0; j < n; j++)
            C[i][j] += A[i][p] * B[p][j];
}

FORM void part(int m, int n, int k, int i0, int j0, int p0, double **A, double **B, double **C) { // REPLACED
  for (int i = i0; i < m; i++)
    for (int j = j0; j < n; j++)
      for (int p = p0; p < k; p++)
        C[i][j] -= A[i][p] * B[p][j];
}

FORM void batch(int count, int m, int n, int k, double ***A, double ***B, double ***C) { // REPLACED
  for (int x = 0; x < count; x++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        for (int p = 0; p < k; p++)
          C[x][i][j] += A[x][i][p] * B[x][p][j];
}

// One triangle of C.
FORM void rank_k(int n, int k, double **A, double **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * A[j][p];
}

FORM void rank_2k(int n, int k, double **A, double **B, double **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[j][p] + B[i][p] * A[j][p];
}

FORM void rank_k_of_columns(int n, int k, double **A, double **C) { // REPLACED
  for (int p = 0; p < k; p++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        C[i][j] -= A[p][i] * A[p][j];
}

FORM void triangular_factor(int n, int k, double **A, double **B, double **C) { // MISSED: RowTable
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      for (int p = 0; p <= i; p++)
        C[i][j] += A[i][p] * B[p][j];
}

// Rows that are found through another table.
FORM void gathered(int m, int n, int k, const int *Index, const double *A, const double *B, double *C) { // MISSED: NotAffine
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[Index[i] * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void ints(int m, int n, int k, int **A, int **B, int **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void floats(int m, int n, int k, float **A, float **B, float **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
}

// The elements are pointer-sized integers: a store to C may change a table.
FORM void longs(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
}

// Times a vector: rows are read where they are.
FORM void vector(int m, int k, double **A, const double *x, double *y) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      y[i] += A[i][p] * x[p];
}

FORM void vector_of_transposed(int m, int k, double **A, const double *x, double *y) { // REPLACED
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int p = 0; p < k; p++)
      s += x[p] * A[p][i];
    y[i] = s;
  }
}

FORM void vector_by_columns(int m, int k, double **A, const double *x, double *y) { // REPLACED
  for (int p = 0; p < k; p++)
    for (int i = 0; i < m; i++)
      y[i] += A[i][p] * x[p];
}

FORM void vector_of_structs(int m, int k, const struct Row *A, double f, const double *x, double g, double *y) { // REPLACED
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int p = 0; p < k; p++)
      s += A[i].Data[p] * x[p];
    y[i] = f * s + g * y[i];
  }
}

FORM void vector_of_two(int m, int k, double **A, const double *x, const double *B, const double *z, double *y) { // REPLACED
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int p = 0; p < k; p++)
      s += A[i][p] * x[p] + B[i * k + p] * z[p];
    y[i] = s;
  }
}

FORM void vector_zeroed(int m, int k, float **A, const float *x, float *y) { // REPLACED
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int p = 0; p < k; p++)
      y[i] += A[i][p] * x[p];
  }
}

FORM void vector_of_longs(int m, int k, long **A, const long *x, long *y) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      y[i] += A[p][i] * x[p];
}

enum { ROWS = 100, COLUMNS = 100, WAYS = 6 };

// Where row number `Row` of matrix number `Matrix` stands.
static long offset(int Way, int Matrix, int Row) {
  switch (Way) {
  case 1: // apart, and not evenly
    return Row * 37 % ROWS * COLUMNS * 2L + Row % 2;
  case 2: // backwards
    return (ROWS - 1 - Row) * (long)COLUMNS;
  case 3: // one row of C is another one, too, as is one of A
    return (Matrix != 1 && Row % 10 == 9 ? Row - 5 : Row) * (long)COLUMNS;
  case 4: // the end of a row is the next one's begin
    return Row * 80L;
  default: // 0: in order; 5: in order, but one of A and one of B are C's
    return Row * (long)COLUMNS;
  }
}

#define TABLES(T)                                                                                                      \
  static T T##Block[3][2 * ROWS * COLUMNS], *T##A[ROWS], *T##B[ROWS], *T##C[ROWS];                                     \
  static void make_##T(int Way) {                                                                                      \
    for (int x = 0; x < 3; x++)                                                                                        \
      for (long i = 0; i < 2 * ROWS * COLUMNS; i++)                                                                    \
        T##Block[x][i] = (T)value(x, i);                                                                               \
    for (int i = 0; i < ROWS; i++) { /* null beyond the last row */                                                    \
      T##A[i] = i < M ? T##Block[0] + offset(Way, 0, i) : NULL;                                                        \
      T##B[i] = i < N ? T##Block[1] + offset(Way, 1, i) : NULL;                                                        \
      T##C[i] = i < M ? T##Block[2] + offset(Way, 2, i) : NULL;                                                        \
    }                                                                                                                  \
    if (Way == 5)                                                                                                      \
      T##A[M / 2] = T##C[M / 3], T##B[K / 2] = T##C[M / 4];                                                            \
  }                                                                                                                    \
  static void show_##T(const char *Form, int Way) {                                                                    \
    char Name[80];                                                                                                     \
    snprintf(Name, sizeof Name, "%s/%d", Form, Way);                                                                   \
    for (int i = 0; i < 2 * ROWS; i++)                                                                                 \
      show(Name, i, T##Block[2] + i * COLUMNS, sizeof(T) * COLUMNS);                                                   \
  }
TABLES(double)
TABLES(float)
TABLES(int)
TABLES(long)

#define RUN(FORM, T, ...)                                                                                              \
  for (int Way = 0; Way < WAYS; Way++) {                                                                               \
    make_##T(Way);                                                                                                     \
    __VA_ARGS__;                                                                                                       \
    show_##T(#FORM, Way);                                                                                              \
  }

int main(void) {
  double **A = doubleA, **B = doubleB, **C = doubleC;
  RUN(ijk, double, ijk(M, N, K, A, B, C))
  RUN(ikj, double, ikj(M, N, K, A, B, C))
  RUN(jki, double, jki(M, N, K, A, B, C))
  RUN(kij, double, kij(M, N, K, A, B, C))
  RUN(sum, double, sum(M, N, K, A, B, C))
  RUN(zeroed, double, zeroed(M, N, K, A, B, C))
  RUN(row_variables, double, row_variables(M, N, K, A, B, C))
  RUN(const_rows, double, const_rows(M, N, K, (void *)A, (void *)B, C))
  RUN(transposed, double, transposed(M, N, K, A, B, C))
  RUN(only_a, double, only_a(M, N, K, A, doubleBlock[1], doubleBlock[2]))
  RUN(only_b, double, only_b(M, N, K, doubleBlock[0], B, doubleBlock[2]))
  RUN(only_c, double, only_c(M, N, K, doubleBlock[0], doubleBlock[1], C))

  struct Matrix MA = {M, K, A}, MB = {K, N, B}, MC = {M, N, C};
  RUN(in_structs, double, in_structs(&MA, &MB, &MC))
  struct Row RA[ROWS], RB[ROWS], RC[ROWS];
  for (int Way = 0; Way < WAYS; Way++) {
    make_double(Way);
    for (int i = 0; i < ROWS; i++) {
      RA[i] = (struct Row){K, A[i]};
      RB[i] = (struct Row){N, B[i]};
      RC[i] = (struct Row){N, C[i]};
    }
    structs_of_rows(M, N, K, RA, RB, RC);
    show_double("structs_of_rows", Way);
  }
  RUN(constant_rows, double, constant_rows((void *)A, (void *)B, (void *)C))
  RUN(global_tables, double, {
    memcpy(GlobalA, A, sizeof GlobalA);
    memcpy(GlobalB, B, sizeof GlobalB);
    memcpy(GlobalC, C, sizeof GlobalC);
    global_tables();
  })
  RUN(scaled, double, scaled(M, N, K, 0.7, A, B, -1.3, C))
  RUN(scaled_rows, double, scaled_rows(M, N, K, 0.7, A, B, -1.3, C))
  RUN(unrolled, double, unrolled(M, N, K, A, B, C))
  RUN(unrolled_columns, double, unrolled_columns(M, N, K, A, B, C))
  RUN(unrolled_sums, double, unrolled_sums(M, N, K, A, B, C))
  RUN(unrolled_of_transposed, double, unrolled_of_transposed(M, N, K, A, B, C))
  RUN(unrolled_rows, double, unrolled_rows(M, N, K, A, B, C))
  RUN(tiled, double, tiled(M, N, K, A, B, C))
  RUN(part, double, part(M, N, K, 3, 5, 7, A, B, C))
  double **AA[2] = {A, A + 5}, **BB[2] = {B, B + 2}, **CC[2] = {C, C + 40};
  RUN(batch, double, batch(2, 31, N, K, AA, BB, CC))
  RUN(rank_k, double, rank_k(M, K, A, C))
  RUN(rank_2k, double, rank_2k(M, K, A, B, C))
  RUN(rank_k_of_columns, double, rank_k_of_columns(M, K - 15, A, C))
  RUN(triangular_factor, double, triangular_factor(M, K, A, B, C))

  int Index[M];
  for (int i = 0; i < M; i++)
    Index[i] = i * 37 % M;
  RUN(gathered, double, gathered(M, N, K, Index, doubleBlock[0], doubleBlock[1], doubleBlock[2]))

  RUN(ints, int, ints(M, N, K, intA, intB, intC))
  RUN(floats, float, floats(M, N, K, floatA, floatB, floatC))
  RUN(longs, long, longs(M, N, K, longA, longB, longC))

  // In the last way, y is a row of A, too.
  double *x = doubleBlock[1];
  RUN(vector, double, vector(M, K, A, x, C[M / 3]))
  RUN(vector_of_transposed, double, vector_of_transposed(K, M, A, x, C[M / 3]))
  RUN(vector_by_columns, double, vector_by_columns(M, K, A, x, C[M / 3]))
  RUN(vector_of_two, double, vector_of_two(M, K, A, x, doubleBlock[0], x + K, C[M / 3]))
  RUN(vector_zeroed, float, vector_zeroed(M, K, floatA, floatBlock[1], floatC[M / 3]))
  RUN(vector_of_longs, long, vector_of_longs(K, M, longA, longBlock[1], longC[M / 3]))
  for (int Way = 0; Way < WAYS; Way++) {
    make_double(Way);
    for (int i = 0; i < M; i++)
      RA[i] = (struct Row){K, A[i]};
    vector_of_structs(M, K, RA, 0.7, x, -1.3, C[M / 3]);
    show_double("vector_of_structs", Way);
  }
  return 0;
}
