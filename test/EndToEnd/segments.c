// A matrix times a vector whose steps are in segments, each with a sum of integers that is scaled
// and added up, as of quantised weights. The results are those of clang alone, bit by bit, in front
// of pages that must not be touched, also where segments are of other lengths than kernels take.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{checks} = CHECK,AVX
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s --check-prefixes=%{checks} < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3 -ffp-contract=fast
// RUN: %{test}
// REDEFINE: %{flags} = -O3
// REDEFINE: %{checks} = CHECK
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-DAG: {{^[1-9].*}}llama:{{.*}}GEMV f32 (A row-major), MxK at run time in segments
// CHECK-DAG: {{^[1-9].*}}known:{{.*}}GEMV f32 (A row-major), Mx64 in segments
// CHECK-DAG: {{^[1-9].*}}counted:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// CHECK-DAG: {{^[1-9].*}}turned:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// AVX-DAG: {{^[1-9].*}}twenty:{{.*}}GEMV f32 (A row-major), Mx20 in segments
// AVX-DAG: {{^[1-9].*}}twelve:{{.*}}GEMV f32 (A row-major), Mx12 in segments
// CHECK-DAG: {{^[1-9].*}}from_zero_point:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// CHECK-DAG: {{^[1-9].*}}unsigned_both:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// CHECK-DAG: {{^[1-9].*}}of_shorts:{{.*}}GEMV f32 (A row-major), Mx40 in segments
// CHECK-DAG: {{^[1-9].*}}nibbles:{{.*}}GEMV f32 (A row-major), Mx16 in segments
// CHECK-DAG: {{^[1-9].*}}subtracted:{{.*}}GEMV f32 (A row-major), Mx64 in segments
// CHECK-DAG: {{^[1-9].*}}added:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// CHECK-DAG: {{^[1-9].*}}with_bias:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// CHECK-DAG: {{^[1-9].*}}blocks:{{.*}}GEMV f32 (A row-major), Mx32 in segments
// CHECK-DAG: {{^[1-9].*}}doubles:{{.*}}GEMV f64 (A row-major), Mx32 in segments
#include "../guarded.h"
#include <string.h>

#define NEST __attribute__((noinline)) void
typedef signed char Byte;

static int length;

NEST llama(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    int part = 0, row = i * n;
    for (int j = 0; j <= n - length; j += length) {
      for (int k = 0; k < length; k++)
        part += (int)x[j + k] * (int)w[row + j + k];
      s += (float)part * scales[(row + j) / length] * of[j / length];
      part = 0;
    }
    y[i] = s;
  }
}
NEST known(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int j = 0; j <= n - 64; j += 64) {
      int part = 0;
      for (int k = 0; k < 64; k++)
        part += x[j + k] * w[i * n + j + k];
      s += (float)part * scales[(i * n + j) / 64] * of[j / 64];
    }
    y[i] = s;
  }
}
#define SEGMENTS(Type, Scaled)                                                                                         \
  for (int i = 0; i < d; i++) {                                                                                        \
    Type s = 0;                                                                                                        \
    for (int g = 0; g < n / 32; g++) {                                                                                 \
      int part = 0;                                                                                                    \
      for (int k = 0; k < 32; k++)                                                                                     \
        part += x[g * 32 + k] * w[i * n + g * 32 + k];                                                                 \
      s += Scaled;                                                                                                     \
    }                                                                                                                  \
    y[i] = s;                                                                                                          \
  }
NEST counted(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {
  SEGMENTS(float, (float)part * scales[i * (n / 32) + g] * of[g])
}
NEST turned(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {
  SEGMENTS(float, of[g] * scales[i * (n / 32) + g] * part)
}
NEST doubles(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *out) {
  double *y = (double *)out;
  SEGMENTS(double, (double)part * scales[i * (n / 32) + g])
}
// Lengths that are no whole registers, of elements of many kinds.
#define OF(Name, Type, Length, Product, Start, Stored)                                                                 \
  NEST Name(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {              \
    const Type *a = (const Type *)w;                                                                                   \
    int count = n / (Length * (int)sizeof(Type));                                                                      \
    for (int i = 0; i < d; i++) {                                                                                      \
      float s = Start;                                                                                                 \
      for (int g = 0; g < count; g++) {                                                                                \
        int part = 0;                                                                                                  \
        for (int k = 0; k < Length; k++) {                                                                             \
          Type q = a[(i * count + g) * Length + k];                                                                    \
          part Product;                                                                                                \
        }                                                                                                              \
        s += (float)part * scales[i * count + g] * of[g];                                                              \
      }                                                                                                                \
      y[i] = Stored;                                                                                                   \
    }                                                                                                                  \
  }
typedef unsigned char Unsigned;
OF(twenty, Byte, 20, += q * x[g * 20 + k], 0, s)
OF(twelve, Byte, 12, += q * x[g * 12 + k], 0, s)
OF(from_zero_point, Unsigned, 32, += (q - 131) * x[g * 32 + k], 0, s)
OF(unsigned_both, Unsigned, 32, += q * (Unsigned)x[g * 32 + k], 0, s)
OF(of_shorts, short, 40, += q * ((const short *)x)[g * 40 + k], 0, s)
OF(nibbles, Unsigned, 16, += ((q & 15) - 8) * x[g * 16 + k] + ((q >> 4) - 8) * x[g * 16 + k + 8], 0, s)
OF(subtracted, Byte, 64, -= q * x[g * 64 + k], 0, s)
OF(added, Byte, 32, += q * x[g * 32 + k], 0, y[i] + s)
OF(with_bias, Byte, 32, += q * x[g * 32 + k], scales[i], s + scales[i])
// A sum that is stored as another type is left to clang.
NEST from_bias(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {
  for (int i = 0; i < d; i++) {
    double s = scales[i];
    for (int g = 0; g < n / 32; g++) {
      int part = 0;
      for (int k = 0; k < 32; k++)
        part += x[g * 32 + k] * w[i * n + g * 32 + k];
      s += part * (double)scales[i * (n / 32) + g];
    }
    y[i] = (float)s;
  }
}
struct Block {
  float scale;
  Byte of[32];
};
NEST blocks(int n, int d, const Byte *w, const float *scales, const Byte *x, const float *of, float *y) {
  const struct Block *a = (const struct Block *)w, *b = (const struct Block *)x;
  int count = n / 36;
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int g = 0; g < count; g++) {
      int part = 0;
      for (int k = 0; k < 32; k++)
        part += a[i * count + g].of[k] * b[g].of[k];
      s += part * a[i * count + g].scale * b[g].scale;
    }
    y[i] = s;
  }
}

typedef void (*Nest)(int, int, const Byte *, const float *, const Byte *, const float *, float *);
static const struct {
  const char *name;
  Nest nest;
  int step;
} nests[] = {{"llama", llama, 1}, {"known", known, 64},     {"counted", counted, 32},
             {"turned", turned, 32}, {"doubles", doubles, 32}, {"blocks", blocks, 36},
             {"twenty", twenty, 20}, {"twelve", twelve, 12}, {"from_zero_point", from_zero_point, 32},
             {"unsigned_both", unsigned_both, 32}, {"of_shorts", of_shorts, 80}, {"nibbles", nibbles, 16},
             {"subtracted", subtracted, 64}, {"added", added, 32}, {"with_bias", with_bias, 32},
             {"from_bias", from_bias, 32}};

enum { Bytes = 128 * Page };

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 8; }
static void fill(float *x, size_t count, int kind) {
  const float far[] = {1 / 0.0f, -1 / 0.0f, 0 / 0.0f, 1e38f, -0.0f, 1e-42f};
  for (size_t i = 0; i < count; i++)
    x[i] = kind && next() % 50 == 0 ? far[next() % 6] : ((int)(next() % 2001) - 1000) * 0.0137f;
}
static void fillBytes(Byte *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    x[i] = next() % 5 ? next() : -128;
}

int main(void) {
  // With the most rows, matrices are larger than the first-level cache.
  static const int rows[] = {1, 3, 7, 8, 9, 16, 17, 31, 40, 129}, steps[] = {32, 36, 48, 64, 72, 96, 128, 160, 288, 360, 512};
  static const int lengths[] = {1, 3, 16, 20, 32, 48, 64, 96};
  char *memory[5];
  for (int i = 0; i < 5; i++)
    memory[i] = guardedPages(Bytes);
  for (size_t f = 0; f < sizeof nests / sizeof *nests; f++)
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
      for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t l = 0; l < (f ? 1 : sizeof lengths / sizeof *lengths); l++)
          for (int kind = 0; kind < 2; kind++) {
            int d = rows[r], n = steps[s];
            length = lengths[l];
            int step = f ? nests[f].step : length;
            size_t inRow = n / step, scales = (d - 1) * (size_t)n / step + inRow + 1 + d, behind = 8; // of nibbles
            Byte *w = placed(memory[0], Bytes, (size_t)d * n, 1), *x = placed(memory[1], Bytes, n + behind, 1);
            float *ofW = placed(memory[2], Bytes, scales * 4, 1), *ofX = placed(memory[3], Bytes, (inRow + 1) * 4, 1);
            size_t size = f == 4 ? 8 : 4;
            void *y = placed(memory[4], Bytes, d * size, 1);
            fillBytes(w, (size_t)d * n);
            fillBytes(x, n + behind);
            fill(ofW, scales, kind);
            fill(ofX, inRow + 1, kind);
            memset(y, 0x3f, d * size);
            nests[f].nest(n, d, w, ofW, x, ofX, y);
            if (size == 4)
              HASH_ELEMENTS(float, (float *)y, d);
            else
              HASH_ELEMENTS(double, (double *)y, d);
            printf("%s %d %d %d %d: %016lx\n", nests[f].name, d, n, length, kind, Hash);
          }
}
