//===- pairs.h - the nests of pairs.c -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)
#define ROWS b[k * n + j]
#define COLUMNS b[j * n + k]

// R(name, type of C, type of the sum, type of the elements, place of B, step, what is stored)
#define REALS(R, T, t)                                                         \
  R(product_##t, T, T, T, ROWS, s += p * q, s)                                    \
  R(squared_distance_##t, T, T, T, COLUMNS, T d = p - q; s += d * d, s)           \
  R(absolute_distance_##t, T, T, T, COLUMNS, T d = p - q; s += d < 0 ? -d : d, s) \
  R(greatest_distance_##t, T, T, T, COLUMNS, T d = p - q; d = d < 0 ? -d : d; s = d > s ? d : s, s) \
  R(min_plus_##t, T, T, T, ROWS, T d = p + q; s = d < s ? d : s, s)               \
  R(max_times_##t, T, T, T, ROWS, T d = p * q; s = d > s ? d : s, s)              \
  R(relu_##t, T, T, T, ROWS, s += p * q, s > 0 ? s : 0)                           \
  R(bias_relu_##t, T, T, T, ROWS, s += p * q, s + x[j] > 0 ? s + x[j] : 0)        \
  R(residual_##t, T, T, T, ROWS, s += p * q, s + x[i * n + j])                    \
  R(root_of_distance_##t, T, T, T, COLUMNS, T d = p - q; s += d * d, (T)sqrt((double)s)) \
  R(weighted_steps_##t, T, T, T, ROWS, s += p * x[k] * q, s)                      \
  R(centred_columns_##t, T, T, T, ROWS, s += p * (q - x[j]), s)                   \
  R(masked_##t, T, T, T, ROWS, s += p * x[i * n + k] * q, s)
#define CLAMPED(v) ((v) < -128 ? -128 : (v) > 127 ? 127 : (v))
#define PAIRS(R)                                                               \
  REALS(R, double, f64)                                                        \
  REALS(R, float, f32)                                                         \
  R(hamming_u32, int, int, unsigned, COLUMNS, s += __builtin_popcount(p ^ q), s)    \
  R(hamming_u64, long, long, unsigned long, COLUMNS, s += __builtin_popcountl(p ^ q), s) \
  R(equal_i32, int, int, int, COLUMNS, s += p == q, s)                              \
  R(and_or_i32, int, int, int, ROWS, s |= p & q, s)                                 \
  R(fixed_point_i16, int, int, short, ROWS, s += p * q >> 15, s)                    \
  R(residues_i64, long, long, long, ROWS, s = (s + p * q) % 1000000007, s) \
  R(product_i8, int, int, signed char, COLUMNS, s += p * q, s)                 \
  R(sums_of_16_bits, short, short, short, ROWS, s += p * q, s)                 \
  R(sums_of_8_bits, signed char, signed char, signed char, ROWS, s += p * q, s) \
  R(requantised_i8, signed char, int, signed char, COLUMNS, s += p * q,        \
    CLAMPED((int)((s + x[j] % 1000) * 77L >> 16)))
