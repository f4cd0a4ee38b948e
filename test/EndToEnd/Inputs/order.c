//===- order.c - nests in which the order of statements matters -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each nest is a product and something else, or a part of a product. Some may
// be distributed and some may not; all must give the same bits as without the
// plugin. order-driver.c calls them, with arrays that overlap if there is an
// 'o' in the nest's flags. Arrays may be addressed some rows and columns before
// their beginning.

typedef void Function(long n, long m, long ld, void *a, void *b, void *c, void *d);
struct Nest {
  const char *name;
  const char *flags; // o: arrays may overlap; l: elements are of type long
  Function *run;
};

#define A(i, j) a[(i) * ld + (j)]
#define B(i, j) b[(i) * ld + (j)]
#define C(i, j) c[(i) * ld + (j)]
#define D(i, j) d[(i) * ld + (j)]
#define UP(i, from, to) for (long i = (from); i < (to); i++)
#define DOWN(i, from, to) for (long i = (to) - 1; i >= (from); i--)

// The plainest product of row i and column j.
#define ELEMENT(i, j)                                                          \
  UP(k, 0, m) C(i, j) += A(i, k) * B(k, j)
#define SUM(s, i, j)                                                           \
  UP(k, 0, m) s += A(i, k) * B(k, j)

// DISJOINT(name) { body } and OVERLAPPING(name) { body }
#define NEST(Name, Flags, T, Restrict)                                         \
  static void Name##_body(long n, long m, long ld, T *Restrict a,              \
                          T *Restrict b, T *Restrict c, T *Restrict d);        \
  static void Name(long n, long m, long ld, void *a, void *b, void *c,         \
                   void *d) {                                                  \
    Name##_body(n, m, ld, a, b, c, d);                                         \
  }                                                                            \
  static struct Nest Name##_entry                                              \
      __attribute__((used, section("nests"))) = {#Name, Flags, Name};          \
  __attribute__((noinline)) static void Name##_body(                           \
      long n, long m, long ld, T *Restrict a, T *Restrict b, T *Restrict c,    \
      T *Restrict d)
#define DISJOINT(Name) NEST(Name, "", double, restrict)
#define OVERLAPPING(Name) NEST(Name, "o", double, )
#define DISJOINT_LONG(Name) NEST(Name, "l", long, restrict)
#define OVERLAPPING_LONG(Name) NEST(Name, "lo", long, )

// A body for arrays that do not overlap, and again for arrays that may.
#define BOTH(Name, ...)                                                        \
  DISJOINT(Name) __VA_ARGS__                                                   \
  OVERLAPPING(Name##_o) __VA_ARGS__
#define BOTH_LONG(Name, ...)                                                   \
  DISJOINT_LONG(Name) __VA_ARGS__                                              \
  OVERLAPPING_LONG(Name##_o) __VA_ARGS__

//===--- Rows of C, some of them read or written elsewhere. ----------------===//

BOTH(read_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = 2 * C(i, j);
  }
})
BOTH(read_row_before, {
  UP(i, 0, n) {
    UP(j, 0, n) D(i, j) = 2 * C(i, j);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(read_row_behind, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = 2 * C(i - 1, j);
  }
})
BOTH(read_row_ahead, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = 2 * C(i + 1, j);
  }
})
BOTH(read_same_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = 2 * C(3, j);
  }
})
BOTH(write_row_ahead, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) C(i + 1, j) = D(i, j);
  }
})
BOTH(write_row_behind, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) C(i - 1, j) *= 0.5;
  }
})
BOTH(write_row_before, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = D(i, j) + j;
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(write_row_after, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) C(i, j) = C(i, j) * D(i, j);
  }
})
BOTH(reverse_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = C(i, n - 1 - j);
  }
})
BOTH(wider_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n + 3) D(i, j) = C(i, j);
  }
})
BOTH(two_rows, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, 2 * ld) d[i * 2 * ld + j] = C(i, j);
  }
})
BOTH(read_element_left, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    D(i, j) = C(i, j - 1);
  }
})
BOTH(read_element_right, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    D(i, j) = C(i, j + 1);
  }
})
BOTH(write_element_right, {
  UP(i, 0, n) UP(j, 0, n) {
    ELEMENT(i, j);
    C(i, j + 1) = D(i, j);
  }
})
BOTH(write_element_left, {
  UP(i, 0, n) UP(j, 0, n) {
    ELEMENT(i, j);
    C(i, j - 1) *= D(i, j);
  }
})
BOTH(first_of_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    C(i, 0) = D(i, 0);
  }
})
BOTH(first_of_row_before, {
  UP(i, 0, n) {
    C(i, 0) = D(i, 0);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(between_start_and_sum, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0;
    C(i, 2) = D(i, 0);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(before_the_start_is_read, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = C(i, j);
    C(i, j) = D(i, j);
    D(i, j) = s + C(i, j);
    SUM(s, i, j);
    C(i, j) = s;
  }
})
BOTH(element_after, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    D(i, j) += s;
  }
})
BOTH(element_elsewhere, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    D(j, i) -= 3 * s;
  }
})
BOTH(element_before, {
  UP(i, 0, n) UP(j, 0, n) {
    D(i, j) = 2 * C(i, j);
    double s = C(i, j);
    SUM(s, i, j);
    C(i, j) = s;
  }
})
BOTH(both_sides, {
  UP(i, 0, n) {
    UP(j, 0, n) D(i, j) = 2 * C(i, j);
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) -= C(i, j);
  }
})
BOTH(by_columns, {
  UP(j, 0, n) {
    UP(i, 0, n) ELEMENT(i, j);
    UP(i, 0, n) D(i, j) = C(i, j);
  }
})
BOTH(column_behind, {
  UP(j, 0, n) {
    UP(i, 0, n) ELEMENT(i, j);
    UP(i, 0, n) D(i, j) = C(i, j - 1);
  }
})
BOTH(column_for_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = C(j, i);
  }
})
BOTH(row_sums, {
  UP(i, 0, n) {
    double t = 0;
    UP(j, 0, n) {
      double s = 0;
      SUM(s, i, j);
      C(i, j) = s;
      t += s;
    }
    D(i, 0) = t;
  }
})
BOTH(running_total, {
  double t = 0;
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    t += s;
    D(i, j) = t;
  }
})
BOTH(last_of_row, {
  UP(i, 0, n) {
    double s = 0;
    UP(j, 0, n) {
      s = C(i, j);
      SUM(s, i, j);
      C(i, j) = s;
    }
    D(i, 0) = s;
  }
})
BOTH(squared_rows, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) C(i, j) = C(i, j) * C(i, n - 1 - j);
  }
})

//===--- A and B are written. ----------------------------------------------===//

BOTH(next_row_of_a, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(k, 0, m) A(i + 1, k) = C(i, k);
  }
})
BOTH(last_row_of_a, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(k, 0, m) A(i - 1, k) = C(i, k);
  }
})
BOTH(row_back_into_a, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(k, 0, m) A(i, k) = C(i, k);
  }
})
BOTH(row_of_a_before, {
  UP(i, 0, n) {
    UP(k, 0, m) A(i, k) *= D(i, k);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(row_of_a_before_from_c, {
  UP(i, 0, n) {
    UP(k, 0, m) A(i, k) *= C(i, k);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(row_into_b, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) B(i, j) = C(i, j);
  }
})
BOTH(row_of_b_before, {
  UP(i, 0, n) {
    UP(j, 0, n) B(i, j) *= 0.5;
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(column_of_b_back, {
  UP(j, 0, n) {
    UP(i, 0, n) ELEMENT(i, j);
    UP(k, 0, m) B(k, j) = C(k, j);
  }
})
BOTH(column_of_b_ahead, {
  UP(j, 0, n) {
    UP(i, 0, n) ELEMENT(i, j);
    UP(k, 0, m) B(k, j + 1) += C(k, j);
  }
})
BOTH(element_into_a, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    A(i, j) = s;
  }
})
BOTH(element_into_b, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = s;
    B(i, j) = s;
  }
})

//===--- Inside loops over k, and tiles. -----------------------------------===//

BOTH(partial_sums_of_row, {
  UP(i, 0, n) UP(k, 0, m) {
    double s = 0;
    UP(j, 0, n) {
      s = C(i, j) + A(i, k) * B(k, j);
      C(i, j) = s;
    }
    D(i, 0) += s;
  }
})
BOTH(last_partial_sum, {
  UP(i, 0, n) {
    double s = 0;
    UP(k, 0, m) {
      UP(j, 0, n) {
        s = C(i, j) + A(i, k) * B(k, j);
        C(i, j) = s;
      }
    }
    D(i, 0) += s;
  }
})
BOTH(partial_sums_of_all, {
  UP(k, 0, m) {
    double s = 0;
    UP(i, 0, n) UP(j, 0, n) {
      s = C(i, j) + A(i, k) * B(k, j);
      C(i, j) = s;
    }
    D(k, 0) = s;
  }
})
BOTH(in_sum_outermost, {
  UP(k, 0, m) {
    UP(i, 0, n) UP(j, 0, n) C(i, j) += A(i, k) * B(k, j);
    UP(j, 0, n) D(k, j) = C(0, j);
  }
})
BOTH(in_sum_of_row, {
  UP(i, 0, n) UP(k, 0, m) {
    UP(j, 0, n) C(i, j) += A(i, k) * B(k, j);
    D(i, k) = C(i, 1);
  }
})
BOTH(in_sum_unrelated, {
  UP(i, 0, n) UP(k, 0, m) {
    D(i, k) = 2 * A(i, k);
    UP(j, 0, n) C(i, j) += A(i, k) * B(k, j);
  }
})
BOTH(in_sum_writes_c, {
  UP(k, 0, m) UP(i, 0, n) {
    UP(j, 0, n) C(i, j) += A(i, k) * B(k, j);
    C(i, 0) *= 0.5;
  }
})
BOTH(in_sum_writes_a, {
  UP(k, 0, m) UP(i, 0, n) {
    UP(j, 0, n) C(i, j) += A(i, k) * B(k, j);
    A(i, k) = D(i, k);
  }
})
BOTH(tiled_sum_stored, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = C(i, j);
    for (long kk = 0; kk < m; kk += 8) {
      UP(k, kk, kk + 8 < m ? kk + 8 : m) s += A(i, k) * B(k, j);
      D(i, j) += s;
    }
    C(i, j) = s;
  }
})
BOTH(tiled_sum_before, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    for (long kk = 0; kk < m; kk += 8) {
      D(i, j) = s;
      UP(k, kk, kk + 8 < m ? kk + 8 : m) s += A(i, k) * B(k, j);
    }
    C(i, j) = s;
  }
})
BOTH(sum_by_blocks, {
  for (long kk = 0; kk < m; kk += 8)
    UP(i, 0, n) {
      UP(j, 0, n) UP(k, kk, kk + 8 < m ? kk + 8 : m) C(i, j) += A(i, k) * B(k, j);
      UP(j, 0, n) D(i, j) = C(i, j);
    }
})
BOTH(rows_by_tiles, {
  for (long ii = 0; ii < n; ii += 4) {
    UP(j, 0, n) UP(i, ii, ii + 4 < n ? ii + 4 : n) ELEMENT(i, j);
    UP(i, ii, ii + 4 < n ? ii + 4 : n) UP(j, 0, n) D(i, j) = C(i, j);
  }
})
BOTH(rows_by_tiles_ahead, {
  for (long ii = 0; ii < n; ii += 4) {
    UP(j, 0, n) UP(i, ii, ii + 4 < n ? ii + 4 : n) ELEMENT(i, j);
    UP(i, ii, ii + 5) UP(j, 0, n) D(i, j) = C(i, j);
  }
})
BOTH(rows_by_tiles_into_a, {
  for (long ii = 0; ii < n; ii += 4) {
    UP(j, 0, n) UP(i, ii, ii + 4 < n ? ii + 4 : n) ELEMENT(i, j);
    UP(i, ii, ii + 4 < n ? ii + 4 : n) UP(k, 0, m) A(i, k) = C(i, k);
  }
})
BOTH(rows_by_tiles_first, {
  for (long ii = 0; ii < n; ii += 4) {
    UP(j, 0, n) UP(i, ii, ii + 4 < n ? ii + 4 : n) ELEMENT(i, j);
    UP(j, 0, n) D(ii, j) = C(ii, j);
  }
})
BOTH(tiles, {
  for (long ii = 0; ii < n; ii += 4)
    for (long jj = 0; jj < n; jj += 8) {
      UP(i, ii, ii + 4 < n ? ii + 4 : n)
      UP(j, jj, jj + 8 < n ? jj + 8 : n) ELEMENT(i, j);
      UP(i, ii, ii + 4 < n ? ii + 4 : n)
      UP(j, jj, jj + 8 < n ? jj + 8 : n) D(i, j) = C(i, j);
    }
})
BOTH(tiles_right, {
  for (long ii = 0; ii < n; ii += 4)
    for (long jj = 0; jj < n; jj += 8) {
      UP(i, ii, ii + 4 < n ? ii + 4 : n)
      UP(j, jj, jj + 8 < n ? jj + 8 : n) ELEMENT(i, j);
      UP(i, ii, ii + 4 < n ? ii + 4 : n)
      UP(j, jj, jj + 9) D(i, j) += C(i, j);
    }
})

//===--- Scalars and bounds that the rest overwrites. ----------------------===//

BOTH(alpha_overwritten, {
  UP(i, 0, n) {
    UP(j, 0, n) {
      double s = 0;
      SUM(s, i, j);
      C(i, j) = D(0, 0) * s;
    }
    D(i, 0) = C(i, 0);
  }
})
BOTH(alpha_overwritten_last, {
  UP(i, 0, n) {
    UP(j, 0, n) {
      double s = 0;
      SUM(s, i, j);
      C(i, j) = D(n, 0) * s;
    }
    D(i + 1, 0) = C(i, 0);
  }
})
BOTH(alpha_in_c, {
  UP(i, 0, n) {
    UP(j, 0, n) {
      double s = 0;
      SUM(s, i, j);
      C(i, j) = C(-1, 0) * s;
    }
    D(i, 0) = C(i, 0);
  }
})
BOTH_LONG(bound_overwritten, {
  UP(i, 0, n) {
    UP(j, 0, d[0] & 31) ELEMENT(i, j);
    d[0] = n / 2 + i;
  }
})
BOTH_LONG(bound_elsewhere, {
  UP(i, 0, n) {
    UP(j, 0, d[0] & 31) ELEMENT(i, j);
    D(1, i) = C(i, 0) & 15;
  }
})
BOTH_LONG(bound_in_row, {
  UP(i, 0, n) {
    UP(j, 0, d[i] & 31) ELEMENT(i, j);
    d[i] = C(i, 0) & 15;
  }
})
BOTH_LONG(bound_in_c, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, C(-1, 0) & 15) D(i, j) = C(i, j);
  }
})
BOTH_LONG(length_from_c, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, C(i, 0) & 15) D(i, j) = C(i, j);
  }
})
BOTH_LONG(count_from_c, {
  UP(i, 0, n) {
    unsigned long x = i + 77;
    for (long t = C(i, 0) & 15; t >= 0; t--)
      x = (x >> 3) ^ (x * 5);
    UP(j, 0, n) ELEMENT(i, j);
    D(i, 0) = x;
  }
})
BOTH_LONG(count_from_row_ahead, {
  UP(i, 0, n) {
    unsigned long x = i + 77;
    UP(j, 0, n) ELEMENT(i, j);
    for (long t = C(i + 1, 0) & 15; t >= 0; t--)
      x = (x >> 3) ^ (x * 5);
    D(i, 0) = x;
  }
})
BOTH_LONG(index_from_c, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    D(i, C(i, 0) & 15) += 7;
  }
})
BOTH_LONG(index_overwritten, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    D(i, d[0] & 15) += 7;
  }
})
BOTH_LONG(index_in_c, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    D(i, C(0, 0) & 15) += 7;
  }
})
BOTH_LONG(reduction_of_d, {
  UP(i, 0, n) {
    long t = 0;
    UP(j, 0, n) t += D(i, j) * C(i, j);
    UP(j, 0, n) ELEMENT(i, j);
    d[-1 - i] = t;
  }
})

//===--- Several products. -------------------------------------------------===//

BOTH(chain_by_rows, {
  UP(i, 0, n) {
    UP(j, 0, n) {
      C(i, j) = 0;
      ELEMENT(i, j);
    }
    UP(j, 0, n) UP(k, 0, n) D(i, j) += C(i, k) * B(k, j);
  }
})
BOTH(chain_into_a, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) UP(k, 0, n) A(i, j) += C(i, k) * B(k, j);
  }
})
BOTH(chain_into_next_a, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) UP(k, 0, n) A(i + 1, j) += C(i, k) * B(k, j);
  }
})
BOTH(two_results, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    C(i, j) += A(i, k) * B(k, j);
    D(i, j) += A(i, k) * A(k, j);
  }
})
BOTH(two_results_k_outside, {
  UP(k, 0, m) UP(i, 0, n) UP(j, 0, n) {
    C(i, j) += A(i, k) * B(k, j);
    D(i, j) -= B(i, k) * B(k, j);
  }
})
BOTH(result_is_factor, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    C(i, j) += A(i, k) * B(k, j);
    D(i, j) += A(i, k) * C(k, j);
  }
})
BOTH(two_terms, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m)
    C(i, j) += A(i, k) * B(k, j) + D(i, k) * A(k, j);
})
BOTH(two_terms_and_more, {
  UP(i, 0, n) {
    UP(j, 0, n) UP(k, 0, m) C(i, j) += A(i, k) * B(k, j) + B(i, k) * A(k, j);
    UP(j, 0, n) D(i, j) = C(i, j);
    UP(j, 0, n) A(i, j) = C(i, j);
  }
})
BOTH(symmetric_times_matrix, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    UP(k, 0, i) {
      C(k, j) += 0.3 * B(i, j) * A(i, k);
      s += B(k, j) * A(i, k);
    }
    C(i, j) = 0.7 * C(i, j) + 0.3 * B(i, j) * A(i, i) + 0.3 * s;
  }
})

#define PAIR(x, i, j, h) x[2 * ((i) * ld + (j)) + (h)]
BOTH(complex_numbers, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    double ar = PAIR(a, i, k, 0), ai = PAIR(a, i, k, 1);
    double br = PAIR(b, k, j, 0), bi = PAIR(b, k, j, 1);
    PAIR(c, i, j, 0) += ar * br - ai * bi;
    PAIR(c, i, j, 1) += ar * bi + ai * br;
  }
})
BOTH(complex_numbers_in_d, {
  UP(i, 0, n) UP(j, 0, n) {
    double r = 0, q = 0;
    UP(k, 0, m) {
      double ar = PAIR(a, i, k, 0), ai = PAIR(a, i, k, 1);
      double br = PAIR(b, k, j, 0), bi = PAIR(b, k, j, 1);
      r += ar * br - ai * bi;
      q += ar * bi + ai * br;
    }
    PAIR(c, i, j, 0) = r;
    PAIR(c, i, j, 1) = q;
    PAIR(d, i, j, 0) = r - q;
  }
})
BOTH(dual_numbers, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    PAIR(c, i, j, 1) += PAIR(a, i, k, 0) * PAIR(b, k, j, 1) + PAIR(a, i, k, 1) * PAIR(b, k, j, 0);
    PAIR(c, i, j, 0) += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
  }
})
BOTH(member_of_next, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    PAIR(c, i, j, 0) += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
    PAIR(c, i, j, 3) += PAIR(a, i, k, 1) * PAIR(b, k, j, 0);
  }
})
BOTH(member_two_on, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    PAIR(c, i, j, 0) += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
    PAIR(c, i, j, 2) += PAIR(a, i, k, 1) * PAIR(b, k, j, 0);
  }
})
BOTH(member_by_offset, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    PAIR(c, i, j, 0) += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
    PAIR(c, i, j, m) += PAIR(a, i, k, 1) * PAIR(b, k, j, 0);
  }
})
BOTH(member_by_rows, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    PAIR(c, i, j, 0) += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
    PAIR(c, m - i, j, 1) += PAIR(a, i, k, 1) * PAIR(b, k, j, 0);
  }
})
BOTH(member_in_a_loop, {
  UP(i, 0, n) {
    UP(j, 0, n) UP(k, 0, m) PAIR(c, i, j, 0) += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
    UP(j, 0, n) PAIR(c, n - i, j, 1) = PAIR(c, i, j, 0);
    UP(j, 0, n) PAIR(a, i + 1, j, 1) = PAIR(c, i, j, 0);
  }
})
BOTH(member_of_odd_rows, {
  UP(i, 0, n) UP(j, 0, n) UP(k, 0, m) {
    c[i * ld + 2 * j] += PAIR(a, i, k, 0) * PAIR(b, k, j, 0);
    c[i * ld + 2 * j + 1] += PAIR(a, i, k, 1) * PAIR(b, k, j, 0);
  }
})
BOTH(columns_lag_behind, {
  double last = 0;
  UP(i, 0, n) for (long j = 0; j + 1 < n; j += 2) {
    double s0 = 0, s1 = 0;
    UP(k, 0, n) {
      s0 += A(i, k) * B(k, j);
      s1 += last * B(k, j + 1);
      last = A(i, k);
    }
    C(i, j) = s0;
    C(i, j + 1) = s1;
  }
})

//===--- Strides. ----------------------------------------------------------===//

BOTH(every_other_column, {
  UP(i, 0, n) UP(j, 0, n / 2) {
    double s = 0;
    SUM(s, i, j);
    C(i, 2 * j) = s;
    C(i, 2 * j + 1) = 3 * s;
  }
})
BOTH(odd_columns_are_read, {
  UP(i, 0, n) {
    UP(j, 0, n / 2) {
      double s = 0;
      SUM(s, i, j);
      C(i, 2 * j) = s;
    }
    UP(j, 0, n / 2) D(i, j) = C(i, 2 * j + 1);
  }
})
BOTH(rows_in_pairs, {
  UP(i, 0, n / 2) {
    UP(j, 0, n) ELEMENT(2 * i, j);
    UP(j, 0, n) C(2 * i + 1, j) = 2 * C(2 * i, j);
  }
})
BOTH(rows_in_pairs_overlap, {
  UP(i, 0, n / 2) {
    UP(j, 0, n) ELEMENT(2 * i, j);
    UP(j, 0, n) C(2 * i + 2, j) = 2 * C(2 * i, j);
  }
})
BOTH(upside_down, {
  DOWN(i, 0, n) {
    DOWN(j, 0, n) ELEMENT(i, j);
    DOWN(j, 0, n) D(i, j) = C(i, j);
  }
})
BOTH(upside_down_ahead, {
  DOWN(i, 0, n) {
    DOWN(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) C(i - 1, j) += D(i, j);
  }
})
BOTH(backwards_sum, {
  UP(i, 0, n) {
    UP(j, 0, n) DOWN(k, 0, m) C(i, j) += A(i, k) * B(k, j);
    DOWN(j, 0, n) A(i, j) = C(i, j);
  }
})
BOTH(against_each_other, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(n - 1 - i, j) = C(i, j);
    UP(j, 0, n) A(n - 1 - i, j) = C(i, j);
  }
})
BOTH(c_against_each_other, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) D(i, j) = C(n - 1 - i, j);
  }
})
BOTH(bytes_of_row, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) ((char *)d)[i * n + j] = ((char *)&C(i, 0))[j];
  }
})

//===--- Triangles. --------------------------------------------------------===//

#define LOWER(Offset) UP(i, 0, n) UP(j, 0, i + (Offset))
#define UPPER(Offset) UP(i, 0, n) UP(j, i + (Offset), n)
#define SELF(i, j) UP(k, 0, m) C(i, j) += A(i, k) * A(j, k)

BOTH(lower, { LOWER(1) SELF(i, j); })
BOTH(strictly_lower, { LOWER(0) SELF(i, j); })
BOTH(lower_and_one, { LOWER(2) SELF(i, j); })
BOTH(lower_but_one, { UP(i, 1, n) UP(j, 0, i - 1) SELF(i, j); })
BOTH(lower_and_m, { UP(i, 0, n) UP(j, 0, i + m) UP(k, 0, 9) C(i, j) += A(i, k) * A(j, k); })
BOTH(upper, { UPPER(0) SELF(i, j); })
BOTH(strictly_upper, { UPPER(1) SELF(i, j); })
BOTH(upper_and_one, { UP(i, 1, n) UP(j, i - 1, n) SELF(i, j); })
BOTH(upper_left, { UP(i, 0, n) UP(j, 0, n - i) SELF(i, j); })
BOTH(upper_left_strictly, { UP(i, 0, n) UP(j, 0, n - 1 - i) SELF(i, j); })
BOTH(lower_right, { UP(i, 0, n) UP(j, n - i, n) SELF(i, j); })
BOTH(from_diagonal_outwards, { UP(i, 0, n) DOWN(j, 0, i + 1) SELF(i, j); })
BOTH(rows_upwards, { DOWN(i, 0, n) UP(j, 0, i + 1) SELF(i, j); })
BOTH(rows_upwards_upper, { DOWN(i, 0, n) DOWN(j, i, n) SELF(i, j); })
BOTH(columns_of_lower, { UP(j, 0, n) UP(i, j, n) SELF(i, j); })
BOTH(columns_of_upper, { UP(j, 0, n) UP(i, 0, j + 1) SELF(i, j); })
BOTH(triangle_k_between, { UP(i, 0, n) UP(k, 0, m) UP(j, 0, i + 1) C(i, j) += A(i, k) * A(j, k); })
BOTH(triangle_k_outside, { UP(k, 0, m) UP(i, 0, n) UP(j, 0, i + 1) C(i, j) += A(i, k) * A(j, k); })
BOTH(triangle_by_subtraction, { UP(i, 0, n) UP(j, 0, n - i) UP(k, 0, m) C(i, i + j) += A(i, k) * A(i + j, k); })
BOTH(antidiagonals, { UP(i, 0, n) UP(j, 0, n - i) UP(k, 0, m) c[i + j] += A(i, k) * B(k, j); })
BOTH(diagonals, { UP(i, 0, n) UP(j, 0, i + 1) UP(k, 0, m) c[i - j] += A(i, k) * B(k, j); })
BOTH(packed, { UP(i, 0, n) UP(j, 0, i + 1) UP(k, 0, m) c[i * (i + 1) / 2 + j] += A(i, k) * A(j, k); })
BOTH(packed_by_pointer, {
  double *p = c;
  UP(i, 0, n) UP(j, 0, i + 1) {
    double s = 0;
    UP(k, 0, m) s += A(i, k) * A(j, k);
    *p++ = s;
  }
})
BOTH(triangle_of_terms, { UP(i, 0, n) UP(j, 0, n) UP(k, 0, i + 1) C(i, j) += A(i, k) * B(k, j); })
BOTH(triangle_of_terms_scalar, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    UP(k, 0, i) s += A(i, k) * B(k, j);
    C(i, j) = s;
  }
})
BOTH(triangle_of_terms_guarded, {
  UP(i, 0, n) UP(j, 0, n) {
    if (i > 0) {
      double s = 0;
      UP(k, 0, i) s += A(i, k) * B(k, j);
      C(i, j) = s;
    }
  }
})
BOTH(triangle_guarded, {
  UP(i, 0, n) {
    if (i > 0)
      UP(j, 0, n) C(i, j) = 1;
    UP(j, 0, i) SELF(i, j);
  }
})
BOTH(triangle_guarded_later, {
  UP(i, 0, n) {
    if (i > 2)
      UP(j, 0, i) SELF(i, j);
  }
})
BOTH(triangle_two_guards, {
  UP(i, 0, n) {
    if (i > 0) {
      D(i, 0) = 5;
      UP(j, 0, i) SELF(i, j);
      D(i, 1) = C(i, 0);
    }
  }
})
DISJOINT(triangle_unsigned) {
  for (unsigned i = 0; i < (unsigned)n; i++)
    for (unsigned j = 0; j < i; j++)
      SELF(i, j);
}
DISJOINT(triangle_int) {
  for (int i = 0; i < (int)n; i++)
    for (int j = i + 1; j < (int)n; j++)
      SELF(i, j);
}
DISJOINT(triangle_unsigned_not_equal) {
  for (unsigned i = 0; i < (unsigned)n; i++)
    for (unsigned j = 0; j != i; j++)
      SELF(i, j);
}
DISJOINT(triangle_bytes) {
  for (unsigned char i = 0; i < (unsigned char)n; i++)
    for (unsigned char j = 0; j <= i; j++)
      SELF(i, j);
}
BOTH(row_scaled_before, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) C(i, j) *= 0.7;
    UP(j, 0, i + 1) SELF(i, j);
  }
})
BOTH(row_scaled_before_k_between, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) C(i, j) *= 0.7;
    UP(k, 0, m) UP(j, 0, i + 1) C(i, j) += 0.3 * A(i, k) * A(j, k);
  }
})
BOTH(whole_row_scaled_before, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) *= 0.7;
    UP(j, 0, i + 1) SELF(i, j);
  }
})
BOTH(whole_row_cleared_before, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0;
    UP(j, 0, i + 1) SELF(i, j);
  }
})
BOTH(row_scaled_after, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) SELF(i, j);
    UP(j, 0, n) C(i, j) *= 0.7;
  }
})
BOTH(rank_2k, {
  LOWER(1) UP(k, 0, m) C(i, j) += A(i, k) * B(j, k) + B(i, k) * A(j, k);
})
BOTH(rank_2k_upper, {
  UPPER(0) UP(k, 0, m) C(i, j) += A(j, k) * B(i, k) + B(j, k) * A(i, k);
})
BOTH(rank_2k_of_c, {
  LOWER(1) UP(k, 0, m) C(i, j) += A(i, k) * C(j, k) + C(i, k) * A(j, k);
})
BOTH(into_itself, { LOWER(1) UP(k, 0, m) A(i, j) += A(i, k) * A(j, k); })

// Each element is stored once more, across the diagonal or next to there.
#define MIRRORED(Name, DI, DJ)                                                 \
  BOTH(Name##_lower, {                                                         \
    LOWER(1) {                                                                 \
      double s = 0;                                                            \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
      C(j + (DI), i + (DJ)) = s;                                               \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_strictly_lower, {                                                \
    LOWER(0) {                                                                 \
      double s = C(i, j);                                                      \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
      C(j + (DI), i + (DJ)) = 2 * s;                                           \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_upper, {                                                         \
    UPPER(0) {                                                                 \
      double s = C(i, j);                                                      \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
      C(j + (DI), i + (DJ)) = s;                                               \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_upper_but_one, {                                                 \
    UPPER(1) {                                                                 \
      double s = C(i, j);                                                      \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
      C(j + (DI), i + (DJ)) += s;                                              \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_wider, {                                                         \
    LOWER(2) {                                                                 \
      double s = 0;                                                            \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
      C(j + (DI), i + (DJ)) = s;                                               \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_read, {                                                          \
    LOWER(1) {                                                                 \
      D(i, j) = C(j + (DI), i + (DJ));                                         \
      double s = 0;                                                            \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_read_after, {                                                    \
    UPPER(1) {                                                                 \
      double s = 0;                                                            \
      UP(k, 0, m) s += A(i, k) * A(j, k);                                      \
      C(i, j) = s;                                                             \
      D(i, j) = C(j + (DI), i + (DJ));                                         \
    }                                                                          \
  })
MIRRORED(mirrored, 0, 0)
MIRRORED(mirrored_next_row, 1, 0)
MIRRORED(mirrored_last_row, -1, 0)
MIRRORED(mirrored_next_column, 0, 1)
MIRRORED(mirrored_last_column, 0, -1)
MIRRORED(mirrored_shifted, 1, -1)
MIRRORED(mirrored_shifted_back, -1, 1)
MIRRORED(mirrored_shifted_two, 2, -2)
MIRRORED(mirrored_shifted_two_back, -2, 2)
MIRRORED(mirrored_down, 1, 1)

// An element on a diagonal is read and written in each row.
#define ON_DIAGONAL(Name, Distance)                                            \
  BOTH(Name##_before, {                                                        \
    UP(i, 0, n) {                                                              \
      C(i, i + (Distance)) *= 0.5;                                             \
      UP(j, 0, i) SELF(i, j);                                                  \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_after, {                                                         \
    UP(i, 0, n) {                                                              \
      UP(j, i + 1, n) SELF(i, j);                                              \
      C(i, i + (Distance)) = D(i, i);                                          \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_read, {                                                          \
    UP(i, 0, n) {                                                              \
      D(i, 0) = C(i, i + (Distance));                                          \
      UP(j, 0, i + 1) SELF(i, j);                                              \
      D(i, 1) = C(i, i + (Distance));                                          \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_and_columns, {                                                   \
    UP(j, 0, n) {                                                              \
      C(j + (Distance), j) = 1;                                                \
      UP(i, j + 1, n) SELF(i, j);                                              \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_in_a_loop, {                                                     \
    UP(i, 0, n) {                                                              \
      UP(t, 0, m) C(i, i + (Distance) - t) *= 0.5;                             \
      UP(j, 0, i) SELF(i, j);                                                  \
    }                                                                          \
  })                                                                           \
  BOTH(Name##_in_a_loop_down, {                                                \
    UP(i, 0, n) {                                                              \
      UP(t, 0, m) C(i + t, i + (Distance)) *= 0.5;                             \
      UP(j, 0, i) SELF(i, j);                                                  \
    }                                                                          \
  })
ON_DIAGONAL(diagonal, 0)
ON_DIAGONAL(diagonal_right, 1)
ON_DIAGONAL(diagonal_left, -1)
ON_DIAGONAL(diagonal_right_two, 2)
ON_DIAGONAL(diagonal_left_two, -2)

BOTH(correlation, {
  UP(i, 0, n - 1) {
    C(i, i) = 1;
    UP(j, i + 1, n) {
      C(i, j) = 0;
      UP(k, 0, m) C(i, j) += A(k, i) * A(k, j);
      C(j, i) = C(i, j);
    }
  }
  C(n - 1, n - 1) = 1;
})
BOTH(covariance, {
  UP(i, 0, n) UP(j, i, n) {
    C(i, j) = 0;
    UP(k, 0, m) C(i, j) += A(k, i) * A(k, j);
    C(i, j) /= m - 1.0;
    C(j, i) = C(i, j);
  }
})
BOTH(other_triangle_summed, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) SELF(i, j);
    double t = 0;
    UP(j, i + 1, n) t += C(i, j);
    D(i, 0) = t;
  }
})
BOTH(other_triangle_of_columns, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) SELF(i, j);
    double t = 0;
    UP(j, 0, i + 1) t += C(j, i);
    D(i, 0) = t;
  }
})
BOTH(copied_across_at_once, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) SELF(i, j);
    UP(j, 0, i) C(j, i) = C(i, j);
  }
})
BOTH(triangle_into_a, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) UP(k, 0, m) C(i, j) += A(i, k) * B(j, k);
    UP(k, 0, m) A(i, k) = C(i, k);
  }
})
BOTH(triangle_into_b, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) UP(k, 0, m) C(i, j) += A(i, k) * B(j, k);
    UP(k, 0, m) B(i, k) = C(i, k);
  }
})
BOTH(triangle_into_b_upper, {
  UP(i, 0, n) {
    UP(j, i, n) UP(k, 0, m) C(i, j) += A(i, k) * B(j, k);
    UP(k, 0, m) B(i, k) = C(i, k);
  }
})
BOTH(factors_of_triangle, {
  UP(i, 0, n) {
    UP(k, 0, m) A(i, k) += D(i, k);
    UP(j, 0, i + 1) SELF(i, j);
  }
})

BOTH(factors_of_triangle_upper, {
  UP(i, 0, n) {
    UP(k, 0, m) A(i, k) += D(i, k);
    UP(j, i, n) SELF(i, j);
  }
})
BOTH(triangle_from_three, { UP(i, 3, n) UP(j, 0, i) SELF(i, j); })
BOTH(triangle_from_before, { UP(i, 0, n) UP(j, i - 2, n) SELF(i, j); })
BOTH(triangle_in_tiles, {
  for (long ii = 0; ii < n; ii += 4)
    UP(i, ii, ii + 4 < n ? ii + 4 : n) UP(j, 0, i + 1) SELF(i, j);
})
BOTH(triangle_of_tiles, {
  for (long ii = 0; ii < n; ii += 4)
    for (long jj = 0; jj <= ii; jj += 4)
      UP(i, ii, ii + 4 < n ? ii + 4 : n)
      UP(j, jj, jj + 4 < i + 1 ? jj + 4 : i + 1) SELF(i, j);
})
BOTH(every_other_of_row, { UP(i, 0, n) for (long j = 0; j <= i; j += 2) SELF(i, j); })
BOTH(every_other_row, { for (long i = 0; i < n; i += 2) UP(j, 0, i + 1) SELF(i, j); })
BOTH(steeper, { UP(i, 0, n / 2) UP(j, 0, 2 * i) SELF(i, j); })
BOTH(band, { UP(i, 0, n) UP(j, i, i + 5) SELF(i, j); })
BOTH(two_triangles, {
  UP(i, 0, n) {
    UP(j, 0, i + 1) SELF(i, j);
    UP(j, i, n) UP(k, 0, m) D(i, j) += C(i, k) * B(j, k);
  }
})
BOTH(halves, {
  UP(i, 0, n) {
    UP(j, 0, i) SELF(i, j);
    UP(j, i, n) SELF(i, j);
  }
})
BOTH(scaled_triangle_and_mirror, {
  UP(i, 0, n) UP(j, 0, i + 1) {
    double s = 0;
    UP(k, 0, m) s += A(i, k) * A(j, k);
    C(i, j) = 0.5 * C(i, j) + 0.25 * s;
    C(j, i) = C(i, j);
  }
})

//===--- More dimensions. --------------------------------------------------===//

BOTH(fused_rows, {
  UP(i, 0, n / 4) {
    UP(h, 0, 4) UP(j, 0, n) ELEMENT(4 * i + h, j);
    UP(h, 0, 4) UP(j, 0, n) D(4 * i + h, j) = C(4 * i + h, j);
  }
})
BOTH(fused_rows_ahead, {
  UP(i, 0, n / 4) {
    UP(h, 0, 4) UP(j, 0, n) ELEMENT(4 * i + h, j);
    UP(h, 0, 5) UP(j, 0, n) D(4 * i + h, j) = C(4 * i + h, j);
  }
})
BOTH(fused_rows_inside, {
  UP(i, 0, n / 4) UP(h, 0, 4) {
    UP(j, 0, n) ELEMENT(4 * i + h, j);
    UP(j, 0, n) D(4 * i + h, j) = C(4 * i, j);
  }
})
BOTH(fused_terms, {
  UP(i, 0, n) {
    UP(j, 0, n) UP(h, 0, m / 4) UP(k, 0, 4) C(i, j) += A(i, 4 * h + k) * B(4 * h + k, j);
    UP(j, 0, n) A(i, j) = C(i, j);
  }
})
BOTH(fused_terms_partly, {
  UP(i, 0, n) UP(h, 0, m / 4) {
    UP(j, 0, n) UP(k, 0, 4) C(i, j) += A(i, 4 * h + k) * B(4 * h + k, j);
    D(i, h) = C(i, 0);
  }
})
BOTH(terms_overlap, {
  UP(i, 0, n) UP(j, 0, n) UP(h, 0, m / 4) UP(k, 0, 5)
    C(i, j) += A(i, 4 * h + k) * B(4 * h + k, j);
})
BOTH(rows_of_tiles_overlap, {
  UP(i, 0, n / 4) UP(h, 0, 5) UP(j, 0, n) ELEMENT(4 * i + h, j);
})
BOTH(again_and_again, {
  UP(t, 0, 3) UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) A(i, j) = 0.5 * C(i, j);
  }
})
BOTH(power, {
  UP(t, 0, 3) {
    UP(i, 0, n) UP(j, 0, n) {
      double s = 0;
      UP(k, 0, n) s += A(i, k) * B(k, j);
      C(i, j) = s;
    }
    UP(i, 0, n) UP(j, 0, n) A(i, j) = 0.5 * C(i, j);
  }
})

//===--- Starts, finishes, and single elements. ----------------------------===//

BOTH(finished_with_old_value, {
  UP(i, 0, n) UP(j, 0, n) {
    double old = C(i, j);
    C(i, j) = 7;
    D(i, j) = C(i, j) + old;
    double s = 0;
    SUM(s, i, j);
    C(i, j) = 0.5 * old + s;
  }
})
BOTH(finished_with_d, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    SUM(s, i, j);
    C(i, j) = 0.5 * C(i, j) + s;
    D(i, j) = C(i, j) + s;
  }
})
BOTH(corner_of_c, {
  UP(i, 0, n) {
    C(0, 0) = i;
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(corner_of_a, {
  UP(i, 0, n) {
    A(0, 0) = i;
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(corner_of_b, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    B(0, 0) = D(i, 0);
  }
})
BOTH(corner_of_d, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    D(0, 0) = C(i, i) + D(0, 0);
  }
})
BOTH(initialised_twice, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = D(i, j) * 2;
    UP(j, 0, n) C(i, j) += D(i, j + 1);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(initialised_and_read, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 3;
    UP(j, 0, n) D(i, j) += C(i, j);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(initialised_in_part, {
  UP(i, 0, n) {
    UP(j, 0, n / 2) C(i, j) = 3;
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(initialised_with_next_row, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0.5 * C(i + 1, j);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(initialised_with_last_row, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0.5 * C(i - 1, j);
    UP(j, 0, n) ELEMENT(i, j);
  }
})
BOTH(next_row_initialised, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i + 1, j) = 1;
    UP(j, 0, n) ELEMENT(i, j);
  }
})

//===--- Subscripts that wrap around. --------------------------------------===//

#define BYTE(x, i, j) x[(unsigned char)((i) * ld + (j))]
#define SIGNED_BYTE(x, i, j) x[(signed char)((i) * ld + (j))]
BOTH(bytes_of_c, {
  UP(i, 0, n) {
    UP(j, 0, n) UP(k, 0, m) BYTE(c, i, j) += A(i, k) * B(k, j);
    UP(j, 0, n) D(i, j) = BYTE(c, i, j);
  }
})
BOTH(bytes_of_d, {
  UP(i, 0, n) {
    UP(j, 0, n) ELEMENT(i, j);
    UP(j, 0, n) BYTE(d, i, j) += C(i, j);
  }
})
BOTH(bytes_of_a, {
  UP(i, 0, n) {
    UP(j, 0, n) UP(k, 0, m) C(i, j) += SIGNED_BYTE(a, i, k) * B(k, j);
    UP(j, 0, n) SIGNED_BYTE(a, i, j) = C(i, j);
  }
})
BOTH(byte_counters, {
  for (unsigned char i = 0; i < (unsigned char)n; i++) {
    for (unsigned char j = 0; j < (unsigned char)n; j++) {
      double s = 0;
      for (signed char k = 0; k < (signed char)m; k++)
        s += a[i * ld + k] * BYTE(b, k, j);
      C(i, j) = s;
      D(i, (unsigned char)(j * 9)) = s;
    }
  }
})
BOTH(triangle_of_bytes, {
  UP(i, 0, n) UP(j, 0, i + 1) {
    double s = 0;
    UP(k, 0, m) s += A(i, k) * A(j, k);
    BYTE(c, i, j) = s;
    BYTE(c, j, i) = s;
  }
})

//===--- Rows that a triangle leaves out. ----------------------------------===//

BOTH(left_out_last, {
  UP(i, 0, n) {
    if (i + 1 < n) {
      UP(j, i + 1, n) SELF(i, j);
    } else {
      D(i, 0) = C(0, 1);
    }
  }
})
BOTH(left_out_first, {
  UP(i, 0, n) {
    if (i > 0) {
      UP(j, 0, i) SELF(i, j);
    } else {
      D(i, 0) = C(1, 0);
    }
  }
})
BOTH(left_out_gets_last_sum, {
  double last = 0;
  UP(i, 0, n) {
    if (i + 1 < n) {
      UP(j, i + 1, n) {
        double s = C(i, j);
        UP(k, 0, m) s += A(i, k) * A(j, k);
        C(i, j) = s;
        last = s;
      }
    } else {
      D(i, 0) = last;
    }
  }
})
BOTH(left_out_gets_last_element, {
  double last = 0;
  UP(i, 0, n) {
    if (i + 1 < n) {
      last = C(i + 1, i + 2);
      UP(j, i + 1, n) SELF(i, j);
    } else {
      D(i, 0) = last;
    }
  }
})
BOTH(left_out_and_rest, {
  double last = 7;
  UP(i, 0, n) {
    if (i > 0) {
      UP(j, 0, i) SELF(i, j);
      D(i, 0) = C(i, 0) + last;
    } else {
      last = D(i, 0) + C(i + 1, 0);
      D(i, 1) = last;
    }
  }
})
BOTH(rest_uses_left_out, {
  double last = 7;
  UP(i, 0, n) {
    if (i + 1 < n) {
      UP(j, i + 1, n) SELF(i, j);
      D(i, 0) = last;
    } else {
      last = C(0, 1);
      D(i, 1) = last;
    }
  }
})
BOTH(rest_uses_left_out_first, {
  double last = 7;
  UP(i, 0, n) {
    if (i > 0) {
      UP(j, 0, i) SELF(i, j);
      D(i, 0) = last;
    } else {
      last = C(1, 0);
    }
  }
})
BOTH(left_out_writes_a, {
  UP(i, 0, n) {
    if (i > 2) {
      UP(j, 2, i) SELF(i, j);
    } else {
      A(i, 0) = 3;
      A(i + 4, 1) = C(i + 4, 2);
    }
  }
})
BOTH(left_out_writes_c, {
  UP(i, 0, n) {
    if (i + 2 < n) {
      UP(j, i + 2, n) SELF(i, j);
    } else {
      C(i - 2, i) *= 0.5;
      C(0, 2) += 1;
    }
  }
})
BOTH_LONG(left_out_moves_bound, {
  UP(i, 0, n) {
    if (i < (d[0] & 31)) {
      UP(j, i, d[0] & 31) SELF(i, j);
    } else {
      d[0] = n;
    }
  }
})
BOTH_LONG(left_out_moves_bound_first, {
  UP(i, 0, n) {
    if (i > (d[0] & 31)) {
      UP(j, d[0] & 31, i) SELF(i, j);
    } else {
      d[0] = 1;
    }
  }
})
BOTH(left_out_of_columns, {
  UP(j, 0, n) {
    if (j > 0) {
      UP(i, 0, j) SELF(i, j);
      D(j, 0) = 1;
    } else {
      UP(i, 0, n) D(i, 1) = C(i, i);
    }
  }
})

//===--- A triangle of terms, in place (TRMM). -----------------------------===//

BOTH(rows_ahead, { UP(i, 0, n) UP(j, 0, n) UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_and_own, { UP(i, 0, n) UP(j, 0, n) UP(k, i, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_by_two, { UP(i, 0, n) UP(j, 0, n) UP(k, i + 2, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_shifted, { UP(i, 0, n) UP(j, 0, n) UP(k, i, n) C(i, j) += A(k, i) * C(k + 1, j); })
BOTH(rows_ahead_shifted_back, { UP(i, 0, n) UP(j, 0, n) UP(k, i + 2, n) C(i, j) += A(k, i) * C(k - 1, j); })
BOTH(rows_ahead_shifted_onto, { UP(i, 0, n) UP(j, 0, n) UP(k, i + 1, n) C(i, j) += A(k, i) * C(k - 1, j); })
BOTH(rows_ahead_next_column, { UP(i, 0, n) UP(j, 0, n) UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j + 1); })
BOTH(rows_behind, { UP(i, 0, n) UP(j, 0, n) UP(k, 0, i) C(i, j) += A(i, k) * C(k, j); })
BOTH(rows_behind_upwards, { DOWN(i, 0, n) UP(j, 0, n) UP(k, 0, i) C(i, j) += A(i, k) * C(k, j); })
BOTH(rows_ahead_upwards, { DOWN(i, 0, n) UP(j, 0, n) UP(k, i + 1, n) C(i, j) += A(i, k) * C(k, j); })
BOTH(rows_ahead_k_between, { UP(i, 0, n) UP(k, i + 1, n) UP(j, 0, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_j_outside, { UP(j, 0, n) UP(i, 0, n) UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_k_down, { UP(i, 0, n) UP(j, 0, n) DOWN(k, i + 1, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_k_outside, { UP(k, 1, n) UP(i, 0, k) UP(j, 0, n) C(i, j) += A(k, i) * C(k, j); })
BOTH(rows_ahead_scaled, {
  UP(i, 0, n) UP(j, 0, n) {
    UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j);
    C(i, j) *= 0.5;
  }
})
BOTH(rows_ahead_scaled_before, {
  UP(i, 0, n) UP(j, 0, n) {
    C(i, j) *= 0.5;
    UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j);
  }
})
BOTH(rows_ahead_copied, {
  UP(i, 0, n) {
    UP(j, 0, n) UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j);
    UP(j, 0, n) D(i, j) = C(i, j) * 2;
  }
})
BOTH(rows_ahead_written, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i + 2, j) += 1;
    UP(j, 0, n) UP(k, i + 1, n) C(i, j) += A(k, i) * C(k, j);
  }
})
BOTH(rows_ahead_cleared, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    UP(k, i + 1, n) s += A(k, i) * C(k, j);
    C(i, j) = s;
  }
})
BOTH(rows_ahead_row_cleared, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0.5;
    UP(k, i + 1, n) UP(j, 0, n) C(i, j) += A(k, i) * C(k, j);
  }
})
BOTH(rows_ahead_row_cleared_own, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0.5;
    UP(k, i, n) UP(j, 0, n) C(i, j) += A(k, i) * C(k + 1, j);
  }
})
BOTH(rows_ahead_assigned, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = C(i, j);
    UP(k, i + 1, n) s += A(k, i) * C(k, j);
    C(i, j) = 0.25 * s;
  }
})
BOTH(rows_ahead_of_two, {
  UP(i, 0, n) UP(j, 0, n) UP(k, i + 1, n)
    C(i, j) += A(k, i) * C(k, j) + B(k, i) * C(k, j);
})
BOTH(columns_ahead, { UP(j, 0, n) UP(i, 0, n) UP(k, j + 1, n) C(i, j) += C(i, k) * A(k, j); })
BOTH(columns_ahead_rows_outside, { UP(i, 0, n) UP(j, 0, n) UP(k, j + 1, n) C(i, j) += C(i, k) * A(k, j); })
BOTH(columns_behind, { UP(i, 0, n) UP(j, 0, n) UP(k, 0, j) C(i, j) += C(i, k) * A(k, j); })
BOTH(columns_behind_downwards, { DOWN(j, 0, n) UP(i, 0, n) UP(k, 0, j) C(i, j) += C(i, k) * A(k, j); })
BOTH(terms_from_diagonal, {
  UP(i, 0, n) UP(j, 0, n) {
    C(i, j) = 0;
    UP(k, i, n) C(i, j) += A(i, k) * B(k, j);
  }
})
BOTH(terms_to_diagonal, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    UP(k, 0, i + 1) s += A(i, k) * B(k, j);
    C(i, j) = 2 * s + C(i, j);
  }
})
BOTH(terms_from_column, {
  UP(i, 0, n) UP(j, 0, n) {
    C(i, j) *= 3;
    UP(k, j, n) C(i, j) += A(i, k) * B(k, j);
  }
})
BOTH(terms_to_column, { UP(i, 0, n) UP(k, 0, m) UP(j, k, n) C(i, j) += A(i, k) * B(k, j); })
BOTH(terms_with_rest, {
  UP(i, 0, n) {
    D(i, 0) = C(i, 0);
    UP(j, 0, n) UP(k, 0, i) C(i, j) += A(i, k) * B(k, j);
    UP(k, 0, i) A(i, k) = C(i, k);
  }
})
BOTH(terms_row_guarded, {
  UP(i, 0, n) {
    if (i > 0) {
      UP(j, 0, n) C(i, j) = 0;
      UP(j, 0, n) UP(k, 0, i) C(i, j) += A(i, k) * B(k, j);
    }
  }
})
BOTH(terms_row_cleared, {
  UP(i, 0, n) {
    UP(j, 0, n) C(i, j) = 0;
    UP(k, 0, i) UP(j, 0, n) C(i, j) += A(i, k) * B(k, j);
  }
})
BOTH(terms_row_finished_guarded, {
  UP(i, 0, n) UP(j, 0, n) {
    if (i + 1 < n) {
      double s = 1;
      UP(k, i + 1, n) s += A(i, k) * B(k, j);
      C(i, j) = 2 * s;
    }
  }
})

//===--- Unrolled by hand, and more. ---------------------------------------===//

BOTH(unrolled_k, {
  UP(i, 0, n) UP(j, 0, n) for (long k = 0; k + 3 < m; k += 4) {
    C(i, j) += A(i, k) * B(k, j);
    C(i, j) += A(i, k + 1) * B(k + 1, j);
    C(i, j) += A(i, k + 2) * B(k + 2, j);
    C(i, j) += A(i, k + 3) * B(k + 3, j);
  }
})
BOTH(unrolled_k_stored, {
  UP(i, 0, n) UP(j, 0, n) for (long k = 0; k + 1 < m; k += 2) {
    C(i, j) += A(i, k) * B(k, j);
    D(i, j) = C(i, j);
    C(i, j) += A(i, k + 1) * B(k + 1, j);
  }
})
BOTH(unrolled_k_crossed, {
  UP(i, 0, n) UP(j, 0, n) for (long k = 0; k + 1 < m; k += 2) {
    C(i, j) += A(i, k) * B(k + 1, j);
    C(i, j) += A(i, k + 1) * B(k, j);
  }
})
BOTH(unrolled_k_backwards, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    for (long k = 0; k + 2 < m; k += 3) {
      s += A(i, k + 2) * B(k + 2, j);
      s += A(i, k + 1) * B(k + 1, j);
      s += A(i, k) * B(k, j);
    }
    C(i, j) = s;
  }
})
BOTH(unrolled_k_overlapping, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    for (long k = 0; k + 2 < m; k += 2) {
      s += A(i, k) * B(k, j);
      s += A(i, k + 1) * B(k + 1, j);
      s += A(i, k + 2) * B(k + 2, j);
    }
    C(i, j) = s;
  }
})
BOTH(pairs_summed_first, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    for (long k = 0; k + 1 < m; k += 2)
      s += A(i, k) * B(k, j) + A(i, k + 1) * B(k + 1, j);
    C(i, j) = s;
  }
})
BOTH(unrolled_i, {
  for (long i = 0; i + 1 < n; i += 2)
    UP(j, 0, n) {
      double s = 0, t = 0;
      UP(k, 0, m) {
        s += A(i, k) * B(k, j);
        t += A(i + 1, k) * B(k, j);
      }
      C(i, j) = s;
      C(i + 1, j) = t;
    }
})
BOTH(unrolled_i_rest, {
  for (long i = 0; i + 1 < n; i += 2) {
    UP(j, 0, n) {
      double s = 0, t = 0;
      UP(k, 0, m) {
        s += A(i, k) * B(k, j);
        t += A(i + 1, k) * B(k, j);
      }
      C(i, j) = s;
      C(i + 1, j) = t;
    }
    UP(j, 0, n) D(i, j) = C(i + 1, j) - C(i, j);
    UP(k, 0, m) A(i + 1, k) = 2;
  }
})
BOTH(unrolled_i_rest_ahead, {
  for (long i = 0; i + 1 < n; i += 2) {
    UP(j, 0, n) {
      double s = 0, t = 0;
      UP(k, 0, m) {
        s += A(i, k) * B(k, j);
        t += A(i + 1, k) * B(k, j);
      }
      C(i, j) = s;
      C(i + 1, j) = t;
    }
    UP(k, 0, m) A(i + 2, k) = C(i, k);
  }
})
BOTH(unrolled_j_in_c, {
  UP(i, 0, n) for (long j = 0; j + 3 < n; j += 4) {
    UP(k, 0, m) {
      C(i, j) += A(i, k) * B(k, j);
      C(i, j + 1) += A(i, k) * B(k, j + 1);
      C(i, j + 2) += A(i, k) * B(k, j + 2);
      C(i, j + 3) += A(i, k) * B(k, j + 3);
    }
    D(i, j) = C(i, j + 3);
  }
})
BOTH(unrolled_j_other_sum, {
  UP(i, 0, n) for (long j = 0; j + 1 < n; j += 2) {
    double s = 0, t = 0;
    UP(k, 0, m) {
      s += A(i, k) * B(k, j);
      t += A(i, k) * B(k, j + 1);
    }
    C(i, j) = s;
    C(i, j + 1) = t;
    D(i, j) = s + t;
  }
})
BOTH(unrolled_j_swapped, {
  UP(i, 0, n) for (long j = 0; j + 1 < n; j += 2) {
    double s = 0, t = 0;
    UP(k, 0, m) {
      s += A(i, k) * B(k, j);
      t += A(i, k) * B(k, j + 1);
    }
    C(i, j) = t;
    C(i, j + 1) = s;
  }
})
BOTH(unrolled_j_overlapping, {
  UP(i, 0, n) for (long j = 0; j + 2 < n; j += 2) {
    double s = C(i, j), t = C(i, j + 1), u = C(i, j + 2);
    UP(k, 0, m) {
      s += A(i, k) * B(k, j);
      t += A(i, k) * B(k, j + 1);
      u += A(i, k) * B(k, j + 2);
    }
    C(i, j) = s;
    C(i, j + 1) = t;
    C(i, j + 2) = u;
  }
})
BOTH(unrolled_with_remainder, {
  UP(i, 0, n) UP(j, 0, n) {
    double s = 0;
    long k = 0;
    for (; k + 3 < m; k += 4) {
      s += A(i, k) * B(k, j);
      s += A(i, k + 1) * B(k + 1, j);
      s += A(i, k + 2) * B(k + 2, j);
      s += A(i, k + 3) * B(k + 3, j);
    }
    for (; k < m; k++)
      s += A(i, k) * B(k, j);
    C(i, j) = s;
  }
})
BOTH(columns_with_remainder, {
  UP(i, 0, n) {
    long j = 0;
    for (; j + 1 < n; j += 2) {
      double s = 0, t = 0;
      UP(k, 0, m) {
        s += A(i, k) * B(k, j);
        t += A(i, k) * B(k, j + 1);
      }
      C(i, j) = s;
      C(i, j + 1) = t;
    }
    for (; j < n; j++) {
      double s = 0;
      SUM(s, i, j);
      C(i, j) = s;
    }
  }
})
BOTH(counter_after, {
  long i = 0, j = 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      ELEMENT(i, j);
  D(0, 0) = i * 100 + j;
})
BOTH(counter_in_rest, {
  UP(i, 0, n) {
    long j = 0;
    for (; j < n; j++)
      ELEMENT(i, j);
    for (; j < n + 3; j++)
      D(i, j) = C(i, j - 3);
  }
})
BOTH(entered_sometimes, {
  UP(i, 0, n) {
    UP(t, 0, m - 3) D(i, t) = 1;
    UP(j, 0, n) ELEMENT(i, j);
    UP(t, 0, 5 - m) C(i, t) += 2;
  }
})
BOTH(initialised_by_fewer, {
  UP(i, 0, n) {
    UP(j, 0, m) C(i, j) = 0;
    UP(j, 0, n) ELEMENT(i, j);
  }
})

// The section's bounds, which the linker knows.
extern struct Nest __start_nests[], __stop_nests[];
const struct Nest *first_nest(void) { return __start_nests; }
const struct Nest *end_of_nests(void) { return __stop_nests; }
