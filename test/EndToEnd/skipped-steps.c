// Windows that leave an image, in loops that count down: a step beyond the border is skipped
// by 'continue', of which LLVM makes a loop inside the one that makes steps. And windows that
// are cut by an 'if' for rows, and by the bounds of a loop for columns. All are replaced, and
// have the bits of clang alone; weights and images hold infinities, NaN and negative zeros.
//
// DEFINE: %{flags} = -O2 -march=native -ffp-contract=off
// DEFINE: %{plans} =
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain && %t.plain > %t.expected
// DEFINE: %{ours} = env %{plans} %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// DEFINE:   -mllvm -tilesmith-count=1 -mllvm -tilesmith-verify=1 %s %S/../../runtime/Counts.c -o %t.ours
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=native -ffp-contract=off
// REDEFINE: %{plans} = TILESMITH='plan=gathered tile=16x4 mc=32 nc=12 kc=5'
// RUN: %{test}
// REDEFINE: %{plans} = TILESMITH='plan=gathered tile=32x2 mc=64 nc=4 kc=1'
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-COUNT-7: {{^[1-9][0-9]* (rows|both|sides|channels|memory|cut)_.*GEMM f32}}

#include "../guarded.h"

#define DOWN(V, N) for (int V = (N); V-- > 0;)
#define UP(V, N) for (int V = 0; V < (N); V++)
#define MAX(A, B) ((A) > (B) ? (A) : (B))
#define MIN(A, B) ((A) < (B) ? (A) : (B))
#define LAYER(NAME)                                                                                                    \
  __attribute__((noinline)) static void NAME(int ci, int co, int k, int pad, int h, int w, float *restrict O,          \
                                             const float *restrict X, const float *restrict F)

LAYER(rows_and_columns) {
  DOWN(q, co) DOWN(y, h) DOWN(z, w) {
    float sum = F[q];
    DOWN(c, ci) DOWN(s, k) {
      int row = y + s - pad;
      if (row < 0 || row >= h)
        continue;
      DOWN(t, k) {
        int column = z + t - pad;
        if (column < 0 || column >= w)
          continue;
        sum += X[(c * h + row) * w + column] * F[((q * ci + c) * k + s) * k + t];
      }
    }
    O[(q * h + y) * w + z] = sum;
  }
}

LAYER(both_at_once) {
  DOWN(q, co) DOWN(y, h) DOWN(z, w) {
    float sum = 0;
    DOWN(s, k) DOWN(t, k) DOWN(c, ci) {
      if (!(y + s - pad >= 0 && y + s - pad < h && z + t - pad >= 0 && z + t - pad < w))
        continue;
      sum += X[((y + s - pad) * w + z + t - pad) * ci + c] * F[((q * k + s) * k + t) * ci + c];
    }
    O[(y * w + z) * co + q] = sum;
  }
}

LAYER(sides_apart) {
  DOWN(q, co) DOWN(y, h) DOWN(z, w) {
    float sum = O[(q * h + y) * w + z];
    DOWN(c, ci) DOWN(s, k) DOWN(t, k) {
      if (y + s < pad)
        continue;
      if (y + s >= h + pad)
        continue;
      if (z + t < pad)
        continue;
      if (z + t >= w + pad)
        continue;
      sum -= X[(c * h + y + s - pad) * w + z + t - pad] * F[((q * ci + c) * k + s) * k + t];
    }
    O[(q * h + y) * w + z] = sum;
  }
}

LAYER(channels_last) {
  DOWN(y, h) DOWN(z, w) DOWN(q, co) {
    float sum = 0;
    DOWN(s, k) {
      if ((unsigned)(y + s - pad) >= (unsigned)h)
        continue;
      DOWN(t, k) {
        if ((unsigned)(z + t - pad) >= (unsigned)w)
          continue;
        DOWN(c, ci) sum += X[((y + s - pad) * w + z + t - pad) * ci + c] * F[((s * k + t) * ci + c) * co + q];
      }
    }
    O[(y * w + z) * co + q] = sum;
  }
}

LAYER(memory_of_sums) {
  UP(q, co) UP(y, h) UP(z, w) UP(c, ci) DOWN(s, k) DOWN(t, k) {
    int row = y + s - pad, column = z + t - pad;
    if (row < 0 || row >= h || column < 0 || column >= w)
      continue;
    O[(q * h + y) * w + z] += X[(c * h + row) * w + column] * F[((q * ci + c) * k + s) * k + t];
  }
}

LAYER(cut_columns) {
  UP(q, co) UP(y, h) UP(z, w) {
    float sum = 0;
    UP(c, ci) UP(s, k) {
      int row = y + s - pad;
      if (row >= 0 && row < h)
        for (int t = MAX(0, pad - z); t < MIN(k, w + pad - z); t++)
          sum += X[(c * h + row) * w + z + t - pad] * F[((q * ci + c) * k + s) * k + t];
    }
    O[(q * h + y) * w + z] = sum;
  }
}

LAYER(cut_columns_of_three) {
  UP(q, co) UP(y, h) UP(z, w) {
    float sum = 0;
    UP(c, ci) UP(s, 3) {
      int row = y + s - 1;
      if (row < 0 || row >= h)
        continue;
      for (int t = MAX(0, 1 - z); t < MIN(3, w + 1 - z); t++)
        sum += X[(c * h + row) * w + z + t - 1] * F[((q * ci + c) * 3 + s) * 3 + t];
    }
    O[(q * h + y) * w + z] = sum;
  }
}

static void (*const All[])(int, int, int, int, int, int, float *, const float *, const float *) = {
    rows_and_columns, both_at_once, sides_apart, channels_last, memory_of_sums, cut_columns, cut_columns_of_three};

int main(void) {
  static const int Layers[][6] = {{3, 5, 3, 1, 9, 11},   {4, 8, 3, 1, 16, 16}, {2, 7, 5, 2, 7, 10},  {1, 1, 3, 1, 1, 1},
                                  {16, 17, 3, 1, 14, 7}, {3, 9, 4, 3, 8, 8},   {2, 3, 5, 2, 2, 3},   {5, 4, 3, 0, 12, 6},
                                  {1, 40, 3, 1, 6, 33},  {4, 4, 7, 3, 9, 2},   {0, 3, 3, 1, 8, 8},   {3, 3, 0, 0, 8, 8}};
  static const double Rare[] = {0.5, INFINITY, NAN, -0.0};
  for (unsigned f = 0; f < sizeof All / sizeof *All; f++)
    for (unsigned l = 0; l < sizeof Layers / sizeof *Layers; l++) {
      const int *L = Layers[l];
      int ci = L[0], co = L[1], k = L[2], pad = L[3], h = L[4], w = L[5];
      size_t taps = k > 3 ? k : 3, images = ci * h * w, filters = co * ci * taps * taps + co, outputs = co * h * w;
      for (int end = 0; end < 2; end++)
        for (unsigned r = 0; r < sizeof Rare / sizeof *Rare; r++) {
          float *Of[3];
          size_t sizes[] = {outputs, images, filters};
          for (int i = 0; i < 3; i++) {
            Of[i] = guarded(sizes[i] * sizeof(float), end);
            for (size_t e = 0; e < sizes[i]; e++) {
              // Images and weights have many zeros, of both signs, and some rare numbers.
              double any = anyElement(Rare[r]);
              Of[i][e] = any > 0.8 && any < 1 ? -0.0f : any < -0.8 && any >= -1 ? 0.0f : (float)any;
            }
          }
          All[f](ci, co, k, pad, h, w, Of[0], Of[1], Of[2]);
          HASH_ELEMENTS(float, Of[0], outputs);
          printf("%u %u %016lx\n", f, l, Hash);
        }
    }
}
