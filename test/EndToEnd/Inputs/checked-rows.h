//===- checked-rows.h - one call of a function of rows ------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls a function of a matrix and two vectors, which lie where no byte too much can be
// touched, and hashes what it has made of the vectors.
//
//===----------------------------------------------------------------------===//

#include "../../guarded.h"

enum { Bytes = 1 << 20 };

/// \p count: the elements of the matrix.
#define CHECK(T, name, count)                                                  \
  do {                                                                         \
    T *a = placed(places[0], Bytes, (count) * sizeof(T), atEnd);               \
    T *x = placed(places[1], Bytes, n * sizeof(T), atEnd);                     \
    T *y = placed(places[2], Bytes, n * sizeof(T), 1);                         \
    for (long i = 0; i < (count); i++)                                         \
      a[i] = special ? anyElement(i % 2 ? INFINITY : -0.0)                     \
                     : (T)1 + (T)anyElement(0.0) / 4096;                       \
    for (long i = 0; i < n; i++) {                                             \
      x[i] = anyElement(special ? INFINITY : 0.0);                             \
      y[i] = anyElement(-0.0);                                                 \
    }                                                                          \
    name##_##T(n, w, a, x, y);                                                 \
    HASH_ELEMENTS(T, x, n);                                                    \
    HASH_ELEMENTS(T, y, n);                                                    \
  } while (0)
