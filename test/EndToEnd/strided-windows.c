// Windows that move by several elements, in an image with a border, whose subscripts are
// int: the step of a place is a multiple of that of a tap, also where int may wrap. 30
// orders, tests and layouts are replaced, and have the bits of clang alone, by two elements
// and by what only the program knows; weights and images hold infinities, NaN and negative
// zeros.
//
// DEFINE: %{flags} = -O3 -march=x86-64-v3
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   -mllvm -tilesmith-verify=1 %s %S/../../runtime/Counts.c -o %t.ours
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -fwrapv
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DBY=step -DAPART=apart
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DBY=step -DAPART=apart
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-COUNT-30: {{^[1-9][0-9]* (planar|channels|mixed)_.*GEMM f32.* in [23] outer loops}}

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOR(V, N) for (int V = 0; V < N; V++)
#define TAPS FOR(s, kh) FOR(t, kw)
#define PLACES FOR(y, oh) FOR(z, ow)
#ifndef BY
#define BY 2
#define APART 1
#endif
#define ROW (BY * y + APART * s - pad)
#define COLUMN (BY * z + APART * t - pad)
#define NESTED if (ROW >= 0 && ROW < h) if (COLUMN >= 0 && COLUMN < w)
#define UNSIGNED if ((unsigned)ROW < (unsigned)h && (unsigned)COLUMN < (unsigned)w)

#define PLANAR O[(q * oh + y) * ow + z] += X[(c * h + ROW) * w + COLUMN] * F[((q * ci + c) * kh + s) * kw + t];
#define CHANNELS O[(y * ow + z) * co + q] += X[(ROW * w + COLUMN) * ci + c] * F[((s * kw + t) * ci + c) * co + q];
#define MIXED O[(q * oh + y) * ow + z] += X[(ROW * w + BY * z + APART * t - pad) * ci + c] * F[((c * co + q) * kh + s) * kw + t];

typedef struct {
  int ci, co, kh, kw, pad, step, apart, h, w, oh, ow;
} Layer;

#define CONVOLUTION(NAME, ...)                                                                                         \
  __attribute__((noinline)) static void NAME(int ci, int co, int kh, int kw, int pad, int step, int apart, int h,      \
                                             int w, int oh, int ow, float *restrict O, float *restrict X,              \
                                             float *restrict F) {                                                      \
    __VA_ARGS__                                                                                                        \
  }
#define ORDERS(NAME, TEST, STEP)                                                                                       \
  CONVOLUTION(NAME##_1, TAPS FOR(q, co) FOR(y, oh) FOR(c, ci) FOR(z, ow) TEST STEP)                                    \
  CONVOLUTION(NAME##_2, TAPS FOR(q, co) PLACES FOR(c, ci) TEST STEP)                                                   \
  CONVOLUTION(NAME##_3, TAPS FOR(c, ci) FOR(q, co) PLACES TEST STEP)                                                   \
  CONVOLUTION(NAME##_4, TAPS PLACES FOR(c, ci) FOR(q, co) TEST STEP)                                                   \
  CONVOLUTION(NAME##_5, FOR(q, co) FOR(c, ci) TAPS PLACES TEST STEP)
ORDERS(planar_nested, NESTED, PLANAR)
ORDERS(planar_unsigned, UNSIGNED, PLANAR)
ORDERS(channels_nested, NESTED, CHANNELS)
ORDERS(channels_unsigned, UNSIGNED, CHANNELS)
ORDERS(mixed_nested, NESTED, MIXED)
ORDERS(mixed_unsigned, UNSIGNED, MIXED)

#define ALL(NAME) NAME##_1, NAME##_2, NAME##_3, NAME##_4, NAME##_5
static void (*const All[])(int, int, int, int, int, int, int, int, int, int, int, float *, float *, float *) = {
    ALL(planar_nested),     ALL(planar_unsigned), ALL(channels_nested),
    ALL(channels_unsigned), ALL(mixed_nested),    ALL(mixed_unsigned)};

static float number(unsigned *seed) {
  *seed = *seed * 1664525 + 1013904223;
  unsigned n = *seed >> 16;
  return n % 97 == 0 ? INFINITY : n % 101 == 0 ? NAN : n % 13 == 0 ? -0.0f : (float)(n % 2001) / 64 - 15;
}

static void print(const float *O, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    unsigned bits;
    memcpy(&bits, &O[i], sizeof bits);
    sum = (sum ^ (O[i] == O[i] ? bits : 1)) * 16777619u; // one NaN is as good as another
  }
  printf("%08x\n", sum);
}

int main(void) {
  static const Layer Layers[] = {
      {3, 5, 3, 3, 1, 2, 1, 9, 11, 5, 6},   {4, 8, 3, 3, 1, 2, 1, 32, 32, 16, 16}, {2, 7, 5, 3, 2, 2, 1, 13, 20, 7, 10},
      {1, 1, 1, 1, 0, 2, 1, 5, 5, 3, 3},    {5, 6, 3, 3, 3, 2, 1, 4, 4, 4, 4},     {16, 17, 3, 3, 1, 2, 1, 14, 14, 7, 7},
      {3, 17, 3, 3, 2, 1, 2, 14, 9, 14, 9}, {3, 6, 3, 2, 1, 3, 1, 16, 17, 6, 6},   {6, 9, 3, 3, 2, 3, 2, 19, 21, 7, 8}};
  unsigned seed = 1;
  for (unsigned f = 0; f < sizeof All / sizeof *All; f++)
    for (unsigned l = 0; l < sizeof Layers / sizeof *Layers; l++) {
      Layer L = Layers[l];
      int images = L.ci * L.h * L.w, filters = L.co * L.ci * L.kh * L.kw, outputs = L.co * L.oh * L.ow;
      float *X = malloc(images * sizeof *X), *F = malloc(filters * sizeof *F), *O = malloc(outputs * sizeof *O);
      for (int special = 0; special < 2; special++) {
        for (int i = 0; i < images; i++)
          X[i] = special ? number(&seed) : i % 19 - 9;
        for (int i = 0; i < filters; i++)
          F[i] = special ? number(&seed) : i % 23 * 0.125f - 1;
        for (int i = 0; i < outputs; i++)
          O[i] = i % 7 - 3;
        All[f](L.ci, L.co, L.kh, L.kw, L.pad, L.step, L.apart, L.h, L.w, L.oh, L.ow, O, X, F);
        print(O, outputs);
      }
      free(X), free(F), free(O);
    }
}
