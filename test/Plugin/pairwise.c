//===- pairwise.c - sums, minima and others of pairs ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Distances, semirings, counts and residues: all bytes are those that clang gives,
// for operands at the very ends of what may be read, for operands that overlap C,
// and for infinities, NaNs, zeros of both signs and divisors that trap.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2> %t.remarks \
// DEFINE:   && grep -c 'nest by pairwise reduction' %t.remarks | FileCheck %s \
// DEFINE:   && %t.ours > %t.got && cmp %t.expected %t.got
// Of integers, LLVM adds p and subtracts q one after the other; a few products of
// constant size are too small, and loops of constant size that store under a
// condition are unrolled.
// CHECK: {{^(3[89]|4[0-9]|5[0-2])$}}
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=long
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { M = 19, N = 35, K = 12 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DSIZES="enum { M = 70, N = 16, K = 90 };" -DT=double
// RUN: %{compare}

#include "Inputs/nests.h"

#define C c[i * N + j]
// A is stored by rows, B by columns or by rows.
#define OF_COLUMNS(name, From, Step)                                           \
  NEST(name, FOR(i, M) FOR(j, N) {                                             \
    T s = From;                                                                \
    FOR(k, K) {                                                                \
      T p = a[i * K + k], q = b[j * K + k];                                    \
      Step;                                                                    \
    }                                                                          \
    C = s;                                                                     \
  })
#define OF_ROWS(name, From, Step)                                              \
  NEST(name, FOR(i, M) FOR(j, N) {                                             \
    T s = From;                                                                \
    FOR(k, K) {                                                                \
      T p = a[i * K + k], q = b[k * N + j];                                    \
      Step;                                                                    \
    }                                                                          \
    C = s;                                                                     \
  })
#define ABS(x) ((x) < 0 ? -(x) : (x))

// Distances.
OF_COLUMNS(squared, 0, T d = p - q; s += d * d)
OF_COLUMNS(manhattan, 0, T d = p - q; s += ABS(d))
OF_COLUMNS(chebyshev, 0, T d = ABS(p - q); if (d > s) s = d)
OF_ROWS(squared_rows, C, T d = p - q; s += d * d)
OF_COLUMNS(cubed, 1, T d = p - q; s -= d * d * d)
OF_COLUMNS(different, 0, s += p != q)
OF_COLUMNS(weighted, 0, T d = p - q; s += *y * d * d)
OF_COLUMNS(sum_of_squares, 0, T d = p + q; s = d * d + s)
// Semirings.
OF_ROWS(min_plus, C, T d = p + q; s = d < s ? d : s)
OF_ROWS(min_plus_turned, C, T d = p + q; s = s < d ? s : d)
OF_ROWS(max_plus, C, T d = p + q; s = d > s ? d : s)
OF_ROWS(max_times, 0, T d = p * q; s = d > s ? d : s)
OF_ROWS(min_max, C, T d = p > q ? p : q; s = d < s ? d : s)
OF_ROWS(bottleneck, C, T d = p < q ? p : q; s = s < d ? d : s)
OF_ROWS(at_most, C, T d = p + q; if (d <= s) s = d)
// Saturating, and with a factor for the sum in each step.
OF_ROWS(clamped, 0, s += p - q; s = s > 100 ? 100 : s)
OF_ROWS(decaying, 0, s = (s + (p - q)) * x[3])
OF_ROWS(horner, 0, s = s * x[1] + p * q; s = s - 3)
// More than one product of the same two elements, and what is neither sum nor
// product.
OF_ROWS(with_summand, C, s += p * q + q)
OF_ROWS(squares_of_products, 0, T d = p * q; s += d * d)
OF_ROWS(rounded, 0, s += (T)0.5 * (T)(int)(p * q))
NEST(narrow_products, const float *u = (const float *)a, *v = (const float *)b;
     double *w = (double *)c; FOR(i, M) FOR(j, N) {
       double s = 0;
       FOR(k, K) s += u[i * K + k] * v[k * N + j];
       w[i * N + j] = s == s ? s : 0;
     })
NEST(bit_fields, struct fields { int low : 12, high : 20; };
     const struct fields *u = (const struct fields *)a, *v = (const struct fields *)b;
     struct fields *w = (struct fields *)c;
     FOR(i, M) FOR(j, N) FOR(k, K) w[i * N + j].low += u[i * K + k].high * v[k * N + j].low;)
NEST(by_rows, FOR(i, M) FOR(k, K) FOR(j, N) {
  T d = a[i * K + k] + b[k * N + j];
  C = d < C ? d : C;
})
NEST(by_columns, FOR(j, N) FOR(k, K) FOR(i, M) {
  T d = a[i * K + k] - b[k * N + j];
  C += d * d;
})
NEST(lower, FOR(i, M) FOR(j, i + 1) {
  T s = 0;
  FOR(k, K) { T d = a[i * K + k] - a[j * K + k]; s += d * d; }
  c[i * M + j] = s;
})
NEST(batched, FOR(z, 3) FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, K) { T d = a[(z * M + i) * K + k] - b[k * N + j]; s += ABS(d); }
  c[(z * M + i) * N + j] = s;
})
// With an epilogue.
NEST(distance, FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, K) { T d = a[i * K + k] - b[j * K + k]; s += d * d; }
  C = sqrt((double)s) + x[j];
})
// Stored where that changes something.
#define IF(name, Loops, Step, Condition)                                       \
  NEST(name, Loops {                                                           \
    T p = a[i * K + k], q = b[k * N + j], t = Step;                            \
    if (Condition) C = t;                                                      \
  })
IF(if_less, FOR(i, M) FOR(j, N) FOR(k, K), p + q, t < C)
IF(if_less_by_rows, FOR(i, M) FOR(k, K) FOR(j, N), p + q, t < C)
IF(if_less_by_steps, FOR(k, K) FOR(i, M) FOR(j, N), p + q, t < C)
IF(if_greater, FOR(i, M) FOR(k, K) FOR(j, N), p > q ? q : p, C <= t)
IF(if_not_less, FOR(i, M) FOR(j, N) FOR(k, K), p * q, !(t < C))
NEST(if_less_lower, FOR(i, M) FOR(j, i + 1) FOR(k, K) {
  T t = a[i * K + k] + a[j * K + k];
  if (t < c[i * M + j]) c[i * M + j] = t;
})
NEST(if_less_strided, FOR(i, M) FOR(j, N) FOR(k, K) {
  T t = a[i * K + k] + b[k * N + j];
  if (t < c[2 * (i * N + j)]) c[2 * (i * N + j)] = t;
})
NEST(if_less_batched, FOR(z, 3) FOR(i, M) FOR(j, N) FOR(k, K) {
  T t = a[(z * M + i) * K + k] + b[k * N + j];
  if (t < c[(z * M + i) * N + j]) c[(z * M + i) * N + j] = t;
})
NEST(if_less_than_none, FOR(i, M) FOR(j, N) {
  C = 1000;
  FOR(k, K) { T t = a[i * K + k] + b[k * N + j]; if (t < C) C = t; }
})
// What is carried is not what C has.
NEST(if_less_than_last, FOR(i, M) FOR(j, N) {
  T s = C;
  FOR(k, K) {
    T p = a[i * K + k], q = b[k * N + j], t = p + q;
    if (t < s) C = t;
    s = t < s ? t : p > q ? p : q;
  }
})
// Integers, of any width up to that of their sum; elements as bits.
#define OF_INTEGERS(name, Type, Step)                                          \
  NEST(name, const Type *u = (const Type *)a, *v = (const Type *)b;            \
       int *w = (int *)c; FOR(i, M) FOR(j, N) {                                \
         int s = 0;                                                            \
         FOR(k, K) {                                                           \
           Type p = u[i * K + k], q = v[k * N + j];                            \
           Step;                                                               \
         }                                                                     \
         w[i * N + j] = s;                                                     \
       })
OF_INTEGERS(hamming, unsigned, s += __builtin_popcount(p ^ q))
OF_INTEGERS(hamming_bytes, unsigned char, s += __builtin_popcount(p ^ q))
OF_INTEGERS(equal, int, s += p == q)
OF_INTEGERS(equal_bytes, unsigned char, s += p == q)
OF_INTEGERS(equal_floats, float, s += p == q)
OF_INTEGERS(less_shorts, short, s += p < q)
OF_INTEGERS(boolean, int, s |= p & q)
OF_INTEGERS(fixed_point, short, s += p * q >> 15)
OF_INTEGERS(parity, unsigned char, s ^= p & q)
OF_INTEGERS(some_pairs, int, if (p) s += p == q)
// Residues: by a constant, and by what may trap.
OF_INTEGERS(residues, int, s = (s + (long)p * q) % 1000003)
NEST(residues_of, int by = (int)x[7]; const int *u = (const int *)a, *v = (const int *)b;
     int *w = (int *)c; FOR(i, M) FOR(j, N) {
       int s = 0;
       if (by != 0 && by != -1)
         FOR(k, K) s = (s + (u[i * K + k] & 1023) * (v[k * N + j] & 1023)) % by;
       w[i * N + j] = s;
     })

#define ALL(R)                                                                 \
  R(squared) R(manhattan) R(chebyshev) R(squared_rows) R(cubed) R(different)   \
  R(weighted) R(sum_of_squares) R(min_plus) R(min_plus_turned) R(max_plus)     \
  R(max_times) R(min_max) R(bottleneck) R(at_most) R(clamped) R(decaying)      \
  R(horner) R(with_summand) R(squares_of_products) R(rounded)                  \
  R(narrow_products) R(bit_fields)                                             \
  R(by_rows) R(by_columns) R(lower) R(batched) R(distance) R(hamming)          \
  R(hamming_bytes) R(equal) R(equal_bytes) R(equal_floats) R(less_shorts)      \
  R(boolean) R(fixed_point) R(parity) R(some_pairs) R(residues) R(residues_of) \
  R(if_less) R(if_less_by_rows) R(if_less_by_steps) R(if_greater)              \
  R(if_not_less) R(if_less_lower) R(if_less_strided) R(if_less_batched)        \
  R(if_less_than_none) R(if_less_than_last)

#include "Inputs/nests-main.h"
