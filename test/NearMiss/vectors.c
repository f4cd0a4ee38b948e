//===- vectors.c - nests that are almost a matrix times a vector ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native
// Where sums are not those of a matrix times a vector, no reason is shown.
// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s --implicit-check-not="GEMV"

// CHECK-LABEL: function 'ger'
// CHECK-NEXT:  not replaced: RankUpdate:
// EXPECT RankUpdate: it has no sum
void ger(long m, long n, double *a, const double *x, const double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      a[i * n + k] += x[i] * y[k];
}

// CHECK-LABEL: function 'syr2'
// CHECK-NEXT:  not replaced: RankUpdate:
// EXPECT RankUpdate: of one triangle, and of rank 2
void syr2(long n, double *restrict a, const double *restrict x, const double *restrict y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k <= i; k++)
      a[i * n + k] += x[i] * y[k] + y[i] * x[k];
}

// CHECK-LABEL: function 'band'
// CHECK-NEXT:  not replaced: Band:
// EXPECT Band: by columns, as LAPACK stores it
void band(long n, long w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long k = 0; k < n; k++)
    for (long i = k < w ? 0 : k - w; i < (k + w < n ? k + w + 1 : n); i++)
      y[i] += a[k * (2 * w + 1) + i - k + w] * x[k];
}

// CHECK-LABEL: function 'upper_from_below'
// CHECK-NEXT:  not replaced: Substitution:
// EXPECT Substitution: in place, each row needs those that are new
void upper_from_below(long n, const double *u, double *x) {
  for (long i = n - 1; i >= 0; i--) {
    double s = 0;
    for (long k = i; k < n; k++)
      s += u[i * n + k] * x[k];
    x[i] = s;
  }
}

// CHECK-LABEL: function 'solve'
// CHECK-NEXT:  not replaced: Substitution:
// EXPECT Substitution: forward substitution: each row needs those above
void solve(long n, const double *l, double *x) {
  for (long i = 0; i < n; i++) {
    double s = x[i];
    for (long k = 0; k < i; k++)
      s -= l[i * n + k] * x[k];
    x[i] = s / l[i * n + i];
  }
}

// CHECK-LABEL: function 'steep'
// CHECK-NEXT:  not replaced: BoundVaries:
// EXPECT BoundVaries: a row is longer by two than the one before
void steep(long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k <= 2 * i; k++)
      y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL: function 'diagonal_apart'
// CHECK-NEXT:  not replaced: OtherStore:
// EXPECT OtherStore: an element is set when others have been added to it
void diagonal_apart(long n, const double *restrict a, const double *restrict x,
                    double *restrict y) {
  for (long k = 0; k < n; k++) {
    for (long i = 0; i < k; i++)
      y[i] += a[i * n + k] * x[k];
    y[k] = a[k * n + k] * x[k];
  }
}

// CHECK-LABEL: function 'two_chains'
// CHECK-NEXT:  not replaced: VaryingScalar:
// EXPECT VaryingScalar: beside the sum of products, there is another one, which clang makes no vectors of
void two_chains(long n, const double *restrict a, const double *restrict x,
                double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0, t = 0;
    for (long k = 0; k < n; k++) {
      s += a[i * n + k] * x[k];
      t += a[i * n + k];
    }
    y[i] = s / t;
  }
}

// CHECK-LABEL: function 'scattered'
// CHECK-NEXT:  not replaced: OtherStore:
// EXPECT OtherStore: beside the sum, elements are stored in any order
void scattered(long n, const double *restrict a, const double *restrict x,
               double *restrict y, double *restrict z,
               const long *restrict place) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < n; k++) {
      s += a[i * n + k] * x[k];
      z[place[k]] += a[i * n + k];
    }
    y[i] = s;
  }
}

// CHECK-LABEL: function 'in_place'
// CHECK-NEXT:  not replaced: Recurrence:
// EXPECT Recurrence: the vector is what is computed
void in_place(long n, const double *a, double *x) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    x[i] = s;
  }
}

// CHECK-LABEL: function 'running'
// CHECK-NEXT:  not replaced: VaryingScalar:
// EXPECT VaryingScalar: rows are not restarted
void running(long m, long n, const double *a, const double *x, double *y) {
  double s = 0;
  for (long i = 0; i < m; i++) {
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'of_some'
// CHECK-NEXT:  not replaced: Mask:
// EXPECT Mask: the steps are not those of all rows
void of_some(long m, long n, const double *a, const double *x, double *y,
             const int *wanted) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      if (wanted[k])
        y[i] += a[i * n + k] * x[k];
}

// CHECK-LABEL: function 'sparse'
// CHECK-NEXT:  not replaced: Sparse:
// EXPECT Sparse: the row is gathered, as in sparse matrices
void sparse(long m, const int *first, const int *column, const double *a,
            const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long p = first[i]; p < first[i + 1]; p++)
      y[i] += a[p] * x[column[p]];
}

// CHECK-LABEL: function 'halved'
// CHECK-NEXT:  not replaced: FusedCounter:
// EXPECT IndexRoles: every second sum goes to the same element
void halved(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i / 2] += a[i * n + k] * x[k];
}

// CHECK-LABEL: function 'until'
// CHECK-NEXT:  not replaced: UnknownTripCount:
// EXPECT UnknownTripCount: the sum is stopped
void until(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++) {
      s += a[i * n + k] * x[k];
      if (s > 100)
        break;
    }
    y[i] = s;
  }
}

// CHECK-LABEL: function 'in_table'
// CHECK-NEXT:  not replaced: NotAffine:
// EXPECT NotAffine: the vector is a column of a table, which is not copied
void in_table(long m, long n, const double *a, double **x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[i * n + k] * x[k][3];
}

// CHECK-LABEL: function 'every_second'
// CHECK-NEXT:  not replaced: RowTable:
// EXPECT RowTable: elements of rows are not adjacent
void every_second(long m, long n, double **a, const double *x, double *y) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      y[i] += a[i][2 * k] * x[k];
}

// CHECK-LABEL: function 'shown'
// CHECK-NEXT:  not replaced: Call:
// EXPECT Call: somebody may look at a sum
void shown(long m, long n, const double *a, const double *x, double *y,
           void (*show)(double)) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    show(s);
    y[i] = s;
  }
}

double gate(double);
// CHECK-LABEL: function 'gated'
// CHECK-NEXT:  not replaced: Call:
// EXPECT Call: a gate is computed from the sum
void gated(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = gate(s);
  }
}

// EXPECT LoneSum: one row
double row(long n, const double *a, const double *x) {
  double s = 0;
  for (long k = 0; k < n; k++)
    s += a[k] * x[k];
  return s;
}

// CHECK-LABEL: function 'start_in_row'
// EXPECT VaryingScalar: rows are found through a table, and each has what its sum starts from
void start_in_row(long m, long n, double **a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = a[i][n];
    for (long k = 0; k < n; k++)
      s += a[i][k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'rounded'
// EXPECT OtherOperation: elements become narrower first
void rounded(long m, long n, const double *a, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += (float)a[i * n + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'group'
// EXPECT none: one row of groups
float group(int count, int size, const signed char *w, const float *scales, const signed char *q) {
  float s = 0;
  for (int j = 0; j < count; j++) {
    int r = 0;
    for (int k = 0; k < size; k++)
      r += w[j * size + k] * q[j * size + k];
    s += (float)r * scales[j];
  }
  return s;
}

struct quantised {
  signed char *q;
  float *s;
};
// CHECK-LABEL: function 'groups'
// EXPECT ScaledGroups: a matrix of quantised weights, of which a table chooses the scales
void groups(float *y, const struct quantised *x, const struct quantised *w, const int *numbers, int n, int m) {
  extern int groupSize;
  for (int i = 0; i < m; i++) {
    float s = 0;
    int r = 0, row = i * n;
    for (int j = 0; j <= n - groupSize; j += groupSize) {
      for (int k = 0; k < groupSize; k++)
        r += (int)x->q[j + k] * (int)w->q[row + j + k];
      s += (float)r * w->s[numbers[j / groupSize]];
      r = 0;
    }
    y[i] = s;
  }
}

// CHECK-LABEL: function 'looked_up'
// EXPECT NotAffine: elements are numbers of values in a table
void looked_up(long m, long n, const unsigned char *a, const float *values, const float *x, float *y) {
  for (long i = 0; i < m; i++) {
    float s = 0;
    for (long k = 0; k < n; k++)
      s += values[a[i * n + k]] * x[k];
    y[i] = s;
  }
}
