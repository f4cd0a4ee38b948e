// Halves of C: the same bits on the wanted side of the diagonal, nothing written
// on the other one, nothing accessed beyond the end.
//
// RUN: %clang -march=native -O2 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -march=native -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o \
// RUN:   -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
//
// Blocks of few rows, columns and steps:
// RUN: %clang -march=native -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o \
// RUN:   -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -mllvm -tilesmith-mc=24 -mllvm -tilesmith-nc=8 -mllvm -tilesmith-kc=16
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
//
// Other types:
// RUN: %clang -march=native -O2 -DNAME=base -DELEMENT=float -DIMPLEMENTATION \
// RUN:   -c %s -o %t.base.o
// RUN: %clang -march=native -O2 -DNAME=tile -DELEMENT=float -DIMPLEMENTATION \
// RUN:   -c %s -o %t.tile.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1
// RUN: %clang -O1 -DDRIVER -DELEMENT=float %s %t.base.o %t.tile.o -o %t && %t
// RUN: %clang -march=native -O2 -DNAME=base -DELEMENT=int -DIMPLEMENTATION \
// RUN:   -c %s -o %t.base.o
// RUN: %clang -march=native -O2 -DNAME=tile -DELEMENT=int -DIMPLEMENTATION \
// RUN:   -c %s -o %t.tile.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1
// RUN: %clang -O1 -DDRIVER -DELEMENT=int %s %t.base.o %t.tile.o -o %t && %t
// CHECK-COUNT-11: replaced 3-loop nest by {{.*}} f64

#ifndef ELEMENT
#define ELEMENT double
#endif
typedef ELEMENT T;
#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
#define FOR(I, BEGIN, END) for (long I = BEGIN; I < END; I++)
typedef void Half(long n, long p, const T *a, T *c, long ld);

#ifdef IMPLEMENTATION
void CAT(NAME, RowsLower)(long n, long p, const T *a, T *c, long ld) {
  FOR(i, 0, n) FOR(j, 0, i + 1) FOR(k, 0, p)
    c[i * ld + j] += a[i * p + k] * a[j * p + k];
}
void CAT(NAME, RowsUpper)(long n, long p, const T *a, T *c, long ld) {
  FOR(i, 0, n) FOR(j, i, n) FOR(k, 0, p)
    c[i * ld + j] += a[i * p + k] * a[j * p + k];
}
void CAT(NAME, ColumnsLower)(long n, long p, const T *a, T *c,
                             long ld) {
  FOR(j, 0, n) FOR(i, j, n) FOR(k, 0, p)
    c[i + j * ld] += a[i + k * n] * a[j + k * n];
}
void CAT(NAME, ColumnsUpper)(long n, long p, const T *a, T *c,
                             long ld) {
  FOR(j, 0, n) FOR(i, 0, j + 1) FOR(k, 0, p)
    c[i + j * ld] += a[i + k * n] * a[j + k * n];
}
void CAT(NAME, Strict)(long n, long p, const T *a, T *c, long ld) {
  FOR(i, 0, n) FOR(j, 0, i) FOR(k, 0, p)
    c[i * ld + j] -= a[i * p + k] * a[j * p + k];
}
void CAT(NAME, StrictUpper)(long n, long p, const T *a, T *c, long ld) {
  FOR(i, 0, n) FOR(j, i + 1, n) FOR(k, 0, p)
    c[i * ld + j] -= a[i + k * n] * a[j + k * n];
}
void CAT(NAME, RowsOfSteps)(long n, long p, const T *a, T *c, long ld) {
  FOR(i, 0, n) FOR(j, 0, i + 1) FOR(k, 0, p)
    c[i * ld + j] += a[k * n + i] * a[k * n + j];
}
void CAT(NAME, ColumnsOfSteps)(long n, long p, const T *a, T *c, long ld) {
  FOR(j, 0, n) FOR(i, j, n) FOR(k, 0, p)
    c[i + j * ld] += a[i * p + k] * a[j * p + k];
}
void CAT(NAME, FirstColumns)(long n, long p, const T *a, T *c, long ld) {
  FOR(j, 0, n / 2) FOR(i, j, n) FOR(k, 0, p)
    c[i + j * ld] += a[i + k * n] * a[j + k * n];
}
void CAT(NAME, FromZero)(long n, long p, const T *a, T *c, long ld) {
  FOR(j, 0, n) FOR(i, 0, j + 1) {
    T sum = 0;
    FOR(k, 0, p) sum += a[i * p + k] * a[j * p + k];
    c[i + j * ld] = sum;
  }
}
void CAT(NAME, Scaled)(long n, long p, const T *a, T *c, long ld) {
  FOR(j, 0, n) FOR(i, j, n) {
    T sum = 0;
    FOR(k, 0, p) sum += a[i + k * n] * a[j + k * n];
    c[i + j * ld] = 1.7 * sum + 0.3 * c[i + j * ld];
  }
}
#endif

#ifdef DRIVER
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALL(X)                                                                 \
  X(RowsLower) X(RowsUpper) X(ColumnsLower) X(ColumnsUpper) X(Strict)            \
  X(StrictUpper) X(RowsOfSteps) X(ColumnsOfSteps) X(FirstColumns) X(FromZero)    \
  X(Scaled)
#define DECLARE(F) Half base##F, tile##F;
#define ENTRY(F) {#F, base##F, tile##F},
ALL(DECLARE)
static const struct {
  const char *name;
  Half *base, *tile;
} halves[] = {ALL(ENTRY)};

/// Memory for \p count elements, in front of a page that must not be touched.
static T *guarded(long count) {
  size_t page = 65536, bytes = (count * sizeof(T) + page - 1) / page * page;
  char *all = mmap(0, bytes + page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + bytes, page, PROT_NONE))
    exit(2);
  return (T *)(all + bytes) - count;
}

int main() {
  const long depths[] = {1, 2, 7, 8, 17, 33, 64}, most = 70;
  int wrong = 0;
  FOR(n, 1, most) FOR(d, 0, (long)(sizeof(depths) / sizeof(*depths))) {
    long p = depths[d], ld = n + n % 3, count = (n - 1) * ld + n;
    static T *ends[4];
    if (!ends[0])
      FOR(i, 0, 4) ends[i] = guarded(most * (most + 3)) + most * (most + 3);
    T *a = ends[0] - n * p, *start = ends[1] - count;
    T *base = ends[2] - count, *tile = ends[3] - count;
    FOR(i, 0, n * p) a[i] = (rand() % 2001 - 1000) / 37.0;
    FOR(i, 0, count) start[i] = (rand() % 2001 - 1000) / 41.0;
    FOR(h, 0, (long)(sizeof(halves) / sizeof(*halves))) {
      memcpy(base, start, count * sizeof(T));
      memcpy(tile, start, count * sizeof(T));
      halves[h].base(n, p, a, base, ld);
      halves[h].tile(n, p, a, tile, ld);
      if (memcmp(base, tile, count * sizeof(T)) && ++wrong)
        printf("%s differs at n = %ld, p = %ld\n", halves[h].name, n, p);
    }
  }
  return wrong != 0;
}
#endif
