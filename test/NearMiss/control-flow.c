//===- control-flow.c - nests that decide something on their way ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

//===--- Left early. ------------------------------------------------------===//

// EXPECT EarlyExit|UnknownTripCount: a sum that has become NaN ends the loop over k
void until_nan(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        if (s != s)
          break;
      }
      c[i][j] = s;
    }
}

// EXPECT EarlyExit: a zero in A ends everything, with C half computed
int until_zero(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        if (a[i][k] == 0)
          return 1;
        c[i][j] += a[i][k] * b[k][j];
      }
  return 0;
}

// EXPECT EarlyExit|UnknownTripCount: a negative result ends the loop over rows
void rows_until(long n, double c[restrict n][n], const double a[restrict n][n],
                const double b[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    if (c[i][0] < 0)
      break;
  }
}

// EXPECT EarlyExit: goto out of all loops
void jumps_out(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n], const char *restrict skip) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      if (skip[i] > skip[j])
        goto out;
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
out:
  c[0][0] = 0;
}

// EXPECT EarlyExit: the program stops if the data are wrong
void aborts(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        if (!(a[i][k] >= 0))
          __builtin_trap();
        c[i][j] += a[i][k] * b[k][j];
      }
}

// EXPECT EarlyExit|none: an integer sum that is checked for overflow in each step
int checked(long n, int c[restrict n][n], const int a[restrict n][n], const int b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        if (__builtin_add_overflow(c[i][j], a[i][k] * b[k][j], &c[i][j]))
          return 0;
  return 1;
}

// EXPECT UnknownTripCount: repeated until the sum is small
void until_converged(long n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n], double tolerance) {
  for (long i = 0; i < n; i++) {
    double s;
    do {
      s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][i];
      c[i][i] += 0.5 * s;
    } while (s > tolerance);
  }
}

// EXPECT EarlyExit: computed goto chooses what happens next
void computed_goto(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n], const unsigned char program[restrict n]) {
  static const void *const what[] = {&&next, &&add, &&end};
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        goto *what[program[k]];
      add:
        c[i][j] += a[i][k] * b[k][j];
      next:;
      }
end:;
}

//===--- Iterations that are skipped, or differ. --------------------------===//

// EXPECT Branch: small elements are skipped, not only zeros
void skips_small(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] > 1e-9)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Mask: what is compared with zero is in neither factor
void skips_by_other(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n], const double w[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (w[i][k] != 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: the element across the diagonal is compared
void skips_by_transpose(long n, double c[restrict n][n], const double a[restrict n][n],
                        const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[k][i] != 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: an element is moved before it is compared with zero
void skips_moved(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] + 2 != 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: both elements have to be other than zero
void skips_where_one_is_zero(long n, double c[restrict n][n], const double a[restrict n][n],
                             const double b[restrict n][n], const double d[restrict n][n],
                             const double e[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] != 0 && d[i][k] != 0)
        for (long j = 0; j < n; j++)
          c[i][j] = c[i][j] + a[i][k] * b[k][j] + d[i][k] * e[k][j];
}

// EXPECT Branch: only where the element is zero
void takes_zeros(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] == 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: zeros are counted
void counts_zeros(long n, int c[restrict n][n], const int a[restrict n][n],
                  const int b[restrict n][n], int zeros[restrict n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] != 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
      else
        zeros[i]++;
}

// EXPECT Branch: two factors are compared
void skips_either(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] != 0)
        for (long j = 0; j < n; j++)
          if (b[k][j] != 0)
            c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: of the steps over k, some are bounded by the row as well
void skips_in_triangle(long n, double c[restrict n][n], const double a[restrict n][n],
                       const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k <= i; k++)
      if (a[i][k] != 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: rows found through pointers would be read where the loops read nothing
void skips_in_table(long n, double **c, double **a, double **b) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (a[i][k] != 0)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: elements whose sum is positive are no longer updated
void while_negative(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        if (c[i][j] <= 0)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Mask: a mask says which elements are computed
void masked(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n], const _Bool mask[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      if (mask[i][j])
        for (long k = 0; k < n; k++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Branch: an odd checkerboard of elements
void checkerboard(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        if ((i + j + k) & 1)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Diagonal: leave one out: term j is not in the sum for column j
void leave_one_out(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        if (k != j)
          s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT Branch|NotProduct: terms are added or subtracted, as the data say
void signs(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        if (a[i][k] < b[k][j])
          c[i][j] += a[i][k] * b[k][j];
        else
          c[i][j] -= a[i][k] * b[k][j];
}

// EXPECT NotProduct: the larger of two products
void larger_product(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n], const double d[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        double x = a[i][k] * b[k][j], y = a[i][k] * d[k][j];
        c[i][j] += x > y ? x : y;
      }
}

// EXPECT Branch: the sum is clipped in every step
void clipped(long n, double c[restrict n][n], const double a[restrict n][n],
             const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        s = s > 1 ? 1 : s;
      }
      c[i][j] = s;
    }
}

// EXPECT Branch: the sum goes back to 0 when it gets negative (a best segment)
void best_segment(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        if (s < 0)
          s = 0;
      }
      c[i][j] = s;
    }
}

// EXPECT OtherOperation: the largest partial sum is kept
void largest_partial_sum(long n, double c[restrict n][n], const double a[restrict n][n],
                         const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, most = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        if (s > most)
          most = s;
      }
      c[i][j] = most;
    }
}

// EXPECT Branch|EarlyExit: what is done with A and B is chosen by a switch on the data
void interpreted(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n], const unsigned char program[restrict n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        switch (program[k]) {
        case 0:
          c[i][j] += a[i][k] * b[k][j];
          break;
        case 1:
          c[i][j] += a[i][k] / b[k][j];
          break;
        default:
          c[i][j] *= 2;
        }
}

// EXPECT VaryingScalar: each product is weighted by a factor that the one before was weighted by
void fading(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, weight = 1;
      for (long k = 0; k < n; k++) {
        s += weight * (a[i][k] * b[k][j]);
        weight *= 0.9;
      }
      c[i][j] = s;
    }
}

//===--- Other semirings. -------------------------------------------------===//

// EXPECT none: a product of products
void times_plus(long n, double c[restrict n][n], const double a[restrict n][n],
                const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] *= a[i][k] + b[k][j];
}
