// Of a triangular complex factor, and of the other one, nothing is read that the loops do
// not read, not even to search it for large elements: there is no memory before the first
// number that is read, or behind the last one. The same holds of what is made of them first.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// DEFINE:   -Rpass=tilesmith %s -o %t.ours 2> %t.remarks
// DEFINE: %{test} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected && %{ours} && %t.ours > %t.result && \
// DEFINE:   cmp %t.expected %t.result && FileCheck %s < %t.remarks
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -DT=float
// RUN: %{test}
// REQUIRES: x86
// CHECK-COUNT-10: complex TRMM
#include "../guarded.h"
#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define NEST(NAME, FIRST, END, C, UPDATE)                                                                              \
  __attribute__((noinline)) void NAME(int m, int n, const Z *a, const Z *restrict b, Z *restrict c) {                  \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int j = 0; j < n; j++)                                                                                      \
        for (int k = FIRST; k < END; k++)                                                                              \
          c[C] += UPDATE;                                                                                              \
  }
#define BY_ROWS i *n + j
#define BY_COLUMNS j *m + i
NEST(lower, 0, i, BY_ROWS, a[i * m + k] * b[k * n + j])
NEST(upper, i + 1, m, BY_ROWS, a[i * m + k] * b[k * n + j])
NEST(columns_lower, 0, i, BY_COLUMNS, a[k * m + i] * b[j * m + k])
NEST(columns_upper, i + 1, m, BY_COLUMNS, a[k * m + i] * b[j * m + k])
NEST(conjugate_lower, 0, i, BY_COLUMNS, ~a[i * m + k] * b[j * m + k])
NEST(conjugate_upper, i + 1, m, BY_ROWS, ~a[k * m + i] * b[k * n + j])
/// A factor is made of what alpha and an element are.
#define MADE(NAME, FIRST, END)                                                                                         \
  __attribute__((noinline)) void NAME(int m, int n, const Z *a, const Z *restrict b, Z *restrict c) {                  \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int k = FIRST; k < END; k++) {                                                                              \
        Z t = alpha * A;                                                                                               \
        for (int j = 0; j < n; j++)                                                                                    \
          c[i * n + j] += t * b[k * n + j];                                                                            \
      }                                                                                                                \
  }
Z alpha;
#define A a[i * m + k]
MADE(made_lower, 0, i)
MADE(made_upper, i + 1, m)
#undef A
#define A a[k * m + i]
MADE(made_of_columns_lower, 0, i)
MADE(made_of_columns_upper, i + 1, m)
typedef void F(int, int, const Z *, const Z *, Z *);
static const struct {
  F *Run;
  int IsUpper, IsByColumns;
} Nests[] = {{lower, 0, 0},         {upper, 1, 0},           {columns_lower, 0, 1},
             {columns_upper, 1, 1}, {conjugate_lower, 0, 1}, {conjugate_upper, 1, 0}, {made_lower, 0, 0}, {made_upper, 1, 0}, {made_of_columns_lower, 0, 0}, {made_of_columns_upper, 1, 0}};

/// So many numbers of their own, between pages that fault.
static Z *numbers(size_t Count, int AtEnd) {
  Z *Result = guarded(Count * sizeof(Z), AtEnd);
  for (size_t I = 0; I < 2 * Count; I++)
    ((T *)Result)[I] = (T)(I * 37 % 101) * (T).01;
  return Result;
}

int main() {
  ((T *)&alpha)[0] = (T).75;
  ((T *)&alpha)[1] = (T)-.5;
  static const int Sizes[] = {2, 3, 5, 8, 9, 16, 17, 24, 33, 40, 65};
  for (int f = 0; f < sizeof Nests / sizeof *Nests; f++)
    for (int s = 0; s < 11; s++)
      for (int t = 0; t < 11; t += 2) {
        int m = Sizes[s], n = Sizes[t], IsUpper = Nests[f].IsUpper;
        // The first number of a, or the last one, is on the diagonal, and so is a row of b.
        int NotOfB = Nests[f].IsByColumns ? 1 : n;
        Z *a = numbers(m * m - 1, !IsUpper), *b = numbers(m * n - NotOfB, !IsUpper), *c = numbers(m * n, 1);
        Nests[f].Run(m, n, IsUpper ? a - 1 : a, IsUpper ? b - NotOfB : b, c);
        hashBytes(c, m * n * sizeof(Z));
        printf("%d %d %d %lx\n", f, m, n, Hash);
      }
}
