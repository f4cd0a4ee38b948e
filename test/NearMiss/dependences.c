//===- dependences.c - nests that read what they have updated -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

// EXPECT Factorisation|Branch: LU decomposition: step k uses what the steps before have left
void lu(long n, double a[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (long j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j];
    }
}

// EXPECT Factorisation|ExtraLoop: LU by rows (Doolittle), without the upper triangle
void lu_by_rows(long n, double a[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i; j++) {
      for (long k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[k][j];
      a[i][j] /= a[j][j];
    }
}

// EXPECT Factorisation|Call: Cholesky decomposition
void cholesky(long n, double a[n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i; j++) {
      for (long k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (long k = 0; k < i; k++)
      a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = __builtin_sqrt(a[i][i]);
  }
}

// EXPECT Factorisation|VaryingScalar: forward substitution with many right-hand sides
void solve_lower(long m, long n, double x[restrict m][n], const double l[restrict m][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < i; k++)
        x[i][j] -= l[i][k] * x[k][j];
      x[i][j] /= l[i][i];
    }
}

// EXPECT Factorisation: the same with a unit diagonal, which is an update and nothing else
void solve_unit_lower(long m, long n, double x[restrict m][n], const double l[restrict m][m]) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < i; k++)
      for (long j = 0; j < n; j++)
        x[i][j] -= l[i][k] * x[k][j];
}

// EXPECT Factorisation: substitution from the right: each column needs those before it
void solve_from_right(long m, long n, double x[restrict m][n], const double u[restrict n][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < j; k++)
        x[i][j] -= x[i][k] * u[k][j];
}

// EXPECT Factorisation|Branch: a triangle times itself, in its own place
void lower_squared_in_place(long n, double a[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i; j++)
      for (long k = j; k < i; k++)
        a[i][j] += a[i][k] * a[k][j];
}

// EXPECT Factorisation: counting parse trees: long spans are made of shorter ones
void inside(long n, double p[n + 1][n + 1]) {
  for (long span = 2; span <= n; span++)
    for (long i = 0; i + span <= n; i++)
      for (long k = i + 1; k < i + span; k++)
        p[i][i + span] += p[i][k] * p[k][i + span];
}

// EXPECT Factorisation: modified Gram-Schmidt: column k is normalised before the others use it
void gram_schmidt(long m, long n, double q[restrict m][n], double r[restrict n][n]) {
  for (long k = 0; k < n; k++) {
    double s = 0;
    for (long i = 0; i < m; i++)
      s += q[i][k] * q[i][k];
    r[k][k] = __builtin_sqrt(s);
    for (long i = 0; i < m; i++)
      q[i][k] /= r[k][k];
    for (long j = k + 1; j < n; j++) {
      r[k][j] = 0;
      for (long i = 0; i < m; i++)
        r[k][j] += q[i][k] * q[i][j];
      for (long i = 0; i < m; i++)
        q[i][j] -= q[i][k] * r[k][j];
    }
  }
}

// EXPECT VaryingScalar: the sum of a row starts from the result in the row above
void rows_pile_up(long m, long n, double c[restrict m][n], const double a[restrict m][n],
                  const double b[restrict n][n]) {
  for (long i = 1; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = c[i - 1][j];
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT VaryingScalar: the sum of a column starts from the result to its left
void columns_pile_up(long m, long n, double c[restrict m][n], const double a[restrict m][n],
                     const double b[restrict n][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 1; j < n; j++) {
      double s = c[i][j - 1];
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT VaryingScalar: the sum is set to 0 once per row, and goes on from column to column
void sum_not_restarted(long m, long n, double c[restrict m][n], const double a[restrict m][n],
                       const double b[restrict n][n]) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
  }
}

// EXPECT NotProduct: a factor is the neighbour of the element that is updated
void times_neighbour(long n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 1; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += c[i][j - 1] * a[i][k] * b[k][j];
}

// EXPECT IndexRoles: a recurrence along k: each element is made of the one to its left
void recurrence(long n, double c[restrict n][n + 1], const double a[restrict n][n],
                const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][k + 1] = c[i][k] + a[i][k] * b[k][j];
}

// EXPECT OtherStore: A is scaled between two uses
void factor_changes(long n, double c[restrict n][n], double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        a[i][k] *= 0.5;
      }
}

// EXPECT OtherStore|VaryingScalar: each finished element is written into B, and used in the next row
void result_into_b(long n, double c[restrict n][n], const double a[restrict n][n],
                   double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
      b[i][j] = s;
    }
}

// EXPECT OtherStore|VaryingScalar: the second product uses elements of the first that are not finished
void second_reads_first(long n, double c[restrict n][n], double d[restrict n][n],
                        const double a[restrict n][n], const double b[restrict n][n],
                        const double e[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        d[i][j] += c[i][k] * e[k][j];
      }
}

// EXPECT OtherStore: the results overlap by a column; parting the products changes the order
void results_overlap(long n, double c[restrict n][n + 1], const double a[restrict n][n],
                     const double b[restrict n][n], const double e[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        c[i][j + 1] += a[i][k] * e[k][j];
      }
}

// EXPECT OtherStore: each product is the other's factor
void in_circles(long n, double c[restrict n][n], double d[restrict n][n],
                const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * d[k][j];
        d[i][j] -= a[i][k] * c[k][j];
      }
}

// EXPECT OtherStore: the factor of step k is computed from what step k - 1 has left (conjugate directions)
void deflation(long n, double c[restrict n][n], double v[restrict n], const double b[restrict n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++) {
      v[i] = c[i][k] * 0.5;
      for (long j = 0; j < n; j++)
        c[i][j] -= v[i] * b[k][j];
    }
}

struct row {
  struct row *next;
  double value[64];
};

// EXPECT UnknownTripCount: rows in a linked list
void linked_rows(struct row *restrict c, const double a[restrict 64][64],
                 const struct row *restrict b) {
  for (long i = 0; i < 64; i++) {
    long k = 0;
    for (const struct row *r = b; r; r = r->next, k++)
      for (long j = 0; j < 64; j++)
        c[i].value[j] += a[i][k] * r->value[j];
  }
}

// EXPECT NotAffine: row pointers that change places in every step
void swapped_rows(long n, double *restrict now, double *restrict next, const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      for (long j = 0; j < n; j++)
        next[j] += now[k] * b[k][j];
      double *t = now;
      now = next, next = t;
    }
}

// EXPECT NotAffine: a row pointer of C changes while the rows are updated
void moving_row_pointers(long n, double **c, double **a, double **b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
      c[i] = c[(i + j) % n];
    }
}

// EXPECT OtherStore|Recurrence: two columns beyond the diagonal, row 98 comes to its end, and the element is C's next row's first
void beyond_the_row(double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < 100; i++) {
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < 100; k++)
        c[i * 100 + j] += a[i * 100 + k] * b[j * 100 + k];
    c[i * 100 + i + 2] = 0.5;
  }
}

// EXPECT IndexRoles|OtherStore: the row of sums is not begun anew, so each row adds to the one before
void row_goes_on(long n, const double a[restrict n][n], const double b[restrict n][n],
                 double sums[restrict n], double c[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        sums[j] += a[i][k] * b[k][j];
    for (long j = 0; j < n; j++)
      c[i][j] = sums[j];
  }
}

// EXPECT RowBuffer: the first sum begins with another value
void row_begun_twice(long n, const double a[restrict n][n], const double b[restrict n][n],
                     double sums[restrict n], double c[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      sums[j] = 0;
    sums[0] = 1;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        sums[j] += a[i][k] * b[k][j];
    for (long j = 0; j < n; j++)
      c[i][j] = sums[j];
  }
}

// EXPECT IndexRoles|OtherStore: sums are changed between the steps
void row_changed_between(long n, const double a[restrict n][n], const double b[restrict n][n],
                         double sums[restrict n], double c[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      sums[j] = 0;
    for (long k = 0; k < n; k++) {
      for (long j = 0; j < n; j++)
        sums[j] += a[i][k] * b[k][j];
      sums[k] *= 2;
    }
    for (long j = 0; j < n; j++)
      c[i][j] = sums[j];
  }
}

// EXPECT IndexRoles|OtherStore|Branch: only half of the row is begun anew
void half_row(long n, const double a[restrict n][n], const double b[restrict n][n],
              double sums[restrict n], double c[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n / 2; j++)
      sums[j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        sums[j] += a[i][k] * b[k][j];
    for (long j = 0; j < n; j++)
      c[i][j] = sums[j];
  }
}

// EXPECT IndexRoles|OtherStore: each step is stored
void row_of_steps(long n, const double a[restrict n][n], const double b[restrict n][n],
                  double sums[restrict n], double c[restrict n][n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      sums[j] = 0;
    for (long k = 0; k < n; k++) {
      for (long j = 0; j < n; j++)
        sums[j] += a[i][k] * b[k][j];
      for (long j = 0; j < n; j++)
        c[i][k][j] = sums[j];
    }
  }
}

// EXPECT Factorisation|Recurrence: counted down to an empty row, the rows that are read are finished
void rows_below(int m, int n, const double a[m][m], double b[m][n]) {
  for (int k = m; k-- > 0;)
    for (int i = k; i-- > 0;)
      for (int j = n; j-- > 0;)
        b[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: shortest paths over the first vertices only: k has another bound
void paths_over_first(long n, long m, float d[n][n]) {
  for (long k = 0; k < m; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j])
          d[i][j] = d[i][k] + d[k][j];
}

// EXPECT Branch: the number of edges is stored as well
void paths_with_edges(long n, float d[n][n], int edges[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) {
          d[i][j] = d[i][k] + d[k][j];
          edges[i][j] = edges[i][k] + edges[k][j];
        }
}

// EXPECT Branch: something else is stored in front of each line
void paths_with_predecessors_and_lines(long n, float d[n][n], int last[n][n], int *lines) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++) {
      lines[i]++;
      for (long j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) {
          d[i][j] = d[i][k] + d[k][j];
          last[i][j] = last[k][j];
        }
    }
}

// EXPECT Branch: the diagonal stays as it is
void paths_but_loops(long n, float d[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        if (i != j && d[i][k] + d[k][j] < d[i][j])
          d[i][j] = d[i][k] + d[k][j];
}

// EXPECT Recurrence: column k of the transposed matrix is row k
void paths_of_transposed(long n, float d[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        d[i][j] = __builtin_fminf(d[i][j], d[k][i] + d[k][j]);
}

// EXPECT Recurrence: k is not the outermost loop, so later rows see longer paths
void paths_row_by_row(long n, float d[n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        d[i][j] = __builtin_fminf(d[i][j], d[i][k] + d[k][j]);
}
