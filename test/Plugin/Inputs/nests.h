//===- nests.h - nests whose results are compared -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A test includes this, defines nests by NEST, names them all by ALL(R), and
// includes nests-main.h. SIZES, if defined, declares constant extents.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef T
#define T float
#endif
#ifndef RESTRICT
#define RESTRICT
#endif

#ifdef SIZES
#define EXTENTS
#define LOCALS SIZES
#else
#define EXTENTS , int M, int N, int K
#define LOCALS
#endif
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(                                  \
      T *c, const T *a, const T *b, const T *x, const T *y EXTENTS) {          \
    LOCALS __VA_ARGS__                                                         \
  }
