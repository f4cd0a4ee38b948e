//===- bias.c - sums that start from a bias -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums start from an element of another array, also where more than three loops
// are not those of one matrix each, and where a pointer that may be null tells
// whether there is such an array.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 -march=native -ffp-contract=fast %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 -march=native -ffp-contract=fast -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-verify=1 %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
#include <stdio.h>

// The rows of images and of pixels are not one.
__attribute__((noinline)) void pointwise(float y[restrict 3][20][196], const float x[restrict 3][32][196],
                                         const float w[restrict 20][32], const float *restrict bias) {
  for (int n = 0; n < 3; n++) // expected-remark {{GEMM f32}}
    for (int o = 0; o < 20; o++)
      for (int p = 0; p < 196; p++) {
        float s = bias[o];
        for (int c = 0; c < 32; c++)
          s += x[n][c][p] * w[o][c];
        y[n][o][p] = s;
      }
}

__attribute__((noinline)) void several(long n, float *y, const float *x, const float *w, const float *bias) {
  for (long p = 0; p < n; p++) // expected-remark {{GEMM f32}}
    for (long i = 0; i < n; i++)
      for (long o = 0; o < n; o++) {
        float s = bias[o];
        for (long k = 0; k < n; k++)
          for (long l = 0; l < n; l++)
            s += x[((i * n + p) * n + k) * n + l] * w[(k * n + o) * n + l];
        y[(p * n + i) * n + o] = s;
      }
}

// As in llm.c. Each of the two versions that clang makes is a product.
__attribute__((noinline)) void tokens(float *out, const float *in, const float *weight, const float *bias, int B,
                                      int T, int C, int OC) {
  for (int b = 0; b < B; b++) // expected-remark {{GEMM f32}}
    for (int t = 0; t < T; t++) {
      int bt = b * T + t;
      for (int o = 0; o < OC; o++) {
        float s = bias != NULL ? bias[o] : 0.0f;
        for (int i = 0; i < C; i++)
          s += in[bt * C + i] * weight[o * C + i];
        out[bt * OC + o] = s;
      }
    }
}

// Eight rows at a time, as llm.c does it.
__attribute__((noinline)) void eight_rows(float *out, const float *in, const float *weight, const float *bias, int T,
                                          int C, int OC) {
  const int Rows = 8;
  for (int t = 0; t < T; t += Rows) // expected-remark {{GEMM f32}}
    for (int o = 0; o < OC; o++) {
      float s[Rows];
      for (int r = 0; r < Rows; r++)
        s[r] = bias != NULL ? bias[o] : 0.0f;
      for (int i = 0; i < C; i++) {
        float w = weight[i + o * C];
        for (int r = 0; r < Rows; r++)
          s[r] += in[(t + r) * C + i] * w;
      }
      for (int r = 0; r < Rows; r++)
        out[(t + r) * OC + o] = s[r];
    }
}

// Each of two columns starts from a value of its own.
__attribute__((noinline)) void two_columns(long n, double *restrict y, const double *restrict x,
                                           const double *restrict w, const double *restrict bias) {
  for (long i = 0; i < n; i++) // expected-remark {{GEMM f64}}
    for (long o = 0; o < n / 2 * 2; o += 2) {
      double s0 = bias[o], s1 = bias[o + 1];
      for (long k = 0; k < n; k++) {
        s0 += x[i * n + k] * w[k * n + o];
        s1 += x[i * n + k] * w[k * n + o + 1];
      }
      y[i * n + o] = s0;
      y[i * n + o + 1] = s1;
    }
}

// A cell of a recurrent network: the sum goes on over another two arrays. Each of
// its parts is a product.
__attribute__((noinline)) void cells(float *out, const float *in, const float *weight, const float *bias, int T, int C,
                                     const float *state, const float *other, int H) {
  for (int t = 0; t < T; t++) // expected-remark 1+ {{GEMM f32}}
    for (int o = 0; o < H; o++) {
      float s = bias[o];
      for (int i = 0; i < C; i++)
        s += in[t * C + i] * weight[o * C + i];
      for (int i = 0; i < H; i++)
        s += state[t * H + i] * other[o * H + i];
      out[t * H + o] = s;
    }
}

__attribute__((noinline)) void cell(float *out, const float *in, const float *weight, const float *bias, int C,
                                    const float *state, const float *other, int H) {
  for (int o = 0; o < H; o++) { // expected-remark 1+ {{GEMV f32}}
    float s = bias[o];
    for (int i = 0; i < C; i++)
      s += in[i] * weight[o * C + i];
    for (int i = 0; i < H; i++)
      s += state[i] * other[o * H + i];
    out[o] = s;
  }
}

static double x[1000], w[1000], y[1000];
static float in[40000], weight[40000], bias[100], out[40000];

int main(void) {
  for (int x = 0; x < 40000; x++) {
    in[x] = (x * 37 % 101 - 50) * 0.1f;
    weight[x] = (x * 53 % 97 - 48) * 0.3f;
    bias[x % 100] = (x % 100 - 50) * 0.7f;
  }
  for (int i = 0; i < 1000; i++)
    x[i] = in[i], w[i] = weight[i];
  for (int n = 0; n < 30; n += 7) {
    two_columns(n, y, x, w, x + 100);
    fwrite(y, sizeof y, 1, stdout);
  }
  pointwise((void *)out, (void *)in, (void *)weight, bias);
  fwrite(out, sizeof out, 1, stdout);
  for (int n = 0; n < 13; n += 3) {
    several(n, out, in, weight, bias);
    fwrite(out, sizeof out, 1, stdout);
    // What is written may be read as well.
    several(n, out, in, weight, out + n * n * n - 1);
    fwrite(out, sizeof out, 1, stdout);
    for (int with = 0; with < 2; with++) {
      tokens(out, in, weight, with ? bias : NULL, 2, n + 1, 2 * n + 1, 3 * n);
      fwrite(out, sizeof out, 1, stdout);
      eight_rows(out, in, weight, with ? bias : NULL, 8 * (n % 4), n, n + 4);
      fwrite(out, sizeof out, 1, stdout);
      eight_rows(out, in, weight, with ? out + 1 : NULL, 16, n, n + 4);
      fwrite(out, sizeof out, 1, stdout);
      tokens(out, in, weight, with ? out + 7 : NULL, 2, n + 1, 2 * n + 1, 3 * n);
      fwrite(out, sizeof out, 1, stdout);
    }
  }
  // From another array, from C, from neighbours of C, and of no steps.
  for (int n = 0; n < 40; n += 13)
    for (int h = 1; h < 30; h += 7)
      for (int at = 0; at < 4; at++) {
        const float *state[] = {in + 77, out, out + 1, out + h};
        cells(out, in, weight, bias, n % 9, n, state[at], weight + 5, h);
        fwrite(out, sizeof out, 1, stdout);
        cell(out, in, weight, bias, n, state[at], weight + 5, h);
        fwrite(out, sizeof out, 1, stdout);
        // What comes first is read from C, too.
        cell(out, state[at], weight, bias, n, in, weight + 5, h);
        fwrite(out, sizeof out, 1, stdout);
      }
}
