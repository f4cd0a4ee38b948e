//===- table-starts.h - the forms of table-starts.c, of elements T -*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

ROWS(OF(bias), b[i], s)
ROWS(OF(old), y[i], s > 0 ? s : 0)
ROWS(OF(scaled), 2 * y[i] - b[i], s)
ROWS(OF(residual), 0, b[i] - s)
ROWS(OF(rectified), b[i], s > 0 ? s : 0)
ROWS(OF(squashed), b[2 * i], (T)tanh(s))
ROWS(OF(sigmoid), 0, 1 / (1 + (T)exp(-(s + b[i]))))
ROWS(OF(scaledBoth), 0, x[0] * s + b[0] * y[i])

/// The sum is in memory, where it might be a row's element.
__attribute__((noinline)) static void OF(memory)(long m, long n, T *const *a,
                                                 const T *x, const T *b, T *y) {
  for (long i = 0; i < m; i++) {
    y[i] = b[i];
    for (long k = 0; k < n; k++)
      y[i] += a[i][k] * x[k];
    y[i] = (T)tanh(y[i]);
  }
}

/// A table of columns.
__attribute__((noinline)) static void OF(columns)(long m, long n, T *const *a,
                                                  const T *x, const T *b, T *y) {
  for (long i = 0; i < n; i++) {
    T s = b[i];
    for (long k = 0; k < m; k++)
      s += a[k][i] * x[k];
    y[i] = s * x[i] * (1 - x[i]);
  }
}

typedef void OF(Form)(long, long, T *const *, const T *, const T *, T *);

static void OF(check)(long m, long n, int atEnd, char **places) {
  static OF(Form) *const forms[] = {
      OF(bias),     OF(old),     OF(scaled),     OF(residual), OF(rectified),
      OF(squashed), OF(sigmoid), OF(scaledBoth), OF(memory),   OF(columns)};
  static T *rows[100];
  const long most = m > n ? m : n;
  T *x = placed(places[0], 4096, most * sizeof(T), atEnd);
  T *b = placed(places[1], 4096, 2 * most * sizeof(T), atEnd);
  T *y = placed(places[2], 4096, most * sizeof(T), atEnd);
  for (int overlap = 0; overlap < 4; overlap++) {
    for (int form = 0; form < 10; form++) {
      for (long i = 0; i < most; i++) {
        x[i] = (T)anyElement(0.0);
        y[i] = (T)anyElement(-0.0);
      }
      for (long i = 0; i < 2 * most; i++)
        b[i] = (T)anyElement(-0.0);
      for (long i = 0; i < m; i++) {
        rows[i] = placed(places[3 + i], 4096, n * sizeof(T), atEnd);
        for (long k = 0; k < n; k++)
          rows[i][k] = (T)anyElement(k % 5 ? 0.0 : INFINITY);
      }
      // The result is the bias, one element behind it, or a row.
      T *to = overlap == 1 ? b : overlap == 2 ? b + 1 : y;
      if (overlap == 3 && n <= m)
        rows[m / 2] = y;
      forms[form](m, n, rows, x, b, to);
      HASH_ELEMENTS(T, y, most);
      HASH_ELEMENTS(T, b, 2 * most);
    }
  }
}
