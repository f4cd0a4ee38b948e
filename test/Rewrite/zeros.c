//===- zeros.c - steps with a zero are left out ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices without zeros go to the kernel. So do those with some zeros, if a step
// with a zero changes nothing. Otherwise, the source's own loops run: 0 * NaN must
// not be added, nor 0 to -0, and nothing may be read that belongs to a column of
// zeros. Of integers, such a column or row is what counts.
//
// RUN: %clang -O2 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
// RUN: %clang -O3 -ffast-math -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O3 -ffast-math -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER -DFINITE %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
// CHECK-NOT: not replaced
// CHECK-COUNT-12: replaced 3-loop nest
// CHECK-NOT: not replaced

#include <stdint.h>

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)

// Each has a factor that is tested and one that is not; C is m x n.
#define FORMS(X) X(Hoisted) X(ByColumns) X(Inside) X(InSum) X(Widened) X(Strided)
#define TYPES(X) X(double, double) X(int16_t, int32_t)

#ifdef IMPLEMENTATION
#define DEFINE(S, T)                                                          \
  void CAT(NAME, CAT(Hoisted, S))(long m, long n, long k, const S *a,         \
                                  const S *b, T *c) {                         \
    for (long i = 0; i < m; i++)                                              \
      for (long p = 0; p < k; p++) {                                          \
        T x = a[i * k + p];                                                   \
        if (x != 0)                                                           \
          for (long j = 0; j < n; j++)                                        \
            c[i * n + j] += x * b[p * n + j];                                 \
      }                                                                       \
  }                                                                           \
  void CAT(NAME, CAT(ByColumns, S))(long m, long n, long k, const S *a,       \
                                    const S *b, T *c) {                       \
    for (long i = 0; i < m; i++)                                              \
      for (long p = 0; p < k; p++) {                                          \
        if (a[i + p * m] == 0)                                                \
          continue;                                                           \
        T x = (T)3 * a[i + p * m];                                            \
        for (long j = 0; j < n; j++)                                          \
          c[i * n + j] -= x * b[p * n + j];                                   \
      }                                                                       \
  }                                                                           \
  void CAT(NAME, CAT(Inside, S))(long m, long n, long k, const S *a,          \
                                 const S *b, T *c) {                          \
    for (long j = 0; j < n; j++)                                              \
      for (long p = 0; p < k; p++)                                            \
        for (long i = 0; i < m; i++)                                          \
          if (a[i * k + p] != 0)                                              \
            c[i * n + j] += (T)a[i * k + p] * b[p * n + j];                   \
  }                                                                           \
  void CAT(NAME, CAT(InSum, S))(long m, long n, long k, const S *a,           \
                                const S *b, T *c) {                           \
    for (long i = 0; i < m; i++)                                              \
      for (long j = 0; j < n; j++) {                                          \
        T s = c[i * n + j];                                                   \
        for (long p = 0; p < k; p++)                                          \
          if (a[i * k + p] != 0)                                              \
            s += (T)b[p * n + j] * a[i * k + p];                              \
        c[i * n + j] = s;                                                     \
      }                                                                       \
  }                                                                           \
  /* One more: not neutral with a zero. */                                    \
  void CAT(NAME, CAT(Widened, S))(long m, long n, long k, const S *a,         \
                                  const S *b, T *c) {                         \
    for (long i = 0; i < m; i++)                                              \
      for (long p = 0; p < k; p++)                                            \
        if (a[i * k + p] != 0)                                                \
          for (long j = 0; j < n; j++)                                        \
            c[i * n + j] += ((T)a[i * k + p] + 1) * b[p * n + j];             \
  }                                                                           \
  /* The step is counted by the ones that are made. */                        \
  void CAT(NAME, CAT(Strided, S))(long m, long n, long k, const S *a,         \
                                  const S *b, T *c) {                         \
    for (long i = 0; i < m; i++) {                                            \
      const S *row = b;                                                       \
      for (long p = 0; p < k; p++)                                            \
        if (a[i * k + p] != 0) {                                              \
          for (long j = 0; j < n; j++)                                        \
            c[i * n + j] += (T)a[i * k + p] * row[j];                         \
          row += n;                                                           \
        }                                                                     \
    }                                                                         \
  }
TYPES(DEFINE)
#endif

#ifdef DRIVER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__real_malloc(size_t);
static int allocations;
void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}

#ifdef FINITE
#define SPECIAL 1
#else
#define SPECIAL NAN
#endif

static int failures;
static void check(int ok, const char *what, const char *form) {
  if (!ok && ++failures)
    printf("%s: %s\n", form, what);
}

enum { M = 37, N = 29, K = 31 };
#define RUN_FORM(Form, S, T)                                                  \
  {                                                                           \
    typedef void Function(long, long, long, const S *, const S *, T *);       \
    Function CAT(base, CAT(Form, S)), CAT(tile, CAT(Form, S));                \
    const char *name = #Form " " #S;                                          \
    T from[M * N], c[2][M * N];                                               \
    S *a = malloc(M * K * sizeof(S));                                         \
    /* The last row of b ends at a page that cannot be read. */               \
    char *pages = mmap(0, 1 << 17, PROT_READ | PROT_WRITE,                    \
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);                   \
    mprotect(pages + (1 << 16), 1 << 16, PROT_NONE);                          \
    S *last = (S *)(pages + (1 << 16));                                       \
    for (int kind = 0; kind < 7; kind++) {                                    \
      S *b = last - K * N;                                                    \
      for (int i = 0; i < M * K; i++)                                         \
        a[i] = rand() % 200 + 1;                                              \
      for (int i = 0; i < K * N; i++)                                         \
        b[i] = rand() % 200 - 100;                                            \
      for (int i = 0; i < M * N; i++)                                         \
        from[i] = kind == 1 ? (T)-0.0 : rand() % 200;                         \
      int columns = !strcmp(#Form, "ByColumns");                              \
      int at = columns ? 7 + 11 * M : 7 * K + 11;                             \
      if (kind == 1 || kind == 2)                                             \
        a[at] = (T)-0.0;                                                      \
      if (kind == 2)                                                          \
        for (int j = 0; j < N; j++)                                           \
          b[11 * N + j] = (S)SPECIAL;                                         \
      if (kind == 3)                                                          \
        a[M * K - 1] = 0;                                                     \
      if (kind == 4) /* a column of zeros: b has one row less */              \
        for (int i = 0; i < M; i++)                                           \
          a[columns ? i + (K - 1) * M : i * K + K - 1] = 0;                   \
      if (kind == 5) /* a row of zeros */                                     \
        for (int p = 0; p < K; p++)                                           \
          a[columns ? M - 1 + p * M : (M - 1) * K + p] = 0;                   \
      if (kind == 6) {                                                        \
        for (int i = 0; i < M * K; i++)                                       \
          a[i] = i % 3;                                                       \
      }                                                                       \
      if (kind == 4 && strcmp(#Form, "Strided")) {                            \
        memmove(b + N, b, (K - 1) * N * sizeof(S));                           \
        b += N;                                                               \
      }                                                                       \
      memcpy(c[0], from, sizeof from);                                        \
      memcpy(c[1], from, sizeof from);                                        \
      CAT(base, CAT(Form, S))(M, N, K, a, b, c[0]);                           \
      int before = allocations;                                               \
      CAT(tile, CAT(Form, S))(M, N, K, a, b, c[1]);                           \
      char what[] = "other bytes, case 0", taken[] = "not taken, case 0";     \
      what[sizeof what - 2] = taken[sizeof taken - 2] = '0' + kind;           \
      check(!memcmp(c[0], c[1], sizeof from), what, name);                    \
      if (kind == 0)                                                          \
        check(allocations > before, taken, name);                             \
      int neutral = sizeof(S) == 2 && strcmp(#Form, "Widened") &&             \
                    strcmp(#Form, "Strided");                                 \
      if (kind == 6 && neutral)                                               \
        check(allocations > before, taken, name);                             \
      int idle = sizeof(S) == 8 && strcmp(#Form, "Widened") &&                \
                 strcmp(#Form, "Strided") && strcmp(#Form, "ByColumns");      \
      if ((kind == 3 || kind == 6) && idle)                                   \
        check(allocations > before, taken, name);                             \
      if (kind == 4 || kind == 5 || (kind == 1 && !neutral) ||                \
          (kind == 2 && !neutral && SPECIAL != 1))                            \
        check(allocations == before, "taken with zeros", name);               \
    }                                                                         \
    munmap(pages, 1 << 17);                                                   \
    free(a);                                                                  \
  }
#define BOTH(Form) RUN_FORM(Form, double, double) RUN_FORM(Form, int16_t, int32_t)

int main(void) {
  FORMS(BOTH)
  return failures != 0;
}
#endif
