//===- small.h - tables of small products ------------------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table has one function for each storage order and each shape of
// FOR_ALL_SHAPES. It is called <prefix>_<type>_<form>, such as naive_f64_ijk;
// the form says how the loops are written, see small.c.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_BENCHMARKS_SMALL_H
#define TILESMITH_BENCHMARKS_SMALL_H

/// One function: C += A * B without gaps between rows or columns.
struct SmallProduct {
  short M, N, K;         ///< constant extents; 0: the argument
  char Order[4];         ///< of C, A, B: r(ow-major) or c(olumn-major)
  void (*Function)(void); ///< (long M, long N, long K, const T *A, const T *B, T *C)
};

#define TABLE_(Prefix, Type, Form) Prefix##_##Type##_##Form
#define TABLE(Prefix, Type, Form) TABLE_(Prefix, Type, Form)

// The element type: REAL(f64) is double.
#define REAL_f64 double
#define REAL_f32 float
#define REAL_(Type) REAL_##Type
#define REAL(Type) REAL_(Type)

#define CUBES8(Do, OC, OA, OB, A, B, C, D, E, F, G, H)                         \
  Do(OC, OA, OB, A, A, A) Do(OC, OA, OB, B, B, B) Do(OC, OA, OB, C, C, C)      \
      Do(OC, OA, OB, D, D, D) Do(OC, OA, OB, E, E, E) Do(OC, OA, OB, F, F, F)  \
          Do(OC, OA, OB, G, G, G) Do(OC, OA, OB, H, H, H)

// Do(order of C, of A, of B, M, N, K) for 1 <= n <= 64.
#define FOR_ALL_CUBES(Do, OC, OA, OB)                                          \
  CUBES8(Do, OC, OA, OB, 1, 2, 3, 4, 5, 6, 7, 8)                               \
  CUBES8(Do, OC, OA, OB, 9, 10, 11, 12, 13, 14, 15, 16)                        \
  CUBES8(Do, OC, OA, OB, 17, 18, 19, 20, 21, 22, 23, 24)                       \
  CUBES8(Do, OC, OA, OB, 25, 26, 27, 28, 29, 30, 31, 32)                       \
  CUBES8(Do, OC, OA, OB, 33, 34, 35, 36, 37, 38, 39, 40)                       \
  CUBES8(Do, OC, OA, OB, 41, 42, 43, 44, 45, 46, 47, 48)                       \
  CUBES8(Do, OC, OA, OB, 49, 50, 51, 52, 53, 54, 55, 56)                       \
  CUBES8(Do, OC, OA, OB, 57, 58, 59, 60, 61, 62, 63, 64)

// Mixed constant shapes.
#define FOR_ALL_MIXED(Do, OC, OA, OB)                                          \
  Do(OC, OA, OB, 4, 4, 16) Do(OC, OA, OB, 4, 16, 4) Do(OC, OA, OB, 16, 4, 4)   \
  Do(OC, OA, OB, 3, 3, 64) Do(OC, OA, OB, 3, 64, 3) Do(OC, OA, OB, 64, 3, 3)   \
  Do(OC, OA, OB, 8, 8, 64) Do(OC, OA, OB, 8, 64, 8) Do(OC, OA, OB, 64, 8, 8)   \
  Do(OC, OA, OB, 6, 6, 36) Do(OC, OA, OB, 12, 12, 4) Do(OC, OA, OB, 5, 7, 11)  \
  Do(OC, OA, OB, 13, 17, 19) Do(OC, OA, OB, 23, 29, 31)                        \
  Do(OC, OA, OB, 16, 32, 48)

// Constant shapes of which one or two extents are 1 or 2.
#define FOR_ALL_THIN(Do, OC, OA, OB)                                           \
  Do(OC, OA, OB, 1, 64, 64) Do(OC, OA, OB, 64, 1, 64) Do(OC, OA, OB, 64, 64, 1)\
  Do(OC, OA, OB, 2, 64, 64) Do(OC, OA, OB, 64, 2, 64) Do(OC, OA, OB, 64, 64, 2)\
  Do(OC, OA, OB, 1, 16, 16) Do(OC, OA, OB, 16, 1, 16) Do(OC, OA, OB, 16, 16, 1)\
  Do(OC, OA, OB, 2, 16, 16) Do(OC, OA, OB, 16, 2, 16) Do(OC, OA, OB, 16, 16, 2)\
  Do(OC, OA, OB, 1, 1, 64) Do(OC, OA, OB, 1, 64, 1) Do(OC, OA, OB, 64, 1, 1)   \
  Do(OC, OA, OB, 2, 2, 64) Do(OC, OA, OB, 2, 64, 2) Do(OC, OA, OB, 64, 2, 2)

// All extents at run time, and all but one that is 1 or 2.
#define FOR_ALL_RUN_TIME(Do, OC, OA, OB)                                       \
  Do(OC, OA, OB, 0, 0, 0)                                                      \
  Do(OC, OA, OB, 1, 0, 0) Do(OC, OA, OB, 0, 1, 0) Do(OC, OA, OB, 0, 0, 1)      \
  Do(OC, OA, OB, 2, 0, 0) Do(OC, OA, OB, 0, 2, 0) Do(OC, OA, OB, 0, 0, 2)

#define FOR_ALL_CONSTANT(Do, OC, OA, OB)                                       \
  FOR_ALL_CUBES(Do, OC, OA, OB)                                                \
  FOR_ALL_MIXED(Do, OC, OA, OB)                                                \
  FOR_ALL_THIN(Do, OC, OA, OB)
#define FOR_ALL_SHAPES(Do, OC, OA, OB)                                         \
  FOR_ALL_CONSTANT(Do, OC, OA, OB)                                             \
  FOR_ALL_RUN_TIME(Do, OC, OA, OB)

// What is measured of Eigen, whose templates take long to compile: these cubes
// with all matrices row-major, and run-time extents.
#define FOR_SOME_CUBES(Do, OC, OA, OB)                                         \
  CUBES8(Do, OC, OA, OB, 1, 2, 3, 4, 5, 6, 7, 8)                               \
  CUBES8(Do, OC, OA, OB, 9, 10, 11, 12, 13, 14, 15, 16)                        \
  CUBES8(Do, OC, OA, OB, 17, 20, 23, 24, 28, 31, 32, 36)                       \
  CUBES8(Do, OC, OA, OB, 40, 44, 48, 52, 56, 60, 63, 64)
#define FOR_UNKNOWN(Do, OC, OA, OB) Do(OC, OA, OB, 0, 0, 0)

// In(Do, order of C, of A, of B) for all eight orders.
#define IN_ALL_ORDERS(In, Do)                                                  \
  In(Do, r, r, r) In(Do, r, r, c) In(Do, r, c, r) In(Do, r, c, c)              \
  In(Do, c, r, r) In(Do, c, r, c) In(Do, c, c, r) In(Do, c, c, c)

#endif
