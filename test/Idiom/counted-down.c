//===- counted-down.c - the style of libraries for small processors -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Counters of 16 bits count down to zero in `do ... while`, pointers walk, and
// are computed anew for each column from what the counter has left. Sums of
// fixed-point numbers are shifted and clipped.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=native -ffp-contract=fast %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// What reaches memory: 300 x 300 elements, and some to the side.
enum { Size = 300 * 300 + 1000 };

// FIRST is where B's pointer starts; BASE, where it is computed anew from.
#define PRODUCT(NAME, T, SUM, COUNT, OFFSET, FIRST, BASE, RESULT)                                       \
  __attribute__((noinline)) void NAME(const struct matrix_##T *a, const struct matrix_##T *b,           \
                                      struct matrix_##T *c) {                                           \
    const T *row_a = a->data, *first_b = b->data;                                                       \
    T *out = c->data;                                                                                   \
    uint16_t depth = a->columns, columns = b->columns;                                                  \
    COUNT rows = a->rows, left_columns, left;                                                           \
    OFFSET offset = 0;                                                                                  \
    do {                                                                                                \
      T *to = out + offset;                                                                             \
      const T *at_a, *at_b = FIRST;                                                                     \
      left_columns = columns;                                                                           \
      do {                                                                                              \
        SUM sum = 0;                                                                                    \
        at_a = row_a;                                                                                   \
        for (left = depth; left > 0; left--) {                                                          \
          sum += (SUM)*at_a++ * *at_b;                                                                  \
          at_b += columns;                                                                              \
        }                                                                                               \
        *to++ = RESULT;                                                                                 \
        left_columns--;                                                                                 \
        at_b = BASE + (columns - left_columns);                                                         \
      } while (left_columns > 0);                                                                       \
      offset = offset + columns;                                                                        \
      row_a = at_a;                                                                                     \
      rows--;                                                                                           \
    } while (rows > 0);                                                                                 \
  }
#define MATRIX(T)                                                                                       \
  struct matrix_##T {                                                                                   \
    uint16_t rows, columns;                                                                             \
    T *data;                                                                                            \
  };
MATRIX(float)
MATRIX(double)
MATRIX(int8_t)
MATRIX(int16_t)
MATRIX(int32_t)

static inline int64_t clip(int64_t x, int64_t most) { return x > most ? most : x < ~most ? ~most : x; }

// expected-remark@+1 {{GEMM f32}}
PRODUCT(wide, float, float, uint32_t, uint32_t, first_b, first_b, sum)
// expected-remark@+1 {{GEMM f32}}
PRODUCT(narrow, float, float, uint16_t, uint16_t, first_b, first_b, sum)
// expected-remark@+1 {{GEMM f64}}
PRODUCT(narrow_signed, double, double, int16_t, int16_t, first_b, first_b, sum)
// expected-remark@+1 {{GEMM f64}}
PRODUCT(narrow_offset, double, double, uint32_t, uint16_t, b->data, b->data, sum)
// expected-remark@+1 {{GEMM f32}}
PRODUCT(narrow_columns, float, float, uint16_t, uint32_t, first_b, b->data, sum)
// expected-remark@+1 {{GEMM f32}}
PRODUCT(from_second, float, float, uint16_t, uint16_t, first_b + 1, first_b + 1, sum)

// The first column is another one than the pointer's place tells.
// expected-remark@+1 {{an array subscript is not a sum}}
PRODUCT(first_apart, float, float, uint32_t, uint32_t, first_b + 2, first_b, sum)
// expected-remark@+1 {{an array subscript is not a sum}}
PRODUCT(first_apart_narrow, float, float, uint16_t, uint16_t, first_b, first_b + 1, sum)

// expected-remark@+1 {{GEMM i32}}
PRODUCT(q7, int8_t, int32_t, uint16_t, uint16_t, first_b, first_b, clip(sum >> 7, 127))
// expected-remark@+1 {{GEMM i64}}
PRODUCT(q15, int16_t, int64_t, uint16_t, uint16_t, first_b, first_b, clip(sum >> 15, 32767))
// expected-remark@+1 {{GEMM i32}}
PRODUCT(q15_fast, int16_t, int32_t, uint32_t, uint32_t, first_b, first_b, sum >> 15)
// expected-remark@+1 {{GEMM i64}}
PRODUCT(q31, int32_t, int64_t, uint16_t, uint16_t, first_b, first_b, clip(sum >> 31, 0x7fffffff))
// expected-remark@+1 {{GEMM i64}}
PRODUCT(q31_rounded, int32_t, int64_t, uint32_t, uint32_t, first_b, first_b, (sum + (1 << 30)) >> 31)

static char in_a[Size * 8], in_b[Size * 8], out[Size * 8 * 3];

static void print_sum(const char *name, const char *data, long bytes) {
  uint64_t sum = 0;
  for (long i = 0; i < bytes; i++)
    sum = sum * 1099511628211u + (unsigned char)data[i];
  printf("%s %llx\n", name, (unsigned long long)sum);
}

#define RUN(NAME, T)                                                                                    \
  do {                                                                                                  \
    for (int x = 0; x < Size; x++) {                                                                    \
      ((T *)in_a)[x] = (T)((x * 37 % 101 - 50) * (sizeof(T) < 4 ? 1 : 1234567.1));                       \
      ((T *)in_b)[x] = (T)((x * 53 % 97 - 48) * (sizeof(T) < 4 ? 2 : 7654321.7));                        \
    }                                                                                                   \
    memset(out, 1, sizeof out);                                                                         \
    struct matrix_##T a = {m, k, (T *)in_a}, b = {k, n, (T *)in_b}, c = {m, n, (T *)out + Size};        \
    NAME(&a, &b, &c);                                                                                   \
    print_sum(#NAME, out, sizeof out);                                                                  \
    if (m < 300) {                                                                                      \
      /* One of B's rows is also C's. */                                                                \
      struct matrix_##T onto = {m, n, (T *)in_b + 7};                                                   \
      NAME(&a, &b, &onto);                                                                              \
      print_sum("onto", in_b, sizeof in_b);                                                             \
    }                                                                                                   \
  } while (0)

static void run(int m, int n, int k) {
  RUN(wide, float);
  RUN(narrow, float);
  RUN(narrow_signed, double);
  RUN(narrow_offset, double);
  RUN(narrow_columns, float);
  RUN(from_second, float);
  RUN(first_apart, float);
  RUN(first_apart_narrow, float);
  RUN(q7, int8_t);
  RUN(q15, int16_t);
  RUN(q15_fast, int16_t);
  RUN(q31, int32_t);
  RUN(q31_rounded, int32_t);
}

int main(void) {
  run(1, 1, 1);
  run(5, 3, 0);
  run(17, 1, 9);
  run(1, 23, 31);
  run(33, 29, 41);
  run(40, 70, 13);
  // The offset of a row does not fit into 16 bits: rows are written again.
  run(300, 300, 5);
}
