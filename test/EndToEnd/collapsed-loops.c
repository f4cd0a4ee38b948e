// Three and four loops on one counter, as 'collapse(3)' makes them for each thread: convolutions and contractions, with digits by
// remainders, or by quotients, and divisors that are no digits, for which the source's loops run.
//
// RUN: %clang -O2 -march=native -w %s -o %t.plain
// RUN: %clang -O2 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.tilesmith 2>&1 | FileCheck %s --implicit-check-not=remark
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -o %t.plain
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith \
// RUN:     -Rpass-missed=tilesmith %s -o %t.tilesmith 2>&1 | FileCheck %s --implicit-check-not=remark
// RUN: %t.plain > %t.expected
// RUN: %t.tilesmith > %t.result
// RUN: cmp %t.expected %t.result

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION __attribute__((noinline)) void

// Channels, rows and columns of an image.
// CHECK: :[[@LINE+3]]:3: remark: replaced 6-loop nest by GEMM f32 {{.*}} gathered
FUNCTION image(int first, int last, int rows, int columns, float *restrict y, const float *restrict x,
               const float *restrict w) {
  for (int t = first; t < last; t++) {
    int plane = rows * columns, o = t / plane, rest = t % plane, i = rest / columns, j = rest % columns;
    float s = 0;
    for (int c = 0; c < 3; c++)
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          s += x[(c * (rows + 2) + i + p) * (columns + 2) + j + q] * w[((o * 3 + c) * 3 + p) * 3 + q];
    y[(o * rows + i) * columns + j] = s;
  }
}

// With padding, and a batch.
// CHECK: :[[@LINE+3]]:3: remark: replaced 7-loop nest by GEMM f32 {{.*}} gathered
FUNCTION padded(long first, long last, long channels, long rows, long columns, float *restrict y,
                const float *restrict x, const float *restrict w) {
  for (long t = first; t < last; t++) {
    long whole = channels * rows * columns, plane = rows * columns, b = t / whole, o = t % whole / plane,
         i = t % whole % plane / columns, j = t % whole % plane % columns;
    float s = 0;
    for (long c = 0; c < 3; c++)
      for (long p = 0; p < 3; p++)
        for (long q = 0; q < 3; q++) {
          long u = i + p - 1, v = j + q - 1;
          if (u >= 0 && u < rows && v >= 0 && v < columns)
            s += x[((b * 3 + c) * rows + u) * columns + v] * w[((o * 3 + c) * 3 + p) * 3 + q];
        }
    y[t] = s;
  }
}

// A contraction, with digits by quotients, as a GPU's kernels find them.
// CHECK: :[[@LINE+3]]:3: remark: replaced 5-loop nest by GEMM f64
FUNCTION tensor(long first, long last, long B, long C, long D, double *restrict r, const double *restrict t,
                const double *restrict v) {
  for (long x = first; x < last; x++) {
    long c = x % C, q = x / C, b = q % B, a = q / B;
    double s = a;
    for (long d = 0; d < D; d++)
      for (long e = 0; e < 2; e++)
        s += t[(a * D + d) * 2 + e] * v[((d * 2 + e) * B + b) * C + c];
    r[(a * B + b) * C + c] = s;
  }
}

// One unit is found twice.
// CHECK: :[[@LINE+3]]:3: remark: replaced 4-loop nest by GEMM f64
FUNCTION twice(int first, int last, int B, int C, int D, double *restrict r, const double *restrict t,
               const double *restrict v) {
  for (int x = first; x < last; x++) {
    int c = x % C, b = x / C % B, a = x / (B * C);
    double s = 1;
    for (int d = 0; d < D; d++)
      s += t[a * D + d] * v[(d * B + b) * C + c];
    r[x] += s;
  }
}

// Rows of columns that do not fill them: 'whole' may be no multiple of 'columns'.
// CHECK: :[[@LINE+3]]:3: remark: replaced {{.*}} f64
FUNCTION uneven(long first, long last, long whole, long columns, long D, double *restrict r, const double *restrict t,
                const double *restrict v) {
  for (long x = first; x < last; x++) {
    long a = x / whole, rest = x % whole, b = rest / columns, c = rest % columns;
    double s = 0;
    for (long d = 0; d < D; d++)
      s += t[a * D + d] * v[(d * 8 + b) * 16 + c];
    r[x] = s;
  }
}

// By powers of two. Two digits are one.
// CHECK: :[[@LINE+3]]:3: remark: replaced 3-loop nest by GEMM f64
FUNCTION powers(unsigned first, unsigned last, int D, double *restrict r, const double *restrict t,
                const double *restrict v) {
  for (unsigned x = first; x < last; x++) {
    unsigned a = x / 64, b = x % 64 / 16, c = x % 16;
    double s = 0;
    for (unsigned d = 0; d < D; d++)
      s += t[a * D + d] * v[(d * 4 + b) * 16 + c];
    r[(a * 4 + b) * 16 + c] = s;
  }
}

// The product of both divisors wraps, and is equal to the first one.
// CHECK: :[[@LINE+3]]:3: remark: replaced {{.*}} f64
FUNCTION wrapped(unsigned first, unsigned last, unsigned n, unsigned p, int D, double *restrict r,
                 const double *restrict t, const double *restrict v) {
  for (unsigned x = first; x < last; x++) {
    unsigned a = x / (n * p), b = x / n / p, c = x % n;
    double s = 0;
    for (int d = 0; d < D; d++)
      s += t[a * D + d] * v[(b * D + d) * n + c];
    r[(a + b) * n + c] = s;
  }
}

enum { MOST = 4096 };
static double t[MOST], v[MOST], r[MOST];
static float x[MOST], w[MOST], y[MOST];

static void fill(void) {
  for (int i = 0; i < MOST; i++) {
    t[i] = i % 61 ? i * 7 % 11 - i * .3 : -0.0;
    v[i] = i % 97 ? i * 5 % 13 - i * .7 : INFINITY;
    x[i] = t[i], w[i] = i % 89 ? v[i] : 1;
    r[i] = y[i] = i % 17 ? i * .1 : -0.0;
  }
}

static void print(void) {
  unsigned long sum = 0;
  for (int i = 0; i < MOST; i++) {
    double values[2] = {isnan(r[i]) ? 1 : r[i], isnan(y[i]) ? 1 : y[i]};
    unsigned long bits[2];
    memcpy(bits, values, sizeof bits);
    sum = (sum * 31 + bits[0]) * 31 + bits[1];
  }
  printf("%lx\n", sum);
}

// From and up to any of the elements of three places by four by five.
static void all(int o, int rows, int columns) {
  const int end = o * rows * columns;
  for (int first = 0; first <= end; first += 1 + first % 3)
    for (int last = first; last <= end; last += 1 + (last - first) / 4) {
      fill(), image(first, last, rows, columns, y, x, w), print();
      fill(), padded(first, last, 2, rows, columns, y, x, w), print();
      fill(), tensor(first, last, rows, columns, 4, r, t, v), print();
      fill(), twice(first, last, rows, columns, 5, r, t, v), print();
      fill(), uneven(first, last, rows * columns, columns, 5, r, t, v), print();
      fill(), uneven(first, last, rows * columns + 1, columns, 5, r, t, v), print();
      fill(), uneven(first, last, columns, rows * columns, 5, r, t, v), print();
      fill(), powers(first * 7, last * 7, 5, r, t, v), print();
    }
}

int main(void) {
  all(3, 4, 5);
  all(2, 1, 7);
  all(5, 3, 1);
  all(1, 6, 8);
  fill(), wrapped(0, 600, 256, (1 << 24) + 1, 4, r, t, v), print();
  fill(), wrapped(0, 600, 256, 1, 4, r, t, v), print();
  fill(), wrapped(0, 600, 16, 4, 4, r, t, v), print();
  // Nothing is divided.
  fill(), image(3, 3, 0, 0, y, x, w), print();
  fill(), uneven(5, 5, 0, 3, 5, r, t, v), print();
  fill(), tensor(7, 2, 0, 0, 3, r, t, v), print();
}
