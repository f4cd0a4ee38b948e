//===- row-overlaps.c - C: tables of rows that overlap anything -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are as large as pointers, and with -fno-strict-aliasing a store to C
// may change a table, or the member that says where a table is. Each form runs
// with rows that are shared, overlap, or lie in tables and structs. Some runs end
// in a fault; they must do so with the plugin, too.
//
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native -fno-strict-aliasing
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -fno-strict-aliasing

#include "forms.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

FORM void ijk(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void ikj(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void kji(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int p = 0; p < k; p++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void sum(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      long s = 0;
      for (int p = 0; p < k; p++)
        s += A[i][p] * B[p][j];
      C[i][j] = s;
    }
}

FORM void zeroed(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
    }
}

FORM void two_loads(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] = C[i][j] + A[i][p] * B[p][j];
}

FORM void sibling(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      C[i][j] = 0;
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][p] * B[p][j];
  }
}

FORM void beta(int m, int n, int k, long f, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      long s = 0;
      for (int p = 0; p < k; p++)
        s += A[i][p] * B[p][j];
      C[i][j] = f * s + 3 * C[i][j];
    }
}

struct Matrix {
  long Rows, Columns;
  long **Row;
};

FORM void bounds_in_structs(const struct Matrix *A, const struct Matrix *B, struct Matrix *C) { // REPLACED
  for (long i = 0; i < C->Rows; i++)
    for (long j = 0; j < C->Columns; j++)
      for (long p = 0; p < A->Columns; p++)
        C->Row[i][j] += A->Row[i][p] * B->Row[p][j];
}

FORM void rows_in_structs(int m, int n, int k, const struct Matrix *A, const struct Matrix *B, struct Matrix *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C->Row[i][j] += A->Row[i][p] * B->Row[p][j];
}

FORM void flat_c(int m, int n, int k, long **A, long **B, long *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += A[i][p] * B[p][j];
}

FORM void backwards(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = m - 1; i >= 0; i--)
    for (int j = n - 1; j >= 0; j--)
      for (int p = k - 1; p >= 0; p--)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void strided(int m, int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[2 * i][j] += A[i][2 * p] * B[3 * p + 1][j];
}

FORM void lower(int n, int k, long **A, long **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * A[j][p];
}

FORM void upper(int n, int k, long **A, long **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * A[j][p];
}

FORM void lower_of_transposed(int n, int k, long **A, long **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int p = 0; p < k; p++)
        C[j][i] += A[p][i] * A[p][j];
}

FORM void strictly_upper(int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void strictly_lower(int n, int k, long **A, long **B, long **C) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[j][p];
}
enum { LENGTH = 128, SIZE = 40, WAYS = 11, VARIANTS = 12 };

// All memory there is, in a place that is the same in every run.
struct World {
  struct Matrix Structs[3];
  long Room[16 * LENGTH];
  long *Tables[3][LENGTH];
  long Elements[3][LENGTH][LENGTH];
};
#define Here ((struct World *)0x500000000000)

static unsigned Seed;
static int random_below(int Limit) {
  Seed = Seed * 1664525u + 1013904223u;
  return (Seed >> 8) % Limit;
}

// Factors that leave a pointer plus their sums a pointer.
static void make_harmless_factors(void) {
  for (int i = 0; i < LENGTH; i++)
    for (int j = 0; j < LENGTH; j++) {
      Here->Elements[0][i][j] = 8 * (i == j);
      Here->Elements[1][i][j] = (i + j) % 5 == 0;
    }
}

static void make(int Way, int Variant) {
  memset(Here, 0, sizeof(struct World));
  for (int x = 0; x < 3; x++) {
    for (int i = 0; i < LENGTH; i++)
      for (int j = 0; j < LENGTH; j++)
        Here->Elements[x][i][j] = (x * 7 + i * 13 + j * 5) % 23 - 11;
    Here->Structs[x] = (struct Matrix){SIZE, SIZE, Here->Tables[x]};
    for (int i = 0; i < LENGTH; i++)
      Here->Tables[x][i] = Here->Elements[x][Way == 1 ? (i * 37 + x) % LENGTH : i];
  }
  Seed = Variant + 1;
  int Row = random_below(SIZE), Other = random_below(SIZE), Matrix = random_below(3), Shift = random_below(50);
  long **A = Here->Tables[0], **B = Here->Tables[1], **C = Here->Tables[2], **Table = Here->Tables[Matrix];
  switch (Way) {
  case 2: // a row of C is one of A, B or C, too
    C[Row] = Table[Other] + (Matrix == 2 && Other == Row);
    break;
  case 3: // or overlaps it
    C[Row] = Table[Other] + Shift;
    break;
  case 4: // rows of A and B may be the same
    A[Row] = A[Other];
    B[Other] = A[Row];
    break;
  case 5: // a row of C is a piece of a table
    make_harmless_factors();
    C[Row] = (long *)(Table + Other);
    break;
  case 6: // or of a struct
    make_harmless_factors();
    C[Row] = (long *)(Here->Structs + Matrix);
    break;
  case 7: // its last element is
    make_harmless_factors();
    C[Row] = (long *)(Table + Other) - (SIZE - 1);
    break;
  case 8: // a row of A is its own table
    A[Row] = (long *)(A + Other);
    break;
  case 9: // a row of A or B may overlap a C without a table
    Here->Tables[Matrix % 2][Row] = Here->Elements[2][0] + Other * 41 - Shift;
    break;
  case 10: // which may overlap tables
    make_harmless_factors();
    break;
  }
}

static void show_all(const char *Form, int Way, int Variant, int Status) {
  char Name[80];
  snprintf(Name, sizeof Name, "%s/%d/%d", Form, Way, Variant);
  if (Status)
    show(Name, -1, "fault", 5);
  else
    show(Name, 0, Here, sizeof(struct World));
}

#define RUN(FORM, ...)                                                                                                 \
  for (int Way = 0; Way < WAYS; Way++)                                                                                 \
    for (int Variant = 0; Variant < (Way > 1 ? VARIANTS : 1); Variant++) {                                             \
      make(Way, Variant);                                                                                              \
      fflush(stdout);                                                                                                  \
      int Child = fork(), Status = 0;                                                                                  \
      if (!Child) {                                                                                                    \
        FORM(__VA_ARGS__);                                                                                             \
        exit(0);                                                                                                       \
      }                                                                                                                \
      waitpid(Child, &Status, 0);                                                                                      \
      show_all(#FORM, Way, Variant, Status);                                                                           \
    }

int main(void) {
  if (mmap(Here, sizeof(struct World), PROT_READ | PROT_WRITE, MAP_FIXED | MAP_SHARED | MAP_ANONYMOUS, -1, 0) != Here)
    return 1;
  struct Matrix *S = Here->Structs;
  long **A = Here->Tables[0], **B = Here->Tables[1], **C = Here->Tables[2];
  int m = SIZE, n = SIZE, k = SIZE;
  RUN(ijk, m, n, k, A, B, C)
  RUN(ikj, m, n, k, A, B, C)
  RUN(kji, m, n, k, A, B, C)
  RUN(sum, m, n, k, A, B, C)
  RUN(zeroed, m, n, k, A, B, C)
  RUN(two_loads, m, n, k, A, B, C)
  RUN(sibling, m, n, k, A, B, C)
  RUN(beta, m, n, k, 5, A, B, C)
  RUN(bounds_in_structs, S, S + 1, S + 2)
  RUN(rows_in_structs, m, n, k, S, S + 1, S + 2)
  RUN(flat_c, m, n, k, A, B, Here->Elements[2][0])
  RUN(flat_c, 4, n, k, A, B, (long *)(A + 1))
  RUN(flat_c, 4, n, k, A, B, (long *)(B + 1))
  RUN(flat_c, m, n, k, A, B, (long *)(B + SIZE))
  RUN(flat_c, m, n, k, A, B, (long *)A - m * n)
  RUN(backwards, m, n, k, A, B, C)
  RUN(strided, m, n, k, A, B, C)
  RUN(lower, n, k, A, C)
  RUN(upper, n, k, A, C)
  RUN(lower_of_transposed, n, k, A, C)
  RUN(strictly_upper, n, k, A, B, C)
  RUN(strictly_lower, n, k, A, B, C)
  return 0;
}
