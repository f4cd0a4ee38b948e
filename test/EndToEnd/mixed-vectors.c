// The sums of a matrix times a vector may be stored in another type: of floats, summed in
// double and rounded, or the other way round, beside what is there. The results are those of
// clang alone, bit by bit, in front of pages that must not be touched.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3 -ffp-contract=fast
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-DAG: {{^[1-9].*}}rounded:{{.*}}GEMV f64
// CHECK-DAG: {{^[1-9].*}}scaled:{{.*}}GEMV f64
// CHECK-DAG: {{^[1-9].*}}widened:{{.*}}GEMV f32
// CHECK-DAG: {{^[1-9].*}}added:{{.*}}GEMV f32
#include "../guarded.h"

#define NEST __attribute__((noinline)) void
#define SUMS(Type, Rest)                                                                                               \
  for (int i = 0; i < m; i++) {                                                                                        \
    Type s = 0;                                                                                                        \
    for (int p = 0; p < k; p++)                                                                                        \
      s += (Type)a[i * k + p] * x[p];                                                                                  \
    Rest;                                                                                                              \
  }

NEST rounded(int m, int k, const float *restrict a, const float *restrict x, float *restrict y) {
  SUMS(double, y[i] = s)
}
NEST scaled(int m, int k, const float *restrict a, const float *restrict x, float *restrict y) {
  SUMS(double, y[i] = s * .3 + y[i])
}
NEST widened(int m, int k, const float *restrict a, const float *restrict x, double *restrict y) {
  SUMS(float, y[i] = s)
}
NEST added(int m, int k, const float *restrict a, const float *restrict x, double *restrict y) {
  SUMS(float, y[i] += s)
}

typedef void (*Nest)(int, int, const float *, const float *, void *);
static const struct {
  const char *name;
  Nest nest;
  size_t size;
} nests[] = {{"rounded", (Nest)rounded, 4}, {"scaled", (Nest)scaled, 4}, {"widened", (Nest)widened, 8}, {"added", (Nest)added, 8}};

enum { Bytes = 64 * Page };

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 8; }
static void fill(float *x, size_t count, int kind) {
  const float far[] = {1 / 0.0f, -1 / 0.0f, 0 / 0.0f, 1e38f, -0.0f};
  for (size_t i = 0; i < count; i++)
    x[i] = kind && next() % 50 == 0 ? far[next() % 5] : ((int)(next() % 2001) - 1000) * 0.0137f;
}

int main(void) {
  static const int sizes[][2] = {{1, 1}, {3, 5}, {8, 8}, {9, 17}, {16, 5}, {33, 31}, {50, 49}, {64, 7}, {3, 100}, {100, 3}, {70, 70}, {1500, 9}};
  char *memory[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (size_t f = 0; f < sizeof nests / sizeof *nests; f++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int kind = 0; kind < 2; kind++) {
        int m = sizes[s][0], k = sizes[s][1];
        float *a = placed(memory[0], Bytes, (size_t)m * k * 4, 1), *x = placed(memory[1], Bytes, (size_t)k * 4, 1);
        void *y = placed(memory[2], Bytes, m * nests[f].size, 1);
        fill(a, (size_t)m * k, kind);
        fill(x, k, kind);
        for (int i = 0; i < m; i++)
          if (nests[f].size == 4)
            ((float *)y)[i] = i * 0.7f;
          else
            ((double *)y)[i] = i * 0.7;
        nests[f].nest(m, k, a, x, y);
        if (nests[f].size == 4)
          HASH_ELEMENTS(float, (float *)y, m);
        else
          HASH_ELEMENTS(double, (double *)y, m);
        printf("%s %d %d %d: %016lx\n", nests[f].name, m, k, kind, Hash);
      }
}
