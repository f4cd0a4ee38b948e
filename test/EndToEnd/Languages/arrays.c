//===- arrays.c - C: arrays in all their spellings ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -march=native -ffp-contract=off

#include "forms.h"
#include <stdlib.h>

// Variable-length arrays as parameters.
FORM void vla(int m, int n, int k, double A[m][k], double B[k][n], double C[m][n]) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void vla_sum(int m, int n, int k, double A[m][k], double B[k][n], double C[m][n]) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i][p] * B[p][j];
      C[i][j] = s;
    }
}

FORM void vla_ikj_static(int m, int n, int k, double A[static restrict m][k], double B[static restrict k][n], // REPLACED
                         double C[static restrict m][n]) {
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][p] * B[p][j];
}

// Arrays of constant size, by their rows and as a whole.
FORM void constant_parameters(double A[M][K], double B[K][N], double C[M][N]) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void pointers_to_rows(int m, double (*A)[K], double (*B)[N], double (*C)[N]) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < K; p++)
      for (int j = 0; j < N; j++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void pointers_to_arrays(double (*A)[M][K], double (*B)[K][N], double (*C)[M][N]) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        (*C)[i][j] += (*A)[i][p] * (*B)[p][j];
}

FORM void pointers_to_vla(int m, int n, int k, double (*A)[m][k], double (*B)[k][n], double (*C)[m][n]) { // REPLACED
  for (int j = 0; j < n; j++)
    for (int p = 0; p < k; p++)
      for (int i = 0; i < m; i++)
        (*C)[i][j] += (*A)[i][p] * (*B)[p][j];
}

// A pointer that runs through each row, and one that runs down a column.
FORM void running_pointers(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++, A += k)
    for (int j = 0; j < n; j++) {
      const double *a = A, *b = B + j;
      double s = 0;
      for (int p = 0; p < k; p++, b += n)
        s += *a++ * *b;
      *C++ = s;
    }
}

FORM void pointer_bounds(int m, int n, int k, const double *A, const double *B, double *C) { // MISSED: UnknownTripCount
  for (const double *a = A; a != A + (long)m * k; a += k, C += n)
    for (int j = 0; j < n; j++) {
      double s = C[j];
      for (const double *x = a, *y = B + j; x != a + k; ++x, y += n)
        s += *x * *y;
      C[j] = s;
    }
}

FORM void while_loops(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  int i = 0;
  while (i < m) {
    int j = 0;
    while (j < n) {
      int p = 0;
      do {
        C[i * n + j] += A[i * k + p] * B[p * n + j];
      } while (++p < k);
      j++;
    }
    i++;
  }
}

// Macros that count from one and store by columns.
#define AT(X, I, J, LD) X[((J) - 1) * (LD) + (I) - 1]
FORM void fortran_macros(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc) { // REPLACED
  for (int j = 1; j <= n; j++)
    for (int p = 1; p <= k; p++)
      for (int i = 1; i <= m; i++)
        AT(C, i, j, ldc) += AT(A, i, p, lda) * AT(B, p, j, ldb);
}

// Global arrays.
static double GlobalA[M][K], GlobalB[K][N];
double GlobalC[M][N];
float GlobalX[M][K], GlobalY[K][N], GlobalZ[M][N];

FORM void globals(void) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        GlobalC[i][j] += GlobalA[i][p] * GlobalB[p][j];
}

FORM void globals_float_kij(void) { // REPLACED
  for (int p = 0; p < K; p++)
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++)
        GlobalZ[i][j] += GlobalX[i][p] * GlobalY[p][j];
}

FORM void global_zeroed(void) { // REPLACED
  memset(GlobalC, 0, sizeof GlobalC);
  for (int i = 0; i < M; i++)
    for (int p = 0; p < K; p++)
      for (int j = 0; j < N; j++)
        GlobalC[i][j] += GlobalA[i][p] * GlobalB[p][j];
}

// Members of structs: arrays in one, and one with sizes and a pointer.
struct Problem {
  int Id;
  double A[M][K], B[K][N], C[M][N];
};

FORM void member_arrays(struct Problem *P) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        P->C[i][j] += P->A[i][p] * P->B[p][j];
}

struct Matrix {
  int Rows, Columns;
  double *Data;
};

FORM void by_value(struct Matrix A, struct Matrix B, struct Matrix C) { // REPLACED
  for (int i = 0; i < C.Rows; i++)
    for (int j = 0; j < C.Columns; j++)
      for (int p = 0; p < A.Columns; p++)
        C.Data[i * C.Columns + j] += A.Data[i * A.Columns + p] * B.Data[p * B.Columns + j];
}

// The fields are loaded in the loops, since the compiler takes into account that
// C's elements might be B's size: not by their types, but under -fno-strict-aliasing.
FORM void by_pointer(const struct Matrix *A, const struct Matrix *B, struct Matrix *C) { // REPLACED
  for (int i = 0; i < C->Rows; i++)
    for (int j = 0; j < C->Columns; j++) {
      double s = 0;
      for (int p = 0; p < A->Columns; p++)
        s += A->Data[i * A->Columns + p] * B->Data[p * B->Columns + j];
      C->Data[i * C->Columns + j] = s;
    }
}

FORM void by_pointer_ikj(const struct Matrix *A, const struct Matrix *B, struct Matrix *C) { // REPLACED
  for (int i = 0; i < C->Rows; i++)
    for (int p = 0; p < A->Columns; p++)
      for (int j = 0; j < C->Columns; j++)
        C->Data[i * C->Columns + j] += A->Data[i * A->Columns + p] * B->Data[p * B->Columns + j];
}

// Elements that are members, so that neighbours are apart.
struct Cell {
  double Value;
  char Tag;
};

FORM void cells(int m, int n, int k, const struct Cell *A, const struct Cell *B, struct Cell *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j].Value += A[i * k + p].Value * B[p * n + j].Value;
}

// Elements that are not aligned.
struct __attribute__((packed)) Packed {
  char Tag;
  double Value;
};

FORM void packed_cells(int m, int n, int k, const struct Packed *A, const struct Packed *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += A[i * k + p].Value * B[p * n + j].Value;
}

// One slice of an array of three dimensions.
FORM void slice(int s, double A[][M][K], double B[][K][N], double C[][M][N]) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        C[s][i][j] += A[s][i][p] * B[s][p][j];
}

// The last index of A and C counts slices.
FORM void slice_last(int s, double A[M][K][3], double B[3][K][N], double C[M][N][3]) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        C[i][j][s] += A[i][p][s] * B[s][p][j];
}

// Integers, and elements that are widened.
FORM void ints(int m, int n, int k, const int *A, const int *B, int *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void bytes(int m, int n, int k, const signed char *A, const unsigned char *B, int *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void bytes_to_bytes(int m, int n, int k, const unsigned char *A, const unsigned char *B, unsigned char *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      unsigned char s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void float_to_double(int m, int n, int k, const float *A, const float *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += (double)A[i * k + p] * B[p * n + j];
}

FORM void double_sum_to_float(int m, int n, int k, const float *A, const float *B, float *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += (double)A[i * k + p] * B[p * n + j];
      C[i * n + j] = (float)s;
    }
}

// The product in a function for one row, and in one for one element.
static void row_times(int n, int k, const double *a, const double *B, double *c) {
  for (int p = 0; p < k; p++)
    for (int j = 0; j < n; j++)
      c[j] += a[p] * B[p * n + j];
}

FORM void by_rows(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    row_times(n, k, A + i * k, B, C + i * n);
}

static double dot(int k, const double *x, int incx, const double *y, int incy) {
  double s = 0;
  for (int p = 0; p < k; p++)
    s += x[p * incx] * y[p * incy];
  return s;
}

FORM void by_elements(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      C[i * n + j] += dot(k, A + i * k, 1, B + j, n);
}

static void axpy(int n, double a, const double *x, double *y) {
  for (int j = 0; j < n; j++)
    y[j] += a * x[j];
}

FORM void by_axpy(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      axpy(n, A[i * k + p], B + p * n, C + i * n);
}

// One loop for rows and columns.
FORM void flattened(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int e = 0; e < m * n; e++) {
    double s = 0;
    for (int p = 0; p < k; p++)
      s += A[e / n * k + p] * B[p * n + e % n];
    C[e] = s;
  }
}

// Blocks by hand: six loops.
FORM void blocked(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int ii = 0; ii < m; ii += 32)
    for (int pp = 0; pp < k; pp += 32)
      for (int jj = 0; jj < n; jj += 32)
        for (int i = ii; i < (ii + 32 < m ? ii + 32 : m); i++)
          for (int p = pp; p < (pp + 32 < k ? pp + 32 : k); p++)
            for (int j = jj; j < (jj + 32 < n ? jj + 32 : n); j++)
              C[i * n + j] += A[i * k + p] * B[p * n + j];
}

// Unrolled by hand.
FORM void unrolled(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p + 1 < k; p += 2)
        s += A[i * k + p] * B[p * n + j] + A[i * k + p + 1] * B[(p + 1) * n + j];
      C[i * n + j] = s;
    }
}

enum { SIZE = M * N + N * K + K * M };
#define ARRAYS(T, VIA)                                                                                                   \
  static void fill_##T(T *X, int Matrix) {                                                                             \
    for (long i = 0; i < SIZE; i++)                                                                                    \
      X[i] = (T)(VIA)value(Matrix, i);                                                                                 \
  }                                                                                                                    \
  static void show_##T(const char *Form, const T *X, long Count) {                                                     \
    for (long i = 0; i < Count; i++)                                                                                   \
      show(Form, i, X + i, sizeof(T));                                                                                 \
  }                                                                                                                    \
  static T T##A[SIZE], T##B[SIZE], T##C[SIZE];
typedef signed char schar;
typedef unsigned char uchar;
ARRAYS(double, double)
ARRAYS(float, float)
ARRAYS(int, int)
ARRAYS(schar, int)
ARRAYS(uchar, int)

// Runs one form on fresh data. C is larger than M x N, to see what it leaves alone.
#define RUN(FORM, T, ...)                                                                                              \
  do {                                                                                                                 \
    fill_##T(T##C, 3);                                                                                                 \
    FORM(__VA_ARGS__);                                                                                                 \
    show_##T(#FORM, T##C, M *N + 50);                                                                                  \
  } while (0)

int main(void) {
  fill_double(doubleA, 1), fill_double(doubleB, 2);
  fill_float(floatA, 1), fill_float(floatB, 2);
  fill_int(intA, 1), fill_int(intB, 2);
  fill_schar(scharA, 1), fill_uchar(ucharA, 1), fill_uchar(ucharB, 2);
  void *A = doubleA, *B = doubleB, *C = doubleC;
  RUN(vla, double, M, N, K, A, B, C);
  RUN(vla_sum, double, M, N, K, A, B, C);
  RUN(vla_ikj_static, double, M, N, K, A, B, C);
  RUN(constant_parameters, double, A, B, C);
  RUN(pointers_to_rows, double, M, A, B, C);
  RUN(pointers_to_arrays, double, A, B, C);
  RUN(pointers_to_vla, double, M, N, K, A, B, C);
  RUN(running_pointers, double, M, N, K, A, B, C);
  RUN(pointer_bounds, double, M, N, K, A, B, C);
  RUN(while_loops, double, M, N, K, A, B, C);
  RUN(fortran_macros, double, M, N, K, A, M + 3, B, K + 1, C, M);

  memcpy(GlobalA, A, sizeof GlobalA), memcpy(GlobalB, B, sizeof GlobalB);
  memcpy(GlobalX, floatA, sizeof GlobalX), memcpy(GlobalY, floatB, sizeof GlobalY);
  globals();
  show_double("globals", GlobalC[0], M * N);
  globals_float_kij();
  show_float("globals_float_kij", GlobalZ[0], M * N);
  global_zeroed();
  show_double("global_zeroed", GlobalC[0], M * N);

  struct Problem *P = malloc(sizeof(struct Problem));
  fill_double(P->A[0], 1); // and beyond: B and C
  member_arrays(P);
  show_double("member_arrays", P->A[0], SIZE);
  free(P);

  struct Matrix MA = {M, K, A}, MB = {K, N, B}, MC = {M, N, C};
  RUN(by_value, double, MA, MB, MC);
  RUN(by_pointer, double, &MA, &MB, &MC);
  RUN(by_pointer_ikj, double, &MA, &MB, &MC);

  struct Cell *Cells = malloc(SIZE * sizeof(struct Cell));
  struct Packed *Packs = malloc(SIZE * sizeof(struct Packed));
  for (long i = 0; i < SIZE; i++)
    Cells[i].Value = Packs[i].Value = doubleA[i], Cells[i].Tag = (char)i;
  cells(M, N, K, Cells, Cells + M * K, Cells + M * K + K * N);
  for (long i = 0; i < SIZE; i++)
    show("cells", i, Cells + i, sizeof(double)), show("cells", i, &Cells[i].Tag, 1);
  RUN(packed_cells, double, M, N, K, Packs, Packs + 1000, C);
  free(Cells), free(Packs);

  double *Large = malloc(3 * SIZE * sizeof(double)), *LargeC = Large + 3 * (M * K + K * N);
  for (long i = 0; i < 3 * SIZE; i++)
    Large[i] = value(4, i);
  slice(1, (void *)Large, (void *)(Large + 3 * M * K), (void *)LargeC);
  show_double("slice", LargeC, 3 * M * N);
  slice_last(2, (void *)Large, (void *)(Large + 3 * M * K), (void *)LargeC);
  show_double("slice_last", LargeC, 3 * M * N);
  free(Large);

  RUN(ints, int, M, N, K, intA, intB, intC);
  RUN(bytes, int, M, N, K, scharA, ucharB, intC);
  RUN(bytes_to_bytes, uchar, M, N, K, ucharA, ucharB, ucharC);
  RUN(float_to_double, double, M, N, K, floatA, floatB, C);
  RUN(double_sum_to_float, float, M, N, K, floatA, floatB, floatC);
  RUN(by_rows, double, M, N, K, A, B, C);
  RUN(by_elements, double, M, N, K, A, B, C);
  RUN(by_axpy, double, M, N, K, A, B, C);
  RUN(flattened, double, M, N, K, A, B, C);
  RUN(blocked, double, M, N, K, A, B, C);
  RUN(unrolled, double, M, N, K, A, B, C);
  return 0;
}
