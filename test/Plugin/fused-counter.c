//===- fused-counter.c - one counter for several loops --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A thread's part of a loop that OpenMP has made of several, with 'collapse',
// begins and ends in the middle of rows. It gives the same bytes, wherever it
// does.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=native -ffp-contract=fast %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
//
// RUN: %clang -O2 -DOPENMP -fopenmp -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify
// RUN: %clang -O3 -g -DOPENMP -fopenmp -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
//
// What stays as it is stays the same to the byte:
// RUN: %clang -O2 -DNEAR_MISSES -c %s -o %t.stock.o
// RUN: %clang -O2 -DNEAR_MISSES -c %s -o %t.ours.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify
// RUN: cmp %t.stock.o %t.ours.o

#ifdef OPENMP

void columns(int n, double *restrict c, const double *restrict a, const double *restrict b) {
#pragma omp parallel for collapse(2) // expected-remark {{GEMM f64}}
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// The rows are counted by two loops, as in llm.c.
void tokens(float *out, const float *in, const float *weight, const float *bias, int B, int T, int C, int OC) {
#pragma omp parallel for collapse(2) // expected-remark {{GEMM f32}}
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++) {
      int bt = b * T + t;
      for (int o = 0; o < OC; o++) {
        float s = bias[o];
        for (int i = 0; i < C; i++)
          s += in[bt * C + i] * weight[o * C + i];
        out[bt * OC + o] = s;
      }
    }
}

// Three loops: a batch, too.
void batch(int B, int n, double *c, const double *a, const double *b) {
#pragma omp parallel for collapse(3) // expected-remark {{GEMM f64}}
  for (int q = 0; q < B; q++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double s = 0;
        for (int k = 0; k < n; k++)
          s += a[(q * n + i) * n + k] * b[(q * n + k) * n + j];
        c[(q * n + i) * n + j] = s;
      }
}

// A window over an image, with padding: four loops.
void images(int B, int O, int C, int H, int W, float *restrict y, const float *restrict x, const float *restrict w) {
#pragma omp parallel for collapse(4) // expected-remark {{replaced 7-loop nest by GEMM f32}}
  for (int b = 0; b < B; b++)
    for (int o = 0; o < O; o++)
      for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
          float s = 0;
          for (int c = 0; c < C; c++)
            for (int p = 0; p < 3; p++)
              for (int q = 0; q < 3; q++) {
                int u = i + p - 1, v = j + q - 1;
                if (u >= 0 && u < H && v >= 0 && v < W)
                  s += x[((b * C + c) * H + u) * W + v] * w[((o * C + c) * 3 + p) * 3 + q];
              }
          y[((b * O + o) * H + i) * W + j] = s;
        }
}

// All sizes are constants; two of them are powers of two.
void constant_image(float *restrict y, const float *restrict x, const float *restrict w) {
#pragma omp parallel for collapse(3) // expected-remark {{replaced 6-loop nest by GEMM f32}}
  for (int o = 0; o < 24; o++)
    for (int i = 0; i < 32; i++)
      for (int j = 0; j < 32; j++) {
        float s = 0;
        for (int c = 0; c < 16; c++)
          for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
              s += x[(c * 34 + i + p) * 34 + j + q] * w[((o * 16 + c) * 3 + p) * 3 + q];
        y[(o * 32 + i) * 32 + j] = s;
      }
}

// Eight rows at a time. The null test is of what the threads share, and the
// array is one that C measures at run time.
void eight_rows(float *out, const float *in, const float *weight, const float *bias, int B, int T, int C, int OC) {
  const int Rows = 8;
#pragma omp parallel for // expected-remark {{GEMM f32}}
  for (int bt = 0; bt < B * T; bt += Rows)
    for (int o = 0; o < OC; o++) {
      float s[Rows];
      for (int r = 0; r < Rows; r++)
        s[r] = bias != 0 ? bias[o] : 0.0f;
      for (int i = 0; i < C; i++) {
        float w = weight[i + o * C];
        for (int r = 0; r < Rows; r++)
          s[r] += in[(bt + r) * C + i] * w;
      }
      for (int r = 0; r < Rows; r++)
        out[(bt + r) * OC + o] = s[r];
    }
}

#elif !defined(NEAR_MISSES)

#include <stdio.h>
#include <string.h>

enum { LD = 40 };

// From one of the elements to another.
__attribute__((noinline)) void part(long first, long last, long n, long depth, double *c, const double *a,
                                    const double *b) {
  for (long t = first; t <= last; t++) { // expected-remark {{GEMM f64}}
    long i = t / n, j = t % n;
    double s = 0;
    for (long k = 0; k < depth; k++)
      s += a[i * LD + k] * b[k * LD + j];
    c[i * LD + j] = s;
  }
}

// The column by subtraction; other operands depend on the counter itself.
__attribute__((noinline)) void subtracted(int first, int last, int n, int depth, double *c, const double *a,
                                          const double *b) {
  for (int t = first; t <= last; t++) { // expected-remark {{GEMM f64}}
    int i = t / n, j = t - i * n;
    for (int k = 0; k < depth; k++)
      c[t] += a[i * LD + k] * b[k * LD + j];
  }
}

// By a power of two, unsigned.
__attribute__((noinline)) void shifted(unsigned first, unsigned last, unsigned depth, float *c, const float *a,
                                       const float *b) {
  for (unsigned long t = first; t < last; t++) { // expected-remark {{GEMM f32}}
    unsigned long i = t / 16, j = t % 16;
    float s = 0;
    for (unsigned long k = 0; k < depth; k++)
      s += a[i * LD + k] * b[j * LD + k];
    c[i * LD + j] += s;
  }
}

// All rows are as long, so LLVM sees no division.
__attribute__((noinline)) void even(long first, long last, long n, double *c, const double *a, const double *b) {
  for (long t = first; t <= last; t++) { // expected-remark {{GEMM f64}}
    long i = t / n, j = t % n;
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * b[k * n + j];
    c[i * n + j] = s;
  }
}

// Three loops: a batch, too.
__attribute__((noinline)) void three(long first, long last, long rows, long n, long depth, double *c,
                                     const double *a, const double *b) {
  for (long t = first; t <= last; t++) { // expected-remark {{GEMM f64}}
    long q = t / (rows * n), rest = t % (rows * n), i = rest / n, j = rest % n;
    double s = q;
    for (long k = 0; k < depth; k++)
      s += a[q * LD + i * LD + k] * b[k * LD + j];
    c[t] = s;
  }
}

// Four.
__attribute__((noinline)) void four(long first, long last, long n, long depth, double *c, const double *a,
                                    const double *b) {
  for (long t = first; t <= last; t++) { // expected-remark {{GEMM f64}}
    long p = t / (6 * n), ofP = t % (6 * n), q = ofP / (2 * n), ofQ = ofP % (2 * n), i = ofQ / n, j = ofQ % n;
    double s = c[t];
    for (long k = 0; k < depth; k++)
      s += a[(p + q + i) * LD + k] * b[(k + p) * LD + j];
    c[t] = s;
  }
}

static double a[LD * LD], b[LD * LD], c[LD * LD];
static float fa[LD * LD], fb[LD * LD], fc[LD * LD];

int main(void) {
  for (int x = 0; x < LD * LD; x++) {
    fa[x] = a[x] = (x * 37 % 101 - 50) * 0.1;
    fb[x] = b[x] = (x * 53 % 97 - 48) * 0.3;
  }
  long firsts[] = {-7, 0, 1, 5, 16, 17, 31, 32, 33}, lengths[] = {0, 1, 2, 15, 16, 17, 31, 32, 48, 63, 80, 200};
  for (int n = 16; n <= 17; n++)
    for (unsigned f = 0; f < sizeof firsts / sizeof *firsts; f++)
      for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        long first = firsts[f], last = first + lengths[l] - 1;
        memset(c, 0, sizeof c);
        part(first, last, n, 21, c + LD, a + LD, b);
        fwrite(c, sizeof c, 1, stdout);
        subtracted(first, last, n, 13, c + LD, a + LD, b + LD);
        even(first, last, n, c + 20 * LD, a + LD, b);
        part(first, last, -n, 21, c + 20 * LD, a + 20 * LD, b + LD);
        fwrite(c, sizeof c, 1, stdout);
        three(first, last, 3, n, 19, c + LD, a + LD, b);
        four(first, last, n / 3, 12, c + LD, a + LD, b + LD);
        fwrite(c, sizeof c, 1, stdout);
        three(first, last, 2, n / 3, 19, c + LD, a + LD, b);
        three(first, last, -3, -n, 19, c + 20 * LD, a + 20 * LD, b + 20);
        fwrite(c, sizeof c, 1, stdout);
        if (first >= 0) {
          shifted(first, last + 1, 11, fc, fa, fb);
          fwrite(fc, sizeof fc, 1, stdout);
        }
      }
}

#else

// The next element starts from this one.
void carried(long first, long last, long n, double *restrict c, const double *restrict a, const double *restrict b) {
  double s = 0;
  for (long t = first; t <= last; t++) {
    long i = t / n, j = t % n;
    for (long k = 0; k < n; k++) // expected-remark {{one counter stands for several}}
      s += a[i * n + k] * b[k * n + j];
    c[t] = s;
  }
}

// k moves no other factor than the row.
void filtered(long first, long last, long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long t = first; t <= last; t++) {
    long i = t / n;
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * b[i * n + k];
    c[t] = s; // expected-remark {{each of the three loops must index exactly two}}
  }
}

// No product, and no word of one.
void sum_of_squares(long first, long last, long n, double *restrict c, const double *restrict a) {
  for (long t = first; t <= last; t++) {
    long i = t / n;
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * 2;
    c[t] = s;
  }
}

#endif
