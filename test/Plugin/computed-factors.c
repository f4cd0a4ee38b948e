//===- computed-factors.c - factors made of several elements --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Weights per step, row or element, masks, zero points: all bits are those that
// clang gives, with NaN, infinities and zeros of either sign, with arrays at the
// very ends of what may be read, and where C overlaps what factors are made of.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} -w %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s -lm \
// DEFINE:      -o %t.ours 2>&1 | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int -DCODE=short
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=double -DCONSTANT
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=double -Drestrict= -DOVERLAP
// RUN: %{compare}
// CHECK-COUNT-16: computed

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef T
#define T float
#endif
#ifndef CODE
#define CODE signed char
#endif

#ifdef CONSTANT
#define SIZES enum { m = 21, n = 19, k = 37 }
#define PARAMETERS T *restrict c, const T *restrict a, const T *restrict b, const T *restrict w, const CODE *restrict q
#else
#define SIZES
#define PARAMETERS \
  int m, int n, int k, T *restrict c, const T *restrict a, const T *restrict b, const T *restrict w, const CODE *restrict q
#endif
#define FOR(i, n) for (int i = 0; i < n; ++i)

// s += x * y, with x and y of row i, column j and step l.
#define SCALAR(Name, Product)                        \
  __attribute__((noinline)) void Name(PARAMETERS) {  \
    SIZES;                                           \
    FOR(i, m) FOR(j, n) {                            \
      T s = 0;                                       \
      FOR(l, k) s += Product;                        \
      c[i * n + j] = s;                              \
    }                                                \
  }
#define A a[i * k + l]
#define B b[l * n + j]

SCALAR(per_step, A *w[l] * B)
SCALAR(per_step_first, w[l] * A * B)
SCALAR(per_step_of_b, A *(B * w[l]))
SCALAR(per_row, (A * w[i]) * B)
SCALAR(per_column, A *(B - w[j]))
SCALAR(per_element, (A + w[l * m + i]) * B)
SCALAR(both, (A * w[l]) * (B * w[l]))
SCALAR(three, (A * w[l] * w[i]) * B)
SCALAR(dequantised, ((T)q[i * k + l] * w[i]) * B)
SCALAR(zero_points, (T)(q[i * k + l] - q[i]) * B)
SCALAR(transposed, (a[l * m + i] * w[l]) * b[j * k + l])
SCALAR(masked, (q[i * k + l] > 0 ? A : (T)0) * B)

__attribute__((noinline)) void sweep(PARAMETERS) {
  SIZES;
  FOR(i, m) FOR(l, k) {
    T t = A * w[l];
    FOR(j, n) c[i * n + j] += t * B;
  }
}

__attribute__((noinline)) void outer(PARAMETERS) {
  SIZES;
  FOR(l, k) FOR(i, m) FOR(j, n) c[i * n + j] += w[l] * a[l * m + i] * B;
}

// A weighted normal equation, of which one half is made.
__attribute__((noinline)) void normal(PARAMETERS) {
  SIZES;
  FOR(i, m) for (int j = 0; j <= i; ++j) {
    T s = c[i * m + j];
    FOR(l, k) s += a[l * m + i] * w[l] * a[l * m + j];
    c[i * m + j] = s;
  }
}

__attribute__((noinline)) void epilogue(PARAMETERS) {
  SIZES;
  FOR(i, m) FOR(j, n) {
    T s = w[j];
    FOR(l, k) s += A * w[l] * B;
    c[i * n + j] = s > 0 ? s : 0;
  }
}

typedef void Routine(PARAMETERS);
static struct {
  const char *Name;
  Routine *Of;
} All[] = {{"per_step", per_step},
           {"per_step_first", per_step_first},
           {"per_step_of_b", per_step_of_b},
           {"per_row", per_row},
           {"per_column", per_column},
           {"per_element", per_element},
           {"both", both},
           {"three", three},
           {"dequantised", dequantised},
           {"zero_points", zero_points},
           {"transposed", transposed},
           {"masked", masked},
           {"sweep", sweep},
           {"outer", outer},
           {"normal", normal},
           {"epilogue", epilogue}};

// Memory for so many bytes, which end where no page follows.
static void *atEnd(size_t Bytes) {
  size_t Page = 4096, Size = (Bytes + Page - 1) / Page * Page;
  char *Begin = mmap(0, Size + Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(Begin + Size, Page, PROT_NONE);
  return Begin + Size - Bytes;
}

static void print(const char *Name, const T *c, int Count) {
  unsigned long Sum = 0;
  for (int i = 0; i < Count; ++i) {
    unsigned long Bits = 0;
    T V = c[i] == c[i] ? c[i] : (T)4711; // NaNs may have other bits
    memcpy(&Bits, &V, sizeof V);
    Sum = (Sum ^ Bits) * 0x9e3779b97f4a7c15;
  }
  printf("%s %lx\n", Name, Sum);
}

static void fill(T *X, int Count, unsigned Seed, int Special) {
  static const double Specials[] = {0., -0., 1e-42, INFINITY, -INFINITY, NAN};
  for (int i = 0; i < Count; ++i) {
    Seed = Seed * 1664525 + 1013904223;
    X[i] = (T)((int)(Seed >> 20) - 2048) / (T)97;
    if (Special && Seed % 61 == 0 && sizeof(T) * 0 + (T)0.5 != 0)
      X[i] = (T)Specials[(Seed >> 8) % 6];
  }
}

int main(void) {
#ifdef CONSTANT
  int Sizes[][3] = {{21, 19, 37}};
#else
  int Sizes[][3] = {{1, 1, 1}, {1, 5, 3}, {5, 1, 2}, {7, 9, 1}, {8, 8, 8}, {21, 19, 37}, {64, 33, 50}, {130, 70, 300}};
#endif
  for (int s = 0; s < sizeof Sizes / sizeof *Sizes; ++s)
    for (int Special = 0; Special < 2; ++Special) {
      int m = Sizes[s][0], n = Sizes[s][1], k = Sizes[s][2], Most = m > n ? m : n;
      T *a = atEnd(m * k * sizeof(T)), *b = atEnd(n * k * sizeof(T)), *w = atEnd((m * k + Most) * sizeof(T));
      CODE *q = atEnd(m * k * sizeof(CODE));
      T *c = atEnd((m * Most + m * k + n) * sizeof(T));
      fill(a, m * k, 1, Special), fill(b, n * k, 2, Special), fill(w, m * k + Most, 3, Special);
      for (int i = 0; i < m * k; ++i)
        q[i] = i * 37 % 251 - 125;
#ifdef CONSTANT
#define CALL(c, w) All[r].Of(c, a, b, w, q)
#else
#define CALL(c, w) All[r].Of(m, n, k, c, a, b, w, q)
#endif
      for (int r = 0; r < sizeof All / sizeof *All; ++r) {
        fill(c, m * Most, 4, 0);
        CALL(c, w), print(All[r].Name, c, m * Most);
#ifdef OVERLAP
        fill(c, m * Most + m * k, 5, 0);
        CALL(c, c), print("overlapping", c, m * Most);
        fill(c, m * Most + m * k, 6, 0);
        CALL(c, c + n), print("overlapping in part", c, m * Most);
#endif
      }
    }
}
