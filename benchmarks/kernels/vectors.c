/*===- vectors.c - matrices times vectors as plain loops --------------------===*\
|*
|* Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===-----------------------------------------------------------------------===*/

/* y = A * x, with sums innermost, for both storage orders of A; and with A's
   columns outermost, of A stored by rows ("columns") and by columns ("sweep"); and of A that
   is a table of pointers to rows. One triangle of A; and a symmetric A, of which one is stored.
   Few columns: C = A * B, all stored row by row, or all column by column, or A row by row and
   the others column by column. The first four once more as BLAS has them, y = alpha * A * x + beta * y:
   of a part of a matrix whose lines are longer ("scaled"), and with strides of x and y ("strided"). */

#ifndef PREFIX
#define PREFIX plain
#endif
#define JOIN2(a, b, c) a##_##b##_##c
#define JOIN(a, b, c) JOIN2(a, b, c)
#define FOR(i, n) for (long i = 0; i < (n); i++)
#define PARAMETERS(T)                                                          \
  long m, long n, long few, const T *a, const T *x, T *y

#define BLAS_SUMS(NAME, T, TYPE, A_IK, S)                                      \
  void JOIN(PREFIX, NAME, TYPE)(PARAMETERS(T)) {                               \
    (void)few;                                                                 \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      FOR(k, n) sum += A_IK * x[k * S];                                        \
      y[i * S] = (T)0.75 * sum + (T)0.5 * y[i * S];                            \
    }                                                                          \
  }
#define BLAS_COLUMNS(NAME, T, TYPE, A_IK, S)                                   \
  void JOIN(PREFIX, NAME, TYPE)(PARAMETERS(T)) {                               \
    (void)few;                                                                 \
    FOR(i, m) y[i * S] *= (T)0.5;                                              \
    FOR(k, n) {                                                                \
      T factor = (T)0.75 * x[k * S];                                           \
      FOR(i, m) y[i * S] += A_IK * factor;                                     \
    }                                                                          \
  }
#define BLAS_KERNELS(T, TYPE)                                                  \
  BLAS_SUMS(scaled_rows, T, TYPE, a[i * (n + few) + k], 1)                     \
  BLAS_SUMS(scaled_transposed, T, TYPE, a[k * (m + few) + i], 1)               \
  BLAS_COLUMNS(scaled_columns, T, TYPE, a[i * (n + few) + k], 1)               \
  BLAS_COLUMNS(scaled_sweep, T, TYPE, a[k * (m + few) + i], 1)                 \
  BLAS_SUMS(strided_rows, T, TYPE, a[i * n + k], few)                          \
  BLAS_SUMS(strided_transposed, T, TYPE, a[k * m + i], few)                    \
  BLAS_COLUMNS(strided_columns, T, TYPE, a[i * n + k], few)                    \
  BLAS_COLUMNS(strided_sweep, T, TYPE, a[k * m + i], few)

#define KERNELS(T, TYPE)                                                       \
  void JOIN(PREFIX, rows, TYPE)(PARAMETERS(T)) {                               \
    (void)few;                                                                 \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      FOR(k, n) sum += a[i * n + k] * x[k];                                    \
      y[i] = sum;                                                              \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, transposed, TYPE)(PARAMETERS(T)) {                         \
    (void)few;                                                                 \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      FOR(k, n) sum += a[k * m + i] * x[k];                                    \
      y[i] = sum;                                                              \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, columns, TYPE)(PARAMETERS(T)) {                            \
    (void)few;                                                                 \
    FOR(k, n) FOR(i, m) y[i] += a[i * n + k] * x[k];                           \
  }                                                                            \
  void JOIN(PREFIX, sweep, TYPE)(PARAMETERS(T)) {                              \
    (void)few;                                                                 \
    FOR(k, n) FOR(i, m) y[i] += a[k * m + i] * x[k];                           \
  }                                                                            \
  void JOIN(PREFIX, table, TYPE)(PARAMETERS(T)) {                              \
    const T *const *row = (const void *)a;                                     \
    (void)few;                                                                 \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      FOR(k, n) sum += row[i][k] * x[k];                                       \
      y[i] = sum;                                                              \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, lower, TYPE)(PARAMETERS(T)) {                              \
    (void)few;                                                                 \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      FOR(k, i + 1) sum += a[i * n + k] * x[k];                                \
      y[i] = sum;                                                              \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, upper, TYPE)(PARAMETERS(T)) {                              \
    (void)few;                                                                 \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      for (long k = i; k < n; k++)                                             \
        sum += a[i * n + k] * x[k];                                            \
      y[i] = sum;                                                              \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, symmetric, TYPE)(PARAMETERS(T)) {                          \
    (void)few;                                                                 \
    FOR(i, m) y[i] = 0;                                                        \
    FOR(i, m) {                                                                \
      T sum = 0;                                                               \
      FOR(k, i) {                                                              \
        y[k] += x[i] * a[i * n + k];                                           \
        sum += a[i * n + k] * x[k];                                            \
      }                                                                        \
      y[i] += sum + a[i * n + i] * x[i];                                       \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, thin, TYPE)(PARAMETERS(T)) {                               \
    FOR(i, m) FOR(j, few) {                                                    \
      T sum = 0;                                                               \
      FOR(k, n) sum += a[i * n + k] * x[k * few + j];                          \
      y[i * few + j] = sum;                                                    \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, thincolumns, TYPE)(PARAMETERS(T)) {                        \
    FOR(i, m) FOR(j, few) {                                                    \
      T sum = 0;                                                               \
      FOR(k, n) sum += a[k * m + i] * x[j * n + k];                            \
      y[j * m + i] = sum;                                                      \
    }                                                                          \
  }                                                                            \
  void JOIN(PREFIX, thinmixed, TYPE)(PARAMETERS(T)) {                          \
    FOR(i, m) FOR(j, few) {                                                    \
      T sum = 0;                                                               \
      FOR(k, n) sum += a[i * n + k] * x[j * n + k];                            \
      y[j * m + i] = sum;                                                      \
    }                                                                          \
  }

KERNELS(double, f64)
KERNELS(float, f32)
BLAS_KERNELS(double, f64)
BLAS_KERNELS(float, f32)
