// NumPy's own loops for matmul: strides are numbers of bytes that only run time knows, sums grow in memory, and pointers
// walk through the loops and are set back by each. Strides may be negative, or zero in a factor.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s \
// RUN:     -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
// RUN: %clang -O2 -fno-strict-aliasing -fwrapv -w %s -o %t.plain
// RUN: %clang -O2 -fno-strict-aliasing -fwrapv -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s \
// RUN:     -o %t.tilesmith
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
//
// CHECK: replaced 3-loop nest by GEMM i64 (A strided, B strided, C strided), MxNxK at run time
// CHECK: replaced 3-loop nest by GEMM i32 (A strided, B strided, C strided), MxNxK at run time
// CHECK: replaced 3-loop nest by GEMM i32 (A strided, B strided, C strided), MxNxK at run time
// CHECK: replaced 3-loop nest by GEMM f32 (A strided, B strided, C strided), MxNxK at run time
// CHECK: replaced 3-loop nest by GEMM f64 (A strided, B strided, C strided), MxNxK at run time

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MATMUL(TYPE, NAME)                                                                                             \
  __attribute__((noinline)) void NAME(void *first, ptrdiff_t row_a, ptrdiff_t step_a, void *second, ptrdiff_t step_b,  \
                                      ptrdiff_t column_b, void *result, ptrdiff_t row_c, ptrdiff_t column_c,           \
                                      ptrdiff_t rows, ptrdiff_t steps, ptrdiff_t columns) {                            \
    char *a = first, *b = second, *c = result;                                                                         \
    ptrdiff_t all_a = step_a * steps, all_b = step_b * steps, all_columns = column_b * columns,                        \
              all_c = column_c * columns;                                                                              \
    for (ptrdiff_t i = 0; i < rows; i++) {                                                                             \
      for (ptrdiff_t j = 0; j < columns; j++) {                                                                        \
        *(TYPE *)c = 0;                                                                                                \
        for (ptrdiff_t k = 0; k < steps; k++) {                                                                        \
          TYPE x = *(TYPE *)a, y = *(TYPE *)b;                                                                         \
          *(TYPE *)c += x * y;                                                                                         \
          b += step_b;                                                                                                 \
          a += step_a;                                                                                                 \
        }                                                                                                              \
        a -= all_a;                                                                                                    \
        b -= all_b;                                                                                                    \
        c += column_c;                                                                                                 \
        b += column_b;                                                                                                 \
      }                                                                                                                \
      c -= all_c;                                                                                                      \
      b -= all_columns;                                                                                                \
      a += row_a;                                                                                                      \
      c += row_c;                                                                                                      \
    }                                                                                                                  \
  }
MATMUL(long, matmul_i64)
MATMUL(int, matmul_i32)
MATMUL(unsigned, matmul_u32)
MATMUL(float, matmul_f32)
MATMUL(double, matmul_f64)

typedef void Matmul(void *, ptrdiff_t, ptrdiff_t, void *, ptrdiff_t, ptrdiff_t, void *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                    ptrdiff_t, ptrdiff_t);

enum { Most = 28, Room = 3 * Most * Most * 16 };
static char a[Room], b[Room], c[Room];

// Every value at any place: small whole numbers in the type's own representation.
static void fill(int kind, size_t size) {
  for (size_t i = 0; i + size <= Room; i += size) {
    long x = i / size * 7 % 23 - 11, y = i / size * 5 % 19 - 9;
    float xf = x * .3f, yf = y * .7f;
    double xd = x * .3, yd = y * .7;
    const void *from_x = kind == 0 ? (void *)&x : kind == 1 ? (void *)&xf : &xd;
    const void *from_y = kind == 0 ? (void *)&y : kind == 1 ? (void *)&yf : &yd;
    memcpy(a + i, from_x, size), memcpy(b + i, from_y, size);
  }
  for (size_t i = 0; i < Room; i++)
    c[i] = i * 11;
}

static void run(Matmul *f, int kind, ptrdiff_t size) {
  static const int Sizes[][3] = {{Most, Most, Most}, {17, 26, 9}, {1, 5, 8}, {8, 1, 3}, {9, 7, 1}, {3, 4, 0}, {0, 4, 4}};
  for (int s = 0; s < 7; s++)
    for (int form = 0; form < 8; form++) {
      ptrdiff_t m = Sizes[s][0], n = Sizes[s][1], k = Sizes[s][2], wide = (Most + 1) * size;
      ptrdiff_t row_a = wide, step_a = size, step_b = wide, column_b = size, row_c = wide, column_c = size;
      if (form & 1) // transposed
        row_a = size, step_a = wide;
      if (form & 2)
        step_b = size, column_b = wide;
      if (form & 4)
        row_c = size, column_c = wide;
      if (form == 7) // as a[::-1], b[:, ::-1], every second element of c
        row_a = -row_a, column_b = -column_b, row_c *= 2;
      if (form == 6) // one row of a, broadcast
        row_a = 0;
      fill(kind, size);
      char *middle_a = a + (row_a < 0 ? -row_a * Most : 0), *middle_b = b + (column_b < 0 ? -column_b * Most : 0);
      f(middle_a, row_a, step_a, middle_b, step_b, column_b, c, row_c, column_c, m, k, n);
      fwrite(c, 1, Room, stdout);
      // C is a: the loops must run as they are.
      fill(kind, size);
      f(a, wide, size, b, wide, size, a + size, wide, size, m, k, n);
      fwrite(a, 1, Room, stdout);
    }
}

int main(void) {
  run(matmul_i64, 0, sizeof(long));
  run(matmul_i32, 0, sizeof(int));
  run(matmul_u32, 0, sizeof(int));
  run(matmul_f32, 1, sizeof(float));
  run(matmul_f64, 2, sizeof(double));
}
